/* What has to be C: symbols that others may define or not, and the hooks that libFuzzer looks for. All in one file, so that
 * whatever of it is needed brings the rest along: libFuzzer's references are weak, and those alone take nothing out of a
 * library. */

#include "zester.h"

#if defined(__clang__)
#pragma clang attribute push(__attribute__((no_sanitize("coverage", "address", "memory", "undefined", "thread"))), apply_to = function)
#endif

#define WEAK __attribute__((weak))

/* Of the harness, of libFuzzer, of sanitizers, of a grammar that is embedded; if they are there. */
#pragma weak zester_validity
#pragma weak zester_grammar_name
#pragma weak zester_grammar
#pragma weak zester_grammar_size
extern size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size) WEAK;
extern int __real_LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) WEAK;
extern int __real_LLVMFuzzerInitialize(int *argc, char ***argv) WEAK;
extern void __msan_unpoison(const volatile void *start, size_t size) WEAK;
extern void __msan_unpoison_param(size_t count) WEAK;
extern void __msan_scoped_disable_interceptor_checks(void) WEAK;
extern void __msan_scoped_enable_interceptor_checks(void) WEAK;

/* The part in Rust. */
extern void zester_sidecar_on_report(void (*function)(void));
extern void zester_c_initialize(int *argc, char ***argv);
extern void zester_c_end(void);
extern const uint8_t *zester_c_decode(const uint8_t *data, size_t size, size_t *length);
extern int zester_c_run(const uint8_t *data, size_t size);
extern size_t zester_c_mutate(uint8_t *data, size_t size, size_t max_size, unsigned seed);
extern size_t zester_c_cross_over(const uint8_t *first, size_t first_size, const uint8_t *second, size_t second_size, uint8_t *out,
                                  size_t max_size, unsigned seed);

/* What the part in Rust writes MemorySanitizer does not see, but where it calls memcmp and the like, that is looked into: not
 * from `aside` to `back`. */
static void aside(void) {
    if (__msan_scoped_disable_interceptor_checks) __msan_scoped_disable_interceptor_checks();
}

static void back(void) {
    if (__msan_scoped_enable_interceptor_checks) __msan_scoped_enable_interceptor_checks();
}

/* For the part in Rust: the grammar that is linked, whether there is one. */
int zester_entry_grammar(const char **name, const unsigned char **text, size_t *size) {
    if (!zester_grammar || !&zester_grammar_size) return 0;
    *name = zester_grammar_name ? zester_grammar_name : "grammar";
    *text = zester_grammar;
    *size = zester_grammar_size;
    return 1;
}

/* libFuzzer's own mutator; nothing changes where it is not. */
size_t zester_entry_mutate(uint8_t *data, size_t size, size_t max_size) {
    return LLVMFuzzerMutate ? LLVMFuzzerMutate(data, size, max_size) : size;
}

/* The harness that is wrapped, with a sentence. */
int zester_entry_run(const uint8_t *text, size_t length) {
    if (!__real_LLVMFuzzerTestOneInput) return 0;
    back();
    if (__msan_unpoison_param) __msan_unpoison_param(2);
    int result = __real_LLVMFuzzerTestOneInput(text, length);
    aside();
    return result;
}

/* What the harness's own function says of a result; 2 if it has none. */
int zester_entry_validity(const uint8_t *text, size_t length, int result) {
    if (!zester_validity) return 2;
    back();
    if (__msan_unpoison_param) __msan_unpoison_param(3);
    int validity = zester_validity(text, length, result);
    aside();
    return validity;
}

void zester_initialize(int *argc, char ***argv) {
    aside();
    zester_c_initialize(argc, argv);
    back();
}

static void on_report(void) {
    aside();
    zester_c_end();
    back();
}

void zester_decode(const uint8_t *data, size_t size, const char **text, size_t *length) {
    aside();
    zester_sidecar_on_report(on_report);
    *text = (const char *)zester_c_decode(data, size, length);
    back();
    /* Nobody saw it being written; the text itself is seen to where it is made. */
    if (__msan_unpoison) {
        __msan_unpoison(text, sizeof *text);
        __msan_unpoison(length, sizeof *length);
    }
}

/* The harness's own comes first; it may call zester_initialize, or everything waits until the first run. */
WEAK int LLVMFuzzerInitialize(int *argc, char ***argv) {
    zester_initialize(argc, argv);
    return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed) {
    aside();
    size = zester_c_mutate(data, size, max_size, seed);
    back();
    return size;
}

size_t LLVMFuzzerCustomCrossOver(const uint8_t *first, size_t first_size, const uint8_t *second, size_t second_size, uint8_t *out,
                                 size_t max_size, unsigned seed) {
    aside();
    size_t size = zester_c_cross_over(first, first_size, second, second_size, out, max_size, seed);
    back();
    return size;
}

/* With --wrap, libFuzzer calls these. */
int __wrap_LLVMFuzzerInitialize(int *argc, char ***argv) {
    zester_initialize(argc, argv);
    if (!__real_LLVMFuzzerInitialize) return 0;
    if (__msan_unpoison_param) __msan_unpoison_param(2);
    return __real_LLVMFuzzerInitialize(argc, argv);
}

int __wrap_LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    aside();
    int value = zester_c_run(data, size);
    back();
    return value;
}

#if defined(__clang__)
#pragma clang attribute pop
#endif
