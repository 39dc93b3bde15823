//! Annotations of a grammar: domains, arguments of rules, kinds of names, scopes.
//!
//! The notation first reads a grammar as if it had no annotations. Then
//! [`instantiate`](super::instantiate) makes an instance of each symbol for each combination of
//! values of the arguments that the symbol depends on.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::grammar::SymbolId;

/// A value of a domain, as an index into [`Annotations::values`].
pub(crate) type Value = u16;

/// A value of a domain as a term: a constructor with parts, or a value without parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ValueTerm {
    /// The text of the term in labels and messages, such as `list<int>`.
    pub name: Box<str>,
    /// The index of the constructor; [`None`] for a value without parts.
    pub constructor: Option<u16>,
    pub parts: Box<[Value]>,
}

/// An argument of the call of a rule, or of the use of a kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Argument {
    Value(Value),
    /// The value of an argument of the rule that contains this use, or a part of it. The path has
    /// the index of a part, then the index of a part of that part, and so on.
    Passed {
        index: u32,
        path: Box<[u8]>,
    },
    /// Any of these values. In a call of a rule, the expander chooses one of them. In the use of a
    /// name, the argument matches names with any of them.
    Any(Rc<[Value]>),
    /// A value with these parts, at least one of which contains a passed value. If no domain has
    /// such a value, the alternative with this argument is forbidden.
    Term {
        constructor: u16,
        parts: Box<[Argument]>,
    },
}

impl Argument {
    /// Returns, as bits, which arguments of the containing rule are passed in this argument.
    pub fn passed(&self) -> u32 {
        match self {
            Argument::Value(_) | Argument::Any(_) => 0,
            Argument::Passed { index, .. } => 1 << index,
            Argument::Term { parts, .. } => parts.iter().fold(0, |bits, part| bits | part.passed()),
        }
    }

    /// Returns whether the argument may have several values for one value of each argument of the
    /// containing rule.
    pub fn is_choice(&self) -> bool {
        match self {
            Argument::Value(_) | Argument::Passed { .. } => false,
            Argument::Any(_) => true,
            Argument::Term { parts, .. } => parts.iter().any(Argument::is_choice),
        }
    }
}

/// A kind of names with arguments, such as `variable<int>`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pattern {
    /// The index of the kind.
    pub kind: u32,
    pub arguments: Box<[Argument]>,
}

/// What an annotation says about a symbol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Annotation {
    /// A nonterminal that derives only the start of another rule, with these arguments.
    Call(Box<[Argument]>),
    /// A use of a name, or of a kind without names. After the use, the name is also visible as the
    /// kinds in `roles`. If `once` is set, the name is no longer visible as `pattern`.
    Use {
        pattern: Pattern,
        once: bool,
        roles: Box<[Pattern]>,
    },
    /// A declaration of a name for one or more kinds, or of kinds without names.
    Declare(Box<[Pattern]>),
    /// The names of a kind are not visible in the rest of the scope.
    Hide(Pattern),
    /// Declarations in this nonterminal are visible until its end.
    Scope,
    /// Declarations in this nonterminal are visible from its end on.
    After,
}

/// A kind of names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NameKind {
    pub name: Box<str>,
    /// The values of each argument.
    pub domains: Box<[Box<[Value]>]>,
}

/// For each alternative in the source of a rule: the values of each argument for which it is
/// allowed.
pub(crate) type Guards = Rc<[Box<[Box<[Value]>]>]>;

/// All annotations of a grammar.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Annotations {
    /// All values of all domains.
    pub values: Vec<ValueTerm>,
    pub kinds: Vec<NameKind>,
    /// By symbol: the index in `arguments` of the arguments of its rule.
    pub owners: Vec<u32>,
    /// Lists of arguments, each with its values. The first list is empty.
    pub arguments: Vec<Vec<Box<[Value]>>>,
    pub symbols: BTreeMap<SymbolId, Annotation>,
    pub guards: BTreeMap<SymbolId, Guards>,
}

impl Annotations {
    /// Returns whether the grammar has no annotations.
    pub fn is_empty(&self) -> bool {
        self.symbols.is_empty() && self.guards.is_empty()
    }
}
