//! Metrics in the text that Prometheus scrapes: families, and samples with labels. What OpenMetrics has beyond it, such as its names of
//! counters and its last line, is for whoever writes that.

use std::fmt::{Display, Write};

/// Text of metrics, one family after the other.
#[derive(Debug, Clone, Default)]
pub struct Metrics(String);

impl Metrics {
    /// Begins a family: its samples follow.
    pub fn family(&mut self, name: &str, kind: &str, help: &str) {
        // Writing to a text cannot fail.
        let _ = writeln!(self.0, "# HELP {name} {help}\n# TYPE {name} {kind}");
    }

    /// Writes a sample. Texts of labels may be anyone's.
    pub fn sample(&mut self, name: &str, labels: &[(&str, &str)], value: impl Display) {
        self.0.push_str(name);
        for (at, (key, text)) in labels.iter().enumerate() {
            let before = if at == 0 { '{' } else { ',' };
            let _ = write!(self.0, "{before}{key}=\"{}\"", escaped(text));
        }
        if !labels.is_empty() {
            self.0.push('}');
        }
        let _ = writeln!(self.0, " {value}");
    }

    /// The text.
    pub fn into_text(self) -> String {
        self.0
    }
}

/// Value of a label, whole: what two names have in common may be all but their ends.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\\' => out.push_str("\\\\"),
            '"' => out.push_str("\\\""),
            '\n' => out.push_str("\\n"),
            c if c.is_control() => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_label_ends_it() {
        let long = "x".repeat(1000);
        let mut metrics = Metrics::default();
        metrics.family("ios", "gauge", "I/Os.");
        metrics.sample("ios", &[("a", "a\"b\\c\nd\re"), ("b", &long)], 1.5);
        metrics.sample("ios", &[], 2);
        let wanted = format!(
            "# HELP ios I/Os.\n# TYPE ios gauge\nios{{a=\"a\\\"b\\\\c\\nd\u{fffd}e\",b=\"{long}\"}} 1.5\nios 2\n"
        );
        assert_eq!(metrics.into_text(), wanted);
    }
}
