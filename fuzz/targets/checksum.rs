//! Fuzzes sentences with a checksum that a post-processor computes.
//!
//! Without the post-processor, all inputs would fail the first check.
#![no_main]

zester::fuzz_target!(
    grammar: "../../grammars/expr.ebnf",
    post_process: seal,
    pre_process: unseal,
    |text: &str| -> bool { open(text).is_some() }
);

/// Adds the checksum at the beginning.
fn seal(text: &mut String) {
    text.insert_str(0, &format!("{:08x} ", checksum(text)));
}

/// Removes the checksum; the inverse of [`seal`].
fn unseal(text: &mut String) {
    if let Some(content) = open(text) {
        *text = content.into();
    }
}

fn open(text: &str) -> Option<&str> {
    let (sum, content) = text.split_once(' ')?;
    (u32::from_str_radix(sum, 16) == Ok(checksum(content))).then_some(content)
}

/// Returns the Adler-32 checksum.
fn checksum(text: &str) -> u32 {
    let (a, b) = text.bytes().fold((1, 0), |(a, b), byte| {
        (
            (a + u32::from(byte)) % 65_521,
            (b + a + u32::from(byte)) % 65_521,
        )
    });
    b << 16 | a
}
