//! What can be asked of the array's management: faults, snapshots, igroups, exports.

use crate::connection::Lab;
use plimsoll_array::masking::{ExportRequest, Igroup, MaskingError};
use plimsoll_array::{Fault, FaultError, SnapshotError};
use plimsoll_http::{Request, Response, json};
use serde::Deserialize;
use serde_json::{Value, json as value};

/// What a body has to be called.
const JSON: &str = "application/json";

/// Why something is not done.
pub(super) struct Refusal {
    status: &'static str,
    message: String,
}

impl Refusal {
    fn bad(message: impl ToString) -> Self {
        Refusal {
            status: "400 Bad Request",
            message: message.to_string(),
        }
    }
}

impl From<MaskingError> for Refusal {
    fn from(error: MaskingError) -> Self {
        match error.is_conflict() {
            true => Refusal {
                status: "409 Conflict",
                message: error.to_string(),
            },
            false => Self::bad(error),
        }
    }
}

impl From<SnapshotError> for Refusal {
    fn from(error: SnapshotError) -> Self {
        match error {
            SnapshotError::NoLun(_) => Self::bad(error),
            SnapshotError::Full { .. } | SnapshotError::Kept => Refusal {
                status: "409 Conflict",
                message: error.to_string(),
            },
        }
    }
}

impl From<FaultError> for Refusal {
    fn from(error: FaultError) -> Self {
        match error {
            FaultError::Full { .. } => Refusal {
                status: "409 Conflict",
                message: format!("{error}; {}", error.remedy()),
            },
            FaultError::Range { .. } => Self::bad(format!("{error}; {}", error.remedy())),
            _ => Self::bad(error),
        }
    }
}

type Outcome = Result<Value, Refusal>;

/// Something happens to the array now.
pub(super) fn inject(lab: &Lab, request: &Request) -> Response {
    with_body(request, |fault: Fault| {
        lab.model.inject(&fault)?;
        Ok(done())
    })
}

/// A snapshot that is asked for.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct SnapshotOf {
    lun: u32,
}

/// Takes a snapshot.
pub(super) fn snapshot(lab: &Lab, request: &Request) -> Response {
    with_body(request, |SnapshotOf { lun }| {
        let number = lab.model.snapshot(lun)?;
        Ok(value!({ "lun": lun, "number": number }))
    })
}

/// Deletes a snapshot.
pub(super) fn delete_snapshot(lab: &Lab, lun: &str, number: &str) -> Response {
    let found = match (lun.parse(), number.parse()) {
        (Ok(lun), Ok(number)) => lab.model.delete_snapshot(lun, number),
        _ => false,
    };
    match found {
        true => json(&done()),
        false => {
            let message = format!("LUN {lun} has no snapshot {number}");
            Response::problem("404 Not Found", &message)
        }
    }
}

/// Makes an igroup or changes one.
pub(super) fn put_igroup(lab: &Lab, request: &Request) -> Response {
    with_body(request, |igroup: Igroup| {
        lab.access.change(&lab.registry, |m| m.put_igroup(igroup))?;
        Ok(done())
    })
}

/// Removes an igroup.
pub(super) fn remove_igroup(lab: &Lab, name: &str) -> Response {
    removed(lab.access.change(&lab.registry, |m| m.remove_igroup(name)))
}

/// Exports a LUN.
pub(super) fn export(lab: &Lab, request: &Request) -> Response {
    with_body(request, |export: ExportRequest| {
        let id = lab.access.change(&lab.registry, |m| m.export(export))?;
        Ok(value!({ "id": id }))
    })
}

/// Removes an export.
pub(super) fn remove_export(lab: &Lab, id: &str) -> Response {
    match id.parse() {
        Ok(id) => removed(lab.access.change(&lab.registry, |m| m.remove_export(id))),
        Err(_) => Response::problem("404 Not Found", "exports have numbers"),
    }
}

fn done() -> Value {
    value!({ "done": true })
}

/// What was to be removed and isn't there is not found, as a page would be.
fn removed(result: Result<(), MaskingError>) -> Response {
    match result {
        Ok(()) => json(&done()),
        Err(error) if error.is_conflict() => respond(Err(error.into())),
        Err(error) => Response::problem("404 Not Found", &error.to_string()),
    }
}

/// Does what the body asks for.
///
/// A body has to be called JSON: a page of somebody else, open in a browser on this machine, cannot send that here, also
/// where the browser does not say whose page it is.
fn with_body<T: serde::de::DeserializeOwned>(
    request: &Request,
    carry_out: impl FnOnce(T) -> Outcome,
) -> Response {
    if request.kind != JSON {
        let message = "the body has to be JSON, with Content-Type: application/json";
        return Response::problem("415 Unsupported Media Type", message);
    }
    let body = serde_json::from_slice(&request.body);
    respond(body.map_err(Refusal::bad).and_then(carry_out))
}

fn respond(outcome: Outcome) -> Response {
    match outcome {
        Ok(value) => json(&value),
        Err(Refusal { status, message }) => Response::problem(status, &message),
    }
}
