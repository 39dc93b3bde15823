//! `zester new`: a fuzz target with a grammar, in a crate that exists.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use toml_edit::{ArrayOfTables, DocumentMut, InlineTable, Item, Table, value};
use zester::bounds::Caps;
use zester::notation;

use crate::command::{Problem, print};

/// The grammars that `--template` offers: name and text of each file of `grammars/`.
const TEMPLATES: &[(&str, &str)] = &[
    ("cedar", include_str!("../grammars/cedar.ebnf")),
    ("cel", include_str!("../grammars/cel.ebnf")),
    ("css", include_str!("../grammars/css.ebnf")),
    ("ebnf", include_str!("../grammars/ebnf.ebnf")),
    ("expr", include_str!("../grammars/expr.ebnf")),
    ("graphql", include_str!("../grammars/graphql.ebnf")),
    ("javascript", include_str!("../grammars/javascript.ebnf")),
    ("jinja", include_str!("../grammars/jinja.ebnf")),
    ("jq", include_str!("../grammars/jq.ebnf")),
    ("json", include_str!("../grammars/json.ebnf")),
    ("lua", include_str!("../grammars/lua.ebnf")),
    ("sql", include_str!("../grammars/sql.ebnf")),
    ("sqlite", include_str!("../grammars/sqlite.ebnf")),
    ("wat", include_str!("../grammars/wat.ebnf")),
    ("wgsl", include_str!("../grammars/wgsl.ebnf")),
    ("xml", include_str!("../grammars/xml.ebnf")),
];

/// Add a fuzz target with a grammar to a crate.
///
/// Makes, in the crate of the current directory, a target fuzz/fuzz_targets/NAME.rs and its grammar fuzz/grammars/NAME.ebnf, and
/// makes or extends fuzz/Cargo.toml, as cargo-fuzz wants it. Nothing is overwritten. Then says what to do next.
#[derive(clap::Args)]
pub struct New {
    /// What the target is called.
    #[arg(value_name = "NAME", value_parser = target_name)]
    name: String,

    /// Begin with a grammar that comes with zester.
    #[arg(long, value_name = "LANGUAGE", default_value = "expr", conflicts_with = "grammar",
          value_parser = clap::builder::PossibleValuesParser::new(TEMPLATES.iter().map(|(name, _)| *name)))]
    template: String,

    /// Begin with a copy of this grammar.
    #[arg(long, value_name = "FILE")]
    grammar: Option<PathBuf>,

    /// The directory of the crate.
    #[arg(long = "in", value_name = "DIR", default_value = ".")]
    directory: PathBuf,

    /// A directory with zester's own source, to depend on. Without it, that which this command was built from, or the version
    /// that is published.
    #[arg(long, value_name = "DIR")]
    zester: Option<PathBuf>,
}

impl New {
    pub fn run(&self) -> Result<ExitCode, Problem> {
        let package = self.package()?;
        let (grammar, is_text) = self.read_grammar()?;
        let fuzz = self.directory.join("fuzz");
        let manifest = fuzz.join("Cargo.toml");
        let (edited, exists) = self.manifest(&manifest, &package)?;
        let mut files = vec![
            (fuzz.join("grammars").join(format!("{}.ebnf", self.name)), grammar),
            (fuzz.join("fuzz_targets").join(format!("{}.rs", self.name)), self.target(&package, is_text)),
        ];
        if !exists {
            files.push((fuzz.join(".gitignore"), "target\ncorpus\nartifacts\ncoverage\n".into()));
            files.push((manifest.clone(), edited.clone()));
        }
        if let Some((path, _)) = files.iter().find(|(path, _)| path.exists()) {
            return Err(Problem::with(path, "is there already, and nothing is overwritten; take another NAME"));
        }
        for (path, text) in &files {
            create(path, text)?;
            print(format!("made     {}\n", path.display()).as_bytes())?;
        }
        if exists {
            replace(&manifest, &edited)?;
            print(format!("extended {}\n", manifest.display()).as_bytes())?;
        }
        print(self.next_steps(&fuzz).as_bytes())?;
        Ok(ExitCode::SUCCESS)
    }

    /// The crate's name.
    fn package(&self) -> Result<Package, Problem> {
        let path = self.directory.join("Cargo.toml");
        let text = std::fs::read_to_string(&path)
            .map_err(|error| Problem::with(&path, format!("{error}; run this in a crate, or name one with --in")))?;
        let manifest: DocumentMut = text.parse().map_err(|error| Problem::with(&path, error))?;
        let name = manifest.get("package").and_then(|package| package.get("name")).and_then(Item::as_str);
        let name = name.ok_or_else(|| Problem::with(&path, "no package, perhaps a workspace: name a crate of it with --in"))?;
        let has_library = manifest.contains_key("lib") || self.directory.join("src/lib.rs").exists();
        Ok(Package { name: name.into(), has_library })
    }

    /// The grammar's text, and whether a target can take what it derives as `&str`.
    fn read_grammar(&self) -> Result<(String, bool), Problem> {
        let (name, source) = match &self.grammar {
            Some(path) => (path.display().to_string(), crate::command::read(path, notation::MOST_SOURCE as u64 + 1)?),
            None => {
                let template = TEMPLATES.iter().find(|(name, _)| *name == self.template);
                (format!("{}.ebnf", self.template), template.map_or(Vec::new(), |(_, text)| text.as_bytes().to_vec()))
            }
        };
        let (grammar, _) = notation::read(&name, &source, &Caps::default()).map_err(Problem::Grammar)?;
        let text = String::from_utf8(source).map_err(|error| Problem::Work(format!("zester: {name}: {error}\n")))?;
        Ok((text, grammar.derives_utf8()))
    }

    /// What `fuzz/Cargo.toml` is to be, and whether it exists.
    fn manifest(&self, path: &Path, package: &Package) -> Result<(String, bool), Problem> {
        let exists = path.exists();
        let text = match exists {
            true => std::fs::read_to_string(path).map_err(|error| Problem::with(path, error))?,
            false => package.fuzz_manifest(),
        };
        let mut manifest: DocumentMut = text.parse().map_err(|error| Problem::with(path, error))?;
        let wrong = |what: &str| Problem::with(path, format!("`{what}` is not what cargo-fuzz writes"));
        let dependencies = manifest.entry("dependencies").or_insert(Item::Table(Table::new()));
        let dependencies = dependencies.as_table_like_mut().ok_or_else(|| wrong("dependencies"))?;
        if !dependencies.contains_key("zester") {
            dependencies.insert("zester", self.dependency()?);
        }
        let bins = manifest.entry("bin").or_insert(Item::ArrayOfTables(ArrayOfTables::new()));
        let bins = bins.as_array_of_tables_mut().ok_or_else(|| wrong("bin"))?;
        if bins.iter().any(|bin| bin.get("name").and_then(Item::as_str) == Some(&self.name)) {
            return Err(Problem::with(path, format!("has a target {} already; take another NAME", self.name)));
        }
        let mut bin = Table::new();
        bin.insert("name", value(&self.name));
        bin.insert("path", value(format!("fuzz_targets/{}.rs", self.name)));
        for kind in ["test", "doc", "bench"] {
            bin.insert(kind, value(false));
        }
        bins.push(bin);
        Ok((manifest.to_string(), exists))
    }

    /// Where zester comes from.
    fn dependency(&self) -> Result<Item, Problem> {
        let built_from = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
        let published = built_from.components().any(|part| part.as_os_str() == "registry") || !built_from.is_dir();
        let source = match &self.zester {
            Some(directory) => directory.canonicalize().map_err(|error| Problem::with(directory, error))?,
            None if published => return Ok(value(env!("CARGO_PKG_VERSION"))),
            None => built_from.canonicalize().map_err(|error| Problem::with(built_from, error))?,
        };
        let mut table = InlineTable::new();
        table.insert("path", source.display().to_string().into());
        Ok(value(table))
    }

    fn target(&self, package: &Package, is_text: bool) -> String {
        let (name, crate_name) = (&self.name, package.name.replace('-', "_"));
        let (input, kind) = if is_text { ("text", "&str") } else { ("bytes", "&[u8]") };
        format!(
            r#"//! Runs {package} on sentences of ../grammars/{name}.ebnf.
#![no_main]

zester::fuzz_target!(grammar: "../grammars/{name}.ebnf", |{input}: {kind}| {{
    // Call what is to be tested, and end with what says whether the sentence was *valid*: a Result, a bool, or nothing.
    // Validity guides the search. For example: {crate_name}::parse({input})
    let _ = {input};
}});
"#,
            package = package.name
        )
    }

    fn next_steps(&self, fuzz: &Path) -> String {
        let (name, fuzz) = (&self.name, fuzz.strip_prefix(".").unwrap_or(fuzz).display());
        format!(
            "\nNext:\n  1. in {fuzz}/fuzz_targets/{name}.rs, call what is to be tested\n  \
             2. cargo fuzz run --sanitizer none --no-trace-compares {name}     (cargo install cargo-fuzz, if it is missing)\n\n\
             What it will be given: zester generate {fuzz}/grammars/{name}.ebnf -n 5\n"
        )
    }
}

/// What there is to know of the crate.
struct Package {
    name: String,
    has_library: bool,
}

impl Package {
    /// A manifest without targets. An empty workspace keeps it out of any that is above it.
    fn fuzz_manifest(&self) -> String {
        let name = &self.name;
        let dependency = if self.has_library { format!("{name} = {{ path = \"..\" }}\n") } else { String::new() };
        format!(
            "[package]\nname = \"{name}-fuzz\"\nversion = \"0.0.0\"\nedition = \"2021\"\npublish = false\n\n\
             [package.metadata]\ncargo-fuzz = true\n\n[dependencies]\n{dependency}\n[workspace]\n"
        )
    }
}

/// A name that a file, a Cargo target and a Rust crate can have.
fn target_name(name: &str) -> Result<String, String> {
    let starts = name.starts_with(|first: char| first.is_ascii_alphabetic());
    match starts && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-') {
        true => Ok(name.into()),
        false => Err("a letter, then letters, digits, `_` and `-`".into()),
    }
}

fn create(path: &Path, text: &str) -> Result<(), Problem> {
    let problem = |error| Problem::with(path, error);
    std::fs::create_dir_all(path.parent().unwrap_or(Path::new("."))).map_err(problem)?;
    let mut file = OpenOptions::new().write(true).create_new(true).open(path).map_err(problem)?;
    file.write_all(text.as_bytes()).map_err(problem)
}

/// Writes a file beside it first, so that a full disk loses nothing.
fn replace(path: &Path, text: &str) -> Result<(), Problem> {
    let problem = |error| Problem::with(path, error);
    let beside = path.with_extension("toml.new");
    std::fs::write(&beside, text).and_then(|()| std::fs::rename(&beside, path)).map_err(problem)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shipped_grammar_is_a_template() {
        let directory = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/grammars")).unwrap();
        let mut files: Vec<String> = directory.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        files.sort();
        let templates: Vec<String> = TEMPLATES.iter().map(|(name, _)| format!("{name}.ebnf")).collect();
        assert_eq!(templates, files);
    }
}
