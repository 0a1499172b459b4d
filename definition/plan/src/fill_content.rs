//! What a target is filled with before it is read.

use crate::{ContentSpec, Step, TargetId};

/// The content of the workload that will read a target, so that a test on an array that reduces data reads what such data
/// would be; else that of the one that will overwrite it.
///
/// Of several the first one decides that asks for anything: most workloads that only read have no word about content.
/// Zeros are never filled with: an array may keep nothing for them, and a fill is there so that reads reach the storage.
pub fn fill_content<'s>(steps: impl Iterator<Item = &'s Step>, target: TargetId) -> ContentSpec {
    let mut overwritten = None;
    for stream in steps.flat_map(|step| &step.streams) {
        if stream.target != target || !says_what(&stream.content) {
            continue;
        }
        if stream.mix.read > 0.0 {
            return without_zeros(&stream.content);
        }
        overwritten = overwritten.or(Some(&stream.content));
    }
    overwritten.map(without_zeros).unwrap_or_default()
}

fn says_what(content: &ContentSpec) -> bool {
    match content {
        ContentSpec::Unique | ContentSpec::Zeros => false,
        ContentSpec::Pattern(bytes) => bytes.iter().any(|byte| *byte != 0),
        ContentSpec::File(_)
        | ContentSpec::Reducible { .. }
        | ContentSpec::ReduciblePattern { .. }
        | ContentSpec::PartZero { .. } => true,
    }
}

/// The content, all of which an array has to keep.
fn without_zeros(content: &ContentSpec) -> ContentSpec {
    match content {
        ContentSpec::PartZero {
            compress, dedupe, ..
        } => ContentSpec::Reducible {
            compress: *compress,
            dedupe: *dedupe,
        },
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validate::tests::plan;
    use crate::{Mix, Stream};

    fn stream(read: f64, content: ContentSpec) -> Stream {
        let mut stream = plan().steps().next().expect("a step").streams[0].clone();
        stream.mix = Mix::of_reads(read);
        stream.content = content;
        stream
    }

    fn compressed(compress: f64) -> ContentSpec {
        ContentSpec::Reducible {
            compress,
            dedupe: None,
        }
    }

    fn content(streams: &[Stream]) -> ContentSpec {
        let mut step = plan().steps().next().expect("a step").clone();
        let (first, rest) = streams.split_at(1);
        let mut other = step.clone();
        step.streams = first.to_vec();
        other.streams = rest.to_vec();
        fill_content([&step, &other].into_iter(), TargetId(0))
    }

    #[test]
    fn the_first_workload_that_reads_and_says_what_decides() {
        let streams = [
            stream(0.0, compressed(2.0)),
            stream(100.0, ContentSpec::Unique),
            stream(50.0, compressed(3.0)),
            stream(100.0, compressed(4.0)),
        ];
        assert_eq!(content(&streams), compressed(3.0));
    }

    #[test]
    fn else_the_first_that_writes_and_says_what() {
        let streams = [
            stream(100.0, ContentSpec::Unique),
            stream(0.0, compressed(2.0)),
            stream(0.0, compressed(3.0)),
        ];
        assert_eq!(content(&streams), compressed(2.0));
    }

    #[test]
    fn what_other_targets_hold_does_not_matter() {
        let mut other = stream(100.0, compressed(2.0));
        other.target = TargetId(1);
        assert_eq!(content(&[other]), ContentSpec::Unique);
    }

    #[test]
    fn nothing_is_filled_with_zeros() {
        for zeros in [ContentSpec::Zeros, ContentSpec::Pattern(vec![0; 8])] {
            assert_eq!(content(&[stream(50.0, zeros)]), ContentSpec::Unique);
        }
        let half = ContentSpec::PartZero {
            zeros: 50.0,
            compress: 2.0,
            dedupe: None,
        };
        assert_eq!(content(&[stream(50.0, half)]), compressed(2.0));
        let pattern = ContentSpec::Pattern(vec![0, 1]);
        assert_eq!(content(&[stream(50.0, pattern.clone())]), pattern);
    }
}
