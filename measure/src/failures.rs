//! Learning from inputs that fail: whether new inputs by the weights fail alike.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::bugs::home_of;
use crate::campaign::Campaign;
use crate::command::{output, said};
use crate::figures::percent;
use crate::programs::{self, Engine, Sanitizer};
use crate::repository::grammar_of;
use crate::results;
use crate::zester::{Zester, files, joined, texts};

/// Learns from inputs that fail, on known faults: how many new inputs by the weights fail in the same way?
///
/// A target is fuzzed for some time, whatever crashes. Crashes with the fault's own signature are the failing samples, as they are and
/// reduced; what libFuzzer kept are the passing ones. Inputs are made by the weights of the failing samples, with and without the passing
/// ones or damping, and as many by no weights. Prints how many different ones are no samples, and how many of those fail alike.
#[derive(clap::Args)]
pub struct Failures {
    /// Inputs of a row.
    #[arg(default_value_t = 1000, default_value_if("quick", "true", "100"))]
    inputs: u64,
    /// Seconds of fuzzing.
    #[arg(default_value_t = 60, default_value_if("quick", "true", "10"))]
    seconds: u64,
    /// Faults (see `bugs`).
    #[arg(default_values_t = ["C1", "M1"].map(String::from), default_value_if("quick", "true", "M1"))]
    faults: Vec<String>,
    /// The directory of the results, whose campaigns are used again [default: a new one].
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Less of all, to see that it works.
    #[arg(long)]
    quick: bool,
}

/// What is measured on one fault.
struct Fault<'a> {
    id: &'a str,
    zester: &'a Zester,
    grammar: PathBuf,
    directory: PathBuf,
    /// The program that says which texts meet the fault.
    judge: PathBuf,
    /// Samples, as they are and reduced.
    known: HashSet<Vec<u8>>,
}

impl Failures {
    /// Measures.
    pub fn run(&self) -> Result<()> {
        let (out, zester) = (results::directory(self.out.as_deref())?, Zester::build()?);
        for id in &self.faults {
            let (target, directory) = (home_of(id)?, out.join(id));
            let program = out.join(target);
            if !program.exists() {
                programs::fuzz_target(target, Sanitizer::None, Engine::Libfuzzer, &program)?;
            }
            if !directory.exists() {
                Campaign::new(&program, &directory, 1, self.seconds).hunting(id).run()?;
            }
            let judge = programs::sentences(target)?;
            let mut fault = Fault { id, zester: &zester, grammar: grammar_of(target)?, directory, judge, known: HashSet::new() };
            self.measure(&mut fault)?;
        }
        println!("\nresults in {}", out.display());
        Ok(())
    }

    fn measure(&self, fault: &mut Fault<'_>) -> Result<()> {
        let path = |name: &str| fault.directory.join(name);
        let (failing, passing, crashed) = (path("failing"), path("passing"), path("crashed"));
        for directory in [&failing, &passing, &crashed] {
            let _ = fs::remove_dir_all(directory);
        }
        fault.zester.decode(&fault.grammar, &path("corpus"), &passing)?;
        let crashes = files(&path("crashes"))?;
        let mut samples = Vec::new();
        if !crashes.is_empty() {
            fault.zester.decode(&fault.grammar, &path("crashes"), &crashed)?;
            let texts: Vec<Vec<u8>> = files(&crashed)?.iter().map(fs::read).collect::<Result<_, _>>()?;
            samples = fault.failing(&texts)?;
        }
        println!("\n{}: {} failing samples, {} passing ones", fault.id, samples.len(), files(&passing)?.len());
        if samples.is_empty() {
            return Ok(());
        }
        fs::create_dir(&failing)?;
        for (number, sample) in samples.iter().enumerate() {
            fs::write(failing.join(number.to_string()), sample)?;
        }
        println!("{:<36} {:>8} {:>8} {:>18}", "learned from", "inputs", "new", "of those failing");
        let reduced = fault.reduced(&failing)?;
        for directory in [&failing, &reduced] {
            for file in files(directory)? {
                fault.known.insert(fs::read(file)?);
            }
        }
        println!("{}", fault.row("nothing", self.inputs, None)?);
        for (name, samples) in [("failing", &failing), ("reduced", &reduced)] {
            for context in ["0", "2"] {
                let passing = passing.to_string_lossy();
                for (suffix, more) in
                    [("", &[][..]), (", passing", &["--passing", &passing]), (", damped", &["--damping", "0.3"])]
                {
                    let weights = fault.directory.join("weights");
                    let flags = [&["--context", context], more].concat();
                    fault.zester.learn(&fault.grammar, std::slice::from_ref(samples), &flags, &weights)?;
                    println!("{}", fault.row(&format!("{name}, context {context}{suffix}"), self.inputs, Some(&weights))?);
                }
            }
        }
        Ok(())
    }
}

impl Fault<'_> {
    /// Of texts, those that meet the fault.
    fn failing(&self, all: &[Vec<u8>]) -> Result<Vec<Vec<u8>>> {
        let file = self.directory.join("texts");
        fs::write(&file, joined(all))?;
        let mut judge = std::process::Command::new(&self.judge);
        judge.arg(self.grammar_subject()?).args(["--fault", self.id]).stdin(fs::File::open(file)?);
        let output = judge.output()?;
        Ok(texts(&output.stdout))
    }

    fn grammar_subject(&self) -> Result<&'static str> {
        home_of(self.id)
    }

    /// The failing samples, reduced as long as they meet the fault: their directory.
    fn reduced(&self, failing: &Path) -> Result<PathBuf> {
        let (reduced, parameters) = (self.directory.join("reduced"), self.directory.join("parameters"));
        for directory in [&reduced, &parameters] {
            let _ = fs::remove_dir_all(directory);
        }
        fs::create_dir(&reduced)?;
        let mut encode = self.zester.command("encode");
        output(encode.arg(&self.grammar).arg(failing).arg("-o").arg(&parameters))?;
        for sample in files(&parameters)? {
            let to = self.directory.join("reduced.parameters");
            let _ = fs::remove_file(&to);
            let mut reduce = self.zester.command("reduce");
            reduce.arg(&self.grammar).arg(&sample).arg("-o").arg(&to).arg("--");
            reduce.args(["sh", "-c", "\"$0\" \"$1\" --fault \"$2\" | grep -q ."]);
            if said(reduce.arg(&self.judge).args([self.grammar_subject()?, self.id]))?.succeeded() {
                let text = self.zester.text_of(&self.grammar, &to)?;
                fs::write(reduced.join(sample.file_name().context("a file has a name")?), text)?;
            }
        }
        Ok(reduced)
    }

    /// A row of the table: what was learned from, and the figures of inputs by the weights.
    fn row(&self, name: &str, inputs: u64, weights: Option<&Path>) -> Result<String> {
        let weights = weights.map(|path| path.display().to_string());
        let flags: Vec<&str> = weights.iter().flat_map(|path| ["--weights", path]).collect();
        let all: HashSet<Vec<u8>> = self.zester.sentences(&self.grammar, inputs, 0, &flags)?.into_iter().collect();
        let new: Vec<Vec<u8>> = all.into_iter().filter(|text| !self.known.contains(text)).collect();
        let failing = self.failing(&new)?;
        fs::write(self.directory.join(format!("{name}.texts")), joined(&failing))?;
        Ok(format!(
            "{name:<36} {inputs:>8} {:>8} {:>8}  {:5.1} %",
            new.len(),
            failing.len(),
            percent(failing.len() as f64, new.len() as f64)
        ))
    }
}
