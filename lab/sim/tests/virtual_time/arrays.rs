//! Which arrays a plan's targets are on.

use crate::stage::{KIB, PLAIN, PersonaFile, Stage, target};
use plimsoll_plan::{Bytes, Load, TargetId};
use plimsoll_sim::{Lab, LabArrayError};

/// Why these targets are no lab.
fn refused(texts: &[&str]) -> (u32, LabArrayError) {
    let targets: Vec<_> = texts.iter().map(|t| target(t)).collect();
    let (id, error) = Lab::open(&targets, &vec![true; targets.len()], 1).expect_err("refused");
    (id.0, error)
}

#[test]
fn luns_of_one_persona_are_on_one_array_and_personas_each_have_their_own() {
    let file = PersonaFile::new(PLAIN);
    let mut stage = Stage::new(&[
        &file.lab("/lun0"),
        "lab:single-ssd?size=16m",
        &file.lab("/lun3"),
    ]);
    stage.fill();
    stage.run(&stage.step(Load::Max));
    let reads = |id: u32| {
        let look = |a: &plimsoll_array::Array| a.luns().iter().map(|l| l.reads.count).collect();
        stage.lab.with_array(TargetId(id), look).expect("an array")
    };
    let plain: Vec<u64> = reads(0);
    assert_eq!(plain, reads(2));
    assert!(plain[0] > 0 && plain[3] > 0 && plain[1] + plain[2] == 0);
    assert_eq!(reads(1).len(), 1);
}

#[test]
fn sizes_are_the_personas_scaled_or_as_asked_for_and_a_target_may_use_a_part() {
    let size = |text: &str| Stage::new(&[text]).targets[0].size;
    assert_eq!(size("lab:single-ssd"), 16 << 30);
    assert_eq!(size("lab:single-ssd?scale=4"), 64 << 30);
    assert_eq!(size("lab:single-ssd?scale=4&size=96m"), 96 << 20);
    let mut part = target("lab:single-ssd?size=96m");
    part.offset = Bytes(64 << 20);
    assert_eq!(Stage::of(vec![part.clone()], 1).targets[0].size, 32 << 20);
    part.size = Some(Bytes(4 * KIB));
    assert_eq!(Stage::of(vec![part], 1).targets[0].size, 4 * KIB);
}

#[test]
fn another_release_of_an_array_is_another_array() {
    let time = |text: &str| {
        let mut stage = Stage::new(&[text]);
        stage.fill();
        let done = stage.run(&stage.step(crate::stage::rate(100.0)));
        done.service_ns(plimsoll_measure::Op::Read)
    };
    let (old, new) = (
        time("lab:scale-out-flash-8?size=64m"),
        time("lab:scale-out-flash-8@v3_0?size=64m"),
    );
    assert!(new < 0.75 * old, "{new} {old}");
}

#[test]
fn storage_alone_is_no_matter_of_the_lab_and_an_unused_target_none_of_the_plans() {
    let real = target("/dev/null");
    let lab = target("lab:curve-8k?size=1m");
    let both = [real.clone(), lab.clone()];
    assert!(Lab::open(&[real], &[true], 1).expect("fine").is_none());
    assert!(Lab::open(&both, &[true, false], 1).expect("fine").is_none());
    let lab = Lab::open(&both, &[false, true], 1)
        .expect("fine")
        .expect("a lab");
    assert!(lab.with_array(TargetId(0), |_| ()).is_none());
    assert!(lab.with_array(TargetId(1), |_| ()).is_some());
}

#[test]
fn refusals_name_the_target_and_the_way_out() {
    let broken = PersonaFile::new("name = 3");
    for (texts, index, said, way_out) in [
        (
            &["lab:scale-out-flash8"][..],
            0,
            "no persona `scale-out-flash8`",
            "did you mean `scale-out-flash-8`?",
        ),
        (
            &["lab:x"],
            0,
            "no persona `x`",
            "there are scale-out-flash-4, ",
        ),
        (
            &["lab:scale-out-flash-8@v3_1"],
            0,
            "has no revision `v3_1`",
            "did you mean `v3_0`?",
        ),
        (&["lab:single-ssd@v1"], 0, "has no revision", "leave @"),
        (&["lab:curve-8k@v1"], 0, "has no revision", "it has tails"),
        (
            &["lab:single-ssd/lun1"],
            0,
            "has 1 LUN and no lun1",
            "name a LUN",
        ),
        (&["lab:./missing.toml"], 0, "missing.toml", "name a file"),
        (&[&broken.lab("")], 0, ":1:8: ", "correct the value"),
        (
            &["lab:curve-8k?size=1m", "lab:curve-8k/lun1"],
            1,
            "lab:curve-8k?size=1MiB and lab:curve-8k/lun1 are of one array",
            "give both the same",
        ),
        (
            &["lab:curve-8k?size=1m", "null:1m"],
            1,
            "`null:1m` is real and `lab:curve-8k?size=1m` is simulated",
            "all targets, or none",
        ),
        (
            &["null:1m", "lab:curve-8k?size=1m"],
            0,
            "no time in common",
            "none",
        ),
    ] {
        let (at, error) = refused(texts);
        assert_eq!(at, index, "{texts:?}");
        assert!(error.to_string().contains(said), "{error}");
        assert!(error.remedy().contains(way_out), "{}", error.remedy());
    }
}
