//! What follows from a fingerprint for other measurements of the same target.

use super::{Found, enough};
use plimsoll_evidence::{Figure, Quantity};
use plimsoll_plan::FINGERPRINT_BLOCK;

/// An area that every owner has a part of is at least this large, so that no part is a single block.
const AREA_LEAST: u64 = 1 << 20;

/// The smallest transfer that the target takes as one piece: aligned as it likes it, and whole where it looks for zeros,
/// duplicates or compressible data. `None`: neither is known.
fn block(found: &Found) -> Option<u64> {
    let unit = found.alignment.iter().flatten().map(|a| a.0);
    let kinds = found.treatments.iter().flatten().flatten();
    let grains = kinds.filter_map(|t| t.grain);
    unit.chain(grains).max().map(|b| b.max(FINGERPRINT_BLOCK.0))
}

/// The depth, the hit area and its slices, the stride that meets one owner only, the block, and the LUNs.
pub(crate) fn figures(found: &Found) -> Vec<Figure> {
    let mut figures = Vec::new();
    figures.push(match found.depths.is_empty() {
        true => Figure::unknown(
            "use_depth",
            "use: depth",
            "not identifiable: it was cut off before",
        ),
        false => Figure::new(
            "use_depth",
            "use: depth",
            Quantity::Count(enough(&found.depths).into()),
        )
        .remarked("the least in flight that carries nearly the most random reads"),
    });
    let block = block(found);
    figures.push(of_block(block));
    let (Some(Ok(dealing)), Some(Ok(_))) = (&found.dealing, &found.owners) else {
        let luns = "not identifiable: no owners were found, and one LUN tells nothing of others";
        let why = "not identifiable: no owners were found; the default, an area scattered over all of the target, suits any";
        for (name, label) in [
            ("use_hit_area", "use: hit area"),
            ("use_hit_slice", "use: slice of the hit area"),
            ("avoid_stride", "avoid: stride"),
        ] {
            figures.push(Figure::unknown(name, label, why));
        }
        figures.push(Figure::unknown("use_luns", "use: LUNs", luns));
        return figures;
    };
    let turn = dealing.slice * dealing.owners;
    // A whole number of blocks on each owner, and no more than a cache would hold.
    let area = AREA_LEAST.next_multiple_of(dealing.owners * block.unwrap_or(FINGERPRINT_BLOCK.0));
    figures.push(
        Figure::new("use_hit_area", "use: hit area", Quantity::Bytes(area))
            .remarked("a whole number of blocks of each owner; in one piece it has to be a multiple of the stride below"),
    );
    figures.push(
        Figure::new(
            "use_hit_slice",
            "use: slice of the hit area",
            Quantity::Bytes(dealing.slice),
        )
        .remarked("dealt over consecutive slices, so that no owner is hot"),
    );
    figures.push(
        Figure::new("avoid_stride", "avoid: stride", Quantity::Bytes(turn))
            .remarked("places so far apart, or a multiple of it, have one owner"),
    );
    figures.push(
        Figure::new("use_luns", "use: LUNs", Quantity::Count(1))
            .remarked("one reaches all of these owners; whether others have more is not known"),
    );
    figures
}

fn of_block(block: Option<u64>) -> Figure {
    match block {
        Some(block) => Figure::new("use_block", "use: block", Quantity::Bytes(block))
            .remarked("at its multiples; smaller or unaligned ones cost as much or more, or are not seen to be alike"),
        None => Figure::unknown(
            "use_block",
            "use: block",
            "not identifiable: no unit of alignment was seen, nor a grain; any block suits",
        ),
    }
}
