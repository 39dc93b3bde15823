//! Fuzzes programs for a small stack machine, an `Arbitrary` type, with a planted fault.
//!
//! A peephole optimiser runs before a check of the types. Programs that the check refuses reach all code of
//! the optimiser, so plain coverage soon stops guiding. The fault needs a program that the check
//! accepts. With validity feedback it is found sooner: see `arbitrary` in
//! `scripts/measured.md`.
#![no_main]

use zester::arbitrary::{Arbitrary, Result, Unstructured};

#[derive(Debug, Clone, Copy)]
enum Step {
    #[expect(dead_code, reason = "no program is executed")]
    Push(i8),
    Duplicate,
    Add,
    Multiply,
    Negate,
    Less,
    Not,
    Store(u8),
    Load(u8),
}

/// Generates an instruction from one byte, where the derived implementation would take four.
impl Arbitrary<'_> for Step {
    fn arbitrary(parameters: &mut Unstructured<'_>) -> Result<Step> {
        Ok(match parameters.int_in_range(0..=8)? {
            0 => Step::Push(parameters.arbitrary()?),
            1 => Step::Duplicate,
            2 => Step::Add,
            3 => Step::Multiply,
            4 => Step::Negate,
            5 => Step::Less,
            6 => Step::Not,
            7 => Step::Store(parameters.arbitrary()?),
            _ => Step::Load(parameters.arbitrary()?),
        })
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Type {
    Number,
    Truth,
}

zester::fuzz_target!(|program: Vec<Step>| {
    let fused = program.windows(5).any(fuse);
    let valid = check(&program).is_some();
    // The planted fault: nothing executes the fused step.
    assert!(!valid || !fused, "no such step");
    valid
});

/// Returns whether these steps can be fused into one: twice the negative of a square.
#[inline(never)]
fn fuse(steps: &[Step]) -> bool {
    let &[first, second, third, fourth, fifth] = steps else {
        return false;
    };
    if let Step::Duplicate = first
        && let Step::Multiply = second
        && let Step::Negate = third
        && let Step::Duplicate = fourth
    {
        return matches!(fifth, Step::Add);
    }
    false
}

/// Accepts a program if every instruction finds operands of the right types, it loads only what it
/// stored just before, and its result is a truth value.
#[inline(never)]
fn check(program: &[Step]) -> Option<()> {
    let (mut stack, mut slots, mut loaded) = (Vec::new(), [None; 4], [false; 4]);
    for &step in program {
        match step {
            Step::Push(_) => stack.push(Type::Number),
            Step::Duplicate => stack.push(*stack.last()?),
            Step::Add | Step::Multiply => {
                pop(&mut stack, Type::Number)?;
                pop(&mut stack, Type::Number)?;
                stack.push(Type::Number);
            }
            Step::Negate => {
                pop(&mut stack, Type::Number)?;
                stack.push(Type::Number);
            }
            Step::Less => {
                pop(&mut stack, Type::Number)?;
                pop(&mut stack, Type::Number)?;
                stack.push(Type::Truth);
            }
            Step::Not => {
                pop(&mut stack, Type::Truth)?;
                stack.push(Type::Truth);
            }
            Step::Store(slot) => {
                let slot = usize::from(slot % 4);
                if slots[slot].is_some() {
                    return None;
                }
                slots[slot] = Some(stack.pop()?);
            }
            Step::Load(slot) => {
                let slot = usize::from(slot % 4);
                stack.push(slots[slot]?);
                loaded[slot] = true;
            }
        }
    }
    let all_loaded = slots
        .iter()
        .zip(loaded)
        .all(|(slot, loaded)| slot.is_some() == loaded);
    (all_loaded && stack == [Type::Truth]).then_some(())
}

fn pop(stack: &mut Vec<Type>, wanted: Type) -> Option<()> {
    (stack.pop()? == wanted).then_some(())
}
