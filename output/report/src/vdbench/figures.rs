//! The figures of one line, of an interval or of an average.

use super::cpu::Cpu;
use super::tally::ReadsWrites;

/// All that a line of the reports shows. Times ms of service.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Figures {
    pub(super) tally: ReadsWrites,
    /// Configured length of what is counted, s; 0 where nothing is.
    pub(super) seconds: f64,
    /// Mean I/Os in flight.
    pub(super) depth: f64,
    /// `None` where it could not be observed.
    pub(super) cpu: Option<Cpu>,
}

impl Figures {
    /// I/Os per second.
    pub(super) fn rate(&self) -> f64 {
        self.per_second(self.tally.all().ios as f64)
    }

    /// Megabytes of `mb` bytes per second.
    pub(super) fn mb_per_s(&self, mb: f64) -> f64 {
        self.per_second(self.tally.all().bytes as f64 / mb)
    }

    /// Mean size of an I/O, bytes.
    pub(super) fn bytes_per_io(&self) -> f64 {
        let all = self.tally.all();
        if all.ios == 0 {
            0.0
        } else {
            all.bytes as f64 / all.ios as f64
        }
    }

    /// Percent of I/Os that read.
    pub(super) fn read_pct(&self) -> f64 {
        match self.tally.all().ios {
            0 => 0.0,
            ios => 100.0 * self.tally.reads.ios as f64 / ios as f64,
        }
    }

    fn per_second(&self, n: f64) -> f64 {
        if self.seconds > 0.0 {
            n / self.seconds
        } else {
            0.0
        }
    }
}
