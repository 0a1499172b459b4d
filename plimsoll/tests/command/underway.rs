//! The program while it runs, followed by the lines that it shows.

use crate::place::{Done, TestFolder, Typed};
use rustix::process::{Pid, Signal, kill_process};
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, ChildStderr, ChildStdout, Stdio};

/// The interval's number of an interval line; `None` for every other line.
pub fn interval_number(line: &str) -> Option<u32> {
    let mut words = line.split_whitespace();
    let time = words.next()?;
    let is_time = time.len() == 8 && time.bytes().all(|b| b.is_ascii_digit() || b == b':');
    words
        .next()
        .filter(|_| is_time)?
        .trim_start_matches('w')
        .parse()
        .ok()
}

/// A command that goes on.
pub struct Underway {
    child: Child,
    out: BufReader<ChildStdout>,
    err: BufReader<ChildStderr>,
    words: Vec<String>,
    /// Text of its standard output, as far as it was read.
    shown: String,
}

impl Underway {
    pub fn start(place: &TestFolder, typed: &(impl Typed + ?Sized)) -> Self {
        let mut child = place
            .command(typed)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        Underway {
            out: BufReader::new(child.stdout.take().expect("piped")),
            err: BufReader::new(child.stderr.take().expect("piped")),
            words: typed.words().iter().map(ToString::to_string).collect(),
            shown: String::new(),
            child,
        }
    }

    /// Reads lines until one is as wanted; false where the program ended before.
    pub fn shows(&mut self, mut wanted: impl FnMut(&str) -> bool) -> bool {
        loop {
            let before = self.shown.len();
            if self.out.read_line(&mut self.shown).expect("readable") == 0 {
                return false;
            }
            if wanted(self.shown[before..].trim_end_matches('\n')) {
                return true;
            }
        }
    }

    /// Reads lines until one is as wanted.
    #[track_caller]
    pub fn until(&mut self, wanted: impl FnMut(&str) -> bool) {
        assert!(self.shows(wanted), "ended early: {}", self.shown);
    }

    /// Reads lines until that of an interval.
    #[track_caller]
    pub fn until_interval(&mut self, number: u32) {
        self.until(|line| interval_number(line) == Some(number));
    }

    /// Reads lines until so many intervals were shown; false where the program ended before.
    pub fn shows_intervals(&mut self, count: usize) -> bool {
        let mut left = count;
        self.shows(|line| {
            left -= usize::from(interval_number(line).is_some());
            left == 0
        })
    }

    /// Reads standard error until it says this.
    #[track_caller]
    pub fn until_told(&mut self, part: &str) {
        let mut told = String::new();
        while !told.contains(part) {
            assert!(
                self.err.read_line(&mut told).expect("readable") > 0,
                "ended early: {told}"
            );
        }
    }

    pub fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).expect("signalled");
    }

    pub fn interrupt(&self) {
        self.signal(Signal::INT);
    }

    /// Waits for its end. What it shows last fits into its pipes.
    pub fn end(mut self) -> Done {
        self.out.read_to_string(&mut self.shown).expect("text");
        let mut err = String::new();
        self.err.read_to_string(&mut err).expect("text");
        Done {
            words: self.words,
            code: self.child.wait().expect("ends").code(),
            out: self.shown,
            err,
        }
    }

    /// Kills it.
    pub fn kill(self) -> Done {
        self.signal(Signal::KILL);
        self.end()
    }
}
