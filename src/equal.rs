//! Equivalent sentences: replaces a part of a sentence by an equivalent one, as the `@equal` lines of
//! its grammar say, changes its layout, or renames what it declares.
//!
//! # Guarantees
//!
//! * One application replaces one part, exchanges two parts that follow each other, or replaces all layout or one
//!   name. The rest of the text stays.
//! * Holes keep their text. A hole is neither copied nor moved before or after another one if it declares
//!   a name whose text the sentence has outside of the hole, too.
//! * A new name does not occur in the sentence.
//!
//! # Not guaranteed
//!
//! The result may be no sentence, because of exclusions or of tokens that become one token, and a name may be
//! out of the scope of its declaration. [`Equivalents::confirms`] tests it by parsing, which takes longer than writing the sentence.

mod exchange;
mod matching;
mod names;
mod write;

use std::ops::{ControlFlow, Range};

use self::matching::{HoleBindings, Match};
use self::names::{is_in_order, numbered};
use self::write::Output;
use crate::derivation::{Derivation, NameRole};
use crate::grammar::{
    BuiltInEquivalence, Equivalence, EquivalentChange, EquivalentSides, Grammar, RulePattern,
};
use crate::parse::Parser;

/// Rewrites sentences of one grammar to equivalent ones. It reuses its memory.
///
/// # Examples
///
/// ```
/// use zester::equal::Equivalents;
/// use zester::Grammar;
///
/// let source = br#"
///     sum = product ( "+" product )* ;
///     product = [0-9]+ ;
///     @equal sum: a:product "+" b:product ~ b "+" a ;
/// "#;
/// let grammar = Grammar::read("sum.ebnf", source).unwrap();
/// let mut equivalents = Equivalents::new(&grammar);
/// let mut found = Vec::new();
/// equivalents.for_each(&grammar.parse(b"1+23").unwrap(), |_| true, |equivalence, text| {
///     found.push((equivalence, text.to_vec()));
///     std::ops::ControlFlow::Continue(())
/// });
/// assert_eq!(found, [(0, b"23+1".to_vec())]);
/// assert_eq!(equivalents.name(0), "sum ‹a› + ‹b› ~ ‹b› + ‹a›");
/// ```
#[derive(Debug)]
pub struct Equivalents<'g> {
    grammar: &'g Grammar,
    /// The role of each name of the sentence, with its node.
    roles: Vec<(usize, NameRole)>,
    /// For each node of the sentence, whether no layout is allowed before its first token.
    adjacent: Vec<bool>,
    bindings: HoleBindings,
    /// The equivalent sentence.
    output: Output,
    /// It is made when it is first needed.
    parser: Option<Parser<'g>>,
}

/// What an equivalence is.
enum EquivalenceKind<'g> {
    /// A line of the source.
    Line(&'g Equivalence),
    /// One of every grammar.
    BuiltIn(BuiltInEquivalence),
}

impl<'g> Equivalents<'g> {
    /// Returns a rewriter for the sentences of a grammar.
    pub fn new(grammar: &'g Grammar) -> Equivalents<'g> {
        Equivalents {
            grammar,
            roles: Vec::new(),
            adjacent: Vec::new(),
            bindings: HoleBindings::default(),
            output: Output::default(),
            parser: None,
        }
    }

    /// Makes the tables of the parser, so that processes that are forked later share them.
    pub fn prepare_parser(&mut self) {
        self.parser();
    }

    /// Parses a sentence. Returns whether it is one.
    pub fn parse(&mut self, text: &[u8], derivation: &mut Derivation) -> bool {
        self.parser().parse_into(text, derivation).is_ok()
    }

    fn parser(&mut self) -> &mut Parser<'g> {
        let grammar = self.grammar;
        self.parser.get_or_insert_with(|| Parser::new(grammar))
    }

    /// Returns the number of equivalences: those of the source, then those of every grammar.
    pub fn count(&self) -> usize {
        self.grammar.equivalences.len() + BuiltInEquivalence::ALL.len()
    }

    /// Returns the name of an equivalence.
    pub fn name(&self, equivalence: usize) -> &'g str {
        match self.kind(equivalence) {
            EquivalenceKind::Line(line) => &line.name,
            EquivalenceKind::BuiltIn(one) => one.name(),
        }
    }

    /// Returns what an equivalence is, by its number.
    fn kind(&self, equivalence: usize) -> EquivalenceKind<'g> {
        let lines = &self.grammar.equivalences;
        match lines.get(equivalence) {
            Some(line) => EquivalenceKind::Line(line),
            None => EquivalenceKind::BuiltIn(BuiltInEquivalence::ALL[equivalence - lines.len()]),
        }
    }

    /// Calls `found` with each sentence that one application of a wanted equivalence makes of a sentence, and
    /// with the equivalence, until it breaks.
    pub fn for_each(
        &mut self,
        derivation: &Derivation,
        is_wanted: impl Fn(usize) -> bool,
        mut found: impl FnMut(usize, &[u8]) -> ControlFlow<()>,
    ) {
        self.prepare(derivation);
        for equivalence in (0..self.count()).filter(|&equivalence| is_wanted(equivalence)) {
            for place in 0..self.places(equivalence, derivation) {
                if self.apply(equivalence, place, derivation)
                    && found(equivalence, &self.output.text).is_break()
                {
                    return;
                }
            }
        }
    }

    /// Returns the first `most` sentences that one application of a wanted equivalence makes of a sentence, each
    /// with its equivalence.
    pub fn first(
        &mut self,
        most: usize,
        derivation: &Derivation,
        is_wanted: impl Fn(usize) -> bool,
    ) -> Vec<(usize, Vec<u8>)> {
        let mut found = Vec::new();
        self.for_each(derivation, is_wanted, |equivalence, text| {
            found.push((equivalence, text.to_vec()));
            match found.len() < most {
                true => ControlFlow::Continue(()),
                false => ControlFlow::Break(()),
            }
        });
        found
    }

    /// Returns a sentence that one application makes of a sentence, with its equivalence. Equal numbers
    /// choose equal applications. [`None`] if no equivalence applies.
    pub fn pick(&mut self, derivation: &Derivation, random: u64) -> Option<(usize, &[u8])> {
        self.prepare(derivation);
        let count = self.count();
        let (first, offset) = (random as u32 as usize, (random >> 32) as usize);
        for equivalence in (0..count).map(|at| (first + at) % count) {
            if self.find(equivalence, derivation, offset).is_some() {
                return Some((equivalence, &self.output.text));
            }
        }
        None
    }

    /// Returns a sentence that one application of an equivalence makes of a sentence. Equal numbers choose
    /// equal applications. [`None`] if the equivalence does not apply.
    pub fn pick_of(
        &mut self,
        equivalence: usize,
        derivation: &Derivation,
        random: usize,
    ) -> Option<&[u8]> {
        self.prepare(derivation);
        self.find(equivalence, derivation, random)
    }

    /// Returns the sentence of the first place from `random` on at which an equivalence applies.
    fn find(
        &mut self,
        equivalence: usize,
        derivation: &Derivation,
        random: usize,
    ) -> Option<&[u8]> {
        let places = self.places(equivalence, derivation);
        let mut all = (0..places).map(|at| (random % places + at) % places);
        let found = all.find(|&place| self.apply(equivalence, place, derivation));
        found.map(|_| &*self.output.text)
    }

    /// Returns whether a text that an equivalence made of a sentence is a sentence, whose names have the same
    /// roles.
    pub fn confirms(&mut self, equivalence: usize, derivation: &Derivation, text: &[u8]) -> bool {
        let grammar = self.grammar;
        let Ok(parsed) = self.parser().parse(text) else {
            return false;
        };
        let [before, after] =
            [derivation, parsed].map(|derivation| numbered(&derivation.name_roles(grammar)));
        let keeps_order = match self.kind(equivalence) {
            EquivalenceKind::Line(line) => match &line.change {
                EquivalentChange::Sides(sides) => is_in_order(&sides.both[0], &sides.both[1]),
                EquivalentChange::Exchange(_) => false,
            },
            EquivalenceKind::BuiltIn(_) => true,
        };
        if keeps_order {
            return before == after;
        }
        let is_wrong = |role: &&NameRole| !matches!(role, NameRole::Declaration | NameRole::Use(_));
        before.iter().filter(is_wrong).count() >= after.iter().filter(is_wrong).count()
    }

    /// Reads the names of a sentence, and where layout is allowed.
    fn prepare(&mut self, derivation: &Derivation) {
        derivation.adjacent(self.grammar, &mut self.adjacent);
        self.roles.clear();
        if self.grammar.has_names() {
            self.roles = derivation.name_roles(self.grammar);
        }
    }

    /// Returns the number of places of a sentence at which an equivalence may apply.
    fn places(&self, equivalence: usize, derivation: &Derivation) -> usize {
        let grammar = self.grammar;
        match self.kind(equivalence) {
            EquivalenceKind::Line(line) => match line.change {
                // Each node, for each direction.
                EquivalentChange::Sides(_) => 2 * derivation.nodes().len(),
                EquivalentChange::Exchange(_) => derivation.nodes().len(),
            },
            EquivalenceKind::BuiltIn(one) if grammar.unequal.contains(&one) => 0,
            EquivalenceKind::BuiltIn(BuiltInEquivalence::Layout) => {
                grammar.layout().map_or(0, |layout| layout.separators.len())
            }
            EquivalenceKind::BuiltIn(BuiltInEquivalence::Names) => self.roles.len(),
        }
    }

    /// Writes the equivalent sentence at a place. Returns whether there is one.
    fn apply(&mut self, equivalence: usize, place: usize, derivation: &Derivation) -> bool {
        self.output.clear();
        let applies = match self.kind(equivalence) {
            EquivalenceKind::Line(line) => match &line.change {
                EquivalentChange::Sides(sides) => {
                    self.replace_side(place, &line.rule, sides, derivation)
                }
                EquivalentChange::Exchange(part) => {
                    self.exchange(place, &line.rule, part, derivation)
                }
            },
            EquivalenceKind::BuiltIn(BuiltInEquivalence::Layout) => {
                self.change_layout(place, derivation)
            }
            EquivalenceKind::BuiltIn(BuiltInEquivalence::Names) => self.rename(place, derivation),
        };
        applies && self.output.text != derivation.text()
    }

    /// Replaces the form of one side by that of the other. A place is a node, in one of the two directions.
    fn replace_side(
        &mut self,
        place: usize,
        rule: &RulePattern,
        sides: &EquivalentSides,
        derivation: &Derivation,
    ) -> bool {
        let grammar = self.grammar;
        let (node, matched) = (place / 2, place % 2);
        let is_of_rule = grammar.is_of(derivation.nodes()[node].symbol, rule);
        if !is_of_rule || matched == 1 && sides.is_directed {
            return false;
        }
        let (found, written) = (&*sides.both[matched], &*sides.both[1 - matched]);
        let search = Match {
            grammar,
            derivation,
            parts: found,
        };
        search.find(node, sides.holes, &mut self.bindings)
            && self.keeps_names(node, (found, written), derivation)
            && self.replace(node, written, derivation)
    }
}

/// Returns the range of a node's text without the layout before it.
fn visible(grammar: &Grammar, derivation: &Derivation, node: usize) -> Range<usize> {
    let whole = derivation.text_range(node);
    let subtree = node..node + derivation.nodes()[node].size as usize;
    let first = subtree
        .into_iter()
        .find_map(|node| derivation.token_range(grammar, node));
    first.map_or(whole.start, |token| token.start)..whole.end
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns all equivalent sentences that are sentences, with the equivalences of the source alone.
    fn all(source: &str, sentence: &str) -> Vec<String> {
        let grammar =
            Grammar::read("g", source.as_bytes()).unwrap_or_else(|report| panic!("{report}"));
        let derivation = grammar.parse(sentence.as_bytes()).unwrap();
        let mut equivalents = Equivalents::new(&grammar);
        let mut found = equivalents.first(usize::MAX, &derivation, |_| true);
        found.retain(|(equivalence, text)| equivalents.confirms(*equivalence, &derivation, text));
        found
            .into_iter()
            .map(|(_, text)| String::from_utf8(text).unwrap())
            .collect()
    }

    const SUMS: &str = r#"
        sum = product ( sign product )* ;
        sign = "+" | "-" ;
        product = atom ( "*" atom )* ;
        atom = number | "(" sum ")" ;
        number = [0-9]+ ;
    "#;

    #[test]
    fn parts_are_replaced_in_both_directions() {
        let swap = format!("{SUMS} @equal sum: a:product \"+\" b:product ~ b \"+\" a ;");
        assert_eq!(all(&swap, "1+2*3"), ["2*3+1"]);
        assert_eq!(all(&swap, "1-2"), [""; 0]);
        assert_eq!(all(&swap, "1+2+3"), [""; 0], "a side is a whole node");
        assert_eq!(all(&swap, "4*(1+2)"), ["4*(2+1)"]);
        let zero = format!("{SUMS} @equal sum: a:product ~ a \"+\" \"0\" ;");
        assert_eq!(all(&zero, "7"), ["7+0"]);
        assert_eq!(all(&zero, "(7+0)"), ["(7+0)+0", "(7)"]);
        let directed = format!("{SUMS} @equal sum: a:product \"-\" a ~> \"0\" ;");
        assert_eq!(all(&directed, "2*3-2*3"), ["0"]);
        assert_eq!(all(&directed, "2*3-3*2"), [""; 0]);
        let guarded = format!("{SUMS} @equal sum: a:product - sum \"+\" b:product ~ b \"+\" a ;");
        assert_eq!(
            all(&guarded, "1+(2)"),
            ["(2)+1"],
            "the right hole of `b + a` is `a`"
        );
    }

    #[test]
    fn holes_can_be_lists() {
        let block = r#"
            @start block = statement* ;
            statement = "a" ";" | "{" statement* "}" ;
            @equal block: s:statement* ~ "{" s "}" ;
        "#;
        assert_eq!(all(block, "a;a;"), ["{a;a;}"]);
        assert_eq!(all(block, "{}"), ["{{}}", ""]);
    }

    #[test]
    fn parts_without_order_are_exchanged() {
        let object = r#"
            @start value = object | [0-9] | "[" (value ("," value)*)? "]" ;
            object = "{" (member ("," member)*)? "}" ;
            member = key ":" value ;
            key = [a-z] ;
            @skip blank = " " ;
            @equal - layout ;
            @unordered object: member ;
        "#;
        assert_eq!(
            all(object, "{a:1, b:{c:2,d:3},e:[4,5]}"),
            [
                "{b:{c:2,d:3}, a:1,e:[4,5]}",
                "{a:1, e:[4,5],b:{c:2,d:3} }",
                "{a:1, b:{d:3,c:2},e:[4,5]}"
            ]
        );
        assert_eq!(all(object, "{a:1,a:1}"), [""; 0], "the same text");
        let nested = r#"
            @start block = statement* ;
            statement = "if" statement | name ";" ;
            name = [a-z] ;
            @skip blank = " " ;
            @equal - layout ;
            @unordered block: statement ;
        "#;
        assert_eq!(all(nested, "if a;b;"), ["b;if a;"], "parts of parts stay");
        let names = r#"
            @kind variable: name ;
            @identifier name = [a-z] ;
            @start block = @scope( statement* ) ;
            statement = "let " @declare variable "=" value ";" ;
            value = @use variable | [0-9] ;
            @equal - names ;
            @unordered block: statement ;
        "#;
        assert_eq!(
            all(names, "let a=1;let b=a;let c=a;"),
            ["let a=1;let c=a;let b=a;"]
        );
    }

    #[test]
    fn tokens_are_separated() {
        let words = r#"
            @start s = "not" s | "(" s ")" | "x" | s ~"!" ;
            @skip blank = " " | "\n" ;
            @equal s: a:s ~> "not" "not" a ;
            @equal s: "(" a:s ")" ~> a ;
            @equal s: "x" ~> "x" "!" ;
        "#;
        let tags = r#"
            @start s = "{{" e "}}" ;
            e = "-" e | "x" ;
            @skip blank = " " ;
            @equal e: "x" ~> "-" "-" "x" ;
        "#;
        assert_eq!(
            all(tags, "{{x}}"),
            ["{{ - -x}}"],
            "`{{-` may be a token of the program"
        );
        let text = r##"
            @start s = part* ;
            part = ~"#" | tag ;
            tag = open e close ;
            open = ~("{{" | "{{-") ;
            close = "}}" | "-}}" ;
            e = "x" | "y" ;
            @skip blank = " " ;
            @equal - layout ;
            @equal tag: "{{" "x" "}}" ~> "{{" "y" "}}" ;
        "##;
        assert_eq!(
            all(text, "#{{x}}{{y}}#"),
            ["#{{y}}{{y}}#"],
            "layout between tags is text"
        );
        assert_eq!(
            all(words, "not(x)"),
            [
                "not not not(x)",
                "not not not(x)",
                "not(not not x)",
                "not x",
                "not(x!)"
            ]
        );
    }

    #[test]
    fn names_keep_their_declarations() {
        let lets = r#"
            @kind variable: name ;
            @identifier name = [a-z]+ ;
            @start block = @scope( statement* ) ;
            statement = @after( "let " @declare variable "=" value ) ";" | value ";" | "{" block "}" ;
            value = @use variable | [0-9] ;
            @equal block: a:statement b:statement ~ b a ;
            @equal statement: s:statement ~> "{" s "}" ;
            @equal statement: v:value ";" ~> "let " n:@fresh name "=" v ";" ;
        "#;
        let found = |sentence| all(lets, sentence);
        let swapped: Vec<String> = found("let q=1;2;")
            .into_iter()
            .filter(|text| text.starts_with('2'))
            .collect();
        assert_eq!(swapped, ["2;let q=1;"]);
        let all = found("let q=1;q;");
        assert!(all.contains(&"let q=1;{q;}".into()), "{all:?}");
        assert!(all.contains(&"let q=1;let a=q;".into()), "{all:?}");
        assert!(all.contains(&"let a=1;a;".into()), "another name: {all:?}");
        assert!(
            !all.iter()
                .any(|text| text.starts_with("q") || text.starts_with("{let")),
            "{all:?}"
        );
    }

    #[test]
    fn values_of_parameters_are_compared() {
        let typed = r#"
            @domain type = int | bool ;
            @start s = e<_> ;
            e<int> = "1" | "(" e<int> "+" e<int> ")" | "[" e<bool> "]" ;
            e<bool> = "t" | "(" e<int> "=" e<int> ")" ;
            @equal e<bool>: a:e<bool> ~> "(" "1" "=" "[" a "]" ")" ;
            @equal e: "(" a:e<int> "+" b:e<int> ")" ~ "(" b "+" a ")" ;
        "#;
        assert_eq!(all(typed, "([t]+1)"), ["([(1=[t])]+1)", "(1+[t])"]);
    }

    #[test]
    fn mistakes_have_a_place() {
        for (line, expected) in [
            (r#"@equal som: "1" ~ "2" ;"#, "undefined rule `som`"),
            (
                r#"@equal sum: a:product "*" ~ a ;"#,
                "the left side is no form of `sum`",
            ),
            (
                r#"@equal sum: a:product ~ a "+" ;"#,
                "the right side is no form of `sum`",
            ),
            (
                r#"@equal sum: a:product "+" b:product ~ a ;"#,
                "the other side has no hole `b`",
            ),
            (r#"@equal sum: a:product ~ b ;"#, "unknown hole `b`"),
            (r#"@equal sum: a:product ~ a:atom ;"#, "another hole `a`"),
            (
                r#"@equal sum: a:product ~ "0" "+" n:@fresh number ;"#,
                "`number` derives no names",
            ),
            (r#"@equal - blanks ;"#, "unknown equivalence `blanks`"),
            (r#"@unordered sum: prodct ;"#, "did you mean `product`?"),
            (
                r#"@unordered number: sum ;"#,
                "no part of `number` is a `sum`",
            ),
        ] {
            let report = Grammar::read("g", format!("{SUMS} {line}").as_bytes()).unwrap_err();
            assert!(report.to_string().contains(expected), "{report}");
        }
        let source = "s = \"a\" \"b\" \"c\" ;\n@equal s: \"a\" \"b\" \"c\" ~ \"a\" \"c\" ;";
        let report = Grammar::read("g", source.as_bytes()).unwrap_err();
        assert!(
            report
                .to_string()
                .starts_with("g:2:29: error: the right side"),
            "{report}"
        );
        let report = Grammar::check(
            "g",
            format!("{SUMS} @equal sum: a:product ~ a ;").as_bytes(),
        );
        assert!(report.to_string().contains("changes nothing"), "{report}");
    }
}
