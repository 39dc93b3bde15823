//! The edges of this program: clear them, run something, collect those that were hit.
//!
//! Edges have the numbers of the compiler's table. A set of edges is a slice with one byte for each
//! edge, which is not zero if the edge is in the set. A program without instrumentation has no
//! edges. This is the only module of the crate with unsafe code, for calls into `edges.c`.

#![allow(unsafe_code)]

unsafe extern "C" {
    safe fn coverage_flags() -> usize;
    safe fn coverage_edges() -> usize;
    safe fn coverage_clear();
    unsafe fn coverage_collect(seen: *mut u8);
    unsafe fn coverage_address(edge: usize) -> usize;
    unsafe fn coverage_is_function(edge: usize) -> i32;
}

/// Returns the number of edges in this program.
///
/// # Panics
///
/// If the compiler's two tables have different lengths.
pub fn count() -> usize {
    let edges = coverage_edges();
    assert_eq!(edges, coverage_flags(), "one flag per edge");
    edges
}

/// Clears all hits.
pub fn clear() {
    coverage_clear();
}

/// Adds the edges that were hit since the last [`clear`] to the set.
pub fn collect(seen: &mut [u8]) {
    assert_eq!(seen.len(), count());
    // SAFETY: `seen` is writable and has the one byte per edge that is written.
    unsafe { coverage_collect(seen.as_mut_ptr()) }
}

/// Returns the address of the edge in the executable file, as debug information has it.
pub fn address(edge: usize) -> u64 {
    assert!(edge < count());
    // SAFETY: the edge is within the table, which is constant and lives as long as the program.
    unsafe { coverage_address(edge) as u64 }
}

/// Returns whether the edge is the entry of a function.
pub fn is_function(edge: usize) -> bool {
    assert!(edge < count());
    // SAFETY: the edge is within the table, which is constant and lives as long as the program.
    unsafe { coverage_is_function(edge) != 0 }
}
