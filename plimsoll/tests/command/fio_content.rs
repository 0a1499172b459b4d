//! What fio's options of content leave in a file, beside what the real fio leaves there.

use crate::place::{TestFolder, typed};
use std::process::Command;

/// Options of one content each; where several exclude each other fio has an order among them.
const CONTENTS: [&[&str]; 12] = [
    &["--buffer_pattern=0xdeadbeef"],
    &["--buffer_pattern=\"abc\"12"],
    &["--buffer_pattern=1234"],
    &["--zero_buffers", "--buffer_pattern=0xab"],
    &["--buffer_compress_percentage=50"],
    &["--buffer_compress_percentage=50", "--zero_buffers"],
    &[
        "--buffer_compress_percentage=50",
        "--buffer_pattern=0xdeadbeef",
    ],
    &[
        "--buffer_compress_percentage=80",
        "--buffer_pattern=\"abcd\"",
    ],
    &["--buffer_compress_percentage=100", "--buffer_pattern=0xab"],
    &["--dedupe_percentage=50", "--buffer_pattern=0xdeadbeef"],
    &["--dedupe_percentage=50", "--zero_buffers"],
    &[
        "--dedupe_percentage=50",
        "--buffer_compress_percentage=50",
        "--buffer_pattern=0xdeadbeef",
    ],
];

/// The bytes that repeat, and the percentage of a file that they take: those of the word of eight bytes of which there are most
/// (zeros count as such; ours repeat another byte in each cell where no pattern is given, and so any word of one byte is one).
fn repeated(bytes: &[u8]) -> (Option<[u8; 8]>, f64) {
    let mut counts = std::collections::HashMap::<[u8; 8], usize>::new();
    for word in bytes.chunks_exact(8) {
        let word: [u8; 8] = word.try_into().expect("eight bytes");
        let key = match word.iter().all(|b| *b == word[0]) && word[0] != 0xab {
            true => [0; 8],
            false => word,
        };
        *counts.entry(key).or_default() += 1;
    }
    let (word, count) = counts.into_iter().max_by_key(|(_, n)| *n).expect("words");
    let percent = 800.0 * count as f64 / bytes.len() as f64;
    // Where in a block the pattern begins is the tool's own.
    let turned = (0..8).map(|by| {
        let mut turned = word;
        turned.rotate_left(by);
        turned
    });
    ((percent > 5.0).then_some(turned.min()).flatten(), percent)
}

#[test]
fn patterns_compression_and_duplicates_leave_what_fios_do() {
    for content in CONTENTS {
        let place = TestFolder::new();
        let job = typed("--name=j --size=4m --bs=64k --rw=write --scramble_buffers=0");
        let written = |name: &str| std::fs::read(place.path(name)).expect("readable");
        let own = [&["fio", "--filename=own"], &job[..], content].concat();
        place.plimsoll(&own).ok();
        let real = Command::new("fio")
            .arg("--filename=real")
            .args(job)
            .args(content)
            .current_dir(place.folder())
            .output();
        match real {
            Ok(out) if out.status.success() => {
                let (own, real) = (repeated(&written("own")), repeated(&written("real")));
                assert_eq!(own.0, real.0, "{content:?}");
                assert!(
                    (own.1 - real.1).abs() < 2.0,
                    "{content:?}: {own:?} {real:?}"
                );
            }
            other => plimsoll_skipped::skipped!("fio: {other:?}"),
        }
    }
}
