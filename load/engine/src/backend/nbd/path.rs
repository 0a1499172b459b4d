//! One of a volume's paths on one worker: its connection, and those that were given up.

use super::connection::Connection;
use super::error::ClientError;
use super::ledger::ClientPathState;
use super::selector::Candidate;
use super::unflushed::Unflushed;

/// After a loss a path is tried again so soon, and after each failed trial twice as late as before.
pub(super) const FIRST_RETRY_NS: u64 = 100_000_000;
const LAST_RETRY_NS: u64 = 5_000_000_000;
/// Part that a new service time has in a path's mean.
const MEAN_SHIFT: u32 = 4;

/// One worker's way to a server of a volume: what it is connected by, what it owes, and how fast it was of late.
#[derive(Debug)]
pub(super) struct Path {
    pub state: ClientPathState,
    pub connection: Option<Connection>,
    /// Connections that are given up, until they can do nothing any more.
    pub closing: Vec<Closing>,
    /// Time of the next trial, ns, where the path is down.
    pub retry_at_ns: u64,
    retry_after_ns: u64,
    /// Writes on its connection that no flush has covered; kept where that matters.
    pub unflushed: Unflushed,
    /// Mean service time of late, ns; 0 where none is known.
    mean_ns: u64,
    /// I/Os that went to other paths since the last one that took this.
    pub passed: u32,
    /// The mean is too old: the next answer makes a new one.
    starts_afresh: bool,
}

impl Path {
    /// Without a connection as yet.
    pub fn new() -> Self {
        Path {
            state: ClientPathState::Up,
            connection: None,
            closing: Vec::new(),
            retry_at_ns: 0,
            retry_after_ns: FIRST_RETRY_NS,
            unflushed: Unflushed::default(),
            mean_ns: 0,
            passed: 0,
            starts_afresh: false,
        }
    }

    /// Candidate for the selector; `None` while the path is down.
    #[inline(always)]
    pub fn candidate(&self, path: usize) -> Option<Candidate> {
        let connection = self.connection.as_ref()?;
        Some(Candidate {
            path,
            in_flight: connection.in_flight(),
            mean_ns: self.mean_ns,
            passed: self.passed,
        })
    }

    /// Notes that an I/O takes the path.
    #[inline(always)]
    pub fn take(&mut self) {
        self.starts_afresh |= self.candidate(0).is_some_and(|c| c.is_forgotten());
        self.passed = 0;
    }

    /// An answer took so long, ns.
    #[inline(always)]
    pub fn learn(&mut self, took_ns: u64) {
        self.mean_ns = match self.mean_ns {
            mean if mean == 0 || self.starts_afresh => took_ns,
            mean => mean - (mean >> MEAN_SHIFT) + (took_ns >> MEAN_SHIFT),
        };
        self.starts_afresh = false;
    }

    /// Takes the path down, if it was up: the connection that it loses, and whether writes on it were not flushed.
    pub fn go_down(&mut self, now_ns: u64) -> Option<(Connection, bool)> {
        let connection = self.connection.take()?;
        self.state = ClientPathState::Down;
        self.mean_ns = 0;
        self.retry_after_ns = FIRST_RETRY_NS;
        self.retry_at_ns = now_ns + FIRST_RETRY_NS;
        let unflushed = std::mem::take(&mut self.unflushed);
        Some((connection, !unflushed.is_empty()))
    }

    /// A trial has failed.
    pub fn stay_down(&mut self, now_ns: u64) {
        self.state = ClientPathState::Down;
        self.retry_at_ns = now_ns + self.retry_after_ns;
        self.retry_after_ns = (self.retry_after_ns * 2).min(LAST_RETRY_NS);
    }
}

/// A connection that is given up.
#[derive(Debug)]
pub(super) struct Closing {
    pub connection: Connection,
    pub until_ns: u64,
    pub hearing: Hearing,
}

/// What can still be heard of a connection that is given up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Hearing {
    /// Late answers, and that the server hangs up when it is through.
    Answers,
    /// Only that the server is gone, when it is asked: it has said its last word.
    End,
    /// Nothing: the network gave it up, and the server may not know.
    Nothing,
}

/// How a path lost its connection, and with it what became of what was out there.
pub(super) enum Loss {
    /// The server has hung up. When it is gone nothing of it is carried out any more.
    Closed,
    /// The network broke, or somebody broke in on TLS; the server may still be carrying out what it was sent.
    Cut,
    /// Server that may still be carrying out what it was sent, and may say so.
    Silent,
    /// Server that may still be carrying out what it was sent, and does not speak NBD any more.
    Babbling,
}

impl Loss {
    /// Loss of the connection by an error in receiving.
    pub fn by(error: &ClientError) -> Self {
        match error {
            ClientError::Closed => Loss::Closed,
            // Without TLS's farewell anybody on the way may have ended the connection. The server may not know, and may
            // still be carrying out what it was sent.
            ClientError::Broken(_) | ClientError::Cut => Loss::Cut,
            _ => Loss::Babbling,
        }
    }

    /// Loss of the connection by an error in sending, where nothing was wrong with receiving: that the server takes no more does not say
    /// that it has dropped what it took.
    pub fn by_sending(error: &ClientError) -> Self {
        match error {
            ClientError::Closed | ClientError::Cut => Loss::Silent,
            _ => Loss::by(error),
        }
    }
}

/// Connection of a path: the live one, or one that is closing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Which {
    Live,
    Closing(usize),
}
