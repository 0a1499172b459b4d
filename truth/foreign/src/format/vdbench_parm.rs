//! What a Vdbench parameter file says of the run's conditions. Not the language, which the dialects read: only what the checks
//! ask, and only where the whole file says the same.

use crate::model::{Caching, Content, Hits};
use crate::text;
use plimsoll_plan::Bytes;

/// What all of a file's definitions agree on.
#[derive(Debug, Default, PartialEq)]
pub struct Parameters {
    /// Storage definitions.
    pub targets: usize,
    /// Threads of each.
    pub threads: Option<u64>,
    /// Transfer size.
    pub block: Option<(Bytes, Bytes)>,
    /// Size of a target.
    pub size: Option<Bytes>,
    /// Whether the page cache is in the way.
    pub cache: Option<Caching>,
    /// What is written.
    pub content: Option<Content>,
    /// The hit area.
    pub hits: Option<Hits>,
}

/// Reads the text of `parmfile.html`.
pub fn read(text: &str) -> Parameters {
    let pairs = pairs(text);
    let all = |names: &[&str]| -> Vec<&str> {
        let named = pairs.iter().filter(|(k, _)| names.contains(&k.as_str()));
        named.map(|(_, v)| v.as_str()).collect()
    };
    let one = |names: &[&str]| -> Option<&str> {
        let values = all(names);
        let first = *values.first()?;
        values.iter().all(|v| *v == first).then_some(first)
    };
    let most = |names: &[&str]| {
        all(names)
            .iter()
            .filter_map(|v| text::amount(v))
            .fold(0.0, f64::max)
    };
    let size = |v: Option<&str>| v.and_then(text::size);
    let (reads, writes) = (
        most(&["rhpct", "forrhpct"]) / 100.0,
        most(&["whpct", "forwhpct"]) / 100.0,
    );
    let area = size(one(&["hitarea", "forhitarea"])).unwrap_or(1 << 20);
    let targets = all(&["lun"]).len();
    // `count=(1,4)` makes several of one.
    let several = !all(&["count"]).is_empty();
    Parameters {
        targets: if several { usize::MAX } else { targets },
        threads: one(&["threads", "thread", "forthreads"])
            .and_then(text::amount)
            .map(|n| n as u64),
        block: size(one(&["xfersize", "xfer", "xf", "forxfersize", "forxfer"]))
            .map(|s| (Bytes(s), Bytes(s))),
        size: size(one(&["size"])).map(Bytes),
        cache: cache(&all(&["lun"]), &all(&["openflags"])),
        content: content(most(&["dedupratio"]), most(&["compratio"])),
        hits: (reads > 0.0 || writes > 0.0).then_some(Hits {
            reads: reads.min(1.0),
            writes: writes.min(1.0),
            area: Bytes(area),
        }),
    }
}

/// Devices are opened around the cache, since Vdbench insists on it on Linux; files only where that is said.
fn cache(luns: &[&str], flags: &[&str]) -> Option<Caching> {
    let direct = flags.iter().any(|f| f.contains("direct"));
    let (first, devices) = (luns.first()?, luns.iter().all(|l| l.starts_with("/dev/")));
    match (direct, devices, first.starts_with('/')) {
        (true, ..) | (_, true, _) => Some(Caching::Direct),
        // A path of another system has rules of its own.
        (false, false, true) => Some(Caching::Buffered),
        (false, false, false) => None,
    }
}

fn content(dedupe: f64, compression: f64) -> Option<Content> {
    let (dedupe, compression) = (dedupe.max(1.0), compression.max(1.0));
    Some(match dedupe > 1.0 || compression > 1.0 {
        true => Content::Reducible {
            dedupe,
            compression,
        },
        false => Content::Fresh,
    })
}

/// Keys and values in order; comments are left out, parentheses stay whole.
fn pairs(text: &str) -> Vec<(String, String)> {
    let mut pairs = Vec::new();
    for line in text.lines().map(str::trim) {
        if line.starts_with(['*', '#', '/', '<']) {
            continue;
        }
        let line = line.split([' ', '\t']).next().unwrap_or("");
        let (mut depth, mut start) = (0_i32, 0);
        let ends = line.char_indices().chain([(line.len(), ',')]);
        for (at, c) in ends {
            match c {
                '(' => depth += 1,
                ')' => depth -= 1,
                ',' if depth <= 0 || at == line.len() => {
                    if let Some((key, value)) = line[start..at].split_once('=') {
                        let value = value.trim_matches(['"', '(', ')']);
                        pairs.push((key.to_ascii_lowercase(), value.to_string()));
                    }
                    start = at + 1;
                }
                _ => {}
            }
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_come_from_all_definitions_and_comments_do_not_count() {
        let text = "* sd=old,lun=/x\nhitarea=8m\nsd=sd1,lun=/dev/sdb,threads=32,openflags=o_direct\nwd=wd1,sd=sd1,xfersize=8k,rhpct=75 rest\nrd=r,wd=wd1,curve=(1,2),iorate=curve";
        let p = read(text);
        assert_eq!((p.targets, p.threads), (1, Some(32)));
        assert_eq!(p.block, Some((Bytes(8192), Bytes(8192))));
        assert_eq!(p.cache, Some(Caching::Direct));
        assert_eq!(p.hits.map(|h| (h.reads, h.area.0)), Some((0.75, 8 << 20)));
        assert_eq!(p.content, Some(Content::Fresh));
    }

    #[test]
    fn a_file_without_flags_is_cached_and_what_differs_is_not_known() {
        let p = read("sd=a,lun=/x/f,threads=2\nsd=b,lun=/x/g,threads=4\ndedupratio=3,dedupunit=4k");
        assert_eq!((p.cache, p.threads), (Some(Caching::Buffered), None));
        assert!(matches!(p.content, Some(Content::Reducible { dedupe, .. }) if dedupe == 3.0));
    }
}
