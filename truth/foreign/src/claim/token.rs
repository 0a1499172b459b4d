//! Words, numbers and marks of a claim. A number ends where a letter begins: `8x8Gb` is `8`, `x`, `8`, `Gb`.

use super::factor::DEPTHS;

/// A word, a number or a mark, and whether a blank stands before it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Token<'t> {
    pub kind: TokenKind<'t>,
    pub glued: bool,
}

/// Kind of token.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum TokenKind<'t> {
    Number(Number),
    Word(&'t str),
    Mark(char),
}

/// A number as it is written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Number {
    /// Value of the number.
    pub value: f64,
    /// Half of what its last written digit that is not zero stands for.
    pub half: f64,
    /// True for one dot and three digits behind it, which may be a separator of thousands.
    pub dotted: bool,
}

/// Words that may follow a number that is written with blanks between its thousands; any other number stands for itself.
const AFTER_BLANKS: [&str; 8] = ["iops", "io/s", "i/o", "ios", "ops", "/s", "at ", "@"];

/// All tokens of a text.
pub(super) fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut all = Vec::new();
    let mut rest = text;
    let mut glued = false;
    while let Some(first) = rest.chars().next() {
        let length = if let Some(length) = stamp(rest).filter(|_| !glued) {
            all.push(Token {
                kind: TokenKind::Word(&rest[..length]),
                glued,
            });
            length
        } else if first.is_ascii_digit() {
            // `depth=8 264 000`, `depth 8 264 000` and `70/30 264 000` are two numbers each.
            let ends_here = match all.last().map(|token| &token.kind) {
                Some(TokenKind::Mark('=' | '/' | ':')) => glued,
                Some(TokenKind::Word(word)) => DEPTHS.contains(&word.to_lowercase().as_str()),
                _ => false,
            };
            let (number, length) = number(rest, !ends_here);
            all.push(Token {
                kind: TokenKind::Number(number),
                glued,
            });
            length
        } else if first.is_alphabetic() {
            let length = rest
                .find(|c: char| !c.is_alphabetic() || is_wide(c) != is_wide(first))
                .unwrap_or(rest.len());
            let length = compound(&rest[..length]).unwrap_or(length);
            all.push(Token {
                kind: TokenKind::Word(&rest[..length]),
                glued,
            });
            length
        } else {
            if !first.is_whitespace() || first == '\n' {
                all.push(Token {
                    kind: TokenKind::Mark(first),
                    glued,
                });
            }
            first.len_utf8()
        };
        glued = !first.is_whitespace();
        rest = &rest[length..];
    }
    all
}

/// True of letters that are written without blanks between words: `100万IOPS`.
fn is_wide(letter: char) -> bool {
    letter >= '\u{2E80}'
}

/// Length of the first word of two that are written as one: `randread`, `seqwrite`.
fn compound(word: &str) -> Option<usize> {
    let lower = word.to_ascii_lowercase();
    let first = ["random", "rand", "sequential", "seq"];
    let second = ["read", "reads", "write", "writes", "rw"];
    let found = first
        .iter()
        .find(|first| second.contains(&lower.strip_prefix(**first).unwrap_or("")));
    found.map(|first| first.len())
}

/// Length of a date or a time of day: `2025-06-01`, `12:00:05`.
fn stamp(text: &str) -> Option<usize> {
    let end = text
        .find(|c: char| !c.is_ascii_digit() && !matches!(c, ':' | '-'))
        .unwrap_or(text.len());
    let mut parts = text[..end].split(['-', ':']);
    let is_number = |part: &str| matches!(part.len(), 1..=4);
    (parts.all(is_number) && text[..end].split(['-', ':']).count() == 3).then_some(end)
}

/// Number that a sign of tens of thousands or more stands for.
fn sign(letter: char) -> Option<f64> {
    match letter {
        '万' | '萬' | '만' => Some(1e4),
        '亿' | '億' | '억' => Some(1e8),
        _ => None,
    }
}

/// The number at the beginning of a text with the signs behind it, and how long it is there: `2100 万`, `27万9572`.
fn number(text: &str, blanks: bool) -> (Number, usize) {
    let (mut number, mut at) = plain(text, blanks);
    let mut last = number.value;
    loop {
        let blank = usize::from(text[at..].starts_with(' '));
        let letter = text[at + blank..].chars().next();
        let Some((letter, scale)) = letter.and_then(|c| Some((c, sign(c)?))) else {
            return (number, at);
        };
        number.value += last * (scale - 1.0);
        number.half *= scale;
        number.dotted = false;
        at += blank + letter.len_utf8();
        if digits(&text[at..]) == 0 {
            return (number, at);
        }
        let (rest, length) = plain(&text[at..], false);
        last = rest.value;
        number.value += rest.value;
        number.half = rest.half;
        at += length;
    }
}

/// The number at the beginning of a text, and how long it is there.
fn plain(text: &str, blanks: bool) -> (Number, usize) {
    let run = digits(text);
    let (mut written, mut at) = (text[..run].to_string(), run);
    let mut separators = 0;
    if run <= 3 && !written.starts_with('0') {
        let mut separator = None;
        while let Some(c) = text[at..].chars().next() {
            let behind = at + c.len_utf8();
            let same = separator.is_none_or(|s| s == c);
            if !(same
                && ",.'\u{2019}\u{a0}\u{202f}\u{2009} ".contains(c)
                && digits(&text[behind..]) == 3)
            {
                break;
            }
            separator = Some(c);
            separators += 1;
            written.push_str(&text[behind..behind + 3]);
            at = behind + 3;
        }
        let after = text[at..].trim_start().to_lowercase();
        let stands = match separator {
            Some('.') => separators > 1,
            Some(c) if c.is_whitespace() => {
                blanks && AFTER_BLANKS.iter().any(|a| after.starts_with(a))
            }
            _ => true,
        };
        if !stands {
            written.truncate(run);
            at = run;
        }
    }
    let mut decimals = 0;
    if let Some(c) = text[at..].chars().next().filter(|c| matches!(c, '.' | ',')) {
        decimals = digits(&text[at + 1..]);
        // `4k, 8k` and `at 2, then`: a comma before a blank is no decimal one.
        if decimals > 0 && (c == '.' || separators == 0) {
            written.push('.');
            written.push_str(&text[at + 1..at + 1 + decimals]);
            at += 1 + decimals;
        } else {
            decimals = 0;
        }
    }
    let zeros = written.len() - written.trim_end_matches('0').len();
    let last = match decimals {
        0 => zeros.min(written.len() - 1) as i32,
        n => -(n as i32),
    };
    let number = Number {
        value: written.parse().unwrap_or(f64::MAX),
        half: 0.5 * 10_f64.powi(last),
        dotted: decimals == 3 && text.as_bytes().get(run) == Some(&b'.'),
    };
    (number, at)
}

fn digits(text: &str) -> usize {
    text.find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(text: &str) -> Vec<f64> {
        let all = tokens(text);
        let of = |t: &Token| match t.kind {
            TokenKind::Number(n) => Some(n.value),
            _ => None,
        };
        all.iter().filter_map(of).collect()
    }

    #[test]
    fn separators_of_thousands_and_decimals_are_told_apart() {
        for (text, expected) in [
            ("264,000 IOPS", &[264_000.0][..]),
            ("264 000 IOPS", &[264_000.0]),
            ("1.264.000 IOPS", &[1_264_000.0]),
            ("264'000", &[264_000.0]),
            ("1,15 ms", &[1.15]),
            ("1.150 ms", &[1.15]),
            ("4k, 8k", &[4.0, 8.0]),
            ("4, 264,000", &[4.0, 264_000.0]),
            ("8x8Gb", &[8.0, 8.0]),
            ("8 512 B", &[8.0, 512.0]),
            ("2100 万 IOPS", &[21e6]),
            ("27万9572", &[279_572.0]),
            ("1億2000万", &[120e6]),
            ("12:00:05 44", &[44.0]),
            ("10 100 GbE", &[10.0, 100.0]),
            ("depth=8 264 000 IOPS", &[8.0, 264_000.0]),
            ("70/30 264 000 IOPS", &[70.0, 30.0, 264_000.0]),
            ("write: 160 000 IOPS", &[160_000.0]),
            ("0.264", &[0.264]),
            ("1,234,567.8/s", &[1_234_567.8]),
        ] {
            assert_eq!(numbers(text), expected, "{text}");
        }
    }

    #[test]
    fn a_number_knows_how_far_it_is_rounded() {
        let half = |text| match tokens(text)[0].kind {
            TokenKind::Number(n) => n.half,
            _ => panic!("a number"),
        };
        assert_eq!(
            [half("264000"), half("160000"), half("8")],
            [500.0, 5000.0, 0.5]
        );
        assert!((half("1.15") - 0.005).abs() < 1e-12 && (half("1.4") - 0.05).abs() < 1e-12);
    }
}
