/* Types and functions that the C files of the validity feedback share. */

#ifndef ZESTER_FEEDBACK_H
#define ZESTER_FEEDBACK_H

#define _GNU_SOURCE
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* build.rs writes this header from layout.rs. */
#include "zester_layout.h"

#if defined(__unix__) || defined(__APPLE__)
#define ZESTER_UNIX 1
#include <errno.h>
#include <unistd.h>
#endif

#define WEAK __attribute__((weak))

/* libFuzzer's status after Ctrl-C: the default of -interrupt_exitcode. */
#define INTERRUPTED 72

/* An entry of a PC table: the address of the code of one counter, and flags. */
typedef struct {
    uintptr_t pc, flags;
} Pc;

/* The statistics of one process. Only that process writes them; other processes read them. */
typedef struct {
    uint64_t executions, valid, invalid, unknown, bytes, edited, replayed, panicked;
    uint64_t mutators[ZESTER_MUTATORS * ZESTER_MUTATOR_COUNTS];
} Tally;

/* The maximum number of processes with statistics of their own. */
#define TALLIES 4096

/* The shared memory of the processes of one campaign. It is followed by one byte for each counter, nonzero if a run reached
 * its edge, and by another byte for each counter, nonzero if a valid run did. */
typedef struct {
    uint64_t processes, last_report, started, unused[5];
    Tally tallies[TALLIES];
} Shared;

/* The counters of the executable or of a shared library. The counters of AFL++ have no PC table. */
typedef struct {
    uint8_t *counters;
    const Pc *pcs;
    size_t count;
} Module;

/* The maximum number of modules. */
#define MODULES 64

/* A range of counters of the program under test in a module. `first` is the number of its first counter among the counters of all
 * modules. */
typedef struct {
    const Module *module;
    size_t from, to, first;
} Range;

/* The maximum number of ranges. */
#define RANGES 128

/* The state of the validity feedback in this process. */
typedef struct {
    /* The first module is the executable. `count` is the number of counters of all modules. */
    Module modules[MODULES];
    size_t module_count, count;
    /* The counters of the program under test. `program_count` is their number. */
    Range ranges[RANGES];
    size_t range_count, program_count;
    /* The second set of counters, which are set after valid runs. It is null if there is none. */
    uint8_t *valid;
    size_t valid_count;
    /* The number of counters of goals beside coverage. */
    size_t goal_count;
    /* Whether only the first counter of the executable was registered before its constructors ran. */
    int early;
    Shared *shared;
    uint8_t *seen, *seen_valid;
    Tally *tally;
    /* The ID of the process that called zester_feedback_share. Processes that checkpoint.c forks set it to their own ID. */
    int first;
    /* Whether this process was forked from a process that shares statistics, other than by checkpoint.c. */
    int forked;
    volatile sig_atomic_t interrupted;
    int validity, valid_only, found;
    /* Whether reasons of invalid inputs are wanted. `reason` is the text of `reason_length` bytes that the harness reported in this run. */
    int wants_reasons;
    size_t reason_length;
    uint8_t reason[ZESTER_MAX_REASON];
    void (*on_report)(void);
    /* Called before the process ends. */
    void (*at_end)(void);
    uintptr_t lowest_stack;
    /* The sentence of the run in progress. It is null if there is none. */
    const uint8_t *text;
    size_t text_length;
    /* The input of the last run that began, and whether that run is in progress. */
    const uint8_t *input;
    size_t input_length;
    int is_running;
    /* Whether the run failed and the process goes on, whether it panicked, and whether its coverage counts nevertheless. `panics` is the
     * number of runs in a row that panicked before this one. */
    int has_failed, has_panicked, keeps_failed;
    uint32_t panics;
    /* The input of the mutator that is running. It is null if none is running. */
    const uint8_t *mutating;
    size_t mutating_length;
    unsigned mutating_seed;
} Feedback;

extern Feedback zester_feedback __attribute__((visibility("hidden")));

/* artifact.c */
void zester_feedback_put(const void *text, size_t length);
void zester_artifact_write_text(const uint8_t *text, size_t length, int written);
int zester_artifact_write_input(const uint8_t *input, size_t length, const char *kind, const char *words);
void zester_artifact_keep(void);

/* comparisons.c */
void zester_comparisons_start(void);
void zester_comparisons_end(void);

/* counters.c */
size_t zester_feedback_find(void);

/* libfuzzer.c */
int zester_feedback_is_libfuzzer(void);
int zester_libfuzzer_takes_modules(void);
void zester_libfuzzer_add(const Module *module, size_t from, size_t to);
int zester_libfuzzer_register(int valid);

/* afl.c */
Module zester_afl_find(void);
int zester_afl_is_linked(void);
int zester_afl_is_used(void);
int zester_afl_register(int valid);

/* goals.c */
int zester_feedback_set_goals(int goals);
void zester_goals_start(void);
void zester_goals_end(void);
void zester_goals_clear(void);

/* memory.c */
void *zester_memory_map(int file, size_t size);

/* sanitizers.c */
const uint8_t *zester_sanitizers_guard(const uint8_t *text, size_t length);

/* signals.c */
void zester_feedback_print_sentence(void);
void zester_feedback_call_at_end(void);
void zester_feedback_end_by_memory(void);
void zester_feedback_quit(int status) __attribute__((noreturn));

/* Switches the instrumentation of the following functions off. Each file pops this attribute at its end. */
#if defined(__clang__)
#pragma clang attribute push(__attribute__((no_sanitize("coverage", "address", "memory", "undefined", "thread"))), apply_to = function)
#endif

#endif
