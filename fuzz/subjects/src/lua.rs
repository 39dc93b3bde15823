//! The subject `lua`: PUC-Rio's Lua 5.4.8, in C, compiles a chunk and runs it.
//!
//! A text is valid if it compiles and runs without an error. Each run has a state of its own, with
//! the libraries that have no effect outside of it. Instructions are counted and memory is limited.
//! A library function that could loop for long without executing an instruction is charged for its
//! cost beforehand. Two things vary between runs: printed addresses, and the order of `pairs`, because
//! Lua seeds its hashes with the time. `-Dluai_makeseed(L)=0` fixes the seed.

// Calls Lua's C API. An error in Lua jumps over the frames of the functions below, so none of them
// owns anything that must be dropped.
#![allow(unsafe_code)]

use mlua_sys::*;
use std::alloc::{Layout, alloc, dealloc, realloc};
use std::ffi::{CStr, c_int, c_void};
use std::{ptr, slice};

/// The maximum number of instructions of a run. Library functions are charged in instructions, too.
const FUEL: u64 = 30_000;

/// The number of instructions between two checks of the fuel.
const STEP: u64 = 100;

/// The maximum bytes in use at a time, and the maximum bytes allocated in all.
const MEMORY: usize = 4 << 20;
const ALLOCATED: usize = 64 << 20;

/// The maximum number of values of an outcome, and the maximum bytes of each.
const VALUES: usize = 500;
const VALUE: usize = 200;

/// The remaining limits of a run, and what it printed.
struct Limits {
    fuel: u64,
    memory: usize,
    allocated: usize,
    printed: Vec<String>,
}

/// A garbage collection costs an instruction for this many bytes in use.
const COLLECTED: usize = 512;

impl Limits {
    /// The cost of a full garbage collection.
    fn collection(&self) -> u64 {
        STEP + ((MEMORY - self.memory) / COLLECTED) as u64
    }
}

/// The prefix of the compiler's messages.
const COMPILE: &str = "compile: ";

/// Compiles the text and runs it.
pub fn run(text: &str) -> Result<(), String> {
    outcome(text).map(drop)
}

/// Compiles the text and runs it. Returns the values that it printed, and then those of its global
/// variables, in the order of their text: the names of variables and the order of `pairs` are not
/// part of the outcome.
pub fn outcome(text: &str) -> Result<String, String> {
    let mut limits = Limits {
        fuel: FUEL,
        memory: MEMORY,
        allocated: ALLOCATED,
        printed: Vec::new(),
    };
    // SAFETY: the limits outlive the state, which is closed below. Until the first protected call
    // nothing raises an error: opening the libraries takes a hundredth of the memory. The message
    // is copied before the state is closed.
    unsafe {
        let state = lua_newstate(allocate, ptr::from_mut(&mut limits).cast());
        assert!(!state.is_null(), "a new state fits the memory");
        let head = &*state.cast::<StateHead>();
        assert!(
            head.kind == LUA_TTHREAD as u8 && head.allows_hooks == 1,
            "the fields of Lua's states have moved"
        );
        open(state);
        let loaded = luaL_loadbufferx(
            state,
            text.as_ptr().cast(),
            text.len(),
            c"=z".as_ptr(),
            c"t".as_ptr(),
        );
        lua_sethook(state, Some(tick), LUA_MASKCOUNT, STEP as c_int);
        let outcome = match loaded {
            LUA_OK => match lua_pcall(state, 0, 0, 0) {
                LUA_OK => Ok(globals(state)),
                _ => Err(message(state)),
            },
            LUA_ERRSYNTAX => Err(COMPILE.to_owned() + &message(state)),
            _ => Err(message(state)),
        };
        lua_close(state);
        limits.printed.sort_unstable();
        outcome.map(|mut globals| {
            globals.sort_unstable();
            limits.printed.append(&mut globals);
            limits.printed.join("\n")
        })
    }
}

/// Returns the values of the global variables that are no tables, functions or threads.
///
/// # Safety
///
/// The stack must have three free slots.
unsafe fn globals(state: *mut lua_State) -> Vec<String> {
    let mut values = Vec::new();
    // SAFETY: nothing here calls a metamethod or allocates memory of Lua, so nothing raises an error.
    // The keys of the table are not changed.
    unsafe {
        lua_rawgeti(state, LUA_REGISTRYINDEX, LUA_RIDX_GLOBALS);
        lua_pushnil(state);
        while values.len() < VALUES && lua_next(state, -2) != 0 {
            match lua_type(state, -1) {
                LUA_TBOOLEAN => values.push((lua_toboolean(state, -1) != 0).to_string()),
                LUA_TNUMBER if lua_isinteger(state, -1) != 0 => {
                    values.push(integer(state, -1, 0).to_string());
                }
                LUA_TNUMBER => values.push(format!("{:?}", lua_tonumber(state, -1))),
                LUA_TSTRING => values.push(value_text(string(state, -1))),
                _ => (),
            }
            lua_settop(state, -2);
        }
        lua_settop(state, 0);
    }
    values
}

/// Returns the text of a value without what depends on the positions of tokens, on the names of
/// variables, on addresses, and on the sign of a NaN.
fn value_text(bytes: &[u8]) -> String {
    let text = bytes.escape_ascii().to_string().replace("-nan", "nan");
    // Messages of errors, and compiled functions.
    if ["z:", "[string ", "\\x1bLua"]
        .iter()
        .any(|start| text.contains(start))
    {
        return "?".into();
    }
    let mut parts = text.split("0x");
    let mut written = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let digits = part.bytes().take_while(u8::is_ascii_hexdigit).count();
        let is_address = digits >= 8;
        written += if is_address { "address" } else { "0x" };
        written += &part[if is_address { digits } else { 0 }..];
    }
    written.truncate(VALUE);
    written
}

/// Returns the message on top of the stack: Lua's quotations in backquotes, and the line number at
/// the end.
///
/// # Safety
///
/// The stack must not be empty.
unsafe fn message(state: *mut lua_State) -> String {
    // SAFETY: the string stays on the stack while it is read. Only strings are asked for, so
    // nothing is converted.
    let message = unsafe {
        if lua_type(state, -1) != LUA_TSTRING {
            return format!(
                "an error that is a {}",
                CStr::from_ptr(luaL_typename(state, -1)).to_string_lossy()
            );
        }
        String::from_utf8_lossy(string(state, -1)).replace('\'', "`")
    };
    match message
        .strip_prefix("z:")
        .and_then(|placed| placed.split_once(": "))
    {
        Some((line, message)) => format!("{message} at line {line}"),
        None => message,
    }
}

/// Returns the string at an index, which must hold a string. The result is valid while the string
/// stays on the stack.
unsafe fn string<'a>(state: *mut lua_State, index: c_int) -> &'a [u8] {
    let mut length = 0;
    // SAFETY: strings of Lua know their length; empty ones are no null pointers.
    unsafe {
        let start = lua_tolstring(state, index, &raw mut length);
        slice::from_raw_parts(start.cast(), length)
    }
}

/// Lua's allocator: that of this process, within the limits.
unsafe extern "C" fn allocate(
    limits: *mut c_void,
    block: *mut c_void,
    old: usize,
    new: usize,
) -> *mut c_void {
    // SAFETY: Lua passes what it was given at first, a block of this function's, and that block's
    // size. Without a block, `old` is not a size but the type of the new object.
    unsafe {
        let limits = &mut *limits.cast::<Limits>();
        let old = if block.is_null() { 0 } else { old };
        let layout = |size| Layout::from_size_align(size, 16).expect("no more than the limit");
        let more = new.saturating_sub(old);
        if more > limits.memory || more > limits.allocated {
            // Lua collects garbage and tries again.
            limits.fuel = limits.fuel.saturating_sub(limits.collection());
            return ptr::null_mut();
        }
        limits.memory = limits.memory + old - new;
        limits.allocated -= more;
        match (old, new) {
            (0, 0) => ptr::null_mut(),
            (0, _) => alloc(layout(new)).cast(),
            (_, 0) => {
                dealloc(block.cast(), layout(old));
                ptr::null_mut()
            }
            _ => realloc(block.cast(), layout(old), new).cast(),
        }
    }
}

/// The hook that Lua calls after every [`STEP`] instructions, or after each one without fuel.
unsafe extern "C-unwind" fn tick(state: *mut lua_State, _: *mut lua_Debug) {
    // SAFETY: a hook may raise errors.
    unsafe { pay(state, STEP) }
}

/// Takes fuel, or raises an error if there is too little. After that, every instruction of the
/// thread raises an error, so that code that catches the error cannot continue.
unsafe fn pay(state: *mut lua_State, cost: u64) {
    // SAFETY: the limits are those given to `lua_newstate`, and nothing else refers to them now.
    unsafe {
        let mut limits = ptr::null_mut();
        lua_getallocf(state, &raw mut limits);
        let limits = &mut *limits.cast::<Limits>();
        match limits.fuel.checked_sub(cost) {
            Some(rest) => limits.fuel = rest,
            None => {
                limits.fuel = 0;
                lua_sethook(state, Some(tick), LUA_MASKCOUNT, 1);
                allow_hooks(state);
                raise(state, c"zester: out of fuel");
            }
        }
    }
}

/// The first fields of Lua 5.4's `lua_State` (lstate.h).
#[repr(C)]
struct StateHead {
    next: *mut c_void,
    kind: u8,
    marked: u8,
    status: u8,
    allows_hooks: u8,
}

/// Switches hooks on inside of a hook, before it raises an error.
///
/// Lua switches hooks off while a hook runs. After an error in the hook they stay off in the
/// message handler of `xpcall`, and in a coroutine that the error ends. An endless loop in the
/// handler, or in a `__close` metamethod of the coroutine, would never end. Lua has no function
/// that switches hooks on.
///
/// # Safety
///
/// The state must be one of Lua 5.4.
unsafe fn allow_hooks(state: *mut lua_State) {
    // SAFETY: every state begins with these fields.
    unsafe { (*state.cast::<StateHead>()).allows_hooks = 1 }
}

unsafe fn raise(state: *mut lua_State, message: &CStr) {
    // SAFETY: called by functions that Lua called, which may raise errors.
    unsafe {
        lua_pushstring(state, message.as_ptr());
        lua_error(state);
    }
}

/// Opens the libraries, and guards the functions that could take long or have an effect outside of
/// the state.
unsafe fn open(state: *mut lua_State) {
    const LIBRARIES: [(&CStr, lua_CFunction); 6] = [
        (c"_G", luaopen_base),
        (c"coroutine", luaopen_coroutine),
        (c"table", luaopen_table),
        (c"string", luaopen_string),
        (c"utf8", luaopen_utf8),
        (c"math", luaopen_math),
    ];
    // SAFETY: the state is new, and each call leaves the stack as it was or with what the next one
    // takes.
    unsafe {
        for (name, library) in LIBRARIES {
            luaL_requiref(state, name.as_ptr(), library, 1);
            for (_, function, guard) in GUARDS.iter().filter(|(of, _, _)| *of == name) {
                lua_getfield(state, -1, function.as_ptr());
                lua_pushcclosure(state, *guard, 1);
                lua_setfield(state, -2, function.as_ptr());
            }
            lua_settop(state, 0);
        }
        for name in [c"dofile", c"loadfile"] {
            lua_pushnil(state);
            lua_setglobal(state, name.as_ptr());
        }
        lua_setwarnf(state, None, ptr::null_mut());
        lua_getglobal(state, c"math".as_ptr());
        lua_getfield(state, -1, c"randomseed".as_ptr());
        lua_call(state, 0, 0);
        lua_settop(state, 0);
    }
}

/// Functions that replace library functions, and have the replaced function as their upvalue.
const GUARDS: [(&CStr, &CStr, lua_CFunction); 16] = [
    (c"_G", c"collectgarbage", guard::<Collect>),
    (c"_G", c"load", guard::<Text>),
    (c"_G", c"print", print),
    (c"_G", c"setmetatable", guard::<NoFinalizer>),
    (c"table", c"concat", guard::<Range>),
    (c"table", c"insert", guard::<Length>),
    (c"table", c"move", guard::<Range>),
    (c"table", c"remove", guard::<Length>),
    (c"table", c"sort", guard::<Length>),
    (c"table", c"unpack", guard::<Length>),
    (c"string", c"find", guard::<Pattern>),
    (c"string", c"gmatch", guard::<Pattern>),
    (c"string", c"gsub", guard::<Pattern>),
    (c"string", c"match", guard::<Pattern>),
    (c"string", c"rep", guard::<Repeat>),
    (c"math", c"randomseed", randomseed),
];

/// The cost of calls of a library function, in instructions. `cost` computes it from the arguments. It
/// may change the arguments or raise an error.
trait Cost {
    unsafe fn cost(state: *mut lua_State) -> u64;
}

/// Charges the cost, then calls the guarded function within the same Lua call, so that it finds its
/// arguments and its name.
unsafe extern "C-unwind" fn guard<C: Cost>(state: *mut lua_State) -> c_int {
    // SAFETY: the function guarded has no upvalues and so misses none.
    unsafe {
        let function =
            lua_tocfunction(state, lua_upvalueindex(1)).expect("a function of a library");
        pay(state, C::cost(state));
        function(state)
    }
}

/// Returns an integer argument, or a default.
unsafe fn integer(state: *mut lua_State, index: c_int, otherwise: i64) -> i64 {
    let mut is_integer = 0;
    // SAFETY: any index may be asked for.
    let value = unsafe { lua_tointegerx(state, index, &raw mut is_integer) };
    if is_integer == 0 { otherwise } else { value }
}

/// Returns the length of a string argument. Numbers are short.
unsafe fn length(state: *mut lua_State, index: c_int) -> u64 {
    // SAFETY: any index may be asked for, and only strings are looked at.
    unsafe {
        if lua_type(state, index) == LUA_TSTRING {
            string(state, index).len() as u64
        } else {
            20
        }
    }
}

/// The cost of a full garbage collection.
struct Collect;

impl Cost for Collect {
    unsafe fn cost(state: *mut lua_State) -> u64 {
        // SAFETY: the limits are those given to `lua_newstate`, and nothing else refers to them now.
        unsafe {
            let mut limits = ptr::null_mut();
            lua_getallocf(state, &raw mut limits);
            (*limits.cast::<Limits>()).collection()
        }
    }
}

/// Makes `load` accept text only, because Lua does not check binary chunks.
struct Text;

impl Cost for Text {
    unsafe fn cost(state: *mut lua_State) -> u64 {
        // SAFETY: three arguments take no more stack than each function has.
        unsafe {
            if lua_gettop(state) < 3 {
                lua_settop(state, 3);
            }
            lua_pushstring(state, c"t".as_ptr());
            lua_replace(state, 3);
        }
        STEP
    }
}

/// Refuses finalizers: they run without hooks, so an endless loop in a finalizer would never end.
struct NoFinalizer;

impl Cost for NoFinalizer {
    unsafe fn cost(state: *mut lua_State) -> u64 {
        // SAFETY: the field of a table is looked up without metamethods.
        unsafe {
            if lua_type(state, 2) == LUA_TTABLE {
                lua_pushstring(state, c"__gc".as_ptr());
                if lua_rawget(state, 2) != LUA_TNIL {
                    raise(state, c"zester: no finalizers");
                }
                lua_settop(state, -2);
            }
        }
        1
    }
}

/// Charges for each element of a table. The result of a `__len` metamethod has no bound.
struct Length;

impl Cost for Length {
    unsafe fn cost(state: *mut lua_State) -> u64 {
        // SAFETY: asks for the length of a table only; the metamethod may raise errors.
        unsafe {
            if lua_type(state, 1) != LUA_TTABLE {
                return 1;
            }
            lua_len(state, 1);
            let length = integer(state, -1, 0);
            lua_settop(state, -2);
            length.max(0) as u64
        }
    }
}

/// Charges for each element of a range: `concat (list, sep, i, j)` and `move (a1, f, e, t)`.
struct Range;

impl Cost for Range {
    unsafe fn cost(state: *mut lua_State) -> u64 {
        // SAFETY: asks for integers and for the length of a table only; a metamethod may raise errors.
        unsafe {
            let is_move = lua_type(state, 2) == LUA_TNUMBER && lua_type(state, 4) == LUA_TNUMBER;
            let (first, last) = if is_move { (2, 3) } else { (3, 4) };
            let otherwise = if lua_type(state, last) == LUA_TNUMBER {
                0
            } else {
                Length::cost(state) as i64
            };
            let range = integer(state, last, otherwise).saturating_sub(integer(state, first, 1));
            // A separator may be a number; then a `concat` looks like a `move`, so both ranges
            // count.
            let other = if is_move {
                integer(state, 4, 0).saturating_sub(integer(state, 3, 1))
            } else {
                0
            };
            range.max(other).max(0) as u64
        }
    }
}

/// Charges for backtracking: each quantifier of a pattern may try every length at every position.
struct Pattern;

impl Cost for Pattern {
    unsafe fn cost(state: *mut lua_State) -> u64 {
        // SAFETY: only strings are looked at.
        unsafe {
            let length = length(state, 1) as f64;
            let pattern = if lua_type(state, 2) == LUA_TSTRING {
                string(state, 2)
            } else {
                b""
            };
            let quantifiers = pattern.iter().filter(|byte| b"*+-?".contains(byte)).count();
            // The number of ways to choose a start, and an end for each quantifier, in the text. A
            // step costs less than an instruction.
            let mut ways = 1.0 + length / 16.0;
            for chosen in 1..=quantifiers {
                ways *= (length + chosen as f64) / chosen as f64;
            }
            ways as u64
        }
    }
}

/// Charges for the length of the result of `rep (s, n, sep)`.
struct Repeat;

impl Cost for Repeat {
    unsafe fn cost(state: *mut lua_State) -> u64 {
        // SAFETY: only strings are looked at.
        unsafe {
            let bytes = length(state, 1) + length(state, 3);
            (integer(state, 2, 0).max(0) as u64).saturating_mul(1 + bytes / 64)
        }
    }
}

/// Replaces `print`: converts its arguments to strings, and keeps them for the outcome.
unsafe extern "C-unwind" fn print(state: *mut lua_State) -> c_int {
    // SAFETY: each string is taken off the stack again. The conversion may raise an error, and
    // nothing here owns anything then. The limits are those given to `lua_newstate`, and nothing
    // else refers to them now.
    unsafe {
        for index in 1..=lua_gettop(state) {
            luaL_tolstring(state, index, ptr::null_mut::<usize>());
            let mut limits = ptr::null_mut();
            lua_getallocf(state, &raw mut limits);
            let printed = &mut (*limits.cast::<Limits>()).printed;
            if printed.len() < VALUES {
                printed.push(value_text(string(state, -1)));
            }
            lua_settop(state, -2);
        }
    }
    0
}

/// Replaces `math.randomseed`: without arguments, it seeds with 1 instead of the time.
unsafe extern "C-unwind" fn randomseed(state: *mut lua_State) -> c_int {
    // SAFETY: calls the function guarded, which has an upvalue of its own, with all arguments.
    unsafe {
        if lua_gettop(state) == 0 {
            lua_pushinteger(state, 1);
        }
        lua_pushvalue(state, lua_upvalueindex(1));
        lua_insert(state, 1);
        lua_call(state, lua_gettop(state) - 1, LUA_MULTRET);
        lua_gettop(state)
    }
}

/// Parts of the compiler's messages about rules that no grammar expresses: names of labels and
/// attributes, scopes, and limits. They are from Lua 5.4.8, `lparser.c`, `lcode.c` and `ldo.c`.
const NOT_SYNTAX: [&str; 12] = [
    "attempt to assign to const variable",
    "no visible label",
    "already defined on line",
    "jumps into the scope of local",
    "break outside loop",
    "cannot use `...` outside a vararg function",
    "multiple to-be-closed variables in local list",
    "unknown attribute",
    "too many ", // … local variables (limit is 200) in …
    "C stack overflow",
    "function or expression needs too many registers",
    "control structure too long",
];

/// Returns whether a message of [`run`] means that Lua's grammar does not derive the text.
///
/// Lua compiles the whole chunk in one pass before it runs. A compile error that is not about
/// syntax says nothing about the text after its position. An error at run time means that the
/// syntax of the whole text is correct.
pub fn is_syntax_error(message: &str) -> bool {
    message.starts_with(COMPILE) && !NOT_SYNTAX.iter().any(|part| message.contains(part))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge;

    #[test]
    fn accepts_valid_texts() {
        judge::accepts(
            run,
            &[
                "",
                "local a <const>, b = 1, 'x' .. 0x1p4 print(a // 2 | 3, #b) -- done",
                "for i = 3, 1, -1 do if i == 2 then goto next end ::next:: end return 1, ...",
                "local t = setmetatable({}, {__index = function(t, k) return k .. k end}) assert(t.ab == 'abab')",
                "local c <close> = setmetatable({}, {__close = function() end}) assert(not pcall(error, {}))",
                "assert(('x'):rep(9):gsub('x', '%0y') == ('xy'):rep(9)) warn('@on') warn('x')",
                "for w in string.gmatch('a,b', '[^,]+') do assert(load('return ...')(w) == w) end",
                "local f = coroutine.wrap(function(a) coroutine.yield(a) end) assert(f(1) == 1)",
                "assert(table.concat({1, 2, 3}, ',', 2) == '2,3' and table.unpack(table.move({1, 2}, 1, 2, 2), 3) == 2)",
                "math.randomseed(1, 2) math.randomseed() assert(io == nil and os == nil and dofile == nil and require == nil)",
            ],
        );
    }

    #[test]
    fn outcomes_are_values() {
        let text = "b = 2.5 print('x', b, nil) c = 'z' .. tostring({}) d = -(0 / 0)";
        assert_eq!(
            outcome(text).unwrap(),
            "2.5\nnil\nx\n2.5\nLua 5.4\nNaN\nztable: address"
        );
        assert_eq!(
            outcome("getmetatable('').__tostring = error a = 'x' b = true").unwrap(),
            "Lua 5.4\ntrue\nx",
            "metamethods are not called after the run"
        );
        assert_eq!(
            outcome(" local _, e = pcall(error, 'z:1: no') print(e)").unwrap(),
            "?\nLua 5.4"
        );
    }

    #[test]
    fn rejects_by_syntax() {
        judge::rejects_by_syntax(
            run,
            is_syntax_error,
            &[
                "x",
                "x = ",
                "local 1",
                "f(",
                "'a",
                "[[",
                "--[[",
                "0x",
                "a.b:c = 1",
                "return 1 x = 2",
                "'\\q'",
                "\x1bLua",
            ],
        );
    }

    #[test]
    fn rejects_by_meaning() {
        let deep = "x = ".to_owned() + &"(".repeat(500) + "1" + &")".repeat(500);
        judge::rejects_by_meaning(
            run,
            is_syntax_error,
            &[
                "nothing()",
                "error({})",
                "goto a",
                "break",
                "local a <x> = 1",
                "x = 1 + {}",
                "::a:: ::a::",
                &deep,
            ],
        );
    }

    #[test]
    fn bounds_everything() {
        judge::rejects_by_meaning(
            run,
            is_syntax_error,
            &[
                "while true do end",
                "while true do pcall(function() while true do end end) end",
                "while true do coroutine.wrap(function() while true do end end)() end",
                "local t = {} while true do t[#t + 1] = t end",
                "local s = 'x' while true do s = s .. s end",
                "local function f() return pcall(f) end f() error()",
                "x = (''):rep(math.maxinteger)",
                "x = ('x'):rep(1e9)",
                "table.move({}, 1, math.maxinteger, 2)",
                "table.concat({}, 1, 1, math.maxinteger)",
                "table.insert(setmetatable({}, {__len = function() return math.maxinteger end}), 1, 1)",
                "x = ('a'):rep(99):find(('.-'):rep(9) .. 'b')",
                "setmetatable({}, {__gc = function() while true do end end})",
                "while true do collectgarbage() end",
                "local t = {} for i = 1, 1e4 do t[i] = {} end for i = 1, 100 do collectgarbage('collect') end",
                "while true do pcall(table.unpack, {}, 1, 9e5) end",
                "load(string.dump(function() end))()",
                "xpcall(error, function() error() end) while true do end",
                "xpcall(function() while true do end end, function() while true do end end)",
                concat!(
                    "local close = setmetatable({}, {__close = function() ::again:: goto again end}) ",
                    "local thread = coroutine.create(function() local c <close> = close while true do end end) ",
                    "coroutine.resume(thread) coroutine.close(thread) error()",
                ),
                concat!(
                    "local close = setmetatable({}, {__close = function() ::again:: goto again end}) ",
                    "pcall(coroutine.wrap(function() local c <close> = close while true do end end)) error()",
                ),
                concat!(
                    "local close = setmetatable({}, {__close = function() ::again:: goto again end}) ",
                    "coroutine.wrap(function() pcall(function() local c <close> = close while true do end end) end)()",
                ),
            ],
        );
    }
}
