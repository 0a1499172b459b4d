//! The page, the API and the metrics.

use crate::client::Client;
use crate::http_client::{JSON, ask, get};
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
    for part in ["luns", "paths", "connections"] {
        let alone: serde_json::Value =
            serde_json::from_str(&get(&stage, &format!("/api/{part}"))).unwrap();
        assert_eq!(alone.is_array(), status[part].is_array());
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
    assert_eq!(
        (status.paths[1].state, status.luns[0].snapshots),
        ("down", 1)
    );
    assert!(get(&stage, "/api/faults").contains("path"));
    let (_, second) = post("/api/snapshots", r#"{"lun": 0}"#);
    assert_eq!(second, r#"{"lun":0,"number":2}"#);
    let snapshots: serde_json::Value =
        serde_json::from_str(&get(&stage, "/api/snapshots")).unwrap();
    assert_eq!(
        (&snapshots[1]["lun"], &snapshots[1]["number"]),
        (&0.into(), &2.into())
    );
    let delete = |path: &str| ask(&stage, "DELETE", path, "", "").0;
    assert_eq!(delete("/api/snapshots/0/1"), 200);
    assert_eq!(delete("/api/snapshots/0/1"), 404);
    assert_eq!(delete("/api/snapshots/0"), 404);
    assert!(get(&stage, "/api/snapshots").starts_with(r#"[{"lun":0,"number":2,"#));
    assert!(snapshots[0]["at_ns"].as_u64() <= snapshots[1]["at_ns"].as_u64());
    let (code, message) = post("/api/faults", r#"{"fault": "path-down", "path": 9}"#);
    assert_eq!(code, 400, "{message}");
    assert_eq!(post("/api/faults", "{").0, 400);
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
    assert!(text.contains("plimsoll_lab_path_up{path=\"0\",state=\"up\"} 1\n"));
}

#[test]
fn the_page_asks_nobody_else_for_anything() {
    let page = get(&stage(), "/");
    assert!(page.starts_with("<!doctype html>"));
    assert!(!page.contains("http://") && !page.contains("https://"));
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
