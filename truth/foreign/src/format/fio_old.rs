//! JSON of fio before 3.0, whose times are in us and whose amounts are in KiB, in today's layout.

use super::fio_node::ROUNDED;
use crate::json::{Node, NodeKind};

const KIB: f64 = 1024.0;
const US: f64 = 1000.0;
/// Keys of times and today's.
const TIMES: [(&str, &str); 3] = [("slat", "slat_ns"), ("clat", "clat_ns"), ("lat", "lat_ns")];

/// Makes today's document of an old one. What is of today stays as it is.
pub fn modernise(root: &mut Node) {
    for list in ["jobs", "client_stats"] {
        let Some(NodeKind::Array(jobs)) = root.value_mut(list) else {
            continue;
        };
        for job in jobs {
            for side in ["read", "write", "trim", "mixed"] {
                if let Some(NodeKind::Object(fields)) = job.value_mut(side) {
                    side_of_today(fields);
                }
            }
        }
    }
}

fn side_of_today(fields: &mut Vec<(String, Node)>) {
    let number = |fields: &[(String, Node)], key: &str| {
        let found = fields.iter().rev().find(|(k, _)| k == key);
        found.and_then(|(_, node)| node.number())
    };
    let is_old = TIMES
        .iter()
        .any(|(old, _)| fields.iter().any(|(k, _)| k == old));
    if !is_old {
        return;
    }
    for (key, node) in fields.iter_mut() {
        if let Some((_, today)) = TIMES.iter().find(|(old, _)| old == key) {
            *key = (*today).to_string();
            times(node);
        }
    }
    if number(fields, "bw_bytes").is_some() {
        return;
    }
    let (bw, bytes) = (number(fields, "bw"), number(fields, "io_bytes"));
    let runtime = number(fields, "runtime").filter(|ms| *ms > 0.0);
    // Some versions between have bytes already: a bandwidth that comes out 1024 times too high tells.
    let in_bytes = matches!(
        (bw, bytes, runtime),
        (Some(bw), Some(bytes), Some(ms)) if bytes * 1e3 / ms > 100.0 * bw.max(1.0)
    );
    for (key, node) in fields.iter_mut() {
        if key == "io_bytes"
            && !in_bytes
            && let NodeKind::Number(kib) = &mut node.kind
        {
            *kib *= KIB;
        }
    }
    let reported = fields.iter().find(|(k, _)| k == "bw");
    if let Some((line, bw)) = reported.and_then(|(_, n)| Some((n.line, n.number()?))) {
        let kind = NodeKind::Number(bw * KIB);
        fields.push(("bw_bytes".into(), Node { line, kind }));
    }
}

/// Times in us become times in ns, of which the last three digits are not known.
fn times(of: &mut Node) {
    let line = of.line;
    let NodeKind::Object(fields) = &mut of.kind else {
        return;
    };
    for (key, node) in fields.iter_mut() {
        match &mut node.kind {
            NodeKind::Number(us) if key != "N" => *us *= US,
            NodeKind::Object(percentiles) => {
                for (_, value) in percentiles {
                    if let NodeKind::Number(us) = &mut value.kind {
                        *us *= US;
                    }
                }
            }
            _ => {}
        }
    }
    let kind = NodeKind::Number(US);
    fields.push((ROUNDED.into(), Node { line, kind }));
}
