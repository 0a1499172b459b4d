//! What the targets start from: the same as the fuzzer.

use plimsoll_evidence::HostState;
use std::path::{Path, PathBuf};

/// The checkout.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// A target's seeds, in order.
pub fn of(name: &str) -> Vec<Vec<u8>> {
    match name {
        "multipath" => vec![multipath()],
        "capture" => vec![capture()],
        // They have none, and begin with what they take.
        "diskspd" => vec![b"-b4K -d1 -o32 -t2 -w30 -r -Sh -L data".to_vec()],
        "iolog" => vec![
            b"\x02fio version 2 iolog\n/dev/a add\n/dev/a open\n/dev/a read 0 4096\n/dev/a close\n"
                .to_vec(),
        ],
        "nbd" => vec![[&b"\x01NBDMAGICIHAVEOPT\0\x03"[..], &[0; 64]].concat()],
        _ => listed(name),
    }
}

fn listed(name: &str) -> Vec<Vec<u8>> {
    let list = std::fs::read_to_string(root().join("fuzz/seeds/list")).expect("the list");
    let of_name = |line: &str| {
        Some(
            line.split_once(' ')
                .filter(|(n, _)| *n == name)?
                .1
                .to_string(),
        )
    };
    let patterns: Vec<String> = list.lines().filter_map(of_name).collect();
    let files = patterns.iter().flat_map(|pattern| {
        let parts: Vec<&str> = pattern.split('/').collect();
        files(&root(), &parts)
    });
    files
        .map(|path| std::fs::read(path).expect("a seed"))
        .collect()
}

/// The files below a folder that a path with `*` in it names.
fn files(folder: &Path, parts: &[&str]) -> Vec<PathBuf> {
    let Some((part, rest)) = parts.split_first() else {
        return vec![folder.to_path_buf()];
    };
    let Some((begin, end)) = part.split_once('*') else {
        return files(&folder.join(part), rest);
    };
    let entries = std::fs::read_dir(folder).expect("a folder of seeds");
    let mut names: Vec<String> = entries
        .map(|e| {
            e.expect("an entry")
                .file_name()
                .to_string_lossy()
                .into_owned()
        })
        .filter(|name| name.starts_with(begin) && name.ends_with(end))
        .collect();
    names.sort();
    names
        .iter()
        .flat_map(|name| files(&folder.join(name), rest))
        .collect()
}

fn host_file(path: &str) -> String {
    std::fs::read_to_string(root().join("fuzz/seeds/host").join(path)).expect("a file of the host")
}

fn multipath() -> Vec<u8> {
    let said = host_file("commands/multipath -ll");
    format!("{}\0{said}", host_file("etc/multipath.conf")).into_bytes()
}

fn capture() -> Vec<u8> {
    let mut host = HostState::default();
    for path in [
        "etc/multipath.conf",
        "sys/block/sda/queue/scheduler",
        "sys/block/dm-0/dm/uuid",
        "commands/multipath -ll",
    ] {
        host.insert(format!("/{path}"), host_file(path));
    }
    let packed = plimsoll_capture::pack(&host).expect("a host");
    zstd::decode_all(&packed[..]).expect("it was packed")
}
