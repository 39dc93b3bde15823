//! The programs to fuzz, each a plain function from a text to accepted or rejected.
//!
//! One module per subject, each behind the feature of its name. In each, `run` returns `Ok`
//! exactly for the texts its subject accepts as valid, an error with the subject's message for
//! those it rejects, and panics only when it has found a fault; `is_syntax_error` tells from such
//! a message whether the text fell outside the *syntax* (then a grammar that derived it is
//! wrong) or only broke a rule that no context-free grammar can express.

#[cfg(any(feature = "cedar", feature = "wgsl_old"))]
mod bound;
#[cfg(feature = "cedar")]
pub mod cedar;
#[cfg(any(feature = "cel", feature = "cel_old"))]
pub mod cel;
#[cfg(feature = "css")]
pub mod css;
#[cfg(feature = "graphql")]
pub mod graphql;
#[cfg(feature = "javascript")]
pub mod javascript;
#[cfg(any(feature = "jinja", feature = "jinja_old"))]
pub mod jinja;
#[cfg(any(feature = "jq", feature = "jq_old"))]
pub mod jq;
#[cfg(feature = "json")]
pub mod json;
#[cfg(test)]
mod judge;
pub mod known;
#[cfg(feature = "lua")]
pub mod lua;
#[cfg(feature = "sql")]
pub mod sql;
#[cfg(feature = "wat")]
pub mod wat;
#[cfg(any(feature = "wgsl", feature = "wgsl_old"))]
pub mod wgsl;
#[cfg(feature = "xml")]
pub mod xml;
