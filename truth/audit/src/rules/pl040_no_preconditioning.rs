use crate::{PlanView, RuleAnswer, RuleFinding, StreamAt, findings, some_of};
use plimsoll_evidence::LimitCause;
use plimsoll_plan::{Pattern, Purpose, Question};

rule! {
    40 "no-preconditioning" Plan(check) [NOTHING, NOTHING, SUSPECT, NOTE, NOTHING] pitfalls [15, 14, 17] {
        summary: "Random writes are measured on storage whose state nobody made.",
        why: "Flash that is new or freshly trimmed has free blocks at hand. When they are used up it has to collect garbage, \
            and random writes fall to a third or a tenth. Until all of it, and its spare, was written about three times, a \
            rate is of the beginning.",
        threshold: "A workload that writes random blocks, claimed to be sustained, outside of a soak, a test of the \
            specification or a disturbance, with no fill or write pass before it; not of a run whose limit was garbage collection: it has used its free \
            blocks up.",
        source: "SNIA PTS: two times the capacity is written before anything counts; simulated greedy garbage collection is \
            settled after 2.5 to 3 times.",
        example: "A SATA SSD takes 90,000 random writes/s out of the box and 30,000/s an hour later.",
        remedy: "Use `plimsoll soak --overwrites 3` or `--precondition`, or claim burst.",
    }
    fires: |p| {
        crate::known::writing(p);
    },
    clean: |p| {
        crate::known::writing(p);
        let mut fill = crate::known::step_of(p).clone();
        fill.purpose = Purpose::Fill;
        p.items.insert(0, plimsoll_plan::Item::Step(fill));
    },
}

fn check(view: &PlanView<'_>) -> RuleAnswer {
    let random = |s: &StreamAt<'_>| matches!(s.stream.address.pattern, Pattern::Random { .. });
    let writers = some_of(view.writers().filter(random))?;
    let prepared = |s: &StreamAt<'_>| {
        let own_method = matches!(
            s.at.question(),
            Some(Question::Soak(_) | Question::Pts(_) | Question::Disturb(_))
        );
        let fills = |step: &plimsoll_plan::Step| {
            let on_it = step.streams.iter().any(|o| o.target == s.stream.target);
            let pass = |o: &plimsoll_plan::Stream| {
                o.mix.write > 0.0
                    && matches!(o.address.pattern, Pattern::Sequential { once: true, .. })
            };
            on_it && (step.purpose == Purpose::Fill || step.streams.iter().any(pass))
        };
        let collects = view.steps_run.iter().any(|run| {
            let limit = run.limit.as_ref().map(|limit| limit.cause);
            run.run == s.at.step.run && limit == Some(LimitCause::GarbageCollection)
        });
        own_method
            || collects
            || s.at.step.limits.overwrites.is_some()
            || view.plan.steps().any(fills)
    };
    findings(writers.filter(|s| !prepared(s)).map(|s| {
        let message = format!(
            "{} writes at random, and nothing in this plan brings the target to the state in which that lasts.",
            s.who()
        );
        RuleFinding::new(message).at(s.written("read").or_else(|| s.written("access"))).text("workload", &s.stream.workload)
    }))
}

#[test]
fn what_happened_goes_before_what_the_plan_left_open() {
    let mut case = crate::known::observed();
    crate::known::writing(&mut case.plan);
    case.step().offered = Some(10_000.0);
    let audit = crate::judge(&case.view());
    let suspects = audit
        .findings
        .iter()
        .take_while(|f| f.finding.severity >= plimsoll_evidence::Severity::Suspect);
    let suspects: Vec<&str> = suspects.map(|f| f.finding.rule.as_str()).collect();
    assert_eq!(
        (suspects.first(), suspects.last()),
        (Some(&"PL115"), Some(&"PL040")),
        "{suspects:?}"
    );
}

#[test]
fn flash_that_collects_garbage_has_no_free_blocks_left() {
    let fires = |cause: LimitCause| {
        let mut case = crate::known::observed();
        crate::known::writing(&mut case.plan);
        case.step().limit = Some(crate::known::limited_by(cause));
        crate::known::fires(check(&case.view().plan_view().expect("a plan")))
    };
    assert!(!fires(LimitCause::GarbageCollection));
    assert!(fires(LimitCause::Media));
}
