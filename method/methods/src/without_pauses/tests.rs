//! Runs that are stopped, beside the same ones that are not: servers with a queue, simulated here, second by second of a clock of
//! their own.

use super::*;
use crate::series::SampleDemand;
use plimsoll_draw::{STEP, mix64, unit};

/// A number in 0..1 that the seed and its index decide.
fn drawn(seed: u64, index: u64) -> f64 {
    let of_seed = seed.wrapping_sub(1).wrapping_mul(STEP);
    unit(mix64(
        of_seed.wrapping_add(index.wrapping_mul(0xD1B5_4A32_D192_ED03)),
    ))
}

const SECONDS: f64 = 20.0;

/// A drawn target and load.
struct Case {
    seed: u64,
    servers: usize,
    service_s: f64,
    /// I/Os in flight of a closed loop.
    depth: usize,
    /// Arrivals at random of an open one, per second.
    rate: Option<f64>,
    /// The process does not run: from, for so long, s.
    pauses: Vec<(f64, f64)>,
}

impl Case {
    fn of(seed: u64, is_open: bool) -> Self {
        let at = |index| drawn(seed, index);
        let servers = 1 + (8.0 * at(1)) as usize;
        let service_s = 0.000_5 * 10_f64.powf(at(2));
        let carried = servers as f64 / service_s;
        let first = (3.0 + 5.0 * at(3), 0.6 + 2.0 * at(4));
        let second = (14.0 + at(5), 0.6 + at(6));
        Case {
            seed,
            servers,
            service_s,
            depth: 1 + (2.0 * servers as f64 * at(7)) as usize,
            rate: is_open.then_some((0.2 + 0.5 * at(8)) * carried),
            pauses: if at(9) < 0.5 {
                vec![first]
            } else {
                vec![first, second]
            },
        }
    }

    /// Time at which the process sees what happens at `t`, or does what it wants to do then.
    fn awake(&self, t: f64, pauses: &[(f64, f64)]) -> f64 {
        let held = pauses
            .iter()
            .find(|(from, long)| t >= *from && t < from + long);
        held.map_or(t, |(from, long)| from + long)
    }

    /// (due, seen to be done) of each I/O.
    fn run(&self, pauses: &[(f64, f64)], stream: u64, until: f64) -> Vec<(f64, f64)> {
        let mut free = vec![0.0_f64; self.servers];
        let mut slots = vec![0.0_f64; self.depth];
        let mut index = 1000 * stream;
        let mut next = |mean: f64| {
            index += 1;
            -mean * (1.0 - drawn(self.seed ^ stream, index)).ln()
        };
        let (mut ios, mut due) = (Vec::new(), 0.0);
        loop {
            let slot = (0..slots.len())
                .min_by(|a, b| slots[*a].total_cmp(&slots[*b]))
                .expect("a slot");
            due = match self.rate {
                Some(rate) => due + next(1.0 / rate),
                None => slots[slot],
            };
            if due >= until {
                return ios;
            }
            let issued = self.awake(due, pauses);
            let server = (0..free.len())
                .min_by(|a, b| free[*a].total_cmp(&free[*b]))
                .expect("a server");
            free[server] = free[server].max(issued) + next(self.service_s);
            let seen = self.awake(free[server], pauses);
            slots[slot] = seen;
            ios.push((due, seen));
        }
    }

    fn series(&self, pauses: &[(f64, f64)]) -> Series {
        let ios = self.run(pauses, 1, SECONDS);
        let samples = (SECONDS * 10.0) as usize;
        let mut series = Series::default();
        series.seconds = vec![0.1; samples];
        series.asked = vec![SampleDemand::default(); samples];
        for sums in [&mut series.ios, &mut series.timed, &mut series.response_ns] {
            *sums = vec![0.0; samples];
        }
        for (due, seen) in ios {
            if self.rate.is_some() {
                series.asked[(due * 10.0) as usize].due += 1;
            }
            let n = (seen * 10.0) as usize;
            if n < samples {
                series.ios[n] += 1.0;
                series.asked[n].done += 1;
                series.timed[n] += 1.0;
                series.response_ns[n] += (seen - due) * 1e9;
            }
        }
        series
    }
}

fn clean(case: &Case) -> Option<(f64, f64)> {
    let absences: Vec<(f64, f64)> = case
        .pauses
        .iter()
        .map(|(from, long)| (*from, from + long))
        .collect();
    let closed = case.rate.is_none().then_some(case.depth as f64);
    let values = values(&case.series(&case.pauses), &absences, closed);
    let of = |name: &str| {
        values
            .iter()
            .find(|(n, _)| *n == name)
            .and_then(|(_, q)| q.number())
    };
    Some((of("clean")?, of("clean_half_width")?))
}

/// Of a run that is as long that chance has no part in it, with chances of its own.
fn truth(case: &Case) -> f64 {
    let long = 30.0 * SECONDS;
    let ios = case.run(&[], 2, long);
    match case.rate {
        Some(_) => 1e9 * ios.iter().map(|(due, seen)| seen - due).sum::<f64>() / ios.len() as f64,
        None => ios.len() as f64 / long,
    }
}

#[test]
fn the_clean_figure_of_a_stopped_run_is_that_of_a_run_that_was_not() {
    for is_open in [false, true] {
        let (mut offered, mut inside, mut worst) = (0, 0, 0.0_f64);
        for seed in 1..=60 {
            let case = Case::of(seed, is_open);
            let Some((clean, half)) = clean(&case) else {
                continue;
            };
            let truth = truth(&case);
            offered += 1;
            inside += u32::from((clean - truth).abs() <= half);
            worst = worst.max((clean - truth).abs() / truth);
        }
        let worst = 100.0 * worst;
        println!("| open {is_open} | {offered} | {inside} inside | {worst:.1} % at most |");
        assert!(offered >= 50 && f64::from(inside) >= 0.93 * f64::from(offered));
        assert!(worst < 10.0);
    }
}

#[test]
fn pauses_in_each_sample_are_left_out_as_well() {
    let (mut offered, mut inside) = (0, 0);
    for seed in 1..=40 {
        let mut case = Case::of(seed, false);
        // Two thirds of the time in pieces of 0.4 s, each at a place of its own.
        let at = |n: u64| 0.59 * n as f64 + 0.1 * drawn(seed, 100 + n);
        case.pauses = (0..33).map(|n| (at(n), 0.4)).collect();
        let raw = case.series(&case.pauses).ios.iter().sum::<f64>() / SECONDS;
        let truth = truth(&case);
        assert!(raw < 0.6 * truth);
        let Some((clean, half)) = clean(&case) else {
            continue;
        };
        offered += 1;
        inside += u32::from((clean - truth).abs() <= half);
        assert!(
            (clean - truth).abs() < 0.1 * truth,
            "{seed}: {clean} ± {half}, {truth}"
        );
    }
    println!("| short pauses | {offered} | {inside} inside |");
    assert!(offered >= 20 && f64::from(inside) >= 0.93 * f64::from(offered));
}

#[test]
fn without_the_repair_the_number_would_be_wrong() {
    let case = Case {
        pauses: vec![(5.0, 3.0)],
        ..Case::of(1, false)
    };
    let raw = case.series(&case.pauses).ios.iter().sum::<f64>() / SECONDS;
    assert!(raw < 0.9 * truth(&case));
}

#[test]
fn of_a_step_that_hardly_ran_there_is_no_figure() {
    let case = Case {
        pauses: vec![(1.0, 18.9)],
        ..Case::of(2, false)
    };
    assert_eq!(clean(&case), None);
}
