//! The similarity of stacks, and clusters of similar stacks, as in CASR.
//!
//! The similarity is the Position Dependent Model of ReBucket (Dang et al., ICSE 2012). The
//! coefficients, the threshold and the complete linkage are those of `libcasr/src/stacktrace.rs`,
//! version 2.13.1 (<https://github.com/ispras/casr>). The crate is no dependency, because
//! these two functions are all that is used of it, and it needs `gdb-command` and `kodama`.

use zester::subject::StackFrame;

/// The weight of the distance of a frame from the innermost one.
const DISTANCE: f64 = 0.04;

/// The weight of the difference between the positions of a frame in two stacks.
const SHIFT: f64 = 0.13;

/// The maximum dissimilarity in a cluster.
const THRESHOLD: f64 = 0.3;

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

/// Returns whether two frames are at the same place. A column differs between compilers.
fn is_same(first: &StackFrame, second: &StackFrame) -> bool {
    (&first.function, &first.file, first.line) == (&second.function, &second.file, second.line)
}

/// Returns clusters of stacks, as indices. Two stacks in a cluster are similar.
pub fn clusters(stacks: &[Vec<&StackFrame>]) -> Vec<Vec<usize>> {
    let mut clusters: Vec<Vec<usize>> = Vec::new();
    // Equal stacks are one, so that the rest has few.
    for (at, stack) in stacks.iter().enumerate() {
        match clusters.iter_mut().find(|found| stacks[found[0]] == *stack) {
            Some(cluster) => cluster.push(at),
            None => clusters.push(vec![at]),
        }
    }
    let distance = |first: &[usize], second: &[usize]| {
        let pairs = first
            .iter()
            .flat_map(|&one| second.iter().map(move |&other| (one, other)));
        pairs
            .map(|(one, other)| 1.0 - similarity(&stacks[one], &stacks[other]))
            .fold(0.0, f64::max)
    };
    loop {
        let pairs = (0..clusters.len()).flat_map(|at| (0..at).map(move |other| (other, at)));
        let nearest = pairs
            .map(|(other, at)| (distance(&clusters[other], &clusters[at]), other, at))
            .min_by(|one, other| one.0.total_cmp(&other.0));
        match nearest {
            Some((distance, other, at)) if distance < THRESHOLD => {
                let merged = clusters.remove(at);
                clusters[other].extend(merged);
            }
            _ => return clusters,
        }
    }
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

    #[test]
    fn clusters_have_similar_stacks() {
        let stacks: Vec<Vec<StackFrame>> = ["abcdef", "xyz", "abcdeg", "xyz"].map(frames).into();
        let stacks: Vec<Vec<&StackFrame>> =
            stacks.iter().map(|stack| stack.iter().collect()).collect();
        assert_eq!(clusters(&stacks), [vec![0, 2], vec![1, 3]]);
        assert!(clusters(&[]).is_empty());
    }
}
