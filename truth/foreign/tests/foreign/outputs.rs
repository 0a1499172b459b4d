//! fio prints the same run in several formats: what is read from each of its others is what is read from its JSON, as far as their digits go.

use crate::corpus::{ids, judge, result};
use crate::drawn::{DRAWS, job_file};
use crate::real::outputs;
use plimsoll_draw::Draw;
use plimsoll_evidence::Severity;
use plimsoll_foreign::model::{Latency, Row, Side};
use plimsoll_foreign::{Format, Run};

/// Output of fio in two formats, apart: the JSON, and the other.
fn apart(printed: &str) -> (String, String) {
    let is_json = |inside: &mut bool, line: &str| {
        *inside |= line == "{";
        let is = *inside;
        *inside &= line != "}";
        Some((is, format!("{line}\n")))
    };
    let (json, other): (Vec<_>, Vec<_>) = printed
        .lines()
        .scan(false, is_json)
        .partition(|(is, _)| *is);
    let join = |lines: Vec<(bool, String)>| lines.into_iter().map(|(_, l)| l).collect();
    (join(json), join(other))
}

/// Sync jobs in a file, merged sections, two directions as one: what the drawn ones don't have.
const MORE: &[&str] = &[
    "[s]\nrw=randwrite\nioengine=sync\nfdatasync=4\nsize=512k\nfilename=f\n",
    "[global]\nioengine=null\nsize=4m\ngroup_reporting\n[a]\nrw=read\niodepth=2\n[b]\nrw=write\niodepth=8\n[c]\nstonewall\nrw=trim\n",
    "[u]\nioengine=null\nsize=4m\nrw=randrw\nunified_rw_reporting=1\nclat_percentiles=0\nlat_percentiles=1\n",
    "[u]\nioengine=null\nsize=4m\nrw=randrw\nunified_rw_reporting=both\n",
    "[g]\nioengine=null\nsize=64m\nrw=read\ngtod_reduce=1\n",
    "[p]\nioengine=null\nsize=4m\nrw=read\npercentile_list=50:99.9:99.999\nslat_percentiles=1\n",
];

struct Both<'r> {
    what: String,
    json: &'r Run,
    other: &'r Run,
}

impl Both<'_> {
    fn near(&self, what: &str, json: Option<f64>, other: Option<f64>, slack: f64) {
        let (Some(json), Some(other)) = (json, other) else {
            assert_eq!(json.is_some(), other.is_some(), "{what} of {}", self.what);
            return;
        };
        assert!(
            (json - other).abs() <= slack + 1e-9 * json.abs(),
            "{what} of {}: {json} in JSON, {other}",
            self.what
        );
    }

    /// `weights`: by how much what the directions' rates are rounded to may move the mean of all, ns.
    fn latency(&self, what: &str, json: &Latency, other: &Latency, weights: f64) {
        let ns = |time: Option<plimsoll_plan::Nanos>| time.map(|t| t.0 as f64);
        let unit = other.rounded.0 as f64;
        let slack = unit.max(1.0);
        for (of, json, other, slack) in [
            ("min", json.min, other.min, slack),
            // A large one has six characters.
            (
                "max",
                json.max,
                other.max,
                slack.max(ns(json.max).unwrap_or(0.0) * 1e-4),
            ),
            ("mean", json.mean, other.mean, 0.01 * slack + 1.0 + weights),
            ("sd", json.sd, other.sd, 0.01 * slack + 1.0),
        ] {
            self.near(&format!("{of} of {what}"), ns(json), ns(other), slack);
        }
        let of = |l: &Latency| -> Vec<f64> { l.percentiles.iter().map(|p| p.0).collect() };
        // Terse doesn't say which times its percentiles are of.
        if self.is_terse() && of(json).is_empty() != of(other).is_empty() {
            return;
        }
        assert_eq!(of(json).len(), of(other).len(), "{what} of {}", self.what);
        for ((q, json), (other_q, other)) in json.percentiles.iter().zip(&other.percentiles) {
            self.near("quantile", Some(*q), Some(*other_q), 1e-4);
            self.near(
                &format!("p{q} of {what}"),
                ns(Some(*json)),
                ns(Some(*other)),
                slack,
            );
        }
    }

    fn side(&self, what: &str, json: &Side, other: &Side) {
        let rate = |s: &Side| s.iops.map(|r| r.0);
        self.near(
            &format!("iops of {what}"),
            rate(json),
            rate(other),
            self.of_rate(),
        );
        if !self.is_terse() {
            assert_eq!(json.ios, other.ios, "{what} of {}", self.what);
        }
        assert_eq!(json.seconds, other.seconds, "{what} of {}", self.what);
        // Terse has whole I/Os a second of each, and all is at most the longest.
        let longest = json.latency.max.map_or(0.0, |max| max.0 as f64);
        let rate = rate(json).unwrap_or(0.0).max(1.0);
        let weights = if self.is_terse() {
            2.0 * longest / rate
        } else {
            0.0
        };
        self.latency(what, &json.latency, &other.latency, weights);
        match (&json.completion, &other.completion) {
            (Some(json), Some(other)) => self.latency(&format!("clat of {what}"), json, other, 0.0),
            (json, other) => assert_eq!(json, other, "{what} of {}", self.what),
        }
    }

    fn is_terse(&self) -> bool {
        self.what.contains("terse")
    }

    /// Terse has whole ones of each direction.
    fn of_rate(&self) -> f64 {
        if self.is_terse() { 3.0 } else { 1e-3 }
    }

    fn rows(&self, json: &Row, other: &Row) {
        self.side("all", &json.all, &other.all);
        self.side("reads", &json.reads, &other.reads);
        self.side("writes", &json.writes, &other.writes);
        let bytes = |row: &Row| row.bandwidth.map(|b| b.0 as f64);
        let most = bytes(json).unwrap_or(0.0);
        self.near(
            "bandwidth",
            bytes(json),
            bytes(other),
            0.006 * most + 3072.0,
        );
        self.near("seconds", json.seconds, other.seconds, 0.0);
        let cpu = |row: &Row| row.cpu.map(|c| c.busy);
        self.near("cpu", cpu(json), cpu(other), 2e-4);
        // Terse has depths to a tenth of a percent, so that the deepest may be in none of its shares.
        match self.is_terse() {
            true => assert!(other.deepest <= json.deepest, "{}", self.what),
            false => assert_eq!(json.deepest, other.deepest, "{}", self.what),
        }
        // It tells no syncs, which have a depth.
        let is_told = |of: &str| of != "depths" || !self.is_terse() || json.syncs.mean.is_none();
        for (of, share) in other.shares.iter().filter(|(of, _)| is_told(of)) {
            let in_json = json.shares.iter().find(|(other, _)| other == of);
            self.near(of, in_json.map(|(_, share)| *share), Some(*share), 4e-3);
        }
        // Terse names no version before its third: some lose times from their shares, and what falls short of all is left out.
        match self.is_terse() {
            true => assert!(!other.shares.is_empty(), "{}", self.what),
            false => assert_eq!(json.shares.len(), other.shares.len(), "{}", self.what),
        }
        if !self.is_terse() {
            assert_eq!(json.errors, other.errors, "{}", self.what);
            self.latency("syncs", &json.syncs, &other.syncs, 0.0);
            self.histogram(json, other);
            let count = |row: &Row| row.samples.map(|s| s.count as f64);
            self.near("samples", count(json), count(other), 0.0);
            let mean = |row: &Row| row.samples.map(|s| s.mean);
            self.near("mean of samples", mean(json), mean(other), 0.01);
        }
    }

    fn histogram(&self, json: &Row, other: &Row) {
        let (Some(json), Some(other)) = (&json.histogram, &other.histogram) else {
            assert_eq!(
                json.histogram.is_some(),
                other.histogram.is_some(),
                "{}",
                self.what
            );
            return;
        };
        assert_eq!(json.buckets.len(), other.buckets.len(), "{}", self.what);
        for (json, other) in json.buckets.iter().zip(&other.buckets) {
            assert_eq!((json.from_ns, json.to_ns), (other.from_ns, other.to_ns));
            self.near("share", Some(json.share), Some(other.share), 6e-5);
        }
    }

    /// Settings that the header shows are those that the options say, where both are told.
    fn asked(&self) {
        let (json, other) = (&self.json.asked, &self.other.asked);
        fn same<T: PartialEq + std::fmt::Debug>(what: &str, json: &Option<T>, other: &Option<T>) {
            if let (Some(json), Some(other)) = (json, other) {
                assert_eq!(json, other, "{what}");
            }
        }
        let what = &self.what;
        same(what, &json.block, &other.block);
        same(what, &json.random, &other.random);
        same(what, &json.depth, &other.depth);
        same(what, &json.engine, &other.engine);
        same(what, &json.threads, &other.threads);
        same(what, &json.in_flight, &other.in_flight);
        same(
            what,
            &json.read_share.filter(|_| other.read_share.is_some()),
            &other.read_share,
        );
    }
}

/// Reads both outputs of a job file and compares them.
fn compare(job: &str, format: &str, words: &[&str]) -> Option<()> {
    let printed = outputs(job, &format!("{format},json"), words)?;
    let (json, text) = apart(&printed);
    let (of_json, other) = (result(&json), result(&text));
    let (Format::FioText | Format::FioTerse) = other.format else {
        panic!("{format}: {:?}", other.format)
    };
    let said: Vec<_> = other.remarks.iter().map(|r| &r.text).collect();
    let about = format!("{format} {words:?} of\n{job}\n{printed}\n{said:?}");
    assert_eq!(of_json.runs.len(), other.runs.len(), "{about}");
    if format == "normal" {
        assert_eq!(of_json.version, other.version, "{about}");
    }
    for (json, other) in of_json.runs.iter().zip(&other.runs) {
        assert_eq!(json.name, other.name, "{about}");
        let both = Both {
            what: about.clone(),
            json,
            other,
        };
        both.rows(json.whole().expect("a row"), other.whole().expect("a row"));
        both.asked();
    }
    // What is true of the run in one format is true in the other, and less is seen in it.
    let known = ids(&judge(&of_json), Severity::Suspect);
    let mut found = ids(&judge(&other), Severity::Suspect);
    // Terse doesn't say that nothing was done by the null engine.
    found.retain(|id| !known.contains(id) && *id != "faster-than-storage");
    assert_eq!(found, [""; 0], "{about}");
    Some(())
}

fn draws() -> u64 {
    let draws = std::env::var("PLIMSOLL_DRAWS").ok();
    draws.and_then(|n| n.parse().ok()).unwrap_or(DRAWS)
}

#[test]
fn the_text_of_drawn_jobs_says_what_their_json_says() {
    let drawn = (1000..1000 + draws()).map(|seed| job_file(&mut Draw(seed)));
    for job in MORE.iter().map(|j| (*j).to_string()).chain(drawn) {
        if compare(&job, "normal", &[]).is_none() {
            return plimsoll_skipped::skipped!("fio is not installed");
        }
    }
}

#[test]
fn the_terse_lines_of_drawn_jobs_say_what_their_json_says() {
    let drawn = (2000..2000 + draws() / 2).map(|seed| job_file(&mut Draw(seed)));
    let jobs = MORE.iter().map(|j| (*j).to_string()).chain(drawn);
    for (number, job) in jobs.enumerate() {
        let version = [
            "--terse-version=3",
            "--terse-version=4",
            "--terse-version=5",
            "--terse-version=2",
        ];
        if compare(&job, "terse", &[version[number % 4]]).is_none() {
            return plimsoll_skipped::skipped!("fio is not installed");
        }
    }
}
