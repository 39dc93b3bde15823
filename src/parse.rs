//! Text to derivations.

mod chart;
mod extract;
mod matcher;
mod tables;

use self::chart::{Chart, Recogniser};
use self::extract::Parts;
pub use self::matcher::Matcher;
use self::tables::Tables;
use crate::derivation::Derivation;
use crate::grammar::Grammar;

/// Why a text has no derivation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Error {
    /// It is a beginning of a sentence up to this byte, but not with what comes there.
    Unexpected(usize),
    /// It is a sentence, but tokens that meet at this byte would be separated when it is written.
    Glued(usize),
    /// The token at this byte could not be matched within the steps that there are.
    Unclear(usize),
    /// It is longer than 4 GiB.
    TooLong,
}

impl Error {
    /// The byte that is told.
    pub fn at(self) -> usize {
        match self {
            Error::Unexpected(at) | Error::Glued(at) | Error::Unclear(at) => at,
            Error::TooLong => 0,
        }
    }
}

/// How often a text is read, if tokens turn out to be part of longer ones.
const ATTEMPTS: u32 = 16;

/// Reads texts by a grammar.
#[derive(Debug)]
pub struct Parser<'a> {
    grammar: &'a Grammar,
    tables: Tables,
    chart: Chart,
    parts: Parts,
}

impl<'a> Parser<'a> {
    /// A parser for the sentences of a grammar.
    pub fn new(grammar: &'a Grammar) -> Parser<'a> {
        Parser { grammar, tables: Tables::new(grammar), chart: Chart::default(), parts: Parts::default() }
    }

    /// The derivation of a whole text.
    ///
    /// # Errors
    /// Why it has none.
    pub fn parse(&mut self, text: &[u8], derivation: &mut Derivation) -> Result<(), Error> {
        let Parser { grammar, tables, chart, parts } = self;
        chart.vetoes.clear();
        if !grammar.derives_bytes() {
            std::str::from_utf8(text).map_err(|error| Error::Unexpected(error.valid_up_to()))?;
        }
        if !Recogniser::run(grammar, tables, text, chart)? {
            return Err(Error::Unexpected(chart.sets.last().map_or(0, |set| set.token as usize)));
        }
        for _ in 0..ATTEMPTS {
            let result = extract::extract(grammar, tables, text, chart, parts, derivation);
            if !matches!(result, Err(Error::Glued(_))) {
                return result;
            }
            let vetoes = chart.vetoes.clone();
            let mut is_sentence = false;
            for culprit in 0..3 {
                let found = parts.conflicts.iter().filter_map(|conflict| conflict.culprits[culprit..].iter().flatten().next());
                chart.vetoes.clone_from(&vetoes);
                chart.vetoes.extend(found);
                chart.vetoes.sort_unstable();
                chart.vetoes.dedup();
                if chart.vetoes.len() == vetoes.len() {
                    continue;
                }
                is_sentence = Recogniser::run(grammar, tables, text, chart)?;
                if is_sentence {
                    break;
                }
            }
            if !is_sentence {
                return result;
            }
        }
        Err(Error::Unclear(0))
    }
}
