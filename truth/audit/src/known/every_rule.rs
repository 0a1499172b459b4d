//! Tests of all rules at once: each fires on its case, and is silent on the sound run.

use super::*;

/// Rules that judge by what is there, not by how much: there is no number from which on they speak.
const FACTS: &[u16] = &[
    11, 12, 13, 17, 19, 20, 23, 35, 36, 40, 41, 42, 50, 51, 52, 53, 102, 135, 142, 300, 301, 302,
    303, 304, 305, 306, 310, 311, 312, 313,
];

#[test]
fn each_rule_fires_on_its_case_and_is_silent_on_its_clean_one() {
    for (rule, known) in rules::KNOWN {
        let (fires, clean) = match known {
            Known::Plan { fires, clean } => (
                changed(|o| fires(&mut o.plan)),
                changed(|o| clean(&mut o.plan)),
            ),
            Known::Run { fires, clean } => (changed(fires), changed(clean)),
            Known::Host { .. } => continue,
        };
        match answer(rule, &fires) {
            Ok(seen) if !seen.is_empty() => {
                assert!(seen.iter().all(|s| s.message.ends_with('.')), "{seen:?}");
                for one in &seen {
                    assert!(!one.values.is_empty(), "{}: {one:?}", rule.code());
                    let judged = one.values.iter().any(|v| v.threshold.is_some());
                    let is_fact = FACTS.contains(&rule.number);
                    assert_ne!(judged, is_fact, "{}: {one:?}", rule.code());
                }
            }
            other => panic!("{} does not fire on its case: {other:?}", rule.code()),
        }
        assert_eq!(answer(rule, &clean), Ok(vec![]), "{}", rule.code());
    }
}

#[test]
fn what_is_without_fault_is_clean_for_every_claim() {
    for claim in Claim::ALL {
        let of_plan = lint(&PlanView::new(&plan(), Some(claim)));
        let titles = |a: &crate::Audit| {
            a.findings
                .iter()
                .map(|f| f.finding.message.clone())
                .collect::<Vec<_>>()
        };
        assert_eq!(titles(&of_plan), [""; 0], "{claim}");
        let mut sound = observed();
        sound.claim = claim;
        assert_eq!(titles(&judge(&sound.view())), [""; 0], "{claim}");
    }
}

#[test]
fn a_real_array_that_tells_little_is_clean_of_nothing_that_it_does_not_tell() {
    use plimsoll_measure::{Histogram, Op};
    let mut o = observed();
    crate::arrays::with(&mut o, |array| {
        array.front_end = Some(Default::default());
    });
    let of = |o: &Observed, number: u16| -> RuleAnswer {
        let rule = RULES.iter().find(|r| r.number == number);
        match rule.map(|r| &r.check) {
            Some(Check::Run(check)) => check(&o.view()),
            _ => panic!("PL{number} looks at no run"),
        }
    };
    for (op, rules) in [
        (Op::Read, &[200, 202, 203, 204, 205, 206, 207, 209][..]),
        (Op::Write, &[200, 201]),
    ] {
        o.step().ops = vec![plimsoll_evidence::OpSummary {
            op,
            ios: 1,
            bytes: 4096,
            errors: 0,
            response: Histogram::empty(),
            service: Histogram::empty(),
        }];
        for number in rules {
            let answer = of(&o, *number);
            let unseen = matches!(answer, Err(crate::NotObservable(_)));
            assert!(unseen, "PL{number}: {answer:?}");
        }
    }
    // One that is simulated tells all that it has.
    o.step().arrays[0].scale = Some(1.0);
    for number in [204, 205, 206, 207, 209] {
        assert_eq!(of(&o, number), Err(crate::NotApplicable), "PL{number}");
    }
}

#[test]
fn each_rule_has_cases_of_its_own_kind() {
    for (rule, known) in rules::KNOWN {
        let fits = matches!(
            (&rule.check, known),
            (Check::Plan(_), Known::Plan { .. })
                | (Check::Run(_), Known::Run { .. })
                | (Check::Host(_), Known::Host { .. })
        );
        assert!(fits, "{}", rule.code());
    }
    let checked = RULES.iter().filter(|r| !matches!(r.check, Check::Made(_)));
    assert_eq!(rules::KNOWN.len(), checked.count());
}

#[test]
fn numbers_and_names_are_unique_and_in_order_and_every_page_is_complete() {
    for pair in RULES.windows(2) {
        assert!(pair[0].number < pair[1].number, "{}", pair[1].code());
    }
    let mut names: Vec<&str> = RULES.iter().map(|r| r.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), RULES.len());
    for rule in RULES.iter() {
        let page = &rule.page;
        for text in [
            page.why,
            page.threshold,
            page.source,
            page.example,
            page.remedy,
            rule.summary,
        ] {
            assert!(
                text.len() > 5 && text.ends_with('.'),
                "{}: {text:?}",
                rule.code()
            );
            assert!(!text.contains("  "), "{}: {text:?}", rule.code());
        }
        assert!(
            Claim::ALL
                .iter()
                .any(|c| rule.severity.for_claim(*c).is_some()),
            "{}",
            rule.code()
        );
        let plain = |c: char| c.is_ascii_lowercase() || c == '-' || c.is_ascii_digit();
        assert!(rule.name.chars().all(plain), "{}", rule.name);
    }
}

#[test]
fn every_finding_of_the_judge_and_the_methods_has_a_number() {
    for name in plimsoll_evidence::sentence::names() {
        let rule = crate::find(name).unwrap_or_else(|| panic!("no rule for {name}"));
        assert!(matches!(rule.check, Check::Made(_)), "{name}");
    }
    let known: Vec<&str> = plimsoll_evidence::sentence::names().collect();
    let found_here =
        |r: &&&crate::Rule| matches!(r.check, Check::Made(maker) if maker != Maker::Reader);
    for rule in RULES.iter().filter(found_here) {
        assert!(known.contains(&rule.name), "nobody finds {}", rule.name);
    }
}

#[test]
fn a_finding_of_the_judge_keeps_its_words_and_is_no_worse_than_its_rule() {
    let rule = crate::find("ios-failed").expect("a rule");
    let made = Finding::of_step(
        1,
        "ios-failed",
        plimsoll_evidence::Severity::Invalid,
        [("ios", plimsoll_evidence::Quantity::Count(3))],
    );
    let case = changed(|o| o.made = vec![made.clone()]);
    let audit = judge(&case.view());
    assert_eq!(
        audit.findings[0].title(),
        format!("{} ios-failed", rule.code())
    );
    assert_eq!(audit.findings[0].finding.message, made.message);
    assert_eq!(audit.own().count(), 0);
    // What an earlier audit left in the record is judged again, not taken over.
    let before = Finding {
        rule: "PL012".into(),
        ..made
    };
    let again = changed(|o| o.made = vec![before]);
    assert!(judge(&again.view()).findings.is_empty());
}

#[test]
fn a_rule_is_found_by_its_number_and_by_its_name() {
    for text in ["PL012", "pl12", "12", "zero-content", " Zero-Content "] {
        assert_eq!(crate::find(text).map(|r| r.number), Some(12), "{text}");
    }
    assert!(crate::find("PL999").is_none() && crate::find("").is_none());
}

#[test]
fn the_probes_of_a_fingerprint_are_no_results_and_are_not_judged_as_some() {
    for number in [101, 112, 200, 201, 202, 203, 204, 205, 206, 207, 209] {
        let (rule, known) = rules::KNOWN
            .iter()
            .find(|(r, _)| r.number == number)
            .unwrap();
        let (Check::Run(check), Known::Run { fires, .. }) = (&rule.check, known) else {
            panic!("{}: no rule of runs", rule.code());
        };
        let mut case = changed(fires);
        assert!(!found(check(&case.view())).is_empty(), "{}", rule.code());
        let run = case.step().run.clone();
        case.steps.iter_mut().for_each(|s| s.run.clone_from(&run));
        case.verdicts = vec![super::verdict_of("fingerprint", &run)];
        let answer = check(&case.view());
        assert_eq!(answer, Err(crate::NotApplicable), "{}", rule.code());
    }
}
