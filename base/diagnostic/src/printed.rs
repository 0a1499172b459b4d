//! Letters that word processors and web pages put in the place of those of a keyboard.

/// Dashes in the place of one or two minus signs, and their names.
pub const DASHES: [(char, &str); 6] = [
    ('\u{2010}', "a hyphen"),
    ('\u{2011}', "a non-breaking hyphen"),
    ('\u{2012}', "a figure dash"),
    ('\u{2013}', "an en dash"),
    ('\u{2014}', "an em dash"),
    ('\u{2212}', "a mathematical minus"),
];

/// Quotes, which shells and parsers take for letters.
pub const QUOTES: [char; 8] = [
    '\u{2018}', '\u{2019}', '\u{201a}', '\u{201c}', '\u{201d}', '\u{201e}', '\u{2032}', '\u{2033}',
];

/// Remark on the first letter of a text that is typed otherwise; `None` where it has none.
pub fn remark(text: &str) -> Option<String> {
    text.chars().filter(|c| !c.is_ascii()).find_map(|letter| {
        let dash = DASHES.iter().find(|(dash, _)| *dash == letter);
        let (what, typed) = match letter {
            _ if QUOTES.contains(&letter) => (
                "a quote as documents have it, and no quote here",
                "a straight one",
            ),
            c if c.is_whitespace() => (
                "a blank as documents have it, and no blank here",
                "an ordinary one",
            ),
            c if c.is_numeric() => ("no digit here", "0 to 9"),
            _ => (dash?.1, "a minus sign"),
        };
        let shown = match letter.is_whitespace() {
            true => String::new(),
            false => format!("`{letter}` "),
        };
        Some(format!(
            "{shown}U+{:04X} is {what}: type {typed}",
            u32::from(letter)
        ))
    })
}

#[test]
fn each_kind_of_letter_is_named_with_what_to_type() {
    for (text, said) in [
        (
            "sd=\u{201c}sd1\u{201d}",
            "`\u{201c}` U+201C is a quote as documents have it",
        ),
        (
            "rdpct=\u{ff11}00",
            "`\u{ff11}` U+FF11 is no digit here: type 0 to 9",
        ),
        (
            "\u{2013}b8K",
            "`\u{2013}` U+2013 is an en dash: type a minus sign",
        ),
        ("a\u{a0}b", "U+00A0 is a blank as documents have it"),
    ] {
        let remark = remark(text).unwrap_or_default();
        assert!(remark.starts_with(said), "{remark}");
    }
    assert_eq!(remark("Größe µs 日本"), None);
}
