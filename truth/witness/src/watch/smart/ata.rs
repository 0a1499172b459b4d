//! A SATA drive's SMART data and status (ATA8-ACS, 7.52), by ATA PASS-THROUGH (16) of SAT-3, 12.2.
//!
//! What an attribute means is each maker's own business. The numbers that are read here mean the same for all makers that are known:
//! those that smartmontools' drive database has no exception for, and of wear what counts down from 100.

use super::Told;
use crate::sg_io;
use plimsoll_evidence::witnessed::DiskHealth;
use std::fs::File;

const PASS_THROUGH: u8 = 0x85;
/// Protocols, in their place of the command.
const NO_DATA: u8 = 3 << 1;
const DATA_IN: u8 = 4 << 1;
/// The length is in the count, in blocks of 512 bytes, and goes from the drive.
const ONE_BLOCK_IN: u8 = 0b0000_1110;
/// The drive's registers are to come back as sense data.
const REGISTERS: u8 = 0b0010_0000;
const SMART: u8 = 0xB0;
const READ_DATA: u8 = 0xD0;
const RETURN_STATUS: u8 = 0xDA;
/// What the middle and high registers have of every SMART command, and of the answer that all is well.
const SIGNATURE: (u8, u8) = (0x4F, 0xC2);
/// Of the answer that it will fail.
const WILL_FAIL: (u8, u8) = (0xF4, 0x2C);

/// How long the data is.
pub const BYTES: usize = 512;
const ATTRIBUTES: usize = 30;

/// What a drive tells; `None` where it has no SMART data, or this process may not ask for it.
pub fn told(device: &File) -> Option<Told> {
    let mut data = [0; BYTES];
    let read = sg_io::ask(
        device,
        &command(DATA_IN, ONE_BLOCK_IN, READ_DATA),
        &mut data,
    )?;
    if !read.good || read.length < BYTES {
        return None;
    }
    let status = sg_io::ask(device, &command(NO_DATA, REGISTERS, RETURN_STATUS), &mut []);
    parse(&data, status.and_then(|done| failing(&done.sense)))
}

fn command(protocol: u8, flags: u8, feature: u8) -> [u8; 16] {
    let mut command = [0; 16];
    (command[0], command[1], command[2]) = (PASS_THROUGH, protocol, flags);
    (command[4], command[6]) = (feature, 1);
    (command[10], command[12], command[14]) = (SIGNATURE.0, SIGNATURE.1, SMART);
    command
}

/// Whether the drive says that it will fail, by the registers in the sense data: in a descriptor of their own (SAT-3, 12.2.6), or in
/// the fixed format (12.2.5). `None` where they are not there.
fn failing(sense: &[u8]) -> Option<bool> {
    let (middle, high) = match sense.first()? & 0x7F {
        0x72 if sense.get(8..10)? == [0x09, 0x0C] => (*sense.get(17)?, *sense.get(19)?),
        0x70 => (*sense.get(10)?, *sense.get(11)?),
        _ => return None,
    };
    match (middle, high) {
        SIGNATURE => Some(false),
        WILL_FAIL => Some(true),
        _ => None,
    }
}

/// An attribute: what it is of, how good that is, in the maker's units from 253 down, and the count itself.
#[derive(Debug, Clone, Copy)]
struct Attribute {
    number: u8,
    good: u8,
    raw: [u8; 6],
}

impl Attribute {
    fn count(self) -> (u64, u64) {
        // Makers put other things into the upper bytes: times, minima. 32 bits are the count's.
        let count = u32::from_le_bytes([self.raw[0], self.raw[1], self.raw[2], self.raw[3]]);
        (count.into(), count.into())
    }
}

/// Reads the data; `None` of what has another sum than it should, or no attribute at all.
pub fn parse(data: &[u8; BYTES], failing: Option<bool>) -> Option<Told> {
    let sum = data.iter().fold(0u8, |sum, byte| sum.wrapping_add(*byte));
    let attributes: Vec<Attribute> = data[2..2 + 12 * ATTRIBUTES]
        .chunks_exact(12)
        .filter(|a| a[0] != 0)
        .map(|a| Attribute {
            number: a[0],
            good: a[3],
            raw: [a[5], a[6], a[7], a[8], a[9], a[10]],
        })
        .collect();
    if sum != 0 || attributes.is_empty() {
        return None;
    }
    let of = |numbers: &[u8]| {
        let mut found = numbers.iter();
        found.find_map(|n| attributes.iter().copied().find(|a| a.number == *n))
    };
    let count = |number: u8| of(&[number]).map(Attribute::count);
    let disk = DiskHealth {
        failing,
        reallocated: count(5),
        pending: count(197),
        uncorrected: count(198).or(count(187)),
        link_errors: count(199),
        powered_h: count(9).map(|(hours, _)| hours),
    };
    // What is left of its life in percent: of makers in this order, 231, 233, 202, 177.
    let left = of(&[231, 233, 202, 177]).filter(|a| (1..=100).contains(&a.good));
    Some(Told {
        celsius: of(&[194, 190])
            .map(|a| f64::from(a.raw[0] as i8))
            .filter(|c| *c > 0.0),
        used: left.map(|a| 1.0 - f64::from(a.good) / 100.0),
        disk: Some(disk),
        ..Told::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Data with such attributes: number, how good, count.
    fn laid_out(attributes: &[(u8, u8, u64)]) -> [u8; BYTES] {
        let mut data = [0; BYTES];
        data[0] = 1;
        for (n, (number, good, count)) in attributes.iter().enumerate() {
            let at = 2 + 12 * n;
            (data[at], data[at + 3], data[at + 4]) = (*number, *good, *good);
            data[at + 5..at + 11].copy_from_slice(&count.to_le_bytes()[..6]);
        }
        summed(data)
    }

    fn summed(mut data: [u8; BYTES]) -> [u8; BYTES] {
        data[BYTES - 1] = 0;
        let sum = data.iter().fold(0u8, |sum, byte| sum.wrapping_add(*byte));
        data[BYTES - 1] = 0u8.wrapping_sub(sum);
        data
    }

    #[test]
    fn each_attribute_is_where_the_standard_has_it() {
        let data = laid_out(&[
            (5, 100, 12),
            (9, 97, 26_280),
            (194, 59, 41 | 20 << 16 | 55 << 32),
            (197, 100, 3),
            (198, 100, 2),
            (199, 200, 9),
            (231, 88, 12),
        ]);
        let told = parse(&data, Some(false)).unwrap();
        assert_eq!(told.celsius, Some(41.0));
        assert_eq!(told.used.map(|used| (used * 100.0).round()), Some(12.0));
        let disk = DiskHealth {
            failing: Some(false),
            reallocated: Some((12, 12)),
            pending: Some((3, 3)),
            uncorrected: Some((2, 2)),
            link_errors: Some((9, 9)),
            powered_h: Some(26_280),
        };
        assert_eq!(told.disk, Some(disk));
        assert_eq!((told.critical_warning, told.health), (None, None));
    }

    #[test]
    fn a_wrong_sum_or_no_attribute_is_no_answer() {
        let mut data = laid_out(&[(5, 100, 12)]);
        data[7] ^= 1;
        assert_eq!(parse(&data, None), None);
        assert_eq!(parse(&[0; BYTES], Some(false)), None);
        assert_eq!(parse(&laid_out(&[]), Some(false)), None);
    }

    #[test]
    fn the_status_is_in_the_registers_of_both_formats() {
        let descriptor = |middle: u8, high: u8| {
            let mut sense = [0; 32];
            (sense[0], sense[7], sense[8], sense[9]) = (0x72, 14, 0x09, 0x0C);
            (sense[17], sense[19]) = (middle, high);
            failing(&sense)
        };
        assert_eq!(descriptor(0x4F, 0xC2), Some(false));
        assert_eq!(descriptor(0xF4, 0x2C), Some(true));
        assert_eq!(descriptor(0, 0), None);
        let mut fixed = [0; 32];
        (fixed[0], fixed[10], fixed[11]) = (0xF0, 0xF4, 0x2C);
        assert_eq!(failing(&fixed), Some(true));
        assert_eq!(
            (failing(&[0; 32]), failing(&[]), failing(&[0x72])),
            (None, None, None)
        );
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_without_harm(bytes in prop::collection::vec(any::<u8>(), BYTES), sense in prop::collection::vec(any::<u8>(), 0..32)) {
            let data = summed(bytes.try_into().expect("512"));
            let told = parse(&data, failing(&sense)).expect("some attribute");
            prop_assert!(told.celsius.is_none_or(|c| (1.0..=127.0).contains(&c)));
            prop_assert!(told.used.is_none_or(|u| (0.0..1.0).contains(&u)));
        }
    }
}
