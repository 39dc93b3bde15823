//! Statistics that all processes of a campaign count in shared memory.

use std::ffi::{CString, c_char, c_int, c_void};
use std::path::Path;
use std::sync::atomic::AtomicU64;

use super::layout::{MUTATOR_COUNTS, MUTATORS, Totals};

/// The counts of one mutator: tried, changed the sentence, found, kept.
type MutatorCounts = [u64; MUTATOR_COUNTS];

unsafe extern "C" {
    fn zester_feedback_reserve(file: c_int, size: usize) -> c_int;
    fn zester_feedback_file(directory: *const c_char, size: usize) -> c_int;
    fn zester_feedback_identify(file: c_int, identity: *mut [u64; 2]) -> c_int;
    fn zester_feedback_shared_size() -> usize;
    fn zester_feedback_share(file: c_int) -> c_int;
    fn zester_feedback_is_first() -> c_int;
    fn zester_feedback_totals(totals: *mut Totals);
    fn zester_feedback_add_mutators(counts: *const MutatorCounts);
    fn zester_feedback_mutators(counts: *mut MutatorCounts);
    fn zester_feedback_is_report_due(interval: u64) -> c_int;
    fn zester_feedback_runs(panics: *mut u64) -> u64;
    fn zester_memory_map(file: c_int, size: usize) -> *mut c_void;
}

/// An open file without a name, which holds the shared memory of a campaign. Child processes
/// inherit it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SharedFile {
    descriptor: c_int,
    /// The device and the inode of the file.
    identity: [u64; 2],
}

impl SharedFile {
    /// Makes the file in memory if the system supports that, otherwise in a directory. Returns
    /// [`None`] if there is not enough room. Must be called after [`find`](super::find) and
    /// [`add_module`](super::add_module).
    pub fn new(directory: &Path) -> Option<SharedFile> {
        // SAFETY: no precondition; it adds numbers.
        let size = unsafe { zester_feedback_shared_size() };
        SharedFile::make(None, size).or_else(|| SharedFile::make(Some(directory), size))
    }

    /// Makes the file in a directory, or in memory if there is none.
    fn make(directory: Option<&Path>, size: usize) -> Option<SharedFile> {
        let directory = directory
            .map(|path| CString::new(path.as_os_str().as_encoded_bytes()))
            .transpose()
            .ok()?;
        let pointer = directory
            .as_ref()
            .map_or(std::ptr::null(), |path| path.as_ptr());
        // SAFETY: the pointer must be null or that of a string until the call returns. `directory`
        // lives longer.
        SharedFile::identify(unsafe { zester_feedback_file(pointer, size) })
    }

    /// Returns the file with a descriptor, or [`None`] if the descriptor is not open.
    fn identify(descriptor: c_int) -> Option<SharedFile> {
        let mut identity = [0; 2];
        // SAFETY: `identity` must have room for two numbers, and it has. The function checks the
        // descriptor.
        let is_open = unsafe { zester_feedback_identify(descriptor, &raw mut identity) } != 0;
        is_open.then_some(SharedFile {
            descriptor,
            identity,
        })
    }

    /// If the file is empty, enlarges it to the size that the processes need. Returns whether it
    /// was enlarged. Must be called after [`find`](super::find) and
    /// [`add_module`](super::add_module).
    pub fn fill(self) -> bool {
        // SAFETY: no precondition. The first call adds numbers, the second checks the descriptor.
        unsafe { zester_feedback_reserve(self.descriptor, zester_feedback_shared_size()) != 0 }
    }

    /// Returns the descriptor, the device and the inode as text, by which a child process finds the
    /// file.
    pub fn name(self) -> String {
        format!(
            "{}:{}:{}",
            self.descriptor, self.identity[0], self.identity[1]
        )
    }

    /// Returns the file that a parent process named by [`SharedFile::name`]. Returns [`None`] if
    /// this process did not inherit the file.
    pub fn inherited(name: &str) -> Option<SharedFile> {
        let descriptor = name.split(':').next()?.parse().ok()?;
        // The descriptor may belong to another file now.
        SharedFile::identify(descriptor).filter(|file| file.name() == name)
    }
}

/// Shares the statistics through a file, or through memory of this process and its forks if there
/// is no file. Returns whether that worked. Must be called after [`find`](super::find) and
/// [`add_module`](super::add_module).
pub fn share(file: Option<SharedFile>) -> bool {
    // SAFETY: no precondition; the function checks that the descriptor is open and the file long
    // enough.
    unsafe { zester_feedback_share(file.map_or(-1, |file| file.descriptor)) != 0 }
}

/// Returns whether this process called [`share`] itself, and is not a fork of the process that did.
pub fn is_first() -> bool {
    // SAFETY: no precondition.
    unsafe { zester_feedback_is_first() != 0 }
}

/// Returns the statistics of all processes of the campaign.
pub fn totals() -> Totals {
    let mut totals = Totals::default();
    // SAFETY: the record must have the layout that C expects. It is `repr(C)`, and build.rs wrote
    // its declaration in C.
    unsafe { zester_feedback_totals(&raw mut totals) };
    totals
}

/// Adds to the counts of mutators of this process.
pub fn add_mutators(counts: &[MutatorCounts]) {
    let mut all = [[0; MUTATOR_COUNTS]; MUTATORS];
    all[..counts.len()].copy_from_slice(counts);
    // SAFETY: C reads MUTATORS times MUTATOR_COUNTS numbers, and `all` has as many. build.rs wrote
    // both constants to the C header.
    unsafe { zester_feedback_add_mutators(all.as_ptr()) };
}

/// Returns the counts of mutators of all processes of the campaign.
pub fn mutators() -> [MutatorCounts; MUTATORS] {
    let mut counts = [[0; MUTATOR_COUNTS]; MUTATORS];
    // SAFETY: C writes MUTATORS times MUTATOR_COUNTS numbers, and there is room for as many.
    // build.rs wrote both constants to the C header.
    unsafe { zester_feedback_mutators(counts.as_mut_ptr()) };
    counts
}

/// Returns the number of runs of this process, and of those that failed without ending the process.
#[inline(always)]
pub fn runs_and_panics() -> [u64; 2] {
    let mut panics = 0;
    // SAFETY: the function writes one number, for which there is room.
    let runs = unsafe { zester_feedback_runs(&raw mut panics) };
    [runs, panics]
}

/// Returns numbers, all 0, that this process shares with the processes that it will fork. Returns
/// [`None`] if there is no memory.
pub fn shared_numbers(count: usize) -> Option<&'static [AtomicU64]> {
    // SAFETY: no precondition. The descriptor -1 means memory without a file.
    let memory = unsafe { zester_memory_map(-1, count * size_of::<AtomicU64>()) };
    if memory.is_null() {
        return None;
    }
    // SAFETY: the memory must be aligned, initialized, as large as the slice, and must stay. It is a
    // mapping of whole pages of zeros of this size, and nobody removes it.
    Some(unsafe { std::slice::from_raw_parts(memory.cast(), count) })
}

/// Returns whether no process has reported in the last `interval` milliseconds, so that this
/// process is to report now.
pub fn is_report_due(interval: u64) -> bool {
    // SAFETY: no precondition; the function checks whether there is shared memory.
    unsafe { zester_feedback_is_report_due(interval) != 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn shared_files_have_no_name_and_are_found_again() {
        let directory = tempfile::tempdir().unwrap();
        for directory_or_memory in [None, Some(directory.path())] {
            let file = SharedFile::make(directory_or_memory, 1 << 16).unwrap();
            assert_eq!(SharedFile::inherited(&file.name()), Some(file));
            assert_eq!(
                std::fs::read_dir(directory.path()).unwrap().count(),
                0,
                "the file has a name"
            );
        }
        for name in ["", "none", "9999:1:1", "0:0:0", "-1:0:0"] {
            assert_eq!(SharedFile::inherited(name), None, "{name}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_file_without_room_for_its_blocks_is_refused() {
        assert_eq!(SharedFile::make(Some(Path::new("/none/such")), 1), None);
        let directory = tempfile::tempdir().unwrap();
        let mount = std::process::Command::new("mount")
            .args(["-t", "tmpfs", "-o", "size=64k", "tmpfs"])
            .arg(directory.path())
            .output();
        if !mount.is_ok_and(|output| output.status.success()) {
            eprintln!("skipped: cannot mount a file system");
            return;
        }
        let (small, large) = (
            SharedFile::make(Some(directory.path()), 1 << 12),
            SharedFile::make(Some(directory.path()), 1 << 20),
        );
        // The small file is open, so only a lazy unmount works.
        let unmount = std::process::Command::new("umount")
            .arg("-l")
            .arg(directory.path())
            .status();
        assert!(unmount.unwrap().success());
        assert!(small.is_some());
        assert_eq!(large, None);
    }
}
