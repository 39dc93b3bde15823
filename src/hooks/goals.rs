//! Goals of fuzzing in addition to coverage: long runs, and panics.

use std::str::FromStr;

use crate::error::Error;
use crate::feedback::layout::{GOAL_EXCEPTIONS, GOAL_TIME};

/// The goals whose events count as features, in addition to coverage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Goals {
    /// New maxima of the time of a run, and of the number of executed edges.
    pub time: bool,
    /// Panics, by source location. A panic makes its input invalid, and fuzzing continues.
    pub exceptions: bool,
}

impl FromStr for Goals {
    type Err = Error;

    fn from_str(text: &str) -> Result<Goals, Error> {
        let mut goals = Goals::default();
        for name in text.split(',').map(str::trim) {
            match name {
                "time" => goals.time = true,
                "exceptions" => goals.exceptions = true,
                _ => {
                    return Err(format!("no goal `{name}`; the goals are time, exceptions").into());
                }
            }
        }
        Ok(goals)
    }
}

impl Goals {
    /// Returns the goals as bits, for the C code.
    pub fn bits(self) -> i32 {
        let bits = [(self.time, GOAL_TIME), (self.exceptions, GOAL_EXCEPTIONS)];
        bits.into_iter()
            .filter(|(is_on, _)| *is_on)
            .map(|(_, bit)| bit)
            .sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn goals_are_read() {
        let all = Goals {
            time: true,
            exceptions: true,
        };
        assert_eq!("time, exceptions".parse(), Ok(all));
        assert_eq!((all.bits(), Goals::default().bits()), (3, 0));
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
