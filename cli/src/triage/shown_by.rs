//! Decides whether the same equivalences show two faults.
//!
//! A fault often changes the outcome under some equivalences and not under others. For example, a lost conversion shows
//! if a subquery replaces a table, but not if two operands are exchanged. If the same equivalences change the outcomes
//! of two sentences, both probably have one cause, even if their shapes differ.

use zester::equal::Equivalents;
use zester::subject::Subject;

use crate::equal::differing_equivalences;
use crate::problem::Problem;

/// The minimum number of equivalences that apply to both sentences. Fewer may agree by chance.
const MIN_COMMON: usize = 4;

/// By equivalence: whether an equivalent sentence has another outcome, or [`None`] if the equivalence does not apply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShownBy(Vec<Option<bool>>);

impl ShownBy {
    /// Runs the equivalent sentences of a sentence, until `is_over`. Returns [`None`] if none differs, or if the grammar does not
    /// derive the text.
    ///
    /// # Errors
    /// If the target cannot be started again.
    pub fn of(
        subject: &mut Subject,
        equivalents: &mut Equivalents<'_>,
        text: &[u8],
        is_over: &dyn Fn() -> bool,
    ) -> Result<Option<ShownBy>, Problem> {
        let all = differing_equivalences(subject, equivalents, text, is_over)?;
        let differs = all.contains(&Some(true));
        Ok(differs.then_some(ShownBy(all)))
    }

    /// Returns whether at least [`MIN_COMMON`] equivalences apply to both sentences, each changes both outcomes or
    /// neither, and at least one changes both.
    pub fn agrees(&self, other: &ShownBy) -> bool {
        let both: Vec<(bool, bool)> = (self.0.iter().zip(&other.0))
            .filter_map(|(one, other)| Some(((*one)?, (*other)?)))
            .collect();
        both.len() >= MIN_COMMON
            && both.contains(&(true, true))
            && both.iter().all(|(one, other)| one == other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_agree_if_enough_equivalences_say_the_same() {
        let of = |letters: &str| {
            let one = |letter| match letter {
                'd' => Some(true),
                's' => Some(false),
                _ => None,
            };
            ShownBy(letters.chars().map(one).collect())
        };
        let agrees = |one: &str, other: &str| of(one).agrees(&of(other));
        assert!(agrees("dsss", "dsss"));
        assert!(
            agrees("dsssd-", "dsss-d"),
            "what applies to one says nothing"
        );
        assert!(!agrees("dsss", "ddss"));
        assert!(!agrees("dss-", "dsss"), "three are too few");
        assert!(!agrees("ssssd-", "ssss-d"), "none differs in both");
    }
}
