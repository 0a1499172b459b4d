//! `verify_pattern=` and `buffer_pattern=`: numbers, texts and the place of a block, one behind the other.

use super::refused;
use crate::fio::Job;
use plimsoll_diagnostic::Diagnostic;
use plimsoll_plan::VerifyPattern;

/// Bytes of the longest pattern. fio took 512 once, and takes 128 MiB now, which nobody writes into a job file.
const MOST: usize = 4096;
/// What `%o` takes.
const OFFSET_BYTES: usize = 8;

/// A job's pattern, where it has one.
pub(super) fn of(job: &Job) -> Result<Option<VerifyPattern>, Diagnostic> {
    let Some(text) = job.text("verify_pattern") else {
        return Ok(None);
    };
    let (bytes, offsets) = read(text).ok_or_else(|| {
        refused(
            job,
            "verify_pattern",
            format!("the pattern {text} cannot be made"),
            "write numbers (0xdeadbeef, 66), texts in quotation marks and %o one behind the other, 4096 bytes at most",
        )
    })?;
    let interval = job.number("verify_pattern_interval").unwrap_or(0);
    Ok(Some(VerifyPattern {
        bytes,
        offsets,
        interval: u32::try_from(interval).ok().filter(|n| *n > 0),
    }))
}

/// The bytes, and where in them offsets stand.
pub(super) fn read(text: &str) -> Option<(Vec<u8>, Vec<u32>)> {
    let (mut bytes, mut offsets): (Vec<u8>, Vec<u32>) = (Vec::new(), Vec::new());
    let mut rest = text.trim();
    while !rest.is_empty() {
        let before = bytes.len();
        if let Some(behind) = rest.strip_prefix('"') {
            let (inner, behind) = behind.split_once('"')?;
            bytes.extend_from_slice(inner.as_bytes());
            rest = behind;
        } else if let Some(behind) = rest.strip_prefix("%o") {
            offsets.push(before as u32);
            bytes.extend([0; OFFSET_BYTES]);
            rest = behind;
        } else {
            rest = number(rest, &mut bytes)?;
        }
        if bytes.len() == before || bytes.len() > MOST {
            return None;
        }
    }
    (!bytes.is_empty()).then_some((bytes, offsets))
}

/// Takes a number off the front: hexadecimal digits in pairs from the left, or a decimal in as few bytes as it needs.
fn number<'t>(text: &'t str, bytes: &mut Vec<u8>) -> Option<&'t str> {
    let hex = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
    if let Some(hex) = hex.filter(|h| h.starts_with(|c: char| c.is_ascii_hexdigit())) {
        let mut end = hex.bytes().take_while(u8::is_ascii_hexdigit).count();
        if end < hex.len() && matches!(hex.as_bytes()[end], b'x' | b'X') {
            // The zero belongs to the next number.
            end -= 1;
        }
        let digits = &hex[..end];
        // An odd one stands alone at the front.
        let (first, pairs) = digits.split_at(digits.len() % 2);
        if !first.is_empty() {
            bytes.push(u8::from_str_radix(first, 16).ok()?);
        }
        for at in (0..pairs.len()).step_by(2) {
            bytes.push(u8::from_str_radix(&pairs[at..at + 2], 16).ok()?);
        }
        return Some(&hex[end..]);
    }
    let sign = usize::from(text.starts_with('-'));
    let mut end = sign
        + text
            .bytes()
            .skip(sign)
            .take_while(u8::is_ascii_digit)
            .count();
    let is_next = |end: usize| matches!(text.as_bytes().get(end), Some(b'x' | b'X'));
    if end > sign + 1 && is_next(end) && text.as_bytes()[end - 1] == b'0' {
        end -= 1;
    }
    let value: i32 = text[..end].parse().ok()?;
    let all = value.to_le_bytes();
    let used = all.iter().rposition(|b| *b != 0).map_or(1, |at| at + 1);
    bytes.extend_from_slice(&all[..used]);
    Some(&text[end..])
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn patterns_are_read_as_fio_documents_them() {
        // The examples of fio's own source, lib/pattern.c.
        let bytes = |text| read(text).map(|(bytes, _)| bytes);
        assert_eq!(bytes("\"abcd\""), Some(b"abcd".to_vec()));
        assert_eq!(bytes("-1024"), Some(vec![0, 0xfc, 0xff, 0xff]));
        assert_eq!(bytes("66"), Some(vec![0x42]));
        assert_eq!(bytes("0xFF0X1"), Some(vec![0xff, 1]));
        assert_eq!(bytes("0xaaa"), Some(vec![0xa, 0xaa]));
        assert_eq!(bytes("\"123\"0xFFeeCC"), Some(b"123\xff\xee\xcc".to_vec()));
        let (mixed, offsets) = read("-100xab\"1\"%o\"2\"").expect("a pattern");
        let mut expected = vec![0xf6, 0xff, 0xff, 0xff, 0xab, b'1'];
        expected.extend([0; 8]);
        expected.push(b'2');
        assert_eq!((mixed, offsets), (expected, vec![6]));
        let (both, offsets) = read("%o0xdeadbeef%o").expect("a pattern");
        assert_eq!((both.len(), offsets), (20, vec![0, 12]));
        assert_eq!(bytes("0"), Some(vec![0]));
        let long = |count: usize| {
            let digits = format!("0x{}", "ab".repeat(count));
            read(&digits).map(|(bytes, _)| bytes)
        };
        assert_eq!((long(4096), long(4097)), (Some(vec![0xab; 4096]), None));
        for odd in [
            "",
            "'file'",
            "\"open",
            "0x",
            "%z",
            "-",
            "99999999999",
            "é",
            "\"\"",
        ] {
            assert_eq!(read(odd), None, "{odd}");
        }
    }
}
