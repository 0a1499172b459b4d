//! Answers.

use crate::events::Events;
use serde::Serialize;
use std::fmt::Write;

const JSON: &str = "application/json";

/// Policy for what a browser may do with a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Policy {
    /// Script and style from this server alone: none from elsewhere, and none written into the page.
    #[default]
    Own,
    /// Policy that the page states itself, by hashes of the script and style written into it.
    InPage,
}

impl Policy {
    fn header(self) -> &'static str {
        match self {
            Policy::Own => {
                "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; \
                 connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
            }
            Policy::InPage => "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        }
    }
}

/// Headers of every answer: it is not shown in another page's frame, not taken for another type than its own, and not stored.
const RULES: &str = "X-Frame-Options: DENY\r\n\
                     X-Content-Type-Options: nosniff\r\n\
                     Referrer-Policy: same-origin\r\n\
                     Cross-Origin-Resource-Policy: same-origin\r\n\
                     Cache-Control: no-store\r\n";

/// An answer.
pub struct Response {
    /// Status, with its words: `200 OK`.
    pub(crate) status: &'static str,
    pub(crate) kind: &'static str,
    pub(crate) policy: Policy,
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) body: Body,
}

/// Body of an answer, after its head.
pub(crate) enum Body {
    Whole(String),
    Events(Box<dyn Events>),
}

/// Plain data as JSON.
pub fn json(value: &impl Serialize) -> Response {
    match serde_json::to_string(value) {
        Ok(body) => text(JSON, body),
        Err(error) => Response {
            status: "500 Internal Server Error",
            ..text("text/plain", error.to_string())
        },
    }
}

/// Text of a type.
pub fn text(kind: &'static str, body: String) -> Response {
    Response {
        status: "200 OK",
        kind,
        policy: Policy::default(),
        headers: Vec::new(),
        body: Body::Whole(body),
    }
}

impl Response {
    /// Something is wrong, in a sentence.
    pub fn problem(status: &'static str, message: &str) -> Self {
        #[derive(Serialize)]
        struct Problem<'a> {
            error: &'a str,
        }
        Response {
            status,
            ..json(&Problem { error: message })
        }
    }

    /// The browser goes on to a path of this server.
    pub fn see_other(path: String) -> Self {
        Response {
            status: "303 See Other",
            headers: vec![("Location", path)],
            ..text("text/plain", String::new())
        }
    }

    /// Response with another status.
    pub fn with_status(self, status: &'static str) -> Self {
        Response { status, ..self }
    }

    /// Response with another policy.
    pub fn with_policy(self, policy: Policy) -> Self {
        Response { policy, ..self }
    }

    /// Events for as long as the client stays.
    pub fn events(events: impl Events + 'static) -> Self {
        Response {
            body: Body::Events(Box::new(events)),
            ..text("text/event-stream", String::new())
        }
    }

    /// All that comes before the body.
    pub(crate) fn head(&self) -> String {
        let mut head = format!(
            "HTTP/1.1 {}\r\nContent-Type: {}\r\n",
            self.status, self.kind
        );
        // Writing to a text cannot fail.
        if let Body::Whole(body) = &self.body {
            let _ = write!(head, "Content-Length: {}\r\n", body.len());
        }
        for (name, value) in &self.headers {
            // Nothing in a value ends its line.
            let value: String = value.chars().filter(|c| !c.is_control()).collect();
            let _ = write!(head, "{name}: {value}\r\n");
        }
        let policy = self.policy.header();
        let _ = write!(
            head,
            "Content-Security-Policy: {policy}\r\n{RULES}Connection: close\r\n\r\n"
        );
        head
    }
}
