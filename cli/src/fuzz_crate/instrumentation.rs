//! Which crates of a fuzz target are instrumented for coverage.
//!
//! `cargo fuzz` instruments every crate, including zester and what zester depends on. That makes
//! zester about two times slower, because its comparisons are traced. So `zester fuzz` names itself
//! as the wrapper of rustc (`RUSTC_WRAPPER`). The wrapper drops the flags of SanitizerCoverage for
//! these packages, and then calls rustc, or the wrapper of the user, such as sccache.
//!
//! # Guarantees
//!
//! Cargo notices when other packages are instrumented, and when `cargo fuzz` builds the same target
//! without the wrapper: `RUSTFLAGS` has a `--cfg` whose name depends on the packages. The name may
//! change with a release of Rust, and then Cargo builds once more.

mod wrapper;

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::process::Command;

use serde_json::Value;

use crate::problem::Problem;

pub use self::wrapper::run_as_wrapper;

/// The environment variable with the packages that are not instrumented: `name` for all versions or
/// `name version`, separated by commas. If it is set, this program is the wrapper of rustc.
const UNINSTRUMENTED: &str = "ZESTER_UNINSTRUMENTED";

/// The environment variable with the wrapper of the user.
const NEXT_WRAPPER: &str = "ZESTER_NEXT_WRAPPER";

/// Crates by which build scripts compile C and C++.
const COMPILERS: [&str; 2] = ["cc", "cmake"];

/// What the flags of an instrumented build contain.
const SANITIZE: &str = "-fsanitize=";

/// The version of the changes of flags by the wrapper. A new version makes Cargo build again.
const VERSION: u64 = 2;

/// Packages that are part of the fuzzer, even if the fuzz crate depends on them by itself.
const ENGINE: [&str; 2] = ["zester", "libfuzzer-sys"];

/// The packages of a target that are not instrumented.
#[derive(Debug, PartialEq)]
pub struct Instrumentation {
    /// The names and versions, `name version`.
    uninstrumented: BTreeSet<String>,
    /// The names of instrumented packages whose build scripts compile C or C++ without instrumentation.
    plain_c: BTreeSet<String>,
}

impl Instrumentation {
    /// Returns the instrumentation of a fuzz crate, of which `metadata` is the output of `cargo
    /// metadata` with all dependencies. `instrumented` are the names of the packages to
    /// instrument beside the fuzz crate. By default all are instrumented but the fuzzer's own: zester,
    /// libfuzzer-sys, and packages that only these two depend on.
    ///
    /// # Errors
    /// If a name is that of no package.
    pub fn of(metadata: &Value, instrumented: &[String]) -> Result<Instrumentation, Problem> {
        Packages::of(metadata).instrumentation(instrumented)
    }

    /// Warns of C and C++ that will have no coverage, because the C compiler does not get the flags of
    /// rustc.
    pub fn warn_of_plain_c(&self) {
        let is_set = |(name, value): (OsString, OsString)| {
            let name = name.to_string_lossy();
            let is_flags = name.starts_with("CFLAGS") || name.starts_with("CXXFLAGS");
            is_flags && value.to_string_lossy().contains(SANITIZE)
        };
        if !self.plain_c.is_empty() && !std::env::vars_os().any(is_set) {
            let names = Vec::from_iter(self.plain_c.iter().map(String::as_str)).join(", ");
            eprintln!(
                "zester: warning: C and C++ that these packages compile has no coverage: {names}; `zester guide c` shows how to compile it"
            );
        }
    }

    /// Sets the environment of a build by cargo-fuzz, so that these packages are not instrumented.
    ///
    /// # Errors
    /// If this program has no path.
    pub fn apply(&self, cargo: &mut Command) -> Result<(), Problem> {
        let program = std::env::current_exe()
            .map_err(|error| Problem::new(format!("this program has no path: {error}")))?;
        let list: Vec<&str> = self.uninstrumented.iter().map(String::as_str).collect();
        let list = list.join(",");
        let mut flags = std::env::var("RUSTFLAGS").unwrap_or_default();
        let mut hasher = DefaultHasher::new();
        (VERSION, &list).hash(&mut hasher);
        flags += &format!(" --cfg zester_uninstrumented_{:016x}", hasher.finish());
        if let Some(next) = wrapper::of_user().filter(|next| *next != program) {
            cargo.env(NEXT_WRAPPER, next);
        }
        cargo
            .env("RUSTFLAGS", flags.trim_start())
            .env("RUSTC_WRAPPER", program)
            .env(UNINSTRUMENTED, list);
        Ok(())
    }
}

/// The packages of a build, from the output of `cargo metadata`.
struct Packages<'m> {
    packages: Vec<&'m Value>,
    nodes: Vec<&'m Value>,
    root: &'m str,
}

impl<'m> Packages<'m> {
    fn of(metadata: &'m Value) -> Packages<'m> {
        let list = |value: &'m Value| value.as_array().into_iter().flatten().collect();
        Packages {
            packages: list(&metadata["packages"]),
            nodes: list(&metadata["resolve"]["nodes"]),
            root: metadata["resolve"]["root"].as_str().unwrap_or_default(),
        }
    }

    /// Returns the package with an identifier.
    fn package(&self, id: &str) -> Option<&'m Value> {
        let mut packages = self.packages.iter();
        packages.find(|package| package["id"] == id).copied()
    }

    fn name(&self, id: &str) -> &'m str {
        let package = self.package(id);
        package.map_or("", |package| package["name"].as_str().unwrap_or_default())
    }

    /// Returns the identifiers of packages and of their dependencies. Leaves out packages for which
    /// `ends` is true, with what only they depend on.
    fn closure(&self, from: Vec<&'m str>, ends: impl Fn(&str) -> bool) -> BTreeSet<&'m str> {
        let (mut open, mut found) = (from, BTreeSet::new());
        while let Some(id) = open.pop() {
            if ends(id) || !found.insert(id) {
                continue;
            }
            let node = self.nodes.iter().find(|node| node["id"] == id);
            let all = node.and_then(|node| node["deps"].as_array());
            // Dependencies of build scripts are not linked to the target.
            let is_linked = |dependency: &&Value| {
                let kinds = dependency["dep_kinds"].as_array();
                kinds.is_none_or(|kinds| kinds.iter().any(|kind| kind["kind"].is_null()))
            };
            let linked = all.into_iter().flatten().filter(is_linked);
            open.extend(linked.filter_map(|dependency| dependency["pkg"].as_str()));
        }
        found
    }

    fn instrumentation(&self, instrumented: &[String]) -> Result<Instrumentation, Problem> {
        let all = self.closure(vec![self.root], |_| false);
        let is_engine = |id: &str| ENGINE.contains(&self.name(id));
        let of_program: BTreeSet<&str> = if instrumented.is_empty() {
            self.closure(vec![self.root], is_engine)
        } else {
            for name in instrumented {
                if !all.iter().any(|id| self.name(id) == name) {
                    let names: BTreeSet<&str> = all.iter().map(|id| self.name(id)).collect();
                    let names = names.into_iter().collect::<Vec<_>>().join(" ");
                    return Err(Problem::new(format!(
                        "--instrument: the target has no package {name}; there are: {names}"
                    )));
                }
            }
            let is_named = |id: &&str| instrumented.iter().any(|name| name == self.name(id));
            let named = all.iter().copied().filter(is_named);
            named.chain([self.root]).collect()
        };
        let packages = all.difference(&of_program);
        let described = packages.filter_map(|id| self.package(id)).map(|package| {
            let of = |field: &str| package[field].as_str().unwrap_or_default();
            format!("{} {}", of("name"), of("version"))
        });
        let compiling = of_program.iter().filter(|id| self.compiles_plain_c(id));
        Ok(Instrumentation {
            uninstrumented: described.collect(),
            plain_c: compiling.map(|id| self.name(id).to_owned()).collect(),
        })
    }

    /// Returns whether the build script of a package compiles C or C++, and does not instrument it by itself.
    fn compiles_plain_c(&self, id: &str) -> bool {
        let list = |value: &'m Value| value.as_array().into_iter().flatten();
        let Some(package) = self.package(id) else {
            return false;
        };
        let node = self.nodes.iter().find(|node| node["id"] == id);
        let mut dependencies = node.into_iter().flat_map(|node| list(&node["deps"]));
        let compiles = dependencies.any(|dependency| {
            let name = self.name(dependency["pkg"].as_str().unwrap_or_default());
            let mut kinds = list(&dependency["dep_kinds"]);
            COMPILERS.contains(&name) && kinds.any(|kind| kind["kind"] == "build")
        });
        let mut targets = list(&package["targets"]);
        let script = targets.find(|target| target["kind"][0] == "custom-build");
        let path = script.and_then(|script| script["src_path"].as_str());
        let text = path.and_then(|path| std::fs::read_to_string(path).ok());
        compiles && text.is_some_and(|text| !text.contains(SANITIZE))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// A fuzz crate with zester and a program. Both depend on `shared`; only zester on `own`, and
    /// only zester's build script on `built`.
    fn metadata() -> Value {
        let package = |name: &str| json!({ "id": name, "name": name, "version": "1.0.0" });
        let node = |id: &str, all: &[&str]| {
            let kind = |name: &str| {
                if name == "built" {
                    json!("build")
                } else {
                    json!(null)
                }
            };
            let dependency =
                |name: &&str| json!({ "pkg": name, "dep_kinds": [{ "kind": kind(name) }] });
            json!({ "id": id, "deps": all.iter().map(dependency).collect::<Vec<_>>() })
        };
        let names = [
            "root",
            "zester",
            "program",
            "shared",
            "own",
            "built",
            "libfuzzer-sys",
        ];
        json!({
            "packages": names.map(package),
            "resolve": {
                "root": "root",
                "nodes": [
                    node("root", &["zester", "program", "libfuzzer-sys"]),
                    node("zester", &["shared", "own", "built", "libfuzzer-sys"]),
                    node("program", &["shared"]),
                    node("shared", &[]),
                    node("own", &[]),
                    node("built", &[]),
                    node("libfuzzer-sys", &["own"]),
                ],
            },
        })
    }

    #[test]
    fn packages_that_compile_c_without_instrumentation_are_found() {
        let work = tempfile::tempdir().unwrap();
        let script = work.path().join("build.rs");
        let mut metadata = metadata();
        for package in metadata["packages"].as_array_mut().unwrap() {
            if package["name"] != "root" {
                package["targets"] = json!([{ "kind": ["custom-build"], "src_path": script }]);
            }
        }
        for node in metadata["resolve"]["nodes"].as_array_mut().unwrap() {
            let cc = json!({ "pkg": "cc", "dep_kinds": [{ "kind": "build" }] });
            node["deps"].as_array_mut().unwrap().push(cc);
        }
        let packages = metadata["packages"].as_array_mut().unwrap();
        packages.push(json!({ "id": "cc", "name": "cc", "version": "1.0.0" }));
        let plain_c = |text: &str, instrumented: &[String]| {
            std::fs::write(&script, text).unwrap();
            let found = Instrumentation::of(&metadata, instrumented).unwrap();
            Vec::from_iter(found.plain_c)
        };
        assert_eq!(plain_c("build.compile(\"a\")", &[]), ["program", "shared"]);
        let instrumented = ["program".into()];
        assert_eq!(plain_c("build.compile(\"a\")", &instrumented), ["program"]);
        assert!(plain_c("build.flag(\"-fsanitize=fuzzer-no-link\")", &[]).is_empty());
    }

    #[test]
    fn what_only_zester_depends_on_is_not_instrumented() {
        let metadata = metadata();
        let uninstrumented = |instrumented: &[&str]| {
            let names: Vec<String> = instrumented.iter().map(|name| name.to_string()).collect();
            let all = Instrumentation::of(&metadata, &names)
                .unwrap()
                .uninstrumented;
            all.into_iter().collect::<Vec<_>>().join(",")
        };
        assert_eq!(
            uninstrumented(&[]),
            "libfuzzer-sys 1.0.0,own 1.0.0,zester 1.0.0"
        );
        assert_eq!(
            uninstrumented(&["program", "zester"]),
            "libfuzzer-sys 1.0.0,own 1.0.0,shared 1.0.0"
        );
        let error = Instrumentation::of(&metadata, &["progam".into()])
            .unwrap_err()
            .message();
        assert!(
            error.contains("no package progam; there are: libfuzzer-sys own program"),
            "{error}"
        );
    }
}
