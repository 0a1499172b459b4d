//! What a look of the witness costs: `look_cost [DEVICE]…`, kernel names; all disks where none is given.
//!
//! Prints the CPU time of a look, and which share of one core that is with a look each second.

use plimsoll_witness::{Root, Watch, Watched, block};
use rustix::time::{ClockId, clock_gettime};
use std::time::Duration;

const LOOKS: u32 = 500;
/// Between looks others use the caches, as they do in a second.
const REST: Duration = Duration::from_millis(5);

fn main() {
    let root = Root::system();
    let mut devices: Vec<String> = std::env::args().skip(1).collect();
    if devices.is_empty() {
        devices = block::disks(&root);
    }
    let target = Watched {
        devices,
        ..Watched::default()
    };
    let before_ns = cpu_ns();
    let mut watch = Watch::new(&root, &[target]);
    let first_ns = cpu_ns() - before_ns;
    let mut spent_ns = 0;
    let mut seen = watch.look();
    for _ in 0..LOOKS {
        std::thread::sleep(REST);
        let before_ns = cpu_ns();
        let look = watch.look();
        spent_ns += cpu_ns() - before_ns;
        seen.append(look);
    }
    let each_us = spent_ns as f64 / 1e3 / f64::from(LOOKS);
    println!("{} CPUs, {} devices", seen.cpus.len(), seen.devices.len());
    println!("first look: {:.0} us", first_ns as f64 / 1e3);
    println!("each look:  {each_us:.1} us of CPU time");
    println!("each second: {:.4} % of one core", each_us / 1e4);
}

fn cpu_ns() -> u64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}
