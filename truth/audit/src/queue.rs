//! The block devices below a target, and their queues' settings.

use plimsoll_evidence::{BlockLayer, EnvironmentTarget};

/// A setting, as sysfs has it.
pub fn of<'a>(layer: &'a BlockLayer, name: &str) -> Option<&'a str> {
    let found = layer.queue.iter().find(|(n, _)| n == name);
    found.map(|(_, value)| value.trim())
}

/// Number that a layer's queue has under a name.
pub fn number(layer: &BlockLayer, name: &str) -> Option<u64> {
    of(layer, name)?.parse().ok()
}

/// Stripe of a volume: its columns, and the bytes of each that come in turn.
pub fn stripe(layer: &BlockLayer) -> Option<(u64, u64)> {
    Some((
        number(layer, "stripe_columns")?,
        number(layer, "stripe_unit")?,
    ))
}

/// Number of requests that devices side by side have places for: `nr_requests` for each hardware queue of each. `None` where one of them
/// has no queue of requests, such as zram, md and most of device mapper, which hold nothing back.
pub fn places(devices: &[&BlockLayer]) -> Option<u64> {
    let of_one = |l: &&BlockLayer| {
        let queues = number(l, "nr_hw_queues").unwrap_or(1).max(1);
        Some(number(l, "nr_requests")?.saturating_mul(queues))
    };
    let each: Option<Vec<u64>> = devices.iter().map(of_one).collect();
    let sum = each?.into_iter().fold(0, u64::saturating_add);
    (sum > 0).then_some(sum)
}

/// The queues that I/Os come by one after the other: the disks, and each kind of device above them. Those of one kind lie side by
/// side, as the members of a RAID do. A partition has its disk's queue.
pub fn levels<'a>(layers: impl Iterator<Item = &'a BlockLayer>) -> Vec<Vec<&'a BlockLayer>> {
    let mut levels: Vec<Vec<&BlockLayer>> = Vec::new();
    for layer in layers.filter(|l| l.kind != "partition") {
        let beside = levels
            .iter_mut()
            .find(|level| level.iter().any(|l| l.kind == layer.kind));
        match beside {
            Some(level) if level.iter().any(|l| l.name == layer.name) => {}
            Some(level) => level.push(layer),
            None => levels.push(vec![layer]),
        }
    }
    levels
}

/// The devices at the bottom of a target's stack: those that are made of no others. A partition has its disk's queue.
pub fn leaves(target: &EnvironmentTarget) -> Vec<&BlockLayer> {
    let leaf = |l: &&BlockLayer| l.kind != "partition" && l.slaves.is_empty();
    target.stack.iter().filter(leaf).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layer(name: &str, kind: &str, queue: &[(&str, &str)]) -> BlockLayer {
        BlockLayer {
            name: name.into(),
            kind: kind.into(),
            queue: queue
                .iter()
                .map(|(n, v)| (n.to_string(), v.to_string()))
                .collect(),
            ..BlockLayer::default()
        }
    }

    #[test]
    fn members_and_hardware_queues_add_up_and_one_after_the_other_does_not() {
        let sata = [("nr_requests", "64")];
        let stack = [
            layer("loop0", "loop", &[("nr_requests", "128")]),
            layer("md0", "md", &[]),
            layer("sda", "disk", &sata),
            layer("sdb", "disk", &sata),
            layer("sda", "disk", &sata),
            layer("sdb1", "partition", &sata),
        ];
        let levels = levels(stack.iter());
        let places: Vec<Option<u64>> = levels.iter().map(|l| places(l)).collect();
        assert_eq!(places, [Some(128), None, Some(128)]);
        let nvme = [("nr_requests", "1023"), ("nr_hw_queues", "16")];
        let nvme = layer("nvme0n1", "disk", &nvme);
        assert_eq!(super::places(&[&nvme]), Some(16_368));
        assert_eq!(super::places(&[&nvme, &stack[1]]), None);
        assert_eq!(super::places(&[]), None);
    }
}
