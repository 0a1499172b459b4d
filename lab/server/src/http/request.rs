//! Reading a request, in bounded time and space.

use std::io::{ErrorKind, Read};
use std::net::TcpStream;
use std::time::Instant;

/// Bytes of a request's head.
const MAX_HEAD: usize = 16 << 10;
/// Bytes of its body.
const MAX_BODY: usize = 64 << 10;

/// What a request has once, so that nobody between can take another one for it.
const ONCE: [&str; 5] = [
    "Host",
    "Content-Length",
    "Content-Type",
    "Origin",
    "Sec-Fetch-Site",
];

/// A request.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Request {
    pub method: String,
    /// Without the query.
    pub path: String,
    /// The host that is meant; empty when nothing is said.
    pub host: String,
    /// The site of the page that sent it, as a browser says.
    pub origin: Option<String>,
    /// What that site is to this one, as a browser says.
    pub fetch_site: Option<String>,
    /// What the body is said to be, without its parameters, in small letters; empty when nothing is said.
    pub kind: String,
    pub body: Vec<u8>,
}

/// What is wrong with a request.
#[derive(Debug, thiserror::Error)]
pub(super) enum Problem {
    #[error("this is not HTTP/1.1: {0}")]
    Syntax(#[from] httparse::Error),
    #[error("the length of the body makes no sense")]
    Length,
    #[error("the request has {0} twice")]
    Twice(&'static str),
    #[error("the request is too long")]
    TooLong,
    #[error("the request did not come in time")]
    Late,
    #[error("the connection broke: {0}")]
    Broken(std::io::Error),
}

impl Problem {
    /// The line that says so.
    pub(super) fn status(&self) -> &'static str {
        match self {
            Problem::TooLong => "413 Content Too Large",
            Problem::Late => "408 Request Timeout",
            Problem::Syntax(_) | Problem::Length | Problem::Twice(_) | Problem::Broken(_) => {
                "400 Bad Request"
            }
        }
    }
}

/// Reads one request.
pub(super) fn read_request(stream: &TcpStream, deadline: Instant) -> Result<Request, Problem> {
    let mut bytes = Vec::new();
    loop {
        if let Some((mut request, head, length)) = parse(&bytes)? {
            while bytes.len() < head + length {
                more(stream, &mut bytes, deadline)?;
            }
            request.body = bytes[head..head + length].to_vec();
            return Ok(request);
        }
        if bytes.len() >= MAX_HEAD {
            return Err(Problem::TooLong);
        }
        more(stream, &mut bytes, deadline)?;
    }
}

/// The request, how long its head is and how long its body; `None` when the head is not all there.
fn parse(bytes: &[u8]) -> Result<Option<(Request, usize, usize)>, Problem> {
    let mut headers = [httparse::EMPTY_HEADER; 64];
    let mut parsed = httparse::Request::new(&mut headers);
    let httparse::Status::Complete(head) = parsed.parse(bytes)? else {
        return Ok(None);
    };
    let header = |name: &str| {
        let found = parsed
            .headers
            .iter()
            .find(|h| h.name.eq_ignore_ascii_case(name));
        found.map(|h| String::from_utf8_lossy(h.value).trim().to_owned())
    };
    for name in ONCE {
        let is = |h: &&httparse::Header| h.name.eq_ignore_ascii_case(name);
        if parsed.headers.iter().filter(is).count() > 1 {
            return Err(Problem::Twice(name));
        }
    }
    let length = match header("content-length") {
        None => 0,
        Some(text) => text.parse().map_err(|_| Problem::Length)?,
    };
    if length > MAX_BODY {
        return Err(Problem::TooLong);
    }
    if header("transfer-encoding").is_some() {
        return Err(Problem::Length);
    }
    let target = parsed.path.unwrap_or_default();
    let request = Request {
        method: parsed.method.unwrap_or_default().to_owned(),
        path: target.split('?').next().unwrap_or_default().to_owned(),
        host: header("host").unwrap_or_default(),
        origin: header("origin"),
        fetch_site: header("sec-fetch-site"),
        kind: kind(&header("content-type").unwrap_or_default()),
        body: Vec::new(),
    };
    Ok(Some((request, head, length)))
}

/// `application/json` of `Application/JSON; charset=utf-8`.
fn kind(text: &str) -> String {
    let kind = text.split(';').next().unwrap_or_default();
    kind.trim().to_ascii_lowercase()
}

fn more(mut stream: &TcpStream, bytes: &mut Vec<u8>, deadline: Instant) -> Result<(), Problem> {
    let left = deadline.saturating_duration_since(Instant::now());
    if left.is_zero() {
        return Err(Problem::Late);
    }
    stream
        .set_read_timeout(Some(left))
        .map_err(Problem::Broken)?;
    let mut buffer = [0; 4096];
    match stream.read(&mut buffer) {
        Ok(0) => Err(Problem::Broken(ErrorKind::UnexpectedEof.into())),
        Ok(n) => {
            bytes.extend_from_slice(&buffer[..n]);
            Ok(())
        }
        Err(e) if matches!(e.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
            Err(Problem::Late)
        }
        Err(e) if e.kind() == ErrorKind::Interrupted => Ok(()),
        Err(e) => Err(Problem::Broken(e)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_taken_apart() {
        let text = b"POST /api/faults?x=1 HTTP/1.1\r\nHost: lab:1\r\nContent-Type: Application/JSON; x=y\r\ncontent-length: 2\r\n\r\n{}";
        let (request, head, length) = parse(text).unwrap().unwrap();
        assert_eq!(request.method.as_str(), "POST");
        assert_eq!(request.path.as_str(), "/api/faults");
        assert_eq!(request.kind, "application/json");
        assert_eq!((request.host.as_str(), request.origin), ("lab:1", None));
        assert_eq!(&text[head..head + length], b"{}");
        assert!(parse(&text[..20]).unwrap().is_none());
    }

    #[test]
    fn what_is_too_long_or_no_request_is_refused() {
        let long = b"POST / HTTP/1.1\r\nContent-Length: 9999999\r\n\r\n";
        assert!(matches!(parse(long), Err(Problem::TooLong)));
        let odd = b"POST / HTTP/1.1\r\nContent-Length: many\r\n\r\n";
        assert!(matches!(parse(odd), Err(Problem::Length)));
        let twice = b"GET / HTTP/1.1\r\nHost: localhost\r\nhost: evil.example\r\n\r\n";
        assert!(matches!(parse(twice), Err(Problem::Twice("Host"))));
        assert!(matches!(parse(b"\x16\x03\x01\0"), Err(Problem::Syntax(_))));
    }
}
