//! The source file of each edge, from the line tables of the running executable.
//!
//! An edge belongs to the file of the line at its address. Where the compiler inlined, this is the
//! innermost file: a vector's method that is inlined into a parser belongs to the standard library.
//! The result does not depend on which edges are looked up, or in which order.

use crate::edges;
use addr2line::Loader;
use anyhow::{Result, anyhow};

/// Classifies edges: those in source files whose path contains one of `within`, and those of this
/// crate.
pub struct EdgeFiles {
    /// Edges in the selected source files.
    pub within: Vec<bool>,
    /// Edges of this crate, which belong to no subject.
    pub own: Vec<bool>,
}

impl EdgeFiles {
    /// Looks up every edge of this program.
    pub fn find(within: &[String]) -> Result<Self> {
        let executable = std::env::current_exe()?;
        let debug = |error| anyhow!("no line tables in {}: {error}", executable.display());
        let loader = Loader::new(&executable).map_err(debug)?;
        let mut files = Self {
            within: Vec::new(),
            own: Vec::new(),
        };
        for edge in 0..edges::count() {
            let file = loader
                .find_location(edges::address(edge))
                .map_err(debug)?
                .and_then(|location| location.file)
                .unwrap_or("");
            let own = file.contains("fuzz/coverage/src/");
            files.own.push(own);
            files
                .within
                .push(!own && within.iter().any(|part| file.contains(part.as_str())));
        }
        Ok(files)
    }
}
