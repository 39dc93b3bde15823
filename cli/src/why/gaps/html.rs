//! The comparison of files with the sentences of a grammar, as a section of the HTML page.

use super::Gaps;
use super::page::{CONSTRUCTS, FUNCTIONS};
use crate::document::{
    Content, code, heading, line_break, number, paragraph, small, strong, table,
};
use crate::numbers::counted;
use crate::why::page::Page;

/// Returns the section.
pub fn html(gaps: &Gaps, page: &Page<'_>) -> Content {
    let mut html = heading("Files") + paragraph(format!("{}.", gaps.headline()));
    if !gaps.constructs.is_empty() {
        html += heading("Constructs that the grammar refuses in valid files");
    }
    for construct in gaps.constructs.iter().take(CONSTRUCTS) {
        let example = &construct.example;
        let mut figures = Gaps::figures(construct);
        if !construct.rule.is_empty() {
            let (line, column) = page.source.position(construct.span.start);
            let name = &page.source.name;
            figures += &format!("; grammar {name}:{line}:{column}, {}", construct.rule);
        }
        let mut reason = example.location();
        for (title, list) in [
            ("expected", Gaps::expected(construct)),
            ("found", Gaps::texts(construct)),
        ] {
            if !list.is_empty() {
                reason += &format!("; {title} {list}");
            }
        }
        html += paragraph(strong(Gaps::title(construct)) + line_break() + &*figures);
        html += paragraph(code(&example.before) + strong(code(example.after.trim_end())));
        html += paragraph(small(reason));
    }
    if gaps.counts.edges > 0 {
        let edges = gaps.counts.edges;
        let functions = gaps.functions.named.iter().take(FUNCTIONS);
        html += heading(format!(
            "{} that parsed files reach and no valid sentence does",
            counted(edges, "edge")
        ));
        html += table(
            ["edges", "function"],
            functions.map(|(function, edges)| [number(edges), code(function)]),
        );
        html += gaps
            .other_functions()
            .map_or(Content::default(), |rest| paragraph(small(rest)));
    }
    if !gaps.items.is_empty() {
        html += heading("What parsed files have and no valid sentence has");
        let rows = gaps.items_by_files().flat_map(|items| {
            let evidence = small(Gaps::evidence(&items[0]));
            let worth = format!("{:.1}", items[0].worth);
            let lines = items.iter().flat_map(|item| Gaps::item(page, item));
            let lines = lines.map(|(title, location, what)| {
                [number(title), Content::from(location) + " " + code(what)]
            });
            [[number(worth), evidence]].into_iter().chain(lines)
        });
        html += table(["worth", ""], rows);
    }
    html
}
