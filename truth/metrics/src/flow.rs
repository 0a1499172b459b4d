//! What an array did between two looks.

use crate::look::{Key, Look, PathWord, Value};
use crate::mapping::MetricPlace;
use std::collections::{BTreeMap, BTreeSet};

/// Growth and states of an array's metrics between two looks, or between consecutive ones.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Flow {
    /// The time between them, s.
    pub seconds: f64,
    /// Growth of each counter.
    amounts: BTreeMap<(MetricPlace, Key), f64>,
    /// States at the end.
    states: BTreeMap<(MetricPlace, Key), f64>,
    /// Of these a counter went back, came or went, so that nothing is known of them.
    broken: BTreeSet<MetricPlace>,
    /// Owner of each core and path: a controller, a port.
    pub homes: BTreeMap<(MetricPlace, Key), String>,
    /// State of each path at the end.
    pub paths: BTreeMap<Key, PathWord>,
}

impl Flow {
    /// From one look to a later one.
    pub fn between(a: &Look, b: &Look) -> Flow {
        let seconds = b.at.saturating_duration_since(a.at).as_secs_f64();
        let mut flow = Flow {
            seconds,
            amounts: BTreeMap::new(),
            states: BTreeMap::new(),
            broken: BTreeSet::new(),
            homes: b.homes.clone(),
            paths: b.paths.clone(),
        };
        for (place, value) in &b.values {
            match (a.values.get(place), *value) {
                (Some(Value::Counter(old)), Value::Counter(new)) if new >= *old => {
                    flow.amounts.insert(place.clone(), new - old);
                }
                (Some(Value::PerSecond(old)), Value::PerSecond(new)) => {
                    let mean = (old + new) / 2.0;
                    flow.amounts.insert(place.clone(), mean * seconds);
                }
                (_, Value::State(state)) => drop(flow.states.insert(place.clone(), state)),
                _ => drop(flow.broken.insert(place.0)),
            }
        }
        let gone = a.values.iter().filter(|(p, _)| !b.values.contains_key(p));
        let gone = gone.filter(|(_, v)| !matches!(v, Value::State(_)));
        flow.broken.extend(gone.map(|(place, _)| place.0));
        // Where its clock went back it was started anew, and a counter that is larger now may be so by chance.
        if flow.broken.contains(&MetricPlace::ClockSeconds) {
            flow.broken.extend(flow.amounts.keys().map(|(p, _)| *p));
        }
        flow.times_of_means();
        flow
    }

    /// A mean of times is, with the count, their sum.
    fn times_of_means(&mut self) {
        for (count, mean, sum) in [
            (
                MetricPlace::Reads,
                MetricPlace::ReadMeanSeconds,
                MetricPlace::ReadSeconds,
            ),
            (
                MetricPlace::Writes,
                MetricPlace::WriteMeanSeconds,
                MetricPlace::WriteSeconds,
            ),
        ] {
            if let (Some(n), Some(each)) = (self.amount(count), self.state(mean)) {
                let key = (sum, Key::default());
                self.amounts.entry(key).or_insert(n * each);
            }
        }
    }

    /// Adds what happened directly afterwards.
    pub fn append(&mut self, next: Flow) {
        self.seconds += next.seconds;
        self.broken.extend(next.broken);
        let one_sided = |a: &BTreeMap<(MetricPlace, Key), f64>,
                         b: &BTreeMap<(MetricPlace, Key), f64>| {
            let alone = a.keys().filter(|k| !b.contains_key(*k));
            alone.map(|(place, _)| *place).collect::<Vec<_>>()
        };
        let came = one_sided(&next.amounts, &self.amounts);
        let went = one_sided(&self.amounts, &next.amounts);
        self.broken.extend(came.into_iter().chain(went));
        for (place, more) in next.amounts {
            *self.amounts.entry(place).or_default() += more;
        }
        (self.states, self.homes, self.paths) = (next.states, next.homes, next.paths);
    }

    /// Growth of a counter that is there once; `None` where that is not known.
    pub fn amount(&self, place: MetricPlace) -> Option<f64> {
        self.amount_of(place, &Key::default())
    }

    /// The same of one of several.
    pub fn amount_of(&self, place: MetricPlace, key: &Key) -> Option<f64> {
        let amount = self.amounts.get(&(place, key.clone()));
        amount.copied().filter(|_| !self.broken.contains(&place))
    }

    /// Growth of each of several counters of a place; empty where it is not known of all of them.
    pub fn amounts(&self, place: MetricPlace) -> Vec<(&Key, f64)> {
        if self.broken.contains(&place) {
            return Vec::new();
        }
        let of = self.amounts.iter().filter(|((p, _), _)| *p == place);
        of.map(|((_, key), amount)| (key, *amount)).collect()
    }

    /// State at the end of a place that is there once; `None` where that is not known.
    pub fn state(&self, place: MetricPlace) -> Option<f64> {
        self.state_of(place, &Key::default())
    }

    /// The same of one of several.
    pub fn state_of(&self, place: MetricPlace, key: &Key) -> Option<f64> {
        self.states.get(&(place, key.clone())).copied()
    }

    /// Metrics of which nothing is known, in the mapping's words.
    pub fn broken(&self) -> Vec<&'static str> {
        self.broken.iter().map(|p| p.about().word).collect()
    }

    /// The time by which busy times are to be divided, s: the array's own where it has a clock.
    pub fn clock_seconds(&self) -> f64 {
        let own = self.amount(MetricPlace::ClockSeconds).filter(|s| *s > 0.0);
        own.unwrap_or(self.seconds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Mapping;
    use std::path::Path;
    use std::time::{Duration, Instant};

    const MAPPING: &str = "[clock_seconds]\nmetric = \"up\"\n\
        [read_source]\nmetric = \"src\"\nby = \"p\"\n\
        [core_busy_seconds]\nmetric = \"cpu\"\nby = \"core\"\nper_second = true\nscale = 0.01\n\
        [new_bytes]\nmetric = \"n\"\n[stored_bytes]\nmetric = \"s\"\n[distinct_bytes]\nmetric = \"d\"";

    fn looks(texts: &[&str]) -> Vec<Look> {
        let mapping = Mapping::read(Path::new("x"), MAPPING).unwrap();
        let start = Instant::now();
        let each = texts.iter().zip(0..);
        each.map(|(t, n)| Look::read(&mapping, t, start + Duration::from_secs(2 * n)).unwrap())
            .collect()
    }

    #[test]
    fn counters_are_differences_rates_are_held_and_states_are_the_last() {
        let l = looks(&[
            "up 10\nn 5\ns 1\nd 7\ncpu{core=\"0\"} 40",
            "up 11\nn 9\ns 1\nd 6\ncpu{core=\"0\"} 60",
        ]);
        let flow = Flow::between(&l[0], &l[1]);
        assert_eq!(flow.amount(MetricPlace::NewBytes), Some(4.0));
        assert_eq!(flow.amount(MetricPlace::StoredBytes), Some(0.0));
        assert_eq!(flow.state(MetricPlace::DistinctBytes), Some(6.0));
        // 50 % of two seconds.
        assert_eq!(flow.amounts(MetricPlace::CoreBusySeconds)[0].1, 1.0);
        assert_eq!((flow.seconds, flow.clock_seconds()), (2.0, 1.0));
        assert_eq!(flow.broken(), Vec::<&str>::new());
    }

    #[test]
    fn a_counter_that_goes_back_is_not_known_there_and_in_no_sum_with_it() {
        let l = looks(&["up 1\nn 5\ns 1", "up 2\nn 4\ns 2", "up 3\nn 9\ns 3"]);
        let mut sum = Flow::between(&l[0], &l[1]);
        assert_eq!(sum.amount(MetricPlace::NewBytes), None);
        assert_eq!(sum.amount(MetricPlace::StoredBytes), Some(1.0));
        let next = Flow::between(&l[1], &l[2]);
        assert_eq!(next.amount(MetricPlace::NewBytes), Some(5.0));
        sum.append(next);
        assert_eq!(sum.amount(MetricPlace::NewBytes), None);
        assert_eq!(sum.amount(MetricPlace::StoredBytes), Some(2.0));
        assert_eq!(sum.broken(), ["new_bytes"]);
    }

    #[test]
    fn where_the_clock_goes_back_no_counter_is_trusted() {
        let l = looks(&["up 10\nn 5\ns 1", "up 2\nn 50\ns 2"]);
        let flow = Flow::between(&l[0], &l[1]);
        assert_eq!(flow.amount(MetricPlace::NewBytes), None);
        assert_eq!(flow.clock_seconds(), 2.0);
    }

    #[test]
    fn of_several_all_are_known_or_none() {
        let l = looks(&[
            "src{p=\"a\"} 1\nsrc{p=\"b\"} 1",
            "src{p=\"a\"} 2\nsrc{p=\"b\"} 3\nsrc{p=\"c\"} 9",
            "src{p=\"a\"} 2\nsrc{p=\"b\"} 3\nsrc{p=\"c\"} 10",
            "src{p=\"a\"} 2\nsrc{p=\"b\"} 3",
        ]);
        let between = |a: usize| Flow::between(&l[a], &l[a + 1]);
        assert_eq!(between(0).amounts(MetricPlace::ReadSource), []);
        assert_eq!(between(1).amounts(MetricPlace::ReadSource).len(), 3);
        assert_eq!(between(2).amounts(MetricPlace::ReadSource), []);
        // Nor in a sum to which one of them brought nothing.
        let only = |keys: &[&str]| {
            let text = |n| {
                keys.iter()
                    .map(|k| format!("src{{p=\"{k}\"}} {n}\n"))
                    .collect::<String>()
            };
            let l = looks(&[&text(1), &text(2)]);
            Flow::between(&l[0], &l[1])
        };
        let mut sum = only(&["a", "b"]);
        sum.append(only(&["a"]));
        assert_eq!(sum.amounts(MetricPlace::ReadSource), []);
    }
}
