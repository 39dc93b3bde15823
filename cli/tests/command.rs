//! The `zester` command, as a user runs it.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The repository: paths in the tests' commands begin here.
const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

fn zester(arguments: &[&str], input: &[u8]) -> Output {
    use std::io::Write;
    let mut child = Command::new(env!("CARGO_BIN_EXE_zester"))
        .args(arguments)
        .current_dir(ROOT)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let _ = child.stdin.take().unwrap().write_all(input);
    child.wait_with_output().unwrap()
}

fn directory(name: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&directory);
    std::fs::create_dir_all(&directory).unwrap();
    directory
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn check_tells_facts_and_mistakes() {
    let output = zester(&["check", "grammars/json.ebnf"], b"");
    assert!(output.status.success() && text(&output.stdout).contains("shortest sentence"));
    let output = zester(&["check", "-"], b"a = b ;");
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).starts_with("-:1:5: error: undefined rule `b`"), "{}", text(&output.stderr));
    let output = zester(&["check", "missing.ebnf"], b"");
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).starts_with("zester: missing.ebnf: "), "{}", text(&output.stderr));
    assert_eq!(zester(&["chekc"], b"").status.code(), Some(2));
}

#[test]
fn generate_repeats_itself() {
    let sentences = |seed| zester(&["generate", "grammars/expr.ebnf", "-n", "2000", "--seed", seed], b"").stdout;
    assert_eq!(sentences("7"), sentences("7"));
    assert_ne!(sentences("7"), sentences("8"));
}

/// The grammars that ship, and how many alternatives each has.
fn shipped() -> Vec<(String, u32)> {
    let files = std::fs::read_dir(Path::new(ROOT).join("grammars")).unwrap();
    let alternatives = |file: &str| {
        let report = text(&zester(&["generate", file, "--coverage"], b"").stderr);
        report.lines().last()?.split(' ').nth(2)?.parse().ok()
    };
    files
        .map(|file| format!("grammars/{}", file.unwrap().file_name().to_string_lossy()))
        .map(|file| (file.clone(), alternatives(&file).expect("a last line `1 of 9 alternatives used`")))
        .collect()
}

#[test]
fn generate_uses_every_alternative() {
    // Sentences so short that most alternatives do not fit, 32 for each alternative.
    for (file, alternatives) in shipped() {
        let count = (32 * alternatives).to_string();
        let output = zester(&["generate", &file, "-n", &count, "--size", "5", "--coverage"], b"");
        assert!(output.status.success(), "{file}: {}", text(&output.stderr));
    }
    let output = zester(&["generate", "grammars/wgsl.ebnf", "-n", "100", "--coverage"], b"");
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn sentences_are_as_long_as_they_should_be() {
    for (file, _) in shipped() {
        for size in [100, 300, 1_000, 3_000] {
            let output = zester(&["generate", &file, "-n", "200", "--size", &size.to_string(), "-0"], b"").stdout;
            let mut sentences: Vec<&[u8]> = output.split(|&byte| byte == 0).take(200).collect();
            sentences.sort_unstable_by_key(|sentence| (sentence.len(), *sentence));
            let part = |at: usize| sentences[at].len() as f64 / f64::from(size);
            // Of some grammars not all sentences can become as long as that.
            let (median, fifth) = if size > 1_000 { (0.6, 0.1) } else { (0.8, 0.4) };
            let right = (median..1.25).contains(&part(100)) && part(20) > fifth;
            assert!(right, "{file}, {size}: {}, {}", part(100), part(20));
            sentences.dedup();
            assert!(sentences.len() > 150, "{file}, {size}: {} sentences", sentences.len());
        }
    }
}

#[test]
fn sizes_are_log_uniform() {
    let output = zester(&["generate", "grammars/json.ebnf", "-n", "4000", "-0"], b"");
    let lengths: Vec<usize> = output.stdout.split(|&byte| byte == 0).map(<[u8]>::len).collect();
    let share = |from: usize, to: usize| lengths.iter().filter(|&&length| from <= length && length < to).count() as f64 / 4_000.0;
    // Four bands of a factor of 8 should hold a quarter each.
    for (from, to) in [(0, 8), (8, 64), (64, 512), (512, 8_192)] {
        assert!((0.1..0.45).contains(&share(from, to)), "{from}..{to}: {}", share(from, to));
    }
}

#[test]
fn parameters_decode_to_what_was_generated() {
    let (parameters, texts) = (directory("parameters"), directory("texts"));
    let (from, to) = (parameters.to_str().unwrap(), texts.to_str().unwrap());
    let common = ["generate", "grammars/wgsl.ebnf", "-n", "20", "--seed", "3"];
    assert!(zester(&[&common[..], &["-o", from, "--parameters"]].concat(), b"").status.success());
    assert!(zester(&["decode", "grammars/wgsl.ebnf", from, "-o", to], b"").status.success());
    let generated = zester(&[&common[..], &["-0"]].concat(), b"").stdout;
    for (number, sentence) in generated.split(|&byte| byte == 0).take(20).enumerate() {
        assert_eq!(text(&std::fs::read(texts.join(format!("{number:02}.wgsl"))).unwrap()), text(sentence));
    }
}

#[test]
fn decode_takes_anything() {
    let work = directory("anything");
    for (name, bytes) in [("empty", vec![]), ("junk", vec![0xFF; 1_000]), ("large", vec![0x11; 20 << 20])] {
        std::fs::write(work.join(name), bytes).unwrap();
    }
    let output = zester(&["decode", "grammars/json.ebnf", work.to_str().unwrap()], b"");
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_eq!(zester(&["decode", "grammars/json.ebnf", "missing"], b"").status.code(), Some(2));
    assert_eq!(text(&zester(&["decode", "grammars/json.ebnf", "-"], b"").stdout), "0\n");
}

#[test]
fn no_other_program_is_run_for_a_target() {
    let work = directory("no-target");
    std::fs::write(work.join("kept"), "x").unwrap();
    let output = zester(&["decode", "/bin/rm", work.join("kept").to_str().unwrap()], b"");
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("neither a grammar nor a fuzz target"), "{}", text(&output.stderr));
    assert!(work.join("kept").exists());
}

#[test]
fn show_prints_the_tree_with_spans() {
    let output = zester(&["show", "grammars/expr.ebnf", "-"], &[1, 0, 1]);
    let text = text(&output.stdout);
    assert!(text.contains("0..") && text.contains("sentence"), "{text}");
    assert!(text.contains("statement #1") || text.contains("statement #2"), "{text}");
}

#[test]
fn a_closed_pipe_is_no_error() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_zester"))
        .args(["generate", "grammars/json.ebnf", "-n", "100000"])
        .current_dir(ROOT)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), text(&output.stderr).as_str()), (Some(0), ""));
}

#[test]
fn a_corpus_knows_its_grammar() {
    let corpus = directory("marked");
    let path = corpus.to_str().unwrap();
    let output = zester(&["generate", "grammars/json.ebnf", "-n", "3", "-o", path, "--parameters"], b"");
    assert!(output.status.success(), "{}", text(&output.stderr));
    let output = zester(&["decode", "grammars/json.ebnf", path], b"");
    assert_eq!((text(&output.stderr).as_str(), text(&output.stdout).lines().count() >= 3), ("", true));
    for command in ["decode", "coverage"] {
        let output = zester(&[command, "grammars/expr.ebnf", path], b"");
        assert!(text(&output.stderr).contains("another grammar"), "{command}: {}", text(&output.stderr));
    }
}

#[test]
fn coverage_counts_and_lists() {
    let corpus = directory("covered");
    std::fs::write(corpus.join("null"), [6]).unwrap();
    let path = corpus.to_str().unwrap();
    let output = text(&zester(&["coverage", "grammars/json.ebnf", path, "--pairs"], b"").stdout);
    assert!(output.starts_with("1 files\nalternatives  "), "{output}");
    assert!(output.contains("never used:\n") && output.contains("pairs never used:\n"), "{output}");
    let json = zester(&["coverage", "grammars/json.ebnf", path, "--json"], b"").stdout;
    let json: serde_json::Value = serde_json::from_slice(&json).unwrap();
    assert_eq!(json["alternatives"]["all"], 44);
    assert!(json["pairs"]["used"].as_u64() < json["pairs"]["all"].as_u64(), "{json}");
    assert_eq!(zester(&["coverage", "grammars/json.ebnf", "missing"], b"").status.code(), Some(2));
}

#[test]
fn a_dictionary_is_what_libfuzzer_reads() {
    let source = r#"@bytes ; a = "say \"hi\"" | "\\" | "\xFF\n" | "say \"hi\"" | "select"i ;"#;
    let output = zester(&["dict", "-"], source.as_bytes());
    let lines: Vec<String> = text(&output.stdout).lines().skip(1).map(String::from).collect();
    assert_eq!(lines, [r#""say \"hi\"""#, r#""\\""#, r#""\xFF\x0A""#, r#""select""#], "{}", text(&output.stderr));
}

#[test]
fn new_makes_a_target_and_overwrites_nothing() {
    let crate_directory = directory("crate");
    let path = crate_directory.to_str().unwrap();
    let output = zester(&["new", "first", "--in", path], b"");
    assert_eq!(output.status.code(), Some(2), "no crate yet: {}", text(&output.stderr));
    std::fs::create_dir_all(crate_directory.join("src")).unwrap();
    std::fs::write(crate_directory.join("src/lib.rs"), "").unwrap();
    std::fs::write(crate_directory.join("Cargo.toml"), "[package]\nname = \"some-crate\"\nversion = \"1.0.0\"\n").unwrap();
    let read = |file: &str| std::fs::read_to_string(crate_directory.join(file)).unwrap();
    let output = zester(&["new", "first", "--in", path], b"");
    assert!(output.status.success() && text(&output.stdout).contains("cargo fuzz run"), "{}", text(&output.stderr));
    assert!(read("fuzz/fuzz_targets/first.rs").contains("some_crate::parse(text)"));
    assert_eq!(read("fuzz/grammars/first.ebnf"), std::fs::read_to_string("grammars/expr.ebnf").unwrap());
    std::fs::write(crate_directory.join("fuzz/fuzz_targets/first.rs"), "mine").unwrap();
    let manifest = read("fuzz/Cargo.toml");
    let output = zester(&["new", "first", "--in", path], b"");
    assert_eq!(output.status.code(), Some(2));
    assert_eq!((read("fuzz/fuzz_targets/first.rs").as_str(), read("fuzz/Cargo.toml")), ("mine", manifest.clone()));
    assert!(zester(&["new", "second", "--template", "json", "--in", path], b"").status.success());
    assert!(read("fuzz/Cargo.toml").starts_with(&manifest), "what was there stays: {}", read("fuzz/Cargo.toml"));
    // A wrong grammar, a wrong name, a wrong template: nothing is made.
    std::fs::write(crate_directory.join("wrong.ebnf"), "a = b ;").unwrap();
    let wrong = crate_directory.join("wrong.ebnf");
    assert_eq!(zester(&["new", "third", "--in", path, "--grammar", wrong.to_str().unwrap()], b"").status.code(), Some(1));
    assert_eq!(zester(&["new", "../third", "--in", path], b"").status.code(), Some(2));
    assert_eq!(zester(&["new", "third", "--in", path, "--template", "latin"], b"").status.code(), Some(2));
    assert!(!crate_directory.join("fuzz/fuzz_targets/third.rs").exists());
}

#[cfg(unix)]
#[test]
fn reduce_asks_a_command_and_keeps_what_it_has() {
    let directory = directory("reduce");
    let artifact = directory.join("crash-1");
    // The longest of some sentences.
    let corpus = directory.join("corpus");
    zester(&["generate", "grammars/json.ebnf", "-n", "20", "--size", "200", "--parameters", "-o", corpus.to_str().unwrap()], b"");
    let files = std::fs::read_dir(&corpus).unwrap().map(|entry| entry.unwrap().path());
    let longest = files.filter(|path| path.is_file()).max_by_key(|path| path.metadata().unwrap().len()).unwrap();
    std::fs::rename(longest, &artifact).unwrap();
    let reduce = |arguments: &[&str]| {
        let artifact = artifact.to_str().unwrap();
        zester(&[&["reduce", "grammars/json.ebnf", artifact][..], arguments].concat(), b"")
    };
    // By a file, by standard input, by parameters: `{}`, `[`, any byte.
    let sentence = text(&zester(&["decode", "grammars/json.ebnf", artifact.to_str().unwrap()], b"").stdout);
    let wanted = ['[', '{', '"'].into_iter().find(|&character| sentence.contains(character)).unwrap();
    let least = match wanted {
        '[' => "[]\n",
        '{' => "{}\n",
        _ => "\"\"\n",
    };
    let pattern = wanted.to_string();
    let output = reduce(&["--", "grep", "-qF", "--", &pattern, "{}"]);
    assert_eq!((text(&output.stdout).as_str(), output.status.code()), (least, Some(0)), "{}", text(&output.stderr));
    let again = text(&zester(&["decode", "grammars/json.ebnf", directory.join("crash-1.reduced").to_str().unwrap()], b"").stdout);
    assert_eq!(again, least);
    assert_eq!(text(&reduce(&["--", "grep", "-qF", "--", &pattern]).stdout), least);
    let output = reduce(&["--parameters", "--status", "failure", "--", "sh", "-c", "test ! -s {}"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    // What is not interesting at all, and what does not end.
    let output = reduce(&["--", "false"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("not interesting to begin with"), "{}", text(&output.stderr));
    assert_eq!(reduce(&["--timeout", "0.1", "--", "sleep", "100"]).status.code(), Some(2));
    assert_eq!(reduce(&["--", "/nothing/of/this/name"]).status.code(), Some(2));
    assert_eq!(std::fs::read_dir(&directory).unwrap().count(), 3, "a file is left over");
}

#[test]
fn texts_become_a_corpus_and_come_back() {
    let directory = directory("encode");
    let (texts, corpus, back) = (directory.join("texts"), directory.join("corpus"), directory.join("back"));
    std::fs::create_dir_all(texts.join("below")).unwrap();
    let right = [("a.json", "{ \"a\" : [1, 2.50, null] }\n"), ("below/b.json", "[]"), ("c", " true\t")];
    let wrong = [("d.json", "[1,\n 2 3]"), ("e.json", ""), ("f.json", "\"\u{1}\""), ("g.json", "[")];
    for (name, content) in right.iter().chain(&wrong) {
        std::fs::write(texts.join(name), content).unwrap();
    }
    std::fs::write(texts.join("again.json"), "[]").unwrap();
    std::fs::write(texts.join("noise"), [0xFF, 0, 7]).unwrap();
    let [texts, corpus, back] = [&texts, &corpus, &back].map(|path| path.to_str().unwrap());
    let output = zester(&["encode", "grammars/json.ebnf", texts, "-o", corpus], b"");
    let said = text(&output.stderr);
    assert!(output.status.success(), "{said}");
    assert!(said.contains("4 of 9 accepted (44.4 %), 1 of them the same as others"), "{said}");
    assert!(said.contains("d.json:2:4: unexpected \"3\"; expected \",\", \"]\""), "{said}");
    assert!(said.contains("e.json:1:1: unexpected end; expected"), "{said}");
    assert!(said.contains("noise:1:1: not UTF-8\n"), "{said}");
    assert!(std::fs::read_to_string(format!("{corpus}.options")).unwrap().contains("max_len = 4096"));
    let output = zester(&["decode", "grammars/json.ebnf", corpus, "-o", back], b"");
    assert!(output.status.success(), "{}", text(&output.stderr));
    for (name, content) in [("a.json", right[0].1), ("b.json", "[]"), ("c.json", right[2].1)] {
        let found = ["again.json", "b.json"].map(|name| Path::new(back).join(name));
        let path = if name == "b.json" && found[0].exists() { found[0].clone() } else { Path::new(back).join(name) };
        assert_eq!(std::fs::read_to_string(path).unwrap(), content, "{name}");
    }
    // A corpus that is there is added to; nothing of it is lost.
    let other = directory.join("a.json");
    std::fs::write(&other, "[7]").unwrap();
    for _ in 0..2 {
        assert!(zester(&["encode", "grammars/json.ebnf", other.to_str().unwrap(), "-o", corpus], b"").status.success());
    }
    let decoded = |name: &str| text(&zester(&["decode", "grammars/json.ebnf", &format!("{corpus}/{name}")], b"").stdout);
    assert_eq!(decoded("a.json"), format!("{}\n", right[0].1));
    assert_eq!(decoded("a.json-2"), "[7]\n");
    assert!(!Path::new(corpus).join("a.json-3").exists());
    // Nothing accepted: no corpus.
    let nothing = directory.join("nothing");
    let output = zester(&["encode", "grammars/json.ebnf", &format!("{texts}/*d.json"), "-o", nothing.to_str().unwrap()], b"");
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
    assert!(!nothing.exists());
    for missing in ["missing", "missing/*.json"] {
        let output = zester(&["encode", "grammars/json.ebnf", missing, "-o", nothing.to_str().unwrap()], b"");
        assert_eq!(output.status.code(), Some(2));
        assert!(text(&output.stderr).starts_with("zester: missing"), "{}", text(&output.stderr));
    }
}

#[test]
fn a_corpus_survives_a_change_of_the_grammar() {
    let directory = directory("convert");
    let path = |name: &str| directory.join(name).to_str().unwrap().to_string();
    std::fs::write(path("old.ebnf"), "a = b* ; b = \"x\" | \"y\" | \"gone\" ;").unwrap();
    std::fs::write(path("new.ebnf"), "a = ( c | b )* ; b = \"y\" | \"x\" ; c = \"z\" ;").unwrap();
    std::fs::create_dir(path("texts")).unwrap();
    for (name, content) in [("1", "xyxy"), ("2", "yy"), ("3", "xgone")] {
        std::fs::write(directory.join("texts").join(name), content).unwrap();
    }
    let run = |arguments: &[&str]| {
        let output = zester(arguments, b"");
        assert!(output.status.success(), "{}", text(&output.stderr));
        text(&output.stderr) + &text(&output.stdout)
    };
    run(&["encode", &path("old.ebnf"), &path("texts"), "-o", &path("corpus")]);
    let said = run(&["convert", &path("old.ebnf"), &path("new.ebnf"), &path("corpus"), "-o", &path("converted")]);
    assert!(said.contains("2 of 3 accepted") && said.contains("corpus/3:1:2: unexpected \"gone\""), "{said}");
    assert_eq!(run(&["decode", &path("new.ebnf"), &path("converted")]), "xyxy\nyy\n");
    let output = zester(&["convert", &path("old.ebnf"), &path("new.ebnf"), &path("corpus"), "-o", &path("corpus")], b"");
    assert_eq!(output.status.code(), Some(2), "the old corpus stays as it is");
}

#[test]
fn weights_are_learned_merged_explained_and_drawn_by() {
    let directory = directory("learn");
    let path = |name: &str| directory.join(name).to_string_lossy().into_owned();
    std::fs::write(path("grammar.ebnf"), "all = letter* ; letter = \"a\" | \"b\" | \"c\" ;").unwrap();
    for (name, sample) in [("one", "aaab"), ("two", "aaaa"), ("bad", "a?b"), ("empty", "")] {
        std::fs::write(path(name), sample).unwrap();
    }
    let grammar = path("grammar.ebnf");
    let run = |arguments: &[&str]| zester(&[&[arguments[0], &grammar], &arguments[1..]].concat(), b"");
    let output = run(&["learn", &path("one"), &path("bad"), "-o", &path("first")]);
    assert!(output.status.success());
    let said = text(&output.stderr);
    assert!(said.contains("learned from 1 of 2 samples") && said.contains("bad:1:2: unexpected \"?\""), "{said}");
    assert!(run(&["learn", &path("two"), "--merge", &path("first"), "-o", &path("both")]).status.success());
    let both = run(&["learn", &path("one"), &path("two")]).stdout;
    assert_eq!(text(&both), std::fs::read_to_string(path("both")).unwrap());
    let explained = |more: &[&str]| {
        let output = run(&[&["explain", &path("both")], more].concat());
        assert!(output.status.success(), "{}", text(&output.stderr));
        text(&output.stdout)
    };
    assert!(explained(&[]).contains("87.50 %"), "{}", explained(&[]));
    assert!(explained(&["--invert", "--html", &path("page.html")]).contains("100.00 %"));
    assert!(std::fs::read_to_string(path("page.html")).unwrap().contains("letter"));
    // Lengths were 4 and 4; inverted, any but 4.
    let drawn = |more: &[&str]| text(&run(&[&["generate", "--weights", &path("both"), "-n", "50"], more].concat()).stdout);
    assert!(drawn(&[]).lines().all(|line| line.len() == 4 && !line.contains('c')), "{}", drawn(&[]));
    assert!(drawn(&["--invert"]).lines().all(|line| line.len() < 6 && line.len() != 4 && line.bytes().all(|byte| byte == b'c')));
    assert_eq!(drawn(&["--seed", "4"]), drawn(&["--seed", "4"]));
    // Parameters are samples, too.
    let output = run(&["encode", &path("one"), &path("two"), "-o", &path("corpus")]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_eq!(run(&["learn", &path("corpus")]).stdout, both);
    for (arguments, says) in [
        (&["learn", &path("bad"), "-o", &path("none")][..], "there is no sample to learn from"),
        (&["learn", &path("missing")], "missing: "),
        (&["learn", &path("one"), "-o", &path("missing/weights")], "missing/weights: "),
        (&["generate", "--weights", &path("one")], "one: no JSON"),
        (&["generate", "--invert"], "need --weights"),
        (&["generate", "--weights", &path("both"), "--damping", "2"], "from 0 to 1"),
        (&["explain", &path("empty")], "empty: no JSON"),
    ] {
        let output = run(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(text(&output.stderr).contains(says), "{arguments:?}: {}", text(&output.stderr));
    }
    assert!(!directory.join("none").exists());
    let output = zester(&["explain", "grammars/json.ebnf", &path("both")], b"");
    assert!(text(&output.stderr).contains("another grammar"));
}
