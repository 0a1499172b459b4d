//! Caches that may have answered in the target's place.

use super::{About, Answer, Check, Hit, answer, doubt};
use crate::model::{Caching, ForeignResult, Run};
use plimsoll_evidence::{Quantity, Severity};
use plimsoll_plan::{Bytes, Durability};

const PAGE_CACHE: About = About {
    id: "through-page-cache",
    threshold: "any I/O through the host's page cache",
    source: "direct=0 is fio's default, a file without o_direct Vdbench's, no -S DiskSPD's",
    remedy: "Use direct=1, openflags=o_direct, -Sh or --direct. If the cache is meant, say so beside the result, and give the host's \
             memory.",
};

const ABOVE: About = About {
    id: "answered-above-disk",
    threshold: "fewer than half as many reads at the host's disks as were made around the page cache, of 1,000 or more",
    source: "by definition: a direct read that no cache answers reaches a disk once or more often, in disk_util with those that were merged",
    remedy: "Find what answered: a file system with a cache of its own (ZFS), a disk's cache in the host, holes of a file that was never \
             written. Read more than that holds.",
};

const SMALL: About = About {
    id: "small-target",
    threshold: "addresses from less than 4 GiB",
    source: "our choice: a drive's or a controller's cache has 1 to 8 GiB, an array's far more",
    remedy: "Use at least twice the largest cache on the way, or show the rate over the size of the target.",
};

const HITS: About = About {
    id: "hit-area",
    threshold: "at least 10 % of reads or writes to a hit area below 1 GiB",
    source: "a published test with rhpct=75 gave 78 % of an array's front end to one of its 8 cores",
    remedy: "Leave rhpct= and whpct= out, or give a hitarea= of a multiple of the array's slices times its cores. `plimsoll run \
             --hits` scatters its hits.",
};

/// Caches.
pub const CHECK: Check = Check {
    name: "caches",
    rules: &[PAGE_CACHE, ABOVE, SMALL, HITS],
    look,
};

fn look(result: &ForeignResult) -> Answer {
    let (mut seen, mut buffered, mut small, mut hits) = (0, Vec::new(), Vec::new(), Vec::new());
    let mut above = Vec::new();
    for run in result
        .runs
        .iter()
        .filter(|r| r.asked.engine.as_deref() != Some("null"))
    {
        let asked = &run.asked;
        seen += usize::from(asked.cache.is_some() || asked.hits.is_some());
        let size = asked.target_size.filter(|s| s.0 > 0);
        match asked.cache {
            Some(Caching::Buffered) if is_durable(run) => {}
            Some(Caching::Buffered) => buffered.push(through(run, size)),
            Some(Caching::Direct) => {
                if let Some(Bytes(size)) = size.filter(|s| s.0 < 4 << 30) {
                    small.push(Hit::new(
                        run,
                        run.at,
                        -(size as f64),
                        [("size", Quantity::Bytes(size))],
                    ));
                }
            }
            None => {}
        }
        hits.extend(area(run));
        above.extend(answered_above(run));
    }
    answer(
        seen,
        "whether the page cache was used",
        [
            doubt(&PAGE_CACHE, Severity::Suspect, buffered),
            doubt(&ABOVE, Severity::Suspect, above),
            doubt(&HITS, Severity::Suspect, hits),
            doubt(&SMALL, Severity::Note, small),
        ],
    )
}

/// Whether it only wrote, and each write, or each few, was durable before the next.
fn is_durable(run: &Run) -> bool {
    let syncs = matches!(
        run.asked.durability,
        Some(
            Durability::Sync
                | Durability::Dsync
                | Durability::FsyncEvery(_)
                | Durability::FdatasyncEvery(_)
        )
    );
    syncs && run.writes() && !run.reads()
}

fn through(run: &Run, size: Option<Bytes>) -> Hit<'_> {
    let does = match (run.reads(), run.writes()) {
        (true, true) => "both",
        (false, true) => "writes",
        _ => "reads",
    };
    // What no host's memory would hold needs no word.
    let size = size
        .filter(|s| s.0 < 1 << 40)
        .map(|s| ("size", Quantity::Bytes(s.0)));
    let values = std::iter::once(("does", Quantity::Text(does.into()))).chain(size);
    Hit::new(run, run.at, 1.0, values)
}

fn answered_above(run: &Run) -> Option<Hit<'_>> {
    let row = run.whole()?;
    let (made, reached) = row.reached.filter(|(made, _)| *made >= 1000)?;
    let share = reached as f64 / made as f64;
    (share < 0.5).then(|| {
        let values = [
            ("reads", Quantity::Count(made)),
            ("reached", Quantity::Count(reached)),
        ];
        Hit::new(run, row.at, 1.0 - share, values)
    })
}

fn area(run: &Run) -> Option<Hit<'_>> {
    let hits = run.asked.hits.filter(|h| h.area.0 < 1 << 30)?;
    let reads = run.asked.read_share.unwrap_or(0.5);
    let share = reads * hits.reads + (1.0 - reads) * hits.writes;
    (share >= 0.1).then(|| {
        Hit::new(
            run,
            run.at,
            share,
            [
                ("share", Quantity::Share(share)),
                ("area", Quantity::Bytes(hits.area.0)),
                ("hottest", Quantity::Share(share + (1.0 - share) / 8.0)),
            ],
        )
    })
}
