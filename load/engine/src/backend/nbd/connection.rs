//! A connection that never waits: requests out, answers in, data straight into the slots' buffers.

use super::error::ClientError;
use super::outbox::Outbox;
use super::stream::Stream;
use crate::backend::Action;
use plimsoll_nbd::client::{Awaited, InFlight, Outcome, PayloadAhead, Replies, Reply};
use plimsoll_nbd::{Command, CommandFlags, MAX_MESSAGE, ProtocolError, Request, Session};
use std::io::{self, ErrorKind, IoSliceMut, Read, Write};

/// Reads of one turn, at most: a server that never stops must not keep the others waiting.
const READS: usize = 64;
/// Low bits of a cookie are the slot, the others count issues.
const SLOT_BITS: u32 = 24;
/// As many slots as have a number of their own.
pub(super) const SLOTS: usize = 1 << SLOT_BITS;

/// The number of an issue as it travels.
pub(super) fn cookie(generation: u64, slot: u32) -> u64 {
    (generation << SLOT_BITS) | u64::from(slot)
}

/// The slot of a cookie.
pub(super) fn slot_of(cookie: u64) -> usize {
    (cookie & ((1 << SLOT_BITS) - 1)) as usize
}

/// The generation of a cookie.
pub(super) fn generation_of(cookie: u64) -> u64 {
    cookie >> SLOT_BITS
}

/// An I/O on this connection.
#[derive(Debug, Clone)]
pub(super) struct Issue {
    /// Cookie of the I/O; 0: there is none.
    pub cookie: u64,
    pub action: Action,
    pub offset: u64,
    pub length: u32,
    pub buffer: *mut u8,
    pub sent_ns: u64,
    /// Bytes of its data so far that were not sent: nothing is stored there.
    holes: u32,
    /// How many bytes have been sent on the connection when the last of its own has.
    end: u64,
    awaited: Awaited,
}

impl Issue {
    const NONE: Issue = Issue {
        cookie: 0,
        action: Action::Read,
        offset: 0,
        length: 0,
        buffer: std::ptr::null_mut(),
        sent_ns: 0,
        holes: 0,
        end: 0,
        awaited: Awaited::NONE,
    };

    /// An I/O that goes out now.
    pub fn new(cookie: u64, request: &crate::backend::Request, sent_ns: u64) -> Self {
        Issue {
            cookie,
            action: request.action,
            offset: request.offset,
            length: request.length,
            buffer: request.buffer,
            sent_ns,
            ..Issue::NONE
        }
    }

    fn is_out(&self) -> bool {
        self.cookie != 0
    }

    /// What a worker is told: bytes, or -errno.
    fn result(&self, outcome: Outcome) -> i32 {
        match (outcome, self.action) {
            (Outcome::Failed(code), _) => -(code as i32),
            (Outcome::Short(bytes), _) => bytes as i32,
            (Outcome::Good, Action::Sync | Action::DataSync) => 0,
            (Outcome::Good, _) => self.length as i32,
        }
    }
}

/// The I/Os of a connection, by slot.
#[derive(Debug)]
struct Issues {
    by_slot: Vec<Issue>,
    /// Bytes that were sent so far.
    sent: u64,
}

impl InFlight for Issues {
    /// An answer to what has not left yet is none: the data of such a write would follow from a buffer that is another
    /// I/O's by then.
    #[inline]
    fn find(&mut self, cookie: u64) -> Option<&mut Awaited> {
        let issue = self.by_slot.get_mut(slot_of(cookie))?;
        let sent = issue.cookie == cookie && cookie != 0 && issue.end <= self.sent;
        sent.then_some(&mut issue.awaited)
    }
}

/// An I/O that the server answered.
#[derive(Debug, Clone, Copy)]
pub(super) struct IoAnswer {
    pub cookie: u64,
    pub action: Action,
    /// Bytes, or -errno.
    pub result: i32,
    /// Bytes of a read that the server had no need to send.
    pub holes: u32,
    pub sent_ns: u64,
}

/// What becomes of data that comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Data {
    /// Data that goes where it belongs.
    Keep,
    /// Data that is thrown away, for its slot may belong to another I/O by now.
    Discard,
}

/// What one read came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Filled {
    /// Room used up: there may be more to read.
    Full,
    /// All there was.
    Last,
}

/// A connection with its I/Os.
#[derive(Debug)]
pub(super) struct Connection {
    stream: Stream,
    replies: Replies,
    outbox: Outbox,
    issues: Issues,
    in_flight: u32,
    input: Vec<u8>,
    start: usize,
    end: usize,
    /// Nothing that comes is understood any more.
    deaf: bool,
    /// The other end is not there any more.
    gone: bool,
    /// It was ended in the middle of a request.
    cut_short: bool,
}

impl Connection {
    /// Connection on a socket that has come to its export, for as many slots as the worker has.
    pub fn new(stream: Stream, session: &Session, slots: usize) -> io::Result<Self> {
        stream.never_block()?;
        Ok(Connection {
            stream,
            replies: Replies::new(session),
            outbox: Outbox::new(slots),
            issues: Issues {
                by_slot: vec![Issue::NONE; slots],
                sent: 0,
            },
            in_flight: 0,
            input: vec![0; MAX_MESSAGE],
            start: 0,
            end: 0,
            deaf: false,
            gone: false,
            cut_short: false,
        })
    }

    pub fn fd(&self) -> std::os::fd::RawFd {
        self.stream.fd()
    }

    /// I/Os that are out.
    pub fn in_flight(&self) -> u32 {
        self.in_flight
    }

    /// True where the kernel did not take all that is to be sent.
    pub fn has_more_to_send(&self) -> bool {
        !self.outbox.is_empty() || self.stream.has_unsent()
    }

    /// Numbers of the I/Os that are out.
    pub fn out(&self) -> impl Iterator<Item = u64> {
        let issues = self.issues.by_slot.iter();
        issues.map(|i| i.cookie).filter(|cookie| *cookie != 0)
    }

    /// Time at which the I/O was sent that has been out longest, ns.
    pub fn oldest_ns(&self) -> Option<u64> {
        let out = self.issues.by_slot.iter().filter(|i| i.is_out());
        out.map(|i| i.sent_ns).min()
    }

    /// Counts what is out as sent so much later, but not after now.
    pub fn forgive(&mut self, ns: u64, now_ns: u64) {
        for issue in self.issues.by_slot.iter_mut().filter(|i| i.is_out()) {
            issue.sent_ns = issue.sent_ns.saturating_add(ns).min(now_ns);
        }
    }

    /// Queues an I/O; `durable`: a write is answered once it is on stable storage.
    ///
    /// # Safety
    ///
    /// The buffer stays valid until the I/O's answer or until this is dropped; a write's bytes stay as they are until then
    /// or until [`Connection::end`]. A read's bytes are nobody else's while [`Data::Keep`] is asked for.
    #[inline]
    pub unsafe fn queue(&mut self, mut issue: Issue, durable: bool) {
        let mut request = Request::new(
            match issue.action {
                Action::Read => Command::Read,
                Action::Write => Command::Write,
                Action::Trim => Command::Trim,
                // An export has no names.
                _ => Command::Flush,
            },
            issue.cookie,
            issue.offset,
            issue.length,
        );
        if durable && matches!(issue.action, Action::Write | Action::Trim) {
            request.flags |= CommandFlags::FUA;
        }
        self.outbox.header(&request.to_bytes());
        if issue.action == Action::Write {
            // SAFETY: as the caller promises; nothing is sent from the outbox after `end`.
            unsafe { self.outbox.data(issue.buffer, issue.length as usize) };
        }
        issue.end = self.outbox.end();
        issue.awaited = Awaited::new(&request);
        let slot = slot_of(issue.cookie);
        self.issues.by_slot[slot] = issue;
        self.in_flight += 1;
    }

    /// Sends as much as the kernel takes.
    #[inline]
    pub fn send(&mut self) -> Result<(), ClientError> {
        let sent = self.outbox.send(&mut self.stream);
        let flushed = sent.and_then(|_| self.stream.flush());
        // What TLS has taken from the outbox has not left before the socket has the record that it is in.
        self.issues.sent = self.outbox.sent() - self.stream.unsent();
        match flushed {
            Err(e) if e.kind() != ErrorKind::WouldBlock => Err(self.broken(e)),
            _ => Ok(()),
        }
    }

    /// Sends nothing more, and asks the server to answer what it has and to hang up.
    pub fn end(&mut self) {
        self.cut_short = self.outbox.is_within_a_request() || self.stream.has_unsent();
        self.outbox = Outbox::default();
        self.stream.end();
    }

    /// True where a server may have hung up on this before it was through with what it had been sent: some stop at a
    /// request that is cut short while others are still being carried out.
    pub fn is_cut_short(&self) -> bool {
        self.cut_short && !self.gone
    }

    /// Of a connection whose server has ended its half: true where the server takes nothing either, and is gone. One that
    /// shuts down may have said its last word and still be carrying out what it was sent.
    pub fn is_gone(&mut self) -> bool {
        // A goodbye may follow a whole request, and nothing but the rest of one that is not.
        if !self.gone && self.outbox.is_empty() && !self.cut_short {
            let goodbye = Request::new(Command::Disconnect, 0, 0, 0);
            if let Err(error) = self.stream.write(&goodbye.to_bytes()) {
                self.broken(error);
            }
        }
        self.gone
    }

    /// From now on the server's words mean nothing: they are read until it hangs up.
    pub fn be_deaf(&mut self) {
        self.deaf = true;
    }

    /// Closes so that nothing of it leaves this host any more.
    pub fn reset(self) {
        self.stream.reset();
    }

    /// Says goodbye where nothing is out, and hangs up.
    pub fn leave(mut self) {
        if self.in_flight == 0 && self.outbox.is_empty() {
            let goodbye = Request::new(Command::Disconnect, 0, 0, 0);
            // A server that is gone needs no goodbye.
            let _ = self.stream.write(&goodbye.to_bytes());
            self.stream.farewell();
        }
    }

    /// Receives what has come; answers go to `answers`.
    pub fn receive(&mut self, data: Data, answers: &mut Vec<IoAnswer>) -> Result<(), ClientError> {
        for read in 0.. {
            // Beyond that only what was read already, and is held here.
            if read >= READS && !self.stream.holds() {
                break;
            }
            let filled = self.fill(data)?;
            if self.deaf {
                (self.start, self.end) = (0, 0);
            } else {
                self.understand(data, answers)?;
            }
            if filled == Filled::Last {
                break;
            }
        }
        Ok(())
    }

    /// Reads once: a payload into its place where that is wanted, and what comes after it into the input.
    fn fill(&mut self, data: Data) -> Result<Filled, ClientError> {
        if self.start > 0 {
            self.input.copy_within(self.start..self.end, 0);
            (self.start, self.end) = (0, self.end - self.start);
        }
        let ahead = self.replies.payload().filter(|_| data == Data::Keep);
        let space = self.input.len() - self.end;
        let (read, room) = match ahead {
            Some(ahead) => {
                let PayloadAhead { cookie, at, left } = ahead;
                let place = self.place(cookie, at, left)?;
                let read = self
                    .stream
                    .read_vectored(&mut [IoSliceMut::new(place), IoSliceMut::new(&mut self.input)]);
                (read, left as usize)
            }
            None => (self.stream.read(&mut self.input[self.end..]), 0),
        };
        match read {
            Ok(0) => Err(ClientError::Closed),
            Ok(n) => {
                let direct = n.min(room);
                if ahead.is_some() {
                    self.replies.took(direct as u32);
                }
                self.end += n - direct;
                // The kernel gives all it has; what comes now wakes the next ppoll. TLS tells of what it holds.
                Ok(if n < room + space && !self.stream.holds() {
                    Filled::Last
                } else {
                    Filled::Full
                })
            }
            Err(e) => match e.kind() {
                ErrorKind::WouldBlock => Ok(Filled::Last),
                ErrorKind::Interrupted => Ok(Filled::Full),
                _ => Err(self.broken(e)),
            },
        }
    }

    /// Where data of a read goes.
    fn place(&self, cookie: u64, at: u32, length: u32) -> Result<&'static mut [u8], ClientError> {
        let issue = &self.issues.by_slot[slot_of(cookie)];
        let fits = u64::from(at) + u64::from(length) <= u64::from(issue.length);
        if issue.cookie != cookie || !fits {
            return Err(ProtocolError::UnknownCookie(cookie).into());
        }
        // SAFETY: `queue`'s caller vouches for `length` bytes at `buffer`, which nobody else touches; the part is inside
        // of them. It is used before anything else is done with this connection.
        Ok(unsafe {
            std::slice::from_raw_parts_mut(issue.buffer.add(at as usize), length as usize)
        })
    }

    /// Takes what is held as far as it goes.
    fn understand(&mut self, data: Data, answers: &mut Vec<IoAnswer>) -> Result<(), ClientError> {
        loop {
            let mut rest = &self.input[self.start..self.end];
            let reply = self.replies.next(&mut rest, &mut self.issues)?;
            let left = rest.len();
            let Some(reply) = reply else {
                self.start = self.end - left;
                return Ok(());
            };
            match reply {
                Reply::Payload { cookie, at, bytes } => {
                    if data == Data::Keep {
                        let place = self.place(cookie, at, bytes.len() as u32)?;
                        place.copy_from_slice(bytes);
                    }
                }
                Reply::Hole { cookie, at, len } => {
                    // `Replies` has seen that it lies inside of the request, and each byte once.
                    self.issues.by_slot[slot_of(cookie)].holes += len;
                    if data == Data::Keep {
                        self.place(cookie, at, len)?.fill(0);
                    }
                }
                Reply::Error { .. } | Reply::Extent { .. } => {}
                Reply::Done { cookie, outcome } => {
                    let issue = &mut self.issues.by_slot[slot_of(cookie)];
                    answers.push(IoAnswer {
                        cookie,
                        action: issue.action,
                        result: issue.result(outcome),
                        holes: issue.holes,
                        sent_ns: issue.sent_ns,
                    });
                    issue.cookie = 0;
                    self.in_flight -= 1;
                }
            }
            self.start = self.end - left;
        }
    }

    /// What an error of the socket says of the connection.
    fn broken(&mut self, error: io::Error) -> ClientError {
        match error.kind() {
            ErrorKind::BrokenPipe | ErrorKind::ConnectionReset | ErrorKind::WriteZero => {
                self.gone = self.stream.is_ended_by_server();
                match self.gone {
                    true => ClientError::Closed,
                    false => ClientError::Cut,
                }
            }
            ErrorKind::UnexpectedEof => ClientError::Cut,
            _ => ClientError::Broken(error),
        }
    }
}
