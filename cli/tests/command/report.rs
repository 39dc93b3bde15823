//! `zester report`.

use serde_json::Value;

use super::*;

const START: &str = "{\"zester_statistics\":2,\"started\":1700000000,\"process\":7}\n";

/// A campaign with two starts. The second start is of version 3.
const TWO_STARTS: &str = "\
{\"zester_statistics\":2,\"started\":1700000000,\"process\":7}
{\"seconds\":2.0,\"executions\":100,\"valid\":50,\"invalid\":40,\"unknown\":10,\"edited\":5,\"edges\":30,\"valid_edges\":20,\"counters\":90,\
\"mean_sentence_bytes\":10.0,\"mutators\":{\"splice\":{\"tried\":50,\"changed\":40,\"found\":2,\"kept\":1}}}
{\"seconds\":4.0,\"executions\":300,\"valid\":150,\"invalid\":120,\"unknown\":30,\"edited\":9,\"edges\":40,\"valid_edges\":25,\"counters\":90,\
\"mean_sentence_bytes\":20.0,\"mutators\":{\"splice\":{\"tried\":150,\"changed\":90,\"found\":3,\"kept\":2}}}
{\"zester_statistics\":3,\"started\":1700009999,\"process\":8,\"target\":\"/nowhere/words\",\"corpus\":[\"/nowhere\"],\"artifacts\":\"/nowhere/\"}
{\"seconds\":1.0,\"executions\":100,\"valid\":100,\"invalid\":0,\"unknown\":0,\"edited\":0,\"replayed\":60,\"edges\":35,\"valid_edges\":26,\
\"counters\":90,\"mean_sentence_bytes\":30.0,\"mutators\":{\"splice\":{\"tried\":50,\"changed\":10,\"found\":1,\"kept\":1},\
\"hoist\":{\"tried\":10,\"changed\":9,\"found\":9,\"kept\":9}}}
{\"campaign\":{\"seconds\":1.5,\"inputs\":12,\"input_bytes\":34,\"processes\":2,\"failures\":{\"panic at <b>.rs:1:2\":3},\"known\":2}}
{\"later\":\"another kind of line\"}
";

/// Writes a statistics file, and makes a report of it.
fn report(directory: &Path, statistics: &str, more: &[&str]) -> Output {
    let run = directory.join("run.jsonl");
    std::fs::write(&run, statistics).unwrap();
    zester(&[&["report", run.to_str().unwrap()], more].concat(), b"")
}

fn json(output: &Output) -> Value {
    assert!(output.status.success(), "{}", text(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn figures_of_two_starts_are_added() {
    let directory = directory("report-starts");
    let report = json(&report(&directory, TWO_STARTS, &["--json"]));
    let run = &report["runs"][0];
    for (name, expected) in [
        ("started", 1_700_000_000),
        ("starts", 2),
        ("executions", 400),
        ("valid", 250),
        ("invalid", 120),
        ("edges", 40),
        ("valid_edges", 26),
        ("inputs", 12),
    ] {
        assert_eq!(run[name], expected, "{name}: {run}");
    }
    assert_eq!(
        (&run["seconds"], &run["mean_sentence_bytes"]),
        (&5.0.into(), &22.5.into())
    );
    assert_eq!(run["executions_per_second"], 80.0);
    // 60 executions replay the corpus, and 2 fail in a way that is known.
    assert_eq!(run["useful_executions_per_second"], 67.6);
    assert_eq!(run["replayed_share"], 0.15);
    let mutators = serde_json::json!({
        "splice": {"tried": 200, "changed": 100, "found": 4, "kept": 3},
        "hoist": {"tried": 10, "changed": 9, "found": 9, "kept": 9},
    });
    assert_eq!(run["mutators"], mutators);
    assert_eq!(run["failures"]["panic at <b>.rs:1:2"], 3);
    // The target is not there, so nothing was run.
    let why = serde_json::json!([
        {"runs": ["run"], "problem": "/nowhere/words: No such file or directory (os error 2)"}
    ]);
    assert_eq!(report["replays"], why);
    let figures = ["--json", "--no-replay"];
    let report = json(&self::report(&directory, TWO_STARTS, &figures));
    assert_eq!(report["replays"], serde_json::json!([]));
}

#[test]
fn a_cut_last_line_is_left_out() {
    let directory = directory("report-cut");
    let cut = format!("{TWO_STARTS}{{\"seconds\":9.0,\"executions\":9");
    let cut = json(&report(&directory, &cut, &["--json"]));
    let whole = json(&report(&directory, TWO_STARTS, &["--json"]));
    assert_eq!(cut, whole);
    // Standard input is read like a file.
    let piped = json(&zester(&["report", "-", "--json"], TWO_STARTS.as_bytes()));
    assert_eq!(piped["runs"][0]["mutators"], whole["runs"][0]["mutators"]);
    // Elsewhere, such a line is an error.
    let output = report(
        &directory,
        &format!("{START}{{\"seconds\":9.0,\n{START}"),
        &["--json"],
    );
    assert_eq!(output.status.code(), Some(2));
    let said = text(&output.stderr);
    assert!(
        said.contains("run.jsonl: line 2 is no JSON object"),
        "{said}"
    );
}

#[test]
fn other_versions_are_refused() {
    let directory = directory("report-version");
    let page = directory.join("page.html");
    let statistics = START.replace(":2,", ":9,");
    let output = report(&directory, &statistics, &["-o", page.to_str().unwrap()]);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2));
    assert!(said.contains("run.jsonl: line 1: version 9"), "{said}");
    assert!(!page.exists());
}

#[test]
fn what_statistics_do_not_name_is_named_by_options() {
    let directory = directory("report-missing");
    let output = report(&directory, START, &["--json"]);
    let why = "the statistics of run name no target; --target TARGET names it";
    assert_eq!(json(&output)["replays"][0]["problem"], why);
    for (option, value, missing) in [
        (
            "--target",
            "grammars",
            "name no corpus; --corpus DIR names it",
        ),
        (
            "--corpus",
            "grammars",
            "name no target; --target TARGET names it",
        ),
    ] {
        let output = report(&directory, START, &["--json", option, value]);
        let said = text(&output.stderr);
        assert!(
            output.status.code() == Some(2) && said.contains(missing),
            "{said}"
        );
    }
}

#[test]
fn a_page_loads_no_other_file_and_is_replaced_with_force_only() {
    let directory = directory("report-page");
    let path = |name: &str| directory.join(name).to_str().unwrap().to_string();
    std::fs::write(path("<script>.jsonl"), TWO_STARTS).unwrap();
    let (page, other) = (path("page.html"), path("<script>.jsonl"));
    let make = |more: &[&str]| {
        report(
            &directory,
            TWO_STARTS,
            &[&[&other, "-o", &page], more].concat(),
        )
    };
    let output = make(&[]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let html = std::fs::read_to_string(&page).unwrap();
    for foreign in [
        "http:", "https:", "src=", "url(", "@import", "<link", "<script", "<b>",
    ] {
        assert!(!html.contains(foreign), "{foreign}");
    }
    for part in [
        "&lt;script&gt;",
        "panic at &lt;b&gt;.rs:1:2",
        "2023-11-14 22:13 UTC",
        "<td class=\"number\">22.5 bytes</td>",
    ] {
        assert!(html.contains(part), "{part}: {html}");
    }
    // Five curves of two campaigns, and the mutator that found most comes first.
    assert_eq!(html.matches("<svg").count(), 5);
    assert!(html.contains("var(--series-2, "), "{html}");
    assert!(html.find("<code>hoist").unwrap() < html.find("<code>splice").unwrap());
    std::fs::write(&page, "mine").unwrap();
    assert_eq!(make(&[]).status.code(), Some(2));
    assert_eq!(std::fs::read(&page).unwrap(), b"mine");
    assert!(make(&["--force"]).status.success());
    assert_eq!(std::fs::read_to_string(&page).unwrap(), html);
}
