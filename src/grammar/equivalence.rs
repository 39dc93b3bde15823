//! Equivalences: changes of a sentence after which a program should give the same answer.

use super::{Grammar, Graph, Kind, SymbolId, parts};

/// An equivalence of a grammar: `@equal sum: a:product "+" b:product ~ b "+" a ;`, or
/// `@unordered object: member ;`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Equivalence {
    /// A description: the rule and both sides, such as `sum ‹a› + ‹b› ~ ‹b› + ‹a›`, or the rule and
    /// its parts that may be in any order.
    pub name: Box<str>,
    /// The rule whose nodes are changed.
    pub(crate) rule: RulePattern,
    pub(crate) change: EquivalentChange,
}

/// How an equivalence changes a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum EquivalentChange {
    /// The form of one side is replaced by that of the other.
    Sides(EquivalentSides),
    /// Two neighbouring parts of this rule are exchanged.
    Exchange(RulePattern),
}

/// Two equivalent forms of a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct EquivalentSides {
    /// Both forms.
    pub both: [Box<[SidePart]>; 2],
    /// Whether only the left side is replaced.
    pub is_directed: bool,
    /// The number of holes and of fresh names.
    pub holes: usize,
}

impl Equivalence {
    /// Returns whether the rule or a hole has values of arguments, such as `expr<int>`, so that the
    /// equivalence holds for some types only.
    pub(crate) fn depends_on_types(&self) -> bool {
        let EquivalentChange::Sides(sides) = &self.change else {
            return false;
        };
        let has_values = |part: &SidePart| matches!(&part.kind, PartKind::Hole { rule, .. } if rule.label.is_some());
        self.rule.label.is_some() || sides.both.iter().flatten().any(has_values)
    }
}

/// An equivalence that every grammar has, unless its source switches it off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BuiltInEquivalence {
    /// All layout is replaced by another separator.
    Layout,
    /// Declared names are replaced by other names.
    Names,
}

impl BuiltInEquivalence {
    /// All built-in equivalences.
    pub const ALL: [BuiltInEquivalence; 2] =
        [BuiltInEquivalence::Layout, BuiltInEquivalence::Names];

    /// Returns the word for the equivalence in a grammar's source.
    pub fn word(self) -> &'static str {
        match self {
            BuiltInEquivalence::Layout => "layout",
            BuiltInEquivalence::Names => "names",
        }
    }

    /// Returns the name of the equivalence in messages.
    pub fn name(self) -> &'static str {
        match self {
            BuiltInEquivalence::Layout => "other layout",
            BuiltInEquivalence::Names => "other names",
        }
    }
}

/// Matches all nodes of a rule, or only those with certain values of the rule's arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RulePattern {
    /// The symbol of the rule in the erased grammar.
    pub rule: SymbolId,
    /// The label of the instance, such as `list<int>`. [`None`] matches all instances.
    pub label: Option<Box<str>>,
}

/// A part of a side of an equivalence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SidePart {
    pub kind: PartKind,
    /// Whether layout is allowed before the part. Ignored for the first part.
    pub is_separated: bool,
}

/// What a part of a side stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PartKind {
    /// A token with this text, or a part of a token.
    Text(Box<[u8]>),
    /// A node of a rule, or a list of any number of neighbouring nodes.
    Hole {
        /// The index of the hole. Holes with the same index stand for the same text.
        hole: usize,
        rule: RulePattern,
        is_list: bool,
        /// The rules of the erased grammar of which the text must contain no node.
        without: Box<[SymbolId]>,
    },
    /// A name of an identifier terminal that the sentence does not contain.
    Fresh { hole: usize, rule: SymbolId },
}

impl Grammar {
    /// Returns whether a node of `rule` may contain a node of `part`. Both are rules of the erased
    /// grammar.
    pub(crate) fn has_part(&self, rule: SymbolId, part: SymbolId) -> bool {
        let erased = self.erased();
        let edges = parts(erased.tables());
        let reachable = Graph::new(erased.symbols().len(), &edges).reachable(rule.0);
        let is_part = |symbol| erased.is_of_rule(SymbolId(symbol), part);
        (edges.iter()).any(|&(from, to)| reachable[from as usize] && is_part(to))
    }

    /// Returns whether the nodes of a symbol match a pattern. For a lexeme, its token must match.
    pub(crate) fn is_of(&self, symbol: SymbolId, pattern: &RulePattern) -> bool {
        let is_of = |symbol| {
            self.erased().is_of_rule(self.origin(symbol), pattern.rule)
                && (pattern.label.as_deref()).is_none_or(|label| label == self.label(symbol))
        };
        match self[symbol].kind {
            Kind::Lexeme { body, .. } => is_of(body),
            _ => is_of(symbol),
        }
    }

    /// Returns whether a symbol is that of a rule, or a declaration or use of a name of the rule.
    /// The rules of this grammar must take no arguments.
    pub(crate) fn is_of_rule(&self, symbol: SymbolId, rule: SymbolId) -> bool {
        let is_name = |symbol: SymbolId| matches!(self[symbol].kind, Kind::Identifier { .. });
        symbol == rule || is_name(symbol) && is_name(rule) && self.label(symbol) == self.label(rule)
    }
}
