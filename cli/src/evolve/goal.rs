//! The goals of `zester evolve`, and their weights.

use std::fmt;
use std::str::FromStr;

/// A goal that inputs are evolved for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Goal {
    /// Functions of the program that no earlier input reached.
    Coverage,
    /// Inputs that end in an exception. An exception that no earlier input had counts ten times as
    /// much as a repeated one.
    Exceptions,
    /// Exceptions that no earlier input had.
    UniqueExceptions,
    /// The time of a run without an exception.
    Time,
    /// Pairs of a path of rules that an input uses and a function that it reaches.
    Mappings,
}

impl Goal {
    /// All goals.
    pub const ALL: [Goal; 5] = [
        Goal::Coverage,
        Goal::Exceptions,
        Goal::UniqueExceptions,
        Goal::Time,
        Goal::Mappings,
    ];

    const NAMES: [&str; 5] = [
        "coverage",
        "exceptions",
        "unique-exceptions",
        "time",
        "mappings",
    ];
}

impl fmt::Display for Goal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(Goal::NAMES[*self as usize])
    }
}

impl FromStr for Goal {
    type Err = String;

    fn from_str(text: &str) -> Result<Goal, String> {
        let goal = Goal::ALL
            .into_iter()
            .find(|goal| Goal::NAMES[*goal as usize] == text);
        goal.ok_or_else(|| format!("unknown goal; the goals are {}", Goal::NAMES.join(", ")))
    }
}

/// The goals of the command line: one goal, or all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GoalSelection {
    One(Goal),
    All,
}

impl FromStr for GoalSelection {
    type Err = String;

    fn from_str(text: &str) -> Result<GoalSelection, String> {
        match text {
            "all" => Ok(GoalSelection::All),
            _ => text
                .parse()
                .map(GoalSelection::One)
                .map_err(|problem| format!("{problem}, or all")),
        }
    }
}

/// A list of goals with their weights, such as `coverage=10,time=1`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GivenWeights(Vec<(Goal, f64)>);

impl FromStr for GivenWeights {
    type Err = String;

    fn from_str(text: &str) -> Result<GivenWeights, String> {
        let one = |part: &str| {
            let (goal, weight) = part
                .split_once('=')
                .ok_or_else(|| format!("`{part}` is not GOAL=NUMBER"))?;
            let weight: f64 = weight
                .parse()
                .map_err(|_| format!("`{weight}` is not a number"))?;
            if !(0.0..=1e6).contains(&weight) {
                return Err(format!("{weight} is not from 0 to 1000000"));
            }
            Ok((goal.parse()?, weight))
        };
        text.split(',')
            .map(one)
            .collect::<Result<_, String>>()
            .map(GivenWeights)
    }
}

/// The weight of each goal in the fitness of an input.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GoalWeights([f64; Goal::ALL.len()]);

/// The weight of the goal if the command line names one goal.
const OF_GOAL: f64 = 10.0;

impl GoalWeights {
    /// Returns the weights of all goals. The defaults are those of the paper on FdLoop: 10 for the
    /// goal of the command line, and 1 for each other goal. If `aim` is all goals, each has 1.
    ///
    /// The goals `exceptions` and `unique-exceptions` measure almost the same, so one of them has the
    /// default 0: `exceptions` if `aim` is `unique-exceptions`, otherwise `unique-exceptions`. The
    /// weights in `given` replace the defaults. The goal `ignored` has the weight 0 even if `given`
    /// contains it.
    pub fn new(aim: GoalSelection, ignored: Option<Goal>, given: &GivenWeights) -> GoalWeights {
        let mut weights = [1.0; Goal::ALL.len()];
        let other = if aim == GoalSelection::One(Goal::UniqueExceptions) {
            Goal::Exceptions
        } else {
            Goal::UniqueExceptions
        };
        weights[other as usize] = 0.0;
        if let GoalSelection::One(goal) = aim {
            weights[goal as usize] = OF_GOAL;
        }
        for &(goal, weight) in &given.0 {
            weights[goal as usize] = weight;
        }
        if let Some(ignored) = ignored {
            weights[ignored as usize] = 0.0;
        }
        GoalWeights(weights)
    }

    /// Returns the weight of a goal.
    pub fn of(&self, goal: Goal) -> f64 {
        self.0[goal as usize]
    }

    /// Returns the sum of the values of all goals, each multiplied by its weight. `value` returns the
    /// value for a goal. It is not called for goals of the weight 0.
    pub fn sum(&self, value: impl Fn(Goal) -> f64) -> f64 {
        Goal::ALL
            .into_iter()
            .filter(|&goal| self.of(goal) > 0.0)
            .map(|goal| self.of(goal) * value(goal))
            .sum()
    }

    /// Returns these weights, but 0 for each goal in `goals`.
    pub fn without(mut self, goals: &[Goal]) -> GoalWeights {
        goals.iter().for_each(|&goal| self.0[goal as usize] = 0.0);
        self
    }

    /// Returns whether at least two goals have a weight above 0, and all of these weights are equal.
    pub fn are_alike(&self) -> bool {
        let mut weights: Vec<f64> = self
            .0
            .iter()
            .copied()
            .filter(|&weight| weight > 0.0)
            .collect();
        let count = weights.len();
        weights.dedup();
        count > 1 && weights.len() == 1
    }

    /// Returns whether every weight is 0.
    pub fn are_zero(&self) -> bool {
        self.0.iter().all(|&weight| weight == 0.0)
    }
}

impl fmt::Display for GoalWeights {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts: Vec<String> = Goal::ALL
            .into_iter()
            .map(|goal| format!("{goal}={}", self.of(goal)))
            .collect();
        formatter.pad(&parts.join(","))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_goals_are_read() {
        for goal in Goal::ALL {
            assert_eq!(goal.to_string().parse(), Ok(GoalSelection::One(goal)));
        }
        assert_eq!("all".parse(), Ok(GoalSelection::All));
        assert!(
            "speed"
                .parse::<GoalSelection>()
                .unwrap_err()
                .contains("coverage, exceptions")
        );
    }

    #[test]
    fn weights_are_those_of_the_paper_unless_given() {
        let given = |text: &str| text.parse::<GivenWeights>().unwrap();
        let none = GivenWeights::default();
        let text = |aim, ignored, given| GoalWeights::new(aim, ignored, given).to_string();
        assert_eq!(
            text(GoalSelection::One(Goal::Time), None, &none),
            "coverage=1,exceptions=1,unique-exceptions=0,time=10,mappings=1"
        );
        assert_eq!(
            text(GoalSelection::All, Some(Goal::Time), &none),
            "coverage=1,exceptions=1,unique-exceptions=0,time=0,mappings=1"
        );
        let unique = GoalSelection::One(Goal::UniqueExceptions);
        assert_eq!(
            text(unique, None, &given("time=3")),
            "coverage=1,exceptions=0,unique-exceptions=10,time=3,mappings=1"
        );
        for wrong in [
            "time", "time=", "time=-1", "time=x", "time=inf", "speed=1", "",
        ] {
            assert!(wrong.parse::<GivenWeights>().is_err(), "{wrong}");
        }
    }
}
