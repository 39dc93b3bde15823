//! Stacks of crashes, read from the output of a program: backtraces of Rust and reports of
//! sanitizers.

use super::signature::{crate_path, frame, is_harness, is_runtime};
use super::symbols::without_hash;

/// A function on the stack of a crash.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub struct StackFrame {
    /// The name of the function, or the name of the module and an offset, such as `calc+0x17`, if
    /// the program has no symbols.
    pub function: String,
    /// The source file as the program printed it, or an empty text.
    pub file: String,
    /// The line in the source file, or 0.
    pub line: u32,
    /// The column in the line, or 0.
    pub column: u32,
}

/// Parts of the paths of source files of standard libraries and sanitizers.
const RUNTIMES: [&str; 8] = [
    "/rustc/",
    "/rustlib/src/rust/library/",
    "/compiler-rt/lib/",
    "/include/c++/",
    "/glibc-",
    "sysdeps/",
    "/sanitizer_common/",
    "/libc++",
];

/// Directories of glibc. Its debug information has relative paths.
const LIBC: [&str; 6] = ["assert/", "csu/", "malloc/", "nptl/", "signal/", "stdlib/"];

/// Modules whose functions have no source file: shared standard libraries.
const MODULES: [&str; 5] = [
    "/libc.so",
    "/libpthread",
    "/libstdc++",
    "/libm.so",
    "/ld-linux",
];

/// The owner of a function on a stack: the user, a dependency, or a runtime.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameOwner {
    /// A standard library or the runtime of a sanitizer.
    Runtime,
    /// A crate of cargo's registry or of a Git repository.
    Dependency,
    /// Any other code. It counts as the user's program.
    User,
}

impl StackFrame {
    /// Returns the frame of a function at a location such as `/w/file.c:3:4`.
    pub fn at(function: &str, location: &str) -> StackFrame {
        // A path may contain a colon, so numbers are taken from the end.
        let (mut file, mut numbers) = (location, Vec::new());
        while numbers.len() < 2 {
            let Some((before, found)) = file
                .rsplit_once(':')
                .and_then(|(before, last)| Some((before, last.parse::<u32>().ok()?)))
            else {
                break;
            };
            numbers.insert(0, found);
            file = before;
        }
        StackFrame {
            function: function.into(),
            file: file.into(),
            line: numbers.first().copied().unwrap_or(0),
            column: numbers.get(1).copied().unwrap_or(0),
        }
    }

    /// Returns whether the function belongs to the harness. The debug information of an inlined
    /// function may contain its name without the name of its crate.
    fn is_harness(&self) -> bool {
        is_harness(&self.function)
            || self.function == "execute" && self.file.ends_with("/src/hooks/execute.rs")
    }

    /// Returns whether the function belongs to [`fail`](crate::fail) or to an oracle of zester.
    fn is_fail(&self) -> bool {
        self.function.starts_with("zester::hooks::failure::")
            || self.function.starts_with("zester::oracle::")
            || ["zester_fail", "zester_same", "zester_c_same"].contains(&&*self.function)
            || self.file.ends_with("/src/hooks/failure.rs")
    }

    /// Returns the owner of the function.
    pub fn owner(&self) -> FrameOwner {
        let has = |part: &str| self.file.contains(part);
        if is_runtime(&self.function)
            || RUNTIMES.iter().any(|part| has(part))
            || LIBC.iter().any(|directory| {
                let path = self.file.trim_start_matches("./");
                path.starts_with(directory)
            })
        {
            FrameOwner::Runtime
        } else if has("/registry/src/") || has("/.cargo/git/checkouts/") {
            FrameOwner::Dependency
        } else {
            FrameOwner::User
        }
    }

    /// Returns the source file without the leading directories that differ between machines: those
    /// of cargo's registry, of the standard library, or of the output of a build script.
    pub fn path(&self) -> &str {
        let path = crate_path(&self.file);
        path.strip_prefix("./").unwrap_or(path)
    }
}

/// Returns the stack of the first crash in the output of a program, the innermost function first.
/// The result ends before the first function of the harness, which calls the program under test.
/// Functions of zester that report a failure are omitted, too. The result is empty if the output
/// has no stack.
///
/// # Examples
///
/// ```
/// use zester::subject::stack;
///
/// let output = "==5==ERROR: AddressSanitizer: SEGV on unknown address\n    \
///               #0 0x4a2 in sum(int) /w/calc.c:54:40\n    #1 0x55 in main /w/calc.c:80:1\n";
/// let frames = stack(output);
/// assert_eq!((&frames[0].function[..], frames[0].line), ("sum", 54));
/// assert_eq!(frames[1].path(), "/w/calc.c");
/// ```
pub fn stack(printed: &str) -> Vec<StackFrame> {
    let mut lines = printed.lines().peekable();
    let mut frames = Vec::new();
    while let Some(line) = lines.next() {
        if line.trim_end() == "stack backtrace:" {
            while let Some(function) = lines.next().and_then(backtrace_function) {
                let location = lines
                    .next_if(|line| line.trim_start().starts_with("at "))
                    .map_or("", |line| line.trim_start().trim_start_matches("at "));
                frames.push(StackFrame::at(function, location));
            }
            break;
        }
        if frame(line).is_some() {
            frames.extend(sanitizer_frame(line));
            while let Some(line) = lines.next_if(|line| frame(line).is_some()) {
                frames.extend(sanitizer_frame(line));
            }
            break;
        }
    }
    frames.retain(|frame| !frame.is_fail());
    let own = frames.iter().position(StackFrame::is_harness);
    frames.truncate(own.unwrap_or(frames.len()));
    frames
}

/// Returns the function of a line such as `   3: naga::front::parse` in a backtrace.
fn backtrace_function(line: &str) -> Option<&str> {
    let (number, function) = line.trim_start().split_once(": ")?;
    number.parse::<u32>().ok()?;
    Some(without_hash(function))
}

/// Returns the frame of a line such as `#0 0x12ab in function(int) /w/file.c:3:4`. Returns [`None`]
/// for a function of a shared standard library.
fn sanitizer_frame(line: &str) -> Option<StackFrame> {
    let function = frame(line)?;
    if MODULES.iter().any(|module| line.contains(module)) {
        return None;
    }
    let (_, named) = line.split_once(" in ").unwrap_or_default();
    if let Some(at) = named.find(" /") {
        return Some(StackFrame::at(function, &named[at + 1..]));
    }
    // A relative path has a line. Without a line, the last word may be a part of the function.
    let relative = named
        .rsplit_once(' ')
        .map(|(_, location)| StackFrame::at("", location))
        .filter(|frame| frame.line > 0);
    let mut found = relative.unwrap_or_else(|| StackFrame::at("", ""));
    found.function = function.split(' ').next().unwrap_or_default().into();
    if found.file.is_empty() {
        found.function = function.into();
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_backtrace_of_rust_ends_at_the_harness() {
        let printed = "thread 'main' (7) panicked at src/a.rs:1:2:\nmessage: 3\nstack backtrace:\n   \
                       0: __rustc::rust_begin_unwind\n             at /rustc/5980/library/std/src/panicking.rs:698:5\n   \
                       1: naga::valid::check\n             at /root/.cargo/registry/src/index-19/naga-30.0.1/src/valid.rs:7:9\n   \
                       2: <T as core::convert::Into<U>>::into\n             at /rustc/5980/library/core/src/convert/mod.rs:7:9\n   \
                       3: my::run::h0123456789abcdef\n             at ./src/a.rs:12:5\n   4: zester::hooks::run\n   5: main\nnote: Some";
        let frames = stack(printed);
        let owners: Vec<FrameOwner> = frames.iter().map(StackFrame::owner).collect();
        assert_eq!(
            owners,
            [
                FrameOwner::Runtime,
                FrameOwner::Dependency,
                FrameOwner::Runtime,
                FrameOwner::User
            ]
        );
        assert_eq!(frames[1].path(), "naga-30.0.1/src/valid.rs");
        assert_eq!(
            (&frames[3].function[..], frames[3].path(), frames[3].line),
            ("my::run", "src/a.rs", 12)
        );
    }

    #[test]
    fn an_inlined_function_of_the_harness_ends_a_stack() {
        let printed = "stack backtrace:\n   0: run\n             at /w/src/hooks/execute.rs:2:1\n   \
                       1: execute\n             at /w/zester-0.1.0/src/hooks/execute.rs:66:16\n   2: run\n";
        assert_eq!(stack(printed).len(), 1);
    }

    #[test]
    fn only_the_first_stack_of_a_report_counts() {
        let printed = "==5==ERROR: AddressSanitizer: heap-use-after-free on address 0x1\nREAD of size 1\n    \
                       #0 0x4a2 in __asan_memcpy (/x/calc+0x4a2)\n    #1 0x55 in behind(Reader*, long) /w/a:b/calc.c:54\n\n\
                       freed by thread T0 here:\n    #0 0x1 in free (/x/calc+0x1)\n";
        let frames = stack(printed);
        assert_eq!(frames.len(), 2);
        assert_eq!(frames[0].owner(), FrameOwner::Runtime);
        assert_eq!(
            (
                &frames[1].file[..],
                frames[1].line,
                frames[1].column,
                frames[1].owner()
            ),
            ("/w/a:b/calc.c", 54, 0, FrameOwner::User)
        );
        assert_eq!(stack("no stack"), []);
    }

    #[test]
    fn functions_of_the_c_library_belong_to_no_user() {
        let printed = "    #0 0x7f in __pthread_kill_implementation nptl/pthread_kill.c:44:76\n    \
                       #1 0x7f in raise signal/../sysdeps/posix/raise.c:26:13\n    #2 0x7f in __assert_fail_base (/lib/x86_64-linux-gnu/libc.so.6+0x2871a) (BuildId: 1a)\n    \
                       #3 0x55 in ns::check(int) const /w/calc.c:12:3\n    #4 0x55 in run calc.c:14:3\n    #5 0x55 in other (/x/calc+0x4a2)\n";
        let frames = stack(printed);
        let users: Vec<String> = frames
            .iter()
            .filter(|frame| frame.owner() == FrameOwner::User)
            .map(|frame| format!("{} {}:{}", frame.function, frame.file, frame.line))
            .collect();
        assert_eq!(
            users,
            ["ns::check /w/calc.c:12", "run calc.c:14", "other :0"]
        );
    }
}
