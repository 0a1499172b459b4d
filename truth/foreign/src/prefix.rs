//! Prefixes that a log collector, `ssh` to many hosts, `grep -n` or a patch puts before each line of a tool's output.

use std::borrow::Cow;
use std::collections::HashMap;

/// Share of the lines that may be without the prefix: what was added by hand above or below.
const WITHOUT: f64 = 0.1;
/// Lines that a prefix is found from.
const LOOKED_AT: usize = 200;
/// Longest prefix, characters.
const LONGEST: usize = 120;

/// The text without the prefix that its lines have in common: a time, a name, a number, a mark. Digits may differ from line to line.
/// Lines stay where they are.
pub fn without(text: &str) -> Cow<'_, str> {
    match common(text).last() {
        Some(shape) => Cow::Owned(bare(text, shape)),
        None => Cow::Borrowed(text),
    }
}

/// The text without each prefix that its lines have in common, the longest first: the tool's own lines may begin alike, too.
pub fn without_each(text: &str) -> impl Iterator<Item = String> {
    let shapes = common(text).into_iter().rev();
    shapes.map(|shape| bare(text, &shape))
}

/// The text without each prefix that some of its lines have in common, the most frequent first: a result among words of a mail's own.
pub fn without_some(text: &str) -> impl Iterator<Item = String> {
    const LINES: usize = 2000;
    const FEWEST: usize = 8;
    const TRIED: usize = 24;
    let mut counts: HashMap<String, usize> = HashMap::new();
    for line in text.lines().take(LINES) {
        let shape = shape(line);
        let ends = ends(&shape)
            .into_iter()
            .map(|end| own_blanks(&shape[..end]));
        for prefix in ends.filter(|prefix| !prefix.trim().is_empty()) {
            *counts.entry(prefix).or_default() += 1;
        }
    }
    let mut found: Vec<(usize, String)> = counts.into_iter().map(|(s, n)| (n, s)).collect();
    found.retain(|(count, _)| *count >= FEWEST);
    found.sort_by(|a, b| (b.0, b.1.len(), &b.1).cmp(&(a.0, a.1.len(), &a.1)));
    let tried = found.into_iter().take(TRIED);
    tried.map(|(_, shape)| bare(text, &shape))
}

fn bare(text: &str, shape: &str) -> String {
    let mut bare = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        bare.push_str(match rest(line, shape) {
            Some(rest) if rest.is_empty() && line.ends_with('\n') => "\n",
            Some(rest) => rest,
            None => line,
        });
    }
    bare
}

/// Marks before each line of a patch, a comment, or a quotation, that need no blank behind them.
const MARKS: &[char] = &['+', '>', '#', '|'];

/// The shapes of the prefixes that the lines have in common, the shortest first.
fn common(text: &str) -> Vec<String> {
    let lines = || {
        text.lines()
            .take(LOOKED_AT)
            .filter(|l| !l.trim().is_empty())
    };
    let count = lines().count();
    if count < 3 {
        return Vec::new();
    }
    let count_of = |shape: &str| lines().filter(|l| rest(l, shape).is_some()).count();
    let everywhere = |shape: &str| (count - count_of(shape)) as f64 <= WITHOUT * count as f64;
    // One of the first few has it, if it is nearly everywhere.
    let candidates = lines().take(8).map(|line| {
        let shape = shape(line);
        let known = ends(&shape)
            .into_iter()
            .take_while(|end| shape[..*end].trim().is_empty() || everywhere(&shape[..*end]));
        // Where a blank behind a mark is not everywhere the mark is, it is the line's own.
        let is_own = |end: &usize| {
            let (with, before) = (&shape[..*end], shape[..*end].trim_end_matches(' '));
            before.len() < with.len()
                && ends(before).contains(&before.len())
                && count_of(with) < count_of(before)
        };
        let known = known.filter(|end| shape[..*end].chars().any(|c| c != ' ') && !is_own(end));
        known
            .map(|end| own_blanks(&shape[..end]))
            .collect::<Vec<_>>()
    });
    let longest = candidates.max_by_key(|shapes| shapes.last().map_or(0, String::len));
    let mut shapes = longest.unwrap_or_default();
    shapes.dedup();
    shapes
}

/// Places where a prefix of a shape may end: behind a blank, behind a mark, behind a number and a colon.
fn ends(shape: &str) -> Vec<usize> {
    let is_end = |(at, c): &(usize, char)| match c {
        ' ' => true,
        ':' => shape[..*at].ends_with('0'),
        c => *at == 0 && MARKS.contains(c),
    };
    let ends = shape.char_indices().filter(is_end);
    ends.map(|(at, c)| at + c.len_utf8()).collect()
}

/// A prefix without the blanks behind it that are the line's own: all but one.
fn own_blanks(shape: &str) -> String {
    let bare = shape.trim_end_matches(' ');
    let blank = if bare.len() < shape.len() { " " } else { "" };
    format!("{bare}{blank}")
}

/// A line's beginning with each run of digits as one `0`, and tabs as blanks. What a number is filled up with does not count.
fn shape(line: &str) -> String {
    let mut shape = String::new();
    let line = filled(line);
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

/// A line without the blanks before a number that it begins with.
fn filled(line: &str) -> &str {
    let bare = line.trim_start_matches(' ');
    match bare.starts_with(|c: char| c.is_ascii_digit()) {
        true => bare,
        false => line,
    }
}

/// Rest of a line behind a prefix of this shape; `None` where the line has another. A line without anything behind it may lack the last
/// blank.
fn rest<'l>(line: &'l str, shape: &str) -> Option<&'l str> {
    let line = match shape.starts_with('0') {
        true => filled(line),
        false => line,
    };
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
        // `cat -n`, `grep -n` of one file and of several, a patch, a comment.
        assert_eq!(without(&with(|n| format!("{:>6}\t", n + 8))), bare);
        assert_eq!(without(&with(|n| format!("{}:", n + 8))), bare);
        assert_eq!(without(&with(|n| format!("out.txt:{}:", n + 8))), bare);
        assert_eq!(without(&with(|_| "+".into())), bare);
        assert_eq!(without(&with(|_| "# ".into())), bare);
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
