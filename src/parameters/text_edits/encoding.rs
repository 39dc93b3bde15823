//! Encodings of a text other than plain UTF-8.

/// An encoding. Programs that read bytes guess the encoding of a text from its first bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// UTF-8 with a byte order mark.
    Utf8Mark,
    /// UTF-16, the less significant byte first, with a byte order mark.
    Utf16LeMark,
    /// UTF-16, the more significant byte first, with a byte order mark.
    Utf16BeMark,
    /// UTF-16, the less significant byte first.
    Utf16Le,
    /// UTF-16, the more significant byte first.
    Utf16Be,
    /// ISO 8859-1. Characters that it does not have become `?`.
    Latin1,
}

impl Encoding {
    /// All encodings. The index is the number of the encoding.
    pub const ALL: [Encoding; 6] = [
        Encoding::Utf8Mark,
        Encoding::Utf16LeMark,
        Encoding::Utf16BeMark,
        Encoding::Utf16Le,
        Encoding::Utf16Be,
        Encoding::Latin1,
    ];

    /// Returns the encoding with a number. A larger number means its remainder.
    #[inline(always)]
    pub fn of(number: u8) -> Encoding {
        Encoding::ALL[usize::from(number) % Encoding::ALL.len()]
    }

    /// Writes a text in this encoding. A text that is not UTF-8 is read as ISO 8859-1. `to` is
    /// overwritten.
    #[inline(always)]
    pub fn write(self, text: &[u8], to: &mut Vec<u8>) {
        to.clear();
        let units = |to: &mut Vec<u8>, character: char| {
            let mut units = [0; 2];
            for unit in character.encode_utf16(&mut units) {
                let is_le = matches!(self, Encoding::Utf16LeMark | Encoding::Utf16Le);
                to.extend_from_slice(&if is_le {
                    unit.to_le_bytes()
                } else {
                    unit.to_be_bytes()
                });
            }
        };
        match self {
            Encoding::Utf8Mark => {
                to.extend_from_slice(b"\xEF\xBB\xBF");
                to.extend_from_slice(text);
                return;
            }
            Encoding::Utf16LeMark | Encoding::Utf16BeMark => units(to, '\u{FEFF}'),
            Encoding::Utf16Le | Encoding::Utf16Be | Encoding::Latin1 => {}
        }
        let mut write = |character: char| match self {
            Encoding::Latin1 => to.push(u8::try_from(u32::from(character)).unwrap_or(b'?')),
            _ => units(to, character),
        };
        match std::str::from_utf8(text) {
            Ok(text) => text.chars().for_each(write),
            Err(_) => {
                for &byte in text {
                    write(char::from(byte));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_encoding_has_its_number_and_writes_its_bytes() {
        let text = "a\u{E4}\u{1F600}".as_bytes();
        let written = |encoding: Encoding| {
            let mut to = Vec::new();
            encoding.write(text, &mut to);
            to
        };
        assert!(Encoding::ALL.iter().enumerate().all(
            |(at, &encoding)| encoding as usize == at && Encoding::of(at as u8 + 6) == encoding
        ));
        assert_eq!(
            written(Encoding::Utf8Mark),
            [b"\xEF\xBB\xBF", text].concat()
        );
        assert_eq!(
            written(Encoding::Utf16LeMark),
            b"\xFF\xFEa\0\xE4\0\x3D\xD8\0\xDE"
        );
        assert_eq!(
            written(Encoding::Utf16BeMark),
            b"\xFE\xFF\0a\0\xE4\xD8\x3D\xDE\0"
        );
        assert_eq!(
            written(Encoding::Utf16Le),
            written(Encoding::Utf16LeMark)[2..]
        );
        assert_eq!(
            written(Encoding::Utf16Be),
            written(Encoding::Utf16BeMark)[2..]
        );
        assert_eq!(written(Encoding::Latin1), b"a\xE4?");
    }
}
