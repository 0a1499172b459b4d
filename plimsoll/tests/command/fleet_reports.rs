//! What a run of real agents leaves to be read: the hosts in `--json`, the page, and what is published of it.

use crate::fleet::Fleet;
use crate::measuring::schema;
use plimsoll_evidence::HostInterval;
use serde_json::Value;

#[test]
fn each_host_is_in_the_document_and_on_the_page_and_none_is_named_in_what_is_published() {
    let Some(fleet) = Fleet::new(&[("hostess", &[]), ("hostler", &[])]) else {
        return;
    };
    let quick = ["--for", "2s", "--warmup", "1s", "--block", "4k", "--json"];
    let words = ["run", "null:1GiB", "--rate", "2000", "--hosts"];
    let words = [&words[..], &["hostess,hostler"], &quick].concat();
    let document = fleet.run(&words).ok().json();
    let wrong: Vec<String> = schema()
        .iter_errors(&document)
        .map(|e| format!("{}: {e}", e.instance_path))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let step = &document["steps"][0];
    let number = |of: &Value, key: &str| of[key].as_f64().unwrap_or_else(|| panic!("{key}: {of}"));
    let hosts = step["hosts"].as_array().expect("hosts");
    let names: Vec<&str> = hosts.iter().filter_map(|h| h["name"].as_str()).collect();
    assert_eq!(names, ["hostess", "hostler"]);
    for key in ["ios", "bytes", "offered_iops"] {
        let sum: f64 = hosts.iter().map(|h| number(h, key)).sum();
        assert!((sum - number(step, key)).abs() < 1e-6, "{key}");
    }
    for host in hosts {
        assert!(number(&host["start"], "bound_us") > 0.0, "{host}");
        assert!(host["saturation"]["saturated"].is_boolean(), "{host}");
    }
    assert!(step.get("lost_hosts").is_none());

    // In few numbers what the whole intervals have.
    let record = fleet.record();
    let (mut brief, mut whole) = (Vec::new(), Vec::new());
    let read = record.each_host_interval(1, |i| brief.push(i));
    read.expect("readable");
    for host in 1..=2 {
        let read = record.each_interval_of(1, host, |i| whole.push(HostInterval::of(&i)));
        read.expect("readable");
    }
    assert!(brief.len() >= 6, "{}", brief.len());
    assert_eq!(brief, whole);

    let rows = ["export", "all.plim", "--csv", "--rows", "hosts"];
    let rows = fleet.place.plimsoll(&rows).ok().out;
    let names = rows.lines().map(|l| l.split(',').nth(3).expect("a name"));
    let names: Vec<&str> = names.collect();
    assert_eq!(names, ["host_name", "hostess", "hostler"], "{rows}");

    let published = fleet.place.plimsoll("export all.plim --json --redact").ok();
    assert!(!published.out.contains("hostess"), "{}", published.out);
    let published = published.json();
    let shares = published["steps"][0]["hosts"].as_array().expect("hosts");
    let sum: f64 = shares.iter().map(|h| number(h, "share")).sum();
    assert!(shares.len() == 2 && (99.0..=101.0).contains(&sum), "{sum}");
    on_the_page(&fleet);
}

fn on_the_page(fleet: &Fleet) {
    let Some((_, data)) = fleet.place.page("all.plim") else {
        return;
    };
    let hosts = &data["steps"][0]["hosts"];
    assert_eq!(hosts["parts"].as_array().expect("parts").len(), 2);
    let lines = hosts["series"]["lines"].as_array().expect("lines");
    let numbers: Vec<u64> = lines.iter().filter_map(|l| l["host"].as_u64()).collect();
    assert_eq!(numbers, [1, 2]);
    for line in lines {
        let rates = line["rate"].as_array().expect("rates");
        assert!(rates.len() >= 3, "{line}");
        assert!(rates.iter().any(|r| r.as_f64() > Some(0.0)), "{line}");
    }
}
