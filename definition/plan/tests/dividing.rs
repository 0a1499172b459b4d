//! A step that several hosts carry out: their parts are the whole, and nobody does what another does.

use plimsoll_plan::*;
use proptest::prelude::*;

fn plan(shares: &[f64], targets: Vec<Target>) -> Plan {
    let host = |(n, share): (usize, &f64)| Host {
        share: *share,
        ..Host::new(format!("h{n}"))
    };
    Plan {
        hosts: Hosts {
            list: shares.iter().enumerate().map(host).collect(),
            depth_is_of_all: false,
        },
        ..Plan::new(targets, Vec::new())
    }
}

fn target(sharing: Sharing) -> Target {
    Target {
        shared: sharing != Sharing::Own,
        split: sharing == Sharing::Split,
        ..Target::new("t", Location::Null(Bytes(1 << 30)))
    }
}

fn stream(target: u32, pattern: Pattern, range: RangeSpec) -> Stream {
    let address = AddressSpec {
        range,
        ..AddressSpec::whole(pattern)
    };
    let size = SizeSpec::Fixed(Bytes(8192));
    Stream::new("w", TargetId(target), Mix::READS, size, address)
}

fn step(streams: Vec<Stream>, load: Load) -> Step {
    let mut targets: Vec<TargetId> = streams.iter().map(|s| s.target).collect();
    targets.sort_unstable();
    targets.dedup();
    let depth = |target| Depth { target, slots: 10 };
    let depths = targets.into_iter().map(depth).collect();
    Step::new("s", streams, depths, load, Nanos::secs(1))
}

fn rate(rate: f64) -> Load {
    Load::rate(Rate(rate), Arrival::Exponential)
}

fn rate_of(load: &Load) -> f64 {
    match load {
        Load::Rate { rate, .. } => rate.0,
        other => panic!("{other:?}"),
    }
}

/// The first and last byte of a target of so many bytes, by whole blocks, as those who issue I/O count them.
fn bytes(range: RangeSpec, size: u64) -> Vec<(u64, u64)> {
    let block = 8192;
    let size = size - size % block;
    let floor = |x: u64| x - x % block;
    let at = |percent: f64| floor(((size as f64) * (percent / 100.0)) as u64).min(size);
    match range {
        RangeSpec::Whole => vec![(0, size)],
        RangeSpec::Percent(from, to) if to <= 100.0 => vec![(at(from), at(to))],
        RangeSpec::Percent(from, to) => vec![(at(from), size), (0, at(to - 100.0))],
        RangeSpec::Bytes(from, to) => vec![(floor(from.0), floor(to.0).min(size))],
        RangeSpec::Clipped { .. } => panic!("none of these is"),
    }
}

/// Every block of some ranges, in order.
fn blocks(ranges: impl IntoIterator<Item = RangeSpec>, size: u64) -> Vec<u64> {
    let runs = ranges.into_iter().flat_map(|r| bytes(r, size));
    let mut all: Vec<u64> = runs.flat_map(|(from, to)| from / 8192..to / 8192).collect();
    all.sort_unstable();
    all
}

fn shares() -> impl Strategy<Value = Vec<f64>> {
    proptest::collection::vec(prop_oneof![Just(1.0), 0.01f64..100.0], 1..9)
}

fn ranges() -> impl Strategy<Value = RangeSpec> {
    prop_oneof![
        Just(RangeSpec::Whole),
        (0.0f64..60.0, 1.0f64..40.0).prop_map(|(from, more)| RangeSpec::Percent(from, from + more)),
        (60.0f64..100.0, 41.0f64..99.0)
            .prop_map(|(from, more)| RangeSpec::Percent(from, from + more)),
        (0u64..1 << 29, 1u64..1 << 29)
            .prop_map(|(from, more)| RangeSpec::Bytes(Bytes(from), Bytes(from + more))),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn rates_and_limits_of_all_hosts_are_the_totals(
        shares in shares(),
        total in 1.0f64..1e7,
        own in proptest::option::of(1.0f64..1e6),
        limits in (any::<u64>(), 0u64..1 << 40, 0u64..100),
        named in proptest::collection::vec(any::<bool>(), 9),
    ) {
        let some: Vec<HostId> = (0..shares.len() as u32).map(HostId).filter(|h| named[h.0 as usize]).collect();
        let plan = plan(&shares, vec![target(Sharing::Own), target(Sharing::Own)]);
        let mut streams = vec![
            stream(0, Pattern::RANDOM, RangeSpec::Whole),
            Stream { hosts: some.clone(), share: 3.0, ..stream(1, Pattern::RANDOM, RangeSpec::Whole) },
            Stream { fixed_rate: own.map(Rate), ..stream(1, Pattern::RANDOM, RangeSpec::Whole) },
        ];
        streams[0].throttle.max_rate = Some(Rate(500.0));
        streams[0].quota.ios = Some(limits.2);
        let mut whole = step(streams, rate(total));
        whole.limits = Limits {
            bytes: Some(Bytes(limits.0)),
            written_bytes: Some(Bytes(limits.1)),
            ios: Some(limits.2),
            ..Limits::default()
        };
        let parts = divide(&plan, &whole).expect("it can be");
        prop_assert_eq!(parts.len(), shares.len());
        let parts: Vec<&Step> = parts.iter().flatten().collect();
        let near = |sum: f64, all: f64| (sum - all).abs() <= all * 1e-9;
        prop_assert!(near(parts.iter().map(|p| rate_of(&p.load)).sum(), total));
        let fixed = parts.iter().flat_map(|p| &p.streams).filter_map(|s| s.fixed_rate);
        prop_assert!(near(fixed.map(|r| r.0).sum(), own.unwrap_or(0.0)));
        let capped = parts.iter().flat_map(|p| &p.streams).filter_map(|s| s.throttle.max_rate);
        prop_assert!(near(capped.map(|r| r.0).sum(), 500.0));
        let sum = |of: fn(&Limits) -> Option<u64>| parts.iter().filter_map(|p| of(&p.limits)).map(u128::from).sum::<u128>();
        prop_assert_eq!(sum(|l| l.bytes.map(|b| b.0)), u128::from(limits.0));
        prop_assert_eq!(sum(|l| l.written_bytes.map(|b| b.0)), u128::from(limits.1));
        prop_assert_eq!(sum(|l| l.ios), u128::from(limits.2));
        let quotas = parts.iter().flat_map(|p| &p.streams).filter_map(|s| s.quota.ios);
        prop_assert_eq!(quotas.sum::<u64>(), limits.2);
        // What each workload gets in all is what it gets of one host: a share of three of four, or all where the other has a rate.
        let sharing: f64 = whole.shares();
        let of_second: f64 = parts.iter().map(|p| {
            let mine: f64 = p.streams.iter().filter(|s| s.fixed_rate.is_none()).map(|s| s.share).sum();
            let second: f64 = p.streams.iter().filter(|s| s.target.0 == 1 && s.fixed_rate.is_none() && s.share > 0.0).map(|s| s.share).sum();
            rate_of(&p.load) * second / mine
        }).sum();
        let expected = total * (sharing - 1.0) / sharing;
        prop_assert!(near(of_second, expected), "{of_second} {expected}");
        // Depth is each host's own, and who is named does it alone.
        for (host, part) in plan.hosts.ids().zip(divide(&plan, &whole).expect("it can be")) {
            let part = part.expect("all have the first");
            prop_assert!(part.depths.iter().all(|d| d.slots == 10));
            let has = part.streams.len() == 3;
            prop_assert_eq!(has, some.is_empty() || some.contains(&host));
        }
    }

    #[test]
    fn split_ranges_are_disjoint_and_whole(shares in shares(), range in ranges(), size in (1u64 << 30)..(1u64 << 30) + 100_000) {
        let plan = plan(&shares, vec![target(Sharing::Split)]);
        let whole = step(vec![stream(0, Pattern::RANDOM, range)], Load::Max);
        let parts = divide(&plan, &whole).expect("it can be");
        let own = parts.iter().flatten().map(|p| p.streams[0].address.range);
        // Equal lists say both: nothing twice, nothing left out.
        prop_assert_eq!(blocks(own, size), blocks([range], size));
        let lengths: Vec<f64> = parts.iter().flatten().map(|p| blocks([p.streams[0].address.range], size).len() as f64).collect();
        let (all, sum) = (blocks([range], size).len() as f64, shares.iter().sum::<f64>());
        for (length, share) in lengths.iter().zip(&shares) {
            prop_assert!((length - all * share / sum).abs() <= 2.0, "{lengths:?} of {all} for {shares:?}");
        }
    }
}

fn ranges_of(sharing: Sharing, pattern: Pattern) -> Vec<RangeSpec> {
    let plan = plan(&[1.0, 1.0], vec![target(sharing)]);
    let whole = step(vec![stream(0, pattern, RangeSpec::Whole)], Load::Max);
    let parts = divide(&plan, &whole).expect("it can be");
    parts
        .iter()
        .flatten()
        .map(|p| p.streams[0].address.range)
        .collect()
}

#[test]
fn what_is_ones_own_or_drawn_is_used_whole_and_what_is_passed_through_is_dealt_out() {
    let whole = vec![RangeSpec::Whole; 2];
    let halves = vec![
        RangeSpec::Percent(0.0, 50.0),
        RangeSpec::Percent(50.0, 100.0),
    ];
    let coverage = Pattern::COVERING;
    for pattern in [
        Pattern::IN_ORDER,
        Pattern::ONE_PASS,
        Pattern::Streams(4),
        coverage,
    ] {
        assert_eq!(ranges_of(Sharing::Own, pattern.clone()), whole);
        assert_eq!(
            ranges_of(Sharing::Whole, pattern.clone()),
            halves,
            "{pattern:?}"
        );
        assert_eq!(ranges_of(Sharing::Split, pattern), halves);
    }
    assert_eq!(ranges_of(Sharing::Own, Pattern::RANDOM), whole);
    assert_eq!(ranges_of(Sharing::Whole, Pattern::RANDOM), whole);
    assert_eq!(ranges_of(Sharing::Split, Pattern::RANDOM), halves);
}

#[test]
fn a_depth_of_all_is_dealt_out_and_who_gets_none_takes_no_part() {
    let mut plan = plan(&[1.0, 1.0, 1.0], vec![target(Sharing::Whole)]);
    plan.hosts.depth_is_of_all = true;
    let slots = |slots: u32| {
        let mut whole = step(
            vec![stream(0, Pattern::RANDOM, RangeSpec::Whole)],
            rate(600.0),
        );
        whole.depths[0].slots = slots;
        let parts = divide(&plan, &whole).expect("it can be");
        let of = |part: &Option<Step>| {
            part.as_ref()
                .map(|p| (p.depths[0].slots, rate_of(&p.load).round()))
        };
        parts.iter().map(of).collect::<Vec<_>>()
    };
    assert_eq!(
        slots(8),
        [Some((3, 200.0)), Some((3, 200.0)), Some((2, 200.0))]
    );
    assert_eq!(slots(2), [Some((1, 300.0)), Some((1, 300.0)), None]);
}

#[test]
fn overwrites_are_each_hosts_own_or_parts_of_what_is_shared() {
    let of = |targets: Vec<Target>| {
        let plan = plan(&[1.0, 3.0], targets.clone());
        let streams =
            (0..targets.len() as u32).map(|t| stream(t, Pattern::RANDOM, RangeSpec::Whole));
        let mut whole = step(streams.collect(), Load::Max);
        whole.limits.overwrites = Some(4.0);
        let parts = divide(&plan, &whole)?;
        Ok(parts
            .iter()
            .flatten()
            .filter_map(|p| p.limits.overwrites)
            .collect::<Vec<_>>())
    };
    assert_eq!(of(vec![target(Sharing::Own)]), Ok(vec![4.0, 4.0]));
    assert_eq!(of(vec![target(Sharing::Split)]), Ok(vec![1.0, 3.0]));
    let mixed = of(vec![target(Sharing::Own), target(Sharing::Whole)]);
    assert!(
        matches!(mixed, Err(Undividable::Overwrites { .. })),
        "{mixed:?}"
    );
}

#[test]
fn a_host_has_its_own_paths_and_only_the_runs_that_it_takes_part_in() {
    let mut plan = plan(
        &[1.0, 1.0],
        vec![target(Sharing::Own), target(Sharing::Own)],
    );
    plan.targets[1].name = "u".into();
    plan.targets[1].hosts = vec![HostId(1)];
    plan.hosts.list[0].paths = vec![(TargetId(0), Location::Null(Bytes(1 << 20)))];
    let both = (0..2)
        .map(|t| stream(t, Pattern::RANDOM, RangeSpec::Whole))
        .collect();
    let second = vec![stream(1, Pattern::RANDOM, RangeSpec::Whole)];
    plan.items = vec![
        Item::Step(step(both, Load::Max)),
        Item::Step(step(second, Load::Max)),
    ];
    assert_eq!(validate(&plan), []);
    let first = plan.of_host(HostId(0));
    assert_eq!(first.targets[0].location, Location::Null(Bytes(1 << 20)));
    let steps: Vec<&Step> = first.steps().collect();
    assert_eq!(steps.len(), 1);
    assert_eq!(steps[0].streams.len(), 1);
    assert_eq!(steps[0].depths.len(), 1);
    assert!(first.hosts.is_empty());
    assert_eq!(validate(&first), []);
    assert_eq!(
        plan.of_host(HostId(1))
            .steps()
            .map(|s| s.streams.len())
            .collect::<Vec<_>>(),
        [2, 1]
    );
    // And a plan that nobody could carry out is refused.
    if let Item::Step(step) = &mut plan.items[1] {
        step.streams[0].hosts = vec![HostId(0)];
    }
    let problems = validate(&plan);
    assert!(
        problems
            .iter()
            .any(|p| p.message.contains("no host that has its target")),
        "{problems:?}"
    );
}

#[test]
fn who_waits_for_another_is_on_its_hosts_and_knows_it_by_its_place_there() {
    let plan = plan(&[1.0, 1.0], vec![target(Sharing::Own)]);
    let any = Pattern::RANDOM;
    let on = |hosts: &[u32], dependency: Dependency| Stream {
        hosts: hosts.iter().map(|h| HostId(*h)).collect(),
        dependency,
        ..stream(0, any.clone(), RangeSpec::Whole)
    };
    let behind = |n: u32| Dependency {
        after: vec![n],
        ..Dependency::default()
    };
    let alone = || on(&[0], Dependency::default());
    let both = || on(&[], Dependency::default());
    // The second host has the second and the third stream only.
    let fits = step(vec![alone(), both(), on(&[1], behind(1))], Load::Max);
    let parts = divide(&plan, &fits).expect("it can be divided");
    let own = parts[1].as_ref().expect("it has a part");
    assert_eq!(own.streams[1].dependency.after, [0]);
    let ends = |ends: Ends| Dependency {
        ends,
        ..Dependency::default()
    };
    for apart in [
        vec![alone(), on(&[1], behind(0))],
        vec![alone(), on(&[], behind(0))],
        vec![alone(), on(&[1], ends(Ends::Step))],
        vec![both(), on(&[1], ends(Ends::Group))],
    ] {
        let why = divide(&plan, &step(apart, Load::Max));
        assert!(
            matches!(why, Err(Undividable::Dependency { .. })),
            "{why:?}"
        );
    }
    let together = step(vec![both(), on(&[], ends(Ends::Step))], Load::Max);
    assert!(divide(&plan, &together).is_ok());
}
