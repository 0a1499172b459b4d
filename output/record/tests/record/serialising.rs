//! What is measured goes through text whole: to a record, to a program, to another host.

use crate::sample;
use plimsoll_evidence::{Environment, Interval, StepEvidence};
use proptest::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;

fn through_text<T: Serialize + DeserializeOwned>(value: &T) -> T {
    let text = serde_json::to_string(value).expect("it can be written");
    serde_json::from_str(&text).expect("it can be read")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn intervals_come_back_as_they_were(
        step in 1u32..9, number in 1u32..9, host in 0u32..9, times in proptest::collection::vec(1u64..1 << 50, 0..40)
    ) {
        let mut interval = Interval { host, ..sample::interval(step, number) };
        for ns in times {
            interval.stats.lateness.record(ns);
            interval.stats.streams[0].ops[0].response.record(ns);
        }
        prop_assert_eq!(through_text::<Interval>(&interval), interval);
    }

    #[test]
    fn evidence_comes_back_as_it_was(
        number in 1u32..9, host in 0u32..9, counted in proptest::option::of(0.001f64..1e6), rate in 0.0f64..1e9
    ) {
        let mut evidence = StepEvidence { host, ..sample::step(number, "a name", rate) };
        for stream in &mut evidence.streams {
            (stream.host, stream.counted_s) = (host, counted);
        }
        prop_assert_eq!(through_text::<StepEvidence>(&evidence), evidence);
    }
}

#[test]
fn the_environment_comes_back_as_it_was() {
    let environment = sample::environment();
    assert_eq!(through_text::<Environment>(&environment), environment);
    let empty = Environment::default();
    assert_eq!(through_text::<Environment>(&empty), empty);
}
