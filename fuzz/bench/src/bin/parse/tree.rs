//! tree-sitter's parser of a language. Without the feature `tree-sitter`, no language has one, and
//! no C code is compiled.

#[cfg(feature = "tree-sitter")]
pub struct Tree(tree_sitter::Parser);

#[cfg(feature = "tree-sitter")]
impl Tree {
    /// Returns the parser of a language, if tree-sitter has a grammar of it.
    pub fn of(language: &str) -> Option<Tree> {
        let grammar = match language {
            "css" => tree_sitter_css::LANGUAGE,
            "graphql" => tree_sitter_graphql::LANGUAGE,
            "javascript" => tree_sitter_javascript::LANGUAGE,
            "json" => tree_sitter_json::LANGUAGE,
            "lua" => tree_sitter_lua::LANGUAGE,
            "sql" => tree_sitter_sequel::LANGUAGE,
            "wgsl" => tree_sitter_wgsl_bevy::LANGUAGE,
            "xml" => tree_sitter_xml::LANGUAGE_XML,
            _ => return None,
        };
        let mut parser = tree_sitter::Parser::new();
        parser
            .set_language(&grammar.into())
            .expect("a version that fits");
        Some(Tree(parser))
    }

    /// Returns whether the tree of a text has no error.
    pub fn accepts(&mut self, text: &[u8]) -> bool {
        self.0
            .parse(text, None)
            .is_some_and(|tree| !tree.root_node().has_error())
    }
}

/// A type without values, for builds without tree-sitter.
#[cfg(not(feature = "tree-sitter"))]
pub struct Tree(());

#[cfg(not(feature = "tree-sitter"))]
impl Tree {
    /// Returns `None` for every language.
    pub fn of(_: &str) -> Option<Tree> {
        None::<()>.map(Tree)
    }

    /// Is never called, because no value of this type exists.
    pub fn accepts(&mut self, _: &[u8]) -> bool {
        false
    }
}
