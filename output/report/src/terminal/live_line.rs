//! The one line that a terminal shows while a step runs.

use super::style::Style;
use crate::figures::IntervalFigures;
use crate::human;
use plimsoll_evidence::{Interval, Phase};
use plimsoll_printable::Printable;

/// Progress of the work.
#[derive(Debug, Clone, PartialEq)]
pub struct Progress {
    /// Name of what is running: the step's, or `settling`.
    pub step: String,
    /// The part that is done, 0..=1, and the time left, s; `None` where nobody knows how long it takes.
    pub done_and_left_s: Option<(f64, f64)>,
}

const BAR: usize = 20;

/// The line: what runs, a bar, time left, and the last interval's rate, mean response, p99, depth and CPU. It begins
/// with a carriage return and ends by clearing the rest, so that it overwrites the line before; no newline. What doesn't fit
/// into the width is left out from the end.
pub fn live_line(interval: &Interval, progress: &Progress, style: &Style) -> String {
    let f = IntervalFigures::of(interval);
    let dash = || "—".to_owned();
    let name = if interval.phase == Phase::WarmUp {
        format!("{} (warm-up)", Printable(&progress.step))
    } else {
        Printable(&progress.step).to_string()
    };
    let mut parts = vec![shortened(&name, 28)];
    if let Some((done, left_s)) = progress.done_and_left_s {
        let done = if done.is_finite() {
            done.clamp(0.0, 1.0)
        } else {
            0.0
        };
        let filled = (done * BAR as f64).round() as usize;
        let (gone, ahead) = ("█".repeat(filled), "░".repeat(BAR - filled));
        parts.push(format!("{gone}{ahead} {:>3.0}%", done * 100.0));
        parts.push(format!("{} left", human::duration(left_s)));
    }
    parts.extend([
        format!("{}/s", human::rate(f.rate)),
        format!("resp {}", f.response_mean_ns.map_or_else(dash, human::time)),
        format!(
            "p99 {}",
            f.response_p99_ns
                .map_or_else(dash, |ns| human::time(ns as f64))
        ),
        format!("depth {:.1}", f.depth),
    ]);
    if let Some(cpu) = f.cpu {
        parts.push(format!("CPU {}", human::percent(cpu)));
    }
    if f.errors > 0 {
        // Before all figures: the last thing to be left out on a narrow terminal.
        parts.insert(1, format!("{} errors", human::count(f.errors)));
    }
    // One column stays free: some terminals wrap when the last one is written.
    let room = style.width.saturating_sub(1);
    let mut line = String::new();
    for part in parts {
        let gap = if line.is_empty() { 0 } else { 2 };
        if line.chars().count() + gap + part.chars().count() > room {
            break;
        }
        line.push_str(&" ".repeat(gap));
        line.push_str(&part);
    }
    format!("\r{}\x1b[K", style.characters(line))
}

fn shortened(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let mut short: String = text.chars().take(most - 1).collect();
    short.push('…');
    short
}
