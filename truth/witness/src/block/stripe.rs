//! Stripes: how many columns a volume has, and how many bytes of each come in turn.

use crate::{Root, dm};

const SECTOR_BYTES: u64 = 512;

/// Geometry as settings of a layer, `stripe_columns` and `stripe_unit`; none of what is no stripe.
pub(super) fn settings(root: &Root, name: &str, kind: &str) -> Vec<(String, String)> {
    let geometry = match kind {
        "dm" => of_map(root, name),
        // Others have a width too, which to write at once is right.
        "md" if is_plain(root, name) => of_limits(root, name),
        _ => None,
    };
    let Some((columns, unit)) = geometry else {
        return Vec::new();
    };
    vec![
        ("stripe_columns".to_string(), columns.to_string()),
        ("stripe_unit".to_string(), unit.to_string()),
    ]
}

/// True of an array that stripes and does nothing else.
fn is_plain(root: &Root, name: &str) -> bool {
    let level = root.word(format!("/sys/class/block/{name}/md/level"));
    level.is_some_and(|level| level == "raid0")
}

/// Geometry by a map's table. Its limits may be those of what lies below it.
fn of_map(root: &Root, name: &str) -> Option<(u64, u64)> {
    let number = root.word(format!("/sys/class/block/{name}/dev"))?;
    of_table(&dm::table(root, &number)?)
}

/// A map all of whose parts are stripes of one geometry, as LVM makes them for a striped volume of several extents.
fn of_table(parts: &[dm::Target]) -> Option<(u64, u64)> {
    let geometry = |part: &dm::Target| {
        let mut words = part.words.split_whitespace();
        let columns: u64 = words.next()?.parse().ok()?;
        let sectors: u64 = words.next()?.parse().ok()?;
        (part.kind == "striped").then_some((columns, sectors.saturating_mul(SECTOR_BYTES)))
    };
    let first = geometry(parts.first()?)?;
    let alike = parts.iter().all(|part| geometry(part) == Some(first));
    alike.then_some(first)
}

/// Stripes say their unit as the least good size of an I/O, and their width as the best one.
fn of_limits(root: &Root, name: &str) -> Option<(u64, u64)> {
    let limit = |what: &str| root.number::<u64>(format!("/sys/class/block/{name}/queue/{what}"));
    let members = root.names(format!("/sys/class/block/{name}/slaves")).len() as u64;
    let (unit, width) = (limit("minimum_io_size")?, limit("optimal_io_size")?);
    let columns = width.checked_div(unit)?;
    let is_stripe = width.is_multiple_of(unit) && (2..=members).contains(&columns);
    is_stripe.then_some((columns, unit))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(kind: &str, words: &str) -> dm::Target {
        dm::Target {
            start: 0,
            length: 100,
            kind: kind.into(),
            words: words.into(),
        }
    }

    #[test]
    fn a_map_is_a_stripe_where_all_its_parts_are_alike() {
        let one = part("striped", "2 128 8:16 0 8:32 0");
        let other = part("striped", "2 256 8:16 9000 8:32 9000");
        assert_eq!(of_table(std::slice::from_ref(&one)), Some((2, 65_536)));
        assert_eq!(of_table(&[one.clone(), one.clone()]), Some((2, 65_536)));
        assert_eq!(of_table(&[one.clone(), other]), None);
        assert_eq!(of_table(&[one, part("linear", "8:16 2048")]), None);
        assert_eq!(of_table(&[]), None);
    }

    #[test]
    fn without_a_table_the_limits_tell() {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path().join("sys/class/block/md0");
        for member in ["sda", "sdb", "sdc", "sdd"] {
            std::fs::create_dir_all(at.join("slaves").join(member)).unwrap();
        }
        std::fs::create_dir_all(at.join("queue")).unwrap();
        std::fs::create_dir_all(at.join("md")).unwrap();
        std::fs::write(at.join("md/level"), "raid0\n").unwrap();
        let root = Root::at(folder.path());
        let limits = |unit: &str, width: &str| {
            std::fs::write(at.join("queue/minimum_io_size"), unit).unwrap();
            std::fs::write(at.join("queue/optimal_io_size"), width).unwrap();
            settings(&root, "md0", "md")
        };
        let said = vec![
            ("stripe_columns".to_string(), "4".to_string()),
            ("stripe_unit".to_string(), "262144".to_string()),
        ];
        assert_eq!(limits("262144", "1048576"), said);
        // A concatenation of what is good at large I/Os, and what says nothing.
        assert_eq!(limits("512", "1048576"), []);
        assert_eq!(limits("512", "0"), []);
        assert_eq!(limits("512", "512"), []);
        assert_eq!(limits("0", "0"), []);
        std::fs::write(at.join("md/level"), "raid5\n").unwrap();
        assert_eq!(limits("262144", "786432"), []);
    }
}
