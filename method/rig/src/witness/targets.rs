//! What can be looked at of a run's targets, and what its record lies on.

use plimsoll_engine::OpenTarget;
use plimsoll_plan::NbdServer;
use plimsoll_witness::{Root, Watched, block};
use std::net::{SocketAddr, ToSocketAddrs};
use std::path::Path;

/// Parts of a target that can be looked at.
pub(crate) fn watched(target: &OpenTarget) -> Watched {
    let members = target.opened.members();
    let mut devices: Vec<String> = Vec::new();
    for name in members.iter().flat_map(|m| devices_under(&m.path)) {
        if !devices.contains(&name) {
            devices.push(name);
        }
    }
    Watched {
        name: target.name.clone(),
        path: match members {
            [only] => Some(only.path.clone()),
            _ => None,
        },
        devices,
        addresses: addresses(target),
    }
}

fn devices_under(path: &Path) -> Vec<String> {
    let root = Root::system();
    let device = block::device_of_path(&root, path).ok().flatten();
    let stack = device.map(|device| block::stack(&root, &device));
    let layers = stack.into_iter().flatten();
    layers.map(|layer| layer.name).collect()
}

/// Addresses of its servers that are reached by TCP.
fn addresses(target: &OpenTarget) -> Vec<SocketAddr> {
    let volume = target.opened.volume();
    let paths = volume.into_iter().flat_map(|volume| &volume.plan.paths);
    let of_server = |server: &NbdServer| match server {
        NbdServer::Tcp { host, port } => (host.as_str(), *port).to_socket_addrs().ok(),
        NbdServer::Unix(_) => None,
    };
    paths
        .filter_map(|uri| of_server(&uri.server))
        .flatten()
        .collect()
}

/// The whole disks that a file lies on: what the devices below it are made of in the end.
pub(crate) fn disks_under(file: &Path) -> Vec<String> {
    let root = Root::system();
    let device = block::device_of_path(&root, file).ok().flatten();
    let stack = device.map_or_else(Vec::new, |device| block::stack(&root, &device));
    // A loop device is no disk where the one below its file shows.
    let disks = stack
        .iter()
        .filter(|l| l.slaves.is_empty() && l.kind != "loop");
    let names: Vec<String> = disks.map(|disk| disk.name.clone()).collect();
    match (names.is_empty(), stack.last()) {
        (true, Some(last)) => vec![last.name.clone()],
        _ => names,
    }
}
