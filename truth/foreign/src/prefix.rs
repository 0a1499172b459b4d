//! Prefixes that a log collector, or `ssh` to many hosts, puts before each line of a tool's output.

use std::borrow::Cow;

/// Share of the lines that may be without the prefix: what was added by hand above or below.
const WITHOUT: f64 = 0.1;
/// Lines that a prefix is found from.
const LOOKED_AT: usize = 200;
/// Longest prefix, characters.
const LONGEST: usize = 120;

/// The text without the prefix that its lines have in common: a time, a name, a mark, with a blank behind it. Digits may differ from line
/// to line. Lines stay where they are.
pub fn without(text: &str) -> Cow<'_, str> {
    let Some(shape) = common(text) else {
        return Cow::Borrowed(text);
    };
    let mut bare = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        bare.push_str(match rest(line, &shape) {
            Some(rest) if rest.is_empty() && line.ends_with('\n') => "\n",
            Some(rest) => rest,
            None => line,
        });
    }
    Cow::Owned(bare)
}

/// The shape of the prefix that the lines have in common.
fn common(text: &str) -> Option<String> {
    let lines = || {
        text.lines()
            .take(LOOKED_AT)
            .filter(|l| !l.trim().is_empty())
    };
    let count = lines().count();
    if count < 3 {
        return None;
    }
    // One of the first few has it, if it is nearly everywhere.
    let candidates = lines().take(8).filter_map(|line| {
        let shape = shape(line);
        let ends = shape.char_indices().filter(|(_, c)| *c == ' ');
        let ends: Vec<usize> = ends.map(|(at, c)| at + c.len_utf8()).collect();
        let everywhere = |end: &usize| {
            let with = lines().filter(|l| rest(l, &shape[..*end]).is_some());
            let without = (count - with.count()) as f64;
            without <= WITHOUT * count as f64
        };
        let fits = |end: &usize| shape[..*end].chars().any(|c| c != ' ') && everywhere(end);
        ends.into_iter()
            .take_while(|end| shape[..*end].trim().is_empty() || everywhere(end))
            .filter(fits)
            .last()
            .map(|end| shape[..end].to_string())
    });
    candidates.max_by_key(String::len).map(|shape| {
        // Blanks behind the prefix are the line's own, all but one.
        let bare = shape.trim_end_matches(' ');
        shape[..bare.len() + 1].to_string()
    })
}

/// A line's beginning with each run of digits as one `0`, and tabs as blanks.
fn shape(line: &str) -> String {
    let mut shape = String::new();
    for c in line.chars().take(LONGEST) {
        match c {
            '0'..='9' if shape.ends_with('0') => {}
            '0'..='9' => shape.push('0'),
            '\t' => shape.push(' '),
            c => shape.push(c),
        }
    }
    shape
}

/// What follows a prefix of this shape; `None` where the line has another. A line without anything behind it may lack the last blank.
fn rest<'l>(line: &'l str, shape: &str) -> Option<&'l str> {
    let mut left = line.trim_end_matches(['\n', '\r']).len();
    let mut rest = line;
    let mut wanted = shape.chars().peekable();
    while let Some(want) = wanted.next() {
        if left == 0 && want == ' ' && wanted.peek().is_none() {
            return Some("");
        }
        let c = rest.chars().next().filter(|_| left > 0)?;
        let taken = match want {
            '0' => rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len(),
            ' ' if matches!(c, ' ' | '\t') => 1,
            want if want == c => c.len_utf8(),
            _ => 0,
        };
        if taken == 0 {
            return None;
        }
        rest = &rest[taken..];
        left = left.saturating_sub(taken);
    }
    Some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_a_name_or_both_before_each_line_are_taken_off() {
        let bare = "{\n  \"a\" : 1,\n\n  \"b\" : 22\n}\n";
        let with = |prefix: fn(usize) -> String| -> String {
            let lines = bare.lines().enumerate();
            lines.map(|(n, l)| format!("{}{l}\n", prefix(n))).collect()
        };
        assert_eq!(
            without(&with(|n| format!("2024-05-01T10:00:0{n}.1234{}Z ", n * 17))),
            bare
        );
        assert_eq!(without(&with(|_| "fio-pod-0 | ".into())), bare);
        assert_eq!(without(&with(|n| format!("[node7] 10:0{n}:11\t"))), bare);
    }

    #[test]
    fn wide_blanks_may_end_a_prefix() {
        let bare = "{\n  \"a\" : 1,\n  \"b\" : 2\n}\n";
        for prefix in ["host\u{2003} ", "\u{3000} "] {
            let lines = bare.lines().map(|l| format!("{prefix}{l}\n"));
            assert_eq!(without(&lines.collect::<String>()), bare, "{prefix:?}");
        }
    }

    #[test]
    fn what_has_none_stays_as_it_is() {
        for text in [
            "",
            "a b\n",
            "  read: IOPS=1\n    slat: 3\n    clat: 4\n",
            "{\n \"a\" : 1,\n \"b\" : 2\n}\n",
        ] {
            assert_eq!(without(text), text);
        }
    }
}
