//! `plimsoll lab serve`: it says where it is, serves, and stops when it is told to.

use crate::place::{TestFolder, holds};
use rustix::process::{Pid, Signal, kill_process};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::process::{Child, Command, Stdio};

/// A lab that has said where it is; ends with this.
pub struct Lab {
    child: Child,
    printed: String,
}

impl Lab {
    pub fn serve(place: &TestFolder, words: &[&str]) -> Self {
        Lab::of(place.command(&[&["lab", "serve"], words].concat()))
    }

    /// By a command that serves.
    pub fn of(mut command: Command) -> Self {
        let mut child = command
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let mut printed = String::new();
        let mut out = BufReader::new(child.stdout.take().expect("piped"));
        while !printed.contains("Ctrl-C") {
            assert!(
                out.read_line(&mut printed).expect("text") > 0,
                "ended early: {printed}"
            );
        }
        Lab { child, printed }
    }

    /// Address of its HTTP server.
    pub fn address(&self) -> &str {
        let page = self.printed.lines().find_map(|l| l.strip_prefix("page"));
        let address = page.map(|p| p.trim().trim_start_matches("http://").trim_end_matches('/'));
        address.expect("a page")
    }

    /// Address of its first LUN, over its first path.
    pub fn uri(&self) -> String {
        let path = self.printed.lines().find_map(|l| l.strip_prefix("path 0"));
        path.expect("a path").trim().to_owned()
    }

    /// Answer of its HTTP server for a path.
    pub fn get(&self, path: &str) -> String {
        self.get_as(path, self.address())
    }

    /// The same under a name.
    pub fn get_as(&self, path: &str, host: &str) -> String {
        let mut socket = TcpStream::connect(self.address()).expect("it listens");
        write!(socket, "GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n").expect("sent");
        let mut answer = String::new();
        socket.read_to_string(&mut answer).expect("an answer");
        answer
    }

    /// Interrupts it, and gives its exit code.
    pub fn stop(self) -> Option<i32> {
        self.end(Signal::INT)
    }

    /// Ends it with a signal; its exit code where that let it end by itself.
    pub fn end(mut self, signal: Signal) -> Option<i32> {
        kill_process(Pid::from_child(&self.child), signal).expect("signalled");
        self.child.wait().expect("ended").code()
    }
}

impl Drop for Lab {
    fn drop(&mut self) {
        // One that was stopped has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Error message where it does not start.
#[track_caller]
pub fn refused(place: &TestFolder, words: &[&str]) -> String {
    let mut child = place
        .command(&[&["lab", "serve"], words].concat())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut greeting = [0];
    let mut out = child.stdout.take().expect("piped");
    if out.read(&mut greeting).expect("readable") > 0 {
        child.kill().expect("killed");
        panic!("it serves: {words:?}");
    }
    let output = child.wait_with_output().expect("ended");
    assert_eq!(output.status.code(), Some(2));
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn a_lab_says_where_it_is_and_stops_on_an_interrupt() {
    let place = TestFolder::new();
    let array = ["single-ssd", "--size", "64m", "--no-timing"];
    let there = ["--socket", "ssd.sock", "--paths", "2"];
    let kept = ["--backing", "ssd.img"];
    let lab = Lab::serve(&place, &[&array[..], &there, &kept].concat());
    let printed = &lab.printed;
    holds!(
        printed,
        "1 LUN of 64 MiB, scale 1:16, answering at once",
        "path 1  nbd+unix:///single-ssd/lun0?socket=ssd.sock-1\n"
    );
    let mut greeting = [0; 16];
    let mut client = UnixStream::connect(place.path("ssd.sock-1")).expect("it listens");
    client.read_exact(&mut greeting).expect("a greeting");
    assert_eq!(&greeting, b"NBDMAGICIHAVEOPT");
    assert_eq!(lab.stop(), Some(0));
    assert_eq!(place.names(), ["ssd.img"]);
    assert_eq!(
        place.path("ssd.img").metadata().expect("the data").len(),
        64 << 20
    );
}

#[test]
fn a_lab_that_cannot_be_is_refused_in_a_sentence() {
    let place = TestFolder::new();
    let unknown = refused(&place, &["singel-ssd", "--socket", "s"]);
    assert!(unknown.contains("did you mean `single-ssd`?"), "{unknown}");
    let last = ["single-ssd", "--listen", "127.0.0.1:65535"];
    let ports = refused(&place, &[&last[..], &["--paths", "2"]].concat());
    assert!(ports.contains("there is no port after 65535"), "{ports}");
    for part in ["single-ssd/lun0", "lab:single-ssd?scale=2"] {
        let printed = refused(&place, &[part, "--socket", "s"]);
        assert!(printed.contains("served with all of its LUNs"), "{printed}");
    }
    let prefixed = refused(&place, &["lab:./none.toml", "--socket", "s"]);
    holds!(prefixed, "cannot read the persona ./none.toml");
    let nothing = refused(&place, &["single-ssd", "--socket", "s", "--size", "0"]);
    assert!(nothing.contains("needs a size above 0"), "{nothing}");
    place.text("small.img", "not an image");
    let small = ["single-ssd", "--socket", "s", "--size", "64m"];
    let size = ["--backing", "small.img", "--overwrite"];
    let size = refused(&place, &[&small[..], &size].concat());
    holds!(size, "small.img has 12 bytes, but the array has 67108864");
}

#[test]
fn a_model_that_no_machine_has_the_memory_for_is_refused_before_it_is_built() {
    let place = TestFolder::new();
    let huge = [
        &["hybrid-hci", "--scale", "1e-7"][..],
        &["scale-out-flash-8", "--scale", "1e-7", "--size", "64m"],
    ];
    for words in huge {
        let printed = refused(&place, &[words, &["--socket", "s"]].concat());
        assert!(printed.contains("a scale of at least"), "{printed}");
        let least = printed.trim().trim_end_matches(" fits").rsplit(' ').next();
        let least: f64 = least.expect("a scale").parse().expect("a number");
        assert!(least > 1e-7 && least < 1e6, "{printed}");
    }
    let large = ["single-ssd", "--size", "1000000t", "--socket", "s"];
    let printed = refused(&place, &large);
    assert!(printed.contains("make the LUNs smaller"), "{printed}");
    let slow = refused(&place, &["single-ssd", "--scale", "1e300", "--socket", "s"]);
    assert!(slow.contains("at most 1000000"), "{slow}");
}

#[test]
fn the_page_answers_under_the_names_that_it_was_given() {
    let place = TestFolder::new();
    let array = ["single-ssd", "--size", "64m", "--socket", "s"];
    let page = ["--http", "127.0.0.1:0", "--http-host", "lab.example"];
    let lab = Lab::serve(&place, &[&array[..], &page].concat());
    let port = lab.address().rsplit(':').next().expect("a port").to_owned();
    for (host, code) in [
        ("lab.example", 200),
        ("localhost", 200),
        ("evil.example", 421),
    ] {
        let answer = lab.get_as("/metrics", &format!("{host}:{port}"));
        assert!(
            answer.starts_with(&format!("HTTP/1.1 {code} ")),
            "{host}: {answer}"
        );
    }
    lab.stop();
    let odd = refused(
        &place,
        &[&array[..], &["--http", "127.0.0.1:0", "--http-host", "a/b"]].concat(),
    );
    assert!(odd.contains("as in lab.example"), "{odd}");
}

#[test]
fn a_script_says_what_goes_wrong_and_when() {
    let place = TestFolder::new();
    place.text(
        "bad-day.toml",
        "[[faults]]\nat = \"0s\"\nfault = \"path-down\"\npath = 1\n",
    );
    let array = ["single-ssd", "--size", "64m", "--faults", "bad-day.toml"];
    let there = ["--socket", "s", "--paths", "2", "--http", "127.0.0.1:0"];
    let lab = Lab::serve(&place, &[&array[..], &there].concat());
    let faults = lab.get("/api/faults");
    assert!(faults.contains("path 1 down"), "{faults}");
    lab.stop();
}

#[test]
fn a_script_that_cannot_happen_is_refused_at_its_line_with_a_remedy() {
    let place = TestFolder::new();
    let faults = |text: &str| {
        place.text("bad-day.toml", text);
        let array = ["single-ssd", "--socket", "s", "--faults", "bad-day.toml"];
        refused(&place, &array)
    };
    let path = faults("\n[[faults]]\nat = \"30s\"\nfault = \"path-down\"\npath = 1\n");
    assert_eq!(
        path,
        "error: bad-day.toml:2:1: there is no path 1; the array has 1, counted from 0; there is only path 0\n"
    );
    let journal = faults("[[faults]]\nat = \"30s\"\nfault = \"journal-full\"\n");
    holds!(
        journal,
        "bad-day.toml:1:1: the array has no journal; leave the fault out"
    );
    let word = faults("[[faults]]\nat = \"30s\"\nfault = \"path-dwn\"\npath = 0\n");
    assert!(word.contains("did you mean `path-down`?"), "{word}");
    let missing = refused(&place, &["single-ssd", "--faults", "none.toml"]);
    assert!(missing.contains("none.toml: "), "{missing}");
}

#[test]
fn the_script_among_the_examples_can_happen() {
    let place = TestFolder::new();
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/lab/faults.toml");
    let array = ["scale-out-flash-8", "--size", "64m", "--faults", script];
    let lab = Lab::serve(
        &place,
        &[&array[..], &["--socket", "s", "--paths", "2"]].concat(),
    );
    assert_eq!(lab.stop(), Some(0));
}

#[test]
fn a_persona_is_printed_to_be_changed_and_used() {
    let place = TestFolder::new();
    let run = |words: &[&str]| place.command(words).output().expect("the program starts");
    let list = run(&["lab", "persona"]);
    let list = String::from_utf8(list.stdout).expect("text");
    assert_eq!(list.lines().count(), 8, "{list}");
    for name in list.lines().filter_map(|l| l.split_whitespace().next()) {
        let printed = run(&["lab", "persona", name]);
        assert!(printed.status.success(), "{name}");
        let file = place.path(&format!("{name}.toml"));
        std::fs::write(&file, &printed.stdout).expect("written");
        let output = run(&["plan", &format!("lab:{}", file.display())]);
        assert!(output.status.success(), "{name}: {output:?}");
    }
    let refused = run(&["lab", "persona", "single-sdd"]);
    assert_eq!(refused.status.code(), Some(2));
    let printed = String::from_utf8_lossy(&refused.stderr);
    assert!(printed.contains("single-ssd"), "{printed}");
}
