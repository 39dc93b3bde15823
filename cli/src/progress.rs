//! Progress on standard error, if that is a terminal.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Returns a bar for a known amount of work.
pub fn progress(count: u64, what: &'static str) -> ProgressBar {
    let template = format!("{{bar:30}} {{pos}}/{{len}} {what}, {{eta}} left");
    styled(Some(count), &template)
}

/// Returns a line for an unknown amount of work.
pub fn open_progress(template: &str) -> ProgressBar {
    styled(None, template)
}

/// Shows what the command is doing and for how long, until the result is dropped.
pub fn waiting(what: &'static str) -> Waiting {
    let bar = open_progress("{spinner} {msg}, {elapsed}").with_message(what);
    bar.enable_steady_tick(Duration::from_millis(500));
    Waiting(bar)
}

/// A line that is cleared when this is dropped.
pub struct Waiting(ProgressBar);

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

fn styled(count: Option<u64>, template: &str) -> ProgressBar {
    let style = ProgressStyle::with_template(template).unwrap_or(ProgressStyle::default_bar());
    ProgressBar::with_draw_target(count, ProgressDrawTarget::stderr_with_hz(2)).with_style(style)
}
