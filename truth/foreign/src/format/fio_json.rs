//! Documents of fio's JSON in a text: alone, several, with messages around and inside of them.

use crate::json::{self, Node, NodeKind};
use crate::model::{InputPlace, Remark};
use plimsoll_evidence::wording::plural;

/// Documents that may be inside of one that somebody put around them.
const MOST_INSIDE: usize = 10_000;

/// The documents of a text, in order.
pub fn documents(text: &str, remarks: &mut Vec<Remark>) -> Vec<Node> {
    let (mut found, mut at, mut line, mut before) = (Vec::new(), 0, 1, 0_u32);
    let mut remark = |line: u32, text: String| {
        let at = InputPlace { source: 0, line };
        remarks.push(Remark { at, text });
    };
    while let Some(rest) = text.get(at..).filter(|r| !r.is_empty()) {
        let end = rest.find('\n').map_or(rest.len(), |n| n + 1);
        let head = &rest[..end];
        let Some(begin) = begin(head) else {
            before += u32::from(!head.trim().is_empty());
            line += lines_in(head);
            at += end;
            continue;
        };
        let start = at + begin;
        match json::object(text, start, line) {
            Ok(document) => {
                let count = found.len();
                line += lines_in(&text[start..document.end]);
                at = document.end.max(start + 1);
                let (cut_at, noise, twice) = (document.cut_at, document.noise, document.twice);
                inside(document.root, &mut found);
                // Something else in braces.
                if found.len() > count {
                    about(cut_at, &noise, &twice, &mut remark);
                }
            }
            Err(broken) => {
                remark(line, "what begins here is not JSON and was left out".into());
                let next = text[broken..]
                    .find('\n')
                    .map_or(text.len(), |n| broken + n + 1);
                line += lines_in(&text[at..next]);
                at = next;
            }
        }
    }
    if before > 0 {
        let lines = plural(before as usize, "line");
        remark(1, format!("{lines} around the JSON: no JSON, and left out"));
    }
    found
}

/// Place in a line where an object begins: at its first character, or behind what somebody put before it.
fn begin(line: &str) -> Option<usize> {
    let begins = |at: &usize| {
        let behind = line[at + 1..].trim();
        behind.is_empty() || behind.starts_with(['"', '}'])
    };
    let first = line.len() - line.trim_start().len();
    if line[first..].starts_with('{') {
        return Some(first);
    }
    let found = line.match_indices('{').take(8).map(|(at, _)| at);
    found.into_iter().find(begins)
}

/// The documents of fio at or below a value.
fn inside(node: Node, found: &mut Vec<Node>) {
    let is_one = ["jobs", "client_stats"].iter().any(|key| {
        let jobs = node.get(key).map(Node::items).unwrap_or_default();
        let is_job = |job: &Node| job.get("jobname").is_some() || job.get("groupid").is_some();
        jobs.iter().any(is_job) || node.get("fio version").is_some() && node.get(key).is_some()
    });
    if is_one {
        if found.len() < MOST_INSIDE {
            found.push(node);
        }
        return;
    }
    if is_cut_out(&node) {
        if found.len() < MOST_INSIDE {
            found.push(document_of(node));
        }
        return;
    }
    match node.kind {
        NodeKind::Object(fields) => fields.into_iter().for_each(|(_, of)| inside(of, found)),
        NodeKind::Array(items) => items.into_iter().for_each(|of| inside(of, found)),
        // A document that was put into another one as text.
        NodeKind::Text(text) if text.contains("\"fio version\"") => {
            let begin = text.find('{');
            let document = begin.and_then(|start| json::object(&text, start, node.line).ok());
            document.into_iter().for_each(|of| inside(of.root, found));
        }
        _ => {}
    }
}

/// True where a value is a job that somebody cut out of its document.
fn is_cut_out(node: &Node) -> bool {
    let did = |side: &str| node.at(&[side, "total_ios"]).is_some();
    node.get("jobname").is_some() && ["read", "write", "mixed"].into_iter().any(did)
}

/// Key of the options of such a job, in the place of `job options`: those that all jobs have in common are missing among them.
pub const CUT_OUT: &str = "options of a job alone";

/// A document with such a job alone.
fn document_of(mut job: Node) -> Node {
    let line = job.line;
    if let NodeKind::Object(fields) = &mut job.kind {
        let options = fields.iter_mut().find(|(key, _)| key == "job options");
        options
            .into_iter()
            .for_each(|(key, _)| *key = CUT_OUT.into());
    }
    let object = |key: &str, kind| NodeKind::Object(vec![(key.to_string(), Node { line, kind })]);
    let kind = object("jobs", NodeKind::Array(vec![job]));
    Node { line, kind }
}

fn lines_in(text: &str) -> u32 {
    text.bytes().filter(|b| *b == b'\n').count() as u32
}

/// Remarks on how whole a document was.
fn about(
    cut_at: Option<u32>,
    noise: &[u32],
    twice: &[(String, u32)],
    remark: &mut impl FnMut(u32, String),
) {
    if let Some(line) = cut_at {
        remark(
            line,
            "the JSON ends here before its end: what was there is judged".into(),
        );
    }
    if let Some(line) = noise.first() {
        let count = plural(noise.len(), "line");
        remark(
            *line,
            format!("{count} inside of the JSON: no JSON, and left out"),
        );
    }
    // Percentiles that were not asked for are filled up by some versions.
    for (key, line) in twice.iter().filter(|(key, _)| key != "0.00") {
        remark(
            *line,
            format!("`{key}` is there twice: the last one counts"),
        );
    }
}
