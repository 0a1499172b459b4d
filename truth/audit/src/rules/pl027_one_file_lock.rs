use crate::{PlanView, RuleAnswer, RuleFinding, StreamAt, findings, some_of};
use plimsoll_evidence::Quantity;
use plimsoll_plan::Caching;
use plimsoll_printable::human;

rule! {
    27 "one-file-lock" Plan(check) NOTE pitfalls [44] {
        summary: "Writes through the page cache to one file wait for each other.",
        why: "A file system lets one buffered write at a time into a file: it holds the file's lock while it copies. More in \
            flight wait for that lock, in the host, and more of them add nothing but waiting.",
        threshold: "Caching `buffered` on a target that is one file and is written, with more than one I/O in flight.",
        source: "The kernel's inode lock (i_rwsem), which ext4 and XFS take exclusively for each buffered write; direct writes over \
            blocks that were written before share it.",
        example: "32 buffered writes in flight to one file: one is made, 31 wait for the lock.",
        remedy: "Spread the load over several files, or write directly (caching = \"direct\") over a file that was filled.",
    }
    fires: |p| {
        file(p);
        p.targets[0].caching = Caching::Buffered;
    },
    clean: |p| file(p),
}

fn check(view: &PlanView<'_>) -> RuleAnswer {
    let writers = some_of(view.writers())?;
    let waits = |s: &StreamAt<'_>| {
        s.opening().caching == Caching::Buffered && is_file(view, s) && depth(s) > 1
    };
    findings(writers.filter(waits).map(|s| {
        let message = format!(
            "{} writes through the page cache to one file, with {} in flight: the file's lock lets one in at a time.",
            s.who(),
            human::count(depth(&s))
        );
        RuleFinding::new(message)
            .at(s
                .written("caching")
                .or_else(|| s.written("openflags"))
                .or_else(|| s.written("path")))
            .judged("depth", Quantity::Count(depth(&s)), 1.0)
    }))
}

/// As it was found; before that, by its name.
fn is_file(view: &PlanView<'_>, stream: &StreamAt<'_>) -> bool {
    stream
        .target
        .location
        .single_path()
        .is_some_and(|path| match view.kind(stream) {
            Some(kind) => kind == "file",
            None => !path.starts_with("/dev"),
        })
}

fn depth(stream: &StreamAt<'_>) -> u64 {
    stream.at.step.depth_of(stream.stream.target)
}

#[cfg(test)]
fn file(plan: &mut plimsoll_plan::Plan) {
    crate::known::writing(plan);
    plan.targets[0].location = plimsoll_plan::Location::Path("/data/file".into());
}
