//! Fuzzes Euclid's algorithm by subtraction, the example of the paper on FdLoop.
//!
//! A pair with a 0 divides by zero, and some pairs take long.
#![no_main]

zester::fuzz_target!(grammar: "euclid.ebnf", |text: &str| {
    let Some((a, b)) = text.split_once(',') else { return false };
    let (Ok(a), Ok(b)) = (a.trim().parse(), b.trim().parse()) else { return false };
    std::hint::black_box(greatest_common_divisor(a, b));
    true
});

fn greatest_common_divisor(a: u32, b: u32) -> u32 {
    if a < b {
        return swapped(a, b);
    }
    if remainder(a, b) == 0 {
        return b;
    }
    subtracted(a, b)
}

#[inline(never)]
fn swapped(a: u32, b: u32) -> u32 {
    greatest_common_divisor(b, a)
}

/// # Panics
/// If the divisor is 0.
#[inline(never)]
fn remainder(a: u32, b: u32) -> u32 {
    a % b
}

#[inline(never)]
fn subtracted(mut a: u32, b: u32) -> u32 {
    while a > b {
        a = std::hint::black_box(a) - b;
    }
    if a == 1 {
        coprime()
    } else {
        greatest_common_divisor(b, a)
    }
}

#[inline(never)]
fn coprime() -> u32 {
    1
}
