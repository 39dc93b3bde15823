//! Writes files, with the same policy in all commands.
//!
//! * A file appears only when it is complete: it is written next to its path first, then moved.
//! * An existing file with the same content stays. One with other content is replaced with
//!   `--force`; without it, the command fails.
//! * Only regular files are replaced, also with `--force`. A symbolic link to a regular file is not
//!   replaced and not followed.
//! * `-` is standard output. If the user names a pipe, a character device or a symbolic link to one,
//!   the bytes are written to it.

use std::ffi::OsString;
use std::fs::{OpenOptions, Permissions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::path::{Path, PathBuf};

use tempfile::{Builder, NamedTempFile, TempDir};

use crate::interrupt::OnInterrupt;
use crate::problem::Problem;

/// The permissions of new files. The umask of the process restricts them.
const FILE: u32 = 0o666;

/// The permissions of new directories. The umask of the process restricts them.
const DIRECTORY: u32 = 0o777;

/// Whether existing files are replaced.
#[derive(clap::Args, Clone, Copy)]
pub struct Existing {
    /// Replace existing files that have other content.
    #[arg(long)]
    pub force: bool,
}

impl Existing {
    /// Fails if what is at the path cannot be replaced by [`write`](Existing::write). Commands call it
    /// before a long computation.
    pub fn may_write(self, path: &Path) -> Result<(), Problem> {
        match path == Path::new("-") || is_stream(path) {
            true => Ok(()),
            false => self.may_write_file(path, "--force replaces it"),
        }
    }

    /// Fails if what is at the path cannot be replaced by [`write_file`](Existing::write_file).
    /// `advice` says what to do if `force` is not set and the path is a file with content.
    pub fn may_write_file(self, path: &Path, advice: &str) -> Result<(), Problem> {
        match examine(path, &[]).map_err(|error| Problem::with(path, error))? {
            Found::Other if !self.force => {
                Err(Problem::with(path, format!("is there already; {advice}")))
            }
            Found::NoFile(what) => Err(is_no_file(path, what)),
            _ => Ok(()),
        }
    }

    /// Writes to the path that the user named: a file, `-`, a pipe or a device.
    pub fn write(self, path: &Path, bytes: &[u8]) -> Result<(), Problem> {
        if path == Path::new("-") {
            return print(bytes);
        }
        if is_stream(path) {
            let written = OpenOptions::new()
                .write(true)
                .open(path)
                .and_then(|mut stream| stream.write_all(bytes));
            return written.map_err(|error| Problem::with(path, error));
        }
        self.write_file(path, bytes)
    }

    /// Writes a regular file.
    ///
    /// # Errors
    ///
    /// If the path has other content and `force` is not set, or is not a regular file.
    pub fn write_file(self, path: &Path, bytes: &[u8]) -> Result<(), Problem> {
        match examine(path, bytes).map_err(|error| Problem::with(path, error))? {
            Found::Nothing => create(path, bytes).map_err(|error| match error.kind() {
                ErrorKind::AlreadyExists => Problem::with(path, IS_THERE),
                _ => Problem::with(path, error),
            }),
            Found::Same => Ok(()),
            Found::Other if self.force => {
                replace(path, bytes).map_err(|error| Problem::with(path, error))
            }
            Found::Other => Err(Problem::with(path, IS_THERE)),
            Found::NoFile(what) => Err(is_no_file(path, what)),
        }
    }
}

/// The error that an object, such as a directory, is not replaced by a file.
fn is_no_file(path: &Path, what: &str) -> Problem {
    Problem::with(path, format!("{what}, and only regular files are replaced"))
}

/// The message for a file that is not replaced.
const IS_THERE: &str = "is there already, with other content; --force replaces it";

/// The message for `-` as a directory.
pub const IS_OUTPUT: &str =
    "is standard output, where a directory is needed; ./- is a directory of this name";

/// What is at the path of a file that is to be written.
pub enum Found {
    Nothing,
    /// A file with the same content.
    Same,
    /// A file with other content.
    Other,
    /// An object that is not a regular file, with its description.
    NoFile(&'static str),
}

/// Returns what is at the path of a file that is to have the content `bytes`.
pub fn examine(path: &Path, bytes: &[u8]) -> io::Result<Found> {
    let metadata = match std::fs::symlink_metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Found::Nothing),
        metadata => metadata?,
    };
    let kind = metadata.file_type();
    if kind.is_file() {
        let is_same = metadata.len() == bytes.len() as u64 && std::fs::read(path)? == bytes;
        return Ok(if is_same { Found::Same } else { Found::Other });
    }
    Ok(Found::NoFile(match () {
        () if kind.is_symlink() => "is a symbolic link",
        () if kind.is_dir() => "is a directory",
        () => "is a pipe, a socket or a device",
    }))
}

/// Writes a new file.
///
/// # Errors
///
/// If the path exists: [`ErrorKind::AlreadyExists`].
pub fn create(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let (file, _remove) = beside(path, bytes)?;
    file.persist_noclobber(path)?;
    Ok(())
}

/// Replaces an existing file. The new file has the permissions of the old one.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let permissions = std::fs::symlink_metadata(path)?.permissions();
    let (file, _remove) = beside(path, bytes)?;
    file.as_file().set_permissions(permissions)?;
    file.persist(path)?;
    Ok(())
}

/// Writes a temporary file to the directory of a path.
fn beside(path: &Path, bytes: &[u8]) -> io::Result<(NamedTempFile, OnInterrupt)> {
    let mut builder = Builder::new();
    builder
        .prefix(".zester-")
        .suffix(".partial")
        .permissions(Permissions::from_mode(FILE));
    let mut file = builder.tempfile_in(parent_of(path)).map_err(without_path)?;
    let remove = OnInterrupt::remove(file.path());
    // `NamedTempFile::write_all` would name the temporary file in its errors.
    file.as_file_mut().write_all(bytes)?;
    Ok((file, remove))
}

/// Returns an error of `tempfile` without the path of the temporary file, which the user does not know.
fn without_path(error: io::Error) -> io::Error {
    // `tempfile` gives the inner error only as the beginning of the message.
    let message = error.to_string();
    match message.rsplit_once(" at path ") {
        Some((what, _)) => io::Error::new(error.kind(), what),
        None => error,
    }
}

/// Makes a temporary directory next to a path.
pub fn directory_beside(path: &Path) -> io::Result<(TempDir, OnInterrupt)> {
    let mut builder = Builder::new();
    builder
        .prefix(".zester-")
        .suffix(".partial")
        .permissions(Permissions::from_mode(DIRECTORY));
    let directory = builder.tempdir_in(parent_of(path)).map_err(without_path)?;
    let remove = OnInterrupt::remove(directory.path());
    Ok((directory, remove))
}

/// Returns a path with a suffix appended to its last component. A slash at the end is ignored. `.`
/// is replaced by the absolute path of the directory.
pub fn with_suffix(path: &Path, suffix: &str) -> io::Result<PathBuf> {
    let path = match path.file_name() {
        Some(_) => path.to_path_buf(),
        None => path.canonicalize()?,
    };
    let mut name: OsString = path.file_name().ok_or(ErrorKind::InvalidInput)?.into();
    name.push(suffix);
    Ok(path.with_file_name(name))
}

/// Makes a directory and its parents, unless they exist.
pub fn make_directory(path: &Path) -> Result<(), Problem> {
    if path == Path::new("-") {
        return Err(Problem::with(path, IS_OUTPUT));
    }
    if path.is_file() {
        return Err(Problem::with(
            path,
            "is a file, where a directory is needed",
        ));
    }
    std::fs::create_dir_all(path).map_err(|error| Problem::with(path, error))
}

/// Returns the directory of a file: `.` for a name without a directory.
pub fn parent_of(path: &Path) -> &Path {
    path.parent()
        .filter(|parent| *parent != Path::new(""))
        .unwrap_or(Path::new("."))
}

/// Returns whether a path is a pipe or a character device, which cannot be replaced by a file.
fn is_stream(path: &Path) -> bool {
    let kind = std::fs::metadata(path).map(|metadata| metadata.file_type());
    kind.is_ok_and(|kind| kind.is_fifo() || kind.is_char_device())
}

/// Writes to standard output. Returns [`Problem::Closed`] if the reader has closed it.
pub fn print(bytes: &[u8]) -> Result<(), Problem> {
    io::stdout()
        .lock()
        .write_all(bytes)
        .map_err(|error| match error.kind() {
            ErrorKind::BrokenPipe => Problem::Closed,
            _ => Problem::with(Path::new("standard output"), error),
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_written_is_refused_before() {
        let work = tempfile::tempdir().unwrap();
        let file = work.path().join("file");
        std::fs::write(&file, "x").unwrap();
        let may_write = |path: &Path, force| Existing { force }.may_write(path).is_ok();
        assert!(!may_write(&file, false) && may_write(&file, true));
        assert!(!may_write(work.path(), true) && !may_write(&file.join("a"), true));
        for path in ["-", "/dev/null"] {
            assert!(may_write(Path::new(path), false), "{path}");
        }
        assert!(may_write(&work.path().join("new"), false));
    }

    #[test]
    fn errors_name_no_temporary_file() {
        let work = tempfile::tempdir().unwrap();
        let file = work.path().join("missing/file");
        let written = Existing { force: false }.write(&file, b"x").unwrap_err();
        let expected = format!(
            "zester: {}: No such file or directory (os error 2)\n",
            file.display()
        );
        assert_eq!(written.message(), expected);
        let made = directory_beside(&file).err().unwrap();
        assert_eq!(made.to_string(), "No such file or directory (os error 2)");
    }
}
