//! The view of a run: its stretch of time, its panel, and how far that is scrolled.

use plimsoll_live::Live;
use plimsoll_report::terminal::Style;

/// Lengths of time that the charts can show, seconds; behind them the whole run.
const WINDOWS: [f64; 4] = [60.0, 600.0, 3600.0, 6.0 * 3600.0];

/// The part of a run that a screen shows.
#[derive(Debug, Clone)]
pub struct View {
    /// Colours and characters.
    pub style: Style,
    /// The panel below the charts; `None`: the one that is most useful just now.
    pub panel: Option<Panel>,
    /// Lines that the shown panel is scrolled away from where it begins; steps begin with the newest.
    pub(crate) offset: usize,
    /// Place in the list of windows; past its end the whole run.
    window: usize,
    /// Reason why the record cannot be read just now.
    pub trouble: Option<String>,
    /// Seconds without anything new.
    pub silent_s: f64,
}

/// A panel below the charts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Panel {
    /// The answer of a run that has ended.
    Answer,
    /// Steps that are done.
    Steps,
    /// Targets, streams and hosts.
    Parts,
    /// Findings.
    Findings,
}

/// A key that changes what is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Key {
    /// The next panel.
    Next,
    /// A shorter stretch of time.
    In,
    /// A longer one.
    Out,
    /// The panel's earlier lines.
    Up,
    /// The panel's later lines.
    Down,
}

impl View {
    /// The whole run.
    pub fn new(style: Style) -> Self {
        View {
            style,
            panel: None,
            offset: 0,
            window: WINDOWS.len(),
            trouble: None,
            silent_s: 0.0,
        }
    }

    /// Obeys a key.
    pub fn press(&mut self, key: Key, live: &Live) {
        match key {
            Key::Next => {
                let panels = panels(live);
                let at = panels.iter().position(|p| *p == self.shown(live));
                self.panel = at
                    .and_then(|at| panels.get((at + 1) % panels.len()))
                    .copied();
                self.offset = 0;
            }
            Key::In => {
                // From all of it to the longest window that is shorter.
                let all_s = live.progress.elapsed_s;
                let shorter = WINDOWS[..self.window].iter().rposition(|w| *w < all_s);
                self.window = shorter.unwrap_or(self.window);
            }
            Key::Out => {
                let longer = self.window + 1;
                let is_all = WINDOWS
                    .get(longer)
                    .is_none_or(|w| *w >= live.progress.elapsed_s);
                self.window = if is_all { WINDOWS.len() } else { longer };
            }
            Key::Up | Key::Down => {
                // Steps are scrolled away from their end, all else from its beginning.
                let is_away = (key == Key::Down) != (self.shown(live) == Panel::Steps);
                self.offset = match is_away {
                    true => self.offset.saturating_add(1),
                    false => self.offset.saturating_sub(1),
                };
            }
        }
    }

    /// The panel that is shown.
    pub(crate) fn shown(&self, live: &Live) -> Panel {
        let panels = panels(live);
        let chosen = self.panel.filter(|p| panels.contains(p));
        chosen.unwrap_or(match live.answer {
            Some(_) => Panel::Answer,
            None if live.steps.iter().all(|s| s.fill) => Panel::Parts,
            None => Panel::Steps,
        })
    }

    /// The stretch of time that charts show, seconds from the run's start.
    pub(crate) fn span(&self, live: &Live) -> (f64, f64) {
        let first = live.history.points.first().map_or(0.0, |p| p.start_s);
        let end = live.progress.elapsed_s.max(first + 1.0);
        match WINDOWS.get(self.window) {
            Some(window) => ((end - window).max(first), end),
            None => (first, end),
        }
    }
}

/// The panels that a run has.
pub(crate) fn panels(live: &Live) -> Vec<Panel> {
    let answer = live.answer.as_ref().map(|_| Panel::Answer);
    let rest = [Panel::Steps, Panel::Parts, Panel::Findings];
    answer.into_iter().chain(rest).collect()
}
