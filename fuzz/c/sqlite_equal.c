// SQLite 3.31.0: equivalent scripts must give the same rows.
//
// grammar: grammars/sqlite.ebnf
// package: libsqlite3-sys
// include: sqlite3
// sources: sqlite3/sqlite3.c
// flags: -fvisibility=hidden -DSQLITE_THREADSAFE=0 -DSQLITE_ENABLE_JSON1 -DSQLITE_ENABLE_FTS4 -DSQLITE_ENABLE_FTS3_PARENTHESIS -DSQLITE_ENABLE_FTS3_TOKENIZER -DSQLITE_ENABLE_RTREE -DSQLITE_LIKE_DOESNT_MATCH_BLOBS -DSQLITE_TEMP_STORE=3 -DSQLITE_OMIT_LOAD_EXTENSION
//
// The outcome of a script is the rows of all its statements; the order of the rows of a statement does not count. The harness is wrapped,
// so that zester also calls it with equivalent scripts: `zester equal`, and ZESTER_EQUAL=1 while fuzzing. With SQLITE=system, it runs the
// library libsqlite3.so.0 of the system instead.
//
// Some queries have several right answers, such as `select a from t limit 1`. A second database, which reads tables
// backwards, shows which. A script has no outcome if the databases differ, if it takes too long, or if it reads the text of its statements.

#include "sqlite_sides.h"

enum { OUTCOME = 4 << 20 };

static Engine engine;
static Side sides[2] = { { .engine = &engine }, { .engine = &engine } };

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    const char *choice = getenv("SQLITE");
    (void)argc, (void)argv;
    choice && strcmp(choice, "system") == 0 ? load_system(&engine) : load_own(&engine);
    engine.vfs_find(0)->xCurrentTimeInt64 = now;
    engine.hard_heap_limit64(MEMORY);
    return 0;
}

// Returns whether both databases have spent at most half of their steps.
static int is_quick(void) { return sides[0].ticks > TICKS / 2 && sides[1].ticks > TICKS / 2; }

// Returns whether a script reads the names and the text of its statements.
static int reads_schema(const char *text, size_t size) { return memmem(text, size, "_master", 7) || memmem(text, size, "pragma_", 7); }

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static char outcome[OUTCOME];
    const char *text = (const char *)data, *end = text + size;
    size_t length = 0;
    const char *reason = "";
    int valid = 1, same = !reads_schema(text, size);
    for (int i = 0; i < 2; i++) open_side(&sides[i], i == 1, 0);
    for (; text < end && valid; text = sides[0].next) {
        for (int i = 0; i < 2 && valid; i++) {
            valid = run(&sides[i], text, end) && sides[i].next == sides[0].next;
            if (!valid) reason = sides[i].engine->errmsg(sides[i].db);
        }
        same &= sides[0].size == sides[1].size && memcmp(sides[0].answer, sides[1].answer, sides[0].size) == 0;
        same &= length + sides[0].size + 1 < OUTCOME;
        if (!valid || !same) continue;
        memcpy(outcome + length, sides[0].answer, sides[0].size);
        length += sides[0].size;
        outcome[length++] = '\n';
    }
    if (valid && same && is_quick()) zester_outcome(outcome, length);
    // If one of two equivalent scripts takes too long or has a pattern that is too long, this is no difference.
    int is_refused = !valid && is_quick() && !strstr(reason, "too complex");
    if (is_refused) zester_report_reason(reason);
    zester_report(is_refused ? ZESTER_INVALID : ZESTER_VALID);
    for (int i = 0; i < 2; i++) sides[i].engine->close(sides[i].db);
    return 0;
}
