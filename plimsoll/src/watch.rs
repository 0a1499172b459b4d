//! Shows a run as it goes on: a live line on a terminal, plain interval lines elsewhere.

use crate::out::{self, tell};
use jiff::Zoned;
use plimsoll_evidence::{ErrorSample, Phase, StepEvidence};
use plimsoll_plan::{DepthSearch, Item, Nanos, Outlined, Plan, Purpose, Step};
use plimsoll_printable::human::duration;
use plimsoll_printable::{Printable, line_of};
use plimsoll_report::human;
use plimsoll_report::terminal::{
    Context, Detail, FailuresTold, Progress, StepStart, Style, environment, interval_header,
    interval_line, live_line, step_line, step_start, verdict,
};
use plimsoll_rig::{Control, Event};
use std::collections::HashSet;
use std::io::IsTerminal;

/// How much of a run is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shown {
    /// A line for each step; the intervals too where there is one step alone.
    Brief,
    /// The intervals of all steps.
    All,
    /// The answer.
    Quiet,
    /// Nothing on standard output, which has a document; on standard error what a brief run shows, or nothing.
    Json {
        /// Nothing.
        quiet: bool,
    },
}

/// Where and how events are shown.
pub struct Watch {
    control: Control,
    style: Style,
    live: bool,
    quiet: bool,
    json: bool,
    verbose: bool,
    /// Lines for a step's start and for its intervals.
    each_interval: bool,
    /// Names of the steps by which a curve's depth is searched, and what those that are over reached, at which depth.
    probes: HashSet<String>,
    searched: Vec<(f64, u64)>,
    /// The step's place among all, where its start has no line of its own.
    place: String,
    steps: Option<u32>,
    /// Time of all planned steps, ns, and of those that are over.
    planned_ns: u64,
    over_ns: u64,
    started: Zoned,
    header_in: u32,
    line_shown: bool,
    failures: FailuresTold,
}

/// After how many interval lines the header is repeated.
const HEADER_EVERY: u32 = 30;

impl Watch {
    /// For a plan. `control` ends the run where nobody reads the output any more.
    pub fn new(plan: &Plan, control: &Control, style: Style, shown: Shown) -> Self {
        let quiet = matches!(shown, Shown::Quiet | Shown::Json { quiet: true });
        let json = matches!(shown, Shown::Json { .. });
        let each_interval = shown == Shown::All || count(plan) == Some(1);
        Watch {
            control: control.clone(),
            live: std::io::stderr().is_terminal() && std::io::stdout().is_terminal() && !quiet,
            style,
            quiet,
            json,
            verbose: shown == Shown::All,
            each_interval,
            probes: probes(plan),
            searched: Vec::new(),
            place: String::new(),
            steps: count(plan),
            planned_ns: planned(plan),
            over_ns: 0,
            started: Zoned::now(),
            header_in: 0,
            line_shown: false,
            failures: FailuresTold::default(),
        }
    }

    /// Shows one event.
    pub fn see(&mut self, event: &Event) {
        match event {
            Event::Ready {
                environment: e,
                record,
            } => {
                if !self.quiet {
                    self.print(&environment(e, &self.style));
                    if let Some(record) = record {
                        let shown = record.display().to_string();
                        self.print(&format!("record {}", Printable(&shown)));
                    }
                    self.print("");
                }
                for note in &e.notes {
                    self.note(note);
                }
            }
            Event::StepStarting {
                number,
                step,
                workers,
            } => self.start(*number, step, *workers),
            Event::Failed {
                samples, so_far, ..
            } => self.failed(samples, *so_far),
            Event::Interval { step, interval } => self.interval(step, interval),
            Event::StepDone { step, evidence } => self.done(step, evidence),
            Event::Verdict(reached) => {
                self.clear_line();
                if !self.json {
                    self.print("");
                    let detail = match self.verbose {
                        true => Detail::Full,
                        false => Detail::Brief,
                    };
                    self.print(&verdict(reached, detail, &self.style));
                }
            }
            Event::Note(text) => self.note(text),
            Event::CommandOutput { output, .. } => {
                self.clear_line();
                for line in output.lines() {
                    self.print(&line_of(line));
                }
            }
        }
    }

    fn start(&mut self, number: u32, step: &Step, workers: u32) {
        self.clear_line();
        if step.purpose == Purpose::Fill {
            // No plan counts the fills that its targets turn out to need.
            self.steps = self.steps.map(|n| n + 1);
        }
        self.started = Zoned::now();
        self.header_in = 0;
        self.failures = FailuresTold::default();
        if self.quiet {
            return;
        }
        let start = StepStart {
            number,
            of: self.steps,
            name: step.name.clone(),
            load: plimsoll_rig::load_words(step),
            warmup_s: step.warmup.as_secs_f64(),
            counted_s: match step.purpose {
                Purpose::Measure => Some(step.elapsed.as_secs_f64()),
                Purpose::Fill => None,
            },
            slots: step.total_depth(),
            workers,
        };
        let left = self.planned_ns.saturating_sub(self.over_ns);
        let line = step_start(&start, &self.style);
        // On a terminal the live line has it.
        if !self.each_interval {
            self.place = match self.steps {
                Some(of) => format!("[{number}/{of}] "),
                None => format!("[{number}] "),
            };
            return;
        }
        match !self.live && self.steps != Some(1) && left > 0 {
            true => {
                let left = duration(Nanos(left).as_secs_f64());
                self.print(&format!("{line}, at most {left} left"));
            }
            false => self.print(&line),
        }
    }

    fn done(&mut self, step: &Step, evidence: &StepEvidence) {
        self.clear_line();
        self.over_ns = self.over_ns.saturating_add(length(step));
        if self.quiet {
            return;
        }
        if self.each_interval {
            return self.print(&step_line(evidence, &self.style));
        }
        if self.probes.contains(&step.name) && evidence.errors == 0 {
            return self.searched.push((evidence.rate.mean, step.total_depth()));
        }
        let best = self.searched.iter().copied();
        if let Some((rate, depth)) = best.reduce(|a, b| if b.0 > a.0 { b } else { a }) {
            let many = self.searched.len();
            self.print(&format!(
                "searched the depth in {many} steps: at most {}/s, with {depth} in flight",
                human::rate(rate)
            ));
            self.searched.clear();
        }
        let line = step_line(evidence, &self.style);
        self.print(&format!("{}{line}", self.place));
    }

    fn interval(&mut self, step: &Step, interval: &plimsoll_evidence::Interval) {
        if self.quiet || (self.json && !self.live) || interval.phase == Phase::Drain {
            return;
        }
        if self.live {
            let into = (interval.start_ns + interval.length_ns).min(length(step));
            let so_far = self.over_ns.saturating_add(into);
            let done = if step.purpose == Purpose::Fill {
                0.0
            } else {
                so_far as f64 / self.planned_ns.max(1) as f64
            };
            let progress = Progress {
                step: step.name.clone(),
                done,
                left_s: Nanos(self.planned_ns.saturating_sub(so_far)).as_secs_f64(),
            };
            out::hint(format_args!(
                "{}",
                live_line(interval, &progress, &self.style)
            ));
            self.line_shown = true;
            return;
        }
        if !self.each_interval {
            return;
        }
        if self.header_in == 0 {
            self.print(&interval_header());
            self.header_in = HEADER_EVERY;
        }
        self.header_in -= 1;
        let context = Context {
            started: self.started.clone(),
        };
        self.print(&interval_line(interval, &context));
    }

    fn failed(&mut self, samples: &[ErrorSample], so_far: u64) {
        for line in self.failures.lines(samples, so_far) {
            self.clear_line();
            tell!("{}", self.style.sentence(0, &line));
        }
    }

    fn note(&mut self, text: &str) {
        self.clear_line();
        let line = format!("note: {}", Printable(text));
        tell!("{}", self.style.sentence(0, &line));
    }

    fn clear_line(&mut self) {
        if std::mem::take(&mut self.line_shown) {
            out::hint(format_args!("\r\x1b[K"));
        }
    }

    fn print(&self, text: &str) {
        if self.json {
            tell!("{text}");
        } else {
            let printed = out::try_put(format_args!("{text}\n"));
            if printed.is_err() {
                // Whoever took the lines has left (`| head`): as an interrupt, so that the record is whole.
                self.control.stop();
            }
        }
    }
}

fn length(step: &Step) -> u64 {
    match step.purpose {
        Purpose::Measure => step.warmup.0.saturating_add(step.elapsed.0),
        Purpose::Fill => 0,
    }
}

/// Names of the steps by which curves search for their depth.
fn probes(plan: &Plan) -> HashSet<String> {
    let curves = plan.items.iter().filter_map(|item| match item {
        Item::Curve(curve) => Some((&curve.base, curve.search.as_ref()?)),
        _ => None,
    });
    let of_curve = |(base, search): (&Step, &DepthSearch)| -> Vec<String> {
        let names = search.depths().map(|depth| search.probe(base, depth).name);
        names.collect()
    };
    curves.flat_map(of_curve).collect()
}

fn count(plan: &Plan) -> Option<u32> {
    let steps: usize = plan
        .items
        .iter()
        .map(|item| match item {
            Item::Step(_) => 1,
            Item::Curve(curve) => 1 + curve.percents.len(),
            Item::Method(method) => method.outline().iter().map(|o| o.at_most as usize).sum(),
        })
        .sum();
    // How many steps a search takes, it finds out.
    let searches = |item: &Item| match item {
        Item::Step(_) => false,
        Item::Curve(curve) => curve.search.is_some(),
        Item::Method(method) => method.outline().iter().any(|o| o.may_be_fewer),
    };
    if plan.items.iter().any(searches) {
        return None;
    }
    u32::try_from(steps).ok()
}

fn planned(plan: &Plan) -> u64 {
    plan.items
        .iter()
        .map(|item| match item {
            Item::Step(step) => length(step),
            Item::Curve(curve) => {
                let base = &curve.base;
                let searching = curve.search.iter().flat_map(|search| {
                    let probe = |depth| length(&search.probe(base, depth));
                    search.depths().map(probe)
                });
                let measuring = length(base).saturating_mul(1 + curve.percents.len() as u64);
                searching.fold(measuring, u64::saturating_add)
            }
            Item::Method(method) => {
                let each = |o: &Outlined| length(&o.step).saturating_mul(u64::from(o.at_most));
                method
                    .outline()
                    .iter()
                    .map(each)
                    .fold(0, u64::saturating_add)
            }
        })
        .fold(0, u64::saturating_add)
}
