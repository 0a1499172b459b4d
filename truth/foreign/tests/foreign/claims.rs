//! Claims without a log. The figures of each sentence are those of the arithmetic that it was drawn from, so what is read of it, and
//! whether it can be true, are known beforehand.

use crate::corpus::ids;
use crate::said_claims::{SLIPS, SOUND};
use plimsoll_evidence::Severity;
use plimsoll_foreign::checks::OF_CLAIMS;
use plimsoll_foreign::{DefinitionPlan, Judgement, claim, judge};
use std::collections::BTreeSet;

fn judged(text: &str) -> Judgement {
    let result = claim::read(text).unwrap_or_else(|e| panic!("{text}: {e}"));
    judge(&result, None, DefinitionPlan::NotGiven)
}

/// Fails with all that is wrong, not with the first of it.
fn none(wrong: impl Iterator<Item = String>) {
    let wrong: Vec<String> = wrong.collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// The sentences of a table, each behind what is known of it.
fn sentences(table: &str) -> impl Iterator<Item = &str> {
    table.lines().filter(|line| !line.starts_with('#'))
}

#[test]
fn what_a_sentence_says_is_read_as_it_is_meant() {
    let near = |a: f64, b: f64| (a - b).abs() <= 1e-3 * b.max(1e-9);
    none(sentences(SOUND).filter_map(|line| {
        let parts: Vec<&str> = line.splitn(6, ' ').collect();
        let known = parts[..5].iter().map(|n| n.parse().expect("a number"));
        let known: Vec<f64> = known.collect();
        let result = match claim::read(parts[5]) {
            Ok(result) => result,
            Err(error) => return Some(error.to_string()),
        };
        let run = &result.runs[0];
        let row = run.whole().expect("a row");
        let ports = &run.claimed.as_ref().expect("a claim").ports;
        let read = [
            row.iops().unwrap_or(0.0),
            row.mean_ns().unwrap_or(0.0) / 1e3,
            run.asked.block.map_or(0.0, |(block, _)| block.0 as f64),
            run.asked.in_flight.unwrap_or(0) as f64,
            ports.first().map_or(0.0, |p| p.line / 1e6),
        ];
        let same = read.iter().zip(&known).all(|(a, b)| near(*a, *b));
        (!same).then(|| format!("{line}: {read:?}"))
    }));
}

#[test]
fn sentences_that_can_be_true_are_not_accused() {
    none(sentences(SOUND).filter_map(|line| {
        let text = line.splitn(6, ' ').last().expect("a sentence");
        let found = judged(text).audit.findings;
        let found: Vec<_> = found.iter().map(|f| &f.finding.message).collect();
        (!found.is_empty()).then(|| format!("{text}: {found:#?}"))
    }));
}

/// A data sheet has the largest bandwidth, which is of large and sequential transfers, beside the largest rate, which is of small ones.
#[test]
fn the_largest_figures_of_two_loads_are_not_held_against_each_other() {
    none(
        [
            "sequential read 7,450 MB/s, 4K random read 1,400K IOPS QD32 16 threads",
            "560 MB/s read, 95K IOPS 4k random read QD32",
            "4.5M IOPS (4K read hit), 70 us latency, 45 GB/s",
            "870 MB/s, 4k random read 190k IOPS",
        ]
        .iter()
        .filter_map(|text| {
            let found = ids(&judged(text), Severity::Suspect);
            (!found.is_empty()).then(|| format!("{text}: {found:?}"))
        }),
    );
}

#[test]
fn each_slip_is_found_under_its_rule() {
    none(sentences(SLIPS).filter_map(|line| {
        let (rule, text) = line.split_once(' ').expect("a rule");
        let found = judged(text);
        let found = ids(&found, Severity::Note);
        (!found.contains(&rule)).then(|| format!("{text}: {found:?}"))
    }));
}

/// Each number of which nothing was made is listed, and beside it nothing is more than noted; once it is understood the slip is accused.
#[test]
fn a_number_that_is_not_understood_takes_the_edge_off_every_finding() {
    for (text, plain, unread) in [
        (
            "17 gremlins: 100k IOPS at 1.28 ms, QD 32",
            "100k IOPS at 1.28 ms, QD 32",
            "17",
        ),
        (
            "procs= 32: 100k IOPS at 1 s, QD 32",
            "100k IOPS at 1 s, QD 32",
            "32",
        ),
        (
            "frob 7: 500k 4K IOPS by one 10GbE port",
            "500k 4K IOPS by one 10GbE port",
            "7",
        ),
        (
            "frob 3: 100,000 IOPS of 4 KiB, 819 MB/s",
            "100,000 IOPS of 4 KiB, 819 MB/s",
            "3",
        ),
    ] {
        let open = judged(text);
        let listed = open.remarks.iter().any(|r| {
            let (_, words) = r.text.split_once("so not judged: ").unwrap_or_default();
            words.split(' ').any(|word| word == unread)
        });
        assert!(listed, "{text}: {:#?}", open.remarks);
        assert_eq!(open.worst(), Some(Severity::Note), "{text}");
        assert!(judged(plain).worst() > Some(Severity::Note), "{plain}");
    }
}

#[test]
fn a_sentence_shows_what_is_claimed_and_no_margin_of_rounding() {
    for (text, says) in [
        (
            "4k: 200,000 IOPS at 1.28 ms; 8k: 264,000 IOPS at 0.97 ms",
            "264,000/s of 8.00 KiB, where 200,000/s of 4.00 KiB are claimed with no less concurrency: a larger transfer cannot be 32%",
        ),
        (
            "depth 32: 100k IOPS; depth 128: 60k IOPS, 4k",
            "came to 100,000/s, `60,000/s` has 128 and came to 60,000/s: more load should not carry 40% less",
        ),
        (
            "100% reads 300k IOPS; 100% writes 160k; 70/30 mix 500k; 4k",
            "the mix does 500,000/s, reads alone 300,000/s and writes alone 160,000/s",
        ),
        (
            "12 GB/s sequential read 1 MiB over 2 x 25GbE",
            "11.2 GiB/s in one direction, and 2 x 25 Gbit/s Ethernet carry 5.82 GiB/s at most: 1.92 times",
        ),
    ] {
        let found = judged(text).audit.findings;
        let [found] = &found[..] else {
            panic!("one finding: {found:#?}")
        };
        assert!(found.finding.message.contains(says), "{found:#?}");
    }
}

#[test]
fn a_text_of_numbers_alone_has_an_end_whatever_their_unit() {
    for unit in ["5ops", "5/s ", "5ops="] {
        let longest = unit.repeat(claim::MOST_BYTES / unit.len());
        drop(claim::read(&longest));
        let longer = claim::read(&(longest + unit));
        assert!(matches!(longer, Err(claim::ClaimError::TooLong)));
    }
}

/// Claims that a reader could take for slips and that are none: bounds, times of a part, rounding, ports with two directions, and counts of
/// nothing.
#[test]
fn what_may_be_true_is_at_most_noted() {
    for text in [
        "300k IOPS at <1ms, 4k, depth=64",
        "300k IOPS under 1 ms, 4k, depth=64",
        "300k IOPS, 4k, latency below 1 ms, depth=64",
        "300k IOPS at up to 1 ms, 4k, depth=64",
        "300k IOPS at sub-1ms, 4k, depth=64",
        "300k IOPS, average < 1 ms, 4k, depth=64",
        "300k IOPS at 0.5-0.7 ms, 4k, depth=128",
        "300k IOPS, read latency 0.3 ms, write latency 0.1 ms, 4k, depth=64",
        "300k IOPS, 0.3 ms read latency, 0.1 ms write latency, 4k, depth=64",
        "300000 IOPS at 1 ms, 4k, depth=256",
        "100k reads, 100k writes, 180k IOPS 50/50; 4k",
        "10k IOPS at 1 ms, 4k, 0 hosts, jobs=0 depth=0",
        "10k IOPS, 4k, PCIe 3.0 x0",
        "10k IOPS, 4k, 1 x 0GbE",
        "10k IOPS, 4k, 0 x 8Gb FC",
        "264000 IOPS, 4k, 8 x 8Gb FC per host, 99999999999999999999 hosts",
        // 781,250 x 4,096 are 3.2 GB/s; 0.5 x 2 ms are 1 ms, and 1 % of 104 ms 1.04 ms.
        "800k IOPS, 3.2 GB/s, 4k",
        "10000 IOPS, mean 1ms, p50 2ms, depth 10",
        "10000 IOPS, mean 1ms, p99 104ms, depth 10",
        // What isn't understood may be the missing factor, in whatever word it stands.
        "264000 IOPS 67.4k jobs=8 depth=10, mean 1.00 ms",
        "264000 IOPS at 1.00 ms, jobs=8 depth=10, util 95%",
        "264000 IOPS at 1.00 ms, jobs=8 depth=10, on two arrays",
        "264000 IOPS at 1.00 ms, jobs=8 depth=10, Hosts-4",
        "264000 IOPS at 1.00 ms, jobs=8 depth=10, Initiators 4",
        "264k 180k at 1.00 ms jobs=8 depth=10",
        "264000 IOPS at lat_ms=0.0, jobs=8 depth=10",
        "Half a million IOPS of 4k random reads over 1 x 25GbE",
        "100k IOPS of 4k reads over 8Gb FC, 10 VMs with 32 GB RAM each",
        "2 x 8Gb FC, 100k IOPS each of 4k random reads, 8 jobs",
        "300000 IOPS of 4k random reads over several 8Gb FC ports",
        "300000 IOPS of 64k random reads, 2 x 8Gb FC per host",
        "NFS 4g test file, 200k IOPS of 4k reads",
        "QD 32 264 000 IOPS at 0.121 ms",
        "940 mbps of 64k reads over 1GbE",
    ] {
        let found = judged(text);
        assert!(
            ids(&found, Severity::Suspect).is_empty(),
            "{text}: {:#?}",
            found.audit.findings
        );
    }
    let rounded = judged("300000 IOPS at 1 ms, 4k, depth=256");
    let [found] = &rounded.audit.findings[..] else {
        panic!("one finding: {:#?}", rounded.audit.findings)
    };
    assert!(
        found.finding.message.contains("one digit more"),
        "{found:#?}"
    );
    // 90,000 writes in the mix, where alone they are 100,000: but 126,000 are too many.
    let found = judged("200k reads, 100k writes, 300k IOPS 58/42; 4k");
    assert!(ids(&found, Severity::Suspect).contains(&"mix-above-both"));
    // A mix has a direction each: 92 % of 3.4 GB/s, not 185 %.
    let known = judged("764000 IOPS, 8k, 50% reads, 4 x 8Gb FC");
    let about = plimsoll_foreign::terminal::about(&known).join("\n");
    assert!(
        about.contains("92% of one direction of the 4 ports"),
        "{about}"
    );
}

#[test]
fn what_is_not_understood_may_be_the_factor_that_is_missing() {
    for text in [
        "50k IOPS, 20 VMs, 1 ms, 8k, 32 per blade",
        "each of 4 hosts does 66k IOPS at 1.15ms with 8 jobs depth 10",
        "500k IOPS at 0.3 ms, 8K, 20 Gremlins, 8 outstanding",
        "reads: 126000 IOPS 0.9ms; writes: 54000 IOPS 0.5ms; QD 142",
        "264k IOPS at 1.15 ms, 32 LUNs with QD 10 each",
        "read 7,000 MB/s, write 5,000 MB/s, 1M IOPS read, 1.2M IOPS write, 4K",
        "randrw 75/25: read 45.2k iops 1.1ms, write 15.1k iops 0.9 ms, 64 outstanding",
        "126k read IOPS @ 0.9 ms + 54k write IOPS @ 0.5 ms, 142 outstanding",
    ] {
        let judged = judged(text);
        let worst = judged.worst();
        assert!(worst <= Some(Severity::Note), "{text}: {worst:?}");
    }
}

#[test]
fn each_question_of_claims_is_answered_by_some_slip_in_words() {
    let texts = sentences(SLIPS).filter_map(|line| Some(line.split_once(' ')?.1));
    let said: Vec<_> = texts.flat_map(|t| judged(t).audit.findings).collect();
    for found in &said {
        let message = &found.finding.message;
        assert!(
            message.ends_with('.') && message.contains(' ') && !message.contains("NaN"),
            "{message}"
        );
    }
    let heard: BTreeSet<u16> = said.iter().filter_map(|f| Some(f.rule?.number)).collect();
    for rule in [105, 114, 502, 525, 532, 550, 551, 552, 553] {
        assert!(heard.contains(&rule), "PL{rule} is never heard");
        assert!(
            OF_CLAIMS.iter().any(|c| c.rules.contains(&rule)),
            "PL{rule} is asked by nobody"
        );
    }
}

#[test]
fn the_published_mix_is_five_percent_off_and_told_what_would_make_it_true() {
    let judgement = judged("264000 at 1.15ms, 4k, jobs=8 depth=10, 4 hosts, 8 x 8Gb FC");
    let [found] = &judgement.audit.findings[..] else {
        panic!("one finding: {:#?}", judgement.audit.findings)
    };
    assert_eq!(found.finding.severity, Severity::Note);
    for says in [
        "304 I/Os in flight",
        "5.1% less than the 320",
        "8 jobs x depth 10 x 4 hosts",
        "1.21ms",
        "278,261/s",
    ] {
        assert!(
            found.finding.message.contains(says),
            "{says}: {}",
            found.finding.message
        );
    }
    let about = plimsoll_foreign::terminal::about(&judgement).join("\n");
    for says in [
        "304 I/Os in flight, 320 possible",
        "1.01 GiB/s, 8.0% to 16% of one direction of the 8 ports",
        "Not said: the mix of reads and writes",
    ] {
        assert!(about.contains(says), "{says}: {about}");
    }
}

#[test]
fn what_is_said_once_holds_for_all_claims_of_a_text_and_concurrency_for_its_own() {
    let text = "Max write 160 000 IOPS at 1.2 ms. Max read 455 000 IOPS at 1.4 ms, jobs=10 qd=16. Max 70/30 264 000 IOPS at 1.15 ms, \
        jobs=8 qd=10. 4K, 4 servers, 8 x 8Gb FC";
    let result = claim::read(text).expect("claims");
    let all: Vec<_> = result
        .runs
        .iter()
        .map(|run| {
            let ports = run.claimed.as_ref().expect("a claim").ports.len();
            let asked = &run.asked;
            (
                asked.read_share,
                asked.in_flight,
                asked.block.map(|(b, _)| b.0),
                ports,
            )
        })
        .collect();
    assert_eq!(
        all,
        [
            (Some(0.0), None, Some(4096), 1),
            (Some(1.0), Some(640), Some(4096), 1),
            (Some(0.7), Some(320), Some(4096), 1),
        ]
    );
    // The report's three maxima: only the mix is off.
    let found = judged(text).audit.findings;
    let found: Vec<_> = found.iter().map(|f| f.rule.map(|r| r.number)).collect();
    assert_eq!(found, [Some(114)]);
}

#[test]
fn times_are_of_the_direction_that_they_are_said_of() {
    let text = "Random 4 KiB: read 5.5k IOPS, write 2.36k IOPS. Latency: 8.7 ms read, 6.7 ms write";
    let result = claim::read(text).expect("claims");
    let all: Vec<_> = result
        .runs
        .iter()
        .filter_map(|run| {
            let row = run.whole()?;
            Some((row.iops()?, row.mean_ns()? / 1e6))
        })
        .collect();
    assert_eq!(all, [(5_500.0, 8.7), (2_360.0, 6.7)]);
}

#[test]
fn two_rates_beside_both_directions_have_one_each() {
    for text in [
        "850K/150K read/write IOPS (4KB)",
        "Random Read/Write: 850K/150K IOPS",
    ] {
        let result = claim::read(text).expect("claims");
        let all = result.runs.iter();
        let all: Vec<_> = all
            .map(|run| (run.whole().and_then(|row| row.iops()), run.asked.read_share))
            .collect();
        assert_eq!(
            all,
            [(Some(850_000.0), Some(1.0)), (Some(150_000.0), Some(0.0))],
            "{text}"
        );
    }
}

/// Of two claims of reads, a sheet's latency of reads is of neither for certain; and its largest bytes have no size of its rate.
#[test]
fn a_sheet_s_latencies_are_of_their_direction_or_of_none() {
    let sheet = "128KB Sequential Read 14,500 MB/s, 128KB Sequential Write 10,000 MB/s, 4KB Random Read 3,200K IOPS, 4KB Random Write 450K IOPS, \
        latency read 65 us, write 10 us";
    let judgement = judged(sheet);
    let said: Vec<_> = judgement.remarks.iter().map(|r| &r.text[..]).collect();
    let [.., reads, writes, aside] = &said[..] else {
        panic!("{said:#?}")
    };
    assert!(
        reads.starts_with("`3,200,000/s` with 4KiB, reads"),
        "{reads}"
    );
    assert!(
        writes.starts_with("`450,000/s` with 4KiB, writes"),
        "{writes}"
    );
    assert!(aside.ends_with("65.0us 10.0us"), "{aside}");
    let four = judged("read 7,000 MB/s, write 5,000 MB/s, 1M IOPS read, 1.2M IOPS write, 4K");
    assert!(
        four.remarks[1].text.starts_with("`4.66 GiB/s` with writes"),
        "{:#?}",
        four.remarks
    );
}

/// A sheet's bandwidths are sequential: of no size that is said, and so no rate. No number is left out without a word.
#[test]
fn a_size_of_random_reads_makes_no_rate_of_a_sequential_bandwidth() {
    let text = "Read latency 80 us, 4KB random read up to 1,500K IOPS (QD32, 16 threads); sequential read 7,450 MB/s, \
        sequential write 6,900 MB/s over PCIe 4.0 x4";
    let judgement = judged(text);
    let said: Vec<_> = judgement.remarks.iter().map(|r| &r.text[..]).collect();
    let [rate, read, write, aside] = &said[..] else {
        panic!("{said:#?}")
    };
    assert!(rate.starts_with("`1,500,000/s` with 4KiB"), "{rate}");
    assert!(read.starts_with("`6.94 GiB/s` with reads"), "{read}");
    assert!(write.starts_with("`6.43 GiB/s` with writes"), "{write}");
    assert!(aside.ends_with("not said: 80.0us"), "{aside}");
    let told_apart = judged("4K reads: 1.5M IOPS. 45 GB/s over a 400 Gb/s network");
    let said = &told_apart.remarks;
    assert!(said[1].text.starts_with("`41.9 GiB/s`"), "{said:#?}");
    assert!(said[2].text.contains("not judged: 400 Gbit/s"), "{said:#?}");
}

#[test]
fn words_that_say_nothing_are_named_and_texts_without_a_rate_refused() {
    let judgement = judged("264k IOPS at 1.15 ms with the flux capacitor");
    assert!(
        judgement
            .remarks
            .iter()
            .any(|r| r.text.contains("not judged: flux capacitor")),
        "{:#?}",
        judgement.remarks
    );
    for none in ["", "hello", "4k, 8 hosts", "700 MB/s"] {
        assert!(claim::read(none).is_err(), "{none}");
    }
    assert!(claim::read(&"1 IOPS ".repeat(20_000)).is_err());
    let bare = claim::read("My NAS does 112 MB/s").expect_err("no size");
    assert!(
        bare.to_string().contains("without a transfer size"),
        "{bare}"
    );
    // Nothing that is typed makes it panic.
    for odd in [
        "p",
        "8 x",
        "70/",
        "=",
        "99999999999999999999999 IOPS at 0 ms, depth=99999999999999999999",
        "µ 1µ x8 Gb 0/0 -5 IOPS",
        "1 IOPS at 1 ms, 0 hosts, jobs=0 depth=0, 0 x 0Gb Ethernet, 4k",
    ] {
        let _ = claim::read(odd).map(|r| judge(&r, None, DefinitionPlan::NotGiven));
    }
}
