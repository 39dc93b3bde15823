/* The files of a failure: the sentence of the run, in a file with the name of libFuzzer's artifact and the extension `.txt`, and the
 * artifact itself if libFuzzer does not write it. */

#include "feedback.h"

#include <stdio.h>

#ifdef ZESTER_UNIX
#include <fcntl.h>
#include <sys/stat.h>

/* Writes a text to standard error. */
void zester_feedback_put(const void *text, size_t length) {
    const char *rest = text;
    while (length) {
        ssize_t written = write(2, rest, length);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return;
        rest += written;
        length -= (size_t)written;
    }
}

/* The maximum length of a path. */
#define PATH 4096

/* The paths of the artifacts and of their texts, and the directory of the texts. The first two end before the kind of the artifact, such
 * as "crash-", unless `is_exact`. All are empty if no files are written. */
static char artifacts[PATH], texts[PATH], directory[PATH];
/* Whether `artifacts` and `texts` are the paths of one artifact and of its text. */
static int is_exact;

/* Sets where texts are written. `folder` is the directory of the texts. The other paths are complete if `exact`. Otherwise the kind
 * of the artifact and the hash of the input follow. Sets nothing if a path is too long. */
void zester_artifact_set(const char *artifact, const char *text, const char *folder, int exact) {
    /* The kind, the hash and the extension have at most 64 characters. */
    if (strlen(artifact) + 64 > PATH || strlen(text) + 64 > PATH || strlen(folder) + 1 > PATH) return;
    strcpy(artifacts, artifact);
    strcpy(texts, text);
    strcpy(directory, folder);
    is_exact = exact;
}

/* Sets the input of the run in progress. */
void zester_artifact_input(const uint8_t *input, size_t length) {
    zester_feedback.input = input;
    zester_feedback.input_length = length;
    zester_feedback.is_running = 1;
}

static uint32_t rotate(uint32_t word, int by) { return word << by | word >> (32 - by); }

/* Adds a block of 64 bytes to the state of SHA-1. */
static void add_block(uint32_t state[5], const uint8_t block[64]) {
    uint32_t words[80], a = state[0], b = state[1], c = state[2], d = state[3], e = state[4];
    for (int at = 0; at < 16; at++) {
        const uint8_t *from = block + 4 * at;
        words[at] = (uint32_t)from[0] << 24 | (uint32_t)from[1] << 16 | (uint32_t)from[2] << 8 | from[3];
    }
    for (int at = 16; at < 80; at++) words[at] = rotate(words[at - 3] ^ words[at - 8] ^ words[at - 14] ^ words[at - 16], 1);
    for (int at = 0; at < 80; at++) {
        uint32_t mixed = at < 20   ? ((b & c) | (~b & d)) + 0x5A827999
                         : at < 40 ? (b ^ c ^ d) + 0x6ED9EBA1
                         : at < 60 ? ((b & c) | (b & d) | (c & d)) + 0x8F1BBCDC
                                   : (b ^ c ^ d) + 0xCA62C1D6;
        uint32_t next = rotate(a, 5) + mixed + e + words[at];
        e = d, d = c, c = rotate(b, 30), b = a, a = next;
    }
    state[0] += a, state[1] += b, state[2] += c, state[3] += d, state[4] += e;
}

/* Writes the SHA-1 of an input as 40 hexadecimal digits. libFuzzer uses it in the names of artifacts. */
static void hash(const uint8_t *input, size_t length, char out[41]) {
    static const char digits[] = "0123456789abcdef";
    uint32_t state[5] = {0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476, 0xC3D2E1F0};
    uint8_t last[128] = {0};
    size_t whole = length / 64 * 64, rest = length - whole, size = rest < 56 ? 64 : 128;
    for (size_t at = 0; at < whole; at += 64) add_block(state, input + at);
    if (rest) memcpy(last, input + whole, rest);
    last[rest] = 0x80;
    for (int at = 0; at < 8; at++) last[size - 1 - at] = (uint8_t)((uint64_t)length * 8 >> (8 * at));
    for (size_t at = 0; at < size; at += 64) add_block(state, last + at);
    for (int at = 0; at < 40; at++) out[at] = digits[state[at / 8] >> (28 - 4 * (at % 8)) & 15];
    out[40] = 0;
}

/* Prints the path of a file after some words. */
static void print_path(const char *words, const char *path) {
    zester_feedback_put(words, strlen(words));
    zester_feedback_put(path, strlen(path));
    zester_feedback_put("\n", 1);
}

/* Writes bytes to a file, and replaces its former content. Returns whether all were written. Removes an incomplete file. */
static int write_file(const char *path, const uint8_t *bytes, size_t length) {
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file < 0) return 0;
    while (length) {
        ssize_t written = write(file, bytes, length);
        if (written <= 0) break;
        bytes += written;
        length -= (size_t)written;
    }
    close(file);
    if (length) unlink(path);
    return !length;
}

static void write_text(const char *path, const uint8_t *text, size_t length) {
    mkdir(directory, 0777);
    if (write_file(path, text, length)) print_path("zester: the sentence is also in ", path);
}

/* The beginnings of the names of libFuzzer's artifacts. */
static const char *const KINDS[] = {"crash-", "timeout-", "oom-", "leak-"};

/* Writes the text of the run in progress. If `written`, libFuzzer has written the artifact, and its kind is found out by its name.
 * Otherwise the kind is a crash. Calls only functions that are allowed in a signal handler. */
void zester_artifact_write_text(const uint8_t *text, size_t length, int written) {
    char artifact[PATH], path[PATH], name[41];
    if (!*artifacts || !*texts || !zester_feedback.input) return;
    if (is_exact) {
        write_text(texts, text, length);
        return;
    }
    hash(zester_feedback.input, zester_feedback.input_length, name);
    for (size_t kind = 0; kind < (written ? sizeof KINDS / sizeof *KINDS : 1); kind++) {
        strcat(strcat(strcpy(artifact, artifacts), KINDS[kind]), name);
        if (written && access(artifact, F_OK) != 0) continue;
        strcat(strcat(strcat(strcpy(path, texts), KINDS[kind]), name), ".txt");
        write_text(path, text, length);
    }
}

/* Writes the input of a failure as libFuzzer's artifact, unless there is an artifact of this input. `own` is one of KINDS. Prints its path
 * after `words`. Returns whether there was one. Calls only functions that are allowed in a signal handler. */
int zester_artifact_write_input(const uint8_t *input, size_t length, const char *own, const char *words) {
    char artifact[PATH], name[41];
    size_t kinds = is_exact ? 1 : sizeof KINDS / sizeof *KINDS;
    if (!*artifacts) return 0;
    hash(input, length, name);
    for (size_t kind = 0; kind < kinds; kind++) {
        strcpy(artifact, artifacts);
        if (!is_exact) strcat(strcat(artifact, KINDS[kind]), name);
        if (access(artifact, F_OK) != 0) continue;
        print_path(words, artifact);
        return 1;
    }
    strcpy(artifact, artifacts);
    if (!is_exact) strcat(strcat(artifact, own), name);
    print_path(write_file(artifact, input, length) ? words : "zester: WARNING: this artifact cannot be written: ", artifact);
    return 0;
}

/* Writes the artifact and the text of the run in progress, which has failed. */
void zester_artifact_keep(void) {
    const uint8_t *text = zester_feedback.text;
    if (text) zester_artifact_write_text(text, zester_feedback.text_length, 0);
    zester_artifact_write_input(zester_feedback.input, zester_feedback.input_length, "crash-", "zester: the input of this failure is in ");
}
#else
/* Writes a text to standard error. */
void zester_feedback_put(const void *text, size_t length) { fwrite(text, 1, length, stderr); }

void zester_artifact_set(const char *artifact, const char *text, const char *folder, int exact) {
    (void)artifact, (void)text, (void)folder, (void)exact;
}
void zester_artifact_input(const uint8_t *input, size_t length) { (void)input, (void)length; }
void zester_artifact_keep(void) {}
#endif

#if defined(__clang__)
#pragma clang attribute pop
#endif
