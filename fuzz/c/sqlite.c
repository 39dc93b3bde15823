// SQLite 3.31.0: runs the statements of a text on an empty database in memory.
//
// grammar: grammars/sqlite.ebnf
// package: libsqlite3-sys
// include: sqlite3
// sources: sqlite3/sqlite3.c
// flags: -DSQLITE_THREADSAFE=0 -DSQLITE_ENABLE_JSON1 -DSQLITE_ENABLE_FTS4 -DSQLITE_ENABLE_RTREE -DSQLITE_TEMP_STORE=3 -DSQLITE_OMIT_LOAD_EXTENSION -DSQLITE_OMIT_LOOKASIDE -DSQLITE_DEFAULT_PCACHE_INITSZ=0
//
// A text is valid when it has no zero byte and at least one statement, and each statement is prepared and steps to its end without an
// error. A statement that runs for too long is interrupted, and memory is limited; both are errors. Runs of the same text are the
// same: the clock stands still, and random numbers begin anew. No file is ever opened.
//
// The extensions are those with which SQLite fuzzes itself (FUZZCHECK_OPT of its makefile). Assertions are off, as on OSS-Fuzz.
// Lookaside is off and pages are allocated one by one, so that a sanitizer sees each allocation.

#include <string.h>

#include "sqlite3.h"
#include "zester.h"

// Limits of a run: steps of the virtual machine, steps between two checks, bytes of memory, bytes of a value or a row, instructions of
// a statement.
enum { STEPS = 50000, TICK = 100, MEMORY = 64 << 20, LENGTH = 200000, INSTRUCTIONS = 25000 };

// The maximal length of a pattern, because patterns backtrack, and the maximal depth of triggers, because short statements can start
// many.
enum { PATTERN = 100, TRIGGERS = 50 };

static int tick(void *left) {
    return --*(int *)left < 0;
}

// Denies pragmas that change settings of the whole process, which later runs would see.
static int authorize(void *unused, int action, const char *first, const char *second, const char *third, const char *fourth) {
    static const char *const PRAGMAS[] = { "temp_store_directory", "data_store_directory", "hard_heap_limit", "soft_heap_limit" };
    (void)unused, (void)second, (void)third, (void)fourth;
    for (size_t i = 0; action == SQLITE_PRAGMA && i < sizeof PRAGMAS / sizeof *PRAGMAS; i++) {
        if (sqlite3_stricmp(first, PRAGMAS[i]) == 0) return SQLITE_DENY;
    }
    return SQLITE_OK;
}

// The operating system that SQLite sees: no files, constant random numbers, and a clock that stands still.
static int open_nothing(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *out) {
    (void)vfs, (void)name, (void)flags, (void)out;
    file->pMethods = 0;
    return SQLITE_CANTOPEN;
}

static int delete_nothing(sqlite3_vfs *vfs, const char *name, int sync) {
    (void)vfs, (void)name, (void)sync;
    return SQLITE_IOERR_DELETE;
}

static int randomness(sqlite3_vfs *vfs, int length, char *bytes) {
    (void)vfs;
    memset(bytes, 1, length);
    return length;
}

static int sleep_not(sqlite3_vfs *vfs, int microseconds) {
    (void)vfs;
    return microseconds;
}

// 2020-02-29 12:00, in milliseconds of the Julian day.
static int now(sqlite3_vfs *vfs, sqlite3_int64 *time) {
    (void)vfs;
    *time = 212449694400000;
    return SQLITE_OK;
}

// Initialises SQLite before the first run, so that this does not count as coverage of a sentence.
int LLVMFuzzerInitialize(int *argc, char ***argv) {
    static sqlite3_vfs vfs;
    zester_initialize(argc, argv);
    vfs = *sqlite3_vfs_find(0);
    vfs.zName = "nothing";
    vfs.xOpen = open_nothing;
    vfs.xDelete = delete_nothing;
    vfs.xRandomness = randomness;
    vfs.xSleep = sleep_not;
    vfs.xCurrentTimeInt64 = now;
    sqlite3_vfs_register(&vfs, 1);
    return 0;
}

// Opens an empty database with its limits. `left` is the number of checks before statements are interrupted.
static sqlite3 *open_database(int *left) {
    sqlite3 *db = 0;
    sqlite3_hard_heap_limit64(MEMORY);
    sqlite3_randomness(0, 0);
    if (sqlite3_open_v2(":memory:", &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_MEMORY, 0) != SQLITE_OK) {
        __builtin_trap();
    }
    sqlite3_limit(db, SQLITE_LIMIT_LENGTH, LENGTH);
    sqlite3_limit(db, SQLITE_LIMIT_VDBE_OP, INSTRUCTIONS);
    sqlite3_limit(db, SQLITE_LIMIT_LIKE_PATTERN_LENGTH, PATTERN);
    sqlite3_limit(db, SQLITE_LIMIT_TRIGGER_DEPTH, TRIGGERS);
    sqlite3_limit(db, SQLITE_LIMIT_WORKER_THREADS, 0);
    sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)0);
    sqlite3_set_authorizer(db, authorize, 0);
    sqlite3_progress_handler(db, TICK, tick, left);
    return db;
}

// Steps a statement to its end, and reads all values of all rows.
static int run(sqlite3_stmt *statement) {
    int outcome;
    while ((outcome = sqlite3_step(statement)) == SQLITE_ROW) {
        for (int column = 0; column < sqlite3_data_count(statement); column++) {
            sqlite3_column_text(statement, column);
            sqlite3_column_bytes(statement, column);
        }
    }
    sqlite3_finalize(statement);
    return outcome == SQLITE_DONE;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const char *text;
    size_t length;
    int left = STEPS / TICK, statements = 0, valid = 1;
    zester_decode(data, size, &text, &length);
    const char *end = text + length;
    sqlite3 *db = open_database(&left);
    while (valid && text < end) {
        sqlite3_stmt *statement = 0;
        const char *next = text;
        valid = sqlite3_prepare_v2(db, text, end - text, &statement, &next) == SQLITE_OK;
        if (statement) {
            valid = run(statement);
            statements++;
        }
        if (!valid) zester_report_reason(sqlite3_errmsg(db));
        // SQLite reads up to a zero byte and stays there.
        if (next == text) {
            valid = 0;
            zester_report_reason("a zero byte");
        }
        text = next;
    }
    if (sqlite3_close(db) != SQLITE_OK) __builtin_trap();
    if (valid && statements == 0) zester_report_reason("no statement");
    zester_report(valid && statements > 0 ? ZESTER_VALID : ZESTER_INVALID);
    return 0;
}
