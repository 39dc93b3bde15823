//! Limits of a derivation: the three bounds of Bonsai fuzzing, and two caps.

use crate::error::Error;

/// Bounds of identifiers, items and depth: F(m, n, d) of Bonsai fuzzing (Vikram et al., *Bonsai
/// Fuzzing*, ICSE 2021, section III).
///
/// A bound forbids some options of a choice. The indices of the other options stay the same.
///
/// # Guarantees
///
/// Parameters are *canonical* if encoding their derivation returns them. Parameters that are
/// canonical under some bounds and caps decode to the same derivation under larger or equal ones, if
/// one of these holds:
///
/// * The bound of depth is the same.
/// * The grammar has no names, and the cap of nodes is at least this sum: for each node of the
///   derivation, the minimum number of nodes of its symbol.
///
/// # Not guaranteed
///
/// If the bound of depth is larger and the cap of nodes is smaller than that sum, the parameters
/// may decode to another derivation. For every symbol that is still to be expanded, decoding
/// reserves the size of one derivation: the one with the fewest bytes, and among these the one with
/// the fewest nodes. A bound of depth may forbid this derivation. Then decoding reserves the size
/// of another one, which has more bytes but may have fewer nodes. Under the larger bound it
/// reserves more nodes, and with a small cap it may have to forbid an option that the smaller bound
/// allowed.
///
/// A rule that takes arguments has an *instance* for each combination of their values. Below an
/// expansion that reaches the bound of depth, no instance of its rule is expanded again. If the
/// expansion cannot end without other instances of the rule, only its own instance is forbidden.
/// With a larger bound, another expansion reaches the bound, and it may forbid other instances.
///
/// # Examples
///
/// ```
/// use zester::Bounds;
///
/// let bounds: Bounds = "3,-,5".parse().unwrap();
/// assert_eq!(bounds, Bounds { identifiers: 3, items: Bounds::NONE, depth: 5 });
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Bounds {
    /// *m*: the number of names that an identifier terminal may use, at least 1. A finite value
    /// also forbids names that are written character by character.
    ///
    /// It also bounds the spelling of all other tokens, such as strings and numbers, and that of the
    /// layout before a token. Each of them has a cost, which is less than *m*. The cost is the sum of
    /// the numbers of elements of repetitions beyond their lower limits, of the indices of characters
    /// in their classes, and of the number of layout tokens. So there are few texts, and they are short. Alternatives are
    /// free: with *m* = 1, `@token number = "-"? [0-9]+ | "inf" ;` has the texts `0` and `inf`, and
    /// with *m* = 2 also `-0`, `1` and `00`.
    pub identifiers: u32,
    /// *n*: the maximum number of elements of a repetition in a syntax rule. If the lower limit in
    /// the grammar is larger than *n*, the lower limit is the maximum.
    pub items: u32,
    /// *d*: the maximum number of expansions of one named syntax rule on a path from the root, at
    /// least 1.
    pub depth: u32,
}

impl Bounds {
    /// The value of a bound that sets no limit.
    pub const NONE: u32 = u32::MAX;

    /// No bounds.
    pub const UNBOUNDED: Bounds = Bounds {
        identifiers: Bounds::NONE,
        items: Bounds::NONE,
        depth: Bounds::NONE,
    };

    /// Returns the maximum cost of the spelling of a token ([`Bounds::identifiers`]): *m* - 1, or
    /// `u32::MAX` if there is no bound.
    #[inline(always)]
    pub(crate) fn spelling(&self) -> u32 {
        match self.identifiers {
            Bounds::NONE => u32::MAX,
            bound => bound.max(1) - 1,
        }
    }
}

impl Default for Bounds {
    fn default() -> Bounds {
        Bounds::UNBOUNDED
    }
}

impl std::fmt::Display for Bounds {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let bound = |bound: u32| {
            if bound == Bounds::NONE {
                "-".into()
            } else {
                bound.to_string()
            }
        };
        write!(
            formatter,
            "{},{},{}",
            bound(self.identifiers),
            bound(self.items),
            bound(self.depth)
        )
    }
}

impl std::str::FromStr for Bounds {
    type Err = Error;

    /// Reads `m,n,d`. Each is a number or `-` for no bound. *m* and *d* are at least 1, *n* is at
    /// least 0.
    fn from_str(text: &str) -> Result<Bounds, Error> {
        let expected = || {
            Error::from(
                "expected identifiers,items,depth, each a number or `-` for no bound, such as 3,3,5",
            )
        };
        let bound = |part: &str, min: u32| match part.trim() {
            "-" => Ok(Bounds::NONE),
            number => number
                .parse()
                .ok()
                .filter(|&number| number >= min)
                .ok_or_else(expected),
        };
        let parts: Vec<&str> = text.split(',').collect();
        let [identifiers, items, depth] = parts[..] else {
            return Err(expected());
        };
        Ok(Bounds {
            identifiers: bound(identifiers, 1)?,
            items: bound(items, 0)?,
            depth: bound(depth, 1)?,
        })
    }
}

/// Hard limits on the size of a sentence, for any parameters. A cap above [`Caps::MAX`] is treated
/// as [`Caps::MAX`].
///
/// Reading a grammar fails if its smallest sentence exceeds the caps that are given for reading.
/// Decoding with smaller caps raises them to the size of that sentence, so there always is a
/// sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Caps {
    /// The maximum length of the text, in bytes.
    pub bytes: u32,
    /// The maximum number of nodes in the derivation.
    pub nodes: u32,
}

impl Caps {
    /// The largest cap.
    pub const MAX: u32 = 1 << 30;
}

impl Default for Caps {
    /// Returns 1,048,576 bytes and as many nodes. This is the largest `-max_len` that libFuzzer
    /// derives from seeds.
    fn default() -> Caps {
        Caps {
            bytes: 1 << 20,
            nodes: 1 << 20,
        }
    }
}
