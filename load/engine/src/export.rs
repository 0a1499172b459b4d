//! A volume behind NBD as those see it who do not measure it: what is there, what of it was written, and who may write it.
//!
//! How the client gets there, by which paths and with how many connections, is the backend's own business.

use crate::EngineError;
use crate::backend::nbd::{Client, ClientError, ExtentFlags, Volume};
use plimsoll_plan::NbdTarget;

pub use crate::backend::nbd::{
    ClientPathState, PathEvent, PathReport, VolumeReport, is_meant, permit,
};

/// Kind of a stretch of a volume, by the server's word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// Something was written there.
    Data,
    /// Stretch that takes no space.
    Hole,
    /// Stretch that takes space, and reads as zeros.
    Zeros,
}

/// One connection with a volume, on which one thing is asked at a time.
#[derive(Debug)]
pub struct ExportReader {
    uri: String,
    client: Client,
    size_bytes: u64,
}

impl ExportReader {
    /// Connects by the first path that works.
    ///
    /// # Errors
    ///
    /// Where none does, or where the paths lead to different volumes.
    pub fn open(target: &NbdTarget) -> Result<Self, EngineError> {
        let volume = Volume::open(target)?;
        Ok(ExportReader {
            uri: target.to_string(),
            client: volume.client(true)?,
            size_bytes: volume.session.export.size,
        })
    }

    /// Size of the export, bytes.
    pub fn size_bytes(&self) -> u64 {
        self.size_bytes
    }

    /// Unit that offsets and lengths are multiples of, bytes.
    pub fn unit_bytes(&self) -> u64 {
        u64::from(self.client.session().export.block_sizes.minimum)
    }

    /// True where the server says which parts were written.
    pub fn knows_extents(&self) -> bool {
        self.client.session().allocation.is_some()
    }

    /// Reads what is there.
    ///
    /// # Errors
    ///
    /// Where the connection breaks, or the server refuses.
    pub fn read_at(&mut self, offset: u64, bytes: &mut [u8]) -> Result<(), EngineError> {
        let done = self.client.read(offset, bytes);
        done.map_err(|source| self.error(source))
    }

    /// Asks of what kind the bytes from `offset` are. `each` is given lengths and kinds, one after the other; a server may
    /// tell of less than was asked for, and its last extent may go beyond it.
    ///
    /// # Errors
    ///
    /// Where the connection breaks, or the server refuses.
    pub fn extents(
        &mut self,
        offset: u64,
        length: u32,
        mut each: impl FnMut(u32, Extent),
    ) -> Result<(), EngineError> {
        let done = self.client.extents(offset, length, |length, flags| {
            let kind = if flags.contains(ExtentFlags::HOLE) {
                Extent::Hole
            } else if flags.contains(ExtentFlags::ZERO) {
                Extent::Zeros
            } else {
                Extent::Data
            };
            each(length, kind);
        });
        done.map_err(|source| self.error(source))
    }

    /// Ends the connection as the protocol wants it.
    pub fn leave(self) {
        self.client.leave();
    }

    fn error(&self, source: ClientError) -> EngineError {
        EngineError::Nbd {
            uri: self.uri.clone(),
            source,
        }
    }
}
