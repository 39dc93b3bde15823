//! The causes that a page lists: each effect once.

use super::diagnosis::{Cause, DiagnosedGroup, MARGIN};
use super::experiment::Measured;

/// The number of standard deviations from which a difference of two shares is no chance: one in
/// twenty.
const CLEAR: f64 = 1.645;

/// A cause of a group, with others that have the same effect: they are used in the same sentences of
/// the group, and without them the same rejections disappear.
pub struct ListedCause<'a> {
    pub cause: &'a Cause,
    /// Whether the experiment shows that rejections disappear, and not by chance.
    pub is_clear: bool,
    pub same: Vec<&'a Cause>,
}

/// Returns the causes of a group to list, the most probable first, at most `count`. If experiments
/// show the effect of some, the others are left out.
pub fn listed<'a>(
    group: &'a DiagnosedGroup,
    whole: &Measured,
    count: usize,
) -> Vec<ListedCause<'a>> {
    let is_clear = |cause: &Cause| {
        let without = cause.without.as_ref();
        without.is_some_and(|without| has_effect(whole, without, group))
    };
    let some_clear = group.causes.iter().any(is_clear);
    let mut all: Vec<ListedCause<'a>> = Vec::new();
    for cause in &group.causes {
        let is_clear = is_clear(cause);
        if some_clear && !is_clear {
            continue;
        }
        let is_same = |listed: &&mut ListedCause<'_>| {
            listed.is_clear
                && listed.cause.twins.contains(&cause.suspect.part)
                && cause.gain <= listed.cause.gain + MARGIN
        };
        match all.iter_mut().find(is_same) {
            Some(listed) => listed.same.push(cause),
            None => all.push(ListedCause {
                cause,
                is_clear,
                same: Vec::new(),
            }),
        }
    }
    all.truncate(count);
    all
}

/// Returns whether fewer sentences are rejected without a part: a one-sided test of two proportions.
fn has_effect(whole: &Measured, without: &Measured, group: &DiagnosedGroup) -> bool {
    let (before, after) = (
        whole.share_of(&group.pattern),
        without.share_of(&group.pattern),
    );
    is_less(after, without.sentences, before, whole.sentences)
}

/// Returns whether a share of `n` is less than another share of `m`, and not by chance.
fn is_less(share: f64, n: usize, other: f64, m: usize) -> bool {
    let (n, m) = (n.max(1) as f64, m.max(1) as f64);
    let all = (share * n + other * m) / (n + m);
    let deviation = (all * (1.0 - all) * (1.0 / n + 1.0 / m)).sqrt();
    other - share > CLEAR * deviation && other > share
}

#[cfg(test)]
mod tests {
    use super::super::suspects::Suspect;
    use super::*;
    use crate::reasons::pattern;

    #[test]
    fn small_differences_are_chance() {
        assert!(is_less(0.0, 750, 0.2, 750) && is_less(0.1, 750, 0.2, 750));
        assert!(!is_less(0.19, 750, 0.2, 750) && !is_less(0.0, 750, 0.001, 750));
        assert!(!is_less(0.2, 750, 0.1, 750) && !is_less(0.0, 0, 0.0, 0));
    }

    #[test]
    fn parts_with_one_effect_are_one_entry() {
        let (reason, _) = pattern("bad", b"x", &|_| false);
        let measured = |share: f64| Measured {
            sentences: 1000,
            valid: 1.0 - share,
            rejected: vec![(reason.clone(), share)],
            valid_edges: 10,
        };
        let cause = |part: u32, share: f64, twins: &[u32]| Cause {
            suspect: Suspect {
                part,
                ochiai: 0.5,
                named: 0.0,
            },
            without: Some(measured(share)),
            gain: 1.0 - share / 0.2,
            twins: twins.to_vec(),
        };
        let mut group = DiagnosedGroup {
            pattern: reason.clone(),
            count: 200,
            share: 0.2,
            example: Vec::new(),
            reason: "bad".into(),
            causes: vec![
                cause(0, 0.0, &[1, 3]),
                cause(1, 0.0, &[0, 3]),
                cause(2, 0.05, &[]),
                cause(3, 0.2, &[0, 1]),
            ],
            mend: None,
        };
        let shown = |group: &DiagnosedGroup| {
            let listed = listed(group, &measured(0.2), 3);
            let numbers = |listed: &ListedCause<'_>| {
                let same = listed.same.iter().map(|cause| cause.suspect.part);
                [listed.cause.suspect.part]
                    .into_iter()
                    .chain(same)
                    .collect()
            };
            listed.iter().map(numbers).collect::<Vec<Vec<u32>>>()
        };
        // The last one has no effect.
        assert_eq!(shown(&group), [vec![0, 1], vec![2]]);
        group.causes.drain(..3);
        assert_eq!(shown(&group), [vec![3]]);
    }
}
