//! Tests of the diagnosis: a correct grammar is damaged at random, and the damaged rule must be among
//! the first suspects.

use std::path::Path;

use rand::rngs::SmallRng;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use zester::bounds::Caps;
use zester::notation;

use super::checker;
use super::diagnosis::{Depth, Diagnosis, diagnose};
use super::experiment::{Cause, Laboratory};
use super::mend::Mend;
use super::parts::Parts;
use super::trial::{Judge, Judgement, Judgements, Trial, generated};

/// The sizes of generated sentences in bytes.
pub const SIZES: [u32; 6] = [20, 40, 80, 160, 320, 640];

const SOURCE: &str = include_str!("damage.ebnf");

/// The number of damages that the test draws. `ZESTER_DAMAGES` replaces it.
const DRAWN: usize = 12;

/// The minimum share of sentences that a damage makes invalid. Without invalid sentences there is
/// nothing to diagnose.
const MIN_INVALID: f64 = 0.02;

/// A damage: a grammar, the rule that was damaged, and what was done.
struct Damage {
    source: String,
    rule: String,
    what: String,
}

/// Returns all damages of the grammar: a value of an argument becomes `_`, a declaration or a use
/// becomes a plain name, a literal is misspelt, or a repetition is widened.
fn damages() -> Vec<Damage> {
    let rules = SOURCE.find("@start").unwrap();
    let mut found = Vec::new();
    let mut add = |at: usize, old: &str, new: &str| {
        let source = format!("{}{new}{}", &SOURCE[..at], &SOURCE[at + old.len()..]);
        let line = SOURCE[..at].matches('\n').count();
        let rule = SOURCE.lines().nth(line).unwrap();
        let rule = rule
            .trim_start_matches("@start ")
            .trim_start_matches("@token ");
        let rule = rule.split([' ', '<']).next().unwrap().to_string();
        let what = format!("{rule}: {old} becomes {new}");
        found.push(Damage { source, rule, what });
    };
    let body = |at: usize| {
        let line = SOURCE[..at].rfind('\n').map_or(0, |at| at + 1);
        SOURCE[line..at].contains(" = ")
    };
    for name in ["expression", "name_of", "result", "parameter", "call"] {
        for argument in ["int", "bool", "str", "t", "r", "a"] {
            let old = format!("{name}<{argument}>");
            for (at, _) in SOURCE.match_indices(&old).filter(|&(at, _)| body(at)) {
                add(at, &old, &format!("{name}<_>"));
            }
        }
    }
    for kind in [
        "variable<t>",
        "variable<a>",
        "function<a, r>",
        "function<a, t>",
    ] {
        for word in ["@declare ", "@use "] {
            let old = format!("{word}{kind}");
            for (at, _) in SOURCE.match_indices(&old) {
                add(at, &old, "name");
            }
        }
    }
    for (at, _) in SOURCE
        .match_indices('"')
        .filter(|&(at, _)| at > rules && body(at))
    {
        let literal = SOURCE[at + 1..].split('"').next().unwrap();
        // The quotation mark begins a literal if the next one ends it.
        let end = at + 1 + literal.len();
        if literal.is_empty() || literal.contains([' ', '\\']) || !SOURCE[end..].starts_with("\" ")
        {
            continue;
        }
        let mut letters = literal.as_bytes().to_vec();
        letters.swap(0, 1 % literal.len());
        let mut new = String::from_utf8(letters).unwrap();
        if new == literal {
            new = format!("{literal}{literal}");
        }
        add(at, &format!("\"{literal}\""), &format!("\"{new}\""));
    }
    for (old, new) in [
        (")? ;", ")* ;"),
        (" ){0,2} ", " )* "),
        ("\"+\" | \"*\"", "\"+\" | \"**\""),
    ] {
        for (at, _) in SOURCE.match_indices(old) {
            add(at, old, new);
        }
    }
    found
}

/// Diagnoses a grammar by the checker.
fn diagnosed(source: &str, seed: u64) -> (Diagnosis, Vec<String>) {
    diagnosed_by(source, seed, &mut |texts: &[Vec<u8>]| {
        Ok(checker::judge(texts))
    })
}

/// Diagnoses a grammar. Returns also the rules of all causes.
fn diagnosed_by(source: &str, seed: u64, mut judge: Judge<'_>) -> (Diagnosis, Vec<String>) {
    let (grammar, _) = notation::read("damage.ebnf", source.as_bytes(), &Caps::default())
        .unwrap_or_else(|report| panic!("{report}"));
    let parts = Parts::new(&grammar);
    let inputs = generated(&grammar, 1_500, seed, &SIZES);
    let Ok(trial) = Trial::run(&parts, &grammar, inputs, 300, &mut judge) else {
        panic!("the checker always answers");
    };
    let laboratory = Laboratory {
        name: Path::new("damage.ebnf"),
        source: source.as_bytes(),
        sizes: &SIZES,
        count: 300,
        seed,
    };
    let depth = Depth {
        groups: 5,
        suspects: 5,
    };
    let diagnosis = diagnose(
        (&trial, &parts),
        &laboratory,
        depth,
        &mut judge,
        &mut |_, _| (),
    );
    let Ok(diagnosis) = diagnosis else {
        panic!("the checker always answers");
    };
    let causes = diagnosis.causes();
    let rules = causes
        .iter()
        .map(|(_, cause)| parts.rule(cause.suspect.part).to_string());
    let rules = rules.collect();
    (diagnosis, rules)
}

#[test]
fn the_grammar_without_damage_is_valid() {
    let (diagnosis, _) = diagnosed(SOURCE, 0);
    let groups: Vec<_> = diagnosis
        .groups
        .iter()
        .map(|group| (&group.reason, group.count))
        .collect();
    assert!(
        diagnosis.valid * 100 >= diagnosis.sentences * 99,
        "{groups:?}"
    );
}

#[test]
fn the_damaged_rule_is_among_the_first_three_suspects() {
    let mut damages = damages();
    assert!(damages.len() >= 50, "{}", damages.len());
    let drawn = std::env::var("ZESTER_DAMAGES")
        .ok()
        .and_then(|count| count.parse().ok());
    let mut rng = SmallRng::seed_from_u64(1);
    damages.shuffle(&mut rng);
    damages.truncate(50);
    let (mut diagnosable, mut found, mut missed) = (0, 0, Vec::new());
    for damage in damages.into_iter().take(drawn.unwrap_or(DRAWN)) {
        let (diagnosis, rules) = diagnosed(&damage.source, rng.random_range(0..1 << 20));
        let invalid = 1.0 - diagnosis.valid as f64 / diagnosis.sentences as f64;
        if invalid < MIN_INVALID {
            println!(
                "{:>5.1} % invalid, not diagnosed: {}",
                100.0 * invalid,
                damage.what
            );
            continue;
        }
        diagnosable += 1;
        let first = &rules[..rules.len().min(3)];
        let is_found = first.contains(&damage.rule);
        found += usize::from(is_found);
        let mend = diagnosis
            .groups
            .first()
            .and_then(|group| group.mend.as_ref());
        let line = format!(
            "{} {:>5.1} % invalid: {}; suspects {first:?}; {}",
            if is_found { "found " } else { "missed" },
            100.0 * invalid,
            damage.what,
            mend.map_or("no mend".into(), |mend| format!("{mend:?}")),
        );
        println!("{line}");
        if !is_found {
            missed.push(line);
        }
    }
    println!("{found} of {diagnosable}");
    assert!(
        found * 10 >= diagnosable * 8 && diagnosable >= 6,
        "{found} of {diagnosable}: {missed:#?}"
    );
}

/// Returns what fits the most frequent group of a damaged grammar.
fn mend(old: &str, new: &str) -> Option<Mend> {
    assert!(SOURCE.contains(old), "{old}");
    let (diagnosis, _) = diagnosed(&SOURCE.replacen(old, new, 1), 3);
    diagnosis
        .groups
        .into_iter()
        .next()
        .and_then(|group| group.mend)
}

#[test]
fn the_kind_of_mend_fits_the_damage() {
    let declare = mend("\"set\" @use variable<t>", "\"set\" name");
    assert!(
        matches!(&declare, Some(Mend::Declare { rule }) if rule == "assignment"),
        "{declare:?}"
    );
    let once = mend("\"let\" @declare variable<t>", "\"let\" name");
    assert!(
        matches!(&once, Some(Mend::Once { rule }) if rule == "definition"),
        "{once:?}"
    );
    let literal = mend("\"print\"", "\"prnit\"");
    assert!(
        matches!(&literal, Some(Mend::Literal { text }) if text == "\"prnit\""),
        "{literal:?}"
    );
    let wrong = mend("\"if\" expression<bool>", "\"if\" expression<_>");
    assert!(
        matches!(&wrong, Some(Mend::Type { rule, .. }) if rule == "expression"),
        "{wrong:?}"
    );
    let count = mend("){0,2}", ")*");
    assert_eq!(count, Some(Mend::Count));
}

/// Returns the first three groups of a grammar: the reason, the rules of the first suspects, and what
/// fits.
fn first_groups(source: &str) -> Vec<(String, Vec<String>, Option<Mend>)> {
    let (diagnosis, _) = diagnosed(source, 5);
    let (grammar, _) = notation::read("g", source.as_bytes(), &Caps::default()).unwrap();
    let parts = Parts::new(&grammar);
    let groups = diagnosis.groups.into_iter().take(3);
    let rule = |cause: &Cause| parts.rule(cause.suspect.part).to_string();
    groups
        .map(|group| {
            let rules = group.causes.iter().take(3).map(rule).collect();
            (group.symptom.to_string(), rules, group.mend)
        })
        .collect()
}

#[test]
fn a_grammar_without_names_is_told_to_declare_them() {
    let mut source = SOURCE.to_string();
    for kind in ["variable<t>", "function<a, r>", "function<a, t>", "loop"] {
        for word in ["@declare ", "@use "] {
            let plain = if kind == "loop" { "" } else { "name" };
            source = source.replace(&format!("{word}{kind}"), plain);
        }
    }
    let groups = first_groups(&source);
    let is_unknown = |(reason, _, mend): &(String, _, Option<Mend>)| {
        reason.starts_with("unknown name") && matches!(mend, Some(Mend::Declare { .. }))
    };
    assert!(groups.iter().any(is_unknown), "{groups:#?}");
    let named: Vec<&String> = groups.iter().flat_map(|(_, rules, _)| rules).collect();
    let uses_names = ["expression", "call", "assignment", "jump"];
    assert!(
        named.iter().any(|rule| uses_names.contains(&rule.as_str())),
        "{groups:#?}"
    );
}

#[test]
fn a_grammar_without_types_is_told_to_ask_for_them() {
    let mut source = SOURCE.to_string();
    for value in ["int", "bool", "str", "t", "a", "r"] {
        for rule in ["expression", "name_of", "result", "parameter", "call"] {
            let (old, new) = (format!("{rule}<{value}>"), format!("{rule}<_>"));
            // The head of a rule keeps its argument.
            source = source.replace(&format!(" {old}"), &format!(" {new}"));
        }
    }
    let groups = first_groups(&source);
    assert!(
        groups
            .iter()
            .all(|(reason, ..)| reason.contains("is ‹") || reason.contains(" is ")),
        "{groups:#?}"
    );
    let is_type = |(_, _, mend): &&(String, Vec<String>, Option<Mend>)| {
        matches!(mend, Some(Mend::Type { .. }))
    };
    assert!(groups.iter().filter(is_type).count() >= 2, "{groups:#?}");
}

#[test]
fn a_wrong_name_of_a_built_in_function_is_named() {
    let source = SOURCE.replace("\"len\" \"(\"", "\"length\" \"(\"");
    let groups = first_groups(&source);
    assert_eq!(groups[0].1[0], "length", "{groups:#?}");
    let literal = Mend::Literal {
        text: "\"length\"".into(),
    };
    assert_eq!(groups[0].2, Some(literal), "{groups:#?}");
}

/// Returns the pattern and the mend of each group of a grammar, by a checker of single sentences.
fn mends(source: &str, check: &dyn Fn(&str) -> Result<(), String>) -> Vec<(String, Option<Mend>)> {
    let mut judge = |texts: &[Vec<u8>]| {
        let judgement = |text: &Vec<u8>| match check(std::str::from_utf8(text).unwrap()) {
            Ok(()) => Judgement::Valid,
            Err(reason) => Judgement::Rejected(reason),
        };
        Ok(Judgements {
            all: texts.iter().map(judgement).collect(),
            ..Judgements::default()
        })
    };
    let (diagnosis, _) = diagnosed_by(source, 1, &mut judge);
    let groups = diagnosis.groups.into_iter();
    groups
        .map(|group| (group.symptom.to_string(), group.mend))
        .collect()
}

#[test]
fn names_that_the_grammar_spells_out_are_to_be_declared() {
    let source = r#"
        @start script = ( create | drop ){1,5} ;
        create = "create " table ";" ;
        drop = "drop " table ";" ;
        table = "t" | "u" ;
    "#;
    // Runs a script.
    let check = |script: &str| {
        let mut tables = Vec::new();
        for statement in script.split_terminator(';') {
            let (verb, table) = statement.split_once(' ').unwrap();
            let known = tables.iter().position(|other| *other == table);
            match (verb, known) {
                ("create", None) => tables.push(table),
                ("create", Some(_)) => return Err(format!("table {table} already exists")),
                (_, Some(at)) => _ = tables.remove(at),
                (_, None) => return Err(format!("no such table: {table}")),
            }
        }
        Ok(())
    };
    let mut mends = mends(source, &check);
    mends.sort_by(|one, other| one.0.cmp(&other.0));
    let [(unknown, spelled), (twice, once)] = &mends[..] else {
        panic!("{mends:#?}");
    };
    assert_eq!(unknown, "no such table: ‹name›");
    assert!(
        matches!(spelled, Some(Mend::Spelled { rule, .. }) if rule == "drop"),
        "{spelled:?}"
    );
    assert_eq!(twice, "table ‹name› already exists");
    assert!(
        matches!(once, Some(Mend::Once { rule }) if rule == "create"),
        "{once:?}"
    );
}

#[test]
fn elements_in_a_wrong_order_are_found_by_exchange() {
    let source = r#"@start all = ( "a;" | "b;" ){1,4} ;"#;
    let check = |text: &str| match text.contains("b;a;") {
        true => Err("out of order".into()),
        false => Ok(()),
    };
    let found = mends(source, &check);
    assert_eq!(found, [("out of order".into(), Some(Mend::Order))]);
    // No order is right here.
    let check = |text: &str| match text.contains('b') && text.contains('a') {
        true => Err("out of order".into()),
        false => Ok(()),
    };
    let [(_, mend)] = &mends(source, &check)[..] else {
        panic!("one reason");
    };
    assert!(*mend != Some(Mend::Order), "{mend:?}");
}

#[test]
fn a_name_is_declared_twice_only_if_the_reason_is_not_at_its_first_position() {
    let source = r#"@start all = "@" name "var " name ";" ; @identifier name = [a-z]+ ;"#;
    let check = |text: &str| {
        let (attribute, name) = text[1..].split_once("var ").unwrap();
        match name.trim_end_matches(';') {
            name if name == attribute => Err(format!("unknown `{attribute}` at 1:2")),
            _ => Ok(()),
        }
    };
    let [(_, mend)] = &mends(source, &check)[..] else {
        panic!("one reason");
    };
    assert!(!matches!(mend, Some(Mend::Once { .. })), "{mend:?}");
}
