//! Shows a token with an exclusion (`a - b`) as one token in tables of weights.
//!
//! In the lowered grammar an exclusion is a finite automaton, with one nonterminal for each state.
//! These nonterminals are not in the source of the grammar, so tables do not list them.

use std::collections::BTreeSet;

use crate::grammar::{Grammar, Kind, SymbolId, parts};

/// The symbols of the automata of all exclusions.
pub(super) struct Exclusions {
    states: BTreeSet<SymbolId>,
    /// The symbols of the characters on the transitions between states.
    characters: BTreeSet<SymbolId>,
    /// The initial states: the states that are used by symbols outside of the automata.
    tokens: BTreeSet<SymbolId>,
}

impl Exclusions {
    pub fn new(grammar: &Grammar) -> Exclusions {
        let is_state = |symbol: &SymbolId| match &grammar[*symbol].kind {
            Kind::Nonterminal { .. } => grammar
                .alternatives(*symbol)
                .iter()
                .all(|alternative| alternative.source.is_none()),
            _ => false,
        };
        let states: BTreeSet<SymbolId> = (0..grammar.symbols().len() as u32)
            .map(SymbolId)
            .filter(is_state)
            .collect();
        let (mut characters, mut tokens) = (BTreeSet::new(), BTreeSet::new());
        for (from, to) in parts(grammar.tables()) {
            let (from, to) = (SymbolId(from), SymbolId(to));
            match (states.contains(&from), states.contains(&to)) {
                (true, false) => _ = characters.insert(to),
                (false, true) => _ = tokens.insert(to),
                _ => {}
            }
        }
        Exclusions {
            states,
            characters,
            tokens,
        }
    }

    pub fn contains(&self, symbol: SymbolId) -> bool {
        self.states.contains(&symbol) || self.characters.contains(&symbol)
    }

    /// Returns the name of the token whose initial state is `symbol`, and how often the token
    /// occurs in the samples.
    ///
    /// Returns [`None`] for the other symbols of an automaton. Also returns [`None`] if the initial
    /// state has only one alternative, because the choice of an only alternative is not counted.
    /// `count` returns how often samples chose an alternative of a symbol.
    pub fn token<'g>(
        &self,
        grammar: &'g Grammar,
        symbol: SymbolId,
        count: &dyn Fn(SymbolId, u32) -> f64,
    ) -> Option<(&'g str, f64)> {
        let alternatives = |symbol| (0..).zip(grammar.alternatives(symbol));
        if !self.tokens.contains(&symbol) || alternatives(symbol).count() < 2 {
            return None;
        }
        let entered: f64 = alternatives(symbol)
            .map(|(choice, _)| count(symbol, choice).max(0.0))
            .sum();
        // Within a token, the automaton may return to its initial state. Such visits do not begin
        // new tokens.
        let mut again = 0.0;
        for &state in &self.states {
            for (choice, alternative) in alternatives(state) {
                if grammar
                    .children(alternative)
                    .iter()
                    .any(|child| child.symbol == symbol)
                {
                    again += count(state, choice).max(0.0);
                }
            }
        }
        let label = grammar.label(symbol);
        Some((
            label.split('/').next().unwrap_or(label),
            (entered - again).max(0.0),
        ))
    }
}

#[cfg(test)]
mod tests {
    use crate::bounds::Caps;
    use crate::derivation::Derivation;
    use crate::notation;
    use crate::parse::Parser;
    use crate::weights::{Probabilities, Transform, Weights};

    #[test]
    fn a_token_with_an_exclusion_has_the_name_of_its_rule() {
        let source = br#"all = key ":" word ; @token key = [a-z]+ - ( "let" | "in" ) ; @token word = ( [a-z]* "0" ) - "a0" ;"#;
        let (grammar, _) = notation::read("g", source, &Caps::default()).unwrap();
        let (mut weights, mut derivation) = (Weights::new(&grammar, 0), Derivation::default());
        for sample in ["lets:aaa0", "ab:0", "i:b0"] {
            Parser::new(&grammar)
                .parse_into(sample.as_bytes(), &mut derivation)
                .unwrap();
            weights.add(&grammar, &derivation);
        }
        let tables = Probabilities::new(&grammar, &weights, Transform::default())
            .unwrap()
            .explain(&grammar, &weights);
        let tokens: Vec<(&str, f64)> = tables
            .iter()
            .map(|table| (table.name.as_str(), table.times))
            .collect();
        for name in ["key", "word"] {
            assert!(tokens.contains(&(name, 3.0)), "{tokens:?}");
        }
        assert!(
            tokens.iter().all(|(name, _)| !name.contains('/')),
            "{tokens:?}"
        );
    }
}
