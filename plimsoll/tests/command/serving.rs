//! `plimsoll lab serve`: it says where it is, serves, and stops when it is told to.

use crate::place::Place;
use rustix::process::{Pid, Signal, kill_process};
use std::io::{BufRead, BufReader, Read};
use std::os::unix::net::UnixStream;
use std::process::Stdio;

#[test]
fn a_lab_says_where_it_is_and_stops_on_an_interrupt() {
    let place = Place::new();
    let words = [
        "lab",
        "serve",
        "single-ssd",
        "--size",
        "64m",
        "--socket",
        "ssd.sock",
        "--paths",
        "2",
    ];
    let mut child = place
        .command(&[&words[..], &["--no-timing", "--backing", "ssd.img"]].concat())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut said = String::new();
    let mut out = BufReader::new(child.stdout.take().expect("piped"));
    while !said.contains("Ctrl-C") {
        assert!(
            out.read_line(&mut said).expect("text") > 0,
            "ended early: {said}"
        );
    }
    assert!(
        said.contains("1 LUN of 0.1 GiB, scale 1:16, answering at once"),
        "{said}"
    );
    assert!(
        said.contains("path 1  nbd+unix:///single-ssd/lun0?socket=ssd.sock-1\n"),
        "{said}"
    );
    let mut greeting = [0; 16];
    let mut client = UnixStream::connect(place.path("ssd.sock-1")).expect("it listens");
    client.read_exact(&mut greeting).expect("a greeting");
    assert_eq!(&greeting, b"NBDMAGICIHAVEOPT");
    kill_process(Pid::from_child(&child), Signal::INT).expect("signalled");
    assert_eq!(child.wait().expect("ended").code(), Some(0));
    assert_eq!(place.names(), ["ssd.img"]);
    assert_eq!(
        place.path("ssd.img").metadata().expect("the data").len(),
        64 << 20
    );
}

#[test]
fn a_lab_that_cannot_be_is_refused_in_a_sentence() {
    let place = Place::new();
    let refused = |words: &[&str]| {
        let output = place.command(words).output().expect("the program starts");
        assert_eq!(output.status.code(), Some(2));
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let unknown = refused(&["lab", "serve", "singel-ssd", "--socket", "s"]);
    assert!(unknown.contains("did you mean `single-ssd`?"), "{unknown}");
    let ports = refused(&[
        "lab",
        "serve",
        "single-ssd",
        "--listen",
        "127.0.0.1:65535",
        "--paths",
        "2",
    ]);
    assert!(ports.contains("there is no port after 65535"), "{ports}");
    place.text("small.img", "not an image");
    let words = [
        "lab",
        "serve",
        "single-ssd",
        "--socket",
        "s",
        "--size",
        "64m",
        "--backing",
        "small.img",
    ];
    let size = refused(&words);
    assert!(
        size.contains("small.img has 12 bytes, but the array has 67108864"),
        "{size}"
    );
}
