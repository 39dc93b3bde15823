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

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sqlite3.h"
#include "zester.h"

// Limits of a run: checks of the clock, steps between two checks, bytes of memory, a value and an answer, and rows.
enum { TICKS = 500, TICK = 100, MEMORY = 64 << 20, LENGTH = 10000, ANSWER = 1 << 20, ROWS = 500 };

// The functions of SQLite that the harness calls. Both versions have the same types and numbers.
#define FUNCTIONS(X) X(open) X(close) X(prepare_v2) X(step) X(finalize) X(errmsg) X(exec) X(column_count) X(column_type) \
    X(column_text) X(column_double) X(column_blob) X(column_bytes) X(limit) X(set_authorizer) X(progress_handler) X(test_control) \
    X(hard_heap_limit64) X(vfs_find) X(stmt_isexplain)
#define FIELD(name) __typeof__(&sqlite3_##name) name;
typedef struct { FUNCTIONS(FIELD) } Engine;
typedef struct { const Engine *engine; sqlite3 *db; int ticks; const char *next; size_t size; char answer[ANSWER]; } Side;

static Engine older, newer;
static Side sides[3] = { { .engine = &older }, { .engine = &newer }, { .engine = &newer } };

static int tick(void *ticks) { return --*(int *)ticks < 0; }

// 2020-02-29 12:00, in milliseconds of the Julian day.
static int now(sqlite3_vfs *vfs, sqlite3_int64 *time) {
    (void)vfs;
    return *time = 212449694400000, SQLITE_OK;
}

// Pragmas do nothing. Functions are null if they are random, or if their known differences would hide others: quote(1) was an integer,
// fullkey of json_each() had no quotes, and dates before the year 0 or after 9999 differ.
static int authorize(void *unused, int action, const char *first, const char *second, const char *third, const char *fourth) {
    static const char NULLS[] = " random randomblob sqlite_version sqlite_source_id changes total_changes quote fullkey "
                                "date time datetime julianday strftime ";
    char word[40];
    (void)unused, (void)first, (void)third, (void)fourth;
    snprintf(word, sizeof word, " %s ", second ? second : "");
    int is_null = (action == SQLITE_FUNCTION || action == SQLITE_READ) && strcasestr(NULLS, word);
    return action == SQLITE_ATTACH ? SQLITE_DENY : action == SQLITE_PRAGMA || is_null ? SQLITE_IGNORE : SQLITE_OK;
}

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    void *library = dlopen("libsqlite3.so.0", RTLD_NOW | RTLD_LOCAL);
    if (!library) fprintf(stderr, "%s\n", dlerror()), exit(2);
#define LOAD(name) older.name = sqlite3_##name, newer.name = (__typeof__(newer.name))dlsym(library, "sqlite3_" #name);
    FUNCTIONS(LOAD)
    zester_initialize(argc, argv);
    older.vfs_find(0)->xCurrentTimeInt64 = newer.vfs_find(0)->xCurrentTimeInt64 = now;
    older.hard_heap_limit64(MEMORY), newer.hard_heap_limit64(MEMORY);
    return 0;
}

static void open_side(Side *side, int is_plain) {
    const Engine *e = side->engine;
    if (e->open(":memory:", &side->db) != SQLITE_OK) abort();
    if (is_plain) e->exec(side->db, "pragma reverse_unordered_selects = 1", 0, 0, 0);
    if (is_plain) e->test_control(SQLITE_TESTCTRL_OPTIMIZATIONS, side->db, ~0);
    e->limit(side->db, SQLITE_LIMIT_LENGTH, LENGTH);
    e->limit(side->db, SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 100);
    e->set_authorizer(side->db, authorize, 0);
    side->ticks = TICKS;
    e->progress_handler(side->db, TICK, tick, &side->ticks);
}

static int by_text(const void *left, const void *right) { return strcmp(*(char *const *)left, *(char *const *)right); }

// Runs the first statement from `text`. Returns whether it succeeds. Then `answer` has its rows, one a line.
static int run(Side *side, const char *text, const char *end) {
    static const char *const TYPES[] = { "", "integer", "real", "text", "blob", "null" };
    static char rows[ANSWER], *row[ROWS];
    const Engine *e = side->engine;
    sqlite3_stmt *statement = 0;
    char *at = rows, *limit = rows + ANSWER - 2 * LENGTH - 100;
    int count = 0, outcome = e->prepare_v2(side->db, text, end - text, &statement, &side->next);
    int is_explain = statement && e->stmt_isexplain(statement);
    while (statement && (outcome = e->step(statement)) == SQLITE_ROW && count < ROWS && at < limit) {
        row[count++] = at;
        for (int i = 0; i < e->column_count(statement) && at < limit; i++) {
            int type = e->column_type(statement, i);
            const unsigned char *bytes = type == SQLITE_BLOB ? e->column_blob(statement, i) : e->column_text(statement, i);
            at += sprintf(at, "%s ", TYPES[type]);
            if (type == SQLITE_FLOAT) at += sprintf(at, "%.12g", e->column_double(statement, i));
            for (int j = 0; type != SQLITE_FLOAT && j < e->column_bytes(statement, i); j++) {
                at += sprintf(at, type != SQLITE_BLOB && bytes[j] >= ' ' ? "%c" : "%02x", bytes[j]);
            }
            at += sprintf(at, " | ");
        }
        *at++ = 0;
    }
    e->finalize(statement);
    qsort(row, count, sizeof *row, by_text);
    side->size = 0;
    for (int i = 0; i < count && !is_explain; i++) side->size += sprintf(side->answer + side->size, "%s\n", row[i]);
    return side->next > text && outcome == (statement ? SQLITE_DONE : SQLITE_OK);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const char *text;
    size_t length;
    int valid = 1, same = 1;
    zester_decode(data, size, &text, &length);
    const char *end = text + length;
    // Before 3.36, `c generated always as (a)` had the type "generated always", so that values became numbers.
    if (memmem(text, length, "generated", 9)) text = end, valid = 0;
    for (int i = 0; i < 3; i++) open_side(&sides[i], i == 2);
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
