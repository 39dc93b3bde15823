//! Names, scopes and types: what a grammar says of them, and the grammar of all instances that it is turned into.
//!
//! [`annotations`] is what the notation has read. [`instances`] finds which values of parameters each symbol can have, and
//! [`instantiate`](instantiate::instantiate) makes a symbol of each. [`effects`], [`declared`], [`usable`] and [`products`] find what its
//! derivations declare, use and hide, and at what size they can be completed. [`naming`] has the resulting tables, which a derivation
//! reads.

mod annotations;
mod copies;
mod declared;
mod effects;
mod instances;
mod instantiate;
mod naming;
mod products;
mod usable;

pub(crate) use annotations::{
    Annotation, Annotations, Argument, NameKind, Pattern, Value, ValueTerm,
};
pub(crate) use instantiate::instantiate;
pub(crate) use naming::{Effect, Naming};
