//! Prometheus' text format (<https://prometheus.io/docs/instrumenting/exposition_formats/>), as it is found: what is no
//! sample is passed over.

use std::borrow::Cow;

/// One line: `name{label="value"} 1.5`.
#[derive(Debug, Clone, PartialEq)]
pub struct Sample<'t> {
    /// The metric.
    pub name: &'t str,
    /// Labels of the sample, in their order.
    pub labels: Vec<(&'t str, Cow<'t, str>)>,
    /// Value of the sample; it may be no number (NaN).
    pub value: f64,
}

impl Sample<'_> {
    /// A label's value.
    pub fn label(&self, name: &str) -> Option<&str> {
        let found = self.labels.iter().find(|(label, _)| *label == name);
        found.map(|(_, value)| value.as_ref())
    }
}

/// The samples of the metrics that are wanted. The names of all others are looked at and nothing else.
pub fn samples<'t>(
    text: &'t str,
    wanted: impl Fn(&str) -> bool + 't,
) -> impl Iterator<Item = Sample<'t>> + 't {
    text.lines()
        .filter(move |line| wanted(name(line.trim_start()).0))
        .filter_map(sample)
}

/// The name that a line begins with, and what is behind it.
fn name(line: &str) -> (&str, &str) {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == ':';
    line.split_at(line.find(|c| !is_part(c)).unwrap_or(line.len()))
}

/// A line; `None` for comments, empty lines and what makes no sense.
pub fn sample(line: &str) -> Option<Sample<'_>> {
    let (name, rest) = name(line.trim());
    if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let rest = rest.trim_start();
    let (labels, rest) = match rest.strip_prefix('{') {
        Some(inside) => labels(inside)?,
        None => (Vec::new(), rest),
    };
    // Behind the value there may be a time, and in OpenMetrics an exemplar.
    let value = rest.split_whitespace().next()?.parse().ok()?;
    Some(Sample {
        name,
        labels,
        value,
    })
}

type Labels<'t> = Vec<(&'t str, Cow<'t, str>)>;

/// Labels up to the closing brace, and what is behind it.
fn labels(mut rest: &str) -> Option<(Labels<'_>, &str)> {
    let mut all = Vec::new();
    loop {
        rest = rest.trim_start();
        if let Some(behind) = rest.strip_prefix('}') {
            return Some((all, behind));
        }
        let (label, after) = name(rest);
        let quoted = after.trim_start().strip_prefix('=')?.trim_start();
        let (value, after) = value(quoted.strip_prefix('"')?)?;
        if label.is_empty() {
            return None;
        }
        all.push((label, value));
        let after = after.trim_start();
        rest = match after.strip_prefix(',') {
            Some(next) => next,
            None if after.starts_with('}') => after,
            None => return None,
        };
    }
}

/// A label's value up to its closing quote, and what is behind that.
fn value(text: &str) -> Option<(Cow<'_, str>, &str)> {
    let end = text.find(['"', '\\'])?;
    if text[end..].starts_with('"') {
        return Some((Cow::Borrowed(&text[..end]), &text[end + 1..]));
    }
    let mut plain = String::new();
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return Some((Cow::Owned(plain), &text[at + 1..])),
            '\\' => match chars.next()?.1 {
                'n' => plain.push('\n'),
                other => plain.push(other),
            },
            other => plain.push(other),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    type Read = (String, Vec<(String, String)>, f64);

    fn read(line: &str) -> Option<Read> {
        let sample = sample(line)?;
        let labels = sample.labels.into_iter();
        let labels = labels
            .map(|(l, v)| (l.to_owned(), v.into_owned()))
            .collect();
        Some((sample.name.to_owned(), labels, sample.value))
    }

    #[test]
    fn lines_as_the_formats_documentation_has_them() {
        let label = |l: &str, v: &str| (l.to_owned(), v.to_owned());
        assert_eq!(
            read(r#"http_requests_total{method="post",code="200"} 1027 1395066363000"#),
            Some((
                "http_requests_total".into(),
                vec![label("method", "post"), label("code", "200")],
                1027.0
            ))
        );
        assert_eq!(
            read(
                r#"msdos_file_access_time_seconds{path="C:\\DIR\\FILE.TXT",error="Cannot find file:\n\"FILE.TXT\""} 1.458255915e9"#
            ),
            Some((
                "msdos_file_access_time_seconds".into(),
                vec![
                    label("path", "C:\\DIR\\FILE.TXT"),
                    label("error", "Cannot find file:\n\"FILE.TXT\"")
                ],
                1.458255915e9
            ))
        );
        assert_eq!(
            read("metric_without_timestamp_and_labels 12.47"),
            Some(("metric_without_timestamp_and_labels".into(), vec![], 12.47))
        );
        assert_eq!(
            read(r#"something_weird{problem="division by zero"} +Inf -3982045"#).map(|s| s.2),
            Some(f64::INFINITY)
        );
        assert!(read("nothing NaN").unwrap().2.is_nan());
        assert_eq!(read("  a { b = \"c\" , }  2").map(|s| s.2), Some(2.0));
        assert_eq!(
            read(r#"a_bucket{le="1"} 3 # {trace="x"} 0.5"#).map(|s| s.2),
            Some(3.0)
        );
    }

    #[test]
    fn what_is_no_sample_is_passed_over() {
        for line in [
            "",
            "# HELP a b",
            "# EOF",
            "a",
            "a{",
            "a{b}",
            "a{b=\"c} 1",
            "a{b=\"c\"",
            "a{b=\"c\"}",
            "a{b=\"c\" d=\"e\"} 1",
            "a{=\"c\"} 1",
            "a b",
            "9a 1",
            "<html>",
            "{\"a\": 1}",
            "a{b=\"\\",
        ] {
            assert_eq!(read(line), None, "{line}");
        }
    }

    #[test]
    fn only_what_is_wanted_is_read() {
        let text = "a 1\r\nab 2\n b 3\n";
        let found: Vec<f64> = samples(text, |n| n != "ab").map(|s| s.value).collect();
        assert_eq!(found, [1.0, 3.0]);
    }

    proptest! {
        #[test]
        fn no_text_is_too_odd(text in "\\PC*", bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            samples(&text, |_| true).count();
            samples(&format!("a{{{text}"), |_| true).count();
            samples(&String::from_utf8_lossy(&bytes), |_| true).count();
        }

        #[test]
        fn what_was_escaped_is_read_again(value in "\\PC*") {
            let escaped = value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
            let line = format!("a{{b=\"{escaped}\"}} 1");
            let read = sample(&line).unwrap();
            prop_assert_eq!(read.label("b"), Some(value.as_str()));
        }
    }
}
