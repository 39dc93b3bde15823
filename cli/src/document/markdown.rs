//! Documents in Markdown. Images are left out. Of details that are not open, only the summary is
//! written.

use super::{Content, Document, Node};
use crate::printable::printable;

impl Document {
    /// Returns the document in Markdown.
    pub fn markdown(&self) -> String {
        let mut text = format!("# {}\n", inline(&self.title));
        let mut is_list = false;
        for node in &self.body.0 {
            let is_item =
                matches!(node, Node::Element("div", attributes, _) if attributes.is_empty());
            if !(is_item && is_list) {
                text.push('\n');
            }
            is_list = is_item;
            text += &block(node);
        }
        text
    }
}

/// Returns a block element.
fn block(node: &Node) -> String {
    match node {
        Node::Element("h2", _, title) => format!("## {}\n", inline(title)),
        Node::Element("h3", _, title) => format!("### {}\n", inline(title)),
        Node::Element("pre", attributes, content) => {
            let language = if attributes.is_empty() { "text" } else { "sh" };
            let text = content.plain();
            fenced(language, text.strip_suffix('\n').unwrap_or(&text))
        }
        Node::Element("table", _, rows) => {
            let mut rows: Vec<String> = rows.0.iter().map(block).collect();
            let columns = rows[0].matches(" |").count();
            rows.insert(1, format!("|{}\n", " --- |".repeat(columns)));
            rows.concat()
        }
        Node::Element("tr", _, cells) => {
            let cells = cells.0.iter().map(|cell| {
                // A `|` ends a cell, even in code.
                let text = inline_node(cell).replace("\\|", "|").replace('|', "\\|");
                format!(" {text} |")
            });
            format!("|{}\n", cells.collect::<String>())
        }
        Node::Element("div", attributes, content) if attributes.is_empty() => {
            format!("- {}\n", inline(content))
        }
        Node::Element("div" | "section" | "dl", _, content) => {
            content.0.iter().map(block).collect()
        }
        other => inline_node(other) + "\n",
    }
}

fn inline(content: &Content) -> String {
    content.0.iter().map(inline_node).collect()
}

fn inline_node(node: &Node) -> String {
    match node {
        Node::Text(text) => plain(text),
        Node::Markup(_) => String::new(),
        Node::Element("br", ..) => " ".into(),
        Node::Element("code" | "pre", _, content) => code(&content.plain()),
        Node::Element("b", _, content) => format!("**{}**", inline(content)),
        Node::Element("details", attributes, content) if attributes.is_empty() => {
            inline_node(&content.0[0])
        }
        Node::Element(_, _, content) => inline(content),
    }
}

/// Returns the length of the longest run of backquotes.
fn longest_run(text: &str) -> usize {
    let runs = text.split(|char| char != '`').map(str::len);
    runs.max().unwrap_or(0)
}

/// Returns a block whose fence is longer than every run of backquotes in the content.
fn fenced(language: &str, content: &str) -> String {
    let lines: Vec<String> = content.split('\n').map(printable).collect();
    let fence = "`".repeat(3.max(longest_run(content) + 1));
    format!("{fence}{language}\n{}\n{fence}\n", lines.join("\n"))
}

/// Returns inline code.
fn code(text: &str) -> String {
    let text = printable(text);
    let ticks = "`".repeat(longest_run(&text) + 1);
    match text.starts_with('`') || text.ends_with('`') {
        true => format!("{ticks} {text} {ticks}"),
        false => format!("{ticks}{text}{ticks}"),
    }
}

/// Escapes the characters that have a meaning in Markdown.
fn plain(text: &str) -> String {
    let mut plain = String::new();
    for char in printable(text).chars() {
        if "\\`*_[]<>#|".contains(char) {
            plain.push('\\');
        }
        plain.push(char);
    }
    plain
}
