//! What else a fingerprint looks for, of drawn arrays.

use crate::bench::{self, Print};
use crate::drawn;
use plimsoll_evidence::Quantity;

fn number(print: &Print, name: &str) -> Option<f64> {
    match print.quantity(name)? {
        Quantity::Number(x) => Some(*x),
        other => panic!("{name}: {other:?}"),
    }
}

/// Number of arrays that were told right, not told, and told wrong.
#[derive(Debug, Default)]
struct Told {
    right: usize,
    unknown: usize,
    wrong: usize,
}

impl Told {
    /// `found`: times as fast; it is to be found where it is `true` and no other.
    fn content(&mut self, found: Option<f64>, truth: bool) {
        match (found, truth) {
            (Some(_), true) => self.right += 1,
            (None, false) => self.right += 1,
            (None, true) => self.unknown += 1,
            _ => self.wrong += 1,
        }
    }
}

fn contents(seeds: impl Iterator<Item = u64>) -> [Told; 3] {
    let [mut zeros, mut duplicates, mut compressible] = <[Told; 3]>::default();
    for seed in seeds {
        let (truth, persona) = drawn::array(seed);
        let print = bench::take(&persona, truth.noise, seed, true);
        zeros.content(number(&print, "zeros"), truth.zeros);
        duplicates.content(number(&print, "duplicates"), truth.dedupe);
        // The model's time does not depend on what it compresses, so nothing is to be seen.
        compressible.content(number(&print, "compressible"), false);
        println!(
            "{seed:4} zeros {} {:?} duplicates {} {:?} cache {:?} {:?} grain {:?} align {:?} journal {:?} {:.0} s",
            truth.zeros,
            number(&print, "zeros"),
            truth.dedupe,
            number(&print, "duplicates"),
            truth.cache.map(|c| c >> 20),
            print.figure("cache_bytes"),
            print.quantity("zeros_grain_bytes"),
            print.quantity("alignment_bytes"),
            print.quantity("journal_bytes"),
            print.seconds,
        );
    }
    println!("zeros {zeros:?}\nduplicates {duplicates:?}\ncompressible {compressible:?}");
    [zeros, duplicates, compressible]
}

#[test]
fn zeros_and_duplicates_are_seen_where_they_are_treated_differently_and_only_there() {
    for reported in contents(21..25) {
        assert_eq!(reported.wrong, 0);
        assert!(reported.right >= 3, "{reported:?}");
    }
}

/// The table in the documentation.
#[test]
#[ignore = "takes minutes"]
fn contents_of_sixty_drawn_arrays() {
    for reported in contents(1..61) {
        assert!(reported.wrong <= 1, "{reported:?}");
    }
}

#[test]
fn a_journal_is_as_large_as_the_burst_that_it_takes() {
    let (truth, mut persona) = drawn::array(8);
    let mib = 64.0;
    persona.push_str(&format!(
        "[journal]\nmib = {}\ndrain_mib_s = {}\nkeep_share = 0.0\nappend_us = 50.0\nread_us = 50.0\n\
         bypass_kib = 64\nbatch_kib = 64\ndrain_batch_kib = 1024\nreplicas = 1\n",
        mib * truth.scale,
        2.0 * truth.scale,
    ));
    let print = bench::take(&persona, 0.02, 8, true);
    let figure = print.figure("journal_bytes");
    let (low, high) = figure.interval.unwrap_or_else(|| panic!("{figure:?}"));
    let truth = mib * f64::from(1 << 20);
    assert!(low * 0.9 <= truth && truth <= high * 1.1, "{figure:?}");
}

#[test]
fn without_leave_to_write_nothing_is_written_and_the_reason_is_said() {
    let (truth, persona) = drawn::array(8);
    let print = bench::take(&persona, truth.noise, 8, false);
    for name in [
        "zeros",
        "duplicates",
        "compressible",
        "zeros_grain_bytes",
        "journal_bytes",
    ] {
        let figure = print.figure(name);
        assert_eq!(figure.quantity, None);
        assert!(
            figure.remark.as_deref().unwrap_or("").contains("--destroy"),
            "{figure:?}"
        );
    }
    assert_eq!(print.written, 0);
}
