//! The minimum sizes of all symbols for the names that are visible at a position of a sentence.
//!
//! A symbol that can be completed without any name has a fixed size. The sizes of the others change
//! as names become visible or hidden. Each change is written to a log, so that the end of a scope
//! can undo it. (See [`completion`](super::completion) for vertices and products.)
//!
//! Falling sizes are propagated as in Knuth's generalization of Dijkstra's algorithm. Rising sizes
//! are propagated as by Ramalingam and Reps (*An incremental algorithm for a generalization of the
//! shortest-path problem*, 1996). In the order of the old sizes, each size that no product
//! justifies any more becomes infinite. Then these sizes are computed again.
//!
//! The smallest product of a vertex has at most the size of the vertex, and the parts of the
//! product are smaller. So a derivation that always takes the smallest alternative terminates.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use super::Size;
use super::completion::{Completion, NO_OWNER};
use super::minimum::pop;

/// The minimum sizes of all vertices and products.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct SizeTable {
    vertices: Vec<Size>,
    products: Vec<Size>,
}

impl SizeTable {
    /// Returns the minimum sizes where no name is visible.
    pub fn new(completion: &Completion) -> SizeTable {
        SizeTable::without(completion, &completion.waits)
    }

    /// Returns the minimum sizes where a name of each of the `instances` is visible.
    pub fn with_all_names(completion: &Completion, instances: u32) -> SizeTable {
        let mut waits = completion.waits.to_vec();
        for instance in 0..instances {
            for &vertex in completion.users.successors(instance) {
                waits[vertex as usize] = false;
            }
        }
        SizeTable::without(completion, &waits)
    }

    /// Returns the minimum sizes if the vertices in `waits` are never completed. It uses Knuth's
    /// algorithm: see [`minimum_sizes`](super::minimum_sizes).
    fn without(completion: &Completion, waits: &[bool]) -> SizeTable {
        let mut vertices = vec![Size::NEVER; completion.products.len()];
        let mut products = vec![Size::NEVER; completion.owners.len()];
        // By product: the sum of the sizes of the parts whose size is known, and the number of the
        // other parts.
        let mut sums: Vec<(Size, u32)> = completion
            .parts
            .iter()
            .map(|parts| (Size::default(), parts.end - parts.start))
            .collect();
        let mut queue: BTreeMap<Size, Vec<u32>> = BTreeMap::new();
        let mut add = |queue: &mut BTreeMap<Size, Vec<u32>>, product: u32, sum: Size| {
            let size = completion.total(product, sum);
            products[product as usize] = size;
            let owner = completion.owners[product as usize];
            if size.is_finite() && owner != NO_OWNER && !waits[owner as usize] {
                queue.entry(size).or_default().push(owner);
            }
        };
        for (product, &(sum, missing)) in (0..).zip(&sums) {
            if missing == 0 {
                add(&mut queue, product, sum);
            }
        }
        while let Some((size, vertex)) = pop(&mut queue) {
            if vertices[vertex as usize].is_finite() {
                continue;
            }
            vertices[vertex as usize] = size;
            for &product in completion.wholes.successors(vertex) {
                let (sum, missing) = &mut sums[product as usize];
                *sum = sum.plus(size);
                *missing -= 1;
                if *missing == 0 {
                    add(&mut queue, product, *sum);
                }
            }
        }
        SizeTable { vertices, products }
    }

    /// Returns the minimum size of a product.
    #[inline(always)]
    pub fn product(&self, product: u32) -> Size {
        self.products[product as usize]
    }

    /// Returns the minimum size of a vertex. The first vertices are the symbols.
    #[inline(always)]
    pub fn vertex(&self, vertex: u32) -> Size {
        self.vertices[vertex as usize]
    }
}

/// The minimum sizes for the visible names, and the working memory to update them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sizes {
    table: SizeTable,
    /// By vertex: whether its size does not change.
    is_fixed: Vec<bool>,
    /// By vertex: the number of visible instances among those that it waits for.
    live: Vec<u32>,
    /// The vertices whose sizes changed, with their old sizes.
    log: Vec<(u32, Size)>,
    heap: BinaryHeap<Reverse<(Size, u32)>>,
    /// The vertices whose size became infinite in [`Sizes::rise`].
    lost: Vec<u32>,
}

impl Sizes {
    /// Resets the sizes to those where no name is visible.
    pub fn restart(&mut self, completion: &Completion, from: &SizeTable) {
        self.table.clone_from(from);
        self.live.clear();
        self.live.resize(from.vertices.len(), 0);
        self.is_fixed.clear();
        self.is_fixed.extend_from_slice(&completion.is_fixed);
        self.log.clear();
    }

    /// Returns the minimum sizes for the visible names.
    #[inline(always)]
    pub fn table(&self) -> &SizeTable {
        &self.table
    }

    /// Returns the length of the log.
    #[inline(always)]
    pub fn mark(&self) -> u32 {
        self.log.len() as u32
    }

    /// Restores the sizes to those when the log had the length `mark`.
    pub fn undo(&mut self, completion: &Completion, mark: u32) {
        while self.log.len() > mark as usize {
            if let Some((vertex, size)) = self.log.pop() {
                self.put(completion, vertex, size);
            }
        }
    }

    /// Counts an instance that becomes visible or hidden. Call [`Sizes::update`] afterwards to
    /// change the sizes.
    pub fn count(&mut self, completion: &Completion, instance: u32, is_visible: bool) {
        for &vertex in completion.users.successors(instance) {
            let live = &mut self.live[vertex as usize];
            *live = if is_visible { *live + 1 } else { *live - 1 };
        }
    }

    /// Computes the sizes again after instances became visible or hidden. [`Sizes::count`] must
    /// have been called for each of them.
    pub fn update(&mut self, completion: &Completion, instances: &[u32]) {
        for &instance in instances {
            for &vertex in completion.users.successors(instance) {
                if self.live[vertex as usize] == 0
                    && self.table.vertices[vertex as usize].is_finite()
                {
                    self.heap
                        .push(Reverse((self.table.vertices[vertex as usize], vertex)));
                }
            }
        }
        self.rise(completion);
        for &instance in instances {
            for &vertex in completion.users.successors(instance) {
                self.offer(completion, vertex);
            }
        }
        self.fall(completion);
    }

    #[inline(always)]
    fn put(&mut self, completion: &Completion, vertex: u32, size: Size) {
        self.table.vertices[vertex as usize] = size;
        for &product in completion.wholes.successors(vertex) {
            self.table.products[product as usize] = completion.size(product, &self.table.vertices);
        }
    }

    fn set(&mut self, completion: &Completion, vertex: u32, size: Size) {
        self.log
            .push((vertex, self.table.vertices[vertex as usize]));
        self.put(completion, vertex, size);
    }

    /// Returns whether a vertex waits for a visible name.
    fn waits(&self, completion: &Completion, vertex: u32) -> bool {
        completion.waits[vertex as usize] && self.live[vertex as usize] == 0
    }

    /// Returns the minimum size of the products of a vertex, or [`Size::NEVER`] if the vertex waits
    /// for a name.
    fn minimum(&self, completion: &Completion, vertex: u32) -> Size {
        if self.waits(completion, vertex) {
            return Size::NEVER;
        }
        completion.products[vertex as usize]
            .clone()
            .map(|product| self.table.product(product))
            .min()
            .unwrap_or(Size::NEVER)
    }

    /// Puts a vertex onto the heap if its size can fall.
    fn offer(&mut self, completion: &Completion, vertex: u32) {
        let size = self.minimum(completion, vertex);
        if size < self.table.vertices[vertex as usize] {
            self.heap.push(Reverse((size, vertex)));
        }
    }

    /// Propagates the falling sizes of the vertices on the heap.
    fn fall(&mut self, completion: &Completion) {
        while let Some(Reverse((size, vertex))) = self.heap.pop() {
            if size >= self.table.vertices[vertex as usize] {
                continue;
            }
            self.set(completion, vertex, size);
            for &product in completion.wholes.successors(vertex) {
                let owner = completion.owners[product as usize];
                let size = self.table.product(product);
                if owner != NO_OWNER
                    && !self.is_fixed[owner as usize]
                    && size < self.table.vertices[owner as usize]
                    && !self.waits(completion, owner)
                {
                    self.heap.push(Reverse((size, owner)));
                }
            }
        }
    }

    /// Propagates the rising sizes of the vertices on the heap. The heap has their old sizes.
    fn rise(&mut self, completion: &Completion) {
        while let Some(Reverse((size, vertex))) = self.heap.pop() {
            if size != self.table.vertices[vertex as usize]
                || self.minimum(completion, vertex) <= size
            {
                continue;
            }
            self.set(completion, vertex, Size::NEVER);
            self.lost.push(vertex);
            for &product in completion.wholes.successors(vertex) {
                let owner = completion.owners[product as usize];
                if owner != NO_OWNER && self.table.vertices[owner as usize].is_finite() {
                    self.heap
                        .push(Reverse((self.table.vertices[owner as usize], owner)));
                }
            }
        }
        while let Some(vertex) = self.lost.pop() {
            self.offer(completion, vertex);
        }
    }
}
