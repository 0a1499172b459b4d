//! A run that is watched on a terminal: on a pseudo-terminal that `script` makes, whose screen vt100 keeps as a real terminal does.

use crate::place::TestFolder;
use crate::underway::Underway;
use rustix::process::{Pid, Signal, kill_process};
use std::io::{Read, Write};
use std::num::NonZeroU16;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// Nobody waits so long; it's how long a test that fails takes.
const PATIENCE: Duration = Duration::from_secs(120);

const ROWS: NonZeroU16 = NonZeroU16::new(24).unwrap();
const COLUMNS: NonZeroU16 = NonZeroU16::new(80).unwrap();

/// A terminal of 80 columns and 24 rows with a program on it.
struct Terminal {
    script: Child,
    output: Receiver<Vec<u8>>,
    screen: vt100::Parser,
    raw: Vec<u8>,
}

impl Terminal {
    /// Starts `plimsoll` with these words on a new terminal; `None` where there is no `script`.
    fn start(place: &TestFolder, words: &str) -> Option<Terminal> {
        let program = env!("CARGO_BIN_EXE_plimsoll");
        let line = format!("stty rows 24 cols 80; exec '{program}' {words}");
        let mut script = Command::new("script")
            .args(["-qefc", &line, "/dev/null"])
            .current_dir(place.folder())
            .env("LC_ALL", "C.UTF-8")
            .env("TERM", "xterm-256color")
            .env_remove("COLUMNS")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .ok()?;
        let mut out = script.stdout.take().expect("its output");
        let (send, output) = channel();
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(many @ 1..) = out.read(&mut buffer) {
                if send.send(buffer[..many].to_vec()).is_err() {
                    break;
                }
            }
        });
        Some(Terminal {
            script,
            output,
            screen: vt100::Parser::new(ROWS, COLUMNS, 0),
            raw: Vec::new(),
        })
    }

    fn text(&self) -> String {
        self.screen.screen().contents()
    }

    fn is_whole_screen(&self) -> bool {
        self.screen.screen().alternate_screen()
    }

    /// Waits until the screen is as it should be.
    #[track_caller]
    fn wait_until(&mut self, what: &str, is_so: impl Fn(&Terminal) -> bool) {
        let end = Instant::now() + PATIENCE;
        while !is_so(self) {
            let left = end.saturating_duration_since(Instant::now());
            match self.output.recv_timeout(left) {
                Ok(bytes) => {
                    self.screen.process(&bytes);
                    self.raw.extend(bytes);
                }
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                    panic!("never {what}:\n{}", self.text());
                }
            }
        }
    }

    fn press(&mut self, keys: &[u8]) {
        let input = self.script.stdin.as_mut().expect("its input");
        input
            .write_all(keys)
            .and_then(|()| input.flush())
            .expect("typed");
    }

    /// Waits for the program's end; returns its exit code.
    fn end(&mut self) -> Option<i32> {
        while let Ok(bytes) = self.output.recv_timeout(PATIENCE) {
            self.screen.process(&bytes);
            self.raw.extend(bytes);
        }
        self.script.wait().expect("waited for").code()
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.script.kill();
        let _ = self.script.wait();
    }
}

const NO_SCRIPT: &str = "script is not installed";

#[test]
fn a_run_is_watched_from_another_terminal_and_goes_on_without_it() {
    let place = TestFolder::new();
    let mut run = Underway::start(
        &place,
        "run null:1g --rate 500 --for 5h --warmup 0s --record a.plim",
    );
    run.until_interval(1);
    let Some(mut terminal) = Terminal::start(&place, "watch") else {
        return plimsoll_skipped::skipped!("{NO_SCRIPT}");
    };
    terminal.wait_until("shown", |t| t.text().contains("run on null:1GiB"));
    terminal.wait_until("running", |t| {
        let text = t.text();
        text.contains("running")
            && text.contains("step 1 of 1: run, 500/s")
            && text.contains("of 5h00m")
    });
    assert!(terminal.is_whole_screen());
    // Figures of the run: what its interval line would say.
    terminal.wait_until("measured", |t| {
        t.text().contains("Plimsoll 0.") && t.text().contains("0 errors")
    });
    terminal.press(b"\t");
    terminal.wait_until("turned over", |t| t.text().contains("none so far"));
    terminal.press(b"q");
    assert_eq!(terminal.end(), Some(0));
    assert!(!terminal.is_whole_screen(), "the terminal is as it was");
    run.until_interval(4);

    let Some(mut terminal) = Terminal::start(&place, "watch a.plim") else {
        return plimsoll_skipped::skipped!("{NO_SCRIPT}");
    };
    terminal.wait_until("running", |t| t.text().contains("running"));
    run.interrupt();
    terminal.wait_until("interrupted", |t| {
        let text = t.text();
        text.contains("interrupted")
            && text.contains("answer  null:1GiB did")
            && !text.contains("running")
    });
    terminal.press(b"q");
    assert_eq!(terminal.end(), Some(0));
    run.end().says(&["interrupted"]);
}

/// A run on a new terminal that shows what was measured; `None`, said, where there is no `script`.
fn measuring(place: &TestFolder, words: &str) -> Option<Terminal> {
    let Some(mut terminal) = Terminal::start(place, words) else {
        plimsoll_skipped::skipped!("{NO_SCRIPT}");
        return None;
    };
    terminal.wait_until("measured", |t| {
        t.is_whole_screen() && t.text().contains("0 errors")
    });
    Some(terminal)
}

#[test]
fn a_run_in_its_own_terminal_goes_on_when_the_view_is_left() {
    let place = TestFolder::new();
    let words = "run null:1g --rate 500 --for 60s --warmup 0s --record a.plim --tui";
    let Some(mut terminal) = measuring(&place, words) else {
        return;
    };
    terminal.press(b"q");
    terminal.wait_until("left", |t| !t.is_whole_screen());
    assert_eq!(terminal.end(), Some(0));
    let text = terminal.text();
    assert!(text.contains("Answer   null:1GiB did"), "{text}");
    let document = place.plimsoll("show --json a.plim").ok().json();
    assert_eq!(document["steps"][0]["counted_s"], 60.0, "to its end");
}

#[test]
fn ctrl_c_in_the_view_interrupts_the_run_that_it_is_of() {
    let place = TestFolder::new();
    let words = "run null:1g --rate 500 --for 5h --warmup 0s --record a.plim --tui";
    let Some(mut terminal) = measuring(&place, words) else {
        return;
    };
    terminal.press(&[3]);
    assert_eq!(terminal.end(), Some(2), "{}", terminal.text());
    assert!(!terminal.is_whole_screen());
    assert!(
        terminal
            .text()
            .contains("interrupted: the numbers are of what was measured until then")
    );
}

/// The process that draws the view of a run in this folder.
fn view_in(place: &TestFolder) -> Option<Pid> {
    let here = place.folder().canonicalize().ok()?;
    let processes = std::fs::read_dir("/proc").ok()?.flatten();
    let mut numbers = processes.filter_map(|p| p.file_name().to_str()?.parse::<i32>().ok());
    let view = numbers.find(|number| {
        let words = std::fs::read(format!("/proc/{number}/cmdline")).unwrap_or_default();
        let is_view = words.split(|b| *b == 0).any(|word| word == b"--of-run");
        is_view && std::fs::read_link(format!("/proc/{number}/cwd")).is_ok_and(|cwd| cwd == here)
    });
    view.and_then(Pid::from_raw)
}

fn parent_of(process: Pid) -> Option<Pid> {
    let number = process.as_raw_nonzero();
    let status = std::fs::read_to_string(format!("/proc/{number}/status")).ok()?;
    let line = status.lines().find_map(|l| l.strip_prefix("PPid:"))?;
    Pid::from_raw(line.trim().parse().ok()?)
}

#[test]
fn a_view_that_is_killed_leaves_the_run_and_the_terminal_as_they_were() {
    for signal in [Signal::KILL, Signal::TERM] {
        let place = TestFolder::new();
        let words = "run null:1g --rate 500 --for 5h --warmup 0s --record a.plim --tui";
        let Some(mut terminal) = measuring(&place, words) else {
            return;
        };
        kill_process(view_in(&place).expect("a view"), signal).expect("signalled");
        terminal.wait_until("left", |t| {
            !t.is_whole_screen() && !t.screen.screen().hide_cursor()
        });
        // It is the terminal again that makes an interrupt of this key, and the run that is told of it.
        terminal.press(&[3]);
        assert_eq!(terminal.end(), Some(2), "{}", terminal.text());
        let raw = String::from_utf8_lossy(&terminal.raw);
        let told = raw.contains("stopping at the end of");
        assert!(told, "{signal:?}: {raw}");
    }
}

#[test]
fn a_view_that_is_stopped_does_not_hold_up_the_end_of_its_run() {
    let place = TestFolder::new();
    let words = "run null:1g --rate 500 --for 60s --warmup 0s --record a.plim --tui";
    let Some(mut terminal) = measuring(&place, words) else {
        return;
    };
    let view = view_in(&place).expect("a view");
    kill_process(view, Signal::STOP).expect("stopped");
    kill_process(parent_of(view).expect("a run"), Signal::INT).expect("signalled");
    terminal.wait_until("over", |t| {
        !t.is_whole_screen() && t.text().contains("Answer")
    });
    assert_eq!(terminal.end(), Some(2));
}

#[test]
fn names_in_a_record_give_the_terminal_no_orders() {
    let place = TestFolder::new();
    let name = r"x\u001b[2J\u001b]0;t\u0007\r\nforged\u009b31m\u202e\u2066\u007f";
    place.text(
        "a.toml",
        &format!(
            "title = \"{name}\"\n[target.\"{name}\"]\npath = \"null:1g\"\n[workload.\"{name}\"]\nread = 100\n\
             [[run]]\nname = \"{name}\"\nload = [\"1000\", \"2000\"]\nfor = \"300ms\"\nwarmup = \"0s\"\ninterval = \"100ms\"\n"
        ),
    );
    place.plimsoll("run a.toml --record a.plim").ok();
    let Some(mut terminal) = Terminal::start(&place, "watch a.plim") else {
        return plimsoll_skipped::skipped!("{NO_SCRIPT}");
    };
    terminal.wait_until("shown", |t| t.text().contains("completed"));
    for _ in 0..3 {
        terminal.press(b"\t");
    }
    terminal.press(b"q");
    assert_eq!(terminal.end(), Some(0));
    let raw = String::from_utf8_lossy(&terminal.raw);
    assert!(raw.contains("x\\x1b[2J"), "the name is shown: {raw:?}");
    for order in [
        "\u{1b}]", "\u{7}", "\u{9b}", "\u{202e}", "\u{2066}", "\u{7f}",
    ] {
        assert!(!raw.contains(order), "{order:?} in {raw:?}");
    }
}

#[test]
fn what_has_no_terminal_is_told_what_to_do() {
    let place = TestFolder::new();
    place
        .plimsoll("run null:1g --rate 500 --for 300ms --warmup 0s --record a.plim")
        .ok();
    let done = place.plimsoll("watch a.plim").exits(2);
    done.warns(&["`plimsoll show a.plim` prints"]);
    let done = place.plimsoll("watch").exits(2);
    done.warns(&["no run writes a record in ."]);
    let done = place.plimsoll("run null:1g --tui").exits(2);
    done.warns(&["--tui draws on a terminal"]);
    assert_eq!(place.names(), ["a.plim"], "nothing was measured");
}
