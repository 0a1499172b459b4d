//! Origins: where the parts of a plan were written.

use plimsoll_diagnostic::Span;
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet};

/// Where the fields of an object were written: (field, place), in the order in which they were noted.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Vec<(String, Span)>", into = "Vec<(String, Span)>")]
pub struct Origins {
    all: Vec<(String, Span)>,
    /// Where each field was written last: a run of thousands of workloads is asked for every field of each.
    last: HashMap<String, Span>,
    /// Names of fields without those of the workloads before them.
    fields: HashSet<String>,
}

impl Origins {
    /// Notes where `field` was written.
    pub fn note(&mut self, field: impl Into<String>, span: Span) {
        let field = field.into();
        let own = own_name(&field);
        if !self.fields.contains(own) {
            self.fields.insert(own.to_string());
        }
        self.last.insert(field.clone(), span);
        self.all.push((field, span));
    }

    /// Where `field` was written last.
    pub fn of(&self, field: &str) -> Option<Span> {
        self.last.get(field).copied()
    }

    /// True where a field of this name was written, of the object itself or of a workload in it.
    pub fn has(&self, field: &str) -> bool {
        self.fields.contains(own_name(field))
    }

    /// All of them.
    pub fn iter(&self) -> std::slice::Iter<'_, (String, Span)> {
        self.all.iter()
    }
}

/// Name of a field without that of its workload.
fn own_name(field: &str) -> &str {
    field.rsplit('.').next().unwrap_or(field)
}

impl Extend<(String, Span)> for Origins {
    fn extend<T: IntoIterator<Item = (String, Span)>>(&mut self, noted: T) {
        for (field, span) in noted {
            self.note(field, span);
        }
    }
}

impl FromIterator<(String, Span)> for Origins {
    fn from_iter<T: IntoIterator<Item = (String, Span)>>(noted: T) -> Self {
        let mut origins = Origins::default();
        origins.extend(noted);
        origins
    }
}

impl From<Vec<(String, Span)>> for Origins {
    fn from(noted: Vec<(String, Span)>) -> Self {
        noted.into_iter().collect()
    }
}

impl From<Origins> for Vec<(String, Span)> {
    fn from(origins: Origins) -> Self {
        origins.all
    }
}
