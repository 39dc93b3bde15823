/* AFL++: a second set of bytes in its map, for valid runs.
 *
 * AFL++ assigns one byte of its map to each edge. zester requests as many bytes again, and sets them after valid runs. */

#include "feedback.h"

#if defined(__ELF__)
/* AFL++'s map, and the number of each edge's byte in it (instrumentation/afl-compiler-rt.o.c). */
extern uint8_t *__afl_area_ptr WEAK;
extern uint32_t __start___sancov_guards[] WEAK, __stop___sancov_guards[] WEAK;
extern void __sanitizer_cov_trace_pc_guard_init(uint32_t *start, uint32_t *stop) WEAK;

/* The numbers of the second set's bytes. */
static uint32_t *valid_guards;

/* Returns the number of edges that AFL++ has instrumented. It is 0 without AFL++. */
static size_t edges(void) {
    size_t count = ((uintptr_t)__stop___sancov_guards - (uintptr_t)__start___sancov_guards) / sizeof(uint32_t);
    if (!&__afl_area_ptr || !count || !__sanitizer_cov_trace_pc_guard_init) return 0;
    return count;
}

/* Returns the first of `count` bytes in the map. Returns null if their numbers are not consecutive, as with AFL_INST_RATIO. */
static uint8_t *bytes(const uint32_t *guards, size_t count) {
    return guards && guards[0] && guards[count - 1] - guards[0] == count - 1 ? __afl_area_ptr + guards[0] : NULL;
}

/* Requests the second set of bytes. This is a constructor, because AFL++ fixes the size of its map after the constructors by
 * which instrumented code requests its bytes. So the part of ZESTER_EXPERIMENT about it is read here, before
 * all other settings. */
static void request_bytes(void) {
    const char *experiment = getenv("ZESTER_EXPERIMENT");
    size_t count = edges();
    if (!count || (experiment && strstr(experiment, "feedback=0"))) return;
    valid_guards = calloc(count, sizeof *valid_guards);
    if (valid_guards) __sanitizer_cov_trace_pc_guard_init(valid_guards, valid_guards + count);
}

__attribute__((section(".init_array.00002"), used)) static void (*const constructor)(void) = request_bytes;
#endif

/* Returns the bytes of the executable in AFL++'s map. Returns an empty module without AFL++. */
Module zester_afl_find(void) {
#if defined(__ELF__)
    size_t count = edges();
    uint8_t *first = count ? bytes(__start___sancov_guards, count) : NULL;
    if (first) return (Module){first, NULL, count};
#endif
    return (Module){NULL, NULL, 0};
}

/* Returns whether the executable was instrumented by AFL++. */
int zester_afl_is_linked(void) {
#if defined(__ELF__)
    return edges() != 0;
#else
    return 0;
#endif
}

/* Returns whether the counters of the executable are bytes of AFL++'s map. */
int zester_afl_is_used(void) { return zester_feedback.modules[0].count && !zester_feedback.modules[0].pcs; }

/* Prepares the second set. Returns whether there is one. */
int zester_afl_register(int valid) {
#if defined(__ELF__)
    zester_feedback.valid = valid ? bytes(valid_guards, zester_feedback.modules[0].count) : NULL;
    zester_feedback.valid_count = zester_feedback.valid ? zester_feedback.program_count : 0;
    return zester_feedback.valid != NULL;
#else
    (void)valid;
    return 0;
#endif
}

#if defined(__clang__)
#pragma clang attribute pop
#endif
