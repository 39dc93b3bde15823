//! The fuzzers: how each is built and started, and where it keeps texts.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use super::generator::Generator;
use crate::import;
use zester_xtask::command::{output, quietly};
use zester_xtask::programs::{self, Engine, Sanitizer};
use zester_xtask::repository::{file, grammar_of};
use zester_xtask::zester::{Zester, files};

/// A fuzzer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Fuzzer {
    /// zester with its defaults.
    Zester,
    /// zester's own generation alone: new sentences of the grammar, without mutation.
    Generation,
    /// Stock libFuzzer with seeds, the grammar's dictionary, traced comparisons and a value profile.
    Libfuzzer,
    /// AFL++ with seeds and the grammar's dictionary.
    Afl,
    /// Grammarinator: new sentences of the exported grammar.
    Grammarinator,
    /// Fandango: new sentences of the exported grammar.
    Fandango,
    /// LibAFL's Nautilus with the exported grammar.
    Nautilus,
    /// Stock libFuzzer, whose bytes apollo-smith makes a document of by `Arbitrary`. On graphql only.
    Smith,
}

impl Fuzzer {
    /// Returns its name on the command line and in tables.
    pub fn name(self) -> &'static str {
        match self {
            Fuzzer::Zester => "zester",
            Fuzzer::Generation => "generation",
            Fuzzer::Libfuzzer => "libfuzzer",
            Fuzzer::Afl => "afl",
            Fuzzer::Grammarinator => "grammarinator",
            Fuzzer::Fandango => "fandango",
            Fuzzer::Nautilus => "nautilus",
            Fuzzer::Smith => "smith",
        }
    }

    /// Returns whether it can fuzz a subject.
    pub fn fuzzes(self, subject: &str) -> bool {
        self != Fuzzer::Smith || subject == "graphql"
    }

    /// Returns whether its inputs are parameters of zester, which are decoded to texts.
    fn has_parameters(self) -> bool {
        matches!(self, Fuzzer::Zester | Fuzzer::Generation)
    }

    /// Builds its program for a subject, unless it is there.
    pub fn build(self, material: &Material, zester: &Zester, program: &Path) -> Result<()> {
        if program.exists() {
            return Ok(());
        }
        let subject = &material.program;
        eprintln!("building {subject} for {}", self.name());
        let generator =
            |generator: Generator| generator.build(subject, &material.grammar, zester, program);
        match self {
            Fuzzer::Grammarinator => generator(Generator::Grammarinator),
            Fuzzer::Fandango => generator(Generator::Fandango),
            Fuzzer::Afl => programs::stock_afl_target(subject, program),
            Fuzzer::Nautilus => programs::nautilus_target(subject, program),
            Fuzzer::Libfuzzer => programs::stock_target(subject, "stock_text", program),
            Fuzzer::Smith => programs::stock_target(subject, "stock_smith", program),
            _ => programs::fuzz_target(subject, Sanitizer::None, Engine::Libfuzzer, program),
        }
    }

    /// Returns the file name of its program for a subject. Two fuzzers may have the same one.
    pub fn program(self, material: &Material) -> String {
        let subject = match self {
            // These programs contain the grammar.
            Fuzzer::Grammarinator | Fuzzer::Fandango => &material.subject,
            _ => &material.program,
        };
        let kind = match self.has_parameters() {
            true => Fuzzer::Zester,
            false => self,
        };
        format!("{subject}.{}", kind.name())
    }
}

/// The end of the name of a subject whose grammar is imported.
const IMPORTED: &str = "-imported";

/// A subject, and the files that all its fuzzers share.
pub struct Material {
    /// The name of the subject: that of the program, with [`IMPORTED`] if the grammar is the published one of tree-sitter.
    pub subject: String,
    /// The name of the program under test.
    pub program: String,
    grammar: PathBuf,
    /// A directory of texts.
    seeds: PathBuf,
    /// The dictionary of the grammar, in the format of libFuzzer and AFL++.
    dictionary: PathBuf,
    /// The grammar in Nautilus' notation.
    rules: PathBuf,
}

impl Material {
    /// Prepares seeds and dictionary of a subject in a directory.
    pub fn new(subject: &str, zester: &Zester, directory: &Path) -> Result<Material> {
        let program = subject.strip_suffix(IMPORTED).unwrap_or(subject);
        let own = grammar_of(program)?;
        let language = own.file_stem().context("a grammar has a name")?.to_owned();
        let grammar = match program == subject {
            true => own,
            false => {
                let to = directory.join(format!("{subject}.ebnf"));
                import::imported(&language.to_string_lossy(), zester, &to)?;
                to
            }
        };
        let dictionary = directory.join(format!("{subject}.dict"));
        let written = output(zester.command("dict").arg(&grammar))?;
        fs::write(&dictionary, written)?;
        let rules = directory.join(format!("{subject}.rules.json"));
        let mut export = zester.command("export");
        let written = output(export.arg(&grammar).args(["--to", "nautilus"]))?;
        fs::write(&rules, written)?;
        let seeds = directory.join(format!("{subject}.seeds"));
        if !seeds.exists() {
            fs::create_dir(&seeds)?;
            for (at, seed) in files(&file("corpus").join(language))?.iter().enumerate() {
                fs::copy(seed, seeds.join(format!("{at:04}")))?;
            }
        }
        Ok(Material {
            subject: subject.into(),
            program: program.into(),
            grammar,
            seeds,
            dictionary,
            rules,
        })
    }
}

/// One run of a fuzzer.
pub struct Run<'a> {
    pub fuzzer: Fuzzer,
    pub program: &'a Path,
    pub material: &'a Material,
    pub directory: &'a Path,
    /// The number of the run, which is the seed.
    pub number: u64,
}

impl Run<'_> {
    /// Returns the command that starts the fuzzer, or starts it again after it has ended `part` times.
    pub fn command(&self, part: u64) -> Command {
        let seed = self.number + 1_000 * part;
        let Material {
            seeds, dictionary, ..
        } = self.material;
        let mut command = match self.fuzzer {
            Fuzzer::Grammarinator => Generator::Grammarinator.command(self.program, seed),
            Fuzzer::Fandango => Generator::Fandango.command(self.program, seed),
            Fuzzer::Afl => {
                let mut afl = Command::new("afl-fuzz");
                afl.arg("-i")
                    .arg(seeds)
                    .arg("-o")
                    .arg(self.directory.join("out"));
                afl.args(["-s", &seed.to_string(), "-x"])
                    .arg(dictionary)
                    .arg("--")
                    .arg(self.program);
                let settings = [
                    "AFL_AUTORESUME",
                    "AFL_NO_UI",
                    "AFL_NO_AFFINITY",
                    "AFL_SKIP_CPUFREQ",
                    "AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES",
                ];
                afl.envs(settings.map(|name| (name, "1")));
                afl
            }
            Fuzzer::Nautilus => {
                // A shell that starts the experiment in the background makes it ignore SIGINT.
                let mut nautilus = Command::new("env");
                nautilus.arg("--default-signal=INT").arg(self.program);
                nautilus.arg(&self.material.rules).arg(self.directory);
                nautilus.arg(seed.to_string());
                nautilus
            }
            _ => {
                let mut target = Command::new(self.program);
                target.arg(self.corpus());
                // Inputs stay in the corpus, so that it covers all edges that were reached.
                target.args(["-reduce_inputs=0", "-timeout=10", "-print_final_stats=1"]);
                target.args([
                    format!("-seed={seed}"),
                    format!("-artifact_prefix={}/", self.directory.display()),
                ]);
                target
            }
        };
        if self.fuzzer.has_parameters() {
            command.env("ZESTER_GRAMMAR", &self.material.grammar);
        }
        match self.fuzzer {
            Fuzzer::Libfuzzer => {
                command.arg(seeds).args([
                    "-use_value_profile=1",
                    &format!("-dict={}", dictionary.display()),
                ]);
            }
            Fuzzer::Zester => {
                command.env("ZESTER_SEEDS", seeds);
            }
            Fuzzer::Generation => {
                command.env(
                    "ZESTER_EXPERIMENT",
                    "mutators=generate-small+generate-middle+generate-large,schedule=fixed",
                );
            }
            _ => (),
        }
        // With HUNT=none, a panic of the subject rejects the text and does not end the process.
        command.env("HUNT", "none").current_dir(self.directory);
        command
    }

    /// Returns the directory of the inputs that it keeps.
    pub fn corpus(&self) -> PathBuf {
        self.directory.join(match self.fuzzer {
            Fuzzer::Afl => "out/default/queue",
            _ => "corpus",
        })
    }

    /// Writes the texts of the kept inputs to a directory, with the names of the inputs.
    pub fn texts(&self, zester: &Zester, to: &Path) -> Result<()> {
        if self.fuzzer.has_parameters() {
            zester.decode(&self.material.grammar, &self.corpus(), to)?;
            // `zester decode` gives the texts the extension of the grammar. The inputs have none.
            for file in files(to)? {
                fs::rename(&file, file.with_extension(""))?;
            }
            return Ok(());
        }
        if self.fuzzer == Fuzzer::Smith {
            let mut smith = Command::new(self.program);
            quietly(smith.env("CORPUS", self.corpus()).env("TEXTS", to))?;
            return Ok(());
        }
        fs::create_dir_all(to)?;
        for file in files(&self.corpus())? {
            fs::copy(
                &file,
                to.join(file.file_name().context("a file has a name")?),
            )?;
        }
        Ok(())
    }

    /// Returns the number of executions that the fuzzer reports.
    pub fn executions(&self) -> Result<f64> {
        let (file, before) = match self.fuzzer {
            Fuzzer::Afl => ("out/default/fuzzer_stats", "execs_done"),
            _ => ("log", "stat::number_of_executed_units:"),
        };
        let text = fs::read(self.directory.join(file))?;
        let text = String::from_utf8_lossy(&text);
        let lines = text.lines().filter_map(|line| line.strip_prefix(before));
        let numbers =
            lines.filter_map(|rest| rest.trim_start_matches([' ', ':']).parse::<f64>().ok());
        Ok(numbers.sum())
    }
}
