use crate::accounts::{self, Account};
use crate::{RuleAnswer, RuleFinding, RunView};
use plimsoll_evidence::Quantity;
use plimsoll_printable::human;

rule! {
    121 "reads-never-stored" Run(check) [NOTE, INVALID, INVALID, INVALID, NOTE] pitfalls [1, 2, 3, 7] {
        summary: "Reads were answered without any storage: nothing is stored there.",
        why: "A hole of a sparse file, or an extent that was only reserved (fallocate), holds nothing, so the file system \
            hands out zeros without asking the disk. The same shows where a file system takes O_DIRECT for a hint and keeps \
            data in memory.",
        threshold: "Of the bytes that direct reads asked for, the kernel fetched less than 98 % from devices, by more than what may \
            be out at both ends of the time.",
        source: "/proc/self/io: read_bytes, or what the devices read by their own counters where that is less, against what was asked. Measured: 0.015 on a file that was only fallocated (732,000 \
            reads/s for 110,000), 0.000 on a sparse one.",
        example: "`fallocate -l 10G f`, then 732,000 direct reads/s of it: the disk served 1.5 % of them.",
        remedy: "Fill the target before it is read: name it with `--destroy` in place of `--allow-unwritten` (`--fill` for a blank device), or \
            have a run with purpose = \"fill\". Do not share blocks between files.",
    }
    fires: |o| o.own().read_bytes = 737_280_000,
}

fn check(view: &RunView<'_>) -> RuleAnswer {
    accounts::of_reads(
        view,
        |a: &Account<'_>| !a.is_buffered(),
        |reads| {
            let cached = reads.account.cached().filter(|share| *share > CACHED);
            let before = reads.account.cached_before().unwrap_or(0.0);
            let holes = "The rest is not stored as such: holes, extents that were only reserved, or what the file system packs";
            let percent = human::percent;
            let why = match cached {
                Some(share) if share - before > CACHED => format!(
                    "{} of it lies in the page cache, so the file system did not do direct I/O.",
                    percent(share)
                ),
                // It lay there before, and there is enough of it to have answered the rest.
                Some(share) if share + CACHED >= 1.0 - reads.fetched => format!(
                    "{holes}; or it came from the page cache, where {} of it lay all the while.",
                    percent(share)
                ),
                _ => format!("{holes}."),
            };
            let message = format!(
                "Of the bytes read directly the devices were asked for {}: {}/s of {}/s. {why}",
                human::percent(reads.fetched),
                human::bytes((reads.asked_each_s * reads.fetched) as u64),
                human::bytes(reads.asked_each_s as u64),
            );
            RuleFinding::new(message)
                .judged(
                    "of_devices",
                    Quantity::Share(reads.fetched),
                    accounts::WHOLE,
                )
                .value(
                    "of_devices_each_s",
                    Quantity::BytesPerSecond(reads.asked_each_s * reads.fetched),
                )
        },
    )
}

/// Direct I/O leaves nothing of itself in the page cache.
const CACHED: f64 = 0.05;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::known::{changed, found};

    fn with(cached: u64, before: Option<u64>) -> String {
        let case = changed(|o| {
            o.own().read_bytes = 737_280_000;
            let cache = &mut o.witnessed().caches[0];
            (cache.cached_bytes, cache.cached_before_bytes) = (cached, before);
        });
        found(check(&case.view()))[0].message.clone()
    }

    #[test]
    fn what_lies_in_the_page_cache_is_told_from_what_was_never_stored() {
        let message = |cached: u64| with(cached, None);
        assert!(
            with(1 << 40, Some(1 << 40)).ends_with("of it lay all the while."),
            "{}",
            with(1 << 40, Some(1 << 40))
        );
        assert!(with(1 << 38, Some(1 << 38)).ends_with("what the file system packs."));
        assert!(
            message(0).contains("asked for 1.5%: ") && message(0).contains("not stored as such"),
            "{}",
            message(0)
        );
        assert!(
            message(1 << 39).contains("did not do direct I/O"),
            "{}",
            message(1 << 39)
        );
    }

    #[test]
    fn without_the_kernels_account_of_this_process_it_is_not_observable() {
        let case = changed(|o| o.witnessed().own = None);
        assert!(matches!(check(&case.view()), Err(crate::NotObservable(_))));
    }
}
