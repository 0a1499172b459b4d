//! Real endpoints: small HTTP servers that answer well, wrongly, slowly, endlessly or not at all.

use plimsoll_evidence::{ArrayEvidence, ArrayInterval, Phase};
use plimsoll_metrics::{ArrayMetrics, Endpoint, Mapping};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::time::{Duration, Instant};

/// A server that answers its n-th request, from 0, with what this writes. It ends with the test's process.
fn serve(answer: impl Fn(u32, &mut TcpStream) + Send + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/metrics", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for (n, stream) in (0..).zip(listener.incoming()) {
            let mut stream = stream.unwrap();
            let mut request = [0; 4096];
            let length = stream.read(&mut request).unwrap_or(0);
            let request = String::from_utf8_lossy(&request[..length]);
            assert!(
                request.starts_with("GET /metrics HTTP/1.1\r\n"),
                "{request}"
            );
            answer(n, &mut stream);
        }
    });
    url
}

fn say(stream: &mut TcpStream, status: &str, body: &str) {
    let length = body.len();
    let head =
        format!("HTTP/1.1 {status}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n");
    // Who asks may have gone.
    let _ = stream.write_all(format!("{head}{body}").as_bytes());
}

/// What a made-up array calls its counters.
const ACME: &str = r#"
[name]
metric = "acme_system_info"
by = "serial"

[reads]
metric = "acme_host_ops_total"
labels = { op = "rd" }

[read_bytes]
metric = "acme_host_kib_total"
labels = { op = "rd" }
scale = 1024

[writes]
metric = "acme_host_ops_total"
labels = { op = "wr" }

[write_bytes]
metric = "acme_host_kib_total"
labels = { op = "wr" }
scale = 1024

[[read_source]]
metric = "acme_dram_hits_total"
as = "cache"

[[read_source]]
metric = "acme_tier_reads_total"
by = "tier"
names = { nvme = "local flash" }

[core_busy_seconds]
metric = "acme_cpu_percent"
by = ["node", "cpu"]
of = "node"
scale = 0.01
per_second = true
"#;

/// The made-up array when it has been asked so often.
fn acme(n: u32) -> String {
    let (reads, writes) = (10_000 + 100 * n, 50 * n);
    format!(
        "# HELP acme_host_ops_total Operations.\n# TYPE acme_host_ops_total counter\n\
         acme_system_info{{serial=\"AC-17\",site=\"lab\"}} 1\n\
         acme_host_ops_total{{op=\"rd\",volume=\"a\"}} {reads}\nacme_host_ops_total{{op=\"rd\",volume=\"b\"}} 7\n\
         acme_host_ops_total{{op=\"wr\",volume=\"a\"}} {writes}\n\
         acme_host_kib_total{{op=\"rd\"}} {}\nacme_host_kib_total{{op=\"wr\"}} {}\n\
         acme_dram_hits_total {}\nacme_tier_reads_total{{tier=\"nvme\"}} {}\n\
         acme_cpu_percent{{node=\"A\",cpu=\"0\"}} 90\nacme_cpu_percent{{node=\"B\",cpu=\"0\"}} 30\n\
         acme_fan_rpm{{fan=\"1\"}} 4000\n",
        8 * reads,
        8 * writes,
        75 * n,
        25 * n
    )
}

fn endpoint(url: &str) -> Endpoint {
    Endpoint {
        url: url.to_owned(),
        mapping: Mapping::read(Path::new("acme.toml"), ACME).unwrap(),
        targets: vec!["lun".into(), "other".into()],
    }
}

const INTERVAL: Duration = Duration::from_millis(500);

type Told = (Vec<ArrayInterval>, Vec<ArrayEvidence>, Vec<String>);

/// A step of one interval on the endpoint's target.
fn step(metrics: &mut ArrayMetrics) -> Told {
    until(metrics, |_| true)
}

/// A step on it that ends when its intervals are enough, or after more of them than any busy machine needs.
fn until(metrics: &mut ArrayMetrics, enough: impl Fn(&[ArrayInterval]) -> bool) -> Told {
    metrics.begin(&["lun".into()], INTERVAL);
    let mut course = Vec::new();
    for _ in 0..60 {
        std::thread::sleep(INTERVAL);
        course.extend(metrics.interval(Phase::Counted, INTERVAL));
        if enough(&course) {
            break;
        }
    }
    let (arrays, notes) = metrics.finish();
    (course, arrays, notes)
}

#[test]
fn a_made_up_array_is_read_by_its_mapping() {
    let url = serve(|n, stream| say(stream, "200 OK", &acme(n)));
    let mut metrics = ArrayMetrics::new(vec![endpoint(&url)]);
    let (course, arrays, notes) = until(&mut metrics, |course| course.len() >= 2);
    assert_eq!(notes, Vec::<String>::new());
    assert!(
        course
            .iter()
            .any(|i| i.front_end_iops.is_some_and(|r| r > 0.0))
    );
    let array = &arrays[0];
    assert_eq!((array.name.as_str(), array.scale), ("AC-17", None));
    assert_eq!(array.targets, ["lun"]);
    assert!(array.observed_s > 0.0);
    // However many looks there were, each found as much more as the one before.
    let front = array.front_end.unwrap();
    let looks = front.reads.count / 100;
    assert!(looks >= 1 && front.reads.count == 100 * looks, "{front:?}");
    assert_eq!(front.reads.bytes, 8192 * front.reads.count);
    assert_eq!(front.writes.count, 50 * looks);
    let sources: Vec<_> = (array.read_source.iter())
        .map(|b| (b.place.as_str(), b.chunks))
        .collect();
    assert_eq!(
        sources,
        [("cache", 75 * looks), ("local flash", 25 * looks)]
    );
    let cores: Vec<_> = (array.cores.iter())
        .map(|c| (c.controller, c.utilisation))
        .collect();
    assert_eq!(
        cores.iter().map(|c| c.0).collect::<Vec<_>>(),
        [Some(0), Some(1)]
    );
    assert!((cores[0].1 - 0.9).abs() < 1e-9 && (cores[1].1 - 0.3).abs() < 1e-9);
    // What it does not tell is not there, and no zero.
    assert_eq!(array.back_end, None);
    assert_eq!(array.journal, None);
    assert_eq!(array.reduction, None);
}

#[test]
fn an_endpoint_that_is_wrong_in_any_way_is_said_once_and_is_not_observable() {
    let nobody = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    let cases: Vec<(String, &str)> = vec![
        (format!("http://{nobody}/metrics"), "it does not answer"),
        (
            serve(|_, s| say(s, "404 Not Found", &acme(1))),
            "HTTP status 404",
        ),
        (
            serve(|_, s| {
                let _ = s.write_all(b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n");
            }),
            "HTTP status 302",
        ),
        (
            serve(|_, s| say(s, "200 OK", "<html>no\u{0}thing</html>")),
            "none of the metrics",
        ),
        (serve(|_, s| say(s, "200 OK", "")), "none of the metrics"),
        (
            serve(|_, s| {
                let _ = s.write_all(b"\x16\x03\x01 no HTTP at all\r\n\r\n");
            }),
            "it does not answer",
        ),
        (
            serve(|_, s| say(s, "200 OK", &"acme_fan_rpm 1\n".repeat(1 << 19))),
            "longer than 4 MiB",
        ),
        (
            serve(|_, s| {
                let _ = s.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nacme_");
            }),
            "it does not answer",
        ),
    ];
    for (url, said) in cases {
        let mut metrics = ArrayMetrics::new(vec![endpoint(&url)]);
        let (course, arrays, notes) = step(&mut metrics);
        assert_eq!(course, [], "{said}");
        assert_eq!(arrays, []);
        assert!(
            notes.len() == 1 && notes[0].contains(said) && notes[0].contains(&url),
            "{said}: {notes:?}"
        );
        // In the next step it is known.
        assert_eq!(step(&mut metrics).2, Vec::<String>::new(), "{said}");
    }
}

#[test]
fn an_endpoint_that_never_ends_its_answer_is_given_up_and_holds_nobody() {
    let slow = serve(|_, stream| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n");
        // A line every so often, for longer than anybody waits here.
        while stream.write_all(b"acme_fan_rpm 1\n").is_ok() {
            std::thread::sleep(Duration::from_millis(50));
        }
    });
    let mut metrics = ArrayMetrics::new(vec![endpoint(&slow)]);
    metrics.begin(&["lun".into()], INTERVAL);
    // Each of these would take a second, were it waited for.
    let begun = Instant::now();
    for _ in 0..100 {
        let told = metrics.interval(Phase::Counted, INTERVAL);
        assert_eq!(told, []);
    }
    assert!(begun.elapsed() < Duration::from_secs(50));
    let (arrays, notes) = metrics.finish();
    assert_eq!(arrays, []);
    assert!(notes[0].contains("longer than a second"), "{notes:?}");
}

#[test]
fn a_step_on_other_targets_asks_nobody() {
    let url = serve(|_, _| panic!("asked"));
    let mut metrics = ArrayMetrics::new(vec![endpoint(&url)]);
    metrics.begin(&["elsewhere".into()], INTERVAL);
    assert_eq!(metrics.interval(Phase::Counted, INTERVAL), []);
    assert_eq!(metrics.finish(), (Vec::new(), Vec::new()));
}

#[test]
fn what_the_mapping_names_and_nobody_has_is_said() {
    let url = serve(|n, stream| {
        let text = acme(n);
        let lines = text.lines().filter(|l| !l.starts_with("acme_cpu"));
        say(stream, "200 OK", &lines.collect::<Vec<_>>().join("\n"));
    });
    let mut metrics = ArrayMetrics::new(vec![endpoint(&url)]);
    let (_, arrays, notes) = until(&mut metrics, |course| !course.is_empty());
    assert_eq!(arrays[0].cores, []);
    assert!(arrays[0].front_end.is_some());
    assert!(
        notes.len() == 1 && notes[0].contains("for core_busy_seconds"),
        "{notes:?}"
    );
}
