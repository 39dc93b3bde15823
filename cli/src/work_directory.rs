//! The directory in which a command stores unfinished work: `DIR.grow` or `DIR.evolve`.
//!
//! # Guarantees
//!
//! * Only one process at a time has such a directory.
//! * A file that the command did not write is never removed.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, flock};

use crate::output;
use crate::problem::Problem;
use crate::text_directory::check_is_new;

/// The name of the file that a process locks.
const LOCK: &str = "lock";

/// A directory of unfinished work. This process holds its lock.
pub struct WorkDirectory {
    root: PathBuf,
    /// Returns whether the command writes a path relative to the root.
    is_own: fn(&Path) -> bool,
    _lock: File,
}

impl WorkDirectory {
    /// Opens a directory and locks it. Makes it if it is missing. `is_own` returns whether the
    /// command writes a path relative to `root`. `result` is the directory for the finished result.
    ///
    /// # Errors
    /// If another process has locked it, if it has files that the command did not write, or if
    /// `result` exists.
    pub fn open(
        root: &Path,
        is_own: fn(&Path) -> bool,
        result: &Path,
    ) -> Result<WorkDirectory, Problem> {
        output::make_directory(root)?;
        if let Some(foreign) = foreign(root, is_own)? {
            let why = format!(
                "is for unfinished work, but has the file {foreign:?}, which zester did not write; move it, or name another -o"
            );
            return Err(Problem::with(root, why));
        }
        let file = root.join(LOCK);
        let problem = |error| Problem::with(&file, error);
        let lock = File::options()
            .create(true)
            .write(true)
            .truncate(false)
            .open(&file)
            .map_err(problem)?;
        match flock(&lock, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => {}
            Err(rustix::io::Errno::WOULDBLOCK) => {
                return Err(Problem::with(
                    root,
                    "another zester works in this directory; wait for its end, or name another -o",
                ));
            }
            Err(error) => return Err(problem(error.into())),
        }
        // Another process may have held the lock until now and finished the work.
        check_is_new(result)?;
        Ok(WorkDirectory {
            root: root.into(),
            is_own,
            _lock: lock,
        })
    }

    /// Returns the directory.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Removes the directory, or a directory in it, with all files that the command wrote. Other
    /// files and their directories stay, with a warning.
    pub fn remove(&self, directory: &Path) -> Result<(), Problem> {
        let mut has_foreign = false;
        let mut directories = Vec::new();
        walk(directory, &mut |path, is_directory| {
            let relative = path.strip_prefix(&self.root).unwrap_or(path);
            match (is_directory, is_own(relative, self.is_own)) {
                (true, _) => directories.push(path.to_path_buf()),
                (false, true) => fs::remove_file(path)?,
                (false, false) => has_foreign = true,
            }
            Ok(())
        })
        .map_err(|error| Problem::with(directory, error))?;
        // A directory with a foreign file or directory is not empty, and stays.
        directories
            .iter()
            .rev()
            .filter(|path| is_own(path.strip_prefix(&self.root).unwrap_or(path), self.is_own))
            .for_each(|path| {
                has_foreign |= fs::remove_dir(path).is_err();
            });
        if has_foreign {
            eprintln!(
                "zester: warning: {}: stays, because it has files that zester did not write",
                directory.display()
            );
        }
        Ok(())
    }
}

/// Returns whether the command writes a path. The empty path is the root.
fn is_own(path: &Path, is_own: fn(&Path) -> bool) -> bool {
    path == Path::new("") || path == Path::new(LOCK) || is_own(path)
}

/// Returns the relative path of a file or a directory that the command did not write.
fn foreign(root: &Path, own: fn(&Path) -> bool) -> Result<Option<PathBuf>, Problem> {
    let mut found = None;
    let walked = walk(root, &mut |path, _| {
        let relative = path.strip_prefix(root).unwrap_or(path);
        if !is_own(relative, own) {
            found.get_or_insert_with(|| relative.to_path_buf());
        }
        Ok(())
    });
    walked.map_err(|error| Problem::with(root, error))?;
    Ok(found)
}

/// Calls a function for a directory and everything below it, directories before their content. The
/// second argument is whether the path is a directory. Symbolic links are not followed.
fn walk(
    root: &Path,
    visit: &mut dyn FnMut(&Path, bool) -> std::io::Result<()>,
) -> std::io::Result<()> {
    let mut open = vec![root.to_path_buf()];
    while let Some(path) = open.pop() {
        let is_directory = fs::symlink_metadata(&path)?.is_dir();
        visit(&path, is_directory)?;
        if is_directory {
            for entry in fs::read_dir(&path)? {
                open.push(entry?.path());
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn own(path: &Path) -> bool {
        path.starts_with("node") && path.extension().is_none()
    }

    #[test]
    fn foreign_files_are_refused_and_never_removed() {
        let directory = tempfile::tempdir().unwrap();
        let (root, result) = (
            directory.path().join("work"),
            directory.path().join("result"),
        );
        let unfinished = WorkDirectory::open(&root, own, &result).ok().unwrap();
        fs::create_dir_all(root.join("node/corpus")).unwrap();
        fs::write(root.join("node/corpus/1"), "").unwrap();
        fs::write(root.join("node/thesis.txt"), "mine").unwrap();
        unfinished.remove(&root).ok().unwrap();
        assert_eq!(fs::read(root.join("node/thesis.txt")).unwrap(), b"mine");
        assert!(!root.join("node/corpus").exists());
        drop(unfinished);
        let message = WorkDirectory::open(&root, own, &result)
            .err()
            .unwrap()
            .message();
        assert!(
            message.contains("node/thesis.txt") && message.contains("did not write"),
            "{message}"
        );
        fs::remove_file(root.join("node/thesis.txt")).unwrap();
        WorkDirectory::open(&root, own, &result)
            .ok()
            .unwrap()
            .remove(&root)
            .ok()
            .unwrap();
        assert!(!root.exists());
    }

    #[test]
    fn a_directory_has_one_process() {
        let directory = tempfile::tempdir().unwrap();
        let (root, result) = (
            directory.path().join("work"),
            directory.path().join("result"),
        );
        let first = WorkDirectory::open(&root, own, &result).ok().unwrap();
        let message = WorkDirectory::open(&root, own, &result)
            .err()
            .unwrap()
            .message();
        assert!(
            message.contains("another zester works in this directory"),
            "{message}"
        );
        drop(first);
        assert!(WorkDirectory::open(&root, own, &result).is_ok());
        fs::create_dir(&result).unwrap();
        assert!(
            WorkDirectory::open(&root, own, &result)
                .err()
                .unwrap()
                .message()
                .contains("is there already")
        );
    }
}
