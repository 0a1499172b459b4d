//! Data of others is not written by accident, and what was never written is not read silently.

use crate::place::{MIB, TestFolder, holds, typed};

#[test]
fn a_file_of_somebody_else_is_written_only_when_named() {
    let place = TestFolder::new();
    let path = place.foreign("mine", 4 * MIB);
    let before = std::fs::read(&path).expect("readable");
    place
        .quick("run mine --read 50 --no-record")
        .refused(&["mine", "--destroy mine"]);
    place
        .quick("run mine --read 0 --no-record --destroy another")
        .refused(&["--destroy another", "names no target"]);
    assert_eq!(std::fs::read(&path).expect("readable"), before);
    place.quick("run mine --no-record -q").ok();
    assert_eq!(
        std::fs::read(&path).expect("readable"),
        before,
        "reading changes nothing"
    );
    place
        .quick("run mine --read 0 --no-record -q --destroy mine")
        .ok();
    assert_ne!(std::fs::read(&path).expect("readable"), before);
}

#[test]
fn a_definition_cannot_name_its_own_victim() {
    let place = TestFolder::new();
    let path = place.foreign("mine", 4 * MIB);
    let before = std::fs::read(&path).expect("readable");
    place.text(
        "d.toml",
        "[target.a]\npath = \"mine\"\n[workload.w]\nread = 0\n[[run]]\n",
    );
    place
        .plimsoll("run d.toml --no-record")
        .refused(&["--destroy mine"]);
    assert_eq!(std::fs::read(&path).expect("readable"), before);
}

#[test]
fn a_name_that_means_no_target_is_a_slip_of_the_pen() {
    let place = TestFolder::new();
    place.foreign("mine", MIB);
    for target in ["mine", "null:1g"] {
        place
            .quick(&format!("run {target} --destroy mien --no-record"))
            .refused(&["--destroy mien", "plimsoll plan"]);
    }
}

#[test]
fn a_link_leads_to_the_file_that_counts() {
    let place = TestFolder::new();
    let path = place.foreign("mine", 4 * MIB);
    let before = std::fs::read(&path).expect("readable");
    std::os::unix::fs::symlink(&path, place.path("link")).expect("a link");
    place
        .quick("run link --read 0 --no-record")
        .refused(&["--destroy"]);
    assert_eq!(std::fs::read(&path).expect("readable"), before);
}

#[test]
fn holes_are_not_read_silently() {
    let place = TestFolder::new();
    let path = place.foreign("sparse", 2 * MIB);
    let file = std::fs::File::options()
        .write(true)
        .open(&path)
        .expect("opens");
    file.set_len(4 * MIB).expect("longer");
    // A file that somebody has open for writing is not offered for destruction.
    drop(file);
    place
        .quick("run sparse --no-record")
        .refused(&typed("holes '--destroy sparse' --allow-unwritten"));
    place.quick("run sparse --size 2m --no-record -q").ok();
    // Who reads them all the same cannot claim that storage was measured: the audit would make it fail.
    let words = ["run", "sparse", "--allow-unwritten", "--no-record", "-q"];
    place
        .quick(&[&words[..], &["--claim", "cached"]].concat())
        .ok();
    let read = place
        .quick("run sparse --allow-unwritten --claim cached --no-record --json")
        .ok()
        .json();
    let notes = read["environment"]["notes"].to_string();
    holds!(notes, "are holes, and was read all the same");
    let filled = place
        .quick("run sparse --destroy sparse --no-record --json")
        .ok()
        .json();
    assert_eq!(filled["steps"][0]["fill"], true);
    place.quick("run sparse --no-record -q").ok();
}
