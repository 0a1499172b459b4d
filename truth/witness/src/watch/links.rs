//! The network interfaces by which the targets are reached, and TCP of the host.

mod route;

use super::Watched;
use super::kept::Kept;
use crate::Root;
use plimsoll_evidence::witnessed::{LinkUse, TcpUse};

/// Looks at interfaces.
#[derive(Debug)]
pub(super) struct LinksSampler {
    root: Root,
    links: Vec<Link>,
    tcp: Option<Tcp>,
}

#[derive(Debug)]
struct Link {
    name: String,
    targets: Vec<String>,
    counters: [Kept; COUNTERS.len()],
    last: Option<Counts>,
}

/// Of an interface's `statistics`; what is lost is behind the first two.
const COUNTERS: [&str; 6] = [
    "rx_bytes",
    "tx_bytes",
    "rx_errors",
    "tx_errors",
    "rx_dropped",
    "tx_dropped",
];

type Counts = [u64; COUNTERS.len()];

/// Bytes per second of 1 Mbit/s, the unit of `speed`.
const MEGABIT: u64 = 125_000;

impl LinksSampler {
    pub fn new(root: &Root, what: &[Watched]) -> Self {
        let mut links: Vec<Link> = Vec::new();
        for target in what {
            for address in &target.addresses {
                let Some(name) = route::interface(root, address.ip()) else {
                    continue;
                };
                let link = match links.iter().position(|l| l.name == name) {
                    Some(at) => &mut links[at],
                    None => {
                        links.push(Link::new(root, name));
                        links.last_mut().expect("just pushed")
                    }
                };
                if !link.targets.contains(&target.name) {
                    link.targets.push(target.name.clone());
                }
            }
        }
        let networked = what.iter().any(|w| !w.addresses.is_empty());
        LinksSampler {
            root: root.clone(),
            links,
            tcp: networked.then(|| Tcp::new(root)),
        }
    }

    /// Each interface that could be seen now and at the last look.
    pub fn look(&mut self) -> Vec<LinkUse> {
        let root = &self.root;
        let links = self.links.iter_mut();
        links.filter_map(|link| link.look(root)).collect()
    }

    /// TCP of the whole host; `None` where no target is reached over a network.
    pub fn tcp(&mut self) -> Option<TcpUse> {
        self.tcp.as_mut()?.look()
    }
}

impl Link {
    fn new(root: &Root, name: String) -> Self {
        let file = |counter: &str| {
            let path = format!("/sys/class/net/{name}/statistics/{counter}");
            Kept::new(root, path)
        };
        let mut counters = COUNTERS.map(file);
        Link {
            last: counts(&mut counters),
            counters,
            name,
            targets: Vec::new(),
        }
    }

    fn look(&mut self, root: &Root) -> Option<LinkUse> {
        let now = counts(&mut self.counters);
        let before = std::mem::replace(&mut self.last, now)?;
        let now = now?;
        // It is another one that has taken the name.
        if now[0] < before[0] || now[1] < before[1] {
            return None;
        }
        let more = |n: usize| now[n].saturating_sub(before[n]);
        let folder = format!("/sys/class/net/{}", self.name);
        let speed: Option<i64> = match is_a_wire(root, &folder) {
            true => root.number(format!("{folder}/speed")),
            false => None,
        };
        Some(LinkUse {
            name: self.name.clone(),
            targets: self.targets.clone(),
            in_bytes: more(0),
            out_bytes: more(1),
            lost_packets: (2..COUNTERS.len()).map(more).fold(0, u64::saturating_add),
            // -1 is the kernel's word for "not known".
            speed: speed
                .and_then(|s| u64::try_from(s).ok())
                .filter(|s| *s > 0)
                .map(|s| s.saturating_mul(MEGABIT)),
            state: root.word(format!("{folder}/operstate")).unwrap_or_default(),
            mtu: root.number(format!("{folder}/mtu")).unwrap_or(0),
        })
    }
}

/// Whether an interface's speed is that of something: of a device, or of others below it. A pair of virtual ones, or a tunnel, has a
/// number there that nothing keeps to.
fn is_a_wire(root: &Root, folder: &str) -> bool {
    let below = |name: &String| name.starts_with("lower_");
    root.has(format!("{folder}/device")) || root.names(folder).iter().any(below)
}

fn counts(files: &mut [Kept; COUNTERS.len()]) -> Option<Counts> {
    let mut counts = [0; COUNTERS.len()];
    for (count, file) in counts.iter_mut().zip(files) {
        *count = file.text()?.trim().parse().ok()?;
    }
    Some(counts)
}

/// `/proc/net/snmp`, and what only `/proc/net/netstat` has.
#[derive(Debug)]
struct Tcp {
    file: Kept,
    more: Kept,
    last: Option<Segments>,
}

/// Segments of the host since it began.
#[derive(Debug, Clone, Copy)]
struct Segments {
    sent: u64,
    sent_again: u64,
    sent_in_vain: Option<u64>,
    received: u64,
    out_of_order: Option<u64>,
}

impl Tcp {
    fn new(root: &Root) -> Self {
        let mut tcp = Tcp {
            file: Kept::new(root, "/proc/net/snmp"),
            more: Kept::new(root, "/proc/net/netstat"),
            last: None,
        };
        tcp.last = tcp.segments();
        tcp
    }

    fn segments(&mut self) -> Option<Segments> {
        let text = self.file.text()?;
        let tcp = |wanted| named(text, "Tcp: ", wanted);
        let (sent, sent_again, received) = (tcp("OutSegs")?, tcp("RetransSegs")?, tcp("InSegs")?);
        let more = self.more.text();
        let tcp = |wanted| more.and_then(|text| named(text, "TcpExt: ", wanted));
        Some(Segments {
            sent,
            sent_again,
            sent_in_vain: tcp("TCPDSACKRecv"),
            received,
            out_of_order: tcp("TCPOFOQueue"),
        })
    }

    fn look(&mut self) -> Option<TcpUse> {
        let now = self.segments();
        let before = std::mem::replace(&mut self.last, now)?;
        let now = now?;
        let since = |of: fn(&Segments) -> Option<u64>| of(&now)?.checked_sub(of(&before)?);
        Some(TcpUse {
            sent: now.sent.checked_sub(before.sent)?,
            sent_again: now.sent_again.checked_sub(before.sent_again)?,
            received: now.received.checked_sub(before.received),
            sent_in_vain: since(|s| s.sent_in_vain),
            out_of_order: since(|s| s.out_of_order),
        })
    }
}

/// A number of a protocol: there is a line of names, and one of their numbers.
fn named(text: &str, protocol: &str, wanted: &str) -> Option<u64> {
    let mut lines = text.lines().filter_map(|l| l.strip_prefix(protocol));
    let (names, numbers) = (lines.next()?, lines.next()?);
    let mut both = names.split_whitespace().zip(numbers.split_whitespace());
    both.find(|(name, _)| *name == wanted)?.1.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::root::file;
    use std::path::Path;

    fn counters(root: &Path, name: &str, counts: [u64; 6]) {
        for (counter, n) in COUNTERS.iter().zip(counts) {
            let path = format!("sys/class/net/{name}/statistics/{counter}");
            file(root, &path, &format!("{n}\n"));
        }
    }

    #[test]
    fn a_targets_interface_is_found_by_its_route_and_what_it_did_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        file(root, "proc/net/route", include_str!("links/route.txt"));
        file(root, "sys/class/net/eth1/device/vendor", "0x15b3\n");
        file(root, "sys/class/net/bond0/lower_eth1/speed", "25000\n");
        for (name, wire) in [("eth1", true), ("bond0", true), ("lo", false)] {
            let folder = format!("/sys/class/net/{name}");
            assert_eq!(is_a_wire(&Root::at(root), &folder), wire, "{name}");
        }
        for (name, speed, state) in [("eth1", "25000\n", "up\n"), ("lo", "10000\n", "unknown\n")] {
            counters(root, name, [1000, 2000, 1, 1, 1, 1]);
            file(root, &format!("sys/class/net/{name}/speed"), speed);
            file(root, &format!("sys/class/net/{name}/operstate"), state);
            file(root, &format!("sys/class/net/{name}/mtu"), "9000\n");
        }
        let snmp = |sent, again| {
            let text = format!(
                "Ip: Forwarding\nIp: 1\nTcp: InSegs OutSegs RetransSegs\nTcp: {} {sent} {again}\nUdp: X\nUdp: 1\n",
                sent * 2
            );
            file(root, "proc/net/snmp", &text);
            let text = format!(
                "TcpExt: TCPDSACKRecv TCPOFOQueue\nTcpExt: {sent} {again}\nIpExt: X\nIpExt: 1\n"
            );
            file(root, "proc/net/netstat", &text);
        };
        snmp(10, 2);
        let target = |name: &str, address: &str| Watched {
            name: name.into(),
            addresses: vec![address.parse().unwrap()],
            ..Watched::default()
        };
        let what = [
            target("a", "10.1.0.7:10809"),
            target("b", "10.1.0.8:10809"),
            target("c", "127.0.0.1:10809"),
            target("none", "[fd00::1]:10809"),
        ];
        let mut sampler = LinksSampler::new(&Root::at(root), &what);
        counters(root, "eth1", [1500, 2700, 1, 2, 3, 5]);
        snmp(110, 5);
        let seen = sampler.look();
        let names: Vec<&str> = seen.iter().map(|l| l.name.as_str()).collect();
        assert_eq!(names, ["eth1", "lo"]);
        let eth1 = LinkUse {
            name: "eth1".into(),
            targets: vec!["a".into(), "b".into()],
            in_bytes: 500,
            out_bytes: 700,
            lost_packets: 7,
            speed: Some(3_125_000_000),
            state: "up".into(),
            mtu: 9000,
        };
        assert_eq!(seen[0], eth1);
        assert_eq!((seen[1].speed, seen[1].in_bytes), (None, 0));
        let tcp = TcpUse {
            sent: 100,
            sent_again: 3,
            sent_in_vain: Some(100),
            received: Some(200),
            out_of_order: Some(3),
        };
        assert_eq!(sampler.tcp(), Some(tcp));
        // What goes back is another interface of that name; then it is known again.
        counters(root, "eth1", [5, 5, 0, 0, 0, 0]);
        assert_eq!(sampler.look().len(), 1);
        assert_eq!(sampler.look().len(), 2);
        snmp(1, 1);
        assert_eq!(sampler.tcp(), None);
    }

    #[test]
    fn a_target_that_is_no_network_has_no_link_and_no_tcp() {
        let mut sampler = LinksSampler::new(&Root::system(), &[Watched::default()]);
        assert_eq!((sampler.look(), sampler.tcp()), (vec![], None));
    }
}
