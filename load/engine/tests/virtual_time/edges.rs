//! Samples, intervals, and the ends of steps.

use super::stage::{MS, Played, S, Stage, US};
use plimsoll_engine::scripted::{ScriptedAnswer, Stalls};
use plimsoll_measure::Sample;
use plimsoll_plan::*;

fn sum(samples: &[Sample]) -> Sample {
    samples.iter().fold(Sample::default(), |mut all, s| {
        all.merge(s);
        all
    })
}

fn adds_up(played: &Played) {
    for (number, (_, stats)) in played.intervals.iter().enumerate() {
        let whole = Sample {
            ios: stats.ios(),
            bytes: stats.bytes(),
            timed: stats.ios(),
            response_sum_ns: stats.ops().map(|o| o.response.sum_ns()).sum(),
            service_sum_ns: stats.ops().map(|o| o.service.sum_ns()).sum(),
        };
        assert_eq!(sum(&stats.samples), whole, "interval {}", number + 1);
        let heat: u64 = stats.streams[0].heat.iter().map(|h| u64::from(*h)).sum();
        assert_eq!(heat, stats.ios());
    }
}

#[test]
fn intervals_add_up_to_all_that_came_back_in_time() {
    let mut in_time = 0;
    let mut n = 0;
    let played = Stage::new(Load::Max, &[8]).play(|now, r| {
        n += 1;
        let done = now + 50 * US + n * 7_919 % (3 * MS);
        in_time += u64::from(done <= 10 * S);
        ScriptedAnswer::done(done, r)
    });
    assert_eq!(played.total().ios(), in_time);
    assert_eq!(played.intervals.len(), 10);
    assert!(played.intervals.iter().all(|(_, s)| s.samples.len() == 10));
    adds_up(&played);
}

#[test]
fn what_comes_back_at_an_edge_belongs_to_the_interval_that_ends() {
    let played = Stage::new(Load::Max, &[1]).play(|now, r| ScriptedAnswer::done(now + 100 * MS, r));
    for (_, stats) in &played.intervals {
        assert_eq!(stats.ios(), 10);
        assert!(stats.samples.iter().all(|s| s.ios == 1));
    }
}

#[test]
fn intervals_that_do_not_divide_the_time_end_with_a_shorter_one() {
    let mut stage = Stage::new(Load::Max, &[3]);
    stage.step.warmup = Nanos(500 * MS);
    stage.step.elapsed = Nanos(1_750 * MS);
    stage.step.interval = Nanos(990 * MS);
    let played = stage.play(|now, r| ScriptedAnswer::done(now + MS, r));
    let lengths: Vec<u64> = played.intervals.iter().map(|(l, _)| *l).collect();
    // The warm-up ends with an interval of its own.
    assert_eq!(lengths, [500 * MS, 990 * MS, 760 * MS]);
    let samples: Vec<usize> = played
        .intervals
        .iter()
        .map(|(_, s)| s.samples.len())
        .collect();
    assert_eq!(samples, [5, 10, 8]);
    assert_eq!(played.total().ios(), 3 * 2_250);
    adds_up(&played);
}

#[test]
fn a_stall_over_several_intervals_leaves_each_its_own_depth() {
    let stalls = Stalls {
        period_ns: 10 * S,
        length_ns: 4 * S,
    };
    let played =
        Stage::new(Load::Max, &[5]).play(|now, r| ScriptedAnswer::done(stalls.done_ns(now, MS), r));
    let ios: Vec<u64> = played.intervals.iter().map(|(_, s)| s.ios()).collect();
    assert_eq!(ios, [5000, 5000, 5000, 5000, 5000, 5000, 0, 0, 0, 0]);
    assert!(
        played
            .intervals
            .iter()
            .all(|(_, s)| s.depth_integral_ns == 5 * S)
    );
}

#[test]
fn a_call_that_blocks_over_several_intervals_leaves_each_its_own_depth() {
    use plimsoll_engine::backend::{Backend, Completion, Request, Wait};
    use plimsoll_engine::scripted::Time;

    /// A synchronous backend: polling takes the I/O's time, however long that is.
    struct Blocking(Time, Vec<Request>);

    impl Backend for Blocking {
        const NAME: &'static str = "blocking";
        const SERIAL: bool = true;

        fn queue(&mut self, request: Request) -> std::io::Result<()> {
            self.1.push(request);
            Ok(())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }

        fn poll(&mut self, wait: Wait, out: &mut Vec<Completion>) -> std::io::Result<()> {
            let now = self.0.now_ns();
            match (self.1.pop(), wait) {
                (Some(r), _) => {
                    // One I/O takes 3.5 s, the others 1 ms.
                    let service = if now == 2 * S { 3_500 * MS } else { MS };
                    self.0.advance_to(now + service);
                    out.push(Completion {
                        slot: r.slot,
                        result: r.length as i32,
                    });
                }
                (None, Wait::For { ns, .. }) => self.0.advance_to(now + ns),
                (None, Wait::None) => {}
            }
            Ok(())
        }
    }

    let time = Time::default();
    let played = Stage::new(Load::Max, &[1]).play_on(&time, Blocking(time.clone(), Vec::new()));
    let ios: Vec<u64> = played.intervals.iter().map(|(_, s)| s.ios()).collect();
    assert_eq!(ios, [1000, 1000, 0, 0, 0, 501, 1000, 1000, 1000, 1000]);
    assert!(
        played
            .intervals
            .iter()
            .all(|(_, s)| s.depth_integral_ns == S)
    );
    adds_up(&played);
}

#[test]
fn a_step_that_ends_by_a_limit_ends_with_a_shorter_interval() {
    let mut stage = Stage::new(Load::Max, &[10]);
    stage.step.limits.ios = Some(12_340);
    let played = stage.play(|now, r| ScriptedAnswer::done(now + MS, r));
    let lengths: Vec<u64> = played.intervals.iter().map(|(l, _)| *l).collect();
    assert_eq!(lengths, [S, 234 * MS]);
    assert_eq!(played.intervals[1].1.ios(), 2_340);
    assert_eq!(played.intervals[1].1.samples.len(), 3);
    adds_up(&played);
}

#[test]
fn a_limit_reached_at_an_edge_leaves_no_empty_interval_or_sample() {
    for (limit, intervals, samples) in [(10_000, 1, 10), (13_000, 2, 3)] {
        let mut stage = Stage::new(Load::Max, &[10]);
        stage.step.limits.ios = Some(limit);
        let played = stage.play(|now, r| ScriptedAnswer::done(now + MS, r));
        assert_eq!(played.intervals.len(), intervals);
        let last = &played.intervals[intervals - 1].1;
        assert_eq!(last.samples.len(), samples);
        assert_eq!(played.total().ios(), limit);
        adds_up(&played);
    }
}

#[test]
fn stopping_ends_the_step_with_its_running_interval() {
    for load in [Load::Max, super::stage::open(2000.0, Arrival::Even)] {
        let mut stage = Stage::new(load, &[8]);
        stage.stop_at_ns = Some(3_300 * MS);
        let played = stage.play(|now, r| ScriptedAnswer::done(now + 3 * MS, r));
        assert!(!played.limit);
        let lengths: Vec<u64> = played.intervals.iter().map(|(l, _)| *l).collect();
        assert_eq!(lengths, [S; 4]);
        assert!(played.end_ns < 4 * S + 4 * MS);
        assert!(played.lost.is_empty());
    }
}

#[test]
fn a_closed_loop_issues_nothing_once_the_time_is_over() {
    for load in [Load::Max, Load::MaxShared] {
        let mut last = 0;
        let played = Stage::new(load, &[8]).play(|now, r| {
            last = now;
            ScriptedAnswer::done(now + 1_700 * US, r)
        });
        assert!(last < 10 * S, "{last}");
        assert!(played.end_ns <= 10 * S + 2 * MS, "{}", played.end_ns);
    }
}
