//! Igroups and exports: what a client is shown, and what it is not.

use crate::client::Client;
use crate::http_client::{JSON, ask, get};
use crate::stage::Stage;
use plimsoll_array::Persona;
use plimsoll_server::Endpoint;
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;

/// A gateway of two adapters, each with a path: hca-a over a Unix socket, hca-b over TCP.
fn gateway() -> Stage {
    Stage::with(|o| {
        o.persona = Persona::named("flash-gateway").unwrap();
        o.lun_bytes = Some(16 << 20);
        o.endpoints[1] = Endpoint::Tcp("127.0.0.1:0".parse().unwrap());
        o.http = Some("127.0.0.1:0".parse().unwrap());
    })
}

fn lun(number: u32) -> String {
    format!("flash-gateway/lun{number}")
}

fn over_tcp(stage: &Stage) -> TcpStream {
    let Endpoint::Tcp(address) = stage.server.endpoints()[1] else {
        panic!("the second path is TCP");
    };
    TcpStream::connect(address).unwrap()
}

fn over_unix(stage: &Stage) -> UnixStream {
    UnixStream::connect(stage.socket(0)).unwrap()
}

/// The LUNs that a server lists.
fn list(mut socket: impl Read + Write) -> Vec<u32> {
    let number = |bytes: &[u8]| u32::from_be_bytes(bytes.try_into().unwrap());
    socket.read_exact(&mut [0; 18]).unwrap();
    let option = [
        &3_u32.to_be_bytes()[..],
        b"IHAVEOPT",
        &3_u32.to_be_bytes(),
        &[0; 4],
    ]
    .concat();
    socket.write_all(&option).unwrap();
    let mut luns = Vec::new();
    loop {
        let mut head = [0; 20];
        socket.read_exact(&mut head).unwrap();
        let mut data = vec![0; number(&head[16..]) as usize];
        socket.read_exact(&mut data).unwrap();
        match number(&head[12..16]) {
            1 => return luns,
            2 => {
                let name = &data[4..4 + number(&data[..4]) as usize];
                let name = std::str::from_utf8(name).unwrap();
                luns.push(name.rsplit_once("lun").unwrap().1.parse().unwrap());
            }
            other => panic!("{other}"),
        }
    }
}

fn call(stage: &Stage, method: &str, path: &str, body: Value) -> (u16, Value) {
    let (code, body) = ask(stage, method, path, JSON, &body.to_string());
    (code, serde_json::from_str(&body).unwrap())
}

fn exports(stage: &Stage) -> Vec<Value> {
    serde_json::from_str(&get(stage, "/api/exports")).unwrap()
}

/// Removes the persona's own exports.
fn close(stage: &Stage) {
    for export in exports(stage) {
        let path = format!("/api/exports/{}", export["id"]);
        assert_eq!(call(stage, "DELETE", &path, Value::Null).0, 200);
    }
}

#[test]
fn at_first_everyone_has_every_lun_over_both_adapters() {
    let stage = gateway();
    // By their LUN ids, of which the first two are the third's and the fourth's.
    let all = [2, 3, 0, 1, 4, 5, 6, 7];
    assert_eq!(list(over_unix(&stage)), all);
    assert_eq!(list(over_tcp(&stage)), all);
    let shown = exports(&stage);
    let rows = shown.iter().flat_map(|e| e["ports"].as_array().unwrap());
    assert_eq!(rows.count(), 16);
    assert!(shown.iter().all(|e| e["status"] == "HA"));
    let igroups = serde_json::from_str::<Value>(&get(&stage, "/api/igroups")).unwrap();
    assert_eq!(igroups[0], json!({ "name": "all", "initiators": ["*"] }));
    assert_eq!(igroups[1]["name"], "IB_SLES");
    assert_eq!(
        igroups[1]["initiators"][0],
        "guid.0000:c903:0057:8290@192.0.2.90"
    );
}

#[test]
fn a_client_lists_finds_and_gets_by_default_only_what_is_exported_to_it_there() {
    let stage = gateway();
    close(&stage);
    assert!(list(over_unix(&stage)).is_empty());
    assert!(Client::connect(&stage.socket(0), "").is_err());
    for (igroup, initiator) in [("local", "unix"), ("net", "127.0.0.0/8")] {
        let group = json!({ "name": igroup, "initiators": [initiator] });
        assert_eq!(call(&stage, "POST", "/api/igroups", group).0, 200);
    }
    for export in [
        json!({ "lun": 3, "igroup": "local", "lun_id": 2 }),
        json!({ "lun": 5, "igroup": "local", "lun_id": 1, "ports": ["hca-a"] }),
        json!({ "lun": 6, "igroup": "local", "ports": ["hca-b"] }),
        json!({ "lun": 7, "igroup": "net" }),
    ] {
        assert_eq!(call(&stage, "POST", "/api/exports", export).0, 200);
    }
    assert_eq!(list(over_unix(&stage)), [5, 3]);
    assert_eq!(list(over_tcp(&stage)), [7]);
    for hidden in [0, 6, 7] {
        assert!(Client::connect(&stage.socket(0), &lun(hidden)).is_err());
    }
    Client::connect(&stage.socket(0), &lun(3)).unwrap();
    // The default is the one with the lowest LUN id.
    let mut client = Client::connect(&stage.socket(0), "").unwrap();
    client.write(0, &[9; 4096]);
    assert_eq!(stage.server.status().luns[5].writes.count, 1);
}

#[test]
fn removing_an_export_hangs_up_on_its_sessions_and_on_no_others() {
    let stage = gateway();
    let mut kept = Client::connect(&stage.socket(0), &lun(1)).unwrap();
    let mut lost = Client::connect(&stage.socket(0), &lun(0)).unwrap();
    // Who has had an answer is known to have a LUN; the handshake's last word comes before that.
    for client in [&mut kept, &mut lost] {
        assert_eq!(client.read(0, 4096).error, None);
    }
    let id = exports(&stage)[0]["id"].clone();
    assert_eq!(
        call(&stage, "DELETE", &format!("/api/exports/{id}"), Value::Null).0,
        200
    );
    // Nobody is left there by the time of the answer.
    let open = stage.server.status().connections.open;
    assert_eq!(open.iter().map(|c| c.lun).collect::<Vec<_>>(), [Some(1)]);
    assert!(lost.try_read(0, 4096).is_err());
    assert!(Client::connect(&stage.socket(0), &lun(0)).is_err());
    assert_eq!(kept.read(0, 4096).error, None);
}

#[test]
fn whoever_leaves_an_igroup_loses_its_sessions_unless_another_export_keeps_them() {
    let stage = gateway();
    let local = |initiators: &[&str]| {
        let group = json!({ "name": "local", "initiators": initiators });
        assert_eq!(call(&stage, "POST", "/api/igroups", group).0, 200);
    };
    local(&["unix"]);
    let id = exports(&stage)[0]["id"].clone();
    let again = json!({ "lun": 0, "igroup": "local" });
    assert_eq!(call(&stage, "POST", "/api/exports", again).0, 200);
    let mut client = Client::connect(&stage.socket(0), &lun(0)).unwrap();
    assert_eq!(
        call(&stage, "DELETE", &format!("/api/exports/{id}"), Value::Null).0,
        200
    );
    assert_eq!(client.read(0, 4096).error, None);
    local(&["192.0.2.1"]);
    assert!(client.try_read(0, 4096).is_err());
}

#[test]
fn an_export_is_degraded_over_one_adapter_and_down_over_none() {
    let stage = gateway();
    let after = |path| {
        let fault = json!({ "fault": "path-down", "path": path });
        assert_eq!(call(&stage, "POST", "/api/faults", fault).0, 200);
        exports(&stage)[0]["status"].clone()
    };
    assert_eq!(after(0), "degraded");
    assert_eq!(after(1), "down");
    let metrics = get(&stage, "/metrics");
    assert!(
        metrics.contains("plimsoll_lab_exports{status=\"down\"} 8\n"),
        "{metrics}"
    );
    assert_eq!(stage.server.status().paths[1].port, "hca-b");
}

/// Requests, and how they are refused: method, path, body, code, and words of the reason.
const REFUSED: &str = r#"
POST /api/igroups {"name":"a\u0020b","initiators":[]} 400 no name for
POST /api/igroups {"name":"a","initiators":["x"]} 400 unix:UID
POST /api/igroups {"name":"all","initiators":[]} 409 stays so
DELETE /api/igroups/all - 409 stays so
DELETE /api/igroups/db - 404 no igroup "db"
PUT /api/igroups - 405 method
POST /api/exports {"lun":0} 409 already, by export 1
POST /api/exports {"lun":8} 400 the array has 8
POST /api/exports {"lun":0,"igroup":"db"} 400 no igroup
POST /api/exports {"lun":0,"ports":["fc0"]} 400 hca-a, hca-b
POST /api/exports {"lun":0,"ports":[]} 400 needs a port
DELETE /api/exports/99 - 404 no export 99
DELETE /api/exports/all - 404 numbers
GET /api/exports/1 - 405 method
GET /api/exports/1/2 - 404 nothing here
"#;

#[test]
fn what_cannot_be_is_refused_in_a_sentence() {
    let stage = gateway();
    for line in REFUSED.trim().lines() {
        let words: Vec<&str> = line.splitn(5, ' ').collect();
        let [method, path, body, code, says] = words[..] else {
            panic!("{line}");
        };
        let body = serde_json::from_str(body).unwrap_or(Value::Null);
        let (found, answer) = call(&stage, method, path, body);
        let error = answer["error"].as_str().unwrap();
        assert!(
            found.to_string() == code && error.contains(says),
            "{method} {path}: {found} {error}"
        );
    }
    let group = json!({ "name": "used", "initiators": ["*"] });
    call(&stage, "POST", "/api/igroups", group);
    let export = json!({ "lun": 0, "igroup": "used", "lun_id": 70 });
    assert_eq!(
        call(&stage, "POST", "/api/exports", export).1,
        json!({ "id": 9 })
    );
    assert_eq!(
        call(&stage, "DELETE", "/api/igroups/used", Value::Null).0,
        409
    );
    assert_eq!(call(&stage, "DELETE", "/api/exports/9", Value::Null).0, 200);
    assert_eq!(
        call(&stage, "DELETE", "/api/igroups/used", Value::Null).0,
        200
    );
}
