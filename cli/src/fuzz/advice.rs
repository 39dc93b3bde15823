//! Advice for a campaign whose figures show a problem.

use super::names::Names;
use super::snapshot::Snapshot;
use crate::numbers::clock;

/// The minimum number of executions for advice on validity and coverage.
const FEW: u64 = 1_000;

/// The minimum number of executions for advice on a program that rejects nothing, and on an empty
/// corpus.
const MANY: u64 = 20_000;

/// The time without a new edge, in seconds, after which there is advice, if it is also more than
/// half of the campaign.
const LONG: f64 = 300.0;

/// Returns a sentence for each problem: what is wrong, and what to do.
pub fn advice(snapshot: &Snapshot, names: &Names) -> Vec<String> {
    let Snapshot { figures, .. } = snapshot;
    let mut advice = Vec::new();
    let Names { target, corpus, .. } = names;
    let why = match names.has_grammar {
        true => format!(": `zester why {target}` says which rule is to blame"),
        false => String::new(),
    };
    let invalid = figures.executions - figures.valid.min(figures.executions) - figures.unknown;
    if figures.executions >= FEW && figures.unknown == figures.executions {
        advice.push(
            "the target reports no validity: let the body return a Result or a bool (C: call zester_report)".into(),
        );
    } else if figures.executions >= FEW && figures.valid == 0 {
        advice.push(format!("nothing is valid{why}"));
    } else if figures.executions >= FEW
        && 5 * figures.valid
            < figures
                .executions
                .saturating_sub(figures.unknown + figures.panicked)
    {
        advice.push(format!("few inputs are valid{why}"));
    } else if figures.executions >= MANY && invalid == 0 && figures.valid > 0 {
        advice.push(
            "everything is valid: if the program refuses some inputs, let the body return its errors"
                .into(),
        );
    }
    if figures.executions >= FEW && figures.counters == 0 {
        advice.push(
            "there is no coverage: build the target by cargo-fuzz, or with -fsanitize=fuzzer"
                .into(),
        );
    } else if figures.executions >= FEW && figures.edges == 0 {
        advice.push("no edge is reached: does the body call the program under test?".into());
    } else if figures.executions >= MANY && snapshot.inputs == 0 {
        advice.push(
            "the corpus is empty: libFuzzer keeps no input; does the program have coverage?".into(),
        );
    }
    let pause = figures.seconds - snapshot.last_new;
    if pause > LONG && 2.0 * pause > figures.seconds {
        advice.push(format!(
            "no new edge for {}: `zester coverage` names what the grammar never used; more time helps little",
            clock(pause)
        ));
    }
    if figures.seconds > 60.0 && snapshot.replay > 0.5 {
        advice.push(format!(
            "more than half of the time replays the corpus; a smaller one: `zester fuzz {target} {corpus}-small {corpus} -- -merge=1`"
        ));
    }
    if let Some((seconds, path)) = &snapshot.slowest {
        advice.push(format!(
            "one input took {seconds} s, and slow inputs take the time of others: {}",
            path.display()
        ));
    }
    if figures.seconds > 30.0 && snapshot.restarts as f64 > figures.seconds {
        advice.push(
            "failures end the processes all the time: mend the most frequent one first".into(),
        );
    }
    if figures.executions >= FEW && 2 * figures.panicked > figures.executions {
        advice.push(
            "most executions fail: mend the most frequent failure first, or the oracle if it demands too much"
                .into(),
        );
    }
    advice
}

#[cfg(test)]
mod tests {
    use super::super::figures::LiveFigures;
    use super::*;

    fn said(change: impl FnOnce(&mut Snapshot)) -> Vec<String> {
        let mut snapshot = Snapshot {
            figures: LiveFigures {
                seconds: 100.0,
                executions: 100_000,
                valid: 60_000,
                counters: 500,
                edges: 100,
                ..LiveFigures::default()
            },
            inputs: 50,
            last_new: 99.0,
            ..Snapshot::default()
        };
        change(&mut snapshot);
        let names = Names {
            name: "t".into(),
            run: String::new(),
            target: "t".into(),
            has_grammar: true,
            corpus: "c".into(),
            words: String::new(),
            statistics: String::new(),
            again: String::new(),
            triage: String::new(),
        };
        advice(&snapshot, &names)
    }

    #[test]
    fn each_problem_has_one_advice_and_a_good_campaign_none() {
        assert_eq!(said(|_| ()), Vec::<String>::new());
        type Change = fn(&mut Snapshot);
        let cases: [(Change, &str); 11] = [
            (
                |s| (s.figures.valid, s.figures.unknown) = (0, 100_000),
                "reports no validity",
            ),
            (|s| s.figures.valid = 0, "nothing is valid: `zester why t`"),
            (
                |s| s.figures.valid = 10_000,
                "few inputs are valid: `zester why t`",
            ),
            (|s| s.figures.valid = 100_000, "everything is valid"),
            (|s| s.figures.counters = 0, "no coverage"),
            (|s| s.figures.edges = 0, "no edge"),
            (|s| s.figures.panicked = 60_000, "most executions fail"),
            (|s| s.inputs = 0, "the corpus is empty"),
            (|s| s.figures.seconds = 900.0, "no new edge for 0:13:21"),
            (|s| s.replay = 0.6, "`zester fuzz t c-small c -- -merge=1`"),
            (
                |s| s.slowest = Some((7, "slow-unit-1".into())),
                "one input took 7 s",
            ),
        ];
        for (change, expected) in cases {
            let said = said(change);
            assert!(
                said.len() == 1 && said[0].contains(expected),
                "{expected}: {said:?}"
            );
        }
        assert!(said(|s| s.restarts = 200)[0].contains("failures end"));
    }
}
