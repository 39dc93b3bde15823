//! `zester new`: adds a fuzz target with a grammar to a crate.

use std::path::{Component, Path, PathBuf};
use std::process::ExitCode;

use serde_json::{Value, json};
use zester::bounds::Caps;
use zester::notation;

use crate::foreign_notation::Notation;
use crate::import::ImportOptions;
use crate::input;
use crate::interrupt::OnInterrupt;
use crate::manifest::Manifest;
use crate::output::{self, Existing, print};
use crate::problem::Problem;
use crate::shell;
use crate::target_name::target_name;

/// The grammars that `--template` offers: the name and the text of each file in `grammars/`.
const TEMPLATES: &[(&str, &str)] = &[
    ("c", include_str!("../grammars/c.ebnf")),
    ("cedar", include_str!("../grammars/cedar.ebnf")),
    ("cel", include_str!("../grammars/cel.ebnf")),
    ("css", include_str!("../grammars/css.ebnf")),
    ("ebnf", include_str!("../grammars/ebnf.ebnf")),
    ("expr", include_str!("../grammars/expr.ebnf")),
    ("graphql", include_str!("../grammars/graphql.ebnf")),
    ("hcl", include_str!("../grammars/hcl.ebnf")),
    ("javascript", include_str!("../grammars/javascript.ebnf")),
    ("jinja", include_str!("../grammars/jinja.ebnf")),
    ("jq", include_str!("../grammars/jq.ebnf")),
    ("json", include_str!("../grammars/json.ebnf")),
    ("lua", include_str!("../grammars/lua.ebnf")),
    ("sql", include_str!("../grammars/sql.ebnf")),
    ("sqlite", include_str!("../grammars/sqlite.ebnf")),
    ("starlark", include_str!("../grammars/starlark.ebnf")),
    ("stlc", include_str!("../grammars/stlc.ebnf")),
    ("toml", include_str!("../grammars/toml.ebnf")),
    ("url", include_str!("../grammars/url.ebnf")),
    ("wat", include_str!("../grammars/wat.ebnf")),
    ("wgsl", include_str!("../grammars/wgsl.ebnf")),
    ("xml", include_str!("../grammars/xml.ebnf")),
];

const EXAMPLES: &str = "\
Examples:
  zester new parse                        begin with a grammar of arithmetic expressions
  zester new parse --template json        begin with zester's grammar of JSON
  zester new parse --grammar my.ebnf      begin with a copy of your grammar
  zester new parse --grammar parse.pest   begin with your grammar in another notation
  zester new parse --grammar parse.y --tokens tokens.txt
                                          the same, with a table of the tokens of its lexer

A harness in C or C++ needs no crate: see `zester guide c`.

Exit status: 0; 1 if the grammar has errors; 2 if the target cannot be written.";

/// Add a fuzz target with a grammar to a crate.
///
/// Writes fuzz/fuzz_targets/NAME.rs and its grammar fuzz/grammars/NAME.ebnf. Writes or extends
/// fuzz/Cargo.toml for cargo-fuzz. With a new fuzz/Cargo.toml, writes fuzz/.gitignore, and copies the
/// crate's Cargo.lock, so that the fuzz crate has the same versions of dependencies. Replaces no
/// other file. If it fails, it removes the files that it wrote. At the end it prints the next steps.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct NewCommand {
    /// The name of the target.
    #[arg(value_name = "NAME", value_parser = target_name)]
    name: String,

    /// The grammar to begin with, from those of zester.
    #[arg(long, value_name = "LANGUAGE", default_value = "expr", conflicts_with = "grammar",
          value_parser = clap::builder::PossibleValuesParser::new(TEMPLATES.iter().map(|(name, _)| *name)))]
    template: String,

    /// A grammar file to begin with, instead of --template. A grammar in another notation is imported, as
    /// by `zester import`.
    #[arg(long, value_name = "FILE")]
    grammar: Option<PathBuf>,

    #[command(flatten)]
    import: ImportOptions,

    /// The directory of the crate to extend.
    #[arg(long = "in", value_name = "DIR", default_value = ".")]
    directory: PathBuf,

    /// The directory of the zester crate to depend on [default: the source of this command, or else
    /// the published version].
    #[arg(long, value_name = "DIR")]
    zester: Option<PathBuf>,
}

impl NewCommand {
    pub fn run(&self) -> Result<ExitCode, Problem> {
        let package = self.package()?;
        let (grammar, is_text) = self.read_grammar()?;
        let fuzz = self.directory.join("fuzz");
        let manifest = fuzz.join("Cargo.toml");
        let (edited, exists) = self.manifest(&manifest, &package)?;
        let mut files = vec![
            (
                fuzz.join("grammars").join(format!("{}.ebnf", self.name)),
                grammar,
            ),
            (
                fuzz.join("fuzz_targets").join(format!("{}.rs", self.name)),
                self.target(&package, is_text),
            ),
        ];
        if !exists {
            let workspace = self.workspace()?;
            if let Some((directory, manifest)) = &workspace {
                self.refuse_member(directory, manifest)?;
            }
            files.push((
                fuzz.join(".gitignore"),
                "target\ncorpus\nartifacts\ncoverage\n".into(),
            ));
            files.push((manifest.clone(), edited.clone()));
            let lock = fuzz.join("Cargo.lock");
            let root = workspace.as_ref().map(|(directory, _)| &**directory);
            let copied = self.lock(root).filter(|_| !lock.exists());
            files.extend(copied.map(|text| (lock, text)));
        }
        if let Some((path, _)) = files
            .iter()
            .find(|(path, _)| path.symlink_metadata().is_ok())
        {
            return Err(Problem::with(
                path,
                "is there already, and no file is replaced; take another NAME",
            ));
        }
        let mut made = CreatedFiles::default();
        for (path, text) in &files {
            made.file(path, text)?;
        }
        if exists {
            Existing { force: true }.write_file(&manifest, edited.as_bytes())?;
        }
        made.keep();
        for (path, _) in &files {
            print(format!("made     {}\n", path.display()).as_bytes())?;
        }
        if exists {
            print(format!("extended {}\n", manifest.display()).as_bytes())?;
        }
        print(self.next_steps(&fuzz, &edited).as_bytes())?;
        Ok(ExitCode::SUCCESS)
    }

    /// Returns the crate in the directory.
    fn package(&self) -> Result<Package, Problem> {
        let path = self.directory.join("Cargo.toml");
        let text = std::fs::read_to_string(&path).map_err(|error| {
            Problem::with(
                &path,
                format!("{error}; run this in a crate, or name one with --in"),
            )
        })?;
        let manifest = Manifest::parse(&path, text)?.value;
        let name = manifest["package"]["name"].as_str().ok_or_else(|| {
            Problem::with(
                &path,
                "no package, perhaps a workspace: name a crate of it with --in",
            )
        })?;
        let has_library = manifest["lib"].is_object() || self.directory.join("src/lib.rs").exists();
        Ok(Package {
            name: name.into(),
            has_library,
        })
    }

    /// Returns the directory and the manifest of the workspace around the crate, if there is one.
    fn workspace(&self) -> Result<Option<(PathBuf, Manifest)>, Problem> {
        let here = self.directory.canonicalize();
        let here = here.map_err(|error| Problem::with(&self.directory, error))?;
        for directory in here.ancestors() {
            let path = directory.join("Cargo.toml");
            let Ok(text) = std::fs::read_to_string(&path) else {
                continue;
            };
            let manifest = Manifest::parse(&path, text)?;
            if !manifest.value["workspace"].is_null() {
                return Ok(Some((directory.into(), manifest)));
            }
        }
        Ok(None)
    }

    /// Returns the lock file of the crate or of its workspace, if there is one. With it, the fuzz crate has the same
    /// versions of dependencies.
    fn lock(&self, workspace: Option<&Path>) -> Option<String> {
        let directories = [Some(&*self.directory), workspace].into_iter().flatten();
        let mut locks = directories.map(|directory| directory.join("Cargo.lock"));
        locks.find_map(|path| std::fs::read_to_string(path).ok())
    }

    /// Checks that the workspace around the crate does not include the new crate `fuzz` as a member. The new crate is
    /// a workspace, and Cargo does not allow nested workspaces.
    ///
    /// # Errors
    /// If the workspace includes it. The message has the line to add to the manifest of the workspace.
    fn refuse_member(&self, directory: &Path, manifest: &Manifest) -> Result<(), Problem> {
        let here = self.directory.canonicalize();
        let here = here.map_err(|error| Problem::with(&self.directory, error))?;
        let fuzz = here.join("fuzz");
        let Ok(member) = fuzz.strip_prefix(directory) else {
            return Ok(());
        };
        let list = |key: &str| -> Vec<String> {
            let entries = manifest.value["workspace"][key].as_array();
            let entries = entries.into_iter().flatten();
            entries
                .filter_map(|entry| entry.as_str().map(String::from))
                .collect()
        };
        // Cargo takes each of `members` as a pattern, and each of `exclude` as a directory.
        let is_member = list("members").iter().any(|pattern| {
            let pattern = pattern.trim_start_matches("./").trim_end_matches('/');
            let options = glob::MatchOptions {
                require_literal_separator: true,
                ..glob::MatchOptions::default()
            };
            glob::Pattern::new(pattern)
                .is_ok_and(|pattern| pattern.matches_path_with(member, options))
        });
        let mut excluded = list("exclude");
        let is_around = |entry: &String| fuzz.starts_with(directory.join(entry));
        if !is_member || excluded.iter().any(is_around) {
            return Ok(());
        }
        excluded.push(member.to_string_lossy().into_owned());
        Err(Problem::with(
            &directory.join("Cargo.toml"),
            format!(
                "`members` matches {}, which is to be a workspace of its own, and Cargo would refuse all commands; \
                 nothing was written; put this line into [workspace] first: exclude = {}",
                member.display(),
                json!(excluded)
            ),
        ))
    }

    /// Returns the grammar's text, and whether all its sentences are UTF-8. If so, the target takes a
    /// `&str`, otherwise a `&[u8]`.
    fn read_grammar(&self) -> Result<(String, bool), Problem> {
        let (name, source) = match &self.grammar {
            Some(path) => (
                path.display().to_string(),
                own_or_imported(path, &self.import)?,
            ),
            None => {
                let file = format!("{}.ebnf", self.template);
                self.import.refuse_for_own(Path::new(&file))?;
                let template = TEMPLATES.iter().find(|(name, _)| *name == self.template);
                let text = template.map_or(String::new(), |(name, text)| {
                    template_text(name, text, &self.name)
                });
                (file, text.into_bytes())
            }
        };
        let (grammar, _) =
            notation::read(&name, &source, &Caps::default()).map_err(Problem::Grammar)?;
        let text =
            String::from_utf8(source).map_err(|error| Problem::with(Path::new(&name), error))?;
        Ok((text, grammar.derives_utf8()))
    }

    /// Returns the text of `fuzz/Cargo.toml` with the new target, and whether the file exists.
    fn manifest(&self, path: &Path, package: &Package) -> Result<(String, bool), Problem> {
        let exists = path.exists();
        let text = match exists {
            true => std::fs::read_to_string(path).map_err(|error| Problem::with(path, error))?,
            false => package.fuzz_manifest(),
        };
        let mut manifest = Manifest::parse(path, text)?;
        let wrong =
            |what: &str| Problem::with(path, format!("`{what}` is not what cargo-fuzz writes"));
        let has_zester = manifest.value["dependencies"]["zester"] != Value::Null;
        if !has_zester && !manifest.add_dependency("zester", &self.dependency(path)?) {
            return Err(wrong("dependencies"));
        }
        // Cargo builds targets from these files even if the manifest does not name them.
        let found = path.with_file_name("src").join("bin");
        let is_found = found.join(format!("{}.rs", self.name)).exists()
            || found.join(&self.name).join("main.rs").exists();
        if is_found || manifest.binaries().any(|name| name == self.name) {
            return Err(Problem::with(
                path,
                format!("has a target {} already; take another NAME", self.name),
            ));
        }
        let source = format!("fuzz_targets/{}.rs", self.name);
        let is_added = manifest.add_binary(&[
            ("name", json!(self.name)),
            ("path", json!(source)),
            ("test", json!(false)),
            ("doc", json!(false)),
            ("bench", json!(false)),
        ]);
        if !is_added {
            return Err(wrong("bin"));
        }
        Ok((manifest.text, exists))
    }

    /// Returns the dependency on zester for a manifest: a path to the source, or a version.
    fn dependency(&self, manifest: &Path) -> Result<Value, Problem> {
        let built_from = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
        let published = built_from
            .components()
            .any(|part| part.as_os_str() == "registry")
            || !built_from.is_dir();
        let source = match &self.zester {
            Some(directory) => directory
                .canonicalize()
                .map_err(|error| Problem::with(directory, error))?,
            None if published => return Ok(json!(env!("CARGO_PKG_VERSION"))),
            None => built_from
                .canonicalize()
                .map_err(|error| Problem::with(built_from, error))?,
        };
        // The directory of the manifest may not exist yet.
        let crate_directory = self
            .directory
            .canonicalize()
            .map_err(|error| Problem::with(&self.directory, error))?;
        let fuzz = manifest
            .parent()
            .and_then(|fuzz| fuzz.canonicalize().ok())
            .unwrap_or_else(|| crate_directory.join("fuzz"));
        let source = relative(&source, &fuzz).unwrap_or_else(|| source.display().to_string());
        Ok(json!({ "path": source }))
    }

    /// Returns the source of the fuzz target.
    fn target(&self, package: &Package, is_text: bool) -> String {
        let (name, crate_name) = (&self.name, package.name.replace('-', "_"));
        let (input, kind) = if is_text {
            ("text", "&str")
        } else {
            ("bytes", "&[u8]")
        };
        format!(
            r#"//! Runs {package} on sentences of ../grammars/{name}.ebnf.
#![no_main]

zester::fuzz_target!(grammar: "../grammars/{name}.ebnf", |{input}: {kind}| {{
    // Call the code under test here, and return its Result: `Ok` means that the sentence is *valid*.
    // Validity guides the search, and `zester why {name}` groups the errors. For example:
    // {crate_name}::parse({input})
    let _ = {input};
    Err::<(), _>("fuzz/fuzz_targets/{name}.rs does not call the code under test yet")
}});
"#,
            package = package.name
        )
    }

    /// Returns what the user has to do next.
    fn next_steps(&self, fuzz: &Path, manifest: &str) -> String {
        let (name, fuzz) = (&self.name, fuzz.strip_prefix(".").unwrap_or(fuzz).display());
        // `zester fuzz` and cargo-fuzz look for the fuzz crate in the current directory.
        let is_here = self.directory.canonicalize().ok() == std::env::current_dir().ok();
        let enter = match is_here {
            true => String::new(),
            false => format!("cd {} && ", shell::path(&self.directory)),
        };
        let on_ci = path_of_zester(manifest).map_or(String::new(), |path| {
            format!(
                "For CI: {fuzz}/Cargo.toml finds zester at {path}. Check zester out there, or replace `path = \"{path}\"`\n\
                 by `git = \"…\"` with the URL of its repository.\n"
            )
        });
        format!(
            "\nNext:\n  1. in {fuzz}/fuzz_targets/{name}.rs, call the code under test\n  \
             2. {enter}zester fuzz {name}     (cargo install cargo-fuzz, if it is missing)\n\n\
             To see what the target gets: zester generate {fuzz}/grammars/{name}.ebnf -n 5\n\
             To read zester's guide: zester guide\n\
             Commands of cargo-fuzz need {FLAGS} on stable Rust, as in: {enter}cargo fuzz run {FLAGS} {name}\n{on_ci}"
        )
    }
}

/// The flags of cargo-fuzz that zester's messages and documentation use. `--no-trace-compares` is not
/// one of them: after a crash, cargo-fuzz prints a command that reproduces it, and this command has
/// `--sanitizer` but not `--no-trace-compares`. Cargo builds everything again if the flags differ.
const FLAGS: &str = "--sanitizer=none";

/// Returns the path of zester in a manifest, if it depends on zester by a path.
fn path_of_zester(manifest: &str) -> Option<String> {
    let manifest = Manifest::parse(Path::new("Cargo.toml"), manifest.into()).ok()?;
    let path = &manifest.value["dependencies"]["zester"]["path"];
    path.as_str().map(String::from)
}

/// Returns the relative path to `to` from `from`. Both are absolute paths of directories. Returns
/// [`None`] if they have only the root in common. Then a relative path is not better than an absolute
/// one, because neither is valid on another machine.
fn relative(to: &Path, from: &Path) -> Option<String> {
    let is_common = |(to, from): &(Component<'_>, Component<'_>)| to == from;
    let common: Vec<Component<'_>> = to
        .components()
        .zip(from.components())
        .take_while(is_common)
        .map(|(to, _)| to)
        .collect();
    common
        .iter()
        .find(|part| matches!(part, Component::Normal(_)))?;
    let up = std::iter::repeat_n("..".into(), from.components().count() - common.len());
    let down = to
        .components()
        .skip(common.len())
        .map(|part| part.as_os_str().to_string_lossy());
    Some(up.chain(down).collect::<Vec<_>>().join("/"))
}

/// The crate that a target is added to.
struct Package {
    name: String,
    has_library: bool,
}

impl Package {
    /// Returns a manifest `fuzz/Cargo.toml` without targets. It has an empty `[workspace]`, so that
    /// Cargo does not take the fuzz crate as a member of a workspace above it.
    fn fuzz_manifest(&self) -> String {
        let name = &self.name;
        let dependency = if self.has_library {
            format!("{name} = {{ path = \"..\" }}\n")
        } else {
            String::new()
        };
        format!(
            "[package]\nname = \"{name}-fuzz\"\nversion = \"0.0.0\"\nedition = \"2021\"\npublish = false\n\n\
             [package.metadata]\ncargo-fuzz = true\n\n[dependencies]\n{dependency}\n[workspace]\n"
        )
    }
}

/// Returns the text of a template for a user's crate. Comments at its head that name files of
/// zester's repository are left out.
fn template_text(template: &str, text: &str, name: &str) -> String {
    let mut copy = format!(
        "// Copied by `zester new` from zester's grammar `{template}`.\n//\n\
         //     zester check fuzz/grammars/{name}.ebnf              is the file a grammar?\n\
         //     zester generate fuzz/grammars/{name}.ebnf -n 5      what does it derive?\n//\n"
    );
    let (mut is_head, mut was_empty) = (true, true);
    for line in text.lines() {
        is_head &= line.starts_with("//");
        let is_empty = line == "//";
        let is_ours = ["scripts/", "grammars/", "     fuzz/"]
            .iter()
            .any(|path| line.contains(path));
        if is_head && (is_ours || is_empty && was_empty) {
            continue;
        }
        was_empty = is_empty;
        copy.push_str(&line.replace("fuzz/subjects/", "zester's fuzz/subjects/"));
        copy.push('\n');
    }
    copy
}

/// Files and directories that were made. They are removed when this value is dropped, unless
/// [`CreatedFiles::keep`] is called.
#[derive(Default)]
struct CreatedFiles {
    /// The paths in the order in which they were made.
    paths: Vec<(PathBuf, OnInterrupt)>,
}

impl CreatedFiles {
    /// Makes a file, and the directories that it needs.
    fn file(&mut self, path: &Path, text: &str) -> Result<(), Problem> {
        let missing: Vec<&Path> = path
            .ancestors()
            .skip(1)
            .take_while(|path| *path != Path::new("") && !path.exists())
            .collect();
        for directory in missing.into_iter().rev() {
            std::fs::create_dir(directory).map_err(|error| Problem::with(directory, error))?;
            self.paths
                .push((directory.into(), OnInterrupt::remove(directory)));
        }
        output::create(path, text.as_bytes()).map_err(|error| Problem::with(path, error))?;
        self.paths.push((path.into(), OnInterrupt::remove(path)));
        Ok(())
    }

    /// Keeps the files.
    fn keep(mut self) {
        self.paths.clear();
    }
}

impl Drop for CreatedFiles {
    fn drop(&mut self) {
        for (path, _) in self.paths.drain(..).rev() {
            // A directory that is not empty stays.
            let _ = if path.is_dir() {
                std::fs::remove_dir(path)
            } else {
                std::fs::remove_file(path)
            };
        }
    }
}

/// Returns the grammar in a file. Imports it if it is in another notation than zester's.
fn own_or_imported(path: &Path, options: &ImportOptions) -> Result<Vec<u8>, Problem> {
    let source = input::source(path)?;
    let text = std::str::from_utf8(&source).unwrap_or_default();
    if notation::read("", &source, &Caps::default()).is_ok() || Notation::of(path, text).is_none() {
        options.refuse_for_own(path)?;
        return Ok(source);
    }
    let imported = options.import(path, None)?;
    eprint!("{}", imported.remarks);
    Ok(imported.text.into_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shipped_grammar_is_a_template() {
        let directory =
            std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/grammars")).unwrap();
        let mut files: Vec<String> = directory
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        files.sort();
        let templates: Vec<String> = TEMPLATES
            .iter()
            .map(|(name, _)| format!("{name}.ebnf"))
            .collect();
        assert_eq!(templates, files);
    }

    #[test]
    fn paths_are_relative_if_a_directory_is_common() {
        for (to, from, expected) in [
            ("/work/zester", "/work/rules/fuzz", Some("../../zester")),
            ("/home/me/zester", "/home/me/zester/fuzz", Some("..")),
            ("/opt/zester", "/home/me/rules/fuzz", None),
        ] {
            assert_eq!(
                relative(Path::new(to), Path::new(from)).as_deref(),
                expected,
                "{to} from {from}"
            );
        }
    }

    #[test]
    fn templates_name_no_files_of_this_repository() {
        for (template, text) in TEMPLATES {
            let copy = template_text(template, text, "mine");
            assert!(
                copy.contains("zester check fuzz/grammars/mine.ebnf"),
                "{copy}"
            );
            let is_missing = |line: &&str| {
                let line = line
                    .replace("fuzz/grammars/mine.ebnf", "")
                    .replace("zester's fuzz/subjects/", "");
                ["scripts/", "grammars/", "fuzz/"]
                    .iter()
                    .any(|path| line.contains(path))
            };
            assert_eq!(copy.lines().find(is_missing), None, "{template}");
            let rules = |text: &str| {
                text.lines()
                    .filter(|line| !line.starts_with("//"))
                    .collect::<Vec<_>>()
                    .join("\n")
            };
            assert_eq!(
                rules(&copy),
                rules(text),
                "{template}: only comments change"
            );
        }
    }
}
