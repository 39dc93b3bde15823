//! The diagnosis as an HTML page: one file, without scripts.

use std::fmt::Write;

use super::page::{Page, SHOWN, percent, title};
use crate::html::{escaped, excerpt, head};

/// The style sheet.
const STYLE: &str = "\
:root { color-scheme: light dark; --line: #8884; --bar: #c44; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.3rem; } h2 { font-size: 1.05rem; margin: 2rem 0 .3rem; }
pre, code { font: 13px/1.45 ui-monospace, monospace; }
pre { border: 1px solid var(--line); border-radius: 4px; padding: .5rem .7rem; white-space: pre-wrap; overflow-wrap: anywhere; margin: .4rem 0; }
table { border-collapse: collapse; width: 100%; margin: .5rem 0; }
th, td { text-align: left; vertical-align: top; padding: .25rem .6rem .25rem 0; border-bottom: 1px solid var(--line); }
td.n, th.n { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
td code { overflow-wrap: anywhere; }
.bar { height: 6px; background: var(--line); border-radius: 3px; } .bar i { display: block; height: 6px; background: var(--bar); border-radius: 3px; }
.reason { opacity: .75; } .mend { border-left: 3px solid #48c; padding-left: .7rem; }
@media print { body { margin: 0; } h2 { break-after: avoid; } }
";

/// Returns the page. `section` comes at its end.
pub fn html(page: &Page<'_>, section: &str) -> String {
    let heading = format!("zester why: {}", escaped(&page.source.name));
    let mut html = head(&heading, STYLE);
    let _ = write!(
        html,
        "<h1>{heading}</h1>\n<p>{}.</p>\n",
        escaped(&page.headline())
    );
    let whole = &page.diagnosis.whole;
    for (number, group) in (1..).zip(&page.diagnosis.groups) {
        let _ = write!(
            html,
            "<h2>{number}. {} &nbsp;{}</h2>\n<div class=\"bar\"><i style=\"width:{:.1}%\"></i></div>\n\
             <pre>{}</pre>\n<p class=\"reason\">{}</p>\n",
            percent(group.share),
            escaped(&title(&group.symptom)),
            100.0 * group.share,
            excerpt(&group.example),
            escaped(&group.reason),
        );
        html.push_str(
            "<table><tr><th>suspect</th><th></th><th class=\"n\">with it</th><th class=\"n\">valid</th>\
             <th class=\"n\">edges</th></tr>\n",
        );
        let _ = writeln!(
            html,
            "<tr><td colspan=\"2\">the whole grammar</td><td class=\"n\">{}</td><td class=\"n\">{}</td>\
             <td class=\"n\">{}</td></tr>",
            percent(whole.share_of(&group.symptom)),
            percent(whole.valid),
            whole.valid_edges,
        );
        for cause in group.causes.iter().take(SHOWN) {
            let part = page.parts.get(cause.suspect.part);
            let figures = match &cause.without {
                Some(without) => [
                    percent(without.share_of(&group.symptom)),
                    percent(without.valid),
                    without.valid_edges.to_string(),
                ],
                None => ["–".to_string(), "–".to_string(), "–".to_string()],
            };
            let _ = writeln!(
                html,
                "<tr><td>without {}:{}</td><td><code>{}</code></td><td class=\"n\">{}</td><td class=\"n\">{}</td>\
                 <td class=\"n\">{}</td></tr>",
                page.source.position(part.start).0,
                page.source.position(part.start).1,
                escaped(&page.source.described(page.parts, cause.suspect.part)),
                figures[0],
                figures[1],
                figures[2],
            );
        }
        html.push_str("</table>\n");
        if let Some(mend) = &group.mend {
            let _ = writeln!(html, "<p class=\"mend\">{}</p>", escaped(&mend.to_string()));
        }
    }
    html.push_str(section);
    html.push_str("</body>\n</html>\n");
    html
}
