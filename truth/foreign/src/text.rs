//! From bytes to lines, and from words to numbers: whatever was done to a result on its way here.

use plimsoll_plan::{Bytes, Nanos, Rate};
use std::borrow::Cow;

/// The text of an input: UTF-8 or UTF-16, with or without a mark of its order; bytes that are neither are those of Windows-1252. A mail's
/// encoding (quoted-printable) is undone, its quoting marks are taken off and hard spaces are blanked; colours of a
/// terminal are taken off. Lines stay where they are.
pub fn decode(bytes: &[u8]) -> Cow<'_, str> {
    let text = match bytes {
        [0xEF, 0xBB, 0xBF, rest @ ..] => western(rest),
        [0xFF, 0xFE, rest @ ..] => Cow::Owned(utf16(rest, u16::from_le_bytes)),
        [0xFE, 0xFF, rest @ ..] => Cow::Owned(utf16(rest, u16::from_be_bytes)),
        _ => match zeros(bytes) {
            (even, odd) if odd > 8 && odd > 4 * even => {
                Cow::Owned(utf16(bytes, u16::from_le_bytes))
            }
            (even, odd) if even > 8 && even > 4 * odd => {
                Cow::Owned(utf16(bytes, u16::from_be_bytes))
            }
            _ => western(bytes),
        },
    };
    unquoted(printable(unescaped(unbroken(untagged(uncoloured(text))))))
}

/// Text in UTF-8, where bytes that are none of it are letters and marks of Windows-1252, as a mail may say of itself.
fn western(bytes: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Cow::Borrowed(text);
    }
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|byte| match byte {
            0x91 | 0x92 => '\'',
            0x93 | 0x94 => '"',
            0x80 => '€',
            0x85 => '…',
            0x95 => '•',
            0x99 => '™',
            0x96 | 0x97 => '-',
            0xA0.. => char::from(*byte),
            _ => char::REPLACEMENT_CHARACTER,
        }));
    }
    Cow::Owned(text)
}

/// The text without the sequences of a terminal (ESC, `[`, up to a letter) that give it its colours.
fn uncoloured(text: Cow<'_, str>) -> Cow<'_, str> {
    const BEGINS: &str = "\u{1b}[";
    if !text.contains(BEGINS) {
        return text;
    }
    let mut parts = text.split(BEGINS);
    let first = parts.next().unwrap_or_default().to_string();
    let behind =
        |part| str::trim_start_matches(part, |c: char| c.is_ascii_digit() || "?;:".contains(c));
    let rest = parts.map(|part| {
        let part: &str = behind(part);
        let letter = part.chars().next().filter(char::is_ascii_alphabetic);
        &part[letter.map_or(0, char::len_utf8)..]
    });
    Cow::Owned(rest.fold(first, |text, part| text + part))
}

/// The text without the tags of a page that coloured or broke its lines, and with its characters as they are.
fn untagged(text: Cow<'_, str>) -> Cow<'_, str> {
    const TAGS: [&str; 8] = ["span", "br", "code", "pre", "p", "div", "b", "strong"];
    const CHARACTERS: [(&str, &str); 5] = [
        ("&quot;", "\""),
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&nbsp;", " "),
        ("&amp;", "&"),
    ];
    let is_page = text.contains("<span") || text.contains("<br");
    // XML of DiskSPD has few of them, in its command.
    if !is_page && text.matches("&quot;").take(8).count() < 8 {
        return text;
    }
    let mut bare = String::with_capacity(text.len());
    let mut parts = text.split('<');
    bare.push_str(parts.next().unwrap_or_default());
    for part in parts {
        let tag = part.split_once('>').filter(|(tag, _)| {
            let name = tag.trim_start_matches('/').trim_end_matches('/');
            let name = name.split([' ', '\n']).next().unwrap_or_default();
            TAGS.iter().any(|known| name.eq_ignore_ascii_case(known))
        });
        match tag {
            Some((_, behind)) => bare.push_str(behind),
            None => bare.extend(["<", part]),
        }
    }
    for (coded, character) in CHARACTERS {
        bare = bare.replace(coded, character);
    }
    Cow::Owned(bare)
}

/// The text without the marks of hard line breaks, where most lines end with one, as Markdown has them.
fn unbroken(text: Cow<'_, str>) -> Cow<'_, str> {
    let full = || {
        text.lines()
            .take(200)
            .filter(|line| !line.trim().is_empty())
    };
    let marked = full().filter(|line| line.ends_with('\\')).count();
    if marked * 2 <= full().count() {
        return text;
    }
    let bare = |line: &str| line.strip_suffix('\\').unwrap_or(line).to_string() + "\n";
    Cow::Owned(text.lines().map(bare).collect())
}

/// The text without the backslashes by which a converter keeps marks of fio's from Markdown: `\\|  1.00th=\\[  494\\]`.
fn unescaped(text: Cow<'_, str>) -> Cow<'_, str> {
    const MARKS: [&str; 8] = ["|", "[", "]", ">", "<", "_", "*", "~"];
    if !text.contains("th=\\[") && !text.contains("\\>=64=") {
        return text;
    }
    let bare = |text: String, mark: &&str| text.replace(&format!("\\{mark}"), mark);
    Cow::Owned(MARKS.iter().fold(text.into_owned(), bare))
}

/// Lines by which the encoding of a mail is known.
const MOST_LINES: usize = 20_000;

/// The text of a mail that was saved as it was sent, in quoted-printable: `=3D` is `=`, and a line that ends with `=` goes on in the next,
/// which is left empty.
fn printable(text: Cow<'_, str>) -> Cow<'_, str> {
    let (mut coded, mut bare) = (0, 0);
    for line in text.lines().take(MOST_LINES) {
        coded += line.matches("=3D").count();
        let reported = line.split('=').skip(1);
        bare += reported
            .filter(|rest| !rest.is_empty() && code(rest).is_none())
            .count();
    }
    if coded < 8 || coded < 4 * bare {
        return text;
    }
    let mut bytes: Vec<u8> = Vec::with_capacity(text.len());
    let mut moved = 0;
    for line in text.split_inclusive('\n') {
        let content = line.trim_end_matches(['\r', '\n']);
        let goes_on = content.ends_with('=') && content.len() < line.len();
        let content = if goes_on {
            &content[..content.len() - 1]
        } else {
            content
        };
        decoded(content, &mut bytes);
        if goes_on {
            moved += 1;
        } else if content.len() < line.len() {
            bytes.extend(std::iter::repeat_n(b'\n', 1 + moved));
            moved = 0;
        }
    }
    Cow::Owned(western(&bytes).into_owned())
}

/// Appends a line's bytes, with those that are told by two hexadecimal digits behind `=`.
fn decoded(line: &str, bytes: &mut Vec<u8>) {
    let mut parts = line.split('=');
    bytes.extend(parts.next().unwrap_or_default().bytes());
    for part in parts {
        match code(part) {
            Some(byte) => {
                bytes.push(byte);
                bytes.extend(part[2..].bytes());
            }
            None => bytes.extend([b"=", part.as_bytes()].concat()),
        }
    }
}

/// The byte that two hexadecimal digits tell.
fn code(part: &str) -> Option<u8> {
    let digits = part.get(..2)?;
    let all = digits.bytes().all(|b| b.is_ascii_hexdigit());
    u8::from_str_radix(digits, 16).ok().filter(|_| all)
}

/// Zero bytes at even and at odd places of the first 256: text in UTF-16 has one of the two.
fn zeros(bytes: &[u8]) -> (usize, usize) {
    let head = &bytes[..bytes.len().min(256)];
    let at = |parity| {
        let placed = head.iter().enumerate();
        placed.filter(|(i, b)| i % 2 == parity && **b == 0).count()
    };
    (at(0), at(1))
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> String {
    let units = bytes.chunks_exact(2).map(|pair| unit([pair[0], pair[1]]));
    char::decode_utf16(units)
        .map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER))
        .collect()
}

/// The text without a mail's marks of quoting, and with blanks in the place of hard spaces.
fn unquoted(text: Cow<'_, str>) -> Cow<'_, str> {
    let text = match text.contains(['\u{a0}', '\u{202f}', '\u{2009}']) {
        true => Cow::Owned(narrowed(&text).replace('\u{a0}', " ")),
        false => text,
    };
    if !text.lines().any(|line| unmarked(line).len() < line.len()) {
        return text;
    }
    let mut bare: String = text.lines().map(unmarked).collect::<Vec<_>>().join("\n");
    if text.ends_with('\n') {
        bare.push('\n');
    }
    Cow::Owned(bare)
}

/// A line behind its marks of quoting: what was indented there stays so, and `>=` is no mark.
fn unmarked(line: &str) -> &str {
    let end = line.find(|c| !matches!(c, ' ' | '>' | '\t'));
    let (marks, bare) = line.split_at(end.unwrap_or(line.len()));
    let marks = match bare.starts_with('=') {
        true => marks.strip_suffix('>').unwrap_or(marks),
        false => marks,
    };
    marks.rfind('>').map_or(line, |at| &line[at + 1..])
}

/// The text without thin spaces: within a number they part thousands, and elsewhere they are blanks.
fn narrowed(text: &str) -> String {
    let mut parts = text.split(['\u{202f}', '\u{2009}']);
    let first = parts.next().unwrap_or_default().to_string();
    let is_digit = |c: char| c.is_ascii_digit();
    parts.fold(first, |text, part| {
        let is_inner = text.ends_with(is_digit) && part.starts_with(is_digit);
        text + if is_inner { "" } else { " " } + part
    })
}

/// The lines with their numbers, from 1.
pub fn lines(text: &str) -> impl Iterator<Item = (u32, &str)> + Clone {
    (1..).zip(text.lines())
}

/// The lines that are whole: where the text ends without an end of line, its last one may be cut within a number.
pub fn whole_lines(text: &str) -> impl Iterator<Item = (u32, &str)> + Clone {
    let end = text.rfind('\n').map_or(text.len(), |at| at + 1);
    lines(&text[..end])
}

/// The number of the last line that is not empty: where somebody copied a part, it may be cut within a number, too.
pub fn last_line(text: &str) -> u32 {
    let full = lines(text).filter(|(_, line)| !line.trim().is_empty());
    full.last().map_or(0, |(number, _)| number)
}

/// A number as a tool prints it, in any locale: `104751.33`, `104751,33`, `104,751.33`, `13.1%`. `None` of what is none,
/// or not finite, or not within any sense (1e18).
pub fn number(word: &str) -> Option<f64> {
    let word = word.trim().trim_end_matches('%');
    let first = word.bytes().next()?;
    // Behind its point something was there that is not read.
    if word.ends_with('.')
        || !(first.is_ascii_digit() || matches!(first, b'.' | b',' | b'-' | b'+'))
        || word.len() > 40
    {
        return None;
    }
    let (comma, point) = (word.rfind(','), word.rfind('.'));
    let value: f64 = match (comma, point) {
        (None, _) => word.parse().ok()?,
        (Some(comma), Some(point)) if comma > point => {
            grouped(word, '.')?.replace(',', ".").parse().ok()?
        }
        (Some(_), Some(_)) => grouped(word, ',')?.parse().ok()?,
        (Some(_), None) if word.matches(',').count() > 1 => grouped(word, ',')?.parse().ok()?,
        (Some(_), None) => word.replace(',', ".").parse().ok()?,
    };
    (value.is_finite() && value.abs() < 1e18).then_some(value)
}

/// The word without the marks of its thousands; `None` where these do not part three digits each.
fn grouped(word: &str, mark: char) -> Option<String> {
    let whole = word.split(['.', ',']).take(word.matches(mark).count() + 1);
    let threes = whole
        .skip(1)
        .all(|g| g.len() == 3 && g.bytes().all(|b| b.is_ascii_digit()));
    threes.then(|| word.replace(mark, ""))
}

/// A number without decimals; a comma in it parts thousands.
pub fn count(word: &str) -> Option<f64> {
    amount(&word.replace(',', ""))
}

/// A number that is not below zero.
pub fn amount(word: &str) -> Option<f64> {
    number(word).filter(|n| *n >= 0.0)
}

/// The number that a text begins with.
pub fn leading(text: &str) -> Option<f64> {
    let end = text.find(|c: char| !(c.is_ascii_digit() || c == '.' || c == ','));
    let (number, rest) = text.split_at(end.unwrap_or(text.len()));
    // The digits before an exponent, or before the `x` of a hexadecimal number, are none.
    let exponent = rest.strip_prefix(['e', 'E', 'x', 'X']);
    let is_whole = !exponent.is_some_and(|e| e.starts_with(|c: char| c.is_ascii_digit()));
    amount(number).filter(|_| is_whole)
}

/// I/Os each second, up to a million million.
pub fn rate(value: f64) -> Option<Rate> {
    (value.is_finite() && (0.0..1e12).contains(&value)).then_some(Rate(value))
}

/// The longest time that is read, ns: 285 years.
pub const LONGEST_NS: f64 = 9e18;

/// A time.
pub fn nanos(ns: f64) -> Option<Nanos> {
    (0.0..LONGEST_NS)
        .contains(&ns)
        .then(|| Nanos(ns.round() as u64))
}

/// The same of milliseconds.
pub fn millis(ms: f64) -> Option<Nanos> {
    nanos(ms * 1e6)
}

/// Bytes, or bytes each second.
pub fn bytes(value: f64) -> Option<Bytes> {
    (value.is_finite() && (0.0..1e18).contains(&value)).then_some(Bytes(value as u64))
}

/// A size with the suffixes that fio, Vdbench and DiskSPD share: `4k`, `64m`, `1g`, powers of 1024.
pub fn size(word: &str) -> Option<u64> {
    let word = word.trim().to_ascii_lowercase();
    let end = word
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(word.len());
    let value: f64 = word[..end].parse().ok()?;
    let shift = match word[end..].chars().next() {
        None | Some('b') => 0,
        Some('k') => 10,
        Some('m') => 20,
        Some('g') => 30,
        Some('t') => 40,
        Some('p') => 50,
        Some(_) => return None,
    };
    let value = value * (1_u64 << shift) as f64;
    (value.is_finite() && (0.0..1e18).contains(&value)).then_some(value as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_any_locale_are_read_and_nonsense_is_none() {
        for (word, value) in [
            ("104751.33", 104_751.33),
            ("104751,33", 104_751.33),
            ("104,751.33", 104_751.33),
            ("104.751,33", 104_751.33),
            ("1,104,751", 1_104_751.0),
            ("13.1%", 13.1),
            ("-5", -5.0),
        ] {
            assert_eq!(number(word), Some(value), "{word}");
        }
        for word in [
            "", "NaN", "inf", "-", "1e400", "n/a", "1.2.3", "1,2,3", "1,04.5", "infinity", "9e30",
            "0x10",
        ] {
            assert_eq!(number(word), None, "{word}");
        }
        assert_eq!(amount("-5"), None);
    }

    #[test]
    fn text_comes_out_the_same_however_it_was_stored() {
        let text = "rd1 1 2\nrd2\n";
        let utf16: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let marked = [&[0xFF, 0xFE][..], &utf16].concat();
        let swapped: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
        let bom = [&[0xEF, 0xBB, 0xBF][..], text.as_bytes()].concat();
        let long = "a long enough text to be known by its zeros\n".encode_utf16();
        let long: Vec<u8> = long.flat_map(u16::to_be_bytes).collect();
        assert_eq!(decode(&marked), text);
        assert_eq!(decode(&[&[0xFE, 0xFF][..], &swapped].concat()), text);
        assert_eq!(decode(&bom), text);
        assert!(decode(&long).starts_with("a long enough"));
        assert_eq!(decode(b"> > a\n>  b\n> c\n"), " a\n  b\n c\n");
    }

    #[test]
    fn a_mail_in_quoted_printable_is_read_and_its_lines_stay_where_they_are() {
        let mail =
            "> a=3D1, b=3D2, c=3D=\n3, d=3D[ 4],\n> e=3D5, f=3D6 =C2=B5s, g=3D7, h=3D8\n> end\n";
        let read = decode(mail.as_bytes()).into_owned();
        let lines: Vec<&str> = read.lines().collect();
        assert_eq!(lines[0].trim(), "a=1, b=2, c=3, d=[ 4],");
        assert_eq!(lines[2].trim(), "e=5, f=6 \u{b5}s, g=7, h=8");
        assert_eq!(lines.len(), 4);
        let text = "a=1, b=2, c=3D\n";
        assert_eq!(decode(text.as_bytes()), text);
    }

    #[test]
    fn sizes_have_powers_of_1024() {
        assert_eq!(size("4k"), Some(4096));
        assert_eq!(size("1.5G"), Some(3 << 29));
        assert_eq!(size("8192"), Some(8192));
        assert_eq!(size("10%"), None);
        assert_eq!(size("9999999999p"), None);
    }
}
