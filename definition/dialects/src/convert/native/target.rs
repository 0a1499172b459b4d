//! A target's keys.

use super::shape::block;
use super::{Line, plain};
use crate::convert::toml::{key, list, size, table, text, time, whole};
use plimsoll_plan::{
    Caching, Durability, FileSizes, Host, HostId, Location, NbdTarget, Plan, Shell, SizeSpec,
    Target, Tree,
};
use std::path::Path;

/// What differs from the defaults.
pub(super) fn lines(target: &Target, plan: &Plan) -> Vec<Line> {
    let Target {
        name: _,
        location,
        size: used,
        offset,
        align,
        stripe,
        as_made,
        caching,
        durability,
        more_openings: _,
        metrics,
        shared,
        split,
        hosts,
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
    if let Some(stripe) = stripe {
        lines.push(("stripe", size(*stripe)));
    }
    if *as_made {
        lines.push(("made", text("zeros")));
    }
    if *caching == Caching::Buffered {
        lines.push(("caching", cached(*caching)));
    }
    match (shared, split) {
        (_, true) => lines.push(("shared", text("split"))),
        (true, false) => lines.push(("shared", "true".to_string())),
        (false, false) => {}
    }
    if !hosts.is_empty() {
        lines.push(("hosts", list(named(plan, hosts))));
    }
    if *durability != Durability::None {
        lines.push(("durability", durable(*durability)));
    }
    if let Some(url) = &metrics.url {
        lines.push(("metrics", text(&url.to_string())));
    }
    if let Some(map) = &metrics.map {
        lines.push(("metrics_map", path(map)));
    }
    lines
}

/// Through the page cache or around it.
pub(super) fn cached(caching: Caching) -> String {
    match caching {
        Caching::Buffered => text("buffered"),
        Caching::Direct => text("direct"),
    }
}

/// When a write counts as done.
pub(super) fn durable(durability: Durability) -> String {
    match durability {
        Durability::None => text("none"),
        Durability::Dsync => text("dsync"),
        Durability::Sync => text("sync"),
        Durability::FsyncAtEnd => text("fsync_at_end"),
        Durability::FsyncAtClose => text("fsync_at_close"),
        Durability::FsyncEvery(n) => table([("fsync_every", whole(u64::from(n)))]),
        Durability::FdatasyncEvery(n) => table([("fdatasync_every", whole(u64::from(n)))]),
    }
}

/// The names of hosts.
pub(super) fn named(plan: &Plan, hosts: &[HostId]) -> Vec<String> {
    let name = |id: &HostId| Some(text(&plan.hosts.list.get(id.0 as usize)?.name));
    hosts.iter().filter_map(name).collect()
}

/// What differs from the defaults of a host.
pub(super) fn of_host(host: &Host, plan: &Plan) -> Vec<Line> {
    let Host {
        name,
        address,
        user,
        shell,
        share,
        paths,
        origins: _,
    } = host;
    let mut lines: Vec<Line> = Vec::new();
    if address != name {
        lines.push(("address", text(address)));
    }
    lines.extend(user.iter().map(|user| ("user", text(user))));
    match shell {
        Shell::Ssh => {}
        Shell::Agent => lines.push(("shell", text("agent"))),
        Shell::Rsh => lines.push(("shell", text("rsh"))),
    }
    if *share != 1.0 {
        lines.push(("share", plain(*share)));
    }
    if !paths.is_empty() {
        let own = paths.iter().map(|(id, location)| {
            let name = key(&plan.target(*id).name);
            let place = match location {
                Location::Path(one) => path(one),
                other => text(&other.text()),
            };
            format!("{name} = {place}")
        });
        let own: Vec<String> = own.collect();
        lines.push(("paths", format!("{{ {} }}", own.join(", "))));
    }
    lines
}

fn located(location: &Location) -> Vec<Line> {
    match location {
        Location::Path(one) => vec![("path", path(one))],
        Location::Concat(paths) => vec![("path", list(paths.iter().map(|p| path(p))))],
        Location::Lab(lun) if location.columns() > 1 => {
            vec![("path", list(lun.each().map(|one| text(&one.to_string()))))]
        }
        Location::Null(_) | Location::Lab(_) => vec![("path", text(&location.text()))],
        Location::Nbd(nbd) => ways(nbd),
        Location::Tree(tree) => of_tree(tree),
    }
}

fn of_tree(tree: &Tree) -> Vec<Line> {
    let Tree {
        root,
        depth,
        width,
        files,
        on_all_levels,
        sizes,
        part,
        names,
    } = tree;
    let mut own = vec![("root", text(&root.display().to_string()))];
    own.extend(
        names
            .as_ref()
            .map(|names| ("names", text(&names.to_string()))),
    );
    let numbers = [
        ("depth", u64::from(*depth)),
        ("width", u64::from(*width)),
        ("files", *files),
    ];
    // Numbered names have one number, and a tree of Vdbench's none that is 0.
    let said = numbers
        .into_iter()
        .filter(|(key, number)| *number > 0 && (names.is_none() || *key != "depth"));
    own.extend(said.map(|(key, number)| (key, whole(number))));
    if *on_all_levels {
        own.push(("levels", text("all")));
    }
    own.extend(part.total.map(|bytes| ("total", size(bytes))));
    own.extend(part.working_set.map(|bytes| ("working_set", size(bytes))));
    own.extend(
        part.present
            .map(|percent| ("present", whole(percent.into()))),
    );
    let sizes = match sizes {
        FileSizes::Fixed(bytes) => size(*bytes),
        FileSizes::Around(bytes) => table([("around", size(*bytes))]),
        FileSizes::Weighted(list) => block(&SizeSpec::Weighted(list.clone())),
        FileSizes::Range { min, max, align } => block(&SizeSpec::range(*min, *max, *align)),
    };
    vec![("tree", table(own)), ("file_size", sizes)]
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
