//! The part of a step's time in which a stream works.

use crate::Nanos;
use serde::{Deserialize, Serialize};

/// When a stream issues I/O, from the step's beginning: the warm-up's, where it has one. All the time unless changed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Window {
    /// The first instant.
    pub from: Nanos,
    /// The end, in which nothing is issued any more; `None`: the step's.
    pub until: Option<Nanos>,
    /// How long from the first instant on what is done is in no number but the errors: a warm-up of the stream's own. The step's leaves
    /// out what lies in it, too.
    #[serde(default, skip_serializing_if = "is_none")]
    pub ramp: Nanos,
}

fn is_none(time: &Nanos) -> bool {
    time.0 == 0
}

impl Window {
    /// True where it leaves nothing out.
    pub fn is_whole(&self) -> bool {
        *self == Window::default()
    }

    /// The part of it that counts.
    pub fn counted(self) -> Window {
        Window {
            from: Nanos(self.from.0.saturating_add(self.ramp.0)),
            ramp: Nanos(0),
            ..self
        }
    }

    /// How much of a time lies in it, ns; `from_ns` and `to_ns` count from the step's beginning.
    pub fn overlap_ns(&self, from_ns: u64, to_ns: u64) -> u64 {
        let until = self.until.map_or(u64::MAX, |until| until.0);
        to_ns.min(until).saturating_sub(from_ns.max(self.from.0))
    }

    /// How much of a step's counted time lies in it, 0..=1.
    pub fn counted_share(&self, warmup: Nanos, elapsed: Nanos) -> f64 {
        let (from, to) = (warmup.0, warmup.0.saturating_add(elapsed.0));
        match elapsed.0 {
            _ if self.is_whole() => 1.0,
            0 => 0.0,
            all => self.counted().overlap_ns(from, to) as f64 / all as f64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_in_a_window_is_counted_from_its_own_edges() {
        let whole = Window::default();
        assert_eq!(whole.overlap_ns(5, 9), 4);
        let window = Window {
            from: Nanos(10),
            until: Some(Nanos(40)),
            ramp: Nanos(0),
        };
        let cases = [
            (0, 10, 0),
            (0, 15, 5),
            (20, 30, 10),
            (35, 99, 5),
            (40, 50, 0),
        ];
        for (from, to, expected) in cases {
            assert_eq!(window.overlap_ns(from, to), expected, "{from} to {to}");
        }
        assert_eq!(window.counted_share(Nanos(20), Nanos(80)), 0.25);
        assert_eq!(whole.counted_share(Nanos(20), Nanos(0)), 1.0);
        assert_eq!(window.counted_share(Nanos(50), Nanos(80)), 0.0);
        let ramped = Window {
            ramp: Nanos(15),
            ..window
        };
        assert_eq!(ramped.overlap_ns(0, 99), 30);
        assert_eq!(ramped.counted_share(Nanos(20), Nanos(60)), 0.25);
    }
}
