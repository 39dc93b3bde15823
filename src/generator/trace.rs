//! Traces: the bytes that a generator read, its draws, and the regions of bytes that belong
//! together.

use std::cell::Cell;

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

use super::calls::{Calls, DrawSpan};
use super::frames::{self, CallFrame};

/// Bytes that belong together, because one call of a function, one iteration of a loop or a
/// strategy in [`region!`](crate::region!) read them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region {
    /// The position of the first byte.
    pub start: usize,
    /// The position after the last byte.
    pub end: usize,
    /// Regions with equal keys were drawn by the same code, so that the bytes of one can replace
    /// those of the other. A key is only meaningful in this process.
    pub key: u64,
}

/// The bytes that a generator read in one run, with their structure.
#[derive(Debug, Default)]
pub struct Trace {
    /// The bytes that were drawn, with those after the end of the input.
    pub bytes: Vec<u8>,
    /// The position of every draw in `bytes`. The draw ends where the next one starts.
    pub draws: Vec<usize>,
    /// The regions, by their start, larger ones first. Two regions overlap only if one contains the
    /// other.
    pub regions: Vec<Region>,
}

/// The number of bytes of a draw from a strategy. proptest draws 4 or 8 bytes.
const WORD: usize = 4;

/// The maximum number of random bytes after an input that a strategy reads.
const FRESH: usize = 1 << 10;

#[derive(Debug)]
pub struct Recorder {
    trace: Trace,
    spans: Vec<DrawSpan>,
    calls: Calls,
    frames: Vec<CallFrame>,
    /// The keys of regions with several draws, sorted.
    keys: Vec<u64>,
    /// The address of the outermost frame of the generator.
    base: usize,
    /// The source of bytes after the end of the input. If it is [`None`], they are zeros.
    fresh: Option<SmallRng>,
    /// The maximum number of bytes. Later draws are not recorded.
    limit: usize,
}

thread_local! {
    /// The recorder for the next value that this thread draws.
    static RECORDER: Cell<Option<Box<Recorder>>> = const { Cell::new(None) };
}

/// Returns the recorder that waits for a generator. There is one only during [`Trace::record`].
#[inline]
pub fn take_recorder() -> Option<Box<Recorder>> {
    RECORDER.take()
}

/// Gives the recorder back to [`Trace::record`] after a run.
pub fn put_recorder(recorder: Box<Recorder>) {
    RECORDER.set(Some(recorder));
}

impl Trace {
    /// Runs `make` and records the bytes that it reads, at most `limit`. `make` must draw one value
    /// from `input`, with [`draw`](super::draw) or with a strategy. Bytes after the end of the
    /// input are zeros, or random with the seed `fresh`.
    ///
    /// # Examples
    ///
    /// ```
    /// use rand::RngExt;
    /// use zester::generator::{Trace, draw};
    ///
    /// let make = |bytes: &[u8]| drop(draw(bytes, |rng| (rng.random::<u32>(), rng.random::<u64>())));
    /// let mut trace = Trace::default();
    /// trace.record(&[1, 2, 3], None, 100, make);
    /// assert_eq!(trace.bytes, [1, 2, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    /// assert_eq!(trace.draws, [0, 4]);
    /// ```
    pub fn record(&mut self, input: &[u8], fresh: Option<u64>, limit: usize, make: impl Fn(&[u8])) {
        let mut recorder = SPARE.take().unwrap_or_default();
        std::mem::swap(&mut recorder.trace, self);
        recorder.fresh = fresh.map(SmallRng::seed_from_u64);
        recorder.limit = limit;
        recorder.clear();
        RECORDER.set(Some(recorder));
        make(input);
        // A generator that panicked has taken the recorder with it.
        let mut recorder = RECORDER.take().unwrap_or_default();
        recorder.finish();
        std::mem::swap(&mut recorder.trace, self);
        SPARE.set(Some(recorder));
    }

    /// Returns the position after a draw.
    pub fn end(&self, draw: usize) -> usize {
        self.draws
            .get(draw + 1)
            .copied()
            .unwrap_or(self.bytes.len())
    }
}

thread_local! {
    /// The last recorder, for its buffers.
    static SPARE: Cell<Option<Box<Recorder>>> = const { Cell::new(None) };
}

impl Default for Box<Recorder> {
    fn default() -> Box<Recorder> {
        Box::new(Recorder {
            trace: Trace::default(),
            spans: Vec::new(),
            calls: Calls::default(),
            frames: Vec::new(),
            keys: Vec::new(),
            base: 0,
            fresh: None,
            limit: 0,
        })
    }
}

impl Recorder {
    fn clear(&mut self) {
        let Trace {
            bytes,
            draws,
            regions,
        } = &mut self.trace;
        bytes.clear();
        draws.clear();
        regions.clear();
        self.spans.clear();
        self.calls.clear();
    }

    /// Starts a run of a generator that the caller calls.
    pub fn start(&mut self) {
        frames::active(&mut self.frames, 0);
        // The first three frames are those of `active`, of this function and of the caller. The
        // compiler may have inlined either function, so the base may be further out than necessary.
        self.base = self.frames.get(2).map_or(0, |frame| frame.address);
    }

    /// If the run reads fresh bytes, appends random bytes until there are `length`, at most `limit`.
    pub fn extend(&mut self, bytes: &mut Vec<u8>, length: usize) {
        let length = length.min(self.limit);
        if let Some(fresh) = self.fresh.as_mut().filter(|_| bytes.len() < length) {
            let from = bytes.len();
            bytes.resize(length, 0);
            fresh.fill_bytes(&mut bytes[from..]);
        }
    }

    pub fn draw(&mut self, drawn: &[u8]) {
        let Recorder {
            trace,
            spans,
            calls,
            frames,
            base,
            limit,
            ..
        } = self;
        if drawn.is_empty() || trace.bytes.len() + drawn.len() > *limit {
            // After a draw that is not recorded, no later draw may be recorded.
            if !drawn.is_empty() {
                *limit = 0;
            }
            return;
        }
        frames::active(frames, *base);
        calls.draw(trace.draws.len(), frames, spans);
        trace.draws.push(trace.bytes.len());
        trace.bytes.extend_from_slice(drawn);
    }

    /// Records a run whose single draws are not known. The run read `bytes`, and zeros after their
    /// end, up to the position `read`. Every 4 bytes count as a draw, and a draw also begins at the
    /// start and the end of every region.
    pub fn strategy(&mut self, bytes: &[u8], read: usize, regions: &mut Vec<Region>) {
        let Recorder { trace, limit, .. } = self;
        let read = read.min(*limit);
        trace
            .bytes
            .extend_from_slice(&bytes[..read.min(bytes.len())]);
        trace.bytes.resize(read, 0);
        regions.retain(|region| region.start < region.end && region.end <= read);
        regions.sort_unstable_by_key(|region| (region.start, usize::MAX - region.end));
        trace.draws.extend((0..read).step_by(WORD));
        for region in regions.iter() {
            trace
                .draws
                .extend([region.start, region.end].iter().filter(|&&at| at < read));
        }
        trace.draws.sort_unstable();
        trace.draws.dedup();
        trace.regions.append(regions);
    }

    /// If the run reads fresh bytes, appends [`FRESH`] random bytes to an input, up to `limit`.
    pub fn lengthen(&mut self, bytes: &mut Vec<u8>) {
        self.extend(bytes, bytes.len() + FRESH);
    }

    /// Ends a run: computes the regions.
    fn finish(&mut self) {
        let Recorder {
            trace,
            spans,
            calls,
            keys,
            ..
        } = self;
        calls.close(0, trace.draws.len(), spans);
        spans.sort_unstable_by_key(|span| (span.from, usize::MAX - span.to, span.depth));
        keys.clear();
        keys.extend(
            spans
                .iter()
                .filter(|span| span.to - span.from > 1)
                .map(|span| span.key),
        );
        keys.sort_unstable();
        let mut last = None;
        for span in spans.iter() {
            // A call that made one draw is a region only if other calls of the same code made
            // several. Most other calls with one draw are those of `rand`.
            let is_single = span.to - span.from == 1;
            if span.from == span.to || is_single && keys.binary_search(&span.key).is_err() {
                continue;
            }
            let is_known = |last: DrawSpan| {
                (last.from, last.to) == (span.from, span.to) && (is_single || last.key == span.key)
            };
            if last.is_some_and(is_known) {
                continue;
            }
            last = Some(*span);
            trace.regions.push(Region {
                start: trace.draws[span.from],
                end: trace.end(span.to - 1),
                key: span.key,
            });
        }
    }
}
