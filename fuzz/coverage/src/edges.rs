//! The edges of this program: clear them, run something, collect what it hit.
//!
//! Edges are numbered as in the compiler's table; a set of edges is a slice of bytes, one per
//! edge, not zero where the edge is in the set. A program built without instrumentation has no
//! edges at all. The only unsafe code of the crate: calls into `edges.c`.

#![allow(unsafe_code)]

unsafe extern "C" {
    safe fn coverage_flags() -> usize;
    safe fn coverage_edges() -> usize;
    safe fn coverage_clear();
    unsafe fn coverage_collect(seen: *mut u8);
    unsafe fn coverage_address(edge: usize) -> usize;
    unsafe fn coverage_is_function(edge: usize) -> i32;
}

/// The number of edges compiled into this program.
///
/// # Panics
///
/// If the compiler's two tables disagree.
pub fn count() -> usize {
    let edges = coverage_edges();
    assert_eq!(edges, coverage_flags(), "one flag per edge");
    edges
}

/// Forgets all hits.
pub fn clear() {
    coverage_clear();
}

/// Adds the edges hit since the last [`clear`] to the set.
pub fn collect(seen: &mut [u8]) {
    assert_eq!(seen.len(), count());
    // SAFETY: `seen` is writable and has the one byte per edge that is written.
    unsafe { coverage_collect(seen.as_mut_ptr()) }
}

/// The address of the edge in the executable file, as debug information knows it.
pub fn address(edge: usize) -> u64 {
    assert!(edge < count());
    // SAFETY: the edge is within the table, which is constant and lives as long as the program.
    unsafe { coverage_address(edge) as u64 }
}

/// Whether the edge is the entry of a function.
pub fn is_function(edge: usize) -> bool {
    assert!(edge < count());
    // SAFETY: the edge is within the table, which is constant and lives as long as the program.
    unsafe { coverage_is_function(edge) != 0 }
}
