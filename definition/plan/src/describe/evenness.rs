//! How evenly a plan's addresses load the owners of an array's slices, as far as the plan alone tells.

use crate::spread::{Imbalance, Places, spread, worst_seen};
use crate::{Bytes, HitPlacement, Pattern, Plan, RangeSpec, Stream, Target};

/// Of so many places the evenness of a pattern is looked at.
const LOOKED_AT: u64 = 1024;
/// With fewer streams than this it says little that they meet.
const FEW_STREAMS: u32 = 4;
/// A pattern that loads an owner this many times as much as it must is said.
const UNEVEN: f64 = 2.0;

/// One sentence for each workload on a target that says something, each once.
pub(super) fn notes(plan: &Plan) -> Vec<String> {
    let mut notes: Vec<String> = Vec::new();
    for stream in plan.steps().flat_map(|step| &step.streams) {
        let Some(target) = plan.targets.get(stream.target.0 as usize) else {
            continue;
        };
        for note in hits(stream, target)
            .into_iter()
            .chain(pattern(stream, target, None))
        {
            if !notes.contains(&note) {
                notes.push(note);
            }
        }
    }
    notes
}

fn hits(stream: &Stream, target: &Target) -> Option<String> {
    let hits = stream.address.hits.as_ref()?;
    let cell = stream.largest().0.max(1);
    let who = format!("the hit area of {} on {}", stream.workload, target.name);
    match hits.placement {
        HitPlacement::Scattered => {
            let (start, end) = range(stream, target)?;
            let first = start.next_multiple_of(cell);
            let count = end.saturating_sub(first) / cell;
            let cells = hits.area.0 / cell;
            if cells == 0 || cells > count / 2 {
                return None;
            }
            let places = Places {
                runs: [(first, count), (0, 0)],
                step: cell,
            };
            let worst = spread(&places, cells).worst;
            Some(format!(
                "{who} loads no owner of an array's slices more than {:.2} times its part (worst: {})",
                worst.factor,
                array(&worst)
            ))
        }
        HitPlacement::Sliced(slice) => Some(format!(
            "{who} is even on slices of {slice} and not on others; without `slice` it is even on all"
        )),
        HitPlacement::Contiguous => Some(format!(
            "{who} is one piece of {}: an array with slices of 1MiB serves its {} from {}",
            hits.area,
            percent(hits.read_percent.max(hits.write_percent)),
            match hits.area.0.div_ceil(1 << 20) {
                1 => "one owner".to_string(),
                n => format!("at most {n} owners"),
            }
        )),
    }
}

fn percent(percent: f64) -> String {
    format!("{percent}%")
}

/// What is to be said of a stride or of streams that fall together with slices: those of an array that is known, or of any.
pub fn pattern(stream: &Stream, target: &Target, known: Option<(Bytes, u64)>) -> Option<String> {
    let who = format!("{} on {}", stream.workload, target.name);
    match stream.address.pattern {
        Pattern::Stride { min, max } if min == max && min.0 > 0 => {
            // A stride is the gap behind a transfer. Transfers of several sizes begin at unequal distances.
            let (size, largest) = (stream.smallest(), stream.largest());
            let apart = min.0.checked_add(size.0).filter(|_| size == largest)?;
            let places = match range(stream, target) {
                Some((start, end)) => (end - start) / apart,
                None => LOOKED_AT,
            };
            let offsets: Vec<u64> = (0..places.min(LOOKED_AT)).map(|i| i * apart).collect();
            let span = places.min(LOOKED_AT) * apart;
            let worst = worst_seen(&offsets, span, known).filter(|worst| worst.factor >= UNEVEN)?;
            Some(format!(
                "the I/Os of {who} begin {} apart, which falls together with slices: with {} one owner has {:.0} times its part",
                Bytes(apart),
                array(&worst),
                worst.factor
            ))
        }
        Pattern::Streams(streams) => {
            let (start, end) = range(stream, target)?;
            let apart = (end - start) / u64::from(streams.max(1));
            let offsets: Vec<u64> = (0..u64::from(streams)).map(|i| start + i * apart).collect();
            // Few streams meet at one owner of some array by chance.
            let worst = worst_seen(&offsets, end - start, known)
                .filter(|worst| streams >= FEW_STREAMS && worst.factor >= f64::from(streams))?;
            Some(format!(
                "the {streams} streams of {who} begin about {} apart: with {} all of them are at one owner at the same time",
                Bytes(apart >> 20 << 20),
                array(&worst)
            ))
        }
        _ => None,
    }
}

fn array(seen: &Imbalance) -> String {
    format!("{} owners of slices of {}", seen.owners, seen.slice)
}

/// The bytes that a stream uses, where the plan knows how large the target is.
fn range(stream: &Stream, target: &Target) -> Option<(u64, u64)> {
    let size = target.size.or(target.location.stated_size())?.0;
    match stream.address.range {
        RangeSpec::Whole => Some((0, size)),
        RangeSpec::Bytes(from, to) => (from < to).then_some((from.0, to.0.min(size))),
        RangeSpec::Percent(from, to) => {
            let at = |percent: f64| (size as f64 * percent / 100.0) as u64;
            (from < to && to <= 100.0).then(|| (at(from), at(to)))
        }
        RangeSpec::Clipped { from, until, .. } => {
            let (from, to) = RangeSpec::clipped(from, until, size);
            (from < to).then_some((from, to))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validate::tests::plan;
    use crate::{HitSpec, Item};

    const MIB: u64 = 1 << 20;

    fn notes_of(change: impl FnOnce(&mut Stream)) -> Vec<String> {
        let mut plan = plan();
        plan.targets[0].size = Some(Bytes(64 << 30));
        let Item::Step(step) = &mut plan.items[0] else {
            panic!("a step");
        };
        change(&mut step.streams[0]);
        notes(&plan)
    }

    fn hits(placement: HitPlacement) -> Vec<String> {
        notes_of(|stream| {
            stream.address.hits = Some(HitSpec::reads(75.0, Bytes(2 * MIB), placement));
        })
    }

    fn of_pattern(pattern: Pattern) -> Vec<String> {
        notes_of(|stream| stream.address.pattern = pattern)
    }

    #[test]
    fn random_addresses_need_no_words() {
        assert_eq!(notes_of(|_| {}), Vec::<String>::new());
    }

    #[test]
    fn a_hit_area_is_told_by_its_placement() {
        let remarks = hits(HitPlacement::Scattered);
        assert!(remarks[0].contains("loads no owner"), "{remarks:?}");
        let remarks = hits(HitPlacement::Contiguous);
        assert!(
            remarks[0].contains("75%") && remarks[0].contains("at most 2 owners"),
            "{remarks:?}"
        );
        let remarks = hits(HitPlacement::Sliced(Bytes(MIB)));
        assert!(remarks[0].contains("not on others"), "{remarks:?}");
    }

    #[test]
    fn strides_and_streams_that_fall_together_with_slices_are_said_and_others_are_not() {
        let apart = |bytes: u64| {
            notes_of(|stream| {
                let gap = Bytes(bytes - stream.largest().0);
                stream.address.pattern = Pattern::Stride { min: gap, max: gap };
            })
        };
        // Every eighth slice of 1 MiB is one owner's of eight, and each 64th of 128 KiB one's of 64.
        let remarks = apart(8 * MIB);
        assert!(remarks[0].contains("begin 8MiB apart"), "{remarks:?}");
        assert!(
            remarks[0].ends_with("one owner has 64 times its part"),
            "{remarks:?}"
        );
        assert!(apart(24 << 10).is_empty());
        let remarks = of_pattern(Pattern::Streams(8));
        assert!(
            remarks[0].contains("8 streams") && remarks[0].contains("8GiB apart"),
            "{remarks:?}"
        );
        assert!(of_pattern(Pattern::Streams(1)).is_empty());
    }
}
