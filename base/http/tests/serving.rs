//! A server as clients meet it: over TLS, with a token, and with an answer that goes on.

use plimsoll_http::{Answers, Event, Events, Http, HttpOptions, Request, Response, Tls, text};
use plimsoll_tls::{Session, Trust, client};
use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

const TOKEN: &str = "a-token-of-some-length";

/// A page, and events that a test sends.
struct Pages(Mutex<Option<Receiver<String>>>);

struct Sent(Receiver<String>);

impl Events for Sent {
    fn next_event(&mut self) -> Option<Event> {
        match self.0.recv_timeout(Duration::from_millis(50)) {
            Ok(text) => Some(Event::Named("now", text)),
            Err(std::sync::mpsc::RecvTimeoutError::Timeout) => Some(Event::Nothing),
            Err(std::sync::mpsc::RecvTimeoutError::Disconnected) => None,
        }
    }
}

impl Answers for Pages {
    fn answer(&self, request: &Request) -> Response {
        match (request.path.as_str(), self.0.lock().unwrap().take()) {
            ("/events", Some(sent)) => Response::events(Sent(sent)),
            _ => text("text/plain", "x".repeat(3_000_000)),
        }
    }
}

fn start(change: impl FnOnce(&mut HttpOptions)) -> (Http, Sender<String>) {
    let (sender, sent) = channel();
    let mut options = HttpOptions::new("127.0.0.1:0".parse().unwrap());
    change(&mut options);
    (
        Http::start(options, Pages(Mutex::new(Some(sent)))).unwrap(),
        sender,
    )
}

fn asked(http: &Http, path: &str, header: &str) -> String {
    format!(
        "GET {path} HTTP/1.1\r\nHost: {}\r\n{header}\r\n",
        http.address
    )
}

fn get(http: &Http, path: &str, header: &str) -> String {
    let mut socket = TcpStream::connect(http.address).unwrap();
    socket
        .write_all(asked(http, path, header).as_bytes())
        .unwrap();
    let mut answer = String::new();
    socket.read_to_string(&mut answer).unwrap();
    answer
}

/// A folder with a certificate for 127.0.0.1 that signs itself, for the server and for its clients.
fn certificates() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let key = rcgen::generate_simple_self_signed(vec!["127.0.0.1".to_owned()]).unwrap();
    for (name, text) in [
        ("server-cert.pem", key.cert.pem()),
        ("ca-cert.pem", key.cert.pem()),
        ("server-key.pem", key.signing_key.serialize_pem()),
    ] {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

fn again<T>(mut step: impl FnMut() -> std::io::Result<T>) -> T {
    loop {
        match step() {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            other => return other.unwrap(),
        }
    }
}

#[test]
fn a_large_page_comes_whole_through_tls() {
    let folder = certificates();
    let (http, _sender) = start(|o| o.tls = Some(Tls::new(folder.path(), false).unwrap()));
    let trust = Trust {
        folder: Some(folder.path().to_owned()),
        anyone: false,
    };
    let mut session: Session = client(&trust, "127.0.0.1").unwrap();
    let mut socket = TcpStream::connect(http.address).unwrap();
    again(|| session.shake_hands(&mut socket));
    session
        .write(&mut socket, asked(&http, "/", "").as_bytes())
        .unwrap();
    let (mut answer, mut part) = (Vec::new(), [0; 16_384]);
    loop {
        match again(|| session.read(&mut socket, &mut part)) {
            0 => break,
            n => answer.extend_from_slice(&part[..n]),
        }
    }
    let answer = String::from_utf8(answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    assert!(
        head.starts_with("HTTP/1.1 200 OK") && head.contains("frame-ancestors 'none'"),
        "{head}"
    );
    assert_eq!(body.len(), 3_000_000);
}

#[test]
fn without_tls_a_server_with_tls_says_nothing() {
    let folder = certificates();
    let (http, _sender) = start(|o| o.tls = Some(Tls::new(folder.path(), false).unwrap()));
    let mut socket = TcpStream::connect(http.address).unwrap();
    socket.write_all(asked(&http, "/", "").as_bytes()).unwrap();
    let mut answer = Vec::new();
    // It may hang up before it has read all, which is an error here.
    let _ = socket.read_to_end(&mut answer);
    assert!(
        !String::from_utf8_lossy(&answer).contains("HTTP"),
        "{answer:?}"
    );
}

#[test]
fn without_the_token_nothing_is_answered_and_with_it_a_cookie_is_enough() {
    let (http, _sender) = start(|o| o.token = Some(TOKEN.to_owned()));
    for (path, header) in [
        ("/", ""),
        ("/?token=wrong", ""),
        ("/", "Cookie: plimsoll=a-token-of-some-length\r\n"),
    ] {
        let answer = get(&http, path, header);
        assert!(answer.starts_with("HTTP/1.1 401"), "{answer}");
        assert!(!answer.contains(TOKEN), "{answer}");
    }
    let answer = get(&http, &format!("/?token={TOKEN}"), "");
    assert!(
        answer.starts_with("HTTP/1.1 303") && answer.contains("Location: /\r\n"),
        "{answer}"
    );
    let cookie = answer
        .lines()
        .find_map(|l| l.strip_prefix("Set-Cookie: "))
        .unwrap();
    let cookie = cookie.split(';').next().unwrap();
    let answer = get(&http, "/", &format!("Cookie: other=1; {cookie}\r\n"));
    assert!(answer.starts_with("HTTP/1.1 200"), "{}", &answer[..200]);
}

#[test]
fn events_come_one_by_one_until_their_source_or_the_server_ends() {
    let (http, sender) = start(|_| {});
    let mut socket = TcpStream::connect(http.address).unwrap();
    socket
        .write_all(asked(&http, "/events", "").as_bytes())
        .unwrap();
    let mut came = String::new();
    let mut until = |socket: &mut TcpStream, wanted: &str| {
        let mut part = [0; 1024];
        while !came.contains(wanted) {
            let n = socket.read(&mut part).unwrap();
            assert!(n > 0, "it ended early: {came}");
            came.push_str(std::str::from_utf8(&part[..n]).unwrap());
        }
    };
    until(&mut socket, "Content-Type: text/event-stream\r\n");
    sender.send("one\ntwo".to_owned()).unwrap();
    until(&mut socket, "event: now\ndata: one\ndata: two\n\n");
    sender.send("three".to_owned()).unwrap();
    until(&mut socket, "event: now\ndata: three\n\n");
    drop(http);
    // All that is still under way is read, and then it has ended.
    let _ = socket.read_to_end(&mut Vec::new());
}
