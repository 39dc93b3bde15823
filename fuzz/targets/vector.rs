//! Fuzzes the vectors of im 15.1.0, in parts from the crate's own strategy, against `Vec`.
//!
//! An input is a sequence of operations. It is invalid if an index is out of bounds. Known fault: the sizes in a tree
//! of more than 4,096 elements become wrong (`nodes/rrb.rs`, <https://github.com/jneem/imbl/issues/33>).
#![no_main]

use im::Vector;
use im::proptest::vector;
use proptest::collection::vec;
use proptest::prelude::*;

#[derive(Debug, Clone)]
enum Operation {
    Append(Vector<u8>),
    Prepend(Vector<u8>),
    Split(usize),
    Insert(usize, u8),
    Remove(usize),
}

use Operation::*;

fn operations() -> impl Strategy<Value = Vec<Operation>> {
    let part = || zester::region!(vector(Just(0_u8), 0..3000));
    let index = || 0..6000_usize;
    let operation = prop_oneof![
        part().prop_map(Append),
        part().prop_map(Prepend),
        index().prop_map(Split),
        (index(), any::<u8>()).prop_map(|(at, value)| Insert(at, value)),
        index().prop_map(Remove),
    ];
    vec(zester::region!(operation), 1..40)
}

zester::fuzz_target!(strategy: operations(), |operations: Vec<Operation>| {
    let (mut tree, mut plain) = (Vector::new(), Vec::new());
    for operation in operations {
        match operation {
            Append(part) => {
                plain.extend(&part);
                tree.append(part);
            }
            Prepend(mut part) => {
                plain.splice(0..0, part.iter().copied());
                part.append(tree);
                tree = part;
            }
            Split(at) if at <= plain.len() => {
                plain.truncate(at);
                tree.split_off(at);
            }
            Insert(at, value) if at <= plain.len() => {
                plain.insert(at, value);
                tree.insert(at, value);
            }
            Remove(at) if at < plain.len() => {
                plain.remove(at);
                tree.remove(at);
            }
            _ => return false,
        }
        assert!(tree.iter().eq(&plain), "the known fault");
    }
    true
});
