//! Replies that wait for their time, and replies on their way out.

use super::{End, Lab};
use crate::store::ExtentKind;
use plimsoll_nbd::server::{Extent, ReplyEncoder};
use plimsoll_nbd::{ErrorCode, ExtentFlags};
use std::cmp::Ordering;
use std::collections::{BinaryHeap, VecDeque};

/// Bytes that are made ready to be sent at a time. Data is read from the store only then.
const READY: usize = 256 << 10;

/// The most extents in one answer to a BLOCK_STATUS.
const EXTENTS: usize = 512;

/// The most of a LUN that one answer to a BLOCK_STATUS is about, bytes. The client asks again for what is behind it.
const REACH: u64 = 256 << 20;

/// What is answered.
#[derive(Debug, Clone, Copy)]
pub(super) enum ReplyContent {
    /// The data; `whole` in one piece.
    Read { offset: u64, len: u32, whole: bool },
    /// It is done.
    Done,
    /// It failed, for this reason.
    Error(ErrorCode, &'static str),
    /// Which parts are holes; only the first of them when `one`.
    Extents { offset: u64, len: u32, one: bool },
}

/// An answer, to whom, and when.
#[derive(Debug)]
struct Reply {
    due: u64,
    /// Replies that are due at the same time leave in the order in which they were asked for.
    turn: u64,
    cookie: u64,
    answer: ReplyContent,
    /// Data of its request, read or written.
    bytes: u32,
}

impl PartialEq for Reply {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Reply {}

impl PartialOrd for Reply {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Reply {
    /// The one that is due first is the greatest, as [`BinaryHeap`] wants it.
    fn cmp(&self, other: &Self) -> Ordering {
        (other.due, other.turn).cmp(&(self.due, self.turn))
    }
}

/// A read whose data is being sent.
#[derive(Debug)]
struct Reading {
    cookie: u64,
    at: u64,
    end: u64,
    /// One header went out for all of it.
    headed: bool,
}

/// The replies of one connection.
pub(super) struct Outbox<'a> {
    lab: &'a Lab,
    lun: u32,
    encoder: ReplyEncoder,
    waiting: BinaryHeap<Reply>,
    due: VecDeque<Reply>,
    reading: Option<Reading>,
    ready: Vec<u8>,
    sent: usize,
    turn: u64,
    /// Data of the requests that have no answer yet.
    in_flight: u64,
    /// When the replies in `ready` were due.
    leaving: Vec<u64>,
}

impl<'a> Outbox<'a> {
    pub(super) fn new(lab: &'a Lab, lun: u32, encoder: ReplyEncoder) -> Self {
        Outbox {
            lab,
            lun,
            encoder,
            waiting: BinaryHeap::new(),
            due: VecDeque::new(),
            reading: None,
            ready: Vec::new(),
            sent: 0,
            turn: 0,
            in_flight: 0,
            leaving: Vec::new(),
        }
    }

    /// An answer at the model's time, or as soon as may be, to a request with so many bytes of data.
    #[inline]
    pub(super) fn push(&mut self, due: u64, cookie: u64, answer: ReplyContent, bytes: u32) {
        let turn = self.turn;
        self.turn += 1;
        self.in_flight += u64::from(bytes);
        let reply = Reply {
            due,
            turn,
            cookie,
            answer,
            bytes,
        };
        if self.lab.model.timing {
            self.waiting.push(reply);
        } else {
            self.due.push_back(reply);
        }
    }

    /// As many requests or as much data is in flight as may be, with so many more that are not done yet.
    pub(super) fn is_full(&self, more: usize, more_bytes: u64) -> bool {
        let limits = &self.lab.limits;
        self.len() + more >= limits.in_flight
            || self.in_flight + more_bytes >= limits.in_flight_bytes
    }

    /// Requests that have no answer yet, and the bytes of their data.
    pub(super) fn size(&self) -> (usize, u64) {
        (self.len(), self.in_flight)
    }

    /// Requests that have no answer yet.
    fn len(&self) -> usize {
        self.waiting.len() + self.due.len() + usize::from(self.reading.is_some())
    }

    /// Nothing waits and nothing is on its way.
    pub(super) fn is_empty(&self) -> bool {
        self.len() == 0 && self.bytes().is_empty()
    }

    /// When the next reply is due that is not on its way yet.
    pub(super) fn next_due(&self) -> Option<u64> {
        self.waiting.peek().map(|reply| reply.due)
    }

    /// What is ready to be sent.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.ready[self.sent..]
    }

    /// So many bytes were sent.
    pub(super) fn sent(&mut self, bytes: usize) {
        self.sent += bytes;
        if self.sent == self.ready.len() {
            self.ready.clear();
            self.sent = 0;
        }
        if bytes > 0 && !self.leaving.is_empty() {
            self.lab.lag.record(self.lab.model.now(), &self.leaving);
            self.leaving.clear();
        }
    }

    /// Makes ready what is due, as much as is sent at a time.
    pub(super) fn fill(&mut self) -> Result<(), End> {
        if !self.waiting.is_empty() {
            let now = self.lab.model.now();
            while self.waiting.peek().is_some_and(|reply| reply.due <= now) {
                self.due.extend(self.waiting.pop());
            }
        }
        while self.ready.len() < READY {
            if let Some(reading) = self.reading.take() {
                self.reading = self.go_on(reading)?;
            } else if let Some(reply) = self.due.pop_front() {
                if self.lab.model.timing {
                    self.leaving.push(reply.due);
                }
                self.begin(&reply)?;
                if matches!(reply.answer, ReplyContent::Extents { .. }) {
                    // Looking takes a while: whoever left meanwhile is not looked for any more.
                    break;
                }
            } else {
                break;
            }
        }
        Ok(())
    }

    fn begin(&mut self, reply: &Reply) -> Result<(), End> {
        self.in_flight -= u64::from(reply.bytes);
        let cookie = reply.cookie;
        match reply.answer {
            ReplyContent::Done => self.encoder.done(cookie, &mut self.ready),
            ReplyContent::Error(code, why) => {
                self.encoder.error(cookie, code, why, &mut self.ready)
            }
            ReplyContent::Extents { offset, len, one } => self.extents(cookie, offset, len, one),
            ReplyContent::Read { offset, len, whole } => {
                let headed = whole || !self.encoder.has_holes();
                if headed {
                    self.encoder
                        .data(cookie, offset, len, true, &mut self.ready);
                }
                let reading = Reading {
                    cookie,
                    at: offset,
                    end: offset + u64::from(len),
                    headed,
                };
                self.reading = self.go_on(reading)?;
            }
        }
        Ok(())
    }

    /// The next stretch of a read; what is left of it.
    fn go_on(&mut self, mut reading: Reading) -> Result<Option<Reading>, End> {
        let Reading {
            cookie, at, end, ..
        } = reading;
        let store = &self.lab.store;
        let look = !reading.headed && store.finds_holes_quickly();
        let run = if look {
            store.run(self.lun, at..end).ok()
        } else {
            None
        };
        let (zero, run) = match run {
            Some(run) => (run.kind != ExtentKind::Data, run.len),
            None => (false, end - at),
        };
        if zero {
            let len = run as u32;
            self.encoder
                .hole(cookie, at, len, at + run == end, &mut self.ready);
            reading.at += run;
        } else {
            let len = run.min(READY as u64);
            let last = at + len == end;
            let before = self.ready.len();
            if !reading.headed {
                self.encoder
                    .data(cookie, at, len as u32, last, &mut self.ready);
            }
            let start = self.ready.len();
            self.ready.resize(start + len as usize, 0);
            if store.read(self.lun, at, &mut self.ready[start..]).is_err() {
                if reading.headed {
                    return Err(End::DataLost);
                }
                self.ready.truncate(before);
                let why = "the backing file cannot be read";
                self.encoder
                    .error(cookie, ErrorCode::Io, why, &mut self.ready);
                return Ok(None);
            }
            reading.at += len;
        }
        Ok((reading.at < end).then_some(reading))
    }

    fn extents(&mut self, cookie: u64, offset: u64, len: u32, one: bool) {
        let end = offset + u64::from(len).min(REACH);
        let mut extents: Vec<Extent> = Vec::new();
        let mut at = offset;
        while at < end {
            let Ok(run) = self.lab.store.run(self.lun, at..end) else {
                let why = "the backing file cannot be looked at";
                self.encoder
                    .error(cookie, ErrorCode::Io, why, &mut self.ready);
                return;
            };
            let flags = match run.kind {
                ExtentKind::Hole => ExtentFlags::HOLE | ExtentFlags::ZERO,
                ExtentKind::Zero => ExtentFlags::ZERO,
                ExtentKind::Data => ExtentFlags::empty(),
            };
            at += run.len;
            let full = extents.len() == if one { 1 } else { EXTENTS };
            match extents.last_mut() {
                Some(last) if last.flags == flags => last.len += run.len as u32,
                _ if full => break,
                _ => extents.push(Extent {
                    len: run.len as u32,
                    flags,
                }),
            }
        }
        self.encoder.extents(cookie, &extents, &mut self.ready);
    }
}
