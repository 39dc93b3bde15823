/* Comparisons: records the operands of comparisons in some runs.
 *
 * Instrumented code calls __sanitizer_cov_trace_cmp8 and the like. libFuzzer's memcmp, or a sanitizer's, calls
 * __sanitizer_weak_hook_memcmp and the like. libFuzzer defines all of them (FuzzerTracePC.cpp), and a program can have one definition
 * only. So at the start of a recorded run the first instruction of each function becomes a jump to a function in this file, and at the
 * end of the run the former instruction is written back. Other runs cost nothing. In a recorded run, libFuzzer itself sees no
 * comparisons. Other engines define some of the functions for their own use, so they are left alone. */

#include "feedback.h"

/* The maximum number of comparisons that are recorded in a run. */
#define COMPARISONS 512

/* The number of slots of the hash table that finds comparisons that were recorded before in the run. */
#define SLOTS 1024

/* A recorded comparison: the lengths of both operands, and their first bytes. */
typedef struct {
    uint8_t lengths[2];
    uint8_t operands[2][ZESTER_MAX_OPERAND];
} Comparison;

static Comparison comparisons[COMPARISONS];
static size_t recorded;
static struct {
    uint32_t run, hash;
} slots[SLOTS];
/* The number of the recorded run. */
static uint32_t run;
/* Whether the next run is recorded, and whether this one is. */
static int is_wanted, is_recording;

#if defined(__ELF__) && (defined(__x86_64__) || defined(__aarch64__))
#include <sys/mman.h>

/* Records a comparison. */
static void record(const void *first, size_t first_length, const void *second, size_t second_length) {
    if (first_length < 2 && second_length < 2) return;
    if (first_length > ZESTER_MAX_OPERAND) first_length = ZESTER_MAX_OPERAND;
    if (second_length > ZESTER_MAX_OPERAND) second_length = ZESTER_MAX_OPERAND;
    if (recorded == COMPARISONS) return;
    const uint8_t *operands[2] = {first, second};
    size_t lengths[2] = {first_length, second_length};
    /* FNV-1a */
    uint32_t hash = 2166136261u;
    for (int which = 0; which < 2; which++) {
        for (size_t at = 0; at < lengths[which]; at++) hash = (hash ^ operands[which][at]) * 16777619u;
        hash = (hash ^ (uint32_t)lengths[which]) * 16777619u;
    }
    size_t slot = hash % SLOTS;
    if (slots[slot].run == run && slots[slot].hash == hash) return;
    slots[slot].run = run;
    slots[slot].hash = hash;
    Comparison *comparison = &comparisons[recorded++];
    for (int which = 0; which < 2; which++) {
        comparison->lengths[which] = (uint8_t)lengths[which];
        for (size_t at = 0; at < lengths[which]; at++) comparison->operands[which][at] = operands[which][at];
    }
}

/* Returns the length of a text that ends with a zero byte or after `max` bytes. Longer texts count as ZESTER_MAX_OPERAND bytes long. */
static size_t length_of(const char *text, size_t max) {
    size_t length = 0;
    while (length < max && length < ZESTER_MAX_OPERAND && text[length]) length++;
    return length;
}

/* Records a comparison of memory. Operands with a byte 0 are left out, because they may be addresses: these differ from process to
 * process, and campaigns with equal seeds should be equal. */
static void memcmp_hook(void *pc, const void *first, const void *second, size_t size, int result) {
    (void)pc;
    size_t seen = size < ZESTER_MAX_OPERAND ? size : ZESTER_MAX_OPERAND;
    if (result && length_of(first, seen) == seen && length_of(second, seen) == seen) record(first, size, second, size);
}

static void strncmp_hook(void *pc, const char *first, const char *second, size_t size, int result) {
    (void)pc;
    if (result) record(first, length_of(first, size), second, length_of(second, size));
}

static void strcmp_hook(void *pc, const char *first, const char *second, int result) {
    (void)pc;
    if (result) record(first, length_of(first, SIZE_MAX), second, length_of(second, SIZE_MAX));
}

/* Returns the number of characters of an integer whose bytes are text; 0 if they are not. */
static size_t characters(uint64_t value, size_t size) {
    size_t length = 0;
    for (; length < size && value & 0xFF; length++, value >>= 8) {
        uint8_t byte = value & 0xFF;
        if (byte < ' ' || byte > '~') return 0;
    }
    return value ? 0 : length;
}

static void integers(uint64_t first, uint64_t second, size_t size) {
    size_t first_length = characters(first, size), second_length = characters(second, size);
    if (first == second || first_length < 2 || second_length < 2) return;
    record(&first, first_length, &second, second_length);
}

static void cmp8_hook(uint64_t first, uint64_t second) { integers(first, second, 8); }
static void cmp4_hook(uint32_t first, uint32_t second) { integers(first, second, 4); }
static void cmp2_hook(uint16_t first, uint16_t second) { integers(first, second, 2); }

static void switch_hook(uint64_t value, uint64_t *cases) {
    if (value < 256) return;
    for (uint64_t at = 0; at < cases[0]; at++) integers(value, cases[2 + at], 8);
}

/* The functions, as libFuzzer defines them. */
extern void __sanitizer_weak_hook_memcmp(void *, const void *, const void *, size_t, int) WEAK;
extern void __sanitizer_weak_hook_strncmp(void *, const char *, const char *, size_t, int) WEAK;
extern void __sanitizer_weak_hook_strncasecmp(void *, const char *, const char *, size_t, int) WEAK;
extern void __sanitizer_weak_hook_strcmp(void *, const char *, const char *, int) WEAK;
extern void __sanitizer_weak_hook_strcasecmp(void *, const char *, const char *, int) WEAK;
extern void __sanitizer_cov_trace_cmp8(uint64_t, uint64_t) WEAK;
extern void __sanitizer_cov_trace_cmp4(uint32_t, uint32_t) WEAK;
extern void __sanitizer_cov_trace_cmp2(uint16_t, uint16_t) WEAK;
extern void __sanitizer_cov_trace_const_cmp8(uint64_t, uint64_t) WEAK;
extern void __sanitizer_cov_trace_const_cmp4(uint32_t, uint32_t) WEAK;
extern void __sanitizer_cov_trace_const_cmp2(uint16_t, uint16_t) WEAK;
extern void __sanitizer_cov_trace_switch(uint64_t, uint64_t *) WEAK;

/* The code that a jump replaces, as an integer: one store writes all of it. */
#if defined(__x86_64__)
typedef uint64_t Code;
#else
typedef uint32_t Code;
#endif

/* A function whose first instruction can become a jump. */
typedef struct {
    Code *code, former, jump;
} Hook;

#define HOOKS 12
static Hook hooks[HOOKS];
static size_t hook_count;

/* Makes the code of a function writable, and adds the function to the hooks. Does nothing if that is impossible. */
static void add(uintptr_t from, uintptr_t to) {
    if (!from || from % sizeof(Code)) return;
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), first = from & ~(page - 1);
    Hook *hook = &hooks[hook_count];
    hook->code = (Code *)from;
    hook->former = *hook->code;
#if defined(__x86_64__)
    /* jmp rel32, and the rest of the former code */
    int64_t distance = (int64_t)(to - from) - 5;
    if (distance != (int32_t)distance) return;
    hook->jump = (hook->former & ~0xFFFFFFFFFFull) | (uint64_t)(uint32_t)distance << 8 | 0xE9;
#else
    /* b */
    int64_t distance = (int64_t)(to - from) / 4;
    if (distance < -(1 << 25) || distance >= 1 << 25) return;
    hook->jump = 0x14000000u | ((uint32_t)distance & 0x3FFFFFFu);
#endif
    if (mprotect((void *)first, page, PROT_READ | PROT_WRITE | PROT_EXEC)) return;
    hook_count++;
}

#define ADD(function, hook) add((uintptr_t)(function), (uintptr_t)(hook))

/* Finds the functions once. */
static void find_hooks(void) {
    static int done;
    if (done) return;
    done = 1;
    if (!zester_feedback_is_libfuzzer()) return;
    ADD(__sanitizer_weak_hook_memcmp, memcmp_hook);
    ADD(__sanitizer_weak_hook_strncmp, strncmp_hook);
    ADD(__sanitizer_weak_hook_strncasecmp, strncmp_hook);
    ADD(__sanitizer_weak_hook_strcmp, strcmp_hook);
    ADD(__sanitizer_weak_hook_strcasecmp, strcmp_hook);
    ADD(__sanitizer_cov_trace_cmp8, cmp8_hook);
    ADD(__sanitizer_cov_trace_cmp4, cmp4_hook);
    ADD(__sanitizer_cov_trace_cmp2, cmp2_hook);
    ADD(__sanitizer_cov_trace_const_cmp8, cmp8_hook);
    ADD(__sanitizer_cov_trace_const_cmp4, cmp4_hook);
    ADD(__sanitizer_cov_trace_const_cmp2, cmp2_hook);
    ADD(__sanitizer_cov_trace_switch, switch_hook);
}

static void replace(int by_jumps) {
    for (size_t at = 0; at < hook_count; at++) {
        Hook *hook = &hooks[at];
        __atomic_store_n(hook->code, by_jumps ? hook->jump : hook->former, __ATOMIC_SEQ_CST);
        __builtin___clear_cache((char *)hook->code, (char *)(hook->code + 1));
    }
}

/* Begins to record, if this run is to be recorded. */
void zester_comparisons_start(void) {
    if (!is_wanted) return;
    is_wanted = 0;
    find_hooks();
    run++;
    recorded = 0;
    is_recording = 1;
    replace(1);
}

/* Ends recording. */
void zester_comparisons_end(void) {
    if (!is_recording) return;
    is_recording = 0;
    replace(0);
}
#else
void zester_comparisons_start(void) {}
void zester_comparisons_end(void) {}
#endif

/* Requests that the comparisons of the next run are recorded. */
void zester_feedback_record_comparisons(void) {
    is_wanted = 1;
}

/* Forgets the comparisons of the last recorded run. */
void zester_feedback_forget_comparisons(void) { recorded = 0; }

/* Returns the number of comparisons that were recorded in the last recorded run. */
size_t zester_feedback_comparison_count(void) { return recorded; }

/* Returns an operand of a comparison, and writes its length. */
const uint8_t *zester_feedback_operand(size_t comparison, int which, size_t *length) {
    *length = comparisons[comparison].lengths[which];
    return comparisons[comparison].operands[which];
}

#if defined(__clang__)
#pragma clang attribute pop
#endif
