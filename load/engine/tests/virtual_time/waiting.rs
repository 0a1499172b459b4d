//! What waiting for due I/Os costs, and how late it makes them.

use super::stage::{MS, Polled, S, Stage, US, open};
use plimsoll_engine::backend::{Backend, Request, Wait};
use plimsoll_engine::scripted::{Scripted, ScriptedAnswer, Time};
use plimsoll_plan::*;
use std::cell::Cell;
use std::rc::Rc;

/// A host on which looking at the clock takes 100 ns, and a sleep ends 50 us late, or 20 us now and then. The clock goes
/// on while a worker is awake; how long it was is counted.
fn on_host<B: Backend>(inner: B, time: &Time, awake_ns: &Rc<Cell<u64>>) -> impl Backend {
    let (time, awake_ns) = (time.clone(), Rc::clone(awake_ns));
    let mut sleeps = 0_u64;
    Polled::new(inner, move |inner, wait, out| {
        let late = match wait {
            Wait::None => {
                awake_ns.set(awake_ns.get() + 100);
                100
            }
            Wait::For { .. } => {
                inner.poll(wait, out)?;
                sleeps += 1;
                if sleeps.is_multiple_of(4) {
                    20 * US
                } else {
                    50 * US
                }
            }
        };
        time.advance_to(time.now_ns() + late);
        inner.poll(Wait::None, out)
    })
}

/// (share of a CPU spent awake, p50 of lateness in ns) of even arrivals.
fn waiting(rate: f64, punctual: bool) -> (f64, u64) {
    let time = Time::default();
    let awake_ns = Rc::new(Cell::new(0));
    // It takes so long that nothing comes back in between to look at.
    let device = Scripted::new(time.clone(), |now, r: &Request| {
        ScriptedAnswer::done(now + 200 * MS, r)
    });
    let backend = on_host(device, &time, &awake_ns);
    let mut stage = Stage::new(open(rate, Arrival::Even), &[1 << 18]);
    stage.step.elapsed = Nanos(S);
    stage.step.workers.punctual = punctual;
    stage.may_spin = true;
    let total = stage.play_on(&time, backend).total();
    let late = total.lateness.quantile_ns(0.5).expect("a p50");
    (awake_ns.get() as f64 / S as f64, late)
}

#[test]
fn waiting_costs_a_few_percent_of_a_cpu_at_modest_rates() {
    for (rate, most) in [
        (100.0, 0.035),
        (1_000.0, 0.04),
        (5_000.0, 0.05),
        (20_000.0, 0.08),
    ] {
        let (share, late) = waiting(rate, false);
        println!("{rate}/s: {share:.3} of a CPU, {late} ns late");
        assert!(share < most, "{rate}: {share}");
        // No later than a plain sleep.
        assert!(late <= 51 * US, "{rate}: {late}");
    }
    // Where the budget is good for it, on time.
    assert!(waiting(100.0, false).1 < US);
    // It wakes as much earlier as the budget allows: most of what a sleep is late is made up for.
    assert!(waiting(1_000.0, false).1 < 10 * US);
}

#[test]
fn the_punctual_pay_for_it() {
    for rate in [1_000.0, 5_000.0, 20_000.0] {
        let (share, late) = waiting(rate, true);
        println!("{rate}/s: {share:.3} of a CPU, {late} ns late");
        assert!(late < US, "{rate}: {late}");
        assert!(share > 0.04 * rate / 1_000.0, "{rate}: {share}");
    }
}

#[test]
fn nobody_sleeps_where_there_is_no_time_to() {
    for punctual in [false, true] {
        let (share, late) = waiting(500_000.0, punctual);
        assert!(share > 0.9 && late < US, "{share} {late}");
    }
}
