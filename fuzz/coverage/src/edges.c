/* Access to the hits of edges and the PC table that SanitizerCoverage put into this program.
 *
 * The compiler emits a call of __sanitizer_cov_trace_pc_guard at each edge with the address of the edge's guard, one pair (address,
 * attributes) for each edge in the same order, and a constructor that passes both tables to the functions below before main. The
 * functions are written in C, because instrumented Rust must not use LLVM's own symbols, and because code that counts, clears and
 * reads hits must not count itself. clang's documentation of SanitizerCoverage describes the format.
 *
 * The program counts in 64 bits, because the 8-bit counters of fuzzers are 0 again after 256 hits. The counts are exact if only one
 * thread runs the subject.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct edge {
    uintptr_t address;
    uintptr_t attributes; /* bit 0: the entry of a function */
};

static uint32_t *guards, *guards_end;
static uint64_t *hits;
static const struct edge *edges, *edges_end;

/* Each module calls it with the same table. */
void __sanitizer_cov_trace_pc_guard_init(uint32_t *start, uint32_t *stop) {
    if (hits || start == stop)
        return;
    hits = calloc((size_t)(stop - start), sizeof *hits);
    if (!hits)
        abort();
    guards = start;
    guards_end = stop;
}

void __sanitizer_cov_trace_pc_guard(uint32_t *guard) {
    /* Code that runs before the constructor does not count. */
    if (hits)
        hits[guard - guards]++;
}

void __sanitizer_cov_pcs_init(const struct edge *start, const struct edge *stop) {
    edges = start;
    edges_end = stop;
}

/* Level 4 also reports the targets of indirect calls, which are not edges of the table. */
void __sanitizer_cov_trace_pc_indir(uintptr_t callee) { (void)callee; }

size_t coverage_guards(void) { return (size_t)(guards_end - guards); }

size_t coverage_edges(void) { return (size_t)(edges_end - edges); }

void coverage_clear(void) {
    if (hits)
        memset(hits, 0, coverage_guards() * sizeof *hits);
}

/* Writes the number of hits of each edge since the last clear. */
void coverage_collect(uint64_t *into) {
    if (hits)
        memcpy(into, hits, coverage_guards() * sizeof *hits);
}

/* Returns the edge's address in the file of a position-independent executable: the address in memory without the load address. */
extern const char __ehdr_start[];

uintptr_t coverage_address(size_t i) { return edges[i].address - (uintptr_t)__ehdr_start; }

int coverage_is_function(size_t i) { return edges[i].attributes & 1; }
