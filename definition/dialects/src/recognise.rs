//! What a file is by its first bytes, where it says what to measure or holds what was measured.

use crate::{Dialect, fio};
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// How many bytes of a file [`recognise`] wants, at most.
const HEAD: u64 = 64 * 1024;

/// A file that nobody means to test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Recognised {
    /// A definition in one of the dialects.
    Definition(Dialect),
    /// A record of a run.
    Record,
}

/// The application id in the header of a record; `output/record` writes it.
const RECORD_ID: [u8; 4] = *b"Plim";

/// What a file is, by its beginning. Devices are no texts, pipes would have to be waited for, and what cannot be read is
/// nothing known: whoever opens it says why.
pub fn recognise_file(path: &Path) -> Option<Recognised> {
    recognise(&head(path)?)
}

/// Whether a file begins as a text does, so that it is no data. One that is empty holds none either.
pub fn is_text(path: &Path) -> bool {
    head(path).is_some_and(|head| text(&head).is_some())
}

fn head(path: &Path) -> Option<Vec<u8>> {
    if !std::fs::metadata(path).is_ok_and(|m| m.is_file()) {
        return None;
    }
    let mut head = Vec::new();
    let file = File::open(path).ok()?;
    // What was read before an error is looked at.
    let _ = file.take(HEAD).read_to_end(&mut head);
    Some(head)
}

/// The beginning of a text; its end may have been cut inside a character.
fn text(head: &[u8]) -> Option<&str> {
    let text = match std::str::from_utf8(head) {
        Ok(text) => text,
        Err(e) if e.error_len().is_none() => std::str::from_utf8(&head[..e.valid_up_to()]).ok()?,
        Err(_) => return None,
    };
    (!text.contains('\0')).then_some(text)
}

/// The beginning of a text in UTF-16, as PowerShell writes it; its end may have been cut inside a character.
fn wide(head: &[u8]) -> Option<String> {
    let unit: fn([u8; 2]) -> u16 = match head.get(..2)? {
        [0xff, 0xfe] => u16::from_le_bytes,
        [0xfe, 0xff] => u16::from_be_bytes,
        _ => return None,
    };
    let units = head[2..].chunks_exact(2).map(|c| unit([c[0], c[1]]));
    let text = char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER));
    Some(text.collect())
}

/// Whether a file is XML, and what its root element is called.
pub fn xml_root(path: &Path) -> Option<String> {
    let head = head(path)?;
    let wide = wide(&head);
    let text = match &wide {
        Some(wide) => wide.as_str(),
        None => text(&head)?,
    };
    let mut rest = text.trim_start_matches('\u{feff}').trim_start();
    // Declarations and comments stand before the root.
    while let Some((what, end)) = [("<?", "?>"), ("<!--", "-->"), ("<!", ">")]
        .into_iter()
        .find(|(begin, _)| rest.starts_with(begin))
    {
        let at = rest[what.len()..].find(end)?;
        rest = rest[what.len() + at + end.len()..].trim_start();
    }
    let name = rest.strip_prefix('<')?;
    let end = name.find(|c: char| c.is_whitespace() || c == '>' || c == '/')?;
    (end > 0
        && name[..end]
            .chars()
            .all(|c| c.is_alphanumeric() || "_-:.".contains(c)))
    .then(|| name[..end].to_string())
}

/// What a file that begins with `head` is. Files of data, texts that are something else, and nothing are `None`.
pub fn recognise(head: &[u8]) -> Option<Recognised> {
    if head.starts_with(b"SQLite format 3\0") {
        return (head.get(68..72) == Some(&RECORD_ID)).then_some(Recognised::Record);
    }
    let wide = wide(head);
    let text = match &wide {
        Some(wide) => wide.as_str(),
        None => text(head)?,
    };
    let lines = || text.lines().map(str::trim);
    let begins = |names: &[&str]| lines().any(|l| names.iter().any(|n| l.starts_with(n)));
    if text.contains("<Profile>") && text.contains("<TimeSpan") {
        return Some(Recognised::Definition(Dialect::DiskSpd));
    }
    if begins(&["[target.", "[workload.", "[[run]]"]) && begins(&["[target."]) {
        return Some(Recognised::Definition(Dialect::Native));
    }
    let storage = begins(&["sd=", "fsd="]);
    if storage && begins(&["rd=", "wd=", "fwd="]) {
        return Some(Recognised::Definition(Dialect::Vdbench));
    }
    is_fio(text).then_some(Recognised::Definition(Dialect::Fio))
}

/// Options that job files are about, and hardly any other text with sections.
const OF_FIO: [&str; 10] = [
    "rw",
    "readwrite",
    "ioengine",
    "iodepth",
    "bs",
    "blocksize",
    "bssplit",
    "numjobs",
    "filename",
    "rwmixread",
];

/// Sections, and in them at least two options of fio's, of which one is no everyday word.
fn is_fio(text: &str) -> bool {
    let lines = || {
        text.lines()
            .map(|l| l.split([';', '#']).next().unwrap_or_default().trim())
    };
    let section = lines().any(|l| l.starts_with('[') && l.ends_with(']'));
    let names = || {
        let options = lines().filter(|l| !l.starts_with('['));
        let names = options.map(|l| l.split('=').next().unwrap_or_default().trim());
        names.filter(|name| fio::options::find(name).is_some())
    };
    section && names().count() >= 2 && names().any(|name| OF_FIO.contains(&name))
}

impl Recognised {
    /// For a sentence: "it is …".
    pub fn what(self) -> &'static str {
        match self {
            Recognised::Definition(dialect) => dialect.what(),
            Recognised::Record => "the record of a run",
        }
    }

    /// What to type instead, for the file `name`.
    pub fn instead(self, name: &str) -> String {
        match self {
            Recognised::Definition(Dialect::Native) => {
                format!("run it alone, with a name that ends in .toml: plimsoll run {name}")
            }
            Recognised::Record => format!("see it with plimsoll show {name}"),
            Recognised::Definition(_) => format!(
                "give it with -f: plimsoll plan -f {name} says what it would do, plimsoll run -f {name} does it"
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(bytes: &[u8]) -> tempfile::NamedTempFile {
        let file = tempfile::NamedTempFile::new().expect("a file");
        std::fs::write(file.path(), bytes).expect("written");
        file
    }

    #[test]
    fn a_profile_in_utf_16_is_known_by_its_content() {
        let text = "\u{feff}<?xml version=\"1.0\"?>\n<Profile>\n<TimeSpans><TimeSpan></TimeSpan></TimeSpans></Profile>";
        for unit in [u16::to_le_bytes as fn(u16) -> [u8; 2], u16::to_be_bytes] {
            let bytes: Vec<u8> = text.encode_utf16().flat_map(unit).collect();
            let known = Some(Recognised::Definition(Dialect::DiskSpd));
            assert_eq!(recognise(&bytes), known);
            // Cut inside of a character it is the same.
            assert_eq!(recognise(&bytes[..bytes.len() - 1]), known);
            assert_eq!(xml_root(file(&bytes).path()).as_deref(), Some("Profile"));
        }
    }

    #[test]
    fn xml_says_what_it_holds_behind_declarations_and_comments() {
        let root = |text: &str| xml_root(file(text.as_bytes()).path());
        let text = "<?xml version=\"1.0\"?>\n<!-- <a> -->\n<!DOCTYPE x>\n<Results a=\"1\">";
        assert_eq!(root(text).as_deref(), Some("Results"));
        for none in ["sd=sd1,lun=/x\n", "<", "< a>", "<?xml", "", "<<b>"] {
            assert_eq!(root(none), None, "{none}");
        }
    }
}
