//! Hosts that fit together: what each of them sees, beside the others. Pure.

use crate::message::WireTarget;
use plimsoll_plan::{Plan, TargetId};

/// Hosts and what they see: a name, and each target of the plan.
pub type Hosts = [(String, Vec<WireTarget>)];

/// Reason why these hosts cannot carry out the plan together, with the remedy.
pub fn refusal(plan: &Plan, hosts: &Hosts) -> Option<String> {
    let targets = 0..plan.targets.len();
    let sizes = targets.clone().find_map(|t| sizes(plan, hosts, t));
    sizes
        .or_else(|| targets.clone().find_map(|t| not_shared(plan, hosts, t)))
        .or_else(|| targets.clone().find_map(|t| not_one(plan, hosts, t)))
}

/// A target that differs in size from host to host is not the same to measure.
fn sizes(plan: &Plan, hosts: &Hosts, target: usize) -> Option<String> {
    let spec = &plan.targets[target];
    let used = |seen: &WireTarget| {
        let left = seen.size?.saturating_sub(spec.offset.0);
        Some(spec.size.map_or(left, |s| s.0.min(left)))
    };
    let seen = hosts
        .iter()
        .filter_map(|(name, all)| Some((name, used(all.get(target)?)?)));
    let seen: Vec<(&String, u64)> = seen.collect();
    let (first, size) = seen.first()?;
    let (other, differs) = seen.iter().find(|(_, s)| s != size)?;
    // One that is yet to be made longer has the size that the plan says, then.
    if let Some(asked) = spec.size
        && *size <= asked.0
        && *differs <= asked.0
    {
        return None;
    }
    Some(format!(
        "{} has {size} bytes on {first} and {differs} on {other}; give a size that all have: --size, or size = \"…\"",
        spec.name
    ))
}

/// One device of two hosts, of which nobody said so, would be loaded twice and be taken for two.
fn not_shared(plan: &Plan, hosts: &Hosts, target: usize) -> Option<String> {
    let spec = &plan.targets[target];
    let id_of = |index: usize| TargetId(index as u32);
    let is_one = |index| index == target || plan.take_turns(id_of(target), id_of(index));
    for (at, (name, seen)) in hosts.iter().enumerate() {
        for id in seen.get(target).iter().flat_map(|t| &t.identity) {
            for (other, theirs) in &hosts[at + 1..] {
                for (index, also) in theirs.iter().enumerate() {
                    if !also.identity.contains(id) || (spec.shared && is_one(index)) {
                        continue;
                    }
                    let there = &plan.targets[index].name;
                    return Some(format!(
                        "{} on {name} and {there} on {other} are one: {id}; say shared = true of the target if that is meant, \
                         or name another on one of them",
                        spec.name
                    ));
                }
            }
        }
    }
    None
}

/// A target that is said to be shared and shows two names that no device has both of is not shared.
fn not_one(plan: &Plan, hosts: &Hosts, target: usize) -> Option<String> {
    let spec = &plan.targets[target];
    if !spec.shared {
        return None;
    }
    let wwn = |seen: &WireTarget| {
        let mut wwns = seen.identity.iter().filter(|i| i.starts_with("WWN "));
        wwns.next().cloned()
    };
    let known = hosts
        .iter()
        .filter_map(|(name, all)| Some((name, wwn(all.get(target)?)?)));
    let known: Vec<(&String, String)> = known.collect();
    let (first, id) = known.first()?;
    let (other, differs) = known.iter().find(|(_, i)| i != id)?;
    Some(format!(
        "{} is said to be shared, and is {id} on {first} and {differs} on {other}; name it by a path that is one device on \
         both, as /dev/disk/by-id/wwn-…",
        spec.name
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use plimsoll_plan::{Bytes, Location, Target};

    fn plan(shared: bool, size: Option<u64>) -> Plan {
        let target = |name: &str| Target {
            shared,
            size: size.map(Bytes),
            ..Target::new(name, Location::parse("/dev/x").expect("a place"))
        };
        Plan::new(vec![target("t"), target("u")], Vec::new())
    }

    fn host(name: &str, seen: [(Option<u64>, &str); 2]) -> (String, Vec<WireTarget>) {
        let target = |(size, id): (Option<u64>, &str)| WireTarget {
            size,
            identity: vec![id.to_string()],
        };
        (name.into(), seen.map(target).to_vec())
    }

    #[test]
    fn targets_of_their_own_fit() {
        let hosts = [
            host("a", [(Some(8), "WWN 1"), (None, "WWN 2")]),
            host("b", [(Some(8), "WWN 3"), (Some(9), "WWN 4")]),
        ];
        assert_eq!(refusal(&plan(false, None), &hosts), None);
    }

    #[test]
    fn one_device_of_two_hosts_is_refused_unless_it_is_said_to_be_shared() {
        let hosts = [
            host("a", [(Some(8), "WWN 1"), (Some(8), "WWN 2")]),
            host("b", [(Some(8), "WWN 1"), (Some(8), "WWN 2")]),
        ];
        let why = refusal(&plan(false, None), &hosts).expect("refused");
        assert!(why.contains("t on a and t on b are one: WWN 1"), "{why}");
        assert!(why.contains("shared = true"), "{why}");
        assert_eq!(refusal(&plan(true, None), &hosts), None);
    }

    #[test]
    fn one_device_by_two_names_is_refused_even_where_each_is_shared() {
        let hosts = [
            host("a", [(Some(8), "WWN 1"), (Some(8), "WWN 2")]),
            host("b", [(Some(8), "WWN 2"), (Some(8), "WWN 1")]),
        ];
        assert!(refusal(&plan(true, None), &hosts).is_some());
    }

    #[test]
    fn two_devices_that_are_said_to_be_one_are_refused() {
        let hosts = [
            host("a", [(Some(8), "WWN 1"), (Some(8), "x")]),
            host("b", [(Some(8), "WWN 5"), (Some(8), "y")]),
        ];
        let why = refusal(&plan(true, None), &hosts).expect("refused");
        assert!(why.contains("WWN 1 on a and WWN 5 on b"), "{why}");
    }

    #[test]
    fn sizes_that_differ_are_refused_and_a_size_that_all_have_is_not() {
        let hosts = [
            host("a", [(Some(8), "1"), (Some(8), "2")]),
            host("b", [(Some(6), "3"), (Some(8), "4")]),
        ];
        let why = refusal(&plan(false, None), &hosts).expect("refused");
        assert!(why.contains("8 bytes on a and 6 on b"), "{why}");
        assert_eq!(refusal(&plan(false, Some(6)), &hosts), None);
    }
}
