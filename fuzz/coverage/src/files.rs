//! The files to run: files and directories of the command line and of lists.
//!
//! Files keep the given order; the files of a directory are sorted by name. Symbolic links to files
//! are always followed. Links to directories are followed only if they are named, so that there are
//! no cycles. A file that is given twice runs twice.

use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::{fs, io};

/// Returns all files of the paths and of the lines of the list, or an error if there is none.
pub fn find(paths: &[PathBuf], list: Option<&Path>) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let listed = list.map(read_list).transpose()?.unwrap_or_default();
    for path in paths.iter().chain(&listed) {
        let metadata =
            fs::metadata(path).with_context(|| format!("cannot read {}", path.display()))?;
        if metadata.is_dir() {
            visit(path, &mut files)?;
        } else {
            files.push(path.clone());
        }
    }
    if files.is_empty() {
        bail!("no files to run");
    }
    Ok(files)
}

fn read_list(list: &Path) -> Result<Vec<PathBuf>> {
    let text = if list == Path::new("-") {
        io::read_to_string(io::stdin())
    } else {
        fs::read_to_string(list)
    };
    let text = text.with_context(|| format!("cannot read {}", list.display()))?;
    let names = text.lines().filter(|line| !line.is_empty());
    Ok(names.map(PathBuf::from).collect())
}

/// Appends the files of a directory and of the directories in it.
fn visit(directory: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    let mut open = vec![directory.to_owned()];
    while let Some(path) = open.pop() {
        if path.is_dir() && (path == directory || !path.is_symlink()) {
            let read = || -> io::Result<Vec<PathBuf>> {
                fs::read_dir(&path)?
                    .map(|entry| Ok(entry?.path()))
                    .collect()
            };
            let mut entries = read().with_context(|| format!("cannot read {}", path.display()))?;
            entries.sort_by(|a, b| b.cmp(a));
            open.append(&mut entries);
        } else if path.is_file() {
            files.push(path);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directories_come_by_name() {
        let root = std::env::temp_dir().join(format!("coverage-files-{}", std::process::id()));
        fs::create_dir_all(root.join("b/deep")).unwrap();
        for name in ["c", "a", "b/deep/x", "b/y"] {
            fs::write(root.join(name), "").unwrap();
        }
        let list = root.join("c");
        fs::write(&list, format!("{}\n\n", root.join("a").display())).unwrap();
        let found = find(std::slice::from_ref(&root), Some(&list)).unwrap();
        let expected = ["a", "b/deep/x", "b/y", "c", "a"].map(|name| root.join(name));
        assert_eq!(found, expected);
        assert!(find(&[root.join("d")], None).is_err());
        assert!(find(&[], None).is_err());
        fs::remove_dir_all(&root).unwrap();
    }
}
