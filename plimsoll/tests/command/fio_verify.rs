//! fio's `verify=`: what Plimsoll writes the installed fio finds good, and the other way round; what is damaged is found.

use crate::place::{TestFolder, typed};
use std::process::Command;

/// All but SHA-512, which fio 3.33 does not finish.
const SUMS: [&str; 15] = [
    "crc32c",
    "crc32c-intel",
    "crc32",
    "crc64",
    "crc16",
    "crc7",
    "xxhash",
    "md5",
    "sha1",
    "sha256",
    "sha3-224",
    "sha3-256",
    "sha3-384",
    "sha3-512",
    "meta",
];
/// Further options of the jobs, in turn.
const WAYS: [&str; 4] = [
    "bs=4k\n",
    "bs=8k\nverify_interval=1k\n",
    "bs=4k\nverify_offset=512\n",
    "bs=4k\nverify_pattern=0xdeadbeef%o\"abc\"\n",
];

/// One job for each sum, each on a file of its own.
fn jobs(rw: &str, more: &str) -> String {
    let mut text = format!("[global]\nioengine=psync\nsize=48k\nrw={rw}\n{more}");
    for (number, sum) in SUMS.iter().enumerate() {
        let way = WAYS[number % WAYS.len()];
        text += &format!("[j{number}]\nstonewall\nfilename=f{number}\nverify={sum}\n{way}");
    }
    text += "[strict]\nstonewall\nfilename=strict\nverify=pattern\nverify_pattern=%o\"x\"17\n";
    text
}

fn fio(place: &TestFolder, file: &str) -> Option<std::process::Output> {
    let mut command = Command::new("fio");
    command.arg(file).current_dir(place.folder()).output().ok()
}

#[test]
fn what_is_written_here_is_found_good_by_fio() {
    let place = TestFolder::new();
    place.text("write.fio", &jobs("write", ""));
    place.text("read.fio", &jobs("read", ""));
    // It reads back what it wrote, too.
    let done = place
        .plimsoll(&["run", "write.fio", "--json", "--no-record"])
        .ok();
    let steps = done.json()["steps"].as_array().expect("steps").clone();
    let backs = steps.iter().filter(|s| {
        let name = s["name"].as_str().unwrap_or_default();
        name.ends_with("(read back)") && s["errors"] == 0
    });
    assert_eq!(backs.count(), SUMS.len() + 1);
    let Some(read) = fio(&place, "read.fio") else {
        return plimsoll_skipped::skipped!("fio is not installed");
    };
    assert!(read.status.success(), "{read:?}");
    // It would have found what is not so.
    for name in ["f0", "strict"] {
        damage(&place, name);
    }
    assert!(!fio(&place, "read.fio").expect("fio").status.success());
}

#[test]
fn what_fio_has_written_is_found_good_and_any_damage_is_not() {
    let place = TestFolder::new();
    place.text(
        "write.fio",
        &jobs("write", "do_verify=0\nverify_state_save=0\n"),
    );
    place.text("read.fio", &jobs("read", ""));
    match fio(&place, "write.fio") {
        Some(ran) => assert!(ran.status.success(), "{ran:?}"),
        None => return plimsoll_skipped::skipped!("fio is not installed"),
    }
    place.plimsoll(&["run", "read.fio", "--no-record"]).ok();
    for (name, said) in [
        ("f0", "the data's sum"),
        ("f7", "the data's sum"),
        ("f9", "the data's sum"),
        ("strict", "the pattern"),
    ] {
        let good = std::fs::read(place.path(name)).expect("there");
        damage(&place, name);
        let found = place
            .plimsoll(&["run", "read.fio", "--json", "--no-record"])
            .exits(1);
        let text = format!("{}{}", found.out, found.err);
        assert!(text.contains("verification failed"), "{name}: {text}");
        assert!(text.contains(said), "{name}: {text}");
        let theirs = fio(&place, "read.fio").expect("fio");
        let printed = format!(
            "{}{}",
            String::from_utf8_lossy(&theirs.stdout),
            String::from_utf8_lossy(&theirs.stderr)
        );
        if said == "the data's sum" {
            // fio prints all of a sum, and eight bytes of it stand here.
            let sum = |label: &str| {
                let line = printed.lines().find_map(|l| l.trim().strip_prefix(label));
                let all = line
                    .unwrap_or_else(|| panic!("{label} {name}: {printed}"))
                    .trim();
                all[..all.len().min(16)].to_string()
            };
            let (expected, got) = (sum("Expected CRC:"), sum("Received CRC:"));
            let sums = format!("expected 0x{expected}, got 0x{got}");
            assert!(text.contains(&sums), "{name}: {sums}: {text}");
        }
        let ours = place.plimsoll("fio --no-record read.fio").exits(1).out;
        let errors = |text: &str| {
            let lines = text
                .lines()
                .filter(|l| l.contains("(groupid="))
                .filter_map(|l| l.split_once("err="))
                .map(|(_, l)| l.trim());
            let all = lines.filter_map(|l| l.split(&[':', ' '][..]).next().map(str::to_string));
            all.filter(|e| e != "0").collect::<Vec<_>>()
        };
        assert_eq!(errors(&ours), ["84"], "{name}: {ours}");
        // Of several headers in one I/O fio forgets all errors but that of the last.
        if name != "f9" {
            assert_eq!(errors(&ours), errors(&printed), "{name}: {printed}");
        }
        std::fs::write(place.path(name), good).expect("written");
    }
}

/// Changes one byte in the middle.
fn damage(place: &TestFolder, name: &str) {
    let mut bytes = std::fs::read(place.path(name)).expect("there");
    bytes[20_000] ^= 1;
    std::fs::write(place.path(name), bytes).expect("written");
}

#[test]
fn fios_own_command_line_tells_of_the_reads_behind_the_writes() {
    let place = TestFolder::new();
    let words = typed(
        "fio --name=v --filename=f --rw=randwrite --bs=4k --size=256k --verify=md5 --ioengine=libaio --iodepth=8 \
          --output-format=json --no-record",
    );
    let ours = place.plimsoll(&words).ok().json();
    let ios = |document: &serde_json::Value, op: &str| document["jobs"][0][op]["total_ios"].clone();
    assert_eq!(ours["jobs"].as_array().map(Vec::len), Some(1));
    assert_eq!(
        (ios(&ours, "read"), ios(&ours, "write")),
        (64.into(), 64.into())
    );
    let real = Command::new("fio")
        .args(&words[1..words.len() - 1])
        .current_dir(place.folder())
        .output();
    match real {
        Ok(out) if out.status.success() => {
            let real: serde_json::Value = serde_json::from_slice(&out.stdout).expect("JSON");
            assert_eq!(ios(&ours, "read"), ios(&real, "read"));
        }
        other => plimsoll_skipped::skipped!("fio: {other:?}"),
    }
}

#[test]
fn blocks_written_over_and_over_are_checked_as_they_were_written_last() {
    let place = TestFolder::new();
    let text = "[x]\nioengine=io_uring\niodepth=16\nfilename=f\nsize=512k\nio_size=2m\nrw=randrw\n\
                randseed=5\nnorandommap\nbsrange=512-8k\nverify=crc32c\n";
    place.text("a.fio", text);
    let done = place
        .plimsoll(&["run", "a.fio", "--json", "--no-record"])
        .ok();
    let steps = done.json()["steps"].clone();
    let back = steps.as_array().and_then(|s| s.last()).expect("a step");
    assert_eq!(back["name"], "x (read back)");
    assert_eq!(back["errors"], 0);
    assert!(back["ops"][0]["ios"].as_u64() > Some(4), "{back}");
}

#[test]
fn what_cannot_be_verified_is_refused_by_its_line() {
    let place = TestFolder::new();
    let head = "[x]\nioengine=psync\nfilename=f\nsize=64k\nrw=write\nbs=4k\n";
    for (line, said) in [
        ("verify=pattern\n", "has no pattern"),
        ("verify=sha1024\n", "`verify=sha1024` cannot be read"),
        (
            "verify=md5\nverify_interval=48\n",
            "a header takes 56 bytes",
        ),
        (
            "verify=md5\nverify_offset=4080\n",
            "cannot be moved by 4080",
        ),
        (
            "verify=md5\nverify_pattern='f'\n",
            "the pattern 'f' cannot be made",
        ),
        (
            "verify=md5\nverify_only\nrw=randwrite\n",
            "its order is drawn",
        ),
    ] {
        place.text("a.fio", &format!("{head}{line}"));
        place
            .plimsoll(&["plan", "a.fio"])
            .refused(&[said, "a.fio:"]);
    }
    place.text("a.fio", &format!("{head}verify=null\n"));
    let plan = place.plimsoll(&["plan", "a.fio"]).ok();
    assert!(!plan.out.contains("read back"), "{plan:#?}");
}

/// One in seven of these would run over the end of its file.
#[test]
fn an_io_that_would_straddle_two_files_is_verified_where_it_was_put() {
    let place = TestFolder::new();
    for runs in 0..3 {
        let done = place
            .plimsoll("fio --no-record --output-format=json --name=j --directory=. --nrfiles=16 --size=4m --bsrange=4k-128k --rw=randwrite \
                  --norandommap --ioengine=psync --io_size=8m --verify=crc32c")
            .ok();
        let document = done.json();
        assert_eq!(document["jobs"][0]["error"], 0, "{runs}");
        assert!(!done.err.contains("verification failed"), "{}", done.err);
    }
}
