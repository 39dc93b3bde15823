// Databases in memory of one or several versions of SQLite, whose rows a harness compares.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sqlite3.h"
#include "zester.h"

// Limits of a run: checks, steps of the virtual machine between two checks, bytes of memory, of a value and of an answer, and rows.
enum { TICKS = 500, TICK = 100, MEMORY = 64 << 20, LENGTH = 10000, ANSWER = 1 << 20, ROWS = 500 };

// The functions of SQLite that the harness calls. Both versions have the same types and numbers.
#define FUNCTIONS(X) X(open) X(close) X(prepare_v2) X(step) X(finalize) X(errmsg) X(exec) X(column_count) X(column_type) \
    X(column_text) X(column_double) X(column_blob) X(column_bytes) X(limit) X(set_authorizer) X(progress_handler) X(test_control) \
    X(hard_heap_limit64) X(vfs_find) X(stmt_isexplain)
#define FIELD(name) __typeof__(&sqlite3_##name) name;
typedef struct { FUNCTIONS(FIELD) } Engine;
typedef struct { const Engine *engine; sqlite3 *db; int ticks; const char *next; size_t size; char answer[ANSWER]; } Side;

// Loads the functions of the library libsqlite3.so.0 of the system.
static void load_system(Engine *engine) {
    void *library = dlopen("libsqlite3.so.0", RTLD_NOW | RTLD_LOCAL);
    if (!library) fprintf(stderr, "%s\n", dlerror()), exit(2);
#define LOAD(name) engine->name = (__typeof__(engine->name))dlsym(library, "sqlite3_" #name);
    FUNCTIONS(LOAD)
}

static void load_own(Engine *engine) {
#define OWN(name) engine->name = sqlite3_##name;
    FUNCTIONS(OWN)
}

static int tick(void *ticks) { return --*(int *)ticks < 0; }

// 2020-02-29 12:00, in milliseconds of the Julian day.
static int now(sqlite3_vfs *vfs, sqlite3_int64 *time) {
    (void)vfs;
    return *time = 212449694400000, SQLITE_OK;
}

// Pragmas do nothing, except that virtual tables may read `page_size`. Functions are null if they are random, or if their known
// differences would hide others: quote(1) was an integer, fullkey of json_each() had no quotes, and dates before the year 0 or after
// 9999 differ.
static int authorize(void *unused, int action, const char *first, const char *second, const char *third, const char *fourth) {
    static const char NULLS[] = " random randomblob sqlite_version sqlite_source_id changes total_changes quote fullkey "
                                "date time datetime julianday strftime ";
    char word[40];
    (void)unused, (void)third, (void)fourth;
    snprintf(word, sizeof word, " %s ", second ? second : "");
    int is_null = (action == SQLITE_FUNCTION || action == SQLITE_READ) && strcasestr(NULLS, word);
    int is_pragma = action == SQLITE_PRAGMA && (second || strcmp(first, "page_size") != 0);
    return action == SQLITE_ATTACH ? SQLITE_DENY : is_pragma || is_null ? SQLITE_IGNORE : SQLITE_OK;
}

// Opens an empty database. With `is_reversed`, tables are read backwards where the order of rows is free; with `is_plain`, there are no
// optimisations.
static void open_side(Side *side, int is_reversed, int is_plain) {
    const Engine *e = side->engine;
    if (e->open(":memory:", &side->db) != SQLITE_OK) abort();
    if (is_reversed) e->exec(side->db, "pragma reverse_unordered_selects = 1", 0, 0, 0);
    if (is_plain) e->test_control(SQLITE_TESTCTRL_OPTIMIZATIONS, side->db, ~0);
    e->limit(side->db, SQLITE_LIMIT_LENGTH, LENGTH);
    e->limit(side->db, SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 100);
    e->set_authorizer(side->db, authorize, 0);
    side->ticks = TICKS;
    e->progress_handler(side->db, TICK, tick, &side->ticks);
}

static int by_text(const void *left, const void *right) { return strcmp(*(char *const *)left, *(char *const *)right); }

// Runs the first statement from `text`. Returns whether it succeeds. Then `answer` has its rows, sorted, one a line.
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
            for (int j = 0; type != SQLITE_FLOAT && bytes && j < e->column_bytes(statement, i); j++) {
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
