/* A run: what the program under test sees, what is reported, and what it covered. */

#include "sidecar.h"

void zester_sidecar_keep_valid_only(int on) { zester_sidecar.valid_only = on; }

/* How deep the stack has been; 0 where nobody looks. */
uintptr_t zester_sidecar_stack(void) {
#if defined(__ELF__)
    if (&__sancov_lowest_stack) return __sancov_lowest_stack;
#endif
    return 0;
}

/* What ran since then was not the program under test. */
void zester_sidecar_restore_stack(uintptr_t stack) {
#if defined(__ELF__)
    if (&__sancov_lowest_stack) __sancov_lowest_stack = stack;
#else
    (void)stack;
#endif
}

/* A run begins, with decoding. */
void zester_sidecar_begin(void) {
    zester_sidecar.lowest_stack = zester_sidecar_stack();
    zester_sidecar.validity = zester_sidecar.found = 0;
}

/* What has run was not the program under test. */
void zester_sidecar_forget(void) {
    for (size_t at = 0; at < zester_sidecar.module_count; at++) {
        const Module *module = &zester_sidecar.modules[at];
        memset(module->counters, 0, module->count);
    }
    zester_sidecar_restore_stack(zester_sidecar.lowest_stack);
}

/* Poisoned bytes before and after a text. */
#define REDZONE 64

/* A copy that AddressSanitizer lets nobody read beyond, either way; null without it. */
static const uint8_t *guarded(const uint8_t *text, size_t length) {
    static uint8_t *buffer;
    static size_t room, end;
    if (!__asan_poison_memory_region || !__asan_unpoison_memory_region) return NULL;
    if (!buffer || length + 2 * REDZONE > room) {
        if (buffer) __asan_unpoison_memory_region(buffer, room);
        free(buffer);
        room = 2 * (length + 2 * REDZONE);
        if (!(buffer = malloc(room))) return NULL;
        end = room - REDZONE;
        __asan_poison_memory_region(buffer, room);
    }
    uint8_t *copy = buffer + REDZONE, *after = copy + length;
    __asan_unpoison_memory_region(copy, length);
    if (length) memcpy(copy, text, length);
    /* What the last text took, too. */
    if (buffer + end > after) __asan_poison_memory_region(after, (size_t)(buffer + end - after));
    end = (size_t)(after - buffer);
    return copy;
}

/* The program under test is about to see this text, where the value points; what happened so far is not its doing. */
const uint8_t *zester_sidecar_enter(const uint8_t *text, size_t length) {
    const uint8_t *copy = text ? guarded(text, length) : NULL;
    if (copy) text = copy;
    /* Nobody saw it being written. */
    if (text && __msan_unpoison) __msan_unpoison(text, length);
    zester_sidecar.text = text;
    zester_sidecar.text_length = length;
    zester_sidecar_restore_stack(zester_sidecar.lowest_stack);
    return text;
}

/* For harnesses in any language: 1 the input was valid, -1 invalid, 0 unknown. The last report of a run counts. */
void zester_report(int validity) {
    zester_sidecar.validity = validity;
    if (zester_sidecar.on_report) zester_sidecar.on_report();
}

/* This is to be done after each report: where it ends a run. */
void zester_sidecar_on_report(void (*function)(void)) { zester_sidecar.on_report = function; }

/* Runs a harness as libFuzzer does; what it reported. */
int zester_sidecar_run_one(const uint8_t *data, size_t size) {
    zester_sidecar.lowest_stack = zester_sidecar_stack();
    zester_sidecar.validity = 0;
    zester_sidecar_forget();
    if (LLVMFuzzerTestOneInput) LLVMFuzzerTestOneInput(data, size);
    return zester_sidecar.validity;
}

/* How many counters are the program's. */
size_t zester_sidecar_kept(void) { return zester_sidecar.kept; }

/* Writes down which counters of those that are kept were hit; how many. */
size_t zester_sidecar_hits(uint32_t *hits) {
    size_t count = 0;
    for (size_t at = 0; at < zester_sidecar.range_count; at++) {
        const Range *range = &zester_sidecar.ranges[at];
        for (size_t counter = range->from; counter < range->to; counter++)
            if (range->module->counters[counter]) hits[count++] = (uint32_t)(range->first + counter - range->from);
    }
    return count;
}

/* Counters that are looked at together. */
#define BLOCK 64

/* Marks what was hit; writes nothing if it was all marked before, and remembers if it was not. */
static inline void mark(uint8_t *marks, const uint8_t *hit, size_t size) {
    uint8_t first = 0;
    for (size_t at = 0; at < size; at++) first |= hit[at] & ~marks[at];
    if (!first) return;
    zester_sidecar.found = 1;
    for (size_t at = 0; at < size; at++) marks[at] |= hit[at];
}

/* Collects `size` counters from number `at` on, which stand at `index` among all that are kept. */
static inline void collect_block(const uint8_t *counters, size_t at, size_t index, size_t size, int valid) {
    uint8_t hit[BLOCK], any = 0;
    for (size_t i = 0; i < size; i++) any |= counters[i];
    if (!any) return;
    for (size_t i = 0; i < size; i++) hit[i] = counters[i] != 0;
    mark(zester_sidecar.seen + at, hit, size);
    if (!valid) return;
    mark(zester_sidecar.seen_valid + at, hit, size);
    if (index + size <= zester_sidecar.valid_count) {
        memcpy(zester_sidecar.valid + index, hit, size);
        return;
    }
    size_t count = zester_sidecar.valid_count;
    for (size_t i = 0; i < size && count; i++) zester_sidecar.valid[(index + i) % count] |= hit[i];
}

/* Marks every counter of a range that moved, and sets those of a valid run to 1 in the second set: as in Zest, an edge that
 * no valid input reached before is new, another number of hits is not (JQF, ZestGuidance.java, `+valid`). `index` is where
 * the range stands among all that are kept. */
static void collect(const Range *range, size_t index, int valid) {
    const uint8_t *counters = range->module->counters + range->from;
    size_t at = 0, count = range->to - range->from;
    for (; at + BLOCK <= count; at += BLOCK) collect_block(counters + at, range->first + at, index + at, BLOCK, valid);
    collect_block(counters + at, range->first + at, index + at, count - at, valid);
}

/* A run has ended. Its value for libFuzzer: 0, or -1 for an input that must not be kept. */
int zester_sidecar_end(void) {
    int validity = zester_sidecar.validity;
    Tally *tally = zester_sidecar.tally;
    zester_sidecar.text = NULL;
    if (tally) {
        tally->executions++;
        tally->valid += validity > 0;
        tally->invalid += validity < 0;
        tally->unknown += validity == 0;
        tally->bytes += zester_sidecar.text_length;
    }
    for (size_t at = 0, index = 0; tally && at < zester_sidecar.range_count; at++) {
        collect(&zester_sidecar.ranges[at], index, validity > 0);
        index += zester_sidecar.ranges[at].to - zester_sidecar.ranges[at].from;
    }
    if (validity < 0 && zester_sidecar.valid_only) {
        /* -merge ignores the -1, so nothing may be left that it could see. */
        zester_sidecar_forget();
        return -1;
    }
    return 0;
}

/* Of the last run: the length of its text; whether it was valid; whether it reached an edge for the first time, or validly so. */
size_t zester_sidecar_outcome(int *valid, int *found) {
    *valid = zester_sidecar.validity > 0;
    *found = zester_sidecar.found;
    return zester_sidecar.text_length;
}

#if defined(__clang__)
#pragma clang attribute pop
#endif
