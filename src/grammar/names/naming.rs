//! The tables of a grammar with names: which symbols use and declare names, and which alternatives
//! need names.

use std::ops::Range;

use crate::grammar::completion::Completion;
use crate::grammar::sizes::SizeTable;
use crate::grammar::{Grammar, Size, SymbolId, span};

/// The effect of a symbol on names when it is expanded. Here, an instance is the number of a kind
/// of names with values for all arguments, such as `variable<int>`.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub(crate) enum Effect {
    #[default]
    None,
    /// An identifier that uses a name of one of these instances. After the use, the name is also
    /// visible as the instances in `roles`. If `once` is set, the name is no longer visible as one
    /// of `instances`.
    Use {
        namespace: u32,
        instances: Range<u32>,
        once: bool,
        roles: Range<u32>,
    },
    /// An identifier that declares a name of all of these instances.
    Declare {
        namespace: u32,
        instances: Range<u32>,
    },
    /// Declares these instances of kinds without names.
    Mark { instances: Range<u32> },
    /// The names of these instances are not visible in the rest of the scope.
    Hide { instances: Range<u32> },
    /// Declarations in this nonterminal are visible until its end.
    Scope,
    /// Declarations in this nonterminal are visible from its end on.
    After,
}

/// The declarations and uses of names in a grammar, as tables.
#[derive(Clone, Debug, PartialEq, Default)]
pub(crate) struct Naming {
    /// The erased grammar, which the parser uses. It has no names, and its rules take no arguments.
    pub erased: Option<Box<Grammar>>,
    /// By symbol: the symbol of the erased grammar that it is an instance of.
    pub origins: Box<[SymbolId]>,
    /// By symbol of the erased grammar: whether it is a call, which derives only another rule.
    pub calls: Box<[bool]>,
    /// By symbol: its effect on names.
    pub effects: Box<[Effect]>,
    /// The number of instances of kinds.
    pub instances: u32,
    /// For each identifier terminal with declared names: the number of its names.
    pub namespaces: Box<[u32]>,
    /// By identifier terminal: the instances that are roles of used names, as a range of `lists`.
    pub roles: Box<[Range<u32>]>,
    /// Lists of instances, as [`Effect`] refers to them.
    pub lists: Box<[u16]>,
    /// By alternative: the index of the alternative of the erased symbol that it is an instance of.
    /// It is 0 for the alternatives of a call.
    pub sources: Box<[u32]>,
    /// By symbol: the number of its alternatives, not counting copies. Copies come last and need no
    /// visible names.
    pub regular: Box<[u32]>,
    /// By alternative: the index of its copy; 0 if it has none.
    pub copies: Box<[u32]>,
    /// For each nonterminal, the indices of its alternatives, ordered by their size where no name
    /// is visible. They are stored at the positions of its alternatives. The position of a copy has
    /// a 0.
    pub by_size: Box<[u32]>,
    /// By alternative: its product in `completion`; `u32::MAX` for copies and for alternatives that
    /// arguments forbid.
    pub product_of: Box<[u32]>,
    /// How symbols can be completed with declared names.
    pub completion: Completion,
    /// The minimum sizes where no name is visible.
    pub base: SizeTable,
    /// By alternative: the identifier terminals from which the alternative always declares a name
    /// in the scope around it, as bits. Terminals after the first 64 have no bit.
    pub alternative_declares: Box<[u64]>,
    /// By symbol: the identifier terminals of which all its derivations declare a name, as bits.
    /// Terminals after the first 64 have no bit.
    pub symbol_declares: Box<[u64]>,
}

impl Naming {
    /// Returns the symbol that takes the place of children that arguments forbid. It is never
    /// allowed.
    pub fn nothing(&self) -> SymbolId {
        SymbolId(self.origins.len() as u32 - 1)
    }

    pub fn uses_name(&self, symbol: SymbolId) -> bool {
        matches!(self.effects[symbol.0 as usize], Effect::Use { .. })
    }

    /// Returns whether a symbol is a use that changes as what its name is visible, because the use
    /// has roles or is `once`.
    pub fn changes_role(&self, symbol: SymbolId) -> bool {
        matches!(&self.effects[symbol.0 as usize], Effect::Use { roles, once, .. } if *once || !roles.is_empty())
    }

    #[inline(always)]
    pub fn list(&self, list: &Range<u32>) -> &[u16] {
        &self.lists[span(list)]
    }

    /// Returns the minimum size of an alternative that uses visible names only. `table` has the
    /// sizes for the visible names. The size of a copy is infinite, because it uses undeclared
    /// names.
    #[inline(always)]
    pub fn size(&self, table: &SizeTable, alternative: u32) -> Size {
        match self.product_of[alternative as usize] {
            u32::MAX => Size::NEVER,
            product => table.product(product),
        }
    }

    /// Returns whether an alternative needs visible names.
    pub fn needs_names(&self, alternative: u32) -> bool {
        let product = self.product_of[alternative as usize];
        product != u32::MAX && !self.base.product(product).is_finite()
    }
}
