//! The edges of this program: clear their hits, run something, read how often each was hit.
//!
//! Edges have the numbers of the compiler's table. A set of edges is a slice with one byte for each
//! edge, which is not zero if the edge is in the set. The hits of the entry of a function are its
//! calls, except those that the compiler inlined. A program without instrumentation has no
//! edges. This is the only module of the crate with unsafe code, for calls into `edges.c`.

#![allow(unsafe_code)]

unsafe extern "C" {
    safe fn coverage_guards() -> usize;
    safe fn coverage_edges() -> usize;
    safe fn coverage_clear();
    unsafe fn coverage_collect(hits: *mut u64);
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
    assert_eq!(edges, coverage_guards(), "one guard per edge");
    edges
}

/// Clears all hits.
pub fn clear() {
    coverage_clear();
}

/// Writes how often each edge was hit since the last [`clear`].
pub fn collect(hits: &mut [u64]) {
    assert_eq!(hits.len(), count());
    // SAFETY: `hits` is writable and has the one number per edge that is written.
    unsafe { coverage_collect(hits.as_mut_ptr()) }
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
