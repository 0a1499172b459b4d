//! Things that go wrong, as a client sees them.

use crate::client::Client;
use crate::stage::{Stage, soon};
use plimsoll_array::Fault;
use plimsoll_nbd::{Command, CommandFlags, ErrorCode};
use plimsoll_server::Server;
use std::io::ErrorKind;
use std::time::Duration;

const LUN: &str = "scale-out-flash-8/lun0";

fn inject(server: &Server, json: &str) {
    let fault: Fault = serde_json::from_str(json).unwrap();
    server.inject(&fault).unwrap();
}

fn try_read(client: &mut Client) -> std::io::Result<Option<ErrorCode>> {
    let answer = client.try_call(Command::Read, CommandFlags::empty(), 0, 4096, &[]);
    answer.map(|a| a.error)
}

#[test]
fn a_path_that_goes_down_hangs_up_and_takes_nobody_new_until_it_is_back() {
    let stage = Stage::new();
    let mut client = Client::connect(&stage.socket(0), LUN).unwrap();
    let mut other = Client::connect(&stage.socket(1), LUN).unwrap();
    inject(&stage.server, r#"{"fault": "path-down", "path": 0}"#);
    assert!(try_read(&mut client).is_err());
    assert!(Client::connect(&stage.socket(0), LUN).is_err());
    assert_eq!(try_read(&mut other).unwrap(), None);
    inject(&stage.server, r#"{"fault": "path-up", "path": 0}"#);
    let mut client = Client::connect(&stage.socket(0), LUN).unwrap();
    assert_eq!(try_read(&mut client).unwrap(), None);
}

#[test]
fn a_controller_that_goes_out_hangs_up_on_who_came_over_its_ports() {
    let stage = Stage::new();
    let mut client = Client::connect(&stage.socket(1), LUN).unwrap();
    let mut other = Client::connect(&stage.socket(0), LUN).unwrap();
    inject(
        &stage.server,
        r#"{"fault": "controller-failover", "controller": 1, "pause": "0s"}"#,
    );
    assert!(try_read(&mut client).is_err());
    assert_eq!(try_read(&mut other).unwrap(), None);
    let status = stage.server.status();
    assert_eq!(status.paths[1].state, "down");
    assert!(status.paths[1].controller_out && !status.cores[2].works);
    let back = r#"{"fault": "controller-back", "controller": 1}"#;
    inject(&stage.server, back);
    let mut client = Client::connect(&stage.socket(1), LUN).unwrap();
    assert_eq!(try_read(&mut client).unwrap(), None);
}

#[test]
fn a_silent_path_answers_nothing_and_keeps_the_connection() {
    let stage = Stage::new();
    let mut client = Client::connect(&stage.socket(0), LUN).unwrap();
    inject(
        &stage.server,
        r#"{"fault": "path-down", "path": 0, "silent": true}"#,
    );
    client.patience(Duration::from_millis(200));
    let error = try_read(&mut client).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::WouldBlock);
    // On a busy machine it may not even have been read by now.
    soon(|| stage.server.status().paths[0].failed == 1);
    inject(&stage.server, r#"{"fault": "path-up", "path": 0}"#);
    client.patience(Duration::from_secs(20));
    assert_eq!(try_read(&mut client).unwrap(), None);
    assert_eq!(stage.server.status().paths[0].failed, 1);
}

#[test]
fn an_injected_error_arrives_as_one_and_a_write_that_has_it_is_not_stored() {
    let stage = Stage::new();
    let mut client = Client::connect(&stage.socket(0), LUN).unwrap();
    client.write(0, &[1; 4096]);
    inject(&stage.server, r#"{"fault": "io-errors"}"#);
    assert_eq!(client.write(0, &[2; 4096]).error, Some(ErrorCode::Io));
    assert_eq!(client.read(0, 4096).error, Some(ErrorCode::Io));
    inject(&stage.server, r#"{"fault": "io-errors-over"}"#);
    assert_eq!(client.read(0, 4096).data, [1; 4096]);
    assert_eq!(stage.server.status().events.len(), 2);
}

#[test]
fn faults_come_at_the_times_of_a_script() {
    let script = r#"[{"at": "0s", "fault": "path-down", "path": 1, "for": "1h"}]"#;
    let stage = Stage::with(|o| o.faults = serde_json::from_str(script).unwrap());
    assert_eq!(stage.server.status().paths[1].state, "down");
    assert!(Client::connect(&stage.socket(1), LUN).is_err());
}

#[test]
fn replies_with_timing_on_leave_at_the_models_time_and_not_before() {
    let stage = Stage::with(|o| o.timing = true);
    let mut client = Client::connect(&stage.socket(0), LUN).unwrap();
    let start = std::time::Instant::now();
    for i in 0..20 {
        client.write(i * 4096, &[i as u8; 4096]);
    }
    let took = start.elapsed().as_nanos() as u64;
    // It is counted once it has left.
    soon(|| stage.server.status().lag.count == 20);
    let status = stage.server.status();
    assert!(took >= status.front_end.writes.array_ns, "{took}");
    // None left later than all of them took.
    let latest = status.lag.max_ns.expect("20 were counted");
    assert!(latest <= took, "{latest} of {took}");
}

#[test]
fn with_timing_off_the_array_keeps_up_with_any_load() {
    let stage = Stage::new();
    let mut client = Client::connect(&stage.socket(0), LUN).unwrap();
    for _ in 0..200 {
        assert_eq!(client.read(0, 16 << 20).error, None);
    }
    let reads = stage.server.status().front_end.reads;
    let mean = Duration::from_nanos(reads.array_ns / reads.count);
    // 16 MiB are 4096 chunks: some 90 ms of a twentieth of the array's cores, and what may be in front of it.
    assert!(mean < Duration::from_secs(1), "{mean:?}");
}
