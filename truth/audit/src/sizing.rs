//! What an array would need for the same load if all data were stored.

use plimsoll_evidence::ArrayEvidence;
use plimsoll_printable::human;

/// Shares of reads and writes that an array may store nothing for, and still have enough of the others to reckon with.
const MOST: f64 = 0.95;
/// Fewer I/Os at the media than this say nothing of the others' cost.
const FEW: u64 = 100;

/// Work of the media were these shares of reads and writes stored as the others are, and how much more of them that takes; `None` where the
/// array does not tell what they did.
pub fn were_all_stored(array: &ArrayEvidence, reads: f64, writes: f64) -> Option<String> {
    let back = array
        .back_end
        .filter(|back| back.reads.saturating_add(back.writes) >= FEW)?;
    let used = array.media.iter().filter(|m| m.utilisation > 0.0);
    let media = used.max_by(|a, b| a.utilisation.total_cmp(&b.utilisation))?;
    let tells = |share: f64, ios: u64| share <= MOST && (share <= 0.0 || ios > 0);
    if !tells(reads, back.reads) || !tells(writes, back.writes) || array.observed_s <= 0.0 {
        return None;
    }
    let now = back.reads as f64 + back.writes as f64;
    let then = back.reads as f64 / (1.0 - reads) + back.writes as f64 / (1.0 - writes);
    let times = then / now;
    // Dies are scaled down to one, so their number is that of no array.
    let more = match array.scale.is_none_or(|scale| scale == 1.0) {
        true => {
            let count = media.drives.map_or(media.count, |d| d.count);
            let kind = media.drives.map_or(media.kind.as_str(), |_| "drives");
            let more = (count as f64 * (times - 1.0)).ceil();
            format!("{more:.0} more {kind} beside the {count} that are there")
        }
        false => format!(
            "{:.0} more {} for each 100 that are there",
            (times - 1.0) * 100.0,
            media.kind
        ),
    };
    Some(format!(
        " Were all of it stored, its media would have to do {}/s in place of {}/s at the same rate, {} times the work: {more}, to be no busier.",
        human::rate(then / array.observed_s),
        human::rate(now / array.observed_s),
        human::number(times)
    ))
}
