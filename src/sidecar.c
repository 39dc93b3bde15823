/* The sidecar's C half: the program's own coverage counters, and a second set of them for runs that were valid.
 *
 * libFuzzer takes any pair of a counter region and a PC table for a module of the program. A region as large as the
 * program's own, registered under a copy of its PC table and filled only after valid runs, makes "edge e reached by a valid
 * input" features of their own: for scheduling, reduction, merging and forking alike (FuzzerTracePC.cpp, 8-bit counters).
 *
 * AFL++ gives each edge a byte of its map; as many again are asked for, and filled likewise.
 *
 * The names __start___sancov_cntrs and the like may not stand in instrumented code (LLVM would rename its own), so they are
 * here, and this file is never instrumented. All symbols of the sanitizer are weak: without libFuzzer everything links and
 * does nothing. */

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

#if defined(__clang__)
#pragma clang attribute push(__attribute__((no_sanitize("coverage", "address", "memory", "undefined", "thread"))), apply_to = function)
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

/* libFuzzer's feature table has 2^21 slots, 8 to a counter. */
#define MOST_COUNTERS 262144

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

static struct {
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
} sidecar;

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
static size_t shared_size(void) { return sizeof(Shared) + 2 * sidecar.count; }

#if defined(__ELF__)
/* How many bytes of AFL++'s map are the executable's; they follow one another, unless AFL_INST_RATIO leaves some out. */
static size_t afl_count(void) {
    size_t count = ((uintptr_t)__stop___sancov_guards - (uintptr_t)__start___sancov_guards) / sizeof(uint32_t);
    if (!&__afl_area_ptr || !count || !__sanitizer_cov_trace_pc_guard_init) return 0;
    return count;
}

/* The first byte in AFL++'s map of so many guards; null if they do not follow one another. */
static uint8_t *afl_bytes(const uint32_t *guards, size_t count) {
    return guards && guards[0] && guards[count - 1] - guards[0] == count - 1 ? __afl_area_ptr + guards[0] : NULL;
}

/* Asks AFL++ for as many bytes again. Among the constructors by which instrumented code asks for its own: after them AFL++ takes
 * the size of its map. */
static void ask_afl(void) {
    const char *feedback = getenv("ZESTER_FEEDBACK");
    size_t count = afl_count();
    if (!count || (feedback && !strcmp(feedback, "0"))) return;
    sidecar.valid_guards = calloc(count, sizeof(uint32_t));
    if (sidecar.valid_guards) __sanitizer_cov_trace_pc_guard_init(sidecar.valid_guards, sidecar.valid_guards + count);
}

__attribute__((section(".init_array.00002"), used)) static void (*const constructor)(void) = ask_afl;
#endif

/* Finds the executable's counters; how many. */
size_t zester_sidecar_find(void) {
    if (sidecar.module_count) return sidecar.modules[0].count;
    sidecar.module_count = 1;
#if defined(__ELF__)
    size_t bytes = afl_count();
    uint8_t *first = bytes ? afl_bytes(__start___sancov_guards, bytes) : NULL;
    if (first) sidecar.modules[0] = (Module){first, NULL, bytes};
    /* All null where nothing is instrumented. */
    size_t count = (size_t)((uintptr_t)__stop___sancov_cntrs - (uintptr_t)__start___sancov_cntrs);
    size_t pcs = ((uintptr_t)__stop___sancov_pcs - (uintptr_t)__start___sancov_pcs) / sizeof(Pc);
    if (count && count == pcs) sidecar.modules[0] = (Module){__start___sancov_cntrs, __start___sancov_pcs, count};
#endif
    return sidecar.count = sidecar.modules[0].count;
}

/* Adds the counters of a shared library, whose tables are as long. */
void zester_sidecar_add_module(uint8_t *counters, const Pc *pcs, size_t count) {
    if (sidecar.module_count == MODULES) return;
    sidecar.modules[sidecar.module_count++] = (Module){counters, pcs, count};
    sidecar.count += count;
}

/* Takes figures of this process's own: LibAFL forks, where libFuzzer runs itself anew. */
static void claim(void) {
    uint64_t process = __atomic_fetch_add(&sidecar.shared->processes, 1, __ATOMIC_RELAXED);
    sidecar.tally = &sidecar.shared->tallies[process % TALLIES];
}

/* Shares the figures through a file (or not, if `path` is null); whether that worked. */
int zester_sidecar_share(const char *path) {
#ifdef ZESTER_UNIX
    int file = path ? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600) : -1;
    void *memory = MAP_FAILED;
    /* Other engines than libFuzzer fork, so it is shared even if it is no file. */
    if (!path || (file >= 0 && ftruncate(file, (off_t)shared_size()) == 0))
        memory = mmap(NULL, shared_size(), PROT_READ | PROT_WRITE, path ? MAP_SHARED : MAP_SHARED | MAP_ANONYMOUS, file, 0);
    if (file >= 0) close(file);
    if (memory == MAP_FAILED) return 0;
#else
    void *memory = calloc(1, shared_size());
    if (path || !memory) return 0;
#endif
    sidecar.shared = memory;
    sidecar.seen = (uint8_t *)memory + sizeof(Shared);
    sidecar.seen_valid = sidecar.seen + sidecar.count;
    uint64_t nobody = 0;
    __atomic_compare_exchange_n(&sidecar.shared->started, &nobody, now(), 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    claim();
#ifdef ZESTER_UNIX
    sidecar.first = getpid();
    pthread_atfork(NULL, NULL, claim);
#endif
    return 1;
}

/* Adds `-name=value` to libFuzzer's flags unless that one is given; whether it was added. To be called from
 * LLVMFuzzerInitialize: libFuzzer copies its arguments after that, for its children too. */
int zester_sidecar_flag(int *argc, char ***argv, const char *flag) {
#if defined(__ELF__)
    if (!fuzzer_driver || !argc || *argc < 1) return 0;
    size_t name = strcspn(flag, "=") + 1, count = (size_t)*argc;
    for (size_t at = 1; at < count; at++)
        if (!strncmp((*argv)[at], flag, name)) return 0;
    /* Reachable from a static, so no leak. */
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
#else
    (void)argc, (void)argv, (void)flag;
    return 0;
#endif
}

#if defined(__ELF__)
/* Tells libFuzzer of a part of a module. */
static void tell(const Module *module, size_t from, size_t to) {
    __sanitizer_cov_8bit_counters_init(module->counters + from, module->counters + to);
    __sanitizer_cov_pcs_init((const uintptr_t *)(module->pcs + from), (const uintptr_t *)(module->pcs + to));
}
#endif

/* Runs before the constructors by which instrumented code registers its counters. libFuzzer passes over a module that begins
 * where the last one began (TracePC::HandleInline8bitCountersInit), so after one counter has been registered here the
 * registration of them all does nothing, and zester_sidecar_register can leave its own out. */
void zester_sidecar_early(void) {
#if defined(__ELF__)
    if (!zester_sidecar_find() || !__sanitizer_cov_8bit_counters_init || !__sanitizer_cov_pcs_init) return;
    tell(sidecar.modules, 0, 1);
    sidecar.early = 1;
#endif
}

/* The PC of a counter of the executable; 0 if unknown, or if libFuzzer counts them all anyway. */
uintptr_t zester_sidecar_pc(size_t counter) {
    return sidecar.early && counter < sidecar.modules[0].count ? sidecar.modules[0].pcs[counter].pc : 0;
}

static void keep(const Module *module, size_t from, size_t to, size_t first) {
    if (sidecar.range_count == RANGES) return;
    sidecar.ranges[sidecar.range_count++] = (Range){module, from, to, first};
    sidecar.kept += to - from;
}

/* These counters of the executable, up to half of RANGES times and in order, are the program's under test. */
void zester_sidecar_keep(size_t from, size_t to) {
    if (sidecar.range_count < RANGES / 2) {
        keep(sidecar.modules, from, to, from);
        return;
    }
    Range *last = &sidecar.ranges[sidecar.range_count - 1];
    sidecar.kept += to - last->to;
    last->to = to;
}

/* Registers what is kept and, if asked to, as much again for valid runs; whether that worked. */
int zester_sidecar_register(int valid) {
#if defined(__ELF__)
    if (sidecar.modules[0].count && !sidecar.modules[0].pcs) {
        sidecar.valid = valid ? afl_bytes(sidecar.valid_guards, sidecar.modules[0].count) : NULL;
        sidecar.valid_count = sidecar.valid ? sidecar.kept : 0;
        return sidecar.valid != NULL;
    }
    if (!__sanitizer_cov_8bit_counters_init || !__sanitizer_cov_pcs_init) return 0;
    for (size_t at = 0; sidecar.early && at < sidecar.range_count; at++) {
        /* The first counter is registered already. */
        size_t from = sidecar.ranges[at].from ? sidecar.ranges[at].from : 1, to = sidecar.ranges[at].to;
        if (from < to) tell(sidecar.modules, from, to);
    }
    /* All of a shared library's counters are the program's; libFuzzer knows of them. */
    for (size_t at = 1, first = sidecar.modules[0].count; at < sidecar.module_count; at++) {
        keep(&sidecar.modules[at], 0, sidecar.modules[at].count, first);
        first += sidecar.modules[at].count;
    }
    if (!valid || !sidecar.kept || sidecar.kept >= MOST_COUNTERS) return 0;
    /* Above half the table, edges share counters. */
    size_t room = MOST_COUNTERS - sidecar.kept;
    sidecar.valid_count = sidecar.kept < room ? sidecar.kept : room;
    /* Reachable from a static for ever, so no leak. */
    static Pc *table;
    sidecar.valid = calloc(sidecar.valid_count, 1);
    table = malloc(sidecar.kept * sizeof(Pc));
    if (!sidecar.valid || !table) return 0;
    size_t entry = 0;
    for (size_t at = 0; at < sidecar.range_count; at++) {
        Range range = sidecar.ranges[at];
        memcpy(table + entry, range.module->pcs + range.from, (range.to - range.from) * sizeof(Pc));
        entry += range.to - range.from;
    }
    tell(&(Module){sidecar.valid, table, sidecar.valid_count}, 0, sidecar.valid_count);
    return 1;
#else
    (void)valid;
    return 0;
#endif
}

/* Whether the engine is libFuzzer itself. */
int zester_sidecar_is_libfuzzer(void) {
#if defined(__ELF__)
    return fuzzer_driver != NULL;
#else
    return 1;
#endif
}

/* Whether Ctrl-C was pressed, and nobody else does anything about it. */
int zester_sidecar_interrupted(void) { return sidecar.interrupted; }

/* A run is over, and the engine has its turn: counters that are not the program's, and that libFuzzer does not know of, others do
 * (libafl_targets, sancov_8bit.rs, joins ranges that touch). */
void zester_sidecar_leave(void) {
    if (zester_sidecar_is_libfuzzer() || !sidecar.module_count) return;
    const Module *own = &sidecar.modules[0];
    size_t from = 0;
    for (size_t at = 0; at < sidecar.range_count && sidecar.ranges[at].module == own; at++) {
        memset(own->counters + from, 0, sidecar.ranges[at].from - from);
        from = sidecar.ranges[at].to;
    }
    memset(own->counters + from, 0, own->count - from);
}

/* Whether this is the process that began, and not one that was forked from it. */
int zester_sidecar_is_first(void) {
#ifdef ZESTER_UNIX
    return sidecar.first == getpid();
#else
    return 1;
#endif
}

void zester_sidecar_keep_valid_only(int on) { sidecar.valid_only = on; }

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
    sidecar.lowest_stack = zester_sidecar_stack();
    sidecar.validity = sidecar.found = 0;
}

/* What has run was not the program under test. */
void zester_sidecar_forget(void) {
    for (size_t at = 0; at < sidecar.module_count; at++) memset(sidecar.modules[at].counters, 0, sidecar.modules[at].count);
    zester_sidecar_restore_stack(sidecar.lowest_stack);
}

/* The end, without what is registered for it. */
void zester_sidecar_quit(int status) { _Exit(status); }

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
    sidecar.text = text;
    sidecar.text_length = length;
    zester_sidecar_restore_stack(sidecar.lowest_stack);
    return text;
}

/* For harnesses in any language: 1 the input was valid, -1 invalid, 0 unknown. The last report of a run counts. */
void zester_report(int validity) {
    sidecar.validity = validity;
    if (sidecar.on_report) sidecar.on_report();
}

/* This is to be done after each report: where it ends a run. */
void zester_sidecar_on_report(void (*function)(void)) { sidecar.on_report = function; }

/* A mutator works on this input; a null pointer says that it is done. */
void zester_sidecar_mutating(const uint8_t *input, size_t length, unsigned seed) {
    sidecar.mutating = input;
    sidecar.mutating_length = length;
    sidecar.mutating_seed = seed;
}

/* LibAFL looks for what a crossover made in the first input, which has as much room as the buffer for it (libafl_targets 0.16.1,
 * libfuzzer/mutators.rs). */
void zester_sidecar_hand_over(const uint8_t *first, const uint8_t *out, size_t size) {
    if (libafl_targets_libfuzzer_init && size) memcpy((uint8_t *)(uintptr_t)first, out, size);
}

/* Runs a harness as libFuzzer does; what it reported. */
int zester_sidecar_run_one(const uint8_t *data, size_t size) {
    sidecar.lowest_stack = zester_sidecar_stack();
    sidecar.validity = 0;
    zester_sidecar_forget();
    if (LLVMFuzzerTestOneInput) LLVMFuzzerTestOneInput(data, size);
    return sidecar.validity;
}

/* How many counters are the program's. */
size_t zester_sidecar_kept(void) { return sidecar.kept; }

/* Writes down which counters of those that are kept were hit; how many. */
size_t zester_sidecar_hits(uint32_t *hits) {
    size_t count = 0;
    for (size_t at = 0; at < sidecar.range_count; at++) {
        const Range *range = &sidecar.ranges[at];
        for (size_t counter = range->from; counter < range->to; counter++)
            if (range->module->counters[counter]) hits[count++] = (uint32_t)(range->first + counter - range->from);
    }
    return count;
}

/* The copy of this process that has been made; 0 in the copy, -1 if there is none. */
int zester_sidecar_fork(void) {
#ifdef ZESTER_UNIX
    return fork();
#else
    return -1;
#endif
}

/* Waits for the end of a process; its status. */
int zester_sidecar_wait(int process) {
    int status = -1;
#ifdef ZESTER_UNIX
    while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
    }
#endif
    return status;
}

void zester_sidecar_at_exit(void (*function)(void)) { atexit(function); }

/* Counters that are looked at together. */
#define BLOCK 64

/* Marks what was hit; writes nothing if it was all marked before, and remembers if it was not. */
static inline void mark(uint8_t *marks, const uint8_t *hit, size_t size) {
    uint8_t first = 0;
    for (size_t at = 0; at < size; at++) first |= hit[at] & ~marks[at];
    if (!first) return;
    sidecar.found = 1;
    for (size_t at = 0; at < size; at++) marks[at] |= hit[at];
}

/* Collects `size` counters from number `at` on, which stand at `index` among all that are kept. */
static inline void collect_block(const uint8_t *counters, size_t at, size_t index, size_t size, int valid) {
    uint8_t hit[BLOCK], any = 0;
    for (size_t i = 0; i < size; i++) any |= counters[i];
    if (!any) return;
    for (size_t i = 0; i < size; i++) hit[i] = counters[i] != 0;
    mark(sidecar.seen + at, hit, size);
    if (!valid) return;
    mark(sidecar.seen_valid + at, hit, size);
    if (index + size <= sidecar.valid_count) {
        memcpy(sidecar.valid + index, hit, size);
        return;
    }
    for (size_t i = 0; i < size && sidecar.valid_count; i++) sidecar.valid[(index + i) % sidecar.valid_count] |= hit[i];
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
    int validity = sidecar.validity;
    Tally *tally = sidecar.tally;
    sidecar.text = NULL;
    if (tally) {
        tally->executions++;
        tally->valid += validity > 0;
        tally->invalid += validity < 0;
        tally->unknown += validity == 0;
        tally->bytes += sidecar.text_length;
    }
    for (size_t at = 0, index = 0; tally && at < sidecar.range_count; at++) {
        collect(&sidecar.ranges[at], index, validity > 0);
        index += sidecar.ranges[at].to - sidecar.ranges[at].from;
    }
    if (validity < 0 && sidecar.valid_only) {
        /* -merge ignores the -1, so nothing may be left that it could see. */
        zester_sidecar_forget();
        return -1;
    }
    return 0;
}

/* Of the last run: the length of its text; whether it was valid; whether it reached an edge for the first time, or validly so. */
size_t zester_sidecar_outcome(int *valid, int *found) {
    *valid = sidecar.validity > 0;
    *found = sidecar.found;
    return sidecar.text_length;
}

/* The figures of all processes: executions, valid, invalid, unknown, bytes, edges, valid edges, counters, milliseconds. */
void zester_sidecar_figures(uint64_t figures[9]) {
    memset(figures, 0, 9 * sizeof(uint64_t));
    if (!sidecar.shared) return;
    for (size_t at = 0; at < TALLIES; at++) {
        const Tally *tally = &sidecar.shared->tallies[at];
        figures[0] += tally->executions;
        figures[1] += tally->valid;
        figures[2] += tally->invalid;
        figures[3] += tally->unknown;
        figures[4] += tally->bytes;
    }
    for (size_t at = 0; at < sidecar.count; at++) {
        figures[5] += sidecar.seen[at];
        figures[6] += sidecar.seen_valid[at];
    }
    figures[7] = sidecar.kept;
    figures[8] = now() - sidecar.shared->started;
}

/* Adds to this process's figures of mutators. */
void zester_sidecar_add_mutators(const uint64_t figures[MUTATOR_FIGURES]) {
    for (size_t at = 0; sidecar.tally && at < MUTATOR_FIGURES; at++) sidecar.tally->mutators[at] += figures[at];
}

/* The figures of mutators, of all processes. */
void zester_sidecar_mutators(uint64_t figures[MUTATOR_FIGURES]) {
    memset(figures, 0, MUTATOR_FIGURES * sizeof(uint64_t));
    for (size_t at = 0; sidecar.shared && at < TALLIES; at++) {
        const Tally *tally = &sidecar.shared->tallies[at];
        /* A process that has run nothing has no results either, and its page need not exist. */
        for (size_t figure = 0; tally->executions && figure < MUTATOR_FIGURES; figure++) figures[figure] += tally->mutators[figure];
    }
}

/* Whether `interval` milliseconds have gone since any process reported; then this one is to. */
int zester_sidecar_due(uint64_t interval) {
    if (!sidecar.shared) return 0;
    uint64_t time = now(), last = __atomic_load_n(&sidecar.shared->last_report, __ATOMIC_RELAXED);
    if (time - (last ? last : sidecar.shared->started) < interval) return 0;
    return __atomic_compare_exchange_n(&sidecar.shared->last_report, &last, time, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

#ifdef ZESTER_UNIX
static void put(const void *text, size_t length) {
    const char *rest = text;
    while (length) {
        ssize_t written = write(2, rest, length);
        if (written <= 0) return;
        rest += written;
        length -= (size_t)written;
    }
}

/* What a mutator that does not come back was doing: libFuzzer writes no input then. */
static void print_mutation(void) {
    static const char digits[] = "0123456789abcdef";
    const uint8_t *input = sidecar.mutating;
    sidecar.mutating = NULL;
    if (!input) return;
    char seed[] = "zester: in the mutator, seed 0x00000000, input in hexadecimal:\n";
    for (int at = 0; at < 8; at++) seed[31 + at] = digits[sidecar.mutating_seed >> (28 - 4 * at) & 15];
    put(seed, sizeof seed - 1);
    for (size_t at = 0; at < sidecar.mutating_length; at++) {
        char byte[2] = {digits[input[at] >> 4], digits[input[at] & 15]};
        put(byte, 2);
    }
    put("\n", 1);
}

/* Prints the sentence of the run that is going on, once. Safe in a signal handler. */
void zester_sidecar_print_sentence(void) {
    const uint8_t *text = sidecar.text;
    print_mutation();
    sidecar.text = NULL;
    if (!text) return;
    put("zester: the sentence of this run:\n", 34);
    put(text, sidecar.text_length);
    put("\n", 1);
}

static const int SIGNALS[] = {SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGFPE};
static struct sigaction next_handlers[sizeof SIGNALS / sizeof *SIGNALS];

static void on_signal(int number, siginfo_t *info, void *context) {
    zester_sidecar_print_sentence();
    for (size_t at = 0; at < sizeof SIGNALS / sizeof *SIGNALS; at++) {
        if (SIGNALS[at] != number) continue;
        struct sigaction *next = &next_handlers[at];
        if (next->sa_flags & SA_SIGINFO) {
            next->sa_sigaction(number, info, context);
        } else if (next->sa_handler != SIG_DFL && next->sa_handler != SIG_IGN) {
            next->sa_handler(number);
        } else {
            sigaction(number, next, NULL);
            raise(number);
        }
        return;
    }
}

/* AddressSanitizer calls the one before it reports, if its own, which is weak as well, does not come first in the program; and
 * the other after it has. */
void __asan_on_error(void) WEAK;
void __asan_on_error(void) { zester_sidecar_print_sentence(); }
extern void __asan_set_error_report_callback(void (*callback)(const char *)) WEAK;

static void on_error_report(const char *report) {
    (void)report;
    zester_sidecar_print_sentence();
}

/* Ctrl-C ends the campaign before the next run, and a second one at once. */
static void on_interrupt(int number) {
    (void)number;
    sidecar.interrupted = 1;
}

/* Puts our handlers before libFuzzer's and the sanitizer's, which are there when the first input runs. */
void zester_sidecar_watch_signals(void) {
    struct sigaction interrupt;
    if (sigaction(SIGINT, NULL, &interrupt) == 0 && interrupt.sa_handler == SIG_DFL) {
        memset(&interrupt, 0, sizeof interrupt);
        interrupt.sa_handler = on_interrupt;
        interrupt.sa_flags = (int)SA_RESETHAND;
        sigaction(SIGINT, &interrupt, NULL);
    }
    if (__asan_set_error_report_callback) __asan_set_error_report_callback(on_error_report);
    for (size_t at = 0; at < sizeof SIGNALS / sizeof *SIGNALS; at++) {
        struct sigaction action;
        if (sigaction(SIGNALS[at], NULL, &next_handlers[at]) != 0) continue;
        /* Nobody listens: then the signal is not ours either. */
        if (!(next_handlers[at].sa_flags & SA_SIGINFO) && next_handlers[at].sa_handler == SIG_DFL) continue;
        memset(&action, 0, sizeof action);
        action.sa_sigaction = on_signal;
        action.sa_flags = SA_SIGINFO | (next_handlers[at].sa_flags & SA_ONSTACK);
        sigaction(SIGNALS[at], &action, NULL);
    }
}
#else
void zester_sidecar_print_sentence(void) {}
void zester_sidecar_watch_signals(void) {}
#endif

#if defined(__clang__)
#pragma clang attribute pop
#endif
