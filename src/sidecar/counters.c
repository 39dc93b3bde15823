/* The sidecar's C half: the program's own coverage counters, and a second set of them for runs that were valid.
 *
 * libFuzzer takes any pair of a counter region and a PC table for a module of the program. A region as large as the
 * program's own, registered under a copy of its PC table and filled only after valid runs, makes "edge e reached by a valid
 * input" features of their own: for scheduling, reduction, merging and forking alike (FuzzerTracePC.cpp, 8-bit counters).
 *
 * AFL++ gives each edge a byte of its map; as many again are asked for, and filled likewise.
 *
 * The names __start___sancov_cntrs and the like may not stand in instrumented code (LLVM would rename its own), so they are
 * here, and these files are never instrumented. All symbols of the sanitizer are weak: without libFuzzer everything links and
 * does nothing. */

#include "sidecar.h"

/* libFuzzer's feature table has 2^21 slots, 8 to a counter. */
#define MOST_COUNTERS 262144

Sidecar zester_sidecar;

#if defined(__ELF__)
/* How many bytes of AFL++'s map are the executable's; they follow one another, unless AFL_INST_RATIO leaves some out. */
static size_t afl_count(void) {
    size_t count = ((uintptr_t)__stop___sancov_guards - (uintptr_t)__start___sancov_guards) / sizeof(uint32_t);
    if (!&__afl_area_ptr || !count || !__sanitizer_cov_trace_pc_guard_init) return 0;
    return count;
}

/* The first byte in AFL++'s map of so many guards; null if they do not follow one another. */
static uint8_t *afl_bytes(const uint32_t *guards, size_t count) {
    return guards && guards[0] && guards[count - 1] - guards[0] == count - 1 ? __afl_area_ptr + guards[0] : NULL;
}

/* Asks AFL++ for as many bytes again. Among the constructors by which instrumented code asks for its own: after them AFL++ takes
 * the size of its map. All other settings are read later. */
static void ask_afl(void) {
    const char *feedback = getenv("ZESTER_FEEDBACK");
    size_t count = afl_count();
    if (!count || (feedback && !strcmp(feedback, "0"))) return;
    uint32_t *guards = zester_sidecar.valid_guards = calloc(count, sizeof *guards);
    if (guards) __sanitizer_cov_trace_pc_guard_init(guards, guards + count);
}

__attribute__((section(".init_array.00002"), used)) static void (*const constructor)(void) = ask_afl;

/* Whether the executable's counters are bytes of AFL++'s map, which has no table of addresses. */
static int is_afl(void) { return zester_sidecar.modules[0].count && !zester_sidecar.modules[0].pcs; }
#endif

/* Finds the executable's counters; how many. */
size_t zester_sidecar_find(void) {
    if (zester_sidecar.module_count) return zester_sidecar.modules[0].count;
    zester_sidecar.module_count = 1;
#if defined(__ELF__)
    size_t bytes = afl_count();
    uint8_t *first = bytes ? afl_bytes(__start___sancov_guards, bytes) : NULL;
    if (first) zester_sidecar.modules[0] = (Module){first, NULL, bytes};
    /* All null where nothing is instrumented. */
    size_t count = (size_t)((uintptr_t)__stop___sancov_cntrs - (uintptr_t)__start___sancov_cntrs);
    size_t pcs = ((uintptr_t)__stop___sancov_pcs - (uintptr_t)__start___sancov_pcs) / sizeof(Pc);
    if (count && count == pcs) zester_sidecar.modules[0] = (Module){__start___sancov_cntrs, __start___sancov_pcs, count};
#endif
    return zester_sidecar.count = zester_sidecar.modules[0].count;
}

/* Adds the counters of a shared library, whose tables are as long. */
void zester_sidecar_add_module(uint8_t *counters, const Pc *pcs, size_t count) {
    if (zester_sidecar.module_count == MODULES) return;
    zester_sidecar.modules[zester_sidecar.module_count++] = (Module){counters, pcs, count};
    zester_sidecar.count += count;
}

/* Adds `-name=value` to libFuzzer's flags unless that one is given; whether it was added. To be called from
 * LLVMFuzzerInitialize: libFuzzer copies its arguments after that, for its children too. */
int zester_sidecar_flag(int *argc, char ***argv, const char *flag) {
#if defined(__ELF__)
    if (!fuzzer_driver || !argc || *argc < 1) return 0;
    size_t name = strcspn(flag, "=") + 1, count = (size_t)*argc;
    for (size_t at = 1; at < count; at++)
        if (!strncmp((*argv)[at], flag, name)) return 0;
    /* Reachable from a static, so no leak. */
    static char **made;
    char **arguments = malloc((count + 2) * sizeof *arguments);
    if (!arguments) return 0;
    arguments[0] = (*argv)[0];
    arguments[1] = (char *)(uintptr_t)flag;
    memcpy(arguments + 2, *argv + 1, (count - 1) * sizeof *arguments);
    arguments[count + 1] = NULL;
    *argc += 1;
    *argv = arguments;
    free(made);
    made = arguments;
    return 1;
#else
    (void)argc, (void)argv, (void)flag;
    return 0;
#endif
}

#if defined(__ELF__)
/* Tells libFuzzer of a part of a module. */
static void tell(const Module *module, size_t from, size_t to) {
    __sanitizer_cov_8bit_counters_init(module->counters + from, module->counters + to);
    __sanitizer_cov_pcs_init((const uintptr_t *)(module->pcs + from), (const uintptr_t *)(module->pcs + to));
}
#endif

/* Runs before the constructors by which instrumented code registers its counters. libFuzzer passes over a module that begins
 * where the last one began (TracePC::HandleInline8bitCountersInit), so after one counter has been registered here the
 * registration of them all does nothing, and zester_sidecar_register can leave its own out. */
void zester_sidecar_early(void) {
#if defined(__ELF__)
    /* AFL++'s bytes have no numbers yet. */
    if (afl_count() || !zester_sidecar_find() || !__sanitizer_cov_8bit_counters_init || !__sanitizer_cov_pcs_init) return;
    tell(zester_sidecar.modules, 0, 1);
    zester_sidecar.early = 1;
#endif
}

/* The PC of a counter of the executable; 0 if unknown, or if libFuzzer counts them all anyway. */
uintptr_t zester_sidecar_pc(size_t counter) {
    return zester_sidecar.early && counter < zester_sidecar.modules[0].count ? zester_sidecar.modules[0].pcs[counter].pc : 0;
}

static void keep(const Module *module, size_t from, size_t to, size_t first) {
    if (zester_sidecar.range_count == RANGES) return;
    zester_sidecar.ranges[zester_sidecar.range_count++] = (Range){module, from, to, first};
    zester_sidecar.kept += to - from;
}

/* These counters of the executable, up to half of RANGES times and in order, are the program's under test. */
void zester_sidecar_keep(size_t from, size_t to) {
    if (zester_sidecar.range_count < RANGES / 2) {
        keep(zester_sidecar.modules, from, to, from);
        return;
    }
    Range *last = &zester_sidecar.ranges[zester_sidecar.range_count - 1];
    zester_sidecar.kept += to - last->to;
    last->to = to;
}

/* Registers what is kept and, if asked to, as much again for valid runs; whether that worked. */
int zester_sidecar_register(int valid) {
#if defined(__ELF__)
    if (is_afl()) {
        zester_sidecar.valid = valid ? afl_bytes(zester_sidecar.valid_guards, zester_sidecar.modules[0].count) : NULL;
        zester_sidecar.valid_count = zester_sidecar.valid ? zester_sidecar.kept : 0;
        return zester_sidecar.valid != NULL;
    }
    if (!__sanitizer_cov_8bit_counters_init || !__sanitizer_cov_pcs_init) return 0;
    for (size_t at = 0; zester_sidecar.early && at < zester_sidecar.range_count; at++) {
        /* The first counter is registered already. */
        size_t from = zester_sidecar.ranges[at].from ? zester_sidecar.ranges[at].from : 1, to = zester_sidecar.ranges[at].to;
        if (from < to) tell(zester_sidecar.modules, from, to);
    }
    /* All of a shared library's counters are the program's; libFuzzer knows of them. */
    for (size_t at = 1, first = zester_sidecar.modules[0].count; at < zester_sidecar.module_count; at++) {
        keep(&zester_sidecar.modules[at], 0, zester_sidecar.modules[at].count, first);
        first += zester_sidecar.modules[at].count;
    }
    if (!valid || !zester_sidecar.kept || zester_sidecar.kept >= MOST_COUNTERS) return 0;
    /* Above half the table, edges share counters. */
    size_t room = MOST_COUNTERS - zester_sidecar.kept;
    zester_sidecar.valid_count = zester_sidecar.kept < room ? zester_sidecar.kept : room;
    /* Reachable from a static for ever, so no leak. */
    static Pc *table;
    zester_sidecar.valid = calloc(zester_sidecar.valid_count, 1);
    table = malloc(zester_sidecar.kept * sizeof(Pc));
    if (!zester_sidecar.valid || !table) return 0;
    size_t entry = 0;
    for (size_t at = 0; at < zester_sidecar.range_count; at++) {
        Range range = zester_sidecar.ranges[at];
        memcpy(table + entry, range.module->pcs + range.from, (range.to - range.from) * sizeof(Pc));
        entry += range.to - range.from;
    }
    tell(&(Module){zester_sidecar.valid, table, zester_sidecar.valid_count}, 0, zester_sidecar.valid_count);
    return 1;
#else
    (void)valid;
    return 0;
#endif
}

/* Whether the engine is libFuzzer itself. */
int zester_sidecar_is_libfuzzer(void) {
#if defined(__ELF__)
    return fuzzer_driver != NULL;
#else
    return 1;
#endif
}

/* A run is over, and the engine has its turn: counters that are not the program's, and that libFuzzer does not know of, others do
 * (libafl_targets, sancov_8bit.rs, joins ranges that touch). */
void zester_sidecar_leave(void) {
    if (zester_sidecar_is_libfuzzer() || !zester_sidecar.module_count) return;
    const Module *own = &zester_sidecar.modules[0];
    size_t from = 0;
    for (size_t at = 0; at < zester_sidecar.range_count && zester_sidecar.ranges[at].module == own; at++) {
        memset(own->counters + from, 0, zester_sidecar.ranges[at].from - from);
        from = zester_sidecar.ranges[at].to;
    }
    memset(own->counters + from, 0, own->count - from);
}

/* LibAFL looks for what a crossover made in the first input, which has as much room as the buffer for it (libafl_targets 0.16.1,
 * libfuzzer/mutators.rs). */
void zester_sidecar_hand_over(const uint8_t *first, const uint8_t *out, size_t size) {
    if (libafl_targets_libfuzzer_init && size) memcpy((uint8_t *)(uintptr_t)first, out, size);
}

#if defined(__clang__)
#pragma clang attribute pop
#endif
