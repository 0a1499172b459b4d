//! A client of NBD servers, with several paths to one volume.
//!
//! Each worker has a connection of its own on each path. Requests are written with one call a flush, a write's data from
//! the slot's buffer; replies are read with one call a turn, a read's data into the slot's buffer. Nothing waits but one
//! ppoll(2), and nothing is allocated for an I/O. With TLS data takes a detour through the session's buffers.
//!
//! | File | |
//! |---|---|
//! | `volume` | what is there, found out before a step |
//! | `permit` | whether it may be written |
//! | `socket`, `stream` | what bytes go over: a socket, with TLS or without |
//! | `client`, `waited` | one request at a time, waited for |
//! | `connection`, `outbox` | many requests, never waiting |
//! | `selector` | which path an I/O takes |
//! | `jobs` | when an I/O that was issued more than once has ended |
//! | `multipath`, `path` | paths that fail and come back |
//! | `unflushed` | which writes a flush has yet to make durable |
//! | `trial` | trying a path again, beside the loop |
//! | `ledger` | what happened, for the evidence |

mod client;
mod connection;
mod error;
mod jobs;
mod ledger;
mod multipath;
mod outbox;
mod path;
mod permit;
mod selector;
mod socket;
mod stream;
mod trial;
mod unflushed;
mod volume;
mod waited;

pub use client::Client;
pub use error::ClientError;
pub use ledger::{ClientPathState, Ledger, PathEvent, PathReport, VolumeReport};
pub use permit::{is_meant, permit};
pub use plimsoll_nbd::ExtentFlags;
pub use volume::Volume;

use super::{Backend, Completion, Request, Wait};
use crate::EngineError;
use crate::clock::RealClock;
use jobs::Jobs;
use multipath::Multipath;
use path::Which;
use std::io;
use std::sync::Arc;
use trial::Trials;

/// How often deadlines are looked at, in parts of the shortest one; within these bounds, ns.
const LOOKS: u64 = 16;
const LOOK_LEAST_NS: u64 = 1_000_000;
const LOOK_MOST_NS: u64 = 50_000_000;
/// A look that comes so many looks late says that this process stood still.
const STANDSTILL_LOOKS: u64 = 4;

/// One volume that a worker uses.
#[derive(Debug, Clone)]
pub struct Access {
    /// The volume.
    pub volume: Arc<Volume>,
    /// The worker's account of it.
    pub ledger: Arc<Ledger>,
    /// True where a write is answered once it is on stable storage (FUA).
    pub durable: bool,
}

/// The NBD backend. [`Request::file`] is the volume's place in the list that it was made with.
#[derive(Debug)]
pub struct Nbd {
    volumes: Vec<Multipath>,
    jobs: Jobs,
    trials: Trials,
    waited_for: Vec<libc::pollfd>,
    sources: Vec<Source>,
    /// When the last I/O was queued, or something came; ns on CLOCK_MONOTONIC.
    now_ns: u64,
    is_now: bool,
    look_at_ns: u64,
    look_every_ns: u64,
}

/// Whose descriptor it is.
#[derive(Debug, Clone, Copy)]
struct Source {
    volume: usize,
    path: usize,
    which: Which,
}

impl Nbd {
    /// Connects to these volumes, for `slots` requests in all.
    pub fn new(volumes: &[Access], slots: usize) -> Result<Self, EngineError> {
        if slots > connection::SLOTS {
            return Err(EngineError::Backend {
                name: Self::NAME,
                source: io::Error::other(format!("{slots} I/Os at once are too many")),
            });
        }
        let now_ns = RealClock::monotonic_ns();
        let connect = |(number, a): (usize, &Access)| {
            let (volume, ledger) = (Arc::clone(&a.volume), Arc::clone(&a.ledger));
            Multipath::connect(volume, ledger, number, a.durable, slots, now_ns)
        };
        let volumes: Vec<Multipath> = volumes
            .iter()
            .enumerate()
            .map(connect)
            .collect::<Result<_, _>>()?;
        let shortest = volumes.iter().map(|v| v.deadline_ns()).min();
        let look_every_ns =
            (shortest.unwrap_or(u64::MAX) / LOOKS).clamp(LOOK_LEAST_NS, LOOK_MOST_NS);
        let trials = Trials::new().map_err(|source| EngineError::Backend {
            name: Self::NAME,
            source,
        })?;
        Ok(Nbd {
            volumes,
            jobs: Jobs::new(slots),
            trials,
            waited_for: Vec::new(),
            sources: Vec::new(),
            now_ns,
            is_now: false,
            look_at_ns: now_ns,
            look_every_ns,
        })
    }

    /// Reads the clock once for all that is queued between two calls that take time.
    #[inline(always)]
    fn now(&mut self) -> u64 {
        if !self.is_now {
            self.now_ns = RealClock::monotonic_ns();
            self.is_now = true;
        }
        self.now_ns
    }

    fn send(&mut self) {
        let now = self.now();
        for volume in &mut self.volumes {
            volume.send(&mut self.jobs, now);
        }
        self.is_now = false;
    }

    /// What time asks for, where it is time.
    fn tend(&mut self) {
        let now = self.now();
        if now < self.look_at_ns {
            return;
        }
        // Nobody looked while this process was stopped or had no CPU. That time is not the paths'.
        let late = now - self.look_at_ns;
        let stood_still = late > self.look_every_ns * STANDSTILL_LOOKS;
        self.look_at_ns = now + self.look_every_ns;
        for volume in &mut self.volumes {
            if stood_still {
                volume.forgive(late, now);
            }
            if volume.is_tending() {
                volume.tend(&mut self.jobs, &self.trials, now);
            }
        }
    }

    /// Waits for any socket, and takes what has come.
    fn wait(&mut self, ns: u64) -> io::Result<()> {
        self.waited_for.clear();
        self.sources.clear();
        let mut add = |fd, more| {
            self.waited_for.push(libc::pollfd {
                fd,
                events: if more {
                    libc::POLLIN | libc::POLLOUT
                } else {
                    libc::POLLIN
                },
                revents: 0,
            });
        };
        for (volume, multipath) in self.volumes.iter().enumerate() {
            multipath.sockets(|path, which, fd, more| {
                add(fd, more);
                self.sources.push(Source {
                    volume,
                    path,
                    which,
                });
            });
        }
        add(self.trials.fd(), false);
        let timeout = libc::timespec {
            tv_sec: (ns / 1_000_000_000) as _,
            tv_nsec: (ns % 1_000_000_000) as libc::c_long,
        };
        // SAFETY: the list and the time live through the call, which writes `revents` only; no signal mask is given.
        let ready = unsafe {
            libc::ppoll(
                self.waited_for.as_mut_ptr(),
                self.waited_for.len() as libc::nfds_t,
                &timeout,
                std::ptr::null(),
            )
        };
        self.is_now = false;
        match ready {
            0 => return Ok(()),
            n if n < 0 => {
                return match super::last_errno() {
                    libc::EINTR => Ok(()),
                    errno => Err(io::Error::from_raw_os_error(errno)),
                };
            }
            _ => {}
        }
        self.take();
        Ok(())
    }

    /// Takes what has come on the sockets that are ready.
    fn take(&mut self) {
        let now = self.now();
        let readable = libc::POLLIN | libc::POLLHUP | libc::POLLERR | libc::POLLNVAL;
        // From the last, so that a connection that ends doesn't move one that is yet to be looked at.
        for (source, polled) in self.sources.iter().zip(&self.waited_for).rev() {
            if polled.revents & readable != 0 {
                let volume = &mut self.volumes[source.volume];
                volume.receive(source.path, source.which, &mut self.jobs, now);
            }
        }
        if self.waited_for.last().is_some_and(|bell| bell.revents != 0) {
            while let Some(tried) = self.trials.next() {
                let volume = &mut self.volumes[tried.volume];
                volume.tried(tried.path, tried.result, &mut self.jobs, now);
            }
        }
    }
}

impl Backend for Nbd {
    const NAME: &'static str = "nbd";

    #[inline(always)]
    fn queue(&mut self, request: Request) -> io::Result<()> {
        let now = self.now();
        let ticket = self.jobs.open(request);
        self.volumes[request.file as usize].place(ticket, &mut self.jobs, now);
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.send();
        Ok(())
    }

    fn poll(&mut self, wait: Wait, out: &mut Vec<Completion>) -> io::Result<()> {
        let (ns, least) = match wait {
            Wait::None => (0, 0),
            Wait::For { ns, least } => (ns, least as usize),
        };
        let until = self.now().saturating_add(ns);
        loop {
            self.tend();
            self.send();
            out.append(&mut self.jobs.done);
            let now = self.now();
            let enough = out.len() >= least;
            let left = if enough { 0 } else { until.saturating_sub(now) };
            let tending = self.volumes.iter().any(Multipath::is_tending);
            let look = self.look_at_ns.saturating_sub(now);
            self.wait(if tending { left.min(look) } else { left })?;
            out.append(&mut self.jobs.done);
            if out.len() >= least || self.now() >= until {
                return Ok(());
            }
        }
    }
}

impl Drop for Nbd {
    fn drop(&mut self) {
        for volume in &mut self.volumes {
            volume.leave();
        }
    }
}
