/* Access to the edge flags and the PC table that SanitizerCoverage put into this program.
 *
 * The compiler emits one flag (a byte) for each edge, one pair (address, attributes) for each edge in the same order, and a
 * constructor that passes both to the functions below before main. The functions are written in C, because instrumented Rust must
 * not use LLVM's own symbols, and because code that clears and reads flags must not count itself. clang's documentation of
 * SanitizerCoverage describes the format.
 *
 * The program uses flags instead of the 8-bit counters of fuzzers, because a counter is 0 again after 256 hits.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct edge {
    uintptr_t address;
    uintptr_t attributes; /* bit 0: the entry of a function */
};

static uint8_t *flags, *flags_end;
static const struct edge *edges, *edges_end;

void __sanitizer_cov_bool_flag_init(uint8_t *start, uint8_t *stop) {
    flags = start;
    flags_end = stop;
}

void __sanitizer_cov_pcs_init(const struct edge *start, const struct edge *stop) {
    edges = start;
    edges_end = stop;
}

/* Level 4 also reports the targets of indirect calls, which are not edges of the table. */
void __sanitizer_cov_trace_pc_indir(uintptr_t callee) { (void)callee; }

size_t coverage_flags(void) { return (size_t)(flags_end - flags); }

size_t coverage_edges(void) { return (size_t)(edges_end - edges); }

void coverage_clear(void) {
    if (flags != flags_end)
        memset(flags, 0, coverage_flags());
}

/* Sets seen[i] for each edge i that was hit since the last clear. */
void coverage_collect(uint8_t *seen) {
    for (size_t i = 0, n = coverage_flags(); i < n; i++)
        seen[i] |= flags[i];
}

/* Returns the edge's address in the file of a position-independent executable: the address in memory without the load address. */
extern const char __ehdr_start[];

uintptr_t coverage_address(size_t i) { return edges[i].address - (uintptr_t)__ehdr_start; }

int coverage_is_function(size_t i) { return edges[i].attributes & 1; }
