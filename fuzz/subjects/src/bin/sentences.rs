//! Runs sentences of a grammar through a subject: prints how many it accepts, and why it rejects
//! the others.
//!
//! A grammar fits its subject if no sentence is a syntax error. The share of valid sentences shows
//! how useful the grammar is. A panic of the subject is caught, counted, and not a syntax error. A
//! stack overflow or an endless loop is not caught.

use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};
use std::io::{self, BufRead, Write};
use std::panic::{self, AssertUnwindSafe};
use std::process::ExitCode;
use std::sync::Mutex;
use std::{env, thread};

const USAGE: &str = "\
Runs sentences through a subject and counts those that it accepts.

Usage: sentences SUBJECT [--at-least PERCENT] < SENTENCES
       sentences SUBJECT --file FILE

Reads sentences from standard input, each ended by a zero byte, as `zester generate -0` prints them.
Prints the numbers of sentences that are valid, that are rejected for their meaning, that are
rejected for their syntax, and that made the subject panic. Then prints each reason with its number
of sentences and the shortest of them, the most frequent reason first.

  --at-least PERCENT  exit with status 1 if fewer of the sentences have no syntax error
  --file FILE         print the message and exit with status 1 if the text in the file has a syntax error
  -h, --help          print this help

Example: zester generate grammars/json.ebnf -n 1000 -0 | sentences json

Exit status: 0; 1 with --at-least or --file; 2 if the command failed, for example without sentences.";

/// The size of the stack in bytes. Some subjects recurse as deep as their input nests.
const STACK: usize = 256 << 20;

/// The maximum number of reasons that are printed for each kind.
const LISTED: usize = 30;

/// The maximum number of characters of an example that are printed.
const SHOWN: usize = 300;

struct Subject {
    name: &'static str,
    run: fn(&str) -> Result<(), String>,
    is_syntax_error: fn(&str) -> bool,
    /// Returns the common name of messages that have several wordings, if this is one of them.
    exception: fn(&str) -> Option<&'static str>,
    /// The text before the position in a message.
    before_position: &'static str,
}

/// The subjects whose features are on.
const SUBJECTS: &[Subject] = &[
    #[cfg(feature = "cedar")]
    Subject {
        name: "cedar",
        run: zester_subjects::cedar::run,
        is_syntax_error: zester_subjects::cedar::is_syntax_error,
        exception: |_| None,
        before_position: " at ",
    },
    #[cfg(feature = "cel")]
    Subject {
        name: "cel",
        run: zester_subjects::cel::new::run,
        is_syntax_error: zester_subjects::cel::is_syntax_error,
        exception: |_| None,
        before_position: " at [",
    },
    #[cfg(feature = "cel_old")]
    Subject {
        name: "cel_old",
        run: zester_subjects::cel::old::run,
        is_syntax_error: zester_subjects::cel::is_syntax_error,
        exception: |_| None,
        before_position: " at [",
    },
    #[cfg(feature = "css")]
    Subject {
        name: "css",
        run: zester_subjects::css::run,
        is_syntax_error: zester_subjects::css::is_syntax_error,
        exception: |_| None,
        before_position: " at :",
    },
    #[cfg(feature = "graphql")]
    Subject {
        name: "graphql",
        run: zester_subjects::graphql::run,
        is_syntax_error: zester_subjects::graphql::is_syntax_error,
        exception: |_| None,
        before_position: " at ",
    },
    #[cfg(feature = "javascript")]
    Subject {
        name: "javascript",
        run: zester_subjects::javascript::run,
        is_syntax_error: zester_subjects::javascript::is_syntax_error,
        exception: |_| None,
        before_position: " (unknown",
    },
    #[cfg(feature = "jinja")]
    Subject {
        name: "jinja",
        run: zester_subjects::jinja::new::run,
        is_syntax_error: zester_subjects::jinja::is_syntax_error,
        exception: |_| None,
        before_position: " (in ",
    },
    #[cfg(feature = "jinja_old")]
    Subject {
        name: "jinja_old",
        run: zester_subjects::jinja::old::run,
        is_syntax_error: zester_subjects::jinja::is_syntax_error,
        exception: |_| None,
        before_position: " (in ",
    },
    #[cfg(feature = "jq")]
    Subject {
        name: "jq",
        run: zester_subjects::jq::new::run,
        is_syntax_error: zester_subjects::jq::is_syntax_error,
        exception: |_| None,
        before_position: " at ",
    },
    #[cfg(feature = "jq_old")]
    Subject {
        name: "jq_old",
        run: zester_subjects::jq::old::run,
        is_syntax_error: zester_subjects::jq::is_syntax_error,
        exception: |_| None,
        before_position: " at ",
    },
    #[cfg(feature = "json")]
    Subject {
        name: "json",
        run: zester_subjects::json::run,
        is_syntax_error: zester_subjects::json::is_syntax_error,
        exception: zester_subjects::json::exception,
        before_position: " at line ",
    },
    #[cfg(feature = "lua")]
    Subject {
        name: "lua",
        run: zester_subjects::lua::run,
        is_syntax_error: zester_subjects::lua::is_syntax_error,
        exception: |_| None,
        before_position: " at line ",
    },
    #[cfg(feature = "sql")]
    Subject {
        name: "sql",
        run: zester_subjects::sql::run,
        is_syntax_error: zester_subjects::sql::is_syntax_error,
        exception: |_| None,
        before_position: " at offset ",
    },
    #[cfg(feature = "starlark")]
    Subject {
        name: "starlark",
        run: zester_subjects::starlark::run,
        is_syntax_error: zester_subjects::starlark::is_syntax_error,
        exception: |_| None,
        before_position: " at line ",
    },
    #[cfg(feature = "wat")]
    Subject {
        name: "wat",
        run: zester_subjects::wat::run,
        is_syntax_error: zester_subjects::wat::is_syntax_error,
        exception: |_| None,
        before_position: " at ",
    },
    #[cfg(feature = "wgsl")]
    Subject {
        name: "wgsl",
        run: zester_subjects::wgsl::new::run,
        is_syntax_error: zester_subjects::wgsl::is_syntax_error,
        exception: |_| None,
        before_position: " at ",
    },
    #[cfg(feature = "wgsl_old")]
    Subject {
        name: "wgsl_old",
        run: zester_subjects::wgsl::old::run,
        is_syntax_error: zester_subjects::wgsl::is_syntax_error,
        exception: |_| None,
        before_position: " at ",
    },
    #[cfg(feature = "xml")]
    Subject {
        name: "xml",
        run: zester_subjects::xml::run,
        is_syntax_error: zester_subjects::xml::is_syntax_error,
        exception: |_| None,
        before_position: " at ",
    },
];

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    if arguments
        .iter()
        .any(|word| word == "-h" || word == "--help")
    {
        let names: Vec<_> = SUBJECTS.iter().map(|subject| subject.name).collect();
        println!("{USAGE}\n\nSubjects built in: {}", names.join(", "));
        return ExitCode::SUCCESS;
    }
    if let [name, option, file] = &arguments[..]
        && option == "--file"
    {
        return check_file(name, file);
    }
    match judge(&arguments) {
        Ok((tally, at_least)) => {
            // The reader may have closed standard output; then nothing more is printed.
            let _ = write!(io::stdout(), "{tally}");
            ExitCode::from(u8::from(tally.percent_free() < at_least))
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

/// Returns status 1, and prints the message, if the text in a file has a syntax error. A panic ends
/// the process.
fn check_file(name: &str, file: &str) -> ExitCode {
    let fails = |message: String| {
        eprintln!("error: {message}");
        ExitCode::from(2)
    };
    let Some(subject) = SUBJECTS.iter().find(|subject| subject.name == name) else {
        return fails(format!("no subject {name} is built in; see --help"));
    };
    let text = match std::fs::read(file) {
        Ok(text) => text,
        Err(error) => return fails(format!("{file}: {error}")),
    };
    let Ok(text) = String::from_utf8(text) else {
        println!("not UTF-8");
        return ExitCode::FAILURE;
    };
    let result = thread::Builder::new()
        .stack_size(STACK)
        .spawn(move || (subject.run)(&text))
        .map(thread::JoinHandle::join);
    match result {
        Ok(Ok(Err(message))) if (subject.is_syntax_error)(&message) => {
            println!("{message}");
            ExitCode::FAILURE
        }
        Ok(Ok(_)) => ExitCode::SUCCESS,
        // The subject panicked, and the panic hook has printed the message.
        Ok(Err(_)) => std::process::abort(),
        Err(error) => fails(error.to_string()),
    }
}

/// Runs the sentences of standard input. Also returns the percentage of sentences that must have no
/// syntax error.
fn judge(arguments: &[String]) -> Result<(Tally, f64), String> {
    let (name, at_least) = match arguments {
        [name] => (name, 0.0),
        [name, option, percent] | [option, percent, name] if option == "--at-least" => {
            let percent = percent.parse();
            (
                name,
                percent.map_err(|error| format!("--at-least: {error}"))?,
            )
        }
        _ => return Err(format!("wrong arguments\n\n{USAGE}")),
    };
    let subject = SUBJECTS.iter().find(|subject| subject.name == name);
    let subject = subject.ok_or_else(|| format!("no subject {name} is built in; see --help"))?;
    let tally = thread::Builder::new()
        .stack_size(STACK)
        .spawn(move || Tally::new(subject, io::stdin().lock()))
        .and_then(|thread| thread.join().expect("panics of the subject are caught"))
        .map_err(|error| error.to_string())?;
    match tally.sentences() {
        0 => Err("no sentences".to_owned()),
        _ => Ok((tally, at_least)),
    }
}

/// The reasons for rejections of one kind.
#[derive(Default)]
struct Reasons(BTreeMap<String, (u64, String)>);

impl Reasons {
    fn add(&mut self, reason: String, sentence: &str) {
        let (count, shortest) = self.0.entry(reason).or_insert((0, sentence.to_owned()));
        *count += 1;
        if sentence.len() < shortest.len() {
            sentence.clone_into(shortest);
        }
    }

    fn total(&self) -> u64 {
        self.0.values().map(|(count, _)| count).sum()
    }
}

impl Display for Reasons {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let mut reasons: Vec<_> = self.0.iter().collect();
        reasons.sort_by_key(|(_, (count, _))| std::cmp::Reverse(*count));
        for (reason, (count, example)) in reasons.iter().take(LISTED) {
            let shown: String = example.chars().take(SHOWN).collect();
            let more = if shown.len() < example.len() {
                " …"
            } else {
                ""
            };
            writeln!(f, "{count:>9}  {reason}\n           {shown:?}{more}")?;
        }
        match reasons.len().saturating_sub(LISTED) {
            0 => Ok(()),
            more => writeln!(f, "           and {more} more reasons"),
        }
    }
}

/// The outcomes of all sentences.
#[derive(Default)]
struct Tally {
    /// The sizes in bytes of all sentences, and of the valid ones.
    sizes: [Vec<usize>; 2],
    valid: u64,
    meaning: Reasons,
    syntax: Reasons,
    panics: Reasons,
}

/// The last panic of the subject: its position and message.
static PANIC: Mutex<String> = Mutex::new(String::new());

impl Tally {
    fn new(subject: &Subject, mut sentences: impl BufRead) -> io::Result<Tally> {
        panic::set_hook(Box::new(|panic| {
            *PANIC.lock().expect("the hook cannot panic") = panic.to_string();
        }));
        let (mut tally, mut sentence) = (Tally::default(), Vec::new());
        while sentences.read_until(0, &mut sentence)? > 0 {
            if sentence.ends_with(&[0]) {
                sentence.pop();
            }
            tally.add(subject, &sentence);
            sentence.clear();
        }
        let _ = panic::take_hook();
        Ok(tally)
    }

    fn add(&mut self, subject: &Subject, sentence: &[u8]) {
        self.sizes[0].push(sentence.len());
        let Ok(text) = str::from_utf8(sentence) else {
            let text = String::from_utf8_lossy(sentence);
            return self.syntax.add("not UTF-8".to_owned(), &text);
        };
        match panic::catch_unwind(AssertUnwindSafe(|| (subject.run)(text))) {
            Ok(Ok(())) => {
                self.valid += 1;
                self.sizes[1].push(text.len());
            }
            Ok(Err(message)) => {
                let reason = without(&message, subject.before_position);
                if (subject.is_syntax_error)(&message) {
                    self.syntax.add(reason.to_owned(), text);
                } else {
                    let name = (subject.exception)(&message).map(str::to_owned);
                    self.meaning
                        .add(name.unwrap_or_else(|| unquoted(reason)), text);
                }
            }
            Err(_) => {
                let panic = PANIC.lock().expect("the hook cannot panic").clone();
                let (location, message) = panic.split_once('\n').unwrap_or((&panic, ""));
                self.panics
                    .add(format!("{location} {}", unquoted(message)), text);
            }
        }
    }

    fn sentences(&self) -> u64 {
        self.valid + self.meaning.total() + self.syntax.total() + self.panics.total()
    }

    fn percent_free(&self) -> f64 {
        let sentences = self.sentences();
        100.0 * (sentences - self.syntax.total()) as f64 / sentences as f64
    }
}

impl Display for Tally {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let sentences = self.sentences();
        let mut line = |name: &str, count: u64| {
            let percent = 100.0 * count as f64 / sentences as f64;
            writeln!(f, "{count:>9}  {percent:>7.3} %  {name}")
        };
        line("sentences", sentences)?;
        line("valid", self.valid)?;
        line("rejected for their meaning", self.meaning.total())?;
        line("rejected for their syntax", self.syntax.total())?;
        line("made the subject panic", self.panics.total())?;
        writeln!(
            f,
            "\n{:>30}{:>9}{:>9}{:>9}{:>9}",
            "bytes: least", "quarter", "median", "3/4", "most"
        )?;
        for (name, sizes) in ["sentences", "valid"].iter().zip(&self.sizes) {
            let mut sizes = sizes.clone();
            sizes.sort_unstable();
            write!(f, "{name:>21}")?;
            for quarter in 0..=4 {
                let at = sizes.len().saturating_sub(1) * quarter / 4;
                write!(f, "{:>9}", sizes.get(at).copied().unwrap_or(0))?;
            }
            writeln!(f)?;
        }
        for (title, reasons) in [
            ("Meaning", &self.meaning),
            ("Syntax", &self.syntax),
            ("Panics", &self.panics),
        ] {
            if reasons.total() > 0 {
                write!(
                    f,
                    "\n{title}, each reason with its shortest sentence:\n{reasons}"
                )?;
            }
        }
        Ok(())
    }
}

/// Returns the message up to the last occurrence of `before_position`, which precedes a position.
fn without<'a>(message: &'a str, before_position: &str) -> &'a str {
    message
        .rfind(before_position)
        .map_or(message, |end| &message[..end])
}

/// Returns the message without quotations and numbers, so that messages with the same cause are
/// equal.
fn unquoted(message: &str) -> String {
    let (mut short, mut quote) = (String::new(), None);
    for character in message.chars() {
        match (quote, character) {
            (Some(open), _) if open == character => quote = None,
            (Some(_), _) => continue,
            (None, '`' | '"') => quote = Some(character),
            (None, '0'..='9') if short.ends_with('0') => continue,
            (None, '0'..='9') => {
                short.push('0');
                continue;
            }
            (None, _) => (),
        }
        short.push(character);
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    const FAKE: Subject = Subject {
        name: "fake",
        run: |text| match text {
            "" | "good" => Ok(()),
            "fatal" => panic!("found `{text}`"),
            _ => Err(format!("{text} at 1:1")),
        },
        is_syntax_error: |message| message.starts_with("bad"),
        exception: |message| message.starts_with("odd").then_some("strange"),
        before_position: " at ",
    };

    #[test]
    fn outcomes_are_counted() {
        let sentences = &b"good\0\0bad\0odd\0odd\0fatal\0\xFF\0good"[..];
        let tally = Tally::new(&FAKE, sentences).unwrap();
        assert_eq!(tally.sentences(), 8);
        assert_eq!(tally.valid, 3);
        assert_eq!(tally.meaning.0["strange"], (2, "odd".to_owned()));
        assert_eq!(
            tally.syntax.0.keys().collect::<Vec<_>>(),
            ["bad", "not UTF-8"]
        );
        assert_eq!(tally.panics.total(), 1);
        assert_eq!(tally.percent_free(), 75.0);
    }

    #[test]
    fn reasons_have_no_positions_and_names() {
        assert_eq!(without("at sea at line 1 column 2", " at line "), "at sea");
        assert_eq!(unquoted("`a` is 3.25, not \"b`c\""), "`` is 0.0, not \"\"");
    }
}
