//! What is to be sent on a connection: requests' headers, and writes' data from where it lies.

use super::stream::Stream;
use plimsoll_nbd::REQUEST;
use std::collections::VecDeque;
use std::io::{self, IoSlice, Write};

/// Pieces handed to the kernel in one call, at most.
const PIECES: usize = 64;

/// Bytes that the kernel has not taken yet.
#[derive(Debug, Default)]
pub(super) struct Outbox {
    headers: Vec<u8>,
    pieces: VecDeque<Piece>,
    /// Bytes of the first piece that are sent.
    sent: usize,
    /// Bytes that were ever queued, and ever sent.
    queued_bytes: u64,
    sent_bytes: u64,
}

#[derive(Debug, Clone, Copy)]
enum Piece {
    /// Of `headers`.
    Headers { from: usize, to: usize },
    /// Of a slot's buffer.
    Data { at: *const u8, length: usize },
}

impl Outbox {
    /// With room for so many requests, so that none allocates.
    pub fn new(slots: usize) -> Self {
        Outbox {
            headers: Vec::with_capacity((slots + 1) * 2 * REQUEST),
            pieces: VecDeque::with_capacity(slots * 2),
            sent: 0,
            queued_bytes: 0,
            sent_bytes: 0,
        }
    }

    pub fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// True where the last that was sent is a part of a request.
    pub fn is_within_a_request(&self) -> bool {
        self.sent > 0 || matches!(self.pieces.front(), Some(Piece::Data { .. }))
    }

    /// End of what is queued: so many bytes have to be sent until all of it is.
    #[inline]
    pub fn end(&self) -> u64 {
        self.queued_bytes
    }

    /// Bytes that were sent so far.
    #[inline]
    pub fn sent(&self) -> u64 {
        self.sent_bytes
    }

    /// Queues a request without data.
    #[inline]
    pub fn header(&mut self, header: &[u8; REQUEST]) {
        if self.headers.len() + REQUEST > self.headers.capacity() {
            self.forget_sent();
        }
        self.queued_bytes += REQUEST as u64;
        let from = self.headers.len();
        self.headers.extend_from_slice(header);
        let end = self.headers.len();
        match self.pieces.back_mut() {
            Some(Piece::Headers { to, .. }) => *to = end,
            _ => self.pieces.push_back(Piece::Headers { from, to: end }),
        }
    }

    /// Makes room: a connection that always has something to send never starts afresh.
    #[cold]
    fn forget_sent(&mut self) {
        let unsent = |piece: &Piece| match piece {
            Piece::Headers { from, .. } => Some(*from),
            Piece::Data { .. } => None,
        };
        let first = self.pieces.iter().find_map(unsent);
        let first = first.unwrap_or(self.headers.len());
        self.headers.drain(..first);
        for piece in &mut self.pieces {
            if let Piece::Headers { from, to } = piece {
                *from -= first;
                *to -= first;
            }
        }
    }

    /// Queues the data of the write whose header came last.
    ///
    /// # Safety
    ///
    /// The bytes stay as they are until this is empty, or is not sent from any more.
    #[inline]
    pub unsafe fn data(&mut self, at: *const u8, length: usize) {
        self.queued_bytes += length as u64;
        self.pieces.push_back(Piece::Data { at, length });
    }

    /// Hands as much to the kernel as it takes; Ok(true) once nothing is left.
    pub fn send(&mut self, stream: &mut Stream) -> io::Result<bool> {
        while !self.pieces.is_empty() {
            let mut parts = [IoSlice::new(&[]); PIECES];
            let count = self.pieces.len().min(PIECES);
            for (part, piece) in parts.iter_mut().zip(&self.pieces) {
                *part = IoSlice::new(match *piece {
                    Piece::Headers { from, to } => &self.headers[from..to],
                    // SAFETY: `data`'s caller vouches for the bytes.
                    Piece::Data { at, length } => unsafe { std::slice::from_raw_parts(at, length) },
                });
            }
            let mut left = &mut parts[..count];
            IoSlice::advance_slices(&mut left, self.sent);
            match stream.write_vectored(left) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(n) => self.advance(n),
                Err(e) => match e.kind() {
                    io::ErrorKind::WouldBlock => return Ok(false),
                    io::ErrorKind::Interrupted => {}
                    _ => return Err(e),
                },
            }
        }
        self.headers.clear();
        Ok(true)
    }

    fn advance(&mut self, mut sent: usize) {
        self.sent_bytes += sent as u64;
        sent += self.sent;
        while let Some(piece) = self.pieces.front() {
            let length = match piece {
                Piece::Headers { from, to } => to - from,
                Piece::Data { length, .. } => *length,
            };
            if sent < length {
                break;
            }
            sent -= length;
            self.pieces.pop_front();
        }
        self.sent = sent;
    }
}
