//! Who is let in, and who is not.

use crate::certificates::{Age, Authority, Folder};
use crate::wire::{greet, sides};
use plimsoll_tls::{Server, Trust, client};

/// Complaints of the client and of the server about a handshake; empty where it is done.
fn met(trust: &Trust, name: &str, serves: &Folder, verify_peer: bool) -> [String; 2] {
    let server = Server::new(serves.path(), verify_peer).expect("certificates");
    let client = client(trust, name).expect("certificates");
    let (mut client, mut server) = sides(client, server.session().expect("a session"));
    let words =
        greet(&mut client, &mut server).map(|r| r.err().map_or(String::new(), |e| e.to_string()));
    // A server's refusal of a client's certificate comes after the client's handshake.
    match client.read_all() {
        Err(e) if words[0].is_empty() => [e.to_string(), words[1].clone()],
        _ => words,
    }
}

fn trusting(folder: &Folder) -> Trust {
    Trust {
        folder: Some(folder.path().to_owned()),
        anyone: false,
    }
}

const DONE: [&str; 2] = ["", ""];

#[test]
fn a_name_and_an_address_of_the_certificate_are_taken_and_no_others() {
    let lab = Authority::new("lab");
    let (ca, server) = (lab.folder(), lab.server(&["array", "10.0.0.1", "fd00::1"]));
    for name in ["array", "10.0.0.1", "fd00::1"] {
        assert_eq!(met(&trusting(&ca), name, &server, false), DONE, "{name}");
    }
    for name in ["other", "10.0.0.2", "arra"] {
        let [client, server] = met(&trusting(&ca), name, &server, false);
        assert!(client.contains("tls-hostname=NAME"), "{client}");
        assert!(!server.is_empty());
    }
}

#[test]
fn a_server_of_another_authority_is_refused() {
    let lab = Authority::new("lab");
    // One that calls itself the same does not become the same.
    for name in ["another", "lab"] {
        let server = Authority::new(name).server(&["array"]);
        let [client, server] = met(&trusting(&lab.folder()), "array", &server, false);
        assert!(client.contains("did not issue it"), "{client}");
        assert!(!server.is_empty());
    }
}

#[test]
fn a_certificate_whose_time_is_over_is_refused() {
    let lab = Authority::new("lab");
    let server = lab.server_of_age(&["array"], Age::Expired);
    let [client, _] = met(&trusting(&lab.folder()), "array", &server, false);
    assert!(client.contains("expired"), "{client}");
}

#[test]
fn a_certificate_that_was_taken_back_is_refused() {
    let lab = Authority::new("lab");
    let (ca, server) = (lab.folder(), lab.server(&["array"]));
    assert_eq!(met(&trusting(&ca), "array", &server, false), DONE);
    lab.revoke_servers(&ca);
    let [client, _] = met(&trusting(&ca), "array", &server, false);
    assert!(client.contains("Revoked"), "{client}");
}

#[test]
fn anyone_is_trusted_only_where_that_is_asked_for() {
    let server = Authority::new("unknown").server(&["x"]);
    let anyone = Trust {
        folder: None,
        anyone: true,
    };
    assert_eq!(met(&anyone, "array", &server, false), DONE);
}

#[test]
fn a_server_that_wants_to_know_its_clients_refuses_those_without_a_certificate() {
    let lab = Authority::new("lab");
    let server = lab.server(&["array"]);
    assert_eq!(met(&trusting(&lab.client()), "array", &server, true), DONE);
    let [client, refusal] = met(&trusting(&lab.folder()), "array", &server, true);
    assert!(client.contains("client-cert.pem"), "{client}");
    assert!(!refusal.is_empty());
    // One from elsewhere is as good as none.
    let stranger = Authority::new("other").client();
    std::fs::copy(
        lab.folder().file("ca-cert.pem"),
        stranger.file("ca-cert.pem"),
    )
    .expect("copied");
    let [client, refusal] = met(&trusting(&stranger), "array", &server, true);
    assert!(
        !client.is_empty() && !refusal.is_empty(),
        "{client} {refusal}"
    );
}
