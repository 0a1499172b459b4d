//! Recommendations of a fingerprint: the small file that other commands take with `--like`.

use super::{DirectFlags, Method};
use plimsoll_diagnostic::nearest;
use plimsoll_plan::Bytes;
use std::fmt;
use toml::{Table, Value};

/// The table in the file.
const TABLE: &str = "like";
/// Keys of the file.
const KEYS: [&str; 6] = [
    "depth",
    "block",
    "luns",
    "hit_area",
    "hit_slice",
    "avoid_stride",
];
/// Methods that are about many sizes; one size is not for them.
const OF_MANY_SIZES: [&str; 2] = ["saturate", "pts"];
/// The transfer size where nobody says one.
const USUAL_BLOCK: u64 = 4096;

/// Defaults for measurements of one target; what was not found out is left out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Like {
    /// I/Os in flight that carry nearly the most.
    pub depth: Option<u32>,
    /// The smallest transfer that it takes as one piece.
    pub block: Option<Bytes>,
    /// LUNs that reach all owners.
    pub luns: Option<u32>,
    /// A hit area of which every owner has as much.
    pub hit_area: Option<Bytes>,
    /// The slices that it is dealt over.
    pub hit_slice: Option<Bytes>,
    /// Places so far apart have one owner.
    pub avoid_stride: Option<Bytes>,
}

/// A file that is not of this kind.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct LikeError(String);

impl fmt::Display for Like {
    /// The file's table.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "[{TABLE}]")?;
        if let Some(depth) = self.depth {
            writeln!(f, "depth = {depth}")?;
        }
        if let Some(block) = self.block {
            writeln!(f, "block = {}", block.0)?;
        }
        if let Some(luns) = self.luns {
            writeln!(f, "luns = {luns}")?;
        }
        let sizes = [self.hit_area, self.hit_slice, self.avoid_stride];
        for (key, size) in KEYS[3..].iter().zip(sizes) {
            if let Some(size) = size {
                writeln!(f, "{key} = {}", size.0)?;
            }
        }
        Ok(())
    }
}

impl Like {
    /// Reads a file's text.
    ///
    /// # Errors
    /// Where it is no TOML, has another table, or a value is no positive whole number.
    pub fn parse(text: &str) -> Result<Self, LikeError> {
        let document: Table = text
            .parse()
            .map_err(|e: toml::de::Error| LikeError(format!("it is no TOML: {}", e.message())))?;
        let Some(Value::Table(table)) = document.get(TABLE) else {
            return Err(LikeError(format!(
                "it has no [{TABLE}], and is no persona; `plimsoll fingerprint TARGET --save FILE` writes one, and `plimsoll lab fit RESULT` the other"
            )));
        };
        let mut like = Like::default();
        for (key, value) in table {
            let number = match value {
                Value::Integer(n) => u64::try_from(*n).ok().filter(|n| *n > 0),
                _ => None,
            };
            let number = number
                .ok_or_else(|| LikeError(format!("`{key}` is not a whole number above 0")))?;
            let bytes = Some(Bytes(number));
            let count = || {
                let count = u32::try_from(number);
                count.map_err(|_| LikeError(format!("`{key}` is too large")))
            };
            match key.as_str() {
                "depth" => like.depth = Some(count()?),
                "luns" => like.luns = Some(count()?),
                "block" => like.block = bytes,
                "hit_area" => like.hit_area = bytes,
                "hit_slice" => like.hit_slice = bytes,
                "avoid_stride" => like.avoid_stride = bytes,
                other => {
                    let hint = match nearest(other, KEYS) {
                        Some(near) => format!("did you mean `{near}`?"),
                        None => format!("known are {}", KEYS.join(", ")),
                    };
                    return Err(LikeError(format!("`{other}` is no key of it; {hint}")));
                }
            }
        }
        Ok(like)
    }

    /// Puts its values where the flags say nothing: the depth, the transfer, and where the hit set lies. What was typed and
    /// goes against it comes back, as sentences.
    pub fn fill(&self, flags: &mut DirectFlags) -> Vec<String> {
        if let (None, Some(depth)) = (flags.get("--depth"), self.depth) {
            flags.set("--depth", depth.to_string());
        }
        let sizes = ["--block", "--read-block", "--write-block", "--trim-block"];
        let no_size = sizes.iter().all(|size| flags.get(size).is_none());
        let many = matches!(flags.method, Method::Named(name) if OF_MANY_SIZES.contains(&name));
        if let (true, false, Some(block)) = (no_size, many, self.block) {
            flags.set("--block", block.0.to_string());
        }
        self.place_hits(flags);
        let against = [self.against_stride(flags), self.against_luns(flags)];
        against.into_iter().flatten().collect()
    }

    /// Says so where a stride was typed that meets one owner only.
    fn against_stride(&self, flags: &DirectFlags) -> Option<String> {
        let avoid = self.avoid_stride?;
        let gap = flags.get("--access")?.strip_prefix("stride=")?;
        let gap: Bytes = gap.parse().ok()?;
        let block = flags.get("--block");
        let block = block.map_or(Some(Bytes(USUAL_BLOCK)), |b| b.parse().ok())?;
        let stride = gap.0.saturating_add(block.0);
        stride.is_multiple_of(avoid.0).then(|| {
            format!(
                "from one I/O to the next it is {} (the gap and the block), a multiple of {avoid}: all of them have one \
                 owner, which alone does their work",
                Bytes(stride)
            )
        })
    }

    /// Says so where fewer LUNs were named than reach all owners.
    fn against_luns(&self, flags: &DirectFlags) -> Option<String> {
        let luns = self.luns? as usize;
        let named = flags.targets.len();
        (named < luns).then(|| {
            format!("it takes {luns} LUNs to reach all owners there, and the number of targets is {named}")
        })
    }

    fn place_hits(&self, flags: &mut DirectFlags) {
        let Some(mut hits) = flags.get("--hits").map(String::from) else {
            return;
        };
        let says =
            |hits: &str, word: &str| hits.split(',').any(|p| p.trim_start().starts_with(word));
        if let (false, Some(area)) = (says(&hits, "area"), self.hit_area) {
            hits.push_str(&format!(",area={}", area.0));
        }
        let placed = says(&hits, "slice") || says(&hits, "placement");
        if let (false, Some(slice)) = (placed, self.hit_slice) {
            hits.push_str(&format!(",slice={}", slice.0));
        }
        flags.set("--hits", hits);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(flags: &[(&'static str, Option<&str>)]) -> DirectFlags {
        let mut all = DirectFlags::default();
        for (flag, value) in flags {
            value.iter().for_each(|v| all.set(flag, v.to_string()));
        }
        all
    }

    #[test]
    fn what_is_written_is_read() {
        let all = Like {
            depth: Some(64),
            block: Some(Bytes(8192)),
            luns: Some(2),
            hit_area: Some(Bytes(1 << 20)),
            hit_slice: Some(Bytes(3 << 16)),
            avoid_stride: Some(Bytes(8 << 20)),
        };
        for like in [all, Like::default()] {
            assert_eq!(Like::parse(&like.to_string()), Ok(like));
        }
    }

    #[test]
    fn other_files_are_refused_with_the_reason() {
        for (text, why) in [
            ("depth = 3", "[like]"),
            ("[like]\ndepth = -1", "depth"),
            ("[like]\ndepth = 99999999999", "`depth` is too large"),
            ("[like]\nluns = 99999999999", "`luns` is too large"),
            ("[like]\nblock = 0", "block"),
            ("[like]\nhit_area = \"1m\"", "hit_area"),
            ("[like]\nhit_aera = 1", "did you mean `hit_area`"),
            ("\0", "no TOML"),
        ] {
            let error = Like::parse(text).unwrap_err().to_string();
            assert!(error.contains(why), "{text}: {error}");
        }
    }

    #[test]
    fn what_was_typed_stays() {
        let like = Like {
            depth: Some(64),
            hit_area: Some(Bytes(1 << 20)),
            hit_slice: Some(Bytes(1 << 18)),
            ..Like::default()
        };
        let filled = |depth: Option<&str>, hits: Option<&str>| {
            let mut flags = typed(&[("--depth", depth), ("--hits", hits)]);
            like.fill(&mut flags);
            ["--depth", "--hits"].map(|flag| flags.get(flag).unwrap_or_default().to_string())
        };
        assert_eq!(filled(None, None), ["64", ""]);
        assert_eq!(
            filled(Some("8"), Some("read=75")),
            ["8", "read=75,area=1048576,slice=262144"]
        );
        let typed = "read=75,area=4m,placement=contiguous";
        assert_eq!(filled(None, Some(typed))[1], typed);
    }

    #[test]
    fn the_block_is_for_those_that_named_no_size_and_measure_one() {
        let like = Like {
            block: Some(Bytes(16 << 10)),
            ..Like::default()
        };
        let block = |mut flags: DirectFlags| {
            assert_eq!(like.fill(&mut flags), [""; 0]);
            flags.get("--block").map(String::from)
        };
        assert_eq!(block(typed(&[])).as_deref(), Some("16384"));
        assert_eq!(
            block(typed(&[("--block", Some("4k"))])).as_deref(),
            Some("4k")
        );
        assert_eq!(block(typed(&[("--read-block", Some("64k"))])), None);
        let many = DirectFlags {
            method: Method::Named("saturate"),
            ..DirectFlags::default()
        };
        assert_eq!(block(many), None);
    }

    #[test]
    fn a_stride_of_one_owner_and_too_few_luns_are_said() {
        let like = Like {
            avoid_stride: Some(Bytes(1 << 20)),
            luns: Some(2),
            ..Like::default()
        };
        let said = |access: &str, block: Option<&str>, targets: usize| {
            let mut flags = typed(&[("--access", Some(access)), ("--block", block)]);
            flags.targets = vec![String::new(); targets];
            like.fill(&mut flags)
        };
        let one_owner = said("stride=2044k", None, 2);
        assert!(
            one_owner[0].contains("2MiB") && one_owner[0].contains("one owner"),
            "{one_owner:?}"
        );
        assert_eq!(said("stride=2044k", Some("8k"), 2), [""; 0]);
        assert_eq!(said("stride=2040k", Some("8k"), 2).len(), 1);
        assert_eq!(said("random", None, 2), [""; 0]);
        let few = said("random", None, 1);
        assert!(
            few[0].contains("2 LUNs") && few[0].ends_with("is 1"),
            "{few:?}"
        );
    }
}
