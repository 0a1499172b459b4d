use crate::{RuleAnswer, RuleFinding, RunView, applies, others};
use plimsoll_evidence::witnessed::ZramUse;
use plimsoll_evidence::{EnvironmentTarget, Quantity, Severity, Witnessed};
use plimsoll_plan::RangeSpec;
use plimsoll_printable::human;

rule! {
    123 "same-pages" Run(check) [NOTE, INVALID, INVALID, INVALID, NOTE] pitfalls [5] {
        summary: "A zram device keeps pages of one repeated word without storing them.",
        why: "zram looks at each page first: one that holds the same word over and over is noted and not compressed, not \
            stored, and not read back. It costs a few hundred nanoseconds, as the zeros do that an array detects: the front \
            end counts the write, and behind it there is none.",
        threshold: "More than 5 % of what the device holds are such pages, in a step that uses it; suspect at most up to half, and a note where the step uses a part of the device, or the record lacks the plan.",
        source: "mm_stat of the zram: same_pages against orig_data_size, in pages of 4 KiB. The published case of an array: \
            30,000 writes/s at the front end and 12,000 at the disks, explained by zeros.",
        example: "Writes of zeros to a zram: same_pages grows with each of them, compr_data_size stays.",
        remedy: "Write content that does not repeat (content = \"unique\"), or say that zeros were measured.",
    }
    fires: |o| zram(o, 257_000),
    clean: |o| zram(o, 100),
}

fn check(view: &RunView<'_>) -> RuleAnswer {
    let layers = view.environment.targets.iter().flat_map(|t| &t.stack);
    applies(!view.is_real() || layers.into_iter().any(|l| l.kind == "zram"))?;
    let zrams = |seen: &Witnessed| others::some(&seen.zrams).map(<[ZramUse]>::to_vec);
    others::ask(
        view,
        "what the zram devices hold",
        zrams,
        |_, seen, zrams| {
            let of = |z| {
                let found = repeated(z, seen)?;
                Some(match uses_all(view, &z.name) {
                    true => found,
                    false => in_part(found, &z.name, view.plan.is_some()),
                })
            };
            zrams.iter().filter_map(of).collect()
        },
    )
}

/// Whether the targets are all of a device, and the streams use all of them. Without the plan nobody knows.
fn uses_all(view: &RunView<'_>, name: &str) -> bool {
    let Some(plan) = view.plan else {
        return false;
    };
    let whole = |t: &EnvironmentTarget| {
        let layer = t.stack.iter().find(|l| l.name == name);
        layer.is_some_and(|l| t.size_bytes as f64 >= ALL * l.size_bytes as f64)
    };
    let targets = view.environment.targets.iter().enumerate();
    let mut whole = targets.filter(|(_, t)| whole(t)).map(|(n, _)| n);
    whole.any(|n| {
        let streams = plan.steps().flat_map(|s| &s.streams);
        let mut mine = streams.filter(|s| s.target.0 as usize == n);
        mine.all(|s| matches!(s.address.range, RangeSpec::Whole))
    })
}

/// What is known of a device says little of a part of it.
fn in_part(mut found: RuleFinding, name: &str, is_known: bool) -> RuleFinding {
    let used = match is_known {
        true => "the step used a part of it",
        false => "how much of it the step used is not known",
    };
    let part = format!(" That is of all of {name}, and {used}.");
    found.message.push_str(&part);
    found.at_most(Severity::Note)
}

fn repeated(zram: &ZramUse, seen: &Witnessed) -> Option<RuleFinding> {
    let same = zram.same_pages.1.saturating_mul(PAGE);
    let share = others::share(same as f64, zram.data_bytes.1 as f64).min(1.0);
    if share <= SOME {
        return None;
    }
    let stored = zram.data_bytes.1.saturating_sub(same);
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
        RuleFinding::new(message)
            .at_most(at_most)
            .judged("same", Quantity::Share(share), SOME)
            .value("stored", Quantity::Bytes(stored)),
    )
}

/// Bytes of a page on the machines that this runs on most.
const PAGE: u64 = 4096;
/// Of a device a step that uses so much uses all: a file system keeps some for itself.
const ALL: f64 = 0.9;
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

#[test]
fn the_missing_writes_are_reckoned_up() {
    let case = crate::known::changed(|o| {
        zram(o, 196_608);
        o.device().written_bytes = 8 << 30;
    });
    let seen = &crate::known::found(check(&case.view()))[0];
    holds!(
        seen.message,
        "75% of the 1.00 GiB",
        "about 2.00 GiB came to its store"
    );
}

#[test]
fn of_a_device_that_is_used_in_part_it_is_a_note() {
    let with = |change: fn(&mut crate::known::Observed)| {
        let case = crate::known::changed(|o| {
            zram(o, 257_000);
            change(o);
        });
        crate::known::found(check(&case.view()))[0].clone()
    };
    assert_eq!(with(|_| ()).at_most, Severity::Invalid);
    let range = with(|o| {
        crate::known::stream_of(&mut o.plan).address.range = RangeSpec::Percent(0.0, 10.0);
    });
    let size = with(|o| o.layer().size_bytes = 1 << 43);
    for part in [range, size] {
        assert_eq!(part.at_most, Severity::Note);
        assert!(
            part.message.ends_with("the step used a part of it."),
            "{}",
            part.message
        );
    }
}

#[test]
fn a_record_without_a_plan_and_any_count_of_pages_are_borne() {
    let case = crate::known::changed(|o| zram(o, 257_000));
    let view = RunView {
        plan: None,
        ..case.view()
    };
    assert_eq!(crate::known::found(check(&view))[0].at_most, Severity::Note);
    let case = crate::known::changed(|o| zram(o, u64::MAX));
    let seen = &crate::known::found(check(&case.view()))[0];
    assert!(seen.message.starts_with("100% of"), "{}", seen.message);
}
