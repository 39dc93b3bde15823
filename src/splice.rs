//! Splices of a sentence: each changes the derivation by copying and replacing spans of its
//! parameters.
//!
//! The canonical parameters of a subtree are a span of bytes. A splice reorders or omits such spans,
//! or writes new parameters between them. The bytes after a spliced span decode to the same choices
//! as before.
//!
//! A splice is a value: a struct that names the nodes to change. Each splice has a file of its own.
//! Two searches use the splices: [`crate::mutate`] draws them at random, and [`crate::reduce`] tries
//! all splices that shrink a sentence.
//!
//! # Writing a splice
//!
//! Implement [`Splice`] for a struct. If a mutator uses the splice, add `draw`, which picks one at
//! random. If the reducer uses the splice, add `list`, which returns the splices of a node; those that
//! shrink the sentence most come first. End the file with a test that shows a sentence before and
//! after.

mod alternative;
mod characters;
mod elements;
mod hoist;
mod inline;
mod layout;
mod promote;
mod pull;
mod rename;
mod replace;
mod simplify;
mod unit_chain;
mod view;

pub(crate) use self::alternative::ChangeAlternative;
pub(crate) use self::characters::{SetCharacters, characters};
pub(crate) use self::elements::{NEW, RemoveElements, SetElements};
pub(crate) use self::hoist::Hoist;
pub(crate) use self::inline::InlineName;
pub(crate) use self::layout::RemoveLayout;
pub(crate) use self::promote::Promote;
pub(crate) use self::pull::PullElement;
use self::rename::OpenNode;
pub(crate) use self::rename::{Rename, RenameDeclaration};
pub(crate) use self::replace::{Replace, replace_range};
pub(crate) use self::simplify::Simplify;
use self::unit_chain::UnitChains;
use crate::derivation::Derivation;
use crate::derive::Workspace;
use crate::grammar::SymbolId;
use crate::parameters;
pub(crate) use crate::parameters::TreeView;

/// A change of one sentence.
pub(crate) trait Splice {
    /// Writes the parameters of the changed sentence to `result`, canonical or not. Returns whether
    /// the splice is possible; if not, `result` is unspecified.
    fn write(&self, view: &TreeView<'_>, buffers: &mut SpliceBuffers, result: &mut Vec<u8>)
    -> bool;
}

/// Buffers that splices reuse.
#[derive(Debug, Default)]
pub(crate) struct SpliceBuffers {
    workspace: Workspace,
    derivation: Derivation,
    /// The parameters of a new subtree.
    part: Vec<u8>,
    open: Vec<OpenNode>,
    /// The unit chains of the grammar of the last splice.
    chains: UnitChains,
}

impl SpliceBuffers {
    /// Appends the parameters of the simplest subtree of a symbol to `bytes`.
    fn write_simplest(&mut self, view: &TreeView<'_>, symbol: SymbolId, bytes: &mut Vec<u8>) {
        let SpliceBuffers {
            workspace,
            derivation,
            ..
        } = self;
        // An empty parameter sequence decodes to the simplest subtree.
        let goal = view.settings.goal(view.grammar, symbol);
        parameters::decode_from(goal, &[], view.settings.past_end, workspace, derivation);
        parameters::encode(view.grammar, derivation, bytes);
    }
}

#[cfg(test)]
pub(crate) mod testing {
    //! Example sentences of small grammars, for the test at the end of each splice's file.

    use super::{Splice, SpliceBuffers, TreeView};
    use crate::bounds::Caps;
    use crate::derivation::Derivation;
    use crate::grammar::{Grammar, Role, SymbolId};
    use crate::parameters::{self, Settings, Tree};
    use crate::{notation, parse};

    /// A grammar and one of its sentences.
    pub struct Example {
        grammar: Grammar,
        settings: Settings,
        tree: Tree,
    }

    impl Example {
        pub fn new(source: &str, text: &str) -> Example {
            let (grammar, _) =
                notation::read("example", source.as_bytes(), &Caps::default()).unwrap();
            let (mut derivation, mut bytes) = (Derivation::default(), Vec::new());
            parse::Parser::new(&grammar)
                .parse_into(text.as_bytes(), &mut derivation)
                .unwrap();
            parameters::encode(&grammar, &derivation, &mut bytes);
            let (settings, mut tree) = (Settings::default(), Tree::default());
            parameters::read(
                &grammar,
                &settings,
                &bytes,
                &mut Default::default(),
                &mut tree,
            );
            Example {
                grammar,
                settings,
                tree,
            }
        }

        pub fn view(&self) -> TreeView<'_> {
            TreeView {
                grammar: &self.grammar,
                settings: &self.settings,
                tree: &self.tree,
            }
        }

        pub fn symbol(&self, label: &str) -> SymbolId {
            let mut all = (0..self.grammar.symbols().len() as u32).map(SymbolId);
            all.find(|&symbol| {
                self.grammar.label(symbol) == label && self.grammar.role(symbol) != Role::Fixed
            })
            .expect(label)
        }

        /// Returns the outermost node with a symbol and a text.
        pub fn node(&self, label: &str, text: &str) -> usize {
            let (view, symbol) = (self.view(), self.symbol(label));
            let fits =
                |&node: &usize| view.symbol(node) == symbol && view.text(node) == text.as_bytes();
            (0..view.nodes().len())
                .find(fits)
                .unwrap_or_else(|| panic!("no {label} is `{text}`"))
        }

        /// Returns the text after a splice, or `None` if the splice is impossible.
        pub fn after(&self, splice: &impl Splice) -> Option<String> {
            let mut bytes = Vec::new();
            splice
                .write(&self.view(), &mut SpliceBuffers::default(), &mut bytes)
                .then(|| {
                    String::from_utf8(
                        parameters::sentence(&self.grammar, &self.settings, &bytes)
                            .text()
                            .to_vec(),
                    )
                    .unwrap()
                })
        }
    }
}
