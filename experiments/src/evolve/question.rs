//! The research questions of the paper on FdLoop, and the settings that each compares.

use clap::ValueEnum;

/// The strategies that have a goal. All others make the same inputs for every goal.
const DIRECTED: [&str; 2] = ["zester", "paper"];

/// The parts of a strategy that flags of `zester evolve` leave out.
const PARTS: [&str; 3] = ["learning", "input-mutation", "probability-mutation"];

/// A research question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Question {
    /// The strategies zester and paper against the samples themselves.
    Rq1,
    /// The strategies zester and paper against each other strategy.
    Rq2,
    /// The strategies zester and paper against the same without a part of them.
    Rq3,
    /// The strategies zester and paper with different numbers of samples, inputs and generations.
    Rq4,
    /// As rq2, but the strategies aim at all goals together.
    AllGoals,
}

/// The settings of an evolution.
#[derive(Clone, Debug, PartialEq)]
pub struct Setting {
    pub strategy: String,
    /// The part that is left out.
    pub without: Option<&'static str>,
    pub samples: usize,
    pub inputs: u32,
    pub generations: u32,
    /// Whether the strategy aims at all goals together.
    pub all_goals: bool,
}

impl Setting {
    /// Returns the goal with which the evolution runs that gives the figure of `goal`. It is `all` for
    /// strategies without a goal, so that they run only once.
    pub fn goal<'a>(&self, goal: &'a str) -> &'a str {
        if self.all_goals || !DIRECTED.contains(&&self.strategy[..]) {
            "all"
        } else {
            goal
        }
    }

    /// Returns the name for tables: the strategy, and what differs from another setting.
    pub fn name(&self, other: &Setting) -> String {
        let mut name = self.strategy.clone();
        if let Some(part) = self.without {
            name += &format!(" -{part}");
        }
        let numbers = [
            ("samples", self.samples, other.samples),
            ("inputs", self.inputs as usize, other.inputs as usize),
            (
                "generations",
                self.generations as usize,
                other.generations as usize,
            ),
        ];
        for (of, number, usual) in numbers {
            if number != usual {
                name += &format!(" {number} {of}");
            }
        }
        name
    }
}

/// The strategies and numbers that the questions are about. The first number of each list is that of
/// all questions but rq4.
#[derive(Clone, Copy)]
pub struct Choices<'a> {
    pub strategies: &'a [String],
    pub samples: &'a [usize],
    pub inputs: &'a [u32],
    pub generations: &'a [u32],
}

impl Question {
    /// Returns the settings to compare, in groups. The first of a group is compared with the others.
    pub fn groups(self, choices: &Choices<'_>) -> Vec<Vec<Setting>> {
        let usual = |strategy: &str| Setting {
            strategy: strategy.to_owned(),
            without: None,
            samples: choices.samples[0],
            inputs: choices.inputs[0],
            generations: choices.generations[0],
            all_goals: self == Question::AllGoals,
        };
        let others = |first: &Setting| -> Vec<Setting> {
            match self {
                Question::Rq1 => vec![usual("samples")],
                Question::Rq2 | Question::AllGoals => {
                    let others = choices.strategies.iter().map(|strategy| usual(strategy));
                    others.filter(|other| other != first).collect()
                }
                Question::Rq3 => PARTS
                    .iter()
                    .map(|&part| Setting {
                        without: Some(part),
                        ..first.clone()
                    })
                    .collect(),
                Question::Rq4 => {
                    let samples = choices.samples[1..].iter().map(|&samples| Setting {
                        samples,
                        ..first.clone()
                    });
                    let inputs = choices.inputs[1..].iter().map(|&inputs| Setting {
                        inputs,
                        ..first.clone()
                    });
                    let generations = choices.generations[1..].iter().map(|&generations| Setting {
                        generations,
                        ..first.clone()
                    });
                    samples.chain(inputs).chain(generations).collect()
                }
            }
        };
        let directed = choices
            .strategies
            .iter()
            .filter(|strategy| DIRECTED.contains(&&strategy[..]));
        directed
            .map(|strategy| {
                let first = usual(strategy);
                let others = others(&first);
                std::iter::once(first).chain(others).collect()
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_question_compares_with_the_usual_setting() {
        let strategies = ["zester", "paper", "random"].map(String::from);
        let choices = Choices {
            strategies: &strategies,
            samples: &[50, 5],
            inputs: &[5],
            generations: &[50, 10, 200],
        };
        let names = |question: Question| -> Vec<Vec<String>> {
            let name = |group: &Vec<Setting>| {
                let name = |setting: &Setting| setting.name(&group[0]);
                group.iter().map(name).collect()
            };
            question.groups(&choices).iter().map(name).collect()
        };
        assert_eq!(
            names(Question::Rq1),
            [["zester", "samples"], ["paper", "samples"]]
        );
        assert_eq!(names(Question::Rq2)[1], ["paper", "zester", "random"]);
        assert_eq!(names(Question::Rq3)[0][1], "zester -learning");
        let numbers = [
            "zester",
            "zester 5 samples",
            "zester 10 generations",
            "zester 200 generations",
        ];
        assert_eq!(names(Question::Rq4)[0], numbers);
        let together = &Question::AllGoals.groups(&choices)[0];
        assert!(together.iter().all(|setting| setting.goal("time") == "all"));
        let apart = &Question::Rq2.groups(&choices)[0];
        let goals: Vec<&str> = apart.iter().map(|setting| setting.goal("time")).collect();
        assert_eq!(goals, ["time", "time", "all"]);
    }
}
