//! The texts of tokens of external scanners, by the names that they have in many grammars.

use super::super::class::CharacterClass;
use super::super::expression::Expression;

/// Returns the texts of an external token that every scanner with a token of this name reads.
/// [`Expression::never`] leaves out the alternatives with it. Returns [`None`] if the name is not
/// known.
pub fn meaning(name: &str) -> Option<Expression> {
    let plain = name.trim_start_matches('_');
    let texts: &[&str] = match plain {
        "automatic_semicolon"
        | "function_signature_automatic_semicolon"
        | "semicolon"
        | "semi"
        | "implicit_semi"
        | "explicit_semi"
        | "class_member_semi" => &[";"],
        "ternary_qmark" => &["?"],
        "newline" | "line_break" | "line_ending_or_eof" => &["\n"],
        "string_end"
        | "raw_string_literal_end"
        | "string_close"
        | "end_str"
        | "simple_string_start"
        | "single_line_string_end"
        | "interpolation_end_quote" => &["\""],
        // An interpolation needs the prefix, and it separates the string from the one before it.
        "string_start" => &["f\""],
        "raw_string_literal_start" => &["r\""],
        "raw_string_open" => &["r\"("],
        "raw_string_close" => &[")\""],
        "raw_string_start" | "raw_string_end" | "multiline_string_end" => &["\"\"\""],
        // The scanners refuse an interpolated string without any text.
        "interpolation_start_quote" => &["\"a", "\" ", "\"0"],
        "interpolation_regular_start" => &["$"],
        "interpolation_verbatim_start" => &["$@", "@$"],
        "interpolation_open_brace" | "external_open_brace" => &["{"],
        "interpolation_close_brace" | "external_close_brace" => &["}"],
        "external_open_parenthesis" | "immediate_paren" => &["("],
        "external_close_parenthesis" => &[")"],
        "external_open_bracket" | "immediate_bracket" | "element_reference_bracket" => &["["],
        "external_close_bracket" => &["]"],
        "external_open_bracket2" => &["[["],
        "external_close_bracket2" => &["]]"],
        "immediate_brace" => &["{"],
        "external_else" => &["else"],
        "block_comment_start" => &["--[["],
        "block_comment_end" => &["]]"],
        // The blank separates it from another bracket.
        "block_string_start" => &[" [["],
        "block_string_end" => &["]]"],
        "multiline_basic_string_end" => &["\"\"\""],
        "multiline_literal_string_end" => &["'''"],
        "path_start" => &["./a"],
        "pseudo_class_selector_colon" => &[":"],
        "descendant_operator" => &[" "],
        "symbol_start" => &[":\""],
        "subshell_start" => &["`"],
        "regex_start" => &["/"],
        "string_array_start" => &["%w("],
        "symbol_array_start" => &["%i("],
        "block_ampersand" => &["&"],
        "splat_star" | "binary_star" => &["*"],
        "unary_minus" | "unary_minus_num" | "binary_minus" | "minus_then_ws" => &["-"],
        "plus_then_ws" => &["+"],
        "hash_splat_star_star" | "binary_star_star" => &["**"],
        "singleton_class_left_angle_left_langle" => &["<<"],
        "not_is" => &["!is"],
        "not_in" => &["not in"],
        "in" => &["!in"],
        "q_dot" => &["?."],
        "arrow_operator_custom" => &["->"],
        "dot_custom" => &["."],
        "conjunction_operator_custom" => &["&&"],
        "disjunction_operator_custom" => &["||"],
        "nil_coalescing_operator_custom" => &["??"],
        "eq_custom" => &["="],
        "eq_eq_custom" => &["=="],
        "bang_custom" => &["!"],
        "throws_keyword" => &["throws"],
        "rethrows_keyword" => &["rethrows"],
        "default_keyword" => &["default"],
        "where_keyword" => &["where"],
        "catch_keyword" => &["catch"],
        "as_custom" => &["as"],
        "as_quest_custom" => &["as?"],
        "as_bang_custom" => &["as!"],
        "async_keyword_custom" => &["async"],
        "hash_symbol_custom" => &["#"],
        "xml_model" | "xml-model" => &["xml-model"],
        "xml_stylesheet" | "xml-stylesheet" => &["xml-stylesheet"],
        // The blank separates the name from an attribute that begins with `-` or `:`.
        "start_tag_name" => &["b "],
        "tag_name" | "end_tag_name" => &["b"],
        _ => &[],
    };
    if !texts.is_empty() {
        return Some(Expression::choice(
            texts.iter().copied().map(Expression::literal),
        ));
    }
    let is_empty = matches!(
        plain,
        "optional_semi"
            | "start"
            | "eof"
            | "no_line_break"
            | "no_space"
            | "null"
            | "before_unary_op"
            | "concat"
            | "phantom"
            | "empty_value"
            | "case_definition_keyword"
            | "name_gate"
            | "control_tail_gate"
    );
    if is_empty || plain.starts_with("cond_") {
        return Some(Expression::empty());
    }
    // Words that are keywords only where the scanner says so.
    if let Some(word) = plain.strip_suffix("_modifier") {
        let is_letter = |c: char| c.is_ascii_lowercase();
        return word
            .chars()
            .all(is_letter)
            .then(|| Expression::literal(word));
    }
    let run = |without: &str| {
        let class = text_class(without).repeat(1, None);
        Some(class)
    };
    match plain {
        "float_literal" => Some(number()),
        "comment" | "block_comment" | "multiline_comment" | "Comment" => {
            // The reader finds the sign of comments where the grammar has no rule for them.
            Some(Expression::never())
        }
        "simple_symbol" => Some(Expression::sequence([Expression::literal(":"), word()])),
        "hash_key_symbol" => Some(word()),
        "variable_name" | "PITarget" => Some(word()),
        "raw_string_delimiter" => Some(Expression::literal("x")),
        "regex_pattern" => Some(
            Expression::Class(CharacterClass::parse("[A-Za-z0-9 .,:;=_-]").expect("a class"))
                .repeat(1, None),
        ),
        "jsx_text" | "raw_text" | "CharData" | "text" => run("<>{}&]"),
        _ if [
            "escape_interpolation",
            "dollar_escape",
            // The number of quotes must be the same at both ends.
            "interpolation_raw_start",
            "indent",
            "dedent",
            "outdent",
            "heredoc",
            "nowdoc",
            "error",
            "html_comment",
            "script_start",
            "style_start",
            "erroneous",
            "implicit_end",
            "sentinel",
            "raw_str_",
            "extglob",
            "short_interpolation",
            "regex_no_",
            "multiline_middle",
            "suppress_",
            "external_expansion",
            "quoted_string_delimiter",
            "immediate_double_hash",
            "fake_try_bang",
            "xml_tag_start",
            "wildcard_bound_start",
            "word_operator_eol",
            // The scanner of XML wants the end of a line after it.
            "pi_content",
        ]
        .iter()
        .any(|part| plain.contains(part)) =>
        {
            Some(Expression::never())
        }
        // A path ends before most signs.
        _ if plain.contains("path_fragment") => {
            let class = CharacterClass::parse("[A-Za-z0-9._-]").expect("a class");
            Some(Expression::Class(class).repeat(1, None))
        }
        _ if ["chars", "content", "fragment", "string_middle", "str_part"]
            .iter()
            .any(|part| plain.contains(part)) =>
        {
            run("")
        }
        _ => None,
    }
}

/// Printable characters without a meaning in strings of any language, without those in `without`.
fn text_class(without: &str) -> Expression {
    let special = CharacterClass::of("\"'`\\$#{}@%<>[]()/*&~!\u{7f}\u{feff}");
    let control = CharacterClass::new([(0, 31), (0x80, 0xa0), (0x2000, 0x206f), (0x3000, 0x3000)]);
    let class = CharacterClass::any().minus(&special).minus(&control);
    Expression::Class(class.minus(&CharacterClass::of(without)))
}

fn word() -> Expression {
    let class = |text: &str| Expression::Class(CharacterClass::parse(text).expect("a class"));
    Expression::sequence([class("[a-z]"), class("[a-z0-9_]").repeat(0, None)])
}

fn number() -> Expression {
    let digits = || Expression::Class(CharacterClass::new([(0x30, 0x39)])).repeat(1, None);
    Expression::sequence([digits(), Expression::literal("."), digits()])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_of_external_tokens_tell_their_texts() {
        assert_eq!(meaning("_ternary_qmark"), Some(Expression::literal("?")));
        assert_eq!(meaning("heredoc_end"), Some(Expression::never()));
        assert_eq!(meaning("_optional_semi"), Some(Expression::empty()));
        let modifier = meaning("_inline_modifier");
        assert_eq!(modifier, Some(Expression::literal("inline")));
        let name = Expression::literal("b ");
        assert_eq!(meaning("_start_tag_name"), Some(name));
        assert_eq!(meaning("_unheard_of"), None);
        let Some(Expression::Repeat { element, .. }) = meaning("string_content") else {
            panic!("no text");
        };
        let Expression::Class(class) = *element else {
            panic!("no class");
        };
        assert!(class.contains('a') && class.contains(' ') && !class.contains('"'));
        let Some(Expression::Repeat { element, .. }) = meaning("path_fragment") else {
            panic!("no text");
        };
        assert!(matches!(*element, Expression::Class(class) if !class.contains(' ')));
    }
}
