//! What is written is read, whatever the sizes, and holes are known.

use crate::client::Client;
use crate::stage::{Stage, options};
use plimsoll_content::mix64;
use plimsoll_nbd::client::Wanted;
use plimsoll_nbd::{Command, CommandFlags, ErrorCode, ExtentFlags};
use plimsoll_server::{Server, ServerOptions};
use proptest::prelude::*;
use std::os::unix::fs::MetadataExt;
use tempfile::TempDir;

const NONE: CommandFlags = CommandFlags::empty();
const LUN: &str = "scale-out-flash-8/lun0";
/// The part of a LUN that a model of plain bytes stands beside.
const SPACE: usize = 1 << 20;

/// Something that a client does.
#[derive(Debug, Clone)]
enum Step {
    Write {
        offset: usize,
        len: usize,
        kind: u8,
    },
    Zero {
        offset: usize,
        len: usize,
        keep: bool,
    },
    Trim {
        offset: usize,
        len: usize,
    },
    Read {
        offset: usize,
        len: usize,
    },
}

fn step() -> impl Strategy<Value = Step> {
    let aligned = (0..SPACE / 4096, 1_usize..80).prop_map(|(o, l)| (o * 4096, l * 4096));
    let odd = (0..SPACE, 1_usize..20_000);
    let large = (0..SPACE / 2, 300_000_usize..500_000);
    let range = prop_oneof![4 => aligned, 4 => odd, 1 => large];
    let range = range.prop_map(|(offset, len)| (offset, len.min(SPACE - offset)));
    (range, 0_u8..9, any::<u8>()).prop_map(|((offset, len), what, kind)| match what {
        0..=3 => Step::Write { offset, len, kind },
        4 => Step::Zero {
            offset,
            len,
            keep: kind % 2 == 0,
        },
        5 => Step::Trim { offset, len },
        _ => Step::Read { offset, len },
    })
}

/// Zeros, repeats and noise.
fn content(kind: u8, len: usize) -> Vec<u8> {
    match kind % 4 {
        0 => vec![0; len],
        1 => vec![kind; len],
        _ => (0..len as u64)
            .map(|i| (mix64(i ^ u64::from(kind) << 40) >> 56) as u8)
            .collect(),
    }
}

fn follows_the_model(steps: &[Step], structured: bool, change: impl FnOnce(&mut ServerOptions)) {
    let stage = Stage::with(change);
    let wanted = Wanted {
        structured,
        ..Wanted::export(LUN)
    };
    let mut client = Client::connect_as(&stage.socket(0), wanted).unwrap();
    let mut model = vec![0; SPACE];
    for step in steps {
        match *step {
            Step::Write { offset, len, kind } => {
                let bytes = content(kind, len);
                assert_eq!(client.write(offset as u64, &bytes).error, None);
                model[offset..offset + len].copy_from_slice(&bytes);
            }
            Step::Zero { offset, len, keep } => {
                let flags = if keep { CommandFlags::NO_HOLE } else { NONE };
                let answer =
                    client.call(Command::WriteZeroes, flags, offset as u64, len as u32, &[]);
                assert_eq!(answer.error, None);
                model[offset..offset + len].fill(0);
            }
            Step::Trim { offset, len } => {
                let answer = client.call(Command::Trim, NONE, offset as u64, len as u32, &[]);
                assert_eq!(answer.error, None);
                model[offset..offset + len].fill(0);
            }
            Step::Read { offset, len } => {
                let answer = client.read(offset as u64, len as u32);
                assert!(answer.data == model[offset..offset + len], "{step:?}");
            }
        }
    }
    assert!(client.read(0, SPACE as u32).data == model);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]
    #[test]
    fn memory_holds_what_was_written(steps in prop::collection::vec(step(), 1..40), structured: bool) {
        follows_the_model(&steps, structured, |_| {});
    }

    #[test]
    fn a_backing_file_holds_what_was_written(steps in prop::collection::vec(step(), 1..20)) {
        let folder = TempDir::new().unwrap();
        follows_the_model(&steps, true, |o| o.backing = Some(folder.path().join("disk")));
    }
}

#[test]
fn writes_are_seen_over_every_path_and_in_no_other_lun() {
    let stage = Stage::new();
    let mut one = Client::connect(&stage.socket(0), LUN).unwrap();
    let mut two = Client::connect(&stage.socket(1), LUN).unwrap();
    let mut other = Client::connect(&stage.socket(0), "scale-out-flash-8/lun1").unwrap();
    one.write(8192, &[7; 4096]);
    assert_eq!(two.read(8192, 4096).data, [7; 4096]);
    assert_eq!(other.read(8192, 4096).data, [0; 4096]);
    assert_eq!(stage.server.status().paths[1].requests, 1);
}

#[test]
fn holes_zeros_and_data_are_told_apart() {
    let stage = Stage::new();
    let mut client = Client::connect(&stage.socket(0), LUN).unwrap();
    let hole = ExtentFlags::HOLE | ExtentFlags::ZERO;
    assert_eq!(client.status(0, 64 << 20), [(64 << 20, hole)]);
    client.write(4096, &[1; 8192]);
    client.write(12288, &[0; 4096]);
    assert_eq!(
        client.status(0, 1 << 20),
        [
            (4096, hole),
            (8192, ExtentFlags::empty()),
            (4096, ExtentFlags::ZERO),
            ((1 << 20) - 16384, hole)
        ]
    );
    let one = client.call(
        Command::BlockStatus,
        CommandFlags::REQ_ONE,
        4096,
        1 << 20,
        &[],
    );
    assert_eq!(one.extents, [(8192, ExtentFlags::empty())]);
    client.call(Command::Trim, NONE, 0, 1 << 20, &[]);
    assert_eq!(client.status(0, 1 << 20), [(1 << 20, hole)]);
    client.call(Command::WriteZeroes, CommandFlags::NO_HOLE, 0, 4096, &[]);
    assert_eq!(client.status(0, 4096), [(4096, ExtentFlags::ZERO)]);
}

#[test]
fn holes_are_not_sent_unless_one_piece_is_asked_for() {
    let stage = Stage::new();
    let mut client = Client::connect(&stage.socket(0), LUN).unwrap();
    client.write(1 << 20, &[3; 4096]);
    assert_eq!(client.read(0, 4 << 20).hole_bytes, (4 << 20) - 4096);
    let whole = client.call(Command::Read, CommandFlags::DF, 0, 4 << 20, &[]);
    assert_eq!((whole.hole_bytes, whole.error), (0, None));
    assert_eq!(whole.data[1 << 20], 3);
}

#[test]
fn equal_data_is_held_once_and_let_go_with_its_last_holder() {
    let stage = Stage::new();
    let held = || stage.server.status().space.held_bytes.unwrap();
    let mut client = Client::connect(&stage.socket(0), LUN).unwrap();
    client.write(0, &[5; 1 << 20]);
    let one = held();
    // A chunk, and the places of 256.
    assert!((4096..12288).contains(&one), "{one}");
    client.write(32 << 20, &[5; 1 << 20]);
    assert!(
        held() < one + 8192,
        "only the places: {} after {one}",
        held()
    );
    client.call(Command::Trim, NONE, 0, 32 << 20, &[]);
    assert_eq!(held(), one);
    client.call(Command::WriteZeroes, NONE, 32 << 20, 32 << 20, &[]);
    assert_eq!(held(), 0);
}

#[test]
fn data_that_does_not_fit_in_memory_is_refused() {
    let stage = Stage::with(|o| o.limits.data_bytes = Some(1 << 20));
    let mut client = Client::connect(&stage.socket(0), LUN).unwrap();
    let noise = |kind| content(kind, 900 << 10);
    assert_eq!(client.write(0, &noise(2)).error, None);
    assert_eq!(
        client.write(8 << 20, &noise(3)).error,
        Some(ErrorCode::NoSpace)
    );
    assert_eq!(client.read(0, 900 << 10).data, noise(2));
}

#[test]
fn the_largest_payload_goes_both_ways() {
    let stage = Stage::new();
    let mut client = Client::connect(&stage.socket(0), LUN).unwrap();
    let bytes = content(6, 32 << 20);
    assert_eq!(client.write(4096 + 17, &bytes).error, None);
    assert!(client.read(4096 + 17, 32 << 20).data == bytes);
    let sizes = &stage.server.status().luns[0].write_sizes;
    assert_eq!(
        sizes.iter().map(|s| s.1).sum::<u64>(),
        1,
        "one request is counted once"
    );
}

#[test]
fn a_backing_file_is_sparse_and_outlives_the_server() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("disk");
    let start = |change: fn(&mut ServerOptions)| {
        Server::start(options(folder.path(), |o| {
            o.backing = Some(file.clone());
            change(o);
        }))
    };
    let server = start(|_| {}).unwrap();
    let socket = folder.path().join("path0.sock");
    let mut client = Client::connect(&socket, "scale-out-flash-8/lun3").unwrap();
    client.write(12345, &[9; 100_000]);
    drop(client);
    server.stop();
    assert!(!socket.exists());
    let metadata = file.metadata().unwrap();
    assert!(metadata.len() >= (4 * 64) << 20 && metadata.blocks() < 2048);
    let server = start(|_| {}).unwrap();
    let mut client = Client::connect(&socket, "scale-out-flash-8/lun3").unwrap();
    assert_eq!(client.read(12345, 100_000).data, [9; 100_000]);
    let lun = &server.status().luns[3];
    assert!(
        (100_000..200_000).contains(&lun.mapped_bytes),
        "{}",
        lun.mapped_bytes
    );
    drop(client);
    server.stop();
    let error = start(|o| o.lun_bytes = Some(32 << 20)).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("the size and the scale that it was made with"),
        "{error}"
    );
}

#[test]
fn a_server_that_does_not_start_leaves_no_socket() {
    let folder = TempDir::new().unwrap();
    let start = |change: fn(&mut ServerOptions)| Server::start(options(folder.path(), change));
    let error = start(|o| o.scale = Some(-1.0)).unwrap_err();
    assert!(error.to_string().contains("scale"), "{error}");
    let error = start(|o| o.backing = Some("/proc/nowhere/disk".into())).unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("backing file /proc/nowhere/disk:"),
        "{error}"
    );
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}
