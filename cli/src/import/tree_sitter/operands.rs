//! Limits operands by the precedences of rules.
//!
//! The generator of tree-sitter resolves a conflict by precedence and associativity when it makes the parser: after `-
//! a`, the parser goes on with `.b` (it shifts) instead of completing `- a` (a reduction), so `- a` is never the left
//! operand of `.b`. Where only an operation like `.b` is allowed, such as on the left side of an assignment, `- a.b =
//! c` is an error. So the left operand of such an operation becomes another rule, without the alternatives that the
//! parser never completes there. The right operand of a prefix operator is limited where only the prefix operation is
//! allowed.

pub mod nodes;
mod rules;
mod variants;

use std::collections::{HashMap, HashSet};

use self::nodes::{NewNames, choice, rename_first, rename_last, rename_part};
use self::rules::OperandRules;
use self::variants::{VariantDepth, Variants};
use super::json::Json;
use super::precedence::Precedences;

/// Grammars with more rules are left as they are.
const MAX_RULES: usize = 1_000;

/// If there are more new rules, the ends of operands are not limited.
const MAX_DEEP: usize = 500;

/// The maximum length of all copied alternatives, in bytes of the source.
const MAX_COPIED: usize = 1 << 20;

/// Returns the rules with limited operands, and the rules for the operands.
pub fn limit(source: &Json, members: &[(String, Json)]) -> Vec<(String, Json)> {
    if members.len() > MAX_RULES {
        return members.to_vec();
    }
    let names: Vec<&str> = members.iter().map(|(name, _)| &**name).collect();
    let rules = OperandRules::new(&names, members, Precedences::new(source));
    let tokens = rules.taken();
    let limits = rules.limits(&tokens);
    let mut taken: HashSet<String> = names.iter().map(ToString::to_string).collect();
    let mut variants = Variants::new(&rules);
    let depth = |variants: &Variants| match variants.new.len() < MAX_DEEP {
        true => VariantDepth::Ends,
        false => VariantDepth::Whole,
    };
    // For each alternative, the new names of rules at its beginning.
    let mut replaced: HashMap<(usize, usize), NewNames> = HashMap::new();
    for (alternative, operand, excluded) in limits {
        if variants.copied > MAX_COPIED {
            break;
        }
        let name = variants.variant(operand, &excluded, depth(&variants), &mut taken);
        let names = replaced.entry(alternative).or_default();
        names.insert(rules.names[operand].to_string(), name);
    }
    let mut replaced_last: HashMap<(usize, usize), NewNames> = HashMap::new();
    for (alternative, operand, excluded) in rules.right_limits() {
        if variants.copied > MAX_COPIED {
            break;
        }
        if let Some(name) = variants.variant(operand, &excluded, VariantDepth::Whole, &mut taken) {
            let names = replaced_last.entry(alternative).or_default();
            names.insert(rules.names[operand].to_string(), Some(name));
        }
    }
    let mut replaced_inner: HashMap<(usize, usize), Vec<(usize, NewNames)>> = HashMap::new();
    for ((rule, at, part), operand, excluded) in rules.inner_limits(&tokens) {
        if variants.copied > MAX_COPIED {
            break;
        }
        if let Some(name) = variants.variant(operand, &excluded, depth(&variants), &mut taken) {
            let names = NewNames::from([(rules.names[operand].to_string(), Some(name))]);
            let parts = replaced_inner.entry((rule, at)).or_default();
            parts.push((part, names));
        }
    }
    let changed = |rule: usize, at: usize| {
        let mut node = rules.rules[rule][at].node.clone();
        if let Some(names) = replaced.get(&(rule, at)) {
            rename_first(&mut node, names);
        }
        for (part, names) in replaced_inner.get(&(rule, at)).into_iter().flatten() {
            rename_part(&mut node, *part, names);
        }
        if let Some(names) = replaced_last.get(&(rule, at)) {
            rename_last(&mut node, names);
        }
        node
    };
    let mut all = Vec::new();
    for (rule, (name, body)) in members.iter().enumerate() {
        let indices = 0..rules.rules[rule].len();
        let has_new = |at: usize| {
            let alternative = (rule, at);
            let is_operand = [&replaced, &replaced_last];
            is_operand.iter().any(|one| one.contains_key(&alternative))
                || replaced_inner.contains_key(&alternative)
        };
        let is_changed = indices.clone().any(has_new);
        let body = match is_changed {
            true => choice(body, indices.map(|at| changed(rule, at)).collect()),
            false => body.clone(),
        };
        all.push((name.clone(), body));
        for variant in variants.new.iter().filter(|variant| variant.of == rule) {
            let mut nodes = Vec::new();
            for alternative in &variant.alternatives {
                let mut node = changed(rule, alternative.at);
                rename_first(&mut node, &alternative.unit);
                rename_last(&mut node, &alternative.ends);
                nodes.push(node);
            }
            all.push((variant.name.clone(), choice(&members[rule].1, nodes)));
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::super::json;
    use super::*;

    /// Limits the rules of a grammar, and returns their nodes as text.
    fn limited(rules: &str, rest: &str) -> Vec<(String, String)> {
        let source = json::parse(&format!("{{{rest} \"rules\": {{{rules}}}}}")).unwrap();
        let shown = |(name, node): (String, Json)| (name, shown(&node));
        limit(&source, source.get("rules").unwrap().members())
            .into_iter()
            .map(shown)
            .collect()
    }

    fn shown(node: &Json) -> String {
        let all = |between: &str| {
            let members = node.get("members").map(Json::elements).unwrap_or_default();
            members.iter().map(shown).collect::<Vec<_>>().join(between)
        };
        match node.text_of("type") {
            Some("SYMBOL") => node.text_of("name").unwrap().into(),
            Some("STRING") => format!("'{}'", node.text_of("value").unwrap()),
            Some("SEQ") => all(" "),
            Some("CHOICE") => format!("({})", all("|")),
            Some("BLANK") => String::new(),
            _ => shown(node.get("content").unwrap()),
        }
    }

    fn symbol(name: &str) -> String {
        format!(r#"{{"type": "SYMBOL", "name": "{name}"}}"#)
    }

    fn text(value: &str) -> String {
        format!(r#"{{"type": "STRING", "value": "{value}"}}"#)
    }

    fn node(kind: &str, members: &[String]) -> String {
        format!(
            r#"{{"type": "{kind}", "members": [{}]}}"#,
            members.join(",")
        )
    }

    fn prec(kind: &str, value: &str, content: &str) -> String {
        format!(r#"{{"type": "{kind}", "value": {value}, "content": {content}}}"#)
    }

    /// `e = neg | member | "a"`, with the precedences of `neg` and `member`.
    fn negation(neg: &str, member: &str) -> String {
        let e = node("CHOICE", &[symbol("neg"), symbol("member"), text("a")]);
        let of_neg = prec("PREC_LEFT", neg, &node("SEQ", &[text("-"), symbol("e")]));
        let of_member = node("SEQ", &[symbol("e"), text("."), text("b")]);
        let of_member = prec("PREC", member, &of_member);
        format!(r#""e": {e}, "neg": {of_neg}, "member": {of_member}"#)
    }

    fn body<'a>(rules: &'a [(String, String)], name: &str) -> &'a str {
        &rules.iter().find(|(rule, _)| rule == name).unwrap().1
    }

    #[test]
    fn operands_lack_rules_that_bind_less() {
        let rules = limited(&negation("1", "2"), "");
        assert_eq!(body(&rules, "member"), "e_operand '.' 'b'");
        assert_eq!(body(&rules, "e_operand"), "(member|'a')");
        assert_eq!(body(&rules, "e"), "(neg|member|'a')");
    }

    #[test]
    fn rules_that_bind_more_stay_operands() {
        assert_eq!(limited(&negation("2", "1"), "").len(), 3);
        assert_eq!(limited(&negation("1", "1"), "").len(), 3);
    }

    #[test]
    fn names_of_precedences_have_an_order() {
        let rest = r#""precedences": [[{"type": "STRING", "value": "m"}, {"type": "SYMBOL", "name": "neg"}]],"#;
        assert_eq!(limited(&negation("0", "\"m\""), rest).len(), 4);
        assert_eq!(limited(&negation("0", "\"n\""), rest).len(), 3);
    }

    #[test]
    fn what_is_optional_at_the_end_takes_the_next_token() {
        let e = node("CHOICE", &[symbol("yield"), symbol("up"), text("a")]);
        let value = node("CHOICE", &[symbol("e"), r#"{"type": "BLANK"}"#.into()]);
        let of_yield = prec("PREC_RIGHT", "0", &node("SEQ", &[text("yield"), value]));
        let before = node("SEQ", &[text("++"), symbol("e")]);
        let after = prec("PREC_LEFT", "0", &node("SEQ", &[symbol("e"), text("++")]));
        let up = node("CHOICE", &[before, after]);
        let rules = limited(&format!(r#""e": {e}, "yield": {of_yield}, "up": {up}"#), "");
        assert_eq!(body(&rules, "up"), "('++' e|e_operand '++')");
        assert_eq!(body(&rules, "e_operand"), "(up_operand|'a')");
        assert_eq!(
            body(&rules, "up_operand"),
            "('++' e_operand|e_operand '++')"
        );
    }

    #[test]
    fn an_operand_without_alternatives_is_left_out_of_a_choice() {
        let first = node("CHOICE", &[symbol("a"), symbol("import")]);
        let member = node("SEQ", &[first, text("."), symbol("a")]);
        let meta = node("SEQ", &[text("import"), text("."), text("meta")]);
        let rules = format!(
            r#""s": {}, "member": {member}, "meta": {meta}, "import": {}, "a": {}"#,
            node("CHOICE", &[symbol("member"), symbol("meta")]),
            text("import"),
            text("a")
        );
        let rest = r#""precedences": [[{"type": "SYMBOL", "name": "meta"}, {"type": "SYMBOL", "name": "import"}]],"#;
        assert_eq!(body(&limited(&rules, rest), "member"), "(a) '.' a");
        assert_eq!(body(&limited(&rules, ""), "member"), "(a|import) '.' a");
    }

    #[test]
    fn operands_lack_the_operation_that_follows() {
        let type_rule = node("CHOICE", &[symbol("pair"), symbol("splat")]);
        let pair = node("SEQ", &[symbol("type"), text(":"), symbol("type")]);
        let splat = node("SEQ", &[text("*"), text("a")]);
        let result = node("SEQ", &[text("->"), symbol("type")]);
        let result = node("CHOICE", &[result, r#"{"type": "BLANK"}"#.into()]);
        let function = node("SEQ", &[text("f"), result, text(":"), text("b")]);
        let rules = format!(
            r#""function": {function}, "type": {type_rule}, "pair": {pair}, "splat": {splat}"#
        );
        let rules = limited(&rules, "");
        assert_eq!(body(&rules, "function"), "'f' ('->' type_operand|) ':' 'b'");
        assert_eq!(body(&rules, "type_operand"), "splat");
    }

    #[test]
    fn operands_lack_rules_that_bind_less_at_their_ends() {
        let all = ["not", "before", "after"].map(symbol);
        let e = node("CHOICE", &[&all[..], &[text("a")]].concat());
        let not = prec("PREC", "1", &node("SEQ", &[text("!"), symbol("e")]));
        let before = prec("PREC_LEFT", "2", &node("SEQ", &[text("++"), symbol("e")]));
        let after = prec("PREC_LEFT", "2", &node("SEQ", &[symbol("e"), text("++")]));
        let rules = format!(r#""e": {e}, "not": {not}, "before": {before}, "after": {after}"#);
        let rules = limited(&rules, "");
        assert_eq!(body(&rules, "after"), "e_operand '++'");
        assert_eq!(body(&rules, "e_operand"), "(before_operand|after|'a')");
        assert_eq!(body(&rules, "before_operand"), "'++' e_operand");
        assert_eq!(body(&rules, "before"), "'++' e");
    }

    #[test]
    fn operands_are_limited_at_the_end_of_a_rule() {
        let e = node(
            "CHOICE",
            &[symbol("assignment"), symbol("within"), text("a")],
        );
        let of_in = node("SEQ", &[symbol("e"), text("in"), symbol("e")]);
        let of_in = prec("PREC_LEFT", "0", &of_in);
        let assignment = node("SEQ", &[text("a"), text("="), symbol("e")]);
        let assignment = prec("PREC_RIGHT", "0", &assignment);
        let initializer = node("SEQ", &[text("="), symbol("e")]);
        let head = [text("for"), symbol("initializer"), text("in"), symbol("e")];
        let rules = format!(
            r#""loop": {}, "initializer": {initializer}, "e": {e}, "within": {of_in}, "assignment": {assignment}"#,
            node("SEQ", &head)
        );
        let rules = limited(&rules, "");
        assert_eq!(body(&rules, "loop"), "'for' initializer_operand 'in' e");
        assert_eq!(body(&rules, "initializer_operand"), "'=' e_operand");
        assert_eq!(body(&rules, "e_operand"), "'a'");
    }

    #[test]
    fn right_operands_are_limited_where_only_the_prefix_is_allowed() {
        let s = node("CHOICE", &[symbol("neg"), text(";")]);
        let e = node("CHOICE", &[symbol("neg"), symbol("as"), text("a")]);
        let neg = prec("PREC", "2", &node("SEQ", &[text("-"), symbol("e")]));
        let of_as = prec(
            "PREC",
            "1",
            &node("SEQ", &[symbol("e"), text("as"), text("t")]),
        );
        let rules = format!(r#""s": {s}, "e": {e}, "neg": {neg}, "as": {of_as}"#);
        let rules = limited(&rules, "");
        assert_eq!(body(&rules, "neg"), "'-' e_operand");
        assert_eq!(body(&rules, "e_operand"), "(neg|'a')");
        assert_eq!(body(&rules, "e"), "(neg|as|'a')");
    }

    #[test]
    fn left_operands_lack_those_of_another_operation() {
        let of_type = node("CHOICE", &[symbol("e"), symbol("union"), symbol("splat")]);
        let of_type = prec("PREC", "1", &of_type);
        let union = node("SEQ", &[symbol("type"), text("|"), symbol("type")]);
        let splat = node("SEQ", &[text("*"), text("a")]);
        let e = node("CHOICE", &[symbol("or"), text("a")]);
        let or = prec(
            "PREC",
            "2",
            &node("SEQ", &[symbol("e"), text("|"), symbol("e")]),
        );
        let rules = format!(
            r#""type": {of_type}, "union": {union}, "splat": {splat}, "e": {e}, "or": {or}"#
        );
        let rules = limited(&rules, "");
        assert_eq!(body(&rules, "union"), "type_operand '|' type");
        assert_eq!(body(&rules, "type_operand"), "splat");
    }
}
