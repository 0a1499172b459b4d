//! Drawn job files, carried out by the real fio and by `plimsoll fio`: the same counts, bytes, addresses, times, exit codes and
//! fields of the results.

mod both;
mod jobs;
mod judge;
mod known;
mod names;

use crate::draw;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// Job files that are drawn where nobody says how many.
const DRAWS: u64 = 60;

/// Differences of a seed's case that are not known; asked twice where there are any, for either may have been held up by the host.
fn differs(seed: u64) -> Option<Vec<String>> {
    let case = jobs::case(seed);
    let mut found = Vec::new();
    for _ in 0..2 {
        let (real, ours) = both::both(&case)?;
        found = judge::judge(&case, &real, &ours);
        found.retain(|what| known::reason(&case, what).is_none());
        if found.is_empty() {
            break;
        }
    }
    Some(found)
}

#[test]
fn drawn_jobs_do_what_the_real_fio_does_with_them() {
    if both::both(&jobs::case(0)).is_none() {
        return plimsoll_skipped::skipped!("fio is not installed");
    }
    let seeds = draw::seeds(DRAWS);
    let count = seeds.end - seeds.start;
    let next = AtomicU64::new(seeds.start);
    let failures = Mutex::new(Vec::new());
    let at_once = 2 * std::thread::available_parallelism().map_or(1, |n| n.get());
    std::thread::scope(|scope| {
        for _ in 0..at_once {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= seeds.end {
                        break;
                    }
                    let found = differs(seed).unwrap_or_default();
                    if !found.is_empty() {
                        let case = jobs::case(seed);
                        let shown = format!(
                            "seed {seed}: {}\n{}{}\n",
                            found.join("\n  "),
                            case.text,
                            case.words.join(" ")
                        );
                        failures.lock().expect("nobody panics").push(shown);
                    }
                }
            });
        }
    });
    let failures = failures.into_inner().expect("nobody panics");
    assert!(
        failures.is_empty(),
        "{} of {count} differ:\n{}",
        failures.len(),
        failures.join("\n")
    );
}
