/* Memory that the processes of one campaign share.
 *
 * libFuzzer starts the processes of -fork, -jobs and -merge by exec, so they cannot inherit memory and share a file instead.
 * The file has no name, so no other program can open it and it does not remain after the campaign. Child processes inherit its
 * descriptor. */

#include "feedback.h"

#ifdef ZESTER_UNIX
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#if defined(__linux__)
#include <sys/syscall.h>
#endif

/* Writes zeros to a file, so that all of its blocks exist. Returns whether that worked. */
static int write_zeros(int file, size_t size) {
    static const char zeros[4096];
    for (size_t at = 0; at < size;) {
        size_t length = size - at < sizeof zeros ? size - at : sizeof zeros;
        ssize_t written = pwrite(file, zeros, length, (off_t)at);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return 0;
        at += (size_t)written;
    }
    return 1;
}

/* Enlarges a file to `size` bytes and allocates all of its blocks. Without blocks, a write to the mapping would end the
 * process by SIGBUS when the file system is full. Returns whether that worked. */
static int reserve(int file, size_t size) {
    struct rlimit limit;
    /* A file beyond this limit would end the process by SIGXFSZ. */
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur < size) return 0;
#if defined(__linux__) || defined(__FreeBSD__)
    int problem;
    do problem = posix_fallocate(file, 0, (off_t)size);
    while (problem == EINTR);
    if (problem == 0) return 1;
    /* These three errors mean that the file system cannot allocate blocks in advance. Other errors mean that there is no room. */
    if (problem != EOPNOTSUPP && problem != EINVAL && problem != ENOSYS) return 0;
#endif
    return write_zeros(file, size);
}

/* Returns the descriptor of a file in memory, or -1 on failure. */
static int memory_file(void) {
#if defined(__linux__) && defined(SYS_memfd_create)
    return (int)syscall(SYS_memfd_create, "zester-figures", 0u);
#else
    return -1;
#endif
}

/* Returns the descriptor of a file in a directory after its name was removed, or -1 on failure. */
static int unnamed_file(const char *directory) {
    char path[4096];
    int length = snprintf(path, sizeof path, "%s/zester-figures-XXXXXX", directory);
    if (length < 0 || (size_t)length >= sizeof path) return -1;
    int file = mkstemp(path);
    if (file >= 0) unlink(path);
    return file;
}

/* Returns the descriptor of a file of `size` zeros without a name, in a directory or, if that is null, in memory. Child processes
 * inherit it. Returns -1 on failure. */
int zester_feedback_file(const char *directory, size_t size) {
    int file = directory ? unnamed_file(directory) : memory_file();
    if (file < 0 || reserve(file, size)) return file;
    close(file);
    return -1;
}

/* Enlarges an empty file to `size` bytes. Returns whether it was empty and there is enough room. */
int zester_feedback_reserve(int file, size_t size) {
    struct stat status;
    return fstat(file, &status) == 0 && status.st_size == 0 && reserve(file, size);
}

/* Writes the device and the inode of a file. Returns whether the descriptor is open. */
int zester_feedback_identify(int file, uint64_t identity[2]) {
    struct stat status;
    if (fstat(file, &status) != 0) return 0;
    identity[0] = (uint64_t)status.st_dev;
    identity[1] = (uint64_t)status.st_ino;
    return 1;
}

/* Maps `size` bytes of a file or, if `file` is -1, memory that forked processes share. Returns null on failure. */
void *zester_memory_map(int file, size_t size) {
    struct stat status;
    /* An access beyond the end of the file would raise SIGBUS. */
    if (file >= 0 && (fstat(file, &status) != 0 || status.st_size < (off_t)size)) return NULL;
    int flags = file >= 0 ? MAP_SHARED : MAP_SHARED | MAP_ANONYMOUS;
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, flags, file, 0);
    return memory == MAP_FAILED ? NULL : memory;
}
#else
int zester_feedback_file(const char *directory, size_t size) {
    (void)directory, (void)size;
    return -1;
}

int zester_feedback_reserve(int file, size_t size) {
    (void)file, (void)size;
    return 0;
}

int zester_feedback_identify(int file, uint64_t identity[2]) {
    (void)file, (void)identity;
    return 0;
}

void *zester_memory_map(int file, size_t size) { return file >= 0 ? NULL : calloc(1, size); }
#endif

#if defined(__clang__)
#pragma clang attribute pop
#endif
