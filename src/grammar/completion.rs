//! How each symbol can be completed with declared names only, and the size of the smallest
//! completion.
//!
//! An *instance* here is a kind of names with values, such as `variable<int>`. A *vertex* is a
//! symbol together with two sets of instances: those that are declared before the symbol within the
//! same alternative, and those that may be hidden there. A *product* is one way to complete a
//! vertex: an alternative, with the vertices of its children.
//!
//! A vertex that uses a name can be completed while a name of one of its instances is visible,
//! unless the instance may be hidden before it. [`Sizes`](super::Sizes) has the minimum sizes for
//! the names that are visible at a position.
//!
//! # Guarantees
//!
//! If a vertex has a finite size, its symbol can be completed with declared names, and so can all
//! symbols after it. Declarations never hide the last visible name of an instance.
//!
//! # Not guaranteed
//!
//! A vertex with an infinite size may still have derivations with declared names. For example, an
//! earlier child may declare a name in only some of its derivations.

use std::ops::Range;

use super::{Graph, Size, SymbolId, span};

/// The vertex of a product that completes nothing.
pub(crate) const NO_OWNER: u32 = u32::MAX;

/// The vertices and products of a grammar.
#[derive(Clone, Debug, PartialEq, Default)]
pub(crate) struct Completion {
    /// By vertex: its products.
    pub products: Box<[Range<u32>]>,
    /// By vertex: whether its symbol can be completed without any name. Then its size does not
    /// depend on what is visible.
    pub is_fixed: Box<[bool]>,
    /// By vertex: whether it can be completed only while one of the names that it uses is visible.
    pub waits: Box<[bool]>,
    /// By product: its vertex. [`NO_OWNER`] for an alternative of weight 0, which completes nothing
    /// unless all alternatives of its symbol have weight 0.
    pub owners: Box<[u32]>,
    /// By product: its size without the sizes of its parts.
    pub own: Box<[Size]>,
    /// By product: how often each part occurs.
    pub times: Box<[u32]>,
    /// By product: its parts, as a range of `part_list`.
    pub parts: Box<[Range<u32>]>,
    pub part_list: Box<[u32]>,
    /// From each vertex to the products that it is a part of.
    pub wholes: Graph,
    /// From each instance to the vertices that wait for one of its names.
    pub users: Graph,
    /// A symbol before which declarations do not count, because the limit of vertices was reached.
    pub left_out: Option<SymbolId>,
    /// The alternatives and repetitions that are never completed because of an `@hide`.
    pub blocked: Box<[Blocked]>,
}

/// An alternative or a repetition that is never completed, because a part of it needs names that an
/// earlier part may hide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Blocked {
    /// The nonterminal of the alternative, or the repetition.
    pub owner: SymbolId,
    /// The part that needs the names.
    pub needs: SymbolId,
    /// The `@hide`.
    pub hide: SymbolId,
}

impl Completion {
    /// Returns the size of a product. `of` has the sizes of all vertices.
    #[inline(always)]
    pub fn size(&self, product: u32, of: &[Size]) -> Size {
        let parts = &self.part_list[span(&self.parts[product as usize])];
        let sum = parts
            .iter()
            .fold(Size::default(), |sum, &part| sum.plus(of[part as usize]));
        self.total(product, sum)
    }

    /// Returns the size of a product. `sum` is the sum of the sizes of its parts.
    #[inline(always)]
    pub fn total(&self, product: u32, sum: Size) -> Size {
        let total = sum
            .times(self.times[product as usize])
            .plus(self.own[product as usize]);
        // Sizes saturate at `Size::HUGE`. A saturated sum could equal the size of one of its parts,
        // but it must be larger.
        if total.bytes >= Size::HUGE || total.nodes >= Size::HUGE {
            Size::NEVER
        } else {
            total
        }
    }
}
