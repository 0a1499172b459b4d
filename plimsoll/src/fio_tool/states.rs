//! The states that fio's jobs ask to be kept (`verify_state_save=1`), as files that fio reads.

use crate::destination::Destination;
use crate::failure::Failure;
use crate::out::tell;
use plimsoll_dialects::fio::{Parsed, SavedState, VerifyState, is_state};
use plimsoll_permit::output::Precious;
use plimsoll_plan::{Mix, Plan, RangeSpec, SizeSpec, Stream};
use plimsoll_printable::line_of;
use plimsoll_rig::{Action, Found, RunResult};
use std::io::{BufRead, Read};
use std::path::Path;

/// A state of a job is smaller: it has 16 bytes for each I/O in flight, of which there are 65,536 at most.
const MOST_BYTES: u64 = 2 << 20;

/// All states of a run.
pub struct States {
    files: Vec<(Destination, SavedState)>,
}

impl States {
    /// Asks for leave for each file, before anything is measured. A state replaces an earlier one. What is to be written is
    /// precious to those who ask later.
    pub fn ask(
        parsed: &Parsed,
        overwrite: bool,
        precious: &mut Vec<Precious>,
    ) -> Result<States, Failure> {
        let mut files = Vec::new();
        for state in parsed.states() {
            let path = Path::new(&state.path);
            let place = Destination::ask_for_like(path, overwrite, precious, holds_state)?;
            precious.push(Precious::new("the state of another job", path));
            files.push((place, state));
        }
        Ok(States { files })
    }

    /// Workloads whose writes are to be kept until then.
    pub fn workloads(&self) -> impl Iterator<Item = &String> {
        self.files.iter().map(|(_, state)| &state.workload)
    }

    /// Writes all of them; true where all are there. `numbers` are those of the jobs' steps.
    pub fn write(
        self,
        plan: &Plan,
        numbers: &[u32],
        found: &Found,
        result: &RunResult,
    ) -> Result<bool, Failure> {
        let mut all = true;
        for (place, state) in self.files {
            match reached(plan, numbers, found, result, &state) {
                Ok(reached) => {
                    place.write(|out| Ok(out.write_all(&reached.encode())?))?;
                }
                Err(why) => {
                    all = false;
                    tell!(
                        "error: no state of job {} is saved: {why}; what {} holds, if it is there, is of an earlier run",
                        line_of(&state.name),
                        line_of(&state.path)
                    );
                }
            }
        }
        Ok(all)
    }
}

/// State that a job has reached, or the reason why nobody can say that.
fn reached(
    plan: &Plan,
    numbers: &[u32],
    found: &Found,
    result: &RunResult,
    state: &SavedState,
) -> Result<VerifyState, String> {
    let begun = numbers.get(state.step).copied();
    let number = begun.ok_or("it did not begin")?;
    if result.hung {
        return Err("some of its writes are still out".to_string());
    }
    let mut ran = result.steps.iter().filter(|s| s.number == number);
    if ran.any(|s| s.errors > 0) {
        return Err("there were errors beside its writes or of them".to_string());
    }
    if found.ends.is_some_and(|(step, _)| step <= number) {
        return Err("there was no room to keep all of its writes in mind; let it write less, or in larger blocks".to_string());
    }
    let steps = plan.items.get(state.step).map(|item| item.steps());
    let streams = steps.into_iter().flatten().flat_map(|s| &s.streams);
    let mut own = (0u32..)
        .zip(streams)
        .filter(|(_, s)| s.workload == state.workload);
    let (Some((stream, what)), None) = (own.next(), own.next()) else {
        return Err("it is several streams here".to_string());
    };
    let (start, block) =
        place(plan, what).ok_or("where its blocks begin is not known: give size= in bytes")?;
    let chunks = found.chunks.iter();
    let chunks = chunks.filter(|c| c.step == number && c.stream == stream);
    let writes = chunks.flat_map(|c| &c.ios);
    let writes = writes.filter(|io| io.action == Action::Write);
    let offsets: Vec<u64> = writes.map(|io| io.offset).collect();
    let completed = in_order(&offsets, start, block, u64::from(state.depth))?;
    Ok(VerifyState {
        name: state.name.clone(),
        index: state.index,
        depth: state.depth,
        issued: offsets.len() as u64,
        completed,
    })
}

/// Place of a stream's first block in its file, and the size of its blocks.
fn place(plan: &Plan, stream: &Stream) -> Option<(u64, u64)> {
    let from = match stream.address.range {
        RangeSpec::Bytes(from, _) => from.0,
        RangeSpec::Whole => 0,
        _ => return None,
    };
    let [SizeSpec::Fixed(block)] = stream.size.occurring(&Mix::WRITES)[..] else {
        return None;
    };
    let offset = plan.target(stream.target).offset.0;
    Some((offset.checked_add(from)?, block.0.max(1)))
}

/// The last blocks of a job that wrote from `start` on, of `block` bytes each, as many as it had in flight: all are complete at its
/// end. Which blocks were written must be what fio takes it for: the first so many, or all, over and over.
fn in_order(offsets: &[u64], start: u64, block: u64, depth: u64) -> Result<Vec<u64>, String> {
    let issued = offsets.len() as u64;
    if issued == 0 {
        return Err("it has written nothing".to_string());
    }
    let mut places: Vec<u64> = offsets.to_vec();
    places.sort_unstable();
    let largest = places.last().copied().unwrap_or(start);
    let blocks = largest.saturating_sub(start) / block + 1;
    // Each place is as often there as in an order that has been through all of them so many times.
    let (rounds, more) = (issued / blocks, issued % blocks);
    let mut at = places.iter();
    for n in 0..blocks {
        let times = rounds + u64::from(n < more);
        for _ in 0..times {
            if at.next() != Some(&(start + n * block)) {
                return Err("its workers did not write its blocks in one order".to_string());
            }
        }
    }
    let last = (0..depth.min(issued)).map(|back| issued - 1 - back);
    Ok(last.map(|n| start + n % blocks * block).collect())
}

/// True where all of a file is a state.
fn holds_state(file: &mut dyn BufRead) -> bool {
    let mut bytes = Vec::new();
    let read = file.take(MOST_BYTES).read_to_end(&mut bytes);
    read.is_ok() && is_state(&bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn last(places: &[u64], depth: u64) -> Result<Vec<u64>, String> {
        let offsets: Vec<u64> = places.iter().map(|n| 8192 + n * 512).collect();
        let found = in_order(&offsets, 8192, 512, depth)?;
        Ok(found.into_iter().map(|at| (at - 8192) / 512).collect())
    }

    #[test]
    fn the_last_writes_are_those_at_the_end_of_the_order_by_whomever_they_were_made() {
        assert_eq!(last(&[0, 1, 2, 3], 2), Ok(vec![3, 2]));
        assert_eq!(last(&[1, 0, 3, 2], 8), Ok(vec![3, 2, 1, 0]));
        // Once more from the start.
        assert_eq!(last(&[0, 1, 2, 0], 2), Ok(vec![0, 2]));
        assert_eq!(last(&[0, 1, 2, 0, 1, 2], 1), Ok(vec![2]));
    }

    #[test]
    fn blocks_that_are_not_the_beginning_of_the_order_have_no_state() {
        for places in [&[][..], &[1], &[0, 2], &[0, 1, 1], &[0, 0, 0, 1]] {
            assert!(last(places, 4).is_err(), "{places:?}");
        }
        assert!(in_order(&[0], 8192, 512, 1).is_err());
        assert!(in_order(&[8192, 8704 + 100], 8192, 512, 1).is_err());
    }
}
