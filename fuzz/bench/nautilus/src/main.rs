//! Runs the subject of a feature under LibAFL's Nautilus: `nautilus GRAMMAR DIRECTORY SEED`.
//!
//! GRAMMAR is what `zester export --to nautilus` writes. Inputs with new edges are written to DIRECTORY: their texts
//! to `corpus`, their trees to `trees`. A run begins with the trees that are there, or else with generated ones. It
//! does not end. Contains no code of zester.

mod counters;
#[path = "../../stock/targets/subject.rs"]
mod subject;

use std::borrow::Cow;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use libafl::corpus::Corpus;
use libafl::corpus::{InMemoryCorpus, Testcase};
use libafl::events::SimpleEventManager;
use libafl::executors::{ExitKind, InProcessExecutor};
use libafl::feedbacks::{
    ConstFeedback, Feedback, MaxMapFeedback, NautilusChunksMetadata, NautilusFeedback,
    StateInitializer,
};
use libafl::generators::{NautilusContext, NautilusGenerator};
use libafl::inputs::{Input, NautilusInput};
use libafl::monitors::NopMonitor;
use libafl::mutators::{
    HavocScheduledMutator, NautilusRandomMutator, NautilusRecursionMutator, NautilusSpliceMutator,
};
use libafl::observers::{HitcountsMapObserver, StdMapObserver};
use libafl::schedulers::QueueScheduler;
use libafl::stages::StdMutationalStage;
use libafl::state::{HasCorpus, HasExecutions, StdState};
use libafl::{Error, Fuzzer, HasMetadata, StdFuzzer, feedback_or};
use libafl_bolts::Named;
use libafl_bolts::rands::StdRand;
use libafl_bolts::tuples::tuple_list;

/// The maximum number of nodes in a generated tree, as in the configuration of the original Nautilus.
const MAX_NODES: usize = 1_000;

/// The number of generated inputs that a run begins with, as in LibAFL's example.
const INITIAL: usize = 8;

/// The time after which a run ends the program, as for the other fuzzers.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Writes each input that is kept.
struct Keep<'a> {
    context: &'a NautilusContext,
    corpus: PathBuf,
    trees: PathBuf,
}

impl Named for Keep<'_> {
    fn name(&self) -> &Cow<'static, str> {
        &Cow::Borrowed("Keep")
    }
}

impl<S> StateInitializer<S> for Keep<'_> {}

impl<EM, OT, S> Feedback<EM, NautilusInput, OT, S> for Keep<'_> {
    fn append_metadata(
        &mut self,
        _state: &mut S,
        _manager: &mut EM,
        _observers: &OT,
        testcase: &mut Testcase<NautilusInput>,
    ) -> Result<(), Error> {
        if let Some(input) = testcase.input() {
            let (name, mut text) = (input.generate_name(None), Vec::new());
            input.unparse(self.context, &mut text);
            input.to_file(self.trees.join(&name))?;
            fs::write(self.corpus.join(&name), text)?;
        }
        Ok(())
    }
}

fn main() -> Result<(), Error> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [grammar, directory, seed] = arguments.as_slice() else {
        return Err(Error::illegal_argument("nautilus GRAMMAR DIRECTORY SEED"));
    };
    let seed = seed
        .parse()
        .map_err(|_| Error::illegal_argument("SEED is no number"))?;
    let [corpus, trees] = ["corpus", "trees"].map(|name| Path::new(directory).join(name));
    for directory in [&corpus, &trees] {
        fs::create_dir_all(directory)?;
    }
    let goes_on = fs::read_dir(&trees)?.next().is_some();
    let context = NautilusContext::from_file(MAX_NODES, grammar)?;

    // A copy with only the edges of the subject's run: crates that LibAFL calls have counters, too.
    let edges: &'static mut [u8] = vec![0; counters::count()].leak();
    let (map, length) = (edges.as_mut_ptr(), edges.len());
    // SAFETY: the map is never freed.
    let observer = unsafe { StdMapObserver::from_mut_ptr("edges", map, length) };
    let observer = HitcountsMapObserver::new(observer);
    let mut bytes = Vec::new();
    let mut run = |input: &NautilusInput| {
        input.unparse(&context, &mut bytes);
        if let Ok(text) = std::str::from_utf8(&bytes) {
            counters::clear();
            _ = zester_subjects::known::run(subject::run, text);
            // SAFETY: the map has a byte for each counter.
            unsafe { counters::copy(map) };
        }
        ExitKind::Ok
    };

    let keep = Keep {
        context: &context,
        corpus,
        trees: trees.clone(),
    };
    let mut feedback = feedback_or!(
        MaxMapFeedback::new(&observer),
        NautilusFeedback::new(&context),
        keep
    );
    // Panics reject their text, so there is nothing to search for but edges.
    let mut objective = ConstFeedback::new(false);
    let (inputs, solutions) = (InMemoryCorpus::new(), InMemoryCorpus::new());
    let rand = StdRand::with_seed(seed);
    let mut state = StdState::new(rand, inputs, solutions, &mut feedback, &mut objective)?;
    state.add_metadata(NautilusChunksMetadata::new(directory.clone()));
    let mut manager = SimpleEventManager::new(NopMonitor::new());
    let mut fuzzer = StdFuzzer::new(QueueScheduler::new(), feedback, objective);
    let mut executor = InProcessExecutor::builder()
        .harness(&mut run)
        .observers(tuple_list!(observer))
        .fuzzer(&mut fuzzer)
        .state(&mut state)
        .event_mgr(&mut manager)
        .timeout(TIMEOUT)
        .build()?;
    if goes_on {
        let from = [trees];
        state.load_initial_inputs_forced(&mut fuzzer, &mut executor, &mut manager, &from)?;
    } else {
        let mut generator = NautilusGenerator::new(&context);
        state.generate_initial_inputs_forced(
            &mut fuzzer,
            &mut executor,
            &mut generator,
            &mut manager,
            INITIAL,
        )?;
    }
    eprintln!("{} edges, {} inputs", length, state.corpus().count());

    // The shares of the mutators are those of LibAFL's example.
    let random = || NautilusRandomMutator::new(&context);
    let splice = || NautilusSpliceMutator::new(&context);
    let mutators = tuple_list!(
        random(),
        random(),
        random(),
        random(),
        random(),
        random(),
        NautilusRecursionMutator::new(&context),
        splice(),
        splice(),
        splice(),
    );
    let mutator = HavocScheduledMutator::with_max_stack_pow(mutators, 2);
    let mut stages = tuple_list!(StdMutationalStage::new(mutator));
    let (mut reported, mut last) = (0, Instant::now());
    loop {
        fuzzer.fuzz_one(&mut stages, &mut executor, &mut state, &mut manager)?;
        // The sum of all lines is the number of executions, even if the program is started again.
        if last.elapsed() > Duration::from_millis(200) {
            let executions = *state.executions();
            println!("stat::number_of_executed_units: {}", executions - reported);
            (reported, last) = (executions, Instant::now());
        }
    }
}
