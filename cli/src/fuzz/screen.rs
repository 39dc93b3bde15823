//! The live screen of a campaign: a block of lines that is redrawn on a terminal, or elsewhere a
//! plain line from time to time.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};

/// The time between two plain lines in the first minute.
const OFTEN: Duration = Duration::from_secs(10);

/// The time between two plain lines later.
const SELDOM: Duration = Duration::from_secs(60);

/// The screen of a campaign, on standard error.
pub struct Screen {
    /// [`None`] if standard error is no terminal.
    lines: Option<(MultiProgress, Vec<ProgressBar>)>,
    started: Instant,
    /// The time of the last plain line.
    last: Instant,
}

impl Screen {
    pub fn new() -> Screen {
        let lines = || {
            let target = ProgressDrawTarget::stderr_with_hz(4);
            (MultiProgress::with_draw_target(target), Vec::new())
        };
        Screen {
            lines: std::io::stderr().is_terminal().then(lines),
            started: Instant::now(),
            last: Instant::now(),
        }
    }

    /// Shows `block` on a terminal, in place of the block before. A line that is too long is
    /// cut at the terminal's width. Elsewhere, prints the plain line if it is time for one.
    pub fn show(&mut self, block: &[String], plain: &str) {
        let Some((screen, lines)) = &mut self.lines else {
            let pause = if self.started.elapsed() < SELDOM {
                OFTEN
            } else {
                SELDOM
            };
            if self.last.elapsed() >= pause {
                self.last = Instant::now();
                eprintln!("{plain}");
            }
            return;
        };
        while lines.len() > block.len() {
            lines.pop().iter().for_each(|line| screen.remove(line));
        }
        while lines.len() < block.len() {
            let style = ProgressStyle::with_template("{wide_msg}");
            let line = ProgressBar::no_length()
                .with_style(style.unwrap_or(ProgressStyle::default_spinner()));
            lines.push(screen.add(line));
        }
        for (line, text) in lines.iter().zip(block) {
            if line.message() != *text {
                line.set_message(text.clone());
            }
        }
    }

    /// Shows a line in place of the block. Elsewhere than on a terminal, prints it at once.
    pub fn say(&mut self, line: &str) {
        match &self.lines {
            Some(_) => self.show(&[line.into()], line),
            None => eprintln!("zester: {line}"),
        }
    }

    /// Returns the width of the terminal in characters.
    pub fn width(&self) -> usize {
        console::Term::stderr().size().1.into()
    }

    /// Prints text that stays.
    pub fn print(&self, text: &str) {
        match &self.lines {
            Some((screen, _)) => screen.suspend(|| eprint!("{text}")),
            None => eprint!("{text}"),
        }
    }

    /// Removes the block.
    pub fn clear(&mut self) {
        if let Some((screen, lines)) = &mut self.lines {
            lines.drain(..).for_each(|line| line.finish_and_clear());
            // An error means that the terminal is gone.
            let _ = screen.clear();
        }
    }
}
