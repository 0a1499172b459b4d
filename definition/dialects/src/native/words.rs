//! The smallest values: percentages, counts, sizes, times, rates, and pairs of them.

use super::given::{Given, Part, Wrong};
use plimsoll_plan::{Bytes, Nanos, Rate, RateSegment};
use std::str::FromStr;

/// The word of a value that must be one.
pub fn word(given: &Given) -> Result<&Part, Wrong> {
    given.alone().ok_or_else(|| {
        Wrong::new(
            &given.whole,
            format!("`{}` is not a single value", given.whole.text),
        )
    })
}

/// A size, a time, a rate, or anything else that reads itself and says what is wrong.
pub fn unit<T: FromStr>(part: &Part) -> Result<T, Wrong>
where
    T::Err: std::fmt::Display,
{
    part.text
        .parse()
        .map_err(|e: T::Err| Wrong::new(part, e.to_string()))
}

/// A size above 0.
pub fn size(part: &Part) -> Result<Bytes, Wrong> {
    let size: Bytes = unit(part)?;
    if size.0 == 0 {
        return Err(Wrong::new(part, "a size of 0 is nothing").remedy("write a size such as 4k"));
    }
    Ok(size)
}

/// A time above 0.
pub fn time(part: &Part) -> Result<Nanos, Wrong> {
    let time: Nanos = unit(part)?;
    if time.0 == 0 {
        return Err(Wrong::new(part, "a time of 0 is nothing").remedy("write a time such as 30s"));
    }
    Ok(time)
}

/// A rate above 0.
pub fn rate(part: &Part) -> Result<Rate, Wrong> {
    let rate: Rate = unit(part)?;
    if rate.0 > 0.0 && rate.0.is_finite() {
        Ok(rate)
    } else {
        Err(Wrong::new(part, "a rate of 0 asks for nothing")
            .remedy("write a rate such as 5000, or \"max\""))
    }
}

/// A percentage from 0 to 100, with or without its sign.
pub fn percent(part: &Part) -> Result<f64, Wrong> {
    let digits = part.text.strip_suffix('%').unwrap_or(&part.text).trim();
    match digits.parse::<f64>() {
        Ok(p) if (0.0..=100.0).contains(&p) => Ok(p),
        Ok(_) => Err(Wrong::new(
            part,
            format!("`{}` is not a percentage from 0 to 100", part.text),
        )),
        Err(_) => Err(
            Wrong::new(part, format!("`{}` is not a percentage", part.text))
                .remedy("write a number from 0 to 100"),
        ),
    }
}

/// A finite number above 0.
pub fn positive(part: &Part) -> Result<f64, Wrong> {
    match part.text.parse::<f64>() {
        Ok(n) if n > 0.0 && n.is_finite() => Ok(n),
        _ => Err(Wrong::new(
            part,
            format!("`{}` is not a number above 0", part.text),
        )),
    }
}

/// A whole number of at least `least`.
pub fn count<T: FromStr + PartialOrd + std::fmt::Display>(
    part: &Part,
    least: T,
) -> Result<T, Wrong> {
    let digits: String = part.text.chars().filter(|c| *c != '_').collect();
    let is_number = !digits.is_empty() && digits.bytes().all(|d| d.is_ascii_digit());
    let what = match digits.parse::<T>() {
        Ok(n) if n >= least => return Ok(n),
        Err(_) if is_number => "is too large a number".to_string(),
        _ => format!("is not a whole number of at least {least}"),
    };
    Err(Wrong::new(part, format!("`{}` {what}", part.text)))
}

/// `true` or `false`.
pub fn truth(part: &Part) -> Result<bool, Wrong> {
    match part.text.as_str() {
        "true" => Ok(true),
        "false" => Ok(false),
        other => Err(Wrong::new(
            part,
            format!("`{other}` is neither true nor false"),
        )),
    }
}

/// Two texts with `between` in their middle: `4k-64k`.
pub fn halves(part: &Part, between: char) -> Option<(Part, Part)> {
    part.text
        .split_once(between)
        .map(|(a, b)| (part.piece(a), part.piece(b)))
}

/// Pieces with white space between.
pub fn pieces(part: &Part) -> Vec<Part> {
    part.text
        .split_whitespace()
        .map(|p| part.piece(p))
        .collect()
}

/// `ACCESS:RANGE ACCESS:RANGE`, both in percent.
pub fn zones(part: &Part) -> Result<Vec<(f64, f64)>, Wrong> {
    let form = "write ACCESS:RANGE in percent for each zone, as in 50:5 30:15 20:80";
    let mut zones = Vec::new();
    for piece in pieces(part) {
        let (access, range) = halves(&piece, ':').ok_or_else(|| {
            Wrong::new(&piece, format!("`{}` is no zone", piece.text)).remedy(form)
        })?;
        zones.push((percent(&access)?, percent(&range)?));
    }
    if zones.is_empty() {
        return Err(Wrong::new(part, "there are no zones").remedy(form));
    }
    Ok(zones)
}

/// `RATE:TIME RATE:TIME`.
pub fn schedule(part: &Part) -> Result<Vec<RateSegment>, Wrong> {
    let form = "write RATE:TIME for each part, as in 5k:10s 100:5s";
    let mut segments = Vec::new();
    for piece in pieces(part) {
        let (rate_part, length) = halves(&piece, ':').ok_or_else(|| {
            Wrong::new(&piece, format!("`{}` is no part of a schedule", piece.text)).remedy(form)
        })?;
        segments.push(RateSegment::new(rate(&rate_part)?, time(&length)?));
    }
    if segments.is_empty() {
        return Err(Wrong::new(part, "the schedule is empty").remedy(form));
    }
    Ok(segments)
}
