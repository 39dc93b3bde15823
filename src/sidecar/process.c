/* Signals, and the end of the process. */

#include "sidecar.h"

/* The end, without what is registered for it. */
void zester_sidecar_quit(int status) { _Exit(status); }

void zester_sidecar_at_exit(void (*function)(void)) { atexit(function); }

/* Whether Ctrl-C was pressed, and nobody else does anything about it. */
int zester_sidecar_interrupted(void) { return zester_sidecar.interrupted; }

/* A mutator works on this input; a null pointer says that it is done. */
void zester_sidecar_mutating(const uint8_t *input, size_t length, unsigned seed) {
    zester_sidecar.mutating = input;
    zester_sidecar.mutating_length = length;
    zester_sidecar.mutating_seed = seed;
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
    const uint8_t *input = zester_sidecar.mutating;
    zester_sidecar.mutating = NULL;
    if (!input) return;
    char seed[] = "zester: in the mutator, seed 0x00000000, input in hexadecimal:\n";
    for (int at = 0; at < 8; at++) seed[31 + at] = digits[zester_sidecar.mutating_seed >> (28 - 4 * at) & 15];
    put(seed, sizeof seed - 1);
    for (size_t at = 0; at < zester_sidecar.mutating_length; at++) {
        char byte[2] = {digits[input[at] >> 4], digits[input[at] & 15]};
        put(byte, 2);
    }
    put("\n", 1);
}

/* Prints the sentence of the run that is going on, once. Safe in a signal handler. */
void zester_sidecar_print_sentence(void) {
    const uint8_t *text = zester_sidecar.text;
    print_mutation();
    zester_sidecar.text = NULL;
    if (!text) return;
    put("zester: the sentence of this run:\n", 34);
    put(text, zester_sidecar.text_length);
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
    zester_sidecar.interrupted = 1;
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
