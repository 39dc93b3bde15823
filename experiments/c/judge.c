// Runs statements, each ended by a zero byte, through the harness fuzz/c/sqlite.c, and counts the syntax errors among them.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sqlite3.h>
static int validity, syntax;
static int prepare(sqlite3 *database, const char *text, int length, sqlite3_stmt **statement, const char **rest) {
    static const char *const ERRORS[] = {": syntax error", "unrecognized token", "incomplete input"};
    int result = sqlite3_prepare_v2(database, text, length, statement, rest);
    for (int at = 0; result && at < 3; at++) syntax |= strstr(sqlite3_errmsg(database), ERRORS[at]) != NULL;
    return result;
}
#define sqlite3_prepare_v2 prepare
#include "sqlite.c"
void zester_decode(const uint8_t *data, size_t size, const char **text, size_t *length) { *text = (const char *)data, *length = size; }
void zester_report(int report) { validity = report; }
int main(void) {
    char *text = NULL;
    size_t room = 0, all = 0, valid = 0, wrong = 0;
    for (ssize_t length; (length = getdelim(&text, &room, 0, stdin)) > 0; all++) {
        syntax = 0;
        LLVMFuzzerTestOneInput((uint8_t *)text, (size_t)length - 1);
        valid += validity > 0;
        wrong += syntax;
        if (syntax && wrong < 10) fprintf(stderr, "syntax error: %s\n", text);
    }
    printf("%zu sentences: %zu valid (%.1f %%), %zu syntax errors\n", all, valid, 100.0 * valid / all, wrong);
    return wrong * 1000 > all;
}
