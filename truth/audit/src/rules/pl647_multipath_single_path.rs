use crate::multipath::fabric;
use crate::multipath::topology::{Map, Path};
use crate::{HostAnswer, HostView, Symptom};
use plimsoll_evidence::HostState;
use plimsoll_evidence::wording::plural;
use std::collections::{BTreeMap, BTreeSet};

rule! {
    647 "multipath-single-path" Host(check) SUSPECT pitfalls [] {
        summary: "A map has one path, or fewer than it should.",
        why: "What is meant to survive a cable does not, and the load has one port's bandwidth.",
        threshold: "Fewer than two paths in multipath -ll, or than `plimsoll doctor --paths` says: initiators of a fabric times the array's ports on it, over all fabrics.",
        source: "multipath(8).",
        example: "A zone that was forgotten on the second fabric: 780 MiB/s, which is one port of 8 Gbit/s.",
        remedy: "Look for the missing path: zoning, LUN masking, the second adapter; then rescan.",
    }
    fires: |h| {
        h.insert("/commands/multipath -ll", "m0 (3600) dm-2 X,Y\n`-+- policy='service-time 0' prio=1 status=active\n  `- 2:0:0:1 sdb 8:16 active ready running\n")
    },
    clean: |h| {
        h.insert("/commands/multipath -ll", "m0 (3600) dm-2 X,Y\n`-+- policy='service-time 0' prio=1 status=active\n  |- 2:0:0:1 sdb 8:16 active ready running\n  `- 3:0:0:1 sdc 8:32 active ready running\n")
    },
}

fn check(view: &HostView<'_>) -> HostAnswer {
    let mut answer = HostAnswer::default();
    let maps = view.maps(&mut answer);
    let wanted = match view.paths {
        Some(paths) => paths.to_string(),
        None => "two or more".to_string(),
    };
    for map in &maps {
        answer.look((map.paths.len() < view.paths.unwrap_or(2)).then(|| {
            let seen = format!(
                "{}{}",
                plural(map.paths.len(), "path"),
                missing(view.host, map, &maps)
            );
            Symptom::new(&map.name, seen).wanted(&wanted, "multipath -v3 DISK")
        }));
    }
    let nodes = dmp_nodes(view.host);
    for (node, paths) in &nodes {
        answer.look((*paths < view.paths.unwrap_or(2)).then(|| {
            Symptom::new(node, plural(*paths, "path")).wanted(&wanted, "vxdmpadm getsubpaths")
        }));
    }
    if view.paths.is_some() && maps.is_empty() && nodes.is_empty() {
        let wanted = format!("maps with {wanted} paths");
        let none = Symptom::new("", "no multipath map here");
        match view.host.text("/commands/multipath -ll") {
            Some("") => answer.look(Some(none.wanted(&wanted, "multipath -ll"))),
            Some(_) => {}
            None => answer.miss("multipath -ll"),
        }
    }
    answer
}

/// Nodes of VxVM's multipathing, and how many paths each has.
fn dmp_nodes(host: &HostState) -> BTreeMap<&str, usize> {
    let mut nodes = BTreeMap::new();
    let text = host.text("/commands/vxdmpadm getsubpaths");
    for line in text.unwrap_or_default().lines() {
        if let [_, state, _, node, ..] = line.split_whitespace().collect::<Vec<_>>()[..]
            && state.starts_with("ENABLED")
        {
            *nodes.entry(node).or_default() += 1;
        }
    }
    nodes
}

/// The ways that other maps of the same array have and this one lacks: another array has targets of its own, so that its maps share no way with
/// this one. Where all lack the same, the ports that it has by one adapter of a fabric and not by another; else how many paths each adapter has.
fn missing(host: &HostState, map: &Map, all: &[Map]) -> String {
    let ways = |map: &Map| -> BTreeSet<String> {
        let known = map.paths.iter().filter_map(Path::nexus);
        known.map(str::to_string).collect()
    };
    let own = ways(map);
    let of_array = all.iter().map(ways).filter(|w| !w.is_disjoint(&own));
    let others: BTreeSet<String> = of_array.flatten().collect();
    let lacks = others.difference(&own);
    let mut lacks: Vec<String> = lacks.map(|nexus| fabric::place(host, nexus)).collect();
    if lacks.is_empty() {
        lacks = fabric::lacking(host, &own);
    }
    if !lacks.is_empty() {
        return format!(", none by {}", lacks.join(", "));
    }
    let mut adapters: BTreeMap<&str, usize> = BTreeMap::new();
    for way in &own {
        *adapters
            .entry(way.split(':').next().unwrap_or_default())
            .or_default() += 1;
    }
    let each: Vec<String> = adapters
        .iter()
        .map(|(adapter, n)| format!("{n} by adapter {adapter}"))
        .collect();
    match each.len() {
        0 | 1 => String::new(),
        _ => format!(": {}", each.join(", ")),
    }
}

#[test]
fn a_host_without_maps_is_told_so_where_paths_are_wanted_and_those_of_dmp_count() {
    const SUBPATHS: &str = "NAME STATE[A] PATH-TYPE[M] DMPNODENAME\nsdb ENABLED(A) - emc0_1\nsdc ENABLED(A) - emc0_1\n";
    let seen = |files: &[(&str, &str)], paths| {
        let host = crate::known::host_with(files);
        let view = HostView {
            paths,
            ..HostView::of_all(&host)
        };
        let symptoms = check(&view).symptoms;
        symptoms.iter().map(|s| s.seen.clone()).collect::<Vec<_>>()
    };
    let dmp = [("/commands/vxdmpadm getsubpaths", SUBPATHS)];
    let no_map = [("/commands/multipath -ll", "")];
    assert_eq!(seen(&no_map, Some(4)), ["no multipath map here"]);
    assert_eq!(seen(&[], Some(4)), [""; 0]);
    assert_eq!(seen(&[], None), [""; 0]);
    assert_eq!(seen(&dmp, Some(4)), ["2 paths"]);
    assert_eq!(seen(&dmp, Some(2)), [""; 0]);
}
