/* The statistics of a campaign: runs, validity, edges, and results of mutators. Each process counts in shared memory. */

#include "feedback.h"

#ifdef ZESTER_UNIX
#include <pthread.h>
#include <time.h>
#endif

/* Returns milliseconds of a clock that is never set back. */
static uint64_t now(void) {
#ifdef ZESTER_UNIX
    struct timespec time;
#ifdef CLOCK_MONOTONIC_COARSE
    clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
#else
    clock_gettime(CLOCK_MONOTONIC, &time);
#endif
    return (uint64_t)time.tv_sec * 1000 + (uint64_t)time.tv_nsec / 1000000;
#else
    return 0;
#endif
}

/* Returns the size of the memory that processes share. */
size_t zester_feedback_shared_size(void) { return sizeof(Shared) + 2 * zester_feedback.count; }

/* Assigns a tally to this process. If there are more than TALLIES processes, some share one. */
static void claim(void) {
    uint64_t process = __atomic_fetch_add(&zester_feedback.shared->processes, 1, __ATOMIC_RELAXED);
    zester_feedback.tally = &zester_feedback.shared->tallies[process % TALLIES];
}

#ifdef ZESTER_UNIX
/* Runs in a process that was forked from this one, as engines other than libFuzzer do. */
static void after_fork(void) {
    zester_feedback.forked = 1;
    claim();
}
#endif

/* Shares the statistics through a file that other processes map, too; or, if `file` is -1, through memory that only forked
 * processes share. Returns whether that worked. Must be called after all modules have been added. */
int zester_feedback_share(int file) {
    void *memory = zester_memory_map(file, zester_feedback_shared_size());
    if (!memory) return 0;
    zester_feedback.shared = memory;
    zester_feedback.seen = (uint8_t *)memory + sizeof(Shared);
    zester_feedback.seen_valid = zester_feedback.seen + zester_feedback.count;
    uint64_t unset = 0;
    __atomic_compare_exchange_n(&zester_feedback.shared->started, &unset, now(), 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    claim();
#ifdef ZESTER_UNIX
    zester_feedback.first = getpid();
    pthread_atfork(NULL, NULL, after_fork);
#endif
    return 1;
}

/* Returns whether this process is the one that called zester_feedback_share, and not a fork of it. */
int zester_feedback_is_first(void) {
#ifdef ZESTER_UNIX
    return zester_feedback.first == getpid();
#else
    return 1;
#endif
}

/* Returns the number of runs of this process, and writes that of the runs that failed without ending the process. */
uint64_t zester_feedback_runs(uint64_t *panics) {
    const Tally *tally = zester_feedback.tally;
    *panics = tally ? tally->panicked : 0;
    return tally ? tally->executions : 0;
}

/* Adds up the statistics of all processes. */
void zester_feedback_totals(ZesterTotals *totals) {
    memset(totals, 0, sizeof *totals);
    if (!zester_feedback.shared) return;
    for (size_t at = 0; at < TALLIES; at++) {
        const Tally *tally = &zester_feedback.shared->tallies[at];
        totals->executions += tally->executions;
        totals->valid += tally->valid;
        totals->invalid += tally->invalid;
        totals->unknown += tally->unknown;
        totals->edited += tally->edited;
        totals->replayed += tally->replayed;
        totals->panicked += tally->panicked;
        totals->bytes += tally->bytes;
    }
    for (size_t at = 0; at < zester_feedback.count; at++) {
        totals->edges += zester_feedback.seen[at];
        totals->valid_edges += zester_feedback.seen_valid[at];
    }
    totals->counters = zester_feedback.program_count;
    totals->milliseconds = now() - zester_feedback.shared->started;
}

/* Adds to the counts of mutators of this process. */
void zester_feedback_add_mutators(const uint64_t *counts) {
    size_t count = zester_feedback.tally ? ZESTER_MUTATORS * ZESTER_MUTATOR_COUNTS : 0;
    for (size_t at = 0; at < count; at++) zester_feedback.tally->mutators[at] += counts[at];
}

/* Adds up the counts of mutators of all processes. */
void zester_feedback_mutators(uint64_t *counts) {
    size_t count = ZESTER_MUTATORS * ZESTER_MUTATOR_COUNTS;
    memset(counts, 0, count * sizeof(uint64_t));
    for (size_t at = 0; zester_feedback.shared && at < TALLIES; at++) {
        const Tally *tally = &zester_feedback.shared->tallies[at];
        /* A process without runs has no results. */
        if (!tally->executions) continue;
        for (size_t i = 0; i < count; i++) counts[i] += tally->mutators[i];
    }
}

/* Returns whether no process has reported in the last `interval` milliseconds. If so, this process must report, and the function
 * returns 0 in the others until the interval is over again. */
int zester_feedback_is_report_due(uint64_t interval) {
    if (!zester_feedback.shared) return 0;
    uint64_t time = now(), last = __atomic_load_n(&zester_feedback.shared->last_report, __ATOMIC_RELAXED);
    if (time - (last ? last : zester_feedback.shared->started) < interval) return 0;
    return __atomic_compare_exchange_n(&zester_feedback.shared->last_report, &last, time, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

#if defined(__clang__)
#pragma clang attribute pop
#endif
