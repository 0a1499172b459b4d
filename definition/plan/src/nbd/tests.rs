//! Addresses that are read as they are written, and what others are told.

use super::*;

#[test]
fn an_address_is_read_as_it_is_written() {
    for text in [
        "nbd://array:10809/scale-out-flash-8/lun3",
        "nbd://[fd00::1]:7/",
        "nbd+unix:///a%20b%2Cc?socket=/run/my%20nbd.sock",
        "nbd://127.0.0.1:10809/x,nbd://127.0.0.1:10810/x,nbd+unix:///x?socket=/s",
        "nbds://array:10809/lun3",
        "nbds://10.0.0.1:10809/?tls-certificates=/etc/pki/my%20lab&tls-hostname=array",
        "nbds+unix:///x?socket=/s&tls-certificates=/c&tls-verify-peer=false",
    ] {
        let target: NbdTarget = text.parse().unwrap_or_else(|e| panic!("{text}: {e}"));
        assert_eq!(target.to_string(), text);
    }
    let short: NbdUri = "nbd://".parse().unwrap();
    assert_eq!(short.to_string(), "nbd://localhost:10809/");
    let odd: NbdUri = "nbd+unix://?socket=/s".parse().unwrap();
    assert_eq!(odd.export, "");
}

#[test]
fn tls_is_asked_for_by_its_scheme_and_checks_who_answers_unless_it_is_told_not_to() {
    let uri = |text: &str| text.parse::<NbdUri>().unwrap();
    assert_eq!(uri("nbd://a/b").tls, None);
    assert_eq!(uri("nbds://a/b").tls, Some(NbdTls::default()));
    assert!(uri("nbds://a/b").tls.unwrap().verify_peer);
    for (value, checks) in [("no", false), ("FALSE", false), ("0", false), ("yes", true)] {
        let tls = uri(&format!("nbds://a/b?tls-verify-peer={value}")).tls;
        assert_eq!(tls.unwrap().verify_peer, checks, "{value}");
    }
    let name = |text: &str| uri(text).tls_name().to_string();
    assert_eq!(name("nbds://array/b"), "array");
    assert_eq!(name("nbds://[fd00::1]/b"), "fd00::1");
    assert_eq!(name("nbds+unix:///b?socket=/s"), "localhost");
    assert_eq!(name("nbds://10.0.0.1/b?tls-hostname=array"), "array");
}

#[test]
fn what_is_no_address_says_what_would_be() {
    for (text, said) in [
        ("nbds+vsock://2/b", "needs AF_VSOCK"),
        ("nbdx://a/b", "is no NBD address"),
        ("nbd://a/b?tls-certificates=/c", "write nbds:// for nbd://"),
        (
            "nbd+unix:///b?socket=/s&tls-verify-peer=false",
            "nbds+unix://",
        ),
        ("nbds://a/b?tls-certificates=", "tls-certificates=DIR"),
        ("nbds://a/b?tls-hostname=", "tls-hostname=NAME"),
        ("nbds://a/b?tls-verify-peer", "tls-verify-peer=false"),
        ("nbds://a/b?tls-verify-peer=flase", "tls-verify-peer=false"),
        ("nbds://a/b?tls-verify=1", "did you mean `tls-verify-peer`?"),
        ("nbds://a/b?tls-psk-file=/k", "pre-shared keys"),
        ("nbds://a/b?socket=/s", "no parameter `socket`"),
        ("nbd://a:0/b", "no port"),
        ("nbd://a:x/b", "no port"),
        ("nbd://me@a/b", "no users"),
        ("nbd+unix:///b", "needs a socket"),
        ("nbd+unix:///b?socket=", "needs a socket"),
        ("nbd+unix://host/b?socket=/s", "three slashes"),
        ("nbd+unix:///b?soket=/s", "did you mean `socket`?"),
        ("nbd://a/b?tls=1", "no parameter `tls`"),
        ("nbd://a/100%", "%25"),
        ("nbd://a/%ff", "%25"),
        ("nbd://a/b,/dev/sda", "is no NBD address"),
        ("nbd://a/b,nbd://a:10809/b", "named twice"),
    ] {
        let error = text.parse::<NbdTarget>().unwrap_err().to_string();
        assert!(error.contains(said), "{text}: {error}");
    }
}

#[test]
fn one_path_has_a_disks_deadline_and_several_a_shorter_one() {
    let target = |text: &str| text.parse::<NbdTarget>().unwrap();
    assert_eq!(target("nbd://a/b").deadline(), Nanos::secs(30));
    assert_eq!(target("nbd://a/b,nbd://c/b").deadline(), Nanos::secs(5));
}
