//! No I/O at all: every request has succeeded when it's polled. Measures the engine alone.

use super::{Backend, Completion, Request, Wait};
use std::io;

/// The null backend.
#[derive(Debug, Default)]
pub struct Null {
    done: Vec<Completion>,
}

impl Null {
    /// With room for `slots` requests.
    pub fn new(slots: usize) -> Self {
        Null {
            done: Vec::with_capacity(slots),
        }
    }
}

impl Backend for Null {
    const NAME: &'static str = "null";

    #[inline(always)]
    fn queue(&mut self, request: Request) -> io::Result<()> {
        self.done.push(Completion {
            slot: request.slot,
            result: request.length as i32,
        });
        Ok(())
    }

    #[inline(always)]
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }

    #[inline(always)]
    fn poll(&mut self, wait: Wait, out: &mut Vec<Completion>) -> io::Result<()> {
        if self.done.is_empty() {
            if let Wait::For { ns, .. } = wait {
                std::thread::sleep(std::time::Duration::from_nanos(ns));
            }
            return Ok(());
        }
        out.append(&mut self.done);
        Ok(())
    }
}
