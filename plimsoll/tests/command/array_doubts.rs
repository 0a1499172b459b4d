//! What an array tells that cannot be of the step, and what it tells of others, in runs over NBD.

use crate::array_metrics::{LUN, lab, measured};
use crate::place::{TestFolder, holds, soon, typed};
use crate::serving::Lab;
use serde_json::Value;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::Arc;

/// An exporter before the lab, that answers its n-th request, from 0, with this. It ends with the test's process.
fn exporter(answer: impl Fn(u32) -> String + Send + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!(
        "http://{}/metrics",
        listener.local_addr().expect("a port of its own")
    );
    std::thread::spawn(move || {
        for (n, stream) in (0..).zip(listener.incoming()) {
            let mut stream = stream.expect("a connection");
            let _ = stream.read(&mut [0; 4096]);
            // Who asks may have gone.
            let _ = stream.write_all(answer(n).as_bytes());
        }
    });
    url
}

fn served() -> (TestFolder, Arc<Lab>, String) {
    let place = TestFolder::new();
    let (lab, metrics) = lab(&place);
    (place, Arc::new(lab), metrics)
}

#[test]
fn an_exporter_that_repeats_itself_is_not_taken_for_an_idle_array() {
    let (place, lab, _) = served();
    let first = lab.get("/metrics");
    let stale = exporter(move |_| first.clone());
    let zeros = ["--read", "50", "--content", "zeros"];
    let (document, said) = measured(&place, &["--metrics", &stale], &zeros);
    let step = &document["steps"][0];
    assert!(step["ios"].as_u64().expect("a count") > 600, "{step:#}");
    assert!(said.contains("its counters stand still"), "{said}");
    let notes = step["notes"].to_string();
    assert_eq!(notes.matches("counted 0 requests").count(), 1, "{notes}");
    assert!(
        step["arrays"].as_array().is_none_or(Vec::is_empty),
        "{step:#}"
    );
    for wrong in ["busiest core", "PL200 zeros-served", "generator's slots"] {
        assert!(!said.contains(wrong), "{wrong}: {said}");
    }
}

#[test]
fn an_endpoint_that_dies_tells_nothing_of_the_step() {
    let (place, lab, _) = served();
    // The exporter goes on as long as the test's process does; the lab may not.
    let asked = Arc::downgrade(&lab);
    let dying = exporter(move |n| match asked.upgrade() {
        Some(lab) if n < 4 => lab.get("/metrics"),
        _ => "HTTP/1.1 503 Gone\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".into(),
    });
    let zeros = ["--read", "0", "--content", "zeros"];
    let (document, said) = measured(&place, &["--metrics", &dying], &zeros);
    let step = &document["steps"][0];
    let array = &step["arrays"][0];
    let observed = array["observed_s"].as_f64().expect("a time");
    assert!(observed > 0.0 && observed < 2.4, "{observed}");
    assert_eq!(array["front_end"], Value::Null);
    let words = format!("{observed:.1} s of 3.0 s");
    assert!(said.contains(&words), "{words}: {said}");
    assert!(said.contains("too little of them"), "{said}");
    for wrong in ["busiest core", "PL200 zeros-served", "zero 100%"] {
        assert!(!said.contains(wrong), "{wrong}: {said}");
    }
}

#[test]
fn a_second_client_of_the_array_is_named_and_none_is_not() {
    let (place, _lab, metrics) = served();
    let load = ["--rate", "300", "--claim", "device"];
    let (_, said) = measured(&place, &["--metrics", &metrics], &load);
    assert!(!said.contains("PL210"), "{said}");
    let other = ["run", LUN, "--size", "16m", "--block", "4k", "--rate"];
    let rest = ["600", "--for", "60s", "--allow-unwritten", "--no-record"];
    let mut other = place.begin(&[&other[..], &rest].concat());
    let (document, said) = measured(&place, &["--metrics", &metrics], &load);
    other.kill().expect("it ran all the time");
    other.wait().expect("it ended");
    assert!(said.contains("PL210 others-on-the-array"), "{said}");
    let step = &document["steps"][0];
    let front = &step["arrays"][0]["front_end"]["reads"]["ios"];
    let own = step["ios"].as_f64().expect("a count");
    assert!(
        front.as_f64().expect("a count") > 1.2 * own,
        "{front} {own}"
    );
}

#[test]
fn trims_of_a_second_client_are_named() {
    let (place, lab, metrics) = served();
    let load = ["--rate", "300", "--claim", "device"];
    let trims = ["run", LUN, "--size", "16m", "--block", "4k", "--read", "0"];
    let line =
        format!("--trim 100 --rate 600 --for 60s --destroy '{LUN}' --allow-unwritten --no-record");
    let rest = typed(&line);
    let mut other = place.begin(&[&trims[..], &rest].concat());
    soon(|| {
        let told = lab.get("/metrics");
        let trims = told.split("requests_total{op=\"trim\"} ").nth(1);
        trims.is_some_and(|count| !count.starts_with('0'))
    });
    let (_, said) = measured(&place, &["--metrics", &metrics], &load);
    other.kill().expect("it ran all the time");
    other.wait().expect("it ended");
    holds!(
        said,
        "PL210 others-on-the-array",
        "neither reads nor writes"
    );
}
