//! Steering around frequent failures. If most failing sentences have a feature in common, sentences
//! with this feature are generated only rarely.
//!
//! A fault that many sentences trigger can take most of the time of a campaign. A *feature* of a
//! sentence is one of these: an alternative that it uses, the number of elements of a repetition, a
//! pair of such a choice and the choice above it, the fact that a choice occurs twice, or two
//! adjacent bytes of the text. Pairs of bytes are needed for edited texts, which have bytes that no
//! choice explains.
//!
//! While failures are frequent, zester counts for each feature the runs and the failures. A feature
//! that explains the failures is *written rarely* from then on: the sampler avoids it, and a
//! mutator whose result has it is called again. One result in many is accepted without this check,
//! so that other faults in sentences with the feature are still found.
//!
//! # Guarantees
//!
//! * What bytes decode to does not change.
//! * Without frequent failures, nothing is counted and nothing changes.
//!
//! The process shares the counts with its checkpoints. So a run that ends the process can be
//! counted as a failure.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Instant;

use crate::feedback;
use crate::grammar::{Grammar, Kind, SymbolId};
use crate::parameters::Input;

/// The number of features that are counted.
const SLOTS: usize = 1 << 14;

/// The maximum number of features of one sentence that are counted.
const MAX_USED: usize = 1 << 10;

/// The number of runs after which the share of failures is computed.
const WINDOW: u64 = 256;

/// The number of runs that are counted after failures were frequent.
const COUNTED: u64 = 20_000;

/// The minimum number of failures before a feature is blamed.
const MIN_FAILURES: u64 = 30;

/// The maximum number of features that are written rarely.
const MAX_RARE: usize = 16;

/// The maximum number of mutations that are tried until a result has no feature that is written
/// rarely.
pub const MAX_ATTEMPTS: u32 = 8;

/// Panics are frequent if more than one in this many runs panics.
const FREQUENT: u64 = 10;

/// Failures that end the process are frequent if the mean time between two of them is below this
/// many milliseconds. Each such failure costs tens of milliseconds.
const FREQUENT_ENDS: u64 = 1000;

/// A feature is blamed only if at least one in this many runs with the feature fails. The first
/// number is for panics, the second for failures that end the process.
const PRECISION: [u64; 2] = [2, 5];

/// One in this many results is not examined, if failures do not end the process.
const CANARIES: u32 = 16;

/// If failures end the process: the time in milliseconds between two results that are not examined.
/// Each such failure costs tens of milliseconds.
const BETWEEN_CANARIES: u64 = 1000;

/// A feature of a sentence. The lower 32 bits are the number of a choice. The upper 32 bits are 0
/// if the feature is the choice alone, the number of the choice above it if the feature is a pair,
/// or [`TWICE`]. If the upper bits are [`BYTES`], the lower bits are two adjacent bytes.
type Feature = u64;

/// The upper bits of the feature that a choice occurs at least twice.
const TWICE: u64 = 0x7FFF_FFFF;

/// The upper bits of a feature that is two adjacent bytes.
const BYTES: u64 = 0x7FFF_FFFE;

/// Returns the slot of a feature, which is a hash.
#[inline(always)]
fn slot(feature: Feature) -> usize {
    (feature.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 50) as usize
}

/// Counts in shared memory. Each slot has its feature and its counts.
#[derive(Clone, Copy)]
struct FailureCounts(&'static [AtomicU64]);

/// The indices of the numbers before the slots: the number of runs (`RUNS`) and of failures
/// (`FAILURES`), the number of listed slots of the run in progress (`USED`), and that of a run
/// which was counted but may still fail (`REPORTED`).
const RUNS: usize = 0;
const FAILURES: usize = 1;
const USED: usize = 2;
const REPORTED: usize = 3;
/// The time in milliseconds after the start. The next result after this time is not examined.
const CANARY: usize = 4;
/// The time in milliseconds after the start since which runs are counted.
const SINCE: usize = 5;
/// The number of features that are written rarely, followed by these features.
const RARE: usize = 6;
const LIST: usize = RARE + 1 + MAX_RARE;
const FEATURES: usize = LIST + MAX_USED;
const OF_RUNS: usize = FEATURES + SLOTS;
const OF_FAILURES: usize = OF_RUNS + SLOTS;
const LENGTH: usize = OF_FAILURES + SLOTS;

impl FailureCounts {
    fn get(self, at: usize) -> u64 {
        self.0[at].load(Relaxed)
    }

    fn set(self, at: usize, value: u64) {
        self.0[at].store(value, Relaxed);
    }

    fn add(self, at: usize, value: u64) {
        self.set(at, self.get(at) + value);
    }

    /// Returns the slot of a feature. Returns [`None`] if another feature has this slot.
    fn slot(self, feature: Feature) -> Option<usize> {
        let slot = slot(feature);
        let found = self.get(FEATURES + slot);
        if found == 0 {
            self.set(FEATURES + slot, feature);
        }
        (found == 0 || found == feature).then_some(slot)
    }

    /// Returns the features that are written rarely.
    fn rare(self) -> impl Iterator<Item = Feature> {
        let features = RARE + 1..RARE + 1 + self.get(RARE) as usize;
        features.map(move |at| self.get(at))
    }

    /// Counts the run in progress.
    fn finish(self, has_failed: bool) {
        let used = self.get(USED);
        if used > 0 {
            self.set(USED, 0);
            self.set(REPORTED, used);
            self.add(RUNS, 1);
            self.add_to_slots(OF_RUNS, used);
            if has_failed {
                self.fail();
            }
        }
    }

    /// Counts a failure of the run that was counted last.
    fn fail(self) {
        let used = self.get(REPORTED);
        self.set(REPORTED, 0);
        self.add(FAILURES, (used > 0).into());
        self.add_to_slots(OF_FAILURES, used);
    }

    /// Adds 1 to the count of each of the first `used` slots in the list. `counts` is [`OF_RUNS`]
    /// or [`OF_FAILURES`].
    fn add_to_slots(self, counts: usize, used: u64) {
        for at in LIST..LIST + used as usize {
            self.add(counts + self.get(at) as usize, 1);
        }
    }

    /// Forgets the counts, at a time in milliseconds after the start.
    fn clear(self, time: u64) {
        self.set(SINCE, time);
        for at in [RUNS, FAILURES].into_iter().chain(OF_RUNS..LENGTH) {
            self.set(at, 0);
        }
    }

    /// Returns the slot of the feature that explains the failures best, if one does. The measure is
    /// the harmonic mean of precision and recall, as in information retrieval. Precision is the
    /// share of the runs with the feature that fail, at least one in `precision`. Recall is the
    /// share of the failures that have the feature, at least one in 5. A feature of more than 90 %
    /// of the runs explains nothing.
    fn blamed(self, precision: u64) -> Option<usize> {
        let (runs, failures) = (self.get(RUNS), self.get(FAILURES));
        // Runs with the feature must fail clearly more often than all runs do.
        let base = failures as f64 / runs.max(1) as f64;
        let clear = base + base.min(1.0 - base) / 2.0;
        let mean = |slot: &usize| {
            let (of_runs, failed) = (self.get(OF_RUNS + slot), self.get(OF_FAILURES + slot));
            let is_one =
                precision * failed >= of_runs && 5 * failed >= failures && 10 * of_runs <= 9 * runs;
            let feature = self.get(FEATURES + slot);
            let is_new = !self.rare().any(|rare| rare == feature);
            // A choice alone is preferred by 10 %, because the sampler can avoid an alternative,
            // but not a pair.
            let factor = if feature >> 32 == 0 { 2_200 } else { 2_000 };
            let mean = factor * failed / (of_runs + failures).max(1);
            let is_clear = failed as f64 >= clear * of_runs as f64;
            (is_one && is_clear && is_new && failed > 0).then_some((mean, *slot))
        };
        (0..SLOTS)
            .filter_map(|slot| mean(&slot))
            .max()
            .map(|(_, slot)| slot)
    }
}

/// Steers mutators around frequent failures.
pub struct Steering {
    counts: Option<FailureCounts>,
    /// The features that are written rarely. `alternatives` has the alternatives among them.
    rare: Vec<Feature>,
    alternatives: Vec<u32>,
    /// The number of further runs that are counted.
    left: u64,
    /// The numbers of runs and panics of the process when they were last read (`seen`), and of the
    /// failures that had ended it (`ended`).
    seen: [u64; 2],
    ended: u32,
    /// Whether failures end the process.
    ends: bool,
    /// When the first process started.
    started: Instant,
    /// The choices that enclose the current node, each with the end of its subtree.
    open: Vec<(usize, u64)>,
    /// The slots of the choices of a sentence so far.
    met: SlotSet,
    /// The slots that are in the list of the run in progress.
    listed: SlotSet,
}

/// A set of slots, as bits.
#[derive(Default)]
struct SlotSet(Vec<u64>);

impl SlotSet {
    fn clear(&mut self) {
        self.0.clear();
        self.0.resize(SLOTS / 64, 0);
    }

    /// Adds a slot. Returns whether it is new.
    fn add(&mut self, slot: usize) -> bool {
        let (word, bit) = (&mut self.0[slot / 64], 1 << (slot % 64));
        let is_new = *word & bit == 0;
        *word |= bit;
        is_new
    }
}

impl Steering {
    /// Returns the state before the first run. Without memory, nothing is steered.
    pub fn new(is_on: bool) -> Steering {
        let memory = is_on.then(|| feedback::shared_numbers(LENGTH)).flatten();
        Steering {
            counts: memory.map(FailureCounts),
            rare: Vec::with_capacity(MAX_RARE),
            alternatives: Vec::with_capacity(MAX_RARE),
            left: 0,
            seen: [0; 2],
            ended: 0,
            ends: false,
            started: Instant::now(),
            open: Vec::with_capacity(64),
            met: SlotSet::default(),
            listed: SlotSet::default(),
        }
    }

    /// Returns whether some results of mutators are not wanted.
    #[inline(always)]
    pub fn is_steering(&self) -> bool {
        !self.rare.is_empty()
    }

    /// Returns the alternatives that are written rarely.
    pub fn alternatives(&self) -> &[u32] {
        &self.alternatives
    }

    /// Returns whether the result of a mutation with this seed is not examined. If failures end the process, the next
    /// such result comes after [`BETWEEN_CANARIES`], in whatever copy of the process.
    pub fn is_canary(&self, seed: u32) -> bool {
        let Some(counts) = self.counts.filter(|_| self.ends) else {
            return seed.wrapping_mul(0x85EB_CA6B).is_multiple_of(CANARIES);
        };
        let time = self.time();
        let is_canary = time >= counts.get(CANARY);
        if is_canary {
            counts.set(CANARY, time + BETWEEN_CANARIES);
        }
        is_canary
    }

    /// Returns the time in milliseconds after the start.
    fn time(&self) -> u64 {
        self.started.elapsed().as_millis() as u64
    }

    /// Begins a run of a sentence.
    #[inline(always)]
    pub fn before_run(&mut self, grammar: &Grammar, input: &Input) {
        if let (true, Some(counts)) = (self.left > 0, self.counts) {
            self.left -= 1;
            self.count(grammar, input, counts);
        }
    }

    /// Lists the slots of the features of a sentence, each once. A sentence with a feature that is
    /// written rarely is not counted, because its failure gives no information about other
    /// features.
    #[cold]
    fn count(&mut self, grammar: &Grammar, input: &Input, counts: FailureCounts) {
        if self.is_steering() && self.is_rare(grammar, input) {
            return;
        }
        let mut used = 0;
        let mut listed = std::mem::take(&mut self.listed);
        listed.clear();
        self.for_each(grammar, input, |feature| {
            let slot = counts.slot(feature).filter(|_| used < MAX_USED);
            if let Some(slot) = slot.filter(|&slot| listed.add(slot)) {
                counts.set(LIST + used, slot as u64);
                used += 1;
            }
            false
        });
        self.listed = listed;
        counts.set(USED, used as u64);
    }

    /// Ends a run. Every [`WINDOW`] runs, checks whether failures are frequent, and blames a
    /// feature.
    #[inline(always)]
    pub fn after_run(&mut self, grammar: &Grammar) {
        let Some(counts) = self.counts else {
            return;
        };
        let [runs, panics] = feedback::runs_and_panics();
        if self.left > 0 {
            counts.finish(panics > self.seen[1]);
            self.seen[1] = panics;
        }
        if runs >= self.seen[0] + WINDOW {
            if self.left == 0 && 10 * (panics - self.seen[1]) > runs - self.seen[0] {
                self.left = COUNTED;
            }
            self.seen = [runs, panics];
            self.blame(grammar, counts);
        }
    }

    /// Counts the failures that ended the process. `ended` is their number so far. Must be called
    /// between two runs.
    #[inline(always)]
    pub fn after_end(&mut self, grammar: &Grammar, ended: u32) {
        let Some(counts) = self.counts else {
            return;
        };
        // An earlier copy of the process, which has ended, may have blamed a feature.
        self.read_rare(counts);
        if ended == self.ended {
            counts.set(REPORTED, 0);
        } else {
            counts.finish(false);
            counts.fail();
            (self.ended, self.ends, self.left) = (ended, true, COUNTED);
            self.blame(grammar, counts);
        }
    }

    /// Reads the features that are written rarely.
    #[inline(always)]
    fn read_rare(&mut self, counts: FailureCounts) {
        for feature in counts.rare().skip(self.rare.len()) {
            self.rare.push(feature);
            if feature >> 32 == 0 && feature % 2 == 0 {
                self.alternatives.push((feature / 2 - 1) as u32);
            }
        }
    }

    /// If a feature explains frequent failures, adds it to the features that are written rarely.
    #[cold]
    fn blame(&mut self, grammar: &Grammar, counts: FailureCounts) {
        let (runs, failures) = (counts.get(RUNS), counts.get(FAILURES));
        let passed = self.time() - counts.get(SINCE);
        let is_frequent = match self.ends {
            true => FREQUENT_ENDS * failures > passed,
            false => FREQUENT * failures > runs,
        };
        if self.rare.len() == MAX_RARE {
            return;
        }
        if failures < MIN_FAILURES || !is_frequent {
            // Old counts from a long time with few failures give no information about failures that
            // begin now.
            if self.ends && passed > 2 * MIN_FAILURES * FREQUENT_ENDS {
                counts.clear(self.time());
            }
            return;
        }
        let Some(slot) = counts.blamed(PRECISION[usize::from(self.ends)]) else {
            // A feature may explain the failures in newer runs.
            if runs > COUNTED {
                counts.clear(self.time());
            }
            return;
        };
        let feature = counts.get(FEATURES + slot);
        let failed = counts.get(OF_FAILURES + slot);
        eprintln!(
            "zester: WARNING: {} is written rarely now, because {} % of the failures use it, and {} % of the runs that use it fail",
            describe(grammar, feature),
            100 * failed / failures.max(1),
            100 * failed / counts.get(OF_RUNS + slot).max(1),
        );
        counts.set(RARE + 1 + self.rare.len(), feature);
        counts.set(RARE, self.rare.len() as u64 + 1);
        self.read_rare(counts);
        counts.clear(self.time());
    }

    /// Returns whether a sentence has a feature that is written rarely.
    pub fn is_rare(&mut self, grammar: &Grammar, input: &Input) -> bool {
        let rare = std::mem::take(&mut self.rare);
        let is_local = |feature: &Feature| matches!(feature >> 32, 0 | BYTES);
        let is_rare = match rare.iter().all(is_local) {
            // In the most frequent case, neither the choice above a choice nor the number of its
            // occurrences is needed.
            true => {
                let nodes = input.tree.derivation().nodes().iter();
                let mut choices =
                    nodes.filter_map(|node| choice(grammar, node.symbol, node.choice));
                let mut pairs = pairs(input.text());
                choices.any(|choice| rare.contains(&choice))
                    || pairs.any(|pair| rare.contains(&pair))
            }
            false => self.for_each(grammar, input, |feature| rare.contains(&feature)),
        };
        self.rare = rare;
        is_rare
    }

    /// Makes it a rarely written feature that one of the first `count` alternatives occurs twice.
    #[cfg(test)]
    pub fn write_repeated_rarely(&mut self, count: u64) {
        let feature = |alternative| TWICE << 32 | (2 * (1 + alternative));
        self.rare.extend((0..count).map(feature));
    }

    /// Calls a function with the features of a sentence, until it returns `true`. Returns whether it
    /// did.
    fn for_each(
        &mut self,
        grammar: &Grammar,
        input: &Input,
        mut found: impl FnMut(Feature) -> bool,
    ) -> bool {
        self.open.clear();
        self.met.clear();
        for (at, node) in input.tree.derivation().nodes().iter().enumerate() {
            while self.open.last().is_some_and(|(end, _)| *end <= at) {
                self.open.pop();
            }
            let Some(choice) = choice(grammar, node.symbol, node.choice) else {
                continue;
            };
            let above = self.open.last().map_or(0, |(_, choice)| *choice);
            self.open.push((at + node.size as usize, choice));
            let is_met = !self.met.add(slot(choice));
            if found(choice)
                || (above != 0 && found(above << 32 | choice))
                || (is_met && found(TWICE << 32 | choice))
            {
                return true;
            }
        }
        pairs(input.text()).any(found)
    }
}

/// Returns the features that are two adjacent bytes of a text.
fn pairs(text: &[u8]) -> impl Iterator<Item = Feature> {
    let feature = |pair: &[u8]| BYTES << 32 | u64::from(pair[0]) << 8 | u64::from(pair[1]);
    text.windows(2).map(feature)
}

/// Repetitions with this many elements or more have the same feature.
const MANY: u32 = 3;

/// Returns the number of a choice, which is not 0. It stands for an alternative, or for a
/// repetition and its number of elements (at most [`MANY`]).
#[inline(always)]
fn choice(grammar: &Grammar, symbol: SymbolId, choice: u32) -> Option<u64> {
    match grammar[symbol].kind {
        Kind::Nonterminal { .. } => {
            Some(2 * (1 + grammar.erased_alternative(symbol, choice) as u64))
        }
        Kind::Repeat { .. } => {
            let symbol = u64::from(grammar.origin(symbol).0);
            Some(2 * (symbol * u64::from(MANY + 1) + u64::from(choice.min(MANY))) + 1)
        }
        _ => None,
    }
}

/// Returns the nonterminal of an alternative, and the index of the alternative in it.
fn nonterminal_of(grammar: &Grammar, alternative: u32) -> Option<(SymbolId, u32)> {
    let symbols = (0..).zip(grammar.symbols());
    symbols
        .filter_map(|(number, symbol)| match &symbol.kind {
            Kind::Nonterminal { alternatives, .. } => Some((SymbolId(number), alternatives)),
            _ => None,
        })
        .find(|(_, alternatives)| alternatives.contains(&alternative))
        .map(|(symbol, alternatives)| (symbol, alternative - alternatives.start))
}

fn describe(grammar: &Grammar, feature: Feature) -> String {
    let grammar = grammar.erased();
    let of_choice = |choice: u64| {
        let number = (choice / 2) as u32;
        if choice % 2 == 1 {
            let symbol = SymbolId(number / (MANY + 1));
            let count = match number % (MANY + 1) {
                MANY => format!("{MANY} or more"),
                count => count.to_string(),
            };
            return format!("`{}` with {count} elements", grammar.describe(symbol));
        }
        let of = |(symbol, alternative): (SymbolId, u32)| {
            let text = &grammar.alternatives(symbol)[alternative as usize];
            let text = grammar.describe_alternative(text);
            format!("`{text}` in `{}`", grammar.label(symbol))
        };
        nonterminal_of(grammar, number - 1).map_or(String::new(), of)
    };
    match feature >> 32 {
        0 => of_choice(feature),
        BYTES => {
            let bytes = [(feature >> 8) as u8, feature as u8];
            format!("the text `{}`", bytes.escape_ascii())
        }
        TWICE => format!("a second {}", of_choice(feature & 0xFFFF_FFFF)),
        above => format!(
            "{} below {}",
            of_choice(feature & 0xFFFF_FFFF),
            of_choice(above)
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bounds::{Bounds, Caps};
    use crate::derive::{DerivationGoal, Workspace, derive};
    use crate::parameters::{Edits, Settings};
    use crate::sampler::Sampler;

    fn input(grammar: &Grammar, bytes: &[u8]) -> Input {
        let mut input = Input::default();
        input.read(
            grammar,
            &Settings::default(),
            bytes,
            &mut Workspace::default(),
        );
        input
    }

    #[test]
    fn what_failures_have_in_common_is_blamed_and_then_written_rarely() {
        let source = br#"@start s = a* ; a = "x" | "y" b | "z" "(" s ")" ; b = "1" | "2" ;"#;
        let grammar = Grammar::read("g", source).unwrap();
        let mut steering = Steering::new(true);
        let counts = steering.counts.unwrap();
        let mut rng = Sampler::new(1, 20.0);
        let mut sentences = |count: u32| -> Vec<Input> {
            let mut bytes =
                |_| -> Vec<u8> { (0..9).map(|_| rand::RngExt::random(rng.rng())).collect() };
            (0..count)
                .map(|number| input(&grammar, &bytes(number)))
                .collect()
        };
        let fails_at = |text: &[u8]| text.windows(2).any(|two| two == b"y2");
        let fails = |sentence: &Input| fails_at(sentence.text());
        steering.left = 2_000;
        for sentence in sentences(2_000) {
            steering.before_run(&grammar, &sentence);
            counts.finish(fails(&sentence));
        }
        assert_eq!((counts.get(RUNS), steering.left), (2_000, 0));
        assert!(counts.get(FAILURES) > 100);
        steering.blame(&grammar, counts);
        assert_eq!(counts.get(FAILURES), 0);
        let rare: Vec<String> = steering
            .rare
            .iter()
            .map(|&rare| describe(&grammar, rare))
            .collect();
        assert_eq!(rare, [r#"`"2"` in `b`"#]);
        for sentence in sentences(500) {
            assert_eq!(steering.is_rare(&grammar, &sentence), fails(&sentence));
        }
        let mut sampler = Sampler::new(2, 30.0);
        sampler.avoided = steering.alternatives().to_vec();
        assert_eq!(sampler.avoided.len(), 1);
        let (mut workspace, mut sentence) = (Workspace::default(), <_>::default());
        for _ in 0..200 {
            sampler.restart(30.0);
            let (bounds, caps) = (Bounds::UNBOUNDED, Caps::default());
            let goal = DerivationGoal::start(&grammar, &bounds, &caps);
            derive(goal, &mut sampler, &mut workspace, &mut sentence);
            assert!(
                !fails_at(sentence.text()),
                "{}",
                String::from_utf8_lossy(sentence.text())
            );
        }
        // A run that uses it nevertheless is not counted.
        steering.left = 100;
        for sentence in sentences(100) {
            steering.before_run(&grammar, &sentence);
            assert!(!fails(&sentence) || counts.get(USED) == 0);
            counts.finish(false);
        }
    }

    #[test]
    fn failures_of_edited_texts_are_blamed_on_their_bytes() {
        let grammar = Grammar::read("g", b"s = \"x\" s | \"y\" ;").unwrap();
        let settings = Settings::default().edits(Edits::On);
        let mut steering = Steering::new(true);
        let counts = steering.counts.unwrap();
        let mut rng = Sampler::new(1, 20.0);
        let mut all = Vec::new();
        for _ in 0..20_000 {
            let mut bytes: [u8; 12] = rand::RngExt::random(rng.rng());
            bytes[2..4].copy_from_slice(&[0xE3, 0xA7]);
            let mut input = Input::default();
            input.read(&grammar, &settings, &bytes, &mut Workspace::default());
            all.push(input);
        }
        let fails = |input: &Input| input.text().windows(2).any(|two| two == b"yx");
        steering.left = all.len() as u64;
        for input in &all {
            steering.before_run(&grammar, input);
            counts.finish(fails(input));
        }
        assert!(counts.get(FAILURES) > MIN_FAILURES);
        steering.ends = true;
        steering.blame(&grammar, counts);
        let described = steering.rare.iter().map(|&rare| describe(&grammar, rare));
        assert_eq!(Vec::from_iter(described), ["the text `yx`"]);
        for input in &all {
            assert_eq!(steering.is_rare(&grammar, input), fails(input));
        }
    }

    #[test]
    fn a_run_that_ends_the_process_after_its_report_counts_as_a_failure() {
        let grammar = Grammar::read("g", b"s = \"x\" | \"y\" ;").unwrap();
        let mut steering = Steering::new(true);
        let counts = steering.counts.unwrap();
        steering.left = 1;
        let sentence = input(&grammar, &[1]);
        steering.before_run(&grammar, &sentence);
        counts.finish(false);
        assert_eq!((counts.get(RUNS), counts.get(FAILURES)), (1, 0));
        steering.after_end(&grammar, 1);
        assert_eq!((counts.get(RUNS), counts.get(FAILURES)), (1, 1));
        steering.after_end(&grammar, 1);
        steering.after_end(&grammar, 2);
        assert_eq!((counts.get(RUNS), counts.get(FAILURES)), (1, 1));
    }
}
