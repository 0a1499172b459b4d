//! Nodes in the layout of fio's JSON, made of what its other outputs say.

use crate::json::{Node, NodeKind};

/// An object that is being filled.
#[derive(Debug, Default)]
pub struct Filling(Vec<(String, Node)>);

impl Filling {
    /// Puts a value under a key; what the key had before is gone.
    pub fn put(&mut self, key: &str, line: u32, kind: NodeKind) {
        self.0.retain(|(k, _)| k != key);
        self.0.push((key.to_string(), Node { line, kind }));
    }

    /// Puts a figure, where it could be read.
    pub fn number(&mut self, key: &str, line: u32, value: Option<f64>) {
        if let Some(value) = value {
            self.put(key, line, NodeKind::Number(value));
        }
    }

    /// Puts a text.
    pub fn text(&mut self, key: &str, line: u32, value: &str) {
        self.put(key, line, NodeKind::Text(value.to_string()));
    }

    /// Puts what another one has, unless that is nothing.
    pub fn object(&mut self, key: &str, line: u32, of: Filling) {
        if !of.is_empty() {
            self.put(key, line, of.kind());
        }
    }

    /// True where nothing is in it.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// True where a key is there.
    pub fn has(&self, key: &str) -> bool {
        self.0.iter().any(|(k, _)| k == key)
    }

    /// The figure under a key.
    pub fn get(&self, key: &str) -> Option<f64> {
        let found = self.0.iter().find(|(k, _)| k == key);
        found.and_then(|(_, node)| node.number())
    }

    /// All figures.
    pub fn figures(&self) -> impl Iterator<Item = f64> {
        self.0.iter().filter_map(|(_, node)| node.number())
    }

    /// All of it.
    pub fn kind(self) -> NodeKind {
        NodeKind::Object(self.0)
    }
}

/// Key of what a times' digits were rounded to, ns; no fio writes it.
pub const ROUNDED: &str = "rounded_to_ns";

/// Key of what a direction's bytes were rounded to; no fio writes it.
pub const ROUNDED_BYTES: &str = "rounded_to_bytes";

/// Keys of what the line of a group says of a direction's bandwidth and of its time, where one job is all of the group; no fio writes them.
pub const GROUP_BANDWIDTH: &str = "group.bw";
pub const GROUP_RUNTIME: &str = "group.runtime";

/// Key of what fio says of a steady state.
pub const STEADY: &str = "steadystate";
/// Key of a direction's rate with the carry that its text may have lost; no fio writes it.
pub const CARRIED: &str = "iops_carried";

/// Buckets of times in the order of fio's output: `key`, unit in ns, bounds.
pub const BUCKETS: [(&str, f64, &[&str]); 3] = [
    ("latency_ns", 1.0, &SHORT),
    ("latency_us", 1e3, &SHORT),
    ("latency_ms", 1e6, &LONG),
];

const SHORT: [&str; 10] = [
    "2", "4", "10", "20", "50", "100", "250", "500", "750", "1000",
];
const LONG: [&str; 12] = [
    "2", "4", "10", "20", "50", "100", "250", "500", "750", "1000", "2000", ">=2000",
];

/// Levels of depths, in the order of fio's output.
pub const DEPTHS: [&str; 7] = ["1", "2", "4", "8", "16", "32", ">=64"];
