//! Rules for targets.

use super::{Found, least_sector, sector};
use crate::{Bytes, Durability, Plan, Target};

/// Names, sizes and offsets.
pub(super) fn check_all(plan: &Plan, found: &mut Found) {
    if plan.targets.is_empty() {
        found.add("there is no target", "define at least one", None);
    }
    for (i, target) in plan.targets.iter().enumerate() {
        let name = &target.name;
        if plan.targets[..i].iter().any(|t| t.name == *name) {
            found.add(
                format!("two targets have the name `{name}`"),
                "give each a name of its own",
                target.origins.of("name").or(target.origins.of("path")),
            );
        }
        if target.size == Some(Bytes(0)) {
            found.add(
                format!("target `{name}` has a size of 0"),
                "give it a size, or leave the size out for all of it",
                target.origins.of("size"),
            );
        }
        if target.align == Some(Bytes(0)) {
            found.add(
                format!("target `{name}` aligns to 0"),
                "leave the alignment out",
                target.origins.of("align"),
            );
        }
        if target.durability == Durability::FsyncAtClose && target.location.tree().is_none() {
            found.add(
                format!("target `{name}` is no tree: nothing of it is closed before the end"),
                "write durability = \"fsync_at_end\"",
                target.origins.of("durability"),
            );
        }
        if matches!(
            target.durability,
            Durability::FsyncEvery(0) | Durability::FdatasyncEvery(0)
        ) {
            found.add(
                format!("target `{name}` flushes after every 0 writes"),
                "give a number of at least 1",
                target.origins.of("durability"),
            );
        }
        check_metrics(target, found);
        if let Some(size) = target.location.stated_size() {
            check_size(target, size, found);
        }
        if target.location.is_joined() && target.location.paths().is_empty() {
            found.add(
                format!("target `{name}` joins nothing"),
                "name its parts",
                target.origins.of("path"),
            );
        }
        check_stripe(target, found);
        check_sector(target, least_sector(target), found);
    }
}

/// Bytes of which a simulated array knows what they hold.
const LAB_CHUNK: u64 = 4096;

/// A stripe has several columns.
fn check_stripe(target: &Target, found: &mut Found) {
    let name = &target.name;
    let at = target.origins.of("stripe");
    if target.stripe == Some(Bytes(0)) {
        found.add(
            format!("target `{name}` has a stripe unit of 0"),
            "give the bytes that lie on one path, as stripe = \"1m\"",
            at,
        );
    }
    if target.stripe.is_some() && target.location.columns() < 2 {
        found.add(
            format!("target `{name}` is to be striped, and is not made of several paths"),
            "name several paths, or leave `stripe` out",
            at,
        );
    }
    let Some(lun) = target
        .location
        .lun()
        .filter(|_| target.location.columns() > 1)
    else {
        return;
    };
    let mut luns: Vec<u32> = lun.each().map(|one| one.lun).collect();
    luns.sort_unstable();
    if luns.windows(2).any(|two| two[0] == two[1]) {
        found.add(
            format!("target `{name}` has a LUN twice in its stripe"),
            "name each LUN once",
            target.origins.of("path"),
        );
    }
    if target
        .stripe
        .is_none_or(|unit| !unit.0.is_multiple_of(LAB_CHUNK))
    {
        found.add(
            format!("target `{name}` has several LUNs of a simulated array, and no stripe unit of whole blocks of 4 KiB"),
            "say which bytes lie on one LUN, as stripe = \"1m\"",
            at,
        );
    }
}

/// Who tells of a target's array.
fn check_metrics(target: &Target, found: &mut Found) {
    let name = &target.name;
    let simulated = target.location.is_simulated() || !target.location.is_storage();
    match (&target.metrics.url, &target.metrics.map) {
        (Some(_), _) if simulated => found.add(
            format!("target `{name}` has a metrics endpoint, and no array of its own that could have one"),
            "leave `metrics` out: a simulated array tells of itself without it",
            target.origins.of("metrics"),
        ),
        (None, Some(_)) => found.add(
            format!("target `{name}` says what its metrics are called, and not where they are"),
            "add metrics = \"http://HOST:PORT/metrics\"",
            target.origins.of("metrics_map"),
        ),
        _ => {}
    }
}

/// Size and offset in a target of `size` bytes.
pub(super) fn check_size(target: &Target, size: Bytes, found: &mut Found) {
    let name = &target.name;
    if target.offset >= size {
        found.add(
            format!(
                "target `{name}` starts at {} but has only {size}",
                target.offset
            ),
            "make the offset smaller",
            target.origins.of("offset").or(target.origins.of("path")),
        );
    } else if let Some(used) = target.size
        && used.0 > size.0 - target.offset.0
    {
        found.add(
            format!(
                "target `{name}` is to use {used} but has only {}",
                Bytes(size.0 - target.offset.0)
            ),
            "make its size smaller",
            target.origins.of("size"),
        );
    }
}

/// Offset and alignment against a sector.
pub(super) fn check_sector(target: &Target, bytes: u64, found: &mut Found) {
    let unit = sector(target, bytes);
    let fields = [
        ("offset", Some(target.offset)),
        ("align", target.align),
        ("stripe", target.stripe),
    ];
    for (field, value) in fields {
        if let Some(value) = value
            && !value.0.is_multiple_of(unit)
        {
            found.add(
                format!(
                    "the {field} of target `{}`, {value}, is not a multiple of {unit} bytes",
                    target.name
                ),
                format!("make it a multiple of {unit}, or go through the page cache (buffered)"),
                target.origins.of(field),
            );
        }
    }
}
