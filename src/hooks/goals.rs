//! Goals of fuzzing beside coverage: long runs, pairs of a rule and a function, and panics.

use std::str::FromStr;

use crate::derivation::Derivation;
use crate::error::Error;
use crate::feedback::layout::{GOAL_EXCEPTIONS, GOAL_MAPPINGS, GOAL_TIME};
use crate::grammar::{Grammar, Kind};

/// The goals that are features beside coverage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Goals {
    /// New maxima of the time of a run, and of the number of executed edges.
    pub time: bool,
    /// Pairs of an alternative that an input uses and a function that it reaches.
    pub mappings: bool,
    /// Panics. They only reject their input, and fuzzing continues.
    pub exceptions: bool,
}

impl FromStr for Goals {
    type Err = Error;

    fn from_str(text: &str) -> Result<Goals, Error> {
        let mut goals = Goals::default();
        for name in text.split(',').map(str::trim) {
            match name {
                "time" => goals.time = true,
                "mappings" => goals.mappings = true,
                "exceptions" => goals.exceptions = true,
                _ => {
                    return Err(format!(
                        "no goal `{name}`; the goals are time, mappings, exceptions"
                    )
                    .into());
                }
            }
        }
        Ok(goals)
    }
}

impl Goals {
    /// Returns the goals as C expects them.
    pub fn bits(self) -> i32 {
        let bits = [
            (self.time, GOAL_TIME),
            (self.mappings, GOAL_MAPPINGS),
            (self.exceptions, GOAL_EXCEPTIONS),
        ];
        bits.into_iter()
            .filter(|(is_on, _)| *is_on)
            .map(|(_, bit)| bit)
            .sum()
    }
}

/// Writes the numbers of the alternatives that a derivation uses, without duplicates.
pub fn alternatives(grammar: &Grammar, derivation: &Derivation, used: &mut Vec<u32>) {
    used.clear();
    used.extend(
        derivation
            .nodes()
            .iter()
            .filter_map(|node| match &grammar[node.symbol].kind {
                Kind::Nonterminal { alternatives, .. } => Some(alternatives.start + node.choice),
                _ => None,
            }),
    );
    used.sort_unstable();
    used.dedup();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn goals_are_read() {
        let all = Goals {
            time: true,
            mappings: true,
            exceptions: true,
        };
        assert_eq!("time, mappings,exceptions".parse(), Ok(all));
        assert_eq!((all.bits(), Goals::default().bits()), (7, 0));
        assert_eq!(
            "time".parse(),
            Ok(Goals {
                time: true,
                ..Goals::default()
            })
        );
        assert!(
            "speed"
                .parse::<Goals>()
                .unwrap_err()
                .to_string()
                .contains("no goal `speed`")
        );
    }
}
