//! Parameters in the making, and the memory to make parts of them.

use std::ops::Range;

use rand::RngExt;

use super::{Mutation, Parent};
use crate::derivation::Derivation;
use crate::derive::Workspace;
use crate::grammar::SymbolId;
use crate::parameters::{self, Tree};
use crate::parse::Matcher;
use crate::sampler::{self, Sampler};
use crate::units::Units;
use crate::weights::{self, Enclosing, Grower, Mix, START};

/// What a mutator writes to.
#[derive(Debug)]
pub struct Draft {
    /// The result: read through the grammar, it need not be canonical.
    pub bytes: Vec<u8>,
    /// Another one, to compare with.
    pub best: Vec<u8>,
    /// A part of it.
    pub part: Vec<u8>,
    /// The text of a token.
    pub text: Vec<u8>,
    /// Nodes, or what else a mutator lists.
    pub list: Vec<u32>,
    workspace: Workspace,
    derivation: Derivation,
    sampler: Sampler,
    grower: Grower,
    /// What to write by, if not by the grammar alone.
    pub mix: Option<Mix>,
    matcher: Matcher,
    /// What was sampled last.
    pub made: Tree,
    /// Of the grammar, once it was needed.
    units: Units,
}

impl Default for Draft {
    fn default() -> Draft {
        Draft {
            bytes: Vec::new(),
            best: Vec::new(),
            part: Vec::new(),
            text: Vec::new(),
            list: Vec::new(),
            workspace: Workspace::default(),
            derivation: Derivation::default(),
            sampler: Sampler::new(0, 0.0),
            grower: Grower::new(0),
            mix: None,
            matcher: Matcher::default(),
            made: Tree::default(),
            units: Units::default(),
        }
    }
}

impl Draft {
    /// The parent as it is.
    pub fn copy(&mut self, parent: &Parent<'_>) {
        self.bytes.clear();
        self.bytes.extend_from_slice(parent.bytes());
    }

    /// The parent, with [`Draft::part`] in the place of a range of its parameters.
    #[inline(always)]
    pub fn splice_part(&mut self, parent: &Parent<'_>, range: Range<usize>) {
        splice(parent.bytes(), range, &self.part, &mut self.bytes);
    }

    /// Makes of a symbol what the sampler does, of about this many bytes of text, or what the weights want of about as many, and
    /// appends its parameters to [`Draft::part`].
    pub fn sample(&mut self, mutation: &mut Mutation<'_>, parent: &Parent<'_>, place: Place, symbol: SymbolId, size: f64) {
        let Draft { part, workspace, made, sampler, grower, mix, .. } = self;
        let (grammar, settings, seed) = (parent.grammar, mutation.settings, mutation.rng.random());
        if let Some(probabilities) = mix.as_ref().and_then(|mix| mix.draw(&mut mutation.rng)) {
            let expansions = (size * probabilities.expansions_per_byte()).ceil() as usize;
            grower.reseed(seed);
            grower.around.clear();
            if probabilities.context() > 0 {
                place.surround(parent, &mut grower.around);
            }
            weights::grow(grammar, settings, symbol, probabilities, expansions, grower, workspace, made);
        } else {
            sampler.reseed(seed);
            sampler.restart(size);
            sampler::sample(grammar, settings, symbol, sampler, workspace, made);
        }
        part.extend_from_slice(made.parameters());
    }

    /// Makes a whole sentence as the sampler does.
    pub fn sample_all(&mut self, mutation: &mut Mutation<'_>, parent: &Parent<'_>, size: f64) {
        self.part.clear();
        self.sample(mutation, parent, Place::Whole, parent.grammar.start(), size);
        std::mem::swap(&mut self.part, &mut self.bytes);
    }

    /// Appends the parameters of the simplest that a symbol derives.
    pub fn simplest(&mut self, mutation: &Mutation<'_>, parent: &Parent<'_>, symbol: SymbolId) {
        let Draft { workspace, derivation, part, .. } = self;
        parameters::write_simplest(parent.grammar, symbol, mutation.settings, workspace, derivation, part);
    }

    /// Appends a node's parameters as those of another symbol that can derive it alone; whether it can.
    pub fn wrap(&mut self, mutation: &Mutation<'_>, parent: &Parent<'_>, symbol: SymbolId, node: usize) -> bool {
        if !self.units.is_of(parent.grammar) {
            self.units = Units::new(parent.grammar);
        }
        self.units.wrap(parent.grammar, mutation.settings, symbol, parent.symbol(node), parent.part(node), &mut self.part)
    }

    /// Reads a text by the rule of a token; its parameters are [`Draft::part`] then.
    ///
    /// # Errors
    /// The furthest byte that something matched up to.
    pub fn read_token(&mut self, parent: &Parent<'_>, symbol: SymbolId, text: &[u8]) -> Result<(), usize> {
        self.matcher.read(parent.grammar, symbol, text, &mut self.derivation)?;
        self.part.clear();
        parameters::encode(parent.grammar, &self.derivation, &mut self.part);
        Ok(())
    }
}

/// Where a new part is to stand.
#[derive(Clone, Copy, Debug)]
pub enum Place {
    /// It is all.
    Whole,
    /// In the place of a node, or beside it.
    At(usize),
    /// In a nonterminal that takes this alternative.
    In(usize, u32),
}

impl Place {
    /// The choices around it, the outermost first.
    fn surround(self, parent: &Parent<'_>, around: &mut Vec<Enclosing>) {
        around.push(START);
        let (Place::At(node) | Place::In(node, _)) = self else { return };
        around.extend(parent.around(node));
        if let Place::In(node, alternative) = self {
            around.push((parent.symbol(node), alternative));
        }
    }
}

/// Puts `part` in the place of a range of `whole`.
#[inline(always)]
pub fn splice(whole: &[u8], range: Range<usize>, part: &[u8], result: &mut Vec<u8>) {
    result.clear();
    result.extend_from_slice(&whole[..range.start]);
    result.extend_from_slice(part);
    result.extend_from_slice(&whole[range.end..]);
}
