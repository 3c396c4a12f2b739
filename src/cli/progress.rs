//! How far a long check is, on a terminal.

use std::io::IsTerminal;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A check that is done by then shows nothing.
const PATIENCE: Duration = Duration::from_secs(1);

/// Counts steps, and shows them on standard error once a check takes long.
pub(super) struct Progress {
    /// `None` where nobody watches.
    watched: Option<Watched>,
}

struct Watched {
    start: Instant,
    steps: AtomicU64,
    done: AtomicU64,
    bar: OnceLock<ProgressBar>,
}

impl Progress {
    /// Shown only if it is `wanted`, on a terminal, outside CI.
    pub(super) fn new(wanted: bool) -> Self {
        let is_ci = std::env::var_os("CI").is_some_and(|value| !value.is_empty());
        let watched = (wanted && !is_ci && std::io::stderr().is_terminal()).then(|| Watched {
            start: Instant::now(),
            steps: AtomicU64::new(0),
            done: AtomicU64::new(0),
            bar: OnceLock::new(),
        });
        Self { watched }
    }

    /// This many steps are to come.
    pub(super) fn expect(&self, steps: usize) {
        if let Some(watched) = &self.watched {
            watched.steps.store(steps as u64, Ordering::Relaxed);
        }
    }

    /// Does a step, and counts it.
    pub(super) fn after<T>(&self, step: impl FnOnce() -> T) -> T {
        let result = step();
        if let Some(watched) = &self.watched {
            watched.step();
        }
        result
    }

    /// Leaves the terminal as it was.
    pub(super) fn clear(&self) {
        if let Some(bar) = self.watched.as_ref().and_then(|watched| watched.bar.get()) {
            bar.finish_and_clear();
        }
    }
}

impl Watched {
    fn step(&self) {
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        if self.start.elapsed() < PATIENCE {
            return;
        }
        let bar = self.bar.get_or_init(|| {
            let steps = self.steps.load(Ordering::Relaxed);
            let bar = ProgressBar::with_draw_target(Some(steps), ProgressDrawTarget::stderr());
            // The template is one of ours; where it should be wrong, the bar looks otherwise.
            match ProgressStyle::with_template("checking {bar:30} {percent}%") {
                Ok(style) => bar.with_style(style),
                Err(_) => bar,
            }
        });
        bar.set_position(done);
    }
}

impl Drop for Progress {
    /// A check that fails half-way leaves no bar behind.
    fn drop(&mut self) {
        self.clear();
    }
}
