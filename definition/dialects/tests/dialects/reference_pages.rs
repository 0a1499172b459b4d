//! Pages of `docs/` list the keywords, flags and codes that the readers know.

use plimsoll_dialects::{diskspd, fio, vdbench};
use std::path::Path;

/// Where the made part of a page begins.
const MARK: &str =
    "<!-- Written from the source: PLIMSOLL_UPDATE=1 cargo test -p plimsoll-dialects -->\n\n";

/// Where the made part ends, on a page that goes on behind it.
const END: &str = "<!-- Up to here. -->\n";

fn says_what_the_tables_say(name: &str, reference: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../docs")
        .join(name);
    let page = std::fs::read_to_string(&path).expect("the page is there");
    let (written, old) = page.split_once(MARK).expect("the made part begins");
    let after = old.find(END).map_or("", |at| &old[at..]);
    let made = format!("{written}{MARK}{reference}{after}");
    if std::env::var_os("PLIMSOLL_UPDATE").is_some() {
        std::fs::write(&path, made).expect("the page can be written");
        return;
    }
    assert!(
        page == made,
        "docs/{name} is not what the source says; run PLIMSOLL_UPDATE=1 cargo test -p plimsoll-dialects"
    );
}

#[test]
fn the_page_on_vdbench_says_what_the_tables_say() {
    says_what_the_tables_say("vdbench.md", &vdbench::reference::reference());
}

#[test]
fn the_page_on_diskspd_says_what_the_tables_say() {
    says_what_the_tables_say("coming-from-diskspd.md", &diskspd::reference::reference());
}

#[test]
fn the_page_on_fio_says_what_the_tables_say() {
    says_what_the_tables_say("coming-from-fio.md", &fio::reference::reference());
}
