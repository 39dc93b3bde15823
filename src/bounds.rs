//! What limits a derivation: Bonsai's bounds and two hard caps. Plain data; bounds are read from text.

/// Bonsai's bounds F(m, n, d) (Vikram et al., *Bonsai Fuzzing*, ICSE 2021, section III). A bound forbids options, it never
/// renumbers them: canonical parameters decode to the same sentence under all larger bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Bounds {
    /// *m*: how many names an identifier terminal has, at least 1. Every finite value also forbids names outside the fixed
    /// sequence.
    pub identifiers: u32,
    /// *n*: how many elements a repetition in a syntax rule has; a larger lower limit of the grammar wins.
    pub items: u32,
    /// *d*: how many expansions of one named syntax rule a path from the root holds, at least 1.
    pub depth: u32,
}

impl Bounds {
    /// A bound of this value does not bound.
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
        let bound = |part: &str, least: u32| match part.trim() {
            "-" => Ok(Bounds::NONE),
            number => number.parse().ok().filter(|&number| number >= least).ok_or_else(expected),
        };
        let parts: Vec<&str> = text.split(',').collect();
        let [identifiers, items, depth] = parts[..] else { return Err(expected()) };
        Ok(Bounds { identifiers: bound(identifiers, 1)?, items: bound(items, 0)?, depth: bound(depth, 1)? })
    }
}

/// What no sentence exceeds, whatever the parameters. Each counts as at most [`Caps::MOST`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Caps {
    /// Bytes of text.
    pub bytes: u32,
    /// Nodes of the derivation.
    pub nodes: u32,
}

impl Caps {
    /// The largest cap.
    pub const MOST: u32 = 1 << 30;
}

impl Default for Caps {
    /// 1 MiB of text, the largest input that libFuzzer makes of seeds by itself, and as many nodes.
    fn default() -> Caps {
        Caps { bytes: 1 << 20, nodes: 1 << 20 }
    }
}
