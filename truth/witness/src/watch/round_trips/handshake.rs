//! TCP's handshake, timed by the kernel itself: from when it sent its first packet to when the other side's kernel had answered. Who
//! asks may wake late; that is not in it.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::os::fd::AsRawFd;
use std::time::Duration;

/// Less than the second after which the kernel sends the first packet again: what was sent twice has no time.
const PATIENCE: Duration = Duration::from_millis(900);
/// How long a server may take over a greeting, and over its answer.
const LEAVE: Duration = Duration::from_millis(250);
/// What begins a client's option, and the greeting of a server that takes options; the flag of that, and the option of who goes
/// (the NBD protocol, "Fixed newstyle negotiation").
const OPTIONS: &[u8; 8] = b"IHAVEOPT";
const NEWSTYLE: u16 = 1;
const ABORT: u32 = 2;
/// `struct tcp_info` of <linux/tcp.h>, in words of four bytes: as much of it as has been there since Linux 2.6.
const WORDS: usize = 26;
/// `tcpi_rtt`, us. Of a connection that has sent nothing yet it is the handshake's.
const ROUND_TRIP: usize = 17;
/// `tcpi_total_retrans`.
const SENT_AGAIN: usize = 25;

/// A connection that was opened, or was not.
#[derive(Debug, Default)]
pub struct Handshake {
    /// How long the way there and back took, s; `None` where there was no answer, none in time, or only to a packet that was sent again.
    pub took_s: Option<f64>,
    /// What is left to be closed.
    pub stream: Option<TcpStream>,
}

/// Opens a connection.
pub fn handshake(address: SocketAddr) -> Handshake {
    let Ok(stream) = TcpStream::connect_timeout(&address, PATIENCE) else {
        return Handshake::default();
    };
    let info = info(&stream).filter(|info| info[SENT_AGAIN] == 0 && info[ROUND_TRIP] > 0);
    Handshake {
        took_s: info.map(|info| f64::from(info[ROUND_TRIP]) / 1e6),
        stream: Some(stream),
    }
}

impl Handshake {
    /// Closes it, which takes as long as the server does.
    pub fn leave(self) {
        // Nobody minds whether that worked.
        let _ = self.stream.map(take_leave);
    }
}

/// Goes as the NBD protocol has it. Who hangs up without a word stands in many servers' logs with an error.
fn take_leave(mut stream: TcpStream) -> std::io::Result<()> {
    stream.set_read_timeout(Some(LEAVE))?;
    stream.set_write_timeout(Some(LEAVE))?;
    // The server begins: `NBDMAGIC`, and what it speaks.
    let mut greeting = [0; 18];
    stream.read_exact(&mut greeting)?;
    if &greeting[8..16] == OPTIONS {
        // It answers, or hangs up at once.
        let flags = u16::from_be_bytes([greeting[16], greeting[17]]) & NEWSTYLE;
        stream.write_all(&u32::from(flags).to_be_bytes())?;
        stream.write_all(OPTIONS)?;
        stream.write_all(&ABORT.to_be_bytes())?;
        stream.write_all(&0u32.to_be_bytes())?;
        std::io::copy(&mut stream.take(64), &mut std::io::sink())?;
    }
    Ok(())
}

fn info(stream: &TcpStream) -> Option<[u32; WORDS]> {
    let mut info = [0u32; WORDS];
    let mut bytes = size_of_val(&info) as libc::socklen_t;
    // SAFETY: the descriptor is open for as long as `stream` is borrowed; the kernel writes at most `bytes` into `info`, which is as
    // long and of whole words, and the length that it wrote into `bytes`. Both live until the call is over.
    let result = unsafe {
        libc::getsockopt(
            stream.as_raw_fd(),
            libc::IPPROTO_TCP,
            libc::TCP_INFO,
            info.as_mut_ptr().cast(),
            &raw mut bytes,
        )
    };
    (result == 0 && bytes as usize == size_of_val(&info)).then_some(info)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;

    #[test]
    fn a_server_is_left_as_its_protocol_has_it() {
        let server = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = server.local_addr().unwrap();
        let guest = std::thread::spawn(move || handshake(address).leave());
        let (mut stream, _) = server.accept().unwrap();
        stream.write_all(b"NBDMAGICIHAVEOPT\0\x03").unwrap();
        let mut greeting = [0; 20];
        stream.read_exact(&mut greeting).unwrap();
        assert_eq!(&greeting, b"\0\0\0\x01IHAVEOPT\0\0\0\x02\0\0\0\0");
        drop(stream);
        guest.join().unwrap();
    }

    #[test]
    fn a_server_that_does_nothing_is_reached_by_its_kernel_alone() {
        let server = TcpListener::bind("127.0.0.1:0").unwrap();
        // It accepts nobody.
        let took_s = handshake(server.local_addr().unwrap()).took_s.unwrap();
        assert!(took_s > 0.0 && took_s < 0.9, "{took_s}");
    }

    #[test]
    fn nobody_who_listens_is_no_answer() {
        let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr();
        assert_eq!(handshake(address.unwrap()).took_s, None);
    }
}
