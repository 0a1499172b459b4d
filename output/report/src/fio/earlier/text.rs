//! Lines of fio's text for people (`show_thread_status_normal` of its `stat.c`), of fio 2 and 3.

/// True where a line is one that fio or Plimsoll writes into results for people.
pub(super) fn is_text_line(line: &str) -> bool {
    line.is_empty()
        || is_head(line)
        || is_of_a_name(line)
        || LABELS.iter().any(|label| {
            let rest = line.strip_prefix(label);
            rest.is_some_and(has_only_words_of_fio)
        })
}

/// True for a version as fio (`FIO-VERSION-GEN`: a release, or how `git describe` names a state behind one) or Plimsoll gives it.
pub(super) fn is_version(text: &str) -> bool {
    let number = text
        .strip_prefix("fio-")
        .or_else(|| text.strip_prefix("plimsoll-"));
    let mut parts = number.unwrap_or_default().split('-');
    let is_dotted = |part: &str| {
        let is_one = |n: &str| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit());
        part.split('.').all(is_one)
    };
    let is_more = |part: &str| {
        let hash = part.strip_prefix('g').unwrap_or_default();
        let is_hash = hash.len() >= 4 && hash.bytes().all(|b| b.is_ascii_hexdigit());
        is_hash
            || is_dotted(part)
            || part == "dirty"
            || part.strip_prefix("rc").is_some_and(is_dotted)
    };
    parts.next().is_some_and(is_dotted) && parts.all(is_more)
}

/// True for lines that stand before and between the jobs.
fn is_head(line: &str) -> bool {
    let between = |before: &str, behind: &str| {
        let rest = line.strip_prefix(before);
        let inner = rest.and_then(|rest| rest.strip_suffix(behind));
        inner.is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
    };
    line == "..."
        || line == "Disk stats (read/write):"
        || is_version(line)
        || between("Starting ", " process")
        || between("Starting ", " processes")
        || between("Starting ", " thread")
        || between("Starting ", " threads")
        || between("Run status group ", " (all jobs):")
        || line
            == "note: both iodepth >= 1 and synchronous I/O engine are selected, queue depth will be capped at 1"
}

/// A line that begins with the name of a job or of a disk, which is anybody's.
fn is_of_a_name(line: &str) -> bool {
    let parted = |by: &str| line.split_once(by).map(|(_, rest)| rest);
    if let Some(rest) = parted(": (groupid=") {
        // An error has a sentence of the C library, in brackets.
        return match rest.split_once(" (file:") {
            Some((before, rest)) => rest.rsplit_once("): ").is_some_and(|(_, date)| {
                has_only_words_of_fio(before) && has_only_words_of_fio(date)
            }),
            None => has_only_words_of_fio(rest),
        };
    }
    if let Some(rest) = parted(": (g=") {
        // Of an order and an engine each may have its own word.
        let word = |part: &str| !part.contains(' ');
        let known = |part: &str| match part.split_once('=') {
            Some(("rw" | "ioengine", value)) => word(value),
            _ => has_only_words_of_fio(part),
        };
        return match rest.split_once("): ") {
            Some((group, parts)) => has_only_words_of_fio(group) && parts.split(", ").all(known),
            None => false,
        };
    }
    if let Some(rest) = parted(": Laying out IO file") {
        return has_only_words_of_fio(rest);
    }
    if line.starts_with("  ")
        && let Some(rest) = parted(": ios=")
    {
        return has_only_words_of_fio(rest);
    }
    false
}

/// Prefixes of the lines of a job and of a group.
const LABELS: [&str; 42] = [
    "  read: ",
    "  write: ",
    "  trim: ",
    "  mixed: ",
    "  read : ",
    "  write: io=",
    "  trim : ",
    "    slat (",
    "    clat (",
    "     lat (",
    "    sync (",
    "    slat percentiles (",
    "    clat percentiles (",
    "     lat percentiles (",
    "    sync percentiles (",
    "     |",
    "    bw (",
    "   bw (",
    "   iops        : ",
    "  lat (nsec)   : ",
    "  lat (usec)   : ",
    "  lat (msec)   : ",
    "    lat (usec) : ",
    "    lat (msec) : ",
    "  fsync/fdatasync/sync_file_range:",
    "  cpu          : ",
    "  IO depths    : ",
    "     submit    : ",
    "     complete  : ",
    "     issued rwts: ",
    "     issued    : ",
    "     latency   : ",
    "  steadystate  : ",
    "  errors       : ",
    "   READ: ",
    "  WRITE: ",
    "   TRIM: ",
    "  MIXED: ",
    "  zone resets",
    "  errors",
    "  prio ",
    "     fsync/fdatasync",
];

/// Every word of letters in those lines, and of dates.
const WORDS: &[&str] = &[
    "B",
    "s",
    "k",
    "K",
    "M",
    "G",
    "T",
    "KB",
    "MB",
    "GB",
    "TB",
    "kB",
    "KiB",
    "MiB",
    "GiB",
    "TiB",
    "PiB",
    "R",
    "W",
    "th",
    "x",
    "m",
    "b",
    "IOPS",
    "BW",
    "io",
    "bw",
    "iops",
    "runt",
    "aggrb",
    "minb",
    "maxb",
    "mint",
    "maxt",
    "run",
    "min",
    "max",
    "avg",
    "stdev",
    "samples",
    "per",
    "nsec",
    "usec",
    "msec",
    "sec",
    "percentiles",
    "usr",
    "sys",
    "ctx",
    "majf",
    "minf",
    "total",
    "short",
    "dropped",
    "drop",
    "r",
    "w",
    "d",
    "f",
    "target",
    "window",
    "percentile",
    "depth",
    "zone",
    "resets",
    "err",
    "pid",
    "jobs",
    "groupid",
    "g",
    "rw",
    "bs",
    "ioengine",
    "iodepth",
    "file",
    "files",
    "ios",
    "merge",
    "ticks",
    "in",
    "queue",
    "util",
    "aggrios",
    "aggrmerge",
    "aggrticks",
    "aggrin",
    "aggrutil",
    "attained",
    "yes",
    "no",
    "slope",
    "mean",
    "dev",
    "bandwidth",
    "rwts",
    "first",
    "error",
    "Mon",
    "Tue",
    "Wed",
    "Thu",
    "Fri",
    "Sat",
    "Sun",
    "Jan",
    "Feb",
    "Mar",
    "Apr",
    "May",
    "Jun",
    "Jul",
    "Aug",
    "Sep",
    "Oct",
    "Nov",
    "Dec",
];

fn has_only_words_of_fio(text: &str) -> bool {
    text.split(|c: char| c.is_ascii() && !c.is_ascii_alphabetic())
        .all(|word| word.is_empty() || WORDS.contains(&word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_fio_are_known_and_a_word_more_is_somebody_s() {
        for line in [
            "fio-3.33",
            "fio-3.40-12-gabcdef-dirty",
            "Starting 4 threads",
            "x: (g=0): rw=randread, bs=(R) 4096B-4096B, (W) 4096B-4096B, (T) 4096B-4096B, ioengine=io_uring, iodepth=4",
            "my job: (groupid=0, jobs=1): err= 0: pid=28441: Thu Nov 26 04:04:46 2026",
            "  write: IOPS=1000, BW=4000KiB/s (4096kB/s)(4096B/1msec); 0 zone resets",
            "     | 99.00th=[  151], 99.50th=[  151], 99.90th=[  151], 99.95th=[  151],",
            "   bw (  KiB/s): min=    8, max=   16, per=100.00%, avg=12.00, stdev= 1.00, samples=2",
            "  nvme0n1: ios=0/0, merge=0/0, ticks=0/0, in_queue=0, util=0.00%",
        ] {
            assert!(is_text_line(line), "{line}");
        }
        for line in [
            "notes",
            "fio-3.33 on the old host",
            "x: (g=0): remember",
            "Starting over",
            "  write: IOPS=1000 with the old firmware",
            "     | 99.00th=[  151] hm",
            "  read: Größe=1",
            "  cpu          : usr=7% before the update",
        ] {
            assert!(!is_text_line(line), "{line}");
        }
    }
}
