//! Which metric of an array is what: a small file in TOML, and the lab's own, which is built in.

mod file;
mod place;

pub use place::{About, MetricKind, MetricPlace, PLACES};

use file::{Entry as Written, File};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Names that an array gives its counters.
#[derive(Debug, Clone, PartialEq)]
pub struct Mapping {
    entries: Vec<Entry>,
    /// True for the lab's own mapping, of which an array has only what its persona has.
    built_in: bool,
}

/// One metric, and what it is.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Entry {
    pub place: MetricPlace,
    pub metric: String,
    /// Only the series that have all of these.
    pub labels: BTreeMap<String, String>,
    /// The labels that tell several apart.
    pub by: Vec<String>,
    /// Other words for what they say.
    pub names: BTreeMap<String, String>,
    /// The name of what it counts, where no label says it.
    pub fixed: Option<String>,
    /// Factor that a value is multiplied by.
    pub scale: f64,
    /// The metric is no counter: it says how much it is in each second.
    pub per_second: bool,
    /// The label with what it belongs to: a core's controller, a path's port.
    pub of: Option<String>,
    /// The label with a path's state.
    pub state: Option<String>,
}

/// A mapping that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum MappingError {
    /// The file cannot be read.
    #[error("the mapping {} cannot be read: {source}", path.display())]
    Unreadable {
        /// File that was to be read.
        path: PathBuf,
        /// Reason that the system gives.
        source: std::io::Error,
    },
    /// File that is no TOML, or has words that nobody knows.
    #[error("the mapping {}: {message}", path.display())]
    Written {
        /// File with the error.
        path: PathBuf,
        /// Error, with its line.
        message: String,
    },
    /// File that says something that makes no sense.
    #[error("the mapping {}: [{word}] {message}", path.display())]
    Senseless {
        /// File with the error.
        path: PathBuf,
        /// The table.
        word: &'static str,
        /// Error, and what to do about it.
        message: String,
    },
}

/// The most that a mapping's file may have, bytes.
const LARGEST: u64 = 1 << 20;

impl Mapping {
    /// Mapping of the lab's own server.
    pub fn lab() -> Mapping {
        let entries = entries(Path::new("lab.toml"), include_str!("lab.toml"));
        Mapping {
            // A test reads it.
            entries: entries.unwrap_or_default(),
            built_in: true,
        }
    }

    /// Mapping that a file holds.
    pub fn load(path: &Path) -> Result<Mapping, MappingError> {
        let unreadable = |source| MappingError::Unreadable {
            path: path.to_owned(),
            source,
        };
        // Nobody should have to wait for a pipe that says nothing.
        let found = std::fs::metadata(path).map_err(unreadable)?;
        if !found.is_file() || found.len() > LARGEST {
            let message = "it is no file, or larger than 1 MiB";
            return Err(unreadable(std::io::Error::other(message)));
        }
        let text = std::fs::read_to_string(path).map_err(unreadable)?;
        Mapping::read(path, &text)
    }

    /// Mapping that a text holds; `path` is what complaints call it.
    pub fn read(path: &Path, text: &str) -> Result<Mapping, MappingError> {
        Ok(Mapping {
            entries: entries(path, text)?,
            built_in: false,
        })
    }

    pub(crate) fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// What of it has to be there, and is not among these.
    pub(crate) fn lacking(&self, found: &BTreeSet<MetricPlace>) -> Vec<&'static str> {
        let mut words: Vec<&str> = (self.entries.iter().map(|e| e.place))
            .filter(|place| !self.built_in && !found.contains(place))
            .map(|place| place.about().word)
            .collect();
        words.dedup();
        words
    }
}

fn entries(path: &Path, text: &str) -> Result<Vec<Entry>, MappingError> {
    let file: File = toml::from_str(text).map_err(|e| MappingError::Written {
        path: path.to_owned(),
        message: e.to_string().trim_end().to_owned(),
    })?;
    let has = |place: MetricPlace| file.0.contains_key(&place);
    let mut all = Vec::new();
    for (place, written) in &file.0 {
        let senseless = |message: String| MappingError::Senseless {
            path: path.to_owned(),
            word: place.about().word,
            message,
        };
        let needs = place.about().needs.iter();
        if let Some(missing) = needs.copied().find(|n| !has(*n)) {
            let word = missing.about().word;
            return Err(senseless(format!(
                "says nothing without [{word}]; add it, or leave this out"
            )));
        }
        if written.0.is_empty() {
            return Err(senseless("is empty; name a metric".into()));
        }
        for entry in &written.0 {
            all.push(entry_of(*place, entry).map_err(senseless)?);
        }
    }
    match file
        .0
        .keys()
        .any(|p| *p != MetricPlace::Name && *p != MetricPlace::ModelScale)
    {
        true => Ok(all),
        false => Err(MappingError::Written {
            path: path.to_owned(),
            message: "it names no metric; begin with [reads]".into(),
        }),
    }
}

fn entry_of(place: MetricPlace, written: &Written) -> Result<Entry, String> {
    let about = place.about();
    let told_apart = !written.by.0.is_empty() || written.fixed.is_some();
    let by_label = about.many || place == MetricPlace::Name;
    match (by_label, told_apart) {
        (true, false) if about.many => {
            return Err("is there several times; say with `by` which label tells them apart, or with `as` which one it is".into());
        }
        (true, false) => return Err("needs `by`, the label with the name".into()),
        (false, true) => {
            return Err("is there once; leave `by` and `as` out, and choose with `labels`".into());
        }
        _ => {}
    }
    if !written.by.0.is_empty() && written.fixed.is_some() {
        return Err("has `by` and `as`; one of them says which it is".into());
    }
    let scale = written.scale.unwrap_or(1.0);
    if !(scale.is_finite() && scale > 0.0) {
        return Err(format!("has the scale {scale}; it has to be above 0"));
    }
    if written.per_second && about.kind != MetricKind::Counter {
        return Err("is no counter; leave `per_second` out".into());
    }
    if written.per_second && place == MetricPlace::ClockSeconds {
        return Err("is a clock; leave `per_second` out".into());
    }
    if written.of.is_some()
        && !matches!(place, MetricPlace::CoreBusySeconds | MetricPlace::PathState)
    {
        return Err("belongs to nothing; leave `of` out".into());
    }
    if written.state.is_some() && place != MetricPlace::PathState {
        return Err("has no state in a label; leave `state` out".into());
    }
    Ok(Entry {
        place,
        metric: written.metric.clone(),
        labels: written.labels.clone(),
        by: written.by.0.clone(),
        names: written.names.clone(),
        fixed: written.fixed.clone(),
        scale,
        per_second: written.per_second,
        of: written.of.clone(),
        state: written.state.clone(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> String {
        let read = Mapping::read(Path::new("acme.toml"), text);
        read.unwrap_err().to_string()
    }

    #[test]
    fn the_labs_own_is_read_and_has_every_place_that_a_lab_has() {
        let text = include_str!("lab.toml");
        let read = Mapping::read(Path::new("lab.toml"), text).unwrap();
        assert_eq!(read.entries, Mapping::lab().entries);
        let places: BTreeSet<MetricPlace> = read.entries.iter().map(|e| e.place).collect();
        let means = [MetricPlace::ReadMeanSeconds, MetricPlace::WriteMeanSeconds];
        assert_eq!(places.len() + means.len(), PLACES.len());
    }

    #[test]
    fn what_cannot_be_used_is_refused_by_its_name() {
        let front = "[reads]\nmetric = \"r\"\n[read_bytes]\nmetric = \"rb\"\n[writes]\nmetric = \"w\"\n[write_bytes]\nmetric = \"wb\"\n";
        assert!(Mapping::read(Path::new("x"), front).is_ok());
        for (text, said) in [
            ("", "names no metric"),
            ("[name]\nmetric = \"a\"\nby = \"b\"", "names no metric"),
            (
                "[reads]\nmetric = \"a\"",
                "[reads] says nothing without [read_bytes]",
            ),
            ("[raeds]\nmetric = \"a\"", "unknown variant `raeds`"),
            ("[reads]\nmetrc = \"a\"", "unknown field `metrc`"),
            ("[reads]\n", "missing field `metric`"),
            ("reads = 1", "a table, or several"),
            ("reads = [1]", "invalid type"),
            (
                "[read_source]\nmetric = \"a\"",
                "[read_source] is there several times",
            ),
            ("read_source = []", "[read_source] is empty"),
            (
                "[read_source]\nmetric = \"a\"\nby = \"x\"\nas = \"y\"",
                "`by` and `as`",
            ),
            (
                "[clock_seconds]\nmetric = \"a\"\nby = \"x\"",
                "is there once",
            ),
            (
                "[clock_seconds]\nmetric = \"a\"\nper_second = true",
                "is a clock",
            ),
            ("[clock_seconds]\nmetric = \"a\"\nscale = 0", "the scale 0"),
            (
                "[clock_seconds]\nmetric = \"a\"\nscale = nan",
                "the scale NaN",
            ),
            (
                "[read_source]\nmetric = \"a\"\nby = \"x\"\nof = \"y\"",
                "leave `of` out",
            ),
            (
                "[read_source]\nmetric = \"a\"\nby = \"x\"\nstate = \"y\"",
                "leave `state` out",
            ),
            ("x", "line 1"),
        ] {
            let message = refused(text);
            assert!(message.contains(said), "{text:?}: {message}");
            assert!(message.contains("acme.toml"), "{message}");
        }
    }

    #[test]
    fn what_is_no_file_is_not_read() {
        let error = Mapping::load(Path::new("/dev/zero")).unwrap_err();
        assert!(error.to_string().contains("/dev/zero"), "{error}");
        assert!(Mapping::load(Path::new("/nowhere/at.toml")).is_err());
    }
}
