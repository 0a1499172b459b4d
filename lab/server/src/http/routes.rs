//! What is where.

use super::{manage, metrics};
use crate::connection::Lab;
use crate::status;
use plimsoll_http::{Request, Response, json, text};

const PAGE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// Answers a request.
pub(super) fn answer(lab: &Lab, request: &Request) -> Response {
    let path: Vec<&str> = request.path.split('/').skip(1).collect();
    match (request.method.as_str(), path.as_slice()) {
        ("GET", [""]) => text("text/html; charset=utf-8", PAGE.to_owned()),
        ("GET", ["page.css"]) => text("text/css; charset=utf-8", STYLE.to_owned()),
        ("GET", ["page.js"]) => text("text/javascript; charset=utf-8", SCRIPT.to_owned()),
        ("GET", ["metrics"]) => {
            let kind = "text/plain; version=0.0.4; charset=utf-8";
            text(kind, metrics::text(&status::of(lab)))
        }
        ("GET", ["api", "status"]) => json(&status::of(lab)),
        ("GET", ["api", "history"]) => json(&lab.history.moments()),
        ("GET", ["api", "luns"]) => json(&status::of(lab).luns),
        ("GET", ["api", "paths"]) => json(&status::of(lab).paths),
        ("GET", ["api", "connections"]) => json(&status::of(lab).connections),
        ("GET", ["api", "igroups"]) => json(&status::of(lab).igroups),
        ("GET", ["api", "exports"]) => json(&status::of(lab).exports),
        ("GET", ["api", "snapshots"]) => json(&status::snapshots(lab)),
        ("GET", ["api", "faults"]) => json(&status::of(lab).events),
        ("POST", ["api", "faults"]) => manage::inject(lab, request),
        ("POST", ["api", "snapshots"]) => manage::snapshot(lab, request),
        ("DELETE", ["api", "snapshots", lun, number]) => manage::delete_snapshot(lab, lun, number),
        ("POST", ["api", "igroups"]) => manage::put_igroup(lab, request),
        ("DELETE", ["api", "igroups", name]) => manage::remove_igroup(lab, name),
        ("POST", ["api", "exports"]) => manage::export(lab, request),
        ("DELETE", ["api", "exports", id]) => manage::remove_export(lab, id),
        (_, path) if is_there(path) => {
            Response::problem("405 Method Not Allowed", "not with this method")
        }
        _ => Response::problem("404 Not Found", "there is nothing here"),
    }
}

/// The API's places.
const API: [&str; 9] = [
    "status",
    "history",
    "luns",
    "paths",
    "connections",
    "igroups",
    "exports",
    "snapshots",
    "faults",
];

/// True where some method has an answer.
fn is_there(path: &[&str]) -> bool {
    match path {
        [""] | ["page.css" | "page.js" | "metrics"] | ["api", "igroups" | "exports", _] => true,
        ["api", "snapshots", _, _] => true,
        ["api", part] => API.contains(part),
        _ => false,
    }
}
