//! A client chooses an export, in the time that it has.

use super::{End, Input, Lab, Wire};
use crate::endpoint::Stream;
use plimsoll_array::PathCondition;
use plimsoll_nbd::server::{Handshake, Progress, Tls};
use plimsoll_nbd::{Export, Session};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Leads a client to one of these exports. What it sends beyond that stays in `input`.
pub(super) fn negotiate(
    lab: &Lab,
    wire: &mut Wire<'_>,
    input: &mut Input,
    exports: Arc<[Export]>,
    path: u32,
) -> Result<Session, End> {
    let stream = wire.stream();
    let deadline = Instant::now() + lab.limits.handshake;
    if lab.model.path(path) == PathCondition::Silent {
        // Nothing that is sent arrives; the client finds out by waiting.
        return wait_until(stream, PollFlags::empty(), deadline).and(Err(End::Late));
    }
    let mut handshake = Handshake::with_tls(
        exports,
        match &lab.tls {
            None => Tls::Off,
            Some(_) if lab.is_secret() => Tls::Required,
            Some(_) => Tls::Allowed,
        },
    );
    let mut output = Vec::new();
    loop {
        let mut rest = input.bytes();
        let progress = handshake.next(&mut rest, &mut output)?;
        let rest = rest.len();
        input.keep(rest);
        send_all(wire, &output, deadline)?;
        output.clear();
        match progress {
            Progress::Send => {}
            Progress::StartTls => start_tls(lab, wire, deadline)?,
            Progress::Ready(session) => return Ok(session),
            Progress::Abandoned => return Err(End::Left),
            Progress::NeedInput => {
                if !wire.holds() {
                    wait_until(stream, PollFlags::IN, deadline)?;
                }
                match wire.try_receive(input.room())? {
                    None => {}
                    Some(0) => return Err(End::Left),
                    Some(n) => input.held += n,
                }
            }
        }
    }
}

/// Shakes hands, in what is left of the same time.
fn start_tls(lab: &Lab, wire: &mut Wire<'_>, deadline: Instant) -> Result<(), End> {
    let session = lab.tls.as_ref().map(|tls| tls.server.session());
    let session = session.ok_or(End::Left)?;
    let session = session.map_err(|e| End::Tls(e.to_string()))?;
    let stream = wire.stream();
    wire.start_tls(session, |what| wait_until(stream, what, deadline))
}

fn send_all(wire: &mut Wire<'_>, mut bytes: &[u8], deadline: Instant) -> Result<(), End> {
    while !bytes.is_empty() {
        match wire.try_send(bytes)? {
            0 => wait_until(wire.stream(), PollFlags::OUT, deadline)?,
            n => bytes = &bytes[n..],
        }
    }
    while !wire.flush()? {
        wait_until(wire.stream(), PollFlags::OUT, deadline)?;
    }
    Ok(())
}

fn wait_until(stream: &Stream, what: PollFlags, deadline: Instant) -> Result<(), End> {
    let left = deadline.saturating_duration_since(Instant::now());
    match wait(stream, what, left)? {
        flags if flags.is_empty() => Err(End::Late),
        _ => Ok(()),
    }
}

/// What of it came true in that time; errors and a hang-up always count.
pub(super) fn wait(stream: &Stream, what: PollFlags, time: Duration) -> Result<PollFlags, Errno> {
    let mut fds = [PollFd::new(stream, what)];
    let time = Timespec {
        tv_sec: time.as_secs() as i64,
        tv_nsec: time.subsec_nanos().into(),
    };
    match poll(&mut fds, Some(&time)) {
        Ok(_) | Err(Errno::INTR) => Ok(fds[0].revents()),
        Err(error) => Err(error),
    }
}
