//! Records as the program writes them, small ones: of a plain run, of a curve with arrays, and of paths to an export.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The program, run in a folder.
pub fn plimsoll(folder: &Path, words: &[&str]) -> std::process::Output {
    Command::new(env!("CARGO_BIN_EXE_plimsoll"))
        .args(words)
        .current_dir(folder)
        .env("NO_COLOR", "1")
        .stdin(Stdio::null())
        .output()
        .expect("the program starts")
}

const QUICK: [&str; 6] = ["--for", "200ms", "--interval", "100ms", "--warmup", "0s"];

fn recorded(folder: &Path, words: &[&str]) {
    let done = plimsoll(folder, &[words, &QUICK].concat());
    assert!(done.status.success(), "{done:?}");
}

/// Makes `run.plim`, of a plain run.
pub fn write_run(folder: &Path) {
    let words = ["run", "null:1GiB", "--rate", "500", "--record", "run.plim"];
    recorded(folder, &words);
}

/// Makes a record of each kind: their file names.
pub fn write(folder: &Path) -> Vec<&'static str> {
    write_run(folder);
    let array = "lab:scale-out-flash-8?size=64m";
    let words = ["curve", array, "--percents", "50,90"];
    recorded(folder, &[&words[..], &["--record", "curve.plim"]].concat());
    let mut names = vec!["run.plim", "curve.plim"];
    if let Some(_server) = serve(folder) {
        let lun = "nbd+unix:///a?socket=s,nbd+unix:///b?socket=s";
        let words = ["run", lun, "--rate", "200", "--allow-unwritten"];
        recorded(folder, &[&words[..], &["--record", "paths.plim"]].concat());
        names.push("paths.plim");
    }
    names
}

/// A server that ends with this.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// An export on a socket in the folder; `None`, said, where nbdkit is not installed.
fn serve(folder: &Path) -> Option<Server> {
    let child = Command::new("nbdkit")
        .current_dir(folder)
        .args(["-f", "-U", "s", "memory", "4m"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    let Ok(child) = child else {
        plimsoll_skipped::skipped!("a record with paths needs nbdkit, which is not installed");
        return None;
    };
    let server = Server(child);
    let started = Instant::now();
    while std::os::unix::net::UnixStream::connect(folder.join("s")).is_err() {
        assert!(
            started.elapsed() < Duration::from_secs(60),
            "nbdkit listens"
        );
        std::thread::sleep(Duration::from_millis(10));
    }
    Some(server)
}
