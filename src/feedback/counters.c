/* The coverage counters of the program under test, and which of them are zester's own.
 *
 * Names such as __start___sancov_cntrs must not occur in instrumented code, because LLVM would rename its own symbols of these
 * names. So they are used only in this file, which is never instrumented. Symbols of engines and sanitizers are weak, so that a
 * program without them links, too. */

#include "feedback.h"

#if defined(__ELF__)
extern uint8_t __start___sancov_cntrs[] WEAK, __stop___sancov_cntrs[] WEAK;
extern Pc __start___sancov_pcs[] WEAK, __stop___sancov_pcs[] WEAK;
#endif

Feedback zester_feedback;

/* Finds the counters of the executable, and returns their number. */
size_t zester_feedback_find(void) {
    if (zester_feedback.module_count) return zester_feedback.modules[0].count;
    zester_feedback.module_count = 1;
    zester_feedback.modules[0] = zester_afl_find();
#if defined(__ELF__)
    /* The symbols are null where nothing is instrumented. */
    size_t count = (size_t)((uintptr_t)__stop___sancov_cntrs - (uintptr_t)__start___sancov_cntrs);
    size_t pcs = ((uintptr_t)__stop___sancov_pcs - (uintptr_t)__start___sancov_pcs) / sizeof(Pc);
    if (count && count == pcs) zester_feedback.modules[0] = (Module){__start___sancov_cntrs, __start___sancov_pcs, count};
#endif
    return zester_feedback.count = zester_feedback.modules[0].count;
}

/* Registers the first counter of the executable. Runs before the constructors by which instrumented code registers its counters.
 * libFuzzer ignores a module that begins where the last one began (TracePC::HandleInline8bitCountersInit), so those constructors
 * have no effect afterwards, and zester_feedback_register can leave out zester's own counters. */
void zester_feedback_early(void) {
    /* AFL++ numbers its bytes after this function, so zester_feedback_find must not be called yet. */
    if (zester_afl_is_linked() || !zester_libfuzzer_takes_modules() || !zester_feedback_find()) return;
    zester_libfuzzer_add(zester_feedback.modules, 0, 1);
    zester_feedback.early = 1;
}

/* Adds the counters of a shared library. `count` is the number of its counters, and of the entries of its PC table. */
void zester_feedback_add_module(uint8_t *counters, const Pc *pcs, size_t count) {
    if (zester_feedback.module_count == MODULES) return;
    zester_feedback.modules[zester_feedback.module_count++] = (Module){counters, pcs, count};
    zester_feedback.count += count;
}

/* Returns the address of the code of a counter of the executable. Returns 0 if it is unknown, or if libFuzzer has already
 * registered all counters. */
uintptr_t zester_feedback_pc(size_t counter) {
    return zester_feedback.early && counter < zester_feedback.modules[0].count ? zester_feedback.modules[0].pcs[counter].pc : 0;
}

/* Adds a range of counters to those of the program under test. */
static void add_range(const Module *module, size_t from, size_t to, size_t first) {
    if (zester_feedback.range_count == RANGES) return;
    zester_feedback.ranges[zester_feedback.range_count++] = (Range){module, from, to, first};
    zester_feedback.program_count += to - from;
}

/* Adds a range of counters of the executable to those of the program under test. The calls must be in increasing order. There
 * is room for RANGES / 2 ranges of the executable. After that, the last range is extended to the end of the new one. */
void zester_feedback_add_range(size_t from, size_t to) {
    if (zester_feedback.range_count < RANGES / 2) {
        add_range(zester_feedback.modules, from, to, from);
        return;
    }
    Range *last = &zester_feedback.ranges[zester_feedback.range_count - 1];
    zester_feedback.program_count += to - last->to;
    last->to = to;
}

/* Registers the counters of the program under test with the engine and, if `valid` is set, as many again for valid runs. `goals` are
 * those of zester_feedback_set_goals. Returns whether valid runs are counted. */
int zester_feedback_register(int valid, int goals) {
    if (zester_afl_is_used()) return zester_afl_register(valid);
    if (!zester_libfuzzer_takes_modules()) return 0;
    for (size_t at = 0; zester_feedback.early && at < zester_feedback.range_count; at++) {
        /* zester_feedback_early has registered the first counter. */
        size_t from = zester_feedback.ranges[at].from ? zester_feedback.ranges[at].from : 1, to = zester_feedback.ranges[at].to;
        if (from < to) zester_libfuzzer_add(zester_feedback.modules, from, to);
    }
    /* All counters of a shared library belong to the program under test. The library has registered them with libFuzzer. */
    for (size_t at = 1, first = zester_feedback.modules[0].count; at < zester_feedback.module_count; at++) {
        add_range(&zester_feedback.modules[at], 0, zester_feedback.modules[at].count, first);
        first += zester_feedback.modules[at].count;
    }
    zester_feedback_set_goals(goals);
    return zester_libfuzzer_register(valid);
}

/* Returns the number of counters of the program under test. */
size_t zester_feedback_counter_count(void) { return zester_feedback.program_count; }

/* Writes the numbers of the program's counters that are not zero to `hits`, which must have room for all. Returns how many
 * there are. */
size_t zester_feedback_hits(uint32_t *hits) {
    size_t count = 0;
    for (size_t at = 0; at < zester_feedback.range_count; at++) {
        const Range *range = &zester_feedback.ranges[at];
        for (size_t counter = range->from; counter < range->to; counter++)
            if (range->module->counters[counter]) hits[count++] = (uint32_t)(range->first + counter - range->from);
    }
    return count;
}

/* Clears the counters of the executable that do not belong to the program under test, unless the engine is libFuzzer.
 * libFuzzer does not read these counters. LibAFL does, because it joins adjacent ranges (libafl_targets, sancov_8bit.rs). */
void zester_feedback_clear_other_counters(void) {
    if (zester_feedback_is_libfuzzer() || !zester_feedback.module_count) return;
    const Module *own = &zester_feedback.modules[0];
    size_t from = 0;
    for (size_t at = 0; at < zester_feedback.range_count && zester_feedback.ranges[at].module == own; at++) {
        memset(own->counters + from, 0, zester_feedback.ranges[at].from - from);
        from = zester_feedback.ranges[at].to;
    }
    memset(own->counters + from, 0, own->count - from);
}

#if defined(__clang__)
#pragma clang attribute pop
#endif
