//! Keys that an object of a JSON document has twice: a reader takes one of them, and the other may be somebody's.

use serde::de::{Deserialize, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::collections::HashSet;
use std::fmt;

/// JSON in which no object has a key twice, but for options and percentiles, which fio writes as often as it was given them.
pub(super) struct Once;

impl<'de> Deserialize<'de> for Once {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(Look)
    }
}

struct Look;

impl<'de> Visitor<'de> for Look {
    type Value = Once;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON that has no key twice")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Once, A::Error> {
        let mut seen = HashSet::new();
        while let Some(key) = map.next_key::<String>()? {
            let are_options = ["job options", "global options"].contains(&key.as_str());
            if are_options {
                map.next_value::<IgnoredAny>()?;
            } else {
                map.next_value::<Once>()?;
            }
            if !is_bucket(&key) && !seen.insert(key) {
                return Err(A::Error::custom("a key is there twice"));
            }
        }
        Ok(Once)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut all: A) -> Result<Once, A::Error> {
        while all.next_element::<Once>()?.is_some() {}
        Ok(Once)
    }

    fn visit_unit<E>(self) -> Result<Once, E> {
        Ok(Once)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Once, E> {
        Ok(Once)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Once, E> {
        Ok(Once)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Once, E> {
        Ok(Once)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Once, E> {
        Ok(Once)
    }

    fn visit_str<E>(self, _: &str) -> Result<Once, E> {
        Ok(Once)
    }
}

/// True for a percentile, or a bound of a range: `99.000000`, `>=64`.
pub(super) fn is_bucket(name: &str) -> bool {
    let number = name.strip_prefix(">=").unwrap_or(name);
    let is_of_one = |c: char| c.is_ascii_digit() || c == '.';
    number.chars().all(is_of_one) && number.parse::<f64>().is_ok()
}
