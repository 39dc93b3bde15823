//! Counts refused texts by cause, for a summary.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::fmt::Write;

use zester::corpus::seeds::Refusal;

/// The maximum number of causes that a summary lists.
const LISTED: usize = 20;

/// For each cause, the number of texts that were refused for it, and an example.
#[derive(Default)]
pub struct Causes(HashMap<String, (usize, String)>);

impl Causes {
    /// Adds a refused text with its path. Returns a message with the path, the position in the text
    /// and the problem.
    pub fn add(&mut self, path: &str, refusal: Refusal) -> String {
        let refused = refusal.in_file(path);
        self.count(refusal.cause, 1, refused.clone());
        refused
    }

    /// Adds the counts of `others`.
    pub fn merge(&mut self, others: Causes) {
        others
            .0
            .into_iter()
            .for_each(|(cause, (count, example))| self.count(cause, count, example));
    }

    fn count(&mut self, cause: String, more: usize, refused: String) {
        let (count, example) = self.0.entry(cause).or_insert_with(|| (0, refused.clone()));
        *count += more;
        // The example is the first message in byte order, so it does not depend on the order of
        // threads.
        if refused < *example {
            *example = refused;
        }
    }

    /// Returns two lines for each of the 20 most frequent causes: the cause with its count, and an
    /// example. The most frequent cause comes first. If there are more causes, a last line has
    /// their number.
    pub fn summary(&self) -> String {
        let mut causes: Vec<_> = self.0.iter().collect();
        causes.sort_by_key(|(cause, (count, _))| (Reverse(*count), *cause));
        let mut text = String::new();
        for (cause, (count, example)) in causes.iter().take(LISTED) {
            let _ = writeln!(text, "{count:>8}  {cause}\n          {example}");
        }
        if causes.len() > LISTED {
            let _ = writeln!(text, "          and {} more causes", causes.len() - LISTED);
        }
        text
    }
}
