//! How often the statistics are right, on series whose truth is known: the tables of `docs/statistics.md`.
//!
//! `cargo run --release -p plimsoll-measure --example coverage [REPETITIONS [TABLE [PHI]]]`

mod series;
mod tables;

fn main() {
    let mut words = std::env::args().skip(1);
    let repetitions = words.next().map_or(2000, |word| number(&word));
    let only = words.next();
    // The rows of one correlation alone, where a table has it.
    let phi: Option<f64> = words.next().map(|word| number(&word));
    for (name, table) in tables::ALL {
        if only.as_deref().is_none_or(|only| only == name) {
            println!("### {name}\n");
            table(repetitions, phi);
            println!();
        }
    }
}

fn number<T: std::str::FromStr>(word: &str) -> T {
    word.parse().unwrap_or_else(|_| {
        eprintln!(
            "usage: coverage [REPETITIONS [{} [PHI]]]",
            names().join("|")
        );
        std::process::exit(2)
    })
}

fn names() -> Vec<&'static str> {
    tables::ALL.iter().map(|(name, _)| *name).collect()
}
