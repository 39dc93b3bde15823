//! The log of a program: a temporary file for its output.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use rustix::fs::OFlags;

/// The maximum number of bytes that are read from the end of a log.
const MAX_READ: u64 = 256 << 10;

/// Creates an empty log. The file has no name, so it disappears however this process ends.
pub(super) fn create() -> io::Result<File> {
    let log = tempfile::tempfile()?;
    // Several processes write to the log, and the log is truncated between runs. So every write
    // must go to the current end of the log.
    rustix::fs::fcntl_setfl(&log, OFlags::APPEND)?;
    Ok(log)
}

/// Returns the end of a log. Returns an empty text if the log cannot be read.
pub(super) fn read(log: &File) -> String {
    let mut bytes = Vec::new();
    let mut read = || {
        let length = log.metadata()?.len();
        bytes.resize(length.min(MAX_READ) as usize, 0);
        let count = log.read_at(&mut bytes, length.saturating_sub(MAX_READ))?;
        bytes.truncate(count);
        io::Result::Ok(())
    };
    if read().is_err() {
        bytes.clear();
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Empties a log if it is longer than `max` bytes.
pub(super) fn truncate(log: &File, max: u64) {
    if log.metadata().is_ok_and(|data| data.len() > max) {
        let _ = log.set_len(0);
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn a_log_is_read_from_its_end_and_written_at_its_end() {
        let log = create().unwrap();
        let mut other = log.try_clone().unwrap();
        assert_eq!(read(&log), "");
        other.write_all(b"first \xFF").unwrap();
        assert_eq!(read(&log), "first \u{FFFD}");
        truncate(&log, 7);
        assert_eq!(read(&log), "first \u{FFFD}");
        truncate(&log, 6);
        assert_eq!(read(&log), "");
        // This is written at the beginning, because the log is empty.
        other.write_all(b"second").unwrap();
        assert_eq!(read(&log), "second");
        other.write_all(&vec![b'x'; 2 * MAX_READ as usize]).unwrap();
        assert_eq!(read(&log), "x".repeat(MAX_READ as usize));
    }
}
