//! Short steps and short windows, of one stream and of several: the engine's loop on queues whose capacity is known, and what
//! the judge says of each stream.

use plimsoll_draw::Draw;
use plimsoll_engine::backend::{Request, choose::BackendKind};
use plimsoll_engine::scripted::{Scripted, ScriptedAnswer, ScriptedClock, Servers, Time};
use plimsoll_engine::{Control, OpenTarget, Opened, Options, run_step_alone};
use plimsoll_evidence::{Interval, Phase, StepEvidence};
use plimsoll_methods::{Judge, StepFacts};
use plimsoll_plan::*;
use std::sync::Arc;

const S: f64 = 1e9;
/// Offered, as a share of what the stream can get.
const LOADS: [f64; 5] = [0.5, 0.9, 1.3, 3.0, 100.0];

fn ns(seconds: f64) -> Nanos {
    Nanos((seconds * S).round() as u64)
}

/// Place of the queue.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Place {
    /// Before the stream's own slots: each I/O of a slot takes its time, whatever else is out.
    Slots,
    /// In the target, which has so few servers; slots there are enough of.
    Target,
}

const SERVERS: u32 = 4;

/// A stream that is offered `load` of `capacity` I/Os per second, from `from` until `until`, s.
#[derive(Debug, Clone, Copy)]
struct Offered {
    load: f64,
    capacity: f64,
    from: f64,
    until: f64,
}

impl Offered {
    fn due(&self) -> f64 {
        self.load * self.capacity * (self.until - self.from)
    }
}

/// Each stream has a target of its own, so that what it can get is what its servers do.
fn step(seconds: f64, place: Place, offered: &[Offered]) -> Step {
    let stream = |(n, o): (usize, &Offered)| {
        let ends = o.until < seconds;
        let size = SizeSpec::Fixed(Bytes(4096));
        let address = AddressSpec::whole(Pattern::RANDOM);
        let target = TargetId(n as u32);
        Stream {
            share: 0.0,
            fixed_rate: Some(Rate(o.load * o.capacity)),
            window: Window {
                from: ns(o.from),
                until: ends.then(|| ns(o.until)),
                ..Window::default()
            },
            ..Stream::new(format!("w{n}"), target, Mix::READS, size, address)
        }
    };
    let slots = match place {
        Place::Slots => SERVERS,
        Place::Target => 2048,
    };
    Step::new(
        "s",
        offered.iter().enumerate().map(stream).collect(),
        Depth::each((0..offered.len() as u32).map(TargetId), slots),
        Load::Max,
        ns(seconds),
    )
}

fn measured(step: &Step, capacity: &[f64], random: bool, seed: u64) -> StepEvidence {
    let target = |n: usize| {
        Arc::new(OpenTarget {
            opened: Opened::Simulated,
            size: 1 << 30,
            logical_block: 512,
            ..OpenTarget::unused(&format!("t{n}"))
        })
    };
    let targets: Vec<_> = (0..capacity.len()).map(target).collect();
    let options = Options {
        submit_batch: 16,
        drain: Nanos::secs(5),
        kinds: vec![BackendKind::Null; capacity.len()],
        ..Options::new(seed)
    };
    let mut queues = vec![Servers::new(SERVERS as usize); capacity.len()];
    let mut draw = Draw(seed);
    let time = Time::default();
    let clock = ScriptedClock(time.clone());
    let mut judge = Judge::new(step, 1);
    run_step_alone(
        step,
        &targets,
        &options,
        &Control::default(),
        clock,
        |given| {
            let slots = given
                .pools
                .iter()
                .flat_map(|p| (0..p.room).map(|_| p.target));
            let owners: Vec<usize> = slots.collect();
            Scripted::new(time.clone(), move |now, request: &Request| {
                let target = owners[request.slot as usize];
                let drawn = if random { draw.exponential() } else { 1.0 };
                let takes = drawn * f64::from(SERVERS) / capacity[target] * S;
                ScriptedAnswer::done(queues[target].serve(now, takes as u64), request)
            })
        },
        |merged| {
            judge.add(&Interval {
                host: 0,
                step: 1,
                number: merged.number,
                start_ns: merged.start_ns,
                length_ns: merged.length_ns,
                phase: match merged.drain {
                    true => Phase::Drain,
                    false => Phase::Counted,
                },
                stats: merged.stats,
                cpu: None,
                arrays: Vec::new(),
                witnessed: None,
            });
        },
    )
    .expect("runs");
    judge.finish(&StepFacts::clean(1))
}

/// Windows in a step of this length: some on the edges of samples, some across them.
fn windows(seconds: f64) -> Vec<(f64, f64)> {
    let all = [
        (0.0, 0.2),
        (0.1, 0.5),
        (0.05, 0.45),
        (0.25, 0.45),
        (seconds / 2.0, seconds),
        (seconds * 0.3, seconds * 0.8),
        (0.0, seconds),
    ];
    all.into_iter().filter(|(_, to)| *to <= seconds).collect()
}

/// Checks every stream of a step against what it was offered.
///
/// `near` counts the streams that are a little past what they can get and random, and those of them that nothing is told of.
fn check(
    seconds: f64,
    place: Place,
    offered: &[Offered],
    random: bool,
    seed: u64,
    near: &mut (usize, usize),
) -> Vec<String> {
    let step = step(seconds, place, offered);
    let capacity: Vec<f64> = offered.iter().map(|o| o.capacity).collect();
    let e = measured(&step, &capacity, random, seed);
    let mut wrong = Vec::new();
    let mut fail = |what: &str, o: &Offered, n: usize| {
        let s = e.streams[n].saturation;
        wrong.push(format!(
            "{what}: {seconds} s, {place:?}, random {random}, seed {seed}, stream {n} {o:?}: {s:?}\n  step {:?}\n  stalls {:?}",
            e.saturation, e.stalls
        ));
    };
    for (n, o) in offered.iter().enumerate() {
        let s = e.streams[n].saturation.expect("it has a rate");
        if o.load < 1.0 && s.saturated {
            fail("called saturated", o, n);
        }
        // Of random arrivals and service a short overload by a third can look like a queue that fills up.
        let is_near = random && (1.0..3.0).contains(&o.load) && o.due() >= 1000.0;
        if is_near {
            near.1 += 1;
            near.0 += usize::from(!s.saturated);
        }
        let is_excused = is_near && s.undecided;
        if o.load > 1.0 && o.due() >= 1000.0 && !s.saturated && !is_excused {
            fail("not called saturated", o, n);
        }
        if o.load >= 3.0 && o.due() >= 100.0 && !s.saturated && !s.undecided {
            fail("called carried", o, n);
        }
        if o.load >= 100.0 && o.until - o.from > 0.39 && place == Place::Slots {
            if s.no_slot_share < 0.95 {
                fail("slots were there", o, n);
            }
            if s.short_samples < 0.99 {
                fail("slots were there for a while", o, n);
            }
        }
        if o.load > 1.0 && o.due() >= 1000.0 {
            let short = 1.0 - 1.0 / o.load;
            // What comes due is drawn, and where service is, what is done: of `1 - done / due` with Poisson counts four
            // standard deviations, and the last samples' grain.
            let drawn = 1.0 + if random { o.load } else { 0.0 };
            let room = 0.02 + 4.0 * (drawn / o.due()).sqrt() / o.load;
            if (s.shortfall - short).abs() > room {
                fail("its shortfall is another", o, n);
            }
        }
    }
    // Few I/Os that are slow by chance are held up now and then.
    let many = offered
        .iter()
        .all(|o| o.capacity * (o.until - o.from) >= 1000.0);
    if many && !e.stalls.is_empty() {
        fail("stalled", &offered[0], 0);
    }
    let step_is = e.saturation.is_some_and(|s| s.saturated);
    let one_is = e
        .streams
        .iter()
        .any(|s| s.saturation.is_some_and(|s| s.saturated));
    if one_is && !step_is {
        fail("the step is not as its streams", &offered[0], 0);
    }
    wrong
}

/// Each combination of length, window and load beside other loads and windows; `ios` is what a stream can get in its window.
fn grid(place: Place, random: bool, ios: f64) {
    let mut wrong = Vec::new();
    let mut cases = 0;
    let mut near = (0, 0);
    for seconds in [0.5, 1.0, 2.0, 3.0, 10.0] {
        let windows = windows(seconds);
        for (w, _) in windows.iter().enumerate() {
            for (l, _) in LOADS.iter().enumerate() {
                let streams = 1 + (w + l) % 3;
                let offered: Vec<Offered> = (0..streams)
                    .map(|n| {
                        let (from, until) = windows[(w + 3 * n) % windows.len()];
                        Offered {
                            load: LOADS[(l + 2 * n) % LOADS.len()],
                            capacity: ios / (until - from),
                            from,
                            until,
                        }
                    })
                    .collect();
                let seed = (w * 100 + l * 10) as u64 + seconds as u64;
                wrong.extend(check(seconds, place, &offered, random, seed, &mut near));
                cases += streams;
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {cases} streams:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    let (untold, near) = near;
    assert!(untold * 20 <= near, "{untold} of {near} are not told");
}

#[test]
fn each_stream_is_judged_for_itself_where_its_slots_are_short() {
    grid(Place::Slots, false, 1000.0);
    grid(Place::Slots, true, 1000.0);
}

#[test]
fn each_stream_is_judged_for_itself_where_its_target_is_slow() {
    grid(Place::Target, false, 1000.0);
    grid(Place::Target, true, 1000.0);
}

#[test]
fn of_few_ios_nothing_false_is_said() {
    grid(Place::Slots, true, 60.0);
    grid(Place::Target, true, 60.0);
}
