//! Flash dies: each does one thing at a time.

use crate::persona::FlashParameters;
use crate::station::Station;
use plimsoll_content::mix64;

/// The dies of an array or an SSD.
#[derive(Debug, Clone)]
pub struct Dies {
    dies: Vec<Station>,
    read_ns: u64,
    program_ns: u64,
    erase_ns: u64,
    /// Dies in a group of which only one may program or erase while the others rebuild its data; 0 for none.
    group: usize,
    /// Dies of one drive; 0 where nobody knows.
    per_drive: usize,
    /// A die erases a block after so many pages; 0: erases are told one by one.
    pages_per_erase: u32,
    /// For each die how many pages were programmed since it erased.
    programmed: Vec<u32>,
}

impl Dies {
    /// Idle dies. `scale` divides their number, but leaves one (or one group).
    pub fn new(p: &FlashParameters, scale: f64) -> Self {
        let ns = |us: f64| (us * 1e3) as u64;
        let group = p.rebuild_group as usize;
        let count = (f64::from(p.dies) / scale).round().max(group.max(1) as f64);
        Dies {
            dies: vec![Station::default(); count as usize],
            read_ns: ns(p.read_us),
            program_ns: ns(p.program_us),
            erase_ns: ns(p.erase_us),
            group,
            per_drive: p.dies_per_drive as usize,
            pages_per_erase: p.pages_per_erase,
            programmed: vec![0; count as usize],
        }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.dies.len()
    }

    /// Each die.
    pub fn each(&self) -> &[Station] {
        &self.dies
    }

    /// The drive that a die is in; `None` where nobody knows. Neighbours in a rebuild group are in different drives.
    pub fn drive(&self, die: usize) -> Option<usize> {
        let group = self.group.max(1);
        let of_group = die / (group * self.per_drive.max(1));
        (self.per_drive > 0).then_some(of_group * group + die % group)
    }

    /// The die of data that is placed by its fingerprint or its address.
    #[inline]
    pub fn placed(&self, key: u64) -> usize {
        ((u128::from(mix64(key ^ 0x5bd1_e995)) * self.dies.len() as u128) >> 64) as usize
    }

    /// A read; returns how long it takes with its wait, nanoseconds.
    ///
    /// In a group, a die that is busy for longer than a read is not waited for: the others give the parts from which
    /// the data is rebuilt, and the slowest of them counts.
    #[inline]
    pub fn read(&mut self, now: u64, die: usize) -> u64 {
        if self.group > 1 && self.dies[die].wait(now) > self.read_ns {
            let start = die - die % self.group;
            let end = (start + self.group).min(self.dies.len());
            let others = (start..end).filter(|d| *d != die);
            if others
                .clone()
                .all(|d| self.dies[d].wait(now) <= self.dies[die].wait(now))
            {
                let part = self.read_ns;
                return others
                    .map(|d| self.dies[d].take(now, part))
                    .max()
                    .unwrap_or(0)
                    + part;
            }
        }
        self.dies[die].take(now, self.read_ns) + self.read_ns
    }

    /// How long a read that comes now may wait, nanoseconds: for the busiest die, or, where the others of its group give its
    /// data, for the busiest of those.
    pub fn backlog(&self, now: u64) -> u64 {
        let of = |group: &[Station]| {
            let mut two = [0; 2];
            for wait in group.iter().map(|d| d.wait(now)) {
                two = [two[0].max(wait), two[1].max(two[0].min(wait))];
            }
            match self.group > 1 {
                true => two[1].max(two[0].min(self.read_ns)),
                false => two[0],
            }
        };
        let groups = self.dies.chunks(self.group.max(1));
        groups.map(of).max().unwrap_or(0)
    }

    /// A page is programmed; returns when it is done. Where it's the die's last erased page, a block is erased after it.
    #[inline]
    pub fn program(&mut self, now: u64, die: usize) -> u64 {
        let service = self.program_ns;
        let done = self.dies[die].finish(now, service);
        if self.pages_per_erase > 0 {
            self.programmed[die] += 1;
            if self.programmed[die] == self.pages_per_erase {
                self.programmed[die] = 0;
                self.erase(now, die);
            }
        }
        done
    }

    /// A page is read inside the SSD, to be moved.
    #[inline]
    pub fn fetch(&mut self, now: u64, die: usize) {
        let service = self.read_ns;
        self.dies[die].take(now, service);
    }

    /// A block is erased.
    pub fn erase(&mut self, now: u64, die: usize) {
        let service = self.erase_ns;
        self.dies[die].take(now, service);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dies(rebuild_group: u32) -> Dies {
        Dies::new(
            &FlashParameters {
                dies: 10,
                dies_per_drive: 2,
                read_us: 50.0,
                program_us: 200.0,
                erase_us: 3000.0,
                rebuild_group,
                pages_per_erase: 0,
                mapping: None,
                buffer_pages: 0,
            },
            1.0,
        )
    }

    #[test]
    fn a_read_waits_for_an_erase_unless_the_group_rebuilds_its_data() {
        let mut plain = dies(0);
        plain.erase(0, 3);
        assert_eq!(plain.read(0, 3), 3_050_000);
        let mut hidden = dies(5);
        hidden.erase(0, 3);
        assert_eq!(hidden.read(0, 3), 50_000);
        // The parts that were read for it are in the way of the next one.
        assert_eq!(hidden.read(0, 3), 100_000);
    }

    #[test]
    fn a_drive_has_its_own_dies_and_one_of_each_rebuild_group() {
        let drives = |group| {
            (0..10)
                .map(|die| dies(group).drive(die).unwrap())
                .collect::<Vec<_>>()
        };
        assert_eq!(drives(0), [0, 0, 1, 1, 2, 2, 3, 3, 4, 4]);
        assert_eq!(drives(5), [0, 1, 2, 3, 4, 0, 1, 2, 3, 4]);
    }

    #[test]
    fn placement_is_even() {
        let d = dies(0);
        let mut counts = [0; 10];
        (0..100_000).for_each(|k| counts[d.placed(k)] += 1);
        assert!(
            counts.iter().all(|c| (9_500..10_500).contains(c)),
            "{counts:?}"
        );
    }
}
