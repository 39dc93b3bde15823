//! Groups of artifacts with the same fault.

use super::artifact::Tested;
use super::similarity::similarity;
use crate::fault::{Fault, Place};

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
    /// Whether the target fails in the same way if it gets the text instead of the artifact.
    pub is_reproduced_by_text: bool,
}

/// Artifacts with the same fault.
pub struct FaultGroup {
    /// The fault of the smallest artifact.
    pub fault: Fault,
    /// Indices of the artifacts. The first is the smallest.
    pub artifacts: Vec<usize>,
    /// Numbers of groups with similar stacks, from 1.
    pub similar: Vec<usize>,
    pub smallest: Smallest,
    /// Why the fault is accepted, if it is known.
    pub known: Option<String>,
}

impl FaultGroup {
    fn of(artifacts: Vec<usize>, tested: &[Tested]) -> Option<FaultGroup> {
        let first = &tested[*artifacts.first()?];
        Some(FaultGroup {
            fault: first.fault.clone()?,
            artifacts,
            similar: Vec::new(),
            smallest: Smallest {
                text: first.input.text.clone(),
                how: "not reduced".into(),
                is_reproduced_by_text: false,
            },
            known: None,
        })
    }
}

/// Returns the groups of artifacts. The most severe faults are first, then those of most artifacts.
pub fn groups(tested: &[Tested]) -> Vec<FaultGroup> {
    let mut places: Vec<Vec<usize>> = Vec::new();
    for (at, fault) in failures(tested) {
        let (same, mut others): (Vec<_>, Vec<_>) = places.into_iter().partition(|place| {
            place
                .iter()
                .any(|&other| is_same_fault(tested, other, fault))
        });
        // Several places are the same only for recursions that this one has in common.
        others.push(same.into_iter().flatten().chain([at]).collect());
        places = others;
    }
    let mut groups: Vec<FaultGroup> = places
        .into_iter()
        .filter_map(|mut artifacts| {
            artifacts.sort_by_key(|&at| (tested[at].size(), at));
            FaultGroup::of(artifacts, tested)
        })
        .collect();
    groups.sort_by_key(|group| {
        (
            group.fault.severity.class,
            usize::MAX - group.artifacts.len(),
            group.fault.heading(),
        )
    });
    relate(&mut groups);
    groups
}

/// Returns the artifacts that fail, with their faults.
fn failures(tested: &[Tested]) -> impl Iterator<Item = (usize, &Fault)> {
    let artifacts = tested.iter().enumerate();
    artifacts.filter_map(|(at, tested)| Some((at, tested.fault.as_ref()?)))
}

fn is_same_fault(tested: &[Tested], at: usize, fault: &Fault) -> bool {
    tested[at]
        .fault
        .as_ref()
        .is_some_and(|other| other.is_same(fault))
}

/// Finds groups of one kind whose stacks are similar.
fn relate(groups: &mut [FaultGroup]) {
    let is_similar = |one: &Fault, other: &Fault| {
        let [first, second] = [one, other].map(|fault| fault.frames.iter().collect::<Vec<_>>());
        matches!(one.place, Place::Frame(_))
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
