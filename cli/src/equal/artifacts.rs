//! The directory to which sentences of pairs that differ are written, for `zester triage`.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use zester::grammar::Grammar;
use zester::{Derivation, parameters};

use crate::problem::Problem;

/// The maximum number of artifacts of an equivalence and kind of difference.
const MOST: usize = 20;

/// A directory of artifacts.
pub struct DisagreementArtifacts<'a> {
    directory: &'a Path,
    /// The number of artifacts by equivalence and kind of difference.
    written: Mutex<HashMap<(usize, String), usize>>,
}

impl<'a> DisagreementArtifacts<'a> {
    /// Returns a directory with the counts 0.
    pub fn new(directory: &'a Path) -> Self {
        DisagreementArtifacts {
            directory,
            written: Mutex::default(),
        }
    }

    /// Writes the parameters of a sentence, unless there are enough of this equivalence and kind.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write(
        &self,
        equivalence: usize,
        kind: &str,
        grammar: &Grammar,
        sentence: &Derivation,
    ) -> Result<(), Problem> {
        let mut all = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        let written = all.entry((equivalence, kind.into())).or_default();
        *written += 1;
        let is_enough = *written > MOST;
        drop(all);
        if is_enough {
            return Ok(());
        }
        let mut bytes = Vec::new();
        parameters::encode(grammar, sentence, &mut bytes);
        let mut hasher = DefaultHasher::new();
        bytes.hash(&mut hasher);
        let name = format!("disagreement-{:016x}", hasher.finish());
        let path = self.directory.join(name);
        std::fs::write(&path, &bytes).map_err(|error| Problem::with(&path, error))
    }
}
