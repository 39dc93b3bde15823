/* libFuzzer: a second set of coverage counters for valid runs, and default values of its flags.
 *
 * libFuzzer accepts any pair of a counter region and a PC table as a module of the program. zester registers a second region
 * of the same size, with a copy of the PC table, and sets its counters only after valid runs. So "a valid input reached edge
 * e" is a separate coverage feature, for scheduling, reduction, merging and forking (FuzzerTracePC.cpp, 8-bit counters). */

#include "feedback.h"

extern void __sanitizer_cov_8bit_counters_init(uint8_t *start, uint8_t *stop) WEAK;
extern void __sanitizer_cov_pcs_init(const uintptr_t *start, const uintptr_t *stop) WEAK;
#if defined(__ELF__)
/* libFuzzer's main function. Other engines do not define it. */
extern int fuzzer_driver(int *, char ***, int (*)(const uint8_t *, size_t)) __asm__("_ZN6fuzzer12FuzzerDriverEPiPPPcPFiPKhmE") WEAK;
#endif

/* The maximum number of counters: libFuzzer's feature table has 2^21 slots, and a counter uses 8 of them. */
#define MAX_COUNTERS 262144

/* Returns whether the engine is libFuzzer itself. */
int zester_feedback_is_libfuzzer(void) {
#if defined(__ELF__)
    return fuzzer_driver != NULL;
#else
    return 1;
#endif
}

/* Returns whether the engine accepts modules as libFuzzer does. It needs ELF files, which have symbols for the counters. */
int zester_libfuzzer_takes_modules(void) {
#if defined(__ELF__)
    return __sanitizer_cov_8bit_counters_init && __sanitizer_cov_pcs_init;
#else
    return 0;
#endif
}

/* Registers the counters `from` to `to` of a module with libFuzzer. */
void zester_libfuzzer_add(const Module *module, size_t from, size_t to) {
    __sanitizer_cov_8bit_counters_init(module->counters + from, module->counters + to);
    __sanitizer_cov_pcs_init((const uintptr_t *)(module->pcs + from), (const uintptr_t *)(module->pcs + to));
}

/* Registers the second set of counters. Returns whether there is one. */
int zester_libfuzzer_register(int valid) {
    size_t others = zester_feedback.program_count + zester_feedback.goal_count;
    if (!valid || !zester_feedback.program_count || others >= MAX_COUNTERS) return 0;
    /* If the program has more counters than half of libFuzzer's table, several edges share a counter of the second set. */
    size_t room = MAX_COUNTERS - others;
    size_t count = zester_feedback.program_count < room ? zester_feedback.program_count : room;
    /* A static pointer, so that LeakSanitizer does not report the table. */
    static Pc *table;
    zester_feedback.valid = calloc(count, 1);
    table = malloc(zester_feedback.program_count * sizeof(Pc));
    if (!zester_feedback.valid || !table) return 0;
    zester_feedback.valid_count = count;
    size_t entry = 0;
    for (size_t at = 0; at < zester_feedback.range_count; at++) {
        Range range = zester_feedback.ranges[at];
        memcpy(table + entry, range.module->pcs + range.from, (range.to - range.from) * sizeof(Pc));
        entry += range.to - range.from;
    }
    zester_libfuzzer_add(&(Module){zester_feedback.valid, table, zester_feedback.valid_count}, 0, zester_feedback.valid_count);
    return 1;
}

/* Adds `-name=value` to the flags of libFuzzer unless the user passed that flag. Returns whether it was added. Must be called
 * from LLVMFuzzerInitialize, because libFuzzer copies its arguments after that, also for its child processes. */
int zester_feedback_flag(int *argc, char ***argv, const char *flag) {
    if (!zester_libfuzzer_takes_modules() || !zester_feedback_is_libfuzzer() || !argc || *argc < 1) return 0;
    size_t name = strcspn(flag, "=") + 1, count = (size_t)*argc;
    for (size_t at = 1; at < count; at++)
        if (!strncmp((*argv)[at], flag, name)) return 0;
    /* A static pointer, so that LeakSanitizer does not report the list. */
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
}

/* Replaces each flag `-name=other` of libFuzzer by `-name=value`. Returns whether there was one. Must be called from
 * LLVMFuzzerInitialize, as zester_feedback_flag. */
int zester_feedback_replace_flag(int *argc, char ***argv, const char *flag) {
    int is_replaced = 0;
    if (!zester_feedback_is_libfuzzer() || !argc) return 0;
    for (int at = 1; at < *argc; at++) {
        if (strncmp((*argv)[at], flag, strcspn(flag, "=") + 1) || !strcmp((*argv)[at], flag)) continue;
        (*argv)[at] = (char *)(uintptr_t)flag;
        is_replaced = 1;
    }
    return is_replaced;
}

#if defined(__clang__)
#pragma clang attribute pop
#endif
