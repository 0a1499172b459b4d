//! What a file is by its first bytes, where it says what to measure or holds what was measured.

use std::fs::File;
use std::io::Read;
use std::path::Path;

/// How many bytes of a file [`recognise`] wants, at most.
const HEAD: u64 = 64 * 1024;

/// A file that nobody means to test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Recognised {
    /// A definition in TOML.
    Definition,
    /// A record of a run.
    Record,
    /// A parameter file of Vdbench.
    Vdbench,
    /// A job file of fio.
    Fio,
    /// A profile of DiskSPD.
    DiskSpd,
}

/// The application id in the header of a record; `output/record` writes it.
const RECORD_ID: [u8; 4] = *b"Plim";

/// What a file is, by its beginning. Devices are no texts, pipes would have to be waited for, and what cannot be read is
/// nothing known: whoever opens it says why.
pub fn recognise_file(path: &Path) -> Option<Recognised> {
    if !std::fs::metadata(path).is_ok_and(|m| m.is_file()) {
        return None;
    }
    let mut head = Vec::new();
    let file = File::open(path).ok()?;
    // What was read before an error is looked at.
    let _ = file.take(HEAD).read_to_end(&mut head);
    recognise(&head)
}

/// What a file that begins with `head` is. Files of data, texts that are something else, and nothing are `None`.
pub fn recognise(head: &[u8]) -> Option<Recognised> {
    if head.starts_with(b"SQLite format 3\0") {
        return (head.get(68..72) == Some(&RECORD_ID)).then_some(Recognised::Record);
    }
    // The end may have been cut inside a character.
    let text = match std::str::from_utf8(head) {
        Ok(text) => text,
        Err(e) if e.error_len().is_none() => std::str::from_utf8(&head[..e.valid_up_to()]).ok()?,
        Err(_) => return None,
    };
    if text.contains('\0') {
        return None;
    }
    let lines = || text.lines().map(str::trim);
    let begins = |names: &[&str]| lines().any(|l| names.iter().any(|n| l.starts_with(n)));
    if text.contains("<Profile>") && text.contains("<TimeSpan") {
        return Some(Recognised::DiskSpd);
    }
    if begins(&["[target.", "[workload.", "[[run]]"]) && begins(&["[target."]) {
        return Some(Recognised::Definition);
    }
    let storage = begins(&["sd=", "fsd="]);
    if storage && begins(&["rd=", "wd=", "fwd="]) {
        return Some(Recognised::Vdbench);
    }
    let section = lines().any(|l| l.starts_with('[') && l.ends_with(']'));
    let keys = [
        "rw=",
        "readwrite=",
        "ioengine=",
        "iodepth=",
        "bs=",
        "filename=",
        "runtime=",
        "numjobs=",
    ];
    let fio = |l: &str| {
        let tight: String = l.chars().filter(|c| !c.is_whitespace()).collect();
        keys.iter().any(|k| tight.starts_with(k))
    };
    (section && lines().filter(|l| fio(l)).count() >= 2).then_some(Recognised::Fio)
}

impl Recognised {
    /// For a sentence: "it is …".
    pub fn what(self) -> &'static str {
        match self {
            Recognised::Definition => "a definition",
            Recognised::Record => "the record of a run",
            Recognised::Vdbench => "a Vdbench parameter file",
            Recognised::Fio => "a fio job file",
            Recognised::DiskSpd => "a DiskSPD profile",
        }
    }

    /// What to type instead, for the file `name`.
    pub fn instead(self, name: &str) -> String {
        match self {
            Recognised::Definition => format!("run it alone, with a name that ends in .toml: plimsoll run {name}"),
            Recognised::Record => format!("see it with plimsoll show {name}"),
            Recognised::Vdbench => format!("run it with plimsoll run -f {name}"),
            Recognised::Fio => {
                "say what it asks for in flags, as in plimsoll run TARGET --block 4k --depth 32 --for 30s (fio's bs, \
                 iodepth and runtime)"
                    .to_string()
            }
            Recognised::DiskSpd => {
                "say what it asks for in flags, as in plimsoll run TARGET --block 4k --depth 32 --for 30s (DiskSPD's \
                 BlockSize, RequestCount and Duration)"
                    .to_string()
            }
        }
    }
}
