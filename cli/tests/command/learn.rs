//! `zester learn` and `zester explain`.

use super::*;

#[test]
fn weights_are_learned_merged_explained_and_drawn_by() {
    let directory = directory("learn");
    let path = |name: &str| directory.join(name).to_string_lossy().into_owned();
    std::fs::write(
        path("grammar.ebnf"),
        "all = letter* ; letter = \"a\" | \"b\" | \"c\" ;",
    )
    .unwrap();
    for (name, sample) in [
        ("one", "aaab"),
        ("two", "aaaa"),
        ("bad", "a?b"),
        ("empty", ""),
    ] {
        std::fs::write(path(name), sample).unwrap();
    }
    let grammar = path("grammar.ebnf");
    let run =
        |arguments: &[&str]| zester(&[&[arguments[0], &grammar], &arguments[1..]].concat(), b"");
    let output = run(&["learn", &path("one"), &path("bad"), "-o", &path("first")]);
    assert!(output.status.success());
    let said = text(&output.stderr);
    assert!(
        said.contains("learned from 1 of 2 samples") && said.contains("bad:1:2: unexpected \"?\""),
        "{said}"
    );
    assert!(
        run(&[
            "learn",
            &path("two"),
            "--merge",
            &path("first"),
            "-o",
            &path("both")
        ])
        .status
        .success()
    );
    let both = run(&["learn", &path("one"), &path("two")]).stdout;
    assert_eq!(text(&both), std::fs::read_to_string(path("both")).unwrap());
    let explained = |more: &[&str]| {
        let output = run(&[&["explain", &path("both")], more].concat());
        assert!(output.status.success(), "{}", text(&output.stderr));
        text(&output.stdout)
    };
    assert!(explained(&[]).contains("87.50 %"), "{}", explained(&[]));
    assert!(explained(&["--invert", "--html", &path("page.html")]).contains("100.00 %"));
    assert!(
        std::fs::read_to_string(path("page.html"))
            .unwrap()
            .contains("letter")
    );
    // Both samples have the length 4. Inverted weights give any other length.
    let drawn = |more: &[&str]| {
        text(&run(&[&["generate", "--weights", &path("both"), "-n", "50"], more].concat()).stdout)
    };
    assert!(
        drawn(&[])
            .lines()
            .all(|line| line.len() == 4 && !line.contains('c')),
        "{}",
        drawn(&[])
    );
    assert!(
        drawn(&["--invert"])
            .lines()
            .all(|line| line.len() < 6 && line.len() != 4 && line.bytes().all(|byte| byte == b'c'))
    );
    assert_eq!(drawn(&["--seed", "4"]), drawn(&["--seed", "4"]));
    // Samples may be parameters.
    let output = run(&["encode", &path("one"), &path("two"), "-o", &path("corpus")]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_eq!(run(&["learn", &path("corpus")]).stdout, both);
    for (arguments, says) in [
        (
            &["learn", &path("bad"), "-o", &path("none")][..],
            "there is no sample to learn from",
        ),
        (&["learn", &path("missing")], "missing: "),
        (
            &["learn", &path("one"), "-o", &path("missing/weights")],
            "missing/weights: ",
        ),
        (
            &["generate", "--weights", &path("one")],
            "one: this is not a weights file",
        ),
        (&["generate", "--invert"], "need --weights"),
        (&["generate", "--expansions", "9"], "need --weights"),
        (
            &["generate", "--weights", &path("both"), "--damping", "2"],
            "from 0 to 1",
        ),
        (
            &["explain", &path("empty")],
            "empty: this is not a weights file",
        ),
    ] {
        let output = run(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(
            text(&output.stderr).contains(says),
            "{arguments:?}: {}",
            text(&output.stderr)
        );
    }
    assert!(!directory.join("none").exists());
    let output = zester(&["explain", "grammars/json.ebnf", &path("both")], b"");
    assert!(text(&output.stderr).contains("another grammar"));
}

#[test]
fn merged_weights_determine_the_context() {
    let directory = directory("learn-context");
    let path = |name: &str| directory.join(name).to_string_lossy().into_owned();
    std::fs::write(
        path("grammar.ebnf"),
        "all = letter* ; letter = \"a\" | \"b\" ;",
    )
    .unwrap();
    std::fs::write(path("one"), "aab").unwrap();
    std::fs::write(path("two"), "ba").unwrap();
    let learn = |arguments: &[&str]| {
        zester(
            &[&["learn", &path("grammar.ebnf")], arguments].concat(),
            b"",
        )
    };
    for (sample, context, weights) in [("one", "2", "one-2"), ("two", "0", "two-0")] {
        assert!(
            learn(&[&path(sample), "--context", context, "-o", &path(weights)])
                .status
                .success()
        );
    }
    let both = learn(&[&path("one"), &path("two"), "--context", "2"]);
    for option in [&[][..], &["--context", "2"]] {
        let merged = learn(&[&[path("two").as_str(), "--merge", &path("one-2")], option].concat());
        assert_eq!(
            text(&merged.stdout),
            text(&both.stdout),
            "{}",
            text(&merged.stderr)
        );
    }
    for (arguments, message) in [
        (
            &[&path("two"), "--context", "1"][..],
            "one-2: was learned with --context 2; leave out --context 1, or learn it again",
        ),
        (
            &["--context", "0"],
            "one-2: was learned with --context 2; leave out --context 0, or learn it again",
        ),
        (
            &["--merge", &path("two-0")],
            "two-0: was learned with --context 0, but ",
        ),
    ] {
        let output = learn(&[&["--merge", &path("one-2")], arguments].concat());
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(
            text(&output.stderr).contains(message),
            "{arguments:?}: {}",
            text(&output.stderr)
        );
    }
}

#[test]
fn an_exclusion_is_explained_as_one_token() {
    let directory = directory("exclusion");
    let path = |name: &str| directory.join(name).to_str().unwrap().to_string();
    std::fs::write(
        path("g.ebnf"),
        "s = name* ; @token name = ( [a-z]+ \";\" ) - ( \"let;\" | \"in;\" ) ;",
    )
    .unwrap();
    std::fs::write(path("sample"), "lets;ab;").unwrap();
    let output = zester(
        &["learn", &path("g.ebnf"), &path("sample"), "-o", &path("w")],
        b"",
    );
    assert!(output.status.success(), "{}", text(&output.stderr));
    let explained = text(&zester(&["explain", &path("g.ebnf"), &path("w")], b"").stdout);
    assert!(
        explained.contains("\nname (2 times)\n")
            && explained.contains("a text that the exclusion allows"),
        "{explained}"
    );
    assert!(!explained.contains("name/"), "{explained}");
}

#[test]
fn an_alternative_that_types_forbid_is_not_one_that_samples_never_chose() {
    let directory = directory("explain-types");
    let path = |name: &str| directory.join(name).to_string_lossy().into_owned();
    let rules =
        "@domain type = int | bool ; @kind variable<type>: name ; @identifier name = [a-z] ;
        s = item* ; item = \"let \" @declare variable<t> type<t> | value<int> | value<bool> ;
        type<int> = \":int;\" ; type<bool> = \":bool;\" ;
        value<t: type> = @use variable<t> \";\" ; value<int> = \"0;\" ; value<bool> = \"1;\" ;";
    std::fs::write(path("grammar"), rules).unwrap();
    std::fs::write(path("text"), "let a:int;let b:bool;0;a;1;b;c;").unwrap();
    let (grammar, weights) = (path("grammar"), path("weights"));
    zester(&["learn", &grammar, &path("text"), "-o", &weights], b"");
    let output = zester(
        &["explain", &grammar, &weights, "--html", &path("page")],
        b"",
    );
    let page = std::fs::read_to_string(path("page")).unwrap();
    for text in [text(&output.stdout), page] {
        assert!(text.contains("9 common (100.0 %)"), "{text}");
    }
}
