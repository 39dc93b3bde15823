/* The coverage counters of the program under test, and which of them are zester's own.
 *
 * The names __start___sancov_cntrs and the like must not stand in instrumented code, because LLVM would rename its own. So they
 * are here, in files that are never instrumented. Symbols of engines and sanitizers are weak: without them everything links and
 * does nothing. */

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

/* Adds the counters of a shared library. Its PC table has `count` entries, too. */
void zester_feedback_add_module(uint8_t *counters, const Pc *pcs, size_t count) {
    if (zester_feedback.module_count == MODULES) return;
    zester_feedback.modules[zester_feedback.module_count++] = (Module){counters, pcs, count};
    zester_feedback.count += count;
}

/* Returns the PC of a counter of the executable; 0 if it is unknown, or if libFuzzer counts all counters anyway. */
uintptr_t zester_feedback_pc(size_t counter) {
    return zester_feedback.early && counter < zester_feedback.modules[0].count ? zester_feedback.modules[0].pcs[counter].pc : 0;
}

static void keep(const Module *module, size_t from, size_t to, size_t first) {
    if (zester_feedback.range_count == RANGES) return;
    zester_feedback.ranges[zester_feedback.range_count++] = (Range){module, from, to, first};
    zester_feedback.kept += to - from;
}

/* Says that these counters of the executable belong to the program under test. Ranges come in order. There is room for half of
 * RANGES; a later range is joined with the last one, and so is what lies between them. */
void zester_feedback_keep(size_t from, size_t to) {
    if (zester_feedback.range_count < RANGES / 2) {
        keep(zester_feedback.modules, from, to, from);
        return;
    }
    Range *last = &zester_feedback.ranges[zester_feedback.range_count - 1];
    zester_feedback.kept += to - last->to;
    last->to = to;
}

/* Makes the engine count the counters that are kept and, if `valid` is set, as many again for valid runs. Returns whether valid
 * runs are counted. */
int zester_feedback_register(int valid) {
    if (zester_afl_is_used()) return zester_afl_register(valid);
    if (!zester_libfuzzer_takes_modules()) return 0;
    for (size_t at = 0; zester_feedback.early && at < zester_feedback.range_count; at++) {
        /* The first counter is registered already. */
        size_t from = zester_feedback.ranges[at].from ? zester_feedback.ranges[at].from : 1, to = zester_feedback.ranges[at].to;
        if (from < to) zester_libfuzzer_add(zester_feedback.modules, from, to);
    }
    /* All counters of a shared library belong to the program under test, and libFuzzer knows of them. */
    for (size_t at = 1, first = zester_feedback.modules[0].count; at < zester_feedback.module_count; at++) {
        keep(&zester_feedback.modules[at], 0, zester_feedback.modules[at].count, first);
        first += zester_feedback.modules[at].count;
    }
    return zester_libfuzzer_register(valid);
}

/* Returns the number of counters of the program under test. */
size_t zester_feedback_kept(void) { return zester_feedback.kept; }

/* Writes the numbers of the kept counters that are not zero to `hits`, which has room for all; returns how many there are. */
size_t zester_feedback_hits(uint32_t *hits) {
    size_t count = 0;
    for (size_t at = 0; at < zester_feedback.range_count; at++) {
        const Range *range = &zester_feedback.ranges[at];
        for (size_t counter = range->from; counter < range->to; counter++)
            if (range->module->counters[counter]) hits[count++] = (uint32_t)(range->first + counter - range->from);
    }
    return count;
}

/* Clears the counters of the executable that are not the program's, before an engine other than libFuzzer reads them. libFuzzer
 * does not know of these counters; LibAFL does, because it joins ranges that touch (libafl_targets, sancov_8bit.rs). */
void zester_feedback_leave(void) {
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
