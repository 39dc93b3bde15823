/* Sanitizers: makes them find reads beyond the ends of a sentence, and print the sentence with every report. */

#include "feedback.h"

extern void __asan_poison_memory_region(const volatile void *start, size_t size) WEAK;
extern void __asan_unpoison_memory_region(const volatile void *start, size_t size) WEAK;
extern void __asan_set_error_report_callback(void (*callback)(const char *)) WEAK;
extern void __msan_unpoison(const volatile void *start, size_t size) WEAK;
#if defined(__ELF__)
/* Adds a function that every sanitizer calls before it ends the process (sanitizer_termination.cpp). The public interface,
 * __sanitizer_set_death_callback, has room for one function only, which is libFuzzer's. */
extern int add_die_callback(void (*callback)(void)) __asm__("_ZN11__sanitizer14AddDieCallbackEPFvvE") WEAK;
#endif

/* The number of poisoned bytes before and after a text. */
#define REDZONE 64

/* Returns a copy of a text between poisoned bytes, so that AddressSanitizer reports reads beyond both ends. Returns null without
 * AddressSanitizer. */
static const uint8_t *copy_between_redzones(const uint8_t *text, size_t length) {
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
    /* The previous text may have been longer. */
    if (buffer + end > after) __asan_poison_memory_region(after, (size_t)(buffer + end - after));
    end = (size_t)(after - buffer);
    return copy;
}

/* Returns the text or a copy of it, which the program under test must read. */
const uint8_t *zester_sanitizers_guard(const uint8_t *text, size_t length) {
    const uint8_t *copy = copy_between_redzones(text, length);
    if (copy) text = copy;
    /* MemorySanitizer does not see what uninstrumented code writes. */
    if (__msan_unpoison) __msan_unpoison(text, length);
    return text;
}

/* AddressSanitizer calls this function before its report. Its own definition is weak, too, and may be linked instead. Then
 * on_error_report prints the sentence after the report. */
void __asan_on_error(void) WEAK;
void __asan_on_error(void) { zester_feedback_print_sentence(); }

static void on_error_report(const char *report) {
    (void)report;
    zester_feedback_print_sentence();
}

#if defined(__ELF__)
/* Sanitizers end the process without atexit handlers. */
static void on_death(void) {
    zester_feedback_print_sentence();
    zester_feedback_call_at_end();
}
#endif

/* Makes sanitizers print the sentence with their reports. */
void zester_sanitizers_watch(void) {
    if (__asan_set_error_report_callback) __asan_set_error_report_callback(on_error_report);
#if defined(__ELF__)
    if (add_die_callback) add_die_callback(on_death);
#endif
}

#if defined(__clang__)
#pragma clang attribute pop
#endif
