//! How often the adaptive curve is right, and by how much, beside a fixed curve of equal cost: on `curve-8k` and on arrays drawn
//! about it, in virtual time. The table of `docs/curve-adaptive.md` is its output.
//!
//! `cargo run --release -p plimsoll-rig --example adaptive_curve [HOW MANY] [FIRST] [p99]`
//!
//! With `p99` the limit is of the 99th percentile, and the knee is looked at too; no fixed curve stands beside it.

mod draw;
mod drive;
mod percentile;
mod truth;
mod variant;

use drive::Came;
use truth::{LIMIT_US, Limited};
use variant::Variant;

/// I/Os of the truth at each of its rates.
const IOS: u64 = 2_000_000;

/// Takes what a method found from a row.
type Pick = fn(&Row) -> &Option<Found>;

fn main() {
    let of_p99 = std::env::args().any(|w| w == "p99");
    let mut words = std::env::args()
        .skip(1)
        .filter(|w| w != "p99")
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
        let row = Row::of(n, &variant, &persona);
        println!("{row}");
        rows.push(row);
    }
    std::fs::remove_dir_all(&place).expect("our own folder");
    summary(&rows);
}

struct Row {
    n: u64,
    truth: f64,
    adaptive: Option<Found>,
    fixed: Option<Found>,
    spent_s: f64,
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
}

impl Row {
    fn of(n: u64, variant: &Variant, persona: &std::path::Path) -> Self {
        let came = drive::adaptive(persona, vec![drive::limit()], 1000 + n);
        let fixed = drive::fixed(persona, &came, 5000 + n);
        Row {
            n,
            truth: truth::capacity(variant, Limited::Mean, LIMIT_US, IOS, 77 + n),
            adaptive: Found::of(&came),
            fixed: Found::of(&fixed),
            spent_s: came.spent_s,
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
                100.0 * f.off(self.truth),
                100.0 * f.half_width / f.rate,
                if f.covers(self.truth) { " " } else { "!" }
            ),
            None => "none".into(),
        };
        write!(
            f,
            "{:>5} {:>8.0} {} {:>5.0}s {}{}",
            self.n,
            self.truth,
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
        let seen: Vec<(f64, &Found)> = rows
            .iter()
            .filter_map(|r| Some((r.truth, of(r).as_ref()?)))
            .collect();
        let mut off: Vec<f64> = seen.iter().map(|(t, f)| f.off(*t).abs()).collect();
        off.sort_by(f64::total_cmp);
        let covered = seen.iter().filter(|(t, f)| f.covers(*t)).count();
        let within = off.iter().filter(|o| **o <= 0.03).count();
        let mean = seen.iter().map(|(t, f)| f.off(*t)).sum::<f64>() / seen.len() as f64;
        println!(
            "{name}: found {} of {}, within 3 %: {within}, covered: {covered} ({:.1} %), error: mean {:+.2} %, median {:.2} %, \
             worst {:.2} %",
            seen.len(),
            rows.len(),
            100.0 * covered as f64 / all,
            100.0 * mean,
            100.0 * off[off.len() / 2],
            100.0 * off[off.len() - 1],
        );
    }
    println!(
        "hysteresis, of which there is none: {}",
        rows.iter().filter(|r| r.remembers).count()
    );
}
