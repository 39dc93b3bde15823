//! Tests of all strategies on Euclid's algorithm, the example of the paper on FdLoop.
//!
//! The program runs in the test, and the time of a run is its number of steps. So the figures are
//! always the same.

use std::convert::Infallible;
use std::time::Duration;

use fixedbitset::FixedBitSet;
use zester::bounds::Caps;
use zester::grammar::Grammar;
use zester::notation;
use zester::parameters::{Edits, Settings};
use zester::parse::Parser;
use zester::weights::Weights;

use super::evolution::Evolution;
use super::goal::{GivenWeights, Goal, GoalSelection, GoalWeights};
use super::observer::Observation;
use super::record::Figures;
use super::strategy::{Ablation, Setup, StrategyName};

/// Grammars of a pair of numbers. With the first, few random numbers are zero. With the second, a
/// quarter are.
const GRAMMARS: [&[u8]; 2] = [
    include_bytes!("../../../fuzz/targets/euclid.ebnf"),
    br#"
        pair = number "," number ;
        number = "0" | first | first digit | first digit digit ;
        first = "1" | "2" | "3" | "4" | "5" | "6" | "7" | "8" | "9" ;
        digit = "0" | first ;
    "#,
];
/// No sample has the digit 0, so inputs that differ from the samples often divide by zero.
const SAMPLES: [&str; 4] = ["12,18", "7,21", "35,14", "8,3"];
const SEEDS: [u64; 5] = [1, 2, 3, 4, 5];
const TIMEOUT: Duration = Duration::from_secs(1);

/// The number of functions of [`run`].
const FUNCTIONS: usize = 5;

/// The maximum number of steps of a run: the time limit.
const STEPS: u32 = 10_000;

/// Runs Euclid's algorithm by subtraction, as `fuzz/targets/euclid.rs` does.
fn run(text: &[u8]) -> Observation {
    let mut functions = FixedBitSet::with_capacity(FUNCTIONS);
    let mut observation = Observation {
        outcome: "invalid".into(),
        exception: None,
        time: Duration::ZERO,
        functions: functions.clone(),
    };
    let text = std::str::from_utf8(text).unwrap_or_default();
    let numbers = text
        .split_once(',')
        .map(|(a, b)| (a.trim().parse::<u32>(), b.trim().parse()));
    let Some((Ok(mut a), Ok(mut b))) = numbers else {
        return observation;
    };
    observation.outcome = "valid".into();
    let mut steps = 0;
    while steps < STEPS {
        steps += 1;
        functions.insert(0);
        if a < b {
            functions.insert(1);
            (a, b) = (b, a);
        }
        functions.insert(2);
        if b == 0 {
            // A crash leaves no coverage.
            observation.outcome = "crash".into();
            observation.exception = Some("division by zero".into());
            observation.time = TIMEOUT * steps / STEPS;
            return observation;
        }
        if a % b == 0 {
            break;
        }
        functions.insert(3);
        let times = ((a - 1) / b).min(STEPS - steps);
        steps += times;
        a -= times * b;
        if a == 1 {
            functions.insert(4);
            break;
        }
    }
    observation.time = TIMEOUT * steps.min(STEPS) / STEPS;
    observation.functions = functions;
    observation
}

/// Returns the figures of 500 runs.
fn evolve(grammar: &Grammar, strategy: StrategyName, goal: Goal, seed: u64) -> Figures {
    let mut parser = Parser::new(grammar);
    let samples: Vec<_> = SAMPLES
        .iter()
        .map(|sample| parser.parse(sample.as_bytes()).unwrap().clone())
        .collect();
    let mut weights = Weights::new(grammar, 0);
    samples
        .iter()
        .for_each(|sample| weights.add(grammar, sample));
    let goals = GoalWeights::new(GoalSelection::One(goal), None, &GivenWeights::default());
    let setup = Setup {
        grammar,
        samples,
        weights,
        goals,
        inputs: 5,
        max_length: 10_000,
        seed,
        ablation: Ablation::default(),
    };
    let mut strategy = strategy.strategy(setup).unwrap();
    let settings = Settings::default().edits(Edits::On);
    let mut evolution = Evolution::new(grammar, settings, goals, TIMEOUT, (FUNCTIONS, 2));
    for _ in 0..50 {
        let run = evolution.run_generation(&mut *strategy, |individual, _| {
            Ok::<_, Infallible>(run(&individual.text))
        });
        let Ok(()) = run;
    }
    evolution.record.figures
}

fn figure(goal: Goal, figures: &Figures) -> f64 {
    match goal {
        Goal::Coverage => figures.functions as f64,
        Goal::Exceptions => figures.exceptions as f64,
        Goal::UniqueExceptions => figures.unique_exceptions as f64,
        Goal::Time => 1e3 * figures.mean_time(),
        Goal::Mappings => figures.mappings as f64,
    }
}

/// The figures of all seeds, in ascending order.
fn all_seeds(grammar: &Grammar, strategy: StrategyName, goal: Goal) -> Vec<f64> {
    let of = |seed| figure(goal, &evolve(grammar, strategy, goal, seed));
    let mut figures: Vec<f64> = SEEDS.map(of).into();
    figures.sort_by(f64::total_cmp);
    figures
}

/// For each goal, the median of zester's strategy is at least that of each other strategy. Prints
/// all figures, which `scripts/measured.md` has.
#[test]
fn zester_does_not_lose_to_another_strategy() {
    // With the second grammar, only the goals for which the strategies differ.
    let second = [Goal::Exceptions, Goal::Time].map(|goal| (GRAMMARS[1], goal));
    for (source, goal) in Goal::ALL
        .map(|goal| (GRAMMARS[0], goal))
        .into_iter()
        .chain(second)
    {
        let (grammar, _) = notation::read("euclid.ebnf", source, &Caps::default()).unwrap();
        let own = all_seeds(&grammar, StrategyName::Zester, goal);
        println!("{goal}\n  zester {own:.0?}");
        for other in [
            StrategyName::Paper,
            StrategyName::Samples,
            StrategyName::Random,
            StrategyName::Probabilistic,
            StrategyName::Inverse,
            StrategyName::Evogfuzz,
        ] {
            let figures = all_seeds(&grammar, other, goal);
            println!("  {other} {figures:.0?}");
            assert!(
                own[2] >= figures[2],
                "{goal}: zester {own:.1?}, {other} {figures:.1?}"
            );
        }
    }
}
