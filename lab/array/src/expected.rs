//! What an array would do under a load that was measured somewhere else: the reference that a figure by itself lacks.

use crate::fit::MeasuredPoint;
use crate::io::{CHUNK, Io, IoKind};
use crate::{Array, Status};
use plimsoll_content::mix64;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Requests that are sent before any counts, for each in flight, and at least so many in all.
const WARM_EACH: usize = 20;
const LEAST: usize = 20_000;
/// Time of a load at a rate, and the most requests of it: near the maximum the number in flight wanders for seconds.
const AT_RATE_S: f64 = 15.0;
const MOST: usize = 1_500_000;

/// Rate and time of an array at full size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Expected {
    /// Requests a second.
    pub rate: f64,
    /// Their mean time, microseconds.
    pub mean_us: f64,
}

/// Sends the load of a point, requests of `bytes` at random places that hold data: at its rate where that was limited, else with as
/// many in flight as it had. A limited load has at most `slots` in flight, and its times are from the sending. An array at a part of its
/// size gets that part of the load. `None` where it fails requests.
pub fn expected(
    array: &mut Array,
    point: &MeasuredPoint,
    slots: usize,
    bytes: u32,
) -> Option<Expected> {
    let scale = array.scale();
    let in_flight = match point.is_limited {
        true => slots as f64,
        false => point.in_flight(),
    };
    let slots = ((in_flight / scale).round() as usize).max(1);
    let gap_ns = point.is_limited.then(|| 1e9 * scale / point.rate.max(1e-9));
    let room = (array.lun_bytes() / u64::from(bytes.max(1))).max(1);
    let paths = array.front_end().paths().len().max(1) as u32;
    array.fill_unique(0, 0..array.lun_bytes() / CHUNK, 1);
    let mut random = Random(7);
    let mut out: BinaryHeap<Reverse<u64>> = BinaryHeap::new();
    let counted = match gap_ns {
        Some(gap) => ((AT_RATE_S * 1e9 / gap) as usize).clamp(LEAST, MOST),
        None => (5 * WARM_EACH * slots).max(LEAST),
    };
    let warm = counted / 5;
    let (mut due_ns, mut sum_ns, mut now) = (0.0, 0_u128, 0);
    let mut begun = (0.0, 0);
    for request in 0..warm + counted {
        if let Some(gap) = gap_ns {
            due_ns += gap * -(1.0 - random.unit()).ln();
            now = now.max(due_ns as u64);
            while out.peek().is_some_and(|back| back.0 <= now) {
                out.pop();
            }
        }
        if out.len() >= slots {
            now = out.pop().map_or(now, |back| now.max(back.0));
        }
        if request == warm {
            begun = (due_ns, now);
        }
        let io = Io {
            path: request as u32 % paths,
            op: match random.unit() < point.read_share {
                true => IoKind::Read,
                false => IoKind::Write,
            },
            ..Io::read(
                0,
                (random.unit() * room as f64) as u64 * u64::from(bytes),
                bytes,
            )
        };
        let done = array.submit(now, &io);
        if done.status != Status::Done {
            return None;
        }
        out.push(Reverse(done.at_ns));
        if request >= warm {
            sum_ns += u128::from(done.at_ns - now);
        }
    }
    let mean_us = sum_ns as f64 / counted as f64 / 1e3;
    // What came due in a time, of which the sending took longer where all slots were busy.
    let kept = (due_ns - begun.0) / ((now - begun.1) as f64).max(1.0);
    Some(Expected {
        // All slots are always in flight; so rare long times need not be waited for to know the rate.
        rate: match point.is_limited {
            true => point.rate * kept.min(1.0),
            false => slots as f64 * scale * 1e6 / mean_us.max(f64::MIN_POSITIVE),
        },
        mean_us,
    })
}

/// Random numbers that are the same each time.
struct Random(u64);

impl Random {
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        (mix64(self.0) >> 11) as f64 / (1_u64 << 53) as f64
    }
}
