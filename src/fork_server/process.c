/* The processes of the fork server: the server itself, the worker that it forks, and the processes that the program under test
 * starts. */

#define _GNU_SOURCE
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__unix__) || defined(__APPLE__)
#define ZESTER_UNIX 1
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>
#endif
#ifdef __linux__
#include <sys/prctl.h>
#endif

/* No function in this file belongs to the program under test, so none is instrumented. The attribute is popped at the end. */
#if defined(__clang__)
#pragma clang attribute push(__attribute__((no_sanitize("coverage", "address", "memory", "undefined", "thread"))), apply_to = function)
#endif

/* The minimum descriptors of the socket, in the order in which they are tried. A program that closes descriptors usually closes
 * low ones, so the highest comes first. The lower ones are for systems that limit the number of open files. */
static const int DESCRIPTORS[] = {1000, 200, 60, 3};

/* Shared memory of server and worker. It is followed by the numbers of the counters that a run hit. */
typedef struct {
    /* Whether the worker is in a run. */
    int is_running;
    /* Whether the program called exit, and with which status. */
    int has_exited, status;
    /* Whether the worker stored the report of a run that it could not send. The next fields are that report. */
    int has_report, validity;
    uint64_t nanoseconds, hits;
} SharedState;

static SharedState *state;

/* The maximum number of counters in the report of a run. */
static size_t max_hits;

#ifdef ZESTER_UNIX

static pid_t server, worker;

/* Child processes that the program under test started before the first run. They live until the server ends. */
#define MAX_EARLY 64
static pid_t early_children[MAX_EARLY];
static size_t early_count;

/* The signal mask and the handler of SIGCHLD that the program had. The worker restores them. */
static sigset_t blocked_before;
static struct sigaction on_child_before;

static void do_nothing(int number) { (void)number; }

/* Moves the socket from descriptor 0 to a high one, which other programs do not inherit, and opens /dev/null at descriptor 0.
 * Returns the new descriptor, or -1 if descriptor 0 is no socket. */
int zester_fork_server_take_socket(void) {
    struct stat status;
    int socket = -1, null;
    if (fstat(0, &status) != 0 || !S_ISSOCK(status.st_mode)) return -1;
    for (size_t at = 0; socket < 0 && at < sizeof DESCRIPTORS / sizeof *DESCRIPTORS; at++)
        socket = fcntl(0, F_DUPFD_CLOEXEC, DESCRIPTORS[at]);
    null = open("/dev/null", O_RDONLY);
    if (socket < 0 || null < 0 || dup2(null, 0) < 0) return -1;
    close(null);
    return socket;
}

/* Calls a function with each child process of this one. Returns their number. Finds none on systems other than Linux. */
static size_t each_child(void (*function)(pid_t)) {
    size_t count = 0;
#ifdef __linux__
    DIR *threads = opendir("/proc/self/task");
    for (struct dirent *thread; threads && (thread = readdir(threads));) {
        char path[64];
        int child;
        snprintf(path, sizeof path, "/proc/self/task/%.20s/children", thread->d_name);
        FILE *children = fopen(path, "re");
        if (!children) continue;
        for (; fscanf(children, "%d", &child) == 1; count++) function(child);
        fclose(children);
    }
    if (threads) closedir(threads);
#else
    (void)function;
#endif
    return count;
}

/* Adds a process to the early children. */
static void add_early_child(pid_t child) {
    if (early_count < MAX_EARLY) early_children[early_count++] = child;
}

/* The number of processes that kill_unless_early killed. */
static size_t killed;

/* Kills a child process that is no early child. */
static void kill_unless_early(pid_t child) {
    for (size_t at = 0; at < early_count; at++)
        if (early_children[at] == child) return;
    kill(child, SIGKILL);
    killed++;
}

/* Kills all processes that the program under test has started, and waits until they have ended. When a process ends, its children
 * become children of the server (PR_SET_CHILD_SUBREAPER). So the loop finds them in its next round. */
static void kill_children(void) {
    int rounds = 0;
    do {
        while (waitpid(-1, NULL, WNOHANG) > 0) {
        }
        killed = 0;
        each_child(kill_unless_early);
        if (killed && rounds) usleep(rounds < 100 ? 100 : 1000);
    } while (killed && ++rounds < 5000);
}

#ifdef __GLIBC__
/* Records that the program called exit in a run. */
static void on_exit_call(int status, void *unused) {
    (void)unused;
    if (getpid() != worker || !state->is_running) return;
    state->has_exited = 1;
    state->status = status & 0xff;
}
#endif

/* Makes this process a server. `counters` is the number of coverage counters of the program. Returns whether there was enough
 * memory. */
int zester_fork_server_prepare(size_t counters) {
    struct sigaction action;
    sigset_t child;
    size_t size = sizeof(SharedState) + counters * sizeof(uint32_t);
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return 0;
    state = memory;
    max_hits = counters;
    server = getpid();
    each_child(add_early_child);
#ifdef __linux__
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
#endif
#ifdef __GLIBC__
    /* libFuzzer's own handler replaces every status by 77. This handler runs first, because it is registered later. */
    on_exit(on_exit_call, NULL);
#endif
    /* SIGCHLD is blocked except while the server waits in zester_fork_server_wait. */
    memset(&action, 0, sizeof action);
    action.sa_handler = do_nothing;
    sigaction(SIGCHLD, &action, &on_child_before);
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child, &blocked_before);
    return 1;
}

/* Forks a worker, which leads a process group of its own. Returns its process ID, or 0 in the worker itself, or -1 on failure. */
int zester_fork_server_fork(void) {
    memset(state, 0, sizeof *state);
    pid_t process = fork();
    if (process > 0) setpgid(process, process);
    if (process != 0) return process;
    worker = getpid();
    setpgid(0, 0);
    sigaction(SIGCHLD, &on_child_before, NULL);
    sigprocmask(SIG_SETMASK, &blocked_before, NULL);
#ifdef __linux__
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    /* If the server ended before the call of prctl, the signal is not sent. */
    if (getppid() != server) _Exit(0);
#endif
    return 0;
}

/* Waits until the worker ends, and kills its descendants. Writes the worker's status and returns 1. If the client ends first,
 * kills all processes and returns 0. */
int zester_fork_server_wait(int process, int socket, int *status) {
    for (;;) {
        siginfo_t info;
        sigset_t none = blocked_before;
        struct pollfd hangup = {socket, 0, 0};
        sigdelset(&none, SIGCHLD);
        memset(&info, 0, sizeof info);
        /* The worker stays a zombie until its group is killed, so that no other process gets its ID. */
        if (waitid(P_PID, (id_t)process, &info, WEXITED | WNOHANG | WNOWAIT) != 0 && errno != EINTR) {
            *status = 0;
            return 1;
        }
        if (info.si_pid == process) {
            kill(-process, SIGKILL);
            while (waitpid(process, status, 0) < 0 && errno == EINTR) {
            }
            kill_children();
            return 1;
        }
#ifdef __linux__
        if (ppoll(&hangup, 1, NULL, &none) > 0) break;
#else
        /* Without ppoll, the signal may arrive between the two calls. So poll returns after 10 milliseconds. */
        sigprocmask(SIG_SETMASK, &none, NULL);
        int events = poll(&hangup, 1, 10);
        sigprocmask(SIG_BLOCK, &none, NULL);
        if (events > 0) break;
#endif
    }
    kill(-process, SIGKILL);
    early_count = 0;
    kill_children();
    return 0;
}

/* Returns whether this process has child processes, ended or not. Does not reap them, so that the program under test still
 * can. */
int zester_fork_server_has_children(void) {
    siginfo_t info;
    return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0;
}

#else

int zester_fork_server_take_socket(void) { return -1; }
int zester_fork_server_prepare(size_t counters) { return (void)counters, 0; }
int zester_fork_server_fork(void) { return -1; }
int zester_fork_server_wait(int process, int socket, int *status) { return (void)process, (void)socket, *status = 0; }
int zester_fork_server_has_children(void) { return 0; }

#endif

/* Records whether the worker is in a run. */
void zester_fork_server_set_running(int is_running) { state->is_running = is_running; }

/* Returns whether the worker that has ended was in a run. */
int zester_fork_server_was_running(void) { return state->is_running; }

/* Returns the status with which the program under test called exit, or -1 if it did not or if the C library is not glibc. */
int zester_fork_server_exit_status(void) { return state->has_exited ? state->status : -1; }

/* Stores the report of a run for the server, because the program has closed the worker's socket. */
void zester_fork_server_store_report(int validity, uint64_t nanoseconds, const uint32_t *hits, size_t count) {
    if (count > max_hits) count = max_hits;
    state->validity = validity;
    state->nanoseconds = nanoseconds;
    state->hits = count;
    memcpy(state + 1, hits, count * sizeof *hits);
    state->has_report = 1;
}

/* Writes the report that the worker stored. Returns the numbers of the counters that the run hit, or null if there is no
 * report. */
const uint32_t *zester_fork_server_stored_report(int *validity, uint64_t *nanoseconds, size_t *count) {
    if (!state->has_report) return NULL;
    *validity = state->validity;
    *nanoseconds = state->nanoseconds;
    *count = state->hits < max_hits ? (size_t)state->hits : max_hits;
    return (const uint32_t *)(state + 1);
}

#if defined(__clang__)
#pragma clang attribute pop
#endif
