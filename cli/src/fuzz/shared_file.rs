//! The shared memory file in which the processes of a campaign count executions and coverage.

use std::fs::File;
use std::os::fd::AsFd;

use rustix::fs::fstat;
use rustix::io::{FdFlags, fcntl_setfd};

/// The environment variable that names the file to the processes (`src/hooks/settings.rs` of the
/// library). The first process enlarges the file, which is empty.
pub const VARIABLE: &str = "ZESTER_CAMPAIGN_FIGURES";

/// An empty file without a name, which the processes that this one starts inherit.
#[derive(Debug)]
pub struct SharedFile(File);

impl SharedFile {
    /// Makes the file: in memory on Linux, elsewhere in the temporary directory.
    pub fn new() -> std::io::Result<SharedFile> {
        #[cfg(target_os = "linux")]
        let file = File::from(rustix::fs::memfd_create(
            "zester-figures",
            rustix::fs::MemfdFlags::empty(),
        )?);
        #[cfg(not(target_os = "linux"))]
        let file = tempfile::tempfile()?;
        fcntl_setfd(file.as_fd(), FdFlags::empty())?;
        Ok(SharedFile(file))
    }

    /// Returns its descriptor, device and inode, by which a process finds it.
    pub fn name(&self) -> std::io::Result<String> {
        use std::os::fd::AsRawFd;
        let status = fstat(&self.0)?;
        Ok(format!(
            "{}:{}:{}",
            self.0.as_raw_fd(),
            status.st_dev,
            status.st_ino
        ))
    }

    /// Returns whether a process has enlarged it.
    pub fn is_used(&self) -> bool {
        self.0.metadata().is_ok_and(|about| about.len() > 0)
    }
}
