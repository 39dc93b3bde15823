/* Checkpoints: when a run ends the process, a copy of the process from a short time before goes on.
 *
 * A *supervisor*, which is there before libFuzzer starts, waits for the *worker*, which fuzzes. Before a mutation, the worker forks a
 * *spare*, which sleeps: when the corpus has been read, and then every few seconds. If the worker ends by a failure, the supervisor wakes
 * the spare. The spare has everything that libFuzzer had learned when it was forked. It becomes the worker and forks a spare of its own.
 * libFuzzer reloads the corpus, and so finds the inputs that the last worker added since then.
 *
 * Guarantees:
 * - At most one worker runs at a time, so that all of them count in one tally.
 * - Worker and spare end when the supervisor ends. Worker and spare are children of the supervisor, so that `wait` in the program under
 *   test never returns a spare.
 * - What a fork does not inherit is set again: the timer of -timeout, and the limit of -rss_limit_mb.
 * - The supervisor ends as the worker did if the end of the worker is no failure, if there is no spare, or if MAX_IN_A_ROW workers in a row
 *   end in their first run.
 *
 * Not guaranteed: threads of the program under test do not live on in a copy. If there are any, no checkpoints are made. */

#include "feedback.h"

#if defined(__linux__) && defined(__ELF__)
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>

/* The age of a checkpoint in milliseconds at which the next one is made: after the first failure, and before it. */
#define AFTER_FAILURE 1000
#define BEFORE_FAILURE 10000

/* The number of mutations that a woken spare makes before its next checkpoint. libFuzzer makes a few mutations before it reloads the
 * corpus. A spare that is forked before the reload would lack the inputs that the last worker added. */
#define BEFORE_RELOAD 32

/* The number of workers in a row that may end in their first run. */
#define MAX_IN_A_ROW 100

/* ThreadSanitizer, which does not support threads in a process that was forked. */
extern void __tsan_init(void) WEAK;

/* What the processes share. */
typedef struct {
    /* The process that is to fuzz, the sleeping one, and the one that has begun to fuzz. */
    volatile pid_t worker, spare, running;
    /* The number of spares that have been woken. */
    volatile uint32_t generation;
} Lineage;

/* The state of checkpoints in this process. `lineage` is null if none are made. */
static struct {
    Lineage *lineage;
    pid_t supervisor;
    /* The descriptor from which spares read. A byte wakes one. End of file means that the supervisor has ended. */
    int wake;
    /* The time of the next checkpoint, in milliseconds, and whether a checkpoint was made. */
    uint64_t due;
    int has_begun;
    /* The number of mutations until a checkpoint is made, whatever the time is; 0 if there is no such number. */
    uint32_t left;
    uint32_t generation;
    /* The limit of memory in megabytes; 0 means none. */
    size_t memory;
    /* libFuzzer's timer. */
    struct itimerval timer;
} checkpoints;

static uint64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
    return (uint64_t)time.tv_sec * 1000 + (uint64_t)time.tv_nsec / 1000000;
}

static void say(const char *text) { zester_feedback_put(text, strlen(text)); }

/* Returns the number of runs that are no replay of the corpus. */
static uint64_t runs(void) {
    const Tally *tally = zester_feedback.tally;
    return tally ? tally->executions - tally->replayed : 0;
}

/* Forks. The child shares the tally of this process, because they do not run at the same time. */
static pid_t fork_copy(void) {
    Tally *tally = zester_feedback.tally;
    pid_t process = fork();
    if (process) return process;
    zester_feedback.tally = tally;
    zester_feedback.forked = 0;
    zester_feedback.first = getpid();
    return 0;
}

/* Ends this process as another one ended. */
__attribute__((noreturn)) static void end_as(int status) {
    if (WIFSIGNALED(status)) {
        sigset_t all;
        signal(WTERMSIG(status), SIG_DFL);
        sigfillset(&all);
        sigprocmask(SIG_UNBLOCK, &all, NULL);
        raise(WTERMSIG(status));
        zester_feedback_quit(128 + WTERMSIG(status));
    }
    zester_feedback_quit(WEXITSTATUS(status));
}

/* Returns whether the end of a worker is no failure: libFuzzer is done or was interrupted, the reader of its output has ended, or the parent
 * of the supervisor has ended. */
static int is_over(int status, pid_t parent) {
    if (getppid() != parent || (WIFSIGNALED(status) && WTERMSIG(status) == SIGPIPE)) return 1;
    return WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == INTERRUPTED);
}

/* Prints how a worker ended. `zester fuzz` reads it (cli/src/fuzz/log.rs). */
static void tell(int status) {
    char text[128];
    const char *how = WIFSIGNALED(status) ? "by signal" : "with status";
    snprintf(text, sizeof text, "zester: a process ended %s %d, and its checkpoint goes on\n", how,
             WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    say(text);
}

/* Waits for workers, and wakes a spare when one fails. `wake` is the descriptor to which a byte is written for that. */
__attribute__((noreturn)) static void supervise(int wake, sigset_t signals) {
    Lineage *lineage = checkpoints.lineage;
    pid_t parent = getppid();
    uint64_t before = 0;
    int in_a_row = 0;
    for (;;) {
        int number = sigwaitinfo(&signals, NULL), status;
        /* libFuzzer's signal handler ends the worker, and this process ends after it. */
        if (number == SIGINT || number == SIGTERM) kill(lineage->worker, number);
        for (pid_t ended; (ended = waitpid(-1, &status, WNOHANG)) > 0;) {
            if (ended != lineage->worker) {
                if (ended == lineage->spare) lineage->spare = 0;
                /* A spare that was replaced may have read the byte that was meant for the current one. */
                if (lineage->running != lineage->worker) (void)!write(wake, "", 1);
                continue;
            }
            in_a_row = runs() <= before + 1 ? in_a_row + 1 : 0;
            before = runs();
            int is_hopeless = in_a_row >= MAX_IN_A_ROW;
            if (is_hopeless) say("zester: 100 processes in a row ended in their first run, so there are no more checkpoints\n");
            if (is_hopeless || !lineage->spare || is_over(status, parent)) {
                /* Kill the spare and wait for its end, so that no zombie is left. */
                if (lineage->spare && kill(lineage->spare, SIGKILL) == 0) waitpid(lineage->spare, NULL, 0);
                end_as(status);
            }
            tell(status);
            lineage->generation++;
            lineage->worker = lineage->spare;
            lineage->spare = 0;
            (void)!write(wake, "", 1);
        }
    }
}

/* Begins to fuzz with checkpoints: forks the worker, in which this returns. `memory` is libFuzzer's -rss_limit_mb. Must be called before
 * libFuzzer installs its handlers of signals and starts its thread. */
void zester_checkpoints_begin(size_t memory) {
    int pipe[2];
    sigset_t signals, before;
    Lineage *lineage = __tsan_init ? NULL : zester_memory_map(-1, sizeof *lineage);
    if (!lineage || pipe2(pipe, O_CLOEXEC) != 0) return;
    sigemptyset(&signals);
    sigaddset(&signals, SIGCHLD);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    checkpoints.lineage = lineage;
    checkpoints.supervisor = getpid();
    checkpoints.wake = pipe[0];
    checkpoints.memory = memory;
    sigprocmask(SIG_BLOCK, &signals, &before);
    /* Spares become children of this process, also the first one if it is forked before this process goes on. */
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    pid_t worker = fork_copy();
    if (worker > 0) {
        lineage->worker = lineage->running = worker;
        close(pipe[0]);
        supervise(pipe[1], signals);
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    close(pipe[1]);
    if (worker < 0) {
        prctl(PR_SET_CHILD_SUBREAPER, 0);
        close(pipe[0]);
        checkpoints.lineage = NULL;
        return;
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != checkpoints.supervisor) zester_feedback_quit(1);
}

/* Returns the number of threads of this process, and writes whether all but this one sleep. Without /proc, there is one. */
static int threads(int *others_sleep) {
    DIR *all = opendir("/proc/self/task");
    int count = 0;
    *others_sleep = 1;
    for (struct dirent *entry; all && (entry = readdir(all));) {
        char path[64], text[256];
        if (entry->d_name[0] == '.') continue;
        count++;
        if (atoi(entry->d_name) == getpid()) continue;
        snprintf(path, sizeof path, "/proc/self/task/%.20s/stat", entry->d_name);
        int file = open(path, O_RDONLY | O_CLOEXEC);
        ssize_t length = file < 0 ? 0 : read(file, text, sizeof text - 1);
        if (file >= 0) close(file);
        text[length > 0 ? length : 0] = 0;
        /* The name of the program, in parentheses, may have blanks. The state follows it. */
        const char *state = strrchr(text, ')');
        if (!state || strncmp(state, ") S", 3) != 0) *others_sleep = 0;
    }
    if (all) closedir(all);
    return count ? count : 1;
}

/* Ends the process if its memory exceeds the limit, as libFuzzer's thread does, which a fork does not inherit. */
static void *watch_memory(void *has_begun) {
    struct timespec second = {1, 0};
    struct rusage usage;
    __atomic_store_n((int *)has_begun, 1, __ATOMIC_SEQ_CST);
    for (;; nanosleep(&second, NULL)) {
        if (getrusage(RUSAGE_SELF, &usage) != 0 || (size_t)usage.ru_maxrss >> 10 <= checkpoints.memory) continue;
        char text[128];
        snprintf(text, sizeof text, "==%d== ERROR: libFuzzer: out-of-memory (used: %ldMb; limit: %zuMb)\n", getpid(), usage.ru_maxrss >> 10,
                 checkpoints.memory);
        say(text);
        zester_feedback_end_by_memory();
    }
    return NULL;
}

/* Starts the thread that watches the memory. Returns when it runs: at its start it holds locks of the allocator or of a sanitizer, and a
 * process that is forked meanwhile would wait for them for ever. */
static void start_watch(void) {
    static int has_begun;
    struct timespec moment = {0, 100000};
    pthread_t thread;
    has_begun = 0;
    if (!checkpoints.memory || pthread_create(&thread, NULL, watch_memory, &has_begun) != 0) return;
    pthread_detach(thread);
    while (!__atomic_load_n(&has_begun, __ATOMIC_SEQ_CST)) nanosleep(&moment, NULL);
}

/* Becomes the worker. */
static void wake_up(const sigset_t *signals) {
    Lineage *lineage = checkpoints.lineage;
    checkpoints.generation = lineage->generation;
    lineage->running = getpid();
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != checkpoints.supervisor) zester_feedback_quit(1);
    zester_feedback.forked = 0;
    zester_feedback.first = getpid();
    sigprocmask(SIG_SETMASK, signals, NULL);
    checkpoints.timer.it_value = checkpoints.timer.it_interval;
    setitimer(ITIMER_REAL, &checkpoints.timer, NULL);
}

/* Sleeps until the supervisor wakes this process or ends. */
static void sleep_as_spare(const sigset_t *signals) {
    Lineage *lineage = checkpoints.lineage;
    char byte;
    for (;;) {
        ssize_t size = read(checkpoints.wake, &byte, 1);
        if (size < 0 && errno == EINTR) continue;
        if (size > 0 && lineage->worker == getpid()) break;
        /* The supervisor has ended, or another spare has replaced this one. If the byte was meant for that spare, the supervisor writes
         * another one. */
        if (size <= 0 || lineage->spare != getpid()) zester_feedback_quit(0);
    }
    wake_up(signals);
}

/* Forks a spare, which replaces the last one. Returns whether this process is the spare, which has been woken. */
static int fork_spare(void) {
    Lineage *lineage = checkpoints.lineage;
    pid_t last = lineage->spare;
    sigset_t all, before;
    getitimer(ITIMER_REAL, &checkpoints.timer);
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &before);
    /* The parent of the spare ends at once, so that the spare becomes a child of the supervisor. */
    pid_t parent = fork_copy();
    if (parent == 0) {
        pid_t spare = fork_copy();
        if (spare == 0) {
            sleep_as_spare(&before);
            return 1;
        }
        if (spare > 0) lineage->spare = spare;
        zester_feedback_quit(0);
    }
    while (parent > 0 && waitpid(parent, NULL, 0) < 0 && errno == EINTR) {
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    if (last && last != lineage->spare) kill(last, SIGKILL);
    return 0;
}

/* Makes a checkpoint if one is due. Returns the number of spares that have been woken so far. Must be called between two runs. */
uint32_t zester_checkpoint(void) {
    /* The input of the last run is no longer there. */
    zester_feedback.input = NULL;
    int has_reloaded = checkpoints.left && --checkpoints.left == 0;
    if (!checkpoints.lineage || (!has_reloaded && now() < checkpoints.due)) return checkpoints.generation;
    int others_sleep;
    if (threads(&others_sleep) > 1 + (checkpoints.memory > 0)) {
        static const char words[] = "zester: WARNING: the program under test has threads, so there are no checkpoints: "
                                    "each failure costs a start and the corpus\n";
        if (!checkpoints.has_begun) say(words);
        checkpoints.lineage = NULL;
        return checkpoints.generation;
    }
    /* libFuzzer's thread, which watches the memory, holds locks of the allocator at its start, and a copy would wait for them for ever. The
     * next mutation tries again. */
    if (!others_sleep) {
        checkpoints.left += has_reloaded;
        return checkpoints.generation;
    }
    checkpoints.has_begun = 1;
    if (fork_spare()) {
        /* A spare that has been woken forks one at once. */
        while (fork_spare()) {
        }
        start_watch();
        checkpoints.left = BEFORE_RELOAD;
    }
    checkpoints.due = now() + (checkpoints.generation ? AFTER_FAILURE : BEFORE_FAILURE);
    return checkpoints.generation;
}
#else
void zester_checkpoints_begin(size_t memory) { (void)memory; }
uint32_t zester_checkpoint(void) { return 0; }
#endif

#if defined(__clang__)
#pragma clang attribute pop
#endif
