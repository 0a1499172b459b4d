//! Operations and their sizes.

use super::{Missing, Opt};
use plimsoll_plan::{SizeSpec, Stream};

/// How large the I/Os of a job are.
pub(super) fn options(stream: &Stream, options: &mut Vec<Opt>, missing: &mut Missing<'_>) {
    let all: [&SizeSpec; 3] = stream.size.by_operation();
    let alike = all.iter().all(|one| *one == all[0]);
    let used = if alike { &all[..1] } else { &all[..] };
    let fixed = |one: &&SizeSpec| match one {
        SizeSpec::Fixed(_) => true,
        SizeSpec::Weighted(list) => list.len() == 1,
        _ => false,
    };
    let ranged = |one: &&SizeSpec| matches!(one, SizeSpec::Range { .. });
    let joined = |word: &dyn Fn(&SizeSpec) -> String| {
        let words: Vec<String> = used.iter().map(|one| word(one)).collect();
        words.join(",")
    };
    if used.iter().all(fixed) {
        options.push(("bs", joined(&|one| one.max().0.to_string())));
        return;
    }
    if used.iter().all(ranged) {
        let begins =
            |one: &&SizeSpec| matches!(one, SizeSpec::Range { min, align, .. } if min == align);
        if !used.iter().all(begins) {
            missing.add(
                &stream.workload,
                "block",
                "a range of sizes whose step is not its smallest",
                "leave the step out",
            );
        }
        options.push((
            "bsrange",
            joined(&|one| format!("{}-{}", one.min().0, one.max().0)),
        ));
        return;
    }
    let whole = |one: &&SizeSpec| match one {
        SizeSpec::Weighted(list) => list.iter().all(|(_, p)| p.fract() == 0.0 && *p > 0.0),
        SizeSpec::Fixed(_) => true,
        _ => false,
    };
    if !used.iter().all(whole) {
        missing.add(
            &stream.workload,
            "block",
            "sizes whose percentages are not whole, or a range beside them",
            "write whole percentages",
        );
    }
    options.push(("bssplit", joined(&split)));
}

/// `4k/60:64k/40`, in bytes.
fn split(one: &SizeSpec) -> String {
    match one {
        SizeSpec::Weighted(list) => {
            let parts: Vec<String> = list.iter().map(|(b, p)| format!("{}/{p}", b.0)).collect();
            parts.join(":")
        }
        other => format!("{}/100", other.max().0),
    }
}
