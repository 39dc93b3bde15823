//! Refuses texts that would overflow the stack of a subject; the refusal counts as an error of
//! meaning.

/// Returns an error if the text has more than `longest` bytes, or brackets nested deeper than
/// `deepest`. Brackets in strings count too.
pub fn bound(text: &str, longest: usize, deepest: usize) -> Result<(), String> {
    if text.len() > longest {
        return Err("zester: too long".to_owned());
    }
    let mut open = 0_usize;
    for byte in text.bytes() {
        match byte {
            b'(' | b'[' | b'{' => open += 1,
            b')' | b']' | b'}' => open = open.saturating_sub(1),
            _ => (),
        }
        if open > deepest {
            return Err("zester: too deep".to_owned());
        }
    }
    Ok(())
}
