//! Disks of the host in fio's result (`disk_util`).

use crate::json::Node;
use crate::model::{Caching, Pair, Run};

/// True where all disks of a document are the host's own memory, by their names.
pub fn is_memory(root: &Node) -> bool {
    let disks = root.get("disk_util").map(Node::items).unwrap_or_default();
    let is_memory = |disk: &Node| {
        let name = disk.get("name").and_then(Node::text).unwrap_or_default();
        ["pmem", "dax", "ram"].iter().any(|of| name.starts_with(of))
    };
    !disks.is_empty() && disks.iter().all(is_memory)
}

/// Says in each run's row what no disk can be, and how many reads the disks saw of those that all runs made around the page cache. Where they are on several
/// targets, of which one may have no disk that fio knows, nothing is said.
pub fn tell(root: &Node, runs: &mut [Run]) {
    let disks = root.get("disk_util").map(Node::items).unwrap_or_default();
    let busy = disks.iter().filter_map(|disk| {
        let util = disk.get("util").and_then(Node::number)?;
        let name = disk.get("name").and_then(Node::text).unwrap_or("a disk");
        Some(Pair::at_most(
            format!("util of {name}"),
            util,
            "all of the time, %",
            100.0,
            1.0,
        ))
    });
    if let Some(row) = runs.last_mut().and_then(|run| run.rows.last_mut()) {
        row.pairs.extend(busy);
    }
    let seen = |disk: &Node| {
        let count = |key: &str| disk.get(key).and_then(Node::number);
        // Of a device on others fio counts those by themselves.
        let below =
            count("aggr_read_ios").unwrap_or(0.0) + count("aggr_read_merges").unwrap_or(0.0);
        Some(below.max(count("read_ios")? + count("read_merges").unwrap_or(0.0)))
    };
    let seen: Option<Vec<f64>> = disks.iter().map(seen).collect();
    // Some drivers count nothing at all.
    let Some(seen) = seen.filter(|s| s.iter().sum::<f64>() > 0.0) else {
        return;
    };
    let [first, rest @ ..] = &*runs else { return };
    let one =
        first.asked.places.len() == 1 && rest.iter().all(|r| r.asked.places == first.asked.places);
    // Commands that are passed through are counted by nobody.
    let by_block =
        |run: &Run| run.asked.cache == Some(Caching::Direct) && run.asked.synchronous.is_some();
    if !one || !runs.iter().all(by_block) {
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
