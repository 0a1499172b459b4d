//! `verify = { … }`: how a workload's data is verified.

use super::forms::VERIFY;
use super::given::{Given, Part, Wrong};
use super::shape::pattern;
use super::words::{count, pieces, size, truth, unit};
use plimsoll_plan::{VerifyPattern, VerifySpec, VerifySum};

/// `{ sum = "crc32c", interval = "4k", remember = true }`
pub fn verify(given: &Given) -> Result<VerifySpec, Wrong> {
    given.check(&VERIFY)?;
    let spec = VerifySpec {
        sum: given.get("sum").map(sum).transpose()?,
        interval: given.get("interval").map(size).transpose()?,
        offset: given
            .get("offset")
            .map(unit)
            .transpose()?
            .unwrap_or_default(),
        pattern: repeated(given)?,
        remember: given
            .get("remember")
            .map(truth)
            .transpose()?
            .unwrap_or(false),
    };
    match spec.sum.is_none() && spec.pattern.is_none() {
        true => Err(
            Wrong::new(&given.whole, "nothing in it says what the data has to be")
                .remedy("write a sum, as { sum = \"crc32c\" }, or a pattern"),
        ),
        false => Ok(spec),
    }
}

fn sum(part: &Part) -> Result<VerifySum, Wrong> {
    let found = VerifySum::ALL.iter().find(|(name, _)| *name == part.text);
    found.map(|(_, sum)| *sum).ok_or_else(|| {
        let names: Vec<&str> = VerifySum::ALL.iter().map(|(name, _)| *name).collect();
        Wrong::new(part, format!("`{}` is no sum", part.text))
            .remedy(format!("known are {}", names.join(", ")))
    })
}

fn repeated(given: &Given) -> Result<Option<VerifyPattern>, Wrong> {
    let Some(bytes) = given.get("pattern") else {
        let idle = ["offsets", "every"].into_iter().find_map(|k| given.get(k));
        return match idle {
            Some(part) => Err(
                Wrong::new(part, "there is no pattern that this says something of")
                    .remedy("add pattern = \"0x…\", or leave it out"),
            ),
            None => Ok(None),
        };
    };
    let places = given.get("offsets").map(pieces).unwrap_or_default();
    let offsets: Result<Vec<u32>, Wrong> = places.iter().map(|place| count(place, 0)).collect();
    Ok(Some(VerifyPattern {
        bytes: pattern(bytes)?,
        offsets: offsets?,
        interval: given.get("every").map(|n| count(n, 1)).transpose()?,
    }))
}
