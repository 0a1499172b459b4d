//! An array, and the host in front of it.

use crate::paths::{Paths, Story};
use crate::stripe::Stripe;
use plimsoll_array::{Array, Completion, Filer, Io, Status};

/// How long a request may stay unanswered before the host gives it up: the SCSI disk driver's 30 s
/// (`/sys/block/X/device/timeout`).
pub(crate) const TIMEOUT_NS: u64 = 30_000_000_000;

/// An array, reached over all of its paths.
#[derive(Debug)]
pub(crate) struct MultipathArray {
    pub array: Array,
    /// The filer in front of it.
    pub filer: Option<Filer>,
    /// Volumes that the host stripes over LUNs: they have the numbers behind the array's own.
    stripes: Vec<Stripe>,
    paths: Paths,
    /// When the last request was submitted, ns.
    submitted_ns: u64,
}

/// What became of a request, and the path that it took.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sent {
    pub completion: Completion,
    pub path: usize,
}

impl MultipathArray {
    /// Of an array on which nothing was done yet.
    pub fn new(array: Array) -> Self {
        MultipathArray {
            paths: Paths::new(array.front_end().paths().len()),
            submitted_ns: 0,
            filer: None,
            stripes: Vec::new(),
            array,
        }
    }

    /// Makes a volume of a stripe; its number, as of a LUN.
    pub fn add_stripe(&mut self, stripe: Stripe) -> u32 {
        self.stripes.push(stripe);
        (self.array.luns().len() + self.stripes.len()) as u32 - 1
    }

    /// The stripe that a number is of; `None` of a LUN.
    pub fn stripe(&self, lun: u32) -> Option<&Stripe> {
        let behind = (lun as usize).checked_sub(self.array.luns().len())?;
        self.stripes.get(behind)
    }

    /// Submits a request to a LUN or a stripe, of which each column gets its pieces: it is done when the last one is, and the first that
    /// fails fails it.
    #[inline]
    pub fn submit(&mut self, now_ns: u64, io: &Io, only: Option<u32>) -> Sent {
        match self.stripe(io.lun) {
            None => self.submit_whole(now_ns, io, only),
            Some(stripe) => {
                let pieces = stripe.pieces(io);
                let sent = pieces
                    .iter()
                    .map(|piece| self.submit_whole(now_ns, piece, only));
                let last = |one: Sent, other: Sent| match one.completion.status == Status::Done
                    && (other.completion.status != Status::Done
                        || other.completion.at_ns > one.completion.at_ns)
                {
                    true => other,
                    false => one,
                };
                sent.reduce(last)
                    .expect("a request of some bytes has a piece")
            }
        }
    }

    /// Submits a request; where a path refuses it, over the next one. `only`: over this path, whatever becomes of it.
    #[inline]
    fn submit_whole(&mut self, now_ns: u64, io: &Io, only: Option<u32>) -> Sent {
        debug_assert!(now_ns >= self.submitted_ns, "time went back in the array");
        self.submitted_ns = now_ns;
        if let Some(path) = only {
            let over = Io { path, ..*io };
            return Sent {
                completion: self.array.submit(now_ns, &over),
                path: path as usize,
            };
        }
        let sent = self.send(now_ns, io);
        if sent.completion.status == Status::PathDown {
            return self.send_again(now_ns, io, sent);
        }
        sent
    }

    /// A request over this path was not answered in time.
    pub fn gave_up(&mut self, path: usize, now_ns: u64) {
        self.paths.fail(path, now_ns);
    }

    /// What the host did with the paths since this was asked last.
    pub fn take_story(&mut self) -> Story {
        self.paths.take_story()
    }

    #[inline]
    fn send(&mut self, now_ns: u64, io: &Io) -> Sent {
        let states = self.array.front_end().paths();
        let path = self.paths.take(now_ns, states);
        let over = Io {
            path: path as u32,
            ..*io
        };
        Sent {
            completion: self.array.submit(now_ns, &over),
            path,
        }
    }

    /// Tries the paths that are left, each once.
    #[cold]
    fn send_again(&mut self, now_ns: u64, io: &Io, mut sent: Sent) -> Sent {
        for _ in 0..self.array.front_end().paths().len() {
            self.paths.fail(sent.path, now_ns);
            sent = self.send(now_ns, io);
            if sent.completion.status != Status::PathDown {
                break;
            }
        }
        sent
    }
}
