/* What all processes of a campaign have counted. */

#include "sidecar.h"

/* Milliseconds on a clock that never stands still. */
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

/* The file size that the shared memory takes. */
static size_t shared_size(void) { return sizeof(Shared) + 2 * zester_sidecar.count; }

/* Takes figures of this process's own: other engines fork, where libFuzzer runs itself anew. */
static void claim(void) {
    uint64_t process = __atomic_fetch_add(&zester_sidecar.shared->processes, 1, __ATOMIC_RELAXED);
    zester_sidecar.tally = &zester_sidecar.shared->tallies[process % TALLIES];
}

/* Shares the figures through a file (or not, if `path` is null); whether that worked. */
int zester_sidecar_share(const char *path) {
#ifdef ZESTER_UNIX
    int file = path ? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600) : -1;
    void *memory = MAP_FAILED;
    /* Shared with forked processes even if it is no file. */
    if (!path || (file >= 0 && ftruncate(file, (off_t)shared_size()) == 0))
        memory = mmap(NULL, shared_size(), PROT_READ | PROT_WRITE, path ? MAP_SHARED : MAP_SHARED | MAP_ANONYMOUS, file, 0);
    if (file >= 0) close(file);
    if (memory == MAP_FAILED) return 0;
#else
    void *memory = calloc(1, shared_size());
    if (path || !memory) return 0;
#endif
    zester_sidecar.shared = memory;
    zester_sidecar.seen = (uint8_t *)memory + sizeof(Shared);
    zester_sidecar.seen_valid = zester_sidecar.seen + zester_sidecar.count;
    uint64_t nobody = 0;
    __atomic_compare_exchange_n(&zester_sidecar.shared->started, &nobody, now(), 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    claim();
#ifdef ZESTER_UNIX
    zester_sidecar.first = getpid();
    pthread_atfork(NULL, NULL, claim);
#endif
    return 1;
}

/* Whether this is the process that began, and not one that was forked from it. */
int zester_sidecar_is_first(void) {
#ifdef ZESTER_UNIX
    return zester_sidecar.first == getpid();
#else
    return 1;
#endif
}

/* The figures of all processes: executions, valid, invalid, unknown, bytes, edges, valid edges, counters, milliseconds. */
void zester_sidecar_figures(uint64_t figures[9]) {
    memset(figures, 0, 9 * sizeof(uint64_t));
    if (!zester_sidecar.shared) return;
    for (size_t at = 0; at < TALLIES; at++) {
        const Tally *tally = &zester_sidecar.shared->tallies[at];
        figures[0] += tally->executions;
        figures[1] += tally->valid;
        figures[2] += tally->invalid;
        figures[3] += tally->unknown;
        figures[4] += tally->bytes;
    }
    for (size_t at = 0; at < zester_sidecar.count; at++) {
        figures[5] += zester_sidecar.seen[at];
        figures[6] += zester_sidecar.seen_valid[at];
    }
    figures[7] = zester_sidecar.kept;
    figures[8] = now() - zester_sidecar.shared->started;
}

/* Adds to this process's figures of mutators. */
void zester_sidecar_add_mutators(const uint64_t figures[MUTATOR_FIGURES]) {
    for (size_t at = 0; zester_sidecar.tally && at < MUTATOR_FIGURES; at++) zester_sidecar.tally->mutators[at] += figures[at];
}

/* The figures of mutators, of all processes. */
void zester_sidecar_mutators(uint64_t figures[MUTATOR_FIGURES]) {
    memset(figures, 0, MUTATOR_FIGURES * sizeof(uint64_t));
    for (size_t at = 0; zester_sidecar.shared && at < TALLIES; at++) {
        const Tally *tally = &zester_sidecar.shared->tallies[at];
        /* A process that has run nothing has no results either, and its page need not exist. */
        if (!tally->executions) continue;
        for (size_t figure = 0; figure < MUTATOR_FIGURES; figure++) figures[figure] += tally->mutators[figure];
    }
}

/* Whether `interval` milliseconds have gone since any process reported; then this one is to. */
int zester_sidecar_due(uint64_t interval) {
    if (!zester_sidecar.shared) return 0;
    uint64_t time = now(), last = __atomic_load_n(&zester_sidecar.shared->last_report, __ATOMIC_RELAXED);
    if (time - (last ? last : zester_sidecar.shared->started) < interval) return 0;
    return __atomic_compare_exchange_n(&zester_sidecar.shared->last_report, &last, time, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

#if defined(__clang__)
#pragma clang attribute pop
#endif
