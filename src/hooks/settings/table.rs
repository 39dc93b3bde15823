//! The table of all settings: the parser, the flags, `--zester_help` and the documentation use it.

/// A setting of fuzz targets: an environment variable, and a flag of the same name in lower case.
#[derive(Debug)]
pub struct Setting {
    /// The name of the environment variable.
    pub name: &'static str,
    /// The possible values, or placeholders for them.
    pub values: &'static [&'static str],
    /// What the setting does, in Markdown.
    pub meaning: &'static str,
    /// The default value.
    pub default: &'static str,
}

/// All settings, in the order of their names.
pub const SETTINGS: [Setting; 18] = [
    Setting {
        name: "ZESTER_BOUNDS",
        values: &["m,n,d"],
        meaning: "at most m identifiers, n items of a repetition, d expansions of a nonterminal on a path (Bonsai's bounds); `-` for no bound",
        default: "-,-,-",
    },
    Setting {
        name: "ZESTER_CHECKPOINTS",
        values: &["1"],
        meaning: "when a run ends the process, a copy of the process goes on, which was made a few seconds before, with all that libFuzzer had learned. Linux only; not under `-fork` and `-jobs`, and not if the program under test has threads. `zester fuzz` sets it",
        default: "0",
    },
    Setting {
        name: "ZESTER_COVER",
        values: &["crate,…"],
        meaning: "count the coverage of these crates. Without the setting it does not count, because zester uses these crates itself",
        default: "none",
    },
    Setting {
        name: "ZESTER_DECODE",
        values: &["DIR", "-"],
        meaning: "run nothing; write the decoded inputs to this directory, or to standard output",
        default: "none",
    },
    Setting {
        name: "ZESTER_ENCODE",
        values: &["DIR", "-"],
        meaning: "run nothing; the inputs are texts, and their parameters are written to this directory, or to standard output",
        default: "none",
    },
    Setting {
        name: "ZESTER_EQUAL",
        values: &["0", "1"],
        meaning: "whether equivalent sentences must have equal outcomes; the argument `equal:` of `fuzz_target!`",
        default: "as the target says",
    },
    Setting {
        name: "ZESTER_EXPERIMENT",
        values: &["NAME=VALUE,…"],
        meaning: "for experiments: `feedback=0` (edges that valid inputs reach are no separate coverage features), `mutators=NAME+…` (only these mutators of [`MUTATORS`](crate::mutate::MUTATORS), or of [`RegionMutator::operators`](crate::mutate::RegionMutator::operators) in a target with a generator), `mutators=-NAME+…` (all but these), `schedule=fixed` (mutators whose results reach new code are not used more often), `parents=any` (invalid inputs are mutated, as libFuzzer asks for it), `steering=0` (mutators do not avoid what most failing sentences have in common), `validity=0` (new parts of sentences do not favour alternatives whose sentences are often valid), `past_end=random` (choices past the end of an input are pseudo-random instead of the simplest option), `leaf=C` (with the bound of depth d, a nonterminal of a new subtree gets its minimum size with probability C/d)",
        default: "none",
    },
    Setting {
        name: "ZESTER_GOAL",
        values: &["name,…"],
        meaning: "goals beside coverage: `time` (long runs and many executed edges), `exceptions` (panics, which then only reject their input). Engines with libFuzzer's interface on ELF systems only",
        default: "none",
    },
    Setting {
        name: "ZESTER_GRAMMAR",
        values: &["FILE"],
        meaning: "use this grammar instead of the target's",
        default: "the target's",
    },
    Setting {
        name: "ZESTER_GRAMMAR_OUT",
        values: &["FILE", "-"],
        meaning: "run nothing; write the text of the target's grammar to this file, or to standard output",
        default: "none",
    },
    Setting {
        name: "ZESTER_NEGATIVE",
        values: &["0"],
        meaning: "no edited sentences: every input is a sentence. Under `ZESTER_TEXT=1` and bounds there are none either, and with `ZESTER_VALID_ONLY=1` no input gets new edits",
        default: "1",
    },
    Setting {
        name: "ZESTER_PANICS",
        values: &["continue", "end"],
        meaning: "whether the process goes on after a panic of the program under test. The first, second, fourth, … panic at each source location writes an artifact, and libFuzzer does not keep the input. A panic still ends the process that runs files, 100 runs in a row that panic do, and so does every panic with `panic = \"abort\"`. `zester fuzz` sets it to `continue`",
        default: "end",
    },
    Setting {
        name: "ZESTER_SEEDS",
        values: &["DIR"],
        meaning: "encode the texts in this directory, and write their parameters to the corpus before libFuzzer reads it",
        default: "none",
    },
    Setting {
        name: "ZESTER_STATS",
        values: &["FILE"],
        meaning: "append a JSON line of statistics to this file every two seconds and at the end, for `zester report`. The first line of a run has the version of the format, the time, the process, the target, its corpus and its artifacts. `zester fuzz` sets it to `CORPUS.stats`",
        default: "none",
    },
    Setting {
        name: "ZESTER_TEXT",
        values: &["1"],
        meaning: "inputs are texts for the program under test; they are neither decoded nor post-processed",
        default: "0",
    },
    Setting {
        name: "ZESTER_VALID_ONLY",
        values: &["1"],
        meaning: "libFuzzer keeps no input that is reported invalid, also under `-merge`",
        default: "0",
    },
    Setting {
        name: "ZESTER_VALID_RESULT",
        values: &["N"],
        meaning: "an unchanged harness in C reports by its return value: this one means valid, every other one invalid",
        default: "none",
    },
    Setting {
        name: "ZESTER_WORDS",
        values: &["FILE", "-"],
        meaning: "the file of words (`CORPUS.words`): texts of tokens that the program looks for and the grammar does not list. It is read at the start, and words that reach something new are appended; `-merge` appends those of the other corpora. `-`: no words are sought. With bounds and under `ZESTER_TEXT=1`, none are either, unless a file is named",
        default: "beside the first corpus",
    },
];

/// Returns whether there is a setting of this name.
pub fn is_setting(name: &str) -> bool {
    SETTINGS.iter().any(|setting| setting.name == name)
}

/// Returns the table for the terminal.
pub fn help() -> String {
    let mut text = String::from(
        "Settings of zester: environment variables such as ZESTER_BOUNDS=4,-,-, or flags such as --zester_bounds=4,-,-.\n",
    );
    for setting in &SETTINGS {
        let Setting {
            name,
            values,
            meaning,
            default,
        } = setting;
        // Links and code in Markdown.
        let meaning = meaning
            .replace("](crate::mutate::MUTATORS)", "")
            .replace("](crate::mutate::RegionMutator::operators)", "")
            .replace(['`', '['], "");
        text += &format!(
            "\n{name}={}\n    {meaning} [default: {default}]\n",
            values.join(", ")
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the table for the documentation.
    fn markdown() -> String {
        let mut text = String::from("| setting | meaning | default |\n|---|---|---|\n");
        for setting in &SETTINGS {
            let (first, others) = setting.values.split_first().expect("a setting has a value");
            let others: String = others.iter().map(|value| format!(", `{value}`")).collect();
            let default = match setting.default {
                words if words.contains(' ') || ["none", "all"].contains(&words) => words.into(),
                value => format!("`{value}`"),
            };
            text += &format!(
                "| `{}={first}`{others} | {} | {default} |\n",
                setting.name, setting.meaning
            );
        }
        text
    }

    /// The documentation is a file, which `ZESTER_UPDATE=1 cargo test` writes again.
    #[test]
    fn the_documentation_has_the_table() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/hooks/settings/table.md");
        if std::env::var_os("ZESTER_UPDATE").is_some() {
            std::fs::write(path, markdown()).unwrap();
        }
        assert_eq!(std::fs::read_to_string(path).unwrap(), markdown());
    }

    #[test]
    fn the_table_is_sorted_and_has_its_help() {
        assert!(SETTINGS.is_sorted_by_key(|setting| setting.name));
        let help = help();
        for setting in &SETTINGS {
            assert!(help.contains(&format!("\n{}=", setting.name)), "{help}");
        }
        assert!(!help.contains('`') && !help.contains("crate::"), "{help}");
    }
}
