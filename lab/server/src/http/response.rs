//! Responses of the lab's HTTP server.

use serde::Serialize;

const JSON: &str = "application/json";

/// An answer.
#[derive(Debug)]
pub(super) struct Response {
    pub status: &'static str,
    pub kind: &'static str,
    pub body: String,
}

/// Plain data as JSON.
pub(super) fn json(value: &impl Serialize) -> Response {
    match serde_json::to_string(value) {
        Ok(body) => text(JSON, body),
        Err(error) => Response {
            status: "500 Internal Server Error",
            ..text("text/plain", error.to_string())
        },
    }
}

pub(super) fn text(kind: &'static str, body: String) -> Response {
    Response {
        status: "200 OK",
        kind,
        body,
    }
}

impl Response {
    /// Something is wrong, in a sentence.
    pub(super) fn problem(status: &'static str, message: &str) -> Self {
        #[derive(Serialize)]
        struct Problem<'a> {
            error: &'a str,
        }
        Response {
            status,
            ..json(&Problem { error: message })
        }
    }
}
