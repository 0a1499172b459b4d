//! The flash translation layer: page mapping, over-provisioning, greedy garbage collection.

use super::Victims;
use crate::persona::MappingParameters;

const NONE: u32 = u32::MAX;

/// Something that the flash does for a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PageMove {
    /// The host's page is programmed at this physical page.
    Program(u64),
    /// A valid page is moved from one physical page to another.
    Relocate {
        /// From here.
        from: u64,
        /// To here.
        to: u64,
    },
    /// This block is erased.
    Erase(u64),
}

/// Logical pages on physical blocks.
///
/// Pages are appended to one open block. When it is full and only one erased block is left, the block with the fewest
/// valid pages is copied into that one, which becomes the open block, and is erased. So one block is all that is kept
/// in reserve, and the write amplification of a small volume is that of a large one. A block here is laid across dies,
/// page by page.
#[derive(Debug, Clone)]
pub struct Mapping {
    /// For each logical page its physical page.
    physical: Vec<u32>,
    /// For each physical page its logical page, if it is valid.
    logical: Vec<u32>,
    /// For each block how many of its pages are valid.
    valid: Vec<u16>,
    free: Vec<u32>,
    victims: Victims,
    pages_per_block: u32,
    open: u32,
    /// The next page of the open block.
    next: u32,
    /// Pages that the host wrote.
    pub host_pages: u64,
    /// Pages that were moved to make room.
    pub moved_pages: u64,
    /// Blocks erased.
    pub erases: u64,
}

impl Mapping {
    /// An empty volume of `pages` logical pages: at least one block is kept beyond them whatever the over-provisioning.
    pub fn new(p: &MappingParameters, pages: u64) -> Self {
        let per_block = p.pages_per_block;
        let user = pages.div_ceil(u64::from(per_block));
        let wanted =
            (pages as f64 * (1.0 + p.over_provisioning) / f64::from(per_block)).ceil() as u64;
        let blocks = wanted.max(user + 2) as usize;
        let mut free: Vec<u32> = (0..blocks as u32).rev().collect();
        let open = free.pop().unwrap_or(0);
        Mapping {
            physical: vec![NONE; pages as usize],
            logical: vec![NONE; blocks * per_block as usize],
            valid: vec![0; blocks],
            free,
            victims: Victims::new(blocks, per_block as usize),
            pages_per_block: per_block,
            open,
            next: 0,
            host_pages: 0,
            moved_pages: 0,
            erases: 0,
        }
    }

    /// Pages programmed for each page that the host wrote.
    pub fn write_amplification(&self) -> f64 {
        (self.host_pages + self.moved_pages) as f64 / self.host_pages.max(1) as f64
    }

    /// Where a logical page lies.
    #[inline]
    pub fn lookup(&self, page: u64) -> Option<u64> {
        match self.physical[page as usize] {
            NONE => None,
            at => Some(u64::from(at)),
        }
    }

    /// Writes a logical page; `done` hears what the flash does, in order.
    #[inline]
    pub fn write(&mut self, page: u64, mut done: impl FnMut(PageMove)) {
        self.forget(page);
        if self.next == self.pages_per_block {
            self.open_block(&mut done);
        }
        let at = self.append(page as u32);
        self.host_pages += 1;
        done(PageMove::Program(u64::from(at)));
    }

    /// Forgets a logical page.
    #[inline]
    pub fn forget(&mut self, page: u64) {
        let at = std::mem::replace(&mut self.physical[page as usize], NONE);
        if at == NONE {
            return;
        }
        self.logical[at as usize] = NONE;
        let block = at / self.pages_per_block;
        let valid = &mut self.valid[block as usize];
        *valid -= 1;
        if block != self.open {
            self.victims.remove(block, usize::from(*valid) + 1);
            self.victims.insert(block, usize::from(*valid));
        }
    }

    #[inline]
    fn append(&mut self, page: u32) -> u32 {
        let at = self.open * self.pages_per_block + self.next;
        self.next += 1;
        self.logical[at as usize] = page;
        self.physical[page as usize] = at;
        self.valid[self.open as usize] += 1;
        at
    }

    /// Opens an erased block with room for at least one page.
    fn open_block(&mut self, done: &mut impl FnMut(PageMove)) {
        while self.next == self.pages_per_block {
            self.victims
                .insert(self.open, usize::from(self.valid[self.open as usize]));
            let Some(open) = self.free.pop() else { return };
            (self.open, self.next) = (open, 0);
            if self.free.is_empty() {
                self.collect(done);
            }
        }
    }

    /// Copies the valid pages of the emptiest block into the open one and erases it.
    fn collect(&mut self, done: &mut impl FnMut(PageMove)) {
        let Some(victim) = self.victims.take() else {
            return;
        };
        let first = victim * self.pages_per_block;
        for from in first..first + self.pages_per_block {
            let page = std::mem::replace(&mut self.logical[from as usize], NONE);
            if page != NONE {
                let to = self.append(page);
                self.moved_pages += 1;
                done(PageMove::Relocate {
                    from: u64::from(from),
                    to: u64::from(to),
                });
            }
        }
        self.valid[victim as usize] = 0;
        self.free.push(victim);
        self.erases += 1;
        done(PageMove::Erase(u64::from(victim)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plimsoll_content::mix64;
    use proptest::prelude::*;

    fn mapping(pages: u64, over_provisioning: f64, pages_per_block: u32) -> Mapping {
        Mapping::new(
            &MappingParameters {
                pages_per_block,
                over_provisioning,
            },
            pages,
        )
    }

    /// Volumes written when the first page is moved, and the write amplification once it is steady.
    fn cliff(over_provisioning: f64) -> (f64, f64) {
        let pages = 262_144;
        let mut m = mapping(pages, over_provisioning, 256);
        (0..pages).for_each(|p| m.write(p, |_| ()));
        let mut onset = 0;
        for i in 0..3 * pages {
            m.write(mix64(i) % pages, |_| ());
            if onset == 0 && m.moved_pages > 0 {
                onset = m.host_pages;
            }
        }
        let before = (m.host_pages, m.moved_pages);
        (0..pages).for_each(|i| m.write(mix64(i + 3 * pages) % pages, |_| ()));
        let (host, moved) = (m.host_pages - before.0, m.moved_pages - before.1);
        (
            onset as f64 / pages as f64,
            (host + moved) as f64 / host as f64,
        )
    }

    #[test]
    fn write_amplification_is_the_published_one_and_starts_after_one_volume_and_the_spare() {
        for (over_provisioning, published) in [(0.07, 7.57), (0.28, 2.46), (0.5, 1.71)] {
            let (onset, amplification) = cliff(over_provisioning);
            assert!(
                (onset / (1.0 + over_provisioning) - 1.0).abs() < 0.005,
                "{over_provisioning}: {onset}"
            );
            assert!(
                (amplification / published - 1.0).abs() < 0.05,
                "{over_provisioning}: {amplification}"
            );
        }
    }

    #[test]
    fn a_trimmed_volume_is_as_good_as_new() {
        let mut m = mapping(4096, 0.1, 64);
        for round in 0..4 {
            (0..4096).for_each(|p| m.write((p * 17 + round) % 4096, |_| ()));
        }
        (0..4096).for_each(|p| m.forget(p));
        let moved = m.moved_pages;
        (0..4096).for_each(|p| m.write(p, |_| ()));
        assert_eq!(m.moved_pages, moved);
    }

    proptest! {
        #[test]
        fn every_page_is_found_where_its_last_program_or_move_put_it(
            writes in proptest::collection::vec((0..64_u64, any::<bool>()), 0..2000),
        ) {
            let mut m = mapping(64, 0.2, 8);
            let mut flash = vec![None; m.logical.len()];
            let mut live = [false; 64];
            for (page, trim) in writes {
                live[page as usize] = !trim;
                if trim {
                    m.forget(page);
                    continue;
                }
                m.write(page, |step| match step {
                    PageMove::Program(at) => flash[at as usize] = Some(page),
                    PageMove::Relocate { from, to } => flash[to as usize] = flash[from as usize],
                    PageMove::Erase(block) => flash[block as usize * 8..][..8].fill(None),
                });
                for p in 0..64 {
                    let at = m.lookup(p);
                    prop_assert_eq!(at.is_some(), live[p as usize]);
                    prop_assert!(at.is_none_or(|at| flash[at as usize] == Some(p)));
                }
            }
        }
    }
}
