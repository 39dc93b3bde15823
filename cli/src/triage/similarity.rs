//! The similarity of stacks, as in CASR.
//!
//! It is the Position Dependent Model of ReBucket (Dang et al., ICSE 2012). The coefficients are
//! those of `libcasr/src/stacktrace.rs`, version 2.13.1 (<https://github.com/ispras/casr>). The crate
//! is no dependency, because only this function is needed, and it depends on `gdb-command` and
//! `kodama`.

use zester::subject::StackFrame;

/// The weight of the distance of a frame from the innermost one.
const DISTANCE: f64 = 0.04;

/// The weight of the difference between the positions of a frame in two stacks.
const SHIFT: f64 = 0.13;

/// Returns the similarity of two stacks, from 0 to 1. The innermost frame is the first.
pub fn similarity(first: &[&StackFrame], second: &[&StackFrame]) -> f64 {
    if first.is_empty() || second.is_empty() {
        return f64::from(u8::from(first.is_empty() && second.is_empty()));
    }
    let mut row = vec![0.0_f64; second.len() + 1];
    for (at, frame) in (1_usize..).zip(first) {
        let mut diagonal = 0.0;
        for (other_at, other) in (1_usize..).zip(second) {
            let gain = if is_same(frame, other) {
                let distance = DISTANCE * at.min(other_at) as f64;
                (-distance - SHIFT * at.abs_diff(other_at) as f64).exp()
            } else {
                0.0
            };
            let above = row[other_at];
            row[other_at] = above.max(row[other_at - 1]).max(diagonal + gain);
            diagonal = above;
        }
    }
    let shorter = first.len().min(second.len());
    let maximum: f64 = (1..=shorter).map(|at| (-DISTANCE * at as f64).exp()).sum();
    row[second.len()] / maximum
}

/// Returns whether two frames are at the same location. A column differs between compilers.
fn is_same(first: &StackFrame, second: &StackFrame) -> bool {
    (&first.function, &first.file, first.line) == (&second.function, &second.file, second.line)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fault::frame;

    /// Returns a stack of functions, each in a line of its own.
    fn frames(functions: &str) -> Vec<StackFrame> {
        functions.chars().map(|name| frame(name, 1)).collect()
    }

    #[test]
    fn inner_frames_count_more_than_outer_ones() {
        let of = |first: &str, second: &str| {
            let (first, second) = (frames(first), frames(second));
            similarity(
                &first.iter().collect::<Vec<_>>(),
                &second.iter().collect::<Vec<_>>(),
            )
        };
        assert_eq!(of("abcd", "abcd"), 1.0);
        assert_eq!(
            (of("abcd", "efgh"), of("", ""), of("", "a")),
            (0.0, 1.0, 0.0)
        );
        assert!(of("abcd", "abcx") > of("abcd", "xbcd"));
        assert!(of("abcd", "abcd") > of("abcd", "xabcd"));
        assert!((of("ab", "axb") - of("axb", "ab")).abs() < 1e-12);
    }
}
