//! By which interface an address is reached: the longest prefix in the kernel's main table. What other tables say is not seen.

use crate::Root;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, UdpSocket};

/// Flags of a route: it is in use; it refuses (RTF_UP and RTF_REJECT of <linux/route.h>).
const UP: u32 = 0x1;
const REJECT: u32 = 0x200;

/// The interface; `None` where there is no route, or it cannot be read.
pub(super) fn interface(root: &Root, address: IpAddr) -> Option<String> {
    let address = address.to_canonical();
    // What is this host's own goes nowhere, whatever its route says.
    if address.is_loopback() || (root.is_system() && is_own(address)) {
        return Some("lo".into());
    }
    let routes: Vec<Route> = match address {
        IpAddr::V4(address) => {
            let text = root.text("/proc/net/route")?;
            let lines = text.lines().skip(1);
            lines.filter_map(|l| route_4(l, address)).collect()
        }
        IpAddr::V6(address) => {
            let text = root.text("/proc/net/ipv6_route")?;
            text.lines().filter_map(|l| route_6(l, address)).collect()
        }
    };
    // Of equal ones the first.
    let best = routes
        .into_iter()
        .reduce(|best, next| match next.order() > best.order() {
            true => next,
            false => best,
        })?;
    let leads = best.flags & UP != 0 && best.flags & REJECT == 0;
    leads.then_some(best.interface)
}

/// An address of an interface of this host: only such a one can be bound to.
fn is_own(address: IpAddr) -> bool {
    UdpSocket::bind((address, 0)).is_ok()
}

/// A route by which an address may go.
struct Route {
    interface: String,
    prefix: u32,
    metric: u32,
    flags: u32,
}

impl Route {
    /// The better one is larger.
    fn order(&self) -> (u32, std::cmp::Reverse<u32>) {
        (self.prefix, std::cmp::Reverse(self.metric))
    }
}

/// A line of `/proc/net/route`: addresses in hexadecimal, as they lie in memory.
fn route_4(line: &str, address: Ipv4Addr) -> Option<Route> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let number = |at: usize| u32::from_str_radix(words.get(at)?, 16).ok();
    let (destination, mask) = (number(1)?, number(7)?);
    let asked = u32::from_ne_bytes(address.octets());
    (asked & mask == destination).then_some(Route {
        interface: (*words.first()?).to_owned(),
        prefix: mask.count_ones(),
        metric: words.get(6)?.parse().ok()?,
        flags: number(3)?,
    })
}

/// A line of `/proc/net/ipv6_route`: destination, prefix, source, its prefix, next hop, metric, references, uses, flags, interface.
fn route_6(line: &str, address: Ipv6Addr) -> Option<Route> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let number = |at: usize| u32::from_str_radix(words.get(at)?, 16).ok();
    let destination = u128::from_str_radix(words.first()?, 16).ok()?;
    let prefix = number(1).filter(|p| *p <= 128)?;
    let asked = u128::from(address);
    let rest = 128 - prefix;
    let is_in = rest == 128 || asked >> rest == destination >> rest;
    is_in.then_some(Route {
        interface: (*words.get(9)?).to_owned(),
        prefix,
        metric: number(5)?,
        flags: number(8)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn by(root: &Root, address: &str) -> Option<String> {
        interface(root, address.parse().unwrap())
    }

    #[test]
    fn the_longest_prefix_wins_then_the_least_metric() {
        let folder = tempfile::tempdir().unwrap();
        let net = folder.path().join("proc/net");
        std::fs::create_dir_all(&net).unwrap();
        let root = Root::at(folder.path());
        assert_eq!(by(&root, "10.1.2.3"), None);
        std::fs::write(net.join("route"), include_str!("route.txt")).unwrap();
        let six = "fd000000000000000000000000000000 10 00000000000000000000000000000000 00 00000000000000000000000000000000 00000100 00000001 00000000 00000001     eth1\n\
            fe800000000000000000000000000000 40 00000000000000000000000000000000 00 00000000000000000000000000000000 00000100 00000001 00000000 00000001     eth0\n\
            00000000000000000000000000000000 00 00000000000000000000000000000000 00 00000000000000000000000000000000 ffffffff 00000001 00000000 00200200       lo\n";
        std::fs::write(net.join("ipv6_route"), six).unwrap();
        for (address, name) in [
            ("10.1.2.3", Some("eth1")),
            ("::ffff:10.1.2.3", Some("eth1")),
            ("192.0.2.9", Some("eth0")),
            ("8.8.8.8", Some("eth0")),
            // It is refused there.
            ("10.2.0.1", None),
            ("127.0.0.1", Some("lo")),
            ("::1", Some("lo")),
            ("fd00::7", Some("eth1")),
            ("fe80::7", Some("eth0")),
            ("2001:db8::1", None),
        ] {
            assert_eq!(by(&root, address).as_deref(), name, "{address}");
        }
    }

    #[test]
    fn an_address_of_this_host_goes_by_no_wire() {
        let root = Root::system();
        let other = UdpSocket::bind("0.0.0.0:0").unwrap();
        // Where there is a route, this is the address that is taken for it; nothing is sent.
        if other.connect("192.0.2.1:9").is_ok() {
            let own = other.local_addr().unwrap().ip();
            assert_eq!(interface(&root, own).as_deref(), Some("lo"));
        }
        assert_eq!(by(&root, "127.0.0.2").as_deref(), Some("lo"));
    }
}
