//! Runs to steps: loops nest in order of appearance, the load innermost.

use super::disturb::Written;
use super::host;
use super::report::Report;
use super::run::{AskedLoad, Axis, Run, Value};
use super::shape::{Setting, Shape};
use super::workload::Workload;
use plimsoll_plan::{
    CurveSpec, Dependency, Depth, DepthSearch, FileWork, IoSource, Item, Load, LogSizes, LoopValue,
    Mix, NO_TIME_LIMIT, Nanos, Opening, Origins, Replay, Step, Stream, Target, TargetId, Workers,
    loop_suffix,
};

/// Loops past this many steps are a slip of the pen.
pub const STEPS_MAX: usize = 10_000;

/// How many steps the loops of a run make, curves counted as one.
pub fn steps(run: &Run) -> usize {
    run.axes
        .iter()
        .fold(1, |n, a| n.saturating_mul(a.values.len()))
}

/// How many streams those steps have together.
pub fn streams_of(run: &Run, workloads: &[Workload]) -> usize {
    let each: usize = run
        .workloads
        .iter()
        .map(|i| workloads[*i].targets.len())
        .sum();
    steps(run).saturating_mul(each)
}

/// What a run becomes.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Expanded {
    /// Steps and curves, in order.
    pub items: Vec<Item>,
    /// A workload that was given a distribution which its order of addresses makes no use of.
    pub idle_distribution: Option<String>,
    /// A workload that does not think, and the key that says how it would.
    pub idle_thought: Option<(String, &'static str)>,
    /// A workload that has operations on a tree, and the key of reads that stands beside them.
    pub idle_read: Option<(String, &'static str)>,
    /// A workload that replays a log, and what the run says in its place.
    pub said_by_log: Option<(String, &'static str)>,
}

/// The steps and curves of a run, in order. `report` turns byte ranges into places; without one there are none.
pub fn items(run: &Run, workloads: &[Workload], report: Option<&Report<'_>>) -> Expanded {
    let mut axes: Vec<&Axis> = run.axes.iter().collect();
    axes.sort_by_key(|a| a.key == "load");
    let mut expanded = Expanded::default();
    for index in 0..steps(run) {
        item(run, workloads, &pick(&axes, index), report, &mut expanded);
    }
    let cells = || expanded.items.iter().flat_map(Item::steps).cloned();
    if let Some(sweep) = run.method.sweep(cells().collect()) {
        expanded.items = vec![Item::Method(sweep)];
    }
    expanded
}

/// The values of one turn: the last axis turns fastest.
fn pick<'r>(axes: &[&'r Axis], mut index: usize) -> Vec<(&'r Axis, usize)> {
    let mut picked = Vec::new();
    for axis in axes.iter().rev() {
        picked.push((*axis, index % axis.values.len()));
        index /= axis.values.len();
    }
    picked.reverse();
    picked
}

fn item(
    run: &Run,
    workloads: &[Workload],
    picked: &[(&Axis, usize)],
    report: Option<&Report<'_>>,
    expanded: &mut Expanded,
) {
    let used: Vec<&Workload> = run.workloads.iter().map(|i| &workloads[*i]).collect();
    let mut step = frame(run, origins(run, &used));
    step.loops = run.differs.clone();
    let ends_itself = |w: &&Workload| !w.recorded.is_empty() || w.files.rounds.is_some();
    if used.iter().all(ends_itself) {
        until_all_end(run, &mut step);
    }
    let mut settings = Vec::new();
    let mut said: Option<&'static str> = None;
    let mut curve = false;
    let mut depth: Option<&Value> = None;
    let mut has_operations = false;
    for (axis, dependency) in picked {
        let (written, value) = &axis.values[*dependency];
        if axis.looped {
            step.loops
                .push(LoopValue::new(axis.key, written.text.clone()));
            if let (Some(report), Some(span)) = (report, &written.span) {
                step.origins.note(axis.key, report.span(span.clone()));
            }
        }
        match value {
            Value::Shape(setting) => {
                let is_content = matches!(setting, Setting::Content(_) | Setting::Reduced(_));
                said = said.or((!is_content).then_some(axis.key));
                settings.push(setting);
            }
            Value::Workers(n) => step.workers.count = Some(*n),
            Value::Depth(_) | Value::Depths(_) => depth = Some(value),
            Value::Load(AskedLoad::Curve) => curve = true,
            Value::Load(asked) => step.load = load(asked, run),
        }
    }
    for workload in &used {
        let mut shape = Shape::defaults();
        // A parameter of the content is put into whatever content there is.
        settings.sort_by_key(|s| matches!(s, Setting::Reduced(_)));
        for setting in workload.settings.iter().chain(settings.iter().copied()) {
            shape.apply(setting);
        }
        if shape.distribution_is_idle() {
            expanded.idle_distribution = Some(workload.name.clone());
        }
        if let Some(key) = shape.holding().idle_key() {
            expanded.idle_thought = Some((workload.name.clone(), key));
        }
        let mut own = workload.settings.iter().chain(settings.iter().copied());
        if own.any(|s| matches!(s, Setting::Operations(_))) {
            has_operations = true;
            let key = idle_read(run, workload, &settings);
            expanded.idle_read = key
                .map(|key| (workload.name.clone(), key))
                .or(expanded.idle_read.take());
        }
        if let (Some(key), false) = (said, workload.recorded.is_empty()) {
            expanded.said_by_log = Some((workload.name.clone(), key));
        }
        let hosts = host::of_both(&workload.hosts, &run.hosts);
        let of_hosts = |stream| Stream {
            hosts: hosts.clone().unwrap_or_default(),
            ..stream
        };
        step.streams.extend(streams(workload, &shape).map(of_hosts));
    }
    turns(&used, &mut step.streams);
    let shares = used.iter().any(|w| w.share.is_some());
    step.load = match step.load {
        Load::Max if run.keep_shares.unwrap_or(shares) => Load::MaxShared,
        Load::MaxShared if run.keep_shares == Some(false) => Load::Max,
        load => load,
    };
    step.depths = depths(&step, depth);
    if depth.is_none() {
        plimsoll_plan::depth::free_slots(&mut step);
    }
    step.name = format!("{}{}", run.name, loop_suffix(&step.loops));
    let written = Written {
        time: run.timed,
        depth: depth.is_some(),
        arrival: run.arrival,
        operations: has_operations,
    };
    expanded.items.extend(asked_for(run, step, written, curve));
}

/// The key of reads, or of trims, that says nothing where operations on a tree are given.
fn idle_read(run: &Run, workload: &Workload, settings: &[&Setting]) -> Option<&'static str> {
    let mut all = workload.settings.iter().chain(settings.iter().copied());
    let key = all.find_map(|setting| match setting {
        Setting::Read(_) => Some("read"),
        Setting::Trim(_) => Some("trim"),
        _ => None,
    });
    key.or_else(|| run.method.idle_reads())
}

/// Has a workload go through trees of numbered names once, where it does not say how often.
pub fn once_through_names(workload: &mut Workload, targets: &[Target]) {
    let on = |id: &TargetId| targets.get(id.0 as usize)?.location.tree();
    let mut trees = workload.targets.iter().filter_map(on);
    let is_numbered = trees.any(|tree| tree.names.is_some());
    if is_numbered && workload.files.makes.is_none() {
        workload.files.rounds.get_or_insert(1);
    }
}

/// Finds how a workload opens each of its targets.
pub fn find_openings(workload: &mut Workload, targets: &mut [Target]) {
    let opening = |id: &TargetId| {
        let Some(target) = targets.get_mut(id.0 as usize) else {
            return 0;
        };
        target.number_of(Opening {
            caching: workload.caching.unwrap_or(target.caching),
            durability: workload.durability.unwrap_or(target.durability),
        })
    };
    workload.openings = workload.targets.iter().map(opening).collect();
}

/// A run of logs, or of rounds through names, lasts as long as they do, and all of it counts, where nobody says otherwise.
fn until_all_end(run: &Run, step: &mut Step) {
    if !run.timed {
        step.elapsed = NO_TIME_LIMIT;
        step.interval = run.interval.unwrap_or(INTERVAL);
    }
    if !run.warmed {
        step.warmup = Nanos(0);
    }
}

/// What a run asks for with a step: itself, a curve of it, or methods that take it for their base.
fn asked_for(run: &Run, step: Step, written: Written, curve: bool) -> Vec<Item> {
    if let Some(method) = run.method.adaptive(&step, written, &run.slos) {
        return vec![Item::Method(method)];
    }
    let methods = run.method.specs(&step, written);
    if !methods.is_empty() {
        return methods.into_iter().map(Item::Method).collect();
    }
    if !curve {
        return vec![Item::Step(step)];
    }
    let is_free = !written.depth && step.depths.iter().any(|d| d.slots > 0);
    let search = is_free.then(|| DepthSearch::of(&step));
    vec![Item::Curve(CurveSpec {
        base: step,
        percents: run.percents.clone(),
        arrival: run.arrival,
        stop_service: run.stop_service,
        slos: run.slos.clone(),
        search,
    })]
}

/// How often counters are read unless a run says so, or is shorter.
const INTERVAL: Nanos = Nanos::secs(1);

/// The step without its streams, its load and its loop values.
fn frame(run: &Run, origins: Origins) -> Step {
    let usual = run.method.usual_time().filter(|_| !run.timed);
    let elapsed = usual.unwrap_or(run.elapsed);
    Step {
        warmup: run.warmup,
        interval: run.interval.unwrap_or(INTERVAL.min(elapsed)),
        pause: run.pause,
        limits: run.limits,
        workers: Workers {
            count: None,
            pin: run.pin.clone(),
            punctual: run.punctual,
        },
        purpose: run.purpose,
        start_commands: run.start_commands.clone(),
        end_commands: run.end_commands.clone(),
        actions: run.actions.clone(),
        origins,
        run: run.of.as_ref().unwrap_or(&run.name).clone(),
        ..Step::new(run.name.clone(), Vec::new(), Vec::new(), Load::Max, elapsed)
    }
}

/// Keys of workloads stand under `WORKLOAD.KEY`; those of the run under `KEY`.
fn origins(run: &Run, used: &[&Workload]) -> Origins {
    let mut origins = Origins::default();
    for workload in used {
        for (key, place) in &workload.places {
            origins.note(format!("{}.{key}", workload.name), *place);
        }
    }
    for (key, place) in &run.places {
        origins.note(*key, *place);
    }
    origins
}

fn load(asked: &AskedLoad, run: &Run) -> Load {
    let arrival = run.arrival;
    match asked {
        AskedLoad::Max | AskedLoad::Curve => Load::Max,
        AskedLoad::MaxShared => Load::MaxShared,
        AskedLoad::Rate(rate) => Load::rate(*rate, arrival),
        AskedLoad::PercentOfLast(percent) => Load::percent(*percent, arrival),
        AskedLoad::Schedule(segments) => Load::schedule(segments.clone(), arrival),
    }
}

/// One stream a target; the workload's share and rate are divided among them.
fn streams<'w>(workload: &'w Workload, shape: &'w Shape) -> impl Iterator<Item = Stream> + 'w {
    let parts = workload.targets.len().max(1) as f64;
    let own = move |number: usize, target: &TargetId| Stream {
        workload: workload.called.as_ref().unwrap_or(&workload.name).clone(),
        target: *target,
        hosts: Vec::new(),
        share: workload.share.unwrap_or(1.0) / parts,
        arrival: workload.arrival,
        quota: workload.quota,
        dependency: Dependency {
            group: workload.group,
            ends: workload.ends,
            after: Vec::new(),
        },
        fixed_rate: workload.rate.map(|r| plimsoll_plan::Rate(r.0 / parts)),
        priority: workload.priority,
        throttle: shape.holding().throttle(workload.targets.len()),
        depth: workload.depth,
        window: workload.window,
        mix: match workload.files.makes {
            Some(_) => Mix::WRITES,
            None => shape.mix(),
        },
        files: FileWork {
            opening: workload.openings.get(number).copied().unwrap_or_default(),
            ..workload.files
        },
        size: shape.size(),
        address: shape.address(),
        content: shape.content(),
        verify: workload.verify.clone(),
        source: workload.read_back.clone().map(IoSource::ReadBack),
    };
    let stream = move |(number, target)| match workload.recorded.get(number) {
        None => own(number, target),
        Some((replay, sizes)) => replayed(own(number, target), replay, sizes),
    };
    workload.targets.iter().enumerate().map(stream)
}

/// A workload's stream with the I/Os of a log.
fn replayed(own: Stream, replay: &Replay, sizes: &LogSizes) -> Stream {
    let log = Stream::replay("", own.target, replay.clone(), sizes);
    Stream {
        fixed_rate: log.fixed_rate,
        quota: log.quota,
        mix: log.mix,
        size: log.size,
        address: log.address,
        source: log.source,
        ..own
    }
}

/// Behind which streams those of each workload begin: the streams of the workloads that it names. They lie one behind the other, one
/// for each target.
fn turns(used: &[&Workload], streams: &mut [Stream]) {
    let mut ranges: Vec<(&str, std::ops::Range<usize>)> = Vec::new();
    let mut next = 0;
    for workload in used {
        let own = next..next + workload.targets.len();
        next = own.end;
        let named = ranges
            .iter()
            .filter(|(name, _)| workload.after.iter().any(|n| n == name));
        let after: Vec<u32> = named
            .flat_map(|(_, r)| r.clone())
            .map(|n| n as u32)
            .collect();
        for stream in &mut streams[own.clone()] {
            stream.dependency.after.clone_from(&after);
        }
        ranges.push((&workload.name, own));
    }
}

/// Slots of every target in use, in the order of targets. A depth for all goes to those of which any stream shares slots.
fn depths(step: &Step, depth: Option<&Value>) -> Vec<Depth> {
    let mut targets: Vec<TargetId> = step.streams.iter().map(|s| s.target).collect();
    targets.sort_unstable();
    targets.dedup();
    let any_shared = step.streams.iter().any(|s| s.depth.is_none());
    targets
        .into_iter()
        .map(|target| {
            Depth::new(
                target,
                match depth {
                    Some(Value::Depth(_)) if any_shared && !step.is_shared(target) => 0,
                    Some(Value::Depth(slots)) => *slots,
                    Some(Value::Depths(list)) => list
                        .iter()
                        .find(|(t, _)| *t == target)
                        .map_or(0, |(_, slots)| *slots),
                    _ => 0,
                },
            )
        })
        .collect()
}
