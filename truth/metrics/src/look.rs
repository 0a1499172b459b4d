//! What an array told at one moment.

use crate::FetchError;
use crate::mapping::{Entry, Mapping, MetricKind, MetricPlace};
use crate::text::{Sample, samples};
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::Instant;

/// The values that a mapping names, at one moment.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Look {
    /// Time of the array's answer.
    pub at: Instant,
    /// Name of the array.
    pub name: Option<String>,
    pub values: BTreeMap<(MetricPlace, Key), Value>,
    /// Owner of each core and path: a controller, a port.
    pub homes: BTreeMap<(MetricPlace, Key), String>,
    /// State of each path.
    pub paths: BTreeMap<Key, PathWord>,
}

/// A value, by how it has to be taken.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Value {
    Counter(f64),
    PerSecond(f64),
    State(f64),
}

/// A path's state in a word, and the value of the series that says it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PathWord {
    pub word: String,
    value: f64,
}

/// Key of one of several; empty where there is one.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub(crate) struct Key(pub String);

impl Ord for Key {
    /// Numbers by their size, so that core 10 comes behind core 9.
    fn cmp(&self, other: &Key) -> Ordering {
        let number = |key: &Key| key.0.parse::<u64>().unwrap_or(u64::MAX);
        number(self)
            .cmp(&number(other))
            .then_with(|| self.0.cmp(&other.0))
    }
}

impl PartialOrd for Key {
    fn partial_cmp(&self, other: &Key) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The most series that a look keeps. An array has thousands of volumes, and nobody has thousands of cores.
const SERIES: usize = 4096;
/// The longest name of one of them, bytes.
const LONGEST: usize = 200;

impl Look {
    /// Reads an endpoint's text; what it does not have stays out. One that has too much of it has nothing that could be
    /// trusted to be whole.
    pub fn read(mapping: &Mapping, text: &str, at: Instant) -> Result<Look, FetchError> {
        let mut by_metric: HashMap<&str, Vec<&Entry>> = HashMap::new();
        for entry in mapping.entries() {
            by_metric.entry(&entry.metric).or_default().push(entry);
        }
        let mut look = Look {
            at,
            name: None,
            values: BTreeMap::new(),
            homes: BTreeMap::new(),
            paths: BTreeMap::new(),
        };
        let mut means: BTreeMap<(MetricPlace, Key), f64> = BTreeMap::new();
        for sample in samples(text, |name| by_metric.contains_key(name)) {
            let entries = by_metric.get(sample.name).into_iter().flatten();
            for entry in entries.filter(|e| is_meant(e, &sample)) {
                look.take(entry, &sample, &mut means)?;
            }
        }
        Ok(look)
    }

    fn take(
        &mut self,
        entry: &Entry,
        sample: &Sample<'_>,
        means: &mut BTreeMap<(MetricPlace, Key), f64>,
    ) -> Result<(), FetchError> {
        let Some(key) = key(entry, sample) else {
            return Ok(());
        };
        if self.values.len() >= SERIES || key.0.len() > LONGEST {
            return Err(FetchError::TooMuch);
        }
        if entry.place == MetricPlace::Name {
            self.name.get_or_insert(key.0);
            return Ok(());
        }
        let value = sample.value * entry.scale;
        // No number, or none that a count can be: it is not known.
        if !value.is_finite() || value < 0.0 {
            return Ok(());
        }
        if let Some(home) = entry.of.as_deref().and_then(|l| sample.label(l)) {
            self.homes
                .insert((entry.place, key.clone()), home.to_owned());
        }
        if entry.place == MetricPlace::PathState {
            self.path(entry, sample, key.clone(), value);
        }
        let place = (entry.place, key);
        let kind = entry.place.about().kind;
        let before = self.values.get(&place).copied();
        let sum = match (kind, entry.per_second, before) {
            (MetricKind::State, ..) if is_mean(entry.place) => {
                // The mean of the means of several nodes.
                let n = means.entry(place.clone()).or_default();
                *n += 1.0;
                let old = state(before).unwrap_or(0.0);
                Value::State(old + (value - old) / *n)
            }
            (MetricKind::State, ..) => Value::State(state(before).unwrap_or(0.0) + value),
            (_, true, Some(Value::PerSecond(old))) => Value::PerSecond(old + value),
            (_, true, _) => Value::PerSecond(value),
            (_, false, Some(Value::Counter(old))) => Value::Counter(old + value),
            (_, false, _) => Value::Counter(value),
        };
        self.values.insert(place, sum);
        Ok(())
    }

    /// Of the words for a path's state the one counts whose series has the largest value: 1, where each has one.
    fn path(&mut self, entry: &Entry, sample: &Sample<'_>, key: Key, value: f64) {
        let word = match &entry.state {
            Some(label) => match sample.label(label) {
                Some(word) => entry.names.get(word).map_or(word, |n| n).to_owned(),
                None => return,
            },
            None if value > 0.0 => "up".to_owned(),
            None => "down".to_owned(),
        };
        let found = PathWord { word, value };
        match self.paths.get(&key) {
            Some(known) if known.value >= found.value => {}
            _ => drop(self.paths.insert(key, found)),
        }
    }

    /// Moves the look to a later time, up to which nothing happened.
    pub fn move_to(&mut self, at: Instant) {
        let idle = at.saturating_duration_since(self.at).as_secs_f64();
        let clock = (MetricPlace::ClockSeconds, Key::default());
        if let Some(Value::Counter(seconds)) = self.values.get_mut(&clock) {
            *seconds += idle;
        }
        self.at = self.at.max(at);
    }

    /// Places that the look tells.
    pub fn places(&self) -> BTreeSet<MetricPlace> {
        let name = self.name.iter().map(|_| MetricPlace::Name);
        self.values
            .keys()
            .map(|(place, _)| *place)
            .chain(name)
            .collect()
    }
}

fn is_mean(place: MetricPlace) -> bool {
    matches!(
        place,
        MetricPlace::ReadMeanSeconds | MetricPlace::WriteMeanSeconds
    )
}

fn state(value: Option<Value>) -> Option<f64> {
    match value {
        Some(Value::State(v)) => Some(v),
        _ => None,
    }
}

fn is_meant(entry: &Entry, sample: &Sample<'_>) -> bool {
    let mut labels = entry.labels.iter();
    labels.all(|(label, value)| sample.label(label) == Some(value))
}

/// Key of a sample where a place has several; `None` where the sample lacks a label that says so.
fn key(entry: &Entry, sample: &Sample<'_>) -> Option<Key> {
    if let Some(fixed) = &entry.fixed {
        return Some(Key(fixed.clone()));
    }
    let mut parts = Vec::new();
    for label in &entry.by {
        let label_value = sample.label(label)?;
        // Of a path's names the state is meant.
        let other = (entry.state.is_none())
            .then(|| entry.names.get(label_value))
            .flatten();
        parts.push(other.map_or(label_value, String::as_str));
    }
    Some(Key(parts.join("/")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn look(mapping: &str, text: &str) -> Look {
        let mapping = Mapping::read(Path::new("x"), mapping).unwrap();
        Look::read(&mapping, text, Instant::now()).unwrap()
    }

    fn value(look: &Look, place: MetricPlace, key: &str) -> Option<Value> {
        look.values.get(&(place, Key(key.into()))).copied()
    }

    #[test]
    fn labels_choose_and_several_series_of_one_thing_add_up() {
        let mapping = "[[read_source]]\nmetric = \"hits\"\nlabels = { op = \"read\" }\nas = \"cache\"\n\
                       [[read_source]]\nmetric = \"tier\"\nby = [\"node\", \"kind\"]\nnames = { ssd = \"local flash\" }\nscale = 2";
        let text = "hits{op=\"read\",node=\"a\"} 3\nhits{op=\"read\",node=\"b\"} 4\nhits{op=\"write\"} 9\n\
                    tier{node=\"1\",kind=\"ssd\"} 5\ntier{kind=\"ssd\"} 6\ntier{node=\"2\",kind=\"x\"} NaN\ntier{node=\"3\",kind=\"x\"} -1\n";
        let look = look(mapping, text);
        let of = |key| value(&look, MetricPlace::ReadSource, key);
        assert_eq!(of("cache"), Some(Value::Counter(7.0)));
        assert_eq!(of("1/local flash"), Some(Value::Counter(10.0)));
        assert_eq!(look.values.len(), 2);
    }

    #[test]
    fn a_paths_state_is_its_label_or_one_or_nothing() {
        let with = "[path_state]\nmetric = \"p\"\nby = \"id\"\nof = \"port\"\nstate = \"s\"\nnames = { ok = \"up\" }\n[path_requests]\nmetric = \"q\"\nby = \"id\"";
        let text = "p{id=\"0\",port=\"7\",s=\"down\"} 0\np{id=\"1\",port=\"7\",s=\"ok\"} 1\np{id=\"1\",s=\"bad\"} 0\n";
        let all = look(with, text);
        let words: Vec<&str> = all.paths.values().map(|p| p.word.as_str()).collect();
        assert_eq!(words, ["down", "up"]);
        assert_eq!(all.homes[&(MetricPlace::PathState, Key("0".into()))], "7");
        let without = "[path_state]\nmetric = \"p\"\nby = \"id\"\n[path_requests]\nmetric = \"q\"\nby = \"id\"";
        let all = look(without, "p{id=\"0\"} 0\np{id=\"1\"} 1\n");
        let words: Vec<&str> = all.paths.values().map(|p| p.word.as_str()).collect();
        assert_eq!(words, ["down", "up"]);
    }

    #[test]
    fn core_10_comes_behind_core_9_and_names_behind_numbers() {
        let mut keys = ["b", "10", "a", "9"].map(|k| Key(k.into()));
        keys.sort();
        assert_eq!(keys.map(|k| k.0), ["9", "10", "a", "b"]);
    }

    #[test]
    fn an_endpoint_of_endless_series_is_not_taken_in_part() {
        let mapping = "[core_busy_seconds]\nmetric = \"v\"\nby = \"id\"";
        let mapping = Mapping::read(Path::new("x"), mapping).unwrap();
        let text =
            |n: usize| -> String { (0..n).map(|n| format!("v{{id=\"{n}\"}} 1\n")).collect() };
        let read = |text: &str| Look::read(&mapping, text, Instant::now());
        assert_eq!(read(&text(SERIES)).unwrap().values.len(), SERIES);
        assert!(matches!(read(&text(SERIES + 1)), Err(FetchError::TooMuch)));
        let long = format!("v{{id=\"{}\"}} 1\n", "x".repeat(LONGEST + 1));
        assert!(matches!(read(&long), Err(FetchError::TooMuch)));
    }
}
