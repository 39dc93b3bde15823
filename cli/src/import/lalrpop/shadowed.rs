//! Literals that the lexer never reads, because a regular expression of an earlier block of `match` takes their
//! texts.

use std::collections::HashMap;

use super::syntax::{LalrpopGrammar, TokenPattern};

/// The maximum size of a compiled regular expression, in bytes.
const SIZE: usize = 1 << 20;

/// The blocks of the literals and of the regular expressions.
pub struct ShadowedLiterals {
    /// The block of each literal in `match`, and of all others.
    blocks: HashMap<String, usize>,
    others: usize,
    /// The regular expressions of all blocks, each with the number of its block.
    patterns: Vec<(usize, regex::Regex)>,
}

impl ShadowedLiterals {
    /// Reads the blocks of a grammar.
    pub fn new(grammar: &LalrpopGrammar) -> ShadowedLiterals {
        let mut literals = ShadowedLiterals {
            blocks: HashMap::new(),
            others: grammar.blocks.len(),
            patterns: Vec::new(),
        };
        for (block, entries) in grammar.blocks.iter().enumerate() {
            for entry in entries {
                match &entry.pattern {
                    None => literals.others = block,
                    Some(TokenPattern::Literal(text)) => {
                        literals.blocks.entry(text.clone()).or_insert(block);
                    }
                    Some(TokenPattern::Regex(text)) => {
                        let whole = regex::RegexBuilder::new(&format!("^(?:{text})$"))
                            .size_limit(SIZE)
                            .build();
                        literals.patterns.extend(whole.map(|whole| (block, whole)));
                    }
                }
            }
        }
        literals
    }

    /// Whether the lexer never reads a literal.
    pub fn has(&self, text: &str) -> bool {
        let own = *self.blocks.get(text).unwrap_or(&self.others);
        let mut earlier = self.patterns.iter().filter(|(block, _)| *block < own);
        earlier.any(|(_, pattern)| pattern.is_match(text))
    }
}
