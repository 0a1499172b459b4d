//! `seekpct=eof`: which bytes one pass writes, as the medium has them afterwards.

use crate::devices::Loop;
use crate::place::{TestFolder, typed};

/// Size for which the numbers are known that Vdbench 5.04.07 wrote with 64 KiB transfers, to a device and to a file.
const SIZE: u64 = 10_000_384;
const TRANSFER: usize = 64 << 10;
const END: usize = 9_961_472;

fn job(place: &TestFolder, lun: &str) {
    place.text(
        "job.parm",
        &format!(
            "sd=sd1,lun={lun},threads=1\nwd=wd1,sd=sd1,xfersize=64k,rdpct=0,seekpct=eof\n\
             rd=rd1,wd=wd1,iorate=max,elapsed=60,interval=1\n"
        ),
    );
}

/// The first and the last sector that are not blank, behind the first: that one holds a device's label.
fn written(data: &[u8]) -> (usize, usize) {
    let sectors = data.chunks(512).enumerate().skip(1);
    let full: Vec<usize> = sectors
        .filter(|(_, s)| s.iter().any(|b| *b != 0))
        .map(|(at, _)| at * 512)
        .collect();
    let whole = full.windows(2).all(|w| w[0] + 512 == w[1]);
    assert!(whole, "a hole in the pass");
    (full[0], full[full.len() - 1] + 512)
}

#[test]
fn one_pass_over_a_device_begins_a_whole_transfer_in_and_ends_with_the_last_whole_one() {
    let Some(disk) = Loop::blank_of(SIZE) else {
        return;
    };
    job(&disk.place, &format!("{},openflags=o_direct", disk.device));
    disk.place.plimsoll("vdbench -f job.parm -o out").ok();
    assert_eq!(written(&disk.bytes()), (TRANSFER, END));
}

#[test]
fn one_pass_over_a_file_begins_with_it() {
    let place = TestFolder::new();
    // One that is there: a file that is missing is filled first, to its very end.
    let made = std::fs::File::create(place.path("data"));
    made.and_then(|file| file.set_len(SIZE)).expect("a file");
    job(&place, "./data");
    let words = typed("vdbench -f job.parm -o out --destroy ./data");
    place.plimsoll(&words).ok();
    let data = std::fs::read(place.path("data")).expect("there");
    assert!(data[..512].iter().any(|b| *b != 0));
    assert_eq!(written(&data), (512, END));
}
