//! A write on its way in.

use crate::store::{CHUNK, StoreError};
use plimsoll_content::Identity;
use plimsoll_nbd::Request;

/// Bytes that are held before they are stored. A write that is longer is stored as it comes.
pub(super) const PIECE: usize = 256 << 10;

/// A write whose payload was not all there.
pub(super) struct Incoming {
    pub request: Request,
    /// The identities of its chunks so far.
    pub blocks: Vec<Identity>,
    /// What has come since the last piece was stored.
    piece: Vec<u8>,
    filled: usize,
    /// Where in the request the piece starts, bytes.
    start: u32,
    /// Why a piece of it could not be stored.
    pub failed: Option<StoreError>,
}

impl Incoming {
    /// A write of which nothing has come. `piece` is memory that may be used again.
    pub(super) fn new(request: Request, piece: Vec<u8>) -> Self {
        let mut incoming = Incoming {
            request,
            blocks: Vec::new(),
            piece,
            filled: 0,
            start: 0,
            failed: None,
        };
        incoming.make_room();
        incoming
    }

    /// Where the next bytes go; never empty before the write is all there. A piece ends between two chunks.
    pub(super) fn room(&mut self) -> &mut [u8] {
        &mut self.piece[self.filled..]
    }

    /// So many bytes were put there. True when the piece is full, or the write is all there.
    pub(super) fn came(&mut self, bytes: usize) -> bool {
        self.filled += bytes;
        self.filled == self.piece.len()
    }

    /// The whole write is there.
    pub(super) fn is_complete(&self) -> bool {
        self.start as usize + self.filled == self.request.len as usize
    }

    /// Nothing of it was stored yet.
    pub(super) fn is_whole(&self) -> bool {
        self.start == 0
    }

    /// Where the piece starts in the LUN, and its bytes.
    pub(super) fn piece(&self) -> (u64, &[u8]) {
        (
            self.request.offset + u64::from(self.start),
            &self.piece[..self.filled],
        )
    }

    /// The piece was stored; the next one begins.
    pub(super) fn next_piece(&mut self) {
        self.start += self.filled as u32;
        self.filled = 0;
        self.make_room();
    }

    /// The memory, for the next write.
    pub(super) fn into_memory(self) -> Vec<u8> {
        self.piece
    }

    fn make_room(&mut self) {
        let offset = self.request.offset + u64::from(self.start);
        let aligned = PIECE - (offset % CHUNK as u64) as usize;
        let left = (self.request.len - self.start) as usize;
        self.piece.resize(left.min(aligned), 0);
    }
}

/// Appends the identities of the chunks that bytes at this offset cover, each by `one`. For one that is covered in part it doesn't
/// count.
pub(super) fn identify(
    one: fn(&[u8]) -> Identity,
    offset: u64,
    bytes: &[u8],
    blocks: &mut Vec<Identity>,
) {
    let head = (CHUNK - (offset % CHUNK as u64) as usize) % CHUNK;
    let (head, rest) = bytes.split_at(head.min(bytes.len()));
    let in_part = Identity::Data {
        fingerprint: 0,
        compressed: CHUNK as u32,
    };
    if !head.is_empty() {
        blocks.push(in_part);
    }
    let whole = rest.chunks_exact(CHUNK);
    let tail = whole.remainder();
    blocks.extend(whole.map(one));
    if !tail.is_empty() {
        blocks.push(in_part);
    }
}
