//! Finds the vertices and products of a grammar with names.
//!
//! The number of vertices is linear in the size of the grammar. Beyond [`MAX_VERTICES`], declarations
//! of earlier children do not count, so that alternatives are forbidden that could be completed.

use std::collections::HashMap;
use std::ops::Range;

use super::completion::{Completion, NO_OWNER};
use super::declared::{Declared, add};
use super::naming::{Effect, Naming};
use super::usable::Usable;
use super::{GrammarTables, Graph, Kind, Size, SymbolId, reserve, span};

/// The maximum number of vertices with declarations: for each symbol, and in addition. Further
/// vertices are replaced by those without declarations.
const MAX_VERTICES: (usize, usize) = (4, 100_000);

/// The size of a node without text.
const NODE: Size = Size { bytes: 0, nodes: 1 };

/// A symbol, and the instances that are declared before it. The latter are sorted.
type VertexKey = (u32, Box<[u16]>);

/// The work of finding all vertices and products.
struct Builder<'a> {
    tables: GrammarTables<'a>,
    naming: &'a Naming,
    declared: &'a [Declared],
    /// By symbol: whether it can be completed without any name.
    is_nameless: Vec<bool>,
    keys: Vec<VertexKey>,
    /// The vertices with declarations.
    ids: HashMap<VertexKey, u32>,
    usable: Usable,
    /// A symbol before which declarations do not count.
    left_out: Option<SymbolId>,
    made: Products,
    /// By alternative.
    product_of: Vec<u32>,
}

/// The products that are made. The fields are those of [`Completion`].
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
/// `declared` is what each symbol declares. `is_nameless` says which symbols can be completed
/// without any name: for these, no declaration before them matters.
pub(super) fn completion(
    tables: GrammarTables<'_>,
    naming: &Naming,
    declared: &[Declared],
    is_nameless: Vec<bool>,
) -> (Completion, Vec<u32>) {
    let count = tables.symbols.len();
    let builder = Builder {
        tables,
        naming,
        declared,
        usable: Usable::new(tables, naming, &is_nameless),
        is_nameless,
        keys: (0..count as u32)
            .map(|symbol| (symbol, Box::default()))
            .collect(),
        ids: HashMap::new(),
        left_out: None,
        made: Products::default(),
        product_of: vec![u32::MAX; tables.alternatives.len()],
    };
    builder.run()
}

impl Builder<'_> {
    fn run(mut self) -> (Completion, Vec<u32>) {
        let (mut products, mut waits, mut users) = (Vec::new(), Vec::new(), Vec::new());
        // Vertices are added on the way.
        let mut vertex = 0;
        while let Some((symbol, before)) = self.keys.get(vertex as usize).cloned() {
            products.push(self.products(vertex, symbol, &before));
            // With declarations, a vertex that uses a name has one.
            let waiting = match &self.naming.effects[symbol as usize] {
                Effect::Use { instances, .. } if before.is_empty() => {
                    Some(self.naming.list(instances))
                }
                _ => None,
            };
            users.extend(
                waiting
                    .into_iter()
                    .flatten()
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
        let completion = Completion {
            left_out: self.left_out,
            wholes: Graph::new(products.len(), &edges),
            users: Graph::new(self.naming.instances as usize, &users),
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
        (completion, self.product_of)
    }

    /// Makes the products of a vertex, and returns their range.
    fn products(&mut self, vertex: u32, symbol: u32, before: &[u16]) -> Range<u32> {
        let tables = self.tables;
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
            Kind::Identifier { names, escape } if names.is_empty() => (NODE, 1, Some(*escape)),
            Kind::Identifier { .. }
            | Kind::Literal { .. }
            | Kind::Insensitive { .. }
            | Kind::Class(_)
            | Kind::Run { .. } => (tables.symbols[symbol as usize].minimum, 0, None),
        };
        let part = part.map(|part| self.vertex(part.0, before));
        let product = self.made.add(vertex, own, times, part.as_slice());
        product..product + 1
    }

    /// Makes the products of a vertex of a nonterminal, and returns the range of those that
    /// complete it.
    fn alternatives(
        &mut self,
        vertex: u32,
        symbol: u32,
        before: &[u16],
        alternatives: &Range<u32>,
    ) -> Range<u32> {
        let tables = self.tables;
        let weight = |at: usize| tables.alternatives[at].weight;
        let has_weight = span(alternatives).any(|at| weight(at) > 0.0);
        let accumulates = self.naming.effects[symbol as usize] != Effect::After;
        let from = self.made.len();
        let mut to = from;
        // The products that complete nothing come last.
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

    /// Returns the vertices of the children of an alternative. `accumulates` is whether what a
    /// child declares is visible for the children after it.
    fn children(&mut self, alternative: usize, before: &[u16], accumulates: bool) -> Vec<u32> {
        let mut visible = before.to_vec();
        let mut vertices = Vec::new();
        for child in &self.tables.children[span(&self.tables.alternatives[alternative].children)] {
            vertices.push(self.vertex(child.symbol.0, &visible));
            if let (Some(declared), true) = (
                &self.declared[child.symbol.0 as usize].instances,
                accumulates,
            ) {
                add(&mut visible, declared);
            }
        }
        vertices
    }

    /// Returns the vertex of a symbol after some declarations.
    fn vertex(&mut self, symbol: u32, before: &[u16]) -> u32 {
        if before.is_empty() || self.is_nameless[symbol as usize] {
            return symbol;
        }
        let relevant = self.usable.among(symbol, before);
        if relevant.is_empty() {
            return symbol;
        }
        let key = (symbol, relevant);
        if let Some(&id) = self.ids.get(&key) {
            return id;
        }
        let (each, more) = MAX_VERTICES;
        if self.ids.len() >= self.tables.symbols.len() * each + more {
            self.left_out.get_or_insert(SymbolId(symbol));
            return symbol;
        }
        let id = self.keys.len() as u32;
        self.keys.push(key.clone());
        self.ids.insert(key, id);
        id
    }
}
