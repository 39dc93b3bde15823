// Lua 5.4.0: compiles a chunk and runs it.
//
// grammar: grammars/lua.ebnf
// package: lua-src
// include: lua-5.4.0
// sources: lua-5.4.0/lapi.c lua-5.4.0/lauxlib.c lua-5.4.0/lbaselib.c lua-5.4.0/lcode.c lua-5.4.0/lcorolib.c lua-5.4.0/lctype.c lua-5.4.0/ldebug.c lua-5.4.0/ldo.c lua-5.4.0/ldump.c lua-5.4.0/lfunc.c lua-5.4.0/lgc.c lua-5.4.0/llex.c lua-5.4.0/lmathlib.c lua-5.4.0/lmem.c lua-5.4.0/lobject.c lua-5.4.0/lopcodes.c lua-5.4.0/lparser.c lua-5.4.0/lstate.c lua-5.4.0/lstring.c lua-5.4.0/lstrlib.c lua-5.4.0/ltable.c lua-5.4.0/ltablib.c lua-5.4.0/ltm.c lua-5.4.0/lundump.c lua-5.4.0/lutf8lib.c lua-5.4.0/lvm.c lua-5.4.0/lzio.c
// flags: -Dluai_makeseed(L)=0
//
// A text is valid when it compiles and runs without an error, as in fuzz/subjects/src/lua.rs, which has a newer Lua. Each run has a
// state of its own, with the libraries that have no effect outside of it. Instructions are counted and memory is limited. A library
// function that could loop for long without executing an instruction is charged for its instructions beforehand. Hashes are seeded
// with a constant, so that runs of the same text are the same.

#include <stdlib.h>
#include <string.h>

#include "lua.h"

#include "lauxlib.h"
#include "lstate.h"
#include "lualib.h"
#include "zester.h"

// Limits of a run: instructions, which library functions also pay; instructions between two checks; bytes in use; bytes allocated
// in all.
// A garbage collection costs an instruction for each COLLECTED bytes in use.
enum { FUEL = 30000, STEP = 100, MEMORY = 4 << 20, ALLOCATED = 64 << 20, COLLECTED = 512 };

// The remaining limits of a run.
typedef struct {
    lua_Unsigned fuel;
    size_t memory, allocated;
} Limits;

// Returns the cost of a full garbage collection.
static lua_Unsigned collection(const Limits *limits) {
    return STEP + (MEMORY - limits->memory) / COLLECTED;
}

static void *allocate(void *ud, void *block, size_t old, size_t new) {
    Limits *limits = ud;
    // If there is no block, `old` is not a size but the type of the new object.
    if (!block) old = 0;
    size_t more = new > old ? new - old : 0;
    if (more > limits->memory || more > limits->allocated) {
        // Lua collects garbage and tries again.
        lua_Unsigned cost = collection(limits);
        limits->fuel -= cost < limits->fuel ? cost : limits->fuel;
        return NULL;
    }
    if (new == 0) {
        free(block);
        block = NULL;
    } else {
        block = realloc(block, new);
        if (!block) return NULL;
    }
    limits->memory = limits->memory + old - new;
    limits->allocated -= more;
    return block;
}

static int fail(lua_State *state, const char *message) {
    lua_pushstring(state, message);
    return lua_error(state);
}

static void tick(lua_State *state, lua_Debug *unused);

// Takes fuel, or raises an error if there is too little. From then on, every instruction of the thread raises an error, so that code
// that catches the error does not continue.
static void pay(lua_State *state, lua_Unsigned cost) {
    Limits *limits;
    lua_getallocf(state, (void **)&limits);
    if (cost <= limits->fuel) {
        limits->fuel -= cost;
        return;
    }
    limits->fuel = 0;
    lua_sethook(state, tick, LUA_MASKCOUNT, 1);
    // Lua switches hooks off while a hook runs. After an error in the hook they stay off in the message handler of xpcall, in a
    // coroutine that the error ends, and in 5.4.0 while a pcall of a coroutine closes variables. An endless loop there, such as in
    // a `__close` metamethod, would never end.
    state->allowhook = 1;
    fail(state, "zester: out of fuel");
}

static void tick(lua_State *state, lua_Debug *unused) {
    (void)unused;
    pay(state, STEP);
}

static lua_Integer integer(lua_State *state, int index, lua_Integer otherwise) {
    int is_integer;
    lua_Integer value = lua_tointegerx(state, index, &is_integer);
    return is_integer ? value : otherwise;
}

// Returns the length of a string argument. A number has at most 20 characters.
static size_t bytes(lua_State *state, int index) {
    size_t length = 20;
    if (lua_type(state, index) == LUA_TSTRING) lua_tolstring(state, index, &length);
    return length;
}

// Returns `last - first`, or 0 if that is negative.
static lua_Unsigned distance(lua_Integer first, lua_Integer last) {
    return first < last ? (lua_Unsigned)last - (lua_Unsigned)first : 0;
}

// Each of the following functions returns the cost of a library function with its arguments, in instructions. They may change the
// arguments or raise an error.

static lua_Unsigned cost_collect(lua_State *state) {
    Limits *limits;
    lua_getallocf(state, (void **)&limits);
    return collection(limits);
}

// Makes `load` accept text only, because Lua does not check binary chunks.
static lua_Unsigned cost_text(lua_State *state) {
    if (lua_gettop(state) < 3) lua_settop(state, 3);
    lua_pushstring(state, "t");
    lua_replace(state, 3);
    return STEP;
}

// Refuses finalizers: they run without hooks, so an endless loop in a finalizer would never end.
static lua_Unsigned cost_metatable(lua_State *state) {
    if (lua_type(state, 2) == LUA_TTABLE) {
        lua_pushstring(state, "__gc");
        if (lua_rawget(state, 2) != LUA_TNIL) fail(state, "zester: no finalizers");
        lua_pop(state, 1);
    }
    return 1;
}

// Charges for each element of a table. The result of a `__len` metamethod has no bound.
static lua_Unsigned cost_length(lua_State *state) {
    if (lua_type(state, 1) != LUA_TTABLE) return 1;
    lua_len(state, 1);
    lua_Integer length = integer(state, -1, 0);
    lua_pop(state, 1);
    return length > 0 ? length : 0;
}

// Charges for each element of a range: `concat (list, sep, i, j)` and `move (a1, f, e, t)`. A separator may be a number; then a
// `concat` looks like a `move`, so the larger of both ranges is charged.
static lua_Unsigned cost_range(lua_State *state) {
    int is_move = lua_type(state, 2) == LUA_TNUMBER && lua_type(state, 4) == LUA_TNUMBER;
    int first = is_move ? 2 : 3, last = is_move ? 3 : 4;
    lua_Integer otherwise = lua_type(state, last) == LUA_TNUMBER ? 0 : (lua_Integer)cost_length(state);
    lua_Unsigned range = distance(integer(state, first, 1), integer(state, last, otherwise));
    lua_Unsigned other = is_move ? distance(integer(state, 3, 1), integer(state, 4, 0)) : 0;
    return range > other ? range : other;
}

// Charges for backtracking: each quantifier of a pattern may try every length at every position. The cost is the number of ways to choose
// a start and an end for each quantifier in the text. A step of the matcher costs less than an instruction.
static lua_Unsigned cost_pattern(lua_State *state) {
    double length = bytes(state, 1), ways = 1 + length / 16;
    if (lua_type(state, 2) != LUA_TSTRING) return ways;
    size_t size;
    const char *pattern = lua_tolstring(state, 2, &size);
    for (int chosen = 0; size > 0; pattern++, size--) {
        if (*pattern && strchr("*+-?", *pattern)) {
            chosen++;
            ways *= (length + chosen) / chosen;
        }
    }
    return ways < 1e18 ? ways : 1e18;
}

// Charges for the length of the result of `rep (s, n, sep)`.
static lua_Unsigned cost_repeat(lua_State *state) {
    lua_Integer times = integer(state, 2, 0);
    lua_Unsigned each = 1 + (bytes(state, 1) + bytes(state, 3)) / 64;
    if (times <= 0) return 0;
    return (lua_Unsigned)times > FUEL ? FUEL + 1 : (lua_Unsigned)times * each;
}

// Defines a function that charges and then calls the guarded function within the same Lua call, so that it finds its arguments and
// its name. None of the guarded functions has upvalues.
#define GUARD(name)                                                          \
    static int guard_##name(lua_State *state) {                              \
        lua_CFunction guarded = lua_tocfunction(state, lua_upvalueindex(1)); \
        pay(state, cost_##name(state));                                      \
        return guarded(state);                                               \
    }
GUARD(collect)
GUARD(text)
GUARD(metatable)
GUARD(length)
GUARD(range)
GUARD(pattern)
GUARD(repeat)

// Replaces `print`: converts its arguments to strings and prints nothing.
static int print(lua_State *state) {
    for (int index = 1, last = lua_gettop(state); index <= last; index++) {
        luaL_tolstring(state, index, NULL);
        lua_pop(state, 1);
    }
    return 0;
}

// Replaces `math.randomseed`: without arguments, it seeds with 1 instead of the time.
static int randomseed(lua_State *state) {
    if (lua_gettop(state) == 0) lua_pushinteger(state, 1);
    lua_pushvalue(state, lua_upvalueindex(1));
    lua_insert(state, 1);
    lua_call(state, lua_gettop(state) - 1, LUA_MULTRET);
    return lua_gettop(state);
}

// Functions that replace library functions, and have the replaced function as their upvalue.
static const struct {
    const char *library, *name;
    lua_CFunction guard;
} GUARDS[] = {
    { "_G", "collectgarbage", guard_collect },
    { "_G", "load", guard_text },
    { "_G", "print", print },
    { "_G", "setmetatable", guard_metatable },
    { "table", "concat", guard_range },
    { "table", "insert", guard_length },
    { "table", "move", guard_range },
    { "table", "remove", guard_length },
    { "table", "sort", guard_length },
    { "table", "unpack", guard_length },
    { "string", "find", guard_pattern },
    { "string", "gmatch", guard_pattern },
    { "string", "gsub", guard_pattern },
    { "string", "match", guard_pattern },
    { "string", "rep", guard_repeat },
    { "math", "randomseed", randomseed },
};

// Opens the libraries, and guards the functions that could take long or have an effect outside of the state.
static void open_libraries(lua_State *state) {
    static const luaL_Reg LIBRARIES[] = {
        { "_G", luaopen_base },       { "coroutine", luaopen_coroutine }, { "table", luaopen_table },
        { "string", luaopen_string }, { "utf8", luaopen_utf8 },           { "math", luaopen_math },
    };
    for (size_t i = 0; i < sizeof LIBRARIES / sizeof *LIBRARIES; i++) {
        luaL_requiref(state, LIBRARIES[i].name, LIBRARIES[i].func, 1);
        for (size_t j = 0; j < sizeof GUARDS / sizeof *GUARDS; j++) {
            if (strcmp(GUARDS[j].library, LIBRARIES[i].name) != 0) continue;
            lua_getfield(state, -1, GUARDS[j].name);
            lua_pushcclosure(state, GUARDS[j].guard, 1);
            lua_setfield(state, -2, GUARDS[j].name);
        }
        lua_settop(state, 0);
    }
    lua_pushnil(state);
    lua_setglobal(state, "dofile");
    lua_pushnil(state);
    lua_setglobal(state, "loadfile");
    lua_setwarnf(state, NULL, NULL);
    lua_getglobal(state, "math");
    lua_getfield(state, -1, "randomseed");
    lua_call(state, 0, 0);
    lua_settop(state, 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const char *text;
    size_t length;
    Limits limits = { FUEL, MEMORY, ALLOCATED };
    zester_decode(data, size, &text, &length);
    lua_State *state = lua_newstate(allocate, &limits);
    // Opening the libraries takes a hundredth of the memory.
    if (!state) __builtin_trap();
    open_libraries(state);
    int status = luaL_loadbufferx(state, text, length, "=z", "t");
    lua_sethook(state, tick, LUA_MASKCOUNT, STEP);
    if (status == LUA_OK) status = lua_pcall(state, 0, 0, 0);
    if (status != LUA_OK) zester_report_reason(lua_tostring(state, -1));
    lua_close(state);
    zester_report(status == LUA_OK ? ZESTER_VALID : ZESTER_INVALID);
    return 0;
}
