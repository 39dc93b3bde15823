//! A fuzz target: its grammar, read when it is first needed, and its body.

use once_cell::sync::OnceCell;

use crate::bounds::Caps;
use crate::grammar::Grammar;
use crate::notation;
use crate::validity::Validity;

/// What `fuzz_target!` makes of its arguments.
pub struct Target {
    file: &'static str,
    source: &'static [u8],
    text: bool,
    body: fn(&[u8]) -> Validity,
    grammar: OnceCell<Grammar>,
}

impl Target {
    /// A target with a grammar from `file`; `text` if the body wants UTF-8.
    pub const fn new(file: &'static str, source: &'static [u8], text: bool, body: fn(&[u8]) -> Validity) -> Target {
        Target { file, source, text, body, grammar: OnceCell::new() }
    }

    /// The grammar's file, as the macro names it.
    pub fn file(&self) -> &'static str {
        self.file
    }

    pub(super) fn body(&self) -> fn(&[u8]) -> Validity {
        self.body
    }

    /// The grammar.
    ///
    /// # Errors
    /// What is wrong with it, or that the body wants UTF-8 and the grammar derives other bytes too.
    #[inline(always)]
    pub fn grammar(&self) -> Result<&Grammar, String> {
        self.grammar.get_or_try_init(|| self.read())
    }

    #[cold]
    #[inline(never)]
    fn read(&self) -> Result<Grammar, String> {
        let (grammar, warnings) =
            notation::read(self.file, self.source, &Caps::default()).map_err(|report| report.to_string())?;
        if self.text && !grammar.derives_utf8() {
            let problem = "error: this grammar can derive bytes that are not UTF-8, and the target takes `&str`; take `&[u8]`";
            return Err(format!("{}:1:1: {problem}\n", self.file));
        }
        eprint!("{warnings}");
        Ok(grammar)
    }
}
