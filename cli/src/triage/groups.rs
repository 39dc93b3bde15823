//! Groups of artifacts with the same fault.
//!
//! Disagreements of one comparison are one group at first. When they have been reduced, those whose
//! sentences have the same shape are a group.

use std::cmp::Reverse;

use zester::grammar::Grammar;
use zester::shape::FailureShape;

use super::artifact::Tested;
use super::similarity::similarity;
use crate::equal::FailingEquivalent;
use crate::fault::{Fault, FaultLocation};

/// The minimum similarity of the stacks of groups that are shown as similar: 1 minus CASR's
/// threshold.
const SIMILAR: f64 = 0.7;

/// The minimum number of frames of such stacks. Shorter ones are similar by chance.
const MIN_FRAMES: usize = 3;

/// The smallest input of a group that shows its fault.
#[derive(Clone)]
pub struct Smallest {
    /// The text, or [`None`] if the target has no grammar.
    pub text: Option<Vec<u8>>,
    /// What was done to the input, such as `reduced from 120 to 7 bytes`.
    pub how: String,
    /// The text with holes for the parts that do not matter.
    pub shape: Option<FailureShape>,
    /// Whether the target fails in the same way if it gets the text instead of the artifact.
    pub is_reproduced_by_text: bool,
    /// The equivalent sentence that fails, if the text does not fail by itself.
    pub failing: Option<FailingEquivalent>,
}

impl Smallest {
    /// Returns the length of the text, for comparisons.
    fn size(&self) -> usize {
        self.text.as_ref().map_or(usize::MAX, Vec::len)
    }
}

/// Artifacts with the same fault.
#[derive(Clone)]
pub struct FaultGroup {
    /// The fault of the first artifact.
    pub fault: Fault,
    /// Indices of the artifacts. The first is the smallest; once disagreements have been reduced, it is
    /// that with the smallest reduced sentence.
    pub artifacts: Vec<usize>,
    /// Numbers of groups with similar stacks, from 1.
    pub similar: Vec<usize>,
    pub smallest: Smallest,
    /// The smallest inputs of groups that this one has taken, with their faults: they differ only in numbers, the cause of this group
    /// explains them, or the same equivalences show them.
    pub variants: Vec<(Fault, Smallest)>,
    /// Why the fault is accepted, if it is known.
    pub known: Option<String>,
}

impl FaultGroup {
    /// Returns the kind and the location in one line, and for a disagreement the comparison and the shape.
    pub fn heading(&self) -> String {
        let shape = self.smallest.shape.as_ref();
        match self.fault.comparison().zip(shape) {
            Some((comparison, shape)) => format!("disagreement: {comparison}: {shape}"),
            None => self.fault.heading(),
        }
    }

    /// Returns the smallest input and the variants, each with its fault.
    pub fn inputs(&self) -> impl Iterator<Item = (&Fault, &Smallest)> {
        let variants = self
            .variants
            .iter()
            .map(|(fault, smallest)| (fault, smallest));
        std::iter::once((&self.fault, &self.smallest)).chain(variants)
    }

    /// Adds the artifacts of another group, whose smallest input is a variant.
    pub fn take(&mut self, other: FaultGroup) {
        self.artifacts.extend(other.artifacts);
        self.variants.push((other.fault, other.smallest));
        self.variants.extend(other.variants);
    }

    fn of(artifacts: Vec<usize>, tested: &[Tested]) -> Option<FaultGroup> {
        let first = &tested[*artifacts.first()?];
        Some(FaultGroup {
            fault: first.fault.clone()?,
            artifacts,
            similar: Vec::new(),
            smallest: Smallest {
                text: first.input.text.clone(),
                how: "not reduced".into(),
                shape: None,
                is_reproduced_by_text: false,
                failing: None,
            },
            variants: Vec::new(),
            known: None,
        })
    }
}

/// Returns the groups of artifacts. The most severe faults are first, then those of most artifacts.
pub fn groups(tested: &[Tested]) -> Vec<FaultGroup> {
    let mut same_faults: Vec<Vec<usize>> = Vec::new();
    for (at, fault) in failures(tested) {
        let (same, mut others): (Vec<_>, Vec<_>) = same_faults.into_iter().partition(|group| {
            group
                .iter()
                .any(|&other| is_same_fault(tested, other, fault))
        });
        // Several groups match only if this is a recursion that has functions in common with each.
        others.push(same.into_iter().flatten().chain([at]).collect());
        same_faults = others;
    }
    let mut groups: Vec<FaultGroup> = same_faults
        .into_iter()
        .filter_map(|mut artifacts| {
            artifacts.sort_by_key(|&at| (tested[at].size(), at));
            FaultGroup::of(artifacts, tested)
        })
        .collect();
    sort(&mut groups);
    groups
}

/// Sorts groups, and finds those with similar stacks.
pub fn sort(groups: &mut [FaultGroup]) {
    groups.sort_by_key(|group| {
        (
            group.fault.severity.class,
            Reverse(group.artifacts.len()),
            group.heading(),
        )
    });
    relate(groups);
}

/// An artifact that has been reduced.
pub struct ReducedArtifact {
    /// The index of its group.
    pub group: usize,
    /// The index of the artifact.
    pub at: usize,
    pub fault: Fault,
    pub smallest: Smallest,
}

/// Returns the indices of the artifacts of a group that are to be reduced: all disagreements, which may
/// have several shapes, and otherwise the smallest artifact.
pub fn to_reduce(group: &FaultGroup) -> &[usize] {
    match group.fault.comparison() {
        Some(_) => &group.artifacts,
        None => &group.artifacts[..1],
    }
}

/// Returns the groups with their reduced inputs. Disagreements are grouped by their shapes. Artifacts that have not
/// been reduced because triage was interrupted stay together.
pub fn by_shape(
    groups: Vec<FaultGroup>,
    mut reduced: Vec<ReducedArtifact>,
    tested: &[Tested],
    grammar: Option<&Grammar>,
) -> Vec<FaultGroup> {
    let mut found = Vec::new();
    reduced.sort_by_key(|artifact| (artifact.group, artifact.smallest.size(), artifact.at));
    let mut reduced = reduced.into_iter().peekable();
    for (at, group) in groups.into_iter().enumerate() {
        let is_disagreement = group.fault.comparison().is_some();
        let mut shaped: Vec<FaultGroup> = Vec::new();
        while let Some(artifact) = reduced.next_if(|artifact| artifact.group == at) {
            let ReducedArtifact {
                at,
                fault,
                smallest,
                ..
            } = artifact;
            let new = FaultGroup {
                fault,
                artifacts: if is_disagreement {
                    vec![at]
                } else {
                    group.artifacts.clone()
                },
                similar: Vec::new(),
                smallest,
                variants: Vec::new(),
                known: None,
            };
            add(&mut shaped, new, grammar);
        }
        let is_left = |at: &usize| !shaped.iter().any(|shaped| shaped.artifacts.contains(at));
        let left = group.artifacts.iter().copied().filter(is_left).collect();
        let left = match shaped.is_empty() {
            true => Some(group),
            false => FaultGroup::of(left, tested),
        };
        shaped.extend(left);
        found.extend(shaped);
    }
    sort(&mut found);
    found
}

/// Adds a group of one artifact to the groups of its comparison. If its shape is more general, it takes
/// the artifacts of others.
fn add(groups: &mut Vec<FaultGroup>, mut new: FaultGroup, grammar: Option<&Grammar>) {
    let rule = |group: &FaultGroup| {
        let cause = group.smallest.shape.as_ref()?.cause.as_ref()?;
        Some(cause.rule().to_owned())
    };
    let covers = |one: &FaultGroup, other: &FaultGroup| {
        let (reduced, text) = (&one.smallest, &other.smallest.text);
        // Causes of different rules are different causes, even if a sentence contains both, unless one is a part of the
        // other.
        let rules = rule(one).zip(rule(other));
        if rules.is_some_and(|(one, other)| one != other) {
            let shapes = reduced.shape.as_ref().zip(other.smallest.shape.as_ref());
            let both = shapes.zip(grammar).zip(text.as_ref());
            return both.is_some_and(|(((one, other), grammar), text)| {
                one.is_within(grammar, other, text)
            });
        }
        let shaped = reduced.shape.as_ref().zip(grammar).zip(text.as_ref());
        match shaped {
            Some(((shape, grammar), text)) => shape.covers(grammar, text),
            // An edited sentence has no shape.
            None => {
                reduced.shape.is_none()
                    && other.smallest.shape.is_none()
                    && one.fault.is_same(&other.fault)
            }
        }
    };
    // A sentence may contain the causes of several faults, so equal causes come first.
    let cause = |group: &FaultGroup| group.smallest.shape.as_ref()?.cause.clone();
    let own = cause(&new);
    let has_equal_cause = |group: &FaultGroup| own.is_some() && cause(group) == own;
    let at = groups.iter().position(has_equal_cause);
    let at = at.or_else(|| groups.iter().position(|group| covers(group, &new)));
    if let Some(at) = at {
        groups[at].artifacts.append(&mut new.artifacts);
        return;
    }
    // The groups so far have smaller sentences.
    let all = std::mem::take(groups).into_iter();
    let (covered, others): (Vec<_>, Vec<_>) = all.partition(|group| covers(&new, group));
    *groups = others;
    let artifacts = covered.iter().flat_map(|group| &group.artifacts);
    new.artifacts.splice(0..0, artifacts.copied());
    if let Some(first) = covered.into_iter().next() {
        let shape = new.smallest.shape.take();
        new.fault = first.fault;
        new.smallest = Smallest {
            shape,
            ..first.smallest
        };
    }
    groups.push(new);
}

/// Returns the artifacts that fail, with their faults.
fn failures(tested: &[Tested]) -> impl Iterator<Item = (usize, &Fault)> {
    let artifacts = tested.iter().enumerate();
    artifacts.filter_map(|(at, tested)| Some((at, tested.fault.as_ref()?)))
}

fn is_same_fault(tested: &[Tested], at: usize, fault: &Fault) -> bool {
    let is_same = |other: &Fault| {
        let comparison = fault.comparison();
        other.is_same(fault) || comparison.is_some() && comparison == other.comparison()
    };
    tested[at].fault.as_ref().is_some_and(is_same)
}

/// Finds groups of one kind whose stacks are similar.
fn relate(groups: &mut [FaultGroup]) {
    let is_similar = |one: &Fault, other: &Fault| {
        let [first, second] = [one, other].map(|fault| fault.frames.iter().collect::<Vec<_>>());
        matches!(one.location, FaultLocation::Frame(_))
            && one.kind == other.kind
            && first.len().min(second.len()) >= MIN_FRAMES
            && similarity(&first, &second) >= SIMILAR
    };
    let similar: Vec<Vec<usize>> = groups
        .iter()
        .enumerate()
        .map(|(at, one)| {
            let others = groups.iter().enumerate();
            let found = others.filter(|(other_at, other)| {
                *other_at != at && is_similar(&one.fault, &other.fault)
            });
            found.map(|(other_at, _)| other_at + 1).collect()
        })
        .collect();
    for (group, similar) in groups.iter_mut().zip(similar) {
        group.similar = similar;
    }
}
