/* Goals of fuzzing beside coverage: counters that libFuzzer treats as coverage, set by other observations of a run.
 *
 * Each goal is a module of its own with a fixed number of counters. An observation is hashed to a counter, so two observations may
 * share one. libFuzzer clears the counters before each run, keeps the smallest input for each of them, and merges and forks treat them
 * as coverage.
 *
 * The goal `time`: new maxima of the number of hits of all edges together and of each edge, as in PerfFuzz (Lemieux, Padhye, Sen and Song,
 * ISSTA 2018). A counter of 8 bits counts up to 255 hits, so the processor time of the run counts, too. The numbers are rounded to levels.
 * Each level is about a fifth higher than the one before it. */

#include "feedback.h"

#include <time.h>

/* The number of counters of each goal. */
#define TIMES 256
#define EDGES 8192
#define EXCEPTIONS 1024

/* The first counters of the goal `time` are levels of processor time, the next ones levels of the sum of all counters. */
#define LEVELS 128

/* Only edges with at least this many hits set a counter of this goal. libFuzzer itself distinguishes smaller numbers well. */
#define MIN_HITS 32

/* The number of levels below the highest one whose runs are counted. A shorter run is not slow, and its time is mostly noise. */
#define NEAR 3

static uint8_t *times, *edges, *exceptions;
static uint64_t started, earlier;
static unsigned highest;
static int repeated;

/* Returns the processor time of this thread in nanoseconds. */
static uint64_t now(void) {
#if defined(CLOCK_THREAD_CPUTIME_ID)
    struct timespec time;
    if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) == 0) return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
#endif
    return 0;
}

/* Returns the level of a number. There are four levels for each doubling. */
static unsigned level(uint64_t number) {
    if (number < 4) return (unsigned)number;
    unsigned top = 63 - (unsigned)__builtin_clzll(number);
    unsigned found = 4 * (top - 1) + (unsigned)(number >> (top - 2) & 3);
    return found < LEVELS ? found : LEVELS - 1;
}

static uint32_t mixed(uint32_t one, uint32_t other) {
    uint32_t hash = (one * 0x9E3779B1u ^ other) * 0x85EBCA6Bu;
    return (hash ^ hash >> 15) * 0xC2B2AE35u;
}

/* Registers counters with libFuzzer. Their code addresses are those of the program. Returns null on failure. */
static uint8_t *add(size_t count) {
    const Range *range = zester_feedback.ranges;
    size_t size = range->to - range->from;
    uint8_t *counters = calloc(count, 1);
    Pc *table = malloc(count * sizeof *table);
    if (!counters || !table || !size) return NULL;
    for (size_t at = 0; at < count; at++) table[at] = range->module->pcs[range->from + at % size];
    /* The table is never freed: libFuzzer reads it. A static pointer, so that LeakSanitizer does not report it. */
    static const Pc *tables[3];
    for (size_t at = 0; at < 3; at++)
        if (!tables[at]) {
            tables[at] = table;
            break;
        }
    zester_libfuzzer_add(&(Module){counters, table, count}, 0, count);
    zester_feedback.goal_count += count;
    return counters;
}

/* Turns on goals: a bitwise or of ZESTER_GOAL_TIME and ZESTER_GOAL_EXCEPTIONS. Returns whether the engine accepts their counters.
 * Must be called after the counters of the program are known, and before those of valid runs are registered. */
int zester_feedback_set_goals(int goals) {
    if (!zester_libfuzzer_takes_modules() || !zester_feedback.range_count || !zester_feedback.ranges[0].module->pcs) return 0;
    if (goals & ZESTER_GOAL_TIME) {
        times = add(TIMES);
        edges = add(EDGES);
    }
    if (goals & ZESTER_GOAL_EXCEPTIONS) exceptions = add(EXCEPTIONS);
    return 1;
}

/* Records an exception by its hash. */
void zester_feedback_exception(uint32_t hash) {
    if (exceptions) exceptions[mixed(hash, 1) % EXCEPTIONS] = 1;
}

/* Starts the clock: the program under test is about to run. */
void zester_goals_start(void) {
    if (times) started = now();
}

/* Returns whether the run that has just ended should be repeated, because it is slow enough to count. Other processes make runs
 * slower, so the shorter of two runs counts. */
int zester_feedback_repeats(void) {
    if (!times || repeated) return 0;
    uint64_t time = now() - started;
    if (level(time) + NEAR < highest) return 0;
    earlier = time;
    repeated = 1;
    return 1;
}

static void count_time(void) {
    uint64_t time = now() - started, sum = 0;
    if (repeated && earlier < time) time = earlier;
    unsigned found = level(time);
    if (found > highest) highest = found;
    if (found + NEAR >= highest) times[found] = 1;
    for (size_t at = 0, index = 0; at < zester_feedback.range_count; at++) {
        const Range *range = &zester_feedback.ranges[at];
        for (size_t counter = range->from; counter < range->to; counter++, index++) {
            uint8_t hits = range->module->counters[counter];
            sum += hits;
            if (hits >= MIN_HITS) edges[mixed((uint32_t)index, level(hits)) % EDGES] = 1;
        }
    }
    times[LEVELS + level(sum)] = 1;
}

/* Sets the counters of the goals after a run. */
void zester_goals_end(void) {
    if (times) count_time();
    repeated = 0;
}

/* Clears the counters of the goals, because the run must leave no coverage. */
void zester_goals_clear(void) {
    if (times) memset(times, 0, TIMES), memset(edges, 0, EDGES);
    if (exceptions) memset(exceptions, 0, EXCEPTIONS);
}

#if defined(__clang__)
#pragma clang attribute pop
#endif
