//! Documents: the content of a report, written as HTML or as Markdown.
//!
//! The content of a document is a sum of elements: `heading("Failures") + paragraph("None.")`.
//! Elements have the names of HTML elements; [`markdown`] translates them. Texts are escaped: they
//! are never markup, and all their characters are visible.

mod markdown;

use std::fmt::Write;
use std::ops::{Add, AddAssign};

use crate::numbers::counted;

/// The style sheet of all pages, for light and dark screens and for paper.
const STYLE: &str = include_str!("document/style.css");

/// A search box. It hides the sections and the table rows with links whose names do not contain the
/// typed text. Without JavaScript, the box is hidden.
const SEARCH: &str = r#"<input type="search" placeholder="Names with …" aria-label="Names with" hidden>
<script>
const box = document.querySelector("input");
box.hidden = false;
box.oninput = () => document.querySelectorAll("section, tr:has(td > a)").forEach(part =>
  part.hidden = !part.querySelector("code").textContent.toLowerCase().includes(box.value.toLowerCase()));
</script>
"#;

/// The elements that are followed by a line break in the HTML source.
const BLOCKS: [&str; 12] = [
    "details", "div", "dl", "figure", "h1", "h2", "h3", "p", "pre", "section", "table", "tr",
];

/// The maximum number of characters of an excerpt.
const MAX_EXCERPT: usize = 4_000;

/// A document: a title and its content.
pub struct Document {
    title: Content,
    body: Content,
}

/// A sequence of texts and elements.
#[derive(Clone, Default)]
pub struct Content(Vec<Node>);

#[derive(Clone)]
enum Node {
    Text(String),
    /// Markup of HTML, such as an image. Other formats leave it out.
    Markup(String),
    /// An element with its name, its attributes and its content.
    Element(&'static str, String, Content),
}

impl Document {
    pub fn new(title: impl Into<Content>, body: Content) -> Document {
        let title = title.into();
        Document { title, body }
    }

    /// Returns the HTML page. It is one file and loads no other file.
    pub fn html(&self) -> String {
        let mut page = format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width\">\n<title>{}</title>\n\
             <style>{STYLE}</style>\n</head>\n<body>\n",
            escaped(&self.title.plain())
        );
        element("h1", "", self.title.clone()).write(false, &mut page);
        self.body.write(false, &mut page);
        page + "</body>\n</html>\n"
    }
}

/// Escapes a text for HTML. Line breaks, control characters and bidirectional characters become
/// visible escapes: `\n`, `\u{…}`. Narrow spaces after digits stay.
pub fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for char in text.chars() {
        match char {
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            '\\' => escaped.push(char),
            '\u{202f}' if escaped.ends_with(|last: char| last.is_ascii_digit()) => {
                escaped.push(char);
            }
            char => escaped.extend(char.escape_debug()),
        }
    }
    escaped
}

impl Content {
    /// Returns the contents with a separator between them.
    pub fn joined(all: impl IntoIterator<Item = Content>, separator: &str) -> Content {
        let mut joined = Content::default();
        for content in all {
            if !joined.0.is_empty() {
                joined += separator;
            }
            joined += content;
        }
        joined
    }

    /// Returns the texts without markup.
    fn plain(&self) -> String {
        let text = |node: &Node| match node {
            Node::Text(text) => text.clone(),
            Node::Markup(_) => String::new(),
            Node::Element(_, _, content) => content.plain(),
        };
        self.0.iter().map(text).collect()
    }

    /// Writes HTML. If `has_lines`, as inside `pre`, line breaks stay.
    fn write(&self, has_lines: bool, page: &mut String) {
        for node in &self.0 {
            match node {
                Node::Text(text) if has_lines => {
                    let lines: Vec<String> = text.split('\n').map(escaped).collect();
                    page.push_str(&lines.join("\n"));
                }
                Node::Text(text) => page.push_str(&escaped(text)),
                Node::Markup(markup) => page.push_str(markup),
                Node::Element("br", ..) => page.push_str("<br>"),
                Node::Element(name, attributes, content) => {
                    let _ = write!(page, "<{name}{attributes}>");
                    content.write(has_lines || *name == "pre", page);
                    let _ = write!(page, "</{name}>");
                    if BLOCKS.contains(name) {
                        page.push('\n');
                    }
                }
            }
        }
    }
}

impl<T: Into<String>> From<T> for Content {
    fn from(text: T) -> Content {
        Content(vec![Node::Text(text.into())])
    }
}

impl<T: Into<Content>> AddAssign<T> for Content {
    fn add_assign(&mut self, other: T) {
        self.0.extend(other.into().0);
    }
}

impl<T: Into<Content>> Add<T> for Content {
    type Output = Content;

    fn add(mut self, other: T) -> Content {
        self += other;
        self
    }
}

impl FromIterator<Content> for Content {
    fn from_iter<I: IntoIterator<Item = Content>>(contents: I) -> Content {
        Content(contents.into_iter().flat_map(|content| content.0).collect())
    }
}

/// Returns an element. `attributes` is empty, or begins with a space.
fn element(
    name: &'static str,
    attributes: impl Into<String>,
    content: impl Into<Content>,
) -> Content {
    let element = Node::Element(name, attributes.into(), content.into());
    Content(vec![element])
}

pub fn heading(title: impl Into<Content>) -> Content {
    element("h2", "", title)
}

/// Returns a heading to which links can lead.
pub fn heading_at(anchor: &str, title: impl Into<Content>) -> Content {
    element("h2", format!(" id=\"{}\"", escaped(anchor)), title)
}

pub fn subheading(title: impl Into<Content>) -> Content {
    element("h3", "", title)
}

pub fn paragraph(text: impl Into<Content>) -> Content {
    element("p", "", text)
}

/// Returns a paragraph in the style of a warning.
pub fn note(text: impl Into<Content>) -> Content {
    element("p", " class=\"note\"", text)
}

/// Returns an item of a list.
pub fn item(text: impl Into<Content>) -> Content {
    element("div", "", text)
}

pub fn line_break() -> Content {
    element("br", "", "")
}

pub fn strong(text: impl Into<Content>) -> Content {
    element("b", "", text)
}

/// Returns text in small print.
pub fn small(text: impl Into<Content>) -> Content {
    element("small", "", text)
}

/// Returns text in the style of a warning.
pub fn severe(text: impl Into<Content>) -> Content {
    element("span", " class=\"severe\"", text)
}

/// Returns an entry of a legend: a name with the colour of a CSS class, such as `series-1`.
pub fn key(class: &str, name: impl Into<Content>) -> Content {
    element("span", format!(" class=\"key {class}\""), name)
}

/// Returns a link to an anchor of the same document.
pub fn link(anchor: &str, text: impl Into<Content>) -> Content {
    element("a", format!(" href=\"#{}\"", escaped(anchor)), text)
}

/// Returns inline code.
pub fn code(text: impl AsRef<str>) -> Content {
    element("code", "", text.as_ref())
}

/// Returns preformatted text.
pub fn lines(text: impl Into<String>) -> Content {
    element("pre", "", text.into())
}

/// Returns a command of the shell.
pub fn command(text: impl Into<String>) -> Content {
    element("pre", " class=\"sh\"", text.into())
}

/// Returns the first [`MAX_EXCERPT`] characters of an input, and the number of further bytes.
pub fn excerpt(text: &[u8]) -> Content {
    let text = String::from_utf8_lossy(text);
    match text.char_indices().nth(MAX_EXCERPT) {
        Some((end, _)) => {
            let more = format!("… {} more", counted(text.len() - end, "byte"));
            element("pre", "", Content::from(&text[..end]) + small(more))
        }
        None => lines(text),
    }
}

/// Returns an input. If it is long, it is folded, and its first 80 characters are the summary.
pub fn folded(text: &[u8]) -> Content {
    let is_short = text.len() <= 240 && text.iter().filter(|byte| **byte == b'\n').count() < 8;
    let first_line: String = String::from_utf8_lossy(text).chars().take(80).collect();
    match is_short {
        true => excerpt(text),
        false => details(code(first_line) + "…", false, excerpt(text)),
    }
}

/// Returns content that a click on the summary shows or hides. `is_open` shows it at first.
pub fn details(summary: impl Into<Content>, is_open: bool, content: Content) -> Content {
    let summary = element("summary", "", summary);
    element(
        "details",
        if is_open { " open" } else { "" },
        summary + content,
    )
}

/// Returns a section to which links can lead.
pub fn section(anchor: &str, content: Content) -> Content {
    element("section", format!(" id=\"{}\"", escaped(anchor)), content)
}

/// Returns a search box for the sections of a page.
pub fn search() -> Content {
    Content(vec![Node::Markup(SEARCH.into())])
}

/// Returns an SVG element with a caption.
pub fn figure(caption: impl Into<Content>, svg: String) -> Content {
    let image = Content(vec![Node::Markup(svg)]);
    element("figure", "", element("figcaption", "", caption) + image)
}

/// Returns figures side by side.
pub fn grid(figures: Content) -> Content {
    element("div", " class=\"grid\"", figures)
}

/// Returns a bar with a label. Each part has a CSS class and a share of the width, from 0 to 1.
pub fn bar<'a>(label: &str, parts: impl IntoIterator<Item = (&'a str, f64)>) -> Content {
    let parts = parts.into_iter().map(|(class, share)| {
        let width = 100.0 * share;
        element(
            "i",
            format!(" class=\"{class}\" style=\"width:{width:.2}%\""),
            "",
        )
    });
    let label = format!(
        " class=\"bar\" role=\"img\" title=\"{0}\" aria-label=\"{0}\"",
        escaped(label)
    );
    element("span", label, parts.collect::<Content>())
}

/// Returns a list of values, each with its name.
pub fn values(values: impl IntoIterator<Item = (&'static str, String)>) -> Content {
    let values = values.into_iter().map(|(name, value)| {
        element(
            "div",
            "",
            element("dt", "", name) + element("dd", "", value),
        )
    });
    element("dl", "", values.collect::<Content>())
}

/// Returns a cell of a table that is aligned to the right.
pub fn number(number: impl ToString) -> Content {
    element("td", " class=\"number\"", number.to_string())
}

/// Returns a table. The titles are aligned like the first row.
pub fn table<T: Into<Content>, R: IntoIterator<Item = Content>>(
    titles: impl IntoIterator<Item = T>,
    rows: impl IntoIterator<Item = R>,
) -> Content {
    let cell = |content: Content| match content.0.first() {
        Some(Node::Element("td", ..)) => content,
        _ => element("td", "", content),
    };
    let row = |row: R| element("tr", "", row.into_iter().map(cell).collect::<Content>());
    let rows: Vec<Content> = rows.into_iter().map(row).collect();
    let first = rows.first().and_then(|row| match &row.0[..] {
        [Node::Element(_, _, cells)] => Some(&cells.0[..]),
        _ => None,
    });
    let titles = titles.into_iter().enumerate().map(|(at, title)| {
        let attributes = match first.and_then(|cells| cells.get(at)) {
            Some(Node::Element(_, attributes, _)) => &**attributes,
            _ => "",
        };
        element("th", attributes, title)
    });
    let head = element("tr", "", titles.collect::<Content>());
    let head = Some(head).filter(|head| !head.plain().is_empty());
    let table = element(
        "table",
        "",
        head.into_iter().chain(rows).collect::<Content>(),
    );
    element("div", " class=\"scroll\"", table)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::printable::is_control;

    /// A text with characters that have a meaning in HTML, in Markdown or on a terminal.
    const TEXT: &str = "<b>&\"'\0\u{1b}[0m\u{202e}\\n`x`|*y* \u{fffd}";

    fn document() -> Document {
        let long = [b'x'; MAX_EXCERPT + 7];
        let body = heading(TEXT)
            + paragraph(Content::from(TEXT) + code(TEXT) + link(TEXT, small(TEXT)))
            + lines(format!("{TEXT}\n```\n"))
            + excerpt(&[b"\xff\n", &long[..]].concat())
            + table(["n", TEXT], [[number("1\u{202f}000"), code(TEXT)]])
            + details(TEXT, false, bar(TEXT, [("rare", 0.5)]))
            + folded(&[b'\n'; 9]);
        Document::new(TEXT, body)
    }

    #[test]
    fn no_text_is_markup_of_html() {
        let page = document().html();
        let shown = "&lt;b&gt;&amp;&quot;&#39;\\0\\u{1b}[0m\\u{202e}\\n`x`|*y* \u{fffd}";
        assert_eq!(page.matches(shown).count(), 13, "{page}");
        assert!(
            !page.contains("<b>") && page.contains("\n```\n</pre>"),
            "{page}"
        );
        assert!(
            page.contains("<td class=\"number\">1\u{202f}000</td>"),
            "{page}"
        );
        assert!(
            page.contains("x<small>… 9 bytes more</small></pre>"),
            "{page}"
        );
        // Groups of three digits have a narrow blank between them.
        let is_shown = |char| matches!(char, '\n' | '\u{202f}') || !is_control(char);
        assert!(page.chars().all(is_shown));
    }

    #[test]
    fn no_text_is_markup_of_markdown() {
        let page = document().markdown();
        assert!(page.starts_with("# \\<b\\>&\"'"), "{page}");
        assert!(
            page.contains("\\`x\\`\\|\\*y\\*") && page.contains("``<b>&"),
            "{page}"
        );
        assert!(page.contains("\n````text\n<b>&"), "{page}");
        assert!(page.contains("x… 9 bytes more\n```\n"), "{page}");
        let row = page.lines().find(|line| line.starts_with("| 1")).unwrap();
        assert_eq!(row.replace("\\|", "").matches('|').count(), 3, "{row}");
        assert!(
            page.chars().all(|char| char == '\n' || !is_control(char)),
            "{page:?}"
        );
    }
}
