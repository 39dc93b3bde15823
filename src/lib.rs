//! zester turns a grammar into a structure-aware fuzzer without leaving libFuzzer.
//!
//! # The idea
//!
//! ```text
//! derive(grammar, bounds, chooser) -> derivation
//! ```
//!
//! *A sentence is what a chooser's answers make of a grammar.* Only [`derive::derive`] expands grammar symbols. All else is a
//! chooser, a function from parameter bytes to parameter bytes, or a loop around a program under test. A libFuzzer buffer is
//! a *parameter sequence*: read through a grammar as choices, it derives one sentence of the language, whatever its bytes.
//! So libFuzzer mutates choices, keeps what reaches new code, and its corpus is a corpus of sentences. A sidecar tells it
//! which runs were semantically *valid*, so that it also keeps what reaches new code with a valid input.
//!
//! ```
//! use zester::{bounds::Caps, notation, parameters};
//!
//! let source = br#"sum = product ( "+" product )* ; product = [0-9] ( "*" [0-9] )* ;"#;
//! let (grammar, _warnings) = notation::read("sum.ebnf", source, &Caps::default()).unwrap();
//!
//! // Nothing is the simplest sentence; bytes make others.
//! let text = |bytes: &[u8]| String::from_utf8(parameters::sentence(&grammar, &Default::default(), bytes).text().to_vec());
//! assert_eq!(text(&[]).unwrap(), "0");
//! assert_eq!(text(&[7, 1, 4, 1, 2, 0]).unwrap(), "7*4+2");
//! ```
//!
//! New here? The [`guide`] leads from nothing to a first bug; [`writing_grammars`] tells how to reach deep.
//!
//! # The words
//!
//! A *grammar* has *nonterminals*, *terminals* and *rules*; a rule has *alternatives*, an alternative is a sequence of
//! *symbols*. A *derivation* is the tree of *nodes*; it derives a *sentence*, a *text*. A *choice* is one decision among a
//! node's *options*. *Parameters* are bytes read as choices; a *span* is those of a subtree. *Bounds* (m, n, d) are Bonsai's.
//! *Valid* and *invalid* is what the program under test, the *subject*, says of a sentence.
//!
//! # The map
//!
//! Imports run one way, down this list.
//!
//! | module | what it is |
//! |---|---|
//! | `uninstrumented` | a macro for functions that SanitizerCoverage must leave alone |
//! | [`bounds`] | what limits a derivation |
//! | [`grammar`] | the lowered grammar: flat tables and facts |
//! | [`notation`] | texts to grammars: EBNF, errors with a place |
//! | [`derivation`] | nodes in preorder, and their text |
//! | [`derive`](mod@derive) | the one generator, and the trait of choosers |
//! | [`parameters`] | bytes to derivations and back: the chooser of Zest |
//! | [`parse`] | texts to derivations, for any grammar |
//! | [`sampler`] | a chooser that draws towards a size |
//! | [`weights`] | what samples choose, and a chooser that draws more of the same, or less of it |
//! | [`cover`] | which alternatives were used, and a chooser that leads to the others |
//! | [`corpus`] | directories of parameters: which grammar wrote one, and how texts become some |
//! | [`mutate`] | parameters to other parameters: the table of mutators |
//! | [`reduce`] | the least that is still interesting |
//! | [`language`](mod@language) | grammars inside a program: sentences as values |
//! | [`hooks`] | libFuzzer's side: [`fuzz_target!`], settings, statistics; and what AFL++'s needs |
//! | `subject` | sentences through a fuzz target: outcome, time, coverage |
//!
//! # What holds
//!
//! Any bytes decode to a sentence, never to an error, and never to more than the caps allow. Parameters that
//! [`parameters::encode`] writes decode to what they were written from, under all larger bounds too. Everything is
//! deterministic; weights steer what is written, never how bytes decode. Not promised: that a sentence is valid, nor that a
//! corpus means the same after an edit of its grammar.
//!
//! # Features
//!
//! `libfuzzer` (default): the macro, and libFuzzer itself. `libafl`: the same on LibAFL's engine, without the other one. `derive`:
//! `#[derive(Arbitrary)]`. `subject`: running targets. `cli`: the `zester` command.

pub mod bounds;
pub mod corpus;
pub mod cover;
pub mod derivation;
pub mod derive;
mod feedback;
pub mod grammar;
pub mod hooks;
pub mod language;
pub mod mutate;
pub mod notation;
pub mod parameters;
pub mod parse;
pub mod reduce;
pub mod sampler;
#[cfg(all(unix, feature = "subject"))]
pub mod subject;
mod uninstrumented;
mod units;
mod validity;
pub mod weights;

#[doc = include_str!("guide.md")]
pub mod guide {}

#[doc = include_str!("writing_grammars.md")]
pub mod writing_grammars {}

#[doc(no_inline)]
pub use arbitrary;
pub use language::Sentence;
pub use validity::{Outcome, Validity};

#[cfg(feature = "libafl")]
#[doc(hidden)]
pub use libafl_libfuzzer as libfuzzer_sys;
#[cfg(all(feature = "libfuzzer", not(feature = "libafl")))]
#[doc(hidden)]
pub use libfuzzer_sys;

#[cfg(all(feature = "libfuzzer", feature = "libafl"))]
compile_error!("zester: the features `libfuzzer` and `libafl` exclude each other; give `default-features = false` with `libafl`");
