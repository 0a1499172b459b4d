//! A run that is killed at any instant keeps every interval that it had announced.

use crate::sample;
use plimsoll_record::{Record, Recorder, RunStatus};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

const PATH_VARIABLE: &str = "PLIMSOLL_TEST_KILLED_RECORD";
const INTERVALS_A_STEP: u32 = 5;
const KILLS: u64 = 24;

/// The process that is killed: this test binary again, told so by the environment. It writes until it dies.
#[test]
#[ignore = "it's the child of the test below"]
fn writer() {
    let Ok(path) = std::env::var(PATH_VARIABLE) else {
        return;
    };
    let mut recorder = Recorder::create(Path::new(&path), &sample::environment(), "{}").unwrap();
    for step in 1.. {
        recorder
            .begin_step(step, "rd1", "rd1", sample::STEP)
            .unwrap();
        for number in 1..=INTERVALS_A_STEP {
            recorder
                .append_interval(&sample::interval(step, number))
                .unwrap();
            println!("\nkept {step} {number}");
        }
        recorder
            .finish_step(&sample::step(step, "rd1", 1.0))
            .unwrap();
        recorder.between_steps().unwrap();
    }
}

#[test]
fn every_announced_interval_survives_a_kill_at_any_instant() {
    for kill in 0..KILLS {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("run.plim");
        let announced = announced_before_kill(&path, kill);
        assert!(!announced.is_empty());
        let record = Record::open(&path).unwrap();
        assert_eq!(record.status(), &RunStatus::Running);
        for (step, number) in &announced {
            let kept = record.interval_count(*step).unwrap();
            assert!(
                kept >= *number,
                "kill {kill}: step {step} kept {kept} intervals, {number} were announced"
            );
        }
        let (last, _) = announced[announced.len() - 1];
        for step in 1..=last {
            for interval in record.intervals(step).unwrap() {
                assert_eq!(
                    interval,
                    sample::interval(step, interval.number),
                    "kill {kill}"
                );
            }
        }
        assert!(record.steps().unwrap().len() as u32 >= last - 1);
    }
}

/// Lets a writer go until it has announced some intervals and a little longer, kills it, and returns all that it
/// announced.
fn announced_before_kill(path: &Path, kill: u64) -> Vec<(u32, u32)> {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "killed::writer",
            "--ignored",
            "--nocapture",
            "--test-threads=1",
        ])
        .env(PATH_VARIABLE, path)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap())
        .lines()
        .map_while(Result::ok);
    // Mixed so that kills meet appends, ends of steps and checkpoints alike.
    let wanted = 1 + kill * 5 % 13;
    let pause = Duration::from_micros(kill * 7_919 % 6_000);
    let mut announced: Vec<(u32, u32)> = lines
        .by_ref()
        .filter_map(|l| parse(&l))
        .take(wanted as usize)
        .collect();
    std::thread::sleep(pause);
    child.kill().unwrap();
    child.wait().unwrap();
    announced.extend(lines.filter_map(|line| parse(&line)));
    announced
}

fn parse(line: &str) -> Option<(u32, u32)> {
    let (step, number) = line.strip_prefix("kept ")?.split_once(' ')?;
    Some((step.parse().ok()?, number.parse().ok()?))
}
