//! `zester suite` and `zester conform`.

use super::*;

/// Writes a grammar of sums without zeroes at the beginning of numbers.
fn sums(directory: &Path) -> String {
    let grammar = directory.join("sums.ebnf");
    let source =
        r#"@skip blank = " " ; sum = number ( "+" number )* ; @token number = [1-9] [0-9]* ;"#;
    std::fs::write(&grammar, source).unwrap();
    grammar.to_str().unwrap().into()
}

fn json(path: &Path) -> serde_json::Value {
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

#[test]
fn suites_are_directories_with_a_description() {
    let directory = directory("suite");
    let (grammar, positive, negative) = (
        sums(&directory),
        directory.join("positive"),
        directory.join("negative"),
    );
    let output = zester(&["suite", &grammar, "-o", positive.to_str().unwrap()], b"");
    assert_eq!(
        text(&output.stdout),
        "3 sentences, 9 bytes; 5 obligations, all of them covered\n",
        "{}",
        text(&output.stderr)
    );
    assert_eq!(std::fs::read(positive.join("3.sums")).unwrap(), b"1+1+1");
    let suite = json(&positive.join("suite.json"));
    assert_eq!(
        (&suite["version"], &suite["files"][0]["outcome"]),
        (&1.into(), &"valid".into())
    );

    let output = zester(
        &[
            "suite",
            &grammar,
            "--negative",
            "-o",
            negative.to_str().unwrap(),
        ],
        b"",
    );
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let suite = json(&negative.join("suite.json"));
    let files = suite["files"].as_array().unwrap();
    let of = |wanted: &str| {
        let is_wanted = |file: &&serde_json::Value| {
            std::fs::read(negative.join(file["file"].as_str().unwrap())).unwrap()
                == wanted.as_bytes()
        };
        files
            .iter()
            .find(is_wanted)
            .unwrap_or_else(|| panic!("{wanted}: {suite}"))
    };
    let twice = of("1 + +");
    assert_eq!(
        (&twice["outcome"], &twice["byte"], &twice["column"]),
        (&"invalid".into(), &4.into(), &5.into())
    );
    assert_eq!(twice["expected"], serde_json::json!(["number"]));
    assert_eq!(of("1 1")["rule"], "sum");

    let output = zester(&["suite", &grammar, "-o", positive.to_str().unwrap()], b"");
    assert!(
        output.status.code() == Some(2) && text(&output.stderr).contains("is there already"),
        "{}",
        text(&output.stderr)
    );
    for (criterion, message) in [
        ("rul", "no criterion `rul`"),
        ("step", "needs a number"),
        ("rule:2", "takes no number"),
    ] {
        let output = zester(&["suite", &grammar, "-c", criterion], b"");
        assert!(
            output.status.code() == Some(2) && text(&output.stderr).contains(message),
            "{}",
            text(&output.stderr)
        );
    }
}

#[test]
fn equal_commands_make_equal_suites() {
    let directory = directory("suite-equal");
    let grammar = sums(&directory);
    for more in [
        &["-c", "random:breadth", "-n", "20"][..],
        &["--negative", "--order", "2", "-n", "20"],
        &["--pack"],
    ] {
        let make = |name: &str| {
            let suite = directory.join(name);
            let _ = std::fs::remove_dir_all(&suite);
            let arguments = [
                &["suite", &grammar, "-o", suite.to_str().unwrap()][..],
                more,
            ]
            .concat();
            assert_eq!(zester(&arguments, b"").status.code(), Some(0));
            let mut files: Vec<(PathBuf, Vec<u8>)> = Vec::new();
            for entry in std::fs::read_dir(&suite).unwrap() {
                let path = entry.unwrap().path();
                files.push((
                    path.strip_prefix(&suite).unwrap().into(),
                    std::fs::read(&path).unwrap(),
                ));
            }
            files.sort();
            files
        };
        assert_eq!(make("one"), make("other"), "{more:?}");
    }
}

#[test]
fn conform_lists_differences() {
    let directory = directory("conform");
    let grammar = sums(&directory);
    // This parser refuses sums of three numbers, and accepts numbers without `+` between them.
    let script = "! grep -q '+.*+' $1 && grep -qE '^[1-9][0-9]*( *\\+? *[1-9][0-9]*)*$' $1 || { echo $1:1:1: wrong; exit 1; }";
    let page = directory.join("page.html");
    let output = zester(
        &[
            "conform",
            "sh",
            &grammar,
            "--html",
            page.to_str().unwrap(),
            "--",
            "-c",
            script,
            "sh",
        ],
        b"",
    );
    let (found, page) = (text(&output.stdout), std::fs::read_to_string(page).unwrap());
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    for part in [
        "sentences that the program refuses\n\n  sum: ",
        "    1+10+1\n",
        "texts outside of the language that the program accepts",
        "    1 1\n",
    ] {
        assert!(found.contains(part), "{part}: {found}");
    }
    assert!(
        found.contains("errors that the program reports at another position")
            && found.contains("at 1:1, expected at 1:"),
        "{found}"
    );
    assert!(page.contains("<code>1+10+1</code>"), "{page}");

    let right = "grep -qE '^ *[1-9][0-9]*( *\\+ *[1-9][0-9]*)* *$' $1";
    let output = zester(&["conform", "sh", &grammar, "--", "-c", right, "sh"], b"");
    assert_eq!(
        (output.status.code(), text(&output.stdout).lines().last()),
        (Some(0), Some("no differences"))
    );
    let output = zester(&["conform", "/nowhere/parser", &grammar], b"");
    assert!(
        output.status.code() == Some(2) && text(&output.stderr).contains("/nowhere/parser"),
        "{}",
        text(&output.stderr)
    );
}

#[test]
fn suites_of_grammars_with_names_declare_what_they_use() {
    let directory = directory("suite-names");
    let path = |name: &str| directory.join(name).to_string_lossy().into_owned();
    let (stlc, sums) = ("grammars/stlc.ebnf", sums(&directory));
    let (positive, conform) = (path("positive"), "conform");
    for (arguments, warnings) in [
        (&[conform, "true", stlc, "--limit", "3"][..], 1),
        (&[conform, "true", &sums, "--limit", "3"], 0),
    ] {
        let said = text(&zester(arguments, b"").stderr);
        let warning = "warning: the texts ignore the names and types";
        assert_eq!(
            said.matches(warning).count(),
            warnings,
            "{arguments:?}: {said}"
        );
    }
    assert!(
        zester(&["suite", stlc, "-o", &positive], b"")
            .status
            .success()
    );
    let grammar = zester::Grammar::read(stlc, &std::fs::read(stlc).unwrap()).unwrap();
    let mut parser = zester::parse::Parser::new(&grammar);
    let mut sentences = 0;
    for file in std::fs::read_dir(&positive).unwrap() {
        let path = file.unwrap().path();
        if path.ends_with("suite.json") {
            continue;
        }
        let text = std::fs::read(&path).unwrap();
        let derivation = parser.parse(&text).unwrap();
        assert!(
            !derivation.breaks_scopes(&grammar),
            "{}",
            String::from_utf8_lossy(&text)
        );
        sentences += 1;
    }
    assert!(sentences > 10, "{sentences}");
    let said = text(&zester(&["suite", stlc, "--tokens", "ranges"], b"").stderr);
    assert!(said.contains("--tokens needs --undeclared"), "{said}");
}

#[test]
fn suites_of_names_test_checkers() {
    let directory = directory("wrong-names");
    let path = |name: &str| directory.join(name).to_string_lossy().into_owned();
    let (grammar, suite) = (path("let.ebnf"), path("suite"));
    let source = r#"
        @kind variable: name ;
        @start program = ( let | print )+ ;
        let = @after( "let " @declare variable ) "\n" ;
        print = "print " @use variable "\n" ;
        @identifier name = [a-z]+ ;
    "#;
    std::fs::write(&grammar, source).unwrap();
    let arguments = [
        "suite",
        &grammar,
        "--negative",
        "--names",
        "--limit",
        "9",
        "-o",
        &suite,
    ];
    let output = zester(&arguments, b"");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let description = std::fs::read_to_string(path("suite/suite.json")).unwrap();
    let description: serde_json::Value = serde_json::from_str(&description).unwrap();
    let files = description["files"].as_array().unwrap();
    assert!((3..10).contains(&files.len()), "{description}");
    for file in files {
        let name = file["file"].as_str().or(file["name"].as_str()).unwrap();
        assert!(file["original"].is_string() && !name.is_empty(), "{file}");
        let fault = file["fault"].as_str().unwrap();
        assert!(
            [
                "undeclared",
                "used before its declaration",
                "declared twice"
            ]
            .contains(&fault),
            "{file}"
        );
    }

    // This checker allows that a name is declared twice.
    let checker = r#"awk '$1 == "let" { known[$2] } $1 == "print" && !($2 in known) { print FILENAME ":" NR ":7: unknown"; exit 1 }' $1"#;
    let conform = ["conform", "sh", &grammar, "--names", "--limit", "60"];
    let arguments = [&conform[..], &["--", "-c", checker, "sh"]].concat();
    let output = zester(&arguments, b"");
    let found = text(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    let row = |fault: &str| {
        let line = found.lines().find(|line| line.starts_with(fault));
        let numbers = line.unwrap_or_default()[fault.len()..].split_whitespace();
        numbers
            .map(|number| number.parse().unwrap())
            .collect::<Vec<usize>>()
    };
    for (fault, is_accepted) in [
        ("undeclared", false),
        ("used before its declaration", false),
        ("declared twice", true),
    ] {
        let row = row(fault);
        let [all, accepted, refused, at_name, ..] = row[..] else {
            panic!("{fault}: {found}");
        };
        let expected = if is_accepted {
            (all, 0, 0)
        } else {
            (0, all, all)
        };
        assert!(
            all > 0 && (accepted, refused, at_name) == expected,
            "{found}"
        );
    }
    assert!(found.contains("  let, declared twice: "), "{found}");

    let sums = sums(&directory);
    for arguments in [
        &["suite", &sums, "--negative", "--names"][..],
        &["conform", "true", &sums, "--names"],
    ] {
        let output = zester(arguments, b"");
        let said = text(&output.stderr);
        assert!(
            output.status.code() == Some(2) && said.contains("declares no names"),
            "{said}"
        );
    }
}
