//! The crate of cargo-fuzz that belongs to a directory: its targets, how they are built, and where
//! their programs, corpora and artifacts are.

mod instrumentation;

use std::path::{Path, PathBuf};
use std::process::Command;

use clap::builder::{OsStringValueParser, TypedValueParser};
use serde_json::Value;

use self::instrumentation::Instrumentation;
pub use self::instrumentation::run_as_wrapper;
use crate::manifest::Manifest;
use crate::problem::{Problem, shown};

/// A crate of cargo-fuzz.
pub struct FuzzCrate {
    /// The directory of its manifest.
    pub directory: PathBuf,
    /// The name of its package.
    package: String,
    /// The names of its fuzz targets.
    pub targets: Vec<String>,
}

/// How a target is built.
#[derive(Clone, Debug, clap::Args)]
pub struct BuildOptions {
    /// The sanitizer to build a target of a crate with: none (stable Rust), address, memory,
    /// thread or leak (nightly Rust). Another sanitizer is another build of all dependencies.
    #[arg(long, value_name = "NAME", default_value = "none")]
    pub sanitizer: String,

    /// The features of the fuzz crate to build with, separated by commas.
    #[arg(long, value_name = "FEATURES")]
    pub features: Option<String>,

    /// The packages whose coverage and comparisons guide fuzzing, beside the fuzz crate, separated
    /// by commas. The other packages run faster. By default, all are instrumented but zester,
    /// libfuzzer-sys, and packages that only these two depend on.
    #[arg(long, value_name = "PACKAGE,…", value_delimiter = ',')]
    pub instrument: Vec<String>,

    /// The directory of the fuzz crate [default: the current directory or a directory above it, or
    /// `fuzz` in one of these].
    #[arg(long, value_name = "DIR")]
    pub fuzz_dir: Option<PathBuf>,
}

impl FuzzCrate {
    /// Returns the fuzz crate in `given`. Without it, looks for a fuzz crate in the current directory,
    /// in those above it, and in the directory `fuzz` of each.
    ///
    /// # Errors
    /// If there is none.
    pub fn find(given: Option<&Path>) -> Result<FuzzCrate, Problem> {
        if let Some(directory) = given {
            return FuzzCrate::at(directory)?
                .ok_or_else(|| Problem::with(directory, "is no crate of cargo-fuzz"));
        }
        FuzzCrate::of_current_directory()?.ok_or_else(|| {
            Problem::new(
                "there is no crate of cargo-fuzz here or above; `zester new NAME` makes one",
            )
        })
    }

    /// Returns the fuzz crate of the current directory.
    ///
    /// # Errors
    /// If a manifest cannot be read.
    fn of_current_directory() -> Result<Option<FuzzCrate>, Problem> {
        let here = std::env::current_dir().map_err(|error| Problem::with(Path::new("."), error))?;
        for directory in here.ancestors() {
            for candidate in [directory.to_owned(), directory.join("fuzz")] {
                if let Some(found) = FuzzCrate::at(&candidate)? {
                    return Ok(Some(found));
                }
            }
        }
        Ok(None)
    }

    /// Returns the fuzz crate whose manifest is in a directory, or [`None`] if the manifest is
    /// missing or is not one of cargo-fuzz.
    fn at(directory: &Path) -> Result<Option<FuzzCrate>, Problem> {
        let path = directory.join("Cargo.toml");
        let Ok(text) = std::fs::read_to_string(&path) else {
            return Ok(None);
        };
        let manifest = Manifest::parse(&path, text)?;
        if manifest.value["package"]["metadata"]["cargo-fuzz"] != true {
            return Ok(None);
        }
        Ok(Some(FuzzCrate {
            directory: directory.into(),
            package: manifest.value["package"]["name"]
                .as_str()
                .unwrap_or_default()
                .into(),
            targets: manifest.binaries().map(String::from).collect(),
        }))
    }

    /// Checks that there is a target of this name.
    ///
    /// # Errors
    /// If there is none. The message lists those that there are.
    pub fn check(&self, name: &str) -> Result<(), Problem> {
        if self.targets.iter().any(|target| target == name) {
            return Ok(());
        }
        let all = if self.targets.is_empty() {
            "it has none; `zester new NAME` adds one".into()
        } else {
            format!("there are: {}", self.targets.join(" "))
        };
        let what = format!("has no fuzz target {name}; {all}");
        Err(Problem::with(&self.directory.join("Cargo.toml"), what))
    }

    /// Builds a target by cargo-fuzz. Returns its program. The output of Cargo is shown.
    ///
    /// # Errors
    /// If cargo-fuzz is missing or fails.
    pub fn build(&self, name: &str, options: &BuildOptions) -> Result<PathBuf, Problem> {
        self.check(name)?;
        let host = host()?;
        let mut arguments = vec!["--filter-platform", &host];
        let features = options
            .features
            .as_ref()
            .map(|features| self.qualified(features));
        if let Some(features) = &features {
            arguments.extend(["--features", features]);
        }
        let metadata = self.metadata(&arguments)?;
        let instrumentation = Instrumentation::of(&metadata, &options.instrument)?;
        instrumentation.warn_of_plain_c();
        let mut cargo = Command::new("cargo");
        if options.sanitizer != "none" {
            cargo.arg("+nightly");
        }
        cargo.args(["fuzz", "build", "--sanitizer", &options.sanitizer]);
        // The default of cargo-fuzz is the triple that it was built for itself, which is another one
        // if its program was downloaded.
        cargo.args(["--target", &host]);
        cargo.arg("--fuzz-dir").arg(&self.directory);
        if let Some(features) = &options.features {
            cargo.args(["--features", features]);
        }
        instrumentation.apply(&mut cargo)?;
        // If the target does not compile, a backtrace of cargo-fuzz would not help.
        let status = cargo.arg(name).env("RUST_LIB_BACKTRACE", "0").status();
        let status = status.map_err(|error| Problem::with(Path::new("cargo"), error))?;
        if status.success() {
            return Ok(built_program(&metadata, &host, name));
        }
        let has_cargo_fuzz = Command::new("cargo")
            .args(["fuzz", "--version"])
            .output()
            .is_ok_and(|output| output.status.success());
        Err(Problem::new(if !has_cargo_fuzz {
            "cargo-fuzz is missing: cargo install cargo-fuzz".into()
        } else {
            format!("{name} was not built; the messages of Cargo are above")
        }))
    }

    /// Returns features with the name of this package: `fuzz/json` for `json`. Without it, `cargo metadata`
    /// fails if another package of the workspace has an optional dependency of the same name.
    fn qualified(&self, features: &str) -> String {
        let separators = |char: char| char == ',' || char.is_whitespace();
        let qualified = features
            .split(separators)
            .filter(|feature| !feature.is_empty())
            .map(|feature| match feature.contains('/') {
                true => feature.to_owned(),
                false => format!("{}/{feature}", self.package),
            });
        qualified.collect::<Vec<_>>().join(",")
    }

    /// Returns the path of a target's program, whether it has been built or not.
    ///
    /// # Errors
    /// If Cargo or rustc cannot be run.
    pub fn program(&self, name: &str) -> Result<PathBuf, Problem> {
        let metadata = self.metadata(&["--no-deps"])?;
        Ok(built_program(&metadata, &host()?, name))
    }

    /// Returns what `cargo metadata` prints.
    fn metadata(&self, arguments: &[&str]) -> Result<Value, Problem> {
        let manifest = self.directory.join("Cargo.toml");
        let mut cargo = Command::new("cargo");
        cargo
            .args(["metadata", "--format-version=1"])
            .args(arguments)
            .arg("--manifest-path")
            .arg(&manifest);
        serde_json::from_slice(&output(&mut cargo)?)
            .map_err(|error| Problem::with(&manifest, error))
    }
}

/// Returns the path of the program of a target that cargo-fuzz builds for `host`.
fn built_program(metadata: &Value, host: &str, name: &str) -> PathBuf {
    let directory = metadata["target_directory"].as_str().unwrap_or("target");
    Path::new(directory).join(host).join("release").join(name)
}

/// Returns the triple of this system, such as `x86_64-unknown-linux-gnu`.
fn host() -> Result<String, Problem> {
    let about = output(Command::new("rustc").arg("-vV"))?;
    let about = String::from_utf8_lossy(&about).into_owned();
    let host = about.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(String::from)
        .ok_or_else(|| Problem::new("`rustc -vV` names no host"))
}

/// Parses an argument that names a built fuzz target: the path of a program, or the name of a target
/// of cargo-fuzz.
pub fn built_target() -> impl TypedValueParser<Value = PathBuf> {
    OsStringValueParser::new().try_map(|argument| built(Path::new(&argument)))
}

/// Returns the program of the target of cargo-fuzz with a name. Returns other paths as they are.
///
/// # Errors
/// If the target has not been built, or if a name without an extension is neither a target nor a file.
fn built(path: &Path) -> Result<PathBuf, String> {
    let name = path.to_string_lossy();
    // clap adds its own prefix to the message.
    let message = |problem: Problem| {
        let text = problem.message();
        text.trim_start_matches("zester: ").trim_end().to_owned()
    };
    let is_name = !path.is_file() && path.components().count() == 1 && name != "-";
    let of_crate = match is_name {
        true => FuzzCrate::of_current_directory().map_err(message)?,
        false => None,
    };
    let is_path = !is_name || path.exists() || path.extension().is_some();
    let of_crate = match of_crate {
        Some(of_crate) => of_crate.check(&name).map(|()| of_crate),
        None => Err(Problem::new(
            "there is no such file here, and no crate of cargo-fuzz with such a target",
        )),
    };
    let program = match of_crate {
        Ok(of_crate) => of_crate.program(&name),
        Err(_) if is_path => return Ok(path.into()),
        Err(problem) => Err(problem),
    };
    let program = program.map_err(message)?;
    if !program.is_file() {
        return Err(format!(
            "this target has not been built: zester fuzz {name} --no-run"
        ));
    }
    if let Some(newer) = newer_source(&program) {
        let newer = shown(&newer);
        eprintln!(
            "zester: warning: {newer} is newer than the built target; to build it: zester fuzz {name} --no-run"
        );
    }
    Ok(program)
}

/// Returns a source file of a program that has changed since Cargo built the program. Cargo lists the
/// files in `NAME.d`, beside the program, in the syntax of Make.
fn newer_source(program: &Path) -> Option<PathBuf> {
    let changed = |path: &Path| path.metadata().and_then(|file| file.modified()).ok();
    let built = changed(program)?;
    let list = std::fs::read_to_string(program.with_extension("d")).ok()?;
    let (_, sources) = list.split_once(": ")?;
    let sources = sources.lines().next()?.replace("\\ ", "\0");
    let mut sources = sources
        .split(' ')
        .map(|source| PathBuf::from(source.replace('\0', " ")));
    sources.find(|source| changed(source).is_some_and(|changed| changed > built))
}

/// Returns what a command prints.
fn output(command: &mut Command) -> Result<Vec<u8>, Problem> {
    let program = Path::new(command.get_program()).to_owned();
    let output = command
        .output()
        .map_err(|error| Problem::with(&program, error))?;
    if !output.status.success() {
        let why = String::from_utf8_lossy(&output.stderr).trim().to_string();
        return Err(Problem::new(format!("{}: {why}", shown(&program))));
    }
    Ok(output.stdout)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_that_is_newer_than_the_program_is_found() {
        let work = tempfile::tempdir().unwrap();
        let [program, list, old, new] =
            ["a", "a.d", "old.rs", "b c.rs"].map(|name| work.path().join(name));
        let escaped = new.to_str().unwrap().replace(' ', "\\ ");
        let text = format!("{}: {} {escaped}\n", program.display(), old.display());
        std::fs::write(&list, text).unwrap();
        for (path, seconds) in [(&old, 1), (&program, 2), (&new, 2)] {
            let time = std::time::UNIX_EPOCH + std::time::Duration::from_secs(seconds);
            std::fs::write(path, "").unwrap();
            std::fs::File::options()
                .write(true)
                .open(path)
                .and_then(|file| file.set_modified(time))
                .unwrap();
        }
        assert_eq!(newer_source(&program), None);
        std::fs::write(&new, "changed").unwrap();
        assert_eq!(newer_source(&program), Some(new));
        assert_eq!(newer_source(&work.path().join("none")), None);
    }

    #[test]
    fn a_name_is_a_target_or_an_error() {
        for path in ["no.ebnf", "./nothing", "a/b", "-"] {
            assert_eq!(built(Path::new(path)), Ok(path.into()), "{path}");
        }
        let said = built(Path::new("nothing")).unwrap_err();
        assert!(
            !said.starts_with("zester:") && !said.ends_with('\n'),
            "{said}"
        );
    }

    #[test]
    fn features_are_those_of_the_fuzz_crate() {
        let (directory, targets) = (PathBuf::new(), Vec::new());
        let package = "fuzz".into();
        let fuzz = FuzzCrate {
            directory,
            package,
            targets,
        };
        let qualified = fuzz.qualified("json, toml other/xml");
        assert_eq!(qualified, "fuzz/json,fuzz/toml,other/xml");
    }

    #[test]
    fn a_crate_of_cargo_fuzz_has_its_mark() {
        let work = tempfile::tempdir().unwrap();
        let manifest = work.path().join("Cargo.toml");
        assert!(FuzzCrate::at(work.path()).unwrap().is_none());
        std::fs::write(&manifest, "[package]\nname = \"a\"\n").unwrap();
        assert!(FuzzCrate::at(work.path()).unwrap().is_none());
        let text = "[package]\nname = \"a\"\n[package.metadata]\ncargo-fuzz = true\n[[bin]]\nname = \"x-y\"\n[[bin]]\nname = \"z\"\n";
        std::fs::write(&manifest, text).unwrap();
        let found = FuzzCrate::at(work.path()).unwrap().unwrap();
        assert_eq!(found.targets, ["x-y", "z"]);
        assert!(found.check("z").is_ok());
        let problem = found.check("w").unwrap_err().message();
        assert!(
            problem.contains("no fuzz target w; there are: x-y z"),
            "{problem}"
        );
        std::fs::write(&manifest, "[package").unwrap();
        assert!(FuzzCrate::at(work.path()).is_err());
    }
}
