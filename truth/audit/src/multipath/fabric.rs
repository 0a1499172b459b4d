//! Fibre Channel fabrics, as sysfs tells them: adapters on them, and the arrays' ports that each adapter sees.

use plimsoll_evidence::HostState;
use std::collections::BTreeSet;

/// One way from an adapter to a port of an array: `3:0:1`, adapter, channel and target.
struct Way {
    nexus: String,
    adapter: String,
    fabric: String,
    port: String,
}

fn ways(host: &HostState) -> Vec<Way> {
    let remote = host.names("/sys/class/fc_remote_ports").into_iter();
    let way = remote.filter_map(|name| {
        let text = |of: &str| host.text(&format!("/sys/class/fc_remote_ports/{name}/{of}"));
        // `rport-3:0-1`: the last number is the kernel's own, and not the target's.
        let place = name.strip_prefix("rport-")?.split_once('-')?.0;
        let target: u32 = text("scsi_target_id")?.parse().ok()?;
        let adapter = format!("host{}", place.split(':').next()?);
        let fabric = host.text(&format!("/sys/class/fc_host/{adapter}/fabric_name"))?;
        // Without a switch there is none, and two adapters do not share it.
        let is_none = ["0x0", "0xffffffffffffffff"].contains(&fabric);
        (!is_none).then_some(())?;
        Some(Way {
            nexus: format!("{place}:{target}"),
            fabric: fabric.to_string(),
            port: text("port_name")?.to_string(),
            adapter,
        })
    });
    way.collect()
}

/// Place that a way goes to, by its adapter, channel and target: `3:0:1 (host3 on fabric 0x1 to port 0x5)`.
pub fn place(host: &HostState, nexus: &str) -> String {
    match ways(host).iter().find(|way| way.nexus == nexus) {
        Some(w) => format!(
            "{nexus} ({} on fabric {} to port {})",
            w.adapter, w.fabric, w.port
        ),
        None => nexus.to_string(),
    }
}

/// Ways that a map with these lacks: by another adapter of a fabric, to a port that it has there.
pub fn lacking(host: &HostState, nexuses: &BTreeSet<String>) -> Vec<String> {
    let all = ways(host);
    let own: Vec<&Way> = all.iter().filter(|w| nexuses.contains(&w.nexus)).collect();
    let adapters: BTreeSet<(&str, &str)> = all.iter().map(|w| (&*w.adapter, &*w.fabric)).collect();
    let mut found = Vec::new();
    for (adapter, fabric) in adapters {
        let on_fabric = own.iter().filter(|w| w.fabric == fabric);
        let ports: BTreeSet<&str> = on_fabric.map(|w| &*w.port).collect();
        let has = |port: &str| own.iter().any(|w| w.adapter == adapter && w.port == port);
        for port in ports.into_iter().filter(|port| !has(port)) {
            found.push(format!("{adapter} on fabric {fabric} to port {port}"));
        }
    }
    found
}
