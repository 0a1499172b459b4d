//! When jobs begin, how fast they go and how they end: ramps, rates, pauses, windows, searches.

use crate::fio_lowering::{ENDLESS, lower, refused, refused_job, step, stream};
use plimsoll_dialects::fio::Lowered;
use plimsoll_plan::*;

#[test]
fn each_job_has_its_own_ramp() {
    let with = |of_a: &str, of_b: &str| {
        step(&format!(
            "[global]\nioengine=null\nsize=1m\ntime_based\nruntime=10\n[a]\n{of_a}\n[b]\n{of_b}\n"
        ))
    };
    let ramps = |step: &Step| {
        step.streams
            .iter()
            .map(|s| s.window.ramp)
            .collect::<Vec<_>>()
    };
    // The first is through when fio's would be, and what of the second's ramp lies behind the step's warm-up is its own.
    let one = with("ramp_time=2", "ramp_time=5");
    assert_eq!((one.warmup, one.elapsed), (Nanos::secs(2), Nanos::secs(13)));
    assert_eq!(one.streams[0].window.until, Some(Nanos::secs(12)));
    assert_eq!(ramps(&one), [Nanos(0), Nanos::secs(5)]);
    let later = with("", "startdelay=4\nramp_time=5");
    assert_eq!((later.warmup, later.elapsed), (Nanos(0), Nanos::secs(19)));
    assert_eq!(later.streams[1].window.from, Nanos::secs(4));
    assert_eq!(ramps(&later), [Nanos(0), Nanos::secs(5)]);
    let waits = with("ramp_time=2\nruntime=0", "wait_for=a\nramp_time=5");
    assert_eq!(waits.warmup, Nanos::secs(2));
    assert_eq!(ramps(&waits), [Nanos(0), Nanos::secs(5)]);
    assert_eq!(waits.streams[1].window.until, Some(Nanos::secs(15)));
}

#[test]
fn rates_are_schedules_and_pauses_are_thoughts() {
    let s = stream(&format!("{ENDLESS}rw=randread\nrate_iops=500\niodepth=4"));
    assert_eq!(
        (s.fixed_rate, s.arrival),
        (Some(Rate(500.0)), Some(Arrival::Even))
    );
    let s = stream(&format!(
        "{ENDLESS}rw=randread\nrate=1m\nbs=4k\nrate_process=poisson"
    ));
    assert_eq!(
        (s.fixed_rate, s.arrival),
        (Some(Rate(256.0)), Some(Arrival::Exponential))
    );
    // fio gives each direction the rate: 500 reads and 500 writes.
    let both = step(&format!(
        "[x]\nioengine=null\nsize=1m\n{ENDLESS}rw=randrw\nrate_iops=500\n"
    ));
    let rates: Vec<_> = both.streams.iter().map(|s| (s.mix, s.fixed_rate)).collect();
    assert_eq!(
        rates,
        [
            (Mix::READS, Some(Rate(500.0))),
            (Mix::WRITES, Some(Rate(500.0)))
        ]
    );
    let ended = step("[x]\nioengine=null\nsize=8m\nrw=randrw\nrate_iops=300,100\n");
    let quotas: Vec<_> = ended.streams.iter().map(|s| s.quota.bytes).collect();
    assert_eq!(quotas, [Some(Bytes(6 << 20)), Some(Bytes(2 << 20))]);
    let think = stream(&format!("{ENDLESS}thinktime=2ms\nthinktime_blocks=4"))
        .throttle
        .think;
    let expected = Think::new(Nanos(2_000_000), 4, Arrival::Even);
    assert_eq!(think, Some(expected));
    // All come back before a pause, so no more are out than are done before one.
    let slots = |options: &str| {
        let s = stream(&format!("{ENDLESS}thinktime=2ms\n{options}"));
        let think = s.throttle.think.map(|t| t.every);
        (s.depth, think, s.fixed_rate)
    };
    assert_eq!(slots("iodepth=4"), (Some(1), Some(1), None));
    let blocks = |options: &str| slots(&format!("thinktime_blocks=6\n{options}"));
    assert_eq!(blocks("iodepth=3"), (Some(3), Some(2), None));
    assert_eq!(blocks("iodepth=4"), (Some(3), Some(2), None));
    assert_eq!(blocks("iodepth=8"), (Some(6), Some(1), None));
    // Of a rate and pauses the slower counts, or both.
    let rate = |rate: f64| Some(Rate(rate));
    assert_eq!(slots("rate_iops=100"), (Some(1), None, rate(100.0)));
    assert_eq!(slots("rate_iops=1000"), (Some(1), Some(1), None));
    let both = slots("rate_iops=500\nrate_ignore_thinktime=1");
    assert_eq!(both, (Some(1), None, rate(250.0)));
    // One direction as fast as it may.
    let one = format!("[x]\nioengine=null\nsize=1m\nrw=randrw\nrate_iops=,100\n{ENDLESS}");
    let rates: Vec<_> = step(&one).streams.iter().map(|s| s.fixed_rate).collect();
    assert_eq!(rates, [None, rate(100.0)]);
    refused_job("rw=randrw\nrate_iops=,100");
    refused_job(&format!("{ENDLESS}rate=1m\nrate_iops=10"));
}

#[test]
fn times_are_windows_of_a_step() {
    let text = "[global]\nioengine=null\nsize=1m\ntime_based\nramp_time=2\n[a]\nruntime=10\n[b]\nstartdelay=4\nruntime=3\n";
    let step = step(text);
    assert_eq!(
        (step.warmup, step.elapsed),
        (Nanos::secs(2), Nanos::secs(10))
    );
    assert!(step.streams[0].window.is_whole());
    let window = Window {
        from: Nanos::secs(4),
        until: Some(Nanos::secs(9)),
        ramp: Nanos::secs(2),
    };
    assert_eq!(step.streams[1].window, window);
    let flows =
        "[global]\nioengine=null\nsize=1m\ntime_based\nruntime=5\n[a]\nflow=8\n[b]\nflow=1\n";
    let step = self::step(flows);
    assert_eq!(step.load, Load::MaxShared);
    assert_eq!((step.streams[0].share, step.streams[1].share), (8.0, 1.0));
}

#[test]
fn jobs_begin_behind_those_that_they_wait_for() {
    let with = |of_a: &str, of_b: &str| {
        step(&format!(
            "[global]\nioengine=null\nsize=1m\n[a]\nnumjobs=2\n{of_a}\n[b]\nwait_for=a\n{of_b}\n[c]\nwait_for=b\n"
        ))
    };
    // When the first is over is known, and when the second is not.
    let known = with("time_based\nruntime=10\nstartdelay=1", "runtime=5");
    let window = |n: usize| known.streams[n].window;
    assert_eq!(known.streams[2].dependency, Dependency::default());
    assert_eq!(window(2).from, Nanos::secs(11));
    assert_eq!(window(2).until, Some(Nanos::secs(16)));
    assert_eq!(
        (known.streams[3].dependency.after.clone(), window(3).from),
        (vec![2], Nanos(0))
    );
    assert_eq!(known.elapsed, NO_TIME_LIMIT);
    let both = with("time_based\nruntime=10", "time_based\nruntime=5");
    assert_eq!(both.streams[3].window.from, Nanos::secs(15));
    let unknown = with("", "time_based\nruntime=5\nstartdelay=2");
    assert_eq!(unknown.streams[2].dependency.after, [0, 1]);
    let own = Window {
        from: Nanos::secs(2),
        until: Some(Nanos::secs(7)),
        ..Window::default()
    };
    assert_eq!(unknown.streams[2].window, own);
    // One that is over when the step begins is not waited for.
    let over = lower("[global]\nioengine=null\nsize=1m\n[a]\n[b]\nstonewall\nwait_for=a\n");
    let streams = || over.plan.steps().flat_map(|s| &s.streams);
    assert!(streams().all(|s| s.dependency.is_none() && s.window.is_whole()));
    let text = "[global]\nioengine=null\nsize=1m\n[b]\nwait_for=a\n[a]\n";
    assert!(refused(text).contains("no job above b is called a"));
    let text = "[global]\nioengine=null\nsize=1m\n[x]\nname=a\n[y]\nname=a\n[b]\nwait_for=a\n";
    assert!(refused(text).contains("several jobs above b are called a"));
    let text = "[global]\nioengine=null\nsize=1m\n[a]\n[b]\nwait_for=a\nrate_iops=10\n";
    assert!(refused(text).contains("waits for the end of others"));
}

#[test]
fn the_end_of_a_job_ends_its_group_or_its_step_or_all() {
    let with = |what: &str| {
        lower(&format!(
            "[global]\nioengine=null\nsize=1m\n[a]\nexitall\n{what}\n[b]\n[c]\nnew_group\n[d]\nstonewall\n"
        ))
    };
    let turns = |lowered: &Lowered| -> Vec<(u32, Ends)> {
        let streams = lowered.plan.steps().flat_map(|s| s.streams.clone());
        streams
            .map(|s| (s.dependency.group, s.dependency.ends))
            .collect()
    };
    let (group, step, itself) = (Ends::Group, Ends::Step, Ends::Itself);
    assert_eq!(
        turns(&with("")),
        [(0, group), (0, group), (1, group), (0, itself)]
    );
    assert_eq!(
        turns(&with("exit_what=stonewall"))[..2],
        [(0, step), (0, group)]
    );
    // What comes behind a job whose end ends all never runs.
    let all = with("exit_what=all");
    assert_eq!(turns(&all), [(0, step), (0, group), (1, group)]);
    assert!(
        all.warnings
            .iter()
            .any(|w| w.message.contains("never runs"))
    );
    assert!(
        refused(
            "[a]\nioengine=null\nsize=1m\nexitall\nexit_what=some\n[b]\nioengine=null\nsize=1m\n"
        )
        .contains("exit_what=some")
    );
}

#[test]
fn a_start_within_two_times_is_another_for_each_clone_and_the_same_each_time() {
    let text = "[x]\nioengine=null\nsize=1m\ntime_based\nruntime=10\nnumjobs=20\nstartdelay=5-9\n";
    let one = step(text);
    let from: Vec<u64> = one
        .streams
        .iter()
        .map(|s| s.window.from.0 / 1_000_000)
        .collect();
    assert!(from.iter().all(|ms| (5000..=9000).contains(ms)), "{from:?}");
    let spread = from.iter().max().expect("some") - from.iter().min().expect("some");
    assert!(spread > 2000, "{from:?}");
    assert!(
        one.streams
            .iter()
            .all(|s| s.window.until == Some(Nanos(s.window.from.0 + 10_000_000_000)))
    );
    assert_eq!((step(text), one.elapsed), (one.clone(), Nanos::secs(19)));
    refused_job("startdelay=9-5");
}

const SEARCH: &str = "time_based\nruntime=10\nlatency_target=5ms\nlatency_window=1s\n";

#[test]
fn a_depth_that_is_searched_for_is_one_worker_s_and_each_clone_s_own() {
    let text = format!(
        "[global]\nioengine=null\nsize=1m\niodepth=8\nnumjobs=2\nrw=randread\nnorandommap\ngroup_reporting\n{SEARCH}[x]\n"
    );
    let searched = step(&text);
    assert_eq!(searched.workers.count, Some(1));
    assert_eq!(searched.interval, Nanos(100_000_000));
    let depths: Vec<_> = searched.streams.iter().map(|s| s.depth).collect();
    assert_eq!(depths, [Some(8), Some(8)]);
    // Without a search the same clones are one stream.
    let usual = step(&text.replace("latency_target=5ms\n", ""));
    assert_eq!((usual.streams.len(), usual.workers.count), (1, None));
}

#[test]
fn a_depth_is_searched_for_by_all_jobs_that_start_together_and_beside_no_rate() {
    let two = |first: &str, second: &str| {
        format!("[global]\nioengine=null\nsize=1m\n[x]\n{first}[y]\n{second}")
    };
    assert!(refused(&two(SEARCH, "")).contains("only some of them search"));
    let other = SEARCH.replace("5ms", "6ms");
    assert!(refused(&two(SEARCH, &other)).contains("different latencies"));
    lower(&two(SEARCH, &format!("iodepth=4\n{SEARCH}")));
    lower(&two(SEARCH, "stonewall\n"));
    for beside in ["rate_iops=100", "thinktime=5", "flow=2", "startdelay=1"] {
        let said = refused_job(&format!("{SEARCH}{beside}"));
        assert!(said.contains("is searched for"), "{beside}: {said}");
    }
    assert!(refused_job(&format!("{SEARCH}latency_percentile=101")).contains("latency_percentile"));
}

#[test]
fn blocks_between_pauses_are_those_that_have_completed() {
    let thinks = "thinktime=100\nthinktime_blocks=4\n";
    let usual = stream(thinks).throttle;
    assert_eq!(
        stream(&format!("{thinks}thinktime_blocks_type=complete")).throttle,
        usual
    );
    let said = refused_job(&format!("{thinks}thinktime_blocks_type=issue"));
    assert!(said.contains("when an I/O has completed"), "{said}");
    // Where there is no pause it says nothing.
    assert!(
        stream("thinktime_blocks_type=issue")
            .throttle
            .think
            .is_none()
    );
}

#[test]
fn rates_of_each_direction_and_pauses_come_to_what_fio_does_of_them() {
    let of = |rates: &str, reads: u32, pause_ms: u32| {
        let text = format!(
            "[x]\nioengine=null\nsize=64m\nbs=4k\nrw=randrw\nrwmixread={reads}\nrate_iops={rates}\nthinktime={pause_ms}ms\n\
             thinktime_blocks=4\nruntime=2\ntime_based\n"
        );
        let lowered = lower(&text);
        let step = lowered.plan.steps().next().expect("a step").clone();
        let pauses = step.streams[0].throttle.think.is_some();
        let rates: Vec<u64> = step
            .streams
            .iter()
            .filter_map(|s| s.fixed_rate)
            .map(|r| r.0.round() as u64)
            .collect();
        (rates, pauses)
    };
    // fio 3.33 on its null engine for 2 s: 200 reads and 80 writes; 200 and 1328 (of 1600 that the pauses let through); 77 and 83
    // (160); 117 and 43 (160).
    assert_eq!(of("100,40", 50, 10), (vec![100, 40], false));
    assert_eq!(of("100,", 80, 5), (vec![100, 700], false));
    assert_eq!(of("100,100", 50, 50), (vec![], true));
    assert_eq!(of("100,100", 80, 50), (vec![], true));
}

#[test]
fn a_delay_counts_from_the_beginning_of_all_also_behind_a_stonewall() {
    let text = |of_a: &str, more: &str| {
        format!("[global]\nioengine=null\nsize=1m\n[a]\n{of_a}\n[b]\nstonewall\n{more}")
    };
    let from = |text: &str| {
        let lowered = lower(text);
        let steps: Vec<Nanos> = lowered
            .plan
            .steps()
            .map(|s| s.streams[0].window.from)
            .collect();
        let says = |d: &plimsoll_diagnostic::Diagnostic| d.message.contains("from its own start");
        (steps, lowered.warnings.iter().any(says))
    };
    let timed = "time_based\nruntime=2";
    // fio 3.33 begins b after 3 s, and where a has taken them already, at once.
    let one = from(&text(timed, "startdelay=3\n"));
    assert_eq!(one, (vec![Nanos(0), Nanos::secs(1)], false));
    let over = from(&text(timed, "startdelay=2\n"));
    assert_eq!(over, (vec![Nanos(0), Nanos(0)], false));
    let third = from(&text(
        timed,
        &format!("{timed}\nstartdelay=3\n[c]\nstonewall\nstartdelay=9\n"),
    ));
    assert_eq!(third.0[2], Nanos::secs(4));
    // How long a takes nobody knows; that its own delay is over is sure.
    let unknown = from(&text("startdelay=1", "startdelay=3\n"));
    assert_eq!(unknown, (vec![Nanos::secs(1), Nanos::secs(2)], true));
    // While b waits, fio begins what is behind it.
    for earlier in ["startdelay=3\n[c]\n", "startdelay=3\n[c]\nstonewall\n"] {
        assert!(refused(&text(timed, earlier)).contains("fio starts job c before job b"));
    }
    lower(&text(timed, "startdelay=3\n[c]\nstartdelay=3\n"));
}
