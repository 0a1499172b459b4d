//! Failed I/Os, with their place.

use super::style::{Paint, Style};
use crate::human;
use plimsoll_evidence::StepEvidence;

/// The failed I/Os that were kept, a line each under their step's count; empty where none failed.
pub fn errors(steps: &[StepEvidence], style: &Style) -> String {
    let mut out = String::new();
    for step in steps
        .iter()
        .filter(|s| s.errors > 0 || !s.error_samples.is_empty())
    {
        let kept = step.error_samples.len() as u64;
        let failed = step.errors.max(kept);
        let which = if kept < failed {
            format!(", the first {kept} of them")
        } else {
            String::new()
        };
        let heading = format!("{}: {} failed I/Os{which}", step.name, human::count(failed));
        out.push_str(&style.paint(Paint::Bad, &heading));
        out.push('\n');
        for sample in &step.error_samples {
            out.push_str(&format!(
                "  {} {} of {} bytes at offset {}, {} after the start: {}\n",
                sample.target,
                sample.op.name(),
                sample.length,
                sample.offset,
                human::time(sample.at_ns as f64),
                sample.what,
            ));
        }
    }
    style.characters(out)
}
