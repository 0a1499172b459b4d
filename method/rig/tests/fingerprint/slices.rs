//! Slices, owners and the owner's share of drawn arrays.

use crate::bench;
use crate::drawn::{self, Truth};

/// Outcome of one figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Hit {
    Right,
    Unknown,
    Wrong,
}

fn hit(found: Option<u64>, truth: u64) -> Hit {
    match found {
        None => Hit::Unknown,
        Some(found) if found == truth => Hit::Right,
        Some(_) => Hit::Wrong,
    }
}

struct Row {
    truth: Truth,
    slice: Hit,
    owners: Hit,
    line: String,
}

fn look(seed: u64) -> Row {
    let (truth, persona) = drawn::array(seed);
    let print = bench::take(&persona, truth.noise, seed, false);
    let share = print.figure("owner_share");
    let within = share.interval.map_or("", |(low, high)| {
        let inside = (low..=high).contains(&truth.share);
        if inside { "in" } else { "OUT" }
    });
    let found = (print.bytes("slice_bytes"), print.bytes("owners"));
    let line = format!(
        "{seed:4} {:6}K {:3} {:.2} {:4.1}% /{:<3} {:>7} | {:>6} {:>4} {:>5} {within:3} | {:3} probes {:5.1} s {}",
        truth.slice >> 10,
        truth.owners,
        truth.share,
        truth.noise * 100.0,
        truth.scale,
        truth.cache.map_or("-".into(), |c| format!("{}M", c >> 20)),
        found.0.map_or("-".into(), |s| format!("{}K", s >> 10)),
        found.1.map_or("-".into(), |n| n.to_string()),
        print
            .share("owner_share")
            .map_or("-".into(), |s| format!("{s:.2}")),
        print.probes,
        print.seconds,
        match (found, &share.quantity) {
            ((None, _), _) => print
                .figure("slice_bytes")
                .remark
                .clone()
                .unwrap_or_default(),
            (_, None) => share.remark.clone().unwrap_or_default(),
            _ => String::new(),
        },
    );
    assert!(print.seconds <= 300.0, "{line}");
    Row {
        slice: hit(found.0, truth.slice),
        owners: hit(found.1, truth.owners),
        truth,
        line,
    }
}

/// (right, unknown, wrong) of arrays, each counted by the worse of slice and owners.
fn count(rows: &[Row]) -> (usize, usize, usize) {
    let is = |wanted: Hit| {
        rows.iter()
            .filter(|r| match (r.slice, r.owners) {
                (Hit::Wrong, _) | (_, Hit::Wrong) => wanted == Hit::Wrong,
                (Hit::Unknown, _) | (_, Hit::Unknown) => wanted == Hit::Unknown,
                _ => wanted == Hit::Right,
            })
            .count()
    };
    (is(Hit::Right), is(Hit::Unknown), is(Hit::Wrong))
}

fn looked(seeds: impl Iterator<Item = u64>) -> Vec<Row> {
    seeds
        .map(|seed| {
            let row = look(seed);
            println!("{}", row.line);
            row
        })
        .collect()
}

#[test]
fn slices_and_owners_of_drawn_arrays_are_found_or_said_to_be_unknown() {
    let rows = looked(1..11);
    let (right, _, wrong) = count(&rows);
    assert_eq!(wrong, 0);
    assert!(right >= 8, "{right} of {}", rows.len());
}

#[test]
fn a_target_may_begin_inside_of_a_slice() {
    let (truth, persona) = drawn::array(6);
    let print = bench::take_from(&persona, truth.noise, 6, false, 96 << 10);
    assert_eq!(
        print.bytes("slice_bytes"),
        Some(truth.slice),
        "{:?}",
        print.verdict
    );
    assert_eq!(print.bytes("owners"), Some(truth.owners));
    assert_eq!(
        print.bytes("first_slice_bytes"),
        Some(truth.slice - (96 << 10))
    );
}

#[test]
fn where_nothing_is_bound_to_an_owner_there_is_no_number() {
    for seed in 1..7 {
        nothing(&drawn::even(seed).1, 0.05, seed);
    }
}

/// Of several thousand rounds of chance none looks like a slice.
#[test]
#[ignore = "takes minutes"]
fn a_hundred_arrays_without_owners() {
    for seed in 1..101 {
        nothing(&drawn::even(seed).1, 0.05, seed);
    }
}

#[test]
fn built_in_arrays_without_slices_have_none() {
    for persona in [
        include_str!("../../../../lab/array/personas/single-ssd.toml"),
        include_str!("../../../../lab/array/personas/hybrid-hci.toml"),
        include_str!("../../../../lab/array/personas/curve-8k.toml"),
    ] {
        nothing(persona, 0.03, 5);
    }
}

fn nothing(persona: &str, noise: f64, seed: u64) {
    let print = bench::take(persona, noise, seed, false);
    for name in ["slice_bytes", "owners", "owner_share"] {
        let figure = print.figure(name);
        assert_eq!(figure.quantity, None, "{seed}: {figure:?}\n{persona}");
        let why = figure.remark.as_deref().expect("a reason");
        assert!(why.starts_with("not identifiable: "), "{why}");
    }
}

/// The table in the documentation. `PLIMSOLL_DRAWN=1000-1100` draws others.
#[test]
#[ignore = "takes minutes"]
fn a_hundred_drawn_arrays() {
    let text = std::env::var("PLIMSOLL_DRAWN").unwrap_or("1-101".into());
    let (from, to) = text.split_once('-').expect("FROM-TO");
    let (from, to): (u64, u64) = (from.parse().unwrap(), to.parse().unwrap());
    let rows = looked(from..to);
    let (right, unknown, wrong) = count(&rows);
    println!("right {right}, not identifiable {unknown}, wrong {wrong}");
    let weak: Vec<f64> = rows
        .iter()
        .filter(|r| r.slice == Hit::Unknown)
        .map(|r| r.truth.share)
        .collect();
    println!("shares of those not identifiable: {weak:.2?}");
    assert!(wrong * 50 <= rows.len(), "{wrong} wrong");
}
