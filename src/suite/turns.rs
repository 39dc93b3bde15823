//! The order in which positions are edited. Rules take turns, the positions of a rule take turns,
//! and the operators at a position take turns. So under a limit, all rules and positions get about
//! the same number of edits.

use std::collections::VecDeque;

use rand::RngExt;
use rand::rngs::SmallRng;

use super::edit::{Edit, EditOperator, EditPosition};

/// The number of edits in a row without a new text after which the turn of a group ends.
const TRIES: usize = 32;

/// The minimum number of edits of a group before its turn ends, as long as the group has not given
/// a new text.
const FIRST_TRIES: usize = 1_000;

/// The positions, in groups. A group has the positions of one rule.
#[derive(Default)]
pub struct Turns {
    groups: VecDeque<Group>,
    /// The number of all edits, for each operator.
    possible: [usize; EditOperator::ALL.len()],
}

struct Group {
    positions: VecDeque<EditedPosition>,
    /// The number of edits without a new text in this turn.
    tries: usize,
    /// The number of edits without a new text in all turns. A new text sets it to [`FIRST_TRIES`].
    all_tries: usize,
}

struct EditedPosition {
    at: EditPosition,
    /// The edits that are left. [`None`] before the first turn.
    edits: Option<VecDeque<Edit>>,
}

impl Turns {
    /// Returns the turns of these groups, in random order. The positions in each group are also in
    /// random order. `possible` is the number of all edits for each operator.
    pub fn new(
        groups: impl IntoIterator<Item = Vec<EditPosition>>,
        possible: [usize; EditOperator::ALL.len()],
        rng: &mut SmallRng,
    ) -> Turns {
        let group = |mut positions: Vec<EditPosition>, rng: &mut SmallRng| {
            shuffle(&mut positions, rng);
            let positions = positions
                .into_iter()
                .map(|at| EditedPosition { at, edits: None });
            Group {
                positions: positions.collect(),
                tries: 0,
                all_tries: 0,
            }
        };
        let mut groups: Vec<_> = groups.into_iter().map(|all| group(all, rng)).collect();
        shuffle(&mut groups, rng);
        Turns {
            groups: groups.into(),
            possible,
        }
    }

    /// Returns the number of all edits, for each operator.
    pub fn possible(&self) -> [usize; EditOperator::ALL.len()] {
        self.possible
    }

    /// Returns the next edit. `edits` returns all edits of a position, in the order in which they
    /// are made. It is called once for each position.
    pub fn next(
        &mut self,
        mut edits: impl FnMut(EditPosition) -> Vec<Edit>,
    ) -> Option<(EditPosition, Edit)> {
        loop {
            let positions = &mut self.groups.front_mut()?.positions;
            let Some(mut position) = positions.pop_front() else {
                self.groups.pop_front();
                continue;
            };
            let left = position
                .edits
                .get_or_insert_with(|| edits(position.at).into());
            let found = left.pop_front().map(|edit| (position.at, edit));
            if !left.is_empty() {
                positions.push_back(position);
            }
            if found.is_some() {
                return found;
            }
        }
    }

    /// Records whether the last edit gave a new text. The turn of its group ends if it did, or if
    /// enough edits in a row did not.
    pub fn end(&mut self, has_result: bool) {
        let Some(group) = self.groups.front_mut() else {
            return;
        };
        group.tries += 1;
        group.all_tries = match has_result {
            true => FIRST_TRIES,
            false => group.all_tries + 1,
        };
        if has_result || group.tries >= TRIES && group.all_tries >= FIRST_TRIES {
            group.tries = 0;
            self.groups.rotate_left(1);
        }
    }

    /// Returns whether no position is left.
    pub fn is_over(&self) -> bool {
        self.groups.iter().all(|group| group.positions.is_empty())
    }
}

/// Orders the edits of a position: first the deletion and the transposition, then insertions and
/// substitutions in turn. Added symbols with smaller ranks come first. The order is random among
/// equal ranks.
pub fn ordered(mut edits: Vec<Edit>, rank: impl Fn(usize) -> u8, rng: &mut SmallRng) -> Vec<Edit> {
    shuffle(&mut edits, rng);
    edits.sort_by_key(|(_, added)| added.map_or(0, &rank));
    let mut number = [0; EditOperator::ALL.len()];
    let mut order: Vec<((usize, EditOperator), Edit)> = Vec::with_capacity(edits.len());
    for edit in edits {
        let (operator, added) = edit;
        let turn = &mut number[operator as usize];
        *turn += usize::from(added.is_some());
        order.push(((*turn, operator), edit));
    }
    order.sort_by_key(|&(turn, _)| turn);
    order.into_iter().map(|(_, edit)| edit).collect()
}

fn shuffle<T>(all: &mut [T], rng: &mut SmallRng) {
    for at in (1..all.len()).rev() {
        all.swap(at, rng.random_range(0..=at));
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::*;

    #[test]
    fn groups_and_positions_take_turns() {
        let mut rng = SmallRng::seed_from_u64(1);
        let groups = [vec![(1, 1), (1, 2), (1, 3)], vec![(2, 0)], vec![]];
        let mut turns = Turns::new(groups, [10, 0, 0, 0], &mut rng);
        let mut taken = Vec::new();
        let edits = |(_, number)| vec![(EditOperator::Deletion, Some(number)); number + 1];
        while let Some((at, (_, added))) = turns.next(edits) {
            assert_eq!(Some(at.1), added);
            taken.push(at);
            turns.end(true);
        }
        // The group with one position and one edit has its turn among the first two.
        assert!(taken[..2].contains(&(2, 0)), "{taken:?}");
        let rest: Vec<usize> = taken.iter().filter(|at| at.0 == 1).map(|at| at.1).collect();
        let mut first = rest[..3].to_vec();
        first.sort_unstable();
        assert_eq!((first, rest.len()), (vec![1, 2, 3], 9));
        assert!(turns.is_over() && turns.possible() == [10, 0, 0, 0]);
    }

    #[test]
    fn a_group_has_another_turn_until_something_comes_of_an_edit() {
        let mut rng = SmallRng::seed_from_u64(1);
        let mut turns = Turns::new([vec![(1, 0)], vec![(2, 0)]], [2_000, 0, 0, 0], &mut rng);
        let edits = |_| vec![(EditOperator::Deletion, None); 2 * FIRST_TRIES];
        let mut next = |has_result: bool| {
            let (at, _) = turns.next(edits).unwrap();
            turns.end(has_result);
            at.0
        };
        let first = next(true);
        let second = 3 - first;
        assert!((0..FIRST_TRIES).all(|_| next(false) == second));
        assert!((0..TRIES).all(|_| next(false) == first));
        assert!((0..TRIES).all(|_| next(false) == second));
        assert_eq!([next(true), next(true)], [first, second]);
    }

    #[test]
    fn edits_that_a_position_has_once_come_first_and_then_operators_take_turns() {
        use EditOperator::{Deletion, Insertion, Substitution, Transposition};
        let mut rng = SmallRng::seed_from_u64(1);
        let mut edits = vec![(Transposition, None), (Deletion, None)];
        edits.extend((0..6).flat_map(|at| [(Insertion, Some(at)), (Substitution, Some(at))]));
        let order = ordered(edits, |at| u8::from(at < 4), &mut rng);
        assert_eq!(order[..2], [(Deletion, None), (Transposition, None)]);
        let of = |operator| order.iter().filter(move |edit| edit.0 == operator);
        for operator in [Insertion, Substitution] {
            let added: Vec<usize> = of(operator).filter_map(|edit| edit.1).collect();
            assert!(added[..2].iter().all(|&at| at >= 4) && added.len() == 6);
        }
        assert!(order[2..].chunks(2).all(|pair| pair[0].0 != pair[1].0));
    }
}
