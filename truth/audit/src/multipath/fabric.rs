//! Fibre Channel fabrics, as sysfs tells them: adapters on them, and the array's ports that each adapter sees.

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
        let target: u32 = text("scsi_target_id")?.trim().parse().ok()?;
        let adapter = format!("host{}", place.split(':').next()?);
        let fabric = host.text(&format!("/sys/class/fc_host/{adapter}/fabric_name"))?;
        Some(Way {
            nexus: format!("{place}:{target}"),
            fabric: fabric.trim().to_string(),
            port: text("port_name")?.trim().to_string(),
            adapter,
        })
    });
    way.collect()
}

/// Where a way goes, by its adapter, channel and target: `3:0:1 (host3 on fabric 0x1 to port 0x5)`.
pub fn place(host: &HostState, nexus: &str) -> String {
    match ways(host).iter().find(|way| way.nexus == nexus) {
        Some(w) => format!(
            "{nexus} ({} on fabric {} to port {})",
            w.adapter, w.fabric, w.port
        ),
        None => nexus.to_string(),
    }
}

/// Ports that one adapter of a fabric sees and another one there does not.
pub fn unseen(host: &HostState) -> Vec<String> {
    let all = ways(host);
    let adapters: BTreeSet<(&str, &str)> = all.iter().map(|w| (&*w.adapter, &*w.fabric)).collect();
    let mut found = Vec::new();
    for (adapter, fabric) in adapters {
        let on_fabric = all.iter().filter(|w| w.fabric == fabric);
        let ports: BTreeSet<&str> = on_fabric.clone().map(|w| &*w.port).collect();
        let own: BTreeSet<&str> = on_fabric
            .filter(|w| w.adapter == adapter)
            .map(|w| &*w.port)
            .collect();
        for port in ports.difference(&own) {
            found.push(format!("{adapter} on fabric {fabric} to port {port}"));
        }
    }
    found
}
