//! Where data lies in the end: flash here or on another node, with a write buffer and page mapping where there are any, and
//! disks behind it.

use crate::flash::{Dies, Mapping, PageMove};
use crate::io::Served;
use crate::node::Nodes;
use crate::persona::Persona;
use crate::station::Station;
use crate::tier::{EXTENT_CHUNKS, Tiers};
use crate::write::buffers::WriteBuffer;

/// Flash and disks. A persona may have none of these parts.
#[derive(Debug)]
pub(crate) struct Media {
    pub dies: Option<Dies>,
    pub mapping: Option<Mapping>,
    pub tiers: Option<Tiers>,
    buffer: Option<WriteBuffer>,
    nodes: Option<Nodes>,
}

impl Media {
    /// Empty media for so many chunks.
    pub fn new(p: &Persona, chunks: u64, scale: f64) -> Self {
        let mapping = p.flash.and_then(|f| f.mapping);
        let buffer = p.flash.map(|f| WriteBuffer::new(f.buffer_pages, scale));
        let tiers = p.tier.as_ref();
        Media {
            dies: p.flash.as_ref().map(|f| Dies::new(f, scale)),
            mapping: mapping.map(|m| Mapping::new(&m, chunks)),
            tiers: tiers.map(|t| Tiers::new(t, chunks / EXTENT_CHUNKS, scale)),
            buffer: buffer.flatten(),
            nodes: p.nodes.as_ref().map(Nodes::new),
        }
    }

    /// Reads a chunk; where it was, and how long that takes.
    #[inline]
    pub fn read(&mut self, now: u64, key: u64, placement: u64) -> (Served, u64) {
        let extent = key / EXTENT_CHUNKS;
        if let Some(tiers) = &mut self.tiers
            && let Some(time) = tiers.read(now, extent as usize)
        {
            return (Served::Disk, time);
        }
        let time = match (&mut self.dies, &self.mapping) {
            (Some(dies), Some(mapping)) => match mapping.lookup(key) {
                Some(page) => dies.read(now, (page % dies.count() as u64) as usize),
                None => 0,
            },
            (Some(dies), None) => dies.read(now, dies.placed(placement)),
            (None, _) => 0,
        };
        match &self.nodes {
            Some(nodes) if nodes.is_remote(extent) => (Served::RemoteFlash, time + nodes.remote_ns),
            _ => (Served::LocalFlash, time),
        }
    }

    /// A write brings the chunk's extent to flash.
    #[inline]
    pub fn promote(&mut self, key: u64) {
        if let Some(tiers) = &mut self.tiers {
            tiers.write((key / EXTENT_CHUNKS) as usize);
        }
    }

    /// Puts a chunk's data where it belongs in no time.
    pub fn place(&mut self, key: u64) {
        self.promote(key);
        if let Some(mapping) = &mut self.mapping {
            mapping.write(key, |_| ());
        }
    }

    /// A chunk's page holds nothing any more.
    pub fn forget(&mut self, key: u64) {
        if let Some(mapping) = &mut self.mapping {
            mapping.forget(key);
        }
    }

    /// Whether anything changes where a chunk is placed in no time.
    pub fn keeps_places(&self) -> bool {
        self.mapping.is_some() || self.tiers.is_some()
    }

    /// Programs a page, and moves what is in its way; how long the write waits for room in the buffer. Without page
    /// mapping or buffer the program goes on behind the acknowledgement.
    #[inline]
    pub fn program(&mut self, now: u64, key: u64, placement: u64) -> u64 {
        let Some(dies) = &mut self.dies else { return 0 };
        let count = dies.count() as u64;
        let die = |page: u64| (page % count) as usize;
        let mut done = now;
        match &mut self.mapping {
            None => done = dies.program(now, dies.placed(placement)),
            Some(mapping) => mapping.write(key, |step| match step {
                PageMove::Program(at) => done = dies.program(now, die(at)),
                PageMove::Relocate { from, to } => {
                    dies.fetch(now, die(from));
                    dies.program(now, die(to));
                }
                PageMove::Erase(block) => dies.erase(now, die(block)),
            }),
        }
        match &mut self.buffer {
            Some(buffer) => buffer.take(done).saturating_sub(now),
            None => 0,
        }
    }

    /// How long a request that comes now may have to wait, nanoseconds.
    pub fn backlog(&self, now: u64) -> u64 {
        let disks = |t: &Tiers| t.disks().iter().map(|s: &Station| s.wait(now)).max();
        let waits = [
            self.dies.as_ref().map_or(0, |d| d.backlog(now)),
            self.tiers.as_ref().and_then(disks).unwrap_or(0),
            self.buffer.as_ref().map_or(0, |b| b.wait(now)),
        ];
        waits.into_iter().max().unwrap_or(0)
    }
}
