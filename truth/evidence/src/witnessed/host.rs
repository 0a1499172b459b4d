//! The host: its CPUs, what waited for them, its clocks and its networks.

use super::Named;
use serde::{Deserialize, Serialize};

/// One CPU's time, s.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct CpuUse {
    /// Time in which the CPU did something, interrupts too.
    pub busy_s: f64,
    /// Time of that in the kernel, interrupts too.
    pub system_s: f64,
    /// Time of that in interrupts.
    pub interrupts_s: f64,
    /// Idle while I/O was out.
    pub iowait_s: f64,
    /// Time that another guest of the hypervisor had the CPU.
    pub steal_s: f64,
    /// All of its time, as the kernel counted it.
    pub all_s: f64,
}

/// One thread's time, s.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ThreadUse {
    /// Time on a CPU.
    pub ran_s: f64,
    /// Ready to run, waiting for a CPU (`schedstat`'s second number).
    pub waited_s: f64,
}

/// Pressure stall information: how long something waited, s.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Pressure {
    /// Time in which some task waited for a CPU.
    pub cpu_some_s: f64,
    /// Time in which some task waited for memory.
    pub memory_some_s: f64,
    /// Time in which all tasks waited for memory.
    pub memory_full_s: f64,
    /// Time in which some task waited for I/O.
    pub io_some_s: f64,
    /// Time in which all tasks waited for I/O.
    pub io_full_s: f64,
}

/// Limits of this process's control group and those above it, and how they held it up.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct CgroupUse {
    /// CPUs' worth of time that it may have (`cpu.max`); `None`: no limit.
    pub cpu_limit: Option<f64>,
    /// Periods in which it was kept from running because it had used its time up: of these groups the one that was held up most,
    /// for what holds a group up holds those in it up too.
    pub throttled_periods: u64,
    /// Time that this group's tasks were kept from running, added up over CPUs, s.
    pub throttled_s: f64,
    /// Limits of I/O (`io.max`) on devices of the stacks, a line for each as the kernel writes it, but with the device's name in place of
    /// its number.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub io_limits: Vec<String>,
}

/// The CPUs' frequency, and what held it down.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Frequency {
    /// The governor of the first CPU at the end.
    pub governor: Option<String>,
    /// The governors before it, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub governors_before: Vec<String>,
    /// The lowest mean frequency of all CPUs that was seen, kHz.
    pub lowest_khz: Option<u64>,
    /// The highest.
    pub highest_khz: Option<u64>,
    /// Times that a core or its package was slowed down because it was hot.
    pub throttled: Option<u64>,
}

/// Steps and pauses of the clocks, ns.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ClockSteps {
    /// Step of the wall clock beside the monotonic one, forward; negative: back. Steps of either sign are not set off against each other:
    /// it is the largest of the intervals.
    pub stepped_ns: i64,
    /// Time that the host was suspended, ns.
    pub suspended_ns: u64,
    /// Lead of the clock that times I/O over the kernel's; negative: it lags.
    pub gained_ns: i64,
}

/// A network interface.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct LinkUse {
    /// `eth0`.
    pub name: String,
    /// The targets that are reached through it, by the plan's names.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub targets: Vec<String>,
    /// Bytes that came in.
    pub in_bytes: u64,
    /// Bytes that went out.
    pub out_bytes: u64,
    /// Packets that were dropped or broken, in and out.
    pub lost_packets: u64,
    /// Capacity in each direction, bytes per second; `None` where the interface does not tell.
    pub speed: Option<u64>,
    /// State at the end: `up`, `down`.
    pub state: String,
    /// Largest packet, bytes.
    pub mtu: u32,
}

/// TCP of the host.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct TcpUse {
    /// Segments sent.
    pub sent: u64,
    /// Segments sent again.
    pub sent_again: u64,
    /// Segments of those sent again that the other side had already, as it says: they were not lost, but late; `None` where that was not
    /// told.
    pub sent_in_vain: Option<u64>,
    /// Segments received; `None` where that was not told.
    pub received: Option<u64>,
    /// Segments of those received that came before ones that should have come first: something was lost on the way here, or overtaken.
    pub out_of_order: Option<u64>,
}

/// Round trip to a server without the server's own work: the time in which the kernels of both sides open a connection by themselves.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RoundTrip {
    /// Address and port: `10.0.0.7:10809`.
    pub address: String,
    /// The targets that are reached there, by the plan's names.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub targets: Vec<String>,
    /// The shortest before the step's load began, s; `None`: there was no answer.
    pub idle_s: Option<f64>,
    /// Connections that were opened while it ran.
    pub answered: u64,
    /// Connections that were not answered in time, or were refused.
    pub unanswered: u64,
    /// The answered ones' times, added up, s.
    pub sum_s: f64,
    /// The longest of them, s.
    pub most_s: f64,
}

impl RoundTrip {
    /// The mean while the load ran, s; `None` where none was answered.
    pub fn mean_s(&self) -> Option<f64> {
        (self.answered > 0).then(|| self.sum_s / self.answered as f64)
    }
}

impl CpuUse {
    pub(super) fn append(&mut self, next: CpuUse) {
        self.busy_s += next.busy_s;
        self.system_s += next.system_s;
        self.interrupts_s += next.interrupts_s;
        self.iowait_s += next.iowait_s;
        self.steal_s += next.steal_s;
        self.all_s += next.all_s;
    }
}

impl ThreadUse {
    pub(super) fn append(&mut self, next: ThreadUse) {
        self.ran_s += next.ran_s;
        self.waited_s += next.waited_s;
    }
}

impl Pressure {
    pub(super) fn append(&mut self, next: Pressure) {
        self.cpu_some_s += next.cpu_some_s;
        self.memory_some_s += next.memory_some_s;
        self.memory_full_s += next.memory_full_s;
        self.io_some_s += next.io_some_s;
        self.io_full_s += next.io_full_s;
    }
}

impl CgroupUse {
    pub(super) fn append(&mut self, next: CgroupUse) {
        self.throttled_periods = self
            .throttled_periods
            .saturating_add(next.throttled_periods);
        self.throttled_s += next.throttled_s;
        self.cpu_limit = next.cpu_limit.or(self.cpu_limit);
        for limit in next.io_limits {
            if !self.io_limits.contains(&limit) {
                self.io_limits.push(limit);
            }
        }
    }
}

impl Frequency {
    pub(super) fn append(&mut self, next: Frequency) {
        for governor in next.governors_before.into_iter().chain(next.governor) {
            match self.governor.replace(governor.clone()) {
                Some(before) if before != governor => self.governors_before.push(before),
                _ => {}
            }
        }
        let both =
            |a: Option<u64>, b, of: fn(u64, u64) -> u64| [a, b].into_iter().flatten().reduce(of);
        self.lowest_khz = both(self.lowest_khz, next.lowest_khz, u64::min);
        self.highest_khz = both(self.highest_khz, next.highest_khz, u64::max);
        self.throttled = both(self.throttled, next.throttled, u64::saturating_add);
    }
}

impl ClockSteps {
    pub(super) fn append(&mut self, next: ClockSteps) {
        if next.stepped_ns.unsigned_abs() > self.stepped_ns.unsigned_abs() {
            self.stepped_ns = next.stepped_ns;
        }
        self.suspended_ns = self.suspended_ns.saturating_add(next.suspended_ns);
        self.gained_ns = self.gained_ns.saturating_add(next.gained_ns);
    }
}

impl TcpUse {
    pub(super) fn append(&mut self, next: TcpUse) {
        self.sent = self.sent.saturating_add(next.sent);
        self.sent_again = self.sent_again.saturating_add(next.sent_again);
        let both = |a: Option<u64>, b: Option<u64>| Some(a?.saturating_add(b?));
        self.sent_in_vain = both(self.sent_in_vain, next.sent_in_vain);
        self.received = both(self.received, next.received);
        self.out_of_order = both(self.out_of_order, next.out_of_order);
    }
}

impl TcpUse {
    /// Segments that were sent again because they were lost, as far as is known. What is sent again in vain says nothing of a network:
    /// of a server that takes long to answer TCP asks after a while whether it is there, by sending the last segment once more.
    pub fn lost(&self) -> u64 {
        (self.sent_again).saturating_sub(self.sent_in_vain.unwrap_or(0))
    }
}

impl Named for RoundTrip {
    fn name(&self) -> &str {
        &self.address
    }

    fn append(&mut self, next: Self) {
        self.idle_s = self.idle_s.or(next.idle_s);
        self.answered = self.answered.saturating_add(next.answered);
        self.unanswered = self.unanswered.saturating_add(next.unanswered);
        self.sum_s += next.sum_s;
        self.most_s = self.most_s.max(next.most_s);
    }
}

impl Named for LinkUse {
    fn name(&self) -> &str {
        &self.name
    }

    fn append(&mut self, next: Self) {
        self.in_bytes = self.in_bytes.saturating_add(next.in_bytes);
        self.out_bytes = self.out_bytes.saturating_add(next.out_bytes);
        self.lost_packets = self.lost_packets.saturating_add(next.lost_packets);
        (self.state, self.mtu) = (next.state, next.mtu);
        self.speed = next.speed.or(self.speed);
        self.targets = next.targets;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_governor_that_changed_and_came_back_is_told() {
        let of = |governor: &str| Frequency {
            governor: Some(governor.into()),
            lowest_khz: Some(1000),
            ..Frequency::default()
        };
        let mut seen = of("performance");
        seen.append(of("powersave"));
        seen.append(of("performance"));
        assert_eq!(seen.governors_before, ["performance", "powersave"]);
        assert_eq!(seen.governor.as_deref(), Some("performance"));
        assert_eq!(seen.throttled, None);
    }

    #[test]
    fn clock_steps_of_either_sign_do_not_cancel() {
        let of = |stepped_ns| ClockSteps {
            stepped_ns,
            suspended_ns: 1,
            gained_ns: 7,
        };
        let mut seen = of(5);
        seen.append(of(-5_000));
        seen.append(of(4_000));
        assert_eq!(seen.stepped_ns, -5_000);
        assert_eq!((seen.suspended_ns, seen.gained_ns), (3, 21));
    }
}
