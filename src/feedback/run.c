/* A run of the program under test: the text it reads, what is reported, and what it covered. */

#include "feedback.h"

/* The harness. */
extern int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) WEAK;
#if defined(__ELF__)
/* The lowest address of the stack so far. Code that was instrumented with -sanitizer-coverage-stack-depth writes it. */
extern __thread uintptr_t __sancov_lowest_stack WEAK;
#endif

/* Sets whether inputs that are reported invalid leave no coverage. */
void zester_feedback_set_valid_only(int on) { zester_feedback.valid_only = on; }

/* Returns the lowest address of the stack so far; 0 if it is not measured. */
uintptr_t zester_feedback_stack(void) {
#if defined(__ELF__)
    if (&__sancov_lowest_stack) return __sancov_lowest_stack;
#endif
    return 0;
}

/* Resets the lowest address of the stack to an earlier value, because zester's own code ran since then. */
void zester_feedback_restore_stack(uintptr_t stack) {
#if defined(__ELF__)
    if (&__sancov_lowest_stack) __sancov_lowest_stack = stack;
#else
    (void)stack;
#endif
}

/* Begins a run. The input is decoded next. */
void zester_feedback_begin(void) {
    zester_feedback.lowest_stack = zester_feedback_stack();
    zester_feedback.validity = ZESTER_UNKNOWN;
    zester_feedback.found = 0;
    zester_feedback.reason_length = 0;
    zester_feedback.has_failed = zester_feedback.has_panicked = zester_feedback.keeps_failed = 0;
}

/* Clears all counters, and resets the lowest address of the stack. Other code than the program under test has changed them, or a run that
 * must leave no coverage. */
void zester_feedback_clear_counters(void) {
    for (size_t at = 0; at < zester_feedback.module_count; at++) {
        const Module *module = &zester_feedback.modules[at];
        memset(module->counters, 0, module->count);
    }
    zester_feedback_restore_stack(zester_feedback.lowest_stack);
}

/* Records the text that the program under test is about to read. Returns the text, or a copy that a sanitizer guards, which
 * the program must read instead. The pointer is null if the input is no text. */
const uint8_t *zester_feedback_enter(const uint8_t *text, size_t length) {
    if (text) text = zester_sanitizers_guard(text, length);
    zester_feedback.text = text;
    zester_feedback.text_length = length;
    zester_feedback_restore_stack(zester_feedback.lowest_stack);
    zester_goals_start();
    zester_comparisons_start();
    return text;
}

/* Reports the validity of the input, for harnesses in any language: ZESTER_VALID, ZESTER_INVALID or ZESTER_UNKNOWN of
 * zester.h. The last report of a run counts. */
void zester_report(int validity) {
    zester_feedback.validity = validity > 0 ? ZESTER_VALID : validity < 0 ? ZESTER_INVALID : ZESTER_UNKNOWN;
    if (zester_feedback.on_report) zester_feedback.on_report();
}

/* Sets whether reasons of invalid inputs are wanted. */
void zester_feedback_set_wants_reasons(int wants) { zester_feedback.wants_reasons = wants; }

/* Returns whether reasons of invalid inputs are wanted. If not, a harness need not make their texts. */
int zester_wants_reasons(void) { return zester_feedback.wants_reasons; }

/* Records the reason for which the program under test rejected the input. The last one of a run counts. */
void zester_feedback_set_reason(const uint8_t *text, size_t length) {
    if (!zester_feedback.wants_reasons) return;
    if (length > ZESTER_MAX_REASON) length = ZESTER_MAX_REASON;
    memcpy(zester_feedback.reason, text, length);
    zester_feedback.reason_length = length;
}

/* Reports why the program under test rejected the input, for harnesses in any language. */
void zester_report_reason(const char *text) {
    if (text && zester_feedback.wants_reasons) zester_feedback_set_reason((const uint8_t *)text, strlen(text));
}

/* Returns the reason that the last run reported, and writes its length. */
const uint8_t *zester_feedback_reason(size_t *length) {
    *length = zester_feedback.reason_length;
    return zester_feedback.reason;
}

/* Sets a function that runs after each report. In harnesses that call zester_decode, a report ends the run. */
void zester_feedback_on_report(void (*function)(void)) { zester_feedback.on_report = function; }

/* Runs the harness as libFuzzer does, and returns the reported validity. */
int zester_feedback_run_one(const uint8_t *data, size_t size) {
    zester_feedback.lowest_stack = zester_feedback_stack();
    zester_feedback.validity = ZESTER_UNKNOWN;
    zester_feedback.reason_length = 0;
    zester_feedback_clear_counters();
    if (LLVMFuzzerTestOneInput) LLVMFuzzerTestOneInput(data, size);
    return zester_feedback.validity;
}

/* The number of counters that are examined together. */
#define BLOCK 64

/* Marks the counters that were hit. If one of them was not marked before, the run has found something new. */
static inline void mark(uint8_t *marks, const uint8_t *hit, size_t size) {
    uint8_t first = 0;
    for (size_t at = 0; at < size; at++) first |= hit[at] & ~marks[at];
    if (!first) return;
    zester_feedback.found = 1;
    for (size_t at = 0; at < size; at++) marks[at] |= hit[at];
}

/* Collects `size` counters. The number of the first one is `at` among the counters of all modules, and `index` among the
 * counters of the program under test. */
static inline void collect_block(const uint8_t *counters, size_t at, size_t index, size_t size, int valid) {
    uint8_t hit[BLOCK], any = 0;
    for (size_t i = 0; i < size; i++) any |= counters[i];
    if (!any) return;
    for (size_t i = 0; i < size; i++) hit[i] = counters[i] != 0;
    mark(zester_feedback.seen + at, hit, size);
    if (!valid) return;
    mark(zester_feedback.seen_valid + at, hit, size);
    if (index + size <= zester_feedback.valid_count) {
        memcpy(zester_feedback.valid + index, hit, size);
        return;
    }
    size_t count = zester_feedback.valid_count;
    for (size_t i = 0; i < size && count; i++) zester_feedback.valid[(index + i) % count] |= hit[i];
}

/* Marks the counters of a range that are not zero. If the run was valid, sets them to 1 in the second set. As in Zest, only
 * the first valid input that reaches an edge is new; the number of hits does not matter (JQF, ZestGuidance.java, `+valid`).
 * `index` is the number of the range's first counter among the counters of the program under test. */
static void collect(const Range *range, size_t index, int valid) {
    const uint8_t *counters = range->module->counters + range->from;
    size_t at = 0, count = range->to - range->from;
    for (; at + BLOCK <= count; at += BLOCK) collect_block(counters + at, range->first + at, index + at, BLOCK, valid);
    collect_block(counters + at, range->first + at, index + at, count - at, valid);
}

/* Counts the run that has begun as one of an edited sentence. */
void zester_feedback_count_edited(void) {
    if (zester_feedback.tally) zester_feedback.tally->edited++;
}

/* Counts the run that has ended as one of an input from a corpus. */
void zester_feedback_count_replayed(void) {
    if (zester_feedback.tally) zester_feedback.tally->replayed++;
}

/* Records that the run in progress has failed and that the process goes on. Writes the artifact and its text if `is_new`. The run leaves no
 * coverage unless `keeps`, so that libFuzzer does not keep its input. Returns the number of runs in a row that panicked before this one,
 * plus 1. Returns 0 outside of a run. */
uint32_t zester_feedback_failed(int is_new, int keeps, int is_panic) {
    if (!zester_feedback.is_running) return 0;
    zester_feedback.has_failed = 1;
    zester_feedback.has_panicked |= is_panic;
    zester_feedback.keeps_failed = keeps;
    if (is_new) zester_artifact_keep();
    return zester_feedback.panics + 1;
}

/* Ends a run. Returns the value for libFuzzer: 0, or -1 for an input that it must not keep. */
int zester_feedback_end(void) {
    int validity = zester_feedback.validity;
    int is_dropped = zester_feedback.has_failed && !zester_feedback.keeps_failed;
    Tally *tally = zester_feedback.tally;
    zester_feedback.panics = zester_feedback.has_panicked ? zester_feedback.panics + 1 : 0;
    zester_feedback.text = NULL;
    zester_feedback.is_running = 0;
    zester_comparisons_end();
    zester_goals_end();
    if (tally) {
        tally->executions++;
        tally->valid += validity == ZESTER_VALID;
        tally->invalid += validity == ZESTER_INVALID;
        tally->unknown += validity == ZESTER_UNKNOWN;
        tally->panicked += zester_feedback.has_failed;
        tally->bytes += zester_feedback.text_length;
    }
    for (size_t at = 0, index = 0; tally && !is_dropped && at < zester_feedback.range_count; at++) {
        collect(&zester_feedback.ranges[at], index, validity == ZESTER_VALID);
        index += zester_feedback.ranges[at].to - zester_feedback.ranges[at].from;
    }
    if (is_dropped || (validity == ZESTER_INVALID && zester_feedback.valid_only)) {
        /* libFuzzer ignores the -1 under -merge, so the run must leave no coverage. */
        zester_feedback_clear_counters();
        zester_goals_clear();
        return -1;
    }
    return 0;
}

/* Returns the length of the text of the last run. Writes whether the run was valid, and whether it reached an edge for the
 * first time or for the first time with a valid input. */
size_t zester_feedback_outcome(int *valid, int *found) {
    *valid = zester_feedback.validity == ZESTER_VALID;
    *found = zester_feedback.found;
    return zester_feedback.text_length;
}

#if defined(__clang__)
#pragma clang attribute pop
#endif
