//! What a controller's part of a fleet costs: `fleet_cost agents URL COUNT` and `fleet_cost controller URL SECONDS RECORD`, each a
//! process of its own around one nats-server, so that the controller's CPU and memory are its own. `bench/fleet` starts all three.

mod agents;
mod controller;
mod plan;

use std::path::PathBuf;
use std::process::ExitCode;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let number = |text: &str| {
        text.parse::<u32>()
            .map_err(|_| format!("`{text}` is no number of agents or seconds"))
    };
    let done = match words[..] {
        ["agents", url, count] => number(count).and_then(|n| agents::serve(url, n)),
        ["controller", url, seconds, record] => {
            number(seconds).and_then(|s| controller::run(url, s, PathBuf::from(record)))
        }
        _ => Err("fleet_cost agents URL COUNT | fleet_cost controller URL SECONDS RECORD".into()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("fleet_cost: {why}");
            ExitCode::from(2)
        }
    }
}
