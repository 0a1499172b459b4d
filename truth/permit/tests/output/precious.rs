//! Files that a command needs as they are.

use crate::workshop::{OVERWRITE, Workshop, assert_refused};
use plimsoll_permit::output::{OutputPermit, Precious, Rules, refuse_descriptor};
use std::fs;
use std::os::unix::fs::symlink;

#[test]
fn a_precious_file_is_known_by_every_name() {
    let shop = Workshop::new();
    let mine = shop.foreign("mine");
    fs::create_dir(shop.path("folder")).expect("a folder");
    symlink(&mine, shop.path("link")).expect("a link");
    fs::hard_link(&mine, shop.path("hard")).expect("a hard link");
    symlink(shop.path("folder"), shop.path("door")).expect("a link to the folder");
    let precious = [Precious::new("the record that is read", &mine)];
    let rules = Rules {
        precious: &precious,
        ..OVERWRITE
    };
    for name in ["mine", "link", "hard", "folder/../mine", "door/../hard"] {
        let asked = OutputPermit::ask(&shop.path(name), &rules);
        assert_refused(asked, &["it is the record that is read"]);
    }
    OutputPermit::ask(&shop.path("other"), &rules).expect("another file");
}

#[test]
fn two_files_that_are_both_still_to_be_made_are_told_apart() {
    let shop = Workshop::new();
    fs::create_dir(shop.path("folder")).expect("a folder");
    symlink("folder", shop.path("door")).expect("a link to the folder");
    symlink("folder/new", shop.path("link")).expect("a link that leads nowhere");
    for name in ["folder/new", "door/new", "link"] {
        let precious = [Precious::new("a target of this run", shop.path(name))];
        let rules = Rules {
            precious: &precious,
            ..OVERWRITE
        };
        for written in ["folder/new", "door/new"] {
            let asked = OutputPermit::ask(&shop.path(written), &rules);
            assert_refused(asked, &["it is a target of this run"]);
        }
        OutputPermit::ask(&shop.path("new"), &rules).expect("in another folder");
    }
}

#[test]
fn a_descriptor_that_leads_to_a_precious_file_is_refused() {
    let shop = Workshop::new();
    let (mine, other) = (shop.foreign("mine"), shop.foreign("other"));
    let precious = [Precious::new("the record that is read", &mine)];
    let open = |path| fs::File::options().append(true).open(path).expect("opens");
    let refused = refuse_descriptor(open(&mine), "standard output", &precious).expect_err("it");
    assert!(
        refused
            .to_string()
            .starts_with("standard output: it is the record")
    );
    refuse_descriptor(open(&other), "standard output", &precious).expect("another file");
}
