//! The texts about a campaign: the block of the live screen, the plain line, a failure, and the
//! summary at the end.

use std::path::Path;

use super::advice::advice;
use super::failures::FoundFailure;
use super::names::Names;
use super::snapshot::Snapshot;
use crate::numbers::{clock, counted};
use crate::printable::printable;
use crate::shell;

/// The maximum number of failures on the live screen.
const MAX_FAILURES: usize = 5;

/// The maximum number of mutators on the live screen.
const MAX_MUTATORS: usize = 4;

/// The maximum number of lines of a sentence.
const MAX_LINES: usize = 12;

/// The maximum number of characters of a line of a sentence.
const MAX_COLUMNS: usize = 200;

/// The number of seconds without new figures after which a line says so: an input is slow, or the machine is busy.
const SILENT: u64 = 10;

/// The width of the summary in characters.
const WIDTH: usize = 100;

/// Returns the lines of the live screen. Advice is wrapped at `width` characters.
pub fn block(snapshot: &Snapshot, names: &Names, width: usize) -> Vec<String> {
    lines(snapshot, names, width, MAX_FAILURES)
}

/// Returns the lines of a campaign, with at most `most` failures.
fn lines(snapshot: &Snapshot, names: &Names, width: usize, most: usize) -> Vec<String> {
    let Snapshot { figures, .. } = snapshot;
    let of_found: u64 = figures.found.iter().map(|(_, count)| count).sum();
    let mut mutators = figures.found.clone();
    mutators.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let mutators: Vec<String> = mutators
        .iter()
        .take(MAX_MUTATORS)
        .filter(|(_, count)| *count > 0)
        .map(|(name, count)| format!("{name} {} %", 100 * count / of_found.max(1)))
        .collect();
    let mut lines = vec![
        format!(
            "{}, {}, {}{}",
            names.name,
            counted(snapshot.processes, "process"),
            clock(figures.seconds),
            silence(snapshot),
        ),
        format!(
            "  executions {:>12}   {} a second; {:.0} % of the time replays the corpus",
            grouped(figures.executions),
            grouped(snapshot.rate),
            100.0 * snapshot.replay,
        ),
        format!(
            "  useful     {:>12}   {} a second since the start: neither replays nor known failures",
            grouped(snapshot.useful()),
            grouped((snapshot.useful() as f64 / figures.seconds.max(0.1)) as u64),
        ),
        format!(
            "  valid      {:>12}   {}",
            valid(snapshot),
            edited(snapshot)
        ),
        format!(
            "  edges      {:>12}   {} by valid inputs, last new one {} ago",
            grouped(figures.edges),
            grouped(figures.valid_edges),
            clock(figures.seconds - snapshot.last_new),
        ),
        format!(
            "  corpus     {:>12}   {} by this campaign, sentences of {:.0} bytes",
            grouped(snapshot.inputs),
            grouped(snapshot.inputs.saturating_sub(snapshot.inputs_before)),
            figures.length,
        ),
    ];
    if snapshot.words > 0 {
        lines.push(format!(
            "  words      {:>12}   that the program looks for, in {}",
            grouped(snapshot.words),
            names.words,
        ));
    }
    if !mutators.is_empty() {
        lines.push(format!("  new edges found by  {}", mutators.join(", ")));
    }
    let failures = snapshot.most_frequent();
    lines.push(format!(
        "  failures   {:>12}   {}in {}{}{}",
        failures.len(),
        match snapshot.known() {
            0 => String::new(),
            known => format!("{known} of them known, "),
        },
        counted(grouped(snapshot.artifacts as u64), "artifact"),
        match snapshot.waiting {
            0 => String::new(),
            waiting => format!(", {waiting} not yet examined"),
        },
        match figures.panicked {
            0 => String::new(),
            count => format!(
                "; {} failing runs, {:.1} % of the executions",
                grouped(count),
                figures.percent(count)
            ),
        },
    ));
    for (what, count) in failures.iter().take(most) {
        let mut all = snapshot.failures.iter();
        let known = all.find(|failure| failure.signature == *what);
        let known = known.and_then(|failure| failure.known.as_ref());
        let known = known.map_or(String::new(), |why| format!(" (known: {why})"));
        lines.push(format!("    {:>6} x  {what}{known}", grouped(*count)));
    }
    if failures.len() > most {
        let more = failures.len() - most;
        lines.push(format!("           and {more} more"));
    }
    for said in advice(snapshot, names) {
        let mut mark = "  ! ";
        for line in wrapped(&said, width.saturating_sub(mark.len())) {
            lines.push(format!("{mark}{line}"));
            mark = "    ";
        }
    }
    lines
}

/// Splits a text at blanks into lines of at most `width` characters. A longer word is a line.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.into()),
        }
    }
    lines
}

/// Returns a remark if no run has ended for [`SILENT`] seconds, or nothing.
fn silence(snapshot: &Snapshot) -> String {
    match snapshot.silent {
        ..SILENT => String::new(),
        seconds => format!("; no run has ended since, for {seconds} s"),
    }
}

/// Returns one line, for logs.
pub fn plain(snapshot: &Snapshot) -> String {
    let Snapshot { figures, .. } = snapshot;
    format!(
        "zester: {}: {}, {} a second, {} valid, {}, {} by valid inputs, {}, failures: {}{}",
        clock(figures.seconds),
        counted(grouped(figures.executions), "execution"),
        grouped(snapshot.rate),
        valid(snapshot),
        counted(grouped(figures.edges), "edge"),
        grouped(figures.valid_edges),
        counted(grouped(snapshot.inputs), "input"),
        snapshot.most_frequent().len(),
        silence(snapshot),
    )
}

/// Returns what is printed when a failure is found: its sentence, the values that differ, and what to do with it.
pub fn failure(failure: &FoundFailure, names: &Names) -> String {
    let FoundFailure {
        signature, message, ..
    } = failure;
    let is_oracle = ["failure: ", "disagreement: "].map(|kind| signature.starts_with(kind));
    let mut text = match is_oracle.contains(&true) {
        true => format!("\n{signature}\n"),
        false => format!("\nfailure: {signature}\n"),
    };
    // The report of a sanitizer repeats the title with addresses.
    if !signature.contains(&message[..]) && !message.contains("Sanitizer: ") {
        text += &format!("  message: {}\n", excerpt(message));
    }
    // The values of equivalent sentences begin with both sentences.
    if !failure.values.trim_start().starts_with("sentence: ") {
        text += &sentence(&failure.text);
    }
    text += &sentence(failure.values.as_bytes());
    text += &format!(
        "  run it again: {} {}\n",
        names.run,
        short(&failure.artifact)
    );
    text
}

/// Returns the summary at the end.
pub fn summary(snapshot: &Snapshot, names: &Names) -> String {
    let mut text = String::from("\n");
    for line in lines(snapshot, names, WIDTH, usize::MAX) {
        text += &line;
        text.push('\n');
    }
    let mut next = vec![
        (
            "curves on a page",
            format!("zester report {}", names.statistics),
        ),
        ("go on", names.again.clone()),
    ];
    if !snapshot.failures.is_empty() {
        next.insert(0, ("failures, with stacks", names.triage.clone()));
    }
    for (what, command) in next {
        text += &format!("  {what:<22} {command}\n");
    }
    text
}

/// Returns a sentence, indented. Control characters are escaped, and long texts are cut.
fn sentence(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text);
    let (mut shown, mut lines) = (String::new(), text.lines());
    for line in lines.by_ref().take(MAX_LINES) {
        shown += "    ";
        shown += &excerpt(line);
        shown.push('\n');
    }
    match lines.count() {
        0 => shown,
        more => shown + &format!("    … {more} more lines\n"),
    }
}

/// Returns a line without control characters, and cut if it is long.
fn excerpt(line: &str) -> String {
    let mut shown = printable(&line.chars().take(MAX_COLUMNS).collect::<String>()).to_string();
    if line.chars().nth(MAX_COLUMNS).is_some() {
        shown.push('…');
    }
    shown
}

/// Returns a path for a command. The hash in the name of a reduced input is cut, and `*` replaces the rest.
fn short(path: &Path) -> String {
    let path = shell::path(path);
    let name = path.rfind('-').map_or(0, |dash| dash + 1);
    match path
        .get(name..)
        .and_then(|name| name.strip_suffix(".reduced"))
    {
        Some(hash) if hash.len() == 40 && !path.starts_with('\'') => {
            format!("{}{}*.reduced", &path[..name], &hash[..8])
        }
        _ => path,
    }
}

/// Returns a number with commas.
fn grouped(number: u64) -> String {
    crate::numbers::grouped(number, ',')
}

/// Returns the share of valid sentences among all executions, or `unknown` if the target reports no validity.
fn valid(snapshot: &Snapshot) -> String {
    let figures = &snapshot.figures;
    if figures.executions == figures.unknown {
        return "unknown".into();
    }
    format!("{:.1} %", figures.percent(figures.valid))
}

fn edited(snapshot: &Snapshot) -> String {
    let figures = &snapshot.figures;
    format!("{:.1} % have edited texts", figures.percent(figures.edited))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_wrapped_and_hashes_cut() {
        assert_eq!(wrapped("a bc def", 4), ["a bc", "def"]);
        assert_eq!(wrapped("abcdef g", 4), ["abcdef", "g"]);
        let hash = "0123456789abcdef0123456789abcdef01234567";
        let path = format!("x-y/crash-{hash}.reduced");
        assert_eq!(short(Path::new(&path)), "x-y/crash-01234567*.reduced");
        assert_eq!(short(Path::new("x/crash-1.reduced")), "x/crash-1.reduced");
    }

    #[test]
    fn a_slow_input_does_not_look_like_a_halt() {
        let mut snapshot = Snapshot::default();
        assert!(plain(&snapshot).ends_with("failures: 0"));
        snapshot.silent = 25;
        let line = plain(&snapshot);
        assert!(
            line.ends_with("; no run has ended since, for 25 s"),
            "{line}"
        );
    }

    #[test]
    fn sentences_are_cut_and_cannot_control_the_terminal() {
        let long = "x".repeat(300) + &"\n\u{1b}[31m".repeat(20);
        let shown = sentence(long.as_bytes());
        assert_eq!(shown.lines().count(), MAX_LINES + 1);
        assert!(
            !shown.contains('\u{1b}') && shown.contains("… 9 more lines"),
            "{shown}"
        );
    }

    #[test]
    fn values_that_differ_are_shown_and_a_sentence_only_once() {
        let shown = |values: &str| {
            let found = FoundFailure {
                signature: "disagreement: x: a".into(),
                message: "x: a".into(),
                values: values.into(),
                count: 1,
                artifact: "crash-1".into(),
                text: b"print 1;".to_vec(),
                known: None,
                artifacts: 1,
                shortest: 1,
            };
            let names = Names {
                run: "zester fuzz x".into(),
                ..Names::default()
            };
            failure(&found, &names)
        };
        let of_oracle = shown("  left: 1\n  right: 2");
        let wanted = "\ndisagreement: x: a\n    print 1;\n      left: 1\n      right: 2\n";
        assert_eq!(
            of_oracle,
            format!("{wanted}  run it again: zester fuzz x crash-1\n")
        );
        let equivalent = shown("  sentence: print 1;\n  equivalent: print 2;");
        assert_eq!(equivalent.matches("print 1;").count(), 1, "{equivalent}");
    }
}
