use crate::accounts::{self, Account};
use crate::{RuleAnswer, RuleFinding, RunView};
use plimsoll_evidence::{Quantity, Severity};
use plimsoll_printable::human;

rule! {
    120 "page-cache-answered" Run(check) [NOTE, INVALID, INVALID, INVALID, NOTE] pitfalls [1, 6] {
        summary: "The page cache of the host answered the reads.",
        why: "A buffered read whose block lies in memory never reaches the storage. It takes microseconds, and the more of the \
            target has been read, the more of them there are: what is measured is the host's memory and its copying.",
        threshold: "Of the bytes that buffered reads asked for, the kernel fetched less than 98 % from devices, by more than what \
            may be out at both ends of the time. Suspect at most while at least half of them were fetched, or less than 64 MiB was read.",
        source: "/proc/self/io: read_bytes, or what the devices read by their own counters where that is less, against what was asked; the 98 % are those of the catalogue. What lies in memory: cachestat(2), on kernels before 6.5 mincore(2).",
        example: "A file of 4 GiB in 8 GiB of memory, read twice: 190,000/s of 8 KiB, of which the disk saw none.",
        remedy: "Use caching = \"direct\", or a target of several times the memory, or claim cached.",
    }
    fires: |o| {
        o.plan.targets[0].caching = plimsoll_plan::Caching::Buffered;
        o.own().read_bytes = 5_000_000_000;
    },
    clean: |o| o.plan.targets[0].caching = plimsoll_plan::Caching::Buffered,
}

fn check(view: &RunView<'_>) -> RuleAnswer {
    accounts::of_reads(
        view,
        |a: &Account<'_>| a.is_buffered(),
        |reads| {
            let hits = 1.0 - reads.fetched;
            let cached = lay_there(reads.account);
            let message = format!(
                "The page cache answered {} of the bytes that were read: of {}/s the devices were asked for {}/s.{cached}",
                human::percent(hits),
                human::bytes(reads.asked_each_s as u64),
                human::bytes((reads.asked_each_s * reads.fetched) as u64),
            );
            let read = reads.asked_each_s * reads.account.seen.observed_s;
            let at_most = match hits > 0.5 && read >= MUCH {
                true => Severity::Invalid,
                false => Severity::Suspect,
            };
            RuleFinding::new(message)
                .at_most(at_most)
                .judged("from_memory", Quantity::Share(hits), 1.0 - accounts::WHOLE)
                .value(
                    "of_devices",
                    Quantity::BytesPerSecond(reads.asked_each_s * reads.fetched),
                )
        },
    )
}

/// Bytes of reads that a result can be of.
const MUCH: f64 = 67_108_864.0;

/// How much of the targets lay in memory, as far as somebody told.
fn lay_there(account: &Account<'_>) -> String {
    let percent = human::percent;
    match (account.cached_before(), account.cached()) {
        (Some(before), Some(after)) => format!(
            " Of what was read from, {} lay in memory at the beginning and {} at the end.",
            percent(before),
            percent(after)
        ),
        (None, Some(after)) => format!(" At the end {} of it lay there.", percent(after)),
        (_, None) => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::known::{changed, found};

    fn of(read_bytes: u64) -> Vec<RuleFinding> {
        found(check(
            &changed(|o| {
                o.plan.targets[0].caching = plimsoll_plan::Caching::Buffered;
                o.own().read_bytes = read_bytes;
            })
            .view(),
        ))
    }

    #[test]
    fn how_much_lay_in_memory_before_and_after_is_told() {
        let with = |before: Option<u64>| {
            let case = changed(|o| {
                o.plan.targets[0].caching = plimsoll_plan::Caching::Buffered;
                o.own().read_bytes = 1_000_000;
                let cache = &mut o.witnessed().caches[0];
                (cache.target_bytes, cache.cached_bytes) = (1_000, 500);
                cache.cached_before_bytes = before;
            });
            found(check(&case.view()))[0].message.clone()
        };
        let message = with(Some(100));
        assert!(
            message.ends_with(
                "Of what was read from, 10% lay in memory at the beginning and 50% at the end."
            ),
            "{message}"
        );
        let message = with(None);
        assert!(
            message.ends_with("At the end 50% of it lay there."),
            "{message}"
        );
    }

    #[test]
    fn the_edge_is_at_two_percent_and_half_of_it_is_the_edge_of_invalid() {
        // 49.152 GB were asked for; 4.3 MB may be out or between two looks.
        assert_eq!(of(48_200_000_000), []);
        assert_eq!(of(48_100_000_000)[0].at_most, Severity::Suspect);
        assert_eq!(of(24_500_000_000)[0].at_most, Severity::Invalid);
        let message = &of(4_915_200_000)[0].message;
        holds!(message, "answered 90% of the bytes", "7.81 MiB/s");
    }
}
