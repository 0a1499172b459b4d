//! fio's verify state: how far a job has come that writes what can be verified. `NAME-verify.state` of its `verify-state.h`, in
//! version 3, which fio 2.9 to 3.38 write and read.

use std::collections::BTreeSet;

/// The version of the layout.
const VERSION: u64 = 3;
/// Version, size and sum.
const HEADER: usize = 24;
/// `struct thread_io_list` without its completions.
const FIXED: usize = 152;
/// `struct file_comp`.
const COMPLETION: usize = 16;
/// Where a field of `struct thread_io_list` begins.
mod at {
    pub const COMPLETIONS: usize = 0;
    pub const DEPTH: usize = 8;
    pub const FILES: usize = 12;
    pub const ISSUED: usize = 16;
    pub const INDEX: usize = 24;
    pub const NAME: usize = 88;
}
/// A name and the 0 behind it.
const NAME: usize = 64;

/// How far a job, or a clone of one, has come on its one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerifyState {
    /// Its name.
    pub name: String,
    /// Its number among all clones of all jobs, counted from 0.
    pub index: u64,
    /// I/Os that it had in flight at most.
    pub depth: u32,
    /// Writes that it has issued.
    pub issued: u64,
    /// Where its last writes were that completed, at most as many as its depth, by their address in the file.
    pub completed: Vec<u64>,
}

/// The file that fio keeps the state of such a clone in.
pub fn state_path(name: &str, index: u64) -> String {
    format!("local-{}-{index}-verify.state", name.replace('/', "."))
}

/// Whether all of a file is a state, whole and undamaged, which another may replace.
pub fn is_state(bytes: &[u8]) -> bool {
    list(bytes).is_ok_and(|list| bytes.len() == HEADER + list.len())
}

/// `struct thread_io_list` of a file.
fn list(bytes: &[u8]) -> Result<&[u8], String> {
    let head = |at| word(bytes, at).ok_or("is too short for a state");
    let version = head(0)?;
    if version > u64::from(u8::MAX) {
        return Err("is no verify state of fio's".to_string());
    }
    if version != VERSION {
        return Err(format!(
            "is a state of version {version}, and {VERSION} is known, that of fio 2.9 to 3.38"
        ));
    }
    let (size, checksum) = (head(8)?, head(16)?);
    let list = usize::try_from(size)
        .ok()
        .and_then(|size| bytes.get(HEADER..HEADER.checked_add(size)?))
        .filter(|list| list.len() >= FIXED)
        .ok_or("is cut off")?;
    match u64::from(sum(list)) == checksum {
        true => Ok(list),
        false => Err("is damaged: its sum is another".to_string()),
    }
}

impl VerifyState {
    /// Bytes of the state's file.
    pub fn encode(&self) -> Vec<u8> {
        let room = (self.depth as usize).max(self.completed.len());
        let mut list = vec![0; FIXED + room * COMPLETION];
        put(&mut list, at::COMPLETIONS, self.completed.len() as u64);
        list[at::DEPTH..at::FILES].copy_from_slice(&self.depth.to_le_bytes());
        list[at::FILES..at::ISSUED].copy_from_slice(&1u32.to_le_bytes());
        put(&mut list, at::ISSUED, self.issued);
        put(&mut list, at::INDEX, self.index);
        for (to, from) in list[at::NAME..at::NAME + NAME - 1]
            .iter_mut()
            .zip(self.name.bytes())
        {
            *to = from;
        }
        for (number, offset) in self.completed.iter().enumerate() {
            // Behind the number of the file, which is 0.
            put(&mut list, FIXED + number * COMPLETION + 8, *offset);
        }
        let mut out = vec![0; HEADER];
        put(&mut out, 0, VERSION);
        put(&mut out, 8, list.len() as u64);
        put(&mut out, 16, u64::from(sum(&list)));
        out.extend(list);
        out
    }

    /// What a file says.
    ///
    /// # Errors
    /// What is wrong with it, as the end of a sentence that begins with its name.
    pub fn decode(bytes: &[u8]) -> Result<VerifyState, String> {
        let list = list(bytes)?;
        let field = |at| word(list, at).unwrap_or(0);
        let both = field(at::DEPTH);
        let (depth, files) = (both as u32, both >> 32);
        if files != 1 {
            return Err(format!("is of a job with {files} files, and not of one"));
        }
        let count = field(at::COMPLETIONS);
        let room = (list.len() - FIXED) / COMPLETION;
        if count > room as u64 {
            return Err("is cut off".to_string());
        }
        let completed = (0..count as usize).map(|n| field(FIXED + n * COMPLETION + 8));
        let name = &list[at::NAME..at::NAME + NAME];
        let name = name.split(|b| *b == 0).next().unwrap_or_default();
        Ok(VerifyState {
            name: String::from_utf8_lossy(name).into_owned(),
            index: field(at::INDEX),
            depth,
            issued: field(at::ISSUED),
            completed: completed.collect(),
        })
    }

    /// How many blocks hold what was written, where a job wrote `blocks` of them in order, each of `block` bytes and the first at
    /// `from`: as many as fio goes through (`verify_state_should_stop`). Those behind the last that all must have completed count
    /// while they are among those that did.
    ///
    /// # Errors
    /// It isn't of such a job, as the end of a sentence that begins with its name.
    pub fn written(&self, from: u64, block: u64, blocks: u64) -> Result<u64, String> {
        // Where it ended, and as many more as could be out at once, twice over.
        let begins = self.issued.saturating_sub(4 * u64::from(self.depth.max(1)));
        for offset in &self.completed {
            let place = offset.checked_sub(from).filter(|o| o % block.max(1) == 0);
            let place = place.map(|o| o / block.max(1)).filter(|n| *n < blocks);
            let in_order = |n: u64| {
                let rounds = begins.saturating_sub(n).div_ceil(blocks);
                let first = rounds.checked_mul(blocks).and_then(|r| r.checked_add(n));
                first.is_some_and(|first| first < self.issued)
            };
            if !place.is_some_and(in_order) {
                return Err(format!(
                    "is of a job that wrote elsewhere, or in another order: it had a write at {offset}"
                ));
            }
        }
        let end = blocks.min(self.issued);
        // All that was issued before these was completed when the last of these were issued.
        let sure = end.min(self.issued.saturating_sub(u64::from(self.depth)));
        let completed: BTreeSet<u64> = self.completed.iter().copied().collect();
        let is = |n: u64| completed.contains(&(from + n * block));
        Ok((sure..end).find(|n| !is(*n)).unwrap_or(end))
    }
}

fn word(bytes: &[u8], at: usize) -> Option<u64> {
    let eight = bytes.get(at..at.checked_add(8)?)?;
    Some(u64::from_le_bytes(eight.try_into().ok()?))
}

fn put(bytes: &mut [u8], at: usize, word: u64) {
    bytes[at..at + 8].copy_from_slice(&word.to_le_bytes());
}

/// CRC-32C as fio has it: without the complement at its end.
fn sum(bytes: &[u8]) -> u32 {
    const POLYNOMIAL: u32 = 0x82f6_3b78;
    bytes.iter().fold(u32::MAX, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| match crc & 1 {
            1 => crc >> 1 ^ POLYNOMIAL,
            _ => crc >> 1,
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What fio 3.33 left of `rw=write bs=4k size=64k iodepth=4`, but for the zeros at the end of its name and of its random state.
    fn of_fio() -> Vec<u8> {
        let mut bytes = vec![
            3, 0, 0, 0, 0, 0, 0, 0, 0xd8, 0, 0, 0, 0, 0, 0, 0, 0x3d, 0x22, 0x71, 0xee, 0, 0, 0, 0,
            4, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 1, 0, 0, 0, 0x10, 0, 0, 0, 0, 0, 0, 0,
        ];
        bytes.resize(112, 0);
        bytes.extend(b"awrite");
        bytes.resize(176, 0);
        for high in [0xf0, 0xe0, 0xd0, 0xc0] {
            bytes.extend([0; 8]);
            bytes.extend([0, high, 0, 0, 0, 0, 0, 0]);
        }
        bytes
    }

    fn state(depth: u32, issued: u64, completed: &[u64]) -> VerifyState {
        VerifyState {
            name: "x".to_string(),
            index: 0,
            depth,
            issued,
            completed: completed.iter().map(|n| n * 4096).collect(),
        }
    }

    #[test]
    fn what_fio_has_left_is_read_and_written_byte_by_byte() {
        let read = VerifyState::decode(&of_fio()).expect("a state");
        let all = state(4, 16, &[15, 14, 13, 12]);
        let name = "awrite".to_string();
        assert_eq!(read, VerifyState { name, ..all });
        assert_eq!(read.encode(), of_fio());
        assert!(is_state(&of_fio()));
        let noted = [of_fio(), b"notes".to_vec()].concat();
        assert!(!is_state(&noted) && !is_state(b"notes"));
    }

    #[test]
    fn what_is_damaged_cut_off_or_of_another_version_says_so() {
        let whole = of_fio();
        for at in 24..whole.len() {
            let mut bytes = whole.clone();
            bytes[at] ^= 1;
            let error = VerifyState::decode(&bytes).expect_err("damaged");
            assert!(error.contains("is damaged"), "{at}: {error}");
        }
        for len in 0..whole.len() {
            assert!(VerifyState::decode(&whole[..len]).is_err(), "{len}");
        }
        let mut later = whole;
        later[0] = 4;
        let error = VerifyState::decode(&later).expect_err("another version");
        assert!(error.contains("version 4"), "{error}");
    }

    #[test]
    fn what_was_written_ends_where_a_write_had_not_completed() {
        let written = |state: VerifyState| state.written(0, 4096, 16);
        // All of a job that came to its end, and of one that did not.
        assert_eq!(written(state(4, 16, &[15, 14, 13, 12])), Ok(16));
        assert_eq!(written(state(1, 5, &[4])), Ok(5));
        // Of 8 issued the last 4 may be out: here 4 and 5 had come back, and 7, but not 6.
        assert_eq!(written(state(4, 8, &[7, 5, 4, 3])), Ok(6));
        // None of the last has come back yet.
        assert_eq!(written(state(4, 8, &[3, 2, 1, 0])), Ok(4));
        // Fewer than can be out at once.
        assert_eq!(written(state(8, 3, &[2, 0])), Ok(1));
        assert_eq!(written(state(8, 0, &[])), Ok(0));
        // It has begun again at the start.
        assert_eq!(written(state(4, 18, &[1, 0, 15, 14])), Ok(16));
        assert_eq!(written(state(2, 1600, &[15, 14])), Ok(16));
    }

    #[test]
    fn a_state_of_another_order_or_place_is_none_of_this_job() {
        for (state, from) in [
            (state(1, 5, &[9]), 0),
            (state(1, 12, &[2]), 0),
            (state(1, 5, &[4]), 512),
            (state(1, 20, &[19]), 0),
            (state(1, 5, &[0]), 8192),
            (state(1, u64::MAX, &[4]), 0),
        ] {
            let error = state.written(from, 4096, 16).expect_err("not of it");
            assert!(error.contains("in another order"), "{error}");
        }
        assert_eq!(state(1, 0, &[]).written(0, 4096, 0), Ok(0));
    }
}
