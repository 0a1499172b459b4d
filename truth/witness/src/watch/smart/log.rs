//! The health log's bytes (NVM Express base specification 2.0, figure 207: SMART / Health Information).

use plimsoll_evidence::witnessed::DriveHealth;

/// How long it is.
pub const BYTES: usize = 512;
/// Data is counted in thousands of 512 bytes, rounded up.
const UNIT: u64 = 512_000;
/// 0 degrees Celsius, in the log's unit.
const FREEZING_K: f64 = 273.15;

/// What a drive says of itself.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Log {
    /// Bits of what is wrong; 0: nothing.
    pub critical_warning: u32,
    /// Temperature, degrees Celsius; `None` where it does not tell.
    pub celsius: Option<f64>,
    /// Share of its life that is used; 2.55 stands for all that is more.
    pub used: f64,
    /// The rest, with counts from 0 to what they are.
    pub health: DriveHealth,
}

impl Log {
    /// Reads it; `None` of an answer that cannot be one: a drive that has spare blocks, a temperature and hours is never all zeros.
    pub fn parse(bytes: &[u8; BYTES]) -> Option<Log> {
        if bytes.iter().all(|b| *b == 0) {
            return None;
        }
        let kelvin = u16::from_le_bytes([bytes[1], bytes[2]]);
        let percent = |at: usize| f64::from(bytes[at]) / 100.0;
        let minutes = u64::from(u32_at(bytes, 192)) + u64::from(u32_at(bytes, 196));
        let both = |at: usize| u64::from(u32_at(bytes, at)) + u64::from(u32_at(bytes, at + 4));
        let now = |count: u64| (count, count);
        Some(Log {
            critical_warning: bytes[0].into(),
            // The kernel, too, takes the unit for whole degrees above -273.
            celsius: (kelvin > 0).then(|| (f64::from(kelvin) - FREEZING_K).round()),
            used: percent(5),
            health: DriveHealth {
                spare: percent(3),
                spare_least: percent(4),
                powered_h: count_at(bytes, 128),
                read_bytes: now(count_at(bytes, 32).saturating_mul(UNIT)),
                written_bytes: now(count_at(bytes, 48).saturating_mul(UNIT)),
                media_errors: now(count_at(bytes, 160)),
                slowed: now(both(216)),
                slowed_s: now(both(224)),
                hot_min: now(minutes),
            },
        })
    }
}

fn u32_at(bytes: &[u8; BYTES], at: usize) -> u32 {
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

/// A count of 128 bits; no drive comes to more than 64.
fn count_at(bytes: &[u8; BYTES], at: usize) -> u64 {
    let mut all = [0; 16];
    all.copy_from_slice(&bytes[at..at + 16]);
    u128::from_le_bytes(all).try_into().unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A log as the specification lays it out, by hand.
    fn bytes() -> [u8; BYTES] {
        let mut log = [0; BYTES];
        log[0] = 0b0000_0101;
        log[1..3].copy_from_slice(&315u16.to_le_bytes());
        (log[3], log[4], log[5]) = (97, 10, 106);
        log[32..48].copy_from_slice(&2_000_000u128.to_le_bytes());
        log[48..64].copy_from_slice(&3u128.to_le_bytes());
        log[128..144].copy_from_slice(&17_520u128.to_le_bytes());
        log[160..176].copy_from_slice(&4u128.to_le_bytes());
        log[192..196].copy_from_slice(&7u32.to_le_bytes());
        log[196..200].copy_from_slice(&2u32.to_le_bytes());
        log[216..220].copy_from_slice(&5u32.to_le_bytes());
        log[220..224].copy_from_slice(&1u32.to_le_bytes());
        log[224..228].copy_from_slice(&60u32.to_le_bytes());
        log[228..232].copy_from_slice(&30u32.to_le_bytes());
        log
    }

    #[test]
    fn each_field_is_where_the_specification_has_it() {
        let log = Log::parse(&bytes()).unwrap();
        assert_eq!(log.critical_warning, 5);
        assert_eq!(log.celsius, Some(42.0));
        assert_eq!(log.used, 1.06);
        let health = DriveHealth {
            spare: 0.97,
            spare_least: 0.1,
            powered_h: 17_520,
            read_bytes: (1_024_000_000_000, 1_024_000_000_000),
            written_bytes: (1_536_000, 1_536_000),
            media_errors: (4, 4),
            slowed: (6, 6),
            slowed_s: (90, 90),
            hot_min: (9, 9),
        };
        assert_eq!(log.health, health);
    }

    #[test]
    fn what_cannot_be_is_bounded_and_what_is_no_answer_is_none() {
        assert_eq!(Log::parse(&[0; BYTES]), None);
        let log = Log::parse(&[0xFF; BYTES]).unwrap();
        assert_eq!(log.health.read_bytes.0, u64::MAX);
        assert_eq!(log.health.slowed.0, 2 * u64::from(u32::MAX));
        assert_eq!(log.used, 2.55);
        let mut cold = bytes();
        (cold[1], cold[2]) = (0, 0);
        assert_eq!(Log::parse(&cold).unwrap().celsius, None);
    }
}
