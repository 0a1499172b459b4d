//! What a plan will take, before it runs: time, and bytes written.

use crate::{Bytes, DepthSearch, Item, Load, Nanos, Plan, Purpose, Step, Stream};

/// The longest that a step takes: its pause, its warm-up and its time. Limits may end it sooner; settling between the
/// points of a curve comes on top and is not known, and neither is the time of a fill, which ends when it's through.
pub fn step_duration(step: &Step) -> Nanos {
    if step.purpose == Purpose::Fill {
        return step.pause;
    }
    Nanos(
        step.pause
            .0
            .saturating_add(step.warmup.0)
            .saturating_add(step.elapsed.0),
    )
}

/// The longest that an entry takes: of a curve, the maximum and every point.
pub fn item_duration(item: &Item) -> Nanos {
    match item {
        Item::Step(step) => step_duration(step),
        Item::Curve(curve) => {
            let runs = curve.percents.len() as u64 + 1;
            let searching = curve
                .search
                .map_or(0, |search| search_duration(&curve.base, &search).0);
            let measuring = step_duration(&curve.base).0.saturating_mul(runs);
            Nanos(measuring.saturating_add(searching))
        }
        Item::Method(method) => {
            let each = method.outline().into_iter().map(|o| o.duration().0);
            Nanos(each.fold(0, u64::saturating_add))
        }
    }
}

/// The longest that the search for a curve's depth takes: all of its steps.
pub fn search_duration(base: &Step, search: &DepthSearch) -> Nanos {
    let each = |depth| step_duration(&search.probe(base, depth)).0;
    Nanos(search.depths().map(each).fold(0, u64::saturating_add))
}

/// The longest that all entries take together.
pub fn duration(plan: &Plan) -> Nanos {
    plan.items
        .iter()
        .map(item_duration)
        .fold(Nanos(0), |a, b| Nanos(a.0.saturating_add(b.0)))
}

/// Bytes that a step writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Written {
    /// None at all.
    Nothing,
    /// About this many: the load is known.
    About(Bytes),
    /// At most this many: a limit ends it.
    AtMost(Bytes),
    /// As many as the target takes: the load is its maximum, or a part of it.
    Unknown,
}

impl Written {
    /// What so many steps like it write.
    pub fn times(self, count: u64) -> Written {
        let all = |bytes: Bytes| Bytes(bytes.0.saturating_mul(count));
        match self {
            Written::About(bytes) => Written::About(all(bytes)),
            Written::AtMost(bytes) => Written::AtMost(all(bytes)),
            other => other,
        }
    }
}

/// What a step writes, warm-up included. What goes to a null target is not written.
pub fn written(plan: &Plan, step: &Step) -> Written {
    if !step.streams.iter().any(|s| reaches_storage(plan, s)) {
        return Written::Nothing;
    }
    let about = scheduled(plan, step);
    let limits = match targets_size(plan, step) {
        Some(size) => step.limits.resolved(size),
        None => step.limits,
    };
    if about.is_none()
        && let Some(most) = capped(plan, step)
    {
        let limit = limits.written_bytes.or(limits.bytes);
        return Written::AtMost(limit.map_or(most, |limit| limit.min(most)));
    }
    let limit = limits.written_bytes.or(limits.bytes);
    match (about, limit) {
        (Some(about), Some(limit)) if about <= limit => Written::About(about),
        (_, Some(limit)) => Written::AtMost(limit),
        (Some(about), None) => Written::About(about),
        (None, None) => Written::Unknown,
    }
}

/// What the schedule writes, if the step has one: rate, times the time, times the share of writes, times their size.
fn scheduled(plan: &Plan, step: &Step) -> Option<Bytes> {
    let length_ns = step.warmup.0.saturating_add(step.elapsed.0);
    let sharing = step.shares();
    let rate = mean_rate(&step.load);
    let mut bytes = 0.0;
    for stream in step.streams.iter().filter(|s| reaches_storage(plan, s)) {
        let rate = match stream.fixed_rate {
            Some(own) => own.0,
            None if sharing > 0.0 => rate? * stream.share / sharing,
            None => return None,
        };
        let seconds = Nanos(stream.window.overlap_ns(0, length_ns)).as_secs_f64();
        let asked = rate * seconds * write_bytes(stream);
        bytes += quota(stream).map_or(asked, |most| asked.min(most));
    }
    Some(Bytes(bytes as u64))
}

/// The most that a stream writes before it ends by itself, bytes; `None` where it does not.
fn quota(stream: &Stream) -> Option<f64> {
    if let Some(replay) = stream.replayed() {
        return Some(replay.facts.bytes[1] as f64);
    }
    let bytes = stream.quota.bytes.map(|b| b.0 as f64);
    let ios = stream.quota.ios;
    let ios = ios.map(|n| n as f64 * stream.largest().0 as f64);
    bytes.into_iter().chain(ios).reduce(f64::min)
}

/// The most that streams write which end by themselves, or have a most per second, or a rate; `None` where one that writes has neither.
fn capped(plan: &Plan, step: &Step) -> Option<Bytes> {
    let length_ns = step.warmup.0.saturating_add(step.elapsed.0);
    let mut bytes = 0.0;
    for stream in step.streams.iter().filter(|s| reaches_storage(plan, s)) {
        let seconds = Nanos(stream.window.overlap_ns(0, length_ns)).as_secs_f64();
        let throttle = &stream.throttle;
        let rate = stream.fixed_rate.or(throttle.max_rate);
        let timed = match (rate, throttle.max_bandwidth) {
            (Some(rate), _) => Some(rate.0 * seconds * write_bytes(stream)),
            // Others may take none of it.
            (None, Some(most)) => Some(most.0 as f64 * seconds),
            (None, None) => None,
        };
        bytes += timed.into_iter().chain(quota(stream)).reduce(f64::min)?;
    }
    Some(Bytes(bytes as u64))
}

/// The size of all of a step's targets together, bytes; `None` where one of them decides that itself.
fn targets_size(plan: &Plan, step: &Step) -> Option<u64> {
    let size = |depth: &crate::Depth| {
        let target = plan.targets.get(depth.target.0 as usize)?;
        target.size.or(target.location.stated_size())
    };
    let sizes: Option<Vec<Bytes>> = step.depths.iter().map(size).collect();
    Some(
        sizes?
            .iter()
            .fold(0, |sum, size| sum.saturating_add(size.0)),
    )
}

fn reaches_storage(plan: &Plan, stream: &Stream) -> bool {
    let target = plan.targets.get(stream.target.0 as usize);
    stream.mix.write > 0.0 && target.is_none_or(|t| t.location.is_storage())
}

/// Bytes written by the mean I/O of a stream.
fn write_bytes(stream: &Stream) -> f64 {
    stream.mix.write / 100.0 * stream.size.by_operation()[1].mean(&stream.mix)
}

/// The offered rate, I/Os per second, averaged over time; `None` where the target decides.
pub fn mean_rate(load: &Load) -> Option<f64> {
    match load {
        Load::Max | Load::MaxShared | Load::PercentOfLast { .. } => None,
        Load::Rate { rate, .. } => Some(rate.0),
        Load::Schedule { segments, .. } => {
            let time: f64 = segments.iter().map(|s| s.length.as_secs_f64()).sum();
            let ios: f64 = segments
                .iter()
                .map(|s| s.rate.0 * s.length.as_secs_f64())
                .sum();
            (time > 0.0).then(|| ios / time)
        }
    }
}

/// Bytes that may be written before the first step, to create or fill the files whose size is given. What is there
/// already is not written again, so that this is the most.
pub fn fill(plan: &Plan) -> Bytes {
    let sizes = plan
        .targets
        .iter()
        .filter(|t| !t.location.paths().is_empty())
        .filter_map(|t| t.size);
    Bytes(sizes.fold(0, |a, b| a.saturating_add(b.0)))
}

/// A time as people say it, to two units: `1h 30m`, `95s` is `1m 35s`, `250ms`.
pub fn spoken(time: Nanos) -> String {
    let seconds = time.0 / 1_000_000_000;
    let parts = [(86_400, "d"), (3_600, "h"), (60, "m"), (1, "s")];
    if seconds == 0 {
        return time.to_string();
    }
    let mut left = seconds;
    let mut words = Vec::new();
    for (size, name) in parts {
        if left >= size {
            words.push(format!("{}{name}", left / size));
            left %= size;
        } else if !words.is_empty() {
            // A gap ends it: 1h and 5s is 1h.
            break;
        }
        if words.len() == 2 {
            break;
        }
    }
    words.join(" ")
}

/// A bound of a time as people say it: to two units, rounded up.
pub fn spoken_bound(time: Nanos) -> String {
    let seconds = time.0.div_ceil(1_000_000_000);
    let grain_s = match seconds {
        0..=1 => return spoken(time),
        2..3_600 => 1,
        3_600..86_400 => 60,
        _ => 3_600,
    };
    spoken(Nanos::secs(seconds.next_multiple_of(grain_s)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validate::tests::plan;
    use crate::{Item, Mix, Quota, SizeSpec};

    #[test]
    fn a_workload_writes_no_more_than_its_quota() {
        let mut plan = plan();
        let Item::Step(step) = &mut plan.items[0] else {
            panic!("a step")
        };
        step.load = crate::Load::Max;
        step.streams.truncate(1);
        step.streams[0].mix = Mix::WRITES;
        step.streams[0].size = SizeSpec::Fixed(Bytes(4096));
        let mut with = |quota| {
            step.streams[0].quota = quota;
            let step = step.clone();
            written(&crate::validate::tests::plan(), &step)
        };
        let quota = |bytes, ios| Quota {
            bytes,
            ios,
            passes: None,
        };
        assert_eq!(with(quota(None, None)), Written::Unknown);
        let both = quota(Some(Bytes(1 << 20)), Some(10));
        assert_eq!(with(both), Written::AtMost(Bytes(40_960)));
        let bytes = quota(Some(Bytes(1 << 20)), None);
        assert_eq!(with(bytes), Written::AtMost(Bytes(1 << 20)));
    }

    #[test]
    fn a_bound_is_never_said_to_be_less() {
        for (time, said) in [
            (Nanos(250_000_000), "250ms"),
            (Nanos(24_500_000_000), "25s"),
            (Nanos::secs(95), "1m 35s"),
            (Nanos::secs(3605), "1h 1m"),
            (Nanos::secs(86_401), "1d 1h"),
        ] {
            assert_eq!(spoken_bound(time), said);
        }
    }

    #[test]
    fn times_are_spoken_in_two_units() {
        for (time, said) in [
            (Nanos(0), "0s"),
            (Nanos(250_000_000), "250ms"),
            (Nanos::secs(30), "30s"),
            (Nanos::secs(95), "1m 35s"),
            (Nanos::secs(5400), "1h 30m"),
            (Nanos::secs(3605), "1h"),
            (Nanos::secs(90061), "1d 1h"),
        ] {
            assert_eq!(spoken(time), said);
        }
    }
}
