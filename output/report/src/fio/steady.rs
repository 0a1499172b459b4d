//! fio's steady state: a value that stays within a limit of its mean, or whose course is flat, for a time.
//!
//! The formulas are those of fio's `steadystate.c`: over as many looks as the time has, the largest distance from their mean, or the
//! slope of the least-squares line through them, in units of a look. Both perhaps as a percentage of the mean.

use serde_json::{Value, json};

/// Rule for a steady state that is asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct SteadyRule {
    /// fio's word for it: `iops`, `bw_slope` …
    pub name: String,
    /// Index of the value among those of a look: I/Os per second, bytes per second, ns.
    pub value: usize,
    /// The slope counts, and not the distance.
    pub slope: bool,
    /// Below this it is steady.
    pub limit: f64,
    /// The limit is a percentage of the mean.
    pub percent: bool,
    /// Looks.
    pub looks: usize,
    /// Their time together, s.
    pub duration_s: u64,
}

/// Observations of a job's steady state.
#[derive(Debug, Clone, PartialEq)]
pub struct SteadyState {
    rule: SteadyRule,
    /// The last looks, the oldest first: I/Os per second, bytes per second, mean ns.
    looks: Vec<[f64; 3]>,
    attained: bool,
    criterion: f64,
    deviation: f64,
    slope: f64,
}

impl SteadyState {
    /// Nothing seen yet.
    pub fn of(rule: SteadyRule) -> Self {
        SteadyState {
            rule,
            looks: Vec::new(),
            attained: false,
            criterion: 0.0,
            deviation: 0.0,
            slope: 0.0,
        }
    }

    /// Adds a look. True once the state is steady, and from then on.
    pub fn look(&mut self, look: [f64; 3]) -> bool {
        if self.attained {
            return true;
        }
        if self.looks.len() >= self.rule.looks {
            self.looks.remove(0);
        }
        self.looks.push(look);
        if self.looks.len() < self.rule.looks.max(1) {
            return false;
        }
        let values: Vec<f64> = self.looks.iter().map(|l| l[self.rule.value]).collect();
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        let found = match self.rule.slope {
            true => slope(&values),
            false => values.iter().map(|v| (v - mean).abs()).fold(0.0, f64::max),
        };
        match self.rule.slope {
            true => self.slope = found,
            false => self.deviation = found,
        }
        self.criterion = match self.rule.percent {
            true if mean > 0.0 => 100.0 * found / mean,
            true => f64::INFINITY,
            false => found,
        };
        self.attained = self.criterion.abs() < self.rule.limit;
        self.attained
    }

    /// True where the job was steady.
    pub fn is_attained(&self) -> bool {
        self.attained
    }

    /// fio's object.
    pub(super) fn value(&self) -> Value {
        let unit = if self.rule.percent { "%" } else { "" };
        let mean = |n: usize| {
            let sum: f64 = self.looks.iter().map(|l| l[n]).sum();
            (sum / self.looks.len().max(1) as f64) as u64
        };
        let all = |n: usize| -> Vec<u64> { self.looks.iter().map(|l| l[n] as u64).collect() };
        let criterion = if self.criterion.is_finite() {
            self.criterion
        } else {
            0.0
        };
        json!({
            "ss": format!("{}:{:.6}{unit}", self.rule.name, self.rule.limit),
            "duration": self.rule.duration_s,
            "attained": u32::from(self.attained),
            "criterion": format!("{criterion:.6}{unit}"),
            "max_deviation": self.deviation,
            "slope": self.slope,
            "data": {
                "bw_mean": mean(1), "iops_mean": mean(0), "lat_mean": mean(2),
                "iops": all(0), "bw": all(1), "lat": all(2),
            },
        })
    }
}

/// Of the least-squares line through values at 0, 1, 2 …
fn slope(values: &[f64]) -> f64 {
    let n = values.len() as f64;
    let (mut x, mut y, mut xy, mut xx) = (0.0, 0.0, 0.0, 0.0);
    for (at, value) in values.iter().enumerate() {
        let at = at as f64;
        (x, y, xy, xx) = (x + at, y + value, xy + at * value, xx + at * at);
    }
    let below = xx - x * x / n;
    if below > 0.0 {
        (xy - x * y / n) / below
    } else {
        0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(slope: bool, limit: f64, percent: bool) -> SteadyRule {
        SteadyRule {
            name: "iops".into(),
            value: 0,
            slope,
            limit,
            percent,
            looks: 3,
            duration_s: 3,
        }
    }

    fn attained_at(rule: SteadyRule, values: &[f64]) -> Option<usize> {
        let mut state = SteadyState::of(rule);
        values.iter().position(|v| state.look([*v, 0.0, 0.0]))
    }

    #[test]
    fn a_value_is_steady_when_all_looks_of_the_time_are_near_their_mean() {
        // Of 90, 100, 110 the mean is 100 and the farthest 10 away.
        let course = [500.0, 90.0, 100.0, 110.0];
        assert_eq!(attained_at(rule(false, 10.5, true), &course), Some(3));
        assert_eq!(attained_at(rule(false, 10.5, false), &course), Some(3));
        assert_eq!(attained_at(rule(false, 9.5, true), &course), None);
        // The slope of the same is 10 each look; up and down has none.
        assert_eq!(attained_at(rule(true, 10.5, false), &course), Some(3));
        assert_eq!(attained_at(rule(true, 9.5, true), &course), None);
        assert_eq!(
            attained_at(rule(true, 0.1, true), &[90.0, 200.0, 90.0]),
            Some(2)
        );
        assert_eq!(attained_at(rule(false, 50.0, true), &[0.0; 9]), None);
    }

    #[test]
    fn the_object_has_the_last_looks() {
        let mut state = SteadyState::of(rule(false, 20.0, true));
        for v in [500.0, 90.0, 100.0, 110.0] {
            state.look([v, v * 4096.0, 7.0]);
        }
        let value = state.value();
        assert_eq!(
            (&value["attained"], &value["ss"]),
            (&json!(1), &json!("iops:20.000000%"))
        );
        assert_eq!(value["data"]["iops"], json!([90, 100, 110]));
        assert_eq!(
            (&value["data"]["bw_mean"], &value["criterion"]),
            (&json!(409_600), &json!("10.000000%"))
        );
    }
}
