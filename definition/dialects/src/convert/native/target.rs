//! A target's keys.

use super::Line;
use crate::convert::toml::{list, size, table, text, time, whole};
use plimsoll_plan::{Caching, Durability, Location, NbdTarget, Target};
use std::path::Path;

/// What differs from the defaults.
pub(super) fn lines(target: &Target) -> Vec<Line> {
    let Target {
        name: _,
        location,
        size: used,
        offset,
        align,
        caching,
        durability,
        metrics,
        shared,
        // Nothing, or it would have been refused.
        split: _,
        hosts: _,
        origins: _,
    } = target;
    let mut lines = located(location);
    if let Some(used) = used {
        lines.push(("size", size(*used)));
    }
    if offset.0 > 0 {
        lines.push(("offset", size(*offset)));
    }
    if let Some(align) = align {
        lines.push(("align", size(*align)));
    }
    if *caching == Caching::Buffered {
        lines.push(("caching", text("buffered")));
    }
    if *shared {
        lines.push(("shared", "true".to_string()));
    }
    let durability = match durability {
        Durability::None => None,
        Durability::Dsync => Some(text("dsync")),
        Durability::Sync => Some(text("sync")),
        Durability::FsyncAtEnd => Some(text("fsync_at_end")),
        Durability::FsyncEvery(n) => Some(table([("fsync_every", whole(u64::from(*n)))])),
    };
    lines.extend(durability.map(|d| ("durability", d)));
    if let Some(url) = &metrics.url {
        lines.push(("metrics", text(&url.to_string())));
    }
    if let Some(map) = &metrics.map {
        lines.push(("metrics_map", path(map)));
    }
    lines
}

fn located(location: &Location) -> Vec<Line> {
    match location {
        Location::Path(one) => vec![("path", path(one))],
        Location::Concat(paths) => vec![("path", list(paths.iter().map(|p| path(p))))],
        Location::Null(_) | Location::Lab(_) => vec![("path", text(&location.text()))],
        Location::Nbd(nbd) => ways(nbd),
    }
}

/// A path; one that looks like another kind of target is written so that it does not.
fn path(path: &Path) -> String {
    let word = path.display().to_string();
    match Location::parse(&word) {
        Ok(Location::Path(_)) => text(&word),
        _ => text(&format!("./{word}")),
    }
}

fn ways(nbd: &NbdTarget) -> Vec<Line> {
    let uris = nbd.paths.iter().map(|uri| text(&uri.to_string()));
    let key = match nbd.paths.len() {
        1 => "path",
        _ => "paths",
    };
    let mut lines = vec![(key, list(uris))];
    let Ok(plain) = NbdTarget::new(nbd.paths.clone()) else {
        return lines;
    };
    if nbd.selector != plain.selector {
        lines.push(("selector", text(&nbd.selector.to_string())));
    }
    if let Some(deadline) = nbd.path_deadline {
        lines.push(("path_deadline", time(deadline)));
    }
    if nbd.no_path_retry != plain.no_path_retry {
        lines.push(("no_path_retry", time(nbd.no_path_retry)));
    }
    lines
}
