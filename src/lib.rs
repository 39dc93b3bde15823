//! zester (being built)
pub mod bounds;
pub mod derivation;
pub mod derive;
pub mod grammar;
pub mod notation;
pub mod parameters;
