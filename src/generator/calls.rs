//! Finds the regions of a run from the active calls (the call stack) at each draw.
//!
//! A call of a function makes consecutive draws. These draws are a *region*. In a loop, two calls
//! of one function from one call site can have equal frames, so they look like one call. They are
//! then split into *elements*: a new element begins when the call site of the first draw draws
//! again. In the draws `kind value kind value`, the second `kind` begins the second element.

use super::frames::CallFrame;

/// Draws that belong together, by their numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DrawSpan {
    /// The number of the first draw.
    pub from: usize,
    /// The number of the draw after the last one.
    pub to: usize,
    /// Regions with equal keys were drawn by the same code, so that one can replace the other.
    pub key: u64,
    /// The number of calls around the region.
    pub depth: usize,
}

/// An active call, and its current element.
#[derive(Debug)]
struct Call {
    frame: CallFrame,
    /// The call site of the first draw.
    first: usize,
    /// The number of the first draw.
    from: usize,
    /// The number of the first draw of the current element.
    element: usize,
    /// The number of elements before the current one.
    elements: u64,
}

/// The active calls at the last draw, outermost first.
#[derive(Debug, Default)]
pub struct Calls {
    active: Vec<Call>,
}

impl Calls {
    /// Starts a run.
    pub fn clear(&mut self) {
        self.active.clear();
    }

    /// Records a draw. `frames` are the active calls, innermost first. Appends the regions that
    /// ended before the draw to `spans`.
    pub fn draw(&mut self, number: usize, frames: &[CallFrame], spans: &mut Vec<DrawSpan>) {
        let frames = || frames.iter().rev();
        let equal = self.active.iter().zip(frames());
        let mut equal = equal
            .take_while(|(call, frame)| call.frame == **frame)
            .count();
        // If all calls are equal, the innermost call draws again.
        equal = equal.min(frames().len().saturating_sub(1));
        match (self.active.get_mut(equal), frames().nth(equal)) {
            (Some(call), Some(&frame))
                if (call.frame.address, call.frame.function) == (frame.address, frame.function) =>
            {
                call.frame = frame;
                self.close(equal + 1, number, spans);
                let call = &mut self.active[equal];
                if frame.site == call.first {
                    spans.push(call.element(number, equal));
                    call.element = number;
                    call.elements += 1;
                }
                equal += 1;
            }
            _ => self.close(equal, number, spans),
        }
        self.active.extend(frames().skip(equal).map(|&frame| Call {
            frame,
            first: frame.site,
            from: number,
            element: number,
            elements: 0,
        }));
    }

    /// Ends the calls from this depth on, before the draw `number`.
    pub fn close(&mut self, depth: usize, number: usize, spans: &mut Vec<DrawSpan>) {
        while self.active.len() > depth {
            let Some(call) = self.active.pop() else {
                return;
            };
            let element = call.element(number, self.active.len());
            spans.push(element);
            if call.element > call.from {
                // The key depends on the number of elements, because code that draws the number first
                // reads exactly that many.
                let (from, key) = (call.from, !element.key.wrapping_add(call.elements << 48));
                spans.push(DrawSpan {
                    from,
                    key,
                    ..element
                });
            }
        }
    }
}

impl Call {
    /// Returns the current element, which ends before the draw `to`.
    fn element(&self, to: usize, depth: usize) -> DrawSpan {
        DrawSpan {
            from: self.element,
            to,
            key: self.first as u64,
            depth,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the regions of draws whose calls are given as function and call site, outermost first.
    fn regions(draws: &[&[(usize, usize)]]) -> Vec<(usize, usize, u64)> {
        let (mut calls, mut spans) = (Calls::default(), Vec::new());
        for (number, draw) in draws.iter().enumerate() {
            let frames: Vec<CallFrame> = (draw.iter().enumerate().rev())
                .map(|(depth, &(function, site))| CallFrame {
                    address: 1_000 - depth,
                    site,
                    function,
                })
                .collect();
            calls.draw(number, &frames, &mut spans);
        }
        calls.close(0, draws.len(), &mut spans);
        spans.sort_by_key(|span| (span.from, usize::MAX - span.to));
        spans
            .iter()
            .map(|span| (span.from, span.to, span.key))
            .collect()
    }

    #[test]
    fn consecutive_calls_from_different_call_sites_are_two_regions() {
        let (left, right) = ((1, 12), (1, 13));
        let found = regions(&[
            &[(1, 11)],
            &[left, (1, 11)],
            &[left, (1, 14)],
            &[right, (1, 11)],
            &[right, (1, 14)],
        ]);
        assert_eq!(found, [(0, 5, 11), (1, 3, 11), (3, 5, 11)]);
    }

    #[test]
    fn calls_in_a_loop_are_elements() {
        let item = (1, 12);
        let found = regions(&[
            &[item, (2, 21)],
            &[item, (2, 22)],
            &[item, (2, 21)],
            &[item, (2, 21)],
            &[item, (2, 22)],
            &[(1, 13)],
        ]);
        let whole = !(21 + (2 << 48));
        assert_eq!(
            found,
            [
                (0, 6, 12),
                (0, 5, whole),
                (0, 2, 21),
                (2, 3, 21),
                (3, 5, 21)
            ]
        );
    }
}
