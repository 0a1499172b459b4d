//! What fio's result says of the host's disks (`disk_util`).

use crate::json::Node;
use crate::model::{Caching, Run};

/// Says in each run's row how many reads the disks saw of those that all runs made around the page cache. Where they are on several
/// targets, of which one may have no disk that fio knows, nothing is said.
pub fn tell(root: &Node, runs: &mut [Run]) {
    let disks = root.get("disk_util").map(Node::items).unwrap_or_default();
    let seen = |disk: &Node| {
        let count = |key: &str| disk.get(key).and_then(Node::number);
        // Of a device on others fio counts those by themselves.
        let below =
            count("aggr_read_ios").unwrap_or(0.0) + count("aggr_read_merges").unwrap_or(0.0);
        Some(below.max(count("read_ios")? + count("read_merges").unwrap_or(0.0)))
    };
    let seen: Option<Vec<f64>> = disks.iter().map(seen).collect();
    let Some(seen) = seen.filter(|s| !s.is_empty()) else {
        return;
    };
    let [first, rest @ ..] = &*runs else { return };
    let one =
        first.asked.places.len() == 1 && rest.iter().all(|r| r.asked.places == first.asked.places);
    if !one || runs.iter().any(|r| r.asked.cache != Some(Caching::Direct)) {
        return;
    }
    let reads = |run: &Run| run.whole()?.reads.ios;
    let made: u64 = runs.iter().filter_map(reads).sum();
    let reached = seen.iter().sum::<f64>() as u64;
    for run in runs.iter_mut() {
        if let Some(row) = run.rows.last_mut() {
            row.reached = Some((made, reached));
        }
    }
}
