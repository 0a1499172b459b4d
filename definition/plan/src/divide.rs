//! A step of all hosts as a step of each.
//!
//! Rates and limits are totals, and a host has the part of them that its share is of the shares of all that take part. Depth,
//! think time and workers are each host's own, unless the plan says that a depth is of all. A range of a target that is shared
//! is dealt out where the target says so, and where I/O passes through it in order: nothing is done twice, nothing is left out.
//!
//! Who carries the steps out gives each host other random numbers. Evenly spaced arrivals of several hosts coincide where they
//! are carried out so; hosts with equal shares can instead take the places of one host's workers, which deals one schedule out.

use crate::HostId;
use crate::plan::keep_only;
use crate::{
    Bytes, Distribution, Ends, HitSpec, Limits, Load, Pattern, Plan, Quota, RangeSpec, Rate, Step,
    Stream,
};

/// Why a step cannot be divided.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Undividable {
    /// The borders of such a range are known when its target is opened.
    #[error(
        "workload `{workload}` has a range that ends where its target ends, which hosts cannot divide"
    )]
    Range {
        /// The workload.
        workload: String,
    },
    /// A number of overwrites of one target that is shared and one that is not.
    #[error("run `{run}` overwrites targets that hosts share, and others that they do not")]
    Overwrites {
        /// The run.
        run: String,
    },
    /// A shared tree on which some of its hosts do not work: nobody works on their files.
    #[error("run `{run}` works on the tree `{target}` with only some of the hosts that share it")]
    Tree {
        /// The run.
        run: String,
        /// The target.
        target: String,
    },
    /// What another stream does is known on its own hosts alone.
    #[error(
        "workload `{workload}` begins or ends with another that not all of the same hosts carry out"
    )]
    Dependency {
        /// The workload.
        workload: String,
    },
    /// Nobody would do it.
    #[error("workload `{workload}` runs on no host that has its target")]
    Nowhere {
        /// The workload.
        workload: String,
    },
}

impl Undividable {
    /// What to do about it.
    pub fn remedy(&self) -> &'static str {
        match self {
            Undividable::Range { .. } => "give both ends of the range",
            Undividable::Overwrites { .. } => "write them in runs of their own",
            Undividable::Dependency { .. } => {
                "give both the same hosts, or write them as runs one after the other"
            }
            Undividable::Tree { .. } => {
                "give every run on the tree all of its hosts, or name in the target's `hosts` only those that have runs"
            }
            Undividable::Nowhere { .. } => "name a host that has it in `hosts`",
        }
    }
}

/// What each of the plan's hosts does in a step of it; `None` where a host takes no part. The plan has hosts.
///
/// # Errors
/// What cannot be said of each host alone.
pub fn divide(plan: &Plan, step: &Step) -> Result<Vec<Option<Step>>, Undividable> {
    let parts = Parts::of(plan, step)?;
    let mut steps = Vec::new();
    for host in plan.hosts.ids() {
        steps.push(parts.step(host)?);
    }
    Ok(steps)
}

/// The hosts that carry out each stream of a step, in its order: each host's own step has those streams of it that name the host.
///
/// # Errors
/// What cannot be said of each host alone.
pub fn who_does(plan: &Plan, step: &Step) -> Result<Vec<Vec<HostId>>, Undividable> {
    let of_stream = |hosts: Vec<(HostId, f64)>| hosts.into_iter().map(|(h, _)| h).collect();
    let streams = Parts::of(plan, step)?.streams.into_iter();
    Ok(streams.map(of_stream).collect())
}

/// Who does how much of each stream.
struct Parts<'a> {
    plan: &'a Plan,
    step: &'a Step,
    /// Hosts of each stream, with their shares.
    streams: Vec<Vec<(HostId, f64)>>,
    /// Hosts of any stream, with their shares.
    all: Vec<(HostId, f64)>,
}

impl<'a> Parts<'a> {
    fn of(plan: &'a Plan, step: &'a Step) -> Result<Self, Undividable> {
        let shared = |host: HostId| (host, plan.hosts.list[host.0 as usize].share);
        let mut streams: Vec<Vec<(HostId, f64)>> = Vec::new();
        for stream in &step.streams {
            let slots = u64::from(step.depth_for(stream));
            let mut hosts: Vec<_> = plan.hosts_of(stream).into_iter().map(shared).collect();
            // With fewer slots than hosts, the last ones have none.
            if plan.hosts.depth_is_of_all {
                hosts.truncate(usize::try_from(slots.max(1)).unwrap_or(usize::MAX));
            }
            if hosts.is_empty() {
                let workload = stream.workload.clone();
                return Err(Undividable::Nowhere { workload });
            }
            streams.push(hosts);
        }
        whole_trees(plan, step, &streams)?;
        let takes_part = |h: &HostId| streams.iter().flatten().any(|(host, _)| host == h);
        let all = plan.hosts.ids().filter(takes_part).map(shared).collect();
        Ok(Parts {
            plan,
            step,
            streams,
            all,
        })
    }

    /// A host's step.
    fn step(&self, host: HostId) -> Result<Option<Step>, Undividable> {
        let Some(of_all) = Slice::of(&self.all, host) else {
            return Ok(None);
        };
        let mut own_part = self.step.clone();
        own_part.streams.clear();
        // Shares are parts of the step's load: what the host has of them is its part of the rate.
        let mut share = 0.0;
        for (stream, hosts) in self.step.streams.iter().zip(&self.streams) {
            let Some(slice) = Slice::of(hosts, host) else {
                continue;
            };
            let part = self.stream(stream, &slice)?;
            share += part.fixed_rate.map_or(part.share, |_| 0.0);
            own_part.streams.push(part);
        }
        let whole = self.step.shares();
        own_part.load = load(
            &self.step.load,
            if whole > 0.0 {
                share / whole
            } else {
                of_all.width()
            },
        );
        own_part.limits = self.limits(&of_all)?;
        self.keep_dependencies(&mut own_part, host)?;
        if self.plan.hosts.depth_is_of_all {
            self.deal_slots(&mut own_part, host);
        }
        keep_only(&mut own_part, |_| true);
        Ok(Some(own_part))
    }

    /// What a stream waits for, or ends, by the indices that the host's own step has.
    fn keep_dependencies(&self, own_part: &mut Step, host: HostId) -> Result<(), Undividable> {
        let is_own = |n: &usize| self.streams[*n].iter().any(|(h, _)| *h == host);
        let kept: Vec<usize> = (0..self.streams.len()).filter(is_own).collect();
        for (stream, place) in own_part.streams.iter_mut().zip(&kept) {
            let refused = || Undividable::Dependency {
                workload: stream.workload.clone(),
            };
            if stream.dependency.ends != Ends::Itself
                && self.ended_by(*place).any(|n| !self.same_hosts(n, *place))
            {
                return Err(refused());
            }
            let after = stream.dependency.after.iter().map(|n| {
                let at = kept.iter().position(|k| *k == *n as usize);
                at.map(|at| at as u32).ok_or_else(refused)
            });
            stream.dependency.after = after.collect::<Result<_, _>>()?;
        }
        Ok(())
    }

    /// The streams that end with one.
    fn ended_by(&self, place: usize) -> impl Iterator<Item = usize> {
        let dependency = &self.step.streams[place].dependency;
        let all = self.step.streams.iter().enumerate();
        all.filter(|(_, s)| dependency.ends == Ends::Step || s.dependency.group == dependency.group)
            .map(|(n, _)| n)
    }

    fn same_hosts(&self, one: usize, other: usize) -> bool {
        let ids = |n: usize| self.streams[n].iter().map(|(h, _)| *h);
        ids(one).eq(ids(other))
    }

    /// A host's part of a stream.
    fn stream(&self, stream: &Stream, slice: &Slice) -> Result<Stream, Undividable> {
        let mut own_part = stream.clone();
        own_part.share *= slice.width();
        own_part.fixed_rate = stream.fixed_rate.map(|r| Rate(r.0 * slice.width()));
        own_part.throttle.max_rate = stream.throttle.max_rate.map(|r| Rate(r.0 * slice.width()));
        let bytes = |b: Bytes| Bytes(slice.of_count(b.0));
        own_part.throttle.max_bandwidth = stream
            .throttle
            .max_bandwidth
            .map(|b| Bytes(bytes(b).0.max(1)));
        own_part.quota = Quota {
            bytes: stream.quota.bytes.map(bytes),
            ios: stream.quota.ios.map(|n| slice.of_count(n)),
            passes: stream.quota.passes,
        };
        if slice.is_all() || !self.has_a_range_of_its_own(stream) {
            return Ok(own_part);
        }
        own_part.address.range = range(stream, slice)?;
        own_part.address.hits = stream.address.hits.map(|hits| HitSpec {
            area: Bytes(area(hits.area.0, stream.size.max().0, slice)),
            ..hits
        });
        Ok(own_part)
    }

    /// Whether each host has a part of what the stream uses.
    fn has_a_range_of_its_own(&self, stream: &Stream) -> bool {
        let target = self.plan.target(stream.target);
        !target.is_each_hosts_own() && (target.split || in_order(&stream.address.pattern))
    }

    fn limits(&self, slice: &Slice) -> Result<Limits, Undividable> {
        let whole = &self.step.limits;
        let bytes = |b: Option<Bytes>| b.map(|b| Bytes(slice.of_count(b.0)));
        let overwrites = match whole.overwrites {
            None => None,
            Some(times) => Some(times * self.overwritten(slice)?),
        };
        Ok(Limits {
            bytes: bytes(whole.bytes),
            read_bytes: bytes(whole.read_bytes),
            written_bytes: bytes(whole.written_bytes),
            ios: whole.ios.map(|n| slice.of_count(n)),
            overwrites,
        })
    }

    /// A host's part of the overwrites of its targets: all of them where they are its own.
    fn overwritten(&self, slice: &Slice) -> Result<f64, Undividable> {
        let mut own_part = self
            .step
            .streams
            .iter()
            .map(|s| self.plan.target(s.target))
            .map(|t| t.is_each_hosts_own());
        let first = own_part.next().unwrap_or(true);
        match (own_part.all(|o| o == first), first) {
            (true, true) => Ok(1.0),
            (true, false) => Ok(slice.width()),
            (false, _) => Err(Undividable::Overwrites {
                run: self.step.run.clone(),
            }),
        }
    }

    /// Where depths are those of all hosts together: an equal part of them, and what is left over one each to the first hosts.
    fn deal_slots(&self, own_part: &mut Step, host: HostId) {
        let dealt = |slots: u32, hosts: &[HostId]| {
            let count = hosts.len().max(1) as u32;
            let at = hosts.iter().position(|h| *h == host).unwrap_or(0) as u32;
            slots / count + u32::from(at < slots % count)
        };
        let hosts = |of: &dyn Fn(&Stream) -> bool| {
            let streams = self.step.streams.iter().zip(&self.streams);
            let mut hosts: Vec<HostId> = streams
                .filter(|(s, _)| of(s))
                .flat_map(|(_, hosts)| hosts.iter().map(|(h, _)| *h))
                .collect();
            hosts.sort_unstable();
            hosts.dedup();
            hosts
        };
        for depth in &mut own_part.depths {
            let target = depth.target;
            depth.slots = dealt(
                depth.slots,
                &hosts(&|s| s.target == target && s.depth.is_none()),
            );
        }
        for stream in &mut own_part.streams {
            let (workload, target) = (&stream.workload, stream.target);
            let same = |s: &Stream| s.target == target && s.workload == *workload;
            stream.depth = stream.depth.map(|slots| dealt(slots, &hosts(&same)));
        }
    }
}

/// Refuses work on a shared tree without one of its hosts: nobody would work on the files of that host.
fn whole_trees(plan: &Plan, step: &Step, hosts: &[Vec<(HostId, f64)>]) -> Result<(), Undividable> {
    for stream in &step.streams {
        let target = plan.target(stream.target);
        let beside = step.streams.iter().zip(hosts);
        let at_work: Vec<HostId> = beside
            .filter(|(s, _)| s.target == stream.target)
            .flat_map(|(_, hosts)| hosts.iter().map(|(host, _)| *host))
            .collect();
        let is_whole = plan.hosts_with(target).iter().all(|h| at_work.contains(h));
        if target.is_shared_tree() && !is_whole {
            return Err(Undividable::Tree {
                run: step.run.clone(),
                target: target.name.clone(),
            });
        }
    }
    Ok(())
}

/// Whether a pattern passes through its range, so that two hosts in the same range would do everything twice.
fn in_order(pattern: &Pattern) -> bool {
    match pattern {
        Pattern::Sequential { .. }
        | Pattern::SequentialEach
        | Pattern::Streams(_)
        | Pattern::Stride { .. }
        | Pattern::Backward { .. } => true,
        Pattern::Zones { random, .. } => !random,
        Pattern::Random {
            distribution,
            coverage,
        } => *coverage && *distribution == Distribution::Uniform,
        Pattern::PercentRandom(_) | Pattern::PartRandom { .. } | Pattern::Runs { .. } => false,
    }
}

/// A host's place among those that share something: from one fraction of it to another. One ends where the next begins, to the
/// last bit.
struct Slice {
    from: f64,
    to: f64,
    /// Its part of the whole: but for rounding the distance of both.
    part: f64,
}

impl Slice {
    fn of(hosts: &[(HostId, f64)], host: HostId) -> Option<Slice> {
        let at = hosts.iter().position(|(h, _)| *h == host)?;
        let sum: f64 = hosts.iter().map(|(_, share)| share).sum();
        let upto = |end: usize| match end {
            end if end == hosts.len() => 1.0,
            end => hosts[..end].iter().map(|(_, share)| share).sum::<f64>() / sum,
        };
        Some(Slice {
            from: upto(at),
            to: upto(at + 1),
            part: hosts[at].1 / sum,
        })
    }

    fn width(&self) -> f64 {
        self.part
    }

    fn is_all(&self) -> bool {
        self.from == 0.0 && self.to == 1.0
    }

    /// Where a fraction of so many lies; all of them at 1.
    fn border(count: u64, fraction: f64) -> u64 {
        match fraction >= 1.0 {
            true => count,
            false => ((count as f64 * fraction) as u64).min(count),
        }
    }

    /// Its part of so many; all parts are the whole.
    fn of_count(&self, count: u64) -> u64 {
        Slice::border(count, self.to) - Slice::border(count, self.from)
    }
}

fn load(load: &Load, part: f64) -> Load {
    match load {
        Load::Rate { rate, arrival } => Load::rate(Rate(rate.0 * part), *arrival),
        Load::Schedule { segments, arrival } => {
            let mut segments = segments.clone();
            for segment in &mut segments {
                segment.rate.0 *= part;
            }
            Load::schedule(segments, *arrival)
        }
        // What the last step reached was reached by the same hosts.
        Load::Max | Load::MaxShared | Load::PercentOfLast { .. } => load.clone(),
    }
}

/// A host's part of a range. Whoever opens the target rounds both ends of every part down to the same blocks.
fn range(stream: &Stream, slice: &Slice) -> Result<RangeSpec, Undividable> {
    let percent = |from: f64, to: f64| {
        let at = |fraction: f64| match fraction >= 1.0 {
            true => to,
            false => from + (to - from) * fraction,
        };
        let (from, to) = (at(slice.from), at(slice.to));
        // Past the end it goes on at the start.
        match from >= 100.0 {
            true => RangeSpec::Percent(from - 100.0, to - 100.0),
            false => RangeSpec::Percent(from, to),
        }
    };
    match stream.address.range {
        RangeSpec::Whole => Ok(percent(0.0, 100.0)),
        RangeSpec::Percent(from, to) => Ok(percent(from, to)),
        RangeSpec::Bytes(from, to) => {
            let at =
                |fraction| Bytes(from.0 + Slice::border(to.0.saturating_sub(from.0), fraction));
            Ok(RangeSpec::Bytes(at(slice.from), at(slice.to)))
        }
        RangeSpec::Clipped { .. } => Err(Undividable::Range {
            workload: stream.workload.clone(),
        }),
    }
}

/// A host's part of an area for hits: whole blocks, one at least.
fn area(all: u64, block: u64, slice: &Slice) -> u64 {
    let block = block.max(1);
    let part = slice.of_count(all / block) * block;
    part.max(block.min(all))
}
