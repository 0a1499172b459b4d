//! Plans that nobody wrote: each part of the model, drawn.

use plimsoll_plan::*;
use proptest::collection::vec;
use proptest::option::of;
use proptest::prelude::*;
use std::path::PathBuf;

/// A percentage, often a round one.
fn percent() -> BoxedStrategy<f64> {
    prop_oneof![(0u32..=100).prop_map(f64::from), 0.001f64..100.0].boxed()
}

fn block() -> BoxedStrategy<Bytes> {
    (0u32..8).prop_map(|shift| Bytes(512 << shift)).boxed()
}

fn bytes() -> BoxedStrategy<Bytes> {
    (1u64..1 << 20).prop_map(|n| Bytes(n * 512)).boxed()
}

fn rate() -> BoxedStrategy<Rate> {
    prop_oneof![
        (1u32..100_000).prop_map(|n| Rate(f64::from(n))),
        (0.1f64..1e6).prop_map(Rate)
    ]
    .boxed()
}

fn time() -> BoxedStrategy<Nanos> {
    prop_oneof![
        (1u64..10_000).prop_map(Nanos::secs),
        (10_000_000u64..1 << 40).prop_map(Nanos)
    ]
    .boxed()
}

fn arrival() -> BoxedStrategy<Arrival> {
    prop_oneof![
        Just(Arrival::Exponential),
        Just(Arrival::Uniform),
        Just(Arrival::Even)
    ]
    .boxed()
}

fn one_size() -> BoxedStrategy<SizeSpec> {
    let weighted = (vec(block(), 2..4), 1u32..50).prop_map(|(sizes, first)| {
        let first = f64::from(first);
        let rest = (100.0 - first) / (sizes.len() - 1) as f64;
        let each = sizes.into_iter().enumerate();
        SizeSpec::Weighted(
            each.map(|(at, b)| (b, if at == 0 { first } else { rest }))
                .collect(),
        )
    });
    let range = (block(), 1u64..4, 1u64..4).prop_map(|(align, from, more)| {
        SizeSpec::range(Bytes(align.0 * from), Bytes(align.0 * (from + more)), align)
    });
    prop_oneof![block().prop_map(SizeSpec::Fixed), weighted, range].boxed()
}

fn size() -> BoxedStrategy<SizeSpec> {
    let own = (one_size(), one_size(), one_size())
        .prop_map(|(read, write, trim)| SizeSpec::of_operations([read, write, trim]));
    prop_oneof![4 => one_size(), 1 => own].boxed()
}

fn mix() -> BoxedStrategy<Mix> {
    (0u32..=100, 0u32..=100)
        .prop_map(|(read, trim)| {
            let trim = f64::from(trim.min(100 - read));
            let read = f64::from(read);
            Mix::from([read, 100.0 - read - trim, trim])
        })
        .boxed()
}

fn distribution() -> BoxedStrategy<Distribution> {
    prop_oneof![
        Just(Distribution::Uniform),
        (0.01f64..3.0).prop_map(Distribution::Zipf),
        (0.01f64..0.99).prop_map(Distribution::Pareto),
        (0.1f64..50.0).prop_map(Distribution::Normal),
        Just(Distribution::Zoned(vec![(60.0, 10.0), (40.0, 90.0)])),
        Just(Distribution::Hotband(HotbandMode::Observed)),
        Just(Distribution::Hotband(HotbandMode::Corrected)),
        (0.1f64..100.0).prop_map(Distribution::Poisson),
    ]
    .boxed()
}

fn pattern() -> BoxedStrategy<Pattern> {
    let random = |distribution| Pattern::random(distribution);
    let covering = Pattern::COVERING;
    let ordered = (any::<bool>(), any::<bool>(), any::<bool>()).prop_map(|(once, start, whole)| {
        Pattern::Sequential {
            once,
            random_start: start,
            whole: whole && once,
        }
    });
    let part = (percent(), distribution(), any::<bool>()).prop_map(|(percent, d, whole_runs)| {
        Pattern::PartRandom {
            percent,
            distribution: d,
            whole_runs,
        }
    });
    let stride = (bytes(), bytes()).prop_map(|(min, more)| Pattern::Stride {
        min,
        max: Bytes(min.0 + more.0),
    });
    let zones =
        (block(), 1u64..9, of(block()), any::<bool>()).prop_map(|(size, more, skip, random)| {
            Pattern::Zones {
                size,
                range: Bytes(size.0 * more),
                skip: skip.unwrap_or_default(),
                random,
            }
        });
    let runs = (1u32..99, any::<bool>()).prop_map(|(ios, repeat)| Pattern::Runs { ios, repeat });
    prop_oneof![
        1 => bytes().prop_map(|step| Pattern::Backward { step }),
        1 => zones,
        1 => runs,
        4 => distribution().prop_map(random),
        1 => Just(covering),
        1 => Just(Pattern::SequentialEach),
        3 => ordered,
        2 => percent().prop_map(Pattern::PercentRandom),
        2 => part,
        1 => stride,
        1 => (1u32..9).prop_map(Pattern::Streams),
    ]
    .boxed()
}

fn range() -> BoxedStrategy<RangeSpec> {
    let clipped =
        (bytes(), of(bytes()), any::<bool>()).prop_map(|(from, more, ahead)| RangeSpec::Clipped {
            from,
            until: more.map(|m| Bytes(from.0 + m.0)),
            ahead: Bytes(if ahead { 512 } else { 0 }),
        });
    prop_oneof![
        4 => Just(RangeSpec::Whole),
        1 => (0u32..50, 51u32..=100).prop_map(|(a, b)| RangeSpec::Percent(f64::from(a), f64::from(b))),
        1 => (bytes(), bytes()).prop_map(|(a, b)| RangeSpec::Bytes(a, Bytes(a.0 + b.0))),
        1 => clipped,
    ]
    .boxed()
}

fn hits() -> BoxedStrategy<Option<HitSpec>> {
    let placement = prop_oneof![
        Just(HitPlacement::Contiguous),
        Just(HitPlacement::Scattered),
        bytes().prop_map(HitPlacement::Sliced)
    ];
    let some = (percent(), percent(), bytes(), placement)
        .prop_map(|(read, write, area, at)| Some(HitSpec::new(read, write, area, at)));
    prop_oneof![4 => Just(None), 1 => some].boxed()
}

fn content() -> BoxedStrategy<ContentSpec> {
    let dedupe = (
        1.0f64..9.0,
        block(),
        of(1u64..100),
        any::<bool>(),
        any::<bool>(),
    )
        .prop_map(|(ratio, unit, sets, flip_flop, runs)| DedupeSpec {
            ratio,
            unit,
            sets,
            flip_flop,
            placement: match runs {
                true => DedupePlacement::Runs,
                false => DedupePlacement::Scattered,
            },
        });
    let dedupe = dedupe.boxed();
    let reducible = (1.0f64..9.0, of(dedupe.clone()))
        .prop_map(|(compress, dedupe)| ContentSpec::Reducible { compress, dedupe });
    let pattern = vec(any::<u8>(), 1..9);
    let with_pattern =
        (pattern, 1.5f64..9.0, of(dedupe.clone())).prop_map(|(pattern, compress, dedupe)| {
            ContentSpec::ReduciblePattern {
                pattern,
                compress,
                dedupe,
            }
        });
    let part_zero =
        (0.5f64..99.5, 1.0f64..9.0, of(dedupe.clone())).prop_map(|(zeros, compress, dedupe)| {
            ContentSpec::PartZero {
                zeros,
                compress,
                dedupe,
            }
        });
    prop_oneof![
        Just(ContentSpec::Unique),
        Just(ContentSpec::Zeros),
        part_zero,
        vec(any::<u8>(), 1..20).prop_map(ContentSpec::Pattern),
        "[a-z0-9x=, \"\\\\]{1,9}".prop_map(|w| ContentSpec::Pattern(w.into_bytes())),
        Just(ContentSpec::File(PathBuf::from("/tmp/with \"quotes\""))),
        reducible,
        with_pattern,
    ]
    .boxed()
}

fn throttle() -> BoxedStrategy<Throttle> {
    let think = (time(), 1u32..9, arrival())
        .prop_map(|(time, every, spread)| Think::new(time, every, spread));
    let some = (of(think), of(rate()), of(bytes())).prop_map(|(think, rate, bandwidth)| Throttle {
        think,
        max_rate: rate,
        max_bandwidth: if rate.is_some() { None } else { bandwidth },
    });
    prop_oneof![3 => Just(Throttle::default()), 1 => some].boxed()
}

fn quota() -> BoxedStrategy<Quota> {
    let some = (of(bytes()), of(1u64..1000), of(1u64..9)).prop_map(|(bytes, ios, passes)| Quota {
        bytes,
        ios,
        passes,
    });
    prop_oneof![3 => Just(Quota::default()), 1 => some].boxed()
}

fn verify() -> BoxedStrategy<Option<VerifySpec>> {
    let sum = (0..VerifySum::ALL.len()).prop_map(|at| VerifySum::ALL[at].1);
    let repeated =
        (vec(any::<u8>(), 8..20), of(0u32..8), of(1u32..9)).prop_map(|(bytes, at, interval)| {
            VerifyPattern {
                bytes,
                offsets: at.into_iter().collect(),
                interval,
            }
        });
    let some = (of(sum), of(block()), 0u64..64, of(repeated), any::<bool>()).prop_map(
        |(sum, interval, offset, pattern, remember)| VerifySpec {
            sum: sum.or(pattern.is_none().then_some(VerifySum::Crc32c)),
            interval,
            offset: Bytes(offset),
            pattern,
            remember,
        },
    );
    prop_oneof![6 => Just(None), 1 => some.prop_map(Some)].boxed()
}

fn dependency() -> BoxedStrategy<Dependency> {
    let ends = prop_oneof![Just(Ends::Itself), Just(Ends::Group), Just(Ends::Step)];
    let some = (vec(0u32..4, 0..3), 0u32..3, ends).prop_map(|(mut after, group, ends)| {
        after.sort_unstable();
        after.dedup();
        Dependency { after, group, ends }
    });
    prop_oneof![5 => Just(Dependency::default()), 1 => some].boxed()
}

fn hosts() -> BoxedStrategy<Hosts> {
    let host = |name: &'static str| {
        (
            of("[a-z]{1,6}"),
            of("[a-z]{1,4}"),
            any::<bool>(),
            1u32..5,
            any::<bool>(),
        )
            .prop_map(move |(address, user, agent, share, own)| Host {
                address: address.unwrap_or_else(|| name.into()),
                user,
                shell: if agent { Shell::Agent } else { Shell::Ssh },
                share: f64::from(share),
                paths: match own {
                    true => vec![(
                        TargetId(0),
                        Location::Path(PathBuf::from("/tmp/of its own")),
                    )],
                    false => Vec::new(),
                },
                ..Host::new(name)
            })
    };
    let some = (host("one"), host("two"), any::<bool>()).prop_map(|(a, b, all)| Hosts {
        list: vec![a, b],
        depth_is_of_all: all,
    });
    prop_oneof![4 => Just(Hosts::default()), 1 => some].boxed()
}

fn stream(targets: u32) -> BoxedStrategy<Stream> {
    let place = (range(), pattern(), hits()).prop_map(|(range, pattern, hits)| AddressSpec {
        range,
        pattern,
        hits,
    });
    let what = (mix(), size(), place, content(), throttle(), quota());
    let how = (
        "[a-z .]{1,4}",
        0..targets,
        prop_oneof![Just(1.0), 0.1f64..100.0],
        of((rate(), of(arrival()), of(1u32..9))),
        of(1u32..64),
        of((time(), time(), of(time()))),
        (verify(), of("[a-z]{1,4}"), dependency()),
        vec(0u32..2, 0..2),
    );
    (what, how)
        .prop_map(|((mix, size, address, content, throttle, quota), how)| {
            let (name, target, share, fixed, depth, window, (verify, read_back, dependency), hosts) = how;
            // A few: most streams draw their own addresses.
            let read_back = read_back.filter(|_| verify.is_some());
            let window = window.map_or(Window::default(), |(from, more, ramp)| Window {
                from,
                until: Some(Nanos(from.0 + more.0)),
                ramp: ramp.unwrap_or_default(),
            });
            Stream {
                share,
                fixed_rate: fixed.map(|f| f.0),
                arrival: fixed.and_then(|f| f.1),
                priority: fixed.and_then(|f| f.2),
                throttle,
                depth,
                window,
                quota,
                content,
                verify,
                source: read_back.map(IoSource::ReadBack),
                dependency,
                hosts: hosts.into_iter().map(HostId).collect(),
                ..Stream::new(name, TargetId(target), mix, size, address)
            }
        })
        .boxed()
}

fn load() -> BoxedStrategy<Load> {
    let segment = (rate(), time()).prop_map(|(rate, length)| RateSegment { rate, length });
    prop_oneof![
        3 => Just(Load::Max),
        2 => Just(Load::MaxShared),
        2 => (rate(), arrival()).prop_map(|(rate, arrival)| Load::Rate { rate, arrival }),
        1 => (percent(), arrival()).prop_map(|(percent, arrival)| Load::PercentOfLast { percent: percent + 0.1, arrival }),
        1 => (vec(segment, 1..4), arrival()).prop_map(|(segments, arrival)| Load::Schedule { segments, arrival }),
    ]
    .boxed()
}

fn step(targets: u32) -> BoxedStrategy<Step> {
    let timed = (
        time(),
        time(),
        of(time()),
        prop_oneof![Just(Nanos(0)), time()],
    );
    let limits = (of(bytes()), of(bytes()), of(1u64..100)).prop_map(|(bytes, read, ios)| Limits {
        bytes,
        read_bytes: read,
        ios,
        ..Limits::default()
    });
    let workers = (of(1u32..9), of(vec(0u32..4, 1..3)), any::<bool>());
    let named = ("[a-z.]{1,6}", of("[a-z]{1,3}"), vec("[a-z0-9 ]{1,3}", 0..3));
    let all = (
        vec(stream(targets), 1..5),
        vec(1u32..99, targets as usize),
        load(),
        (timed, limits, workers),
        (named, any::<bool>()),
    );
    all.prop_map(
        |(streams, slots, load, (timed, limits, workers), (named, fill))| {
            let mut used: Vec<TargetId> = streams.iter().map(|s| s.target).collect();
            used.sort_unstable();
            used.dedup();
            let (stem, run, values) = named;
            let loops: Vec<LoopValue> = values
                .into_iter()
                .enumerate()
                .map(|(at, value)| LoopValue::new(format!("key{at}"), value))
                .collect();
            let name = format!("{stem}{}", loop_suffix(&loops));
            let (elapsed, warmup, interval, pause) = timed;
            let mut step = Step {
                run: run.unwrap_or(stem),
                loops,
                warmup,
                interval: interval.unwrap_or(Nanos::secs(1)).min(elapsed),
                pause,
                limits,
                workers: Workers {
                    count: workers.0,
                    pin: workers.1,
                    punctual: workers.2,
                },
                purpose: if fill {
                    Purpose::Fill
                } else {
                    Purpose::Measure
                },
                ..Step::new(name, streams, Depth::each(used, 0), load, elapsed)
            };
            for at in 0..step.depths.len() {
                let target = step.depths[at].target;
                if step.is_shared(target) {
                    step.depths[at].slots = slots[target.0 as usize];
                }
            }
            step
        },
    )
    .boxed()
}

fn target(number: usize) -> BoxedStrategy<Target> {
    let location = prop_oneof![
        Just(Location::Path(PathBuf::from(format!("/tmp/file {number}")))),
        Just(Location::Null(Bytes(1 << 40))),
        Just(Location::Concat(vec![
            PathBuf::from(format!("a{number}")),
            PathBuf::from(format!("b{number}"))
        ])),
        Just(Location::Nbd(
            format!("nbd://host/e{number}").parse().expect("an address")
        )),
    ];
    let durability = prop_oneof![
        Just(Durability::None),
        Just(Durability::Dsync),
        Just(Durability::Sync),
        Just(Durability::FsyncAtEnd),
        (1u32..99).prop_map(Durability::FsyncEvery)
    ];
    (
        location,
        any::<bool>(),
        of(block()),
        durability,
        "[a-z]{0,3}",
    )
        .prop_map(
            move |(location, buffered, align, durability, name)| Target {
                size: matches!(location, Location::Path(_) | Location::Concat(_))
                    .then_some(Bytes(1 << 40)),
                align,
                stripe: match &location {
                    Location::Concat(_) if buffered => Some(Bytes(1 << 20)),
                    _ => None,
                },
                caching: match buffered {
                    true => Caching::Buffered,
                    false => Caching::Direct,
                },
                durability,
                ..Target::new(format!("{name} {number}"), location)
            },
        )
        .boxed()
}

/// A plan; whether it makes sense is for its checks to say.
pub fn plan() -> BoxedStrategy<Plan> {
    let items = vec((step(2), any::<bool>(), arrival()), 1..4);
    let shared = (any::<bool>(), any::<bool>());
    (
        target(0),
        target(1),
        items,
        of(any::<u64>()),
        hosts(),
        shared,
    )
        .prop_map(|(a, mut b, items, seed, hosts, (shared, split))| {
            (b.shared, b.split) = (shared, shared && split);
            let mut plan = Plan {
                dialect: "drawn".to_string(),
                title: Some("drawn \"by chance\"".to_string()),
                tag: None,
                note: None,
                claim: None,
                targets: vec![a, b],
                hosts,
                items: Vec::new(),
                max_errors: 7,
                seed,
                start_commands: vec![Command {
                    line: "echo 'a\\b'".to_string(),
                    output: "log".to_string(),
                }],
                end_commands: Vec::new(),
            };
            let mut names: Vec<String> = Vec::new();
            for (step, curve, gaps) in items {
                if names.contains(&step.name) {
                    continue;
                }
                let mut step = step;
                for (at, stream) in step.streams.iter_mut().enumerate() {
                    stream.dependency.after.retain(|n| (*n as usize) < at);
                    if plan.hosts.is_empty() {
                        stream.hosts.clear();
                    }
                }
                names.push(step.name.clone());
                let closed = matches!(step.load, Load::Max | Load::MaxShared);
                plan.items.push(match curve && closed {
                    true => Item::Curve(CurveSpec {
                        base: step,
                        percents: vec![20, 100],
                        arrival: gaps,
                        stop_service: Some(Nanos(1_500_000)),
                        slos: vec!["p99=2ms".parse().expect("a limit")],
                        search: None,
                    }),
                    false => Item::Step(step),
                });
            }
            plan
        })
        .boxed()
}
