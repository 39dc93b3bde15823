/* Types and functions that the C files of the validity feedback share. */

#ifndef ZESTER_FEEDBACK_H
#define ZESTER_FEEDBACK_H

#define _GNU_SOURCE
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Written by build.rs from layout.rs. */
#include "zester_layout.h"

#if defined(__unix__) || defined(__APPLE__)
#define ZESTER_UNIX 1
#include <errno.h>
#include <unistd.h>
#endif

#define WEAK __attribute__((weak))

/* An entry of a PC table: the address of the code of one counter, and flags. */
typedef struct {
    uintptr_t pc, flags;
} Pc;

/* What one process has counted. Only that process writes it; other processes read it. */
typedef struct {
    uint64_t executions, valid, invalid, unknown, bytes, unused[3];
    uint64_t mutators[ZESTER_MUTATORS * ZESTER_MUTATOR_COUNTS];
} Tally;

#define TALLIES 4096

/* What the processes of one campaign share. One byte for each counter follows, nonzero if a run reached its edge, and another
 * one, nonzero if a valid run did. */
typedef struct {
    uint64_t processes, last_report, started, unused[5];
    Tally tallies[TALLIES];
} Shared;

/* Counters of the executable or of a shared library. AFL++'s have no PC table. */
typedef struct {
    uint8_t *counters;
    const Pc *pcs;
    size_t count;
} Module;

#define MODULES 64

/* Counters of the program under test: a part of a module. `first` is the number of its first counter among those of all
 * modules. */
typedef struct {
    const Module *module;
    size_t from, to, first;
} Range;

#define RANGES 128

/* The state of the validity feedback. There is one. */
typedef struct {
    /* The first module is the executable. `count` is the number of counters of all modules. */
    Module modules[MODULES];
    size_t module_count, count;
    /* The counters of the program under test; `kept` is their number. */
    Range ranges[RANGES];
    size_t range_count, kept;
    /* The second set of counters, which valid runs fill; null if there is none. */
    uint8_t *valid;
    size_t valid_count;
    /* Whether libFuzzer knows of the executable's first counter only. */
    int early;
    Shared *shared;
    uint8_t *seen, *seen_valid;
    Tally *tally;
    /* The process that began the campaign. */
    int first;
    /* Whether this process was forked from one that had begun. */
    int forked;
    volatile sig_atomic_t interrupted;
    int validity, valid_only, found;
    void (*on_report)(void);
    uintptr_t lowest_stack;
    /* The sentence of the run in progress; null if there is none. */
    const uint8_t *text;
    size_t text_length;
    /* The input that a mutator works on; null if none does. */
    const uint8_t *mutating;
    size_t mutating_length;
    unsigned mutating_seed;
} Feedback;

extern Feedback zester_feedback __attribute__((visibility("hidden")));

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

/* memory.c */
void *zester_memory_map(int file, size_t size);

/* sanitizers.c */
const uint8_t *zester_sanitizers_guard(const uint8_t *text, size_t length);
void zester_sanitizers_watch(void);

/* signals.c */
void zester_feedback_print_sentence(void);

/* Popped at the end of each file. */
#if defined(__clang__)
#pragma clang attribute push(__attribute__((no_sanitize("coverage", "address", "memory", "undefined", "thread"))), apply_to = function)
#endif

#endif
