//! `docs/coming-from-diskspd.md` lists the flags and the codes that the reader knows.

use plimsoll_dialects::diskspd::reference::reference;
use std::path::Path;

/// Where the written part of the page ends.
const MARK: &str =
    "<!-- Written from the source: PLIMSOLL_UPDATE=1 cargo test -p plimsoll-dialects -->\n\n";

#[test]
fn the_page_says_what_the_tables_say() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/coming-from-diskspd.md");
    let page = std::fs::read_to_string(&path).expect("the page is there");
    let written = page.split(MARK).next().expect("a split has a first part");
    let made = format!("{}\n\n{MARK}{}", written.trim_end(), reference());
    if std::env::var_os("PLIMSOLL_UPDATE").is_some() {
        std::fs::write(&path, made).expect("the page can be written");
        return;
    }
    assert!(
        page == made,
        "docs/coming-from-diskspd.md is not what the source says; run PLIMSOLL_UPDATE=1 cargo test -p plimsoll-dialects"
    );
}
