/* What the parts of the sidecar's C half share. */

#ifndef ZESTER_SIDECAR_H
#define ZESTER_SIDECAR_H

#define _GNU_SOURCE
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#if defined(__unix__) || defined(__APPLE__)
#define ZESTER_UNIX 1
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#endif

#define WEAK __attribute__((weak))

/* Two words a counter: the PC and flags. */
typedef struct {
    uintptr_t pc, flags;
} Pc;

extern int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) WEAK;
extern void __sanitizer_cov_8bit_counters_init(uint8_t *start, uint8_t *stop) WEAK;
extern void __sanitizer_cov_pcs_init(const uintptr_t *start, const uintptr_t *stop) WEAK;
extern void __asan_poison_memory_region(const volatile void *start, size_t size) WEAK;
extern void __asan_unpoison_memory_region(const volatile void *start, size_t size) WEAK;
extern void __msan_unpoison(const volatile void *start, size_t size) WEAK;
/* LibAFL's. */
extern int libafl_targets_libfuzzer_init(int *, char ***) WEAK;
#if defined(__ELF__)
extern uint8_t __start___sancov_cntrs[] WEAK, __stop___sancov_cntrs[] WEAK;
extern Pc __start___sancov_pcs[] WEAK, __stop___sancov_pcs[] WEAK;
extern __thread uintptr_t __sancov_lowest_stack WEAK;
/* AFL++'s: its map, in which each edge has a byte, and whose bytes those are (instrumentation/afl-compiler-rt.o.c). */
extern uint8_t *__afl_area_ptr WEAK;
extern uint32_t __start___sancov_guards[] WEAK, __stop___sancov_guards[] WEAK;
extern void __sanitizer_cov_trace_pc_guard_init(uint32_t *start, uint32_t *stop) WEAK;
/* libFuzzer's own main function; other engines have none of this name. */
extern int fuzzer_driver(int *, char ***, int (*)(const uint8_t *, size_t)) __asm__("_ZN6fuzzer12FuzzerDriverEPiPPPcPFiPKhmE") WEAK;
#endif

/* Four figures for each of 24 mutators. */
#define MUTATOR_FIGURES 96

/* What one process has counted. One writer; summed by whoever reads. */
typedef struct {
    uint64_t executions, valid, invalid, unknown, bytes, unused[3];
    uint64_t mutators[MUTATOR_FIGURES];
} Tally;

#define TALLIES 4096

/* What the processes of one campaign share: in a file with -fork and -jobs, else in memory. `seen` follows. */
typedef struct {
    uint64_t processes, last_report, started, unused[5];
    Tally tallies[TALLIES];
} Shared;

/* Counters of the executable or of a shared library. */
typedef struct {
    uint8_t *counters;
    const Pc *pcs;
    size_t count;
} Module;

#define MODULES 64

/* Counters of the program under test: a part of a module. `first` is the number of its first among those of all modules. */
typedef struct {
    const Module *module;
    size_t from, to, first;
} Range;

#define RANGES 128

/* All that is known; there is one. */
typedef struct {
    /* The first is the executable. */
    Module modules[MODULES];
    size_t module_count, count;
    /* The second set: as many as are kept, if there is room. */
    uint8_t *valid;
    size_t valid_count, kept;
    /* Where AFL++ has the second set in its map. */
    uint32_t *valid_guards;
    Range ranges[RANGES];
    size_t range_count;
    /* Whether libFuzzer knows of the executable's first counter only. */
    int early;
    Shared *shared;
    uint8_t *seen, *seen_valid;
    Tally *tally;
    /* The process that the figures are reported by. */
    int first;
    volatile sig_atomic_t interrupted;
    int validity, valid_only, found;
    void (*on_report)(void);
    uintptr_t lowest_stack;
    const uint8_t *text;
    size_t text_length;
    const uint8_t *mutating;
    size_t mutating_length;
    unsigned mutating_seed;
} Sidecar;

extern Sidecar zester_sidecar __attribute__((visibility("hidden")));

/* Popped at the end of each file. */
#if defined(__clang__)
#pragma clang attribute push(__attribute__((no_sanitize("coverage", "address", "memory", "undefined", "thread"))), apply_to = function)
#endif

#endif
