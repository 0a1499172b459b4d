//! A client of the page and the API.

use crate::stage::Stage;
use std::io::{Read, Write};
use std::net::TcpStream;

pub const JSON: &str = "application/json";

/// The status line's number, and the body.
pub fn ask(stage: &Stage, method: &str, path: &str, kind: &str, body: &str) -> (u16, String) {
    let host = stage.server.http().unwrap();
    let headers = format!("Host: {host}\r\nContent-Type: {kind}\r\n");
    let (head, body) = ask_as(stage, method, path, &headers, body);
    (head[9..12].parse().unwrap(), body)
}

/// The same with these headers; the whole head, and the body.
pub fn ask_as(
    stage: &Stage,
    method: &str,
    path: &str,
    headers: &str,
    body: &str,
) -> (String, String) {
    let len = body.len();
    let head = format!("{method} {path} HTTP/1.1\r\n{headers}Content-Length: {len}\r\n\r\n");
    let mut socket = TcpStream::connect(stage.server.http().unwrap()).unwrap();
    socket
        .write_all(format!("{head}{body}").as_bytes())
        .unwrap();
    let mut answer = String::new();
    socket.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    (head.to_owned(), body.to_owned())
}

/// What is there.
pub fn get(stage: &Stage, path: &str) -> String {
    let (status, body) = ask(stage, "GET", path, "", "");
    assert_eq!(status, 200, "{body}");
    body
}
