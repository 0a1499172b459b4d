//! How often the statistics are right, on series whose truth is known: the tables of `docs/statistics.md`.
//!
//! `cargo run --release -p plimsoll-measure --example coverage [REPETITIONS [TABLE [PHI]]]`

mod series;
mod tables;

fn main() {
    let mut words = std::env::args().skip(1);
    let repetitions = match words.next().map(|word| word.parse()) {
        None => 2000,
        Some(Ok(repetitions)) => repetitions,
        Some(Err(_)) => {
            eprintln!(
                "usage: coverage [REPETITIONS [{} [PHI]]]",
                names().join("|")
            );
            std::process::exit(2);
        }
    };
    let only = words.next();
    // The rows of one correlation alone, where a table has it.
    let phi: Option<f64> = words.next().and_then(|word| word.parse().ok());
    for (name, table) in tables::ALL {
        if only.as_deref().is_none_or(|only| only == name) {
            println!("### {name}\n");
            table(repetitions, phi);
            println!();
        }
    }
}

fn names() -> Vec<&'static str> {
    tables::ALL.iter().map(|(name, _)| *name).collect()
}
