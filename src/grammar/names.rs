//! Names, scopes and types. This module makes the grammar of all instances from a grammar and its
//! annotations.
//!
//! [`annotations`] has the annotations as the notation reads them. [`instances`] finds which values
//! of arguments each symbol can have. [`instantiate`](instantiate::instantiate) makes one symbol
//! for each combination of values. [`effects`], [`declared`], [`usable`] and [`products`] find
//! which names the derivations of a symbol declare, use and hide, and their minimum sizes.
//! [`naming`] has the resulting tables, which the expander reads.

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
