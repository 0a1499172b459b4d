//! What a file is by its first bytes, where it says what to measure or holds what was measured.

/// How many bytes of a file [`recognise`] wants, at most.
pub const HEAD: u64 = 64 * 1024;

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
