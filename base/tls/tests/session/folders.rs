//! Folders that cannot be used say what is missing.

use crate::certificates::{Authority, Folder};
use plimsoll_tls::{Server, Trust, client};

fn as_client(folder: &Folder, name: &str) -> String {
    let trust = Trust {
        folder: Some(folder.path().to_owned()),
        anyone: false,
    };
    client(&trust, name).expect_err("refused").to_string()
}

fn as_server(folder: &Folder) -> String {
    let refused = Server::new(folder.path(), true).expect_err("refused");
    refused.to_string()
}

#[test]
fn a_file_that_is_missing_is_named_with_what_it_is_for() {
    let lab = Authority::new("lab");
    let server = as_server(&lab.folder());
    assert!(
        server.contains("has no server-cert.pem; a server has to have"),
        "{server}"
    );
    let alone = lab.client();
    std::fs::remove_file(alone.file("client-key.pem")).expect("removed");
    let client = as_client(&alone, "array");
    assert!(client.contains("has no client-key.pem"), "{client}");
    let empty = lab.folder();
    std::fs::remove_file(empty.file("ca-cert.pem")).expect("removed");
    let client = as_client(&empty, "array");
    assert!(client.contains("has no ca-cert.pem"), "{client}");
}

#[test]
fn a_file_that_is_something_else_is_refused() {
    let lab = Authority::new("lab");
    for (text, said) in [
        ("", "nothing of the kind"),
        ("no PEM", "nothing of the kind"),
        (
            "-----BEGIN CERTIFICATE-----\n",
            "ca-cert.pem holds no certificate in PEM",
        ),
        (
            "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
            "cannot be used",
        ),
    ] {
        let folder = lab.folder();
        folder.put("ca-cert.pem", text);
        let words = as_client(&folder, "array");
        assert!(words.contains(said), "{words}");
    }
    let endless = lab.folder();
    std::fs::remove_file(endless.file("ca-cert.pem")).expect("removed");
    std::os::unix::fs::symlink("/dev/zero", endless.file("ca-cert.pem")).expect("a link");
    let words = as_client(&endless, "array");
    assert!(words.contains("longer than 1 MiB"), "{words}");
}

#[test]
fn a_key_of_another_certificate_is_refused() {
    let lab = Authority::new("lab");
    let (one, other) = (lab.server(&["a"]), lab.server(&["a"]));
    std::fs::copy(other.file("server-key.pem"), one.file("server-key.pem")).expect("copied");
    let words = as_server(&one);
    assert!(words.contains("server-cert.pem cannot be used"), "{words}");
}

#[test]
fn a_name_that_no_certificate_can_have_is_refused() {
    let words = as_client(&Authority::new("lab").folder(), "two words");
    assert!(words.contains("tls-hostname=NAME"), "{words}");
}
