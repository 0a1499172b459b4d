//! Whether the drop that would be seen is seen.

use crate::soak::carried_out::{NOISES, falls, level, verdict};
use crate::synthetic::noise::Noise;
use plimsoll_evidence::Quantity;

/// The drop that a level course says it would have shown, and when that would have begun, s.
fn visible(kind: Noise, seed: u64) -> Option<(f64, f64)> {
    let verdict = verdict(600, &level, kind, seed);
    let figure = verdict.figures.iter().find(|f| f.name == "visible_drop")?;
    let remark = figure.remark.as_deref().unwrap_or_default();
    let parts = [("tenth", 540.0), ("fifth", 480.0), ("third", 400.0)];
    let from = parts.iter().find(|(part, _)| remark.contains(part));
    match figure.quantity {
        Some(Quantity::Share(share)) => Some((share, from.expect("it says when").1)),
        _ => None,
    }
}

/// Of so many courses how many say what drop they would have shown; and in how many others, with other noise of the same kind,
/// that drop is found where it lasts for so long.
fn power(kind: Noise, seeds: std::ops::Range<u64>) -> (usize, usize, Vec<f64>) {
    let (mut found, mut drops) = (0, Vec::new());
    for seed in seeds {
        let Some((drop, from)) = visible(kind, seed) else {
            continue;
        };
        drops.push(drop);
        let other = verdict(600, &falls(from, 1.0 - drop), kind, seed + 5_000);
        found += usize::from(other.class == "cliff");
    }
    drops.sort_by(f64::total_cmp);
    (drops.len(), found, drops)
}

#[test]
#[ignore = "the table in docs/soak.md: minutes"]
fn table_of_power() {
    for kind in NOISES {
        let (remark, found, drops) = power(kind, 0..200);
        let middle = drops.get(remark / 2);
        println!("| {kind:?} | {remark} of 200 | {middle:?} | {found} |");
    }
}

#[test]
fn the_drop_that_would_be_seen_is_seen() {
    let (mut remark, mut found) = (0, 0);
    for kind in [
        Noise::White(0.05),
        Noise::White(0.3),
        Noise::Wandering(0.1, 0.9),
        Noise::Wandering(0.05, 0.99),
    ] {
        let (of_kind, of_them, _) = power(kind, 100..106);
        remark += of_kind;
        found += of_them;
    }
    assert!(
        remark >= 15 && found * 10 >= remark * 9,
        "{found} of {remark}"
    );
    let noisy = visible(Noise::Wandering(0.15, 0.9), 50).expect("it can be told");
    assert!(noisy.0 > 0.12, "noise makes it larger: {noisy:?}");
}
