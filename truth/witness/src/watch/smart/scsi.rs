//! A SCSI drive's log pages (SPC-4, 7.3; SBC-3, 6.4), by LOG SENSE.

use super::Told;
use crate::sg_io;
use plimsoll_evidence::witnessed::DiskHealth;
use std::fs::File;

const LOG_SENSE: u8 = 0x4D;
/// The values as they are, not their limits.
const CUMULATIVE: u8 = 0b0100_0000;
/// So much of a page is asked for, bytes: all that is read of one lies in it.
const ROOM: usize = 512;

/// The page that lists the others.
const SUPPORTED: u8 = 0x00;
const WRITE_ERRORS: u8 = 0x02;
const READ_ERRORS: u8 = 0x03;
const TEMPERATURE: u8 = 0x0D;
const SOLID_STATE: u8 = 0x11;
const EXCEPTIONS: u8 = 0x2F;
/// Those that are read.
const PAGES: [u8; 5] = [
    WRITE_ERRORS,
    READ_ERRORS,
    TEMPERATURE,
    SOLID_STATE,
    EXCEPTIONS,
];

/// Additional sense codes that the page of exceptions has (SPC-4, annex D): that a failure is to be expected, and a warning.
const WILL_FAIL: u8 = 0x5D;
const WARNING: u8 = 0x0B;
/// Of a warning: that the temperature is past its limit.
const TOO_WARM: u8 = 0x01;
/// A temperature that is not known.
const UNKNOWN: u8 = 0xFF;
/// The parameter of the pages of errors that counts what could not be corrected.
const UNCORRECTED: u16 = 0x0006;

/// What a drive tells; `None` where it tells nothing.
pub fn told(device: &File) -> Option<Told> {
    // One that does not know even this page is not asked five times.
    let list = page(device, SUPPORTED)?;
    let has = |page: &u8| supported(&list).contains(page);
    let pages: Vec<Vec<u8>> = PAGES
        .iter()
        .filter(|p| has(p))
        .filter_map(|p| page(device, *p))
        .collect();
    parse(pages.iter().map(Vec::as_slice))
}

fn page(device: &File, page: u8) -> Option<Vec<u8>> {
    let mut answer = vec![0; ROOM];
    let mut command = [0; 10];
    command[0] = LOG_SENSE;
    command[2] = CUMULATIVE | page;
    command[7..9].copy_from_slice(&(ROOM as u16).to_be_bytes());
    let mut done = sg_io::ask(device, &command, &mut answer)?;
    if done.is_news() {
        // It had something to tell to whoever came first, and has not looked at the command.
        done = sg_io::ask(device, &command, &mut answer)?;
    }
    answer.truncate(done.length);
    done.good.then_some(answer)
}

/// The pages that a drive has.
fn supported(list: &[u8]) -> &[u8] {
    body(list).unwrap_or_default()
}

/// What follows a page's four bytes of header, as far as it came. `None` of what has none, and of pages with subpages.
fn body(page: &[u8]) -> Option<&[u8]> {
    let (header, rest) = page.split_at_checked(4)?;
    let length = usize::from(u16::from_be_bytes([header[2], header[3]]));
    (header[0] & 0x40 == 0).then(|| &rest[..length.min(rest.len())])
}

/// A page's parameters: code and value. One that is cut off is not among them.
fn parameters(page: &[u8]) -> Vec<(u16, &[u8])> {
    let mut rest = body(page).unwrap_or_default();
    let mut found = Vec::new();
    while let Some((header, after)) = rest.split_at_checked(4) {
        let Some((value, next)) = after.split_at_checked(header[3].into()) else {
            break;
        };
        found.push((u16::from_be_bytes([header[0], header[1]]), value));
        rest = next;
    }
    found
}

/// Reads the pages; `None` where none of them tells anything.
pub fn parse<'a>(pages: impl Iterator<Item = &'a [u8]>) -> Option<Told> {
    let mut told = Told::default();
    let mut disk = DiskHealth::default();
    for page in pages {
        let Some(code) = page.first().map(|b| b & 0x3F) else {
            continue;
        };
        for (parameter, value) in parameters(page) {
            match (code, parameter) {
                (TEMPERATURE, 0) => told.celsius = degrees(value.get(1)),
                (TEMPERATURE, 1) => told.celsius_warning = degrees(value.get(1)),
                (SOLID_STATE, 1) => told.used = value.get(3).map(|used| f64::from(*used) / 100.0),
                (WRITE_ERRORS | READ_ERRORS, UNCORRECTED) => {
                    let so_far = disk.uncorrected.map_or(0, |(count, _)| count);
                    let all = number(value).saturating_add(so_far);
                    disk.uncorrected = Some((all, all));
                }
                (EXCEPTIONS, 0) => exceptions(value, &mut told, &mut disk),
                _ => {}
            }
        }
    }
    told.disk = (disk != DiskHealth::default()).then_some(disk);
    (told != Told::default()).then_some(told)
}

fn exceptions(value: &[u8], told: &mut Told, disk: &mut DiskHealth) {
    let [code, qualifier, celsius, ..] = value else {
        return;
    };
    disk.failing = Some(*code == WILL_FAIL);
    let warm = *code == WARNING && *qualifier == TOO_WARM;
    told.critical_warning = warm.then_some(super::TOO_WARM);
    // 0 is what a drive without a thermometer has here.
    told.celsius = told.celsius.or(degrees(Some(celsius)).filter(|c| *c > 0.0));
}

fn degrees(byte: Option<&u8>) -> Option<f64> {
    byte.filter(|b| **b != UNKNOWN).map(|b| f64::from(*b))
}

/// A count of as many bytes as there are; of more than eight those that count most are zero, or it is more than can be counted.
fn number(value: &[u8]) -> u64 {
    let (high, low) = value.split_at(value.len().saturating_sub(8));
    match high.iter().all(|b| *b == 0) {
        true => low.iter().fold(0, |n, b| n << 8 | u64::from(*b)),
        false => u64::MAX,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A page as the standards lay it out, by hand.
    fn laid_out(code: u8, parameters: &[(u16, &[u8])]) -> Vec<u8> {
        let mut rest = Vec::new();
        for (number, value) in parameters {
            rest.extend(number.to_be_bytes());
            rest.extend([0x03, value.len() as u8]);
            rest.extend(*value);
        }
        let mut page = vec![code, 0];
        page.extend((rest.len() as u16).to_be_bytes());
        page.extend(rest);
        page
    }

    #[test]
    fn each_field_is_where_the_standards_have_it() {
        let pages = [
            laid_out(0x0D, &[(0, &[0, 41]), (1, &[0, 65])]),
            laid_out(0x11, &[(1, &[0, 0, 0, 103])]),
            laid_out(0x03, &[(0, &[9]), (6, &[0, 0, 0, 2])]),
            laid_out(0x02, &[(6, &[0, 0, 1, 0, 0, 0, 0, 0, 0])]),
            laid_out(0x2F, &[(0, &[0x5D, 0x10, 40, 0])]),
        ];
        let told = parse(pages.iter().map(Vec::as_slice)).unwrap();
        assert_eq!(
            (told.celsius, told.celsius_warning),
            (Some(41.0), Some(65.0))
        );
        assert_eq!((told.used, told.critical_warning), (Some(1.03), None));
        let disk = DiskHealth {
            failing: Some(true),
            uncorrected: Some(((1 << 48) + 2, (1 << 48) + 2)),
            ..DiskHealth::default()
        };
        assert_eq!(told.disk, Some(disk));
        let warm = [laid_out(0x2F, &[(0, &[0x0B, 0x01, 71])])];
        let told = parse(warm.iter().map(Vec::as_slice)).unwrap();
        assert_eq!((told.celsius, told.critical_warning), (Some(71.0), Some(2)));
        assert_eq!(told.disk.unwrap().failing, Some(false));
    }

    #[test]
    fn what_is_not_known_is_none_and_what_is_cut_off_is_not_read() {
        let unknown = laid_out(0x0D, &[(0, &[0, 0xFF])]);
        assert_eq!(parse([unknown.as_slice()].into_iter()), None);
        let whole = laid_out(0x0D, &[(0, &[0, 41]), (1, &[0, 65])]);
        let told = parse([&whole[..whole.len() - 1]].into_iter()).unwrap();
        assert_eq!((told.celsius, told.celsius_warning), (Some(41.0), None));
        assert_eq!(parse([&[][..], &[0x0D], &whole[..5]].into_iter()), None);
        let mut long = whole.clone();
        long[2..4].copy_from_slice(&u16::MAX.to_be_bytes());
        assert_eq!(
            parse([long.as_slice()].into_iter()).unwrap().celsius,
            Some(41.0)
        );
        assert_eq!(number(&[1, 0, 0, 0, 0, 0, 0, 0, 0]), u64::MAX);
        assert_eq!(supported(&[0, 0, 0, 3, 0, 0x0D, 0x2F, 7]), [0, 0x0D, 0x2F]);
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_without_harm(
            pages in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..64), 0..4),
            code in prop::sample::select(PAGES.to_vec()),
        ) {
            let mut pages = pages;
            for page in &mut pages {
                if let Some(first) = page.first_mut() {
                    *first = code;
                }
            }
            if let Some(told) = parse(pages.iter().map(Vec::as_slice)) {
                prop_assert!(told.celsius.is_none_or(|c| (0.0..255.0).contains(&c)));
                prop_assert!(told.used.is_none_or(|u| (0.0..=2.55).contains(&u)));
                prop_assert!(told.health.is_none());
            }
        }
    }
}
