//! A server on the codec's server half that serves memory, and fails when it is told to.

use plimsoll_nbd::server::{Event, Handshake, Progress, ReplyEncoder, Requests};
use plimsoll_nbd::{
    BlockSizes, Command, ErrorCode, Export, MAX_MESSAGE, Request, Session, TransmissionFlags,
};
use std::io::{self, Read, Write};
use std::net::Shutdown;
use std::os::unix::net::{UnixListener, UnixStream};
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// What is served; several ports may lead to it.
pub struct Disk {
    bytes: Mutex<Vec<u8>>,
    /// Writes that were carried out, by all ports.
    writes: AtomicU64,
    pub flushes: AtomicU64,
    pub durable: AtomicU64,
    pub trims: AtomicU64,
    /// Connections that hold what they were sent, and have not carried it out.
    holding: AtomicU64,
}

impl Disk {
    pub fn new(bytes: u64) -> Arc<Self> {
        Arc::new(Disk {
            bytes: Mutex::new(vec![0; bytes as usize]),
            writes: AtomicU64::new(0),
            flushes: AtomicU64::new(0),
            durable: AtomicU64::new(0),
            trims: AtomicU64::new(0),
            holding: AtomicU64::new(0),
        })
    }

    pub fn resize(&self, bytes: u64) {
        self.bytes.lock().unwrap().resize(bytes as usize, 0);
    }

    pub fn contents(&self) -> Vec<u8> {
        self.bytes.lock().unwrap().clone()
    }

    /// Waits until all that was held has been carried out: nothing comes late any more.
    pub fn wait_for_the_late(&self) {
        soon(|| self.holding.load(Ordering::SeqCst) == 0);
    }
}

/// Waits for something that is about to come true.
pub fn soon(mut is_true: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_true() {
        assert!(start.elapsed() < PATIENCE, "it never came true");
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// What no wait for something that is about to happen takes.
const PATIENCE: Duration = Duration::from_secs(60);
/// How long somebody who writes too early has to show it, before what was held is carried out. A client that waits for the
/// end waits so long; its deadline is longer.
const TRAP: Duration = Duration::from_millis(100);

/// What goes wrong with one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// Every connection of the port is cut, and the port takes none until it is healed.
    Pulled,
    /// This connection answers nothing more. Once its client has ended it, and somebody has written since or a while has
    /// passed, what it was sent is carried out: late writes.
    Held,
    /// Nothing is answered on any connection until the port is healed.
    Stalled,
    /// What is sent is no NBD.
    Garbage,
    /// The server says that it shuts down, until it is healed.
    ShuttingDown,
    /// An I/O error.
    Error,
    /// Half of a read's data.
    Half,
    /// The first half of a read's data, twice; of one read, or of all until the port is healed.
    Twice,
    AlwaysTwice,
    /// This connection answers nothing more. Once its client has ended it, it answers what it was sent: as if nothing had
    /// been, or that it shuts down.
    Late,
    LateShutdown,
    /// Each write is answered that the server shuts down, until it is healed. Reads are answered well.
    NoWrites,
    /// A write is answered before its data is taken, which it never is.
    Early,
    /// The server ends its half of this connection, and carries out later what it was sent, as if held.
    HalfClosed,
}

/// One way to a disk.
pub struct Port {
    _folder: tempfile::TempDir,
    pub uri: String,
    state: Arc<State>,
}

struct State {
    disk: Arc<Disk>,
    flags: Mutex<TransmissionFlags>,
    /// Flushes by this port.
    flushes: AtomicU64,
    minimum: u32,
    maximum: u32,
    fault: Mutex<Option<Fault>>,
    /// Requests until the fault.
    countdown: AtomicI64,
    down: Mutex<Option<Fault>>,
    open: Mutex<Vec<UnixStream>>,
    /// Writes that this port carried out, and answers that it has sent.
    written: AtomicU64,
    answered: AtomicU64,
}

pub const ALL: TransmissionFlags = TransmissionFlags::HAS_FLAGS
    .union(TransmissionFlags::FLUSH)
    .union(TransmissionFlags::FUA)
    .union(TransmissionFlags::TRIM)
    .union(TransmissionFlags::MULTI_CONN);

impl Port {
    /// A port to a disk that can do everything.
    pub fn new(disk: &Arc<Disk>) -> Self {
        Port::with(disk, ALL, 1, 32 << 20)
    }

    pub fn with(disk: &Arc<Disk>, flags: TransmissionFlags, minimum: u32, maximum: u32) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let socket = folder.path().join("s");
        let listener = UnixListener::bind(&socket).expect("a socket");
        let state = Arc::new(State {
            disk: Arc::clone(disk),
            flags: Mutex::new(flags),
            flushes: AtomicU64::new(0),
            minimum,
            maximum,
            fault: Mutex::new(None),
            countdown: AtomicI64::new(i64::MAX),
            down: Mutex::new(None),
            open: Mutex::default(),
            written: AtomicU64::new(0),
            answered: AtomicU64::new(0),
        });
        let shared = Arc::clone(&state);
        // The threads end with the test's process.
        std::thread::spawn(move || {
            for socket in listener.incoming().flatten() {
                let state = Arc::clone(&shared);
                if *state.down.lock().unwrap() == Some(Fault::Pulled) {
                    continue;
                }
                let cut = socket.try_clone().expect("a second handle");
                state.open.lock().unwrap().push(cut);
                std::thread::spawn(move || {
                    let cut = socket.try_clone();
                    // A client that leaves in the middle is one of the tests.
                    let _ = state.serve(socket);
                    // The other handles would keep it open.
                    let _ = cut.map(|c| c.shutdown(Shutdown::Both));
                });
            }
        });
        Port {
            uri: format!("nbd+unix:///lun?socket={}", socket.display()),
            _folder: folder,
            state,
        }
    }

    /// The fault happens to the `n`-th read or write from now, and to those after it where it lasts.
    pub fn fail_at(&self, n: i64, fault: Fault) {
        *self.state.fault.lock().unwrap() = Some(fault);
        self.state.countdown.store(n, Ordering::SeqCst);
    }

    /// The port works again.
    pub fn heal(&self) {
        self.state.countdown.store(i64::MAX, Ordering::SeqCst);
        *self.state.down.lock().unwrap() = None;
    }

    /// From the next connection on it offers this.
    pub fn offer(&self, flags: TransmissionFlags) {
        *self.state.flags.lock().unwrap() = flags;
    }

    /// Flushes that it ever carried out.
    pub fn flushes(&self) -> u64 {
        self.state.flushes.load(Ordering::SeqCst)
    }

    /// Writes that it ever carried out when they came.
    pub fn written(&self) -> u64 {
        self.state.written.load(Ordering::SeqCst)
    }

    /// Reads, writes and the like that it has answered, well or not.
    pub fn answered(&self) -> u64 {
        self.state.answered.load(Ordering::SeqCst)
    }

    /// A fault lasts.
    pub fn is_down(&self) -> bool {
        self.state.down.lock().unwrap().is_some()
    }
}

/// Whether a connection goes on.
enum Next {
    Serve,
    Leave,
}

impl State {
    fn serve(&self, mut socket: UnixStream) -> io::Result<()> {
        let mut input = vec![0; MAX_MESSAGE];
        let mut held = 0;
        let Some(session) = self.shake_hands(&mut socket, &mut input, &mut held)? else {
            return Ok(());
        };
        let mut requests = Requests::new(&session);
        let encoder = ReplyEncoder::new(&session);
        let mut pending: Option<(Request, Vec<u8>)> = None;
        let mut late: Vec<(Request, Vec<u8>)> = Vec::new();
        let mut holding = None;
        loop {
            let mut rest = &input[..held];
            while let Some(event) = requests.next(&mut rest).map_err(io::Error::other)? {
                match event {
                    Event::Request(request) => {
                        if self.is_early(&request) {
                            let mut out = Vec::new();
                            encoder.done(request.cookie, &mut out);
                            socket.write_all(&out)?;
                            std::thread::sleep(Duration::from_secs(20));
                            return Ok(());
                        }
                        let data = match request.command {
                            Command::Write => vec![0; request.len as usize],
                            _ => Vec::new(),
                        };
                        pending = Some((request, data));
                    }
                    Event::Payload { at, bytes } => {
                        let (_, data) = pending.as_mut().expect("a write's");
                        data[at as usize..][..bytes.len()].copy_from_slice(bytes);
                    }
                    Event::Refused { cookie, code, why } => {
                        let mut out = Vec::new();
                        encoder.error(cookie, code, why, &mut out);
                        socket.write_all(&out)?;
                    }
                    Event::Disconnect if holding.is_some() => {
                        return self.carry_out_late(&late);
                    }
                    Event::Disconnect => return Ok(()),
                }
                if requests.payload().is_none()
                    && let Some((request, data)) = pending.take()
                {
                    let fault = self.fault_of(&request);
                    let holds = |f: &Fault| {
                        use Fault::*;
                        matches!(f, Held | Late | LateShutdown | HalfClosed)
                    };
                    if holding.is_none() {
                        holding = fault.filter(holds);
                        if matches!(holding, Some(Fault::Held | Fault::HalfClosed)) {
                            self.disk.holding.fetch_add(1, Ordering::SeqCst);
                        }
                    }
                    if holding == Some(Fault::HalfClosed) {
                        socket.shutdown(Shutdown::Write)?;
                    }
                    if holding.is_some() {
                        late.push((request, data));
                        continue;
                    }
                    if let Next::Leave = self.act(fault, &request, &data, &encoder, &mut socket)? {
                        return Ok(());
                    }
                }
            }
            let used = held - rest.len();
            input.copy_within(used..held, 0);
            held -= used;
            match socket.read(&mut input[held..])? {
                0 => {
                    return match holding {
                        Some(Fault::Held | Fault::HalfClosed) => self.carry_out_late(&late),
                        Some(fault) => self.answer_late(fault, &late, &encoder, &mut socket),
                        None => Ok(()),
                    };
                }
                n => held += n,
            }
        }
    }

    fn shake_hands(
        &self,
        socket: &mut UnixStream,
        input: &mut [u8],
        held: &mut usize,
    ) -> io::Result<Option<Session>> {
        let export = Export {
            name: "lun".into(),
            description: String::new(),
            size: self.disk.bytes.lock().unwrap().len() as u64,
            flags: *self.flags.lock().unwrap(),
            block_sizes: BlockSizes {
                minimum: self.minimum,
                preferred: 4096,
                maximum: self.maximum,
            },
        };
        let mut handshake = Handshake::new(Arc::new([export]));
        let mut output = Vec::new();
        loop {
            let mut rest = &input[..*held];
            let progress = handshake
                .next(&mut rest, &mut output)
                .map_err(io::Error::other)?;
            let used = *held - rest.len();
            input.copy_within(used..*held, 0);
            *held -= used;
            socket.write_all(&output)?;
            output.clear();
            match progress {
                Progress::Ready(session) => return Ok(Some(session)),
                Progress::Abandoned => return Ok(None),
                Progress::StartTls => unreachable!("it was not offered"),
                Progress::Send => {}
                Progress::NeedInput => match socket.read(&mut input[*held..])? {
                    0 => return Ok(None),
                    n => *held += n,
                },
            }
        }
    }

    /// Whether this write is answered before its data is taken.
    fn is_early(&self, request: &Request) -> bool {
        request.command == Command::Write
            && *self.fault.lock().unwrap() == Some(Fault::Early)
            && self.countdown.fetch_sub(1, Ordering::SeqCst) == 1
    }

    fn fault_of(&self, request: &Request) -> Option<Fault> {
        if let Some(lasting) = *self.down.lock().unwrap() {
            let spared = lasting == Fault::NoWrites && request.command != Command::Write;
            return Some(lasting).filter(|_| !spared);
        }
        if !matches!(request.command, Command::Read | Command::Write)
            || self.countdown.fetch_sub(1, Ordering::SeqCst) != 1
        {
            return None;
        }
        let fault = *self.fault.lock().unwrap();
        if matches!(
            fault,
            Some(
                Fault::Pulled
                    | Fault::Stalled
                    | Fault::ShuttingDown
                    | Fault::NoWrites
                    | Fault::AlwaysTwice
            )
        ) {
            *self.down.lock().unwrap() = fault;
        }
        fault
    }

    fn act(
        &self,
        fault: Option<Fault>,
        request: &Request,
        data: &[u8],
        encoder: &ReplyEncoder,
        socket: &mut UnixStream,
    ) -> io::Result<Next> {
        let mut out = Vec::new();
        match fault {
            Some(Fault::Pulled) => {
                for open in self.open.lock().unwrap().drain(..) {
                    let _ = open.shutdown(Shutdown::Both);
                }
                return Ok(Next::Leave);
            }
            Some(Fault::Garbage) => {
                socket.write_all(&[0xAA; 4096])?;
                return Ok(Next::Serve);
            }
            Some(Fault::Error) => encoder.error(request.cookie, ErrorCode::Io, "", &mut out),
            Some(Fault::ShuttingDown | Fault::NoWrites) => {
                encoder.error(request.cookie, ErrorCode::Shutdown, "", &mut out);
            }
            Some(Fault::Half) => {
                let half = request.len / 2;
                encoder.data(request.cookie, request.offset, half, true, &mut out);
                out.resize(out.len() + half as usize, 0);
            }
            Some(Fault::Twice | Fault::AlwaysTwice) => {
                let half = request.len / 2;
                for last in [false, true] {
                    encoder.data(request.cookie, request.offset, half, last, &mut out);
                    out.resize(out.len() + half as usize, 0);
                }
            }
            Some(Fault::Stalled) => {
                while self.down.lock().unwrap().is_some() {
                    std::thread::sleep(Duration::from_millis(5));
                }
                self.carry_out(request, data, encoder, &mut out);
            }
            _ => self.carry_out(request, data, encoder, &mut out),
        }
        socket.write_all(&out)?;
        self.answered.fetch_add(1, Ordering::SeqCst);
        Ok(Next::Serve)
    }

    /// What a held connection was sent is answered when nobody waits for it any more.
    fn answer_late(
        &self,
        fault: Fault,
        late: &[(Request, Vec<u8>)],
        encoder: &ReplyEncoder,
        socket: &mut UnixStream,
    ) -> io::Result<()> {
        let mut out = Vec::new();
        for (request, data) in late {
            match fault {
                Fault::LateShutdown => {
                    encoder.error(request.cookie, ErrorCode::Shutdown, "", &mut out);
                }
                _ => self.carry_out(request, data, encoder, &mut out),
            }
        }
        socket.write_all(&out)
    }

    /// What a held connection was sent happens after the next write by another way, or after a while.
    fn carry_out_late(&self, late: &[(Request, Vec<u8>)]) -> io::Result<()> {
        let writes = self.disk.writes.load(Ordering::SeqCst);
        let since = Instant::now();
        while self.disk.writes.load(Ordering::SeqCst) <= writes + 1 && since.elapsed() < TRAP {
            std::thread::sleep(Duration::from_millis(5));
        }
        for (request, data) in late {
            if request.command == Command::Write {
                self.write(request, data);
            }
        }
        self.disk.holding.fetch_sub(1, Ordering::SeqCst);
        Ok(())
    }

    fn write(&self, request: &Request, data: &[u8]) {
        let mut bytes = self.disk.bytes.lock().unwrap();
        bytes[request.offset as usize..][..data.len()].copy_from_slice(data);
        self.disk.writes.fetch_add(1, Ordering::SeqCst);
    }

    fn carry_out(&self, r: &Request, data: &[u8], encoder: &ReplyEncoder, out: &mut Vec<u8>) {
        let count = |counter: &AtomicU64| counter.fetch_add(1, Ordering::Relaxed);
        match r.command {
            Command::Read => {
                // The first half as a hole where it is one, so that pieces occur.
                let (at, len) = (r.offset as usize, r.len as usize);
                let bytes = self.disk.bytes.lock().unwrap();
                let half = len / 2;
                if encoder.has_holes() && half > 0 && bytes[at..at + half].iter().all(|b| *b == 0) {
                    encoder.hole(r.cookie, r.offset, half as u32, false, out);
                    let rest = (len - half) as u32;
                    encoder.data(r.cookie, r.offset + half as u64, rest, true, out);
                    out.extend(&bytes[at + half..at + len]);
                } else {
                    encoder.data(r.cookie, r.offset, r.len, true, out);
                    out.extend(&bytes[at..at + len]);
                }
                return;
            }
            Command::Write => {
                if r.flags.contains(plimsoll_nbd::CommandFlags::FUA) {
                    count(&self.disk.durable);
                }
                self.write(r, data);
                self.written.fetch_add(1, Ordering::SeqCst);
            }
            Command::Trim => {
                count(&self.disk.trims);
                let mut bytes = self.disk.bytes.lock().unwrap();
                bytes[r.offset as usize..][..r.len as usize].fill(0);
            }
            Command::Flush => {
                count(&self.disk.flushes);
                count(&self.flushes);
            }
            _ => {}
        }
        encoder.done(r.cookie, out);
    }
}
