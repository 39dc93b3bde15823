//! The programs under test, each as a plain function that accepts or rejects a text.
//!
//! There is one module for each subject, with a feature of the same name. `run` returns `Ok`
//! exactly for the texts that the subject accepts as valid, and an error with the subject's message
//! for texts that it rejects. It panics only if it has found a fault. `is_syntax_error` returns
//! whether such a message is about the *syntax*; then a grammar that derives the text is wrong. All
//! other messages are about rules that no context-free grammar can express.

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
#[cfg(feature = "starlark")]
pub mod starlark;
#[cfg(feature = "wat")]
pub mod wat;
#[cfg(any(feature = "wgsl", feature = "wgsl_old"))]
pub mod wgsl;
#[cfg(feature = "xml")]
pub mod xml;
