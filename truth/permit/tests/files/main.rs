//! Marks of files against changes that put the time of the last write back, on several file systems.

mod place;

use place::{TestFolder, everywhere, run};
use plimsoll_permit::Refusal;
use plimsoll_permit::target::{self, Ground, OpenFlags, look_up};
use plimsoll_witness::content::looked_at;
use std::cell::Cell;
use std::fs::{self, File};
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

const SIZE: u64 = 64 << 20;
const PRECIOUS: &[u8] = b"precious";

/// A file that a run has made, of the letter p here and there, and of holes.
fn made(place: &TestFolder) -> PathBuf {
    let path = place.path("data");
    let _ = fs::remove_file(&path);
    let target::FoundPath::Missing(Ok(new)) = look_up(&path).unwrap() else {
        panic!("it may be made")
    };
    let mut created = new.create().unwrap();
    created.grow(SIZE).unwrap();
    let permit = created.permit(&path).unwrap();
    created.keep().unwrap();
    let open = permit.open(OpenFlags::empty()).unwrap();
    open.hold.begin("").unwrap();
    for at in (0..SIZE).step_by(1 << 20) {
        open.file.write_all_at(&[b'p'; 8192], at).unwrap();
    }
    path
}

/// The ground on which it may be written, and how many bytes were judged one by one.
fn ground(path: &Path) -> (Result<Ground, Refusal>, usize) {
    let judged = Cell::new(0);
    let is_ours = |_: &str, bytes: &[u8], part: Range<usize>| {
        judged.set(judged.get() + part.len());
        bytes[part].iter().all(|byte| [0, b'p'].contains(byte))
    };
    let target::FoundPath::There(held) = look_up(path).unwrap() else {
        panic!("it is there")
    };
    let permit = target::assess(held, &[], &is_ours);
    (permit.map(|permit| permit.ground()), judged.get())
}

#[track_caller]
fn assert_ours_at_no_cost(path: &Path) {
    let (ground, judged) = ground(path);
    assert_eq!((ground.unwrap(), judged), (Ground::Made, 0));
}

/// A block beyond the first MiB that no look at a file of this size reads, and whether it lies in a hole.
fn unseen(is_hole: bool) -> u64 {
    let is_seen =
        |at: u64| looked_at(SIZE).any(|(from, length)| (from..from + length).contains(&at));
    let begins = if is_hole { 8192 } else { 0 };
    let mut blocks = (0..SIZE).step_by(1 << 20).map(|at| at + begins);
    blocks
        .find(|at| !is_seen(*at))
        .expect("few blocks are looked at")
}

fn write(path: &Path, bytes: &[u8], at: u64) {
    let file = File::options().write(true).open(path).unwrap();
    file.write_all_at(bytes, at).unwrap();
}

/// Has something done to a file, and puts its times back as `touch -r` does.
fn secretly(place: &TestFolder, path: &Path, change: impl FnOnce(&Path)) {
    let times = place.path("times");
    run("touch", &["-r", &text(path), &text(&times)]);
    change(path);
    run("touch", &["-r", &text(&times), &text(path)]);
}

fn text(path: &Path) -> String {
    path.display().to_string()
}

#[test]
fn a_block_that_no_look_reads_is_missed_by_nobody_who_puts_the_time_back() {
    everywhere(|place| {
        let copied = |path: &Path| {
            let other = place.path("other");
            fs::write(&other, PRECIOUS).unwrap();
            let [from, to] = [format!("if={}", text(&other)), format!("of={}", text(path))];
            let seek = format!("seek={}", unseen(false));
            run(
                "dd",
                &[
                    &from,
                    &to,
                    &seek,
                    "oflag=seek_bytes",
                    "conv=notrunc",
                    "status=none",
                ],
            );
        };
        let into_a_hole = |path: &Path| write(path, PRECIOUS, unseen(true));
        let over_data = |path: &Path| write(path, PRECIOUS, unseen(false));
        let shortened_and_back = |path: &Path| {
            let half = SIZE / 2;
            let rest = fs::read(path).unwrap().split_off(half as usize);
            let file = File::options().write(true).open(path).unwrap();
            file.set_len(half).unwrap();
            file.write_all_at(&rest, half).unwrap();
            write(path, PRECIOUS, unseen(true));
        };
        let changes: [&dyn Fn(&Path); 4] = [&copied, &into_a_hole, &over_data, &shortened_and_back];
        for (number, change) in changes.into_iter().enumerate() {
            let path = made(place);
            assert_ours_at_no_cost(&path);
            secretly(place, &path, change);
            let before = fs::read(&path).unwrap();
            let why = ground(&path).0.expect_err("refused").why;
            let at = unseen([false, true, false, true][number]);
            assert!(why.contains("put its time back"), "{why}");
            assert!(
                why.contains(&format!("at byte {at} there is data")),
                "{why}"
            );
            assert!(fs::read(&path).unwrap() == before, "it was changed");
        }
    });
}

#[test]
fn what_changes_no_byte_leaves_the_file_plimsolls_and_is_read_once() {
    everywhere(|place| {
        let path = made(place);
        let moved = place.path("moved");
        let changes: [&[&str]; 6] = [
            &["chmod", "600", "data"],
            &["mv", "data", "moved"],
            &["mv", "moved", "data"],
            &["ln", "data", "moved"],
            &["rm", "moved"],
            // As a backup does that puts back when it was read.
            &["touch", "-a", "-d", "2001-01-01", "data"],
        ];
        for words in changes {
            place.run(words);
            let path = if path.exists() { &path } else { &moved };
            let (ground, judged) = ground(path);
            assert_eq!(ground.unwrap(), Ground::Made, "{words:?}");
            assert!(judged > 0, "{words:?}: the content decides");
            assert_ours_at_no_cost(path);
        }
        // Nor does a hole where there was data.
        secretly(place, &path, |path| {
            let at = unseen(false).to_string();
            run(
                "fallocate",
                &["--punch-hole", "-o", &at, "-l", "4096", &text(path)],
            );
        });
        assert_eq!(ground(&path).0.unwrap(), Ground::Made);
    });
}

#[test]
fn what_a_run_does_itself_and_takes_back_leaves_the_mark_as_good_as_it_was() {
    everywhere(|place| {
        let path = made(place);
        let target::FoundPath::There(held) = look_up(&path).unwrap() else {
            panic!("it is there")
        };
        let permit = target::assess(held, &[], &|_, _, _| false).unwrap();
        drop(permit.extend(2 * SIZE).unwrap());
        drop(permit);
        assert_ours_at_no_cost(&path);
    });
}

#[test]
fn what_somebody_opens_after_the_look_is_not_removed() {
    everywhere(|place| {
        let permit = |path: &Path| {
            let target::FoundPath::There(held) = look_up(path).unwrap() else {
                panic!("it is there")
            };
            target::assess(held, &[], &|_, _, _| true).expect("nobody else wrote to it")
        };
        let path = made(place);
        let held_open = permit(&path);
        let writer = File::options().write(true).open(&path).unwrap();
        assert!(held_open.remove().unwrap().is_some());
        drop(writer);
        let written_since = permit(&path);
        write(&path, b"p", 0);
        assert!(written_since.remove().unwrap().is_some());
        assert!(path.exists());
        fs::remove_file(&path).unwrap();

        let path = made(place);
        assert_eq!(permit(&path).remove().unwrap(), None);
        assert!(!path.exists());
    });
}
