//! Who used the CPUs: the host, this process with its kernel threads, each worker.
//!
//! Sources, and what they were found to cover (Linux 6.18, io_uring reads from zram, which punts to io-wq):
//!
//! | number | source | covers |
//! |---|---|---|
//! | process | `CLOCK_PROCESS_CPUTIME_ID` | every thread, its io-wq and SQPOLL threads, and those that ended; ns |
//! | process, captured tree | sum of `/proc/self/task/*/schedstat` | living threads only; ns |
//! | io-wq | `/proc/self/task/*/schedstat` where the name begins with `iou-` | living ones; they end after 5 s idle |
//! | workers | `/proc/self/task/TID/schedstat` | ns, up to one scheduler tick (1 to 10 ms) behind on a running thread |
//! | host | `/proc/stat` | ticks of 10 ms, sampled |
//!
//! `getrusage` gives the same as the process clock; `utime` and `stime` of `/proc/self/task/*/stat` are the same time
//! split by tick samples and rounded to 10 ms, so they are used only where there is no `schedstat`.

use crate::Root;
use plimsoll_evidence::CpuInterval;
use rustix::time::{ClockId, clock_gettime};
use std::collections::BTreeMap;

/// Ticks a second in `/proc/stat` and `/proc/*/stat`: the kernel's `USER_HZ`, 100 on every Linux that Rust runs on.
const NS_PER_TICK: u64 = 10_000_000;

/// Sampler of the CPUs' time.
#[derive(Debug, Clone)]
pub struct CpuSampler {
    root: Root,
}

/// CPU times at one instant; only differences mean anything.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CpuSnapshot {
    /// CLOCK_MONOTONIC, ns; 0 under a captured tree.
    at_ns: u64,
    host: Option<HostTicks>,
    process_ns: Option<u64>,
    threads: BTreeMap<u32, ThreadTime>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct HostTicks {
    user: u64,
    system: u64,
    idle: u64,
    iowait: u64,
    steal: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct ThreadTime {
    ns: u64,
    io_wq: bool,
}

impl CpuSampler {
    /// A sampler that reads under `root`.
    pub fn new(root: &Root) -> Self {
        CpuSampler { root: root.clone() }
    }

    /// The times now. Costs two small file reads and one for each thread of this process.
    pub fn sample(&self) -> CpuSnapshot {
        let threads = self.threads();
        let (at_ns, process_ns) = if self.root.is_system() {
            (
                clock_ns(ClockId::Monotonic),
                Some(clock_ns(ClockId::ProcessCPUTime)),
            )
        } else {
            let sum = threads.values().map(|thread| thread.ns).sum();
            (0, (!threads.is_empty()).then_some(sum))
        };
        CpuSnapshot {
            at_ns,
            host: self
                .root
                .text("/proc/stat")
                .and_then(|text| host_ticks(&text)),
            process_ns,
            threads,
        }
    }

    fn threads(&self) -> BTreeMap<u32, ThreadTime> {
        let mut threads = BTreeMap::new();
        for name in self.root.names("/proc/self/task") {
            let Ok(tid) = name.parse() else { continue };
            let folder = format!("/proc/self/task/{name}");
            // A thread may end between the listing and the read.
            let Some(command) = self.root.text(format!("{folder}/comm")) else {
                continue;
            };
            let precise = self
                .root
                .text(format!("{folder}/schedstat"))
                .and_then(|text| text.split_whitespace().next()?.parse().ok());
            let Some(ns) =
                precise.or_else(|| thread_ticks_ns(&self.root.text(format!("{folder}/stat"))?))
            else {
                continue;
            };
            let io_wq = command.starts_with("iou-");
            threads.insert(tid, ThreadTime { ns, io_wq });
        }
        threads
    }
}

impl CpuSnapshot {
    /// A thread id that came back with less time is another thread.
    fn thread_ns_until(&self, later: &CpuSnapshot, tid: u32) -> u64 {
        let Some(to) = later.threads.get(&tid) else {
            return 0;
        };
        let from = self.threads.get(&tid).map_or(0, |thread| thread.ns);
        if to.ns < from { to.ns } else { to.ns - from }
    }
}

/// What was used from `from` to `to`. `workers` are the thread ids of the workers, in the order in which their
/// shares are to come; a worker that wasn't seen has 0. `None` where neither host nor process can be observed.
pub fn between(from: &CpuSnapshot, to: &CpuSnapshot, workers: &[u32]) -> Option<CpuInterval> {
    if to.host.is_none() && to.process_ns.is_none() {
        return None;
    }
    let wall_ns = to.at_ns.saturating_sub(from.at_ns);
    let mut cpu = CpuInterval {
        process_ns: match (from.process_ns, to.process_ns) {
            (Some(start), Some(end)) => end.saturating_sub(start),
            _ => 0,
        },
        io_wq_ns: to
            .threads
            .iter()
            .filter(|(_, thread)| thread.io_wq)
            .map(|(tid, _)| from.thread_ns_until(to, *tid))
            .sum(),
        workers: workers
            .iter()
            // What is up to a tick behind may be more than a short time has.
            .map(|tid| share(from.thread_ns_until(to, *tid), wall_ns).min(1.0))
            .collect(),
        ..CpuInterval::default()
    };
    if let (Some(start), Some(end)) = (from.host, to.host) {
        let spent = end.since(start);
        let total = spent.user + spent.system + spent.idle + spent.iowait + spent.steal;
        cpu.user = share(spent.user, total);
        cpu.system = share(spent.system, total);
        cpu.iowait = share(spent.iowait, total);
        cpu.steal = share(spent.steal, total);
    }
    Some(cpu)
}

impl HostTicks {
    /// Counters such as iowait may step back on the kernel's own account; that counts as none.
    fn since(self, earlier: HostTicks) -> HostTicks {
        HostTicks {
            user: self.user.saturating_sub(earlier.user),
            system: self.system.saturating_sub(earlier.system),
            idle: self.idle.saturating_sub(earlier.idle),
            iowait: self.iowait.saturating_sub(earlier.iowait),
            steal: self.steal.saturating_sub(earlier.steal),
        }
    }
}

/// The `cpu ` line: user nice system idle iowait irq softirq steal guest guest_nice. Guest time is in user already.
fn host_ticks(text: &str) -> Option<HostTicks> {
    let line = text.lines().find_map(|line| line.strip_prefix("cpu "))?;
    let ticks: Vec<u64> = line
        .split_whitespace()
        .map_while(|word| word.parse().ok())
        .collect();
    let at = |index: usize| ticks.get(index).copied().unwrap_or(0);
    (ticks.len() >= 4).then(|| HostTicks {
        user: at(0) + at(1),
        system: at(2) + at(5) + at(6),
        idle: at(3),
        iowait: at(4),
        steal: at(7),
    })
}

/// `utime` + `stime`, fields 14 and 15; the name before them may hold spaces and brackets.
fn thread_ticks_ns(stat: &str) -> Option<u64> {
    let after_name = &stat[stat.rfind(')')? + 1..];
    let mut fields = after_name.split_whitespace().skip(11);
    let user: u64 = fields.next()?.parse().ok()?;
    let system: u64 = fields.next()?.parse().ok()?;
    user.checked_add(system)?.checked_mul(NS_PER_TICK)
}

fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 {
        0.0
    } else {
        (part as f64 / whole as f64).min(1.0)
    }
}

fn clock_ns(clock: ClockId) -> u64 {
    let time = clock_gettime(clock);
    u64::try_from(time.tv_sec).unwrap_or(0) * 1_000_000_000
        + u64::try_from(time.tv_nsec).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn snapshot(at_ns: u64, threads: &[(u32, u64, bool)]) -> CpuSnapshot {
        CpuSnapshot {
            at_ns,
            host: None,
            process_ns: Some(threads.iter().map(|t| t.1).sum()),
            threads: threads
                .iter()
                .map(|(tid, ns, io_wq)| {
                    (
                        *tid,
                        ThreadTime {
                            ns: *ns,
                            io_wq: *io_wq,
                        },
                    )
                })
                .collect(),
        }
    }

    #[test]
    fn the_host_line_is_split_into_user_system_iowait_and_steal() {
        let ticks = host_ticks("cpu  100 20 30 400 5 6 7 8 50 0\ncpu0 1 1 1 1\n").unwrap();
        assert_eq!(
            ticks,
            HostTicks {
                user: 120,
                system: 43,
                idle: 400,
                iowait: 5,
                steal: 8
            }
        );
        assert_eq!(host_ticks("intr 5"), None);
    }

    #[test]
    fn a_thread_name_may_hold_brackets_and_spaces() {
        let stat = "7 (a) b) S 1 1 1 0 -1 4194304 1 0 0 0 12 30 0 0 20 0 1 0";
        assert_eq!(thread_ticks_ns(stat), Some(420_000_000));
        assert_eq!(thread_ticks_ns("garbage"), None);
    }

    #[test]
    fn worker_shares_are_of_wall_time_and_kernel_workers_are_added_up() {
        let from = snapshot(0, &[(1, 100, false), (2, 50, true)]);
        let to = snapshot(1_000, &[(1, 850, false), (2, 250, true), (3, 40, true)]);
        let cpu = between(&from, &to, &[1, 99]).unwrap();
        assert_eq!(cpu.workers, vec![0.75, 0.0]);
        let short = snapshot(10, &[(1, 850, false)]);
        assert_eq!(between(&from, &short, &[1]).unwrap().workers, vec![1.0]);
        assert_eq!(cpu.io_wq_ns, 240);
        assert_eq!(cpu.process_ns, 990);
    }

    #[test]
    fn a_reused_thread_id_counts_from_nothing() {
        let from = snapshot(0, &[(2, 5_000, true)]);
        let to = snapshot(1_000, &[(2, 300, true)]);
        assert_eq!(between(&from, &to, &[]).unwrap().io_wq_ns, 300);
    }

    #[test]
    fn the_process_clock_covers_threads_that_ended() {
        let sampler = CpuSampler::new(&Root::system());
        let from = sampler.sample();
        let spent = std::thread::spawn(|| {
            let start = clock_ns(ClockId::ThreadCPUTime);
            while clock_ns(ClockId::ThreadCPUTime) - start < 20_000_000 {
                std::hint::spin_loop();
            }
            clock_ns(ClockId::ThreadCPUTime) - start
        })
        .join()
        .unwrap();
        let cpu = between(&from, &sampler.sample(), &[]).unwrap();
        assert!(cpu.process_ns >= spent);
    }

    #[test]
    fn nothing_to_see_is_not_observable() {
        let folder = tempfile::tempdir().unwrap();
        let sampler = CpuSampler::new(&Root::at(folder.path()));
        assert_eq!(between(&sampler.sample(), &sampler.sample(), &[1]), None);
    }
}
