//! `zester generate`.

use super::*;

#[test]
fn generate_repeats_itself() {
    let sentences = |seed| {
        zester(
            &[
                "generate",
                "grammars/expr.ebnf",
                "-n",
                "2000",
                "--seed",
                seed,
            ],
            b"",
        )
        .stdout
    };
    assert_eq!(sentences("7"), sentences("7"));
    assert_ne!(sentences("7"), sentences("8"));
}

/// Returns the grammars of the repository, each with its number of alternatives.
pub fn shipped() -> Vec<(String, u32)> {
    let files = std::fs::read_dir(Path::new(ROOT).join("grammars")).unwrap();
    let alternatives = |file: &str| {
        let report = text(&zester(&["generate", file, "--coverage"], b"").stderr);
        report.lines().last()?.split(' ').nth(2)?.parse().ok()
    };
    files
        .map(|file| format!("grammars/{}", file.unwrap().file_name().to_string_lossy()))
        .map(|file| {
            (
                file.clone(),
                alternatives(&file).expect("a last line `1 of 9 alternatives used`"),
            )
        })
        .collect()
}

#[test]
fn generate_uses_every_alternative() {
    // There are 32 sentences for each alternative. They are so short that most alternatives do not
    // fit.
    for (file, alternatives) in shipped() {
        let count = (32 * alternatives).to_string();
        let output = zester(
            &["generate", &file, "-n", &count, "--size", "5", "--coverage"],
            b"",
        );
        assert!(output.status.success(), "{file}: {}", text(&output.stderr));
    }
    let output = zester(
        &["generate", "grammars/wgsl.ebnf", "-n", "100", "--coverage"],
        b"",
    );
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn sentences_are_as_long_as_they_should_be() {
    for (file, _) in shipped() {
        // With only 200 sentences, the 10 % quantiles of two seeds differ by a third.
        for (size, count) in [(100, 800), (1_000, 800), (3_000, 250)] {
            let arguments = [
                "generate",
                &file,
                "-n",
                &count.to_string(),
                "--size",
                &size.to_string(),
                "-0",
            ];
            let output = zester(&arguments, b"").stdout;
            let mut sentences: Vec<&[u8]> = output.split(|&byte| byte == 0).take(count).collect();
            sentences.sort_unstable_by_key(|sentence| (sentence.len(), *sentence));
            let length =
                |percent: usize| sentences[count * percent / 100].len() as f64 / f64::from(size);
            // Some grammars have start alternatives whose sentences cannot be that long. sqlite.ebnf
            // has at most 9 statements, url.ebnf one URL and three changes, and a tenth of the expressions of
            // cel.ebnf are one literal, so that this quantile is 0.03 to 0.1 (eight seeds).
            let (min_median, min_tenth) = match (&file[..], size) {
                ("grammars/sqlite.ebnf", 1_000) => (0.65, 0.3),
                ("grammars/sqlite.ebnf", 3_000) => (0.4, 0.1),
                ("grammars/sql.ebnf", 1_000) => (0.75, 0.3),
                ("grammars/url.ebnf", 100) => (0.5, 0.3),
                ("grammars/url.ebnf", _) => (0.02, 0.01),
                ("grammars/cel.ebnf", 3_000) => (0.8, 0.02),
                ("grammars/cel.ebnf", 300 | 1_000) => (0.8, 0.1),
                (_, 3_000) => (0.6, 0.1),
                _ => (0.8, 0.3),
            };
            let right = (min_median..1.25).contains(&length(50)) && length(10) > min_tenth;
            assert!(
                right,
                "{file}, {size}: median {}, 10 % quantile {}",
                length(50),
                length(10)
            );
            sentences.dedup();
            assert!(
                4 * sentences.len() > 3 * count,
                "{file}, {size}: {} sentences",
                sentences.len()
            );
        }
    }
}

#[test]
fn sizes_are_a_list() {
    let generated = |sizes: &[&str]| {
        let arguments = [
            "generate",
            "grammars/json.ebnf",
            "-n",
            "400",
            "-0",
            "--seed",
            "1",
        ];
        let output = zester(&[&arguments[..], sizes].concat(), b"");
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        output.stdout
    };
    let list = generated(&["--size", "20,640"]);
    assert_eq!(list, generated(&["--size", "20", "--size", "640"]));
    let lengths = list.split(|&byte| byte == 0).map(<[u8]>::len);
    let large = lengths.filter(|&length| length > 100).count();
    assert!((120..=210).contains(&large), "{large}");
}

#[test]
fn sizes_are_log_uniform() {
    let output = zester(&["generate", "grammars/json.ebnf", "-n", "4000", "-0"], b"");
    let lengths: Vec<usize> = output
        .stdout
        .split(|&byte| byte == 0)
        .map(<[u8]>::len)
        .collect();
    let share = |from: usize, to: usize| {
        lengths
            .iter()
            .filter(|&&length| from <= length && length < to)
            .count() as f64
            / 4_000.0
    };
    // Each of four ranges of a factor of 8 should have a quarter of the lengths.
    for (from, to) in [(0, 8), (8, 64), (64, 512), (512, 8_192)] {
        assert!(
            (0.1..0.45).contains(&share(from, to)),
            "{from}..{to}: {}",
            share(from, to)
        );
    }
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
    assert_eq!(
        (output.status.code(), text(&output.stderr).as_str()),
        (Some(0), "")
    );
}

#[test]
fn sizes_that_take_too_much_memory_are_refused() {
    let size = ["--max-bytes", "1073741824", "--size", "67108865"];
    let output = zester(
        &[&["generate", "grammars/expr.ebnf"], &size[..]].concat(),
        b"",
    );
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2));
    assert!(said.contains("67108865 is not in 0..=67108864"), "{said}");
}
