//! When a series became steady, and whether it stayed so: SNIA's window, and a CUSUM that guards it.

use crate::batch::student_t_95;
use crate::moments::mean;
use crate::steady::{WINDOW_ROUNDS, snia_window};

/// The level has left where it moved by more than this share of the mean: half of what the window allows a drift to be.
const SLACK_SHARE: f64 = 0.05;
/// Or by half of a standard deviation of a round, the usual reference value of a CUSUM that looks for one.
const SLACK_DEVIATIONS: f64 = 0.5;
/// The mean of the steady rounds is itself known to so many of its standard errors.
const MEAN_ERRORS: f64 = 2.0;
/// One still series in so many raises a false alarm.
const FALSE_ALARM_ONE_IN: f64 = 50.0;
/// The alarm takes a sum of at least this share of the mean.
const LEAST_ALARM_SHARE: f64 = 0.10;
/// One round adds this share of the alarm at most, so that one stall is none.
const MOST_OF_ALARM: f64 = 0.6;
/// So many degrees of freedom are as good as all.
const MANY: usize = 200;
/// Two-sided 95 % point of the normal distribution.
const Z_95: f64 = 1.959_963_984_540_054;

/// Steadiness of a series at its end.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SteadyState {
    /// No five rounds in a row held still.
    Never,
    /// Steady from this episode on to the end.
    Reached(Episode),
    /// Steady once and no longer: the last time that it was.
    Lost(Episode),
}

/// A time in which a series held still.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Episode {
    /// Start of the first round that belongs to it, s from the start of the series.
    pub from_s: f64,
    /// End of the first five rounds that held still, s: the earliest time at which steadiness could be told.
    pub known_at_s: f64,
    /// From when on it was no longer so; `None` where it was to the end.
    pub lost_at_s: Option<f64>,
    /// Mean of its rounds.
    pub mean: f64,
}

/// The last of the [`steady_episodes`] of a series.
pub fn steady_state(series: &[f64], step_s: f64, round_s: f64) -> SteadyState {
    match steady_episodes(series, step_s, round_s).last() {
        None => SteadyState::Never,
        Some(last) if last.lost_at_s.is_some() => SteadyState::Lost(*last),
        Some(last) => SteadyState::Reached(*last),
    }
}

/// Judges a series with a sample every `step_s` seconds in rounds of about `round_s` seconds; what does not fill a round at
/// the end is left out. A round should be many times as long as neighbouring samples resemble each other.
///
/// Steady is what SNIA's PTS 2.0 says: five rounds whose range is at most 20 % of their mean, and whose fitted line moves
/// by at most 10 % of it. The window slides by a round. Once it was steady, a two-sided CUSUM (Page 1954) of the rounds watches
/// for a level that moved. Its slack is 5 % of the mean, or half of a round's standard deviation and the doubt about the
/// mean, whichever is more. Its limit follows from the number of rounds: by Siegmund's approximation (1985, "Sequential
/// analysis", 2.6) one still series in 50 passes it. After a loss the window looks for a new level.
pub fn steady_episodes(series: &[f64], step_s: f64, round_s: f64) -> Vec<Episode> {
    let size = ((round_s / step_s).round() as usize).max(1);
    let rounds: Vec<f64> = series.chunks_exact(size).map(mean).collect();
    let at_s = |round: usize| (round * size) as f64 * step_s;
    let mut episodes = Vec::new();
    let mut from = Some(0);
    while let Some(first) = from.and_then(|from| first_window(&rounds, from)) {
        let lost = leaves(&rounds[first..]).map(|round| first + round);
        episodes.push(Episode {
            from_s: at_s(first),
            known_at_s: at_s(first + WINDOW_ROUNDS),
            lost_at_s: lost.map(at_s),
            mean: mean(&rounds[first..lost.unwrap_or(rounds.len())]),
        });
        from = lost;
    }
    episodes
}

/// The first five rounds, from `from` on, that hold still.
fn first_window(rounds: &[f64], from: usize) -> Option<usize> {
    (from + WINDOW_ROUNDS..=rounds.len())
        .find(|end| snia_window(&rounds[from..*end]).is_some_and(|window| window.steady))
        .map(|end| end - WINDOW_ROUNDS)
}

/// The round with which the level left that of the first five.
fn leaves(rounds: &[f64]) -> Option<usize> {
    let mut base = Base {
        limit: limit(rounds.len() - WINDOW_ROUNDS),
        ..Base::default()
    };
    rounds[..WINDOW_ROUNDS].iter().for_each(|v| base.add(*v));
    let mut bounds = base.bounds();
    // Rounds that belong to the level once the sums are back at 0.
    let mut open = WINDOW_ROUNDS;
    let mut rising = Sum::default();
    let mut falling = Sum::default();
    for (i, value) in rounds.iter().enumerate().skip(WINDOW_ROUNDS) {
        let away = value - base.mean;
        rising.add(i, away, bounds);
        falling.add(i, -away, bounds);
        for sum in [&rising, &falling] {
            if sum.total > bounds.alarm {
                return Some(sum.since);
            }
        }
        if rising.total == 0.0 && falling.total == 0.0 {
            rounds[open..=i].iter().for_each(|v| base.add(*v));
            bounds = base.bounds();
            open = i + 1;
        }
    }
    None
}

/// The level that is guarded, from the rounds that belong to it.
#[derive(Default)]
struct Base {
    rounds: usize,
    mean: f64,
    /// Sum of squared deviations.
    squares: f64,
    /// The alarm, in standard deviations.
    limit: f64,
}

#[derive(Clone, Copy)]
struct Bounds {
    slack: f64,
    alarm: f64,
}

impl Base {
    /// Welford's update (1962).
    fn add(&mut self, value: f64) {
        self.rounds += 1;
        let away = value - self.mean;
        self.mean += away / self.rounds as f64;
        self.squares += away * (value - self.mean);
    }

    fn bounds(&self) -> Bounds {
        let degrees = self.rounds - 1;
        // Of few rounds the deviation is badly known, which is what Student's t is for. Of many it hardly differs.
        let unsure = student_t_95(degrees.min(MANY)) / Z_95;
        let deviation = (self.squares / degrees as f64).sqrt() * unsure;
        let doubt = SLACK_DEVIATIONS + MEAN_ERRORS / (self.rounds as f64).sqrt();
        let level = self.mean.abs();
        Bounds {
            slack: (doubt * deviation).max(SLACK_SHARE * level),
            alarm: (self.limit * deviation).max(LEAST_ALARM_SHARE * level),
        }
    }
}

/// One side of the CUSUM.
#[derive(Default)]
struct Sum {
    total: f64,
    /// The round with which it last began to rise.
    since: usize,
}

impl Sum {
    fn add(&mut self, round: usize, away: f64, bounds: Bounds) {
        if self.total == 0.0 {
            self.since = round;
        }
        let step = (away - bounds.slack).min(MOST_OF_ALARM * bounds.alarm);
        self.total = (self.total + step).max(0.0);
    }
}

/// The limit, in standard deviations, that so many still rounds pass with the chance that is allowed. With the slack `k` of
/// half a deviation and the limit `h` the mean time to a false alarm is `(exp(2kb) - 2kb - 1) / 2k^2`, where `b = h + 1.166`;
/// two sides halve it.
fn limit(rounds: usize) -> f64 {
    let time = 2.0 * FALSE_ALARM_ONE_IN * rounds.max(1) as f64;
    let b = (1..60).fold(1.0f64, |b, _| (time / 2.0 + b + 1.0).ln());
    b - 1.166
}
