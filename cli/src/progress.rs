//! Progress on standard error: a line that changes on a terminal, and few lines elsewhere.

use std::io::{self, IsTerminal, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle, TermLike};

/// Returns a progress bar for `count` steps. `what` names them, such as `files`. The message of the bar is at its end.
pub fn progress(count: u64, what: &'static str) -> ProgressBar {
    let template = format!("{{bar:30}} {{pos}}/{{len}} {what}, {{eta}} left{{msg}}");
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
    let is_drawn = std::io::stderr().is_terminal();
    let (target, template) = match is_drawn {
        true => (ProgressDrawTarget::stderr_with_hz(2), template.to_owned()),
        false => {
            let lines = ProgressDrawTarget::term_like_with_hz(Box::new(Lines::new()), 2);
            let still = template.replace("{bar:30} ", "").replace("{spinner} ", "");
            (lines, format!("zester: {still}"))
        }
    };
    let style = ProgressStyle::with_template(&template).unwrap_or(ProgressStyle::default_bar());
    ProgressBar::with_draw_target(count, target).with_style(style)
}

/// The time between two lines where standard error is no terminal, and before the first one.
const BETWEEN_LINES: Duration = Duration::from_secs(10);

/// Draws on a standard error that is no terminal: prints the current line at most every 10 seconds.
#[derive(Debug)]
struct Lines(Mutex<(Instant, String)>);

impl Lines {
    fn new() -> Lines {
        Lines(Mutex::new((Instant::now(), String::new())))
    }

    fn state(&self) -> MutexGuard<'_, (Instant, String)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl TermLike for Lines {
    fn width(&self) -> u16 {
        200
    }

    fn move_cursor_up(&self, _: usize) -> io::Result<()> {
        Ok(())
    }

    fn move_cursor_down(&self, _: usize) -> io::Result<()> {
        Ok(())
    }

    fn move_cursor_right(&self, _: usize) -> io::Result<()> {
        Ok(())
    }

    fn move_cursor_left(&self, _: usize) -> io::Result<()> {
        Ok(())
    }

    fn write_line(&self, text: &str) -> io::Result<()> {
        self.write_str(text)
    }

    fn write_str(&self, text: &str) -> io::Result<()> {
        self.state().1.push_str(text);
        Ok(())
    }

    fn clear_line(&self) -> io::Result<()> {
        Ok(())
    }

    fn flush(&self) -> io::Result<()> {
        let mut state = self.state();
        let line = std::mem::take(&mut state.1);
        let line = line.trim();
        if line.is_empty() || state.0.elapsed() < BETWEEN_LINES {
            return Ok(());
        }
        state.0 = Instant::now();
        writeln!(io::stderr(), "{line}")
    }
}
