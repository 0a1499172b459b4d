//! VM Fleet's reference workloads: our examples are the same load as DiskSPD's own lines.

use plimsoll_dialects::{diskspd, native};
use plimsoll_plan::{Bytes, ContentSpec, Plan, RangeSpec, Stream};
use std::path::Path;

fn example(name: &str) -> Plan {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../examples")
        .join(name);
    let text = std::fs::read(&path).expect("the example is there");
    let read = native::parse_bytes_with(name, &text, &native::Overrides::default());
    read.unwrap_or_else(|failure| panic!("{failure}")).plan
}

fn line(flags: &str) -> Plan {
    let words: Vec<String> = flags
        .split_whitespace()
        .chain(["-Suw", "plimsoll-vmfleet.dat"])
        .map(str::to_string)
        .collect();
    let parsed = diskspd::parse_command(&words).unwrap_or_else(|r| panic!("{r}"));
    parsed
        .plan()
        .unwrap_or_else(|found| panic!("{found:#?}"))
        .plan
}

fn streams(plan: &Plan) -> Vec<Stream> {
    plan.steps().flat_map(|s| s.streams.clone()).collect()
}

/// The bytes of a stream on a target of this size.
fn bytes(stream: &Stream, size: u64) -> (u64, u64) {
    match stream.address.range {
        RangeSpec::Whole => (0, size),
        RangeSpec::Bytes(from, to) => (from.0, to.0),
        RangeSpec::Clipped { from, until, .. } => RangeSpec::clipped(from, until, size),
        RangeSpec::Percent(from, to) => {
            let at = |percent: f64| (size as f64 * percent / 100.0) as u64;
            (at(from), at(to))
        }
    }
}

#[track_caller]
fn same(name: &str, lines: &[&str]) {
    let ours = example(name);
    let size = ours.targets[0].size.expect("a size");
    let step = ours.steps().next().expect("a step").clone();
    for (number, (ours_of, flags)) in streams(&ours).iter().zip(lines).enumerate() {
        let theirs = line(flags);
        assert_eq!(ours.targets[0].caching, theirs.targets[0].caching, "{name}");
        assert_eq!(
            ours.targets[0].durability, theirs.targets[0].durability,
            "{name}"
        );
        let theirs = &streams(&theirs)[0];
        let who = format!("{name}, workload {number}");
        assert_eq!(ours_of.mix, theirs.mix, "{who}");
        assert_eq!(ours_of.size, theirs.size, "{who}");
        assert_eq!(ours_of.address.pattern, theirs.address.pattern, "{who}");
        assert_eq!(bytes(ours_of, size.0), bytes(theirs, size.0), "{who}");
        assert_eq!(ours_of.throttle, theirs.throttle, "{who}");
        assert_eq!(Some(step.depth_for(ours_of)), theirs.depth, "{who}");
        assert_eq!(ours_of.content, ContentSpec::Unique, "{who}");
    }
    assert_eq!(streams(&ours).len(), lines.len(), "{name}");
    assert!(size >= Bytes(10 << 30), "{name}");
}

#[test]
fn the_examples_are_the_lines_that_they_quote() {
    same("vmfleet-peak.toml", &["-t1 -b4k -o32 -w0 -r -Z10m"]);
    same(
        "vmfleet-general.toml",
        &["-t1 -b4k -o32 -w0 -r -rdpct95/5:4/10 -Z10m"],
    );
    same(
        "vmfleet-vdi.toml",
        &[
            "-t1 -o8 -b32k -w100 -g6i -rs20 -rdpct95/5:4/10 -Z10m -f10g",
            "-t1 -o8 -b8k -w0 -g6i -rs80 -rdpct95/5:4/10 -f8g -Z10m",
        ],
    );
    same(
        "vmfleet-sql.toml",
        &[
            "-t4 -o32 -r -b8k -g1500i -w30 -rdpct95/5:4/10 -B5g -Z10m",
            "-t1 -o1 -s -b32k -g300i -w100 -f5g -Z10m",
        ],
    );
}
