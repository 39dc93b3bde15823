//! Compares the sentences of c.ebnf with the programs of Csmith, by the edges of TinyCC.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use serde_json::Value;

use crate::figures::processor_seconds;
use zester::subject::Symbols;
use zester_xtask::c;
use zester_xtask::command::{install, output};
use zester_xtask::repository::file;
use zester_xtask::zester::{Sentences, Zester};

/// Compares the sentences of c.ebnf with the programs of Csmith, by the edges of TinyCC.
///
/// Csmith (Yang, Chen, Eide and Regehr, "Finding and Understanding Bugs in C Compilers", PLDI 2011)
/// is Debian's package. Both generate programs, and the target tcc compiles them one after the
/// other, without fuzzing, until generating and compiling have taken the processor time. Csmith's
/// programs include its header csmith.h. It is preprocessed once, with a few declarations instead of
/// the headers of the C library, and is put in front of each program. Neither its bytes nor the time
/// for it count.
#[derive(clap::Args)]
#[command(after_long_help = COLUMNS)]
pub struct Csmith {
    /// The processor time of each generator in seconds, at least 1.
    #[arg(long, default_value_t = 60, default_value_if("quick", "true", "3"), value_parser = clap::value_parser!(u64).range(1..))]
    seconds: u64,
    /// The first seed.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The number of functions to list for each generator.
    #[arg(long, default_value_t = 12)]
    functions: usize,
    /// Reduce all numbers, to test quickly that the experiment works.
    #[arg(long)]
    quick: bool,
}

const COLUMNS: &str = "\
Columns:
  programs  the number of programs, and their size together in MB
  valid     the share that tcc compiles without an error
  generating, compiling  the processor time
  1 MB      the edges that valid programs cover, up to the first MB of programs
  all       the edges that valid programs cover
  only      of these, the ones that the other generator's valid programs do not cover

The second table has the functions with the most edges that only one generator's valid programs cover.";

/// The programs that are generated and compiled at a time.
const BATCH: [u64; 2] = [10, 500];

/// The bytes after which edges are counted once.
const FIRST: u64 = 1_000_000;

/// What csmith.h needs of the C library.
const DECLARATIONS: [(&str, &str); 8] = [
    (
        "stdint.h",
        "typedef signed char int8_t; typedef short int16_t; typedef int int32_t; typedef long int64_t;
typedef unsigned char uint8_t; typedef unsigned short uint16_t; typedef unsigned int uint32_t; typedef unsigned long uint64_t;
#define INT8_MIN (-128)
#define INT8_MAX 127
#define UINT8_MAX 255
#define INT16_MIN (-32768)
#define INT16_MAX 32767
#define UINT16_MAX 65535
#define INT32_MIN (-2147483647 - 1)
#define INT32_MAX 2147483647
#define UINT32_MAX 4294967295U
#define INT64_MIN (-9223372036854775807L - 1)
#define INT64_MAX 9223372036854775807L
#define UINT64_MAX 18446744073709551615UL
",
    ),
    (
        "limits.h",
        "#define CHAR_BIT 8\n#define INT_MIN (-2147483647 - 1)\n#define INT_MAX 2147483647\n",
    ),
    (
        "float.h",
        "#define FLT_MIN 1.17549435e-38F\n#define FLT_MAX 3.40282347e+38F\n#define DBL_MAX 1.7976931348623157e+308\n",
    ),
    ("math.h", "double fabs(double); float fabsf(float); double ldexp(double, int); float ldexpf(float, int);\n"),
    ("stdio.h", "int printf(const char *, ...);\n"),
    ("string.h", "int strcmp(const char *, const char *); void *memset(void *, int, unsigned long);\n"),
    ("assert.h", ""),
    ("inttypes.h", "#include <stdint.h>\n"),
];

/// What generates programs.
trait Programs {
    /// Generates `count` programs by seeds from `seed` on.
    fn generate(&self, seed: u64, count: u64) -> Result<Vec<Vec<u8>>>;

    /// Returns what is compiled for a program.
    fn complete(&self, program: Vec<u8>) -> Vec<u8> {
        program
    }
}

/// Sentences of c.ebnf.
struct OurSentences<'a> {
    zester: &'a Zester,
    grammar: PathBuf,
}

impl Programs for OurSentences<'_> {
    fn generate(&self, seed: u64, count: u64) -> Result<Vec<Vec<u8>>> {
        self.zester.sentences(&Sentences {
            grammar: &self.grammar,
            count,
            seed,
            flags: &[],
        })
    }
}

/// Programs of Csmith.
struct CsmithPrograms {
    /// The preprocessed header.
    header: Vec<u8>,
}

impl CsmithPrograms {
    fn new(work: &Path) -> Result<Self> {
        install(&["csmith", "libcsmith-dev"], &["csmith"])?;
        for (name, text) in DECLARATIONS {
            fs::write(work.join(name), text)?;
        }
        let source = work.join("header.c");
        fs::write(&source, "#include \"csmith.h\"\n")?;
        let header = output(
            Command::new(c::clang()?)
                .args(["-E", "-P", "-nostdinc", "-I/usr/include/csmith", "-I"])
                .arg(work)
                .arg(&source),
        )?;
        Ok(Self { header })
    }
}

impl Programs for CsmithPrograms {
    fn generate(&self, seed: u64, count: u64) -> Result<Vec<Vec<u8>>> {
        (seed..seed + count)
            .map(|seed| output(Command::new("csmith").args(["--seed", &seed.to_string()])))
            .collect()
    }

    fn complete(&self, program: Vec<u8>) -> Vec<u8> {
        let text = String::from_utf8_lossy(&program);
        // tcc does not know a `push` without a number.
        let text = text.replace("#include \"csmith.h\"", "").replace(
            "#pragma pack(push)\n#pragma pack(1)\n",
            "#pragma pack(push, 1)\n",
        );
        [&self.header[..], text.as_bytes()].concat()
    }
}

/// The figures of a generator.
#[derive(Default)]
struct Figures {
    programs: u64,
    bytes: u64,
    valid: u64,
    generating: f64,
    compiling: f64,
    edges: BTreeSet<u64>,
    /// The number of edges of the programs up to the first MB.
    first: Option<usize>,
}

impl Csmith {
    /// Runs the experiment.
    pub fn run(&self) -> Result<()> {
        let (zester, work) = (Zester::build()?, tempfile::tempdir()?);
        let target = work.path().join("tcc");
        c::fuzz_target("tcc", "", zester.path(), &target)?;
        let ours = OurSentences {
            zester: &zester,
            grammar: file("grammars/c.ebnf"),
        };
        let csmith = CsmithPrograms::new(work.path())?;
        let generators: [(&str, &dyn Programs); 2] = [("Csmith", &csmith), ("c.ebnf", &ours)];
        let mut all = Vec::new();
        for ((_, programs), batch) in generators.iter().zip(BATCH) {
            let compiler = Compiler {
                zester: &zester,
                target: &target,
                directory: work.path().join("programs"),
            };
            all.push(self.figures(*programs, batch, &compiler)?);
        }
        println!(
            "{:8} {:>8} {:>6} {:>6} {:>11} {:>9} {:>6} {:>6} {:>6}",
            "", "programs", "MB", "valid%", "generating", "compiling", "1 MB", "all", "only"
        );
        let only: Vec<BTreeSet<u64>> = (0..2)
            .map(|at| {
                all[at]
                    .edges
                    .difference(&all[1 - at].edges)
                    .copied()
                    .collect()
            })
            .collect();
        for (((name, _), figures), only) in generators.iter().zip(&all).zip(&only) {
            println!(
                "{name:8} {:8} {:6.2} {:6.1} {:9.1} s {:7.1} s {:>6} {:6} {:6}",
                figures.programs,
                figures.bytes as f64 / 1e6,
                100.0 * figures.valid as f64 / figures.programs.max(1) as f64,
                figures.generating,
                figures.compiling,
                figures.first.map_or("-".into(), |edges| edges.to_string()),
                figures.edges.len(),
                only.len()
            );
        }
        let mut symbols = Symbols::of(&target).context("the target has no table of edges")?;
        let mut function = |edge: u64| symbols.function(edge as u32).unwrap_or("?").to_owned();
        for ((name, _), only) in generators.iter().zip(&only) {
            println!("\nonly {name}:");
            for (function, edges) in by_function(only, &mut function).iter().take(self.functions) {
                println!("  {edges:5} {function}");
            }
        }
        Ok(())
    }

    /// Generates and compiles programs until the time is over.
    fn figures(
        &self,
        programs: &dyn Programs,
        batch: u64,
        compiler: &Compiler<'_>,
    ) -> Result<Figures> {
        let (mut figures, mut seed) = (Figures::default(), self.seed);
        while figures.generating + figures.compiling < self.seconds as f64 {
            let start = processor_seconds()?;
            let some = programs.generate(seed, batch)?;
            let generated = processor_seconds()?;
            figures.generating += generated - start;
            let sizes: Vec<usize> = some.iter().map(Vec::len).collect();
            compiler.write(some.into_iter().map(|text| programs.complete(text)))?;
            let written = processor_seconds()?;
            let runs = compiler.run()?;
            figures.compiling += processor_seconds()? - written;
            for (edges, size) in runs.into_iter().zip(sizes) {
                if figures.bytes + size as u64 > FIRST {
                    figures.first.get_or_insert(figures.edges.len());
                }
                figures.programs += 1;
                figures.bytes += size as u64;
                if let Some(edges) = edges {
                    figures.valid += 1;
                    figures.edges.extend(edges);
                }
            }
            // A seed of `zester generate` gives as many sentences as asked for.
            seed += batch;
        }
        Ok(figures)
    }
}

/// Compiles programs, which are files of a directory.
struct Compiler<'a> {
    zester: &'a Zester,
    target: &'a Path,
    directory: PathBuf,
}

impl Compiler<'_> {
    /// Replaces the programs.
    fn write(&self, programs: impl Iterator<Item = Vec<u8>>) -> Result<()> {
        let _ = fs::remove_dir_all(&self.directory);
        fs::create_dir(&self.directory)?;
        for (at, program) in programs.enumerate() {
            fs::write(self.directory.join(format!("{at:06}")), program)?;
        }
        Ok(())
    }

    /// Returns the edges of each program, if it is valid.
    fn run(&self) -> Result<Vec<Option<Vec<u64>>>> {
        let mut command = self.zester.command("run");
        command
            .args(["--json", "--edges", "--fail-on", "none"])
            .arg(self.target)
            .arg(&self.directory);
        let text = output(&mut command)?;
        let lines = text
            .split(|&byte| byte == b'\n')
            .filter(|line| !line.is_empty());
        lines
            .map(|line| {
                let run: Value = serde_json::from_slice(line)?;
                let edges = || {
                    let list = run["edges"].as_array().context("a run without edges")?;
                    list.iter()
                        .map(|edge| edge.as_u64().context("an edge is a number"))
                        .collect()
                };
                (run["outcome"] == "valid").then(edges).transpose()
            })
            .collect()
    }
}

/// Counts edges by function, the most first.
fn by_function(
    edges: &BTreeSet<u64>,
    function: &mut dyn FnMut(u64) -> String,
) -> Vec<(String, usize)> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for &edge in edges {
        *counts.entry(function(edge)).or_default() += 1;
    }
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_by_key(|&(_, count)| std::cmp::Reverse(count));
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_are_counted_by_function() {
        let mut function = |edge: u64| ["a", "b", "b", "c"][edge as usize].to_owned();
        let counts = by_function(&BTreeSet::from([0, 1, 2]), &mut function);
        assert_eq!(counts, [("b".to_owned(), 2), ("a".to_owned(), 1)]);
    }
}
