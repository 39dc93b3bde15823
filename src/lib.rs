//! zester (being built)
pub mod bounds;
pub mod derivation;
pub mod derive;
pub mod grammar;
#[cfg(feature = "libfuzzer")]
pub mod hooks;
pub mod mutate;
pub mod notation;
pub mod parameters;
pub mod sampler;
mod sidecar;
mod validity;

pub use validity::Validity;

#[cfg(feature = "libfuzzer")]
pub use libfuzzer_sys;
