//! The HTML page of `zester conform`.
//!
//! The page is one file and loads no other file. Texts are escaped, so that they are never markup,
//! and all their characters are visible.

use std::fmt::Write;
use std::path::Path;

use super::differences::{Differences, DifferencesOfKind, Group, GroupKey};
use crate::html::{escaped, head};

const STYLE: &str = "
:root { color-scheme: light dark; --ink: #1a1a1a; --paper: #fff; --line: #ccc }
@media (prefers-color-scheme: dark) { :root { --ink: #ddd; --paper: #151515; --line: #444 } }
body { margin: 2em auto; max-width: 76em; padding: 0 1em; font: 15px/1.4 system-ui, sans-serif }
body { color: var(--ink); background: var(--paper) }
h1, h2 { font-size: 1.5em; margin: 1.5em 0 .3em }
table { border-collapse: collapse; width: 100%; table-layout: fixed }
td, th { text-align: left; vertical-align: top; padding: .3em .6em; border-top: 1px solid var(--line) }
th.count { width: 4em } th.rule { width: 14em }
pre { margin: 0; white-space: pre-wrap; overflow-wrap: anywhere; font: 13px/1.35 ui-monospace, monospace }
code { font: 13px ui-monospace, monospace; overflow-wrap: anywhere } small { opacity: .75 }
@media print { body { margin: 0; max-width: none; font-size: 9pt } tr { break-inside: avoid } }
";

/// Returns the page. `run` says how many texts were run, and may have a table.
pub fn page(program: &Path, grammar: &Path, run: &str, differences: &Differences) -> String {
    let name = |path: &Path| {
        escaped(
            &path
                .file_name()
                .unwrap_or(path.as_os_str())
                .to_string_lossy(),
        )
    };
    let (program, grammar) = (name(program), name(grammar));
    let mut text = format!(
        "{}<h1>Where <code>{program}</code> and <code>{grammar}</code> differ</h1>\n<pre>{}</pre>\n",
        head(&format!("{program} and {grammar}"), STYLE),
        escaped(run.trim_end())
    );
    for DifferencesOfKind {
        kind,
        count,
        groups,
    } in differences.kinds()
    {
        let _ = write!(
            text,
            "<h2>{count} {}</h2>\n<table>\n<tr><th class=\"count\">texts</th><th class=\"rule\">rule, edit</th>\
             <th>the smallest text</th><th>about it</th></tr>\n",
            kind.title()
        );
        for (GroupKey { rule, operator, .. }, Group { count, smallest }) in groups {
            let (rule, operator) = (escaped(rule), escaped(operator));
            let shown = escaped(&String::from_utf8_lossy(&smallest.text));
            let (origin, detail) = (escaped(&smallest.origin), escaped(&smallest.detail));
            let _ = writeln!(
                text,
                "<tr><td>{count}</td><td><code>{rule}</code><br><small>{operator}</small></td><td><pre>{shown}</pre></td>\
                 <td>{origin}<br><small>{detail}</small></td></tr>"
            );
        }
        text.push_str("</table>\n");
    }
    if differences.is_empty() {
        text.push_str("<p>No differences.</p>\n");
    }
    text.push_str("</body>\n</html>\n");
    text
}
