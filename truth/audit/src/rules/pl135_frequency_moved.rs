use crate::{RuleAnswer, RuleFinding, RunView, others};
use plimsoll_evidence::witnessed::Frequency;
use plimsoll_evidence::{Quantity, Severity, Witnessed};

rule! {
    135 "frequency-moved" Run(check) [NOTE, NOTE, NOTE, SUSPECT, NOTE] pitfalls [52, 20] {
        summary: "The CPUs changed their frequency during the run.",
        why: "The same code takes longer on a slower clock. Where the frequency moved, early and late I/Os were made by \
            different machines; where somebody changed the governor, so were the two halves of the run.",
        threshold: "Another governor at the end than before, or a lowest mean frequency of all CPUs below 80 % of the highest, which \
            is a note.",
        source: "cpufreq of the kernel, looked at once an interval; a spread of 20 % of so many looks is about the variation of 5 \
            % in the catalogue.",
        example: "From performance to powersave after 40 s: 0.09 ms, then 0.14.",
        remedy: "Set the governor to performance and keep it (`cpupower frequency-set -g performance`), and repeat.",
    }
    fires: |o| frequency(o).governors_before = vec!["powersave".into()],
    clean: |o| frequency(o).lowest_khz = Some(2_500_000),
}

fn check(view: &RunView<'_>) -> RuleAnswer {
    let reported = |seen: &Witnessed| {
        let reported = |f: &&Frequency| f.governor.is_some() || f.lowest_khz.is_some();
        seen.frequency.as_ref().filter(reported).cloned()
    };
    others::ask(
        view,
        "the frequency of the CPUs, and what holds it down",
        reported,
        |_, _, frequency| {
            changed_hands(&frequency)
                .into_iter()
                .chain(spread(&frequency))
                .collect()
        },
    )
}

fn changed_hands(frequency: &Frequency) -> Option<RuleFinding> {
    let last = frequency.governor.as_deref()?;
    (!frequency.governors_before.is_empty()).then(|| {
        let message = format!(
            "The governor was {}, then {last}.",
            frequency.governors_before.join(", then ")
        );
        RuleFinding::new(message).value("governor", Quantity::Text(last.into()))
    })
}

fn spread(frequency: &Frequency) -> Option<RuleFinding> {
    let (low, high) = (frequency.lowest_khz? as f64, frequency.highest_khz? as f64);
    (low < NEAR * high).then(|| {
        let message = format!(
            "The CPUs ran at {:.2} to {:.2} GHz on average of all.",
            low / 1e6,
            high / 1e6
        );
        let found = RuleFinding::new(message).at_most(Severity::Note);
        found.judged("lowest", Quantity::Share(low / high), NEAR)
    })
}

const NEAR: f64 = 0.8;

#[cfg(test)]
fn frequency(o: &mut crate::known::Observed) -> &mut Frequency {
    o.witnessed().frequency.as_mut().expect("frequency")
}

#[test]
fn a_spread_of_more_than_a_fifth_is_a_note() {
    let case = crate::known::changed(|o| frequency(o).lowest_khz = Some(2_300_000));
    let seen = &crate::known::found(check(&case.view()))[0];
    assert_eq!(
        (seen.at_most, seen.message.as_str()),
        (
            Severity::Note,
            "The CPUs ran at 2.30 to 3.00 GHz on average of all."
        )
    );
}
