//! The HTML page of `zester explain`. Bars show which options are common, rare and never chosen in
//! samples.
//!
//! # Guarantees
//!
//! * The page is one file and loads no other file. It is complete without its script, which only
//!   filters rules.
//! * No meaning depends on colour alone: words or hatching show the same.
//! * Text of a grammar is escaped, so that it is never markup, and all its characters are visible.

use std::fmt::Write;
use std::path::Path;

use zester::weights::{Chosen, Table, Transform, Weights};

use crate::html::{escaped, head, percent};

/// How often samples choose an option.
#[derive(Clone, Copy)]
pub enum Frequency {
    /// At least a tenth of the times that samples reach the rule.
    Common,
    /// Less than a tenth of these times.
    Rare,
    /// Never, although samples reach the rule.
    Never,
    /// Samples never reach the rule.
    Unreached,
}

impl Frequency {
    pub fn of(table: &Table, chosen: &Chosen) -> Frequency {
        match chosen.count {
            _ if table.times == 0.0 => Frequency::Unreached,
            0.0 => Frequency::Never,
            count if count >= 0.1 * table.times => Frequency::Common,
            _ => Frequency::Rare,
        }
    }
}

/// The CSS class and the words of each frequency.
const FREQUENCIES: [(&str, &str); 4] = [
    ("common", "common"),
    ("rare", "rare"),
    ("never", "never chosen"),
    ("unreached", "of rules never reached"),
];

/// The number of options with each frequency.
#[derive(Clone, Copy)]
pub struct Tally([usize; 4]);

impl Tally {
    pub fn of<'a>(tables: impl IntoIterator<Item = &'a Table>) -> Tally {
        let mut counts = [0; 4];
        for table in tables {
            table
                .chosen
                .iter()
                .for_each(|chosen| counts[Frequency::of(table, chosen) as usize] += 1);
        }
        Tally(counts)
    }

    fn share(&self, frequency: usize) -> f64 {
        self.0[frequency] as f64 / self.0.iter().sum::<usize>().max(1) as f64
    }

    /// Returns the indices of the frequencies that an option has.
    fn present(&self) -> impl Iterator<Item = usize> {
        (0..4).filter(|&at| self.0[at] > 0)
    }

    /// Returns the number and the share of the options with a frequency, in words.
    fn word(&self, at: usize) -> String {
        format!(
            "{} {} ({:.1} %)",
            self.0[at],
            FREQUENCIES[at].1,
            100.0 * self.share(at)
        )
    }

    /// Returns the number and the share of the options with each frequency, in words.
    pub fn words(&self) -> String {
        self.present()
            .map(|at| self.word(at))
            .collect::<Vec<_>>()
            .join(", ")
    }

    /// Returns a bar whose parts are the shares of the frequencies, as HTML.
    fn bar(&self, class: &str) -> String {
        let part = |at: usize| {
            format!(
                "<span class=\"{}\" style=\"width:{:.2}%\"></span>",
                FREQUENCIES[at].0,
                100.0 * self.share(at)
            )
        };
        let (words, parts) = (self.words(), self.present().map(part).collect::<String>());
        format!(
            "<span class=\"{class}\" role=\"img\" aria-label=\"{words}\" title=\"{words}\">{parts}</span>"
        )
    }
}

/// The number of options of a table that are shown. Further options are folded if there are more than
/// three.
const SHOWN: usize = 12;

/// The maximum number of rules of an overview that is not folded.
const OVERVIEW: usize = 100;

/// The style sheet. People with colour blindness can distinguish blue, orange and hatching, also on
/// paper.
const STYLE: &str = "
:root { color-scheme: light dark; --ink: #1a1a1a; --paper: #fff; --line: #ccc; --common: #0072b2 }
@media (prefers-color-scheme: dark) { :root { --ink: #ddd; --paper: #151515; --line: #444; --common: #3b8fd4 } }
body { margin: 2em auto; max-width: 70em; padding: 0 1em; font: 15px/1.4 system-ui, sans-serif }
body { color: var(--ink); background: var(--paper); print-color-adjust: exact }
h1, h2 { font-size: 1.5em; margin: 1.5em 0 .3em } h3 { font-size: 1em; margin: 1.5em 0 .3em }
code { font-family: ui-monospace, monospace; overflow-wrap: anywhere; white-space: pre-wrap }
ul { list-style: none; padding: 0; margin: 0 } a { color: inherit } summary { cursor: pointer }
small { font-weight: normal; opacity: .75 } [hidden] { display: none !important }
.common { --fill: var(--common) } .rare { --fill: #e69f00 } .unreached { --fill: var(--line) }
.never { --fill: repeating-linear-gradient(45deg, var(--ink) 0, var(--ink) 1.5px, var(--paper) 1.5px, var(--paper) 4px) }
.bar { display: flex; height: .8em } .whole { height: 2em; margin: 1em 0 .4em } .bar span { background: var(--fill) }
.key { white-space: nowrap; margin-left: 1.2em }
.key::before { content: ''; display: inline-block; width: 1em; height: 1em; margin-right: .4em; vertical-align: -.1em }
.key::before, .options li::before { background: var(--fill) }
.options li { display: grid; grid-template-columns: 5px 5em 12em 4em 1fr; gap: 0 .8em } .options li::before { content: '' }
.options li > span { text-align: right } .options .bar { margin: .3em 0; border-right: 1px solid var(--line) }
.options .never { font-style: italic } .overview { columns: 22em; column-gap: 3em }
.overview li { display: grid; grid-template-columns: 1fr 6em 7em; gap: .6em; align-items: center }
section, .folded, .overview li { break-inside: avoid } .folded { opacity: .7; margin: .2em 0 }
@media (max-width: 40em) { .options li { grid-template-columns: 5px 4.5em 4em 3.5em 1fr } }
@media print { body { margin: 0; max-width: none; font-size: 9pt } input { display: none } }
";

/// A script that hides the rules whose names do not contain the text in the search box.
const SCRIPT: &str = r#"
const box = document.querySelector("input");
box.hidden = false;
box.oninput = () => document.querySelectorAll(".rule").forEach(rule =>
  rule.hidden = !rule.querySelector("code").textContent.toLowerCase().includes(box.value.toLowerCase()));
"#;

/// Returns the page.
pub fn page(grammar: &Path, weights: &Weights, transform: Transform, tables: &[Table]) -> String {
    let name = escaped(&grammar.file_name().unwrap_or_default().to_string_lossy());
    let (samples, mean, context) = (
        weights.samples(),
        weights.mean_expansions(),
        weights.context(),
    );
    let Transform { power, damping } = transform;
    let mut text = format!(
        "{}<h1><code>{name}</code>: what samples choose</h1>\n\
         <p>{samples} samples of {mean:.1} expansions on average; context {context}; power {power}, damping {damping}.</p>\n",
        head(&format!("{name}: what samples choose"), STYLE)
    );
    overview(tables, &mut text);
    text.push_str("<h2>Rules</h2>\n<p>For each option: its probability, how often samples chose it, and what it is.");
    if transform != Transform::default() {
        text.push_str(" Colours show what samples chose; lengths show the probabilities after power and damping.");
    }
    text.push_str("</p>\n<input type=\"search\" placeholder=\"Names with …\" aria-label=\"Names with\" hidden>\n");
    let all = || tables.iter().enumerate();
    all()
        .filter(|(_, table)| table.times > 0.0)
        .for_each(|(at, table)| reached(at, table, &mut text));
    if all().any(|(_, table)| table.times == 0.0) {
        text.push_str("<h2>Never reached</h2>\n<p>No sample reaches these rules. In brackets: how many options they have.</p>\n");
    }
    all()
        .filter(|(_, table)| table.times == 0.0)
        .for_each(|(_, table)| unreached(table, &mut text));
    let _ = write!(text, "<script>{SCRIPT}</script>\n</body>\n</html>\n");
    text
}

/// Writes the frequencies of all alternatives together, then those of each rule.
fn overview(tables: &[Table], text: &mut String) {
    let whole = Tally::of(tables.iter().filter(|table| table.is_rule));
    let _ = write!(text, "{}\n<p>Alternatives:", whole.bar("bar whole"));
    for at in whole.present() {
        let _ = write!(
            text,
            "\n<span class=\"key {}\">{}</span>",
            FREQUENCIES[at].0,
            whole.word(at)
        );
    }
    text.push_str("</p>\n<p>Common options are chosen at least a tenth of the times that samples reach their rule; rare ones less often.</p>\n");
    let reached = tables
        .iter()
        .enumerate()
        .filter(|(_, table)| table.is_rule && table.times > 0.0);
    let mut rules: Vec<_> = reached
        .map(|(at, table)| (Tally::of([table]), at, table))
        .collect();
    let never = Frequency::Never as usize;
    rules.sort_by(|(one, ..), (other, ..)| {
        other
            .share(never)
            .total_cmp(&one.share(never))
            .then(other.0[never].cmp(&one.0[never]))
    });
    let open = if rules.len() <= OVERVIEW { " open" } else { "" };
    let _ = writeln!(
        text,
        "<details{open}><summary>{} rules; those with the most options never chosen come first</summary>",
        rules.len()
    );
    text.push_str("<ul class=\"overview\">\n");
    for (tally, at, table) in rules {
        let (name, left_out) = (
            escaped(&table.name),
            format!("never {} of {}", tally.0[never], table.chosen.len()),
        );
        let _ = writeln!(
            text,
            "<li class=\"rule\"><a href=\"#t{at}\"><code>{name}</code></a>{}<small>{left_out}</small></li>",
            tally.bar("bar")
        );
    }
    text.push_str("</ul></details>\n");
}

/// Writes the section of a rule that samples reach.
fn reached(at: usize, table: &Table, text: &mut String) {
    let (name, times) = (escaped(&table.name), times(table.times));
    let _ = writeln!(
        text,
        "<section class=\"rule\" id=\"t{at}\"><h3><code>{name}</code> <small>{times}</small></h3>"
    );
    let shown = if table.chosen.len() > SHOWN + 3 {
        SHOWN
    } else {
        table.chosen.len()
    };
    options(table, &table.chosen[..shown], text);
    if shown < table.chosen.len() {
        let rest = Table {
            chosen: table.chosen[shown..].to_vec(),
            ..table.clone()
        };
        let _ = writeln!(
            text,
            "<details><summary>{} more: {}</summary>",
            rest.chosen.len(),
            Tally::of([&rest]).words()
        );
        options(&rest, &rest.chosen, text);
        text.push_str("</details>\n");
    }
    text.push_str("</section>\n");
}

/// Writes the folded list of a rule that no sample reaches.
fn unreached(table: &Table, text: &mut String) {
    let (name, count) = (escaped(&table.name), table.chosen.len());
    let _ = writeln!(
        text,
        "<details class=\"rule folded\"><summary><code>{name}</code> ({count})</summary>"
    );
    options(table, &table.chosen, text);
    text.push_str("</details>\n");
}

/// Writes a list of options.
fn options(table: &Table, all: &[Chosen], text: &mut String) {
    text.push_str("<ul class=\"options\">\n");
    for chosen in all {
        let class = FREQUENCIES[Frequency::of(table, chosen) as usize].0;
        let (percent, count, name) = (
            escaped(&percent(chosen.probability)),
            escaped(&count(chosen.count)),
            escaped(&chosen.name),
        );
        let bar = format!(
            "<span class=\"bar\"><span style=\"width:{:.2}%\"></span></span>",
            100.0 * chosen.probability
        );
        let _ = writeln!(
            text,
            "<li class=\"{class}\"><span>{percent}</span>{bar}<span>{count}</span><code>{name}</code></li>"
        );
    }
    text.push_str("</ul>\n");
}

/// Returns a count as a whole number, or `never` if it is 0.
pub fn count(weight: f64) -> String {
    match weight {
        0.0 => "never".into(),
        weight if weight < 0.5 => "<1".into(),
        weight => format!("{weight:.0}"),
    }
}

/// Returns how often samples reach a rule, in words.
pub fn times(weight: f64) -> String {
    match weight {
        0.0 => "never reached".into(),
        1.0 => "once".into(),
        weight => format!("{} times", count(weight)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(counts: &[(&str, f64)]) -> Table {
        let times = counts.iter().map(|(_, count)| count).sum();
        let chosen = |&(name, count): &(&str, f64)| Chosen {
            name: name.into(),
            count,
            probability: count / f64::max(times, 1.0),
        };
        Table {
            name: "<rule>".into(),
            is_syntax: true,
            is_rule: true,
            times,
            chosen: counts.iter().map(chosen).collect(),
        }
    }

    fn page_of(tables: &[Table]) -> String {
        let (grammar, _) = zester::notation::read("g.ebnf", b"s = \"a\" ;", &Default::default())
            .ok()
            .unwrap();
        page(
            Path::new("dir/a&b.ebnf"),
            &Weights::new(&grammar, 0),
            Transform::default(),
            tables,
        )
    }

    #[test]
    fn text_of_grammars_is_never_markup() {
        let page = page_of(&[table(&[("\"<b>\" '&' \\n \n\0\u{202e}", 1.0)])]);
        assert!(
            page.contains("<code>&quot;&lt;b&gt;&quot; &#39;&amp;&#39; \\n \\n\\0\\u{202e}</code>"),
            "{page}"
        );
        assert!(
            page.contains("<h1><code>a&amp;b.ebnf</code>")
                && !page.contains("<rule>")
                && !page.contains("<b>")
        );
        assert!(page.chars().all(|char| char == '\n' || !char.is_control()));
    }

    #[test]
    fn common_rare_and_never_have_their_own_class() {
        let page = page_of(&[
            table(&[("a", 90.0), ("b", 10.0), ("c", 9.0), ("d", 0.0)]),
            table(&[("e", 0.0)]),
        ]);
        for (class, name) in [
            ("common", "a"),
            ("rare", "b"),
            ("rare", "c"),
            ("never", "d"),
            ("unreached", "e"),
        ] {
            let line = page
                .lines()
                .find(|line| line.ends_with(&format!("<code>{name}</code></li>")))
                .unwrap();
            assert!(
                line.starts_with(&format!("<li class=\"{class}\">")),
                "{line}"
            );
        }
        assert!(
            page.contains("1 common (20.0 %)")
                && page.contains("109 times")
                && page.contains(">never</span>"),
            "{page}"
        );
    }

    #[test]
    fn the_tail_of_many_options_is_folded() {
        let many: Vec<(&str, f64)> = (0..40)
            .map(|at| ("x", f64::from(u8::from(at < 20))))
            .collect();
        assert!(page_of(&[table(&many)]).contains(
            "<details><summary>28 more: 8 rare (28.6 %), 20 never chosen (71.4 %)</summary>"
        ));
        assert!(!page_of(&[table(&many[..SHOWN + 3])]).contains("more:"));
    }
}
