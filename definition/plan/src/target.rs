//! Targets: what is read and written.

use crate::{
    Bytes, DealtFiles, HostId, LabError, LabTarget, Metrics, NbdError, NbdTarget, Origins, Sharing,
    Stream, Tree,
};
use plimsoll_operation::Counted;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// A file, a device, or a stand-in for one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Target {
    /// Its name in the definition (`sd1`), or its path where it has no name.
    pub name: String,
    /// What it is.
    pub location: Location,
    /// How much of it to use, from its start; `None`: all of a device or an existing file. A file that is missing or
    /// shorter is created and filled to this size.
    pub size: Option<Bytes>,
    /// Bytes added to every address.
    pub offset: Bytes,
    /// Addresses are multiples of this; `None`: of the transfer size.
    pub align: Option<Bytes>,
    /// Stripe unit: so many bytes of each of several paths in turn, as a volume manager stripes; `None`: they are joined end to end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stripe: Option<Bytes>,
    /// Through the page cache or around it.
    pub caching: Caching,
    /// When a write counts as done.
    pub durability: Durability,
    /// It is left as the making of a file leaves it, zeros that read as zeros: a LUN of the lab is not written before it is read.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub as_made: bool,
    /// Other ways in which streams open the files of a tree.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub more_openings: Vec<Opening>,
    /// Several hosts have it in common, where several carry the plan out: it is one device or file, and what is passed through in
    /// order is divided among them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub shared: bool,
    /// It is shared, and each host has a range of it to itself.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub split: bool,
    /// The hosts that have it; empty: all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hosts: Vec<HostId>,
    /// Where the array below it tells of itself.
    #[serde(default, skip_serializing_if = "Metrics::is_default")]
    pub metrics: Metrics,
    /// Where its fields were written.
    pub origins: Origins,
}

impl Target {
    /// All ways in which it is opened: its own first.
    pub fn openings(&self) -> impl Iterator<Item = Opening> {
        let own = Opening {
            caching: self.caching,
            durability: self.durability,
        };
        std::iter::once(own).chain(self.more_openings.iter().copied())
    }

    /// The way in which a stream opens it.
    pub fn opening(&self, stream: &Stream) -> Opening {
        let mut openings = self.openings();
        openings
            .nth(stream.files.opening as usize)
            .unwrap_or_default()
    }

    /// Number of a way in which it is opened, for [`FileWork::opening`](crate::FileWork::opening); one more where it is new.
    pub fn number_of(&mut self, opening: Opening) -> u32 {
        let known = self.openings().position(|o| o == opening);
        let number = known.unwrap_or_else(|| {
            self.more_openings.push(opening);
            self.more_openings.len()
        });
        number as u32
    }

    /// True where any of its openings goes through the page cache.
    pub fn is_buffered(&self) -> bool {
        self.openings().any(|o| o.caching == Caching::Buffered)
    }

    /// True where any of its openings makes writes durable.
    pub fn is_durable(&self) -> bool {
        self.openings().any(|o| o.durability != Durability::None)
    }

    /// All of it from its start, around the page cache; a write counts as done when it is answered, and nobody tells what the array
    /// below does. Whoever wants it otherwise writes `Target { size, ..Target::new(…) }`.
    pub fn new(name: impl Into<String>, location: Location) -> Target {
        Target {
            name: name.into(),
            location,
            size: None,
            offset: Bytes(0),
            align: None,
            stripe: None,
            as_made: false,
            caching: Caching::Direct,
            durability: Durability::None,
            more_openings: Vec::new(),
            shared: false,
            split: false,
            hosts: Vec::new(),
            metrics: Metrics::default(),
            origins: Origins::default(),
        }
    }

    /// Bytes of one row of its stripe: a unit of each path.
    pub fn stripe_width(&self) -> Option<Bytes> {
        Some(Bytes(
            self.stripe?.0.saturating_mul(self.location.columns()),
        ))
    }

    /// True for a tree that several hosts share: each has files of its own in it.
    pub fn is_shared_tree(&self) -> bool {
        self.shared && self.location.tree().is_some()
    }

    /// Deals one of several hosts, by its place among them, its own files of a tree that they share.
    pub fn deal(&mut self, place: u32, hosts: u32) {
        if let (true, Location::Tree(tree)) = (self.shared && hosts > 1, &mut self.location) {
            tree.part.dealt = Some(DealtFiles {
                first: place,
                of: hosts,
            });
        }
    }

    /// True where each of its hosts has one of its own: also files of its own, in a tree that they share.
    pub fn is_each_hosts_own(&self) -> bool {
        self.is_shared_tree() || self.sharing() == Sharing::Own
    }

    /// What several hosts have in it.
    pub fn sharing(&self) -> Sharing {
        match (self.shared, self.split) {
            (_, true) => Sharing::Split,
            (true, false) => Sharing::Whole,
            (false, false) => Sharing::Own,
        }
    }
}

/// What a target is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Location {
    /// A file or a block device.
    Path(PathBuf),
    /// No I/O at all, of this size: the engine alone.
    Null(Bytes),
    /// Several files or devices, joined end to end or striped.
    Concat(Vec<PathBuf>),
    /// A LUN of a simulated array, in virtual time.
    Lab(LabTarget),
    /// A volume behind NBD servers, by one way or several.
    Nbd(NbdTarget),
    /// Directories and files below a root.
    Tree(Box<Tree>),
}

/// Through the page cache or around it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Caching {
    /// O_DIRECT.
    #[default]
    Direct,
    /// The page cache.
    Buffered,
}

/// When a write counts as done.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Durability {
    /// When the device says so; its volatile cache may hold it.
    #[default]
    None,
    /// O_DSYNC.
    Dsync,
    /// O_SYNC.
    Sync,
    /// fsync after each n writes of a worker.
    FsyncEvery(u32),
    /// fdatasync after each n writes of a worker.
    FdatasyncEvery(u32),
    /// fsync once, at the end of the step.
    FsyncAtEnd,
    /// fsync of each file of a tree before it is closed.
    FsyncAtClose,
}

/// Way in which a file or device is opened.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Opening {
    /// Through the page cache or around it.
    pub caching: Caching,
    /// When a write counts as done.
    pub durability: Durability,
}

impl Durability {
    /// True where each write, or each few, waits until it is safe.
    pub fn waits(self) -> bool {
        !matches!(self, Durability::None | Durability::FsyncAtEnd)
    }
}

impl Location {
    /// The definition's word for it: a path, or `null:64GiB`.
    pub fn text(&self) -> String {
        match self {
            Location::Path(p) => p.display().to_string(),
            Location::Null(size) => format!("null:{size}"),
            Location::Concat(paths) => paths
                .iter()
                .map(|p| p.display().to_string())
                .collect::<Vec<_>>()
                .join(" + "),
            Location::Lab(lab) => lab.to_string(),
            Location::Nbd(nbd) => nbd.to_string(),
            Location::Tree(tree) => tree.title().display().to_string(),
        }
    }

    /// Reads the definition's word: `null:SIZE`, `lab:PERSONA`, `nbd://…` (several with commas between them), or a path
    /// (`./lab:x` reaches a file of such a name).
    pub fn parse(text: &str) -> Result<Self, LocationError> {
        if let Some(size) = text.strip_prefix("null:") {
            let size: Bytes = size.parse().map_err(LocationError::NullSize)?;
            if size.0 == 0 {
                return Err(LocationError::NullEmpty);
            }
            return Ok(Location::Null(size));
        }
        if let Some(lab) = text.strip_prefix("lab:") {
            return Ok(Location::Lab(lab.parse()?));
        }
        if NbdTarget::is_meant(text) {
            return Ok(Location::Nbd(text.parse()?));
        }
        if text.is_empty() {
            return Err(LocationError::Empty);
        }
        Ok(Location::Path(PathBuf::from(text)))
    }

    /// The paths that it opens.
    pub fn paths(&self) -> &[PathBuf] {
        match self {
            Location::Path(p) => std::slice::from_ref(p),
            Location::Null(_) | Location::Lab(_) | Location::Nbd(_) | Location::Tree(_) => &[],
            Location::Concat(paths) => paths,
        }
    }

    /// Number of files, devices or LUNs that a stripe over it has for columns.
    pub fn columns(&self) -> u64 {
        match self.lun() {
            Some(lun) => 1 + lun.more_luns.len() as u64,
            None => self.paths().len() as u64,
        }
    }

    /// Size of a target that says itself how large it is.
    pub fn stated_size(&self) -> Option<Bytes> {
        match self {
            Location::Null(size) => Some(*size),
            Location::Lab(lab) => lab
                .array
                .size
                .map(|size| Bytes(size.0.saturating_mul(self.columns()))),
            Location::Path(_) | Location::Concat(_) | Location::Nbd(_) | Location::Tree(_) => None,
        }
    }

    /// Path of one file or device that is the whole of it.
    pub fn single_path(&self) -> Option<&Path> {
        match self {
            Location::Path(path) => Some(path),
            _ => None,
        }
    }

    /// Volume behind NBD servers, where it is one.
    pub fn volume(&self) -> Option<&NbdTarget> {
        match self {
            Location::Nbd(nbd) => Some(nbd),
            _ => None,
        }
    }

    /// Directories and files, where it is a tree of them.
    pub fn tree(&self) -> Option<&Tree> {
        match self {
            Location::Tree(tree) => Some(tree),
            _ => None,
        }
    }

    /// Word for what is counted there: not all operations on a tree are I/Os.
    pub fn counted(&self) -> Counted {
        match self.tree() {
            Some(_) => Counted::Operations,
            None => Counted::Ios,
        }
    }

    /// LUN of a simulated array, where it is one.
    pub fn lun(&self) -> Option<&LabTarget> {
        match self {
            Location::Lab(lab) => Some(lab),
            _ => None,
        }
    }

    /// LUN of a simulated array that it is, or that its tree is on.
    pub fn lab(&self) -> Option<LabTarget> {
        let on_filer = || self.tree()?.filer()?.ok();
        self.lun().cloned().or_else(on_filer)
    }

    /// True for a LUN of a simulated array, and a tree on one: virtual time, nobody's data, full from the start, gone with the run.
    pub fn is_simulated(&self) -> bool {
        self.lun().is_some() || self.tree().is_some_and(Tree::is_simulated)
    }

    /// True for storage, simulated or real; false for `null:`.
    pub fn is_storage(&self) -> bool {
        !matches!(self, Location::Null(_))
    }

    /// True for files and devices of this host, which its page cache may stand before.
    pub fn has_page_cache(&self) -> bool {
        let may_have = matches!(
            self,
            Location::Path(_) | Location::Concat(_) | Location::Tree(_)
        );
        may_have && !self.is_simulated()
    }

    /// True for several files or devices as one.
    pub fn is_joined(&self) -> bool {
        matches!(self, Location::Concat(_))
    }

    /// Divisor of its array's caches: 1 but for a scaled array of the lab.
    pub fn cache_scale(&self) -> f64 {
        self.lun()
            .and_then(|lun| lun.array.scale)
            .unwrap_or(1.0)
            .max(1.0)
    }
}

/// Why a text names no target.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LocationError {
    /// Nothing there.
    #[error("a target needs a path, a device, or null:SIZE")]
    Empty,
    /// The size of a null target cannot be read.
    #[error("null: needs a size, as in null:64GiB: {0}")]
    NullSize(crate::units::UnitError),
    /// A null target of no bytes.
    #[error("a null target needs a size above 0, as in null:64GiB")]
    NullEmpty,
    /// No LUN of the lab.
    #[error(transparent)]
    Lab(#[from] LabError),
    /// No volume behind NBD.
    #[error(transparent)]
    Nbd(#[from] NbdError),
}
