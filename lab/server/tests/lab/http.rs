//! The page, the API and the metrics.

use crate::client::Client;
use crate::http_client::{JSON, ask, ask_as, get};
use crate::stage::Stage;
use std::io::{Read, Write};
use std::net::TcpStream;

fn stage() -> Stage {
    Stage::with(|o| o.http = Some("127.0.0.1:0".parse().unwrap()))
}

#[test]
fn the_status_counts_what_clients_did() {
    let stage = stage();
    let mut client = Client::connect(&stage.socket(1), "scale-out-flash-8/lun2").unwrap();
    client.write(0, &[3; 262_144]);
    client.read(0, 4096);
    let status: serde_json::Value = serde_json::from_str(&get(&stage, "/api/status")).unwrap();
    assert_eq!(status["front_end"]["writes"]["bytes"], 262_144);
    assert_eq!(
        status["luns"][2]["write_sizes"],
        serde_json::json!([[262_144, 1]])
    );
    assert_eq!(status["paths"][1]["requests"], 2);
    assert_eq!(status["cores"].as_array().unwrap().len(), 8);
    assert_eq!(status["connections"]["open"][0]["lun"], 2);
    // Of one LUN alone it is what the array has of all.
    let sum = |of: &serde_json::Value| -> u64 {
        of.as_object()
            .unwrap()
            .values()
            .filter_map(|n| n.as_u64())
            .sum()
    };
    for places in ["read_source", "write_destination"] {
        assert_eq!(status["luns"][2][places], status[places]);
        assert_eq!(sum(&status["luns"][1][places]), 0);
        assert!(sum(&status[places]) > 0);
    }
    let history: serde_json::Value = serde_json::from_str(&get(&stage, "/api/history")).unwrap();
    assert_eq!(history[0]["at_ns"], 0);
    for part in ["luns", "paths", "connections", "history"] {
        let alone: serde_json::Value =
            serde_json::from_str(&get(&stage, &format!("/api/{part}"))).unwrap();
        assert_eq!(
            alone.is_array(),
            part == "history" || status[part].is_array()
        );
    }
}

#[test]
fn faults_and_snapshots_can_be_asked_for() {
    let stage = stage();
    let post = |path, body| ask(&stage, "POST", path, JSON, body);
    assert_eq!(
        post("/api/faults", r#"{"fault": "path-down", "path": 1}"#).0,
        200
    );
    assert_eq!(post("/api/snapshots", r#"{"lun": 0}"#).0, 200);
    let status = stage.server.status();
    assert_eq!(status.paths[1].state, "down");
    assert_eq!(status.luns[0].snapshots, 1);
    assert!(get(&stage, "/api/faults").contains("path"));
    let (_, second) = post("/api/snapshots", r#"{"lun": 0}"#);
    assert_eq!(second, r#"{"lun":0,"number":2}"#);
    let snapshots: serde_json::Value =
        serde_json::from_str(&get(&stage, "/api/snapshots")).unwrap();
    assert_eq!(snapshots[1]["lun"], 0);
    assert_eq!(snapshots[1]["number"], 2);
    let delete = |path: &str| ask(&stage, "DELETE", path, "", "").0;
    assert_eq!(delete("/api/snapshots/0/1"), 200);
    assert_eq!(delete("/api/snapshots/0/1"), 404);
    assert_eq!(delete("/api/snapshots/0"), 404);
    assert!(get(&stage, "/api/snapshots").starts_with(r#"[{"lun":0,"number":2,"#));
    assert!(snapshots[0]["at_ns"].as_u64() <= snapshots[1]["at_ns"].as_u64());
    let (code, message) = post("/api/faults", r#"{"fault": "path-down", "path": 9}"#);
    assert_eq!(code, 400, "{message}");
    assert_eq!(post("/api/faults", "{").0, 400);
    for range in [
        r#"{"fault": "io-errors", "from": 8192, "to": 4096}"#,
        r#"{"fault": "io-errors", "from": 4096, "to": 4096}"#,
    ] {
        let (code, message) = post("/api/faults", range);
        assert_eq!(code, 400, "{message}");
        assert!(
            message.contains(" up to 4096; let `from` be less than `to`"),
            "{message}"
        );
    }
    let range = r#"{"fault": "io-errors", "from": 4096, "to": 8192}"#;
    assert_eq!(post("/api/faults", range).0, 200);
    assert_eq!(post("/api/snapshots", r#"{"lun": 99}"#).0, 400);
}

#[test]
fn pages_of_others_cannot_do_anything_here() {
    let stage = stage();
    let body = r#"{"fault": "path-down", "path": 0}"#;
    assert_eq!(
        ask(&stage, "POST", "/api/faults", "text/plain", body).0,
        415
    );
    assert_eq!(stage.server.status().paths[0].state, "up");
}

#[test]
fn metrics_are_lines_of_names_labels_and_numbers() {
    let stage = stage();
    let text = get(&stage, "/metrics");
    for line in text.lines().filter(|l| !l.starts_with('#')) {
        let (name, value) = line.rsplit_once(' ').unwrap();
        assert!(name.starts_with("plimsoll_lab_"), "{line}");
        value.parse::<f64>().unwrap();
    }
    assert!(text.contains("plimsoll_lab_path_up{path=\"0\",port=\"0\",state=\"up\"} 1\n"));
}

#[test]
fn the_page_asks_nobody_else_for_anything_and_has_no_script_or_style_in_it() {
    let stage = stage();
    let page = get(&stage, "/");
    assert!(page.starts_with("<!doctype html>"));
    for part in ["/", "/page.js", "/page.css"] {
        let text = get(&stage, part);
        assert!(!text.contains("http://") && !text.contains("https://"));
    }
    assert!(page.contains("<script src=\"page.js\" defer></script>"));
    for inline in ["<script>", "<style", "style=", "javascript:", " on"] {
        let found = page
            .matches(inline)
            .filter(|_| inline != " on" || page.contains(" onclick"));
        assert_eq!(found.count(), 0, "{inline}");
    }
}

#[test]
fn every_answer_tells_a_browser_what_it_may_do_with_it() {
    let stage = stage();
    let host = format!("Host: {}\r\n", stage.server.http().unwrap());
    for (path, headers) in [
        ("/", &*host),
        ("/api/status", &host),
        ("/none", &host),
        ("/", ""),
    ] {
        let (head, _) = ask_as(&stage, "GET", path, headers, "");
        let head = head.to_ascii_lowercase();
        let policy = head
            .lines()
            .find(|l| l.starts_with("content-security-policy:"));
        let policy = policy.unwrap();
        assert!(policy.contains("default-src 'none'") && policy.contains("script-src 'self'"));
        assert!(policy.contains("frame-ancestors 'none'") && !policy.contains("unsafe"));
        for line in [
            "x-frame-options: deny",
            "x-content-type-options: nosniff",
            "referrer-policy: same-origin",
            "cache-control: no-store",
        ] {
            assert!(head.lines().any(|l| l == line), "{line} in {head}");
        }
    }
}

#[test]
fn a_name_that_somebody_let_point_here_is_not_answered_and_changes_nothing() {
    let stage = Stage::with(|o| {
        o.http = Some("127.0.0.1:0".parse().unwrap());
        o.http_hosts = vec!["lab.example".to_owned(), "scraped.example:80".to_owned()];
    });
    let port = stage.server.http().unwrap().port();
    let body = r#"{"fault": "path-down", "path": 0}"#;
    let code = |method: &str, path: &str, headers: String| {
        let (head, body) = ask_as(&stage, method, path, &headers, body);
        (head[9..12].parse::<u16>().unwrap(), body)
    };
    let json = "Content-Type: application/json\r\n";
    for host in [
        format!("Host: rebound.example:{port}\r\n"),
        format!("Host: 127.0.0.1:{}\r\n", port ^ 1),
        "Host: 127.0.0.1\r\n".to_owned(),
        String::new(),
    ] {
        let (status, says) = code("POST", "/api/faults", format!("{host}{json}"));
        assert_eq!(status, 421, "{host}: {says}");
        let (status, says) = code("GET", "/api/status", host);
        assert!(status == 421 && says.len() < 300, "{says}");
    }
    let twice = format!("Host: localhost:{port}\r\nHost: rebound.example:{port}\r\n");
    assert_eq!(code("GET", "/api/status", twice).0, 400);
    let own = format!("Host: localhost:{port}\r\n{json}");
    for from in [
        "Origin: http://evil.example\r\n",
        "Origin: null\r\n",
        "Sec-Fetch-Site: cross-site\r\n",
    ] {
        assert_eq!(code("POST", "/api/faults", format!("{own}{from}")).0, 403);
        assert_eq!(
            code("DELETE", "/api/exports/1", format!("{own}{from}")).0,
            403
        );
    }
    let almost = format!("Host: localhost:{port}\r\nContent-Type: application/jsonp\r\n");
    assert_eq!(code("POST", "/api/faults", almost).0, 415);
    assert_eq!(stage.server.status().paths[0].state, "up");
    assert_eq!(stage.server.status().exports.len(), 32);
    for host in [
        format!("Host: lab.example:{port}\r\n"),
        "Host: scraped.example\r\n".to_owned(),
    ] {
        assert_eq!(code("GET", "/metrics", host).0, 200);
    }
    let page = format!("{own}Origin: http://localhost:{port}\r\nSec-Fetch-Site: same-origin\r\n");
    assert_eq!(code("POST", "/api/faults", page).0, 200);
    assert_eq!(stage.server.status().paths[0].state, "down");
}

#[test]
fn slow_clients_do_not_shut_the_page_out() {
    let stage = stage();
    let address = stage.server.http().unwrap();
    // Three times as many as are served at a time: some say nothing, some do not end.
    let slow: Vec<_> = (0..96)
        .map(|n| {
            let mut socket = TcpStream::connect(address).unwrap();
            if n % 2 == 0 {
                // It may have had to go already.
                let _ = socket.write_all(b"GET / HTTP/1.1\r\nHost: a");
            }
            socket
        })
        .collect();
    for _ in 0..10 {
        get(&stage, "/api/paths");
    }
    let threads = || {
        let names = std::fs::read_dir("/proc/self/task").unwrap();
        let name = |t: std::io::Result<std::fs::DirEntry>| {
            std::fs::read_to_string(t.unwrap().path().join("comm")).unwrap_or_default()
        };
        names
            .map(name)
            .filter(|n| n.starts_with("lab http client"))
            .count()
    };
    // Other tests have servers as well, but theirs have no slow clients.
    assert!(threads() <= 32 + 32, "{}", threads());
    drop(slow);
}

#[test]
fn what_can_be_made_over_the_api_has_an_end_and_the_status_stays_small() {
    let stage = stage();
    let post = |path: &str, body: &str| ask(&stage, "POST", path, JSON, body);
    let initiators: Vec<String> = (0..16)
        .map(|n| format!("\"2001:db8::{n:x}:1234:5678\""))
        .collect();
    let made = (0..300).filter(|n| {
        let body = format!(
            r#"{{"name": "group-{n:0>50}", "initiators": [{}]}}"#,
            initiators.join(",")
        );
        let (status, says) = post("/api/igroups", &body);
        assert!(
            status == 200 || status == 409 && says.contains("at most 256 igroups"),
            "{says}"
        );
        status == 200
    });
    assert_eq!(made.count(), 255);
    let mut last = (200, String::new());
    for n in 0..1100 {
        let (group, lun) = (n / 32, n % 32);
        last = post(
            "/api/exports",
            &format!(r#"{{"lun": {lun}, "igroup": "group-{group:0>50}"}}"#),
        );
    }
    assert!(last.0 == 409 && last.1.contains("exports"), "{last:?}");
    let again = |times: u32, body: &str| {
        let mut last = post("/api/faults", body);
        (1..times).for_each(|_| last = post("/api/faults", body));
        last
    };
    let errors = r#"{"fault": "io-errors", "rate": 0.0, "for": "1000h"}"#;
    let (refused, says) = again(70, errors);
    assert!(refused == 409 && says.contains("64"), "{says}");
    let slow = r#"{"fault": "path-slow", "path": 0, "by": "0s", "for": "1000h"}"#;
    let (refused, says) = again(1100, slow);
    assert!(refused == 409 && says.contains("1024"), "{says}");
    assert_eq!(
        post("/api/faults", r#"{"fault": "path-up", "path": 0}"#).0,
        409
    );
    let status = get(&stage, "/api/status");
    assert!(status.len() < 1_500_000, "{}", status.len());
}

#[test]
fn what_is_not_there_or_not_http_gets_its_own_answer() {
    let stage = stage();
    assert_eq!(ask(&stage, "GET", "/nothing", "", "").0, 404);
    assert_eq!(ask(&stage, "DELETE", "/api/status", "", "").0, 405);
    let mut socket = TcpStream::connect(stage.server.http().unwrap()).unwrap();
    socket
        .write_all(b"\x16\x03\x01\x02\0\x01\0\r\n\r\n")
        .unwrap();
    let mut answer = String::new();
    // The rest of what we sent may be unread: a reset after the answer is fine.
    let _ = socket.read_to_string(&mut answer);
    assert!(answer.starts_with("HTTP/1.1 400 "), "{answer}");
    get(&stage, "/api/status");
}
