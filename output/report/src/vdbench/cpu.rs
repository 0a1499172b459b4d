//! CPU columns: percent of all CPUs.

use plimsoll_evidence::CpuInterval;

/// CPU use of one interval, or the mean of several, percent.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Cpu {
    pub(super) user: f64,
    pub(super) kernel: f64,
    pub(super) wait: f64,
}

impl Cpu {
    pub(super) fn of(cpu: &CpuInterval) -> Self {
        Cpu {
            user: cpu.user * 100.0,
            kernel: cpu.system * 100.0,
            wait: cpu.iowait * 100.0,
        }
    }

    /// User and kernel.
    pub(super) fn used(&self) -> f64 {
        self.user + self.kernel
    }

    /// Idle share, what is left; stolen time counts as idle, as Vdbench has no column for it.
    pub(super) fn idle(&self) -> f64 {
        (100.0 - self.used() - self.wait).max(0.0)
    }
}

/// Sums up intervals for their mean.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct CpuMean {
    sum: Cpu,
    intervals: u32,
}

impl CpuMean {
    pub(super) fn add(&mut self, cpu: &Cpu) {
        self.sum.user += cpu.user;
        self.sum.kernel += cpu.kernel;
        self.sum.wait += cpu.wait;
        self.intervals += 1;
    }

    /// The mean; `None` where no interval had any.
    pub(super) fn mean(&self) -> Option<Cpu> {
        let n = f64::from(self.intervals);
        (self.intervals > 0).then(|| Cpu {
            user: self.sum.user / n,
            kernel: self.sum.kernel / n,
            wait: self.sum.wait / n,
        })
    }
}
