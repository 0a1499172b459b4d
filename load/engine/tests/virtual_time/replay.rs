//! I/Os out of a log.

use super::stage::{MS, Stage, US};
use plimsoll_engine::backend::{Action, Request};
use plimsoll_engine::layout::layout;
use plimsoll_engine::scripted::ScriptedAnswer;
use plimsoll_engine::setup::Setup;
use plimsoll_plan::*;
use std::io::Write;

/// When, what, where, how much.
type Line = (u64, Action, u64, u32);

const READ: Action = Action::Read;
const WRITE: Action = Action::Write;
const SYNC: Action = Action::Sync;

struct Log(tempfile::NamedTempFile);

impl Log {
    /// Of times in us.
    fn new(lines: &[Line]) -> Self {
        let mut file = tempfile::NamedTempFile::new().expect("a file");
        let mut text = "fio version 3 iolog\n0 a add\n".to_string();
        for (us, action, offset, length) in lines {
            let word = ["read", "write", "trim", "sync"][*action as usize];
            text += &format!("{us} a {word} {offset} {length}\n");
        }
        file.write_all(text.as_bytes()).expect("written");
        Log(file)
    }

    fn stream(&self, options: &ReplayOptions) -> Stream {
        let log = self.0.path().to_path_buf();
        let text = std::fs::read(&log).expect("a log");
        let said = read_log(&text[..], options, Names::One, |_| Ok(())).expect("a log");
        let replay = Replay {
            log,
            options: options.clone(),
            facts: said.facts,
        };
        Stream::replay("w", TargetId(0), replay, &said.sizes)
    }

    /// A stage of so many slots, without an end of its own.
    fn stage(&self, options: &ReplayOptions, slots: u32) -> Stage {
        let mut stage = Stage::new(Load::Max, &[slots]);
        stage.step.streams = vec![self.stream(options)];
        stage.step.elapsed = NO_TIME_LIMIT;
        stage
    }
}

fn line(now: u64, r: &Request) -> Line {
    (now / US, r.action, r.offset, r.length)
}

const LINES: [Line; 6] = [
    (0, WRITE, 8192, 4096),
    (2_000, READ, 0, 512),
    (2_000, WRITE, 4096, 8192),
    (2_500, SYNC, 0, 0),
    (40_000, READ, 1 << 20, 65_536),
    (1_700_000, Action::Trim, 0, 4096),
];

#[test]
fn each_io_goes_out_at_its_time_and_the_step_ends_with_the_last() {
    let log = Log::new(&LINES);
    for (speed, slots) in [(100, 8), (50, 8), (200, 2)] {
        let options = ReplayOptions {
            speed,
            ..ReplayOptions::default()
        };
        let mut issued = Vec::new();
        let played = log.stage(&options, slots).play(|now, r| {
            issued.push(line(now, r));
            ScriptedAnswer::done(now + 100 * US, r)
        });
        let due = |l: &Line| (l.0 * 100 / u64::from(speed), l.1, l.2, l.3);
        assert_eq!(issued, LINES.iter().map(due).collect::<Vec<_>>());
        let whole = played.whole();
        assert_eq!((whole.streams[0].due, whole.ios()), (5, 5));
        assert_eq!(whole.streams[0].late_for_slot, 0);
        let last_us = LINES[5].0 * 100 / u64::from(speed);
        assert_eq!(played.end_ns / US, last_us + 100);
        assert!(played.limit);
    }
}

#[test]
fn a_stall_delays_no_time_and_shows_in_the_response() {
    // One each ms; the device is away from 5 ms to 25 ms, and there is one slot.
    let lines: Vec<Line> = (0..50).map(|n| (n * 1_000, READ, n * 512, 512)).collect();
    let log = Log::new(&lines);
    let mut issued = Vec::new();
    let stage = log.stage(&ReplayOptions::default(), 1);
    let played = stage.play(|now, r| {
        issued.push((now / US, r.offset));
        let done = match now {
            now if (5 * MS..25 * MS).contains(&now) => 25 * MS,
            now => now + 500 * US,
        };
        ScriptedAnswer::done(done, r)
    });
    // What waited goes out one after the other, half a ms each, until all is in time again.
    let mut free = 0;
    let mut truth = Vec::new();
    let mut responses = 0;
    for (due, _, offset, _) in &lines {
        let start = free.max(*due);
        truth.push((start, *offset));
        free = if (5_000..25_000).contains(&start) {
            25_000
        } else {
            start + 500
        };
        responses += free - due;
    }
    assert_eq!(issued, truth);
    let whole = played.whole();
    let read = &whole.streams[0].ops[0];
    assert_eq!(read.response.sum_ns(), responses * US);
    assert_eq!((whole.streams[0].due, read.ios), (50, 50));
    let waited = truth.iter().zip(&lines).filter(|(t, l)| t.0 > l.0).count();
    assert_eq!(whole.streams[0].late_for_slot, waited as u64);
}

#[test]
fn without_times_it_is_a_closed_loop_in_the_order_of_the_log() {
    let log = Log::new(&LINES);
    let options = ReplayOptions {
        at_once: true,
        ..ReplayOptions::default()
    };
    for slots in [1, 3] {
        let mut issued = Vec::new();
        let played = log.stage(&options, slots).play(|now, r| {
            issued.push(line(now, r));
            ScriptedAnswer::done(now + MS, r)
        });
        let turns = |n: usize| n as u64 / u64::from(slots) * 1_000;
        let due = |(n, l): (usize, &Line)| (turns(n), l.1, l.2, l.3);
        assert_eq!(
            issued,
            LINES.iter().enumerate().map(due).collect::<Vec<_>>()
        );
        assert_eq!(played.whole().ios(), 5);
    }
}

#[test]
fn a_log_begins_with_its_window_and_is_cut_at_its_end() {
    let log = Log::new(&LINES);
    let mut stage = log.stage(&ReplayOptions::default(), 8);
    stage.step.streams[0].window = Window {
        from: Nanos(MS),
        until: Some(Nanos(30 * MS)),
    };
    let mut issued = Vec::new();
    stage.step.elapsed = Nanos(100 * MS);
    stage.step.interval = Nanos(100 * MS);
    let played = stage.play(|now, r| {
        issued.push(line(now, r));
        ScriptedAnswer::done(now + 100 * US, r)
    });
    let within = |l: &Line| (l.0 + 1_000, l.1, l.2, l.3);
    assert_eq!(issued, LINES[..4].iter().map(within).collect::<Vec<_>>());
    assert_eq!(played.whole().streams[0].due, 3);
}

#[test]
fn what_does_not_fit_its_target_or_its_plan_never_begins() {
    let refused = |stage: &Stage| {
        let layouts = layout(&stage.step, &stage.options.kinds, 1);
        let targets = stage.targets();
        let setup = Setup::new(&stage.step, &targets, &stage.options, &layouts);
        setup.err().map(|e| e.to_string()).unwrap_or_default()
    };
    let usual = ReplayOptions::default();
    let beyond = Log::new(&[(0, READ, 0, 512), (1, READ, (1 << 30) - 512, 1024)]);
    let said = refused(&beyond.stage(&usual, 1));
    assert!(
        said.contains("line 4: it goes from byte 1073741312 to 1073742336"),
        "{said}"
    );
    let odd = Log::new(&[(0, READ, 100, 512)]);
    let said = refused(&odd.stage(&usual, 1));
    assert!(
        said.contains("line 3: 512 bytes at 100 are no whole blocks of 512"),
        "{said}"
    );
    let log = Log::new(&LINES);
    let stage = log.stage(&usual, 1);
    assert_eq!(refused(&stage), "");
    let mut changed = std::fs::read_to_string(log.0.path()).expect("a log");
    changed = changed.replace("a read 0 512", "a write 0 512");
    std::fs::write(log.0.path(), changed).expect("changed");
    assert!(
        refused(&stage).contains("not what it was"),
        "{}",
        refused(&stage)
    );
}
