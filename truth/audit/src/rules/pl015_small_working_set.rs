use crate::{NotApplicable, NotObservable, PlanView, RuleAnswer, RuleFinding, StreamAt, findings};
use plimsoll_evidence::{ArrayEvidence, Bucket, Quantity};
use plimsoll_plan::Caching;
use plimsoll_printable::human;

rule! {
    15 "small-working-set" Plan(check) [NOTHING, SUSPECT, SUSPECT, SUSPECT, NOTHING] pitfalls [6, 11] {
        summary: "What is read and written fits into a cache.",
        why: "A working set that fits into the memory of the host, the array or the drive is served from there after the \
            first pass. The result is of the cache: results of one device lie orders of magnitude apart around the size of \
            its cache.",
        threshold: "Smaller than 2 GiB, whatever the storage is; where a run is judged, smaller than twice the memory of the host \
            if the page cache is in the way. Of a lab target whose caches are scaled, what it uses times the scale. Not where the array told \
            after the run that media had read and written all of it.",
        source: "Tarasov and others, Benchmarking File System Benchmarking (HotOS 2011): a range of at least twice the largest \
            known cache. The 2 GiB are our proposal: drives carry 1 to 4 GiB of memory, arrays tens.",
        example: "10,000 random reads of 8 KiB from 512 MiB touch nearly all of it in seven seconds; from then on every read is \
            a hit.",
        remedy: "Use at least twice the largest cache on the way (`size`, `range`), or claim cached.",
    }
    fires: |p| p.targets[0].size = Some(plimsoll_plan::Bytes(1 << 30)),
    clean: |p| p.targets[0].size = Some(plimsoll_plan::Bytes(100 << 30)),
}

fn check(view: &PlanView<'_>) -> RuleAnswer {
    let known: Vec<_> = view
        .streams()
        .filter(StreamAt::moves_bytes)
        .filter_map(|s| Some((s, s.used(view)?)))
        .collect();
    if known.is_empty() {
        return match view.streams().find(StreamAt::moves_bytes) {
            None => Err(NotApplicable),
            Some(_) => Err(NotObservable("the size of the targets is not in the plan")),
        };
    }
    let memory = view.memory();
    // What several workloads use of a target is a working set together.
    let together = |s: &StreamAt<'_>| {
        let on_it = known
            .iter()
            .filter(|(o, _)| o.stream.target == s.stream.target);
        on_it.map(|(_, used)| used.0).max().unwrap_or(0)
    };
    findings(known.iter().filter_map(|(s, used)| {
        let buffered = s.opening().caching == Caching::Buffered;
        let cached = memory.filter(|_| buffered).map(|m| m.saturating_mul(2));
        let limit = cached.unwrap_or(0).max(SMALL);
        let is_small = together(s) as f64 * s.target.location.cache_scale() < limit as f64;
        if !is_small || (!buffered && media_did_all(view, &s.target.name)) {
            return None;
        }
        let what = match cached {
            Some(_) if used.0 >= SMALL => "less than twice the memory of the host",
            _ => "so little that any cache holds it",
        };
        let message = format!("{} uses {}, {what}.", s.who(), human::bytes(used.0));
        let seen = RuleFinding::new(message)
            .value("used", Quantity::Bytes(used.0))
            .judged(
                "working_set",
                Quantity::Bytes((together(s) as f64 * s.target.location.cache_scale()) as u64),
                limit as f64,
            );
        Some(
            seen.at(s
                .written("range")
                .or_else(|| s.written("size"))
                .or_else(|| s.written("path"))),
        )
    }))
}

/// Whether the arrays below a target were asked, and in each step of it their media alone answered: no cache, no journal, and no map of
/// what holds nothing.
fn media_did_all(view: &PlanView<'_>, target: &str) -> bool {
    let below = |a: &&ArrayEvidence| a.targets.iter().any(|name| name == target);
    let arrays = view.steps_run.iter().filter(|s| !s.fill);
    let mut arrays = arrays.flat_map(|s| &s.arrays).filter(below).peekable();
    let by_media = |places: &[Bucket], chunks: u64| {
        let has = |b: &Bucket, words: [&str; 2]| words.iter().any(|word| b.place.contains(word));
        let medium = |b: &Bucket| has(b, ["flash", "disk"]) && !has(b, ["cache", "journal"]);
        let of_media = |b: &Bucket| b.chunks == 0 || medium(b);
        chunks == 0 || (!places.is_empty() && places.iter().all(of_media))
    };
    arrays.peek().is_some()
        && arrays.all(|a| {
            a.front_end.is_some_and(|front| {
                by_media(&a.read_source, front.reads.count)
                    && by_media(&a.write_destination, front.writes.count)
            })
        })
}

/// Bytes that any drive or array may hold in its memory.
const SMALL: u64 = 2 << 30;

#[test]
fn a_scaled_arrays_caches_are_scaled_too() {
    let of = |target: &str| {
        let mut plan = crate::known::plan();
        plan.targets[0].location = plimsoll_plan::Location::parse(target).expect("a LUN");
        plan.targets[0].size = None;
        check(&PlanView::new(&plan, None))
    };
    assert_eq!(of("lab:curve-8k?scale=100&size=1g"), Ok(vec![]));
    assert!(crate::known::fires(of("lab:curve-8k?size=1g")));
    assert!(crate::known::fires(of("lab:curve-8k?scale=100&size=16m")));
}

#[test]
fn an_array_whose_media_did_all_has_no_cache_in_which_it_fits() {
    let of = |place: &str, tells: bool| {
        let mut case = crate::known::observed();
        case.plan.targets[0].size = Some(plimsoll_plan::Bytes(1 << 30));
        case.environment.targets[0].size_bytes = 1 << 30;
        let name = case.plan.targets[0].name.clone();
        crate::arrays::with(&mut case, |a| {
            a.targets = vec![name];
            a.front_end = tells.then(Default::default);
            if let Some(front) = &mut a.front_end {
                front.reads.count = 100;
            }
            a.read_source = crate::arrays::buckets(&[("flash", 99), (place, 1)]);
        });
        let view = case.view().plan_view().expect("a plan");
        crate::known::fires(check(&view))
    };
    assert!(!of("remote flash", true));
    assert!(of("cache", true) && of("zero", true));
    assert!(of("remote flash", false));
}
