//! The subject `xml`: roxmltree reads a document with its internal subset, and the tree is walked.
//!
//! A text is valid if roxmltree reads it. The walk calls all methods of each node: names,
//! namespaces, attributes, text, relatives and positions. A text whose entities expand to more than
//! a bound is refused, as an error of meaning: roxmltree bounds how often entities refer to others,
//! but not the size of the result.

use roxmltree::{Document, Node, ParsingOptions};

/// The maximum number of nodes in a document.
const NODES: u32 = 2_000;

/// The maximum number of nodes whose lines and columns are computed, each from the start of the
/// text.
const PLACED: usize = 100;

/// The number of references that roxmltree follows for one reference, and the maximum bytes of
/// their expansion.
const NESTED: usize = 255;
const EXPANDED: usize = 1 << 28;

/// Reads the document and walks its tree.
pub fn run(text: &str) -> Result<(), String> {
    if text
        .matches('&')
        .count()
        .saturating_mul(NESTED * text.len())
        > EXPANDED
    {
        return Err("zester: too many references".to_owned());
    }
    let options = ParsingOptions {
        allow_dtd: true,
        nodes_limit: NODES,
        ..Default::default()
    };
    let document =
        Document::parse_with_options(text, options).map_err(|error| error.to_string())?;
    for (index, node) in document.descendants().enumerate() {
        visit(&document, node);
        if index < PLACED {
            let _ = (
                document.text_pos_at(node.range().start),
                document.text_pos_at(node.range().end),
            );
        }
    }
    Ok(())
}

/// Calls all methods of a node.
///
/// # Panics
///
/// If a node and its relatives disagree, a range is outside of the text, or a lookup misses what an
/// iterator returned.
fn visit(document: &Document, node: Node) {
    assert_eq!(document.get_node(node.id()), Some(node));
    let _ = &document.input_text()[node.range()];
    let _ = (node.text(), node.tail(), node.pi(), node.has_siblings());
    for child in [node.first_child(), node.last_child()]
        .into_iter()
        .flatten()
    {
        assert_eq!(child.parent(), Some(node));
    }
    if let Some(next) = node.next_sibling() {
        assert_eq!(next.prev_sibling(), Some(node));
    }
    let _ = (
        node.prev_sibling_element(),
        node.next_sibling_element(),
        node.parent_element(),
    );
    assert_eq!(node.children().count(), node.children().rev().count());
    if node.is_element() {
        assert!(node.has_tag_name(node.tag_name()));
        let _ = node.default_namespace();
        for namespace in node.namespaces() {
            assert!(node.lookup_namespace_uri(namespace.name()).is_some());
            let _ = node.lookup_prefix(namespace.uri());
        }
        for attribute in node.attributes() {
            assert!(match attribute.namespace() {
                Some(namespace) => node.has_attribute((namespace, attribute.name())),
                None => node.has_attribute(attribute.name()),
            });
            let text = document.input_text();
            let _ = (
                &text[attribute.range()],
                &text[attribute.range_qname()],
                &text[attribute.range_value()],
            );
        }
    }
}

/// Parts of roxmltree's messages about broken constraints other than the grammar: names that do not
/// agree, are unknown or not unique, entities that expand to something wrong, and limits. They are
/// from roxmltree 0.21.2, `src/parse.rs`.
const NOT_SYNTAX: [&str; 12] = [
    "zester: ",
    "'xml' namespace prefix mapped to wrong URI",
    "the 'xml' namespace URI is used for not 'xml' prefix",
    "the 'xmlns' URI is used",
    "the 'xmlns' prefix is used",
    "namespace '",
    "an unknown namespace prefix",
    "unexpected close tag at",
    "unknown entity reference",
    "a possible entity reference loop",
    // An entity's `<` in an attribute. Any other `<` is reported as a missing quote.
    "unescaped '<' found",
    "nodes limit reached",
];

/// Returns whether a message of [`run`] means that XML's grammar does not derive the text.
///
/// roxmltree stops at the first error, so other messages say nothing about the text after their
/// position.
pub fn is_syntax_error(message: &str) -> bool {
    let duplicate = message.starts_with("attribute '") && message.ends_with("is already defined");
    let other_name = message.starts_with("expected '") && message.contains("' tag, not '");
    !(duplicate || other_name || NOT_SYNTAX.iter().any(|start| message.starts_with(start)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge;

    #[test]
    fn accepts_valid_texts() {
        judge::accepts(
            run,
            &[
                "<a/>",
                "\u{FEFF}<?xml version='1.0' encoding='UTF-8' standalone=\"yes\" ?>\n<!-- - --><a>&lt;&#x1F600;]]</a ><?b ?>\n",
                "<!DOCTYPE a SYSTEM 'a.dtd' [<!ENTITY e 'x<b/>'><!ELEMENT a (#PCDATA|b)*><!ATTLIST a c CDATA #IMPLIED>]><a>&e;</a>",
                "<p:a xmlns:p='urn:p' xmlns='' xml:lang='en' p:b='&quot;&#10;\t' b=\">\"><![CDATA[<]]]]>&amp;</p:a>",
                &("<a>".repeat(1_999) + &"</a>".repeat(1_999)),
            ],
        );
    }

    #[test]
    fn rejects_by_syntax() {
        judge::rejects_by_syntax(
            run,
            is_syntax_error,
            &[
                "",
                "a",
                "<a>",
                "<a/><b/>",
                "<a b/>",
                "<a b='<'/>",
                "<a b=''c=''/>",
                "<a>]]></a>",
                "<a><!-- -- --></a>",
                "<a>&b</a>",
                "<a>\u{1}</a>",
                "<1/>",
                "<?a",
                "<!DOCTYPE a [<!NOTHING>]><a/>",
                " <?xml version='1.0'?><a/>",
            ],
        );
    }

    #[test]
    fn rejects_by_meaning() {
        let long = "<a/>".repeat(2_000);
        judge::rejects_by_meaning(
            run,
            is_syntax_error,
            &[
                "<a></b>",
                "<p:a/>",
                "<a b='' b=''/>",
                "<a xmlns:b='urn:b' xmlns:b='urn:b'/>",
                "<a xmlns:xml='urn:b'/>",
                "<a>&b;</a>",
                "<!DOCTYPE a [<!ENTITY b '&b;'>]><a>&b;</a>",
                "<!DOCTYPE a [<!ENTITY b '</a>'>]><a>&b;</a>",
                &format!("<a>{long}</a>"),
                &format!("<a>{}</a>", "&lt;".repeat(9_999)),
            ],
        );
    }
}
