//! What the real Vdbench made of seeds, in our own words: a line each, `seed file accepted sum|run|run`.

use super::both::{self, Simulated};
use super::files::{self, Case};
use std::ops::Range;
use std::path::Path;

/// Runs that are kept of a file. Of what makes hundreds the first say how they nest, and their count and seconds are kept, too.
const RUNS: usize = 24;

/// Asks the real one, and keeps what it says.
pub fn keep(program: &Path, seeds: Range<u64>) {
    let mut text = String::new();
    for seed in seeds {
        let case = files::case(seed);
        let real = both::of_vdbench(program, &case);
        let runs = real.runs.iter().take(RUNS).map(|run| format!("|{run}"));
        text += &format!(
            "{seed} {:08x} {} {}{}\n",
            sum_of(&case),
            real.accepted,
            real.sum.replace(' ', ","),
            runs.collect::<String>()
        );
    }
    std::fs::write(path(), text).expect("written");
}

fn path() -> String {
    format!(
        "{}/tests/drawn/vdbench/answers.txt",
        env!("CARGO_MANIFEST_DIR")
    )
}

/// All that are kept.
pub fn all() -> Vec<(u64, Simulated)> {
    let text = std::fs::read_to_string(path()).expect("there");
    text.lines().map(of_line).collect()
}

fn of_line(line: &str) -> (u64, Simulated) {
    let mut parts = line.split('|');
    let words: Vec<&str> = parts.next().unwrap_or("").split(' ').collect();
    let [seed, file, accepted, sum] = words[..] else {
        panic!("`{line}` is no answer");
    };
    let seed = seed.parse().expect("a number");
    let drawn = format!("{:08x}", sum_of(&files::case(seed)));
    assert_eq!(
        drawn, file,
        "seed {seed} draws another file than it did: ask the real Vdbench again (PLIMSOLL_VDBENCH, PLIMSOLL_UPDATE=1)"
    );
    let simulated = Simulated {
        accepted: accepted == "true",
        runs: parts.map(str::to_string).collect(),
        sum: sum.replace(',', " "),
        ..Simulated::default()
    };
    (seed, simulated)
}

/// A sum over a case, by which one is known again (FNV-1a).
fn sum_of(case: &Case) -> u32 {
    let all = format!(
        "{}\0{:?}\0{}",
        case.text,
        case.included,
        case.words.join(" ")
    );
    all.bytes().fold(0x811c_9dc5, |sum, byte| {
        (sum ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    })
}
