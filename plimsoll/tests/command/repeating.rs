//! The same seed gives the same traffic.

use crate::place::TestFolder;
use plimsoll_record::Record;

const DEFINITION: &str = r#"
[target.a]
path = "null:64MiB"

[workload.w]
read = 60
block = "4k"
distribution = { zipf = 1.1 }

[[run]]
depth = 4
workers = 1
warmup = "0s"
for = "60s"
interval = "100ms"
limits = { ios = 5000 }
"#;

/// I/Os by operation, and the heat map, over the whole run.
fn traffic(place: &TestFolder, record: &str) -> (Vec<u64>, Vec<u64>) {
    let record = Record::open(&place.path(record)).expect("a record");
    let (mut ios, mut heat) = (vec![0; 3], vec![0; 256]);
    for interval in record.intervals(1).expect("intervals") {
        let stream = &interval.stats.streams[0];
        for (sum, op) in ios.iter_mut().zip(&stream.ops) {
            *sum += op.ios;
        }
        for (sum, cell) in heat.iter_mut().zip(&stream.heat) {
            *sum += u64::from(*cell);
        }
    }
    (ios, heat)
}

#[test]
fn one_seed_gives_the_same_operations_at_the_same_addresses_and_another_seed_others() {
    let place = TestFolder::new();
    place.text("d.toml", DEFINITION);
    for (seed, record) in [("7", "a.plim"), ("7", "b.plim"), ("8", "c.plim")] {
        place
            .plimsoll(&format!("run d.toml -q --seed {seed} --record {record}"))
            .ok();
    }
    let (a, b, c) = (
        traffic(&place, "a.plim"),
        traffic(&place, "b.plim"),
        traffic(&place, "c.plim"),
    );
    assert_eq!(a.0.iter().sum::<u64>(), 5000);
    assert_eq!(a, b);
    assert_ne!(a.1, c.1);
}
