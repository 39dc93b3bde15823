//! Weights as an HTML page.

use std::fmt::Write;
use std::path::Path;

use zester::weights::{Table, Transform, Weights};

/// The page.
pub fn page(_grammar: &Path, _weights: &Weights, _transform: Transform, tables: &[Table]) -> String {
    let mut text = String::new();
    for table in tables {
        let _ = write!(text, "{}", table.name);
    }
    text
}
