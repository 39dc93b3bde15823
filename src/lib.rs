//! zester turns a grammar into a semantic fuzzer that runs on libFuzzer.
//!
//! You write a grammar of your program's input and a fuzz target of a few lines. libFuzzer then
//! runs the program on sentences of the grammar, mutates their derivations instead of their bytes,
//! and keeps the inputs that reach new code. The target reports whether the program accepted a
//! sentence, so that code reached by *valid* inputs guides the search separately.
//!
//! ```ignore
//! #![no_main]
//!
//! zester::fuzz_target!(grammar: "../grammars/json.ebnf", |text: &str| {
//!     serde_json::from_str::<serde_json::Value>(text)
//! });
//! ```
//!
//! `cargo fuzz run`, `tmin`, `cmin` and `fmt` work with such a target as with any other.
//!
//! * [`guide`]: from an empty directory to a first bug, with LibAFL and AFL++, too.
//! * [`guide_valid`]: the second chapter of the guide, in which nearly all sentences of a grammar become valid.
//! * [`guide_oracles`]: wrong answers, which do not crash: round trips, two versions, other programs.
//! * [`guide_ci`]: the third chapter, with workflows for GitHub and GitLab.
//! * [`guide_generators`]: you have proptest strategies, or another random generator, already.
//! * [`guide_c`]: harnesses in C and C++, and C code in a Rust crate.
//! * [`commands`]: the command line, engines.
//! * [`writing_grammars`]: how to write a grammar whose sentences reach deep.
//! * [`notation`]: the notation of grammars.
//! * [`fuzz_target!`]: all that a target can say.
//!
//! # Without a fuzzer
//!
//! Grammars can be read, and sentences decoded, generated, mutated and reduced, in any program.
//! [`Grammar`] has a method for each:
//!
//! ```
//! use zester::Grammar;
//!
//! let source = br#"
//!     sum = product ( "+" product )* ;
//!     product = [0-9] ( "*" [0-9] )* ;
//! "#;
//! let grammar = Grammar::read("sum.ebnf", source).unwrap();
//!
//! // The empty parameter sequence decodes to the simplest sentence.
//! assert_eq!(grammar.decode(&[]), b"0");
//! assert_eq!(grammar.decode(&[7, 1, 4, 1, 2, 0]), b"7*4+2");
//! assert_eq!(grammar.encode(b"7*4+2").unwrap(), [7, 1, 4, 1, 2, 0]);
//! ```
//!
//! [`Decoder`], [`Parser`], [`Generator`] and [`Mutator`] do the same for many inputs: they take
//! settings and reuse their memory.
//!
//! # How it works
//!
//! A libFuzzer input is a *parameter sequence*, as in Zest (Padhye et al., *Semantic Fuzzing with
//! Zest*, ISSTA 2019): a string of bytes that a generator reads as its choices. Here the generator
//! is a grammar. One function expands grammar symbols:
//!
//! ```text
//! derive(grammar, bounds, choice source) -> derivation
//! ```
//!
//! It asks a choice source for every decision: which alternative, how many repetitions, which
//! character. Bytes are one choice source ([`Decoder`]); a random sampler ([`Generator`]) and
//! learned probabilities ([`Weights`]) are others. A [`Mutator`] changes derivations and writes the
//! result as bytes again.
//!
//! # Terms
//!
//! | term | meaning |
//! |---|---|
//! | grammar, rule, alternative, symbol | a *grammar* has *rules*; a rule has *alternatives*; an alternative is a sequence of *symbols*: nonterminals and terminals |
//! | derivation, node, sentence | a *derivation* is a tree of *nodes*; its text is a *sentence* of the grammar |
//! | choice, option | a *choice* is one decision among the *options* of a node |
//! | parameters, span | *parameters* are bytes that are read as choices; the *span* of a node is the range of bytes of its subtree |
//! | canonical parameters | of all bytes that decode to a derivation, those that [`Decoder::encode`](Decoder::encode) writes |
//! | token, lexeme | a *token* is a symbol without layout inside; a *lexeme* is the occurrence of a token in a rule |
//! | layout, layout token, separator | *layout* is the text between tokens, such as blanks and comments: a sequence of *layout tokens*; a *separator* is the layout that zester writes so that two tokens do not become one |
//! | repetition, run | elements that occur several times; a *run* is a repetition of characters of one class within a token |
//! | identifier terminal | a token with a fixed list of names; its *escape* spells out any other name |
//! | expansion | the step from a nonterminal, a repetition or an identifier terminal to its children |
//! | outcome | the option that a choice in a sample took: an alternative, a number of elements, a character, a name |
//! | edit | a change of the text of a sentence, after its derivation; an *edited sentence* usually has a syntax error |
//! | bounds | limits of identifiers, items and depth (m, n, d), as in Bonsai fuzzing |
//! | subject | the program under test |
//! | valid, invalid | the subject accepted the sentence, or rejected it for its meaning |
//!
//! # Guarantees
//!
//! * Any bytes decode to a sentence, or to an edited sentence if [edits](Edits) are on,
//!   as in fuzz targets. Decoding never fails, and no text exceeds the [caps](Caps).
//! * Parameters that [`Decoder::encode`](Decoder::encode) wrote decode to the derivation they were
//!   written from, also under larger [bounds](Bounds), unless the cap of nodes is nearly used up.
//! * Everything is deterministic. Weights steer what is generated and mutated, never what bytes
//!   decode to. Two campaigns with one `-seed` are equal with `-entropic_scale_per_exec_time=0
//!   -use_cmp=0`; otherwise libFuzzer also looks at the time of each run, and at memory that any
//!   code of the process compares.
//!
//! Not guaranteed: that a sentence is valid, or that a corpus decodes to the same sentences after
//! its grammar was changed.
//!
//! # Modules
//!
//! The items that you need are at the top level, and in `subject` and `suite`, which are
//! features. The other modules are for those who work on zester and for its own programs; their
//! items may change at any time. A module imports only modules above it in this table.
//!
//! | module | what it is |
//! |---|---|
//! | `uninstrumented` | a macro for functions that SanitizerCoverage must not instrument |
//! | `error` | the error type |
//! | `stable_hash` | a hash for what is written to disk |
//! | `bounds` | limits of a derivation |
//! | `grammar` | a grammar as flat tables, and facts about it |
//! | `notation` | reads grammars in EBNF, with error messages |
//! | `derivation` | the tree of a sentence |
//! | `derive` | the only function that expands symbols, and the trait of choice sources |
//! | `parameters` | decodes bytes to derivations and encodes them again |
//! | `parse` | parses text to derivations, for any grammar |
//! | `equal` | rewrites sentences to equivalent ones |
//! | `sampler` | a choice source that draws sentences of about a given size |
//! | `weights` | learns probabilities from samples; a choice source that draws by them, or by their inverse |
//! | `cover` | counts used alternatives; a choice source that leads to unused ones |
//! | `generate` | generates sentences towards a size or by learned probabilities |
//! | `corpus` | directories of parameters, and seeds made of texts |
//! | `validity` | what a target reports of a run |
//! | `generator` | random generators of any kind that read parameters |
//! | `splice` | changes of one derivation, by splicing its parameters |
//! | `mutate` | mutators of parameters |
//! | `reduce` | makes a failing input smaller |
//! | `shape` | finds the parts of a failing sentence that do not matter |
//! | `suite` | systematic test suites of a grammar, positive and negative |
//! | `interface` | the methods of [`Grammar`] that use the modules above |
//! | `feedback` | feeds coverage and validity to libFuzzer and AFL++; the boundary to C |
//! | `language` | grammars as types, sentences as values |
//! | `difference` | the kind of the difference of two values |
//! | `fork_server` | a fuzz target that runs the sentences that `subject` sends; the protocol between the two |
//! | `hooks` | what libFuzzer calls: [`fuzz_target!`], settings, statistics |
//! | `oracle` | compares answers of the program under test: [`same!`], round trips, two programs |
//! | `known` | files of known failures, and what identifies a fault |
//! | `corpus_test` | a test that runs a corpus and artifacts: [`corpus_test!`] |
//! | `subject` | runs sentences through a built fuzz target: outcome, time, coverage |
//!
//! # Features
//!
//! | feature | effect |
//! |---|---|
//! | `libfuzzer` (default) | links libFuzzer, with the macro [`fuzz_target!`] |
//! | `libafl` | the same with LibAFL's engine instead of libFuzzer |
//! | `derive` | re-exports `#[derive(Arbitrary)]` |
//! | `known` | [`corpus_test!`] reads a file of known failures |
//! | `subject` | the module `subject` |
//! | `suite` | the module `suite` |

#[doc(hidden)]
pub mod bounds;
#[doc(hidden)]
pub mod corpus;
#[doc(hidden)]
pub mod corpus_test;
#[doc(hidden)]
pub mod cover;
#[doc(hidden)]
pub mod derivation;
#[doc(hidden)]
pub mod derive;
#[doc(hidden)]
pub mod difference;
#[doc(hidden)]
pub mod equal;
mod error;
mod feedback;
mod fork_server;
#[doc(hidden)]
pub mod generate;
pub mod generator;
#[doc(hidden)]
pub mod grammar;
pub mod hooks;
mod interface;
#[doc(hidden)]
pub mod known;
#[doc(hidden)]
pub mod language;
#[doc(hidden)]
pub mod mutate;
pub mod notation;
pub mod oracle;
#[doc(hidden)]
pub mod parameters;
#[doc(hidden)]
pub mod parse;
#[doc(hidden)]
pub mod reduce;
#[doc(hidden)]
pub mod sampler;
#[doc(hidden)]
pub mod shape;
mod splice;
mod stable_hash;
#[cfg(all(unix, feature = "subject"))]
pub mod subject;
#[cfg(feature = "suite")]
pub mod suite;
mod uninstrumented;
mod validity;
#[doc(hidden)]
pub mod weights;

#[doc = include_str!("commands.md")]
pub mod commands {}

#[doc = include_str!("guide.md")]
pub mod guide {}

#[doc = include_str!("guide_valid.md")]
pub mod guide_valid {}

#[doc = include_str!("guide_oracles.md")]
pub mod guide_oracles {}

#[doc = include_str!("guide_ci.md")]
pub mod guide_ci {}

#[doc = include_str!("guide_c.md")]
pub mod guide_c {}

#[doc = include_str!("guide_generators.md")]
pub mod guide_generators {}

#[doc = include_str!("writing_grammars.md")]
pub mod writing_grammars {}

#[doc(no_inline)]
pub use arbitrary;
#[doc(inline)]
pub use bounds::{Bounds, Caps};
#[doc(inline)]
pub use derivation::{Derivation, Node};
pub use error::Error;
#[doc(inline)]
pub use generate::Generator;
#[doc(inline)]
pub use grammar::{Grammar, SymbolId};
#[doc(inline)]
pub use hooks::{fail, outcome, report_reason};
#[doc(inline)]
pub use language::{Language, Sentence};
#[doc(inline)]
pub use mutate::{Mutator, OperatorCounts};
#[doc(inline)]
pub use notation::report::Report;
#[doc(inline)]
pub use parameters::{Decoder, Edits, PastEnd, Settings};
#[doc(inline)]
pub use parse::{Effort, ParseError, Parser};
pub use validity::{RunFeedback, Validity};
#[doc(inline)]
pub use weights::{Transform, Weights};

#[cfg(feature = "libafl")]
#[doc(hidden)]
pub use libafl_libfuzzer as libfuzzer_sys;
#[cfg(all(feature = "libfuzzer", not(feature = "libafl")))]
#[doc(hidden)]
pub use libfuzzer_sys;

#[cfg(all(feature = "libfuzzer", feature = "libafl"))]
compile_error!(
    "zester: the features `libfuzzer` and `libafl` exclude each other; give `default-features = false` with `libafl`"
);
