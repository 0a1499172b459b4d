//! Requests in, replies out.

use super::bearing::Bearing;
use super::handshake::wait;
use super::incoming::Incoming;
use super::long::Longs;
use super::outbox::{Outbox, ReplyContent};
use super::patience::Patience;
use super::{End, Input, Lab, Wire};
use plimsoll_content::Identity;
use plimsoll_nbd::server::{Event, ReplyEncoder, Requests};
use plimsoll_nbd::{Command, Request, Session};
use rustix::event::PollFlags;
use std::num::NonZeroU64;
use std::time::{Duration, Instant};

/// At most this much earlier do we wake because timers are late, nanoseconds.
const MARGIN_MAX: u64 = 60_000;

/// A client that has an export.
pub(super) struct Connection<'a> {
    pub(super) lab: &'a Lab,
    wire: Wire<'a>,
    input: Input,
    pub(super) requests: Requests,
    pub(super) outbox: Outbox<'a>,
    /// The connection's number.
    pub(super) id: u64,
    pub(super) lun: u32,
    pub(super) path: u32,
    pub(super) longs: Longs,
    pub(super) bearing: Bearing,
    /// The write whose payload comes next.
    pub(super) write: Option<Request>,
    /// The same, when not all of it was there at once.
    pub(super) incoming: Option<Incoming>,
    /// Memory for the next write that comes in pieces.
    pub(super) piece: Vec<u8>,
    pub(super) blocks: Vec<Identity>,
    /// There were more requests than may be in flight.
    backlog: bool,
    leaving: bool,
    /// Since when the client has not taken anything.
    stalled: Option<Instant>,
    /// How late timers are here, nanoseconds.
    margin: u64,
    patience: Patience,
}

impl<'a> Connection<'a> {
    pub(super) fn new(
        lab: &'a Lab,
        wire: Wire<'a>,
        session: &Session,
        input: Input,
        (id, lun, path): (u64, u32, u32),
    ) -> Self {
        Connection {
            lab,
            wire,
            input,
            requests: Requests::new(session),
            outbox: Outbox::new(lab, lun, ReplyEncoder::new(session)),
            id,
            lun,
            path,
            longs: Longs::default(),
            bearing: Bearing::default(),
            write: None,
            incoming: None,
            piece: Vec::new(),
            blocks: Vec::new(),
            backlog: false,
            leaving: false,
            stalled: None,
            margin: 0,
            patience: Patience::new(),
        }
    }

    /// Serves until the client leaves.
    pub(super) fn run(mut self) -> Result<(), End> {
        if self.lab.model.timing {
            // Timers are late by 50 us by default. Where that may not be changed, they are.
            let _ = rustix::thread::set_current_timer_slack(NonZeroU64::new(1));
        }
        // The client may have sent requests with its choice.
        self.understand()?;
        loop {
            let turn = self.take_turn()?;
            self.send()?;
            let is_sent = self.outbox.is_empty() && self.stalled.is_none();
            if self.leaving && is_sent && self.longs.is_empty() {
                return Ok(());
            }
            if self.receive(turn)? {
                self.understand()?;
            }
        }
    }

    /// Sends what is due, as far as the socket takes it.
    fn send(&mut self) -> Result<(), End> {
        loop {
            self.outbox.fill()?;
            let sent = match self.outbox.bytes() {
                [] if self.wire.flush()? => {
                    self.stalled = None;
                    return Ok(());
                }
                [] => 0,
                bytes => self.wire.try_send(bytes)?,
            };
            match sent {
                0 => {
                    self.stalled.get_or_insert_with(Instant::now);
                    return Ok(());
                }
                n => {
                    self.outbox.sent(n);
                    self.stalled = None;
                }
            }
        }
    }

    /// As many requests or as much data is in flight as may be.
    fn is_full(&self) -> bool {
        let (requests, bytes) = self.longs.size();
        self.outbox.is_full(requests, bytes) || self.has_its_share()
    }

    /// Waits until there is something to do, which is at `turn` when a long request goes on; true when bytes came, or some
    /// that came before can be looked at now.
    fn receive(&mut self, turn: Option<u64>) -> Result<bool, End> {
        let may_read = !self.leaving && !self.is_full();
        if may_read && self.backlog {
            return Ok(true);
        }
        if may_read && self.wire.holds() {
            return self.take(false);
        }
        let next = [self.outbox.next_due(), turn].into_iter().flatten().min();
        if self.stalled.is_none() && next.is_none() {
            // Nothing to be sent, now or later: what comes next comes from the client.
            return self.take(true);
        }
        let mut what = PollFlags::empty();
        what.set(PollFlags::IN, may_read);
        what.set(PollFlags::OUT, self.stalled.is_some());
        // What a client has begun ends with it, also where we would not read on for a while.
        what.set(PollFlags::RDHUP, !may_read && turn.is_some());
        let ready = self.wait(what, next)?;
        if ready.contains(PollFlags::RDHUP) {
            return Err(End::Left);
        }
        if ready.intersects(PollFlags::HUP | PollFlags::ERR) && !ready.contains(PollFlags::IN) {
            return Err(End::Left);
        }
        if ready.contains(PollFlags::IN) {
            return self.take(false);
        }
        Ok(false)
    }

    /// Waits for the socket, for the next reply's time or for the end of our patience.
    fn wait(&mut self, what: PollFlags, next: Option<u64>) -> Result<PollFlags, End> {
        if let Some(since) = self.stalled {
            let left = self.lab.limits.stall.saturating_sub(since.elapsed());
            if left.is_zero() {
                return Err(End::Late);
            }
            let turn = next.map_or(left, |at| self.lab.model.until(at));
            return Ok(wait(self.wire.stream(), what, left.min(turn))?);
        }
        let model = &self.lab.model;
        let target = next.unwrap_or(u64::MAX).saturating_sub(self.margin);
        let time = model.until(target).min(Duration::from_secs(3600));
        let ready = wait(self.wire.stream(), what, time)?;
        if ready.is_empty() && !time.is_zero() {
            let late = model.now().saturating_sub(target).min(MARGIN_MAX);
            self.margin = (self.margin * 7 + late) / 8;
        }
        Ok(ready)
    }

    /// Receives bytes: of a write that is on its way into its piece, else into the input.
    fn take(&mut self, wait: bool) -> Result<bool, End> {
        let direct = self.input.held == 0;
        let place = match &mut self.incoming {
            Some(incoming) if direct => incoming.room(),
            _ => self.input.room(),
        };
        let came = if wait {
            let awake = &self.lab.awake;
            Some(self.patience.receive(awake, &mut self.wire, place)?)
        } else {
            self.wire.try_receive(place)?
        };
        match came {
            None => return Ok(false),
            Some(0) => return Err(End::Left),
            Some(n) => match &mut self.incoming {
                Some(incoming) if direct => {
                    self.requests.took(n as u32);
                    if incoming.came(n) {
                        self.store_piece()?;
                    }
                }
                _ => self.input.held += n,
            },
        }
        Ok(true)
    }

    /// Carries out what has come.
    fn understand(&mut self) -> Result<(), End> {
        let buffer = std::mem::take(&mut self.input.buffer);
        let mut rest = &buffer[..self.input.held];
        let result = self.understand_bytes(&mut rest);
        let rest = rest.len();
        self.input.buffer = buffer;
        self.input.keep(rest);
        result
    }

    fn understand_bytes(&mut self, rest: &mut &[u8]) -> Result<(), End> {
        self.backlog = false;
        while !self.leaving {
            if self.is_full() {
                self.backlog = true;
                break;
            }
            match self.requests.next(rest)? {
                None => break,
                Some(Event::Request(request)) if request.command == Command::Write => {
                    self.write = Some(request);
                }
                Some(Event::Request(request)) => self.carry_out(&request)?,
                Some(Event::Payload { bytes, .. }) => self.put(bytes)?,
                Some(Event::Refused { cookie, code, why }) => {
                    self.outbox
                        .push(0, cookie, ReplyContent::Error(code, why), 0);
                }
                Some(Event::Disconnect) => self.leaving = true,
            }
        }
        if let (Some(_), Some(request)) = (self.requests.payload(), self.write.take()) {
            // None of it is there: it can go into its place without a detour.
            self.begin_pieces(request);
        }
        Ok(())
    }
}
