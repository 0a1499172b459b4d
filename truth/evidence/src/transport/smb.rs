//! Channels of SMB: what the kernel's client says of them, and over which connections they go.

use serde::Serialize;
use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// The port of an SMB server, as `/proc/net/tcp` writes it.
const PORT: &str = "01BD";

/// A channel of a session with an SMB server.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct SmbChannel {
    /// The address that it comes from; empty where no TCP connection tells it.
    pub client: String,
    /// The address that it leads to; empty where it may be one of several.
    pub server: String,
    /// Speed of the server's interface there, as the server says it.
    pub speed: String,
    /// Capabilities of that interface: `RSS`, `RDMA`.
    pub capable: String,
    /// False where it failed, or is being set up again.
    pub works: bool,
}

impl fmt::Display for SmbChannel {
    /// Line such as `10.9.1.1 to 10.9.1.2, 10Gbps, RSS, in use`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known = |address: &str| match address {
            "" => "?".to_string(),
            address => address.to_string(),
        };
        let state = if self.works { "in use" } else { "failed" };
        let words = [
            &format!("{} to {}", known(&self.client), known(&self.server)),
            &self.speed,
            &self.capable,
            state,
        ];
        let said = words.into_iter().filter(|word| !word.is_empty());
        f.write_str(&said.collect::<Vec<_>>().join(", "))
    }
}

/// An interface that a server has told of.
#[derive(Debug, Default)]
struct Interface {
    address: String,
    speed: String,
    capable: String,
    /// Channels that lead there.
    channels: usize,
    /// True where the server no longer tells of it, and the client keeps it while it is in use.
    is_gone: bool,
}

impl Interface {
    /// True where channels may lead there: to a link-local address none do by themselves, and its interface has others.
    fn is_of_use(&self) -> bool {
        let is_local = |ip: Ipv6Addr| ip.is_unicast_link_local();
        let is_local = self.address.parse().is_ok_and(is_local);
        self.channels > 0 || !self.is_gone && !is_local
    }
}

/// Session with a server, as the kernel's client describes it.
#[derive(Debug, Default)]
pub(super) struct Session {
    address: String,
    /// State of each channel: true where it works.
    works: Vec<bool>,
    interfaces: Vec<Interface>,
}

impl Session {
    /// The part of `/proc/fs/cifs/DebugData` that is about a server of one of these names: the first session with it.
    pub fn with(text: &str, names: &[&str]) -> Option<Self> {
        let mut found: Option<Session> = None;
        let mut channel = 0;
        for line in text.lines().map(str::trim) {
            if let Some(host) = after(line, "Hostname:") {
                if found.is_some() {
                    break;
                }
                found = names.contains(&host).then(Session::default);
                channel = 0;
            }
            let Some(session) = &mut found else { continue };
            let address = after(line, ") Address:").or(after(line, ") Name:"));
            match address {
                Some(_) if !session.address.is_empty() => break,
                Some(address) => session.address = plain(address),
                None => {}
            }
            // No more than a byte: the text may be somebody else's, and there are at most 16 channels.
            let number = |word: &str| after(line, word)?.parse::<u8>().ok().map(usize::from);
            if let Some(extra) = number("Extra Channels:") {
                session.works.resize(1 + extra, true);
            } else if let Some(n) = number("Channel:") {
                channel = n.saturating_sub(1);
            } else if line.starts_with("Shares:") {
                // A share may be disconnected, too.
                channel = usize::MAX;
            }
            // 1 is `CifsGood`. A channel that the kernel has given up is `DISABLED`.
            let is_bad = number("TCP status:").is_some_and(|status| status != 1)
                || ["DISCONNECTED", "DISABLED"]
                    .iter()
                    .any(|word| line.contains(word));
            if is_bad && channel < session.works.len().max(1) {
                session.works.resize(session.works.len().max(1), true);
                session.works[channel] = false;
            }
            session.interface(line);
        }
        let mut session = found?;
        session.works.resize(session.works.len().max(1), true);
        session.interfaces.retain(Interface::is_of_use);
        Some(session)
    }

    /// A line about the server's interfaces.
    fn interface(&mut self, line: &str) {
        if let Some((_, speed)) = line.split_once("Speed:") {
            self.interfaces.push(Interface {
                speed: shortened(speed.trim()),
                ..Interface::default()
            });
        }
        let Some(last) = self.interfaces.last_mut() else {
            return;
        };
        if let Some((_, able)) = line.split_once("Capabilities:") {
            last.capable = able.trim().to_uppercase();
        } else if let Some(address) = after(line, "IPv4:").or(after(line, "IPv6:")) {
            last.address = plain(address);
        } else if let Some(n) = after(line, "Allocated channels:") {
            last.channels = n.parse::<u8>().map_or(0, usize::from);
        } else if line.contains("[CONNECTED]") {
            last.channels = last.channels.max(1);
        } else if line.contains("[for-cleanup]") {
            last.is_gone = true;
        }
    }

    /// Speed of the server's first interface; and the number of channels, with the number of interfaces that are capable of RDMA.
    pub fn said(&self) -> (String, String) {
        let speed = self.interfaces.first().map(|i| i.speed.clone());
        let able = self
            .interfaces
            .iter()
            .filter(|i| i.capable.contains("RDMA"));
        let interfaces = match (self.interfaces.len(), able.count()) {
            (0, _) => String::new(),
            (all, able) => format!(
                ", {}, {} capable of RDMA",
                super::counted(all, "interface of the server"),
                if able == 0 {
                    "none".into()
                } else {
                    able.to_string()
                }
            ),
        };
        let channels = super::counted(self.works.len(), "channel");
        (speed.unwrap_or_default(), channels + &interfaces)
    }

    /// The channels, each with its connection among those of the host.
    pub fn channels(&self, tcp: &str) -> Vec<SmbChannel> {
        let known = |address: &str| {
            address == self.address || self.interfaces.iter().any(|i| i.address == address)
        };
        let all = tcp.lines().filter_map(connection);
        let connections: Vec<[String; 2]> = all.filter(|[_, to]| known(to)).collect();
        let servers = self.servers(&connections);
        let channel = |(works, server): (&bool, String)| {
            // A host reaches an address from one of its own, over however many connections.
            let own = connections.iter().find(|[_, to]| *to == server);
            let client = own.map(|[from, _]| from.clone());
            let interface = self.interfaces.iter().find(|i| i.address == server);
            SmbChannel {
                client: client.unwrap_or_default(),
                speed: interface.map(|i| i.speed.clone()).unwrap_or_default(),
                capable: interface.map(|i| i.capable.clone()).unwrap_or_default(),
                works: *works,
                server,
            }
        };
        self.works.iter().zip(servers).map(channel).collect()
    }

    /// The address that each channel leads to: the first one's is the session's. The others have those that are left, where it is no
    /// matter which has which, or each is the only one.
    fn servers(&self, connections: &[[String; 2]]) -> Vec<String> {
        let mut left: Vec<String> = match connections.len() == self.works.len() {
            true => connections.iter().map(|[_, to]| to.clone()).collect(),
            false => {
                let each = self.interfaces.iter();
                each.flat_map(|i| vec![i.address.clone(); i.channels])
                    .collect()
            }
        };
        if let Some(own) = left.iter().position(|address| *address == self.address) {
            left.remove(own);
        }
        let extra = &self.works[1..];
        let alike =
            extra.iter().all(|works| *works == extra[0]) || left.iter().all(|a| *a == left[0]);
        if left.len() != extra.len() || !alike {
            left = vec![String::new(); extra.len()];
        }
        left.insert(0, self.address.clone());
        left
    }

    /// The server's addresses to which no channel leads, with their speeds.
    pub fn unused(&self, channels: &[SmbChannel]) -> Vec<String> {
        if channels.iter().any(|c| c.server.is_empty()) {
            return Vec::new();
        }
        let used = |i: &&Interface| channels.iter().any(|c| c.server == i.address);
        let left = self
            .interfaces
            .iter()
            .filter(|i| !i.address.is_empty() && !used(i));
        left.map(|i| {
            [&*i.address, &*i.speed, &*i.capable]
                .join(", ")
                .trim_end_matches(", ")
                .into()
        })
        .collect()
    }
}

/// The word behind another.
fn after<'t>(line: &'t str, word: &str) -> Option<&'t str> {
    line.split_once(word)?.1.split_whitespace().next()
}

/// `10000000000 bps` of older kernels as `10Gbps`.
fn shortened(speed: &str) -> String {
    let bits = speed
        .strip_suffix(" bps")
        .and_then(|n| n.parse::<u64>().ok());
    match bits {
        Some(n) if n >= 1_000_000_000 && n % 100_000_000 == 0 => format!("{}Gbps", n as f64 / 1e9),
        Some(n) if n >= 1_000_000 => format!("{}Mbps", n as f64 / 1e6),
        _ => speed.to_string(),
    }
}

fn plain(address: &str) -> String {
    address
        .parse::<IpAddr>()
        .map_or(address.into(), |a| a.to_canonical().to_string())
}

/// A connection that is there, to the port of SMB: both addresses.
fn connection(line: &str) -> Option<[String; 2]> {
    let mut words = line.split_whitespace().skip(1);
    let (from, to, state) = (words.next()?, words.next()?, words.next()?);
    let (to, port) = to.split_once(':')?;
    (port == PORT && state == "01").then_some(())?;
    Some([address(from.split_once(':')?.0)?, address(to)?])
}

/// An address as the kernel writes it: words of four bytes, each from its last byte on.
fn address(hex: &str) -> Option<String> {
    let word = |at: usize| u32::from_str_radix(hex.get(at..at + 8)?, 16).ok();
    let words: Option<Vec<u32>> = (0..hex.len()).step_by(8).map(word).collect();
    let bytes: Vec<u8> = words?.iter().flat_map(|w| w.to_le_bytes()).collect();
    let ip = match <[u8; 4]>::try_from(&bytes[..]) {
        Ok(four) => IpAddr::V4(Ipv4Addr::from(four)),
        Err(_) => IpAddr::V6(Ipv6Addr::from(<[u8; 16]>::try_from(&bytes[..]).ok()?)),
    };
    Some(ip.to_canonical().to_string())
}
