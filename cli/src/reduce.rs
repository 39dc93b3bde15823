//! `zester reduce`: reduces an input to a smaller one that is still interesting.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use zester::corpus::records;
use zester::grammar::Grammar;
use zester::parameters::{Decoder, Input, Settings};
use zester::subject::Limits;

use crate::arguments::{self, SentenceLimits};
use crate::baseline::{Baseline, Builds};
use crate::fuzz_crate::built_target;
use crate::fuzz_target::FuzzTarget;
use crate::input::{self, encoded, grammar, is_known_as_parameters, parse, warn_of_stale};
use crate::interestingness_test::{
    CommandTest, InterestingnessTest, Status, TargetTest, TestResult, program,
};
use crate::interrupt::OnInterrupt;
use crate::numbers::counted;
use crate::output::{self, Existing, print};
use crate::problem::Problem;
use crate::progress::open_progress;
use crate::reduction_search::{Reduced, ReductionSearch};

const EXAMPLES: &str = "\
Examples:
  zester reduce lua crash-0123
  zester reduce lua crash-0123 --absent-in main/lua
  zester reduce lua.ebnf crash-0123 --status failure -- lua {}

Exit status: 0; 1 if the grammar has errors; 2 if the input is not interesting or the command cannot be run.";

/// Reduce an input (an artifact or a file of a corpus) to a smaller sentence that is still
/// interesting.
///
/// An input may be an edited sentence, with missing tokens or other bytes. If the sentence without
/// the edits is not interesting, the result is an edited sentence, too.
///
/// With a built fuzz target, a sentence is interesting if it has the same outcome as the input: a
/// crash with the same signature, an exit with the same status, a time-out, or out-of-memory. After
/// an exit, or a signal without a report, the last line of the output must be the same, too, apart
/// from values such as numbers.
///
/// With any other command, a sentence is interesting if the command exits with --status. `{}` in an
/// argument is replaced by the path of a file with the sentence. Without `{}`, the command gets the
/// sentence on standard input. When the command ends or times out, all processes that it started
/// are killed.
///
/// Each smaller result is written at once, so that Ctrl-C loses nothing. At the end, the sentence is
/// printed, or with `-o -` its parameters.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct ReduceCommand {
    /// The grammar: a file in zester's EBNF, or a built fuzz target: a program, or the name of a target
    /// of cargo-fuzz.
    #[arg(value_name = "GRAMMAR", value_parser = built_target())]
    grammar: PathBuf,

    /// A file of parameters, or a text that is a sentence of the grammar; `-` is standard input.
    #[arg(value_name = "ARTIFACT")]
    artifact: PathBuf,

    /// The file to write the reduced parameters to; `-` is standard output [default:
    /// ARTIFACT.reduced].
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    #[command(flatten)]
    existing: Existing,

    /// Give the parameters instead of the sentence to the command.
    #[arg(long)]
    parameters: bool,

    /// An older build of the fuzz target. A sentence is interesting only if this build does not have
    /// the fault: it returns, or it fails in another function or source file.
    #[arg(long, value_name = "OLD_TARGET", value_parser = built_target(), conflicts_with_all = ["parameters", "status"])]
    absent_in: Option<PathBuf>,

    /// The exit status of the command for an interesting sentence: a number, or `failure` for any
    /// signal and any status except 0 [default: 0].
    #[arg(long, value_name = "STATUS", value_parser = status)]
    status: Option<Status>,

    /// The maximum time in seconds of one run, from 0.001 to 86400; a sentence with which a command
    /// takes longer is not interesting.
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = arguments::seconds)]
    timeout: Duration,

    #[command(flatten)]
    limits: SentenceLimits,

    /// The command and its arguments, or a built fuzz target; may be omitted if GRAMMAR is a built
    /// fuzz target.
    #[arg(value_name = "COMMAND", last = true)]
    command: Vec<String>,
}

fn status(text: &str) -> Result<Status, String> {
    match text {
        "failure" => Ok(Status::Failure),
        number => number
            .parse()
            .map(Status::Code)
            .map_err(|_| "expected a number or `failure`".into()),
    }
}

impl ReduceCommand {
    pub fn run(&self) -> Result<ExitCode, Problem> {
        let settings = self.limits.settings();
        let output = self.output()?;
        let grammar = grammar(&self.grammar, &settings.caps)?;
        warn_of_stale([&self.artifact], &grammar);
        let input = input::parameters(&self.artifact)?;
        let mut test = self.interestingness_test(&grammar, &settings)?;
        let reduction = Reduction {
            command: self,
            grammar: &grammar,
            settings,
            output: &output,
        };
        let record = records::other_text(&self.artifact, &grammar);
        let text = match &record {
            Some(record) => encoded(&grammar, &input::parameters(record)?),
            None if is_known_as_parameters(&self.artifact) => None,
            None => encoded(&grammar, &input),
        };
        let reduced = match &text {
            Some(parameters) => reduction.run(parameters, &mut test)?,
            None => None,
        };
        if reduced.is_some() {
            let name = self.artifact.display();
            match &record {
                Some(record) => eprintln!(
                    "zester: {name} was written with another grammar; its text of then is read from {}",
                    record.display()
                ),
                None => eprintln!("zester: {name} was read as text, because it is a sentence"),
            }
        }
        let reduced = match reduced {
            None => reduction.run(&input, &mut test)?,
            reduced => reduced,
        };
        let Some(reduced) = reduced else {
            let input = text.as_ref().unwrap_or(&input);
            return Err(reduction.is_not_interesting(input, &mut test)?);
        };
        if output == Path::new("-") {
            print(reduced.bytes())?;
        } else {
            eprintln!("zester: the parameters are in {}", output.display());
            print(&[reduced.text(), b"\n"].concat())?;
        }
        Ok(ExitCode::SUCCESS)
    }

    /// Returns the path of the file for the reduced parameters. Checks before the reduction that the
    /// file may be written.
    fn output(&self) -> Result<PathBuf, Problem> {
        let output = match &self.output {
            Some(output) => output.clone(),
            None if self.artifact == Path::new("-") => {
                return Err(Problem::new(
                    "ARTIFACT is standard input; name a file for the reduced parameters with -o",
                ));
            }
            None => output::with_suffix(&self.artifact, ".reduced")
                .map_err(|error| Problem::with(&self.artifact, error))?,
        };
        if output != Path::new("-") {
            let advice = "--force replaces it, -o names another file";
            self.existing.may_write_file(&output, advice)?;
        }
        Ok(output)
    }

    /// Returns the limits of a run of a fuzz target.
    fn limits_of_run(&self) -> Limits {
        Limits::default().timeout(self.timeout)
    }

    /// Returns the test that decides whether a sentence is interesting.
    fn interestingness_test(
        &self,
        grammar: &Grammar,
        settings: &Settings,
    ) -> Result<InterestingnessTest, Problem> {
        let Some(name) = self.command.first() else {
            return match FuzzTarget::of(&self.grammar)? {
                Some(target) => self.target_test(&target),
                None => Err(Problem::new(
                    "name a built fuzz target, or a command and its arguments, after `--`",
                )),
            };
        };
        // A program that is not a fuzz target is a command.
        let target = program(name).and_then(|path| FuzzTarget::of(&path).ok().flatten());
        match target {
            Some(target) if !self.parameters && self.status.is_none() => {
                self.check_target(&target, grammar, settings)?;
                self.target_test(&target)
            }
            _ if self.absent_in.is_some() => Err(Problem::new(
                "--absent-in needs a built fuzz target, not a command",
            )),
            _ => {
                let status = self.status.unwrap_or(Status::Code(0));
                CommandTest::new(self.command.clone(), self.parameters, status, self.timeout)
                    .map(InterestingnessTest::Command)
            }
        }
    }

    /// Returns the test for a fuzz target: a sentence is interesting if the target fails, and the build
    /// of --absent-in does not have the fault.
    fn target_test(&self, target: &FuzzTarget) -> Result<InterestingnessTest, Problem> {
        let mut test = TargetTest::new(target.path(), self.limits_of_run())?;
        if let Some(old) = &self.absent_in {
            let builds = Builds::new(target.path(), old, self.limits_of_run())?;
            test = test.absent_in(Baseline::start(&Arc::new(builds))?);
        }
        Ok(InterestingnessTest::Target(test.into()))
    }

    /// Checks that a target has the given grammar. Warns of arguments that the target does not get.
    fn check_target(
        &self,
        target: &FuzzTarget,
        grammar: &Grammar,
        settings: &Settings,
    ) -> Result<(), Problem> {
        let name = Path::new(&self.command[0]);
        eprintln!(
            "zester: {} is a fuzz target: a sentence is interesting by its outcome, not by its exit status",
            name.display()
        );
        if let Ok(source) = target.grammar() {
            let (own, _) = parse(name, &source, None, &settings.caps)?;
            if own.fingerprint() != grammar.fingerprint() {
                let why = format!(
                    "its grammar is another one than {}; name it in place of the grammar",
                    self.grammar.display()
                );
                return Err(Problem::with(name, why));
            }
        }
        for argument in self.command[1..]
            .iter()
            .filter(|argument| *argument != "{}")
        {
            eprintln!("zester: warning: the fuzz target does not get the argument {argument}");
        }
        Ok(())
    }
}

/// The reduction of one input.
struct Reduction<'a> {
    command: &'a ReduceCommand,
    grammar: &'a Grammar,
    settings: Settings,
    /// The path of the file for the reduced parameters.
    output: &'a Path,
}

impl Reduction<'_> {
    /// Returns the problem that an input is not interesting.
    fn is_not_interesting(
        &self,
        input: &[u8],
        test: &mut InterestingnessTest,
    ) -> Result<Problem, Problem> {
        let mut decoder = Decoder::new(self.grammar).settings(self.settings);
        let ending = test.run(decoder.input(input))?.ending;
        let command = self.command;
        let program = if command.command.is_empty() {
            command.grammar.display().to_string()
        } else {
            command.command.join(" ")
        };
        let what = format!("this input is not interesting: `{program}`: {ending}");
        Ok(Problem::with(&command.artifact, what))
    }

    /// Reduces an input, and writes each smaller result to the file. Returns [`None`] if the input is
    /// not interesting.
    ///
    /// # Errors
    /// If the test fails, or if the file cannot be written.
    fn run(&self, input: &[u8], test: &mut InterestingnessTest) -> Result<Option<Input>, Problem> {
        let Reduction {
            command,
            grammar,
            settings,
            output,
        } = self;
        let mut decoder = Decoder::new(grammar).settings(*settings);
        let first = decoder.input(input);
        let before = first.text().len();
        let TestResult {
            is_interesting,
            ending,
        } = test.run(first)?;
        if !is_interesting {
            return Ok(None);
        }
        if let InterestingnessTest::Target(_) = test {
            eprintln!("zester: {ending}");
        }
        let _interrupted =
            OnInterrupt::print("zester: interrupted before anything was reduced".into());
        let bar = open_progress("{pos} sentences tried, {msg}");
        let mut best = BestInput {
            output,
            grammar,
            existing: command.existing,
            interrupted: None,
        };
        let search = ReductionSearch {
            grammar,
            settings: *settings,
            deadline: None,
        };
        let result = search.run(input, test, &mut |step| {
            bar.set_position(step.tried);
            let Some(smaller) = step.smaller else {
                return Ok(());
            };
            bar.set_message(format!(
                "{} of {} left",
                smaller.text().len(),
                counted(before, "byte")
            ));
            best.save(smaller)
        });
        bar.finish_and_clear();
        let Reduced {
            input: reduced,
            tried,
            ..
        } = result?;
        best.save(&reduced)?;
        let text = reduced.text();
        eprintln!(
            "zester: {} became {}, {} tried",
            counted(before, "byte"),
            text.len(),
            counted(tried, "sentence")
        );
        if text == decoder.text(&[]) && text.len() < before {
            eprintln!(
                "zester: warning: this is the grammar's simplest sentence; perhaps every sentence is interesting"
            );
        }
        Ok(Some(reduced))
    }
}

/// The file with the smallest interesting input so far.
struct BestInput<'a> {
    output: &'a Path,
    grammar: &'a Grammar,
    existing: Existing,
    /// Prints the path of the file when a signal ends the command.
    interrupted: Option<OnInterrupt>,
}

impl BestInput<'_> {
    /// Writes an input and its record.
    fn save(&mut self, input: &Input) -> Result<(), Problem> {
        if self.output == Path::new("-") {
            return Ok(());
        }
        self.existing.write_file(self.output, input.bytes())?;
        let recorded = records::write(self.output, self.grammar, input.text());
        recorded.map_err(|error| {
            Problem::with(&records::directory(Path::new("."), self.grammar), error)
        })?;
        // Later writes replace the file that this command wrote.
        self.existing.force = true;
        let length = input.text().len();
        let line = format!(
            "zester: interrupted; the smallest input so far ({}) is in {}",
            counted(length, "byte"),
            self.output.display()
        );
        self.interrupted = None;
        self.interrupted = Some(OnInterrupt::print(line));
        Ok(())
    }
}
