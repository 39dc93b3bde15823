//! Refuses texts on which a subject would run out of its stack: an error of meaning.

/// Texts of at most so many bytes, with at most so many brackets one in another; brackets in strings count too.
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
