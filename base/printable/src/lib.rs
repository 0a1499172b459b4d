//! Text that came from elsewhere, made fit to be shown on a terminal; and numbers for people.
//!
//! Names come from definitions, records, devices and servers. A terminal obeys what stands in a text: an escape sequence
//! moves its cursor, sets its title or types an answer, a newline makes a line that looks like one of ours, and a mark of
//! direction shows a name in another order than it has. So whoever prints such a text prints it as [`Printable`]. What is
//! printed as a whole passes [`guarded`] last, so that a text that was forgotten does no harm either.
//!
//! Numbers look the same whoever prints them, by [`human`]; elements of XML are in [`xml`], and metrics that Prometheus
//! scrapes in [`metrics`].

pub mod human;
pub mod metrics;
pub mod xml;

use std::borrow::Cow;
use std::fmt;

/// Shows a text with everything escaped that a terminal would obey: a newline as `\n`, ESC as `\x1b`, others by their
/// number. Width and alignment are those of what is shown.
///
/// ```
/// use plimsoll_printable::Printable;
/// assert_eq!(Printable("rd1").to_string(), "rd1");
/// assert_eq!(Printable("rd\x1b[2J\n").to_string(), r"rd\x1b[2J\n");
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Printable<'t>(pub &'t str);

impl fmt::Display for Printable<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&printable(self.0))
    }
}

/// The text as [`Printable`] shows it.
pub fn printable(text: &str) -> Cow<'_, str> {
    escaped(text, acts)
}

/// The text as one line, in which tabs stay: columns may be separated by them.
pub fn line_of(text: &str) -> Cow<'_, str> {
    escaped(text, |c| acts(c) && c != '\t')
}

/// A foreign text of several lines as one: its lines with `; ` between them, blank ones left out. For what a program or a
/// server says of its failure, which is put into a sentence of ours.
///
/// ```
/// use plimsoll_printable::one_line;
/// assert_eq!(one_line("no such file\n\nerror: forged\n"), "no such file; error: forged");
/// ```
pub fn one_line(text: &str) -> String {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let lines: Vec<Cow<'_, str>> = lines.map(printable).collect();
    lines.join("; ")
}

fn escaped(text: &str, odd: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.chars().any(&odd) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match odd(c) {
            true => escape(c, &mut shown),
            false => shown.push(c),
        }
    }
    Cow::Owned(shown)
}

/// JSON whose texts hold nothing that a terminal would obey: it means the same.
pub fn json(text: &str) -> Cow<'_, str> {
    let odd = |c: char| acts(c) && c != '\n' && c != '\t';
    if !text.chars().any(odd) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match odd(c) {
            // All of them are in Unicode's first plane: one escape each.
            true => shown.push_str(&format!("\\u{:04x}", u32::from(c))),
            false => shown.push(c),
        }
    }
    Cow::Owned(shown)
}

/// Printed text as a whole. Its newlines and tabs stay and, where it is `styled`, so do colours, a return to the line's
/// begin at its very begin, and the clearing of a line's rest at its very end. Nothing else passes that a terminal would
/// obey.
pub fn guarded(text: &str, styled: bool) -> Cow<'_, str> {
    if !text.chars().any(|c| acts(c) && c != '\n' && c != '\t') {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    let mut rest = text;
    if let Some(after) = rest.strip_prefix('\r').filter(|_| styled) {
        shown.push('\r');
        rest = after;
    }
    while let Some(c) = rest.chars().next() {
        let whole = match styled {
            true => colour(rest).or((rest == CLEAR_REST).then_some(CLEAR_REST.len())),
            false => None,
        };
        let length = whole.unwrap_or(c.len_utf8());
        match c {
            '\n' | '\t' => shown.push(c),
            _ if whole.is_none() && acts(c) => escape(c, &mut shown),
            _ => shown.push_str(&rest[..length]),
        }
        rest = &rest[length..];
    }
    Cow::Owned(shown)
}

const CLEAR_REST: &str = "\x1b[K";

/// The bytes of the colour (SGR) that a text begins with.
fn colour(text: &str) -> Option<usize> {
    let numbers = text.strip_prefix("\x1b[")?;
    let end = numbers.find(|c: char| !c.is_ascii_digit() && c != ';')?;
    numbers[end..].starts_with('m').then_some(2 + end + 1)
}

/// True where a terminal would obey the character, or show those beside it in another order.
fn acts(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn escape(c: char, shown: &mut String) {
    match (c, u32::from(c)) {
        ('\n', _) => shown.push_str("\\n"),
        ('\r', _) => shown.push_str("\\r"),
        ('\t', _) => shown.push_str("\\t"),
        (_, code @ 0..=0xff) => shown.push_str(&format!("\\x{code:02x}")),
        (_, code) => shown.push_str(&format!("\\u{{{code:x}}}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every character that a terminal may obey.
    fn hostile() -> String {
        let all = (0..0x20).chain(0x7f..0xa0).chain([0x61c, 0x200e, 0x200f]);
        let all = all.chain(0x2028..0x202f).chain(0x2066..0x206a);
        all.filter_map(char::from_u32).collect()
    }

    #[test]
    fn what_a_terminal_would_obey_is_escaped_and_nothing_else() {
        for c in hostile().chars() {
            let text = format!("a{c}b");
            let shown = printable(&text);
            assert!(
                shown.starts_with("a\\") && shown.ends_with('b'),
                "{shown:?}"
            );
            assert!(!shown.contains(c));
        }
        for text in [
            "rd1_(10%)",
            "größe",
            "日本",
            "a\\nb",
            "5 µs ± 1 — ≤",
            "👩‍🚀",
            "",
        ] {
            assert!(matches!(printable(text), Cow::Borrowed(same) if same == text));
        }
    }

    #[test]
    fn a_line_keeps_its_tabs() {
        assert_eq!(line_of("a\tb\nc"), "a\tb\\nc");
    }

    #[test]
    fn width_is_that_of_what_is_shown() {
        assert_eq!(format!("{:>8}|", Printable("a\n")), "     a\\n|");
        assert_eq!(format!("{:<4}|", Printable("é")), "é   |");
    }

    #[test]
    fn plain_text_as_a_whole_keeps_its_lines_and_nothing_else() {
        let text = format!("one\n\ttwo\x1b[31mred\x1b[0m{}\x1b[K", hostile());
        let shown = guarded(&text, false);
        let kept: Vec<char> = shown.chars().filter(|c| acts(*c)).collect();
        assert_eq!(kept, ['\n', '\t', '\t', '\n'], "{shown:?}");
        assert!(shown.starts_with("one\n\ttwo\\x1b[31mred"));
    }

    #[test]
    fn styled_text_keeps_colours_and_the_way_back_to_the_lines_begin() {
        for text in [
            "\x1b[1m\x1b[38;5;12mbold\x1b[0m\n",
            "\rlive\x1b[K",
            "\r\x1b[K",
            "plain",
        ] {
            assert_eq!(guarded(text, true), text);
        }
        for (text, shown) in [
            ("a\x1b[2Jb", r"a\x1b[2Jb"),
            ("a\x1b]0;title\x07", r"a\x1b]0;title\x07"),
            ("a\x1b[31", r"a\x1b[31"),
            ("a\x1b[Kb", r"a\x1b[Kb"),
            ("a\rb", r"a\rb"),
            ("\u{9b}31m", r"\x9b31m"),
            ("\x1b[31\u{202e}m", r"\x1b[31\u{202e}m"),
        ] {
            assert_eq!(guarded(text, true), shown);
        }
    }

    #[test]
    fn json_means_the_same() {
        // As serde writes them: what is below a blank is escaped already.
        let written = "{\n\t\"a\": \"\u{7f}\u{9b}\u{202e}é\"\n}";
        let shown = json(written);
        assert_eq!(shown, "{\n\t\"a\": \"\\u007f\\u009b\\u202eé\"\n}");
    }
}
