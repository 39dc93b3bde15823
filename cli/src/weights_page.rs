//! The HTML page of `zester explain`. Bars show which options are common, rare and never chosen in
//! samples.
//!
//! No meaning depends on colour alone: words or hatching show the same.

use std::path::Path;

use zester::weights::{Chosen, Table, Transform, Weights};

use crate::document::{
    self, Content, Document, bar, code, details, heading, key, link, number, paragraph, search,
    section, small, subheading,
};
use crate::numbers::{counted, percent};

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

    /// Returns the indices of the frequencies that at least one option has.
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

    /// Returns a bar whose parts are the shares of the frequencies.
    fn bar(&self) -> Content {
        let part = |at: usize| (FREQUENCIES[at].0, self.share(at));
        bar(&self.words(), self.present().map(part))
    }
}

/// The number of options of a table that are shown. Further options are folded if there are more than
/// three.
const SHOWN: usize = 12;

/// The maximum number of rules of an overview that is not folded.
const OVERVIEW: usize = 100;

pub fn page(grammar: &Path, weights: &Weights, transform: Transform, tables: &[Table]) -> String {
    let name = grammar.file_name().unwrap_or_default().to_string_lossy();
    let (samples, mean, context) = (
        weights.samples(),
        weights.mean_expansions(),
        weights.context(),
    );
    let Transform { power, damping } = transform;
    let mut intro = String::from(
        "For each option: its probability, how often samples chose it, and what it is.",
    );
    if transform != Transform::default() {
        intro += " Colours show what samples chose; lengths show the probabilities after power and damping.";
    }
    let mut page = paragraph(format!(
        "{} of {mean:.1} expansions on average; context {context}; power {power}, damping {damping}.",
        counted(samples, "sample")
    )) + overview(tables)
        + heading("Rules")
        + paragraph(intro)
        + search();
    let all = || (0..).zip(tables);
    for (at, table) in all().filter(|(_, table)| table.times > 0.0) {
        page += reached(at, table);
    }
    if all().any(|(_, table)| table.times == 0.0) {
        page += heading("Never reached")
            + paragraph("No sample reaches these rules. In brackets: how many options they have.");
    }
    for (at, table) in all().filter(|(_, table)| table.times == 0.0) {
        let summary = code(&table.name) + format!(" ({})", table.chosen.len());
        let options = options(table, &table.chosen);
        page += section(&format!("t{at}"), details(summary, false, options));
    }
    Document::new(code(name) + ": what samples choose", page).html()
}

/// Returns the frequencies of all alternatives together, then those of each rule.
fn overview(tables: &[Table]) -> Content {
    let whole = Tally::of(tables.iter().filter(|table| table.is_rule));
    let words = whole
        .present()
        .map(|at| key(FREQUENCIES[at].0, whole.word(at)));
    let reached = (0..).zip(tables);
    let reached = reached.filter(|(_, table)| table.is_rule && table.times > 0.0);
    let mut rules: Vec<(Tally, usize, &Table)> = reached
        .map(|(at, table)| (Tally::of([table]), at, table))
        .collect();
    let never = Frequency::Never as usize;
    rules.sort_by(|(one, ..), (other, ..)| {
        other
            .share(never)
            .total_cmp(&one.share(never))
            .then(other.0[never].cmp(&one.0[never]))
    });
    let summary = format!(
        "{}; those with the most options never chosen come first",
        counted(rules.len(), "rule")
    );
    let is_open = rules.len() <= OVERVIEW;
    let rows = rules.into_iter().map(|(tally, at, table)| {
        let left_out = format!("never {} of {}", tally.0[never], table.chosen.len());
        let name = link(&format!("t{at}"), code(&table.name));
        [name, tally.bar(), small(left_out)]
    });
    whole.bar()
        + paragraph(Content::from("Alternatives: ") + Content::joined(words, " "))
        + paragraph(
            "Common options are chosen at least a tenth of the times that samples reach their rule; rare ones less often.",
        )
        + details(summary, is_open, document::table([""; 3], rows))
}

/// Returns the section of a rule that samples reach.
fn reached(at: usize, table: &Table) -> Content {
    let all = &table.chosen[..];
    let (shown, rest) = all.split_at(if all.len() > SHOWN + 3 {
        SHOWN
    } else {
        all.len()
    });
    let title = code(&table.name) + " " + small(times(table.times));
    let mut content = subheading(title) + options(table, shown);
    if !rest.is_empty() {
        let others = Table {
            chosen: rest.to_vec(),
            ..table.clone()
        };
        let summary = format!("{} more: {}", rest.len(), Tally::of([&others]).words());
        content += details(summary, false, options(table, rest));
    }
    section(&format!("t{at}"), content)
}

/// Returns a list of options.
fn options(table: &Table, all: &[Chosen]) -> Content {
    let rows = all.iter().map(|chosen| {
        let (class, words) = FREQUENCIES[Frequency::of(table, chosen) as usize];
        [
            key(class, ""),
            number(percent(chosen.probability)),
            bar(words, [(class, chosen.probability)]),
            number(count(chosen.count)),
            code(&chosen.name),
        ]
    });
    document::table([""; 5], rows)
}

/// Returns a count as a whole number, `<1` if it is less than 0.5, or `never` if it is 0.
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
                .find(|line| line.ends_with(&format!("<code>{name}</code></td></tr>")))
                .unwrap();
            let key = format!("<tr><td><span class=\"key {class}\"></span></td>");
            assert!(line.contains(&key), "{line}");
        }
        assert!(
            page.contains("1 common (20.0 %)")
                && page.contains("109 times")
                && page.contains(">never</td>"),
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
