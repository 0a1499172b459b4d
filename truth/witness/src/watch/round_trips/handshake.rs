//! TCP's handshake, timed by the kernel itself: from when it sent its first packet to when the other side's kernel had answered. Who
//! asks may wake late; that is not in it.

use std::net::{SocketAddr, TcpStream};
use std::os::fd::AsRawFd;
use std::time::Duration;

/// Less than the second after which the kernel sends the first packet again: what was sent twice has no time.
const PATIENCE: Duration = Duration::from_millis(900);
/// `struct tcp_info` of <linux/tcp.h>, in words of four bytes: as much of it as has been there since Linux 2.6.
const WORDS: usize = 26;
/// `tcpi_rtt`, us. Of a connection that has sent nothing yet it is the handshake's.
const ROUND_TRIP: usize = 17;
/// `tcpi_total_retrans`.
const SENT_AGAIN: usize = 25;

/// Opens a connection and closes it. How long the way there and back took, s; `None` where there was no answer, none in time, or only
/// to a packet that was sent again.
pub fn handshake(address: SocketAddr) -> Option<f64> {
    let stream = TcpStream::connect_timeout(&address, PATIENCE).ok()?;
    let info = info(&stream)?;
    (info[SENT_AGAIN] == 0 && info[ROUND_TRIP] > 0).then(|| f64::from(info[ROUND_TRIP]) / 1e6)
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
    fn a_server_that_does_nothing_is_reached_by_its_kernel_alone() {
        let server = TcpListener::bind("127.0.0.1:0").unwrap();
        // It accepts nobody.
        let took_s = handshake(server.local_addr().unwrap()).unwrap();
        assert!(took_s > 0.0 && took_s < 0.9, "{took_s}");
    }

    #[test]
    fn nobody_who_listens_is_no_answer() {
        let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr();
        assert_eq!(handshake(address.unwrap()), None);
    }
}
