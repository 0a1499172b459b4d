//! The gateway: latency over depth on a straight line, and erases that nobody sees.

use crate::driver::{Ask, GIB, KIB, Random, Stage, assert_near, chunk};
use plimsoll_array::masking::{Export, ExportState};
use plimsoll_array::{Array, Fault, IoKind, Persona};

const LUN: u64 = GIB / 4;

fn stage(rebuild_group: u32) -> Stage {
    let mut persona = Persona::named("flash-gateway").unwrap();
    (persona.luns.count, persona.luns.gib) = (1, LUN as f64 / GIB as f64);
    persona.flash.as_mut().unwrap().rebuild_group = rebuild_group;
    let mut array = Array::new(&persona, 1.0, 1).unwrap();
    array.fill(0, 0..LUN / (4 * KIB), chunk);
    Stage::new(array)
}

fn mix(reads: f64) -> impl FnMut(&mut Random) -> Ask {
    move |r| {
        let op = if r.chance(reads) {
            IoKind::Read
        } else {
            IoKind::Write
        };
        Ask::new(op, 0, r.below(LUN / (4 * KIB)) * 4 * KIB, 4096)
    }
}

#[test]
fn latency_is_183_us_and_3_8_for_each_request_in_flight() {
    for (depth, published) in [(14, 233.0), (16, 245.0), (32, 292.0)] {
        let seen = stage(5).closed(depth, 0.1, 0.5, mix(1.0));
        assert_near("line", seen.mean_us, 183.0 + 3.8 * depth as f64, 0.03);
        assert_near("published", seen.mean_us, published, 0.06);
    }
}

#[test]
fn rebuilding_from_the_other_four_hides_erases_from_reads() {
    let worst_read = |rebuild_group| {
        let mut stage = stage(rebuild_group);
        stage.closed(32, 0.0, 2.0, mix(0.5));
        // Reads alone behind the writes of the load before.
        let mut worst = 0.0_f64;
        for _ in 0..200 {
            stage.closed(32, 0.0, 0.01, mix(0.0));
            worst = worst.max(stage.closed(32, 0.0, 0.001, mix(1.0)).worst_us);
        }
        worst
    };
    let (plain, hidden) = (worst_read(0), worst_read(5));
    assert!(plain > 3_000.0, "a read waits for an erase: {plain} us");
    assert!(hidden < 1_000.0, "a read is rebuilt: {hidden} us");
}

#[test]
fn eight_luns_are_exported_on_both_adapters_and_each_adapter_may_go() {
    let persona = Persona::named("flash-gateway").unwrap();
    let mut array = Array::new(&persona, 4.0, 1).unwrap();
    let masking = persona.masking().unwrap();
    let rows = masking.exports().iter().flat_map(|e| {
        let row = |p: &u32| {
            (
                e.lun,
                masking.ports()[*p as usize].as_str(),
                &*e.igroup,
                e.lun_id,
            )
        };
        e.ports.iter().map(row)
    });
    let named = masking.exports().iter().flat_map(|e| e.name.as_deref());
    let webfarm = ["webfarm1", "webfarm2", "webfarm3", "webfarm4"];
    assert!(
        named.eq(["Test_3", "Test_4", "test", "test_2"]
            .into_iter()
            .chain(webfarm))
    );
    let inside = |e: &Export| e.container.as_deref() == Some("41216F00254");
    assert!(masking.exports().iter().all(inside));
    let ids = (0..).zip([3, 4, 1, 2, 5, 6, 7, 8]);
    let published = ids.flat_map(|(lun, id)| ["hca-a", "hca-b"].map(|hca| (lun, hca, "all", id)));
    assert!(rows.eq(published));
    let all = |array: &Array, state| {
        let works = array.front_end().working_ports();
        masking.exports().iter().all(|e| e.state(&works) == state)
    };
    let mut pulled = |path, state| {
        let fault = Fault::PathDown {
            path,
            silent: false,
            lasts: None,
        };
        array.inject(0, &fault).unwrap();
        all(&array, state)
    };
    assert!(pulled(0, ExportState::Ha));
    assert!(pulled(2, ExportState::Degraded));
    assert!(pulled(1, ExportState::Degraded));
    assert!(pulled(3, ExportState::Down));
}
