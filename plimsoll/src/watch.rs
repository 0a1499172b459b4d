//! Shows a run as it goes on: a live line on a terminal, plain interval lines elsewhere.

use crate::out::{self, tell};
use crate::whole_screen::WholeScreen;
use jiff::Zoned;
use plimsoll_evidence::{Counted, ErrorSample, Phase, StepEvidence};
use plimsoll_plan::{
    DepthSearch, Item, Nanos, Plan, Purpose, Question, Step, describe::end_words, planned_length,
    planned_steps, step_length,
};
use plimsoll_printable::human::duration;
use plimsoll_printable::{Printable, line_of};
use plimsoll_report::human;
use plimsoll_report::terminal::{
    Context, Detail, FailuresTold, Progress, StepStart, Style, environment, interval_header,
    interval_line, live_line, step_line, step_start, verdict,
};
use plimsoll_rig::{Control, Event};
use std::collections::{HashSet, VecDeque};
use std::io::IsTerminal;
use std::path::Path;

/// Amount of a run that is shown.
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

/// Display of events: where and how they are shown.
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
    /// Count of a method's steps that are over, whose results its tables have; `None` where the steps are the result.
    of_method: Option<u32>,
    /// The step's place among all, where its start has no line of its own.
    place: String,
    steps: Option<u32>,
    /// Time of all steps at most, ns; `None` where nobody knows.
    planned_ns: Option<u64>,
    /// Time of those that are over, ns.
    over_ns: u64,
    started: Zoned,
    header_in: u32,
    counted: Counted,
    line_shown: bool,
    failures: FailuresTold,
    /// The run is shown on the whole screen as soon as it has a record.
    pub on_whole_screen: bool,
    screen: Option<WholeScreen>,
    /// Lines that wait until the screen is free, each with whether it is a result.
    held: VecDeque<(bool, String)>,
}

/// Steps of a method that each have a line.
const STEPS_SHOWN: u32 = 5;

/// Of the steps after them one in so many has a line.
const ONE_OF: u32 = 50;

/// After how many interval lines the header is repeated.
const HEADER_EVERY: u32 = 30;

/// Lines that wait at most; the earliest go first, and are in the record.
const MOST_HELD: usize = 10_000;

impl Watch {
    /// For a plan. `control` ends the run where nobody reads the output any more.
    pub fn new(plan: &Plan, control: &Control, style: Style, shown: Shown) -> Self {
        let quiet = matches!(shown, Shown::Quiet | Shown::Json { quiet: true });
        let json = matches!(shown, Shown::Json { .. });
        let each_interval = shown == Shown::All || planned_steps(plan) == Some(1);
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
            of_method: (plan.items.iter()).any(has_many_steps).then_some(0),
            place: String::new(),
            steps: planned_steps(plan),
            planned_ns: planned_length(plan).map(|all| all.0),
            over_ns: 0,
            started: Zoned::now(),
            header_in: 0,
            counted: Counted::Ios,
            line_shown: false,
            failures: FailuresTold::default(),
            on_whole_screen: false,
            screen: None,
            held: VecDeque::new(),
        }
    }

    /// Shows one event.
    pub fn see(&mut self, event: &Event) {
        if self.screen.as_mut().is_some_and(|s| !s.is_shown()) {
            self.free_screen();
        }
        match event {
            Event::Ready {
                environment: e,
                record,
            } => {
                self.counted = e.counted();
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
                if let (true, Some(record)) = (self.on_whole_screen, record) {
                    self.show(record);
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

    /// Ends the view on the whole screen, which has seen the run's end.
    pub fn end(&mut self) {
        if let Some(screen) = &mut self.screen {
            screen.wait();
            self.free_screen();
        }
    }

    fn show(&mut self, record: &Path) {
        match WholeScreen::show(record, &self.control) {
            Ok(screen) => self.screen = Some(screen),
            Err(error) => self.note(&format!("the screen cannot be shown: {error}")),
        }
    }

    fn free_screen(&mut self) {
        self.screen = None;
        for (is_result, line) in std::mem::take(&mut self.held) {
            match is_result {
                true => self.print(&line),
                false => tell!("{line}"),
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
            length: match step_length(step) {
                Nanos(0) => end_words(step),
                _ => duration(step.elapsed.as_secs_f64()),
            },
            slots: step.total_depth(),
            workers,
        };
        let left = self
            .planned_ns
            .map_or(0, |all| all.saturating_sub(self.over_ns));
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
        self.over_ns = self.over_ns.saturating_add(step_length(step).0);
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
        if let Some(over) = &mut self.of_method {
            *over += 1;
            let over = *over;
            if over > STEPS_SHOWN && !over.is_multiple_of(ONE_OF) && evidence.errors == 0 {
                return;
            }
            if over == STEPS_SHOWN {
                self.note(&format!(
                    "from here on one step of {ONE_OF} has a line; -v shows all"
                ));
            }
        }
        let line = step_line(evidence, &self.style);
        self.print(&format!("{}{line}", self.place));
    }

    fn interval(&mut self, step: &Step, interval: &plimsoll_evidence::Interval) {
        if self.quiet || (self.json && !self.live) || interval.phase == Phase::Drain {
            return;
        }
        if self.screen.is_some() {
            return;
        }
        if self.live {
            let into = (interval.start_ns + interval.length_ns).min(step_length(step).0);
            let so_far = self.over_ns.saturating_add(into);
            let done_and_left_s = self.planned_ns.map(|all_ns| {
                let done = match step.purpose {
                    Purpose::Fill => 0.0,
                    Purpose::Measure => so_far as f64 / all_ns.max(1) as f64,
                };
                (done, Nanos(all_ns.saturating_sub(so_far)).as_secs_f64())
            });
            let progress = Progress {
                step: step.name.clone(),
                done_and_left_s,
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
            self.print(&interval_header(self.counted));
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
            self.tell(self.style.sentence(0, &line));
        }
    }

    fn note(&mut self, text: &str) {
        self.clear_line();
        let line = format!("note: {}", Printable(text));
        self.tell(self.style.sentence(0, &line));
    }

    fn tell(&mut self, line: String) {
        match self.screen {
            Some(_) => self.hold(false, line),
            None => tell!("{line}"),
        }
    }

    fn hold(&mut self, is_result: bool, line: String) {
        self.held.push_back((is_result, line));
        if self.held.len() > MOST_HELD {
            self.held.pop_front();
        }
    }

    fn clear_line(&mut self) {
        if std::mem::take(&mut self.line_shown) {
            out::hint(format_args!("\r\x1b[K"));
        }
    }

    fn print(&mut self, text: &str) {
        if self.screen.is_some() {
            self.hold(true, text.to_owned());
        } else if self.json {
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

/// True where an item is a method whose steps are many, and its tables the result. Those of an adaptive curve are its points.
fn has_many_steps(item: &Item) -> bool {
    matches!(item, Item::Method(method) if !matches!(method.question, Question::Adaptive(_)))
}

/// Names of the steps by which curves search for their depth.
fn probes(plan: &Plan) -> HashSet<String> {
    let curves = plan.items.iter().filter_map(|item| match item {
        Item::Curve(curve) => Some((&curve.base, curve.search.as_ref()?)),
        Item::Method(method) => match &method.question {
            Question::Adaptive(curve) => Some((method.steps.first()?, curve.search.as_ref()?)),
            _ => None,
        },
        Item::Step(_) => None,
    });
    let of_curve = |(base, search): (&Step, &DepthSearch)| -> Vec<String> {
        let names = search.depths().map(|depth| search.probe(base, depth).name);
        names.collect()
    };
    curves.flat_map(of_curve).collect()
}
