//! A new directory of text files, which appears when it is complete, and the names of its files.

use std::io::Write;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::interrupt::OnInterrupt;
use crate::output;
use crate::problem::Problem;

/// An incomplete directory. Its files are next to the path of the directory until
/// [`TextDirectory::finish`] moves them. They are removed if that is not called.
pub struct TextDirectory {
    path: PathBuf,
    partial: TempDir,
    _remove: OnInterrupt,
}

impl TextDirectory {
    /// Begins a directory at a path.
    pub fn new(path: &Path) -> Result<TextDirectory, Problem> {
        let (partial, _remove) =
            output::directory_beside(path).map_err(|error| Problem::with(path, error))?;
        Ok(TextDirectory {
            path: path.into(),
            partial,
            _remove,
        })
    }

    /// Writes a file. `name` may begin with the name of a subdirectory, which is made if it is
    /// missing.
    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<(), Problem> {
        let file = self.partial.path().join(name);
        if let Some(parent) = file.parent() {
            output::make_directory(parent)?;
        }
        std::fs::File::create_new(&file)
            .and_then(|mut created| created.write_all(bytes))
            .map_err(|error| Problem::with(&file, error))
    }

    /// Moves the complete directory to its path.
    pub fn finish(self) -> Result<(), Problem> {
        std::fs::rename(self.partial.path(), &self.path)
            .map_err(|error| Problem::with(&self.path, error))?;
        // The directory was moved, so that nothing is to be removed.
        _ = self.partial.keep();
        Ok(())
    }
}

/// Checks that the path of a result does not exist.
///
/// # Errors
/// If it exists.
pub fn check_is_new(path: &Path) -> Result<(), Problem> {
    match path.symlink_metadata() {
        Ok(_) => Err(Problem::with(
            path,
            "is there already; name another directory",
        )),
        Err(_) => Ok(()),
    }
}

/// Returns the names of `count` files, such as `007.json`. All have the same length, so that they
/// sort as numbers.
pub fn names(count: usize, extension: &str) -> Vec<String> {
    let width = count.to_string().len();
    (1..=count)
        .map(|number| format!("{number:0width$}.{extension}"))
        .collect()
}

/// Returns the default extension of text files: the file name of a grammar or a target without its
/// extension, or `txt` if it has no name.
pub fn default_extension(path: &Path) -> String {
    path.file_stem()
        .map_or_else(|| "txt".into(), |name| name.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_sort_as_numbers() {
        let names = names(10, "json");
        assert_eq!((&names[0][..], &names[9][..]), ("01.json", "10.json"));
        assert!(names.is_sorted());
    }

    #[test]
    fn a_directory_appears_when_it_is_complete() {
        let parent = tempfile::tempdir().unwrap();
        let path = parent.path().join("result");
        let directory = TextDirectory::new(&path).ok().unwrap();
        directory.write("crashes/1.json", b"{").ok().unwrap();
        assert!(check_is_new(&path).is_ok());
        directory.finish().ok().unwrap();
        assert!(check_is_new(&path).is_err());
        assert_eq!(std::fs::read(path.join("crashes/1.json")).unwrap(), b"{");
        drop(TextDirectory::new(&parent.path().join("other")));
        assert_eq!(std::fs::read_dir(parent.path()).unwrap().count(), 1);
    }
}
