//! Support for the unit tests of the passes: lowers a source by the first passes only.

use super::builder::GrammarBuilder;
use super::lexer::Lexer;
use super::report::Report;
use super::{ebnf, exclude, flatten};
use crate::grammar::SymbolId;

/// Returns the builder after the passes `flatten` and `exclude`.
pub fn lowered(source: &str) -> GrammarBuilder {
    let tree = ebnf::FileParser::new()
        .parse(Lexer::new(source))
        .expect("the source is syntactically correct");
    let (mut builder, mut report) = (GrammarBuilder::default(), Report::new("g", source));
    flatten::flatten(&tree, &mut builder, &mut report);
    assert_eq!(report.errors(), 0, "{report}");
    exclude::exclude(&mut builder, &mut report);
    assert_eq!(report.errors(), 0, "{report}");
    builder
}

pub fn symbol(builder: &GrammarBuilder, rule: &str) -> SymbolId {
    builder
        .rules
        .iter()
        .find(|found| found.name == rule)
        .expect("the grammar has the rule")
        .symbol
}
