use crate::{RuleAnswer, RuleFinding, RunView, applies, findings, observable, queue};
use plimsoll_evidence::{EnvironmentTarget, FileLayout, Quantity, Severity};
use plimsoll_printable::human;

rule! {
    316 "aged-file" Run(check) [NOTE, NOTE, SUSPECT, SUSPECT, NOTE] pitfalls [21] {
        summary: "The file lies in many pieces.",
        why: "A file system that has been in use puts a file where there is room, in pieces. On a disk that turns, sequential I/O \
            then seeks; on every device large I/Os are cut at the pieces' ends. A file on a fresh file system does neither, so the \
            two cannot be compared.",
        threshold: "More than 100 pieces, and more than 100 for each GiB; a note at most where no disk below it turns.",
        source: "FIEMAP, when the run ended. Studies of aged file systems find reads slower by a factor of several.",
        example: "8 GiB in 41,000 pieces of 200 KiB: 1 MiB reads became six seeks each.",
        remedy: "Make the file anew on a file system with room, or test the device; state which it was.",
    }
    fires: |o| {
        file(o, 5_000);
        o.queue("rotational", "1");
    },
    clean: |o| file(o, 8),
}

fn check(view: &RunView<'_>) -> RuleAnswer {
    let targets = &view.environment.targets;
    applies(view.is_real() && targets.iter().any(|t| t.kind == "file"))?;
    let known: Vec<(&EnvironmentTarget, &FileLayout)> = targets
        .iter()
        .filter_map(|t| Some((t, t.layout.as_ref()?)))
        .filter(|(_, l)| l.pieces.is_some())
        .collect();
    observable(!known.is_empty(), "where the file's blocks lie")?;
    findings(known.into_iter().filter_map(|(t, l)| aged(t, l)))
}

fn aged(target: &EnvironmentTarget, layout: &FileLayout) -> Option<RuleFinding> {
    let (pieces, bytes) = (layout.pieces?, layout.allocated_bytes?);
    let per_gib = pieces as f64 / (bytes as f64 / GIB);
    if pieces <= PIECES || bytes == 0 || per_gib <= PER_GIB {
        return None;
    }
    let turns = queue::leaves(target)
        .iter()
        .any(|disk| queue::of(disk, "rotational") == Some("1"));
    let message = format!(
        "{} lies in {} pieces, of {} on average.",
        target.name,
        human::count(pieces),
        human::bytes(bytes / pieces),
    );
    Some(
        RuleFinding::new(message)
            .at_most(if turns {
                Severity::Suspect
            } else {
                Severity::Note
            })
            .judged("pieces", Quantity::Count(pieces), PIECES as f64)
            .judged("pieces_per_gib", Quantity::Number(per_gib), PER_GIB),
    )
}

const GIB: f64 = (1u64 << 30) as f64;
const PIECES: u64 = 100;
const PER_GIB: f64 = 100.0;

#[cfg(test)]
fn file(o: &mut crate::known::Observed, pieces: u64) {
    let target = &mut o.environment.targets[0];
    target.kind = "file".into();
    target.layout = Some(FileLayout {
        files: 1,
        pieces: Some(pieces),
        allocated_bytes: Some(1 << 30),
        file_system_bytes: 1 << 40,
        free_bytes: 1 << 39,
    });
}

#[test]
fn where_nothing_turns_it_is_a_note_and_where_nobody_tells_it_is_unknown() {
    let case = crate::known::changed(|o| file(o, 5_000));
    let seen = crate::known::found(check(&case.view()));
    assert_eq!(seen[0].at_most, Severity::Note);
    let case = crate::known::changed(|o| {
        file(o, 5_000);
        o.environment.targets[0].layout = None;
    });
    assert!(matches!(check(&case.view()), Err(crate::NotObservable(_))));
    // A small file of a few pieces has many for each GiB, which says nothing.
    let small = FileLayout {
        pieces: Some(3),
        allocated_bytes: Some(1 << 20),
        ..FileLayout::default()
    };
    assert!(aged(&case.environment.targets[0], &small).is_none());
}
