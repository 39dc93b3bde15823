//! `zester reduce`: a sentence that a person can read, of an artifact.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use zester::derive::Workspace;
use zester::parameters::{self, Tree};
use zester::reduce::reduce;

use crate::command::{Limits, Problem, grammar, print, warn_of_stale};

/// Reduce an input to the least that a command still finds interesting.
///
/// The command is run on one sentence after the other; it says by its exit status whether that one is still interesting. `{}` in
/// an argument is the path of a file with the sentence; without one, the sentence is the command's standard input.
///
/// The reduced parameters are written to a file each time they get smaller, so that Ctrl-C loses nothing. At the end the
/// sentence is printed.
///
///   zester reduce lua.ebnf crash-0123 -- ./still-crashes {}
///
///   zester reduce lua.ebnf crash-0123 --parameters --status failure -- target/…/release/lua {}
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub struct Reduce {
    /// The grammar, in EBNF.
    #[arg(value_name = "GRAMMAR")]
    grammar: PathBuf,

    /// A file of parameters: an artifact, a file of a corpus.
    #[arg(value_name = "ARTIFACT")]
    artifact: PathBuf,

    /// Where to write the reduced parameters; by default beside the artifact, with `.reduced` at the end of its name.
    #[arg(short, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Hand the command parameters instead of the sentence: for fuzz targets.
    #[arg(long)]
    parameters: bool,

    /// The exit status that says `still interesting`: a number, or `failure` for any but 0 and for death by a signal.
    #[arg(long, value_name = "STATUS", default_value = "0", value_parser = status)]
    status: Status,

    /// Seconds after which the command is killed; then the sentence is not interesting.
    #[arg(long, value_name = "SECONDS", default_value_t = 10.0)]
    timeout: f64,

    #[command(flatten)]
    limits: Limits,

    /// The command and its arguments.
    #[arg(value_name = "COMMAND", required = true, last = true)]
    command: Vec<String>,
}

/// What says that a sentence is interesting.
#[derive(Clone, Copy)]
enum Status {
    Code(i32),
    Failure,
}

fn status(text: &str) -> Result<Status, String> {
    match text {
        "failure" => Ok(Status::Failure),
        number => number.parse().map(Status::Code).map_err(|_| "a number or `failure`".into()),
    }
}

impl Reduce {
    pub fn run(&self) -> Result<ExitCode, Problem> {
        let settings = self.limits.settings();
        let grammar = grammar(&self.grammar, &settings.caps)?;
        warn_of_stale(self.artifact.parent().map(Path::to_path_buf).iter(), &grammar);
        let input = crate::command::parameters(&self.artifact)?;
        let output = self.output.clone().unwrap_or_else(|| {
            let mut name = self.artifact.clone().into_os_string();
            name.push(".reduced");
            name.into()
        });
        let file = std::env::temp_dir().join(format!("zester-reduce-{}", std::process::id()));
        let result = self.reduce(&grammar, &settings, &input, &output, &file);
        let _ = std::fs::remove_file(&file);
        let text = result?;
        eprintln!("zester: {}", output.display());
        print(&[&text[..], b"\n"].concat())?;
        Ok(ExitCode::SUCCESS)
    }

    fn reduce(
        &self,
        grammar: &zester::grammar::Grammar,
        settings: &parameters::Settings,
        input: &[u8],
        output: &Path,
        file: &Path,
    ) -> Result<Vec<u8>, Problem> {
        let mut first = Tree::default();
        parameters::read(grammar, settings, input, &mut Workspace::default(), &mut first);
        let before = first.derivation().text().len();
        if let (false, said) = self.ask(&first, file)? {
            let problem = format!("not interesting to begin with: `{}` {said}", self.command.join(" "));
            return Err(Problem::with(&self.artifact, problem));
        }
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(2));
        bar.set_style(ProgressStyle::with_template("{pos} sentences tried, {msg}").unwrap_or(ProgressStyle::default_bar()));
        let (mut problem, mut tried) = (None, 0_u64);
        let reduced = reduce(grammar, settings, input, &mut |tree| {
            tried += 1;
            bar.set_position(tried);
            if problem.is_some() {
                return false;
            }
            let asked = self.ask(tree, file).and_then(|(interesting, _)| {
                if interesting {
                    bar.set_message(format!("{} of {before} bytes left", tree.derivation().text().len()));
                    save(output, tree.parameters())?;
                }
                Ok(interesting)
            });
            asked.unwrap_or_else(|error| {
                problem = Some(error);
                false
            })
        });
        bar.finish_and_clear();
        if let Some(problem) = problem {
            return Err(problem);
        }
        save(output, reduced.parameters())?;
        let text = reduced.derivation().text().to_vec();
        eprintln!("zester: {before} bytes became {}, {tried} sentences tried", text.len());
        Ok(text)
    }

    /// Runs the command; whether it found the sentence interesting, and how it ended.
    fn ask(&self, tree: &Tree, file: &Path) -> Result<(bool, String), Problem> {
        let bytes = if self.parameters { tree.parameters() } else { tree.derivation().text() };
        let failed = |error| Problem::with(file, error);
        std::fs::write(file, bytes).map_err(failed)?;
        let mut command = Command::new(&self.command[0]);
        let path = file.display().to_string();
        command.args(self.command[1..].iter().map(|argument| argument.replace("{}", &path)));
        let has_place = self.command.iter().any(|argument| argument.contains("{}"));
        let stdin = if has_place { Stdio::null() } else { File::open(file).map_err(failed)?.into() };
        let child = command.stdin(stdin).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        let child = child.map_err(|error| Problem::with(Path::new(&self.command[0]), error))?;
        let Some(status) = wait(child, Duration::from_secs_f64(self.timeout.clamp(0.0, 1e9))) else {
            return Ok((false, format!("takes longer than {} s", self.timeout)));
        };
        let interesting = match self.status {
            Status::Failure => !status.success(),
            Status::Code(code) => status.code() == Some(code),
        };
        Ok((interesting, format!("ends with {status}")))
    }
}

/// Waits for a process, or kills it.
fn wait(mut child: Child, most: Duration) -> Option<ExitStatus> {
    let start = Instant::now();
    let mut pause = Duration::from_micros(100);
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Some(status),
            Ok(None) if start.elapsed() < most => std::thread::sleep(pause),
            _ => {
                let _ = child.kill();
                let _ = child.wait();
                return None;
            }
        }
        pause = (pause * 2).min(Duration::from_millis(10));
    }
}

/// Writes a file so that it never is half there.
fn save(path: &Path, bytes: &[u8]) -> Result<(), Problem> {
    let mut new = path.as_os_str().to_owned();
    new.push(".new");
    let written = std::fs::write(&new, bytes).and_then(|()| std::fs::rename(&new, path));
    written.map_err(|error| Problem::with(path, error))
}
