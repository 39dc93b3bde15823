//! Names, scopes and types: the annotations of a grammar, and the grammar of all instances that is
//! made from them.
//!
//! [`annotations`] has what the notation reads. [`instances`] finds which values of parameters each
//! symbol can have, and [`instantiate`](instantiate::instantiate) makes a symbol of each.
//! [`effects`], [`declared`], [`usable`] and [`products`] find which names its derivations declare,
//! use and hide, and how large they must be. [`naming`] has the resulting tables, which the
//! expander reads.

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
