//! Finds the vertices and products of a grammar with names (see [`crate::grammar::completion`]).
//!
//! The number of vertices is at most linear in the size of the grammar (see [`MAX_VERTICES`]).
//! Beyond this limit, declarations of earlier children are ignored, and symbols that may need a
//! hidden name are never completed. So some alternatives are forbidden although they could be
//! completed.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use super::declared::{Declared, add};
use super::naming::{Effect, Naming};
use super::usable::{InstancesBySymbol, usable};
use crate::grammar::completion::{Blocked, Completion, NO_OWNER};
use crate::grammar::sizes::SizeTable;
use crate::grammar::{GrammarTables, Graph, Kind, Size, SymbolId, parts, reserve, span};

/// The maximum number of vertices with declared or hidden instances: the first number for each
/// symbol, plus the second. Beyond it, declared instances are ignored, and a vertex with hidden
/// instances is never completed.
const MAX_VERTICES: (usize, usize) = (4, 100_000);

/// The size of a node without text.
const NODE: Size = Size { bytes: 0, nodes: 1 };

/// What is known about visible names at a position within an alternative. It holds for any names
/// that are visible at the beginning of the alternative. The instances are sorted.
#[derive(Clone, Default, PartialEq, Eq, Hash)]
struct Before {
    /// The instances that are declared before the position, and that nothing between the
    /// declaration and the position hides.
    declared: Vec<u16>,
    /// The instances that may be hidden before the position. An instance that is also in `declared`
    /// is visible.
    hidden: Vec<u16>,
}

impl Before {
    fn is_empty(&self) -> bool {
        self.declared.is_empty() && self.hidden.is_empty()
    }
}

/// A symbol, and what is known about visible names before it.
type VertexKey = (u32, Before);

/// The input of [`completion`].
#[derive(Clone, Copy)]
pub(super) struct CompletionInput<'a> {
    pub tables: GrammarTables<'a>,
    pub naming: &'a Naming,
    /// By symbol: the instances that it declares.
    pub declared: &'a [Declared],
    /// By symbol: the instances whose names the symbol may all hide.
    pub hidden: &'a InstancesBySymbol,
    /// By symbol: the instances from which the symbol can hide one name or all names.
    pub taken: &'a InstancesBySymbol,
}

/// Finds all vertices and products.
struct Builder<'a> {
    input: CompletionInput<'a>,
    /// By symbol: whether it can be completed without any name.
    is_nameless: Vec<bool>,
    keys: Vec<VertexKey>,
    /// The index of each vertex before which an instance is declared or hidden.
    ids: HashMap<VertexKey, u32>,
    usable: InstancesBySymbol,
    /// A vertex that is never completed.
    never: Option<u32>,
    /// The first symbol before which declarations do not count.
    left_out: Option<SymbolId>,
    made: Products,
    /// By alternative: its product.
    product_of: Vec<u32>,
}

/// The products made so far. The fields are those of [`Completion`].
#[derive(Default)]
struct Products {
    owners: Vec<u32>,
    own: Vec<Size>,
    times: Vec<u32>,
    parts: Vec<Range<u32>>,
    part_list: Vec<u32>,
}

impl Products {
    fn add(&mut self, owner: u32, own: Size, times: u32, parts: &[u32]) -> u32 {
        let first = self.part_list.len() as u32;
        self.part_list.extend_from_slice(parts);
        self.parts.push(first..self.part_list.len() as u32);
        self.own.push(own);
        self.times.push(times);
        self.owners.push(owner);
        self.owners.len() as u32 - 1
    }

    fn len(&self) -> u32 {
        self.owners.len() as u32
    }
}

/// Returns how the symbols of a grammar can be completed, and the product of each alternative.
/// `is_nameless` says which symbols can be completed without any name. Their vertices do not depend
/// on what is declared or hidden before them.
pub(super) fn completion(
    input: CompletionInput<'_>,
    is_nameless: Vec<bool>,
) -> (Completion, Vec<u32>) {
    let CompletionInput { tables, naming, .. } = input;
    let builder = Builder {
        input,
        usable: usable(tables, naming, &is_nameless),
        is_nameless,
        keys: (0..tables.symbols.len() as u32)
            .map(|symbol| (symbol, Before::default()))
            .collect(),
        ids: HashMap::new(),
        never: None,
        left_out: None,
        made: Products::default(),
        product_of: vec![u32::MAX; tables.alternatives.len()],
    };
    builder.run()
}

impl Builder<'_> {
    fn run(mut self) -> (Completion, Vec<u32>) {
        let (mut products, mut waits, mut users) = (Vec::new(), Vec::new(), Vec::new());
        // The loop adds vertices to `keys`.
        let mut vertex = 0;
        while let Some((symbol, before)) = self.keys.get(vertex as usize).cloned() {
            if self.never == Some(vertex) {
                // This vertex has no products.
                products.push(0..0);
                waits.push(true);
                vertex += 1;
                continue;
            }
            products.push(self.products(vertex, symbol, &before));
            let naming = self.input.naming;
            // A vertex need not wait if an instance that it uses is declared before it.
            let waiting = match &naming.effects[symbol as usize] {
                Effect::Use { instances, .. } if before.declared.is_empty() => {
                    Some(naming.list(instances))
                }
                _ => None,
            };
            let is_hidden = |instance: &u16| before.hidden.binary_search(instance).is_ok();
            users.extend(
                waiting
                    .into_iter()
                    .flatten()
                    .filter(|&instance| !is_hidden(instance))
                    .map(|&instance| (u32::from(instance), vertex)),
            );
            waits.push(waiting.is_some());
            vertex += 1;
        }
        let Products {
            owners,
            own,
            times,
            parts,
            part_list,
        } = self.made;
        let mut edges = Vec::with_capacity(part_list.len());
        for (product, parts) in (0..).zip(&parts) {
            edges.extend(part_list[span(parts)].iter().map(|&part| (part, product)));
        }
        let mut completion = Completion {
            left_out: self.left_out,
            blocked: Box::default(),
            wholes: Graph::new(products.len(), &edges),
            users: Graph::new(self.input.naming.instances as usize, &users),
            products: products.into(),
            is_fixed: self
                .keys
                .iter()
                .map(|(symbol, _)| self.is_nameless[*symbol as usize])
                .collect(),
            waits: waits.into(),
            owners: owners.into(),
            own: own.into(),
            times: times.into(),
            parts: parts.into(),
            part_list: part_list.into(),
        };
        if self
            .keys
            .iter()
            .any(|(_, before)| !before.hidden.is_empty())
        {
            completion.blocked = blocked(self.input, &completion, &self.product_of, &self.keys);
        }
        (completion, self.product_of)
    }

    /// Makes the products of a vertex, and returns their range.
    fn products(&mut self, vertex: u32, symbol: u32, before: &Before) -> Range<u32> {
        let tables = self.input.tables;
        let (own, times, part) = match &tables.symbols[symbol as usize].kind {
            Kind::Nonterminal { alternatives, .. } => {
                return self.alternatives(vertex, symbol, before, alternatives);
            }
            Kind::Repeat { at_least: 0, .. } => (NODE, 0, None),
            Kind::Repeat {
                element, at_least, ..
            } => (NODE, *at_least, Some(element.symbol)),
            Kind::Lexeme { body, layout, .. } => {
                let is_literal =
                    matches!(tables.symbols[body.0 as usize].kind, Kind::Literal { .. });
                let bytes = reserve(tables.symbols, *body, *layout, tables.separator);
                (
                    Size {
                        bytes,
                        nodes: u32::from(!is_literal),
                    },
                    1,
                    Some(*body),
                )
            }
            // `min_bytes` is the length of the text, without the bytes that are reserved for
            // indentation and captures.
            Kind::Class(_) | Kind::Same { .. } => {
                let bytes = tables.symbols[symbol as usize].min_bytes;
                (Size { bytes, nodes: 1 }, 0, None)
            }
            Kind::Identifier { .. }
            | Kind::Literal { .. }
            | Kind::Insensitive { .. }
            | Kind::Run { .. } => (tables.symbols[symbol as usize].minimum, 0, None),
        };
        // An element of a repetition may hide names that the next element needs.
        let part = part.map(|part| match times {
            0 | 1 => self.vertex(part.0, before),
            _ => {
                let mut before = before.clone();
                self.hide(&mut before, part.0);
                self.vertex(part.0, &before)
            }
        });
        let product = self.made.add(vertex, own, times, part.as_slice());
        product..product + 1
    }

    /// Makes the products of a vertex of a nonterminal, and returns the range of those that
    /// complete it.
    fn alternatives(
        &mut self,
        vertex: u32,
        symbol: u32,
        before: &Before,
        alternatives: &Range<u32>,
    ) -> Range<u32> {
        let tables = self.input.tables;
        let weight = |at: usize| tables.alternatives[at].weight;
        let has_weight = span(alternatives).any(|at| weight(at) > 0.0);
        let accumulates = self.input.naming.effects[symbol as usize] != Effect::After;
        let from = self.made.len();
        let mut to = from;
        // The products that complete nothing, of alternatives of weight 0, come last.
        for completes in [true, false] {
            for at in span(alternatives) {
                if tables.alternatives[at].minimum.is_finite()
                    && (weight(at) > 0.0 || !has_weight) == completes
                {
                    let parts = self.children(at, before, accumulates);
                    let product =
                        self.made
                            .add(if completes { vertex } else { NO_OWNER }, NODE, 1, &parts);
                    if before.is_empty() {
                        self.product_of[at] = product;
                    }
                }
            }
            to = if completes { self.made.len() } else { to };
        }
        from..to
    }

    /// Returns the vertices of the children of an alternative. `accumulates` is whether the
    /// declarations of a child are visible to the children after it.
    fn children(&mut self, alternative: usize, before: &Before, accumulates: bool) -> Vec<u32> {
        let CompletionInput {
            tables, declared, ..
        } = self.input;
        let mut before = before.clone();
        let mut vertices = Vec::new();
        for child in &tables.children[span(&tables.alternatives[alternative].children)] {
            vertices.push(self.vertex(child.symbol.0, &before));
            self.hide(&mut before, child.symbol.0);
            if let (Some(declared), true) =
                (&declared[child.symbol.0 as usize].instances, accumulates)
            {
                add(&mut before.declared, declared);
            }
        }
        vertices
    }

    /// Updates `before` for the instances that a symbol may hide.
    fn hide(&self, before: &mut Before, symbol: u32) {
        let CompletionInput { hidden, taken, .. } = self.input;
        if !taken.is_empty(symbol) {
            before
                .declared
                .retain(|&instance| !taken.has(symbol, instance));
            before.hidden.extend(hidden.list(symbol));
            before.hidden.sort_unstable();
            before.hidden.dedup();
        }
    }

    /// Returns the vertex of a symbol at a position.
    fn vertex(&mut self, symbol: u32, before: &Before) -> u32 {
        if before.is_empty() || self.is_nameless[symbol as usize] {
            return symbol;
        }
        let declared = self.usable.among(symbol, &before.declared);
        let mut hidden = self.usable.among(symbol, &before.hidden);
        hidden.retain(|instance| declared.binary_search(instance).is_err());
        let relevant = Before { declared, hidden };
        if relevant.is_empty() {
            return symbol;
        }
        let is_hidden = !relevant.hidden.is_empty();
        let key = (symbol, relevant);
        if let Some(&id) = self.ids.get(&key) {
            return id;
        }
        let (each, more) = MAX_VERTICES;
        if self.ids.len() >= self.input.tables.symbols.len() * each + more {
            self.left_out.get_or_insert(SymbolId(symbol));
            return match is_hidden {
                true => self.never(),
                false => symbol,
            };
        }
        let id = self.keys.len() as u32;
        self.keys.push(key.clone());
        self.ids.insert(key, id);
        id
    }

    /// Returns the vertex that is never completed.
    fn never(&mut self) -> u32 {
        *self.never.get_or_insert_with(|| {
            self.keys.push((0, Before::default()));
            self.keys.len() as u32 - 1
        })
    }
}

/// Returns the alternatives and repetitions that are never completed, because an earlier part of
/// them may hide names that a later part needs. An alternative or repetition counts only if this
/// holds for all values of arguments. `keys` are the vertices.
fn blocked(
    input: CompletionInput<'_>,
    completion: &Completion,
    product_of: &[u32],
    keys: &[VertexKey],
) -> Box<[Blocked]> {
    let CompletionInput { tables, naming, .. } = input;
    let sizes = SizeTable::with_all_names(completion, naming.instances);
    let is_blocked = |part: u32| {
        let symbol = keys[part as usize].0;
        !sizes.vertex(part).is_finite() && sizes.vertex(symbol).is_finite()
    };
    // For each alternative of the source: the symbol and the blocked part. `None` if some instance
    // of the alternative can be completed.
    let mut all: BTreeMap<(SymbolId, u32), Option<(u32, u32)>> = BTreeMap::new();
    for (at, (symbol, &origin)) in (0..).zip(tables.symbols.iter().zip(&naming.origins)) {
        let products: Vec<(u32, u32)> = match &symbol.kind {
            Kind::Nonterminal { alternatives, .. } => span(alternatives)
                .map(|at| (naming.sources[at], product_of[at]))
                .filter(|&(_, product)| product != u32::MAX)
                .collect(),
            Kind::Repeat { .. } => vec![(0, completion.products[at as usize].start)],
            _ => continue,
        };
        for (source, product) in products {
            let parts = &completion.part_list[span(&completion.parts[product as usize])];
            let part = parts.iter().copied().find(|&part| is_blocked(part));
            let part = part.map(|part| (at, part));
            let known = all.entry((origin, source)).or_insert(part);
            *known = known.and(part);
        }
    }
    let blocked = all.into_values().flatten().map(|(owner, part)| {
        let (symbol, before) = &keys[part as usize];
        Blocked {
            owner: SymbolId(owner),
            needs: SymbolId(*symbol),
            hide: input.hide_of(owner, &before.hidden),
        }
    });
    blocked.collect()
}

impl CompletionInput<'_> {
    /// Returns an `@hide` within a symbol that hides one of these instances.
    fn hide_of(&self, symbol: u32, instances: &[u16]) -> SymbolId {
        let hides = |symbol: u32| {
            let mut each = instances.iter();
            each.any(|&instance| self.hidden.has(symbol, instance))
        };
        let mut edges = parts(self.tables);
        edges.retain(|&(_, part)| hides(part));
        let reachable = Graph::new(self.tables.symbols.len(), &edges).reachable(symbol);
        let is_hide = |&at: &u32| {
            reachable[at as usize]
                && hides(at)
                && matches!(self.naming.effects[at as usize], Effect::Hide { .. })
        };
        let mut all = 0..self.tables.symbols.len() as u32;
        SymbolId(all.find(is_hide).unwrap_or(symbol))
    }
}
