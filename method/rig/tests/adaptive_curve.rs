//! The adaptive curve in virtual time, on arrays of which a simulation of its own knows what they carry. How often it is right
//! on 200 of them is in `docs/curve-adaptive.md`; these are a few small ones.

#[path = "../examples/adaptive_curve/draw.rs"]
mod draw;
#[path = "../examples/adaptive_curve/drive.rs"]
#[allow(dead_code, reason = "the example has more of it")]
mod drive;
#[path = "../examples/adaptive_curve/truth.rs"]
#[allow(dead_code, reason = "the example has more of it")]
mod truth;
#[path = "../examples/adaptive_curve/variant.rs"]
mod variant;

use variant::Variant;

#[test]
fn the_capacity_at_a_mean_of_1_ms_is_within_3_percent_in_3_minutes() {
    let place = tempfile::tempdir().expect("a folder");
    // The persona itself at a sixteenth, and drawn ones of a like size.
    let mut arrays = vec![Variant::itself(16.0)];
    arrays.extend(
        (1..100)
            .map(Variant::drawn)
            .filter(|v| v.scale > 8.0)
            .take(5),
    );
    let mut covered = 0;
    for (n, array) in arrays.iter().enumerate() {
        let persona = place.path().join(format!("{n}.toml"));
        std::fs::write(&persona, array.toml()).expect("a file");
        let came = drive::adaptive(&persona, vec![drive::limit()], 40 + n as u64);
        let truth = truth::capacity(
            array,
            (truth::Limited::Mean, truth::LIMIT_US),
            200_000,
            0.003,
            7,
        );
        let capacity = came.capacity();
        let rate = capacity.rate.expect("1 ms is kept somewhere");
        assert!(!capacity.at_least, "array {n}: {rate:?}");
        assert!(
            (rate.mean / truth.rate - 1.0).abs() < 0.03,
            "array {n}: {rate:?} of {}",
            truth.rate
        );
        assert!(came.spent_s <= 181.0, "array {n}: {} s", came.spent_s);
        // So few I/Os do not know the truth exactly either.
        let unsure = rate.half_width.expect("it has an interval") + 2.0 * truth.error * truth.rate;
        covered += u32::from((rate.mean - truth.rate).abs() <= unsure);
    }
    assert!(
        covered as usize >= arrays.len() - 1,
        "{covered} of {}",
        arrays.len()
    );
}
