//! One volume on one worker: its paths, which of them each I/O takes, and what happens when one fails.

use super::connection::{Connection, Data, IoAnswer, Issue, generation_of};
use super::error::ClientError;
use super::jobs::{Jobs, Ticket};
use super::ledger::{ClientPathState, Ledger, PathEvent};
use super::path::{Closing, FIRST_RETRY_NS, Hearing, Loss, Path, Which};
use super::selector::choose;
use super::stream::Stream;
use super::trial::{self, Trials};
use super::volume::Volume;
use crate::EngineError;
use crate::backend::Action;
use plimsoll_nbd::{ErrorCode, Session, TransmissionFlags};
use std::collections::VecDeque;
use std::sync::Arc;

/// A volume as a worker reaches it.
#[derive(Debug)]
pub(super) struct Multipath {
    volume: Arc<Volume>,
    ledger: Arc<Ledger>,
    /// The worker's number of this volume.
    number: usize,
    durable: bool,
    deadline_ns: u64,
    paths: Vec<Path>,
    last: usize,
    /// I/Os that wait for a path.
    stranded: VecDeque<Ticket>,
    /// Since when there is none.
    without_path_ns: Option<u64>,
    /// How long an I/O may be taken off one path after another, ns.
    in_vain_ns: u64,
    /// Writes were answered on a connection that is lost, and no flush covers them any more: the next one fails.
    lost_unflushed: bool,
    answers: Vec<IoAnswer>,
}

impl Multipath {
    /// Connects by every path; fails where none leads there.
    pub fn connect(
        volume: Arc<Volume>,
        ledger: Arc<Ledger>,
        number: usize,
        durable: bool,
        slots: usize,
        now_ns: u64,
    ) -> Result<Self, EngineError> {
        let mut paths = Vec::new();
        let mut refusal = None;
        for (index, uri) in volume.plan.paths.iter().enumerate() {
            let connected = trial::attempt(&volume, uri).and_then(|(stream, session)| {
                Connection::new(stream, &session, slots).map_err(ClientError::Broken)
            });
            let mut path = Path::new();
            match connected {
                Ok(connection) => path.connection = Some(connection),
                Err(source) => {
                    path.state = ClientPathState::Down;
                    path.retry_at_ns = now_ns + FIRST_RETRY_NS;
                    ledger.tell(PathEvent {
                        at_ns: now_ns,
                        path: index,
                        state: ClientPathState::Down,
                        why: source.to_string(),
                    });
                    let uri = uri.to_string();
                    refusal.get_or_insert(EngineError::Nbd { uri, source });
                }
            }
            paths.push(path);
        }
        if paths.iter().all(|p| p.state == ClientPathState::Down) {
            return Err(refusal.unwrap_or(EngineError::Empty));
        }
        let deadline_ns = volume.plan.deadline().0.max(1);
        let each_once_ns = deadline_ns.saturating_mul(paths.len() as u64);
        Ok(Multipath {
            deadline_ns,
            in_vain_ns: each_once_ns.saturating_add(volume.plan.no_path_retry.0),
            lost_unflushed: false,
            volume,
            ledger,
            number,
            durable,
            last: paths.len() - 1,
            paths,
            stranded: VecDeque::with_capacity(slots),
            without_path_ns: None,
            answers: Vec::with_capacity(slots),
        })
    }

    /// True where something happens only as time passes.
    pub fn is_tending(&self) -> bool {
        !self.stranded.is_empty()
            || self.paths.iter().any(|p| {
                let busy = p.connection.as_ref().is_some_and(|c| c.in_flight() > 0);
                busy || p.state != ClientPathState::Up || !p.closing.is_empty()
            })
    }

    /// Longest time that an I/O may be out, ns.
    pub fn deadline_ns(&self) -> u64 {
        self.deadline_ns
    }

    /// The sockets to wait for: (path, which of its connections, descriptor, whether it has more to send).
    pub fn sockets(&self, mut each: impl FnMut(usize, Which, i32, bool)) {
        for (index, path) in self.paths.iter().enumerate() {
            if let Some(c) = &path.connection {
                each(index, Which::Live, c.fd(), c.has_more_to_send());
            }
            let closing = path.closing.iter().enumerate();
            for (n, closing) in closing.filter(|(_, c)| c.hearing == Hearing::Answers) {
                each(index, Which::Closing(n), closing.connection.fd(), false);
            }
        }
    }

    /// Sends an I/O on the path that the selector chooses, or keeps it until there is one.
    #[inline]
    pub fn place(&mut self, ticket: Ticket, jobs: &mut Jobs, now_ns: u64) {
        let all = self.paths.iter().enumerate();
        let candidates = all.filter_map(|(path, p)| p.candidate(path));
        let Some(mut path) = choose(self.volume.plan.selector, self.last, candidates) else {
            return self.strand(ticket, jobs, now_ns);
        };
        if !self.volume.many && jobs.action(ticket).is_sync() {
            if std::mem::take(&mut self.lost_unflushed) {
                return jobs.fail(ticket, libc::EIO);
            }
            path = self.unflushed_before(ticket).unwrap_or(path);
        }
        self.last = path;
        for p in &mut self.paths {
            p.passed = p.passed.saturating_add(1);
        }
        self.paths[path].take();
        let (cookie, request) = jobs.issue(ticket);
        if request.action == Action::Trim && !self.volume.can(TransmissionFlags::TRIM) {
            return jobs.answered(cookie, -libc::EOPNOTSUPP);
        }
        if let Some(connection) = &mut self.paths[path].connection {
            let issue = Issue::new(cookie, &request, now_ns);
            // SAFETY: the buffer is the slot's, which the worker leaves alone until `jobs` says that the I/O ended. That is
            // not before this issue is answered or settled, or, of a read, its connection is received from with
            // `Data::Discard`; see `Jobs`. Of a connection that is lost nothing is sent any more.
            unsafe { connection.queue(issue, self.durable) };
        }
    }

    /// A path with writes that this flush has to cover.
    fn unflushed_before(&self, flush: Ticket) -> Option<usize> {
        let up = |p: &Path| p.connection.is_some() && p.unflushed.before(flush.first());
        self.paths.iter().position(up)
    }

    #[cold]
    fn strand(&mut self, ticket: Ticket, jobs: &mut Jobs, now_ns: u64) {
        let since = *self.without_path_ns.get_or_insert(now_ns);
        if now_ns.saturating_sub(since) >= self.volume.plan.no_path_retry.0 {
            jobs.fail(ticket, libc::EIO);
        } else {
            self.stranded.push_back(ticket);
        }
    }

    /// Hands what is queued to the kernel.
    #[inline]
    pub fn send(&mut self, jobs: &mut Jobs, now_ns: u64) {
        for path in 0..self.paths.len() {
            let Some(connection) = &mut self.paths[path].connection else {
                continue;
            };
            if connection.has_more_to_send()
                && let Err(error) = connection.send()
            {
                // The server may have answered some before it hung up, or be about to.
                self.receive(path, Which::Live, jobs, now_ns);
                let loss = Loss::by_sending(&error);
                self.lose(path, loss, error, jobs, now_ns);
            }
        }
    }

    /// Receives what has come on a socket.
    pub fn receive(&mut self, path: usize, which: Which, jobs: &mut Jobs, now_ns: u64) {
        match which {
            Which::Live => self.receive_live(path, jobs, now_ns),
            Which::Closing(n) => self.receive_closing(path, n, jobs),
        }
    }

    #[inline]
    fn receive_live(&mut self, path: usize, jobs: &mut Jobs, now_ns: u64) {
        let p = &mut self.paths[path];
        let Some(connection) = &mut p.connection else {
            return;
        };
        let received = connection.receive(Data::Keep, &mut self.answers);
        let mut shutting_down = false;
        let mut answers = std::mem::take(&mut self.answers);
        for answer in answers.drain(..) {
            if answer.result == -(ErrorCode::Shutdown as i32) {
                // That is the path's and not the volume's: another one may do.
                shutting_down = true;
                self.ledger.moved(path, 1);
                jobs.settled(answer.cookie);
                self.take_back(answer.cookie, jobs, now_ns);
                continue;
            }
            let took = now_ns.saturating_sub(answer.sent_ns);
            self.paths[path].learn(took);
            self.ledger.answered(path, answer.result >= 0, took);
            if answer.action == Action::Read && answer.result > 0 {
                let holes = u64::from(answer.holes);
                self.ledger.read(path, answer.result as u64, holes);
            }
            if self.volume.many || !self.flush_goes_on(path, &answer, jobs) {
                jobs.answered(answer.cookie, answer.result);
            }
        }
        self.answers = answers;
        match received {
            Ok(()) if shutting_down => {
                self.lose(path, Loss::Silent, ClientError::ShuttingDown, jobs, now_ns);
            }
            Ok(()) if self.stranded.is_empty() => {}
            Ok(()) => self.place_stranded(jobs, now_ns),
            Err(e) => self.lose(path, Loss::by(&e), e, jobs, now_ns),
        }
    }

    /// Keeps account of what a flush counts for, where it counts for its own connection only. True where the answer is
    /// that of a flush which other connections have yet to carry out.
    fn flush_goes_on(&mut self, path: usize, answer: &IoAnswer, jobs: &mut Jobs) -> bool {
        if answer.result < 0 {
            return false;
        }
        match answer.action {
            Action::Read => false,
            Action::Write | Action::Trim => {
                if !self.durable {
                    self.paths[path].unflushed.wrote(jobs.last_issue());
                }
                false
            }
            _ => {
                let issue = generation_of(answer.cookie);
                self.paths[path].unflushed.flushed(issue);
                let Some(flush) = jobs.ticket(answer.cookie) else {
                    return false;
                };
                if !self.lost_unflushed && self.unflushed_before(flush).is_none() {
                    return false;
                }
                jobs.settled(answer.cookie);
                self.stranded.push_back(flush);
                true
            }
        }
    }

    /// An I/O comes back from a path that is lost, to go elsewhere; it fails where that has been going on for too long.
    #[cold]
    fn take_back(&mut self, cookie: u64, jobs: &mut Jobs, now_ns: u64) {
        let Some(ticket) = jobs.ticket(cookie) else {
            return;
        };
        let since = jobs.taken_back(ticket, now_ns);
        if now_ns.saturating_sub(since) > self.in_vain_ns {
            jobs.fail(ticket, libc::EIO);
        } else {
            self.stranded.push_back(ticket);
        }
    }

    /// Late answers on a connection that was given up, and its end.
    fn receive_closing(&mut self, path: usize, n: usize, jobs: &mut Jobs) {
        let Some(closing) = self.paths[path].closing.get_mut(n) else {
            return;
        };
        let received = closing.connection.receive(Data::Discard, &mut self.answers);
        for answer in self.answers.drain(..) {
            if answer.result == -(ErrorCode::Shutdown as i32) {
                // As of a live one: it was sent elsewhere already.
                jobs.settled(answer.cookie);
                continue;
            }
            let wrote = matches!(answer.action, Action::Write | Action::Trim);
            self.lost_unflushed |=
                wrote && answer.result >= 0 && !self.volume.many && !self.durable;
            jobs.answered_late(answer.cookie, answer.result);
        }
        match received {
            Ok(()) => {}
            Err(ClientError::Broken(_) | ClientError::Cut) => closing.hearing = Hearing::Nothing,
            Err(ClientError::Closed) if closing.connection.is_cut_short() => {
                closing.hearing = Hearing::Nothing;
            }
            Err(ClientError::Closed) => {
                let closed = self.paths[path].closing.swap_remove(n);
                for cookie in closed.connection.out() {
                    jobs.settled(cookie);
                }
            }
            Err(_) => closing.connection.be_deaf(),
        }
    }

    /// A path is down: what is out there goes elsewhere.
    #[cold]
    fn lose(&mut self, path: usize, loss: Loss, why: ClientError, jobs: &mut Jobs, now_ns: u64) {
        let Some((mut connection, unflushed)) = self.paths[path].go_down(now_ns) else {
            return;
        };
        self.lost_unflushed |= unflushed;
        self.ledger.tell(PathEvent {
            at_ns: now_ns,
            path,
            state: ClientPathState::Down,
            why: why.to_string(),
        });
        let out: Vec<u64> = connection.out().collect();
        self.ledger.moved(path, out.len() as u64);
        let hearing = match loss {
            Loss::Closed => Hearing::End,
            Loss::Cut => Hearing::Nothing,
            Loss::Silent | Loss::Babbling => Hearing::Answers,
        };
        if hearing == Hearing::End && connection.is_gone() {
            for cookie in &out {
                jobs.settled(*cookie);
            }
        } else {
            if hearing != Hearing::End {
                connection.end();
            }
            if matches!(loss, Loss::Babbling) {
                connection.be_deaf();
            }
            self.paths[path].closing.push(Closing {
                connection,
                until_ns: now_ns + self.deadline_ns,
                hearing,
            });
        }
        for cookie in out {
            self.take_back(cookie, jobs, now_ns);
        }
        self.place_stranded(jobs, now_ns);
    }

    /// What waited for a path goes out, where there is one.
    fn place_stranded(&mut self, jobs: &mut Jobs, now_ns: u64) {
        for _ in 0..self.stranded.len() {
            let Some(ticket) = self.stranded.pop_front() else {
                break;
            };
            // An earlier issue may have been answered after all.
            if jobs.wants(ticket) {
                self.place(ticket, jobs, now_ns);
            }
        }
    }

    /// So much time was not the paths', but this process': it stood still.
    #[cold]
    pub fn forgive(&mut self, ns: u64, now_ns: u64) {
        for path in &mut self.paths {
            if let Some(connection) = &mut path.connection {
                connection.forgive(ns, now_ns);
            }
            for closing in &mut path.closing {
                closing.until_ns = closing.until_ns.saturating_add(ns);
            }
        }
    }

    /// Does what time asks for: deadlines, connections that do not close, trials, I/Os that waited long enough.
    #[cold]
    pub fn tend(&mut self, jobs: &mut Jobs, trials: &Trials, now_ns: u64) {
        for path in 0..self.paths.len() {
            let oldest = self.paths[path]
                .connection
                .as_ref()
                .and_then(|c| c.oldest_ns());
            if oldest.is_some_and(|t| now_ns.saturating_sub(t) >= self.deadline_ns) {
                let silent = std::time::Duration::from_nanos(self.deadline_ns);
                let why = ClientError::Silent(silent);
                self.lose(path, Loss::Silent, why, jobs, now_ns);
            }
            self.end_closing(path, jobs, now_ns);
            let p = &mut self.paths[path];
            if p.state == ClientPathState::Down && now_ns >= p.retry_at_ns {
                p.state = ClientPathState::Trial;
                trials.start(&self.volume, self.number, path);
            }
        }
        if !self.stranded.is_empty() {
            // Those that may not wait any more fail.
            self.place_stranded(jobs, now_ns);
        }
    }

    /// Ends connections whose servers are gone, and cuts those that did not close in time.
    fn end_closing(&mut self, path: usize, jobs: &mut Jobs, now_ns: u64) {
        let closing = &mut self.paths[path].closing;
        let is_gone = |c: &mut Closing| c.hearing == Hearing::End && c.connection.is_gone();
        while let Some(n) = closing.iter_mut().position(is_gone) {
            for cookie in closing.swap_remove(n).connection.out() {
                jobs.settled(cookie);
            }
        }
        while let Some(n) = closing.iter().position(|c| now_ns >= c.until_ns) {
            let connection = closing.swap_remove(n).connection;
            let mut writes = 0;
            for cookie in connection.out() {
                writes += u64::from(jobs.settled(cookie));
            }
            self.ledger.unconfirmed(writes);
            connection.reset();
        }
    }

    /// A trial has ended.
    #[cold]
    pub fn tried(
        &mut self,
        path: usize,
        result: Result<(Stream, Session), ClientError>,
        jobs: &mut Jobs,
        now_ns: u64,
    ) {
        let connected = result.and_then(|(s, session)| {
            Connection::new(s, &session, jobs.slots()).map_err(ClientError::Broken)
        });
        let p = &mut self.paths[path];
        let Ok(connection) = connected else {
            return p.stay_down(now_ns);
        };
        p.connection = Some(connection);
        p.state = ClientPathState::Up;
        self.without_path_ns = None;
        self.ledger.tell(PathEvent {
            at_ns: now_ns,
            path,
            state: ClientPathState::Up,
            why: String::new(),
        });
        self.place_stranded(jobs, now_ns);
    }

    /// Ends the connections as the protocol wants it.
    pub fn leave(&mut self) {
        for path in &mut self.paths {
            if let Some(connection) = path.connection.take() {
                connection.leave();
            }
        }
    }
}
