//! A client of the page and the API.

use crate::stage::Stage;
use std::io::{Read, Write};
use std::net::TcpStream;

pub const JSON: &str = "application/json";

/// The status line's number, and the body.
pub fn ask(stage: &Stage, method: &str, path: &str, kind: &str, body: &str) -> (u16, String) {
    let len = body.len();
    let head = format!(
        "{method} {path} HTTP/1.1\r\nHost: lab\r\nContent-Type: {kind}\r\nContent-Length: {len}"
    );
    let mut socket = TcpStream::connect(stage.server.http().unwrap()).unwrap();
    socket
        .write_all(format!("{head}\r\n\r\n{body}").as_bytes())
        .unwrap();
    let mut answer = String::new();
    socket.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    (head[9..12].parse().unwrap(), body.to_owned())
}

/// What is there.
pub fn get(stage: &Stage, path: &str) -> String {
    let (status, body) = ask(stage, "GET", path, "", "");
    assert_eq!(status, 200, "{body}");
    body
}
