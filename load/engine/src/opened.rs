//! What a target turned out to be, and what can be done with it.

use crate::backend::nbd::Volume;
use crate::tree::OpenTree;
use plimsoll_nbd::MAX_PAYLOAD;
use plimsoll_permit::target::Hold;
use std::fs::File;
use std::path::PathBuf;
use std::slice;
use std::sync::Arc;

/// Files, devices, volume or tree that were opened for a target.
#[derive(Debug)]
pub enum Opened {
    /// Nothing: no step uses it.
    Unused,
    /// Nothing: its I/O is done as soon as it is asked for.
    Null,
    /// Nothing: the model of an array answers.
    Simulated,
    /// A regular file.
    File(Member),
    /// A block device.
    Device(Member),
    /// Files and devices, end to end.
    Joined(Vec<Member>),
    /// Files and devices of which so many bytes each, the stripe unit, come in turn.
    Striped(Vec<Member>, u64),
    /// A volume behind NBD servers.
    Volume(Arc<Volume>),
    /// Directories and files below a root.
    Tree(Arc<OpenTree>),
}

/// One file of a target.
#[derive(Debug)]
pub struct Member {
    /// Path by which the file was opened.
    pub path: PathBuf,
    /// The open file.
    pub file: File,
    /// Bytes of the file that are used; of one of several, in whole blocks.
    pub size: u64,
    /// The first of them: a device that others come before has its own first block spared, as a device alone has.
    pub start: u64,
    /// Hold on the file while it is written; `None` where it is open for reading only.
    pub hold: Option<Hold>,
}

/// Properties of a target's I/O.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Capabilities {
    /// Reads bring bytes, so that they need a buffer; writes need one wherever bytes are made for them.
    pub brings_bytes: bool,
    /// True where the target's first place holds what tells others what it is, and is never touched.
    pub spares_first: bool,
    /// Number of fsyncs that make all of the target durable.
    pub syncs: u32,
    /// The most bytes that one I/O may move; `None`: any number.
    pub longest: Option<u32>,
}

impl Opened {
    /// Properties of the I/O on what was opened.
    pub fn capabilities(&self) -> Capabilities {
        let nothing = Capabilities {
            brings_bytes: false,
            spares_first: false,
            syncs: 1,
            longest: None,
        };
        let file = Capabilities {
            brings_bytes: true,
            ..nothing
        };
        match self {
            Opened::Unused | Opened::Null | Opened::Simulated => nothing,
            Opened::File(_) | Opened::Tree(_) => file,
            Opened::Device(_) => Capabilities {
                spares_first: true,
                ..file
            },
            Opened::Joined(members) | Opened::Striped(members, _) => Capabilities {
                spares_first: true,
                syncs: members.len().max(1) as u32,
                ..file
            },
            Opened::Volume(volume) => Capabilities {
                longest: Some(volume.session.export.block_sizes.maximum.min(MAX_PAYLOAD)),
                ..file
            },
        }
    }

    /// Files and devices of the target, in their order; none of what has no file.
    pub fn members(&self) -> &[Member] {
        match self {
            Opened::File(member) | Opened::Device(member) => slice::from_ref(member),
            Opened::Joined(members) | Opened::Striped(members, _) => members,
            Opened::Unused
            | Opened::Null
            | Opened::Simulated
            | Opened::Volume(_)
            | Opened::Tree(_) => &[],
        }
    }

    /// Stripe unit, where it is a stripe, bytes.
    pub fn stripe(&self) -> Option<u64> {
        match self {
            Opened::Striped(_, unit) => Some(*unit),
            _ => None,
        }
    }

    /// The tree, where it is one.
    pub fn tree(&self) -> Option<&Arc<OpenTree>> {
        match self {
            Opened::Tree(tree) => Some(tree),
            _ => None,
        }
    }

    /// The volume, where it is one.
    pub fn volume(&self) -> Option<&Arc<Volume>> {
        match self {
            Opened::Volume(volume) => Some(volume),
            _ => None,
        }
    }
}
