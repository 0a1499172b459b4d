//! Least depth that would have done: the array's own answer, by a model of it that is asked apart.

use crate::persona::find_persona;
use plimsoll_array::fit::MeasuredPoint;
use plimsoll_array::{Array, expected};
use plimsoll_evidence::{Enough, more_than_needed};
use plimsoll_plan::{LabArray, Load, Purpose, Step};

/// Fewer in flight are asked of nobody: they are few for any array.
const LEAST: u64 = 64;
/// More are asked of nobody: the model's work grows with them.
const MOST: u64 = 4096;
/// LUNs of the model: what has to be filled takes memory and time.
const FEW_GIB: f64 = 1.0;
const MOST_GIB: f64 = 32.0;
/// Memory of the model, bytes: a finding must not hang on what this machine has left.
const MOST_MEMORY: u64 = 4 << 30;
/// The model and the step are of the same load where their rates differ by no more.
const ALIKE: f64 = 0.1;

/// I/Os that a step keeps in flight on an array, where it does nothing else; `None` of another load, and of few or very many.
pub fn kept(step: &Step, targets: &[plimsoll_plan::TargetId]) -> Option<u64> {
    let closed = matches!(step.load, Load::Max | Load::MaxShared)
        && step.actions.is_empty()
        && step.purpose == Purpose::Measure;
    let all: u64 = targets.iter().map(|t| step.depth_of(*t)).sum();
    (closed && (LEAST..=MOST).contains(&all)).then_some(all)
}

/// The least in flight, of `kept` and its halves, that carries nearly the rate of a step whose I/Os had `bytes` each, so many of them reads.
/// `None` where the model is too large, and where the array is not asked for what the step asked: a hit set, or one after the other.
pub fn enough(
    asked: &LabArray,
    kept: u64,
    rate: f64,
    read_share: f64,
    bytes: f64,
) -> Option<Enough> {
    let (mut persona, scale) = find_persona(asked).ok()?;
    persona.luns.count = 1;
    // Where nothing depends on what is held, there need not be much of it.
    if persona.cache.is_none() && persona.flash.is_none() && persona.tier.is_none() {
        persona.luns.gib = persona.luns.gib.min(FEW_GIB * scale);
    }
    if persona.luns.gib > MOST_GIB * scale {
        return None;
    }
    persona.check_memory(scale, MOST_MEMORY, true).ok()?;
    let carried = |slots: u64| {
        let in_flight = slots as f64 * scale;
        let point = MeasuredPoint {
            rate: 1e6,
            is_limited: false,
            read_share,
            read_us: in_flight,
            write_us: in_flight,
            sd_us: None,
            longest_us: None,
        };
        let mut array = Array::new(&persona, scale, 1).ok()?;
        Some(expected(&mut array, &point, slots as usize, bytes.round() as u32)?.rate / scale)
    };
    let most = carried(kept)?;
    if (most / rate - 1.0).abs() > ALIKE {
        return None;
    }
    let halves = std::iter::successors(Some(kept / 2), |n| Some(n / 2)).take_while(|n| *n > 0);
    let carries = |in_flight: u64| {
        let rate = carried(in_flight)?;
        more_than_needed(rate / most, 0.0, kept as f64).then_some((in_flight, rate))
    };
    let least = halves.map_while(carries).last();
    let (in_flight, rate) = least.unwrap_or((kept, most));
    Some(Enough {
        of: kept,
        in_flight,
        rate,
    })
}
