//! What the plan of a parameter file says exactly.

use plimsoll_dialects::vdbench::{self, Input};
use plimsoll_plan::{
    Arrival, Bytes, Caching, ContentSpec, Distribution, Durability, HitPlacement, HotbandMode,
    Item, Load, Location, Nanos, Pattern, Plan, Purpose, RangeSpec, Rate, Step,
};

fn plan(text: &str) -> Plan {
    let parsed =
        vdbench::parse(&Input::text("t", text)).unwrap_or_else(|refusal| panic!("{refusal}"));
    parsed
        .plan()
        .unwrap_or_else(|errors| panic!("{errors:?}"))
        .plan
}

fn refused(text: &str) -> Vec<String> {
    let parsed =
        vdbench::parse(&Input::text("t", text)).unwrap_or_else(|refusal| panic!("{refusal}"));
    parsed
        .plan()
        .expect_err("it must be refused")
        .into_iter()
        .map(|d| d.code)
        .collect()
}

fn step(plan: &Plan, at: usize) -> &Step {
    &plan.items[at].steps()[0]
}

#[test]
fn a_curve_has_its_percentages_its_stop_and_the_arrivals_of_its_points() {
    let plan = plan(
        "sd=s1,lun=null:1g,threads=16\nwd=w1,sd=s1\nrd=r1,wd=w1,iorate=curve,curve=(30,10,95.9),stopcurve=2.5,elapsed=10,warmup=4,pause=1,interval=2,distribution=uniform\n",
    );
    let [Item::Curve(curve)] = &plan.items[..] else {
        panic!("{:?}", plan.items);
    };
    assert_eq!(curve.percents, [30, 10, 95]);
    assert_eq!(curve.stop_service, Some(Nanos(2_500_000)));
    assert_eq!(curve.arrival, Arrival::Uniform);
    assert_eq!(curve.base.load, Load::Max);
    assert_eq!(curve.base.warmup, Nanos::secs(4));
    assert_eq!(curve.base.elapsed, Nanos::secs(10));
    assert_eq!(curve.base.interval, Nanos::secs(2));
    assert_eq!(curve.base.pause, Nanos::secs(1));
    assert_eq!(curve.base.depths[0].slots, 16);
}

#[test]
fn the_maximum_keeps_shares_only_where_a_workload_has_one_of_its_own() {
    let plan = plan(
        "sd=s1,lun=null:1g\nsd=s2,lun=null:1g\nwd=w1,sd=*,skew=80\nwd=w2,sd=s1\nwd=w3,sd=s1\nrd=r1,wd=*,iorate=max,elapsed=4\nrd=r2,wd=w3,iorate=max,elapsed=4\n",
    );
    assert_eq!(step(&plan, 0).load, Load::MaxShared);
    let shares: Vec<f64> = step(&plan, 0).streams.iter().map(|s| s.share).collect();
    assert_eq!(shares, [40.0, 40.0, 10.0, 10.0]);
    assert_eq!(step(&plan, 1).load, Load::Max);
}

#[test]
fn fixed_rates_stand_beside_the_run_s_rate_and_are_divided_over_storage() {
    let plan = plan(
        "sd=s1,lun=null:1g\nsd=s2,lun=null:1g\nwd=log,sd=*,iorate=100,priority=1\nwd=rest,sd=s1,priority=2\nrd=r1,wd=*,iorate=(500,600),elapsed=4,distribution=deterministic\n",
    );
    let first = step(&plan, 0);
    assert_eq!(first.load, Load::rate(Rate(500.0), Arrival::Even));
    assert_eq!(first.streams[0].fixed_rate, Some(Rate(50.0)));
    assert_eq!(first.streams[0].priority, Some(1));
    assert_eq!(first.streams[2].fixed_rate, None);
    assert_eq!(first.streams[2].share, 100.0);
    assert_eq!(step(&plan, 1).loops[0].value, "600");
}

#[test]
fn sisters_of_a_loop_have_names_of_their_own_beside_vdbench_s() {
    let plan = plan(
        "sd=s1,lun=null:1g\nsd=s2,lun=null:1g\nwd=w1,sd=*\n\
         rd=r1,wd=w1,iorate=(100,200),forthreads=(1,2),elapsed=4\n\
         rd=r2,wd=w1,iorate=curve,curve=(10),forxfersize=(4k,8k),elapsed=4\n\
         rd=r3,wd=w1,iorate=(50%,70%),elapsed=4\nrd=r4,wd=w1,iorate=max,elapsed=4\n",
    );
    let names: Vec<(&str, String)> = (0..plan.items.len())
        .map(|at| step(&plan, at))
        .map(|s| (s.name.as_str(), vdbench::run_name(s)))
        .collect();
    let expected = [
        ("r1_(threads=1,iorate=100)", "r1"),
        ("r1_(threads=1,iorate=200)", "r1"),
        ("r1_(threads=2,iorate=100)", "r1"),
        ("r1_(threads=2,iorate=200)", "r1"),
        ("r2_(xfersize=4k)", "r2"),
        ("r2_(xfersize=8k)", "r2"),
        ("r3_(iorate=50%)", "r3"),
        ("r3_(iorate=70%)", "r3"),
        ("r4", "r4"),
    ]
    .map(|(ours, its)| (ours, its.to_string()));
    assert_eq!(names, expected);
    let mut point = step(&plan, 4).clone();
    point.name.push_str("_(10%)");
    assert_eq!(point.name, "r2_(xfersize=4k)_(10%)");
    assert_eq!(vdbench::run_name(&point), "r2_(10%)");
}

#[test]
fn shares_are_known_wherever_the_rate_of_each_workload_is() {
    let plan = plan(
        "sd=s1,lun=null:1g\nsd=s2,lun=null:1g\nwd=a,sd=s1,skew=70\nwd=b,sd=s2,skew=30\nwd=c,sd=(s1,s2)\n\
         wd=log,sd=s1,iorate=250,priority=1\nwd=d,sd=(s1,s2),priority=2\n\
         rd=r1,wd=(a,b),iorate=1000,elapsed=4\nrd=r2,wd=(a,b),iorate=max,elapsed=4\n\
         rd=r3,wd=c,iorate=1000,elapsed=4\nrd=r4,wd=c,iorate=max,elapsed=4\n\
         rd=r5,wd=(log,d),iorate=750,elapsed=4\nrd=r6,wd=(log,d),iorate=max,elapsed=4\n",
    );
    let shares = |at| vdbench::requested_shares(step(&plan, at));
    assert_eq!(shares(0), [Some(70.0), Some(30.0)]);
    assert_eq!(shares(1), [Some(70.0), Some(30.0)]);
    assert_eq!(shares(2), [Some(50.0), Some(50.0)]);
    assert_eq!(shares(3), [None, None]);
    assert_eq!(shares(4), [Some(25.0), Some(37.5), Some(37.5)]);
    assert_eq!(shares(5), [None, None, None]);
}

#[test]
fn hits_lie_in_one_piece_at_the_start_as_vdbench_puts_them() {
    let plan = plan(
        "sd=s1,lun=null:1g,hitarea=8m\nwd=w1,sd=s1,rhpct=75,whpct=5\nrd=r1,wd=w1,iorate=max,elapsed=4\n",
    );
    let hits = step(&plan, 0).streams[0].address.hits.expect("hits");
    assert_eq!(hits.read_percent, 75.0);
    assert_eq!(hits.write_percent, 5.0);
    assert_eq!(hits.area, Bytes(8 << 20));
    assert_eq!(hits.placement, HitPlacement::Contiguous);
}

#[test]
fn the_band_and_its_two_readings() {
    for (keyword, mode) in [
        ("hotband", HotbandMode::Observed),
        ("hotband-corrected", HotbandMode::Corrected),
    ] {
        let plan = plan(&format!(
            "sd=s1,lun=null:1g\nwd=w1,sd=s1,{keyword}=(10,60)\nrd=r1,wd=w1,iorate=max,elapsed=4\n"
        ));
        let address = &step(&plan, 0).streams[0].address;
        assert_eq!(address.range, RangeSpec::Percent(10.0, 60.0));
        assert_eq!(
            address.pattern,
            Pattern::random(Distribution::Hotband(mode))
        );
    }
    assert_eq!(
        refused(
            "sd=s1,lun=null:1g\nwd=w1,sd=s1,hotband=(10,60),seekpct=50\nrd=r1,wd=w1,iorate=max,elapsed=4\n"
        ),
        ["V0180"]
    );
}

#[test]
fn files_are_buffered_and_devices_must_be_direct() {
    let text = |flags: &str| {
        format!(
            "sd=s1,lun=/var/tmp/x,size=1g{flags}\nwd=w1,sd=s1\nrd=r1,wd=w1,iorate=max,elapsed=4\n"
        )
    };
    assert_eq!(plan(&text("")).targets[0].caching, Caching::Buffered);
    let both = plan(&text(",openflags=(o_direct,o_dsync)"));
    assert_eq!(both.targets[0].caching, Caching::Direct);
    assert_eq!(both.targets[0].durability, Durability::Dsync);
    // What the real one opens with on Linux, by strace; a flush behind durable writes adds nothing.
    for (flags, durability) in [
        ("o_sync", Durability::Dsync),
        ("o_rsync", Durability::Dsync),
        ("(o_direct,o_sync,fsync)", Durability::Dsync),
        ("(fsync,o_dsync)", Durability::Dsync),
        ("fsync", Durability::FsyncAtEnd),
        ("0x101000", Durability::Sync),
    ] {
        let plan = plan(&text(&format!(",openflags={flags}")));
        assert_eq!(plan.targets[0].durability, durability, "{flags}");
    }
    assert_eq!(
        refused(&text("").replace("/var/tmp/x", "/dev/sdx")),
        ["V0182"]
    );
}

#[test]
fn limits_up_to_a_hundred_count_the_storage() {
    let text = |limit: &str, size: &str| {
        format!(
            "sd=s1,lun=/var/tmp/x{size}\nwd=w1,sd=s1,rdpct=0\nrd=r1,wd=w1,iorate=max,elapsed=4,{limit}\n"
        )
    };
    assert_eq!(
        step(&plan(&text("maxdata=2", ",size=1g")), 0).limits.bytes,
        Some(Bytes(2 << 30))
    );
    assert_eq!(
        step(&plan(&text("maxdatawritten=300m", "")), 0)
            .limits
            .written_bytes,
        Some(Bytes(300 << 20))
    );
    assert_eq!(refused(&text("maxdata=2", "")), ["V0184"]);
}

#[test]
fn joined_storage_is_one_target_with_the_workload_s_threads() {
    let plan = plan(
        "concatenatesds=yes\nsd=s1,lun=/var/tmp/a,size=1g\nsd=s2,lun=/var/tmp/b,size=1g\nwd=w1,sd=*,threads=12\nrd=r1,wd=w1,iorate=max,elapsed=4\n",
    );
    assert!(matches!(&plan.targets[0].location, Location::Concat(paths) if paths.len() == 2));
    assert_eq!(plan.targets[0].size, Some(Bytes(2 << 30)));
    assert_eq!(step(&plan, 0).streams.len(), 1);
    assert_eq!(step(&plan, 0).depths[0].slots, 12);
}

#[test]
fn content_is_unique_unless_reduction_or_a_pattern_is_asked_for() {
    let text = |general: &str| {
        format!(
            "{general}\nsd=s1,lun=null:1g\nwd=w1,sd=s1,rdpct=0\nrd=r1,wd=w1,iorate=max,elapsed=4\n"
        )
    };
    let content = |general: &str| step(&plan(&text(general)), 0).streams[0].content.clone();
    assert_eq!(content(""), ContentSpec::Unique);
    assert_eq!(
        content("pattern=/etc/services"),
        ContentSpec::File("/etc/services".into())
    );
    let ContentSpec::Reducible {
        compress,
        dedupe: Some(dedupe),
    } = content("compratio=2\ndedupratio=4,dedupunit=8k,dedupsets=10%")
    else {
        panic!("reducible");
    };
    assert_eq!(compress, 2.0);
    assert_eq!(dedupe.ratio, 4.0);
    assert_eq!(dedupe.unit, Bytes(8192));
    // 10 % of the 131072 blocks of 8 KiB in 1 GiB.
    assert_eq!(dedupe.sets, Some(13107));
}

#[test]
fn a_forced_format_fills_every_target_first() {
    let plan = plan(
        "formatsds=yes\nsd=s1,lun=/var/tmp/x,size=1g\nwd=w1,sd=s1\nrd=r1,wd=w1,iorate=max,elapsed=4\n",
    );
    let fill = step(&plan, 0);
    assert_eq!(fill.name.as_str(), "SD_format");
    assert_eq!(fill.purpose, Purpose::Fill);
    assert_eq!(fill.depths[0].slots, 2);
    assert_eq!(fill.streams[0].size.max(), Bytes(128 << 10));
    assert_eq!(step(&plan, 1).purpose, Purpose::Measure);
}

#[test]
fn every_value_of_a_plan_has_a_place() {
    let plan =
        plan("sd=s1,lun=null:1g\nwd=w1,sd=s1,xfersize=8k\nrd=r1,wd=w1,iorate=max,elapsed=4\n");
    let step = step(&plan, 0);
    assert!(step.origins.of("elapsed").is_some() && step.origins.of("w1.xfersize").is_some());
    assert!(plan.targets[0].origins.of("path").is_some());
}

/// The real `vdbench -s` takes the first and refuses the second ("Use 'iorate=' instead").
#[test]
fn a_format_of_files_has_no_effect_on_storage() {
    let text = |more: &str| {
        format!("sd=s1,lun=null:1g\nwd=w1,sd=s1\nrd=r1,wd=w1,iorate=50,{more},elapsed=4\n")
    };
    let with = plan(&text("format=yes"));
    assert_eq!(with.items.len(), plan(&text("threads=1")).items.len());
    assert_eq!(refused(&text("fwdrate=100")), ["V0180"]);
}
