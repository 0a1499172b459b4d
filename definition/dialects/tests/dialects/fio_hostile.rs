//! Any text is read and planned, or refused with an error; numbers are those that fio reads.

use plimsoll_dialects::fio::options::all;
use plimsoll_dialects::fio::{self, Input};
use plimsoll_plan::{Bytes, SizeSpec};
use proptest::prelude::*;
use std::process::Command;

fn try_all(text: &str) {
    match fio::parse(&Input::text("a.fio", text)) {
        Ok(parsed) => {
            if let Err(errors) = parsed.plan() {
                assert!(errors.iter().any(|e| e.is_error()), "{text}");
            }
        }
        Err(refusal) => assert!(refusal.diagnostics.iter().any(|d| d.is_error()), "{text}"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn any_text_is_read_or_refused(text in "(\\[[a-z]{0,8}\\]\n|[a-z_]{1,10}=[ -~]{0,12}\n|\\PC{0,20}\n){0,12}") {
        try_all(&text);
    }

    #[test]
    fn any_value_of_any_option_is_read_or_refused(
        chosen in prop::collection::vec((0usize..400, "[0-9a-zA-Z.,:/%()+*$^ -]{0,14}|[0-9]{1,20}[kmgtp]?"), 1..6),
    ) {
        let names: Vec<&str> = all().map(|o| o.name).collect();
        let mut text = "[x]\nioengine=null\nsize=1g\n".to_string();
        for (at, value) in chosen {
            text += &format!("{}={value}\n", names[at % names.len()]);
        }
        try_all(&text);
    }
}

#[test]
fn numbers_at_their_ends_are_refused_and_not_wrapped() {
    for option in all() {
        for value in [
            "9223372036854775807",
            "9223372036854775807p",
            "-9223372036854775808",
            "1e999",
            "é",
            "0x",
            "-",
            "99999999999999999999",
        ] {
            try_all(&format!(
                "[x]\nioengine=null\nsize=1g\n{}={value}\n",
                option.name
            ));
        }
    }
}

/// What the installed fio takes the number of an option for.
fn by_fio(option: &str, text: &str) -> Option<u64> {
    let words = ["--parse-only", "--debug=parse", "--name=a", "--size=1t"];
    let output = Command::new("fio")
        .args(words)
        .arg(format!("--{option}={text}"))
        .output()
        .ok()?;
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    let after = printed
        .split(&format!("__handle_option={option},"))
        .nth(1)?;
    let value = after.split("ret=0, out=").nth(1)?;
    value.split_whitespace().next()?.parse().ok()
}

#[test]
fn sizes_are_those_that_fio_reads() {
    if Command::new("fio").arg("--version").output().is_err() {
        return plimsoll_skipped::skipped!("fio is not installed");
    }
    for text in [
        "4k", "4K", "4kb", "4KB", "4ki", "4Ki", "4KiB", "4kib", "1m", "1MB", "1MiB", "1g",
        "0x1000", "0X20", "0x10k", "1.5k", "3.9m", "4 k", "4kx", "4k8", "7b", "512q", "+4k", "08",
    ] {
        let job = format!("[x]\nioengine=null\nsize=1t\nbs={text}\n");
        let parsed = fio::parse(&Input::text("a.fio", &job)).expect("it is read");
        let lowered = parsed.plan().unwrap_or_else(|e| panic!("{text}: {e:?}"));
        let SizeSpec::Fixed(Bytes(ours)) =
            lowered.plan.steps().next().expect("a step").streams[0].size
        else {
            panic!("{text}: one size")
        };
        assert_eq!(Some(ours), by_fio("bs", text), "{text}");
    }
}

#[test]
fn times_are_those_that_fio_reads() {
    if Command::new("fio").arg("--version").output().is_err() {
        return plimsoll_skipped::skipped!("fio is not installed");
    }
    for text in [
        "10",
        "10s",
        "10 s",
        "10  ms",
        "10 sec",
        "900000sec",
        "10 m",
        "10\ts",
        "10 k",
        "1m",
        "1h",
        "900000us",
        "900000usec",
        "700ms",
        "700msec",
        "2d",
        "1.5s",
        "700msx",
        "900000usx",
    ] {
        let job = format!("[x]\nioengine=null\nsize=1t\ntime_based\nruntime={text}\n");
        let parsed = fio::parse(&Input::text("a.fio", &job)).expect("it is read");
        let lowered = parsed.plan().unwrap_or_else(|e| panic!("{text}: {e:?}"));
        let ours = lowered.plan.steps().next().expect("a step").elapsed.0 / 1000;
        assert_eq!(Some(ours), by_fio("runtime", text), "{text}");
    }
}

/// The smallest and largest sizes of reads, writes and trims that the installed fio shows for a job.
fn shown_sizes(text: &str) -> Vec<u64> {
    let output = Command::new("fio")
        .args(["--name=a", "--ioengine=null", "--size=64k", "--rw=randrw"])
        .arg(format!("--bs={text}"))
        .output()
        .expect("fio");
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    let line = printed.lines().find(|l| l.contains("(g=0)")).expect(text);
    let numbers = line
        .split(['-', ' '])
        .filter_map(|word| word.trim_end_matches(',').strip_suffix('B'));
    numbers.map(|n| n.parse().expect("bytes")).collect()
}

#[test]
fn commas_part_what_reads_and_writes_get_as_in_fio() {
    if Command::new("fio").arg("--version").output().is_err() {
        return plimsoll_skipped::skipped!("fio is not installed");
    }
    for text in ["8k", "8k,", ",8k", "8k,,", "512,8k,", "8k,,2k", "512,1k,2k"] {
        let job = format!("[x]\nioengine=null\nsize=64k\nrw=randrw\nbs={text}\n");
        let parsed = fio::parse(&Input::text("a.fio", &job)).expect("it is read");
        let lowered = parsed.plan().unwrap_or_else(|e| panic!("{text}: {e:?}"));
        let stream = &lowered.plan.steps().next().expect("a step").streams[0];
        let ours = stream
            .size
            .by_operation()
            .into_iter()
            .flat_map(|size| [size.min().0, size.max().0]);
        let (ours, theirs): (Vec<u64>, Vec<u64>) = (ours.take(4).collect(), shown_sizes(text));
        assert_eq!(ours, theirs[..4], "{text}");
    }
}
