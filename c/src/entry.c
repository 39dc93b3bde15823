/* The part of the C library that must be written in C: weak symbols, and the functions that libFuzzer calls.
 *
 * It is one file. The linker takes whole object files out of a library, but none for weak references, and libFuzzer's references are
 * weak. So the functions that libFuzzer calls must be in the file of the functions that a harness calls. */

#include <stdio.h>
#include <stdlib.h>

#include "zester.h"

#if defined(__clang__)
#pragma clang attribute push(__attribute__((no_sanitize("coverage", "address", "memory", "undefined", "thread"))), apply_to = function)
#endif

#define WEAK __attribute__((weak))

/* Symbols of the harness, of an embedded grammar, of libFuzzer and of sanitizers. Each may be missing. */
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

/* Functions of the part in Rust. */
extern void zester_feedback_on_report(void (*function)(void));
extern void zester_c_initialize(int *argc, char ***argv);
extern void zester_c_end(void);
extern const uint8_t *zester_c_decode(const uint8_t *data, size_t size, size_t *length);
extern int zester_c_run(const uint8_t *data, size_t size);
extern int zester_c_same(const char *name, const uint8_t *left, size_t left_size, const uint8_t *right, size_t right_size);
extern void zester_c_outcome(const void *value, size_t size);
extern size_t zester_c_mutate(uint8_t *data, size_t size, size_t max_size, unsigned seed);
extern size_t zester_c_cross_over(const uint8_t *first, size_t first_size, const uint8_t *second, size_t second_size, uint8_t *out,
                                  size_t max_size, unsigned seed);

/* MemorySanitizer does not see that the part in Rust initializes memory, so it would report functions such as memcmp that read
 * this memory. Its checks of these functions are off between enter_rust and leave_rust. */
static void enter_rust(void) {
    if (__msan_scoped_disable_interceptor_checks) __msan_scoped_disable_interceptor_checks();
}

static void leave_rust(void) {
    if (__msan_scoped_enable_interceptor_checks) __msan_scoped_enable_interceptor_checks();
}

/* Writes the name, the text and the size of the embedded grammar. Returns whether there is one. Called by the part in Rust. */
int zester_entry_grammar(const char **name, const unsigned char **text, size_t *size) {
    if (!zester_grammar || !&zester_grammar_size) return 0;
    *name = zester_grammar_name ? zester_grammar_name : "grammar";
    *text = zester_grammar;
    *size = zester_grammar_size;
    return 1;
}

/* Calls libFuzzer's own mutator. Without libFuzzer, changes nothing. Called by the part in Rust. */
size_t zester_entry_mutate(uint8_t *data, size_t size, size_t max_size) {
    return LLVMFuzzerMutate ? LLVMFuzzerMutate(data, size, max_size) : size;
}

/* Calls the wrapped harness with a sentence. Called by the part in Rust. */
int zester_entry_run(const uint8_t *text, size_t length) {
    if (!__real_LLVMFuzzerTestOneInput) return 0;
    leave_rust();
    if (__msan_unpoison_param) __msan_unpoison_param(2);
    int result = __real_LLVMFuzzerTestOneInput(text, length);
    enter_rust();
    return result;
}

/* Calls zester_validity of the harness. Returns 2 if there is none. Called by the part in Rust. */
int zester_entry_validity(const uint8_t *text, size_t length, int result) {
    if (!zester_validity) return 2;
    leave_rust();
    if (__msan_unpoison_param) __msan_unpoison_param(3);
    int validity = zester_validity(text, length, result);
    enter_rust();
    return validity;
}

void zester_fail(const char *key) {
    fprintf(stderr, "zester: failure: %s\n", key ? key : "");
    abort();
}

int zester_same(const char *name, const void *left, size_t left_size, const void *right, size_t right_size) {
    enter_rust();
    int is_same = zester_c_same(name ? name : "", left, left_size, right, right_size);
    leave_rust();
    return is_same;
}

void zester_outcome(const void *value, size_t size) {
    enter_rust();
    zester_c_outcome(value, size);
    leave_rust();
}

void zester_initialize(int *argc, char ***argv) {
    enter_rust();
    zester_c_initialize(argc, argv);
    leave_rust();
}

static void on_report(void) {
    enter_rust();
    zester_c_end();
    leave_rust();
}

void zester_decode(const uint8_t *data, size_t size, const char **text, size_t *length) {
    enter_rust();
    zester_feedback_on_report(on_report);
    *text = (const char *)zester_c_decode(data, size, length);
    leave_rust();
    /* zester_feedback_enter has unpoisoned the text itself. */
    if (__msan_unpoison) {
        __msan_unpoison(text, sizeof *text);
        __msan_unpoison(length, sizeof *length);
    }
}

/* Weak, because a harness may define this function itself and call zester_initialize there. If it does not call it, zester is
 * initialized in the first run. */
WEAK int LLVMFuzzerInitialize(int *argc, char ***argv) {
    zester_initialize(argc, argv);
    return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed) {
    enter_rust();
    size = zester_c_mutate(data, size, max_size, seed);
    leave_rust();
    return size;
}

size_t LLVMFuzzerCustomCrossOver(const uint8_t *first, size_t first_size, const uint8_t *second, size_t second_size, uint8_t *out,
                                 size_t max_size, unsigned seed) {
    enter_rust();
    size_t size = zester_c_cross_over(first, first_size, second, second_size, out, max_size, seed);
    leave_rust();
    return size;
}

/* With --wrap, libFuzzer calls the following two functions instead of those of the harness. */
int __wrap_LLVMFuzzerInitialize(int *argc, char ***argv) {
    zester_initialize(argc, argv);
    if (!__real_LLVMFuzzerInitialize) return 0;
    if (__msan_unpoison_param) __msan_unpoison_param(2);
    return __real_LLVMFuzzerInitialize(argc, argv);
}

int __wrap_LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    enter_rust();
    int value = zester_c_run(data, size);
    leave_rust();
    return value;
}

#if defined(__clang__)
#pragma clang attribute pop
#endif
