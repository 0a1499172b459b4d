//! Operations on a tree, and the keys that say on which of its files.

use super::given::{Given, Part, Wrong};
use super::keys::Key;
use super::words::{count, percent, word};
use plimsoll_plan::{FileSelect, FileWork, Making, Mix, NameMix, Op, PerFile};

/// Mixes that are ready, by name: how often each operation occurs in one pass of a published workload.
///
/// `mail`, `web` and `fileserver` are Filebench's personalities varmail, webserver and fileserver (`workloads/*.f`), of whose threads each
/// `flowop` is counted: readwholefile as a read, appendfilerand and writewholefile as a write, and createfile, deletefile and statfile as
/// themselves. Their openfile and closefile come with a file's first and last transfer; fsync is no operation, but a target's durability.
/// `mdtest` has the phases of mdtest on files: each is created, asked for its attributes, read and removed once. Reading one is opening and
/// closing it, as its files are empty unless it is told otherwise.
const READY: [(&str, &[(Op, u32)]); 4] = [
    (
        "mail",
        &[
            (Op::Create, 1),
            (Op::Write, 2),
            (Op::Read, 2),
            (Op::Delete, 1),
        ],
    ),
    ("web", &[(Op::Read, 10), (Op::Write, 1)]),
    (
        "fileserver",
        &[
            (Op::Create, 1),
            (Op::Write, 2),
            (Op::Read, 1),
            (Op::Delete, 1),
            (Op::Stat, 1),
        ],
    ),
    (
        "mdtest",
        &[
            (Op::Create, 1),
            (Op::Stat, 1),
            (Op::Open, 1),
            (Op::Delete, 1),
        ],
    ),
];

/// Percent of each operation, as its part of all that are counted.
fn ready(counts: &[(Op, u32)]) -> Mix {
    let all: u32 = counts.iter().map(|(_, count)| count).sum();
    let of = |op: Op| {
        let count = counts.iter().find(|(one, _)| *one == op);
        count.map_or(0.0, |(_, count)| 100.0 * f64::from(*count) / f64::from(all))
    };
    Mix {
        read: of(Op::Read),
        write: of(Op::Write),
        trim: 0.0,
        names: NameMix(Op::ON_NAMES.map(of)),
    }
}

/// `{ create = 20, stat = 60, read = 20 }`, or `"mail"`
pub(super) fn operations(given: &Given) -> Result<Mix, Wrong> {
    let name = given.alone().map(|part| part.text.as_str());
    if let Some((_, counts)) = READY.iter().find(|(known, _)| Some(*known) == name) {
        return Ok(ready(counts));
    }
    let of = |op: Op| given.get(op.name()).map_or(Ok(0.0), percent);
    let mut names = NameMix::default();
    for (percent, op) in names.0.iter_mut().zip(Op::ON_NAMES) {
        *percent = of(op)?;
    }
    Ok(Mix {
        read: of(Op::Read)?,
        write: of(Op::Write)?,
        trim: 0.0,
        names,
    })
}

/// Reads one of the keys `select`, `share_files`, `per_file`, `leave_one_out` and `make`.
pub(super) fn set(files: &mut FileWork, key: &Key, given: &Given) -> Result<(), Wrong> {
    given.check(key.form)?;
    let word = word(given)?;
    match (key.name, word.text.as_str()) {
        ("per_file", _) => files.per_file = Some(per_file(word)?),
        ("share_files", answer) => files.shares = answer == "yes",
        ("leave_one_out", answer) => files.leaves_one_out = answer == "yes",
        ("select", "sequential") => files.select = FileSelect::Sequential,
        ("make", "anew") => files.makes = Some(Making::Anew),
        ("make", "directories") => files.makes = Some(Making::Directories),
        ("make", "directories_anew") => files.makes = Some(Making::DirectoriesAnew),
        ("make", "deleted") => files.makes = Some(Making::Deleted),
        ("make", _) => files.makes = Some(Making::Missing),
        _ => files.select = FileSelect::Random,
    }
    Ok(())
}

/// So many transfers, or a percentage of a file.
fn per_file(part: &Part) -> Result<PerFile, Wrong> {
    match part.text.ends_with('%') {
        false => count(part, 1).map(PerFile::Transfers),
        true => {
            let share = percent(part)?;
            match share >= 1.0 && share.fract() == 0.0 {
                true => Ok(PerFile::Percent(share as u32)),
                false => Err(
                    Wrong::new(part, format!("`{}` is no whole percentage", part.text))
                        .remedy("write one from 1% to 100%"),
                ),
            }
        }
    }
}
