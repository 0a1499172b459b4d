//! A LUN of the lab's array model as a target: `lab:PERSONA[@REVISION][/lunN][?scale=N&size=SIZE&path=N]`. Of a tree it is the root: the
//! file system that a filer has on that LUN, mounted with `actimeo=N`.

use crate::units::{Bytes, UnitError};
use plimsoll_diagnostic::nearest;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::Path;
use std::str::FromStr;

/// What may stand behind the question mark.
const OPTIONS: [&str; 4] = ["scale", "size", "path", "actimeo"];

/// One LUN of a simulated array.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LabTarget {
    /// The array; targets that say the same of it are on one array.
    pub array: LabArray,
    /// Which of its LUNs, from 0.
    pub lun: u32,
    /// Its LUNs that are the further columns of a stripe.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub more_luns: Vec<u32>,
    /// The one path over which all I/O goes, from 0; `None`: all take turns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<u32>,
    /// Seconds for which a client answers by itself what it knows of a file of a tree, as nfs(5) has it; `None`: what the persona says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actimeo: Option<u32>,
}

/// A simulated array.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LabArray {
    /// The name of a built-in persona, or the path of a persona's file (see [`LabArray::file`]).
    pub persona: String,
    /// Another release of the same array.
    pub revision: Option<String>,
    /// What its rates, parallelism, capacity and caches are divided by; `None`: what the persona says. Above 0 and finite.
    pub scale: Option<f64>,
    /// The size of each LUN, whatever the scale; `None`: what the persona says.
    pub size: Option<Bytes>,
}

// A scale is finite, so that equality is total.
impl Eq for LabArray {}

impl LabArray {
    /// The persona's file, where it is one: a path that ends with `.toml` or begins with `.` or `/`.
    pub fn file(&self) -> Option<&Path> {
        let p = self.persona.as_str();
        (p.ends_with(".toml") || p.starts_with(['.', '/'])).then_some(Path::new(p))
    }
}

/// Why a text names no LUN of the lab.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LabError {
    /// Nothing before the LUN.
    #[error("lab: needs a persona, as in lab:scale-out-flash-8")]
    NoPersona,
    /// What follows the persona is no LUN.
    #[error("`{0}` is no LUN; write /lun0, /lun1 and so on")]
    Lun(String),
    /// An option of another name.
    #[error("a lab: target has no option `{name}`; {}", did_you_mean(.nearest))]
    Option {
        /// The name.
        name: String,
        /// The one that was probably meant.
        nearest: Option<&'static str>,
    },
    /// An option given again.
    #[error("{0} is given twice; give it once")]
    Twice(&'static str),
    /// A scale that is no number, or nothing can be divided by.
    #[error("scale={0}: give a number above 0, as in ?scale=20")]
    Scale(String),
    /// A size that cannot be read.
    #[error("size: {0}")]
    Size(UnitError),
    /// A path that is no number.
    #[error("path={0}: give a number from 0, as in ?path=1")]
    Path(String),
    /// A time-out that is no number.
    #[error("actimeo={0}: give whole seconds from 0, as in ?actimeo=3")]
    Actimeo(String),
    /// LUNs of no bytes.
    #[error("size=0: a LUN needs a size above 0, as in ?size=16g")]
    Empty,
}

fn did_you_mean(nearest: &Option<&'static str>) -> String {
    match nearest {
        Some(name) => format!("did you mean `{name}`?"),
        None => format!("there are {}", OPTIONS.join(", ")),
    }
}

impl LabTarget {
    /// Each of its LUNs as a target of its own.
    pub fn each(&self) -> impl Iterator<Item = LabTarget> + '_ {
        let luns = std::iter::once(&self.lun).chain(&self.more_luns);
        luns.map(|lun| LabTarget {
            lun: *lun,
            more_luns: Vec::new(),
            ..self.clone()
        })
    }

    /// Takes another LUN of the same array as a further column of a stripe; false where it is of another array, or reached otherwise.
    pub fn take_column(&mut self, other: &LabTarget) -> bool {
        let is_one =
            other.array == self.array && other.path == self.path && other.actimeo == self.actimeo;
        if is_one {
            self.more_luns.push(other.lun);
        }
        is_one
    }
}

impl FromStr for LabTarget {
    type Err = LabError;

    /// Reads what stands behind `lab:`.
    fn from_str(text: &str) -> Result<Self, LabError> {
        let (place, options) = text.split_once('?').unwrap_or((text, ""));
        let (array, lun) = split_lun(place)?;
        let (persona, revision) = match array.rsplit_once('@') {
            Some((persona, revision)) if !revision.contains('/') => (persona, Some(revision)),
            _ => (array, None),
        };
        if persona.is_empty() {
            return Err(LabError::NoPersona);
        }
        let array = LabArray {
            persona: persona.to_string(),
            revision: revision.map(str::to_string),
            scale: None,
            size: None,
        };
        if let (Some((_, rest)), None, true) = (
            place.split_once('/'),
            array.file(),
            array.persona.contains('/'),
        ) {
            return Err(LabError::Lun(rest.to_string()));
        }
        let mut target = LabTarget {
            array,
            lun,
            more_luns: Vec::new(),
            path: None,
            actimeo: None,
        };
        for option in options.split('&').filter(|o| !o.is_empty()) {
            target.set(option)?;
        }
        Ok(target)
    }
}

/// The array and the LUN's number.
fn split_lun(place: &str) -> Result<(&str, u32), LabError> {
    match place.rsplit_once("/lun") {
        Some((array, number)) if !number.contains('/') => number
            .parse()
            .map(|lun| (array, lun))
            .map_err(|_| LabError::Lun(format!("lun{number}"))),
        _ => Ok((place, 0)),
    }
}

impl LabTarget {
    fn set(&mut self, option: &str) -> Result<(), LabError> {
        let (name, value) = option.split_once('=').unwrap_or((option, ""));
        match name {
            "scale" => {
                let scale: f64 = value.parse().unwrap_or(f64::NAN);
                if !(scale > 0.0 && scale.is_finite()) {
                    return Err(LabError::Scale(value.to_string()));
                }
                once("scale", self.array.scale.replace(scale))
            }
            "size" => {
                let size: Bytes = value.parse().map_err(LabError::Size)?;
                if size.0 == 0 {
                    return Err(LabError::Empty);
                }
                once("size", self.array.size.replace(size))
            }
            "path" => {
                let number = value.parse();
                let number = number.map_err(|_| LabError::Path(value.to_string()))?;
                once("path", self.path.replace(number))
            }
            "actimeo" => {
                let seconds = value.parse();
                let seconds = seconds.map_err(|_| LabError::Actimeo(value.to_string()))?;
                once("actimeo", self.actimeo.replace(seconds))
            }
            _ => Err(LabError::Option {
                name: name.to_string(),
                nearest: nearest(name, OPTIONS),
            }),
        }
    }
}

fn once<T>(name: &'static str, before: Option<T>) -> Result<(), LabError> {
    match before {
        Some(_) => Err(LabError::Twice(name)),
        None => Ok(()),
    }
}

impl fmt::Display for LabArray {
    /// As it was written, without its LUN.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "lab:{}", self.persona)?;
        match &self.revision {
            Some(revision) => write!(f, "@{revision}"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for LabTarget {
    /// As it is written; the first LUN goes without saying. Columns of a stripe stand one after the other.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let [_, ..] = self.more_luns[..] {
            let each = self.each().map(|one| one.to_string());
            return f.write_str(&each.collect::<Vec<_>>().join(" + "));
        }
        write!(f, "{}", self.array)?;
        if self.lun > 0 {
            write!(f, "/lun{}", self.lun)?;
        }
        let scale = self.array.scale.map(|s| format!("scale={s}"));
        let size = self.array.size.map(|s| format!("size={s}"));
        let path = self.path.map(|p| format!("path={p}"));
        let actimeo = self.actimeo.map(|a| format!("actimeo={a}"));
        let options = scale.into_iter().chain(size).chain(path).chain(actimeo);
        let options: Vec<String> = options.collect();
        if options.is_empty() {
            Ok(())
        } else {
            write!(f, "?{}", options.join("&"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> LabTarget {
        text.parse().unwrap_or_else(|e| panic!("{text}: {e}"))
    }

    #[test]
    fn a_target_is_read_as_it_is_written() {
        for text in [
            "scale-out-flash-8",
            "scale-out-flash-8@v3_0/lun31",
            "single-ssd?scale=4&size=64GiB",
            "single-ssd?scale=4&path=1",
            "filer/lun1?path=1&actimeo=0",
            "./my arrays/a@home/fast.toml@v2/lun1?scale=0.5",
            "/etc/persona",
            "my.toml",
        ] {
            assert_eq!(read(text).to_string(), format!("lab:{text}"));
        }
        let one = read("./a@b/c.toml@v2/lun7");
        assert_eq!(one.array.file(), Some(Path::new("./a@b/c.toml")));
        assert_eq!((one.array.revision.as_deref(), one.lun), (Some("v2"), 7));
        assert_eq!(read("curve-8k/lun0"), read("curve-8k"));
        assert_eq!(read("curve-8k?size=1g").array.size, Some(Bytes(1 << 30)));
        assert_eq!(read("curve-8k").array.file(), None);
    }

    #[test]
    fn what_names_no_lun_says_what_would() {
        for (text, said) in [
            ("", "needs a persona"),
            ("/lun3", "needs a persona"),
            ("curve-8k/lunx", "`lunx` is no LUN"),
            ("curve-8k/3", "`3` is no LUN"),
            ("curve-8k?scal=3", "did you mean `scale`?"),
            ("curve-8k?paths=3", "did you mean `path`?"),
            ("curve-8k?wide=3", "there are scale, size, path, actimeo"),
            ("curve-8k?path=a", "path=a"),
            ("filer?actimeo=-1", "actimeo=-1"),
            ("curve-8k?path=1&path=2", "path is given twice"),
            ("curve-8k?scale=0", "above 0"),
            ("curve-8k?scale=fast", "above 0"),
            ("curve-8k?size=many", "size: `many`"),
            ("curve-8k?size=0", "above 0"),
            ("curve-8k?size=4g&size=8g", "size is given twice"),
            ("curve-8k?scale=2&size=4g&scale=2", "scale is given twice"),
        ] {
            let error = text.parse::<LabTarget>().expect_err(text).to_string();
            assert!(error.contains(said), "{text}: {error}");
        }
    }
}
