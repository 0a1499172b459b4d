//! `[[run]]`.

use super::actions::actions;
use super::given::{Given, Part, Wrong};
use super::holding::arrival;
use super::host;
use super::keys::{Key, List, RUN, SHAPE, find};
use super::method::{METHOD, MethodKeys, ready};
use super::reduction::{self, Reduced};
use super::report::{Entry, Report};
use super::shape::Setting;
use super::words::{count, positive, rate, schedule, size, time, unit, word};
use plimsoll_diagnostic::Span;
use plimsoll_plan::{
    Arrival, Command, HostId, Limits, LoopValue, NO_TIME_LIMIT, Nanos, Purpose, Rate, RateSegment,
    Slo, TargetId, TimedAction, loop_suffix,
};
use toml::de::{DeTable, DeValue};

/// A run as it was written: what to loop over, and everything that stays.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// Name of the run.
    pub name: String,
    /// The run that it is a part of.
    pub of: Option<String>,
    /// Loop values that tell this run from others of its name.
    pub differs: Vec<LoopValue>,
    /// Indices of its workloads.
    pub workloads: Vec<usize>,
    /// Hosts that carry the run out; empty: all.
    pub hosts: Vec<HostId>,
    /// Settings or loops that replace the workloads' own, in order of appearance; the load is last.
    pub axes: Vec<Axis>,
    /// True where the shares hold at a maximum; `None`: they hold where there are any.
    pub keep_shares: Option<bool>,
    /// The gaps between intended starts.
    pub arrival: Arrival,
    /// CPUs of the workers.
    pub pin: Option<Vec<u32>>,
    /// The workers may burn as much CPU as punctuality takes.
    pub punctual: bool,
    /// Counted.
    pub elapsed: Nanos,
    /// True where `elapsed` was written.
    pub timed: bool,
    /// Not counted.
    pub warmup: Nanos,
    /// True where `warmup` was written.
    pub warmed: bool,
    /// Time between two readings of the counters.
    pub interval: Option<Nanos>,
    /// Idle before.
    pub pause: Nanos,
    /// Points of a curve.
    pub percents: Vec<u32>,
    /// Limits of a curve.
    pub slos: Vec<Slo>,
    /// Ends everything.
    pub stop_service: Option<Nanos>,
    /// The method that it is, and its keys.
    pub method: MethodKeys,
    /// Ends a step.
    pub limits: Limits,
    /// Measurement or preparation.
    pub purpose: Purpose,
    /// Before each step.
    pub start_commands: Vec<Command>,
    /// After each step.
    pub end_commands: Vec<Command>,
    /// While each step runs.
    pub actions: Vec<TimedAction>,
    /// Places of its keys in the source text: (key, place).
    pub places: Vec<(&'static str, Span)>,
}

/// One key that is set, or looped over.
#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    /// The key.
    pub key: &'static str,
    /// A list was written.
    pub looped: bool,
    /// Values, each as it was written and what it means.
    pub values: Vec<(Part, Value)>,
}

/// Setting that one value of an axis stands for.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// Setting of the I/O's shape.
    Shape(Setting),
    /// In flight on each target.
    Depth(u32),
    /// In flight on the named targets.
    Depths(Vec<(TargetId, u32)>),
    /// Threads.
    Workers(u32),
    /// Load that is asked for.
    Load(AskedLoad),
}

/// Load that a run asks for.
#[derive(Debug, Clone, PartialEq)]
pub enum AskedLoad {
    /// Maximum: as fast as it goes.
    Max,
    /// Maximum that keeps the workloads' shares.
    MaxShared,
    /// The curve method.
    Curve,
    /// I/Os per second.
    Rate(Rate),
    /// Percent of what the last step reached.
    PercentOfLast(f64),
    /// Rates one after the other.
    Schedule(Vec<RateSegment>),
}

impl Run {
    /// Makes a run on all workloads with the defaults of the table of keys.
    pub fn defaults(name: &str, workloads: usize) -> Self {
        let mut run = Run {
            name: name.to_string(),
            of: None,
            differs: Vec::new(),
            workloads: (0..workloads).collect(),
            hosts: Vec::new(),
            keep_shares: None,
            axes: Vec::new(),
            arrival: Arrival::default(),
            pin: None,
            punctual: false,
            elapsed: Nanos(0),
            timed: false,
            warmup: Nanos(0),
            warmed: false,
            interval: None,
            pause: Nanos(0),
            percents: Vec::new(),
            slos: Vec::new(),
            stop_service: None,
            method: MethodKeys::default(),
            limits: Limits::default(),
            purpose: Purpose::default(),
            start_commands: Vec::new(),
            end_commands: Vec::new(),
            actions: Vec::new(),
            places: Vec::new(),
        };
        for key in RUN.iter().chain(&METHOD) {
            let Some(default) = key.default else { continue };
            // The tests read every default.
            let given = |text| Given::from_text(Part::of(text));
            let _ = match key.list {
                List::Loop => run.axis(key, false, &[given(default)], &[]),
                List::Many => run.set(key, &default.split(',').map(given).collect::<Vec<_>>()),
                List::No => run.set(key, &[given(default)]),
            };
        }
        (run.timed, run.warmed) = (false, false);
        run
    }

    /// Puts an axis in the place of the one of the same key, or adds it. The order is that of appearance; the load
    /// goes last when steps are made.
    pub fn axis(
        &mut self,
        key: &'static Key,
        looped: bool,
        given: &[Given],
        targets: &[String],
    ) -> Result<(), Wrong> {
        let mut values = Vec::new();
        for one in given {
            values.push((one.whole.clone(), value(key, one, targets)?));
        }
        self.axes.retain(|a| a.key != key.name);
        self.axes.push(Axis {
            key: key.name,
            looped,
            values,
        });
        Ok(())
    }

    /// Reads one of the keys that neither loop nor name anything.
    pub fn set(&mut self, key: &Key, given: &[Given]) -> Result<(), Wrong> {
        // A text is as it is, whatever is in it.
        for one in given.iter().filter(|_| !key.form.verbatim) {
            one.check(key.form)?;
        }
        let Some(first) = given.first() else {
            return Ok(());
        };
        let words = || given.iter().map(word).collect::<Result<Vec<_>, _>>();
        match key.name {
            "values" => {
                let value = |(key, value): &(Part, Part)| {
                    LoopValue::new(key.text.clone(), value.text.clone())
                };
                self.differs = first.pairs.iter().map(value).collect();
            }
            "keep_shares" => self.keep_shares = Some(word(first)?.text == "yes"),
            "arrival" => self.arrival = arrival(first)?,
            "pin" => {
                self.pin = Some(
                    words()?
                        .into_iter()
                        .map(|p| count(p, 0))
                        .collect::<Result<_, _>>()?,
                )
            }
            "waiting" => self.punctual = word(first)?.text == "punctual",
            "for" => {
                self.elapsed = match word(first)? {
                    part if part.text == "unlimited" => NO_TIME_LIMIT,
                    part => time(part)?,
                };
                self.timed = true;
            }
            "warmup" => {
                self.warmup = unit(word(first)?)?;
                self.warmed = true;
            }
            "interval" => self.interval = Some(time(word(first)?)?),
            "pause" => self.pause = unit(word(first)?)?,
            "percents" => {
                self.percents = words()?
                    .into_iter()
                    .map(|p| count(p, 1))
                    .collect::<Result<_, _>>()?
            }
            "slo" => self.slos = given.iter().map(slo).collect::<Result<_, _>>()?,
            "stop_service" => self.stop_service = Some(time(word(first)?)?),
            "limits" => self.limits = limits(first)?,
            "purpose" => {
                self.purpose = match word(first)?.text.as_str() {
                    "fill" => Purpose::Fill,
                    _ => Purpose::Measure,
                }
            }
            "over" => return self.loop_over(&word(first)?.text),
            _ => return self.method.set(key, given),
        }
        Ok(())
    }
}

impl Run {
    /// Name of the run with what it differs in, which no other run has.
    pub fn full_name(&self) -> String {
        format!("{}{}", self.name, loop_suffix(&self.differs))
    }

    /// Loops over a list that is ready.
    fn loop_over(&mut self, over: &str) -> Result<(), Wrong> {
        if over == "reduction" {
            for (key, values) in reduction::axes() {
                let value = |(text, reduced): &(&str, Reduced)| {
                    (Part::of(text), Value::Shape(Setting::Reduced(*reduced)))
                };
                self.axes.retain(|a| a.key != key);
                self.axes.push(Axis {
                    key,
                    looped: true,
                    values: values.iter().map(value).collect(),
                });
            }
            return Ok(());
        }
        let Some((name, values)) = ready(over) else {
            return Ok(());
        };
        let given: Vec<Given> = values
            .iter()
            .map(|v| Given::from_text(Part::of(v)))
            .collect();
        match find(&[&RUN, &SHAPE], name) {
            Some(key) => self.axis(key, true, &given, &[]),
            None => Ok(()),
        }
    }
}

/// Reads one run.
pub fn read(
    report: &mut Report<'_>,
    index: usize,
    table: &DeTable<'_>,
    workloads: &[String],
    targets: &[String],
    hosts: &[String],
) -> Run {
    let mut run = Run::defaults(&format!("run{}", index + 1), workloads.len());
    for entry in report.entries("a run", table, &[&RUN, &SHAPE, &METHOD]) {
        run.places
            .push((entry.key.name, report.span(entry.value.span())));
        match entry.key.name {
            "name" => {
                if let Some(part) = report.text(entry) {
                    run.name = part.text;
                }
            }
            "of" => run.of = report.text(entry).map(|part| part.text),
            "workloads" => {
                let parts = report.texts(entry).unwrap_or_default();
                run.workloads = parts
                    .iter()
                    .filter_map(|p| report.lookup("workload", p, workloads))
                    .collect();
            }
            "hosts" => run.hosts = host::named(report, entry, hosts),
            "start_commands" => run.start_commands = commands(report, entry),
            "end_commands" => run.end_commands = commands(report, entry),
            "actions" => run.actions = actions(report, entry),
            _ if entry.key.list == List::Loop => {
                if let Some((looped, given)) = report.many(entry) {
                    let result = run.axis(entry.key, looped, &given, targets);
                    report.accept(entry, result);
                }
            }
            _ => {
                let given = match entry.key.list {
                    List::Many => report.many(entry).map(|(_, given)| given),
                    _ => report.one(entry).map(|given| vec![given]),
                };
                if let Some(given) = given {
                    let result = run.set(entry.key, &given);
                    report.accept(entry, result);
                }
            }
        }
    }
    if run.purpose == Purpose::Fill && !run.warmed {
        // Nothing is measured, and all that is written is part of the fill.
        run.warmup = Nanos(0);
    }
    run
}

/// One value of a key that loops.
fn value(key: &Key, given: &Given, targets: &[String]) -> Result<Value, Wrong> {
    given.check(key.form)?;
    match key.name {
        "load" => asked(given).map(Value::Load),
        "workers" => count(word(given)?, 1).map(Value::Workers),
        "depth" => match given.alone() {
            Some(part) => count(part, 1).map(Value::Depth),
            None => {
                let mut depths = Vec::new();
                for (name, value) in &given.pairs {
                    let index = targets
                        .iter()
                        .position(|t| *t == name.text)
                        .ok_or_else(|| {
                            let wrong =
                                Wrong::new(name, format!("there is no target `{}`", name.text));
                            wrong.remedy(format!("defined are {}", targets.join(", ")))
                        })?;
                    depths.push((TargetId(index as u32), count(value, 1)?));
                }
                Ok(Value::Depths(depths))
            }
        },
        _ => Setting::read(key, given).map(Value::Shape),
    }
}

fn asked(given: &Given) -> Result<AskedLoad, Wrong> {
    if let Some((_, segments)) = given.single() {
        return schedule(segments).map(AskedLoad::Schedule);
    }
    let part = word(given)?;
    if let Some(digits) = part.text.strip_suffix('%') {
        return positive(&part.piece(digits)).map(AskedLoad::PercentOfLast);
    }
    match part.text.as_str() {
        "max" => Ok(AskedLoad::Max),
        "max_shared" => Ok(AskedLoad::MaxShared),
        "curve" => Ok(AskedLoad::Curve),
        text if text.starts_with(|c: char| c.is_ascii_digit() || c == '.') => {
            rate(part).map(AskedLoad::Rate)
        }
        text => {
            Err({
                let wrong = Wrong::new(part, format!("`{text}` is no load"));
                match plimsoll_diagnostic::nearest(text, ["max", "max_shared", "curve"]) {
                Some(near) => Wrong {
                    patch: Some(near.to_string()),
                    ..wrong.remedy(format!("`{near}` is near"))
                },
                None => wrong.remedy("write \"max\", \"curve\", a rate as 5000 or \"5k\", or \"50%\" of the last"),
            }
            })
        }
    }
}

fn slo(given: &Given) -> Result<Slo, Wrong> {
    match given.single() {
        Some((name, limit)) => unit(&Part {
            text: format!("{}={}", name.text, limit.text),
            span: given.whole.span.clone(),
        }),
        None => unit(&given.whole),
    }
}

fn limits(given: &Given) -> Result<Limits, Wrong> {
    let bytes = |name| given.get(name).map(size).transpose();
    let limits = Limits {
        bytes: bytes("bytes")?,
        read_bytes: bytes("read")?,
        written_bytes: bytes("written")?,
        ios: given.get("ios").map(|p| count(p, 1)).transpose()?,
        overwrites: None,
    };
    if limits == Limits::default() {
        return Err(Wrong::new(&given.whole, "there is no limit in it")
            .remedy("write bytes, read, written or ios"));
    }
    Ok(limits)
}

/// Commands: texts, or tables that also say where the output goes.
pub fn commands(report: &mut Report<'_>, entry: Entry<'_>) -> Vec<Command> {
    let mut commands = Vec::new();
    for value in entry.values() {
        let command = match value.get_ref() {
            DeValue::Table(_) => {
                let given = Given::from_toml(value, entry.key.form, report.source);
                given.and_then(|given| command(entry.key, &given))
            }
            _ => match report.text_of(entry.key, value) {
                Some(part) => Ok(Command {
                    line: part.text,
                    output: "console".to_string(),
                }),
                None => continue,
            },
        };
        match command {
            Ok(command) => commands.push(command),
            Err(wrong) => report.wrong(entry.key.name, value.span(), wrong),
        }
    }
    commands
}

fn command(key: &Key, given: &Given) -> Result<Command, Wrong> {
    given.check(key.form)?;
    let line = given.get("run").ok_or_else(|| {
        Wrong::new(&given.whole, "the command is missing").remedy("add run = \"…\"")
    })?;
    let output = given.get("output").map_or("console", |p| p.text.as_str());
    if !["console", "log", "summary"].contains(&output) {
        let part = given.get("output").unwrap_or(&given.whole);
        return Err(Wrong::new(part, format!("`{output}` is nowhere"))
            .remedy("known are console, log and summary"));
    }
    Ok(Command {
        line: line.text.clone(),
        output: output.to_string(),
    })
}
