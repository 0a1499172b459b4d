//! What a fingerprint recommends, as the small file that other commands take with `--like`.

use super::DirectFlags;
use plimsoll_diagnostic::nearest;
use plimsoll_plan::Bytes;
use std::fmt;
use toml::{Table, Value};

/// The table in the file.
const TABLE: &str = "like";
/// Its keys.
const KEYS: [&str; 4] = ["depth", "hit_area", "hit_slice", "avoid_stride"];

/// Defaults for measurements of one target; what was not found out is left out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Like {
    /// I/Os in flight that carry nearly the most.
    pub depth: Option<u32>,
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
        let sizes = [self.hit_area, self.hit_slice, self.avoid_stride];
        for (key, size) in KEYS[1..].iter().zip(sizes) {
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
                "it has no [{TABLE}]; `plimsoll fingerprint TARGET --save FILE` writes one"
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
            match key.as_str() {
                "depth" => {
                    let depth = u32::try_from(number);
                    like.depth = Some(depth.map_err(|_| LikeError("`depth` is too large".into()))?);
                }
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

    /// Puts its values where the flags say nothing: the depth, and where the hit set lies.
    pub fn fill(&self, flags: &mut DirectFlags) {
        if let (None, Some(depth)) = (&flags.depth, self.depth) {
            flags.depth = Some(depth.to_string());
        }
        let Some(hits) = &mut flags.hits else { return };
        let says =
            |hits: &str, word: &str| hits.split(',').any(|p| p.trim_start().starts_with(word));
        if let (false, Some(area)) = (says(hits, "area"), self.hit_area) {
            hits.push_str(&format!(",area={}", area.0));
        }
        let placed = says(hits, "slice") || says(hits, "placement");
        if let (false, Some(slice)) = (placed, self.hit_slice) {
            hits.push_str(&format!(",slice={}", slice.0));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let all = Like {
            depth: Some(64),
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
            ("[like]\ndepth = 99999999999", "too large"),
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
            avoid_stride: None,
        };
        let filled = |depth: Option<&str>, hits: Option<&str>| {
            let mut flags = DirectFlags {
                depth: depth.map(String::from),
                hits: hits.map(String::from),
                ..DirectFlags::default()
            };
            like.fill(&mut flags);
            (
                flags.depth.unwrap_or_default(),
                flags.hits.unwrap_or_default(),
            )
        };
        assert_eq!(filled(None, None), ("64".into(), String::new()));
        assert_eq!(
            filled(Some("8"), Some("read=75")),
            ("8".into(), "read=75,area=1048576,slice=262144".into())
        );
        let typed = "read=75,area=4m,placement=contiguous";
        assert_eq!(filled(None, Some(typed)).1, typed);
    }
}
