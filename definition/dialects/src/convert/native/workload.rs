//! Which streams are one workload, and which workloads of several steps are one table.

use super::Line;
use super::shape::{Setting, arrival, defaults, pattern, settings};
use super::{origin, plain, step, target};
use crate::convert::toml::{list, rate, size, table, text, time, whole};
use plimsoll_diagnostic::Span;
use plimsoll_plan::{
    Bytes, Ends, FileSelect, IoSource, Item, Making, PerFile, Plan, Quota, Rate, Replay,
    ReplayOptions, Step, Stream, TargetId, VerifyPattern, VerifySpec,
};

/// The tables of workloads so far.
pub(super) struct Workloads<'p> {
    plan: &'p Plan,
    tables: Vec<Table>,
}

/// One table.
struct Table {
    key: String,
    name: String,
    own: Vec<Line>,
    settings: Vec<Setting>,
    spans: Vec<Span>,
}

/// A table as it is written.
pub(super) struct Written {
    pub key: String,
    pub lines: Vec<Line>,
    pub spans: Vec<Span>,
}

/// The workloads of a run.
pub(super) struct Used {
    /// Their tables.
    pub keys: Vec<String>,
    /// What the run says in the place of what they say.
    pub instead: Vec<Line>,
    /// Some of them have a share.
    pub shares: bool,
}

/// Streams next to each other that one workload makes, one on each of its targets.
struct Group<'s> {
    stream: &'s Stream,
    targets: Vec<TargetId>,
}

impl<'p> Workloads<'p> {
    pub fn new(plan: &'p Plan) -> Self {
        Workloads {
            plan,
            tables: Vec::new(),
        }
    }

    /// The workloads of an item, whose tables are added where there are none.
    pub fn of(&mut self, item: &Item) -> Used {
        let step = step(item);
        let groups = groups(step);
        let shares = differing_shares(&groups);
        let all: Vec<(Vec<Line>, Vec<Setting>)> = groups
            .iter()
            .map(|group| {
                let own = own(group, self.plan, shares);
                (own, explicit(group))
            })
            .collect();
        let common = common(&all);
        let mut used = Used {
            keys: Vec::new(),
            instead: Vec::new(),
            shares,
        };
        for (group, (mut own, settings)) in groups.iter().zip(all) {
            let before = group.stream.dependency.after.iter();
            let before: Vec<String> = before
                .filter_map(|n| Some(text(used.keys.get(*n as usize)?)))
                .collect();
            if !before.is_empty() {
                own.push(("after", list(before)));
            }
            let found = self.tables.iter().position(|table| {
                table.name == group.stream.workload
                    && table.own == own
                    && !used.keys.contains(&table.key)
                    && differences(&table.settings, &settings)
                        .is_some_and(|keys| keys.iter().all(|key| common.contains(key)))
            });
            let at = match found {
                Some(at) => at,
                None => self.add(group, step, own, settings.clone()),
            };
            let table = &self.tables[at];
            used.keys.push(table.key.clone());
            for key in differences(&table.settings, &settings).unwrap_or_default() {
                let value = settings.iter().find(|(k, _)| *k == key);
                let Some((_, Some(value))) = value else {
                    continue;
                };
                if !used.instead.iter().any(|(k, _)| *k == key) {
                    used.instead.push((key, value.clone()));
                }
            }
        }
        used
    }

    fn add(
        &mut self,
        group: &Group<'_>,
        step: &Step,
        own: Vec<Line>,
        settings: Vec<Setting>,
    ) -> usize {
        let name = group.stream.workload.clone();
        let taken = |key: &String| self.tables.iter().any(|t| t.key == *key);
        let numbered = (2..).map(|n| format!("{name}-{n}"));
        let mut free = std::iter::once(name.clone()).chain(numbered);
        let key = free.find(|key| !taken(key)).unwrap_or_default();
        let spans = origin::of_workload(&step.origins, &name);
        self.tables.push(Table {
            key,
            name,
            own,
            settings,
            spans,
        });
        self.tables.len() - 1
    }

    /// The names of all tables, in order.
    pub fn keys(&self) -> Vec<String> {
        self.tables.iter().map(|t| t.key.clone()).collect()
    }

    /// All tables, without what goes without saying.
    pub fn written(&self) -> impl Iterator<Item = Written> + '_ {
        let usual = defaults();
        self.tables.iter().map(move |table| {
            let mut lines: Vec<Line> = Vec::new();
            if table.key != table.name {
                lines.push(("called", text(&table.name)));
            }
            lines.extend(table.own.iter().cloned());
            let explicit = table.settings.iter().filter(|s| !usual.contains(s));
            lines.extend(explicit.filter_map(|(key, value)| Some((*key, value.clone()?))));
            Written {
                key: table.key.clone(),
                lines,
                spans: table.spans.clone(),
            }
        })
    }
}

/// What a workload's I/O looks like. Of one that replays a log, the log says all but what is written.
fn explicit(group: &Group<'_>) -> Vec<Setting> {
    let all = settings(group.stream, group.targets.len());
    match group.stream.replayed() {
        None => all,
        Some(_) => {
            let usual = defaults().into_iter().zip(all);
            usual
                .map(|(usual, own)| match own.0 {
                    "content" => own,
                    _ => usual,
                })
                .collect()
        }
    }
}

/// The settings that all workloads of a run have alike, so that the run can say them.
fn common(all: &[(Vec<Line>, Vec<Setting>)]) -> Vec<&'static str> {
    let Some((_, first)) = all.first() else {
        return Vec::new();
    };
    let alike = first.iter().filter(|setting| {
        setting.1.is_some() && all.iter().all(|(_, settings)| settings.contains(setting))
    });
    alike.map(|(key, _)| *key).collect()
}

/// The keys in which settings differ; `None` where the others have one that nobody can take back.
fn differences(table: &[Setting], wanted: &[Setting]) -> Option<Vec<&'static str>> {
    let mut keys = Vec::new();
    for ((key, before), (_, now)) in table.iter().zip(wanted) {
        match (before, now) {
            (before, now) if before == now => {}
            (_, None) => return None,
            (_, Some(_)) => keys.push(*key),
        }
    }
    Some(keys)
}

/// The streams of a step by the workloads that make them.
fn groups(step: &Step) -> Vec<Group<'_>> {
    let mut groups: Vec<Group<'_>> = Vec::new();
    // Who waits for others names each of them.
    let apart = step.streams.iter().any(|s| s.dependency.waits());
    for stream in &step.streams {
        match groups
            .last_mut()
            .filter(|group| !apart && belongs(group, stream))
        {
            Some(group) => group.targets.push(stream.target),
            None => groups.push(Group {
                stream,
                targets: vec![stream.target],
            }),
        }
    }
    // What is divided among targets has to come out as it was.
    let apart = groups.into_iter().flat_map(|group| {
        let n = group.targets.len() as f64;
        let divides = |value: f64| value * n / n == value;
        let rates = [group.stream.fixed_rate, group.stream.throttle.max_rate];
        let whole = divides(group.stream.share) && rates.iter().flatten().all(|r| divides(r.0));
        let stream = group.stream;
        match whole {
            true => vec![group],
            false => {
                let alone = |target: TargetId| Group {
                    stream,
                    targets: vec![target],
                };
                group.targets.into_iter().map(alone).collect()
            }
        }
    });
    apart.collect()
}

/// Whether a workload makes this stream too, on one more target.
fn belongs(group: &Group<'_>, stream: &Stream) -> bool {
    let moved = Stream {
        target: group.stream.target,
        ..stream.clone()
    };
    *group.stream == moved && !group.targets.contains(&stream.target)
}

/// Whether the workloads have shares of their own, and not one each.
fn differing_shares(groups: &[Group<'_>]) -> bool {
    let mut shares = groups
        .iter()
        .filter(|g| g.stream.fixed_rate.is_none())
        .map(|g| g.stream.share * g.targets.len() as f64);
    let first = shares.next();
    shares.any(|share| Some(share) != first)
}

/// What a workload says apart from what its I/O looks like.
fn own(group: &Group<'_>, plan: &Plan, shares: bool) -> Vec<Line> {
    let Stream {
        workload: _,
        target: _,
        share,
        fixed_rate,
        arrival: gaps,
        priority,
        throttle: _,
        depth,
        window,
        quota,
        mix,
        files,
        size: _,
        address: _,
        content: _,
        hosts,
        dependency,
        verify,
        source,
    } = group.stream;
    let parts = group.targets.len() as f64;
    let mut lines: Vec<Line> = Vec::new();
    let all = (0..plan.targets.len()).map(|at| TargetId(at as u32));
    if !all.eq(group.targets.iter().copied()) {
        let names = group.targets.iter().map(|id| text(&plan.target(*id).name));
        lines.push(("targets", list(names)));
    }
    match fixed_rate {
        // The log says it.
        Some(_) if group.stream.replayed().is_some() => {}
        Some(own) => lines.push(("rate", rate(Rate(own.0 * parts)))),
        None if shares => lines.push(("share", plain(share * parts))),
        None => {}
    }
    lines.extend(gaps.map(|gaps| ("arrival", arrival(gaps))));
    lines.extend(priority.map(|p| ("priority", whole(u64::from(p)))));
    lines.extend(depth.map(|d| ("depth", whole(u64::from(d)))));
    if window.from.0 > 0 {
        lines.push(("start", time(window.from)));
    }
    if window.ramp.0 > 0 {
        lines.push(("ramp", time(window.ramp)));
    }
    lines.extend(window.until.map(|until| ("stop", time(until))));
    if !quota.is_none() && group.stream.replayed().is_none() {
        lines.push(("quota", ends(quota)));
    }
    if !hosts.is_empty() {
        lines.push(("hosts", list(target::named(plan, hosts))));
    }
    if dependency.group != 0 {
        lines.push(("group", whole(u64::from(dependency.group))));
    }
    match dependency.ends {
        Ends::Itself => {}
        Ends::Group => lines.push(("ends", text("group"))),
        Ends::Step => lines.push(("ends", text("run"))),
    }
    if !mix.names.is_none() {
        let own = mix
            .occurring()
            .map(|(op, percent)| (op.name(), plain(percent)));
        lines.push(("operations", table(own)));
    }
    if files.select == FileSelect::Sequential {
        lines.push(("select", text("sequential")));
    }
    if files.shares {
        lines.push(("share_files", text("yes")));
    }
    // One workload opens all its targets alike, or as they say.
    let on = plan.target(group.stream.target);
    let opening = on.opening(group.stream);
    if opening.caching != on.caching {
        lines.push(("caching", target::cached(opening.caching)));
    }
    if opening.durability != on.durability {
        lines.push(("durability", target::durable(opening.durability)));
    }
    lines.extend(files.to.map(|to| ("to", text(&plan.target(to).name))));
    lines.extend(files.makes.map(|makes| match makes {
        Making::Missing => ("make", text("missing")),
        Making::Directories => ("make", text("directories")),
        Making::Anew => ("make", text("anew")),
        Making::DirectoriesAnew => ("make", text("directories_anew")),
        Making::Deleted => ("make", text("deleted")),
    }));
    lines.extend(files.per_file.map(|amount| match amount {
        PerFile::Transfers(count) => ("per_file", whole(count)),
        PerFile::Percent(percent) => ("per_file", text(&format!("{percent}%"))),
    }));
    if files.leaves_one_out {
        lines.push(("leave_one_out", text("yes")));
    }
    lines.extend(files.rounds.map(|count| ("rounds", whole(count))));
    lines.extend(verify.iter().map(|spec| ("verify", verified(spec))));
    lines.extend(source.iter().map(|source| match source {
        IoSource::ReadBack(of) => ("read_back", text(of)),
        IoSource::Replay(replay) => ("replay", replayed(replay)),
    }));
    lines
}

/// A log, and what is made of it.
fn replayed(replay: &Replay) -> String {
    let Replay {
        log,
        options,
        facts: _,
    } = replay;
    let ReplayOptions {
        at_once,
        speed,
        scale,
        align,
        skip,
    } = options;
    let usual = ReplayOptions::default();
    let log = text(&log.display().to_string());
    if *options == usual {
        return log;
    }
    let mut parts = vec![("log", log)];
    if *at_once {
        parts.push(("times", "false".to_string()));
    }
    if *speed != usual.speed {
        parts.push(("speed", text(&format!("{speed}%"))));
    }
    if *scale != usual.scale {
        parts.push(("scale", whole(u64::from(*scale))));
    }
    if *align != usual.align {
        parts.push(("align", size(Bytes(u64::from(*align)))));
    }
    if !skip.is_empty() {
        let words: Vec<&str> = skip.iter().map(|op| op.log_word()).collect();
        parts.push(("skip", text(&words.join(" "))));
    }
    table(parts)
}

fn verified(spec: &VerifySpec) -> String {
    let VerifySpec {
        sum,
        interval,
        offset,
        pattern: repeated,
        remember,
    } = spec;
    let mut parts = Vec::new();
    parts.extend(sum.map(|sum| ("sum", text(sum.name()))));
    parts.extend(interval.map(|bytes| ("interval", size(bytes))));
    if offset.0 > 0 {
        parts.push(("offset", size(*offset)));
    }
    if let Some(VerifyPattern {
        bytes,
        offsets,
        interval,
    }) = repeated
    {
        parts.push(("pattern", pattern(bytes)));
        if !offsets.is_empty() {
            let places: Vec<String> = offsets.iter().map(u32::to_string).collect();
            parts.push(("offsets", text(&places.join(" "))));
        }
        parts.extend(interval.map(|n| ("every", whole(u64::from(n)))));
    }
    if *remember {
        parts.push(("remember", "true".to_string()));
    }
    table(parts)
}

fn ends(quota: &Quota) -> String {
    let Quota { bytes, ios, passes } = *quota;
    let counted = [("ios", ios), ("passes", passes)];
    let bytes = bytes.map(|Bytes(b)| ("bytes", size(Bytes(b))));
    let counted = counted
        .into_iter()
        .filter_map(|(key, n)| Some((key, whole(n?))));
    table(bytes.into_iter().chain(counted))
}
