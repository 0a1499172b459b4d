//! One volume on one worker: its paths, which of them each I/O takes, and what happens when one fails.

use super::connection::{Answer, Connection, Data, Issue};
use super::error::ClientError;
use super::jobs::{Jobs, Ticket};
use super::ledger::{Ledger, PathEvent, PathState};
use super::selector::{Candidate, choose};
use super::stream::Stream;
use super::trial::{self, Trials};
use super::volume::Volume;
use crate::EngineError;
use crate::backend::Action;
use plimsoll_nbd::{ErrorCode, Session, TransmissionFlags};
use std::collections::VecDeque;
use std::sync::Arc;

/// After a loss a path is tried again so soon, and after each failed trial twice as late as before.
const FIRST_RETRY_NS: u64 = 100_000_000;
const LAST_RETRY_NS: u64 = 5_000_000_000;
/// Part that a new service time has in a path's mean.
const MEAN_SHIFT: u32 = 4;

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
    answers: Vec<Answer>,
}

#[derive(Debug)]
struct Path {
    state: PathState,
    connection: Option<Connection>,
    /// Connections that are given up, until they can do nothing any more.
    closing: Vec<Closing>,
    retry_at_ns: u64,
    retry_after_ns: u64,
    /// Mean service time of late, ns; 0 where none is known.
    mean_ns: u64,
    /// I/Os that went to other paths since the last one that took this.
    passed: u32,
    /// The mean is too old: the next answer makes a new one.
    starts_afresh: bool,
}

impl Path {
    fn candidate(&self, path: usize) -> Option<Candidate> {
        let connection = self.connection.as_ref()?;
        Some(Candidate {
            path,
            in_flight: connection.in_flight(),
            mean_ns: self.mean_ns,
            passed: self.passed,
        })
    }

    #[inline(always)]
    fn learn(&mut self, took_ns: u64) {
        self.mean_ns = match self.mean_ns {
            mean if mean == 0 || self.starts_afresh => took_ns,
            mean => mean - (mean >> MEAN_SHIFT) + (took_ns >> MEAN_SHIFT),
        };
        self.starts_afresh = false;
    }
}

#[derive(Debug)]
struct Closing {
    connection: Connection,
    until_ns: u64,
    /// The network gave it up, and the server may not know: nothing will be heard of it any more.
    is_cut: bool,
}

/// How a path lost its connection, and with it what became of what was out there.
enum Loss {
    /// The server has let go of it: nothing of it is carried out any more.
    Closed,
    /// The network broke; the server may still be carrying out what it was sent.
    Cut,
    /// It may still be carrying out what it was sent, and may say so.
    Silent,
    /// As before, and it does not speak NBD any more.
    Babbling,
}

impl Loss {
    /// What an error on a connection says of its other end.
    fn by(error: &ClientError) -> Self {
        match error {
            ClientError::Closed => Loss::Closed,
            ClientError::Broken(_) => Loss::Cut,
            _ => Loss::Babbling,
        }
    }
}

/// Which of a path's connections.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Which {
    Live,
    Closing(usize),
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
            let mut path = Path {
                state: PathState::Up,
                connection: None,
                closing: Vec::new(),
                retry_at_ns: 0,
                retry_after_ns: FIRST_RETRY_NS,
                mean_ns: 0,
                passed: 0,
                starts_afresh: false,
            };
            match connected {
                Ok(connection) => path.connection = Some(connection),
                Err(source) => {
                    path.state = PathState::Down;
                    path.retry_at_ns = now_ns + FIRST_RETRY_NS;
                    ledger.tell(PathEvent {
                        at_ns: now_ns,
                        path: index,
                        state: PathState::Down,
                        why: source.to_string(),
                    });
                    let uri = uri.to_string();
                    refusal.get_or_insert(EngineError::Nbd { uri, source });
                }
            }
            paths.push(path);
        }
        if paths.iter().all(|p| p.state == PathState::Down) {
            return Err(refusal.unwrap_or(EngineError::Empty));
        }
        Ok(Multipath {
            deadline_ns: volume.plan.deadline().0.max(1),
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
                busy || p.state != PathState::Up || !p.closing.is_empty()
            })
    }

    /// How long an I/O may be out, ns.
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
            for (n, closing) in closing.filter(|(_, c)| !c.is_cut) {
                each(index, Which::Closing(n), closing.connection.fd(), false);
            }
        }
    }

    /// Sends an I/O on the path that the selector chooses, or keeps it until there is one.
    #[inline]
    pub fn place(&mut self, ticket: Ticket, jobs: &mut Jobs, now_ns: u64) {
        let all = self.paths.iter().enumerate();
        let candidates = all.filter_map(|(path, p)| p.candidate(path));
        let Some(path) = choose(self.volume.plan.selector, self.last, candidates) else {
            return self.strand(ticket, jobs, now_ns);
        };
        self.last = path;
        for p in &mut self.paths {
            p.passed = p.passed.saturating_add(1);
        }
        let p = &mut self.paths[path];
        p.starts_afresh |= p.candidate(path).is_some_and(|c| c.is_forgotten());
        p.passed = 0;
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
                // The server may have answered some before it hung up.
                self.receive(path, Which::Live, jobs, now_ns);
                self.lose(path, Loss::by(&error), error, jobs, now_ns);
            }
        }
    }

    /// Takes what has come on a socket.
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
        for answer in self.answers.drain(..) {
            if answer.result == -(ErrorCode::Shutdown as i32) {
                // That is the path's and not the volume's: another one may do.
                shutting_down = true;
                self.ledger.moved(path, 1);
                jobs.settled(answer.cookie);
                let ticket = jobs.ticket(answer.cookie);
                self.stranded.extend(ticket);
                continue;
            }
            let took = now_ns.saturating_sub(answer.sent_ns);
            p.learn(took);
            self.ledger.answered(path, answer.result >= 0, took);
            jobs.answered(answer.cookie, answer.result);
        }
        match received {
            Ok(()) if shutting_down => {
                self.lose(path, Loss::Silent, ClientError::ShuttingDown, jobs, now_ns);
            }
            Ok(()) => {}
            Err(e) => self.lose(path, Loss::by(&e), e, jobs, now_ns),
        }
    }

    /// Late answers on a connection that was given up, and its end.
    fn receive_closing(&mut self, path: usize, n: usize, jobs: &mut Jobs) {
        let Some(closing) = self.paths[path].closing.get_mut(n) else {
            return;
        };
        let received = closing.connection.receive(Data::Discard, &mut self.answers);
        for answer in self.answers.drain(..) {
            jobs.answered(answer.cookie, answer.result);
        }
        match received {
            Ok(()) => {}
            Err(ClientError::Broken(_)) => closing.is_cut = true,
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
        let p = &mut self.paths[path];
        let Some(mut connection) = p.connection.take() else {
            return;
        };
        p.state = PathState::Down;
        p.mean_ns = 0;
        p.retry_after_ns = FIRST_RETRY_NS;
        p.retry_at_ns = now_ns + FIRST_RETRY_NS;
        self.ledger.tell(PathEvent {
            at_ns: now_ns,
            path,
            state: PathState::Down,
            why: why.to_string(),
        });
        let out: Vec<u64> = connection.out().collect();
        self.ledger.moved(path, out.len() as u64);
        match loss {
            Loss::Closed => {
                for cookie in &out {
                    jobs.settled(*cookie);
                }
            }
            Loss::Cut | Loss::Silent | Loss::Babbling => {
                connection.end();
                if matches!(loss, Loss::Babbling) {
                    connection.be_deaf();
                }
                p.closing.push(Closing {
                    connection,
                    until_ns: now_ns + self.deadline_ns,
                    is_cut: matches!(loss, Loss::Cut),
                });
            }
        }
        let tickets = out.into_iter().filter_map(|cookie| jobs.ticket(cookie));
        self.stranded.extend(tickets);
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
            if p.state == PathState::Down && now_ns >= p.retry_at_ns {
                p.state = PathState::Trial;
                trials.start(&self.volume, self.number, path);
            }
        }
        if !self.stranded.is_empty() {
            // Those that may not wait any more fail.
            self.place_stranded(jobs, now_ns);
        }
    }

    /// Cuts connections that did not close in time.
    fn end_closing(&mut self, path: usize, jobs: &mut Jobs, now_ns: u64) {
        let closing = &mut self.paths[path].closing;
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
            p.state = PathState::Down;
            p.retry_at_ns = now_ns + p.retry_after_ns;
            p.retry_after_ns = (p.retry_after_ns * 2).min(LAST_RETRY_NS);
            return;
        };
        p.connection = Some(connection);
        p.state = PathState::Up;
        self.without_path_ns = None;
        self.ledger.tell(PathEvent {
            at_ns: now_ns,
            path,
            state: PathState::Up,
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
