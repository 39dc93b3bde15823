//! The setting `ZESTER_EXPERIMENT`: parts of zester that experiments turn off or change.

use std::str::FromStr;

use crate::parameters::PastEnd;

/// The parts of zester that an experiment changes.
#[derive(Debug, PartialEq)]
pub struct Experiment {
    /// Whether edges that valid inputs reach are separate coverage features. The code for AFL++
    /// also reads this, before all other settings (`src/feedback/afl.c`).
    pub feedback: bool,
    /// The names of the mutators to use, separated by commas. [`None`] means all mutators.
    pub mutators: Option<String>,
    /// Whether mutators whose results reach new code are used more often.
    pub adapts: bool,
    /// Whether other inputs are mutated instead of invalid ones.
    pub avoids_invalid: bool,
    /// How choices past the end of an input are made.
    pub past_end: PastEnd,
    /// Whether mutators avoid common features of frequent failures.
    pub steers: bool,
    /// Whether new subtrees favour alternatives whose sentences are often valid.
    pub estimates_validity: bool,
    /// The constant c of Bonsai fuzzing's leaf probability p = c/d, where d is the bound of depth.
    pub leaf: f64,
}

impl Default for Experiment {
    fn default() -> Experiment {
        Experiment {
            feedback: true,
            mutators: None,
            adapts: true,
            avoids_invalid: true,
            past_end: PastEnd::Simplest,
            steers: true,
            estimates_validity: true,
            leaf: 0.0,
        }
    }
}

/// Reads `name=value` pairs that are separated by commas.
impl FromStr for Experiment {
    type Err = String;

    fn from_str(text: &str) -> Result<Experiment, String> {
        let mut experiment = Experiment::default();
        for part in text.split(',') {
            match part.trim().split_once('=') {
                Some(("feedback", "0")) => experiment.feedback = false,
                Some(("feedback", "1")) => experiment.feedback = true,
                Some(("schedule", "fixed")) => experiment.adapts = false,
                Some(("schedule", "adaptive")) => experiment.adapts = true,
                Some(("parents", "any")) => experiment.avoids_invalid = false,
                Some(("parents", "valid")) => experiment.avoids_invalid = true,
                Some(("past_end", "random")) => experiment.past_end = PastEnd::PseudoRandom,
                Some(("past_end", "simplest")) => experiment.past_end = PastEnd::Simplest,
                Some(("steering", "0")) => experiment.steers = false,
                Some(("steering", "1")) => experiment.steers = true,
                Some(("validity", "0")) => experiment.estimates_validity = false,
                Some(("validity", "1")) => experiment.estimates_validity = true,
                Some(("leaf", number)) => {
                    experiment.leaf = number
                        .parse()
                        .ok()
                        .filter(|number| (0.0..f64::INFINITY).contains(number))
                        .ok_or_else(|| format!("`{part}`: expected a number from 0"))?;
                }
                Some(("mutators", names)) => experiment.mutators = Some(names.replace('+', ",")),
                _ => {
                    return Err(format!(
                        "`{part}`: expected feedback=0, schedule=fixed, parents=any, past_end=random, steering=0, validity=0, leaf=C, or mutators=NAME+NAME or mutators=-NAME+-NAME"
                    ));
                }
            }
        }
        Ok(experiment)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_read() {
        let all = "feedback=0, mutators=burst+splice,schedule=fixed,parents=any,past_end=random,steering=0,validity=0,leaf=0.5";
        let expected = Experiment {
            feedback: false,
            mutators: Some("burst,splice".into()),
            adapts: false,
            avoids_invalid: false,
            past_end: PastEnd::PseudoRandom,
            steers: false,
            estimates_validity: false,
            leaf: 0.5,
        };
        assert_eq!(all.parse(), Ok(expected));
        assert_eq!(
            "feedback=1,schedule=adaptive,past_end=simplest".parse(),
            Ok(Experiment::default())
        );
        for wrong in [
            "",
            "feedback",
            "feedback=2",
            "schedule",
            "other=1",
            "leaf=-1",
            "leaf=NaN",
        ] {
            assert!(wrong.parse::<Experiment>().is_err(), "{wrong}");
        }
    }
}
