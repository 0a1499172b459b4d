//! How often the adaptive curve is right, and by how much, beside a fixed curve of equal cost: on `curve-8k` and on arrays drawn
//! about it, in virtual time. The table of `docs/curve-adaptive.md` is its output.
//!
//! `cargo run --release -p plimsoll-rig --example adaptive_curve [HOW MANY] [FIRST] [alone | p99]`
//!
//! With `alone` no fixed curve stands beside it. With `p99` the limit is of the 99th percentile, and the knee is looked at too;
//! no fixed curve stands beside that either.

mod draw;
mod drive;
mod percentile;
mod truth;
mod variant;

use drive::Came;
use truth::{LIMIT_US, Limited, Truth};
use variant::Variant;

/// I/Os of each run of the truth.
const IOS: u64 = 500_000;
/// The truth's standard error is at most this share of half the interval that is held against it: a tenth makes what is
/// missing no more than 2 % wider than it is.
const SURER: f64 = 0.1;
/// Two-sided 95 % point of the normal distribution.
const Z_95: f64 = 1.96;

/// Takes what a method found from a row.
type Pick = fn(&Row) -> &Option<Found>;

fn main() {
    let has = |word: &str| std::env::args().any(|w| w == word);
    let (of_p99, alone) = (has("p99"), has("alone"));
    let mut words = std::env::args()
        .skip(1)
        .filter(|w| w != "p99" && w != "alone")
        .map(|w| w.parse().expect("a number"));
    let many: u64 = words.next().unwrap_or(200);
    let first: u64 = words.next().unwrap_or(0);
    let place = std::env::temp_dir().join(format!("adaptive-curve-{}", std::process::id()));
    std::fs::create_dir_all(&place).expect("a folder");
    if of_p99 {
        percentile::table(first..first + many, &place);
        std::fs::remove_dir_all(&place).expect("our own folder");
        return;
    }
    let mut rows: Vec<Row> = Vec::new();
    println!("array  truth/s  adaptive  error   interval  cost    fixed  error");
    for n in first..first + many {
        let variant = match n {
            0 => Variant::itself(1.0),
            n => Variant::drawn(n),
        };
        let persona = place.join("variant.toml");
        std::fs::write(&persona, variant.toml()).expect("a file");
        let row = Row::of(n, &variant, &persona, alone);
        println!("{row}");
        rows.push(row);
    }
    std::fs::remove_dir_all(&place).expect("our own folder");
    summary(&rows);
}

struct Row {
    n: u64,
    truth: Truth,
    adaptive: Option<Found>,
    fixed: Option<Found>,
    spent_s: f64,
    decided: bool,
    remembers: bool,
}

struct Found {
    rate: f64,
    half_width: f64,
}

impl Found {
    fn of(came: &Came) -> Option<Self> {
        let capacity = came.capacity();
        let rate = capacity.rate.filter(|_| !capacity.at_least)?;
        Some(Found {
            rate: rate.mean,
            half_width: rate.half_width.unwrap_or(0.0),
        })
    }

    fn off(&self, truth: f64) -> f64 {
        self.rate / truth - 1.0
    }

    fn covers(&self, truth: f64) -> bool {
        (self.rate - truth).abs() <= self.half_width
    }

    /// The standard error that the truth may have, as a share of it.
    fn wanted_of_truth(&self) -> f64 {
        SURER * self.half_width / self.rate
    }
}

impl Row {
    fn of(n: u64, variant: &Variant, persona: &std::path::Path, alone: bool) -> Self {
        let came = drive::adaptive(persona, vec![drive::limit()], 1000 + n);
        let fixed = (!alone).then(|| drive::fixed(persona, &came, 5000 + n));
        let adaptive = Found::of(&came);
        let wanted = adaptive.as_ref().map_or(0.001, Found::wanted_of_truth);
        Row {
            n,
            truth: truth::capacity(variant, (Limited::Mean, LIMIT_US), IOS, wanted, 77 + n),
            adaptive,
            fixed: fixed.as_ref().and_then(Found::of),
            spent_s: came.spent_s,
            decided: came.verdict.decided,
            remembers: came.verdict.findings.iter().any(|f| f.rule == "hysteresis"),
        }
    }
}

impl std::fmt::Display for Row {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        let words = |found: &Option<Found>| match found {
            Some(f) => format!(
                "{:>8.0} {:>+6.2}% ±{:.2}%{}",
                f.rate,
                100.0 * f.off(self.truth.rate),
                100.0 * f.half_width / f.rate,
                if f.half_width == 0.0 || f.covers(self.truth.rate) {
                    " "
                } else {
                    "!"
                }
            ),
            None => "none".into(),
        };
        write!(
            f,
            "{:>5} {:>8.0} {} {:>5.0}s {}{}",
            self.n,
            self.truth.rate,
            words(&self.adaptive),
            self.spent_s,
            words(&self.fixed),
            if self.remembers { " hysteresis" } else { "" }
        )
    }
}

fn summary(rows: &[Row]) {
    let all = rows.len() as f64;
    let spent: f64 = rows.iter().map(|r| r.spent_s).sum::<f64>() / all;
    let longest = rows.iter().map(|r| r.spent_s).fold(0.0, f64::max);
    println!("cost: {spent:.0} s in the mean, {longest:.0} s at most");
    let kinds: [(&str, Pick); 2] = [("adaptive", |r| &r.adaptive), ("fixed", |r| &r.fixed)];
    for (name, of) in kinds {
        let seen: Vec<(&Found, Truth)> = rows
            .iter()
            .filter_map(|r| Some((of(r).as_ref()?, r.truth)))
            .collect();
        if !seen.is_empty() {
            println!("{name}: {}", found_of(&seen, rows.len()));
        }
    }
    let count = |is: fn(&Row) -> bool| rows.iter().filter(|r| is(r)).count();
    println!(
        "undecided: {}; hysteresis, of which there is none: {}",
        count(|r| !r.decided),
        count(|r| r.remembers)
    );
}

/// Row on how right a method was.
fn found_of(seen: &[(&Found, Truth)], of: usize) -> String {
    let mut off: Vec<f64> = seen.iter().map(|(f, t)| f.off(t.rate).abs()).collect();
    off.sort_by(f64::total_cmp);
    let within = |share: f64| off.iter().filter(|o| **o <= share).count();
    let covered = seen.iter().filter(|(f, t)| f.covers(t.rate)).count();
    let mean =
        |of: &dyn Fn(&(&Found, Truth)) -> f64| seen.iter().map(of).sum::<f64>() / seen.len() as f64;
    // Errors in standard errors: their mean is a bias, and their deviation is 1 where the intervals are as wide as they should be.
    let score = |(f, t): &(&Found, Truth)| Z_95 * (f.rate - t.rate) / f.half_width;
    let bias = mean(&score);
    let spread = mean(&|row| (score(row) - bias).powi(2)).sqrt();
    format!(
        "found {} of {of}, within 3 %: {}, within 5 %: {}, covered: {covered} ({:.1} %), error: mean {:+.2} %, median {:.2} %, \
         worst {:.2} %, ± {:.2} %, in standard errors {bias:+.2} and {spread:.2}, of which the truth's own are {:.2}",
        seen.len(),
        within(0.03),
        within(0.05),
        100.0 * covered as f64 / seen.len() as f64,
        100.0 * mean(&|(f, t)| f.off(t.rate)),
        100.0 * off[off.len() / 2],
        100.0 * off[off.len() - 1],
        100.0 * mean(&|(f, _)| f.half_width / f.rate),
        mean(&|(f, t)| Z_95 * t.error * f.rate / f.half_width),
    )
}
