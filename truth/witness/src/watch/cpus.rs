//! Each CPU's time, from `/proc/stat`.

use super::kept::Kept;
use crate::Root;
use plimsoll_evidence::witnessed::CpuUse;

/// The kernel's `USER_HZ`: ticks a second in `/proc/stat`.
const TICKS_A_SECOND: f64 = 100.0;
/// user nice system idle iowait irq softirq steal; the guests' time behind them is in user and nice already.
const COLUMNS: usize = 8;

/// Looks at each CPU's time.
#[derive(Debug)]
pub(super) struct CpusSampler {
    stat: Kept,
    last: Vec<Ticks>,
}

/// One CPU's ticks, by the columns; all are 0 of a CPU that is not online.
type Ticks = [u64; COLUMNS];

impl CpusSampler {
    pub fn new(root: &Root) -> Self {
        let mut stat = Kept::new(root, "/proc/stat");
        let last = ticks(&mut stat);
        CpusSampler { stat, last }
    }

    /// Each CPU from 0; one that is offline had no time. Empty where the kernel does not tell.
    pub fn look(&mut self) -> Vec<CpuUse> {
        let now = ticks(&mut self.stat);
        let last = std::mem::replace(&mut self.last, now);
        if last.is_empty() {
            return Vec::new();
        }
        let before = last.into_iter().chain(std::iter::repeat([0; COLUMNS]));
        self.last
            .iter()
            .zip(before)
            .map(|(n, b)| used(&b, n))
            .collect()
    }
}

fn ticks(stat: &mut Kept) -> Vec<Ticks> {
    let mut cpus: Vec<Ticks> = Vec::new();
    let text = stat.text().unwrap_or_default();
    // The CPUs come first: the interrupts behind them make a line of thousands of numbers.
    for line in text.lines().map_while(|line| line.strip_prefix("cpu")) {
        let mut words = line.split_ascii_whitespace();
        // The first line is of all CPUs together, and has no number.
        let number = match line.starts_with(' ') {
            true => None,
            false => words.next().and_then(|number| number.parse::<u16>().ok()),
        };
        let Some(number) = number.map(usize::from) else {
            continue;
        };
        if cpus.len() <= number {
            cpus.resize(number + 1, [0; COLUMNS]);
        }
        for (column, word) in cpus[number].iter_mut().zip(words) {
            *column = word.parse().unwrap_or(0);
        }
    }
    cpus
}

/// Idle and iowait may step back on the kernel's own account; that counts as none.
fn used(before: &Ticks, now: &Ticks) -> CpuUse {
    let mut spent = [0; COLUMNS];
    for (spent, (now, before)) in spent.iter_mut().zip(now.iter().zip(before)) {
        *spent = now.saturating_sub(*before);
    }
    let [user, nice, system, _, iowait, irq, softirq, steal] = spent;
    let seconds = |ticks: &[u64]| ticks.iter().sum::<u64>() as f64 / TICKS_A_SECOND;
    CpuUse {
        busy_s: seconds(&[user, nice, system, irq, softirq]),
        system_s: seconds(&[system, irq, softirq]),
        interrupts_s: seconds(&[irq, softirq]),
        iowait_s: seconds(&[iowait]),
        steal_s: seconds(&[steal]),
        all_s: seconds(&spent),
    }
}
