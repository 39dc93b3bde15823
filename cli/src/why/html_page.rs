//! The diagnosis as an HTML page.

use super::experiment::Measured;
use super::page::{Page, SHOWN, percent, title};
use super::trial::Symptom;
use crate::document::{
    Content, Document, bar, code, excerpt, heading, note, number, paragraph, small, table,
};

/// Returns the page. `section` comes at its end.
pub fn html(page: &Page<'_>, section: Content) -> String {
    let mut body = paragraph(format!("{}.", page.headline()));
    for (number, group) in (1..).zip(&page.diagnosis.groups) {
        let share = percent(group.share);
        body += heading(format!("{number}. {share} {}", title(&group.symptom)));
        body += bar(&share, [("", group.share)])
            + excerpt(&group.example)
            + paragraph(small(&*group.reason));
        let whole = figures(Some(&page.diagnosis.whole), &group.symptom);
        let whole = row("the whole grammar".into(), Content::default(), whole);
        let causes = group.causes.iter().take(SHOWN).map(|cause| {
            let part = cause.suspect.part;
            let (line, column) = page.source.position(page.parts.get(part).start);
            let described = page.source.described(page.parts, part);
            let without = figures(cause.without.as_ref(), &group.symptom);
            row(format!("without {line}:{column}"), code(described), without)
        });
        let titles = ["suspect", "", "with it", "valid", "edges"];
        body += table(titles, [whole].into_iter().chain(causes));
        if let Some(mend) = &group.mend {
            body += note(mend.to_string());
        }
    }
    Document::new(format!("zester why: {}", page.source.name), body + section).html()
}

fn row(name: String, described: Content, figures: [String; 3]) -> Vec<Content> {
    let cells = [name.into(), described].into_iter();
    cells.chain(figures.map(number)).collect()
}

/// Returns the share of a symptom, the share of valid sentences, and the edges.
fn figures(measured: Option<&Measured>, symptom: &Symptom) -> [String; 3] {
    match measured {
        Some(measured) => [
            percent(measured.share_of(symptom)),
            percent(measured.valid),
            measured.valid_edges.to_string(),
        ],
        None => ["–"; 3].map(String::from),
    }
}
