//! Files of databases, by the fields of their first page.

use super::structure::{found, u16_be, u16_le, u32_be, u32_le};
use super::{Signature, Windows};

/// All of them.
pub(super) fn find(windows: &Windows<'_>) -> Vec<Signature> {
    let all = [
        innodb(windows),
        innodb_log(windows),
        postgres_control(windows),
        postgres_page(windows),
        lmdb(windows),
        berkeley(windows),
        sql_server(windows),
        oracle(windows),
    ];
    all.into_iter().flatten().collect()
}

/// A tablespace's first page (MySQL, `fil0types.h` and `fsp0types.h`): page 0, of the type that only first pages have, and the
/// number of its space twice.
fn innodb(windows: &Windows<'_>) -> Option<Signature> {
    const FSP_HEADER: u16 = 8;
    let is_space = u32_be(windows, 4)? == 0
        && u16_be(windows, 24)? == FSP_HEADER
        && windows.at(34, 4)? == windows.at(38, 4)?
        && u32_be(windows, 46)? > 0;
    is_space.then(|| found("InnoDB tablespace", 0)).flatten()
}

/// A redo log's header (MySQL, `log0constants.h`): who made it, in words.
fn innodb_log(windows: &Windows<'_>) -> Option<Signature> {
    let creators: [&[u8]; 3] = [b"MySQL ", b"MariaDB ", b"Percona "];
    let is_log = creators
        .iter()
        .any(|creator| windows.at(16, creator.len()) == Some(creator));
    is_log.then(|| found("InnoDB log", 0)).flatten()
}

/// `pg_control.h`: the version of the file, and that of the catalogue, which is a date and a number.
fn postgres_control(windows: &Windows<'_>) -> Option<Signature> {
    let is_control = (800..2400).contains(&u32_le(windows, 8)?)
        && (200_501_000..204_000_000).contains(&u32_le(windows, 12)?);
    is_control
        .then(|| found("PostgreSQL control file", 0))
        .flatten()
}

/// `bufpage.h`: pages of 8 KiB, layout version 4, with their parts in order.
fn postgres_page(windows: &Windows<'_>) -> Option<Signature> {
    const HEADER: u16 = 24;
    const PAGE: u16 = 8192;
    let [lower, upper, special] = [12, 14, 16].map(|at| u16_le(windows, at));
    let (lower, upper, special) = (lower?, upper?, special?);
    let is_page = u16_le(windows, 18)? == PAGE | 4
        && u16_le(windows, 10)? <= 7
        && lower >= HEADER
        && lower % 4 == 0
        && lower <= upper
        && upper <= special
        && special <= PAGE;
    is_page.then(|| found("PostgreSQL table", 0)).flatten()
}

/// LMDB, `mdb.c`: the first page is a meta page, with a magic.
fn lmdb(windows: &Windows<'_>) -> Option<Signature> {
    let is_meta = u32_le(windows, 16)? == 0xBEEF_C0DE && u16_le(windows, 10)? & 0x08 != 0;
    is_meta.then(|| found("LMDB database", 0)).flatten()
}

/// Berkeley DB, `dbinc/db_page.h`: a magic for each way of access, in the machine's byte order, and a version.
fn berkeley(windows: &Windows<'_>) -> Option<Signature> {
    const MAGICS: [u32; 4] = [0x0005_3162, 0x0006_1561, 0x0004_2253, 0x0007_4582];
    let (magic, version) = (u32_le(windows, 12)?, u32_le(windows, 16)?);
    let is_one = |magic: u32, version: u32| MAGICS.contains(&magic) && (1..=20).contains(&version);
    (is_one(magic, version) || is_one(magic.swap_bytes(), version.swap_bytes()))
        .then(|| found("Berkeley DB database", 0))
        .flatten()
}

/// Microsoft SQL Server: the first page of a file is page 0, of type 15, and is linked to none (Delaney and others, "SQL Server
/// 2012 Internals", the page header).
fn sql_server(windows: &Windows<'_>) -> Option<Signature> {
    let page = windows.at(0, 38)?;
    let is_zero = |range: std::ops::Range<usize>| page[range].iter().all(|byte| *byte == 0);
    let is_header = page[..4] == [1, 15, 0, 0]
        && is_zero(8..14)
        && is_zero(16..22)
        && is_zero(32..36)
        && page[36..38] != [0, 0];
    is_header
        .then(|| found("SQL Server database file", 0))
        .flatten()
}

/// Oracle: the block that the operating system's layer writes before a file's own, with the size of a block and a magic (seen
/// in files of 11g to 19c, as `dbfsize` reads them).
fn oracle(windows: &Windows<'_>) -> Option<Signature> {
    let block = u32_le(windows, 20)?;
    let is_header = windows.at(1, 1)? == [0xA2]
        && windows.at(28, 4)? == b"}|{z"
        && block.is_power_of_two()
        && (512..=65_536).contains(&block);
    is_header.then(|| found("Oracle data file", 0)).flatten()
}

#[cfg(test)]
mod tests {
    use super::super::structure::tests::{names, put};

    /// A device with these bytes at these places.
    fn at(places: &[(usize, &[u8])]) -> Vec<String> {
        names(|device| {
            for (offset, bytes) in places {
                put(device, *offset, bytes);
            }
        })
    }

    #[test]
    fn databases_are_known_by_the_fields_of_their_first_page() {
        let space = [
            (24, &[0, 8][..]),
            (34, &[0, 0, 0, 5, 0, 0, 0, 5]),
            (46, &[0, 0, 0, 7]),
        ];
        assert_eq!(at(&space), ["InnoDB tablespace"]);
        assert!(at(&space[..2]).is_empty());
        assert_eq!(
            at(&[(0, &[0, 0, 0, 6]), (16, b"MySQL 8.0.36")]),
            ["InnoDB log"]
        );

        let control = [
            (8, &1300u32.to_le_bytes()[..]),
            (12, &202_307_071u32.to_le_bytes()),
        ];
        assert_eq!(at(&control), ["PostgreSQL control file"]);
        assert!(at(&control[..1]).is_empty());
        let page = |lower: u16, upper: u16| {
            let (lower, upper) = (lower.to_le_bytes(), upper.to_le_bytes());
            at(&[
                (12, &lower),
                (14, &upper),
                (16, &[0, 0x20]),
                (18, &[4, 0x20]),
            ])
        };
        assert_eq!(page(60, 8000), ["PostgreSQL table"]);
        assert!(page(8000, 60).is_empty() && page(20, 8000).is_empty());

        let magic = 0xBEEF_C0DEu32.to_le_bytes();
        assert_eq!(at(&[(10, &[8]), (16, &magic)]), ["LMDB database"]);
        for tree in [
            [0x62, 0x31, 5, 0, 9, 0, 0, 0],
            [0, 5, 0x31, 0x62, 0, 0, 0, 9],
        ] {
            assert_eq!(at(&[(12, &tree)]), ["Berkeley DB database"]);
        }
        let server = [(0, &[1, 15, 0, 0][..]), (36, &[1, 0])];
        assert_eq!(at(&server), ["SQL Server database file"]);
        assert!(at(&[server[0], server[1], (8, &[1])]).is_empty());
        let oracle = [
            (1, &[0xA2][..]),
            (20, &8192u32.to_le_bytes()),
            (28, b"}|{z"),
        ];
        assert_eq!(at(&oracle), ["Oracle data file"]);
        assert!(at(&oracle[..2]).is_empty());
    }
}
