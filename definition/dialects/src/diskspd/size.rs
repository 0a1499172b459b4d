//! Numbers and sizes as DiskSPD reads them.

/// Why a text is no size.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SizeError {
    /// No number at its beginning.
    #[error("`{0}` does not begin with a number")]
    NoNumber(String),
    /// Behind the number stands no unit.
    #[error("`{0}` is no unit: K, M, G and T are KiB to TiB, b is blocks of -b")]
    Unit(String),
    /// Something behind the unit.
    #[error("`{0}` stands behind the size")]
    Trailing(String),
    /// Larger than any storage.
    #[error("the size is larger than 64 bits hold")]
    Overflow,
}

/// A size at the beginning of a text: digits, then perhaps K, M, G, T (powers of 1024) or b (blocks), of either case; and
/// what follows it.
pub fn leading_size(text: &str, block: u64) -> Result<(u64, &str), SizeError> {
    let (number, rest) = digits(text)?;
    let (unit, rest) = match rest.chars().next().map(|c| c.to_ascii_uppercase()) {
        Some('K') => (1 << 10, &rest[1..]),
        Some('M') => (1 << 20, &rest[1..]),
        Some('G') => (1 << 30, &rest[1..]),
        Some('T') => (1u64 << 40, &rest[1..]),
        Some('B') => (block, &rest[1..]),
        _ => (1, rest),
    };
    let size = number.checked_mul(unit).ok_or(SizeError::Overflow)?;
    Ok((size, rest))
}

/// A size that is all of a text.
pub fn size(text: &str, block: u64) -> Result<u64, SizeError> {
    let (size, rest) = leading_size(text, block)?;
    if rest.is_empty() {
        return Ok(size);
    }
    let begins_unit = text
        .strip_suffix(rest)
        .is_some_and(|head| head.ends_with(|c: char| c.is_ascii_digit()));
    Err(match begins_unit {
        true => SizeError::Unit(rest.to_string()),
        false => SizeError::Trailing(rest.to_string()),
    })
}

/// The digits at the beginning of a text, and what follows them.
pub fn digits(text: &str) -> Result<(u64, &str), SizeError> {
    let end = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    if end == 0 {
        return Err(SizeError::NoNumber(text.to_string()));
    }
    let number = text[..end].parse().map_err(|_| SizeError::Overflow)?;
    Ok((number, &text[end..]))
}

/// A count as C's atoi reads it: what stands behind the digits is left over, and nothing at all is 0. `None`: more than 31 bits.
pub fn count(text: &str) -> Option<(i64, &str)> {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    match digits(unsigned) {
        Ok((n, rest)) => {
            let n = i64::from(i32::try_from(n).ok()?);
            Some((if text.starts_with('-') { -n } else { n }, rest))
        }
        Err(SizeError::NoNumber(_)) => Some((0, text)),
        Err(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_powers_of_1024_and_blocks() {
        for (text, bytes) in [
            ("4096", 4096),
            ("4k", 4096),
            ("64K", 65536),
            ("10m", 10 << 20),
            ("3G", 3 << 30),
            ("1T", 1 << 40),
            ("8b", 8 * 512),
            ("0", 0),
        ] {
            assert_eq!(size(text, 512), Ok(bytes), "{text}");
        }
        assert_eq!(leading_size("5g:1m", 1), Ok((5 << 30, ":1m")));
    }

    #[test]
    fn what_is_no_size_says_why() {
        assert_eq!(size("", 1), Err(SizeError::NoNumber(String::new())));
        assert_eq!(size("k4", 1), Err(SizeError::NoNumber("k4".into())));
        assert_eq!(size("4x", 1), Err(SizeError::Unit("x".into())));
        assert_eq!(size("4KB", 1), Err(SizeError::Trailing("B".into())));
        assert_eq!(size("16777216T", 1), Err(SizeError::Overflow));
        assert_eq!(size("99999999999999999999", 1), Err(SizeError::Overflow));
        assert_eq!(size("4\u{e9}", 1), Err(SizeError::Unit("\u{e9}".into())));
    }

    #[test]
    fn counts_are_atoi_s() {
        assert_eq!(count("8"), Some((8, "")));
        assert_eq!(count("8x"), Some((8, "x")));
        assert_eq!(count(""), Some((0, "")));
        assert_eq!(count("-3"), Some((-3, "")));
        assert_eq!(count("4294967296"), None);
    }
}
