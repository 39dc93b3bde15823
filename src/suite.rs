//! Systematic test suites of a grammar: sentences that cover the grammar, and texts that are just
//! outside of its language.
//!
//! A *positive* suite covers a grammar by a [criterion](Criterion). A parser that refuses a
//! sentence of the suite is incomplete. A *negative* suite has texts with one syntax error each. A
//! parser that accepts one of these texts is unsound. A *negative suite of names* has texts with
//! one wrong name each: see [`name_faults`].
//!
//! The algorithms are those of *Fu(t|z)zing with grammars* (Raselimo, Taljaard, Fischer) and
//! *Breaking Parsers: Mutation-Based Generation of Programs with Guaranteed Syntax Errors*
//! (Raselimo, Taljaard, Fischer; SLE 2019).
//!
//! # Guarantees
//!
//! * A positive suite covers all obligations of its criterion, except those that it lists.
//! * Suites are deterministic.

mod criterion;
mod declared;
mod edit;
mod names;
mod negative;
mod positive;
mod random;
mod realise;
mod rule_edits;
mod sets;
mod skeleton;
mod tokens;
mod tree;
mod turns;
mod word_edits;

pub use self::criterion::{Criterion, NAMES};
pub use self::edit::EditOperator;
pub use self::names::{NameFault, NameNegative, NameSuite, name_faults};
use self::negative::Breaker;
pub use self::negative::{EditCount, Negative, NegativeSuite};
pub use self::positive::{PositiveOptions, PositiveSuite, PositiveText};
pub use self::random::RandomOrder;
pub use self::realise::SentenceToken;
use self::rule_edits::RuleEdits;
pub use self::tokens::TokenTexts;
use self::word_edits::{WordEdits, mutate_at_random};
use crate::derivation::Derivation;
use crate::error::Error;
use crate::grammar::Grammar;

/// A grammar with the tables from which suites are made.
pub struct SuiteMaker<'g> {
    grammar: &'g Grammar,
    skeleton: skeleton::Skeleton<'g>,
    sets: sets::TokenSets,
}

/// The maximum size of the tables: the number of symbols times the number of different tokens. Five tables have a bit
/// for each pair, so they take at most 640 MiB.
const MAX_PAIRS: usize = 1 << 30;

impl<'g> SuiteMaker<'g> {
    /// Computes the tables.
    ///
    /// # Errors
    ///
    /// If the grammar is so large that the tables take more than 640 MiB: if the number of its symbols times the
    /// number of its different tokens is larger than 1073741824.
    pub fn new(grammar: &'g Grammar) -> Result<SuiteMaker<'g>, Error> {
        // Only `declared` and `name_faults` use names. All other suites are about syntax.
        let skeleton = skeleton::Skeleton::new(grammar.erased());
        let (symbols, tokens) = (skeleton.symbols.len(), skeleton.terminals.len());
        if symbols.saturating_mul(tokens) > MAX_PAIRS {
            return Err(Error::from(format!(
                "the grammar is too large for suites: {symbols} symbols times {tokens} different tokens are more than \
                 {MAX_PAIRS}, which takes 640 MiB of memory; rules of character classes, such as [a-z]+, are one token"
            )));
        }
        let sets = sets::TokenSets::new(&skeleton);
        Ok(SuiteMaker {
            grammar,
            skeleton,
            sets,
        })
    }

    /// Makes a positive suite whose sentences declare the names that they use, with the right
    /// types. It ignores [`PositiveOptions::tokens`]. It covers only those obligations that are
    /// found in randomly generated sentences.
    pub fn declared(&self, options: &PositiveOptions) -> PositiveSuite {
        declared::declared(self, options)
    }

    /// Makes a positive suite. In a grammar with names, the sentences use names that they do not
    /// declare.
    pub fn positive(&self, options: &PositiveOptions) -> PositiveSuite {
        positive::positive(&self.skeleton, &self.sets, options)
    }

    /// Makes a suite of different random sentences: `count` of them, or fewer if the grammar has
    /// fewer.
    pub fn random(
        &self,
        order: RandomOrder,
        tokens: TokenTexts,
        seed: u64,
        count: usize,
    ) -> PositiveSuite {
        positive::random(&self.skeleton, order, tokens, seed, count)
    }

    /// Returns the tokens of a sentence.
    pub fn tokens(&self, derivation: &Derivation) -> Vec<SentenceToken> {
        realise::tokens_of(&self.skeleton, derivation)
    }

    /// Makes a negative suite of at most `limit` texts. Half of them come from edits of
    /// productions, and half from edits of the tokens of sentences. If one kind gives too few
    /// texts, the other gives more. Rules, and the positions in each rule, take turns in an order
    /// that depends on the seed.
    pub fn negative<'t>(
        &self,
        sentences: impl IntoIterator<Item = &'t [SentenceToken]>,
        limit: usize,
        seed: u64,
    ) -> NegativeSuite {
        let mut breaker = Breaker::new(&self.skeleton, &self.sets);
        let mut rules = RuleEdits::new(&mut breaker, seed);
        let mut words = WordEdits::new(&mut breaker, sentences, seed);
        breaker.take(&mut rules, limit / 2);
        breaker.take(&mut words, limit);
        breaker.take(&mut rules, limit);
        breaker.count(&mut rules);
        breaker.count(&mut words);
        breaker.finish(rules.rules())
    }

    /// Makes a negative suite of at most `count` texts. Each text is a random one of the
    /// `sentences` with `order` random edits of its tokens. A text is kept if our parser refuses
    /// it.
    pub fn higher_order<'t>(
        &self,
        sentences: impl IntoIterator<Item = &'t [SentenceToken]>,
        order: usize,
        seed: u64,
        count: usize,
    ) -> NegativeSuite {
        let mut breaker = Breaker::new(&self.skeleton, &self.sets);
        let sentences: Vec<_> = sentences.into_iter().collect();
        mutate_at_random(&mut breaker, &sentences, order, seed, count);
        breaker.finish(0)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::criterion::Obligation;
    use super::*;
    use crate::bounds::Caps;
    use crate::notation;
    use crate::parse::Parser;

    /// The grammar of the talk on fuzzing with grammars.
    pub const TALK: &str = r#"
        @skip blank = [ \n] ;
        @start prog = "module" prio id "=" block "." ;
        prio = ( "[" num "]" )? ;
        block = "begin" ( decl ";" )* ( stmt ";" )* "end" ;
        decl = "var" id ":" type ;
        type = "bool" | "int" ;
        stmt = "if" expr "then" stmt ( "else" stmt )? | "while" expr "do" stmt | id "=" expr | block ;
        expr = expr "=" expr | expr "+" expr | "(" expr ")" | id | num ;
        @identifier id = ( [a-z]+ ) - ( "module" | "begin" | "end" | "var" | "bool" | "int" | "if" | "then" | "else" | "while" | "do" ) ;
        @token num = [0-9]+ ;
    "#;

    const CRITERIA: [Criterion; 10] = [
        Criterion::Symbol,
        Criterion::Rule,
        Criterion::Cdrc,
        Criterion::Cdrc2,
        Criterion::Step(3),
        Criterion::Bfs(4),
        Criterion::Deriv,
        Criterion::Pair,
        Criterion::Pll,
        Criterion::KPath(3),
    ];

    pub fn read(source: &str) -> Grammar {
        notation::read("g", source.as_bytes(), &Caps::default())
            .unwrap_or_else(|report| panic!("{report}"))
            .0
    }

    /// Returns the obligations of a criterion that a suite covers.
    fn covered(
        maker: &SuiteMaker<'_>,
        suite: &PositiveSuite,
        criterion: Criterion,
    ) -> HashSet<Obligation> {
        let trees = suite.sentences.iter().flat_map(|sentence| &sentence.trees);
        trees
            .flat_map(|tree| criterion.covered(&maker.skeleton, tree))
            .collect()
    }

    fn obligations(
        maker: &SuiteMaker<'_>,
        criterion: Criterion,
        limit: usize,
    ) -> HashSet<Obligation> {
        let mut all = Vec::new();
        criterion.goals(&maker.skeleton, &maker.sets, &mut |goal| {
            all.push(goal.obligation);
            all.len() < limit
        });
        let count = all.len();
        let all = HashSet::from_iter(all);
        assert_eq!(all.len(), count, "{criterion}: an obligation comes twice");
        all
    }

    /// Checks suites of a grammar by each criterion.
    fn check(name: &str, source: &str, limit: usize) {
        let grammar = read(source);
        let (maker, mut parser, mut derivation) = (
            SuiteMaker::new(&grammar).unwrap(),
            Parser::new(&grammar),
            Derivation::default(),
        );
        for criterion in CRITERIA {
            for (is_packed, tokens) in [
                (false, TokenTexts::Smallest),
                (true, TokenTexts::Smallest),
                (true, TokenTexts::Ranges),
            ] {
                let suite = maker.positive(
                    &PositiveOptions::new(criterion)
                        .tokens(tokens)
                        .packed(is_packed)
                        .limit(limit),
                );
                let (all, found) = (
                    obligations(&maker, criterion, limit),
                    covered(&maker, &suite, criterion),
                );
                let missing: Vec<String> = all
                    .difference(&found)
                    .map(|it| it.describe(&maker.skeleton))
                    .collect();
                let cut = usize::from(all.len() == limit);
                assert!(
                    missing.len() + cut <= suite.uncovered.len() + cut,
                    "{name}, {criterion}: {missing:?} {:?}",
                    suite.uncovered
                );
                for sentence in suite
                    .sentences
                    .iter()
                    .step_by(1 + suite.sentences.len() / 300)
                {
                    let text = String::from_utf8_lossy(&sentence.text);
                    assert_eq!(
                        parser.parse_into(&sentence.text, &mut derivation),
                        Ok(()),
                        "{name}, {criterion}: {text}"
                    );
                }
            }
        }
    }

    #[test]
    fn a_grammar_with_too_many_tokens_is_refused() {
        let alternatives: Vec<String> = (0..40_000).map(|at| format!("\"{at}\"")).collect();
        let grammar = read(&format!("s = {} ;", alternatives.join(" | ")));
        let error = SuiteMaker::new(&grammar).err().unwrap().to_string();
        assert!(
            error.contains("40001 symbols times 40000 different tokens"),
            "{error}"
        );
    }

    #[test]
    fn suites_cover_what_their_criterion_asks_for_and_are_sentences() {
        check("talk", TALK, 100_000);
        for name in ["json", "ebnf", "jq", "xml"] {
            check(
                name,
                &std::fs::read_to_string(format!("grammars/{name}.ebnf")).unwrap(),
                3_000,
            );
        }
    }

    #[test]
    fn stronger_criteria_contain_weaker_ones() {
        let grammar = read(TALK);
        let maker = SuiteMaker::new(&grammar).unwrap();
        for (strong, weak) in [
            (Criterion::Rule, Criterion::Symbol),
            (Criterion::Cdrc, Criterion::Rule),
            (Criterion::Cdrc2, Criterion::Cdrc),
            (Criterion::Step(1), Criterion::Rule),
            (Criterion::Step(2), Criterion::Cdrc),
            (Criterion::Step(3), Criterion::Step(2)),
            (Criterion::Bfs(4), Criterion::Bfs(3)),
            (Criterion::Deriv, Criterion::Symbol),
            (Criterion::Pair, Criterion::Symbol),
            (Criterion::KPath(3), Criterion::KPath(2)),
        ] {
            let options = PositiveOptions::new(strong).limit(1_000_000);
            let found = covered(&maker, &maker.positive(&options), weak);
            let missing: Vec<String> = obligations(&maker, weak, 1_000_000)
                .difference(&found)
                .map(|it| it.describe(&maker.skeleton))
                .collect();
            // The root is in every sentence.
            assert!(missing.is_empty(), "{strong} lacks of {weak}: {missing:?}");
        }
    }

    #[test]
    fn the_talk_has_110_pairs_of_symbols() {
        let grammar = read(TALK);
        let maker = SuiteMaker::new(&grammar).unwrap();
        assert_eq!(obligations(&maker, Criterion::Pair, 1_000).len(), 110);
        // The first level of a derivation is one production.
        let rules = obligations(&maker, Criterion::Rule, 1_000).len();
        assert_eq!(obligations(&maker, Criterion::Bfs(1), 1_000).len(), rules);
    }

    #[test]
    fn random_orders_make_different_suites() {
        let grammar = read(&std::fs::read_to_string("grammars/json.ebnf").unwrap());
        let maker = SuiteMaker::new(&grammar).unwrap();
        let texts = |order| {
            let suite = maker.random(order, TokenTexts::Smallest, 1, 300);
            let texts = suite.sentences.into_iter().map(|sentence| sentence.text);
            texts.collect::<HashSet<_>>()
        };
        let depth = texts(RandomOrder::Depth);
        for other in [RandomOrder::Terminate, RandomOrder::Breadth] {
            let other = texts(other);
            let common = other.intersection(&depth).count();
            assert!(other.len() == 300 && common < 150, "{common}");
        }
    }

    #[test]
    fn random_suites_are_different_sentences() {
        let grammar = read(TALK);
        let (maker, mut parser, mut derivation) = (
            SuiteMaker::new(&grammar).unwrap(),
            Parser::new(&grammar),
            Derivation::default(),
        );
        for order in [
            RandomOrder::Terminate,
            RandomOrder::Depth,
            RandomOrder::Breadth,
        ] {
            let suite = maker.random(order, TokenTexts::Smallest, 1, 200);
            let texts: HashSet<&[u8]> = suite
                .sentences
                .iter()
                .map(|sentence| &sentence.text[..])
                .collect();
            assert_eq!(texts.len(), 200, "{order}");
            assert!(
                texts
                    .iter()
                    .all(|text| parser.parse_into(text, &mut derivation).is_ok()),
                "{order}"
            );
        }
    }

    /// Returns a negative suite of the sentences of a rule suite.
    fn negatives(maker: &SuiteMaker<'_>, limit: usize) -> NegativeSuite {
        let options = PositiveOptions::new(Criterion::Rule).limit(100_000);
        let positive = maker.positive(&options);
        maker.negative(
            positive
                .sentences
                .iter()
                .map(|sentence| &sentence.tokens[..]),
            limit,
            1,
        )
    }

    #[test]
    fn negative_suites_are_refused_where_their_oracle_says() {
        for name in ["cel", "css", "graphql", "jq", "json", "lua", "sql", "wgsl"] {
            let grammar = read(&std::fs::read_to_string(format!("grammars/{name}.ebnf")).unwrap());
            let maker = SuiteMaker::new(&grammar).unwrap();
            let suite = negatives(&maker, 1_200);
            let (count, moved) = (suite.texts.len(), suite.moved);
            assert!(count > 300, "{name}: {count}");
            assert_eq!(suite.unclear, 0, "{name}");
            // In the other languages, literals can be read as names.
            assert!(
                name != "json" || moved == 0,
                "{name}: {count} texts, {moved} moved"
            );
            let (mut parser, mut derivation) = (Parser::new(&grammar), Derivation::default());
            for negative in &suite.texts {
                let error = parser
                    .parse_into(&negative.text, &mut derivation)
                    .unwrap_err();
                assert_eq!(
                    error.at(),
                    negative.byte,
                    "{name}: {}",
                    String::from_utf8_lossy(&negative.text)
                );
            }
        }
    }

    #[test]
    fn negative_suites_edit_all_rules() {
        for entry in std::fs::read_dir("grammars").unwrap() {
            let path = entry.unwrap().path();
            let grammar = read(&std::fs::read_to_string(&path).unwrap());
            let suite = negatives(&SuiteMaker::new(&grammar).unwrap(), 1_000);
            let (rules, name) = (suite.edited_rules(), path.display());
            // The instructions of WebAssembly have rules of which nearly all edits are sentences.
            let is_open = path.ends_with("wat.ebnf") && rules >= 50;
            assert!(
                is_open || rules * 100 >= suite.rules * 95,
                "{name}: {rules} of {}",
                suite.rules
            );
            let taken: usize = suite.edits.iter().map(|count| count.taken).sum();
            assert_eq!(taken, suite.texts.len(), "{name}");
            let is_possible = |count: &EditCount| count.taken <= count.possible;
            assert!(suite.edits.iter().all(is_possible), "{name}");
        }
    }

    #[test]
    fn negative_suites_find_the_four_faults_of_the_talk_and_positive_ones_do_not() {
        let grammar = read(TALK);
        let maker = SuiteMaker::new(&grammar).unwrap();
        let options = PositiveOptions::new(Criterion::Rule).limit(1_000);
        let positive = maker.positive(&options);
        let sentences = || {
            let sentences = positive.sentences.iter();
            sentences.map(|sentence| &sentence.tokens[..])
        };
        let breaker = || Breaker::new(&maker.skeleton, &maker.sets);
        let (mut of_words, mut of_rules) = (breaker(), breaker());
        let mut edits = WordEdits::new(&mut of_words, sentences(), 1);
        of_words.take(&mut edits, usize::MAX);
        let mut edits = RuleEdits::new(&mut of_rules, 1);
        of_rules.take(&mut edits, usize::MAX);
        let (words, rules) = (of_words.finish(0), of_rules.finish(0));
        let few: Vec<NegativeSuite> = (1..=10)
            .map(|seed| maker.negative(sentences(), 400, seed))
            .collect();
        for (fault, from, to) in [
            (
                "gratuitous optional",
                r#""while" expr "do" stmt"#,
                r#""while" expr "do"? stmt"#,
            ),
            (
                "superfluous alternative",
                r#"type = "bool" | "int""#,
                r#"type = "bool" | "int" | num"#,
            ),
            (
                "over-generalisation",
                r#"decl = "var" id ":" type"#,
                r#"decl = "var" expr ":" type"#,
            ),
            (
                "order violation",
                r#"( decl ";" )* ( stmt ";" )*"#,
                r#"( ( decl | stmt ) ";" )*"#,
            ),
        ] {
            assert!(TALK.contains(from), "{fault}");
            let faulty = read(&TALK.replace(from, to));
            let (mut parser, mut derivation) = (Parser::new(&faulty), Derivation::default());
            let mut accepts = |text: &[u8]| parser.parse_into(text, &mut derivation).is_ok();
            let mut find =
                |suite: &NegativeSuite| suite.texts.iter().any(|negative| accepts(&negative.text));
            // Words of a rule suite have no declaration before a statement that could come after
            // it.
            assert_eq!(
                (find(&words), find(&rules)),
                (fault != "order violation", true),
                "{fault}"
            );
            for (seed, suite) in (1..).zip(&few) {
                assert!(find(suite), "{fault} is not found with the seed {seed}");
            }
            for criterion in CRITERIA {
                let options = PositiveOptions::new(criterion)
                    .tokens(TokenTexts::Ranges)
                    .limit(10_000);
                let all_accepted = maker
                    .positive(&options)
                    .sentences
                    .iter()
                    .all(|sentence| accepts(&sentence.text));
                assert!(all_accepted, "{criterion} finds: {fault}");
            }
        }
    }

    #[test]
    fn the_rule_suite_of_the_talk() {
        let grammar = read(TALK);
        let options = PositiveOptions::new(Criterion::Rule).limit(1_000);
        let suite = SuiteMaker::new(&grammar).unwrap().positive(&options);
        let texts: Vec<String> = suite
            .sentences
            .iter()
            .map(|it| String::from_utf8_lossy(&it.text).into_owned())
            .collect();
        for text in [
            "module a=begin end.",
            "module[0]a=begin end.",
            "module a=begin while a do a=a;end.",
            "module a=begin a=(a);end.",
        ] {
            assert!(
                texts.iter().any(|other| other == text),
                "{text}: {texts:#?}"
            );
        }
    }

    /// Returns the tokens of a text.
    fn example(maker: &SuiteMaker<'_>, text: &str) -> Vec<SentenceToken> {
        let mut derivation = Derivation::default();
        Parser::new(maker.skeleton.grammar)
            .parse_into(text.as_bytes(), &mut derivation)
            .unwrap();
        maker.tokens(&derivation)
    }

    #[test]
    fn the_example_of_the_talk_has_the_negative_tests_of_the_talk() {
        let grammar = read(TALK);
        let maker = SuiteMaker::new(&grammar).unwrap();
        let suite = maker.negative(
            [&example(&maker, "module[2] x = begin y = z; end.")[..]],
            10_000,
            1,
        );
        let texts: HashSet<String> = suite
            .texts
            .iter()
            .map(|it| String::from_utf8_lossy(&it.text).into_owned())
            .collect();
        let substituted =
            |by: &str| texts.contains(&format!("module [ 2 ] x = begin y {by} z ; end ."));
        for by in "module [ ] begin end var : bool int if while ( ) . a 0".split(' ') {
            assert!(substituted(by), "{by}: {texts:#?}");
        }
        for by in "then else do + ;".split(' ') {
            assert!(!substituted(by), "{by}");
        }
        for text in [
            "[ 2 ] x = begin y = z ; end .",
            "module 2 ] x = begin y = z ; end .",
            "module [ ] x = begin y = z ; end .",
            "module [ 2 x = begin y = z ; end .",
        ] {
            assert!(texts.contains(text), "{text}");
        }
        assert_eq!((suite.readable, suite.unclear, suite.moved), (0, 0, 0));
        let oracle = suite
            .texts
            .iter()
            .find(|it| it.text == b"module [ ] x = begin y = z ; end .")
            .unwrap();
        assert_eq!(
            (oracle.token, oracle.byte, oracle.line, oracle.column),
            (2, 9, 1, 10)
        );
        assert_eq!(
            (&oracle.expected[..], &oracle.rule[..]),
            (&["num".to_string()][..], "prio")
        );
    }
}
