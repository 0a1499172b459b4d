//! fio's status line while jobs run: how many, how far, how fast, and how long it still takes.

use crate::failure::Failure;
use crate::out;
use plimsoll_evidence::{Interval, Phase};
use plimsoll_plan::{Nanos, Op, Pattern, Plan, Step, Stream, step_length};
use std::io::IsTerminal;

/// Choice of when the line is shown: `--eta`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum When {
    /// On a terminal.
    #[default]
    Auto,
    /// Everywhere, on standard error.
    Always,
    /// Nowhere.
    Never,
}

impl When {
    /// The word behind `--eta`.
    pub fn of(word: &str) -> Result<Self, Failure> {
        match word {
            "auto" => Ok(When::Auto),
            "always" => Ok(When::Always),
            "never" => Ok(When::Never),
            other => Err(Failure::usage(format!(
                "--eta: `{other}` is unknown; use auto, always or never"
            ))),
        }
    }

    fn shows(self) -> bool {
        let both = || std::io::stdout().is_terminal() && std::io::stderr().is_terminal();
        self == When::Always || (self == When::Auto && both())
    }
}

/// The line, and where the jobs are.
pub struct Eta {
    shows: bool,
    /// Each line stands in the place of the one before; else they stay.
    overwrites: bool,
    /// A line that stays, each time that so much went by.
    stays: Option<Nanos>,
    stayed_ns: u64,
    /// Time of all steps, and of those that are over.
    planned_ns: u64,
    over_ns: u64,
    jobs: String,
    count: usize,
    length_ns: u64,
    widest: usize,
}

impl Eta {
    /// For a plan.
    pub fn new(when: When, stays: Option<Nanos>, plan: &Plan) -> Self {
        Eta {
            shows: when.shows() || stays.is_some(),
            overwrites: std::io::stderr().is_terminal(),
            stays,
            stayed_ns: 0,
            planned_ns: plan
                .steps()
                .map(|s| step_length(s).0)
                .fold(0, u64::saturating_add),
            over_ns: 0,
            jobs: String::new(),
            count: 0,
            length_ns: 0,
            widest: 0,
        }
    }

    /// A step begins.
    pub fn begins(&mut self, step: &Step) {
        self.over_ns = self.over_ns.saturating_add(self.length_ns);
        self.length_ns = step_length(step).0;
        self.stayed_ns = 0;
        self.count = step.streams.len();
        let letters: Vec<char> = step.streams.iter().map(letter).collect();
        let runs = letters.chunk_by(|a, b| a == b);
        let runs: Vec<String> = runs.map(|r| format!("{}({})", r[0], r.len())).collect();
        self.jobs = runs.join(",");
    }

    /// An interval has come.
    pub fn saw(&mut self, interval: &Interval) {
        if !self.shows || interval.phase == Phase::Drain {
            return;
        }
        let into = interval.start_ns + interval.length_ns;
        let line = self.line(interval, into);
        let pad = " ".repeat(self.widest.saturating_sub(line.len()));
        self.widest = line.len();
        match self.stays {
            Some(every) if into < self.stayed_ns.saturating_add(every.0) => {}
            Some(_) => {
                self.stayed_ns = into;
                out::hint(format_args!("{line}\n"));
            }
            None if self.overwrites => out::hint(format_args!("{line}{pad}\r")),
            None => out::hint(format_args!("{line}\n")),
        }
    }

    /// Takes the line away, for what is printed next.
    pub fn clear(&mut self) {
        let widest = std::mem::take(&mut self.widest);
        if self.stays.is_none() && self.overwrites && widest > 0 {
            out::hint(format_args!("{}\r", " ".repeat(widest)));
        }
    }

    fn line(&self, interval: &Interval, into: u64) -> String {
        let seconds = interval.length_ns.max(1) as f64 / 1e9;
        let (mut rates, mut ios) = (Vec::new(), Vec::new());
        for op in Op::ALL {
            let name = &op.name()[..1];
            let streams = interval.stats.streams.iter();
            let ops = streams.filter_map(|s| s.ops.get(op as usize));
            let (count, bytes) = ops.fold((0, 0), |(n, b), op| (n + op.ios, b + op.bytes));
            if count > 0 {
                rates.push(format!(
                    "{name}={}B/s",
                    short(bytes as f64 / seconds, 1024.0)
                ));
                ios.push(format!("{name}={}", short(count as f64 / seconds, 1000.0)));
            }
        }
        let done = self.over_ns.saturating_add(into.min(self.length_ns));
        let share = match self.planned_ns {
            0 => "-.-%".to_owned(),
            all => format!("{:.1}%", (100.0 * done as f64 / all as f64).min(100.0)),
        };
        let left = Nanos(self.planned_ns.saturating_sub(done))
            .as_secs_f64()
            .ceil() as u64;
        let fast = match rates.is_empty() {
            true => String::new(),
            false => format!("[{}][{} IOPS]", rates.join(","), ios.join(",")),
        };
        format!(
            "Jobs: {n} (f={n}): [{}][{share}]{fast}[eta {}]",
            self.jobs,
            clock(left),
            n = self.count
        )
    }
}

/// Time left as fio writes it: `00m:05s`, `01h:02m:05s`.
fn clock(seconds: u64) -> String {
    let (hours, minutes, left) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    match hours {
        0 => format!("{minutes:02}m:{left:02}s"),
        _ => format!("{hours:02}h:{minutes:02}m:{left:02}s"),
    }
}

/// Three digits and a unit, as `31.5k` and `123Mi`.
fn short(value: f64, base: f64) -> String {
    let units = match base > 1000.0 {
        true => ["", "Ki", "Mi", "Gi", "Ti"],
        false => ["", "k", "M", "G", "T"],
    };
    let (mut value, mut at) = (value, 0);
    while value >= base.min(1000.0) && at + 1 < units.len() {
        value /= base;
        at += 1;
    }
    let digits = match (at, value) {
        (0, _) => 0,
        (_, v) if v < 10.0 => 2,
        (_, v) if v < 100.0 => 1,
        _ => 0,
    };
    format!("{value:.digits$}{}", units[at])
}

/// fio's letter of a job that runs: its operation, in capitals where addresses are in order.
fn letter(stream: &Stream) -> char {
    let in_order = matches!(
        stream.address.pattern,
        Pattern::Sequential { .. } | Pattern::SequentialEach
    );
    let mix = &stream.mix;
    let letter = match (mix.read > 0.0, mix.write + mix.trim > 0.0) {
        (true, true) => 'm',
        (false, true) if mix.write == 0.0 => 'd',
        (false, true) => 'w',
        _ => 'r',
    };
    match in_order {
        true => letter.to_ascii_uppercase(),
        false => letter,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_times_are_as_fio_writes_them() {
        let of = |value: f64, base: f64| short(value, base);
        assert_eq!(of(31_540.0, 1000.0), "31.5k");
        assert_eq!(of(999.0, 1000.0), "999");
        assert_eq!(of(129_024_000.0, 1024.0), "123Mi");
        assert_eq!(of(5_000_000.0, 1000.0), "5.00M");
        assert_eq!([clock(5), clock(3725)], ["00m:05s", "01h:02m:05s"]);
    }
}
