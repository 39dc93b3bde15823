//! What files have that sentences have not, as a section of the HTML page.

use std::fmt::Write;

use super::Gaps;
use super::page::{CONSTRUCTS, FUNCTIONS, files};
use crate::html::escaped;
use crate::why::page::Page;

/// Returns the section.
pub fn html(gaps: &Gaps, page: &Page<'_>) -> String {
    let mut html = format!("<h2>Files</h2>\n<p>{}.</p>\n", escaped(&gaps.headline()));
    if !gaps.constructs.is_empty() {
        html.push_str("<h2>Constructs that the grammar refuses in valid files</h2>\n");
    }
    for construct in gaps.constructs.iter().take(CONSTRUCTS) {
        let example = &construct.example;
        let (line, column) = page.source.position(construct.place.start);
        let place = match construct.rule.is_empty() {
            true => String::new(),
            false => format!(
                "; grammar {}:{line}:{column}, {}",
                escaped(&page.source.name),
                escaped(&construct.rule)
            ),
        };
        let _ = write!(
            html,
            "<p><b>{}</b><br>{}, {} edges ({} in no other group){place}</p>\n<pre>{}<mark>{}</mark></pre>\n\
             <p class=\"reason\">{}",
            escaped(&Gaps::title(construct)),
            files(construct.files),
            construct.edges,
            construct.own_edges,
            escaped(&example.before),
            escaped(example.after.trim_end()),
            escaped(&example.place()),
        );
        for (title, list) in [
            ("expected", Gaps::expected(construct)),
            ("found", Gaps::texts(construct)),
        ] {
            if !list.is_empty() {
                let _ = write!(html, "; {title} {}", escaped(&list));
            }
        }
        html.push_str("</p>\n");
    }
    if gaps.counts.edges > 0 {
        let _ = writeln!(
            html,
            "<h2>{} edges that parsed files reach and no valid sentence does</h2>\n\
             <table><tr><th class=\"n\">edges</th><th>function</th></tr>",
            gaps.counts.edges
        );
        for (function, edges) in gaps.functions.named.iter().take(FUNCTIONS) {
            let _ = writeln!(
                html,
                "<tr><td class=\"n\">{edges}</td><td><code>{}</code></td></tr>",
                escaped(function)
            );
        }
        html.push_str("</table>\n");
        if let Some(rest) = gaps.other_functions() {
            let _ = writeln!(html, "<p class=\"reason\">{}</p>", escaped(&rest));
        }
    }
    if !gaps.items.is_empty() {
        html.push_str(
            "<h2>What parsed files have and no valid sentence has</h2>\n\
             <table><tr><th class=\"n\">worth</th><th></th><th></th></tr>\n",
        );
    }
    for items in gaps.items_by_files() {
        let _ = writeln!(
            html,
            "<tr><td class=\"n\">{:.1}</td><td colspan=\"2\" class=\"reason\">{}</td></tr>",
            items[0].worth,
            escaped(&Gaps::evidence(&items[0])),
        );
        for (title, place, what) in items.iter().flat_map(|item| Gaps::item(page, item)) {
            let _ = writeln!(
                html,
                "<tr><td class=\"n\">{title}</td><td>{}</td><td><code>{}</code></td></tr>",
                escaped(&place),
                escaped(&what),
            );
        }
    }
    if !gaps.items.is_empty() {
        html.push_str("</table>\n");
    }
    html
}
