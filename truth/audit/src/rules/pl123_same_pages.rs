//! A zram device keeps pages of one repeated word without storing them.

use crate::others;
use crate::{Answer, Check, INVALID, NOTE, Page, Rule, RunView, Seen, Severities};
use plimsoll_evidence::witnessed::ZramUse;
use plimsoll_evidence::{Quantity, Severity, Witnessed};
use plimsoll_printable::human;

pub const RULE: Rule = Rule {
    number: 123,
    name: "same-pages",
    summary: "A zram device keeps pages of one repeated word without storing them.",
    severity: Severities::of([NOTE, INVALID, INVALID, INVALID, NOTE]),
    pitfalls: &[5],
    page: Page {
        why: "zram looks at each page first: one that holds the same word over and over is noted and not compressed, not \
            stored, and not read back. It costs a few hundred nanoseconds, as the zeros do that an array detects: the front \
            end counts the write, and behind it there is none.",
        threshold: "More than 5 % of what the device holds are such pages, in a step that uses it; suspect at most up to half.",
        source: "mm_stat of the zram: same_pages against orig_data_size, in pages of 4 KiB. The published case of an array: \
            30,000 writes/s at the front end and 12,000 at the disks, explained by zeros.",
        example: "Writes of zeros to a zram: same_pages grows with each of them, compr_data_size stays.",
        remedy: "Write content that does not repeat (content = \"unique\"), or say that zeros were measured.",
    },
    check: Check::Run(check),
};

fn check(view: &RunView<'_>) -> Answer {
    let layers = view.environment.targets.iter().flat_map(|t| &t.stack);
    if view.is_real() && !layers.into_iter().any(|l| l.kind == "zram") {
        return Answer::NotApplicable;
    }
    let zrams = |seen: &Witnessed| others::some(&seen.zrams).map(<[ZramUse]>::to_vec);
    others::ask(
        view,
        "what the zram devices hold",
        zrams,
        |_, seen, zrams| zrams.iter().filter_map(|z| repeated(z, seen)).collect(),
    )
}

fn repeated(zram: &ZramUse, seen: &Witnessed) -> Option<Seen> {
    let share = others::share((zram.same_pages.1 * PAGE) as f64, zram.data_bytes.1 as f64).min(1.0);
    if share <= SOME {
        return None;
    }
    let stored = zram.data_bytes.1.saturating_sub(zram.same_pages.1 * PAGE);
    let front = seen.device(&zram.name).map_or(0, |d| d.written_bytes);
    let writes = match front {
        0 => String::new(),
        front => format!(
            " Of the {} that were written to it, so, about {} came to its store.",
            human::bytes(front),
            human::bytes((front as f64 * (1.0 - share)) as u64)
        ),
    };
    let message = format!(
        "{} of the {} that {} holds are pages of one repeated word (same_pages), which take no space and no work; {} are \
         stored.{writes}",
        human::percent(share),
        human::bytes(zram.data_bytes.1),
        zram.name,
        human::bytes(stored),
    );
    let at_most = match share > MOST {
        true => Severity::Invalid,
        false => Severity::Suspect,
    };
    Some(
        Seen::new(message)
            .at_most(at_most)
            .value("same", Quantity::Share(share))
            .value("stored", Quantity::Bytes(stored)),
    )
}

/// Bytes of a page on the machines that this runs on most.
const PAGE: u64 = 4096;
const SOME: f64 = 0.05;
const MOST: f64 = 0.5;

#[cfg(test)]
fn zram(o: &mut crate::known::Observed, same_pages: u64) {
    o.layer().kind = "zram".into();
    o.witnessed().zrams = vec![ZramUse {
        name: "sdx".into(),
        data_bytes: (0, 1 << 30),
        compressed_bytes: (0, 1 << 30),
        same_pages: (0, same_pages),
    }];
}

#[cfg(test)]
pub const KNOWN: crate::known::Known = crate::known::Known::Run {
    fires: |o| zram(o, 257_000),
    clean: |o| zram(o, 100),
};

#[cfg(test)]
#[test]
fn the_missing_writes_are_reckoned_up() {
    let case = crate::known::changed(|o| {
        zram(o, 196_608);
        o.device().written_bytes = 8 << 30;
    });
    let seen = &crate::known::found(check(&case.view()))[0];
    assert!(
        seen.message.contains("75% of the 1.00 GiB"),
        "{}",
        seen.message
    );
    assert!(
        seen.message.contains("about 2.00 GiB came to its store"),
        "{}",
        seen.message
    );
}
