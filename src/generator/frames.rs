//! Finds the calls that are active at a draw, with the unwinder of the platform.
//!
//! The unwinder is the one that panics use (Itanium C++ ABI, *Exception Handling*, level 1), so
//! every Rust program on Unix contains it. On other platforms no calls are found, and traces have
//! no regions.

#[cfg(unix)]
use std::ffi::c_void;

/// An active call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallFrame {
    /// The address of the stack frame. Calls at one time have different addresses.
    pub address: usize,
    /// The address of the instruction to which the inner call returns.
    pub site: usize,
    /// The address of the function.
    pub function: usize,
}

/// The maximum number of active calls that are found.
const MAX_FRAMES: usize = 512;

/// Overwrites `frames` with the active calls, innermost first. The first calls are those of this
/// module. Stops after the call whose frame has the address `last`.
#[cfg(unix)]
#[inline(never)]
pub fn active(frames: &mut Vec<CallFrame>, last: usize) {
    frames.clear();
    let mut search = Search { frames, last };
    // SAFETY: the callback must expect the pointer that is passed on to it, and must not unwind.
    // `visit` expects a `Search`, which lives during the call. It does not panic.
    #[allow(unsafe_code)]
    unsafe {
        _Unwind_Backtrace(visit, (&raw mut search).cast());
    }
}

/// Finds no calls, because the platform has no unwinder with this interface.
#[cfg(not(unix))]
pub fn active(frames: &mut Vec<CallFrame>, _last: usize) {
    frames.clear();
}

#[cfg(unix)]
struct Search<'a> {
    frames: &'a mut Vec<CallFrame>,
    last: usize,
}

/// The unwinder's state at a frame.
#[cfg(unix)]
#[repr(C)]
struct UnwindContext {
    opaque: [u8; 0],
}

#[cfg(unix)]
#[allow(unsafe_code)]
unsafe extern "C" {
    fn _Unwind_Backtrace(
        visit: extern "C" fn(*mut UnwindContext, *mut c_void) -> i32,
        search: *mut c_void,
    ) -> i32;
    fn _Unwind_GetIP(context: *mut UnwindContext) -> usize;
    fn _Unwind_GetCFA(context: *mut UnwindContext) -> usize;
    fn _Unwind_GetRegionStart(context: *mut UnwindContext) -> usize;
}

/// The results of `visit`: `_URC_NO_REASON` continues, `_URC_NORMAL_STOP` ends the search.
#[cfg(unix)]
const RESULTS: [i32; 2] = [0, 4];

#[cfg(unix)]
extern "C" fn visit(context: *mut UnwindContext, search: *mut c_void) -> i32 {
    // SAFETY: `context` must be the one of the current callback, which it is. `search` must point to
    // the `Search` of `active`, which nobody else uses during the call.
    #[allow(unsafe_code)]
    let (search, frame) = unsafe {
        let frame = CallFrame {
            address: _Unwind_GetCFA(context),
            site: _Unwind_GetIP(context),
            function: _Unwind_GetRegionStart(context),
        };
        (&mut *search.cast::<Search<'_>>(), frame)
    };
    search.frames.push(frame);
    let ends = frame.address == search.last || search.frames.len() == MAX_FRAMES;
    RESULTS[usize::from(ends)]
}
