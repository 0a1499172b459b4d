use crate::{PlanView, RuleAnswer, RuleFinding, findings, some_of};
use plimsoll_evidence::Quantity;
use plimsoll_plan::RangeSpec;

rule! {
    22 "misaligned" Plan(check) [NOTE, SUSPECT, SUSPECT, SUSPECT, NOTE] pitfalls [42] {
        summary: "Addresses do not begin at multiples of 4 KiB.",
        why: "A transfer that begins inside a block of the storage touches one block more than it needs: one \
            read-modify-write at each end, and two slices or chunks where one would do.",
        threshold: "An offset, a range or an alignment of the plan that is no multiple of 4 KiB.",
        source: "SNIA and vendor guides; a partition that began at sector 63 was the classic case.",
        example: "offset = \"32256\" (63 sectors of 512 bytes): each transfer of 4 KiB touches two blocks of 4 KiB.",
        remedy: "Let offsets, ranges and `align` be multiples of 4 KiB, better of 1 MiB.",
    }
    fires: |p| p.targets[0].offset = plimsoll_plan::Bytes(32256),
    clean: |p| p.targets[0].offset = plimsoll_plan::Bytes(1 << 20),
}

fn check(view: &PlanView<'_>) -> RuleAnswer {
    let streams = some_of(view.streams())?;
    findings(streams.flat_map(|s| {
        let mut places = vec![
            ("offset", s.target.offset.0),
            ("align", s.target.align.map_or(0, |a| a.0)),
        ];
        if let RangeSpec::Bytes(from, _) | RangeSpec::Clipped { from, .. } = s.stream.address.range
        {
            places.push(("range", from.0));
        }
        let odd = places.into_iter().filter(|(_, at)| at % BLOCK != 0);
        odd.map(move |(field, at)| {
            let message = format!(
                "{}: its {field} of {at} bytes is no multiple of 4 KiB.",
                s.who()
            );
            RuleFinding::new(message).at(s.written(field)).judged(
                field,
                Quantity::Bytes(at),
                BLOCK as f64,
            )
        })
        .collect::<Vec<_>>()
    }))
}

const BLOCK: u64 = 4096;
