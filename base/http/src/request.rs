//! Reading a request, in bounded time and space.

use crate::stream::Stream;
use std::io::ErrorKind;
use std::time::Instant;

/// Bytes of a request's head.
const MAX_HEAD: usize = 16 << 10;
/// Bytes of its body.
const MAX_BODY: usize = 64 << 10;

/// Headers that a request may have only once, so that nobody between can take another one for it.
const ONCE: [&str; 7] = [
    "Host",
    "Content-Length",
    "Content-Type",
    "Origin",
    "Sec-Fetch-Site",
    "Cookie",
    "Authorization",
];

/// A request of a client.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// Method: `GET`.
    pub method: String,
    /// Path without the query.
    pub path: String,
    /// Query as it was sent, without the question mark; empty when there is none.
    pub query: String,
    /// Host that is meant; empty when nothing is said.
    pub host: String,
    /// Site of the page that sent it, as a browser says.
    pub origin: Option<String>,
    /// Relation of that site to this one, as a browser says.
    pub fetch_site: Option<String>,
    /// Type that the body is said to be, without its parameters, in small letters; empty when nothing is said.
    pub kind: String,
    /// Cookies, as they were sent.
    pub cookie: Option<String>,
    /// Authorization, as it was sent.
    pub authorization: Option<String>,
    /// Body.
    pub body: Vec<u8>,
}

impl Request {
    /// The names and values of the query, as a form sends them.
    pub fn pairs(&self) -> Vec<(String, String)> {
        let pairs = self.query.split('&').filter(|pair| !pair.is_empty());
        pairs
            .map(|pair| {
                let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
                (decoded(name), decoded(value))
            })
            .collect()
    }
}

/// `a b` of `a+b` and of `a%20b`.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        let digits = after.get(..2);
        // A sign is none, though numbers may have one.
        let digits = digits.filter(|d| d.iter().all(u8::is_ascii_hexdigit));
        let digits = digits.and_then(|d| std::str::from_utf8(d).ok());
        let escaped = digits.and_then(|d| u8::from_str_radix(d, 16).ok());
        match (first, escaped) {
            (b'%', Some(byte)) => {
                bytes.push(byte);
                rest = &after[2..];
                continue;
            }
            (b'+', _) => bytes.push(b' '),
            (other, _) => bytes.push(*other),
        }
        rest = after;
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Defect of a request.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Problem {
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
    pub(crate) fn status(&self) -> &'static str {
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
pub(crate) fn read_request(stream: &mut Stream<'_>, deadline: Instant) -> Result<Request, Problem> {
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
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let request = Request {
        method: parsed.method.unwrap_or_default().to_owned(),
        path: path.to_owned(),
        query: query.to_owned(),
        host: header("host").unwrap_or_default(),
        origin: header("origin"),
        fetch_site: header("sec-fetch-site"),
        kind: kind(&header("content-type").unwrap_or_default()),
        cookie: header("cookie"),
        authorization: header("authorization"),
        body: Vec::new(),
    };
    Ok(Some((request, head, length)))
}

/// `application/json` of `Application/JSON; charset=utf-8`.
fn kind(text: &str) -> String {
    let kind = text.split(';').next().unwrap_or_default();
    kind.trim().to_ascii_lowercase()
}

fn more(stream: &mut Stream<'_>, bytes: &mut Vec<u8>, deadline: Instant) -> Result<(), Problem> {
    let mut buffer = [0; 4096];
    match stream.read(&mut buffer, deadline) {
        Ok(0) => Err(Problem::Broken(ErrorKind::UnexpectedEof.into())),
        Ok(n) => {
            bytes.extend_from_slice(&buffer[..n]);
            Ok(())
        }
        Err(e) if e.kind() == ErrorKind::TimedOut => Err(Problem::Late),
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
        assert_eq!(request.pairs(), [("x".to_owned(), "1".to_owned())]);
        assert_eq!(request.kind, "application/json");
        assert_eq!((request.host.as_str(), request.origin), ("lab:1", None));
        assert_eq!(&text[head..head + length], b"{}");
        assert!(parse(&text[..20]).unwrap().is_none());
    }

    #[test]
    fn a_query_is_decoded_as_a_form_sends_it_and_nonsense_stays_text() {
        let request = Request {
            query: "q=a+b%26c%3D%C3%A9&q=%zz%+f&empty&=x&%F".to_owned(),
            ..Request::default()
        };
        let pairs = [
            ("q", "a b&c=é"),
            ("q", "%zz% f"),
            ("empty", ""),
            ("", "x"),
            ("%F", ""),
        ];
        assert_eq!(
            request.pairs(),
            pairs.map(|(a, b)| (a.to_owned(), b.to_owned()))
        );
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
