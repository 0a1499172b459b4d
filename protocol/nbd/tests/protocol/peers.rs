//! Other people's servers. What is not installed is skipped, and says so.

use plimsoll_nbd::client::{Awaited, Handshake, Outcome, Progress, Replies, Reply, Wanted};
use plimsoll_nbd::{Command, MAX_MESSAGE, Request};
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::{self, Child, Stdio};
use std::time::{Duration, Instant};

const MIB: u64 = 1 << 20;

/// Starts a program; `None` when it is not installed.
fn start(command: &mut process::Command) -> Option<Child> {
    match command.spawn() {
        Ok(child) => Some(child),
        Err(error) => {
            plimsoll_skipped::skipped!("{}: {error}", command.get_program().display());
            None
        }
    }
}

/// Bytes of the server that were not understood yet.
struct Input {
    socket: UnixStream,
    bytes: Vec<u8>,
}

impl Input {
    fn more(&mut self) {
        let mut buffer = vec![0; MAX_MESSAGE];
        let n = self.socket.read(&mut buffer).unwrap();
        assert!(n > 0, "the server hung up");
        self.bytes.extend_from_slice(&buffer[..n]);
    }
}

/// Writes and reads a block with a server, and has a look at its holes.
fn talk_to(socket: UnixStream, structured: bool) {
    socket
        .set_read_timeout(Some(Duration::from_secs(20)))
        .unwrap();
    let bytes = Vec::new();
    let mut input = Input { socket, bytes };
    let wanted = Wanted {
        export: String::new(),
        structured,
        allocation: structured,
    };
    let mut handshake = Handshake::new(wanted).unwrap();
    let session = loop {
        let (mut rest, mut output) = (input.bytes.as_slice(), Vec::new());
        let progress = handshake.next(&mut rest, &mut output).unwrap();
        input.bytes = rest.to_vec();
        input.socket.write_all(&output).unwrap();
        match progress {
            Progress::Ready(session) => break session,
            Progress::NeedInput => input.more(),
            Progress::StartTls => panic!("nobody asked for that"),
            Progress::Send => {}
        }
    };
    assert_eq!(session.export.size, MIB);
    assert_eq!(session.structured, structured);
    let mut replies = Replies::new(&session);
    let mut call = |request: Request, payload: &[u8]| {
        input
            .socket
            .write_all(&[&request.to_bytes(), payload].concat())
            .unwrap();
        let len = if request.command == Command::Read {
            request.len
        } else {
            0
        };
        let (mut data, mut extents) = (vec![0xee; len as usize], Vec::new());
        let mut in_flight = [(request.cookie, Awaited::new(&request))];
        loop {
            let mut rest = input.bytes.as_slice();
            let reply = replies.next(&mut rest, &mut in_flight[..]).unwrap();
            let used = input.bytes.len() - rest.len();
            let mut done = false;
            let missing = reply.is_none();
            match reply {
                Some(Reply::Payload { at, bytes, .. }) => {
                    data[at as usize..][..bytes.len()].copy_from_slice(bytes);
                }
                Some(Reply::Hole { at, len, .. }) => data[at as usize..][..len as usize].fill(0),
                Some(Reply::Extent { len, .. }) => extents.push(len),
                Some(Reply::Error { code, message, .. }) => panic!("{code}: {message}"),
                Some(Reply::Done { outcome, .. }) => {
                    assert_eq!(outcome, Outcome::Good);
                    done = true;
                }
                None => {}
            }
            input.bytes.drain(..used);
            if done {
                return (data, extents);
            }
            if missing {
                input.more();
            }
        }
    };
    let block = [7; 4096];
    call(Request::new(Command::Write, 1, 65_536, 4096), &block);
    call(Request::new(Command::Flush, 2, 0, 0), &[]);
    let (data, _) = call(Request::new(Command::Read, 3, 0, MIB as u32), &[]);
    assert!(data[65_536..69_632] == block);
    assert!(
        data[..65_536]
            .iter()
            .chain(&data[69_632..])
            .all(|b| *b == 0)
    );
    if session.allocation.is_some() {
        let (_, extents) = call(Request::new(Command::BlockStatus, 4, 0, MIB as u32), &[]);
        assert!(!extents.is_empty());
    }
    let leave = Request::new(Command::Disconnect, 5, 0, 0).to_bytes();
    input.socket.write_all(&leave).unwrap();
}

#[test]
fn nbdkit() {
    for structured in [true, false] {
        let (ours, theirs) = UnixStream::pair().unwrap();
        let theirs = OwnedFd::from(theirs);
        let mut command = process::Command::new("nbdkit");
        command.args(["--single", "memory", "1M"]);
        command
            .stdin(theirs.try_clone().unwrap())
            .stdout(Stdio::from(theirs));
        let Some(mut child) = start(&mut command) else {
            return;
        };
        drop(command);
        talk_to(ours, structured);
        assert!(child.wait().unwrap().success());
    }
}

#[test]
fn qemu_nbd() {
    let folder = std::env::temp_dir().join(format!("plimsoll-nbd-{}", process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let [disk, socket] = ["disk", "socket"].map(|name| folder.join(name));
    for structured in [true, false] {
        std::fs::File::create(&disk).unwrap().set_len(MIB).unwrap();
        let mut command = process::Command::new("qemu-nbd");
        command
            .args(["--format", "raw", "--socket"])
            .args([&socket, &disk]);
        let Some(mut child) = start(&mut command) else {
            break;
        };
        let begin = Instant::now();
        let connected = loop {
            match UnixStream::connect(&socket) {
                Ok(connected) => break connected,
                Err(error) => assert!(begin.elapsed() < Duration::from_secs(20), "{error}"),
            }
            std::thread::sleep(Duration::from_millis(5));
        };
        talk_to(connected, structured);
        assert!(child.wait().unwrap().success());
    }
    std::fs::remove_dir_all(folder).unwrap();
}
