//! Merges groups of disagreements: those that differ only in their numbers, those that fail by the cause of another group, and those
//! that the same equivalences show.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::time::{Duration, Instant};

use indicatif::ProgressBar;
use zester::equal::Equivalents;
use zester::grammar::Grammar;
use zester::parameters::Settings;
use zester::subject::{Limits, Subject};

use super::groups::{FaultGroup, Smallest, sort};
use super::numbers::without_numbers;
use super::shown_by::ShownBy;
use crate::failure_shape::is_explained;
use crate::fault::Fault;
use crate::input::encoded;
use crate::problem::Problem;
use crate::progress::open_progress;

/// How the causes of groups are compared.
pub struct Explanations<'a> {
    pub target: &'a Path,
    pub grammar: &'a Grammar,
    pub settings: Settings,
    pub limits: Limits,
    /// The maximum time of the trials of one group.
    pub time: Duration,
}

impl Explanations<'_> {
    /// Returns the merged groups.
    ///
    /// # Errors
    /// If the target cannot be started or started again.
    pub fn merge(&self, mut groups: Vec<FaultGroup>) -> Result<Vec<FaultGroup>, Problem> {
        let has_comparison = |group: &&FaultGroup| group.fault.comparison().is_some();
        if groups.iter().filter(has_comparison).count() < 2 {
            return Ok(groups);
        }
        merge_agreeing(&mut groups, |(fault, smallest), (other_fault, other)| {
            let masked = |smallest: &Smallest| smallest.text.as_deref().map(without_numbers);
            fault.is_same(other_fault)
                && masked(smallest).is_some_and(|text| Some(text) == masked(other))
        });
        let mut subject = Subject::start(self.target, self.limits).map_err(Problem::new)?;
        let bar = open_progress("comparing the causes of {msg} groups");
        bar.set_message(groups.len().to_string());
        let texts = groups
            .iter()
            .filter_map(|group| group.smallest.text.clone());
        let with_parameters =
            |text: Vec<u8>| encoded(self.grammar, &text).map(|bytes| (text, bytes));
        let parameters: HashMap<Vec<u8>, Vec<u8>> = texts.filter_map(with_parameters).collect();
        let parameters_of = |group: &FaultGroup| {
            let text = group.smallest.text.as_ref()?;
            parameters.get(text).map(Vec::as_slice)
        };
        // The first artifact of the group that is tried now, and the end of its time.
        let mut trials = (usize::MAX, Instant::now());
        merge_explained(&mut groups, |group, other| {
            let cause = other.smallest.shape.as_ref();
            let cause = cause.and_then(|shape| shape.cause.as_ref());
            let known = parameters_of(other).zip(cause);
            let (Some(input), Some(known)) = (parameters_of(group), known) else {
                return false;
            };
            if trials.0 != group.artifacts[0] {
                bar.tick();
                trials = (group.artifacts[0], Instant::now() + self.time);
                if let Some(comparison) = group.fault.comparison() {
                    subject.compare_only(comparison);
                }
            }
            let of = (self.grammar, &self.settings);
            let is_over = || Instant::now() >= trials.1;
            is_explained(&mut subject, of, input, known, &is_over)
        });
        self.merge_equally_shown(&mut groups, &bar)?;
        bar.finish_and_clear();
        Ok(groups)
    }

    /// Merges groups of equivalent sentences that differ, if the same equivalences show them.
    fn merge_equally_shown(
        &self,
        groups: &mut Vec<FaultGroup>,
        bar: &ProgressBar,
    ) -> Result<(), Problem> {
        let mut equivalents = Equivalents::new(self.grammar);
        let names: HashSet<&str> = (0..equivalents.count())
            .map(|equivalence| equivalents.name(equivalence))
            .collect();
        let is_shown = |group: &&FaultGroup| {
            let comparison = group.fault.comparison();
            comparison.is_some_and(|name| names.contains(name))
        };
        let texts: Vec<Vec<u8>> = groups
            .iter()
            .filter(is_shown)
            .flat_map(FaultGroup::inputs)
            .filter_map(|(_, input)| input.text.clone())
            .collect();
        if texts.len() < 2 {
            return Ok(());
        }
        let subject = Subject::start_with_outcomes(self.target, self.limits);
        let mut subject = subject.map_err(Problem::new)?;
        let mut shown = HashMap::new();
        for text in texts {
            bar.tick();
            let end = Instant::now() + self.time;
            let is_over = || Instant::now() >= end;
            if let Some(by) = ShownBy::of(&mut subject, &mut equivalents, &text, &is_over)? {
                shown.insert(text, by);
            }
        }
        merge_agreeing(groups, |(_, one), (_, other)| {
            let of = |smallest: &Smallest| shown.get(smallest.text.as_ref()?);
            let both = of(one).zip(of(other));
            both.is_some_and(|(one, other)| one.agrees(other))
        });
        Ok(())
    }
}

/// Merges groups with those before them. `agrees` says whether two inputs have one cause. Two groups are merged if each input of one
/// agrees with each of the other, variants included.
fn merge_agreeing(
    groups: &mut Vec<FaultGroup>,
    agrees: impl Fn((&Fault, &Smallest), (&Fault, &Smallest)) -> bool,
) {
    let mut merged: Vec<FaultGroup> = Vec::new();
    for group in groups.drain(..) {
        let of_both = |other: &&mut FaultGroup| {
            let mut pairs =
                (group.inputs()).flat_map(|one| other.inputs().map(move |two| (one, two)));
            pairs.all(|(one, other)| agrees(one, other))
        };
        match merged.iter_mut().find(of_both) {
            Some(other) => other.take(group),
            None => merged.push(group),
        }
    }
    *groups = merged;
    sort(groups);
}

/// Merges groups of one comparison whose smallest sentence fails by the cause of a group with more artifacts.
/// `is_explained(group, other)` returns whether the sentence of `group` fails by the cause of `other`.
fn merge_explained(
    groups: &mut Vec<FaultGroup>,
    mut is_explained: impl FnMut(&FaultGroup, &FaultGroup) -> bool,
) {
    let mut at = groups.len();
    while at > 1 {
        at -= 1;
        let group = &groups[at];
        let comparison = group.fault.comparison();
        let mut others = groups[..at].iter();
        let by = others.position(|other| {
            comparison.is_some()
                && comparison == other.fault.comparison()
                && is_explained(group, other)
        });
        if let Some(by) = by {
            let group = groups.remove(at);
            groups[by].take(group);
        }
    }
    sort(groups);
}

#[cfg(test)]
mod tests {
    use zester::subject::Outcome;

    use super::super::groups::Smallest;
    use super::*;
    use crate::fault::FaultLocation;

    /// Returns a group of artifacts with a disagreement.
    fn group(comparison: &str, artifacts: &[usize]) -> FaultGroup {
        let mut fault = Fault::of(&Outcome::TimeOut, "", Vec::new(), b"").unwrap();
        fault.kind = "disagreement".into();
        fault.location =
            FaultLocation::Message(format!("{comparison}: a number against a greater one"));
        FaultGroup {
            fault,
            artifacts: artifacts.into(),
            similar: Vec::new(),
            smallest: Smallest {
                text: Some(format!("{artifacts:?}").into()),
                how: String::new(),
                shape: None,
                is_reproduced_by_text: true,
                failing: None,
            },
            variants: Vec::new(),
            known: None,
        }
    }

    #[test]
    fn a_group_takes_those_that_its_cause_explains() {
        let mut groups = [
            ("agree", &[0, 1, 2][..]),
            ("other", &[3, 4]),
            ("agree", &[5, 6]),
            ("agree", &[7]),
            ("other", &[8]),
            ("agree", &[9]),
        ]
        .map(|(comparison, artifacts)| group(comparison, artifacts))
        .to_vec();
        // The group of 9 is explained by that of 5, and that by the first. 8 would be explained by groups of another
        // comparison.
        let explained = [(9, 5), (5, 0), (8, 0), (8, 5)];
        merge_explained(&mut groups, |group, other| {
            explained.contains(&(group.artifacts[0], other.artifacts[0]))
        });
        let merged: Vec<&[usize]> = groups.iter().map(|group| &group.artifacts[..]).collect();
        assert_eq!(merged, [&[0, 1, 2, 5, 6, 9][..], &[3, 4], &[7], &[8]]);
        let variants = groups[0].variants.iter();
        let texts: Vec<&[u8]> = variants.filter_map(|(_, of)| of.text.as_deref()).collect();
        assert_eq!(texts, [&b"[5, 6]"[..], b"[9]"]);
    }

    #[test]
    fn a_group_takes_a_later_one_that_agrees_with_all_of_its_inputs() {
        let mut groups = [&[0, 1][..], &[2], &[3], &[4]]
            .map(|artifacts| group("equal", artifacts))
            .to_vec();
        let agreeing = [("[0, 1]", "[2]"), ("[2]", "[3]"), ("[3]", "[4]")];
        merge_agreeing(&mut groups, |(_, one), (_, other)| {
            let [one, other] =
                [one, other].map(|of| String::from_utf8(of.text.clone().unwrap()).unwrap());
            agreeing.contains(&(&one, &other)) || agreeing.contains(&(&other, &one))
        });
        // The third agrees with the second, and not with the first.
        let merged: Vec<&[usize]> = groups.iter().map(|group| &group.artifacts[..]).collect();
        assert_eq!(merged, [&[0, 1, 2][..], &[3, 4]]);
        assert_eq!(groups[0].inputs().count(), 2);
    }
}
