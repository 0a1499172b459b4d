//! An NBD server in a network name space of its own, with a link to it.

use crate::devices::output;
use crate::place::root_or_skip;
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// Two ends of a link, one of them in a name space of its own with a server behind it; gone when dropped.
pub struct Link {
    name: String,
    server: Child,
    /// Address of the server. A link that an earlier process left behind has another.
    pub address: SocketAddr,
}

impl Link {
    /// With a queueing discipline of `tc` at the server's end, and what nbdkit is told.
    pub fn new(discipline: Option<&str>, nbdkit: &str) -> Option<Self> {
        if !root_or_skip("a network name space") {
            return None;
        }
        // One that has gone may still be on its way out.
        static MADE: AtomicU32 = AtomicU32::new(0);
        let made = MADE.fetch_add(1, Ordering::Relaxed);
        let name = format!("plim{}x{made}", std::process::id() % 100_000);
        // Of those for tests of networks (RFC 2544), four a link.
        let net = 0xC612_0000 + (std::process::id().wrapping_mul(16) + made) % 0x8000 * 4;
        let [ours, theirs] = [1, 2].map(|n| Ipv4Addr::from_bits(net + n));
        let (here, there) = (format!("{name}a"), format!("{name}b"));
        let run = |line: &str| {
            let words: Vec<&str> = line.split(' ').collect();
            output(words[0], &words[1..]).map(drop)
        };
        let mut lines = vec![
            format!("ip netns add {name}"),
            format!("ip link add {here} type veth peer name {there} netns {name}"),
            format!("ip addr add {ours}/30 dev {here}"),
            format!("ip link set {here} up"),
            format!("ip -n {name} addr add {theirs}/30 dev {there}"),
            format!("ip -n {name} link set {there} up"),
        ];
        lines.extend(
            discipline
                .map(|how| format!("ip netns exec {name} tc qdisc add dev {there} root {how}")),
        );
        let made = lines.iter().try_for_each(|line| run(line));
        let serve = format!("netns exec {name} nbdkit -f -p 10809 {nbdkit}");
        let server = made.and_then(|()| {
            output("nbdkit", &["--version"])?;
            let mut server = Command::new("ip");
            let server = server.args(serve.split(' ')).stderr(Stdio::null()).spawn();
            server.map_err(|e| e.to_string())
        });
        let link = match server {
            Ok(child) => Link {
                name,
                server: child,
                address: (theirs, 10809).into(),
            },
            Err(reason) => {
                let _ = run(&format!("ip netns del {name}"));
                println!("{reason}");
                plimsoll_skipped::skipped!(
                    "network name spaces with bridges and links cannot be made here"
                );
                return None;
            }
        };
        for _ in 0..60 {
            if TcpStream::connect_timeout(&link.address, Duration::from_secs(1)).is_ok() {
                return Some(link);
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        plimsoll_skipped::skipped!(
            "network name spaces with bridges and links cannot be made here: nothing comes over a link"
        );
        None
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
        // The link goes at once, and its address with it; the name space when nothing is in it any more.
        let _ = output("ip", &["link", "del", &format!("{}a", self.name)]);
        let _ = output("ip", &["netns", "del", &self.name]);
    }
}
