use crate::{Dialect, PlanView, RuleAnswer, RuleFinding, StreamAt, findings, some_of};
use plimsoll_evidence::{Severity, ZerosLeft};
use plimsoll_plan::ContentSpec;

rule! {
    12 "zero-content" Plan(check) [NOTE, INVALID, INVALID, INVALID, NOTE] pitfalls [5] {
        summary: "All that is written is zeros.",
        why: "An array that detects zeros, a thin pool and a compressing SSD do not store them: they note that the block is \
            empty and answer. The host counts a write, the media sees none. Reading them back is answered from a map as \
            well.",
        threshold: "Content `zeros`, or a pattern of nothing but zero bytes, in a workload that writes. A note where a sweep compares contents. \
            Suspect where a workload reads a file that was made of zeros, and a note where --allow-unwritten says that this is meant.",
        source: "A published test of an all-flash array: 30,000 writes/s at the host, 12,000 at its disks, and the difference \
            was zeros; zram counts the same as same_pages.",
        example: "dd if=/dev/zero, SQLIO and DiskSPD -Z write zeros. Against a zero-detecting array the front end shows 30,000 \
            IOPS and the back end 12,000.",
        remedy: "Leave `content` out: each block is then unique and incompressible. To measure zero service itself, claim host.",
    }
    fires: |p| crate::known::writing(p).content = ContentSpec::Zeros,
    clean: |p| {
        crate::known::writing(p);
    },
}

fn check(view: &PlanView<'_>) -> RuleAnswer {
    let moves = |s: &StreamAt<'_>| s.stream.mix.write > 0.0 || left(view, s).is_some();
    let all = some_of(view.streams().filter(moves))?;
    findings(all.flat_map(|s| {
        let written = is_zero(&s).then(|| {
            let message = format!(
                "{} writes zeros only: storage that detects them writes nothing at all.",
                s.who()
            );
            RuleFinding::new(message)
                .at_most(match s.at.asks_of_content() {
                    true => Severity::Note,
                    false => Severity::Invalid,
                })
                .at(s.written("content"))
        });
        let read = left(view, &s).map(|left| {
            let message = format!(
                "{} reads the zeros of which a new file is made: storage that detects them stores none, and answers without a medium.",
                s.who()
            );
            RuleFinding::new(message)
                .at_most(match left {
                    ZerosLeft::Found => Severity::Suspect,
                    ZerosLeft::Meant => Severity::Note,
                })
                .remedy(Some(match Dialect::of(view.plan) {
                    Dialect::DiskSpd => "Fill the file before it is read (-w100 -si over all of it), or say with --allow-unwritten that its zeros are meant.",
                    _ => "Leave `made` out, so that the file holds data, or say with --allow-unwritten that its zeros are meant.",
                }))
                .at(s.written("made").or_else(|| s.written("size")))
        });
        let found = written.into_iter().chain(read);
        found.map(move |f| f.text("workload", &s.stream.workload))
    }))
}

fn is_zero(s: &StreamAt<'_>) -> bool {
    s.stream.mix.write > 0.0
        && match &s.stream.content {
            ContentSpec::Zeros => true,
            ContentSpec::Pattern(bytes) => bytes.iter().all(|b| *b == 0),
            _ => false,
        }
}

/// Zeros of the file's making that a workload reads: before it was opened, those that may be there. A simulated array tells how many it
/// answered (PL200).
fn left(view: &PlanView<'_>, s: &StreamAt<'_>) -> Option<ZerosLeft> {
    let reads = s.stream.mix.read > 0.0 && !s.target.location.is_simulated();
    match view.found(s).filter(|_| reads) {
        Some(found) => found.zeros,
        None => (reads && s.target.as_made).then_some(ZerosLeft::Found),
    }
}

#[test]
fn zeros_of_a_file_s_making_are_suspect_until_they_are_meant() {
    let severity = |left: Option<ZerosLeft>| {
        let mut case = crate::known::observed();
        case.plan.targets[0].as_made = true;
        case.environment.targets[0].zeros = left;
        let mut view = PlanView::new(&case.plan, None);
        view.environment = Some(&case.environment);
        let found = check(&view).unwrap_or_default();
        found.first().map(|f| f.at_most)
    };
    assert_eq!(severity(None), None);
    assert_eq!(severity(Some(ZerosLeft::Found)), Some(Severity::Suspect));
    assert_eq!(severity(Some(ZerosLeft::Meant)), Some(Severity::Note));
}
