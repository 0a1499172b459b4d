//! Clients, and the names by which an igroup knows them.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

/// What can be known of a client: where it comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Client {
    /// Over TCP, from this address.
    Ip(IpAddr),
    /// Over a Unix socket, as this user.
    Unix {
        /// The user's number.
        uid: u32,
    },
}

/// An initiator: one client or many, as `*`, `10.0.0.7`, `10.0.0.0/8`, `unix`, `unix:1000` or `guid.0000:c903:0057:8290@10.0.0.7`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Initiator {
    /// Every client.
    Everyone,
    /// The addresses that begin with so many bits of this one.
    Network {
        /// The address.
        address: IpAddr,
        /// The bits; all of them for a single address.
        prefix: u8,
        /// The port's GUID on a fabric, a name beside the address: over TCP no client tells it.
        guid: Option<u64>,
    },
    /// Clients of a Unix socket; of one user, where one is named.
    Unix {
        /// The user's number.
        uid: Option<u32>,
    },
}

/// A text that names no initiator.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0:?} is no initiator; write an address (10.0.0.7), a network (10.0.0.0/8), a GUID with an address (guid.0002:c903:0057:8290@10.0.0.7), \
     unix, unix:UID or *"
)]
pub struct InitiatorError(String);

impl Initiator {
    /// True for a client that it names.
    pub fn names(&self, client: &Client) -> bool {
        match (*self, *client) {
            (Initiator::Everyone, _) => true,
            (
                Initiator::Network {
                    address, prefix, ..
                },
                Client::Ip(other),
            ) => bits(address, prefix) == bits(other.to_canonical(), prefix),
            (Initiator::Unix { uid }, Client::Unix { uid: other }) => {
                uid.is_none_or(|u| u == other)
            }
            _ => false,
        }
    }
}

/// A GUID's four groups of four digits.
fn guid_of(text: &str) -> Option<u64> {
    let groups: Vec<&str> = text.split(':').collect();
    let is_group = |g: &&str| g.len() == 4 && g.bytes().all(|b| b.is_ascii_hexdigit());
    let all = groups.len() == 4 && groups.iter().all(is_group);
    all.then(|| u64::from_str_radix(&groups.concat(), 16).ok())?
}

/// The family of an address and its first bits.
fn bits(address: IpAddr, prefix: u8) -> (bool, u128) {
    let (value, width) = match address {
        IpAddr::V4(v4) => (u128::from(v4.to_bits()), 32),
        IpAddr::V6(v6) => (v6.to_bits(), 128),
    };
    let rest = width - u32::from(prefix).min(width);
    (address.is_ipv4(), value.checked_shr(rest).unwrap_or(0))
}

impl FromStr for Initiator {
    type Err = InitiatorError;

    fn from_str(text: &str) -> Result<Self, InitiatorError> {
        let wrong = || InitiatorError(text.to_owned());
        match text {
            "*" => return Ok(Initiator::Everyone),
            "unix" => return Ok(Initiator::Unix { uid: None }),
            _ => {}
        }
        if let Some(uid) = text.strip_prefix("unix:") {
            let uid = uid.parse().map_err(|_| wrong())?;
            return Ok(Initiator::Unix { uid: Some(uid) });
        }
        let (guid, place) = match text.strip_prefix("guid.") {
            None => (None, text),
            Some(named) => {
                let (guid, place) = named.split_once('@').ok_or_else(wrong)?;
                (Some(guid_of(guid).ok_or_else(wrong)?), place)
            }
        };
        let (address, prefix) = match place.split_once('/') {
            Some((address, prefix)) => (address, Some(prefix)),
            None => (place, None),
        };
        let address: IpAddr = address.parse().map_err(|_| wrong())?;
        let width = if address.is_ipv4() { 32 } else { 128 };
        let prefix: u8 = match prefix {
            Some(prefix) => prefix.parse().map_err(|_| wrong())?,
            None => width,
        };
        // A GUID is of one port, and so of one address.
        if prefix > width || (guid.is_some() && prefix < width) {
            return Err(wrong());
        }
        Ok(match (address, prefix.checked_sub(96)) {
            // IPv4 in the clothes of IPv6: clients are known without them.
            (IpAddr::V6(v6), Some(prefix)) if v6.to_ipv4_mapped().is_some() => Initiator::Network {
                address: v6.to_canonical(),
                prefix,
                guid,
            },
            _ => Initiator::Network {
                address,
                prefix,
                guid,
            },
        })
    }
}

impl fmt::Display for Initiator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Initiator::Everyone => f.write_str("*"),
            Initiator::Network {
                address,
                prefix,
                guid,
            } => {
                if let Some(guid) = guid {
                    let part = |n: u32| (guid >> (48 - 16 * n)) & 0xffff;
                    let [a, b, c, d] = [0, 1, 2, 3].map(part);
                    write!(f, "guid.{a:04x}:{b:04x}:{c:04x}:{d:04x}@")?;
                }
                match (address, prefix) {
                    (IpAddr::V4(_), 32) | (IpAddr::V6(_), 128) => address.fmt(f),
                    _ => write!(f, "{address}/{prefix}"),
                }
            }
            Initiator::Unix { uid: None } => f.write_str("unix"),
            Initiator::Unix { uid: Some(uid) } => write!(f, "unix:{uid}"),
        }
    }
}

impl Serialize for Initiator {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Initiator {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<str>::deserialize(from)?;
        text.parse().map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ip(text: &str) -> Client {
        Client::Ip(text.parse().unwrap())
    }

    #[test]
    fn names_clients_by_address_network_socket_and_user() {
        let root = Client::Unix { uid: 0 };
        for (initiator, client, is_named) in [
            ("*", ip("203.0.113.9"), true),
            ("*", root, true),
            ("10.0.0.7", ip("10.0.0.7"), true),
            ("10.0.0.7", ip("10.0.0.8"), false),
            ("10.0.0.0/8", ip("10.200.0.1"), true),
            ("10.0.0.0/8", ip("11.0.0.1"), false),
            ("10.0.0.0/8", ip("::ffff:10.1.2.3"), true),
            ("0.0.0.0/0", ip("8.8.8.8"), true),
            ("0.0.0.0/0", ip("::1"), false),
            ("::/0", ip("::1"), true),
            ("fd00::/8", ip("fd12::1"), true),
            ("fd00::/8", ip("fe80::1"), false),
            ("::/0", root, false),
            ("unix", root, true),
            ("unix", ip("127.0.0.1"), false),
            ("unix:0", root, true),
            ("unix:1000", root, false),
            ("guid.0000:c903:0057:8290@10.0.0.7", ip("10.0.0.7"), true),
            ("guid.0000:c903:0057:8290@10.0.0.7", ip("10.0.0.8"), false),
        ] {
            let parsed: Initiator = initiator.parse().unwrap();
            assert_eq!(parsed.names(&client), is_named, "{initiator} {client:?}");
            assert_eq!(parsed.to_string(), initiator);
        }
    }

    #[test]
    fn an_ipv4_address_written_as_ipv6_names_the_same_clients() {
        for (mapped, plain) in [
            ("::ffff:10.0.0.7", "10.0.0.7"),
            ("::ffff:10.0.0.0/104", "10.0.0.0/8"),
        ] {
            let initiator: Initiator = mapped.parse().unwrap();
            assert_eq!(initiator, plain.parse().unwrap());
            assert!(initiator.names(&ip("10.0.0.7")) && initiator.names(&ip("::ffff:10.0.0.7")));
        }
    }

    #[test]
    fn what_names_nobody_is_refused_with_what_could_be_written() {
        for text in [
            "",
            "host7",
            "10.0.0.0/33",
            "10.0.0/8",
            "unix:bob",
            "10.0.0.1/-1",
            "::/129",
            "guid.0000:c903:0057:8290",
            "guid.c903:0057:8290@10.0.0.7",
            "guid.0000:c903:0057:8290@10.0.0.0/8",
        ] {
            let error = text.parse::<Initiator>().unwrap_err().to_string();
            assert!(error.contains("unix:UID or *"), "{text}: {error}");
        }
    }
}
