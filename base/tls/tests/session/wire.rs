//! A socket that never blocks, in memory, and two sides that talk over it.

use crate::certificates::Folder;
use plimsoll_tls::{Server, Session, Trust, client};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::io::{self, ErrorKind, Read, Write};
use std::rc::Rc;

/// One direction.
#[derive(Default)]
pub struct Pipe {
    pub bytes: VecDeque<u8>,
    /// No more comes, and that is how it ends.
    pub is_cut: bool,
    /// Most bytes that the pipe holds; `None`: any number.
    pub room: Option<usize>,
    /// All that ever went through.
    pub seen: Vec<u8>,
}

/// An end of a connection.
pub struct Socket {
    pub input: Rc<RefCell<Pipe>>,
    pub output: Rc<RefCell<Pipe>>,
}

impl Read for Socket {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let mut pipe = self.input.borrow_mut();
        if pipe.bytes.is_empty() && !pipe.is_cut {
            return Err(ErrorKind::WouldBlock.into());
        }
        pipe.bytes.read(into)
    }
}

impl Write for Socket {
    fn write(&mut self, from: &[u8]) -> io::Result<usize> {
        let mut pipe = self.output.borrow_mut();
        let room = pipe.room.map_or(usize::MAX, |r| r - pipe.bytes.len());
        if room == 0 {
            return Err(ErrorKind::WouldBlock.into());
        }
        let from = &from[..from.len().min(room)];
        pipe.bytes.extend(from);
        pipe.seen.extend(from);
        Ok(from.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A side of a conversation.
pub struct Side {
    pub session: Session,
    pub socket: Socket,
}

impl Side {
    pub fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.session.read(&mut self.socket, into)
    }

    pub fn write(&mut self, from: &[u8]) -> io::Result<usize> {
        self.session.write(&mut self.socket, from)
    }

    /// All that can be read now.
    pub fn read_all(&mut self) -> io::Result<Vec<u8>> {
        let (mut all, mut part) = (Vec::new(), vec![0; 10_000]);
        loop {
            match self.read(&mut part) {
                Ok(0) => return Ok(all),
                Ok(n) => all.extend(&part[..n]),
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                Err(e) if e.kind() == ErrorKind::WouldBlock => return Ok(all),
                Err(e) => return Err(e),
            }
        }
    }
}

/// The two of them, before they have shaken hands.
pub fn sides(client: Session, server: Session) -> (Side, Side) {
    let (up, down) = (Rc::<RefCell<Pipe>>::default(), Rc::default());
    let socket = |input: &Rc<_>, output: &Rc<_>| Socket {
        input: Rc::clone(input),
        output: Rc::clone(output),
    };
    let client = Side {
        socket: socket(&down, &up),
        session: client,
    };
    let server = Side {
        socket: socket(&up, &down),
        session: server,
    };
    (client, server)
}

/// Lets them shake hands; what each of them says of it.
pub fn greet(client: &mut Side, server: &mut Side) -> [io::Result<()>; 2] {
    let mut results: [io::Result<()>; 2] = [
        Err(ErrorKind::WouldBlock.into()),
        Err(ErrorKind::WouldBlock.into()),
    ];
    for _ in 0..10 {
        for (side, result) in [&mut *client, &mut *server].into_iter().zip(&mut results) {
            let again = [ErrorKind::WouldBlock, ErrorKind::Interrupted];
            if matches!(result, Err(e) if again.contains(&e.kind())) {
                *result = side.session.shake_hands(&mut side.socket);
            }
        }
    }
    results
}

/// A client that trusts a folder and a server out of one, hands shaken.
pub fn talk(trusts: &Folder, serves: &Folder, name: &str) -> (Side, Side) {
    let trust = Trust {
        folder: Some(trusts.path().to_owned()),
        anyone: false,
    };
    let server = Server::new(serves.path(), false).expect("certificates");
    let client = client(&trust, name).expect("certificates");
    let (mut client, mut server) = sides(client, server.session().expect("a session"));
    for result in greet(&mut client, &mut server) {
        result.expect("hands shaken");
    }
    (client, server)
}
