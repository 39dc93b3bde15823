//! Limits of a derivation: Bonsai's three bounds, and two caps.

/// Bonsai's bounds F(m, n, d) (Vikram et al., *Bonsai Fuzzing*, ICSE 2021, section III).
///
/// A bound forbids options and never renumbers them.
///
/// # Guarantees
///
/// Canonical parameters decode to the same sentence under all larger bounds and caps, with one condition: if the bound of depth
/// is larger, the cap of nodes must be at least the sum, over all nodes of the derivation, of the least nodes of their symbols.
///
/// The reason for the condition: for every open symbol, decoding keeps room for the derivation of the fewest bytes. A bound of
/// depth may forbid that derivation and leave one of more bytes but fewer nodes. Under the larger bound, decoding keeps room for
/// more nodes again, and near the cap it may have to forbid what the smaller bound allowed.
///
/// # Examples
///
/// ```
/// use zester::bounds::Bounds;
///
/// let bounds: Bounds = "3,-,5".parse().unwrap();
/// assert_eq!(bounds, Bounds { identifiers: 3, items: Bounds::NONE, depth: 5 });
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Bounds {
    /// *m*: the number of names that an identifier terminal may use, at least 1. Every finite value also
    /// forbids names outside the fixed sequence.
    pub identifiers: u32,
    /// *n*: the maximum number of elements of a repetition in a syntax rule. A larger lower limit in the
    /// grammar takes precedence.
    pub items: u32,
    /// *d*: the maximum number of expansions of one named syntax rule on a path from the root, at least 1.
    pub depth: u32,
}

impl Bounds {
    /// The value of a bound that sets no limit.
    pub const NONE: u32 = u32::MAX;

    /// No bounds.
    pub const UNBOUNDED: Bounds = Bounds { identifiers: Bounds::NONE, items: Bounds::NONE, depth: Bounds::NONE };
}

impl Default for Bounds {
    fn default() -> Bounds {
        Bounds::UNBOUNDED
    }
}

impl std::fmt::Display for Bounds {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let bound = |bound: u32| if bound == Bounds::NONE { "-".into() } else { bound.to_string() };
        write!(formatter, "{},{},{}", bound(self.identifiers), bound(self.items), bound(self.depth))
    }
}

impl std::str::FromStr for Bounds {
    type Err = String;

    /// Reads `m,n,d`, each a number from 1 on (n from 0) or `-` for no bound.
    fn from_str(text: &str) -> Result<Bounds, String> {
        let expected = || "expected identifiers,items,depth, each a number or `-` for no bound, such as 3,3,5".to_string();
        let bound = |part: &str, min: u32| match part.trim() {
            "-" => Ok(Bounds::NONE),
            number => number.parse().ok().filter(|&number| number >= min).ok_or_else(expected),
        };
        let parts: Vec<&str> = text.split(',').collect();
        let [identifiers, items, depth] = parts[..] else { return Err(expected()) };
        Ok(Bounds { identifiers: bound(identifiers, 1)?, items: bound(items, 0)?, depth: bound(depth, 1)? })
    }
}

/// Hard limits on the size of a sentence, for any parameters. A cap above [`Caps::MAX`] is treated as [`Caps::MAX`].
///
/// A grammar whose least sentence exceeds a cap raises it: the least sentence can always be derived.
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
    /// 1 MiB of text, the largest input that libFuzzer makes of seeds by itself, and as many nodes.
    fn default() -> Caps {
        Caps { bytes: 1 << 20, nodes: 1 << 20 }
    }
}
