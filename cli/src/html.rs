//! Parts that all HTML pages share: the head, escaped text, and excerpts of inputs.

/// The maximum number of characters of an excerpt.
const MAX_EXCERPT: usize = 2_000;

/// Returns the beginning of a page, up to its `<body>`. `title` is escaped text. `style` is the
/// style sheet.
pub fn head(title: &str, style: &str) -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<title>{title}</title>\n\
         <style>{style}</style>\n</head>\n<body>\n"
    )
}

/// Returns text without markup, in which every character is visible. Line breaks, control characters
/// and bidirectional characters are written as in literals: `\n`, `\u{…}`.
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
            char => escaped.extend(char.escape_debug()),
        }
    }
    escaped
}

/// Returns the first [`MAX_EXCERPT`] characters of a text, escaped, but with its line breaks. If the
/// text is longer, the number of further bytes follows.
pub fn excerpt(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text);
    let end = text
        .char_indices()
        .nth(MAX_EXCERPT)
        .map_or(text.len(), |(at, _)| at);
    let lines: Vec<String> = text[..end].split('\n').map(escaped).collect();
    let more = if end < text.len() {
        format!("… <small>{} bytes more</small>", text.len() - end)
    } else {
        String::new()
    };
    lines.join("\n") + &more
}

/// Returns the first 80 characters of an input, escaped and in one line.
pub fn first_line(input: &[u8]) -> String {
    let text = String::from_utf8_lossy(input);
    escaped(&text.chars().take(80).collect::<String>())
}

/// Returns a probability in percent. The result is `0.00 %` only for 0.
pub fn percent(probability: f64) -> String {
    if probability > 0.0 && probability < 5e-5 {
        "<0.01 %".into()
    } else {
        format!("{:.2} %", 100.0 * probability)
    }
}
