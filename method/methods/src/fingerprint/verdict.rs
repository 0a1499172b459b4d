//! What was found, as figures: each a number with how sure it is, or none with the reason.

use super::content::{DataKind, Treatment};
use super::ratio::Ratio;
use super::{Found, Known, enough, follows, pictures};
use plimsoll_evidence::{Figure, MethodVerdict, Quantity};
use plimsoll_plan::{Bytes, Step};

/// The fingerprint as far as it got; `cut`: why there is no more.
pub(crate) fn verdict(template: &Step, found: &Found, cut: Option<&str>) -> MethodVerdict {
    let missing = match cut {
        Some(why) => format!("{why} it was looked for"),
        None => "it was not looked for".to_string(),
    };
    let (class, sentence) = answer(found, cut);
    let mut figures = of_owners(found, &missing);
    figures.extend(of_reads(found, &missing));
    figures.extend(of_writes(found, &missing));
    figures.extend(of_paths(found, &missing));
    figures.extend(follows::figures(found));
    MethodVerdict {
        method: "fingerprint".into(),
        run: template.run.clone(),
        class: class.into(),
        decided: cut.is_none(),
        sentence,
        figures,
        tables: pictures::tables(found),
        charts: pictures::charts(found),
        findings: Vec::new(),
    }
}

fn answer(found: &Found, cut: Option<&str>) -> (&'static str, String) {
    let depth = match found.depths.is_empty() {
        true => String::new(),
        false => format!(
            " {} in flight carry nearly the most.",
            enough(&found.depths)
        ),
    } + &faster(found);
    match (&found.dealing, &found.owners, cut) {
        (Some(Ok(d)), Some(Ok(owners)), _) => (
            "dealt",
            format!(
                "Slices of {} are dealt to {owners} owners in turn.{depth}",
                Bytes(d.slice),
            ),
        ),
        (Some(Ok(d)), ..) => (
            "sliced",
            format!(
                "Slices of {} have owners; how many there are could not be told.{depth}",
                Bytes(d.slice),
            ),
        ),
        (None, _, Some(_)) => (
            "cut-short",
            "It was cut off before anything was known.".into(),
        ),
        _ => (
            "not-identifiable",
            format!("Slices that have owners could not be told.{depth}"),
        ),
    }
}

/// Sentence that says which kinds of data are written faster than others.
fn faster(found: &Found) -> String {
    let Some(Ok(treatments)) = &found.treatments else {
        return String::new();
    };
    let kinds = DataKind::ALL.iter().zip(treatments);
    let faster = kinds.filter(|(_, t)| t.written.clear && t.written.ratio > 1.0);
    let each: Vec<String> = faster
        .map(|(kind, t)| format!("{} {:.2} times", kind.name(), t.written.ratio))
        .collect();
    match each.is_empty() {
        true => String::new(),
        false => format!(" Written faster than other data: {}.", each.join(", ")),
    }
}

fn of_owners(found: &Found, missing: &str) -> Vec<Figure> {
    let dealing = found.dealing.clone().unwrap_or(Err(missing.into()));
    let owners = found.owners.clone().unwrap_or(Err(missing.into()));
    let share = found.share.clone().unwrap_or(Err(missing.into()));
    let sure = "sure: repeated until an error of 1 in 10,000, and confirmed with places picked by chance all over the target";
    vec![
        known(
            ("slice_bytes", "slice of one owner"),
            dealing.clone(),
            |d| figure(Quantity::Bytes(d.slice)).remarked(sure),
        ),
        known(("owners", "owners"), owners, |n| {
            figure(Quantity::Count(n)).remarked(sure)
        }),
        known(
            (
                "first_slice_bytes",
                "rest of the slice in which the target begins",
            ),
            dealing,
            |d| figure(Quantity::Bytes(d.first_end)),
        ),
        known(
            ("owner_share", "share of an I/O's work that is the owner's"),
            share,
            |s| figure(Quantity::Share(s.share)).within(s.low, s.high),
        ),
    ]
}

fn of_reads(found: &Found, missing: &str) -> Vec<Figure> {
    let get = |what: &Option<Known<Ratio>>| what.clone().unwrap_or(Err(missing.into()));
    let alignment = found.alignment.clone().unwrap_or(Err(missing.into()));
    let cache = found.cache.clone().unwrap_or(Err(missing.into()));
    let policy = found.policy.clone().unwrap_or(Err(missing.into()));
    let line = policy.clone().and_then(|p| p.line);
    let oldest = policy.and_then(|p| p.oldest);
    vec![
        known(
            ("alignment_bytes", "unit of best alignment"),
            alignment,
            |(unit, ratio)| {
                figure(Quantity::Bytes(unit)).remarked(format!(
                "reads at its multiples are {:.2} ({:.2} to {:.2}) times as fast as where every other one is half between",
                ratio.ratio, ratio.low, ratio.high
            ))
            },
        ),
        known(
            (
                "read_ahead",
                "reads in order, times as fast as those close by in any order",
            ),
            get(&found.read_ahead),
            |r| {
                figure(Quantity::Number(r.ratio))
                    .within(r.low, r.high)
                    .remarked("the order matters, and not only that reads are near each other")
            },
        ),
        known(("cache_bytes", "read cache"), cache, |c| {
            figure(Quantity::Bytes(c.bytes)).within(c.low as f64, c.high as f64)
        }),
        known(("cache_line_bytes", "line of the read cache"), line, |l| {
            figure(Quantity::Bytes(l))
        }),
        known(
            ("cache_policy", "policy of the read cache"),
            oldest,
            |(share, error)| {
                figure(Quantity::Text("oldest-goes".into())).remarked(format!(
                    "of a loop over 1.6 times what fits {:.0} % (+-{:.0} %) are found: so what came or was read first makes room, as with LRU or FIFO",
                    share * 100.0,
                    error * 196.0,
                ))
            },
        ),
    ]
}

/// Figures that compare the paths.
fn of_paths(found: &Found, missing: &str) -> [Figure; 2] {
    of_ways(found, missing).map(|mut figure| {
        for down in &found.down {
            let remark = figure.remark.take().unwrap_or_default();
            figure.remark = Some(format!("{remark}; path {}: down ({})", down.path, down.why));
        }
        figure
    })
}

fn of_ways(found: &Found, missing: &str) -> [Figure; 2] {
    let paths = found.paths.clone().unwrap_or(Err(missing.into()));
    let sure = paths.and_then(|p| match p.differ() {
        Some(differ) => Ok((p, differ)),
        None => Err(format!(
            "the slowest of {} paths takes {:.2} to {:.2} times as long as the fastest: neither alike nor clearly different",
            p.each.len(),
            p.time.low,
            p.time.high
        )),
    });
    let of = |ratio: Ratio| figure(Quantity::Number(ratio.ratio)).within(ratio.low, ratio.high);
    [
        known(
            (
                "path_asymmetry",
                "paths: the slowest's time for a read, times the fastest's",
            ),
            sure.clone(),
            |(p, differ)| {
                let good: Vec<String> = p.good.iter().map(usize::to_string).collect();
                of(p.time).remarked(match differ {
                    true => format!(
                        "of paths 0 to {} the better ones are {}",
                        p.each.len() + found.down.len() - 1,
                        good.join(", ")
                    ),
                    false => format!("all {} are alike, within 10 %", p.each.len()),
                })
            },
        ),
        known(
            (
                "path_rate_asymmetry",
                "paths: reads a second by the best, times those by the worst",
            ),
            sure,
            |(p, _)| of(p.rate),
        ),
    ]
}

fn of_writes(found: &Found, missing: &str) -> Vec<Figure> {
    let treatments = found.treatments.clone().unwrap_or(Err(missing.into()));
    let mut figures = Vec::new();
    for (at, kind) in DataKind::ALL.iter().enumerate() {
        let one = treatments.clone().map(|all| all[at]);
        figures.extend(of_kind(kind.name(), one));
    }
    let journal = found.journal.clone().unwrap_or(Err(missing.into()));
    let write_back = journal.clone().map(|_| ());
    figures.push(known(
        ("journal_bytes", "room for a burst of writes"),
        journal,
        |j| figure(Quantity::Bytes(j.bytes)).within(j.low as f64, j.high as f64),
    ));
    figures.push(known(
        ("write_policy", "when a write is answered"),
        write_back,
        |()| {
            figure(Quantity::Text("write-back".into())).remarked(
                "a burst is answered faster than it is worked off, until its room is full",
            )
        },
    ));
    figures.push(known(
        ("cache_writes", "whether writes fill the read cache"),
        found.fills.clone().unwrap_or(Err(missing.into())),
        |fills| match fills {
            true => figure(Quantity::Text("filled".into()))
                .remarked("what was just written is read as fast as what was just read; a large write buffer looks the same"),
            false => figure(Quantity::Text("not-filled".into()))
                .remarked("what was just written is read as slowly as what never was"),
        },
    ));
    figures
}

/// Figures on whether a kind of data is treated differently, and from which transfer on.
fn of_kind(name: &str, found: Known<Treatment>) -> [Figure; 2] {
    let differs = found.clone().and_then(|t| match t.differs() {
        true => Ok(t),
        false => Err(format!(
            "writes of it are {:.2} to {:.2} times as fast as of other data, reads {:.2} to {:.2} times: no difference is seen",
            t.written.low, t.written.high, t.read.low, t.read.high
        )),
    });
    let grain = found.and_then(|t| {
        t.grain
            .ok_or("its writes are not seen to differ, or not from which size on".to_string())
    });
    [
        known(
            (
                name,
                &format!("{name}: writes, times as fast as of other data"),
            ),
            differs,
            |t| {
                let how = match (t.written.clear, t.read.clear) {
                    (true, true) => "written and read differently",
                    (true, false) => "written differently",
                    _ => "read differently",
                };
                figure(Quantity::Number(t.written.ratio))
                    .within(t.written.low, t.written.high)
                    .remarked(format!("{how}; reads {:.2} times as fast", t.read.ratio))
            },
        ),
        known(
            (&format!("{name}_grain_bytes"), &format!("{name}: grain")),
            grain,
            |g| {
                figure(Quantity::Bytes(g)).remarked(
                    "the smallest aligned write of those tried (4 to 32 KiB) that differs",
                )
            },
        ),
    ]
}

/// A figure that [`known`] gives its name.
fn figure(quantity: Quantity) -> Figure {
    Figure::new("", "", quantity)
}

fn known<T>((name, label): (&str, &str), found: Known<T>, of: impl FnOnce(T) -> Figure) -> Figure {
    match found {
        Ok(found) => Figure {
            name: name.into(),
            label: label.into(),
            ..of(found)
        },
        Err(why) => Figure::unknown(name, label, not_identifiable(&why)),
    }
}

fn not_identifiable(why: &str) -> String {
    format!("not identifiable: {why}")
}
