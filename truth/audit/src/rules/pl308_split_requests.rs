use crate::{
    NotApplicable, RuleAnswer, RuleFinding, RunView, findings, observable, queue, some_of,
};
use plimsoll_evidence::{BlockLayer, Quantity};
use plimsoll_plan::{Bytes, Plan, Stream};

rule! {
    308 "split-requests" Run(check) [NOTE, NOTE, NOTE, SUSPECT, NOTE] pitfalls [40] {
        summary: "Transfers are larger than what the device takes at once.",
        why: "The kernel cuts a transfer that is longer than the device's limit, and a stripe cuts it at the borders of its units. One \
            request becomes several: the device sees smaller ones, more of them, and the last one decides when the whole is done.",
        threshold: "The largest transfer is longer than max_sectors_kb of a device below the target, or than the unit of a stripe.",
        source: "Measured here: 4 MiB requests become 6 to 7. A published case had 1 MiB arrive as 256 KiB: a volume manager had been \
            given the width of the stripe for its unit.",
        example: "block = \"4m\", max_sectors_kb = 1280: four requests of 1 MiB and less.",
        remedy: "Raise max_sectors_kb up to max_hw_sectors_kb, make the stripe's unit as large as the transfers, or state the size that arrives.",
    }
    fires: |o| o.queue("max_sectors_kb", "4"),
}

fn check(view: &RunView<'_>) -> RuleAnswer {
    let plan = view.plan.ok_or(NotApplicable)?;
    if !view.is_real() {
        return of_the_lab(plan);
    }
    let targets = &view.environment.targets;
    let leaves = || targets.iter().flat_map(queue::leaves);
    let stripes = || {
        targets
            .iter()
            .flat_map(|t| &t.stack)
            .filter_map(queue::stripe)
    };
    observable(
        leaves().any(|l| queue::number(l, "max_sectors_kb").is_some())
            || stripes().next().is_some(),
        "no device below the targets tells its longest request",
    )?;
    let streams = plan.steps().flat_map(|s| &s.streams);
    findings(streams.flat_map(|s| {
        let below = targets.get(s.target.0 as usize);
        let short = below.into_iter().flat_map(queue::leaves);
        let short = short.filter_map(|l| too_long(s, l));
        let cut = below.into_iter().flat_map(|t| &t.stack);
        let stripe = |l: &BlockLayer| crosses_units(s, &l.name, queue::stripe(l)?);
        short.chain(cut.filter_map(stripe))
    }))
}

/// Stripes over LUNs of simulated arrays, which the plan itself makes.
fn of_the_lab(plan: &Plan) -> RuleAnswer {
    let columns = |s: &Stream| {
        let target = plan.targets.get(s.target.0 as usize)?;
        Some((target, target.location.columns(), target.stripe?.0))
    };
    let streams = plan.steps().flat_map(|s| &s.streams);
    let striped = some_of(streams.filter_map(|s| Some((s, columns(s)?))))?;
    let mut found: Vec<RuleFinding> = Vec::new();
    for (stream, (target, columns, unit)) in striped {
        let cut = crosses_units(stream, &target.name, (columns, unit));
        found.extend(cut.filter(|cut| !found.iter().any(|other| other.message == cut.message)));
    }
    findings(found)
}

/// A device that takes less at once.
fn too_long(stream: &Stream, layer: &BlockLayer) -> Option<RuleFinding> {
    let block = stream.largest_buffer();
    let limit = queue::number(layer, "max_sectors_kb").filter(|k| k << 10 < block.0)?;
    let message = format!(
        "{} takes {limit} KiB at once, so that {block} of {} arrive in {} pieces at least.",
        layer.name,
        stream.workload,
        block.0.div_ceil((limit << 10).max(1))
    );
    Some(finding(message, &layer.name, block, limit << 10))
}

/// A stripe with shorter units. Where all of them together are a transfer, somebody may have taken the width for the unit.
fn crosses_units(stream: &Stream, name: &str, (columns, unit): (u64, u64)) -> Option<RuleFinding> {
    let block = stream.largest_buffer();
    if unit >= block.0 {
        return None;
    }
    let width = match unit.checked_mul(columns) == Some(block.0) {
        true => ", which is the width of all of them: was that given for the unit",
        false => "",
    };
    let message = format!(
        "{} is a stripe of {columns} columns with units of {}, so that {block} of {} arrive in {} pieces at least{width}{}",
        name,
        Bytes(unit),
        stream.workload,
        block.0.div_ceil(unit.max(1)),
        if width.is_empty() { "." } else { "?" },
    );
    Some(finding(message, name, block, unit))
}

fn finding(message: String, device: &str, block: Bytes, limit: u64) -> RuleFinding {
    RuleFinding::new(message).text("device", device).judged(
        "block",
        Quantity::Bytes(block.0),
        limit as f64,
    )
}

#[test]
fn a_width_that_was_given_for_a_unit_cuts_each_transfer() {
    let found = |columns: &str, unit: &str| {
        let case = crate::known::changed(|o| {
            o.queue("stripe_columns", columns);
            o.queue("stripe_unit", unit);
        });
        let found = crate::known::found(check(&case.view()));
        found.first().map_or(String::new(), |f| f.message.clone())
    };
    assert_eq!(
        found("4", "2048"),
        "sdx is a stripe of 4 columns with units of 2KiB, so that 8KiB of oltp arrive in 4 pieces at least, which is the width of all \
         of them: was that given for the unit?"
    );
    assert_eq!(
        found("3", "4096"),
        "sdx is a stripe of 3 columns with units of 4KiB, so that 8KiB of oltp arrive in 2 pieces at least."
    );
    assert_eq!(found("4", "8192"), "");
}
