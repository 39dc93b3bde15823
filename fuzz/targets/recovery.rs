//! Fuzzes a reader of JSON that goes on after an error, with a planted fault in an error path.
//!
//! No sentence of the grammar reaches the fault.
#![no_main]

zester::fuzz_target!(grammar: "../../grammars/json.ebnf", |text: &str| errors(text.as_bytes()) == 0);

/// A construct of which a part has been read.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Open {
    Array,
    /// An object, before a key.
    Object,
    /// An object, after a key and before its colon.
    Key,
    /// An object, after a colon.
    Value,
}

/// Returns the number of errors in a text.
fn errors(text: &[u8]) -> usize {
    let (mut open, mut errors, mut at) = (Vec::new(), 0, 0);
    while let Some(&byte) = text.get(at) {
        at += 1;
        match (byte, open.last().copied()) {
            (b'[', _) => open.push(Open::Array),
            (b'{', _) => open.push(Open::Object),
            (b'"', inside) => {
                at += length_of_string(&text[at..]);
                if inside == Some(Open::Object) {
                    replace_last(&mut open, Open::Key);
                }
            }
            (b':', Some(Open::Key)) => replace_last(&mut open, Open::Value),
            (b',', Some(Open::Value)) => replace_last(&mut open, Open::Object),
            (b']' | b'}', _) => errors += usize::from(!close(&mut open, byte)),
            (b':', _) => errors += 1,
            _ => {}
        }
    }
    errors + open.len()
}

/// Returns the number of bytes up to the end of a string.
fn length_of_string(text: &[u8]) -> usize {
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        at += if byte == b'\\' { 2 } else { 1 };
        if byte == b'"' {
            break;
        }
    }
    at
}

fn replace_last(open: &mut [Open], new: Open) {
    if let Some(last) = open.last_mut() {
        *last = new;
    }
}

/// Closes the innermost construct and, after an error, those around it until one fits. Returns
/// whether the innermost one fits.
#[inline(never)]
fn close(open: &mut Vec<Open>, byte: u8) -> bool {
    let mut fits = true;
    while let Some(last) = open.pop() {
        if (byte == b']') == (last == Open::Array) {
            // The planted fault: the end of an object after a key without a value, inside two other
            // constructs.
            assert!(
                last != Open::Key || open.len() < 2,
                "a key without a value in {open:?}"
            );
            return fits;
        }
        fits = false;
    }
    false
}
