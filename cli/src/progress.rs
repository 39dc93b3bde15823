//! Progress on standard error, if that is a terminal.

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

fn styled(count: Option<u64>, template: &str) -> ProgressBar {
    let style = ProgressStyle::with_template(template).unwrap_or(ProgressStyle::default_bar());
    ProgressBar::with_draw_target(count, ProgressDrawTarget::stderr_with_hz(2)).with_style(style)
}
