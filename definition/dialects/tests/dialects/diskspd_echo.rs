//! What is printed of a profile: the words of DiskSPD's results, and XML that reads back as the same.

use plimsoll_dialects::diskspd::{self, Parsed, model::Profile};
use plimsoll_plan::Origins;
use proptest::prelude::*;

fn parsed(line: &str) -> Parsed {
    let words: Vec<String> = line.split_whitespace().map(str::to_string).collect();
    diskspd::parse_command(&words).unwrap_or_else(|refusal| panic!("{line}\n{refusal}"))
}

/// The defaults, as DiskSPD 2.2's own unit test of its text has them.
#[test]
fn the_text_is_diskspd_s() {
    let expected = "\nCommand Line: diskspd x.dat\n\nInput parameters:\n\n\ttimespan:   1\n\t-------------\n\
                    \tduration: 10s\n\twarm up time: 5s\n\tcool down time: 0s\n\trandom seed: 0\n\tpath: 'x.dat'\n\
                    \t\tthink time: 0ms\n\t\tburst size: 0\n\t\tusing software cache\n\
                    \t\tusing hardware write cache, writethrough off\n\t\tperforming read test\n\
                    \t\tblock size: 64KiB\n\t\tusing sequential I/O (stride: 64KiB)\n\
                    \t\tnumber of outstanding I/O operations per thread: 2\n\t\tthreads per file: 1\n\
                    \t\tusing I/O Completion Ports\n\t\tIO priority: normal\n\n";
    assert_eq!(parsed("x.dat").text(), expected);
    for (line, words) in [
        (
            "-Z12341234 -w30 x",
            "\t\twrite buffer size: 11.77MiB\n\t\twrite buffer source: random fill\n",
        ),
        ("-t2 -T100K x", "\t\tthread stride size: 100KiB\n"),
        ("-f2048000 x", "\t\tmax file size: 1.95MiB\n"),
        ("-g1000i x", "\t\tthroughput rate-limited to 1000 IOPS\n"),
        (
            "-w30 x",
            "\t\tperforming mix test (read/write ratio: 70/30)\n",
        ),
        (
            "-Suw x",
            "\t\thardware write cache disabled, writethrough on\n",
        ),
        (
            "-rs50 -r8K x",
            "mixed random/sequential I/O (50% random) (alignment/stride: 8KiB)\n",
        ),
        (
            "-r -rdpct90/10 x",
            "\t\tIO Distribution:\n\t\t    90% of IO => [ 0% -  10%) of target\n",
        ),
    ] {
        let text = parsed(line).text();
        assert!(text.contains(words), "{line}: {text}");
    }
}

/// Without the places, which differ.
fn bare(mut profile: Profile) -> Profile {
    profile.origins = Origins::default();
    for span in &mut profile.spans {
        span.origins = Origins::default();
        for target in &mut span.targets {
            target.origins = Origins::default();
            // What was left out is written out.
            target.align = Some(target.alignment());
        }
    }
    profile
}

fn flags() -> impl Strategy<Value = String> {
    let order = prop_oneof![
        Just(String::new()),
        Just("-r".to_string()),
        (1u32..100).prop_map(|p| format!("-rs{p}")),
        (1u32..99, 1u32..50).prop_map(|(io, part)| format!("-r -rdpct{io}/{part}")),
        (1u32..9).prop_map(|b| format!("-s{b}b")),
        Just("-si".to_string()),
        Just("-p".to_string()),
    ];
    let content = prop_oneof![
        Just(""),
        Just("-Z"),
        Just("-Zr"),
        Just("-Z10m"),
        Just("-Z10m,a&b<c.txt")
    ];
    let cache = prop_oneof![
        Just(""),
        Just("-Sh"),
        Just("-Su"),
        Just("-Sw"),
        Just("-Sbw")
    ];
    let limit = prop_oneof![Just(""), Just("-g80"), Just("-g1500i"), Just("-o1 -i4 -j3")];
    let numbers = (1u32..9, 1u32..65, 0u32..101, 0u32..500, 0u32..60);
    (order, content, cache, limit, numbers, any::<bool>()).prop_map(
        |(order, content, cache, limit, (t, o, w, d, warm), latency)| {
            let latency = if latency { "-L -D250 -z7 -a0,1" } else { "-n" };
            format!(
                "-o{o} -t{t} -b8K -w{w} -d{d} -W{warm} -c1g -B1m -f512m {order} {content} {cache} {limit} {latency}"
            )
        },
    )
}

proptest! {
    #[test]
    fn a_profile_that_was_printed_reads_back_as_the_same(flags in flags()) {
        let first = parsed(&format!("{flags} a.dat b&c.dat"));
        let second = diskspd::parse_text("again.xml", &first.xml(0), &[]);
        let second = second.unwrap_or_else(|refusal| panic!("{flags}\n{refusal}"));
        prop_assert_eq!(bare(first.profile.clone()), bare(second.profile.clone()));
        let plan = |parsed: &Parsed| parsed.plan().map(|lowered| lowered.plan).map_err(|e| {
            // The targets of a command line complain once, those of a profile each.
            e.into_iter().map(|d| d.message).collect::<std::collections::BTreeSet<_>>()
        });
        match (plan(&first), plan(&second)) {
            (Ok(mut a), Ok(mut b)) => {
                for plan in [&mut a, &mut b] {
                    for item in &mut plan.items {
                        if let plimsoll_plan::Item::Step(step) = item {
                            step.origins = Origins::default();
                        }
                    }
                    plan.targets.iter_mut().for_each(|t| t.origins = Origins::default());
                }
                prop_assert_eq!(a, b);
            }
            (a, b) => prop_assert_eq!(a, b),
        }
    }
}
