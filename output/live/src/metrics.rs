//! Runs that go on as metrics in OpenMetrics' text, as Prometheus scrapes them.

use crate::{Limit, Live, Part};
use plimsoll_evidence::Severity;
use plimsoll_printable::metrics::Metrics;
use std::collections::BTreeMap;

/// Type of the text, as HTTP names it.
pub const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Targets, and hosts, of a run that have metrics of their own: more would be a burden to whoever keeps them.
const MOST_PARTS: usize = 64;

/// One sample: the labels besides the record, and the value.
type Samples = Vec<(Vec<(&'static str, String)>, f64)>;

/// A family: its name, its kind, its meaning, and its samples of a run.
struct Family {
    name: &'static str,
    kind: &'static str,
    help: &'static str,
    of: fn(&Live) -> Samples,
}

/// All families, in the order in which they are written.
const FAMILIES: &[Family] = &[
    Family {
        name: "plimsoll_run",
        kind: "info",
        help: "What the run is: its title, its method, its targets, the host that keeps the record.",
        of: |live| {
            let title = live.title.clone().unwrap_or_default();
            let labels = vec![
                ("title", title),
                ("method", live.method.clone()),
                ("targets", live.locations.join(", ")),
                ("host", live.hosts.first().cloned().unwrap_or_default()),
            ];
            vec![(labels, 1.0)]
        },
    },
    Family {
        name: "plimsoll_ios",
        kind: "counter",
        help: "I/Os that were completed, warm-up and fills among them.",
        of: |live| one(live.history.ios as f64),
    },
    Family {
        name: "plimsoll_io_bytes",
        kind: "counter",
        help: "Bytes that those I/Os moved.",
        of: |live| one(live.history.bytes as f64),
    },
    Family {
        name: "plimsoll_failed_ios",
        kind: "counter",
        help: "I/Os that failed.",
        of: |live| one(live.history.errors as f64),
    },
    Family {
        name: "plimsoll_ios_per_second",
        kind: "gauge",
        help: "Rate of the newest interval.",
        of: |live| now(live, |point| Some(point.rate)),
    },
    Family {
        name: "plimsoll_bytes_per_second",
        kind: "gauge",
        help: "Bandwidth of the newest interval.",
        of: |live| now(live, |point| Some(point.bytes_per_s)),
    },
    Family {
        name: "plimsoll_response_mean_seconds",
        kind: "gauge",
        help: "Mean response time in the newest interval.",
        of: |live| now(live, |point| seconds(point.mean_us)),
    },
    Family {
        name: "plimsoll_response_p99_seconds",
        kind: "gauge",
        help: "99th percentile of response time in the newest interval.",
        of: |live| now(live, |point| seconds(point.p99_us)),
    },
    Family {
        name: "plimsoll_response_max_seconds",
        kind: "gauge",
        help: "Longest response time in the newest interval.",
        of: |live| now(live, |point| seconds(point.max_us)),
    },
    Family {
        name: "plimsoll_response_limit_seconds",
        kind: "gauge",
        help: "Limit that response times are held to, where somebody asked for one.",
        of: |live| {
            let limits = live.current.iter().flat_map(|c| &c.limits);
            let sample = |(statistic, us): (&str, f64)| {
                (vec![("statistic", statistic.to_owned())], us / 1e6)
            };
            tightest(limits).into_iter().map(sample).collect()
        },
    },
    Family {
        name: "plimsoll_in_flight",
        kind: "gauge",
        help: "I/Os in flight, mean of the newest interval.",
        of: |live| now(live, |point| point.depth),
    },
    Family {
        name: "plimsoll_backlog",
        kind: "gauge",
        help: "I/Os that were due and waited for a slot at the end of the newest interval.",
        of: |live| now(live, |point| Some(point.backlog as f64)),
    },
    Family {
        name: "plimsoll_host_cpu_busy_ratio",
        kind: "gauge",
        help: "Share of the host's CPUs that was busy.",
        of: |live| now(live, |point| point.cpu_busy),
    },
    Family {
        name: "plimsoll_own_cpus",
        kind: "gauge",
        help: "CPUs that the run itself kept busy.",
        of: |live| now(live, |point| point.own_cpus),
    },
    Family {
        name: "plimsoll_target_ios_per_second",
        kind: "gauge",
        help: "Rate of each target in the newest interval, where there are several.",
        of: |live| parts("target", &live.targets, |part| part.rate),
    },
    Family {
        name: "plimsoll_target_response_mean_seconds",
        kind: "gauge",
        help: "Mean response time of each target in the newest interval, where there are several.",
        of: |live| parts("target", &live.targets, |part| seconds(part.mean_us)),
    },
    Family {
        name: "plimsoll_host_ios_per_second",
        kind: "gauge",
        help: "Rate of each host in the newest interval, where there are several.",
        of: |live| parts("host", &live.parts_of_hosts, |part| part.rate),
    },
    Family {
        name: "plimsoll_elapsed_seconds",
        kind: "gauge",
        help: "Time since the run began, until the end of the newest interval.",
        of: |live| one(live.progress.elapsed_s),
    },
    Family {
        name: "plimsoll_left_seconds",
        kind: "gauge",
        help: "Time of load that is left, at most.",
        of: |live| some(live.progress.left_s),
    },
    Family {
        name: "plimsoll_done_ratio",
        kind: "gauge",
        help: "Share of the run that is done.",
        of: |live| some(live.progress.done),
    },
    Family {
        name: "plimsoll_step",
        kind: "gauge",
        help: "Number of the step that is under way, from 1.",
        of: |live| some(live.current.as_ref().map(|step| f64::from(step.number))),
    },
    Family {
        name: "plimsoll_findings",
        kind: "gauge",
        help: "Rules that have found something, by the severity of the worst that each found.",
        of: |live| {
            let all = [
                ("note", Severity::Note),
                ("suspect", Severity::Suspect),
                ("invalid", Severity::Invalid),
            ];
            let count = |severity| {
                live.doubts
                    .iter()
                    .filter(|d| d.severity == severity)
                    .count()
            };
            all.into_iter()
                .map(|(word, severity)| (vec![("severity", word.into())], count(severity) as f64))
                .collect()
        },
    },
];

/// Runs as OpenMetrics' text.
pub fn open_metrics<'l>(runs: impl Iterator<Item = &'l Live> + Clone) -> String {
    let mut out = Metrics::default();
    for family in FAMILIES {
        out.family(family.name, family.kind, family.help);
        let name = format!("{}{}", family.name, suffix(family.kind));
        for live in runs.clone() {
            for (labels, value) in (family.of)(live) {
                let own = labels.iter().map(|(key, text)| (*key, text.as_str()));
                let all: Vec<_> = std::iter::once(("record", live.record.as_str()))
                    .chain(own)
                    .collect();
                out.sample(&name, &all, value);
            }
        }
    }
    out.into_text() + "# EOF\n"
}

/// Suffix of the names of a kind's samples.
fn suffix(kind: &str) -> &'static str {
    match kind {
        "counter" => "_total",
        "info" => "_info",
        _ => "",
    }
}

/// The tightest limit of each statistic that somebody asked for, us: a series has one value.
fn tightest<'l>(limits: impl Iterator<Item = &'l Limit>) -> BTreeMap<&'l str, f64> {
    let mut tightest: BTreeMap<&str, f64> = BTreeMap::new();
    for limit in limits.filter(|limit| limit.asked) {
        let us = tightest.entry(&limit.statistic).or_insert(limit.us);
        *us = us.min(limit.us);
    }
    tightest
}

fn one(value: f64) -> Samples {
    vec![(Vec::new(), value)]
}

fn some(value: Option<f64>) -> Samples {
    value.map_or_else(Vec::new, one)
}

fn now(live: &Live, of: fn(&crate::Point) -> Option<f64>) -> Samples {
    some(live.now.as_ref().and_then(of))
}

fn seconds(us: Option<f64>) -> Option<f64> {
    us.map(|us| us / 1e6)
}

/// A value of each part; one part alone is the run itself.
fn parts(kind: &'static str, parts: &[Part], of: impl Fn(&Part) -> Option<f64>) -> Samples {
    if parts.len() < 2 {
        return Vec::new();
    }
    let known = parts.iter().take(MOST_PARTS);
    known
        .filter_map(|part| Some((vec![(kind, part.name.clone())], of(part)?)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_several_limits_of_one_statistic_the_tightest_is_shown() {
        let limit = |statistic: &str, us, asked| Limit {
            statistic: statistic.into(),
            us,
            asked,
        };
        let all = [
            limit("p99", 5000.0, true),
            limit("p99", 1000.0, true),
            limit("mean", 700.0, true),
            limit("p50", 1.0, false),
        ];
        let shown = tightest(all.iter());
        assert_eq!(Vec::from_iter(shown), [("mean", 700.0), ("p99", 1000.0)]);
    }

    #[test]
    fn without_runs_the_families_are_there_all_the_same_and_the_text_ends() {
        let text = open_metrics(std::iter::empty());
        assert!(text.ends_with("# EOF\n"));
        assert_eq!(text.matches("# TYPE ").count(), FAMILIES.len());
        assert!(text.lines().all(|line| line.starts_with('#')));
    }

    #[test]
    fn the_page_has_every_family() {
        const MARK: &str = "<!-- Written from output/live/src/metrics.rs: PLIMSOLL_UPDATE=1 cargo test -p plimsoll-live -->\n\n";
        let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/grafana.md");
        let text = std::fs::read_to_string(page).expect("the page is there");
        let (written, _) = text.split_once(MARK).expect("the made part begins");
        let mut made = format!("{written}{MARK}| Metric | Kind | |\n|---|---|---|\n");
        for family in FAMILIES {
            let (name, kind, help) = (family.name, family.kind, family.help);
            made += &format!("| `{name}{}` | {kind} | {help} |\n", suffix(kind));
        }
        if std::env::var_os("PLIMSOLL_UPDATE").is_some() {
            return std::fs::write(page, made).expect("the page can be written");
        }
        assert!(
            text == made,
            "docs/grafana.md is not what the source says; run PLIMSOLL_UPDATE=1 cargo test -p plimsoll-live"
        );
    }
}
