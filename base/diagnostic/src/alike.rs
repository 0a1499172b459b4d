//! Complaints that are alike, as one: how many others there are, and in which lines.

use crate::{Diagnostic, Sources, Span};

/// Lines that are named of the others.
const LINES: usize = 8;

/// `and 11 more like it, in lines 3, 5 and 9`: the lines of the others that are of the first one's file; `None` where there are no others.
pub fn others_like(places: &[Option<Span>], sources: &Sources) -> Option<String> {
    let count = places.len().checked_sub(2)? + 1;
    let line = |place: &Option<Span>| {
        let span = (*place)?;
        Some((span.file, sources.line_column(span.file, span.start).0))
    };
    let Some((file, first)) = line(&places[0]) else {
        return Some(format!("and {count} more like it"));
    };
    let others = || places[1..].iter().filter_map(line);
    let mut lines: Vec<u32> = others()
        .filter(|(of, line)| *of == file && *line != first)
        .map(|(_, line)| line)
        .collect();
    lines.sort_unstable();
    lines.dedup();
    let mut named: Vec<String> = lines.iter().take(LINES).map(u32::to_string).collect();
    if lines.len() > LINES {
        named.push("others".to_string());
    }
    let elsewhere = others().any(|(of, _)| of != file);
    let place = match (in_words(&named), elsewhere) {
        (None, true) => ", in other files".to_string(),
        (None, false) => String::new(),
        (Some(lines), true) => format!(", in {lines} and in other files"),
        (Some(lines), false) => format!(", in {lines}"),
    };
    Some(format!("and {count} more like it{place}"))
}

/// Complaints, those of many places with one remedy as one, each in the place of its first.
pub fn fold(all: &[Diagnostic], sources: &Sources) -> Vec<Diagnostic> {
    let mut groups: Vec<Vec<&Diagnostic>> = Vec::new();
    for one in all {
        // What is said of a place says the same of another.
        let said = |d: &Diagnostic| {
            let label = d.labels.first().map(|label| label.text.clone());
            label.filter(|text| !text.is_empty())
        };
        let alike = |g: &&mut Vec<&Diagnostic>| {
            (&g[0].code, &g[0].help) == (&one.code, &one.help)
                && one.help.is_some()
                && said(one).is_some()
                && said(g[0]) == said(one)
        };
        match groups.iter_mut().find(alike) {
            Some(group) => group.push(one),
            None => groups.push(vec![one]),
        }
    }
    let folded = groups.into_iter().map(|group| {
        let place = |one: &&Diagnostic| one.labels.first().map(|label| label.span);
        let places: Vec<Option<Span>> = group.iter().map(place).collect();
        let mut first = group[0].clone();
        first.notes.extend(others_like(&places, sources));
        first
    });
    folded.collect()
}

/// `lines 3, 5 and 9`; none of no line.
fn in_words(lines: &[String]) -> Option<String> {
    let (last, before) = lines.split_last()?;
    Some(match before {
        [] => format!("line {last}"),
        _ => format!("lines {} and {last}", before.join(", ")),
    })
}

#[cfg(test)]
mod tests {
    use super::in_words;

    #[test]
    fn lines_are_listed_as_people_list_them() {
        let said =
            |lines: &[&str]| in_words(&lines.iter().map(|l| l.to_string()).collect::<Vec<_>>());
        assert_eq!(said(&[]), None);
        assert_eq!(said(&["3"]).as_deref(), Some("line 3"));
        assert_eq!(said(&["3", "5", "9"]).as_deref(), Some("lines 3, 5 and 9"));
    }
}
