//! What happens between the judgement and the writing.

use crate::workshop::{OVERWRITE, Workshop, ask, assert_refused, text};
use plimsoll_permit::output::{FolderPermit, Found, OutputPermit, Pages, Rules};
use rustix::fs::{CWD, RenameFlags, renameat_with};
use std::fs;
use std::io::Write;
use std::os::unix::fs::{MetadataExt, symlink};
use std::sync::atomic::{AtomicBool, Ordering};

#[test]
fn a_name_that_was_free_and_is_taken_stays_taken() {
    let shop = Workshop::new();
    let permit = ask(&shop.path("page")).expect("free");
    let mine = shop.foreign("page");
    assert_refused(permit.write(b"text"), &["page", "meanwhile"]);
    assert_eq!(text(&mine), "what page holds");
    assert_eq!(shop.names(), ["page"]);
}

#[test]
fn a_link_that_is_put_there_is_not_followed() {
    let shop = Workshop::new();
    let mine = shop.foreign("mine");
    let permit = ask(&shop.path("page")).expect("free");
    symlink(&mine, shop.path("page")).expect("a link");
    assert_refused(permit.write(b"text"), &["meanwhile"]);
    let replaced = shop.foreign("other");
    let permit = OutputPermit::ask(&replaced, &OVERWRITE).expect("told to");
    fs::remove_file(&replaced).expect("removed");
    symlink(&mine, &replaced).expect("a link");
    assert_refused(permit.write(b"text"), &["meanwhile"]);
    assert_eq!(text(&mine), "what mine holds");
    assert!(replaced.is_symlink());
    assert_eq!(shop.names(), ["mine", "other", "page"]);
}

#[test]
fn only_the_file_that_was_judged_is_replaced() {
    let shop = Workshop::new();
    let (page, mine) = (shop.foreign("page"), shop.foreign("mine"));
    let permit = OutputPermit::ask(&page, &OVERWRITE).expect("told to");
    fs::rename(&mine, &page).expect("renamed");
    assert_refused(permit.write(b"text"), &["meanwhile"]);
    assert_eq!(text(&page), "what mine holds");
    assert_eq!(shop.names(), ["page"]);
}

#[test]
fn what_somebody_wrote_since_the_judgement_is_kept() {
    let shop = Workshop::new();
    let page = shop.foreign("page");
    let permit = OutputPermit::ask(&page, &OVERWRITE).expect("told to");
    let mut file = fs::File::options().append(true).open(&page).expect("opens");
    file.write_all(b", and more").expect("written");
    drop(file);
    assert_refused(permit.write(b"text"), &["meanwhile"]);
    assert_eq!(text(&page), "what page holds, and more");
}

#[test]
fn a_folder_that_is_swapped_redirects_nothing() {
    let shop = Workshop::new();
    for name in ["judged", "other"] {
        fs::create_dir(shop.path(name)).expect("a folder");
    }
    fs::write(shop.path("other/page"), "precious").expect("written");
    symlink("judged", shop.path("door")).expect("a link");
    let permit = ask(&shop.path("door/page")).expect("free");
    fs::remove_file(shop.path("door")).expect("removed");
    symlink("other", shop.path("door")).expect("a link");
    permit.write(b"text").expect("written");
    assert_eq!(text(&shop.path("judged/page")), "text");
    assert_eq!(text(&shop.path("other/page")), "precious");
}

#[test]
fn a_name_that_changes_hands_all_the_time_loses_nothing() {
    let shop = Workshop::new();
    let (page, mine) = (shop.foreign("page"), shop.foreign("mine"));
    let held = fs::File::open(&mine).expect("opens");
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                // It fails while one of them has no name.
                let _ = renameat_with(CWD, &page, CWD, &mine, RenameFlags::EXCHANGE);
            }
        });
        for _ in 0..50 {
            // Asked by name, it may be either; only the one that isn't precious is told to go.
            let Ok(permit) = OutputPermit::ask(&page, &OVERWRITE) else {
                continue;
            };
            let judged = permit.replaced().and_then(|f| f.path().metadata().ok());
            if judged.is_some_and(|m| m.ino() != held.metadata().expect("held").ino()) {
                let _ = permit.write(b"text");
            }
        }
        is_over.store(true, Ordering::Relaxed);
    });
    assert_eq!(
        held.metadata().expect("held").nlink(),
        1,
        "{:?}",
        shop.names()
    );
}

#[test]
fn a_name_is_taken_only_from_the_file_that_was_found() {
    let shop = Workshop::new();
    let page = shop.foreign("page");
    let found = Found::at(&page).expect("found").expect("there");
    fs::remove_file(&page).expect("removed");
    assert!(!found.remove().expect("nothing there"));
    let other = shop.foreign("page");
    assert!(!found.remove().expect("another file"));
    assert_eq!(text(&other), "what page holds");
    let found = Found::at(&page).expect("found").expect("there");
    assert!(found.remove().expect("removed"));
    assert!(shop.names().is_empty());
}

#[test]
fn lines_that_somebody_adds_to_a_page_while_it_is_written_stay_and_keep_it() {
    let shop = Workshop::new();
    let folder = shop.path("report");
    let pages = Pages {
        ending: ".html",
        head: "<title>",
    };
    let permit = || FolderPermit::ask(&folder, pages, &Rules::default());
    let open = permit().expect("free").open().expect("made");
    let mut page = open.page("summary.html").expect("a page");
    page.write_all(b"<title>first\n").expect("written");
    let path = folder.join("summary.html");
    let mut other = fs::File::options().append(true).open(&path).expect("opens");
    other.write_all(b"somebody's\n").expect("written");
    page.write_all(b"second\n").expect("written");
    page.flush().expect("marked");
    drop((page, other));
    assert_eq!(text(&path), "<title>first\nsomebody's\nsecond\n");
    assert_refused(permit(), &["summary.html"]);
}
