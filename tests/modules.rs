//! Tests of the structure of the library: a module imports only modules above it in the table of
//! `src/lib.rs`, the files of one module have no cyclic imports, and two files define no type of the
//! same name. Some of the tests are also for the programs of the workspace, and for the files in C.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use regex::Regex;

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

/// Returns all Rust files of the library, each with its text without comments, tests and string
/// literals.
fn files() -> Vec<(PathBuf, String)> {
    files_in(&source())
}

/// Returns all Rust files below a directory, each with its text without comments, tests and string
/// literals.
fn files_in(directory: &Path) -> Vec<(PathBuf, String)> {
    let (mut found, mut open) = (Vec::new(), vec![directory.to_path_buf()]);
    while let Some(directory) = open.pop() {
        for entry in fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = fs::read_to_string(&path).unwrap();
                found.push((path, code(&text)));
            }
        }
    }
    found.sort();
    found
}

/// Returns a file's text without comments, unit tests and strings. Strings are removed because they
/// may hold generated code.
fn code(text: &str) -> String {
    let text = text
        .split("#[cfg(test)]\nmod tests {")
        .next()
        .unwrap_or_default();
    static IGNORED: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r#"(?m)//.*$|"(?:[^"\\]|\\.)*""#).unwrap());
    IGNORED.replace_all(text, "").into_owned()
}

/// Returns the module of a file: the first component of its path below `src`.
fn module(path: &Path) -> String {
    let first = path
        .strip_prefix(source())
        .unwrap()
        .components()
        .next()
        .unwrap()
        .as_os_str()
        .to_str()
        .unwrap();
    first.trim_end_matches(".rs").to_string()
}

/// Returns the names that follow `prefix`, which is `crate::` or `super::`, in paths: `a` for `{prefix}a::B`, and `a` and `c` for
/// `{prefix}{a::B, c}`.
fn names(code: &str, prefix: &str) -> BTreeSet<String> {
    static PATH: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"\b(crate::|super::)(\{|[A-Za-z_]\w*)").unwrap());
    static NAME: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"^\s*(?:r#)?([A-Za-z_]\w*)").unwrap());
    let mut found = BTreeSet::new();
    for start in PATH.captures_iter(code) {
        let (before, first) = (&start[1], start.get(2).unwrap());
        if before != prefix {
            continue;
        }
        if first.as_str() != "{" {
            found.insert(first.as_str().to_string());
            continue;
        }
        // Split the content of the outermost braces at commas.
        let (mut depth, mut member) = (1, String::new());
        for character in code[first.end()..].chars() {
            match character {
                '{' => depth += 1,
                '}' => depth -= 1,
                _ => {}
            }
            if depth == 0 || depth == 1 && character == ',' {
                found.extend(NAME.captures(&member).map(|name| name[1].to_string()));
                member.clear();
            } else {
                member.push(character);
            }
            if depth == 0 {
                break;
            }
        }
    }
    found
}

#[test]
fn modules_import_only_modules_above_them() {
    let library = fs::read_to_string(source().join("lib.rs")).unwrap();
    let row = Regex::new(r"(?m)^//! \| \[?`(\w+)`").unwrap();
    let table: Vec<String> = row
        .captures_iter(&library)
        .map(|row| row[1].to_string())
        .collect();
    let rank = |module: &str| table.iter().position(|row| row == module);
    let declared = Regex::new(r"(?m)^(?:pub )?mod (\w+)(?:;| \{\})").unwrap();
    // Modules that are pages of the documentation have no code.
    let pages = Regex::new(r"(?m)^pub mod (\w+) \{\}").unwrap();
    let pages: Vec<String> = pages
        .captures_iter(&library)
        .map(|page| page[1].to_string())
        .collect();
    let mut wrong = Vec::new();
    for module in declared
        .captures_iter(&library)
        .map(|module| module[1].to_string())
    {
        if rank(&module).is_none() && !pages.contains(&module) {
            wrong.push(format!("module {module} is not in the table of src/lib.rs"));
        }
    }
    for (path, code) in files() {
        let own = module(&path);
        if own == "lib" {
            continue;
        }
        for name in names(&code, "crate::") {
            // A name that is not in the table is a macro or a re-export of the root.
            let Some(other) = rank(&name) else { continue };
            if Some(other) > rank(&own) {
                wrong.push(format!(
                    "{} imports {name}, which is below {own} in the table of src/lib.rs",
                    path.display()
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn files_of_a_module_have_no_cyclic_imports() {
    let files = files();
    let defines =
        Regex::new(r"(?m)^(?:pub(?:\([^)]*\))? )?(?:const |unsafe )*(?:struct|enum|trait|fn|const|static|type) (\w+)").unwrap();
    let mut wrong = Vec::new();
    let directories: BTreeSet<&Path> = files
        .iter()
        .map(|(path, _)| path.parent().unwrap())
        .collect();
    for directory in directories {
        let inside: Vec<&(PathBuf, String)> = files
            .iter()
            .filter(|(path, _)| path.parent() == Some(directory))
            .collect();
        let stem = |path: &Path| path.file_stem().unwrap().to_str().unwrap().to_string();
        // The files that define each name.
        let mut owners: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (path, code) in &inside {
            for name in defines.captures_iter(code) {
                let owners = owners.entry(name[1].to_string()).or_default();
                owners.push(stem(path));
                owners.dedup();
            }
        }
        let mut imports: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (path, code) in &inside {
            let own = stem(path);
            for name in names(code, "super::") {
                let other = match owners.get(&name).map(Vec::as_slice) {
                    _ if inside.iter().any(|(path, _)| stem(path) == name) => name,
                    Some([one]) => one.clone(),
                    _ => continue,
                };
                if other != own {
                    imports.entry(own.clone()).or_default().insert(other);
                }
            }
        }
        for (from, direct) in &imports {
            let (mut reached, mut open) = (BTreeSet::new(), direct.iter().collect::<Vec<_>>());
            while let Some(next) = open.pop() {
                if reached.insert(next) {
                    open.extend(imports.get(next).into_iter().flatten());
                }
            }
            if reached.contains(from) {
                wrong.push(format!(
                    "{}/{from}.rs has a cyclic import through {:?}",
                    directory.display(),
                    reached
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn imported_names_are_found_in_code() {
    let code =
        code("use crate::{a, b::{C, d}, e as f}; // crate::g\nlet x = crate::h::i(\"crate::j\");");
    let expected = ["a", "b", "e", "h"].map(String::from);
    assert_eq!(names(&code, "crate::"), BTreeSet::from(expected));
}

/// Returns the names on a cycle of a graph, or none if it has no cycle.
fn cycle(mut graph: BTreeMap<String, BTreeSet<String>>) -> Vec<String> {
    // Repeatedly remove a name that imports nothing.
    while let Some(last) = graph.iter().find(|(_, imports)| imports.is_empty()) {
        let last = last.0.clone();
        graph.remove(&last);
        graph
            .values_mut()
            .for_each(|imports| _ = imports.remove(&last));
    }
    graph.into_keys().collect()
}

#[test]
fn modules_of_the_programs_have_no_cyclic_imports() {
    for program in ["cli/src", "xtask/src", "experiments/src"] {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(program);
        // By directory: the modules in it, each with those of the same directory that it imports.
        let mut graphs: BTreeMap<PathBuf, BTreeMap<String, BTreeSet<String>>> = BTreeMap::new();
        let files = files_in(&root);
        for (path, _) in &files {
            let (directory, stem) = (path.parent().unwrap(), path.file_stem().unwrap());
            let graph = graphs.entry(directory.into()).or_default();
            graph.insert(stem.to_str().unwrap().into(), BTreeSet::new());
        }
        for (path, code) in &files {
            let directory = path.parent().unwrap();
            let mut add = |directory: &Path, own: &str, names: BTreeSet<String>| {
                let graph = graphs.get_mut(directory).unwrap();
                let known: BTreeSet<String> = names
                    .into_iter()
                    .filter(|name| graph.contains_key(name) && name != own)
                    .collect();
                graph.get_mut(own).unwrap().extend(known);
            };
            let top = path
                .strip_prefix(&root)
                .unwrap()
                .iter()
                .next()
                .unwrap()
                .to_str()
                .unwrap();
            let top = top.trim_end_matches(".rs");
            if !["main", "lib"].contains(&top) {
                add(&root, top, names(code, "crate::"));
            }
            if directory != root {
                add(
                    directory,
                    path.file_stem().unwrap().to_str().unwrap(),
                    names(code, "super::"),
                );
            }
        }
        for (directory, graph) in graphs {
            let cycle = cycle(graph);
            assert!(
                cycle.is_empty(),
                "{}: cyclic imports: {cycle:?}",
                directory.display()
            );
        }
    }
}

/// Returns what a C file of the library uses of others: for each of these, the functions.
fn used_in_c(file: &str, owners: &BTreeMap<String, String>) -> BTreeSet<String> {
    static COMMENT: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r#"(?s)/\*.*?\*/|"(?:[^"\\]|\\.)*""#).unwrap());
    static WORD: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\bzester_\w+").unwrap());
    let text = fs::read_to_string(source().join("feedback").join(file)).unwrap();
    let code = COMMENT.replace_all(&text, "");
    let owner = |word: regex::Match<'_>| owners.get(word.as_str()).cloned();
    let used = WORD.find_iter(&code).filter_map(owner);
    used.filter(|other| other != file).collect()
}

#[test]
fn files_in_c_have_no_cyclic_uses() {
    // The header lists the functions of each file below its name.
    let header = fs::read_to_string(source().join("feedback/feedback.h")).unwrap();
    let line = Regex::new(r"(?m)^(?:/\* (\w+\.c) \*/|\w[^;(]*\b(zester_\w+)\(.*)$").unwrap();
    let (mut file, mut owners) = (String::new(), BTreeMap::new());
    for found in line.captures_iter(&header) {
        match (found.get(1), found.get(2)) {
            (Some(name), _) => file = name.as_str().into(),
            (_, Some(function)) => _ = owners.insert(function.as_str().into(), file.clone()),
            _ => {}
        }
    }
    assert!(owners.len() > 20, "{owners:?}");
    for (function, file) in &owners {
        let text = fs::read_to_string(source().join("feedback").join(file)).unwrap();
        let definition = Regex::new(&format!(r"(?m)^\w[^;]*\b{function}\([^;]*\{{")).unwrap();
        assert!(
            definition.is_match(&text),
            "{file} does not define {function}"
        );
    }
    let files: BTreeSet<&String> = owners.values().collect();
    let graph = files
        .into_iter()
        .map(|file| (file.clone(), used_in_c(file, &owners)))
        .collect();
    let cycle = cycle(graph);
    assert!(cycle.is_empty(), "cyclic uses: {cycle:?}");
}

#[test]
fn a_type_name_is_defined_in_one_file_of_a_program() {
    let defines = Regex::new(
        r"(?m)^(?:pub(?:\([^)]*\))? )?(?:unsafe )?(?:struct|enum|trait|type|union) (\w+)",
    )
    .unwrap();
    let mut wrong = Vec::new();
    for program in ["src", "cli/src", "xtask/src", "experiments/src"] {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(program);
        // The files that define each name.
        let mut owners: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (path, code) in files_in(&root) {
            for name in defines.captures_iter(&code) {
                let path = path.strip_prefix(&root).unwrap().display().to_string();
                owners.entry(name[1].to_string()).or_default().insert(path);
            }
        }
        let repeated = owners.into_iter().filter(|(_, files)| files.len() > 1);
        wrong.extend(repeated.map(|(name, files)| format!("{program}: {name} in {files:?}")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_file_is_a_module() {
    let declared = Regex::new(r"(?m)^\s*(?:pub(?:\([^)]*\))? )?mod (\w+);").unwrap();
    let mut wrong = Vec::new();
    for program in ["src", "cli/src", "xtask/src", "experiments/src", "afl/src"] {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(program);
        let mut modules: BTreeSet<PathBuf> = BTreeSet::new();
        let files = files_in(&root);
        for (path, code) in &files {
            let children = match path.file_stem().unwrap().to_str().unwrap() {
                "lib" | "main" => root.clone(),
                _ => path.with_extension(""),
            };
            let names = declared.captures_iter(code);
            modules.extend(names.map(|name| children.join(format!("{}.rs", &name[1]))));
        }
        let roots = ["lib.rs", "main.rs"].map(|file| root.join(file));
        let paths = files.into_iter().map(|(path, _)| path);
        wrong.extend(paths.filter(|path| !modules.contains(path) && !roots.contains(path)));
    }
    assert!(wrong.is_empty(), "no file declares the modules {wrong:?}");
}
