//! Manifests of Cargo: reads them, and extends their text.
//!
//! The existing text of a manifest stays, with its comments and its layout.

use std::path::Path;

use serde_json::{Value, json};

use crate::problem::Problem;

pub struct Manifest {
    pub text: String,
    /// The content of the text.
    pub value: Value,
}

impl Manifest {
    /// Parses the text of the manifest at `path`.
    pub fn parse(path: &Path, text: String) -> Result<Manifest, Problem> {
        match toml::from_str(&text) {
            Ok(value) => Ok(Manifest { text, value }),
            Err(error) => Err(Problem::with(path, error)),
        }
    }

    /// Returns the names of the binaries that the manifest lists.
    pub fn binaries(&self) -> impl Iterator<Item = &str> {
        let all = self.value["bin"].as_array().into_iter().flatten();
        all.filter_map(|binary| binary["name"].as_str())
    }

    /// Adds a dependency. Returns whether the text has a form that allows this.
    pub fn add_dependency(&mut self, name: &str, dependency: &Value) -> bool {
        let mut value = self.value.clone();
        let all = &mut value["dependencies"];
        if all.is_null() {
            *all = json!({});
        }
        let Some(all) = all.as_object_mut() else {
            return false;
        };
        all.insert(name.into(), dependency.clone());
        let line = format!("{name} = {}\n", toml(dependency));
        let mut end = 0;
        let heads = self.text.split_inclusive('\n').filter_map(|head| {
            end += head.len();
            (head.trim_end() == "[dependencies]" && head.ends_with('\n')).then_some(end)
        });
        for end in heads.collect::<Vec<_>>() {
            let text = format!("{}{line}{}", &self.text[..end], &self.text[end..]);
            if self.change(text, &value) {
                return true;
            }
        }
        self.append(&format!("[dependencies]\n{line}"), &value)
    }

    /// Adds a binary with these keys and values. Returns whether the text has a form that allows
    /// this.
    pub fn add_binary(&mut self, entries: &[(&str, Value)]) -> bool {
        let mut value = self.value.clone();
        let all = &mut value["bin"];
        if all.is_null() {
            *all = json!([]);
        }
        let Some(all) = all.as_array_mut() else {
            return false;
        };
        all.push(entries.iter().cloned().collect());
        let lines = entries
            .iter()
            .map(|(key, value)| format!("{key} = {}\n", toml(value)));
        self.append(&format!("[[bin]]\n{}", lines.collect::<String>()), &value)
    }

    /// Appends a table if the result parses to `value`. Returns whether it does.
    fn append(&mut self, table: &str, value: &Value) -> bool {
        self.change(format!("{}\n\n{table}", self.text.trim_end()), value)
    }

    /// Sets the text if it parses to `value`. Returns whether it does.
    fn change(&mut self, text: String, value: &Value) -> bool {
        let is_right = toml::from_str::<Value>(&text).is_ok_and(|found| found == *value);
        if is_right {
            (self.text, self.value) = (text, value.clone());
        }
        is_right
    }
}

/// Writes a string, a truth value, or a table of them.
fn toml(value: &Value) -> String {
    match value.as_object() {
        Some(entries) => {
            let entries = entries
                .iter()
                .map(|(key, value)| format!("{key} = {}", toml(value)));
            format!("{{ {} }}", entries.collect::<Vec<_>>().join(", "))
        }
        // Strings of JSON are strings of TOML.
        None => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn manifest(text: &str) -> Manifest {
        Manifest::parse(Path::new("Cargo.toml"), text.into())
            .ok()
            .unwrap()
    }

    #[test]
    fn dependencies_are_added_to_the_table() {
        let path = json!({ "path": "../a \"b\"" });
        for (text, expected) in [
            (
                "[dependencies]\nx = \"1\" # x\n[lib]\n",
                "[dependencies]\nzester = { path = \"../a \\\"b\\\"\" }\nx = \"1\" # x\n[lib]\n",
            ),
            (
                "[lib]\nname = \"x\"",
                "[lib]\nname = \"x\"\n\n[dependencies]\nzester = { path = \"../a \\\"b\\\"\" }\n",
            ),
            (
                "[dependencies.x]\nversion = \"1\"\n",
                "[dependencies.x]\nversion = \"1\"\n\n[dependencies]\nzester = { path = \"../a \\\"b\\\"\" }\n",
            ),
            // The first of these lines is a part of a string.
            (
                "[package]\ndescription = '''\n[dependencies]\n'''\n[dependencies]\n",
                "[package]\ndescription = '''\n[dependencies]\n'''\n[dependencies]\nzester = { path = \"../a \\\"b\\\"\" }\n",
            ),
        ] {
            let mut manifest = manifest(text);
            assert!(manifest.add_dependency("zester", &path), "{text}");
            assert_eq!(manifest.text, expected);
            assert_eq!(manifest.value["dependencies"]["zester"], path);
        }
        for text in ["dependencies = { x = \"1\" }\n", "dependencies = 1\n"] {
            let mut manifest = manifest(text);
            assert!(!manifest.add_dependency("zester", &path));
            assert_eq!(manifest.text, text);
        }
    }

    #[test]
    fn binaries_are_appended() {
        let binary = [("name", json!("z")), ("test", json!(false))];
        let mut extended = manifest("[[bin]]\nname = \"y\"\n\n[workspace]\n\n\n");
        assert!(extended.add_binary(&binary));
        assert_eq!(
            extended.text,
            "[[bin]]\nname = \"y\"\n\n[workspace]\n\n[[bin]]\nname = \"z\"\ntest = false\n"
        );
        assert_eq!(extended.binaries().collect::<Vec<_>>(), ["y", "z"]);
        for text in ["bin = [{ name = \"y\" }]\n", "bin = 1\n"] {
            assert!(!manifest(text).add_binary(&binary), "{text}");
        }
    }

    #[test]
    fn what_cargo_reads_is_read() {
        let mut dated = manifest(
            "[package]\nname = \"x\"\n[package.metadata.release]\nday = 2024-05-01\nat = 07:32:00\n\
             [dependencies]\ny = { version = \"1\",\n  optional = true,\n}\n",
        );
        assert_eq!(dated.value["package"]["name"], "x");
        assert_eq!(dated.value["dependencies"]["y"]["optional"], true);
        assert!(dated.add_dependency("zester", &json!("1")));
        assert!(dated.text.contains("day = 2024-05-01"));
    }

    #[test]
    fn an_error_has_a_position() {
        let problem = Manifest::parse(Path::new("a/Cargo.toml"), "\n[package".into())
            .err()
            .unwrap();
        let message = problem.message();
        assert!(
            message.contains("a/Cargo.toml: ") && message.contains("line 2"),
            "{message}"
        );
    }
}
