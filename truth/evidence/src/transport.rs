//! Transports of a host: over what its storage is reached, as its files say it. A table for people who ask "which one am I on".

mod smb;

pub use smb::SmbChannel;

use crate::HostState;
use serde::Serialize;
use std::fmt;

/// One way to storage: a port, a session, a controller or a mount.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Transport {
    /// Kind of transport: `Fibre Channel`, `RoCE`, `SRP`, `iSCSI`, `NVMe over TCP`, `NFS over RDMA`, `SMB over TCP`.
    pub kind: String,
    /// The host's name for it: `host5`, `session1`, `nvme0`, a mount point.
    pub name: String,
    /// Remote end: an address, an export, a share.
    pub to: String,
    /// State, as the kernel says it.
    pub state: String,
    /// Speed, as the kernel says it.
    pub speed: String,
    /// Channels, connections, topology.
    pub how: String,
    /// The channels of an SMB session.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub channels: Vec<SmbChannel>,
    /// The server's addresses to which none of them leads.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unused: Vec<String>,
}

impl Transport {
    /// A line for each channel, and for what no channel uses.
    pub fn rows(&self) -> Vec<String> {
        let channels = self.channels.iter().zip(1..);
        let channels = channels.map(|(channel, n)| format!("channel {n}: {channel}"));
        let unused = self.unused.iter().map(|a| format!("no channel to {a}"));
        channels.chain(unused).collect()
    }

    /// True of what leaves the host: a network or a fabric.
    pub fn is_network(&self) -> bool {
        self.kind != "NVMe over PCIe"
    }
}

impl fmt::Display for Transport {
    /// Line such as `iSCSI session1: iqn.a 10.0.0.1:3260, LOGGED_IN, 1 connection`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = [&self.to, &self.state, &self.speed, &self.how];
        let words = words.map(String::as_str);
        let said: Vec<&str> = words.into_iter().filter(|word| !word.is_empty()).collect();
        write!(f, "{} {}: {}", self.kind, self.name, said.join(", "))
    }
}

/// Transports that a host's files show.
pub fn transports(host: &HostState) -> Vec<Transport> {
    let mut all = fibre_channel(host);
    all.extend(rdma(host));
    all.extend(srp(host));
    all.extend(iscsi(host));
    all.extend(nvme(host));
    all.extend(mounts(host));
    all
}

/// The texts of one entry of a class in sysfs.
struct Entry<'h>(&'h HostState, String);

impl Entry<'_> {
    fn text(&self, name: &str) -> String {
        let path = format!("{}/{name}", self.1);
        self.0.text(&path).unwrap_or_default().to_string()
    }
}

fn entries<'h>(host: &'h HostState, class: &str) -> Vec<(&'h str, Entry<'h>)> {
    let folder = format!("/sys/class/{class}");
    let names = host.names(&folder).into_iter();
    names
        .map(|name| (name, Entry(host, format!("{folder}/{name}"))))
        .collect()
}

fn fibre_channel(host: &HostState) -> Vec<Transport> {
    let ports = entries(host, "fc_host").into_iter();
    let ports = ports.map(|(name, port)| Transport {
        kind: "Fibre Channel".into(),
        name: name.into(),
        state: port.text("port_state"),
        speed: port.text("speed"),
        how: port.text("port_type"),
        ..Transport::default()
    });
    ports.collect()
}

/// Ports of adapters that do RDMA, and by which protocol: one does either iWARP or RoCE.
fn rdma(host: &HostState) -> Vec<Transport> {
    let mut all = Vec::new();
    for (adapter, about) in entries(host, "infiniband") {
        let is_iwarp = about.text("node_type").contains("RNIC");
        for port in host.names(&format!("{}/ports", about.1)) {
            let port_text = |name: &str| about.text(&format!("ports/{port}/{name}"));
            let kind = match port_text("link_layer").as_str() {
                _ if is_iwarp => "iWARP",
                "Ethernet" => "RoCE",
                _ => "InfiniBand",
            };
            // `4: ACTIVE`
            let state = port_text("state");
            all.push(Transport {
                kind: kind.into(),
                name: format!("{adapter}/{port}"),
                state: state.split_once(": ").map_or(state.clone(), |s| s.1.into()),
                speed: port_text("rate"),
                how: port_text("gid_attrs/types/0"),
                ..Transport::default()
            });
        }
    }
    all
}

/// Hosts of the SCSI RDMA protocol.
fn srp(host: &HostState) -> Vec<Transport> {
    let hosts = entries(host, "scsi_host").into_iter();
    let hosts = hosts.filter_map(|(name, about)| {
        let device = about.text("local_ib_device");
        (!device.is_empty()).then(|| Transport {
            kind: "SRP".into(),
            name: name.into(),
            to: about.text("dgid"),
            how: format!("over {device}/{}", about.text("local_ib_port")),
            ..Transport::default()
        })
    });
    hosts.collect()
}

fn iscsi(host: &HostState) -> Vec<Transport> {
    let connections = entries(host, "iscsi_connection");
    let sessions = entries(host, "iscsi_session").into_iter();
    let sessions = sessions.map(|(name, session)| {
        let number = name.trim_start_matches("session");
        let prefix = format!("connection{number}:");
        let own = connections.iter().filter(|(c, _)| c.starts_with(&prefix));
        let addresses: Vec<String> = own
            .map(|(_, c)| {
                format!(
                    "{}:{}",
                    c.text("persistent_address"),
                    c.text("persistent_port")
                )
            })
            .collect();
        Transport {
            kind: "iSCSI".into(),
            name: name.into(),
            to: [session.text("targetname"), addresses.join(", ")]
                .join(" ")
                .trim()
                .into(),
            state: session.text("state"),
            how: counted(addresses.len(), "connection"),
            ..Transport::default()
        }
    });
    sessions.collect()
}

fn nvme(host: &HostState) -> Vec<Transport> {
    let controllers = entries(host, "nvme").into_iter();
    let controllers = controllers.filter_map(|(name, controller)| {
        let over = match controller.text("transport").as_str() {
            "" => return None,
            "pcie" => "PCIe",
            "tcp" => "TCP",
            "rdma" => "RDMA",
            "fc" => "Fibre Channel",
            _ => "another fabric",
        };
        Some(Transport {
            kind: format!("NVMe over {over}"),
            name: name.into(),
            to: controller.text("address"),
            state: controller.text("state"),
            how: controller.text("subsysnqn"),
            ..Transport::default()
        })
    });
    controllers.collect()
}

/// Mounts of network file systems, with what their clients tell of connections and channels.
fn mounts(host: &HostState) -> Vec<Transport> {
    let lines = host.text("/proc/mounts").unwrap_or_default().lines();
    let mounts = lines.filter_map(|line| {
        let mut words = line.split_whitespace();
        let (from, at, of, options) = (words.next()?, words.next()?, words.next()?, words.next()?);
        let option = |name: &str| {
            let all = options.split(',');
            let mut values = all.filter_map(|o| o.strip_prefix(name)?.strip_prefix('='));
            values.next()
        };
        let has = |name: &str| options.split(',').any(|o| o == name);
        let mount = Transport {
            name: at.into(),
            to: from.into(),
            ..Transport::default()
        };
        match of {
            "nfs" | "nfs4" => Some(Transport {
                kind: format!(
                    "NFS over {}",
                    option("proto").unwrap_or("tcp").to_uppercase()
                ),
                how: counted(
                    nfs_connections(host, at)
                        .or(option("nconnect").and_then(|n| n.parse().ok()))
                        .unwrap_or(1),
                    "connection",
                ),
                ..mount
            }),
            "cifs" | "smb3" => {
                let share = from.trim_start_matches('/');
                let server = share.split('/').next().unwrap_or_default();
                let address = option("addr").unwrap_or(server);
                let kind = format!("SMB over {}", if has("rdma") { "RDMA" } else { "TCP" });
                let session = host.text("/proc/fs/cifs/DebugData");
                let session = session.and_then(|t| smb::Session::with(t, &[server, address]));
                let Some(session) = session else {
                    let channels = if has("multichannel") {
                        "multichannel"
                    } else {
                        "one channel"
                    };
                    let how = channels.to_string();
                    return Some(Transport { kind, how, ..mount });
                };
                let tcp = ["/proc/net/tcp", "/proc/net/tcp6"]
                    .map(|path| host.text(path).unwrap_or_default());
                let channels = session.channels(&tcp.join("\n"));
                let (speed, how) = session.said();
                Some(Transport {
                    kind,
                    speed,
                    how,
                    unused: session.unused(&channels),
                    channels,
                    ..mount
                })
            }
            _ => None,
        }
    });
    mounts.collect()
}

/// Number of connections of an NFS mount: a line `xprt:` of its statistics for each; `None` where there is none.
fn nfs_connections(host: &HostState, at: &str) -> Option<usize> {
    let text = host.text("/proc/self/mountstats")?;
    let here = format!(" mounted on {at} with fstype nfs");
    let mut own = text.lines().skip_while(|line| !line.contains(&here));
    own.next()?;
    let own = own.take_while(|line| !line.starts_with("device "));
    let count = own.filter(|l| l.trim_start().starts_with("xprt:")).count();
    (count > 0).then_some(count)
}

fn counted(n: usize, what: &str) -> String {
    let (first, rest) = what.split_once(' ').unwrap_or((what, ""));
    let plural = if n == 1 { "" } else { "s" };
    format!("{n} {first}{plural} {rest}").trim().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host(files: &[(&str, &str)]) -> HostState {
        let mut host = HostState::default();
        files
            .iter()
            .for_each(|(path, text)| host.insert(*path, *text));
        host
    }

    fn lines(files: &[(&str, &str)]) -> Vec<String> {
        let all = transports(&host(files)).into_iter();
        all.map(|t| [t.kind, t.name, t.to, t.state, t.speed, t.how].join("|"))
            .collect()
    }

    /// Files of a host, and what they say.
    const FILES: &str = "\
/sys/class/fc_host/host5/port_state Online
/sys/class/fc_host/host5/speed 8 Gbit
/sys/class/fc_host/host5/port_type Point-To-Point (direct nport connection)
/sys/class/iscsi_session/session1/targetname iqn.2005-10.org:t
/sys/class/iscsi_session/session1/state LOGGED_IN
/sys/class/iscsi_connection/connection1:0/persistent_address 10.0.0.1
/sys/class/iscsi_connection/connection1:0/persistent_port 3260
/sys/class/iscsi_connection/connection11:0/persistent_address 10.0.0.9
/sys/class/infiniband/mlx4_0/node_type 1: CA
/sys/class/infiniband/mlx4_0/ports/1/link_layer InfiniBand
/sys/class/infiniband/mlx4_0/ports/1/state 4: ACTIVE
/sys/class/infiniband/mlx4_0/ports/1/rate 40 Gb/sec (4X QDR)
/sys/class/infiniband/mlx5_0/node_type 1: CA
/sys/class/infiniband/mlx5_0/ports/1/link_layer Ethernet
/sys/class/infiniband/mlx5_0/ports/1/state 1: DOWN
/sys/class/infiniband/mlx5_0/ports/1/gid_attrs/types/0 RoCE v2
/sys/class/infiniband/cxgb4_0/node_type 4: RNIC
/sys/class/infiniband/cxgb4_0/ports/1/link_layer Ethernet
/sys/class/scsi_host/host13/local_ib_device mlx4_0
/sys/class/scsi_host/host13/local_ib_port 1
/sys/class/scsi_host/host13/dgid fe80:0000:0000:0000:0021:9709:0000:0a01
/sys/class/nvme/nvme0/transport tcp
/sys/class/nvme/nvme0/address traddr=10.0.0.2,trsvcid=4420
/sys/class/nvme/nvme0/state live
/sys/class/nvme/nvme0/subsysnqn nqn.a";

    #[test]
    fn ports_sessions_and_controllers_are_read_of_sysfs() {
        let files = FILES
            .lines()
            .map(|line| line.split_once(' ').expect("a path and its text"))
            .collect::<Vec<_>>();
        assert_eq!(
            lines(&files),
            [
                "Fibre Channel|host5||Online|8 Gbit|Point-To-Point (direct nport connection)",
                "iWARP|cxgb4_0/1||||",
                "InfiniBand|mlx4_0/1||ACTIVE|40 Gb/sec (4X QDR)|",
                "RoCE|mlx5_0/1||DOWN||RoCE v2",
                "SRP|host13|fe80:0000:0000:0000:0021:9709:0000:0a01|||over mlx4_0/1",
                "iSCSI|session1|iqn.2005-10.org:t 10.0.0.1:3260|LOGGED_IN||1 connection",
                "NVMe over TCP|nvme0|traddr=10.0.0.2,trsvcid=4420|live||nqn.a",
            ]
        );
    }

    #[test]
    fn mounts_say_their_transport_and_how_many_channels_they_have() {
        let mounts = "/dev/sda1 / ext4 rw 0 0\nsrv:/vol /nfs nfs4 rw,vers=4.2,proto=tcp,nconnect=8,addr=10.0.0.3 0 0\n\
            srv:/fast /fast nfs rw,proto=rdma,port=20049 0 0\n\
            //win/share /smb cifs rw,vers=3.1.1,multichannel,max_channels=2,addr=10.0.0.4 0 0\n//old/share /old cifs rw,vers=3.0,addr=10.0.0.5 0 0\n";
        let debug = "Display Internal CIFS Data Structures for Debugging\nServers: \n1) ConnectionId: 0x1 Hostname: win \n\
            Number of credits: 8190,1,1 Dialect 0x311\nTCP status: 1 Instance: 1\n\tSessions: \n\t1) Address: 10.0.0.4 Uses: 1\n\tExtra Channels: 1 \n\
            \t\tChannel: 2 ConnectionId: 0x2\n\t\tTCP status: 3 Instance: 1\n\t\tIn Send: 0 In MaxReq Wait: 0\tDISCONNECTED \n\tShares: \n\
            \tPathComponentMax: 255 Status: 1 type: DISK \tDISCONNECTED \n\
            \tServer interfaces: 3\tLast updated: 9 seconds ago\n\t1)\tSpeed: 10000000000 bps\n\t\tCapabilities: rss \n\t\tIPv4: 10.0.0.4\n\t\t[CONNECTED]\n\
            \n\t2)\tSpeed: 10Gbps\n\t\tCapabilities: rdma rss \n\t\tIPv6: fe80:0000:0000:0000:0000:0000:0000:0001\n\t\t[CONNECTED]\n\
            \n\t3)\tSpeed: 1000000000 bps\n\t\tCapabilities: \n\t\tIPv4: 10.0.2.4\n\
            \n\t4)\tSpeed: 10Gbps\n\t\tCapabilities: rss \n\t\tIPv6: fe80:0000:0000:0000:0000:0000:0000:0002\n\
            \n\t5)\tSpeed: 10Gbps\n\t\tCapabilities: rss \n\t\tIPv4: 10.0.3.4\n\t\t[for-cleanup]\n";
        // From 10.0.0.1 to 10.0.0.4, one to another port, and one that is being set up.
        let tcp = "  sl  local_address rem_address   st\n   0: 0100000A:9C40 0400000A:01BD 01 00000000:00000000\n\
            1: 0100000A:9C42 0400000A:0016 01 00000000:00000000\n   2: 0100000A:9C44 0400000A:01BD 02 00000000:00000000\n";
        // The mount asked for eight connections, and has two.
        let statistics = "device rootfs mounted on / with fstype rootfs\ndevice srv:/vol mounted on /nfs with fstype nfs4 statvers=1.1\n\
            \topts:\trw,vers=4.2,nconnect=8\n\txprt:\ttcp 0 0 2 0 0\n\txprt:\ttcp 0 0 2 0 0\n\
            device srv:/other mounted on /nfs2 with fstype nfs4 statvers=1.1\n\txprt:\ttcp 0 0 2 0 0\n";
        assert_eq!(
            lines(&[
                ("/proc/mounts", mounts),
                ("/proc/fs/cifs/DebugData", debug),
                ("/proc/self/mountstats", statistics),
            ]),
            [
                "NFS over TCP|/nfs|srv:/vol|||2 connections",
                "NFS over RDMA|/fast|srv:/fast|||1 connection",
                "SMB over TCP|/smb|//win/share||10Gbps|2 channels, 3 interfaces of the server, 1 capable of RDMA",
                "SMB over TCP|/old|//old/share|||one channel",
            ]
        );
        let rows = |tcp: &str| {
            let host = host(&[
                ("/proc/mounts", mounts),
                ("/proc/fs/cifs/DebugData", debug),
                ("/proc/net/tcp", tcp),
            ]);
            transports(&host)[2].rows()
        };
        assert_eq!(
            rows(tcp),
            [
                "channel 1: 10.0.0.1 to 10.0.0.4, 10Gbps, RSS, in use",
                "channel 2: ? to fe80::1, 10Gbps, RDMA RSS, failed",
                "no channel to 10.0.2.4, 1Gbps",
            ]
        );
        // One that the kernel gave up works no more, and counts that nobody can have are none.
        let given_up = debug.replace(
            "ConnectionId: 0x2\n\t\tTCP status: 3",
            "DISABLED\n\t\tTCP status: 1",
        );
        let given_up = given_up.replace("\tDISCONNECTED \n\tShares", "\n\tShares");
        let session = |text: &str| smb::Session::with(text, &["win"]).expect("a session");
        assert!(!session(&given_up).channels("")[1].works);
        let odd = debug.replace("Extra Channels: 1", "Extra Channels: 18446744073709551615");
        assert_eq!(session(&odd).channels("").len(), 1);
        // With both connections there, they say where the second one leads.
        let both = tcp
            .replace("01BD 02", "01BD 01")
            .replace("9C44 0400000A", "9C44 0402000A");
        assert_eq!(
            rows(&both)[1..],
            [
                "channel 2: 10.0.0.1 to 10.0.2.4, 1Gbps, failed",
                "no channel to fe80::1, 10Gbps, RDMA RSS",
            ]
        );
    }
}
