//! The few lines of a text that a complaint is about, cut to a width that people can read.

use std::ops::Range;

/// Lines longer than this (bytes) are cut round their labels.
const LINE_MAX: usize = 240;
/// Text kept on each side of a label in a cut line, bytes.
const MARGIN: usize = 60;
/// Most text shown of one label in a cut line, bytes.
const LABEL_MAX: usize = 120;
/// Labels that are this many lines apart are shown together.
const GAP_MAX: usize = 12;
/// A label over more lines than this is shown on its first line only.
const LABEL_LINES_MAX: usize = 6;

/// Some consecutive lines of a text.
#[derive(Debug, PartialEq, Eq)]
pub struct Excerpt {
    /// Number of the first line, from 1.
    pub line: usize,
    /// Column of the first label in the whole text, from 1, characters.
    pub column: usize,
    /// The lines.
    pub source: String,
    /// Each label: its index in the request and its place in `source`.
    pub labels: Vec<(usize, Range<usize>)>,
    /// Something of a line was left out, so that columns in `source` are not those in the text.
    pub cut: bool,
}

/// Excerpts of `text` that show all of `spans` (bytes; anything is accepted and brought into the text), in the order of
/// their first label in `spans`.
pub fn excerpts(text: &str, spans: &[Range<usize>]) -> Vec<Excerpt> {
    let mut placed: Vec<(usize, Range<usize>)> = spans
        .iter()
        .enumerate()
        .map(|(i, s)| (i, into_text(text, s)))
        .collect();
    placed.sort_by_key(|(_, s)| s.start);

    let mut groups: Vec<Vec<(usize, Range<usize>)>> = Vec::new();
    for (i, span) in placed {
        let near = groups
            .last()
            .and_then(|g| g.last())
            .is_some_and(|(_, last)| {
                let between = &text[last.end.min(span.start)..span.start];
                // Counting stops early: the texts between two labels can be megabytes.
                between
                    .bytes()
                    .filter(|b| *b == b'\n')
                    .take(GAP_MAX + 1)
                    .count()
                    <= GAP_MAX
            });
        match groups.last_mut() {
            Some(group) if near => group.push((i, span)),
            _ => groups.push(vec![(i, span)]),
        }
    }
    let mut found: Vec<Excerpt> = groups.iter().map(|g| excerpt(text, g)).collect();
    found.sort_by_key(|e| e.labels.iter().map(|(i, _)| *i).min());
    found
}

/// Brings a span inside the text, onto character boundaries, and onto its first line if it is very tall.
fn into_text(text: &str, span: &Range<usize>) -> Range<usize> {
    let start = floor(text, span.start.min(text.len()));
    let mut end = ceil(text, span.end.clamp(start, text.len()));
    let newlines = text[start..end].bytes().filter(|b| *b == b'\n');
    if newlines.take(LABEL_LINES_MAX).count() == LABEL_LINES_MAX {
        end = line_end(text, start);
    }
    start..end
}

fn excerpt(text: &str, group: &[(usize, Range<usize>)]) -> Excerpt {
    let first = group
        .iter()
        .min_by_key(|(i, _)| *i)
        .map_or(0..0, |(_, s)| s.clone());
    let from = line_start(text, group.iter().map(|(_, s)| s.start).min().unwrap_or(0));
    let to = line_end(text, group.iter().map(|(_, s)| s.end).max().unwrap_or(0));
    let line = 1 + text[..from].bytes().filter(|b| *b == b'\n').count();
    let column = 1 + text[line_start(text, first.start)..first.start]
        .chars()
        .count();

    let mut source = String::new();
    let mut labels: Vec<(usize, Range<usize>)> = group.iter().map(|(i, _)| (*i, 0..0)).collect();
    let mut cut = false;
    let mut at = from;
    loop {
        let end = line_end(text, at);
        let window = window(text, at..end, group);
        let left = window.start > at;
        let right = window.end < end;
        cut |= left || right;
        if left {
            source.push_str("… ");
        }
        let base = source.len();
        source.push_str(&text[window.clone()]);
        for ((_, span), (_, shown)) in group.iter().zip(&mut labels) {
            if (at..=end).contains(&span.start) {
                let start = span.start.clamp(window.start, window.end) - window.start;
                *shown = base + start..base + start;
            }
            if (at..=end).contains(&span.end) || (span.start <= end && span.end > end) {
                let stop = span.end.clamp(window.start, window.end) - window.start;
                shown.end = shown.start.max(base + stop);
            }
        }
        if right {
            source.push_str(" …");
        }
        if end >= to {
            break;
        }
        source.push('\n');
        at = after_line(text, end);
    }
    Excerpt {
        line,
        column,
        source,
        labels,
        cut,
    }
}

/// The part of a line that is shown.
fn window(text: &str, line: Range<usize>, group: &[(usize, Range<usize>)]) -> Range<usize> {
    if line.len() <= LINE_MAX {
        return line;
    }
    let here = || {
        group
            .iter()
            .filter(|(_, s)| s.start <= line.end && s.end >= line.start)
            .map(|(_, s)| s.start.max(line.start)..s.end.min(line.end))
    };
    let start = here().map(|s| s.start).min().unwrap_or(line.start);
    let end = here()
        .map(|s| s.end.min(s.start + LABEL_MAX))
        .filter(|e| *e <= start + LINE_MAX)
        .max()
        .unwrap_or(start);
    let from = floor(text, start.saturating_sub(MARGIN).max(line.start));
    let to = ceil(text, (end + MARGIN).min(line.end));
    from..to
}

fn floor(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

fn ceil(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at += 1;
    }
    at
}

fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |p| p + 1)
}

/// The end of the line that holds `at`, its `\n` or `\r\n` left out.
fn line_end(text: &str, at: usize) -> usize {
    let end = text[at..].find('\n').map_or(text.len(), |p| at + p);
    if end > at && text.as_bytes()[end - 1] == b'\r' {
        end - 1
    } else {
        end
    }
}

fn after_line(text: &str, end: usize) -> usize {
    text[end..].find('\n').map_or(text.len(), |p| end + p + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str, spans: &[Range<usize>]) -> Vec<(usize, String, Vec<String>)> {
        excerpts(text, spans)
            .into_iter()
            .map(|e| {
                let labels = e
                    .labels
                    .iter()
                    .map(|(_, r)| e.source[r.clone()].to_string())
                    .collect();
                (e.line, e.source, labels)
            })
            .collect()
    }

    #[test]
    fn only_the_lines_with_labels_are_taken() {
        let text = "one\ntwo\nthree\nfour\n";
        assert_eq!(
            shown(text, std::slice::from_ref(&(8..13))),
            [(3, "three".into(), vec!["three".into()])]
        );
    }

    #[test]
    fn labels_far_apart_make_two_excerpts_in_their_own_order() {
        let text = format!("first\n{}last\n", "x\n".repeat(100));
        let last = text.find("last").expect("it is there");
        let found = shown(&text, &[last..last + 4, 0..5]);
        assert_eq!(found[0], (102, "last".into(), vec!["last".into()]));
        assert_eq!(found[1], (1, "first".into(), vec!["first".into()]));
    }

    #[test]
    fn carriage_returns_are_left_out() {
        assert_eq!(
            shown("a\r\nbc\r\nd", &[3..5, 7..8]),
            [(2, "bc\nd".into(), vec!["bc".into(), "d".into()])]
                .map(|(l, s, v): (usize, String, Vec<String>)| (l, s, v))
        );
    }

    #[test]
    fn a_line_of_megabytes_is_cut_round_its_label() {
        let text = format!("{}needle{}", "é".repeat(2_000_000), "y".repeat(4_000_000));
        let at = text.find("needle").expect("it is there");
        let found = excerpts(&text, std::slice::from_ref(&(at..at + 6)));
        assert!(found[0].source.len() < 500);
        assert_eq!(&found[0].source[found[0].labels[0].1.clone()], "needle");
        assert_eq!(found[0].line, 1);
        assert_eq!(found[0].column, 2_000_001);
        assert!(found[0].cut);
    }

    #[test]
    fn any_span_is_brought_into_the_text() {
        let ends = [
            (0, 0),
            (3, 1),
            (5, 900),
            (900, 901),
            (1, 2),
            (usize::MAX, usize::MAX),
        ];
        for (start, end) in ends {
            let span = start..end;
            for text in ["", "é\né", "\r\n", "\n", "abc"] {
                for e in excerpts(text, std::slice::from_ref(&span)) {
                    for (_, r) in &e.labels {
                        assert!(e.source.get(r.clone()).is_some(), "{text:?} {span:?} {e:?}");
                    }
                }
            }
        }
    }
}
