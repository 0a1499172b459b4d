//! `plimsoll serve`: the records of a folder as pages.

use crate::browser;
use crate::place::TestFolder;
use crate::serving::Lab;
use rustix::process::{Pid, Signal, kill_process};
use std::io::{Read, Write};
use std::net::TcpStream;

/// A folder with these records, and a page on it.
fn shelf(place: &TestFolder, words: &[&str]) -> Lab {
    let folder = place.path("cache");
    let mut command = place.command(&[&["serve", "--listen", "127.0.0.1:0"], words].concat());
    command.env("XDG_CACHE_HOME", folder);
    Lab::of(command)
}

/// The list of all records, once all are read.
fn whole_list(lab: &Lab) -> String {
    loop {
        let list = lab.get("/");
        if !list.contains("http-equiv=\"refresh\"") {
            return list;
        }
    }
}

/// The name of a record in addresses, by the row that has this text.
fn id(list: &str, text: &str) -> String {
    let row = list
        .split("<tr")
        .find(|row| row.contains(text))
        .expect("a row");
    let link = row.split("/record/").nth(1).expect("a link");
    link.split('"').next().expect("quoted").to_owned()
}

fn run(place: &TestFolder, words: &str) {
    place
        .quick(&format!(
            "run lab:single-ssd?size=1g -q --rate 2000 {words}"
        ))
        .ok();
}

#[test]
fn records_are_listed_searched_shown_and_compared_as_the_commands_do() {
    let place = TestFolder::new();
    std::fs::create_dir(place.path("old")).expect("made");
    run(&place, "--read 100 --seed 1 --tag before --record a.plim");
    run(
        &place,
        "--read 100 --seed 2 --tag after --record old/b.plim",
    );
    let before = std::fs::read(place.path("a.plim")).expect("there");
    let lab = shelf(&place, &["."]);
    let list = whole_list(&lab);
    assert!(list.contains("<h1>2 records</h1>"), "{list}");
    assert!(
        list.contains("old/b.plim") && list.contains(">after</a>"),
        "{list}"
    );
    let after = lab.get("/?tag=after&q=single-ssd");
    assert!(
        after.contains("<h1>One record</h1>") && !after.contains("a.plim"),
        "{after}"
    );
    assert!(lab.get("/?target=sdx").contains("No record is like that"));
    // The report and the comparison are those that the commands make.
    let report = lab.get(&format!("/record/{}", id(&list, "a.plim")));
    let (head, report) = report.split_once("\r\n\r\n").expect("a head");
    if !report.contains("built without") {
        place.plimsoll("report a.plim -o a.html").ok();
        let made = std::fs::read_to_string(place.path("a.html")).expect("written");
        assert_eq!(report, made);
        assert!(head.contains("frame-ancestors 'none'"), "{head}");
    }
    let (a, b) = (place.path("a.plim"), place.path("old/b.plim"));
    let folder =
        |path: std::path::PathBuf| path.canonicalize().expect("there").display().to_string();
    let words = ["compare", &folder(a), &folder(b), "--html", "compared.html"];
    let made = place.command(&words).output().expect("runs");
    assert!(made.status.success(), "{made:?}");
    let page = lab.get(&format!(
        "/compare?a={}&b={}",
        id(&list, "a.plim"),
        id(&list, "b.plim")
    ));
    let made = std::fs::read_to_string(place.path("compared.html")).expect("written");
    assert_eq!(page.split_once("\r\n\r\n").expect("a head").1, made);
    assert!(lab.get("/compare?a=0").contains("Tick at least one"));
    assert!(lab.get("/record/0").starts_with("HTTP/1.1 404"));
    assert_eq!(std::fs::read(place.path("a.plim")).expect("there"), before);
    drop(lab);
    // The index can be thrown away.
    std::fs::remove_dir_all(place.path("cache")).expect("there");
    assert!(whole_list(&shelf(&place, &["."])).contains("<h1>2 records</h1>"));
}

#[test]
fn names_of_others_do_nothing_in_the_page() {
    let place = TestFolder::new();
    let hostile = "\"><script>document.title='owned'</script><img src=x onerror=alert(1)>";
    let record = "a\"'><svg onload=alert(2)>.plim";
    let words = [
        "run",
        "lab:single-ssd?size=1g",
        "-q",
        "--rate",
        "2000",
        "--for",
        "1s",
        "--tag",
        hostile,
        "--note",
        hostile,
        "--record",
        record,
    ];
    let made = place.command(&words).output().expect("runs");
    assert!(made.status.success(), "{made:?}");
    std::fs::write(place.path("b<script>alert(3)<.plim"), hostile).expect("written");
    let lab = shelf(&place, &["."]);
    let list = whole_list(&lab);
    let test = "run%20of%20lab%3Asingle-ssd%3Fsize%3D1GiB";
    for path in [
        "/",
        &format!("/trend?test={test}"),
        "/trend?test=%22%3E%3Cscript%3E",
        "/?q=%22%3E%3Cscript%3E&page=x",
    ] {
        let page = lab.get(path);
        for evil in ["<script", "<img", "<svg onload", "onerror=alert(1)>"] {
            assert!(!page.contains(evil), "{path}: {page}");
        }
        assert!(
            page.contains("Content-Security-Policy: default-src 'none'"),
            "{page}"
        );
    }
    assert!(list.contains("&lt;script&gt;"), "{list}");
    let trend = lab.get(&format!("/trend?test={test}"));
    assert!(trend.contains("/record/"), "it shows the run: {trend}");
    let address = format!("http://{}/", lab.address());
    if let Some(page) = browser::at(&address) {
        assert!(!page.contains("<title>owned"), "{page}");
        assert!(
            !page.contains("<script") && !page.contains("<img"),
            "{page}"
        );
        assert!(page.contains("<title>Records"), "{page}");
    }
}

#[test]
fn nothing_is_changed_and_other_names_are_not_answered() {
    let place = TestFolder::new();
    let lab = shelf(&place, &["."]);
    assert!(whole_list(&lab).contains("No records yet"));
    assert!(lab.get_as("/", "evil.example").starts_with("HTTP/1.1 421"));
    let lab = shelf(&place, &[".", "--http-host", "proxy.example:80"]);
    assert!(lab.get_as("/", "proxy.example").starts_with("HTTP/1.1 200"));
}

#[test]
fn where_other_hosts_can_reach_it_there_is_tls_and_a_token() {
    let place = TestFolder::new();
    place
        .plimsoll("serve . --listen 0.0.0.0:0")
        .refused(&["plain text", "--tls-certificates"]);
    place
        .plimsoll("serve . --listen 0.0.0.0:0 --tls-certificates .")
        .refused(&["all addresses of this host", "--http-host"]);
    std::fs::write(place.path("short"), "secret\n").expect("written");
    place
        .plimsoll("serve . --token-file short")
        .refused(&["is no token"]);
    place
        .plimsoll("serve nowhere")
        .refused(&["is no folder that can be read"]);
    place
        .plimsoll("serve . --http-host http://x")
        .refused(&["lab.example"]);
    std::fs::write(place.path("token"), "0123456789abcdef\n").expect("written");
    let lab = shelf(&place, &[".", "--token-file", "token"]);
    assert!(lab.get("/").starts_with("HTTP/1.1 401"));
    let entered = lab.get("/?token=0123456789abcdef");
    assert!(
        entered.starts_with("HTTP/1.1 303") && entered.contains("HttpOnly; SameSite=Lax"),
        "{entered}"
    );
}

/// The answer to a request that changes something, with these headers.
fn post(lab: &Lab, path: &str, headers: &str) -> String {
    let mut socket = TcpStream::connect(lab.address()).expect("it listens");
    let host = lab.address();
    write!(
        socket,
        "POST {path} HTTP/1.1\r\nHost: {host}\r\n{headers}Content-Length: 0\r\n\r\n"
    )
    .expect("sent");
    let mut answer = String::new();
    socket.read_to_string(&mut answer).expect("an answer");
    answer
}

/// The page of the run that goes on, once its record is there.
fn live(lab: &Lab, run: &mut std::process::Child) -> String {
    loop {
        let list = lab.get("/");
        if let Some(link) = list.split("href=\"/live/").nth(1) {
            return format!("/live/{}", link.split('"').next().expect("quoted"));
        }
        assert!(run.try_wait().expect("known").is_none(), "{list}");
    }
}

#[test]
fn a_run_is_stopped_from_its_page_only_with_the_flag_by_the_page_itself_and_while_it_goes_on() {
    let place = TestFolder::new();
    let mut run = place.begin("run null:1GiB -q --rate 500 --for 10m --read 100 --record now.plim");
    let without = shelf(&place, &["."]);
    let stop = format!("{}/stop", live(&without, &mut run));
    assert!(
        !without
            .get(stop.trim_end_matches("/stop"))
            .contains("<form")
    );
    assert!(post(&without, &stop, "").starts_with("HTTP/1.1 403"));
    drop(without);
    std::fs::write(place.path("token"), "0123456789abcdef\n").expect("written");
    let guarded = shelf(&place, &[".", "--control", "--token-file", "token"]);
    assert!(post(&guarded, &stop, "").starts_with("HTTP/1.1 401"));
    drop(guarded);
    let lab = shelf(&place, &[".", "--control"]);
    let page = live(&lab, &mut run);
    assert!(lab.get(&page).contains(&format!("action=\"{stop}\"")));
    for foreign in [
        "Origin: http://evil.example\r\n",
        "Origin: null\r\n",
        "Sec-Fetch-Site: cross-site\r\n",
        "Sec-Fetch-Site: same-site\r\n",
    ] {
        let answer = post(&lab, &stop, foreign);
        assert!(answer.starts_with("HTTP/1.1 403"), "{foreign}: {answer}");
    }
    assert!(lab.get(&stop).starts_with("HTTP/1.1 404"));
    assert!(post(&lab, "/live/0/stop", "").starts_with("HTTP/1.1 404"));
    assert!(post(&lab, &page, "").starts_with("HTTP/1.1 405"));
    assert!(run.try_wait().expect("known").is_none(), "it goes on");
    // Twice at once is once: the record is whole whoever else stops the run.
    let own = format!(
        "Origin: http://{}\r\nSec-Fetch-Site: same-origin\r\n",
        lab.address()
    );
    let other = shelf(&place, &[".", "--control"]);
    let elsewhere = own.replace(lab.address(), other.address());
    let answer = post(&lab, &stop, &own);
    assert!(
        answer.starts_with("HTTP/1.1 303") && answer.contains(&format!("Location: {page}\r\n")),
        "{answer}"
    );
    for (again, own) in [(&lab, &own), (&other, &elsewhere)] {
        let again = post(again, &stop, own);
        assert!(
            again.starts_with("HTTP/1.1 303") || again.starts_with("HTTP/1.1 409"),
            "{again}"
        );
    }
    run.wait().expect("ended");
    let stale = post(&lab, &stop, &own);
    assert!(
        stale.starts_with("HTTP/1.1 409") && stale.contains("Nothing was stopped"),
        "{stale}"
    );
    let shown = place.plimsoll("show now.plim").out;
    assert!(shown.contains("interrupted"), "{shown}");
}

/// Reads events until one has this in it.
fn until(socket: &mut TcpStream, came: &mut String, wanted: &str) {
    let mut part = [0; 65_536];
    while !came.contains(wanted) {
        let n = socket.read(&mut part).expect("readable");
        assert!(n > 0, "it ended early: {came}");
        came.push_str(&String::from_utf8_lossy(&part[..n]));
    }
}

#[test]
fn a_record_that_is_being_written_grows_on_its_page_until_its_end() {
    let place = TestFolder::new();
    let mut run = place.begin("run null:1GiB -q --rate 500 --for 10m --read 100 --record now.plim");
    let lab = shelf(&place, &["."]);
    let live = live(&lab, &mut run);
    let page = lab.get(&live);
    assert!(
        page.contains("<script src=\"/live.js\" defer></script>"),
        "{page}"
    );
    assert!(lab.get("/live.js").contains("EventSource"));
    let mut socket = TcpStream::connect(lab.address()).expect("it listens");
    let host = lab.address();
    write!(socket, "GET {live}/events HTTP/1.1\r\nHost: {host}\r\n\r\n").expect("sent");
    let mut came = String::new();
    until(&mut socket, &mut came, "event: now\n");
    until(&mut socket, &mut came, "<dt>I/Os per second</dt>");
    let course = |came: &str| came.matches("<path class=\"mean\" d=\"M").count();
    let before = course(&came);
    // Each look that finds something new draws the rate and the response time anew.
    while course(&came) < before + 4 {
        let mut further = String::new();
        until(&mut socket, &mut further, "event: now\n");
        came.push_str(&further);
    }
    kill_process(Pid::from_child(&run), Signal::INT).expect("signalled");
    run.wait().expect("ended");
    until(&mut socket, &mut came, "event: end\n");
    assert!(came.contains("The report</a> with all charts"), "{came}");
    let page = lab.get(&live);
    assert!(!page.contains("<script"), "{page}");
}
