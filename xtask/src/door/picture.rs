//! Draws lines of a terminal as an SVG file.

use std::fmt::Write as _;

/// The maximum number of characters of a line. Longer ones are cut.
const COLUMNS: usize = 98;

/// The width of a character, the height of a line, and the margin, in pixels.
const CHARACTER: f64 = 7.83;
const LINE: usize = 19;
const MARGIN: usize = 18;

/// A line of a terminal.
#[derive(Debug)]
pub struct Line {
    /// Its characters.
    pub text: String,
    class: &'static str,
}

impl Line {
    /// Returns a line with a command that a person types.
    pub fn command(command: &str) -> Line {
        Line {
            text: format!("$ {command}"),
            class: "command",
        }
    }

    /// Returns a line that a command prints.
    pub fn output(text: &str) -> Line {
        let class = match text {
            _ if text.contains("panicked at") => "panic",
            _ if text.starts_with("zester:") => "zester",
            _ => "output",
        };
        Line {
            text: text.into(),
            class,
        }
    }

    /// Removes the path of a directory.
    pub fn without(self, directory: &str) -> Line {
        Line {
            text: self.text.replace(&format!("{directory}/"), ""),
            ..self
        }
    }
}

/// Returns an SVG file with some lines.
pub fn draw(lines: &[Line]) -> String {
    let width = (COLUMNS as f64 * CHARACTER) as usize + 2 * MARGIN;
    let height = lines.len() * LINE + 2 * MARGIN;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
         height=\"{height}\" role=\"img\">\n<title>A fuzz target in five commands, up to the first \
         crash</title>\n<style>\n  rect {{ fill: #16181d }}\n  text {{ font: 13px ui-monospace, \
         SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace; white-space: pre; fill: \
         #d5d9e0 }}\n  .command {{ fill: #8fd694; font-weight: bold }}\n  .panic {{ fill: #ff8f87 \
         }}\n  .zester {{ fill: #f2d48a }}\n</style>\n<rect width=\"100%\" height=\"100%\" \
         rx=\"8\"/>\n"
    );
    for (at, Line { text, class }) in lines.iter().enumerate() {
        let y = MARGIN + 14 + at * LINE;
        let mut shown: String = text.chars().take(COLUMNS).collect();
        if shown.len() < text.len() {
            shown.pop();
            shown.push('…');
        }
        let escaped = shown
            .replace('&', "&amp;")
            .replace('<', "&lt;")
            .replace('>', "&gt;");
        writeln!(
            svg,
            "<text x=\"{MARGIN}\" y=\"{y}\" class=\"{class}\">{escaped}</text>"
        )
        .expect("a string");
    }
    svg + "</svg>\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_escaped_and_cut() {
        let svg = draw(&[
            Line::command("a < b & c"),
            Line::output(&"é".repeat(COLUMNS + 1)),
        ]);
        assert!(svg.contains("class=\"command\">$ a &lt; b &amp; c</text>"));
        assert_eq!(svg.matches('é').count(), COLUMNS - 1);
        assert!(svg.contains("é…</text>"));
    }
}
