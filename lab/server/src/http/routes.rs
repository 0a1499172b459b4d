//! What is where.

use super::metrics;
use super::request::Request;
use crate::connection::Lab;
use crate::status;
use plimsoll_array::Fault;
use serde::{Deserialize, Serialize};

const PAGE: &str = include_str!("page.html");
const JSON: &str = "application/json";

/// An answer.
#[derive(Debug)]
pub(super) struct Response {
    pub status: &'static str,
    pub kind: &'static str,
    pub body: String,
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

/// A snapshot that is asked for.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct SnapshotOf {
    lun: u32,
}

/// Answers a request.
pub(super) fn answer(lab: &Lab, request: &Request) -> Response {
    match (request.method.as_str(), request.path.as_str()) {
        ("GET", "/") => text("text/html; charset=utf-8", PAGE.to_owned()),
        ("GET", "/metrics") => {
            let kind = "text/plain; version=0.0.4; charset=utf-8";
            text(kind, metrics::text(&status::of(lab)))
        }
        ("GET", "/api/status") => json(&status::of(lab)),
        ("GET", "/api/luns") => json(&status::of(lab).luns),
        ("GET", "/api/paths") => json(&status::of(lab).paths),
        ("GET", "/api/connections") => json(&status::of(lab).connections),
        ("GET", "/api/faults") => json(&status::of(lab).events),
        ("POST", "/api/faults") => with_body(request, |fault: Fault| {
            lab.model.inject(&fault).map_err(|e| e.to_string())
        }),
        ("POST", "/api/snapshots") => with_body(request, |of: SnapshotOf| {
            let taken = lab.model.snapshot(of.lun);
            taken
                .then_some(())
                .ok_or_else(|| format!("there is no LUN {}", of.lun))
        }),
        (_, "/" | "/metrics" | "/api/status" | "/api/luns" | "/api/paths" | "/api/connections")
        | (_, "/api/faults" | "/api/snapshots") => {
            Response::problem("405 Method Not Allowed", "not with this method")
        }
        _ => Response::problem("404 Not Found", "there is nothing here"),
    }
}

/// Does what the body asks for.
///
/// A body has to be called JSON: a page of somebody else, open in a browser on this machine, cannot send that here.
fn with_body<T: serde::de::DeserializeOwned>(
    request: &Request,
    carry_out: impl FnOnce(T) -> Result<(), String>,
) -> Response {
    if !request.kind.starts_with(JSON) {
        let message = "the body has to be JSON, with Content-Type: application/json";
        return Response::problem("415 Unsupported Media Type", message);
    }
    let result = serde_json::from_slice(&request.body)
        .map_err(|e| e.to_string())
        .and_then(carry_out);
    match result {
        Ok(()) => json(&serde_json::json!({ "done": true })),
        Err(message) => Response::problem("400 Bad Request", &message),
    }
}

fn json(value: &impl Serialize) -> Response {
    match serde_json::to_string(value) {
        Ok(body) => text(JSON, body),
        Err(error) => Response {
            status: "500 Internal Server Error",
            ..text("text/plain", error.to_string())
        },
    }
}

fn text(kind: &'static str, body: String) -> Response {
    Response {
        status: "200 OK",
        kind,
        body,
    }
}
