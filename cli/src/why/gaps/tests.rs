//! Tests of the comparison of files with the sentences of a grammar.

use std::collections::BTreeSet;

use zester::bounds::Caps;
use zester::notation;

use super::items::ItemKind;
use super::{FileCounts, Gaps, Survey};
use crate::document::Document;
use crate::problem::Problem;
use crate::why::checker;
use crate::why::damage::SIZES;
use crate::why::diagnosis::Diagnosis;
use crate::why::locations::Source;
use crate::why::page::Page;
use crate::why::parts::Parts;
use crate::why::trial::{Judge, Judgement, Judgements, Trial, generated};

/// Compares files with sentences of a grammar. Returns the result, its text, its JSON and its HTML.
fn surveyed(source: &str, files: &[&str], judge: Judge<'_>) -> (Gaps, [String; 3]) {
    let (grammar, _) = notation::read("g.ebnf", source.as_bytes(), &Caps::default())
        .unwrap_or_else(|report| panic!("{report}"));
    let parts = Parts::new(&grammar);
    let answered = |result: Result<_, Problem>| match result {
        Ok(value) => value,
        Err(_) => panic!("the checker always answers"),
    };
    let inputs = generated(&grammar, 600, 1, &SIZES);
    let trial = Trial::run(&parts, &grammar, inputs, 0, judge);
    let Ok(trial) = trial else {
        panic!("the checker always answers");
    };
    let mut survey = Survey::new(&trial, &parts);
    for (number, text) in files.iter().enumerate() {
        answered(survey.add(&format!("{number}.txt"), text.as_bytes(), judge));
    }
    let gaps = survey.finish(None);
    let diagnosis = Diagnosis::without_groups(&trial);
    let page = Page {
        source: &Source {
            name: "g.ebnf".into(),
            text: source,
        },
        parts: &parts,
        diagnosis: &diagnosis,
    };
    let shown = [
        page.text() + &gaps.text(&page),
        gaps.json(&page).to_string(),
        Document::new("", super::html(&gaps, &page)).html(),
    ];
    (gaps, shown)
}

#[test]
fn missing_constructs_come_first_with_their_rules_and_lines() {
    let whole = include_str!("../damage.ebnf");
    let source = whole
        .replace(
            "repetition = \"while\" expression<bool> @scope( @declare loop block ) ;",
            "repetition = \"while\" expression<bool> @scope( @declare loop \"{\" \"}\" ) ;",
        )
        .replace(" | length ;", " ;")
        .replace("length = \"len\" \"(\" expression<str> \")\" ;", "");
    let files = [
        "print 1;\nwhile true { print 2; }\n",
        "let a : bool = true;\nlet b : int = 2; while a { let c : int = (b + 1); set b = c; break; }",
        "print len(\"a\");",
        "print (len(\"ab\") * 2), len(\"\");",
        "print 1, true;",
        "print 1, unknown;",
        "print )",
    ];
    let mut judge = |texts: &[Vec<u8>]| Ok(checker::judge(texts));
    let (gaps, [text, json, html]) = surveyed(&source, &files, &mut judge);
    let titles: Vec<String> = gaps.constructs.iter().map(Gaps::title).collect();
    assert_eq!(gaps.counts.parsed, 1, "{text}");
    assert_eq!(
        (gaps.counts.refused, gaps.counts.rejected),
        (4, 2),
        "{text}"
    );
    let of_loops = gaps
        .constructs
        .iter()
        .find(|construct| Gaps::title(construct) == "in repetition: found \"print\"")
        .unwrap_or_else(|| panic!("{titles:?}"));
    assert_eq!(of_loops.expected, ["\"}\""]);
    assert_eq!(of_loops.example.location(), "0.txt:2:14");
    assert_eq!(of_loops.example.before, "while true { ");
    let unknown = "found \"len\", which is no token of the grammar";
    assert!(
        gaps.constructs
            .iter()
            .any(|construct| Gaps::title(construct) == unknown && construct.files == 2),
        "{titles:?}"
    );
    for page in [&text, &json, &html] {
        assert!(page.contains("repetition"), "{page}");
    }
}

/// A language of calls in which some functions are built in.
const CALLS: &str = r#"
@skip blank = " " ;
s = ( call ";" )+ ;
call = name "(" ( value ( "," value )* )? ")" ;
value = call | number | list | "yes" ;
list = "[" number* "]" ;
@token name = [a-z] [a-z]{0,9} ;
@token number = [1-9] [0-9]? ;
"#;

/// Accepts what has only known features. Each character and each feature is an edge.
fn features(texts: &[Vec<u8>]) -> Result<Judgements, Problem> {
    let mut judgements = Judgements::default();
    for text in texts {
        let text = String::from_utf8_lossy(text);
        judgements.all.push(Judgement::Valid);
        let edges: BTreeSet<u32> = ["sqrt", "[[", "[f", "now", "yes", "]", ","]
            .iter()
            .zip(0..)
            .filter(|(word, _)| text.contains(**word))
            .flat_map(|(_, edge)| (0..4).map(move |more| 10 * edge + more))
            .collect();
        judgements.valid_edges.extend(edges);
    }
    Ok(judgements)
}

#[test]
fn built_in_words_and_refused_constructs_come_first() {
    let files = [
        "sqrt(1);",
        "a(sqrt(2, 3));",
        "b(sqrt(c(4)));",
        "longer(c(5));",
        "d(longer(6));",
        "e([[1] 2]);",
        "e([f]);",
        "e([g]);",
    ];
    let (gaps, [text, json, _]) = surveyed(CALLS, &files, &mut features);
    assert_eq!(
        gaps.counts,
        FileCounts {
            parsed: 5,
            refused: 3,
            edges: 4,
            refused_edges: 8,
            ..FileCounts::default()
        },
        "{text}"
    );
    let first = &gaps.items[0];
    assert_eq!(first.kind, ItemKind::Text("name".into(), b"sqrt".to_vec()));
    assert_eq!((first.worth, first.files, first.edges), (4.0, 3, 4));
    assert_eq!(&*first.example, "0.txt");
    let titles: Vec<String> = gaps.constructs.iter().map(Gaps::title).collect();
    assert_eq!(
        titles,
        ["in list: found a name", "in list: found \"[\""],
        "{text}"
    );
    assert_eq!(gaps.constructs[0].expected, ["\"]\"", "number"]);
    assert_eq!(
        gaps.constructs[0].texts,
        [("f".to_string(), 1), ("g".to_string(), 1)]
    );
    assert!(text.contains("`sqrt` (name)"), "{text}");
    assert!(json.contains("\"text\":\"sqrt\""), "{json}");
}

#[test]
fn parts_that_no_valid_sentence_has_are_items() {
    // The alternative with the long word is not valid in short sentences.
    let source = r#"s = "a" | "b" | "x" t ; t = "y" | "z" ;"#;
    let mut judge = |texts: &[Vec<u8>]| {
        let mut judgements = Judgements::default();
        // Generated sentences are more than one text. With an "x", they are rejected.
        for text in texts {
            judgements
                .all
                .push(match text[0] == b'x' && texts.len() > 1 {
                    true => Judgement::Rejected("x".into()),
                    false => Judgement::Valid,
                });
            if judgements.all.last() == Some(&Judgement::Valid) {
                judgements.valid_edges.insert(text[0].into());
            }
        }
        Ok(judgements)
    };
    let (gaps, [text, ..]) = surveyed(source, &["xy", "xz", "a"], &mut judge);
    let first = &gaps.items[0];
    assert!(matches!(first.kind, ItemKind::Part(_)), "{text}");
    assert_eq!((first.edges, first.files, first.alike), (1, 2, 1));
    assert!(first.sentences > 0);
    assert!(text.contains("s = \"x\" t"), "{text}");
    assert!(text.contains("invalid sentence"), "{text}");
}

#[test]
fn texts_that_are_no_tokens_are_one_construct() {
    let files = [
        "a(77u);",
        "b([3 88u]);",
        "c(1, a(9u));",
        "d(])];",
        "e(1 2);",
        "a(Now);",
    ];
    let (gaps, [text, ..]) = surveyed(CALLS, &files, &mut features);
    let titles: Vec<_> = gaps
        .constructs
        .iter()
        .map(|construct| (Gaps::title(construct), construct.files))
        .collect();
    let unknown = "found a number, which is no token of the grammar".to_string();
    assert!(titles.contains(&(unknown, 3)), "{text}");
    let number = "in call: found a number".to_string();
    assert!(titles.contains(&(number, 1)), "{text}");
    // A word that no token matches is a keyword.
    let word = "found \"Now\", which is no token of the grammar".to_string();
    assert!(titles.contains(&(word, 1)), "{text}");
}

#[test]
fn an_item_of_all_files_explains_only_edges_of_most_files() {
    let files = [
        "main(); a(sqrt(1));",
        "main(); b(sqrt(2));",
        "main(); c(3);",
        "main(); d(4);",
        "main(); f(4);",
    ];
    let (gaps, [text, ..]) = surveyed(CALLS, &files, &mut features);
    let kinds: Vec<_> = gaps.items.iter().map(|item| &item.kind).collect();
    let name = |text: &[u8]| ItemKind::Text("name".into(), text.to_vec());
    assert_eq!(kinds, [&name(b"sqrt")], "{text}");
}
