//! Flash above disks: extents of 1 MiB are written to flash, the ones that nobody asks for go down to disk when flash
//! is full, and come up again when they are read twice.

use crate::io::CHUNK;
use crate::persona::TierParameters;
use crate::station::Station;
use plimsoll_content::mix64;

/// Bytes of an extent.
pub const EXTENT: u64 = 1 << 20;
/// Chunks of a MiB: an extent, and what a LUN's size is rounded to.
pub(crate) const EXTENT_CHUNKS: u64 = EXTENT / CHUNK;

/// Where an extent is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ExtentPlace {
    Nowhere,
    Flash { asked: bool },
    Disk { asked: bool },
}

/// Where each extent is, and what has moved between flash and disks.
#[derive(Debug, Clone)]
pub struct Tiers {
    extents: Vec<ExtentPlace>,
    flash_extents: u64,
    in_flash: u64,
    /// Where the search for a cold extent goes on.
    hand: usize,
    disks: Vec<Station>,
    disk_ns: u64,
    /// Extents that went down.
    pub demoted: u64,
    /// Extents that came up.
    pub promoted: u64,
}

impl Tiers {
    /// Tiers for `extents` extents; `scale` divides the flash and the number of disks.
    pub fn new(p: &TierParameters, extents: u64, scale: f64) -> Self {
        let disks = (f64::from(p.disks) / scale).round().max(1.0);
        Tiers {
            extents: vec![ExtentPlace::Nowhere; extents as usize],
            flash_extents: ((p.flash_gib * 1024.0 / scale) as u64).max(1),
            in_flash: 0,
            hand: 0,
            disks: vec![Station::default(); disks as usize],
            disk_ns: (p.disk_us * 1e3) as u64,
            demoted: 0,
            promoted: 0,
        }
    }

    /// Each disk.
    pub fn disks(&self) -> &[Station] {
        &self.disks
    }

    /// Data is written to an extent: it is in flash from now on.
    pub fn write(&mut self, extent: usize) {
        if matches!(self.extents[extent], ExtentPlace::Flash { .. }) {
            self.extents[extent] = ExtentPlace::Flash { asked: true };
        } else {
            self.lift(extent);
        }
    }

    /// A read of an extent; how long the disk takes, nanoseconds, or `None` when it is in flash.
    pub fn read(&mut self, now: u64, extent: usize) -> Option<u64> {
        match self.extents[extent] {
            ExtentPlace::Nowhere | ExtentPlace::Flash { .. } => {
                self.write(extent);
                None
            }
            ExtentPlace::Disk { asked } => {
                let disk = (mix64(extent as u64) % self.disks.len() as u64) as usize;
                let service = self.disk_ns;
                let time = self.disks[disk].take(now, service) + service;
                if asked {
                    self.promoted += 1;
                    self.lift(extent);
                } else {
                    self.extents[extent] = ExtentPlace::Disk { asked: true };
                }
                Some(time)
            }
        }
    }

    /// Puts an extent in flash; the first cold one after the hand makes room.
    fn lift(&mut self, extent: usize) {
        self.extents[extent] = ExtentPlace::Flash { asked: true };
        self.in_flash += 1;
        while self.in_flash > self.flash_extents {
            let at = self.hand;
            self.hand = (at + 1) % self.extents.len();
            match self.extents[at] {
                ExtentPlace::Flash { asked: true } if at != extent => {
                    self.extents[at] = ExtentPlace::Flash { asked: false }
                }
                ExtentPlace::Flash { asked: false } => {
                    self.extents[at] = ExtentPlace::Disk { asked: false };
                    self.in_flash -= 1;
                    self.demoted += 1;
                }
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tiers() -> Tiers {
        let p = TierParameters {
            flash_gib: 4.0 / 1024.0,
            disks: 2,
            disk_us: 8000.0,
        };
        Tiers::new(&p, 16, 1.0)
    }

    #[test]
    fn the_extents_that_nobody_asked_for_go_to_disk() {
        let mut t = tiers();
        (0..4).for_each(|e| t.write(e));
        assert!((0..4).all(|e| t.read(0, e).is_none()));
        t.write(4);
        assert_eq!(t.demoted, 1);
        assert_eq!(
            (0..5)
                .filter(|e| matches!(t.extents[*e], ExtentPlace::Disk { .. }))
                .count(),
            1
        );
    }

    #[test]
    fn an_extent_that_is_read_twice_comes_up() {
        let mut t = tiers();
        (0..5).for_each(|e| t.write(e));
        let cold = (0..5)
            .find(|e| matches!(t.extents[*e], ExtentPlace::Disk { .. }))
            .unwrap();
        assert_eq!(t.read(0, cold), Some(8_000_000));
        assert_eq!(t.read(0, cold), Some(16_000_000));
        assert_eq!(t.read(0, cold), None);
    }
}
