//! A host that starves in front of a healthy array.

use crate::driver::{Ask, GIB, Random, Stage, assert_near};
use plimsoll_array::{Array, IoKind, Persona};

fn read(r: &mut Random) -> Ask {
    Ask::new(IoKind::Read, 0, r.below(GIB / 4096) * 4096, 4096)
}

/// The rate and the array's own service time (microseconds) in each two seconds of ten, at 32 in flight.
fn course(persona: &str) -> Vec<(f64, f64)> {
    let array = Array::new(&Persona::named(persona).unwrap(), 1.0, 1).unwrap();
    let mut stage = Stage::new(array);
    let mut from = *stage.array.counters();
    let mut each = |stage: &mut Stage| {
        let seen = stage.closed(32, 0.0, 2.0, read);
        let counted = stage.array.counters().since(&from);
        from = *stage.array.counters();
        (seen.iops, counted.reads.mean_ns() / 1e3)
    };
    (0..5).map(|_| each(&mut stage)).collect()
}

#[test]
fn the_rate_collapses_within_ten_seconds_while_the_array_stays_as_fast() {
    let course = course("starved-host");
    let published = [104_751.0, 96_334.0, 57_867.0, 32_946.0, 30_703.0];
    for (seen, published) in course.iter().zip(published) {
        assert_near("rate", seen.0, published, 0.03);
        assert_near("array's service time", seen.1, course[0].1, 0.02);
    }
}

#[test]
fn the_starving_host_can_be_put_in_front_of_any_array() {
    let course = course("starved-host+flash-gateway");
    assert_near("first rate", course[0].0, 104_751.0, 0.03);
    assert_near("last rate", course[4].0, 30_703.0, 0.03);
}
