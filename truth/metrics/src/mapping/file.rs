//! A mapping as it is written.

use super::MetricPlace;
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use std::collections::BTreeMap;
use std::fmt;

/// All of it: for each place a metric, or several.
#[derive(Debug, Default, Deserialize)]
pub(super) struct File(pub BTreeMap<MetricPlace, Several>);

/// One table, or several under one name.
#[derive(Debug)]
pub(super) struct Several(pub Vec<Entry>);

/// One metric.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Entry {
    pub metric: String,
    #[serde(default)]
    pub labels: BTreeMap<String, String>,
    #[serde(default)]
    pub by: Names,
    #[serde(default)]
    pub names: BTreeMap<String, String>,
    #[serde(rename = "as")]
    pub fixed: Option<String>,
    pub scale: Option<f64>,
    #[serde(default)]
    pub per_second: bool,
    pub of: Option<String>,
    pub state: Option<String>,
}

/// A name, or a list of names.
#[derive(Debug, Default)]
pub(super) struct Names(pub Vec<String>);

// Written out, because an untagged enum forgets where in the text something is wrong.
impl<'de> Deserialize<'de> for Several {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Reader;
        impl<'de> Visitor<'de> for Reader {
            type Value = Several;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a table, or several")
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Several, A::Error> {
                let one = Entry::deserialize(MapAccessDeserializer::new(map))?;
                Ok(Several(vec![one]))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Several, A::Error> {
                Vec::deserialize(SeqAccessDeserializer::new(list)).map(Several)
            }
        }
        from.deserialize_any(Reader)
    }
}

impl<'de> Deserialize<'de> for Names {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Reader;
        impl<'de> Visitor<'de> for Reader {
            type Value = Names;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a label, or a list of labels")
            }

            fn visit_str<E: serde::de::Error>(self, one: &str) -> Result<Names, E> {
                Ok(Names(vec![one.to_owned()]))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Names, A::Error> {
                Vec::deserialize(SeqAccessDeserializer::new(list)).map(Names)
            }
        }
        from.deserialize_any(Reader)
    }
}
