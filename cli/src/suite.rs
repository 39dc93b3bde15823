//! `zester suite`: writes systematic test suites of a grammar.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde_json::{Value, json};
use zester::Validity;
use zester::bounds::Caps;
use zester::grammar::Grammar;
use zester::subject::Outcome;
use zester::suite::{
    Criterion, EditCount, NameFault, NameNegative, NameSuite, Negative, NegativeSuite,
    PositiveOptions, PositiveSuite, RandomOrder, SuiteMaker, TokenTexts, name_faults,
};

use crate::arguments::extension;
use crate::expectation::{self, Expectation};
use crate::input::grammar;
use crate::numbers::counted;
use crate::output::print;
use crate::problem::Problem;
use crate::progress::waiting;
use crate::text_directory::{TextDirectory, check_is_new, default_extension, names};

const EXAMPLES: &str = "\
Criteria:
  symbol     every rule and every token
  rule       every alternative
  cdrc       every alternative at every occurrence of its rule
  cdrc2      every alternative with all combinations of the alternatives inside it
  step:K     all trees of every rule with at most K alternatives
  bfs:K      the trees of every rule with at most K alternatives that expand level by level
  deriv      every rule with everything that it can contain
  pair       every two tokens or rules that can be neighbours
  pll        every rule with every token that it can begin with
  kpath:K    every path of K symbols from a rule down
  random:terminate, random:depth, random:breadth    random sentences, whose rules are expanded in any order, from left to right with all
             below, or level by level; after a random number of expansions, the rest gets the smallest texts

Examples:
  zester suite json.ebnf -o positive                                    sentences that use every alternative
  zester suite sql.ebnf --criterion cdrc --pack -o positive             the same in every context, in few sentences
  zester suite json.ebnf --criterion random:depth -n 100 -o random
  zester suite json.ebnf --negative -o negative                         texts with one syntax error each
  zester suite wgsl.ebnf --negative --names --limit 500 -o names        texts with one wrong name each
  zester run json --expect negative/suite.json

Exit status: 0; 1 if the grammar has errors; 2 if the command failed for another reason.";

/// Write a systematic test suite of a grammar: sentences that cover it, or texts just outside of
/// its language.
///
/// A positive suite finds sentences that a parser refuses by mistake. It covers the grammar by one
/// of the criteria below.
///
/// In a grammar with names, the sentences declare the names that they use, and have the right
/// types. So checkers of names and types should accept them, too. They are generated at random.
/// What the criterion demands and no generated sentence has is listed as not covered. With
/// --undeclared, sentences ignore names and types: they cover all, but only parsers accept them.
///
/// A negative suite (--negative) finds texts that a parser accepts by mistake. Tokens of the
/// positive suite's sentences, and symbols of the grammar's rules, are removed, added, replaced or
/// exchanged. An edit is made only where two tokens become adjacent that are adjacent in no
/// sentence. zester's own parser checks that each text is not a sentence.
///
/// With --negative --names, the texts have one wrong name each instead: an undeclared name, one
/// that is used before its declaration or out of its scope, one of a wrong kind or type, one that
/// is used again where each name is used once, one that is declared twice. They test checkers of
/// names and types. `zester conform --names` runs such texts.
///
/// DIR gets a file for each text, and suite.json. For each sentence, suite.json lists what the
/// sentence covers. For each negative text, it has the edit, the position of the error (token,
/// byte, line, column) and the tokens that are allowed there. `zester run --expect` reads
/// suite.json.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct SuiteCommand {
    /// The grammar: a file in zester's EBNF, or a built fuzz target.
    #[arg(value_name = "GRAMMAR")]
    grammar: PathBuf,

    /// The directory for the suite. It must not exist. Without this option, only a summary is
    /// printed.
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,

    /// What the sentences cover.
    #[arg(short, long, value_name = "NAME", default_value = "rule")]
    criterion: SuiteKind,

    /// The texts of tokens. `smallest`: the smallest text of each token. `ranges`: also each
    /// alternative of a token, and a character of each range of its classes. `boundaries`: also the
    /// last character of each range, and large numbers of repetitions.
    #[arg(long, value_name = "HOW", default_value = "smallest")]
    tokens: TokenTexts,

    /// Cover as many obligations as possible in each sentence, instead of one.
    #[arg(long)]
    pack: bool,

    /// Write texts outside of the language instead.
    #[arg(long)]
    negative: bool,

    /// Ignore names and types. Only parsers that do not check them accept such sentences.
    #[arg(long, conflicts_with = "negative")]
    undeclared: bool,

    /// With --negative: write texts with one wrong name each. The grammar must have names.
    #[arg(long, requires = "negative", conflicts_with_all = ["order", "criterion", "tokens", "pack"])]
    names: bool,

    /// With --negative: the number of edits of each text, from 1 to 4. If it is more than 1, the
    /// edits are random, and texts that are sentences are left out.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=4), requires = "negative")]
    order: u8,

    /// The number of random sentences, and of texts with more than one edit.
    #[arg(short, long, value_name = "N", default_value_t = 1_000)]
    number: usize,

    /// The seed of the random numbers, and of the order in which edits are made.
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,

    /// The maximum number of obligations of the criterion, and of negative texts: half of them by
    /// edits of rules. All rules and all positions in them have their turn, so that each is edited if
    /// the limit allows it.
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    limit: usize,

    /// The extension of the text files [default: the name of the grammar].
    #[arg(long, value_name = "EXT", value_parser = extension)]
    extension: Option<String>,
}

/// The kind of a positive suite.
#[derive(Clone, Copy, Debug)]
enum SuiteKind {
    /// Sentences that cover the grammar by a criterion.
    Covering(Criterion),
    /// Random sentences.
    Random(RandomOrder),
}

impl std::str::FromStr for SuiteKind {
    type Err = zester::Error;

    fn from_str(text: &str) -> Result<SuiteKind, zester::Error> {
        match text.strip_prefix("random:") {
            Some(order) => order.parse().map(SuiteKind::Random),
            None => text.parse().map(SuiteKind::Covering),
        }
    }
}

impl std::fmt::Display for SuiteKind {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            SuiteKind::Covering(criterion) => criterion.fmt(formatter),
            SuiteKind::Random(order) => order.fmt(formatter),
        }
    }
}

impl SuiteCommand {
    pub fn run(&self) -> Result<ExitCode, Problem> {
        if let Some(directory) = &self.output {
            check_is_new(directory)?;
        }
        let grammar = grammar(&self.grammar, &Caps::default())?;
        let is_declared = grammar.has_names() && !self.negative && !self.undeclared;
        if is_declared && self.tokens != TokenTexts::Smallest {
            let what = "has names, so --tokens needs --undeclared";
            return Err(Problem::with(&self.grammar, what));
        }
        let extension = self
            .extension
            .clone()
            .unwrap_or_else(|| default_extension(&self.grammar));
        if self.names {
            return self.names(&grammar, &extension);
        }
        let waiting = waiting("making sentences");
        let maker =
            SuiteMaker::new(&grammar).map_err(|error| Problem::with(&self.grammar, error))?;
        let positive = self.positive(&maker, is_declared);
        let (texts, mut description): (Vec<&[u8]>, Value);
        let negative;
        if self.negative {
            negative = self.negative(&maker, &positive);
            texts = negative.texts.iter().map(|text| &text.text[..]).collect();
            description = negative_json(&negative, &names(texts.len(), &extension));
            drop(waiting);
            print(negative_summary(&negative).as_bytes())?;
        } else {
            texts = positive
                .sentences
                .iter()
                .map(|sentence| &sentence.text[..])
                .collect();
            description = positive_json(&positive, &names(texts.len(), &extension));
            drop(waiting);
            print(positive_summary(&positive).as_bytes())?;
        }
        description["criterion"] = json!(self.criterion.to_string());
        self.finish(&grammar, &extension, &texts, description)
    }

    /// Writes a negative suite of names.
    fn names(&self, grammar: &Grammar, extension: &str) -> Result<ExitCode, Problem> {
        if !grammar.has_names() {
            let what = "declares no names (@declare), so no name can be wrong";
            return Err(Problem::with(&self.grammar, what));
        }
        let waiting = waiting("making texts");
        let suite = name_faults(grammar, self.limit, self.seed);
        drop(waiting);
        print(names_summary(&suite).as_bytes())?;
        let texts: Vec<&[u8]> = suite.texts.iter().map(|text| &text.text[..]).collect();
        let description = names_json(&suite, &names(texts.len(), extension));
        self.finish(grammar, extension, &texts, description)
    }

    /// Writes the directory, if -o is given.
    fn finish(
        &self,
        grammar: &Grammar,
        extension: &str,
        texts: &[&[u8]],
        mut description: Value,
    ) -> Result<ExitCode, Problem> {
        description["version"] = json!(expectation::VERSION);
        description["grammar"] = json!(format!("{:016x}", grammar.fingerprint()));
        if let Some(directory) = &self.output {
            write(
                directory,
                &names(texts.len(), extension),
                texts,
                &description,
            )?;
        }
        Ok(ExitCode::SUCCESS)
    }

    fn positive(&self, maker: &SuiteMaker<'_>, is_declared: bool) -> PositiveSuite {
        match self.criterion {
            SuiteKind::Covering(criterion) => {
                let options = PositiveOptions::new(criterion)
                    .tokens(self.tokens)
                    .packed(self.pack)
                    .limit(self.limit);
                match is_declared {
                    true => maker.declared(&options),
                    false => maker.positive(&options),
                }
            }
            SuiteKind::Random(order) => maker.random(order, self.tokens, self.seed, self.number),
        }
    }

    fn negative(&self, maker: &SuiteMaker<'_>, positive: &PositiveSuite) -> NegativeSuite {
        let sentences = || {
            positive
                .sentences
                .iter()
                .map(|sentence| &sentence.tokens[..])
        };
        if self.order > 1 {
            return maker.higher_order(sentences(), self.order.into(), self.seed, self.number);
        }
        maker.negative(sentences(), self.limit, self.seed)
    }
}

/// Writes a directory of texts with `suite.json`, whole or not at all.
fn write(
    directory: &Path,
    names: &[String],
    texts: &[&[u8]],
    description: &Value,
) -> Result<(), Problem> {
    let suite = TextDirectory::new(directory)?;
    for (name, text) in names.iter().zip(texts) {
        suite.write(name, text)?;
    }
    suite.write(expectation::FILE, format!("{description:#}\n").as_bytes())?;
    suite.finish()
}

/// Returns the content of `suite.json` for a positive suite.
fn positive_json(suite: &PositiveSuite, names: &[String]) -> Value {
    let file = |(sentence, name): (&zester::suite::PositiveText, &String)| {
        let mut file = Expectation::new(name.clone(), &Outcome::Finished(Validity::Valid)).json();
        file["covers"] = json!(sentence.goals);
        file
    };
    let files: Vec<Value> = suite.sentences.iter().zip(names).map(file).collect();
    json!({ "files": files, "obligations": suite.obligations, "uncovered": suite.uncovered })
}

/// Returns what an edit changes, as `suite.json` names it.
fn mutated(is_of_rule: bool) -> &'static str {
    if is_of_rule { "rule" } else { "word" }
}

/// Returns the content of `suite.json` for a negative suite.
fn negative_json(suite: &NegativeSuite, names: &[String]) -> Value {
    let file = |(text, name): (&Negative, &String)| {
        let mut file = Expectation::new(name.clone(), &Outcome::Finished(Validity::Invalid)).json();
        file["operators"] = json!(
            text.operators
                .iter()
                .map(ToString::to_string)
                .collect::<Vec<_>>()
        );
        file["mutated"] = json!(mutated(text.is_of_rule));
        file["rule"] = json!(text.rule);
        file["edit"] = json!(text.edit);
        file["token"] = json!(text.token);
        file["byte"] = json!(text.byte);
        file["line"] = json!(text.line);
        file["column"] = json!(text.column);
        file["expected"] = json!(text.expected);
        file
    };
    let files: Vec<Value> = suite.texts.iter().zip(names).map(file).collect();
    let edits: Vec<Value> = suite
        .edits
        .iter()
        .map(|count| {
            json!({
                "mutated": mutated(count.is_of_rule),
                "operator": count.operator.to_string(),
                "possible": count.possible,
                "taken": count.taken,
            })
        })
        .collect();
    json!({
        "files": files,
        "edits": edits,
        "rules": { "possible": suite.rules, "taken": suite.edited_rules() },
        "readable": suite.readable,
        "unclear": suite.unclear,
        "moved": suite.moved,
    })
}

/// Returns the content of `suite.json` for a negative suite of names.
fn names_json(suite: &NameSuite, names: &[String]) -> Value {
    let file = |(text, name): (&NameNegative, &String)| {
        let mut file = Expectation::new(name.clone(), &Outcome::Finished(Validity::Invalid)).json();
        file["fault"] = json!(text.fault.to_string());
        file["name"] = json!(text.name);
        file["rule"] = json!(text.rule);
        file["byte"] = json!(text.byte);
        file["line"] = json!(text.line);
        file["column"] = json!(text.column);
        file["original"] = json!(String::from_utf8_lossy(&text.original));
        file
    };
    let files: Vec<Value> = suite.texts.iter().zip(names).map(file).collect();
    json!({ "files": files })
}

/// Describes a negative suite of names in a few lines.
fn names_summary(suite: &NameSuite) -> String {
    let bytes: usize = suite.texts.iter().map(|text| text.text.len()).sum();
    let mut text = format!(
        "{}, {}, made from {}\n",
        counted(suite.texts.len(), "text"),
        counted(bytes, "byte"),
        counted(suite.sentences, "sentence")
    );
    for fault in NameFault::ALL {
        let count = suite.texts.iter().filter(|text| text.fault == fault);
        text += &format!("{:7}  {fault}\n", count.count());
    }
    text
}

/// Describes a positive suite in a few lines.
fn positive_summary(suite: &PositiveSuite) -> String {
    let bytes: usize = suite
        .sentences
        .iter()
        .map(|sentence| sentence.text.len())
        .sum();
    let mut text = format!(
        "{}, {}",
        counted(suite.sentences.len(), "sentence"),
        counted(bytes, "byte")
    );
    // Random suites have no obligations.
    if suite.obligations == 0 {
        return text + "\n";
    }
    text += &format!("; {}", counted(suite.obligations, "obligation"));
    match suite.uncovered.len() {
        0 => text += ", all of them covered\n",
        count => text += &format!(", {count} of them not covered:\n"),
    }
    suite
        .uncovered
        .iter()
        .take(20)
        .for_each(|line| text += &format!("  {line}\n"));
    if suite.uncovered.len() > 20 {
        text += "  …\n";
    }
    text
}

/// Describes a negative suite in a few lines.
fn negative_summary(suite: &NegativeSuite) -> String {
    let bytes: usize = suite.texts.iter().map(|text| text.text.len()).sum();
    let of_rules = suite.texts.iter().filter(|text| text.is_of_rule).count();
    let mut text = format!(
        "{}, {}: {} by edits of tokens, {of_rules} by edits of rules\n",
        counted(suite.texts.len(), "text"),
        counted(bytes, "byte"),
        suite.texts.len() - of_rules
    );
    let counts = |is_of_rule: bool| {
        let of_kind = suite
            .edits
            .iter()
            .filter(|count| count.is_of_rule == is_of_rule);
        let all = of_kind.map(
            |EditCount {
                 operator,
                 possible,
                 taken,
                 ..
             }| { format!("{taken} of {possible} {operator}s") },
        );
        all.collect::<Vec<_>>().join(", ")
    };
    if !suite.edits.is_empty() {
        text += &format!(
            "edits of rules: {}; in {} of {}\nedits of tokens: {}\n",
            counts(true),
            suite.edited_rules(),
            counted(suite.rules, "rule"),
            counts(false)
        );
    }
    if suite.readable + suite.unclear > 0 {
        text += &format!(
            "left out: {} that are sentences in spite of the edit, {} that are too ambiguous\n",
            suite.readable, suite.unclear
        );
    }
    if suite.moved > 0 {
        text += &format!(
            "{} have their error at another position than the edit, because a token can be read as another one\n",
            suite.moved
        );
    }
    if suite.is_cut {
        text += "there are more; --limit gives the maximum number\n";
    }
    text
}
