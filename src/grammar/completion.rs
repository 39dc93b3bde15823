//! How each symbol can be completed with declared names only, and at what size.
//!
//! A *vertex* is a symbol together with instances of kinds that are declared before it within the
//! same alternative. A *product* is one way to complete a vertex: an alternative, with the vertices
//! of its children. A vertex that uses a name can be completed while a name of one of its instances
//! is visible. `Sizes` has the minimum sizes for what is visible at a place.
//!
//! If a vertex has a finite size, its symbol can be completed with declared names, unless an `@hide`
//! in it hides the last visible name of an instance. (Declarations do not hide it.) The converse is
//! not guaranteed: declarations that only some derivations of an earlier child make do not count.

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
    /// By vertex: whether it has to wait for a visible name.
    pub waits: Box<[bool]>,
    /// By product: its vertex; [`NO_OWNER`] for an alternative with the weight 0, by which nothing
    /// is completed.
    pub owners: Box<[u32]>,
    /// By product: its size without its parts.
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
    /// A symbol before which declarations do not count, because there are too many.
    pub left_out: Option<SymbolId>,
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

    /// Returns the size of a product whose parts have this sum.
    #[inline(always)]
    pub fn total(&self, product: u32, sum: Size) -> Size {
        let total = sum
            .times(self.times[product as usize])
            .plus(self.own[product as usize]);
        // Sizes end at `Size::HUGE`. A sum at this end could be equal to the size of one of its
        // parts, but it must be larger.
        if total.bytes >= Size::HUGE || total.nodes >= Size::HUGE {
            Size::NEVER
        } else {
            total
        }
    }
}
