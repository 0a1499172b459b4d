//! The endpoints of a run, looked at as its steps go on.

use crate::course::{LookSeries, StepSeen};
use crate::fetch::PATIENCE;
use crate::mapping::Mapping;
use crate::scraper::{ScrapeAnswer, Scraper};
use plimsoll_evidence::{ArrayEvidence, ArrayInterval, Phase};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// With shorter intervals an endpoint is not asked in each of them.
const SELDOM: Duration = Duration::from_millis(500);
/// No endpoint is asked again sooner, so that one of that length is seen whole.
const SOONEST: Duration = Duration::from_millis(400);
/// How long before an interval's end it is asked at the latest.
const AHEAD: Duration = Duration::from_millis(10);

/// Where an array tells of itself.
#[derive(Debug, Clone, PartialEq)]
pub struct Endpoint {
    /// `http://host:port/metrics`.
    pub url: String,
    /// What it calls its counters.
    pub mapping: Mapping,
    /// The plan's targets that lie on the array, by name.
    pub targets: Vec<String>,
}

/// All endpoints of a run.
pub struct ArrayMetrics {
    watched: Vec<Watched>,
    /// What was said once is not said again.
    warned: BTreeSet<String>,
}

struct Watched {
    endpoint: Endpoint,
    scraper: Scraper,
    /// Time that the last answer took.
    took: Duration,
    /// Time of the last question.
    asked: Option<Instant>,
    /// The step that goes on, where it uses a target of this array.
    course: Option<LookSeries>,
    /// None of its intervals has ended yet.
    is_new: bool,
    targets: Vec<String>,
}

impl ArrayMetrics {
    /// Before the first step. Nothing is asked yet.
    pub fn new(endpoints: Vec<Endpoint>) -> ArrayMetrics {
        let watched = |endpoint: Endpoint| Watched {
            scraper: Scraper::start(&endpoint.url, endpoint.mapping.clone()),
            endpoint,
            took: Duration::ZERO,
            asked: None,
            course: None,
            is_new: true,
            targets: Vec::new(),
        };
        ArrayMetrics {
            watched: endpoints.into_iter().map(watched).collect(),
            warned: BTreeSet::new(),
        }
    }

    /// A step on these targets is about to begin, with intervals of this length. The arrays are looked at first, which is
    /// waited for, for a little more than a second at most.
    pub fn begin(&mut self, targets: &[String], interval: Duration) {
        let now = Instant::now();
        for watched in &mut self.watched {
            let of = |t: &&String| targets.contains(t);
            watched.targets = watched
                .endpoint
                .targets
                .iter()
                .filter(of)
                .cloned()
                .collect();
            watched.course = None;
            if !watched.targets.is_empty() {
                watched.scraper.answers();
                watched.scraper.ask(now);
            }
        }
        let patience = now + PATIENCE + PATIENCE / 4;
        for watched in &mut self.watched {
            if !watched.targets.is_empty() {
                watched.first_look(now, patience, interval);
            }
        }
        let begun = Instant::now();
        for watched in &mut self.watched {
            watched.ask_for(begun, interval);
        }
    }

    /// An interval has ended: what the arrays of the step's targets did in it. An array that is not seen has nothing in its
    /// place; where none is, there are no places.
    pub fn interval(&mut self, phase: Phase, length: Duration) -> Vec<ArrayInterval> {
        let now = Instant::now();
        let used = self.watched.iter_mut().filter(|w| w.course.is_some());
        let each = used.map(|watched| {
            let answers = watched.scraper.answers();
            answers.iter().for_each(|answer| watched.note(answer));
            watched.ask_for(now, length);
            let looks = answers.into_iter().map(|a| a.look);
            let Some(course) = &mut watched.course else {
                return ArrayInterval::default();
            };
            if std::mem::take(&mut watched.is_new) {
                course.begins(now.checked_sub(length).unwrap_or(now));
            }
            course.interval(looks, phase, now)
        });
        let all: Vec<ArrayInterval> = each.collect();
        let reported = all.iter().any(|array| *array != ArrayInterval::default());
        if reported { all } else { Vec::new() }
    }

    /// The step is over: what the arrays did in its counted time, in the order of its intervals, and what is to be said of
    /// them. There is nothing where none told anything.
    pub fn finish(&mut self) -> (Vec<ArrayEvidence>, Vec<String>) {
        let mut arrays = Vec::new();
        let mut notes = Vec::new();
        let mut reported = false;
        for watched in &mut self.watched {
            let Some(course) = watched.course.take() else {
                continue;
            };
            let seen = course.finish();
            let name = match &seen.name {
                Some(name) => name.clone(),
                None => authority(&watched.endpoint.url).to_owned(),
            };
            notes.extend(remarks(&watched.endpoint, &name, &seen));
            reported |= seen.counted.is_some();
            arrays.push(ArrayEvidence {
                name,
                targets: std::mem::take(&mut watched.targets),
                ..seen.counted.unwrap_or_default()
            });
        }
        notes.retain(|note| self.warned.insert(note.key.clone()));
        let notes = notes.into_iter().map(|note| note.text).collect();
        (if reported { arrays } else { Vec::new() }, notes)
    }
}

impl Watched {
    fn first_look(&mut self, asked: Instant, patience: Instant, interval: Duration) {
        let mut course = LookSeries::new(Instant::now(), spacing(interval));
        // Of what was asked for in the step before, an answer may be on its way.
        while let Some(answer) = self.scraper.wait_until(patience) {
            if answer.asked >= asked {
                self.note(&answer);
                course.see(answer.look);
                break;
            }
        }
        self.course = Some(course);
        self.is_new = true;
    }

    fn note(&mut self, answer: &ScrapeAnswer) {
        self.took = answer.took;
        self.asked = Some(answer.asked);
    }

    /// Asks for a look that is there when an interval that begins now has ended.
    fn ask_for(&self, now: Instant, interval: Duration) {
        if self.course.is_none() {
            return;
        }
        let ahead = (self.took * 3 / 2 + AHEAD).min(interval);
        let soonest = self.asked.map_or(now, |asked| asked + SOONEST);
        self.scraper.ask((now + interval - ahead).max(soonest));
    }
}

/// The time from one look to the next, with intervals of this length.
fn spacing(interval: Duration) -> Duration {
    let interval = interval.max(Duration::from_millis(1));
    let each = SELDOM.as_nanos().div_ceil(interval.as_nanos()).max(1);
    interval * u32::try_from(each).unwrap_or(u32::MAX)
}

/// The host and port of an address.
fn authority(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    rest.split('/').next().unwrap_or(rest)
}

/// Something to be said, and what it is about.
struct Remark {
    key: String,
    text: String,
}

fn remarks(endpoint: &Endpoint, name: &str, seen: &StepSeen) -> Vec<Remark> {
    let url = &endpoint.url;
    let mut all = Vec::new();
    if let Some((missed, looks, why)) = &seen.missed {
        all.push(Remark {
            key: format!("{url} {why:?}"),
            text: format!(
                "what {name} tells of itself at {url} was not observable at {missed} of {looks} looks: {why}"
            ),
        });
    }
    if !seen.broken.is_empty() {
        all.push(Remark {
            key: format!("{url} broken {:?}", seen.broken),
            text: format!(
                "of what {name} tells of itself at {url} these counters went back, came or went, and are not observable: {}",
                seen.broken.join(", ")
            ),
        });
    }
    let lacking = match seen.places.is_empty() {
        true => Vec::new(),
        false => endpoint.mapping.lacking(&seen.places),
    };
    if !lacking.is_empty() {
        all.push(Remark {
            key: format!("{url} lacking {lacking:?}"),
            text: format!(
                "{url} has nothing of what its mapping names for {}: not observable",
                lacking.join(", ")
            ),
        });
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looks_are_as_far_apart_as_intervals_but_not_closer_than_half_a_second() {
        let ms = Duration::from_millis;
        for (interval, apart) in [(1000, 1000), (400, 800), (100, 500), (500, 500), (0, 500)] {
            assert_eq!(spacing(ms(interval)), ms(apart), "{interval}");
        }
    }

    #[test]
    fn an_array_without_a_name_has_its_address() {
        assert_eq!(authority("http://[::1]:9180/metrics"), "[::1]:9180");
        assert_eq!(authority("http://array"), "array");
    }
}
