//! `access`: the order of addresses.

use super::given::{Given, Part, Wrong};
use super::words::{count, halves, percent, pieces, size, unit};
use plimsoll_plan::{Distribution, Pattern};

/// `"random"`, `{ sequential = "once" }`, `{ zones = "1m 16m 0" }`…
pub(super) fn access(given: &Given) -> Result<Pattern, Wrong> {
    let random = |coverage| Pattern::Random {
        distribution: Distribution::Uniform,
        coverage,
    };
    if let Some(text) = given.alone() {
        return match text.text.as_str() {
            "coverage" => Ok(random(true)),
            "sequential" => Ok(Pattern::IN_ORDER),
            _ => Ok(random(false)),
        };
    }
    let (name, value) = given.one_choice()?;
    match name.text.as_str() {
        "sequential" if value.text == "each" => Ok(Pattern::SequentialEach),
        "sequential" => {
            let (mut once, mut random_start, mut whole) = (false, false, false);
            for piece in pieces(value) {
                match piece.text.as_str() {
                    "once" => once = true,
                    "whole" => whole = true,
                    "random_start" => random_start = true,
                    other => {
                        return Err(Wrong::new(
                            &piece,
                            format!("`{other}` is no way of going sequentially"),
                        )
                        .remedy("known are once, whole and random_start; each by itself"));
                    }
                }
            }
            if whole && !once {
                return Err(Wrong::new(value, "`whole` says how one pass ends")
                    .remedy("write \"once whole\""));
            }
            Ok(Pattern::Sequential {
                once,
                random_start,
                whole,
            })
        }
        "percent_random" => part_random(value),
        "stride" => {
            let (min, max) = match halves(value, '-') {
                Some((min, max)) => (unit(&min)?, unit(&max)?),
                None => (unit(value)?, unit(value)?),
            };
            Ok(Pattern::Stride { min, max })
        }
        "backward" => size(value).map(|step| Pattern::Backward { step }),
        "zones" => zoned(value),
        "runs" => runs(value),
        _ => count(value, 1).map(Pattern::Streams),
    }
}

/// `1m 16m 0 random`: bytes moved in a zone, of a zone, and between two.
fn zoned(value: &Part) -> Result<Pattern, Wrong> {
    let given = pieces(value);
    match &given[..] {
        [moved, range, skip, rest @ ..] if rest.len() < 2 => Ok(Pattern::Zones {
            size: size(moved)?,
            range: size(range)?,
            skip: unit(skip)?,
            random: behind(rest.first(), "random")?,
        }),
        _ => Err(Wrong::new(value, format!("`{}` says no zones", value.text))
            .remedy("write the bytes moved in a zone, its bytes, and those between two, as \"1m 16m 0\"")),
    }
}

/// `8 repeat`
fn runs(value: &Part) -> Result<Pattern, Wrong> {
    let given = pieces(value);
    match &given[..] {
        [ios, rest @ ..] if rest.len() < 2 => Ok(Pattern::Runs {
            ios: count(ios, 1)?,
            repeat: behind(rest.first(), "repeat")?,
        }),
        _ => Err(Wrong::new(
            value,
            format!("`{}` is no number of I/Os", value.text),
        )),
    }
}

/// Whether the word is there; another is none.
fn behind(piece: Option<&Part>, word: &str) -> Result<bool, Wrong> {
    match piece {
        Some(piece) if piece.text == word => Ok(true),
        Some(piece) => Err(
            Wrong::new(piece, format!("`{}` is not known here", piece.text))
                .remedy(format!("known is {word}")),
        ),
        None => Ok(false),
    }
}

/// A chance, and perhaps words of how runs go on.
fn part_random(value: &Part) -> Result<Pattern, Wrong> {
    let given = pieces(value);
    let chance = percent(given.first().unwrap_or(value))?;
    let (mut anywhere, mut whole_runs) = (false, false);
    for piece in given.iter().skip(1) {
        match piece.text.as_str() {
            "anywhere" => anywhere = true,
            "whole_runs" => whole_runs = true,
            other => {
                return Err(
                    Wrong::new(piece, format!("`{other}` is no way of going on"))
                        .remedy("known are anywhere and whole_runs"),
                );
            }
        }
    }
    Ok(match anywhere || whole_runs {
        false => Pattern::PercentRandom(chance),
        true => Pattern::PartRandom {
            percent: chance,
            distribution: Distribution::Uniform,
            whole_runs,
        },
    })
}
