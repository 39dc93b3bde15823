/* Signals and the end of the process: if a run ends the process, its sentence is printed. */

#include "feedback.h"

#include <stdio.h>
#if defined(__linux__)
#include <sys/syscall.h>
#endif
#if defined(ZESTER_UNIX)
#include <sys/time.h>
#include <time.h>
#endif

/* Ends the process at once, without atexit handlers. */
__attribute__((noreturn)) static void end_process(int status) {
#if defined(__linux__)
    /* Sanitizers do not intercept this call. */
    for (;;) syscall(SYS_exit_group, status);
#elif defined(ZESTER_UNIX)
    _exit(status);
#else
    abort();
#endif
}

/* Ends the process at once. No atexit handler runs, no sentence is printed, and no artifact is written. */
void zester_feedback_quit(int status) {
#if defined(__ELF__) && defined(ZESTER_UNIX)
    end_process(status);
#else
    _Exit(status);
#endif
}

/* Calls a function before the process ends. libFuzzer ends it with _Exit after Ctrl-C and crashes, so that no atexit handler runs
 * then. The function may be called several times, and in a signal handler. */
void zester_feedback_at_end(void (*function)(void)) {
    zester_feedback.at_end = function;
    atexit(function);
}

/* Calls the function of zester_feedback_at_end. */
void zester_feedback_call_at_end(void) {
    if (zester_feedback.at_end) zester_feedback.at_end();
}

/* Returns whether Ctrl-C was pressed. Always returns 0 if the engine handles Ctrl-C itself. */
int zester_feedback_interrupted(void) { return zester_feedback.interrupted; }

/* Records the input of the mutator that is running. The input is null if none is running. */
void zester_feedback_mutating(const uint8_t *input, size_t length, unsigned seed) {
    zester_feedback.mutating = input;
    zester_feedback.mutating_length = length;
    zester_feedback.mutating_seed = seed;
}

#ifdef ZESTER_UNIX
/* Prints the input and the seed of the mutator that is running, if there is one. libFuzzer would write no artifact, because it
 * did not run an input. */
static void print_mutation(void) {
    static const char digits[] = "0123456789abcdef";
    const uint8_t *input = zester_feedback.mutating;
    zester_feedback.mutating = NULL;
    if (!input) return;
    char seed[] = "zester: in the mutator, seed 0x00000000, input in hexadecimal:\n";
    for (int at = 0; at < 8; at++) seed[31 + at] = digits[zester_feedback.mutating_seed >> (28 - 4 * at) & 15];
    zester_feedback_put(seed, sizeof seed - 1);
    for (size_t at = 0; at < zester_feedback.mutating_length; at++) {
        char byte[2] = {digits[input[at] >> 4], digits[input[at] & 15]};
        zester_feedback_put(byte, 2);
    }
    zester_feedback_put("\n", 1);
}

/* The maximum time in seconds that a crash handler or the report of a sanitizer may take. */
#define MAX_REPORT 60

/* The words before the path of the artifact of a run that ends the process. */
#define INPUT "zester: the input is in "

/* libFuzzer's status after a crash: the default of -error_exitcode. */
#define CRASHED 77

/* The crash that is being reported: its input, which is null outside of a run, and the number of runs before it. */
static struct {
    int is_reported;
    const uint8_t *input;
    size_t input_length;
    uint64_t executions;
    struct sigaction handler;
    struct itimerval timer;
} crash;

/* Ends the process, because the report of the crash takes too long. */
__attribute__((noreturn)) static void end_report(void) {
    static const char words[] = "zester: the report of this crash takes too long, so the process ends\n";
    zester_feedback_put(words, sizeof words - 1);
    if (crash.input) zester_artifact_write_input(crash.input, crash.input_length, "crash-", INPUT);
    zester_feedback_call_at_end();
    end_process(CRASHED);
}

/* Ends the process if it still reports the crash. If the program has recovered and other runs have ended since, restores libFuzzer's
 * timer, which enforces -timeout. */
static void on_alarm(int number) {
    (void)number;
    crash.is_reported = 0;
    if (zester_feedback.tally->executions != crash.executions) {
        sigaction(SIGALRM, &crash.handler, NULL);
        setitimer(ITIMER_REAL, &crash.timer, NULL);
        return;
    }
    end_report();
}

/* The alarms of libFuzzer, which enforce -timeout: its handler, and the first alarm of the run in progress. */
static struct {
    struct sigaction handler;
    uint64_t executions;
    time_t first;
} alarms;

/* Calls libFuzzer's handler, which ends the process if the run has exceeded -timeout. libFuzzer's handler does nothing while
 * AddressSanitizer reports a crash, even if the symboliser hangs. So this handler ends the process if the run lasts about MAX_REPORT
 * seconds longer than -timeout. The interval of the alarms is more than half of -timeout. */
static void on_libfuzzer_alarm(int number, siginfo_t *info, void *context) {
    struct itimerval timer;
    struct timespec now;
    uint64_t executions = zester_feedback.tally ? zester_feedback.tally->executions : 0;
    if (alarms.handler.sa_flags & SA_SIGINFO) {
        alarms.handler.sa_sigaction(number, info, context);
    } else {
        alarms.handler.sa_handler(number);
    }
    if (!zester_feedback.text || getitimer(ITIMER_REAL, &timer) != 0 || clock_gettime(CLOCK_MONOTONIC, &now) != 0) return;
    if (!alarms.first || executions != alarms.executions) {
        alarms.executions = executions;
        alarms.first = now.tv_sec;
    } else if (now.tv_sec - alarms.first > 2 * timer.it_interval.tv_sec + MAX_REPORT) {
        crash.input = zester_feedback.input;
        crash.input_length = zester_feedback.input_length;
        zester_feedback_print_sentence();
        end_report();
    }
}

/* Limits the time of reports that begin without a signal. */
static void watch_alarms(void) {
    struct sigaction action;
    if (sigaction(SIGALRM, NULL, &alarms.handler) != 0) return;
    if (!(alarms.handler.sa_flags & SA_SIGINFO) && (alarms.handler.sa_handler == SIG_DFL || alarms.handler.sa_handler == SIG_IGN)) return;
    action = alarms.handler;
    action.sa_sigaction = on_libfuzzer_alarm;
    action.sa_flags |= SA_SIGINFO;
    sigaction(SIGALRM, &action, NULL);
}

/* Limits the time of the report of a crash, which begins now. A report may never end: libFuzzer's handler allocates memory, and waits
 * for a lock if the crash was in malloc; a sanitizer waits for the answer of a symboliser. Until the report ends, libFuzzer does not
 * check -timeout. The client of a fork server has a limit of its own. */
static void limit_report(void) {
    struct itimerval limit = {{0, 0}, {MAX_REPORT, 0}};
    struct sigaction action;
    sigset_t alarms;
    if (crash.is_reported || zester_feedback.forked || !zester_feedback.tally) return;
    crash.is_reported = 1;
    crash.input = zester_feedback.text ? zester_feedback.input : NULL;
    crash.input_length = zester_feedback.input_length;
    crash.executions = zester_feedback.tally->executions;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_alarm;
    sigemptyset(&alarms);
    sigaddset(&alarms, SIGALRM);
    if (sigaction(SIGALRM, &action, &crash.handler) != 0 || setitimer(ITIMER_REAL, &limit, &crash.timer) != 0) return;
    sigprocmask(SIG_UNBLOCK, &alarms, NULL);
}

/* Prints the sentence of the run in progress, once, and writes it beside the artifact. `written` is whether libFuzzer has written the
 * artifact. Calls only functions that are allowed in a signal handler. */
static void print_sentence(int written) {
    static const char head[] = "zester: the sentence of this run:\n";
    const uint8_t *text = zester_feedback.text;
    print_mutation();
    zester_feedback.text = NULL;
    if (!text) return;
    zester_feedback_put(head, sizeof head - 1);
    zester_feedback_put(text, zester_feedback.text_length);
    zester_feedback_put("\n", 1);
    zester_artifact_write_text(text, zester_feedback.text_length, written);
}

/* Prints the sentence of the run in progress before libFuzzer writes an artifact of a crash. */
void zester_feedback_print_sentence(void) {
    limit_report();
    print_sentence(0);
}

#if defined(__ELF__)
/* The maximum time in seconds that another thread may take to end the process. */
#define MAX_END 10

/* Whether a thread is ending the process. */
static int is_ending;

/* Whether this thread is ending the process. */
static __thread int is_ended_here;

/* Waits if another thread is ending the process. libFuzzer's signal handlers run in its threads at the same time when two signals
 * arrive. Without the wait, the second one would end the process before the first one has printed the statistics. */
static void wait_for_end(void) {
    struct timespec second = {1, 0};
    if (!__atomic_exchange_n(&is_ending, 1, __ATOMIC_SEQ_CST)) is_ended_here = 1;
    for (int seconds = 0; !is_ended_here && seconds < MAX_END; seconds++) nanosleep(&second, NULL);
}

/* libFuzzer's statuses after a time-out and after memory exceeds the limit, unless the user sets others. */
#define TIMED_OUT 70
#define OUT_OF_MEMORY 71

/* Ends the process if the program under test has called _exit or _Exit in a run of libFuzzer. libFuzzer does not see these calls,
 * so its process would end as if it had found nothing. As after a call of exit, this is a crash, whose input is kept. A process that
 * the program has forked may call them, even if it shares the memory of this one, as after vfork.
 *
 * `may_be_libfuzzer` is whether libFuzzer may have made the call. Then it has written an artifact. */
static void end_run(int may_be_libfuzzer) {
    static const char words[] = "zester: ERROR: the program under test ended the process by _exit\n";
    if (!zester_feedback.is_running || zester_feedback.first != getpid() || !zester_feedback_is_libfuzzer()) return;
    if (zester_artifact_write_input(zester_feedback.input, zester_feedback.input_length, "crash-", INPUT) && may_be_libfuzzer) return;
    zester_feedback.is_running = 0;
    zester_feedback_put(words, sizeof words - 1);
    print_sentence(1);
    zester_feedback_call_at_end();
    end_process(CRASHED);
}

/* Ends the process because its memory exceeds libFuzzer's limit. Does not test `is_running`: in a harness that calls zester_decode, the
 * program goes on after its report, which ends the run. */
void zester_feedback_end_by_memory(void) {
    wait_for_end();
    if (zester_feedback.input) zester_artifact_write_input(zester_feedback.input, zester_feedback.input_length, "oom-", INPUT);
    print_sentence(1);
    zester_feedback_call_at_end();
    end_process(OUT_OF_MEMORY);
}

/* A sanitizer's replacement of the function of the C library. */
extern void __interceptor__exit(int status) WEAK;

/* Replaces the function of the C library. libFuzzer does not call _exit: it calls _Exit. This definition is not weak, so that it takes
 * precedence over the weak one of a sanitizer. */
void _exit(int status) {
    end_run(0);
    if (__interceptor__exit) __interceptor__exit(status);
    end_process(status);
}

/* Replaces the function of the C library. libFuzzer calls it to end the process after a time-out, when memory exceeds the
 * limit, and when the program under test calls exit. libFuzzer has no other hook for these cases. */
void _Exit(int status) WEAK;
void _Exit(int status) {
    if (!zester_feedback.forked) wait_for_end();
    if (status != CRASHED && status != TIMED_OUT && status != OUT_OF_MEMORY && status != INTERRUPTED) end_run(1);
    if (status != INTERRUPTED && !zester_feedback.forked) print_sentence(1);
    zester_feedback_call_at_end();
    end_process(status);
}
#endif

/* The signals of crashes. */
static const int SIGNALS[] = {SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGFPE};
static struct sigaction next_handlers[sizeof SIGNALS / sizeof *SIGNALS];

/* The stack on which the handlers run, unless a sanitizer has installed one. After a stack overflow, the ordinary stack has no room.
 * libFuzzer's handler, which writes the artifact, runs on it, too. */
static char handler_stack[1 << 18];
static int has_handler_stack;

/* Installs the stack of the handlers for this thread, unless it has one. */
static void give_handlers_a_stack(void) {
    stack_t stack;
    if (sigaltstack(NULL, &stack) != 0 || !(stack.ss_flags & SS_DISABLE)) return;
    memset(&stack, 0, sizeof stack);
    stack.ss_sp = handler_stack;
    stack.ss_size = sizeof handler_stack;
    has_handler_stack = sigaltstack(&stack, NULL) == 0;
}

/* Returns whether an access near the stack pointer has failed. Always returns 0 on processors whose stack pointer is not known here. */
static int is_stack_overflow(const siginfo_t *info, const void *context) {
    uintptr_t address = (uintptr_t)info->si_addr, pointer = 0;
    enum { NEAR = 1 << 20 };
#if defined(__linux__) && defined(__x86_64__)
    pointer = (uintptr_t)((const ucontext_t *)context)->uc_mcontext.gregs[REG_RSP];
#elif defined(__linux__) && defined(__aarch64__)
    pointer = (uintptr_t)((const ucontext_t *)context)->uc_mcontext.sp;
#else
    (void)context;
#endif
    return pointer && (address < pointer ? pointer - address : address - pointer) < NEAR;
}

/* Reports that a signal is a stack overflow, like Rust's own handler, which libFuzzer's has replaced. */
static void say_overflow(int number, const siginfo_t *info, const void *context) {
    static const char words[] = "zester: a thread has overflowed its stack\n";
    if (number == SIGSEGV && has_handler_stack && is_stack_overflow(info, context)) zester_feedback_put(words, sizeof words - 1);
}

/* Restores the default handler. The instruction is repeated and raises the signal again, which ends the process. */
static void on_overflow(int number, siginfo_t *info, void *context) {
    say_overflow(number, info, context);
    signal(number, SIG_DFL);
}

/* Reports stack overflows where no engine and no sanitizer has a handler. */
void zester_feedback_watch_stack(void) {
    struct sigaction action;
    give_handlers_a_stack();
    if (!has_handler_stack || sigaction(SIGSEGV, NULL, &action) != 0) return;
    if (action.sa_flags & SA_SIGINFO || action.sa_handler != SIG_DFL) return;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = on_overflow;
    action.sa_flags = SA_SIGINFO | (int)SA_ONSTACK;
    sigaction(SIGSEGV, &action, NULL);
}

/* Prints the sentence and calls the previous handler. */
static void on_signal(int number, siginfo_t *info, void *context) {
    say_overflow(number, info, context);
    zester_feedback_print_sentence();
#if !defined(__ELF__)
    /* There is no hook for the end of the process. */
    zester_feedback_call_at_end();
#endif
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

/* Ends the campaign before the next run. A second Ctrl-C ends the process at once. */
static void on_interrupt(int number) {
    (void)number;
    zester_feedback.interrupted = 1;
}

/* Installs handlers that print the sentence and then call the handlers of libFuzzer and of the sanitizer. Must be called when
 * the first input runs, because those handlers are installed by then. */
void zester_feedback_watch_signals(void) {
    struct sigaction interrupt;
    if (sigaction(SIGINT, NULL, &interrupt) == 0 && interrupt.sa_handler == SIG_DFL) {
        memset(&interrupt, 0, sizeof interrupt);
        interrupt.sa_handler = on_interrupt;
        interrupt.sa_flags = (int)SA_RESETHAND;
        sigaction(SIGINT, &interrupt, NULL);
    }
    watch_alarms();
    give_handlers_a_stack();
    for (size_t at = 0; at < sizeof SIGNALS / sizeof *SIGNALS; at++) {
        struct sigaction action;
        if (sigaction(SIGNALS[at], NULL, &next_handlers[at]) != 0) continue;
        /* Without an engine's or a sanitizer's handler, the signal keeps its default effect. */
        if (!(next_handlers[at].sa_flags & SA_SIGINFO) && next_handlers[at].sa_handler == SIG_DFL) continue;
        memset(&action, 0, sizeof action);
        action.sa_sigaction = on_signal;
        action.sa_flags = SA_SIGINFO | (next_handlers[at].sa_flags & SA_ONSTACK);
        if (has_handler_stack) action.sa_flags |= (int)SA_ONSTACK;
        sigaction(SIGNALS[at], &action, NULL);
    }
}
#else
void zester_feedback_print_sentence(void) {}
void zester_feedback_watch_signals(void) {}
void zester_feedback_watch_stack(void) {}
#endif

#if defined(__clang__)
#pragma clang attribute pop
#endif
