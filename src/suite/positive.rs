//! Positive suites: sentences that cover a grammar.

use std::collections::{HashMap, HashSet};

use super::criterion::{Criterion, Goal, Obligation};
use super::random::{RandomOrder, RandomTrees};
use super::realise::{Realiser, SentenceToken};
use super::sets::TokenSets;
use super::skeleton::{Paths, Skeleton};
use super::tokens::TokenTexts;
use super::tree::{Fragment, SkeletonNode, SkeletonTree, along, opened};

/// The number of expanded leaves of a sentence after which no more goals are packed into it.
const PACKED_NODES: usize = 2_000;

/// The options of a positive suite.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct PositiveOptions {
    /// The criterion that the suite covers.
    pub criterion: Criterion,
    /// How tokens are made.
    pub tokens: TokenTexts,
    /// Whether each sentence covers as much as it can, instead of one obligation.
    pub is_packed: bool,
    /// The maximum number of obligations.
    pub limit: usize,
}

impl PositiveOptions {
    /// Returns the options of a suite of up to 10,000 obligations with the smallest text of each
    /// token and a sentence for each obligation.
    pub fn new(criterion: Criterion) -> PositiveOptions {
        PositiveOptions {
            criterion,
            tokens: TokenTexts::default(),
            is_packed: false,
            limit: 10_000,
        }
    }

    /// Sets how tokens are made.
    #[must_use]
    pub fn tokens(mut self, tokens: TokenTexts) -> PositiveOptions {
        self.tokens = tokens;
        self
    }

    /// Sets whether each sentence covers as much as it can, instead of one obligation.
    #[must_use]
    pub fn packed(mut self, is_packed: bool) -> PositiveOptions {
        self.is_packed = is_packed;
        self
    }

    /// Sets the maximum number of obligations.
    #[must_use]
    pub fn limit(mut self, limit: usize) -> PositiveOptions {
        self.limit = limit;
        self
    }
}

/// A sentence of a positive suite.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PositiveText {
    /// The text.
    pub text: Vec<u8>,
    /// The derivations of the text for which it was made. There may be several if the grammar is
    /// ambiguous.
    pub(super) trees: Vec<SkeletonTree>,
    /// The tokens of the first derivation.
    pub tokens: Vec<SentenceToken>,
    /// The name of the rule of the first obligation for which the text was made.
    pub rule: String,
    /// Descriptions of the obligations for which the text was made.
    pub goals: Vec<String>,
}

/// A positive suite.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct PositiveSuite {
    /// Different sentences.
    pub sentences: Vec<PositiveText>,
    /// The number of obligations.
    pub obligations: usize,
    /// Descriptions of the obligations that are not covered, with the reason.
    pub uncovered: Vec<String>,
}

/// Makes sentences around fragments.
struct Maker<'s, 'g> {
    skeleton: &'s Skeleton<'g>,
    paths: Paths,
    realiser: Realiser<'s, 'g>,
    suite: PositiveSuite,
    /// The index of each sentence, by its text.
    known: HashMap<Vec<u8>, usize>,
}

impl<'s, 'g> Maker<'s, 'g> {
    fn new(skeleton: &'s Skeleton<'g>, tokens: TokenTexts) -> Maker<'s, 'g> {
        let (paths, realiser) = (skeleton.paths_from(0), Realiser::new(skeleton, tokens));
        Maker {
            skeleton,
            paths,
            realiser,
            suite: PositiveSuite::default(),
            known: HashMap::new(),
        }
    }

    /// Returns a fragment of the start symbol that contains a fragment.
    fn embed(&self, fragment: &[SkeletonNode]) -> Fragment {
        let path = self.paths.to(fragment[0].symbol).unwrap_or_default();
        along(self.skeleton, &path, fragment)
    }

    /// Adds the sentence of a tree that was made for a symbol. Returns whether the tree has a
    /// sentence.
    fn add(&mut self, tree: SkeletonTree, symbol: usize, goal: String) -> bool {
        let Some((text, tokens)) = self.realiser.realise(&tree) else {
            return false;
        };
        let at = *self
            .known
            .entry(text.clone())
            .or_insert(self.suite.sentences.len());
        match self.suite.sentences.get_mut(at) {
            Some(sentence) => {
                sentence.goals.push(goal);
                if !sentence.trees.contains(&tree) {
                    sentence.trees.push(tree);
                }
            }
            None => {
                let rule = self.skeleton.rule(symbol).into();
                self.suite.sentences.push(PositiveText {
                    text,
                    trees: vec![tree],
                    tokens,
                    rule,
                    goals: vec![goal],
                });
            }
        }
        true
    }

    /// Adds sentences that contain the texts of tokens that no sentence has used yet.
    fn add_tokens(&mut self) {
        // The tries are limited, because some texts may be in no sentence due to `~` or the caps.
        let mut tries: usize = self.skeleton.terminals.len() * 1_000;
        while let Some(terminal) = self.realiser.unused().filter(|_| tries > 0) {
            tries -= 1;
            let symbol = self.skeleton.terminals[terminal];
            let fragment = self.embed(&[SkeletonNode {
                symbol,
                production: None,
            }]);
            let tree = SkeletonTree::minimal(self.skeleton, &fragment);
            self.add(
                tree,
                symbol,
                format!("a text of {}", self.skeleton.describe(symbol)),
            );
        }
    }
}

/// Makes a positive suite by the generic cover algorithm. The sentence of a goal consists of the
/// cheapest context, the tree of the goal, and the smallest texts for all leaves that are still
/// open.
pub fn positive(
    skeleton: &Skeleton<'_>,
    sets: &TokenSets,
    options: &PositiveOptions,
) -> PositiveSuite {
    let mut goals: Vec<Goal> = Vec::new();
    let mut is_cut = false;
    options.criterion.goals(skeleton, sets, &mut |goal| {
        is_cut = goals.len() >= options.limit;
        if !is_cut {
            goals.push(goal);
        }
        !is_cut
    });
    let mut maker = Maker::new(skeleton, options.tokens);
    maker.suite.obligations = goals.len();
    if options.is_packed {
        pack(&mut maker, options.criterion, goals);
    } else {
        for Goal {
            obligation,
            fragment,
        } in goals
        {
            let tree = SkeletonTree::minimal(skeleton, &maker.embed(&fragment));
            let goal = obligation.describe(skeleton);
            if !maker.add(tree, fragment[0].symbol, goal.clone()) {
                maker.suite.uncovered.push(format!("{goal}: {UNREACHED}"));
            }
        }
    }
    maker.add_tokens();
    if is_cut {
        maker.suite.uncovered.push(format!(
            "more than {} obligations: the limit",
            options.limit
        ));
    }
    maker.suite
}

/// Makes a suite of different random sentences: `count` of them, or fewer if the grammar has fewer.
pub fn random(
    skeleton: &Skeleton<'_>,
    order: RandomOrder,
    tokens: TokenTexts,
    seed: u64,
    count: usize,
) -> PositiveSuite {
    let (mut maker, mut trees) = (
        Maker::new(skeleton, tokens),
        RandomTrees::new(skeleton, order, seed),
    );
    let mut tries = count.saturating_mul(20).max(1_000);
    while maker.suite.sentences.len() < count && tries > 0 {
        tries -= 1;
        maker.add(trees.tree(), 0, "at random".into());
    }
    maker.suite
}

/// The reason that the suite gives for an obligation that is not covered.
const UNREACHED: &str = "the sentence exceeds the caps, or `~` forbids it";

/// Covers goals by few sentences. Open leaves are filled with further goals, as Purdom does for
/// rules (*A sentence generator for testing parsers*, 1972). A goal that a sentence covers by
/// chance counts as covered.
fn pack(maker: &mut Maker<'_, '_>, criterion: Criterion, goals: Vec<Goal>) {
    let skeleton = maker.skeleton;
    let mut open: HashSet<Obligation> = goals.iter().map(|goal| goal.obligation.clone()).collect();
    // Take the largest goals first, because they also cover others.
    let mut goals = goals;
    goals.sort_by_key(|goal| goal.fragment.len());
    let mut by_root: Vec<Vec<Goal>> = skeleton.symbols.iter().map(|_| Vec::new()).collect();
    for goal in &goals {
        if goal.fragment[0].production.is_some() {
            by_root[goal.fragment[0].symbol].push(goal.clone());
        }
    }
    while let Some(goal) = goals.pop() {
        if !open.contains(&goal.obligation) {
            continue;
        }
        let mut nodes = 0;
        let tree = SkeletonTree::complete(skeleton, &maker.embed(&goal.fragment), &mut |symbol| {
            nodes += 1;
            while let Some(next) = by_root[symbol].pop_if(|_| nodes < PACKED_NODES) {
                if open.contains(&next.obligation) && next.obligation != goal.obligation {
                    return next.fragment;
                }
            }
            opened(skeleton, symbol, 0)
        });
        let covered = criterion.covered(skeleton, &tree);
        let description = goal.obligation.describe(skeleton);
        if maker.add(tree, goal.fragment[0].symbol, description.clone()) {
            covered
                .iter()
                .for_each(|obligation| _ = open.remove(obligation));
            open.remove(&goal.obligation);
            continue;
        }
        // The packed sentence is too large or forbidden. Make a sentence for this goal alone.
        open.remove(&goal.obligation);
        let tree = SkeletonTree::minimal(skeleton, &maker.embed(&goal.fragment));
        if !maker.add(tree, goal.fragment[0].symbol, description.clone()) {
            maker
                .suite
                .uncovered
                .push(format!("{description}: {UNREACHED}"));
        }
    }
}

impl Obligation {
    /// Returns a readable description of an obligation.
    pub fn describe(&self, skeleton: &Skeleton<'_>) -> String {
        let terminal = |terminal: usize| match skeleton.terminals.get(terminal) {
            Some(&symbol) => skeleton.describe(symbol),
            None => "the end".into(),
        };
        match self {
            Obligation::Nonterminal(symbol) => skeleton.describe(*symbol),
            Obligation::Terminal(at) => terminal(*at),
            Obligation::Production(symbol, production) => {
                skeleton.describe_production(*symbol, *production)
            }
            Obligation::Parts(symbol, production, parts) => {
                let of = &skeleton.symbols[*symbol].productions[*production].parts;
                let mut text = skeleton.describe_production(*symbol, *production);
                for (number, (part, choice)) in parts.iter().enumerate() {
                    text += if number == 0 { " with " } else { ", " };
                    text += &skeleton.describe_production(of[*part].symbol, *choice);
                }
                text
            }
            Obligation::Shape(nodes) => {
                let expanded = nodes
                    .iter()
                    .filter_map(|&(symbol, production)| Some((symbol, production?)));
                let all: Vec<String> = expanded
                    .map(|(symbol, production)| skeleton.describe_production(symbol, production))
                    .collect();
                all.join(", ")
            }
            Obligation::Derives(one, other) => format!(
                "{} in {}",
                skeleton.describe(*other),
                skeleton.describe(*one)
            ),
            Obligation::DerivesTerminal(one, other) => {
                format!("{} in {}", terminal(*other), skeleton.describe(*one))
            }
            Obligation::Adjacent(one, other) => {
                format!(
                    "{} before {}",
                    skeleton.describe(*one),
                    skeleton.describe(*other)
                )
            }
            Obligation::Begins(one, other) => format!(
                "{} begins with {}",
                skeleton.describe(*one),
                terminal(*other)
            ),
            Obligation::Path(symbols) => {
                let all: Vec<String> = symbols
                    .iter()
                    .map(|&symbol| skeleton.describe(symbol))
                    .collect();
                all.join(" > ")
            }
        }
    }
}
