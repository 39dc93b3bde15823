//! Writes files, by one policy for all commands.
//!
//! * A file is written whole or not at all: beside its place first, then moved there.
//! * A file that is there with the same content is left alone. With other content, `--force` replaces it; without it, the command
//!   fails.
//! * A symbolic link is not followed, and nothing but a regular file is replaced, with `--force` either.
//! * `-` is standard output. A pipe or a device that the user names is written to.

use std::ffi::OsString;
use std::fs::{FileType, OpenOptions, Permissions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::path::{Path, PathBuf};

use tempfile::{Builder, NamedTempFile, TempDir};

use crate::interrupt::OnInterrupt;
use crate::problem::Problem;

/// The permissions of new files; the process' mask takes away from them.
const FILE: u32 = 0o666;

/// The permissions of new directories; the process' mask takes away from them.
const DIRECTORY: u32 = 0o777;

/// Whether files that are there are replaced.
#[derive(clap::Args, Clone, Copy)]
pub struct Existing {
    /// Replace existing files that have other content.
    #[arg(long)]
    pub force: bool,
}

impl Existing {
    /// Writes to what the user named: a file, `-`, a pipe or a device.
    pub fn write(self, path: &Path, bytes: &[u8]) -> Result<(), Problem> {
        if path == Path::new("-") {
            return print(bytes);
        }
        if std::fs::metadata(path).is_ok_and(|metadata| is_stream(metadata.file_type())) {
            let written = OpenOptions::new().write(true).open(path).and_then(|mut stream| stream.write_all(bytes));
            return written.map_err(|error| Problem::with(path, error));
        }
        self.write_file(path, bytes)
    }

    /// Writes a regular file.
    pub fn write_file(self, path: &Path, bytes: &[u8]) -> Result<(), Problem> {
        match look(path, bytes).map_err(|error| Problem::with(path, error))? {
            Found::Nothing => create(path, bytes).map_err(|error| match error.kind() {
                ErrorKind::AlreadyExists => Problem::with(path, IS_THERE),
                _ => Problem::with(path, error),
            }),
            Found::Same => Ok(()),
            Found::Other if self.force => replace(path, bytes).map_err(|error| Problem::with(path, error)),
            Found::Other => Err(Problem::with(path, IS_THERE)),
            Found::NoFile(what) => Err(Problem::with(path, format!("{what}, and only regular files are replaced"))),
        }
    }
}

/// What is said of a file that is not replaced.
const IS_THERE: &str = "is there already, with other content; --force replaces it";

/// What is at the place of a file that is to be written.
pub enum Found {
    Nothing,
    /// A file with this content.
    Same,
    /// A file with other content.
    Other,
    /// No regular file, but this.
    NoFile(&'static str),
}

/// Looks at the place of a file.
pub fn look(path: &Path, bytes: &[u8]) -> io::Result<Found> {
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

/// Writes a file where there is none.
///
/// # Errors
/// [`ErrorKind::AlreadyExists`] if there is something.
pub fn create(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let (file, _remove) = beside(path, bytes)?;
    file.persist_noclobber(path)?;
    Ok(())
}

/// Writes a file where there is another one, with the permissions of that.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let permissions = std::fs::symlink_metadata(path)?.permissions();
    let (file, _remove) = beside(path, bytes)?;
    file.as_file().set_permissions(permissions)?;
    file.persist(path)?;
    Ok(())
}

/// Writes a file with a name of its own in the same directory.
fn beside(path: &Path, bytes: &[u8]) -> io::Result<(NamedTempFile, OnInterrupt)> {
    let mut builder = Builder::new();
    builder.prefix(".zester-").suffix(".partial").permissions(Permissions::from_mode(FILE));
    let mut file = builder.tempfile_in(directory_of(path))?;
    let remove = OnInterrupt::remove(file.path());
    // The error is to name the file that is wanted, not this one.
    file.as_file_mut().write_all(bytes)?;
    Ok((file, remove))
}

/// Makes a directory with a name of its own beside a path.
pub fn directory_beside(path: &Path) -> io::Result<(TempDir, OnInterrupt)> {
    let mut builder = Builder::new();
    builder.prefix(".zester-").suffix(".partial").permissions(Permissions::from_mode(DIRECTORY));
    let directory = builder.tempdir_in(directory_of(path))?;
    let remove = OnInterrupt::remove(directory.path());
    Ok((directory, remove))
}

/// A path with something added to its last name. A slash at the end changes nothing, and `.` has the name of its directory.
pub fn with_suffix(path: &Path, suffix: &str) -> io::Result<PathBuf> {
    let path = match path.file_name() {
        Some(_) => path.to_path_buf(),
        None => path.canonicalize()?,
    };
    let mut name: OsString = path.file_name().ok_or(ErrorKind::InvalidInput)?.into();
    name.push(suffix);
    Ok(path.with_file_name(name))
}

/// Makes a directory for files, unless it is there.
pub fn make_directory(path: &Path) -> Result<(), Problem> {
    std::fs::create_dir_all(path).map_err(|error| Problem::with(path, error))
}

fn directory_of(path: &Path) -> &Path {
    path.parent().filter(|parent| *parent != Path::new("")).unwrap_or(Path::new("."))
}

/// Whether bytes written there go elsewhere, instead of staying as a file.
fn is_stream(kind: FileType) -> bool {
    kind.is_fifo() || kind.is_char_device()
}

/// Writes to standard output. It is no error that the reader has closed it.
pub fn print(bytes: &[u8]) -> Result<(), Problem> {
    io::stdout().lock().write_all(bytes).map_err(|error| match error.kind() {
        ErrorKind::BrokenPipe => Problem::Closed,
        _ => Problem::with(Path::new("standard output"), error),
    })
}
