// SQLite 3.31.0 against a newer SQLite, the library libsqlite3.so.0 of the system: a statement must give the same rows in both.
//
// grammar: grammars/sqlite.ebnf
// package: libsqlite3-sys
// include: sqlite3
// sources: sqlite3/sqlite3.c
// flags: -fvisibility=hidden -DSQLITE_THREADSAFE=0 -DSQLITE_ENABLE_JSON1 -DSQLITE_ENABLE_FTS4 -DSQLITE_ENABLE_FTS3_PARENTHESIS -DSQLITE_ENABLE_FTS3_TOKENIZER -DSQLITE_ENABLE_RTREE -DSQLITE_LIKE_DOESNT_MATCH_BLOBS -DSQLITE_TEMP_STORE=3 -DSQLITE_OMIT_LOAD_EXTENSION
//
// The flags are those of Debian's library. Statements run one by one, and the order of rows does not count. A text ends at the first
// statement that one side refuses, and is invalid then.
//
// Some queries have several right answers, such as `select a from t limit 1`. A third database finds them: the newer SQLite without
// optimisations, which reads tables backwards. If its answer is not that of the second database, nothing is compared.

#include "sqlite_sides.h"

static Engine older, newer;
static Side sides[3] = { { .engine = &older }, { .engine = &newer }, { .engine = &newer } };

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    load_own(&older), load_system(&newer);
    zester_initialize(argc, argv);
    older.vfs_find(0)->xCurrentTimeInt64 = newer.vfs_find(0)->xCurrentTimeInt64 = now;
    older.hard_heap_limit64(MEMORY), newer.hard_heap_limit64(MEMORY);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const char *text;
    size_t length;
    int valid = 1, same = 1;
    zester_decode(data, size, &text, &length);
    const char *end = text + length;
    // Before 3.36, `c generated always as (a)` had the type "generated always", so that values became numbers.
    if (memmem(text, length, "generated", 9)) text = end, valid = 0;
    for (int i = 0; i < 3; i++) open_side(&sides[i], i == 2, i == 2);
    for (; text < end && valid && same; text = sides[0].next) {
        for (int i = 0; i < 3 && valid; i++) {
            valid = run(&sides[i], text, end) && sides[i].next == sides[0].next;
            if (!valid) zester_report_reason(sides[i].engine->errmsg(sides[i].db));
        }
        const Side *left = &sides[0], *right = &sides[1], *plain = &sides[2];
        if (!valid || right->size != plain->size || memcmp(right->answer, plain->answer, plain->size) != 0) continue;
        same = zester_same("rows", left->answer, left->size, right->answer, right->size);
    }
    for (int i = 0; i < 3; i++) sides[i].engine->close(sides[i].db);
    zester_report(valid ? ZESTER_VALID : ZESTER_INVALID);
    return 0;
}
