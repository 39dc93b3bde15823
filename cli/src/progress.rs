//! Progress on standard error: a line that changes on a terminal, and few lines elsewhere.

use std::io::IsTerminal;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Returns a progress bar for `count` steps. `what` names them, such as `files`.
pub fn progress(count: u64, what: &'static str) -> ProgressBar {
    let template = format!("{{bar:30}} {{pos}}/{{len}} {what}, {{eta}} left");
    styled(Some(count), &template)
}

/// Returns a progress line for an unknown number of steps. `template` is in the format of
/// `indicatif`.
pub fn open_progress(template: &str) -> ProgressBar {
    styled(None, template)
}

/// Shows a line with `what` and the elapsed time, until the returned value is dropped.
pub fn waiting(what: &'static str) -> Spinner {
    let bar = open_progress("{spinner} {msg}, {elapsed}").with_message(what);
    bar.enable_steady_tick(Duration::from_millis(500));
    Spinner(bar)
}

/// A progress line. It is cleared when this value is dropped.
pub struct Spinner(ProgressBar);

impl Drop for Spinner {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

fn styled(count: Option<u64>, template: &str) -> ProgressBar {
    let style = ProgressStyle::with_template(template).unwrap_or(ProgressStyle::default_bar());
    ProgressBar::with_draw_target(count, ProgressDrawTarget::stderr_with_hz(2)).with_style(style)
}

/// The time between two lines of a [`ProgressLog`].
const BETWEEN_LINES: Duration = Duration::from_secs(10);

/// Progress for a standard error that is no terminal, where no progress line is drawn: a line now and then.
pub struct ProgressLog(Option<Mutex<Instant>>);

impl ProgressLog {
    /// The first line comes after some seconds.
    pub fn new() -> ProgressLog {
        let is_drawn = std::io::stderr().is_terminal();
        ProgressLog((!is_drawn).then(|| Mutex::new(Instant::now())))
    }

    /// Prints a line, unless there was one a short time ago.
    pub fn say(&self, line: &str) {
        let Some(last) = &self.0 else { return };
        let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
        if last.elapsed() >= BETWEEN_LINES {
            *last = Instant::now();
            eprintln!("zester: {line}");
        }
    }
}
