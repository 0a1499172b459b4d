//! TLS between the program, its lab, and other people's servers and clients, where they are installed.

use crate::certificates::{Age, Authority, Folder};
use crate::place::{MIB, QUICK, TestFolder, typed};
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Output, Stdio};

/// A lab on loopback that has said where it is; it ends with this.
struct Lab {
    child: Child,
    printed: String,
}

impl Drop for Lab {
    fn drop(&mut self) {
        // One that has ended already needs no end.
        let _ = (self.child.kill(), self.child.wait());
    }
}

impl Lab {
    fn serve(place: &TestFolder, words: &[&str]) -> Self {
        let array = ["lab", "serve", "single-ssd", "--size", "16m", "--no-timing"];
        let mut child = place
            .command(&[&array[..], words].concat())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let mut printed = String::new();
        let mut out = BufReader::new(child.stdout.take().expect("piped"));
        while !printed.contains("Ctrl-C") {
            let n = out.read_line(&mut printed).expect("text");
            assert!(n > 0, "ended early: {printed}");
        }
        Lab { child, printed }
    }

    fn secret(place: &TestFolder, serves: &Folder, more: &[&str]) -> Self {
        let tls = ["--tls-certificates", &serves.text()];
        let there = ["--listen", "127.0.0.1:0"];
        Lab::serve(place, &[&tls[..], &there, more].concat())
    }

    /// The address that it said.
    fn uri(&self) -> &str {
        let line = self.printed.lines().find_map(|l| l.strip_prefix("path 0"));
        line.expect("a path").trim()
    }
}

/// An address, with the folder of those that are trusted.
fn trusting(uri: &str, folder: &Folder) -> String {
    format!("{uri}?tls-certificates={}", folder.text())
}

/// Runs a program; `None`, said, when it is not installed.
fn run(program: &str, words: &[&str]) -> Option<Output> {
    let output = Command::new(program)
        .args(words)
        .stdin(Stdio::null())
        .output();
    if let Err(error) = &output {
        plimsoll_skipped::skipped!("{program}: {error}");
    }
    output.ok()
}

#[test]
fn a_lab_with_tls_is_measured_through_it_and_not_without() {
    let place = TestFolder::new();
    let authority = Authority::new("lab");
    let (serves, trusts) = (authority.server(&["127.0.0.1"]), authority.folder());
    let lab = Lab::secret(&place, &serves, &["--paths", "1"]);
    let uri = lab.uri();
    assert!(uri.starts_with("nbds://127.0.0.1:"), "{uri}");
    let target = trusting(uri, &trusts);
    let quick = |target: &str, words: &[&str]| {
        let all = ["run", target, "--no-record", "--json"];
        place.quick(&[&all[..], words].concat())
    };
    quick(&target, &["--read", "0", "--block", "64k"]).ok();
    // Two ways through TLS are two paths.
    let both = format!("{target},{target}&tls-hostname=127.0.0.1");
    let done = quick(&both, &["--read", "50", "--destroy", &both]).ok();
    let paths = &done.json()["steps"][0]["paths"][0]["paths"];
    let ios = |path: usize| paths[path]["ios"].as_u64();
    assert!(ios(0) > Some(0) && ios(1) > Some(0), "{paths}");
    let plain = uri.replace("nbds", "nbd");
    quick(&plain, &["--read", "100"]).refused(&["TLS is required", "write nbds:// for nbd://"]);
    quick(uri, &["--read", "100"]).refused(&["tls-certificates=DIR"]);
    let stranger = Authority::new("lab").folder();
    quick(&trusting(uri, &stranger), &["--read", "100"]).refused(&["did not issue it"]);
    let named = uri.replace("127.0.0.1", "localhost");
    quick(&trusting(&named, &trusts), &["--read", "100"]).refused(&["tls-hostname=NAME"]);
    let anyone = format!("{uri}?tls-verify-peer=false");
    quick(&anyone, &["--read", "0", "--destroy", &anyone]).ok();
}

#[test]
fn a_definition_names_a_target_with_tls() {
    let place = TestFolder::new();
    let authority = Authority::new("lab");
    let (serves, trusts) = (authority.server(&["127.0.0.1"]), authority.folder());
    let lab = Lab::secret(&place, &serves, &[]);
    let target = trusting(lab.uri(), &trusts);
    let target = format!("[target.lun]\npath = [\"{target}\"]\n");
    let rest = "[workload.w]\nread = 0\n[[run]]\nfor = \"300ms\"\nwarmup = \"0s\"\n";
    place.text("lab.toml", &format!("{target}{rest}"));
    place.plimsoll("run lab.toml --no-record").ok();
}

#[test]
fn a_lab_whose_certificate_is_over_or_without_tls_is_refused() {
    let place = TestFolder::new();
    let authority = Authority::new("lab");
    let trusts = authority.folder();
    let old = authority.server_of_age(&["127.0.0.1"], Age::Expired);
    let lab = Lab::secret(&place, &old, &[]);
    let target = trusting(lab.uri(), &trusts);
    place
        .quick(&format!("run {target} --no-record"))
        .refused(&["expired"]);
    let plain = Lab::serve(&place, &["--listen", "127.0.0.1:0"]);
    assert!(plain.uri().starts_with("nbd://"));
    let target = trusting(&plain.uri().replace("nbd", "nbds"), &trusts);
    let refused = place.quick(&format!("run {target} --no-record"));
    refused.refused(&["the server has no TLS", "never goes on without"]);
}

#[test]
fn nbd_tools_of_others_read_back_what_they_wrote_to_the_lab_through_tls() {
    let place = TestFolder::new();
    let authority = Authority::new("lab");
    let (serves, trusts) = (authority.server(&["127.0.0.1"]), authority.folder());
    let lab = Lab::secret(&place, &serves, &[]);
    let uri = trusting(lab.uri(), &trusts);
    let from = place.foreign("from", 16 * MIB);
    let (from, to) = (from.display().to_string(), place.path("to"));
    let Some(info) = run("nbdinfo", &[&uri]) else {
        return;
    };
    let printed = String::from_utf8_lossy(&info.stdout).into_owned();
    assert!(printed.contains("with TLS"), "{printed} {info:?}");
    for words in [[from.as_str(), &uri], [&uri, &to.display().to_string()]] {
        let copied = run("nbdcopy", &words).expect("installed beside nbdinfo");
        assert!(copied.status.success(), "{copied:?}");
    }
    assert!(std::fs::read(&to).expect("a copy") == std::fs::read(&from).expect("a file"));
    let plain = run("nbdinfo", &[&lab.uri().replace("nbds", "nbd")]).expect("installed");
    assert!(!plain.status.success());
    let rest = lab
        .uri()
        .strip_prefix("nbds://127.0.0.1:")
        .expect("an address");
    let (port, export) = rest.split_once('/').expect("a port");
    let object = format!(
        "tls-creds-x509,id=tls,endpoint=client,dir={}",
        trusts.text()
    );
    let image = format!(
        "driver=raw,file.driver=nbd,file.server.type=inet,file.server.host=127.0.0.1,\
         file.server.port={port},file.export={export},file.tls-creds=tls"
    );
    let file = format!("driver=raw,file.driver=file,file.filename={from}");
    let line = format!("compare --object '{object}' --image-opts {file} '{image}'");
    let words = typed(&line);
    let Some(compared) = run("qemu-img", &words) else {
        return;
    };
    let printed = String::from_utf8_lossy(&compared.stdout).into_owned();
    assert!(printed.contains("identical"), "{printed} {compared:?}");
}

#[test]
fn only_clients_with_a_certificate_get_to_a_lab_that_wants_to_know_them() {
    let place = TestFolder::new();
    let authority = Authority::new("lab");
    let serves = authority.server(&["127.0.0.1"]);
    let lab = Lab::secret(&place, &serves, &["--tls-verify-peer"]);
    let run = |folder: &Folder| {
        let target = trusting(lab.uri(), folder);
        place.quick(&format!("run {target} --no-record --read 0"))
    };
    run(&authority.client()).ok();
    run(&authority.folder()).refused(&["client-cert.pem and client-key.pem"]);
}

#[test]
fn a_lab_that_other_hosts_can_reach_needs_tls_or_an_open_word() {
    let place = TestFolder::new();
    let authority = Authority::new("lab");
    let serves = authority.server(&["127.0.0.1"]);
    let folder = serves.text();
    let refused = |words: &[&str], parts: &[&str]| {
        let all = [&["lab", "serve", "single-ssd", "--size", "16m"], words].concat();
        place.plimsoll(&all).refused(parts);
    };
    let anywhere = ["--listen", "0.0.0.0:0"];
    refused(
        &anywhere,
        &["plain text", "--tls-certificates DIR, or --insecure"],
    );
    refused(&["--listen", "[::]:0"], &["--insecure"]);
    let here = ["--listen", "127.0.0.1:0"];
    refused(
        &[&here[..], &anywhere].concat(),
        &["0.0.0.0:0 can be reached"],
    );
    let tls = ["--tls-certificates", &folder];
    refused(
        &[&anywhere[..], &tls, &["--tls", "on"]].concat(),
        &["plain text"],
    );
    refused(
        &[&anywhere[..], &tls, &["--tls", "off"]].concat(),
        &["plain text"],
    );
    let page = ["--http", "0.0.0.0:0"];
    refused(
        &[&here[..], &page].concat(),
        &["the page at 0.0.0.0:0", "--insecure"],
    );
    refused(
        &[&here[..], &["--tls", "require"]].concat(),
        &["give --tls-certificates DIR"],
    );
    let verify = ["--tls", "on", "--tls-verify-peer"];
    refused(
        &[&here[..], &tls, &verify].concat(),
        &["let in all the same"],
    );
    refused(
        &[&here[..], &["--tls-verify-peer"]].concat(),
        &["--tls require"],
    );
    let empty = authority.folder();
    let none = ["--tls-certificates", &empty.text()];
    refused(&[&here[..], &none].concat(), &["has no server-cert.pem"]);
    let lab = Lab::serve(&place, &[&anywhere[..], &["--insecure"], &page].concat());
    assert!(lab.uri().starts_with("nbd://0.0.0.0:"), "{}", lab.printed);
    drop(lab);
    let lab = Lab::serve(&place, &[&anywhere[..], &tls].concat());
    assert!(lab.uri().starts_with("nbds://0.0.0.0:"), "{}", lab.printed);
}

#[test]
fn a_lab_whose_tls_is_a_choice_serves_both() {
    let place = TestFolder::new();
    let authority = Authority::new("lab");
    let (serves, trusts) = (authority.server(&["localhost"]), authority.folder());
    let tls = ["--tls-certificates", &serves.text(), "--tls", "on"];
    let lab = Lab::serve(&place, &[&tls[..], &["--socket", "s"]].concat());
    assert!(lab.uri().starts_with("nbd+unix://"), "{}", lab.printed);
    let secret = format!(
        "{}&tls-certificates={}",
        lab.uri().replace("nbd+", "nbds+"),
        trusts.text()
    );
    for target in [lab.uri(), &secret] {
        let line = format!("run {target} --no-record --read 0 --destroy {target}");
        let words = typed(&line);
        place.plimsoll(&[&words[..], &QUICK].concat()).ok();
    }
}
