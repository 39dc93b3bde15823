//! The HTML page of `zester conform`.

use std::path::Path;

use super::differences::{Differences, DifferencesOfKind, Group, GroupKey};
use crate::document::{
    Content, Document, code, heading, line_break, lines, number, paragraph, small, table,
};

/// Returns the page. `run` says how many texts were run, and may have a table.
pub fn page(program: &Path, grammar: &Path, run: &str, differences: &Differences) -> String {
    let name = |path: &Path| {
        let name = path.file_name().unwrap_or(path.as_os_str());
        code(name.to_string_lossy())
    };
    let title = Content::from("Where ") + name(program) + " and " + name(grammar) + " differ";
    let mut page = lines(run.trim_end());
    for DifferencesOfKind {
        kind,
        count,
        groups,
    } in differences.kinds()
    {
        page += heading(kind.title(count));
        let rows = groups.into_iter().map(|(key, Group { count, smallest })| {
            let GroupKey { rule, operator, .. } = key;
            [
                number(count),
                code(rule) + line_break() + small(&**operator),
                code(String::from_utf8_lossy(&smallest.text)),
                Content::from(&*smallest.origin) + line_break() + small(&*smallest.detail),
            ]
        });
        page += table(
            ["texts", "rule, edit", "the smallest text", "about it"],
            rows,
        );
    }
    if differences.is_empty() {
        page += paragraph("No differences.");
    }
    Document::new(title, page).html()
}
