/* The processes of the fork server: the server itself, the worker that it forks, and what the program under test starts. */

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

/* Nothing here is the program under test. Popped at the end of the file. */
#if defined(__clang__)
#pragma clang attribute push(__attribute__((no_sanitize("coverage", "address", "memory", "undefined", "thread"))), apply_to = function)
#endif

/* The socket gets a number that programs do not expect, at least one of these: the lower ones where few files may be open. */
static const int DESCRIPTORS[] = {1000, 200, 60, 3};

/* What the worker leaves for the server, in memory that both see. The counters that a run hit follow. */
typedef struct {
    /* Whether a run has begun and not ended. */
    int runs;
    /* Whether the program called exit, and its status. */
    int exits, status;
    /* The answer of a run, where the worker could not send it itself. */
    int answers, validity;
    uint64_t nanoseconds, hits;
} Note;

static Note *note;
static size_t note_hits;

#ifdef ZESTER_UNIX

static pid_t server, worker;

/* Child processes that the program under test started before the first run. They stay until the server ends. */
#define OLD 64
static pid_t old[OLD];
static size_t old_count;

/* The signals that were blocked before the server blocked SIGCHLD, for the worker. */
static sigset_t blocked_before;
static struct sigaction on_child_before;

static void do_nothing(int number) { (void)number; }

/* Moves the socket from descriptor 0 to a high one, which other programs do not inherit, and opens /dev/null in its place. The new
 * number, or -1 if descriptor 0 is no socket. */
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

/* Calls a function with each child process of this one; how many there are. Only Linux tells. */
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

static void remember(pid_t child) {
    if (old_count < OLD) old[old_count++] = child;
}

static size_t killed;

static void kill_new(pid_t child) {
    for (size_t at = 0; at < old_count; at++)
        if (old[at] == child) return;
    kill(child, SIGKILL);
    killed++;
}

/* Kills all that the program under test has started and waits until they have ended. The children of a process that ends become
 * children of the server (PR_SET_CHILD_SUBREAPER), so the loop finds them in its next round. */
static void kill_children(void) {
    int rounds = 0;
    do {
        while (waitpid(-1, NULL, WNOHANG) > 0) {
        }
        killed = 0;
        each_child(kill_new);
        if (killed && rounds) usleep(rounds < 100 ? 100 : 1000);
    } while (killed && ++rounds < 5000);
}

#ifdef __GLIBC__
static void on_exit_call(int status, void *unused) {
    (void)unused;
    if (getpid() != worker || !note->runs) return;
    note->exits = 1;
    note->status = status & 0xff;
}
#endif

/* Makes this process a server; `counters` is how many counters the program has. 0 if there is no memory. */
int zester_fork_server_prepare(size_t counters) {
    struct sigaction action;
    sigset_t child;
    size_t size = sizeof(Note) + counters * sizeof(uint32_t);
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return 0;
    note = memory;
    note_hits = counters;
    server = getpid();
    each_child(remember);
#ifdef __linux__
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
#endif
#ifdef __GLIBC__
    /* libFuzzer's own handler, which was registered before, turns every status into 77; this one runs first. */
    on_exit(on_exit_call, NULL);
#endif
    /* SIGCHLD comes only while the server waits in `zester_fork_server_wait`. */
    memset(&action, 0, sizeof action);
    action.sa_handler = do_nothing;
    sigaction(SIGCHLD, &action, &on_child_before);
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child, &blocked_before);
    return 1;
}

/* Forks a worker: its process, 0 in the worker itself, -1 on failure. The worker leads a process group. */
int zester_fork_server_fork(void) {
    memset(note, 0, sizeof *note);
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
    /* The server may have ended before. */
    if (getppid() != server) _Exit(0);
#endif
    return 0;
}

/* Waits until the worker ends and then kills its children. 1 and the worker's status; 0 if the client is gone, and then all
 * processes are killed. */
int zester_fork_server_wait(int process, int socket, int *status) {
    for (;;) {
        siginfo_t info;
        sigset_t none = blocked_before;
        struct pollfd hangup = {socket, 0, 0};
        sigdelset(&none, SIGCHLD);
        memset(&info, 0, sizeof info);
        /* The worker stays a zombie until its group is killed, so that no other process has its number. */
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
        /* Without ppoll a signal could come between the two calls. */
        sigprocmask(SIG_SETMASK, &none, NULL);
        int events = poll(&hangup, 1, 10);
        sigprocmask(SIG_BLOCK, &none, NULL);
        if (events > 0) break;
#endif
    }
    kill(-process, SIGKILL);
    old_count = 0;
    kill_children();
    return 0;
}

/* Whether this process has child processes, ended or not. The program under test can still wait for them. */
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

/* A run of the worker begins (1) or has ended (0). */
void zester_fork_server_set_running(int runs) { note->runs = runs; }

/* Whether the worker that has ended was within a run. */
int zester_fork_server_was_running(void) { return note->runs; }

/* The status with which the program under test called exit; -1 if it did not, or if the system does not tell. */
int zester_fork_server_exit_status(void) { return note->exits ? note->status : -1; }

/* Leaves an answer that cannot be sent, because the program has closed the socket. */
void zester_fork_server_leave(int validity, uint64_t nanoseconds, const uint32_t *hits, size_t count) {
    if (count > note_hits) count = note_hits;
    note->validity = validity;
    note->nanoseconds = nanoseconds;
    note->hits = count;
    memcpy(note + 1, hits, count * sizeof *hits);
    note->answers = 1;
}

/* The answer that the worker left; the counters that it hit, or null if it left none. */
const uint32_t *zester_fork_server_left(int *validity, uint64_t *nanoseconds, size_t *count) {
    if (!note->answers) return NULL;
    *validity = note->validity;
    *nanoseconds = note->nanoseconds;
    *count = note->hits < note_hits ? (size_t)note->hits : note_hits;
    return (const uint32_t *)(note + 1);
}

#if defined(__clang__)
#pragma clang attribute pop
#endif
