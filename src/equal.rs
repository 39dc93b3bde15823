//! Rewrites sentences to equivalent ones. An equivalence replaces or exchanges parts of a sentence
//! as an `@equal` or `@unordered` line of the grammar says, changes the layout, or renames a
//! declared name.
//!
//! # Guarantees
//!
//! * One application replaces one part, exchanges two parts that follow each other, or replaces all layout or one
//!   name. The rest of the text stays. [`Equivalents::together`] applies several lines to parts that have no common text.
//! * Holes keep their text. If a hole declares a name whose text also occurs outside of the hole,
//!   the hole is neither copied nor moved across another hole.
//! * A new name does not occur in the sentence.
//!
//! # Not guaranteed
//!
//! The result may be no sentence, because of exclusions or because tokens join. A name may be out
//! of the scope of its declaration. [`Equivalents::confirms`] checks the result by parsing, which
//! takes longer than writing it.

mod exchange;
mod matching;
mod names;
mod together;
mod write;

use std::ops::{ControlFlow, Range};

use self::matching::{HoleBindings, Match};
use self::names::{is_in_order, numbered};
pub use self::together::{Application, Together};
use self::write::EquivalentText;
use crate::derivation::{Derivation, NameRole};
use crate::grammar::{
    BuiltInEquivalence, Equivalence, EquivalentChange, EquivalentSides, Grammar, SymbolId,
};
use crate::parse::Parser;

/// How often both sentences are run again after their outcomes differed, because a program may have
/// random outcomes. For example, if the outcome of a sentence depends on the order of a hash map
/// with two entries, it stays the same in all these runs in 1 of 16 cases.
pub const REPETITIONS: usize = 4;

/// The kind of the difference if the program under test accepts a sentence and refuses an equivalent one.
pub const REFUSED: &str = "the equivalent sentence is refused";

/// Rewrites sentences of one grammar to equivalent ones. It reuses its memory.
///
/// # Examples
///
/// ```
/// use zester::equal::Equivalents;
/// use zester::Grammar;
///
/// let source = br#"
///     sum = product ( "+" product )* ;
///     product = [0-9]+ ;
///     @equal sum: a:product "+" b:product ~ b "+" a ;
/// "#;
/// let grammar = Grammar::read("sum.ebnf", source).unwrap();
/// let mut equivalents = Equivalents::new(&grammar);
/// let mut found = Vec::new();
/// equivalents.for_each(&grammar.parse(b"1+23").unwrap(), |_| true, |equivalence, text| {
///     found.push((equivalence, text.to_vec()));
///     std::ops::ControlFlow::Continue(())
/// });
/// assert_eq!(found, [(0, b"23+1".to_vec())]);
/// assert_eq!(equivalents.name(0), "sum ‹a› + ‹b› ~ ‹b› + ‹a›");
/// ```
#[derive(Debug)]
pub struct Equivalents<'g> {
    grammar: &'g Grammar,
    /// The role of each name of the sentence, with its node.
    roles: Vec<(usize, NameRole)>,
    /// For each node of the sentence, whether layout is forbidden before its first token.
    adjacent: Vec<bool>,
    /// For each symbol, the equivalence lines of the grammar that change its nodes.
    lines_of: Vec<Box<[u32]>>,
    /// For each line, the nodes of the sentence that it may change.
    nodes_of: Vec<Vec<u32>>,
    bindings: HoleBindings,
    output: EquivalentText,
    /// The parser, which is made when it is first needed.
    parser: Option<Parser<'g>>,
}

enum EquivalenceKind<'g> {
    /// A line of the source.
    Line(&'g Equivalence),
    /// A built-in equivalence, which every grammar has.
    BuiltIn(BuiltInEquivalence),
}

impl<'g> Equivalents<'g> {
    /// Returns a rewriter for the sentences of a grammar.
    pub fn new(grammar: &'g Grammar) -> Equivalents<'g> {
        let lines = &grammar.equivalences;
        let changes = |line: &Equivalence, symbol| match &line.change {
            EquivalentChange::Sides(_) => grammar.is_of(symbol, &line.rule),
            EquivalentChange::Exchange(part) => grammar.is_of(symbol, part),
        };
        let lines_of = |symbol| -> Box<[u32]> {
            let all = (0..).zip(lines);
            let all = all.filter(|(_, line)| changes(line, symbol));
            all.map(|(at, _)| at).collect()
        };
        Equivalents {
            grammar,
            roles: Vec::new(),
            adjacent: Vec::new(),
            lines_of: (0..grammar.symbols().len() as u32)
                .map(|symbol| lines_of(SymbolId(symbol)))
                .collect(),
            nodes_of: vec![Vec::new(); lines.len()],
            bindings: HoleBindings::default(),
            output: EquivalentText::default(),
            parser: None,
        }
    }

    /// Makes the tables of the parser, so that processes that are forked later share them.
    pub fn prepare_parser(&mut self) {
        self.parser();
    }

    /// Parses a text. Returns whether it is a sentence of the grammar.
    pub fn parse(&mut self, text: &[u8], derivation: &mut Derivation) -> bool {
        self.parser().parse_into(text, derivation).is_ok()
    }

    fn parser(&mut self) -> &mut Parser<'g> {
        let grammar = self.grammar;
        self.parser.get_or_insert_with(|| Parser::new(grammar))
    }

    /// Returns the number of equivalences: those in the source of the grammar, then the built-in
    /// ones.
    pub fn count(&self) -> usize {
        self.grammar.equivalences.len() + BuiltInEquivalence::ALL.len()
    }

    /// Returns the name of an equivalence.
    pub fn name(&self, equivalence: usize) -> &'g str {
        match self.kind(equivalence) {
            EquivalenceKind::Line(line) => &line.name,
            EquivalenceKind::BuiltIn(one) => one.name(),
        }
    }

    fn kind(&self, equivalence: usize) -> EquivalenceKind<'g> {
        let lines = &self.grammar.equivalences;
        match lines.get(equivalence) {
            Some(line) => EquivalenceKind::Line(line),
            None => EquivalenceKind::BuiltIn(BuiltInEquivalence::ALL[equivalence - lines.len()]),
        }
    }

    /// Applies each wanted equivalence to a sentence at each position, one application at a time. Calls
    /// `found` with the equivalence and the resulting text, until it returns [`ControlFlow::Break`].
    pub fn for_each(
        &mut self,
        derivation: &Derivation,
        is_wanted: impl Fn(usize) -> bool,
        mut found: impl FnMut(usize, &[u8]) -> ControlFlow<()>,
    ) {
        self.prepare(derivation);
        for equivalence in (0..self.count()).filter(|&equivalence| is_wanted(equivalence)) {
            for position in 0..self.positions(equivalence) {
                if self.apply(equivalence, position, derivation)
                    && found(equivalence, &self.output.text).is_break()
                {
                    return;
                }
            }
        }
    }

    /// Returns the first `most` results of [`Equivalents::for_each`]: equivalences and texts.
    pub fn first(
        &mut self,
        most: usize,
        derivation: &Derivation,
        is_wanted: impl Fn(usize) -> bool,
    ) -> Vec<(usize, Vec<u8>)> {
        let mut found = Vec::new();
        self.for_each(derivation, is_wanted, |equivalence, text| {
            found.push((equivalence, text.to_vec()));
            match found.len() < most {
                true => ControlFlow::Continue(()),
                false => ControlFlow::Break(()),
            }
        });
        found
    }

    /// Returns whether the result of an equivalence is a sentence of the grammar in which names
    /// keep their roles. `derivation` is the original sentence, and `text` is the result. If the
    /// equivalence can change the order of names, it suffices that the text has no more redeclared,
    /// undeclared or wrongly used names than the original sentence.
    pub fn confirms(&mut self, equivalence: usize, derivation: &Derivation, text: &[u8]) -> bool {
        let grammar = self.grammar;
        let Ok(parsed) = self.parser().parse(text) else {
            return false;
        };
        let [before, after] =
            [derivation, parsed].map(|derivation| numbered(&derivation.name_roles(grammar)));
        let keeps_order = match self.kind(equivalence) {
            EquivalenceKind::Line(line) => match &line.change {
                EquivalentChange::Sides(sides) => is_in_order(&sides.both[0], &sides.both[1]),
                EquivalentChange::Exchange(_) => false,
            },
            EquivalenceKind::BuiltIn(_) => true,
        };
        if keeps_order {
            return before == after;
        }
        let is_wrong = |role: &&NameRole| !matches!(role, NameRole::Declaration | NameRole::Use(_));
        before.iter().filter(is_wrong).count() >= after.iter().filter(is_wrong).count()
    }

    /// Reads the names of a sentence, and where layout is allowed.
    fn prepare(&mut self, derivation: &Derivation) {
        derivation.adjacent(self.grammar, &mut self.adjacent);
        self.nodes_of.iter_mut().for_each(Vec::clear);
        for (node, at) in derivation.nodes().iter().zip(0..) {
            for &line in &self.lines_of[node.symbol.0 as usize] {
                self.nodes_of[line as usize].push(at);
            }
        }
        self.roles.clear();
        if self.grammar.has_names() {
            self.roles = derivation.name_roles(self.grammar);
        }
    }

    /// Returns the number of positions of a sentence at which an equivalence may apply.
    /// [`Equivalents::apply`] takes a position.
    fn positions(&self, equivalence: usize) -> usize {
        let grammar = self.grammar;
        match self.kind(equivalence) {
            EquivalenceKind::Line(line) => match line.change {
                // Each node of the rule, for each direction.
                EquivalentChange::Sides(_) => 2 * self.nodes_of[equivalence].len(),
                EquivalentChange::Exchange(_) => self.nodes_of[equivalence].len(),
            },
            EquivalenceKind::BuiltIn(one) if grammar.unequal.contains(&one) => 0,
            EquivalenceKind::BuiltIn(BuiltInEquivalence::Layout) => {
                grammar.layout().map_or(0, |layout| layout.separators.len())
            }
            EquivalenceKind::BuiltIn(BuiltInEquivalence::Names) => self.roles.len(),
        }
    }

    /// Applies an equivalence at a position, and writes the result to `output`. Returns whether the
    /// equivalence applies there.
    fn apply(&mut self, equivalence: usize, position: usize, derivation: &Derivation) -> bool {
        self.output.clear();
        let node = |at: usize| self.nodes_of[equivalence][at] as usize;
        let applies = match self.kind(equivalence) {
            EquivalenceKind::Line(line) => match &line.change {
                EquivalentChange::Sides(sides) => {
                    let node = node(position / 2);
                    (!line.depends_on_types() || self.types_are_known(node, derivation))
                        && self.replace_side(node, position % 2, sides, derivation)
                }
                EquivalentChange::Exchange(part) => {
                    self.exchange(node(position), &line.rule, part, derivation)
                }
            },
            EquivalenceKind::BuiltIn(BuiltInEquivalence::Layout) => {
                self.change_layout(position, derivation)
            }
            EquivalenceKind::BuiltIn(BuiltInEquivalence::Names) => {
                self.rename(position, derivation)
            }
        };
        applies && self.output.text != derivation.text()
    }

    /// Replaces a node that has the form of the side `matched` by the form of the other side.
    /// Returns whether that is possible.
    fn replace_side(
        &mut self,
        node: usize,
        matched: usize,
        sides: &EquivalentSides,
        derivation: &Derivation,
    ) -> bool {
        if matched == 1 && sides.is_directed {
            return false;
        }
        let (found, written) = (&*sides.both[matched], &*sides.both[1 - matched]);
        let search = Match {
            grammar: self.grammar,
            derivation,
            parts: found,
        };
        search.find(node, sides.holes, &mut self.bindings)
            && self.keeps_names(node, (found, written), derivation)
            && self.replace(node, written, derivation)
    }
}

/// Returns the range of a node's text without the layout before it.
fn visible(grammar: &Grammar, derivation: &Derivation, node: usize) -> Range<usize> {
    let whole = derivation.text_range(node);
    let subtree = node..node + derivation.nodes()[node].size as usize;
    let first = subtree
        .into_iter()
        .find_map(|node| derivation.token_range(grammar, node));
    first.map_or(whole.start, |token| token.start)..whole.end
}

#[cfg(test)]
mod tests;
