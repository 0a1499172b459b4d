//! What a plan will take, before it runs: time, and bytes written.

use crate::step::step_duration;
use crate::{
    Bytes, DepthSearch, Item, Load, NO_TIME_LIMIT, Nanos, Pattern, Plan, RangeSpec, Step, Stream,
};
use plimsoll_operation::Op;

/// The longest that a step takes; of one without a time limit what goes before it.
fn timed(step: &Step) -> Nanos {
    let length = step_duration(step);
    match step.elapsed < NO_TIME_LIMIT {
        true => length,
        false => Nanos(length.0.saturating_sub(step.elapsed.0)),
    }
}

/// The longest that an entry takes: of a curve, the maximum and every point.
pub fn item_duration(item: &Item) -> Nanos {
    match item {
        Item::Step(step) => timed(step),
        Item::Curve(curve) => {
            let runs = curve.percents.len() as u64 + 1;
            let searching = curve
                .search
                .map_or(0, |search| search_duration(&curve.base, &search).0);
            let measuring = step_duration(&curve.base).0.saturating_mul(runs);
            Nanos(measuring.saturating_add(searching))
        }
        Item::Method(method) => {
            let each = method.outline().into_iter();
            let limited = each.filter(|o| o.step.elapsed < NO_TIME_LIMIT);
            Nanos(limited.map(|o| o.duration().0).fold(0, u64::saturating_add))
        }
    }
}

/// The longest that the search for a curve's depth takes: all of its steps.
pub fn search_duration(base: &Step, search: &DepthSearch) -> Nanos {
    let each = |depth| step_duration(&search.probe(base, depth)).0;
    Nanos(search.depths().map(each).fold(0, u64::saturating_add))
}

/// The longest that all entries take together, but for steps without a time limit.
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
    let copies = |s: &Stream| s.mix.occurring().any(|(op, _)| op == Op::Copy);
    if step.streams.iter().any(copies) {
        return Written::Unknown;
    }
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
        bytes += quota(plan, stream).map_or(asked, |most| asked.min(most));
    }
    Some(Bytes(bytes as u64))
}

/// The most that a stream writes before it ends by itself, bytes; `None` where it does not.
fn quota(plan: &Plan, stream: &Stream) -> Option<f64> {
    if let Some(replay) = stream.replayed() {
        return Some(replay.facts.bytes[1] as f64);
    }
    let bytes = stream.quota.bytes.map(|b| b.0 as f64);
    let ios = stream.quota.ios;
    let ios = ios.map(|n| n as f64 * stream.largest().0 as f64);
    let passes = match stream.address.pattern {
        Pattern::Sequential { once: true, .. } => Some(1),
        _ => stream.quota.passes,
    };
    let passed = passes.and_then(|n| Some(n as f64 * range_bytes(plan, stream)? as f64));
    bytes.into_iter().chain(ios).chain(passed).reduce(f64::min)
}

/// The bytes of a stream's range, where its target's size is stated.
fn range_bytes(plan: &Plan, stream: &Stream) -> Option<u64> {
    let target = plan.targets.get(stream.target.0 as usize)?;
    let size = target.size.or(target.location.stated_size())?.0;
    let (from, until) = match stream.address.range {
        RangeSpec::Whole => (0, size),
        RangeSpec::Percent(from, to) => return Some(((to - from) / 100.0 * size as f64) as u64),
        RangeSpec::Bytes(from, until) => RangeSpec::clipped(from, Some(until), size),
        RangeSpec::Clipped { from, until, .. } => RangeSpec::clipped(from, until, size),
    };
    Some(until.saturating_sub(from))
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
        bytes += timed
            .into_iter()
            .chain(quota(plan, stream))
            .reduce(f64::min)?;
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
    fn a_pass_writes_its_range_once_and_has_no_time_limit() {
        let mut plan = plan();
        plan.targets[0].size = Some(Bytes(128 << 20));
        let Item::Step(step) = &mut plan.items[0] else {
            panic!("a step")
        };
        step.load = Load::Max;
        step.streams.truncate(1);
        let stream = &mut step.streams[0];
        (stream.target, stream.mix, stream.fixed_rate) = (crate::TargetId(0), Mix::WRITES, None);
        stream.address.pattern = Pattern::ONE_PASS;
        (step.warmup, step.pause, step.elapsed) = (Nanos::secs(3), Nanos(0), NO_TIME_LIMIT);
        plan.items.truncate(1);
        let told = |range: RangeSpec, once: bool| {
            let mut plan = plan.clone();
            let Item::Step(step) = &mut plan.items[0] else {
                panic!("a step")
            };
            step.streams[0].address.range = range;
            if !once {
                step.streams[0].address.pattern = Pattern::RANDOM;
            }
            let step = step.clone();
            written(&plan, &step)
        };
        let mib = |n: u64| Written::AtMost(Bytes(n << 20));
        assert_eq!(told(RangeSpec::Whole, true), mib(128));
        assert_eq!(told(RangeSpec::Percent(25.0, 75.0), true), mib(64));
        let bytes = RangeSpec::Bytes(Bytes(100 << 20), Bytes(400 << 20));
        assert_eq!(told(bytes, true), mib(28));
        assert_eq!(told(RangeSpec::Whole, false), Written::Unknown);
        assert_eq!(duration(&plan), Nanos::secs(3));
        let text = crate::describe(&plan).text();
        assert!(
            text.contains("1 step without a time limit; about 128 MiB written"),
            "{text}"
        );
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
