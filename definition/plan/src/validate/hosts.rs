//! Whether the plan's hosts can carry it out together.

use super::geometry::{self, Geometry};
use super::{Found, extent, least_sector, sector, written_at};
use crate::bounds::{HOSTS_MAX, STREAMS_MAX};
use crate::divide::divide;
use crate::hosts::names_somebody;
use crate::{Plan, Step};

/// Looks at the hosts themselves.
pub(super) fn check_all(plan: &Plan, found: &mut Found) {
    let hosts = &plan.hosts.list;
    if hosts.len() > HOSTS_MAX {
        found.add(
            format!("{} hosts are too many", hosts.len()),
            format!("make it {HOSTS_MAX} or fewer"),
            None,
        );
    }
    for (at, host) in hosts.iter().enumerate() {
        if !(host.share > 0.0 && host.share.is_finite()) {
            found.add(
                format!("host `{}` has a share of {}", host.name, host.share),
                "give it a share above 0",
                written_at(&host.origins, "share"),
            );
        }
        let named = [
            ("address", Some(&host.address)),
            ("user", host.user.as_ref()),
        ];
        for (field, text) in named {
            if let Some(text) = text.filter(|t| !names_somebody(t)) {
                found.add(
                    format!("the {field} `{text}` of host `{}` names nobody", host.name),
                    "write a name or an address, as db1.example.com or 10.0.0.7",
                    written_at(&host.origins, field),
                );
            }
        }
        if hosts[..at].iter().any(|h| h.name == host.name) {
            found.add(
                format!("two hosts have the name `{}`", host.name),
                "give each a name of its own",
                None,
            );
        }
    }
}

/// Looks at what each host does in a step.
pub(super) fn check_step(plan: &Plan, step: &Step, found: &mut Found) {
    let hosts = plan.hosts.list.len();
    if hosts == 0 || !found.problems.is_empty() {
        return;
    }
    if step.streams.len().saturating_mul(hosts) > STREAMS_MAX {
        found.add(
            format!(
                "run `{}` has {} streams on {hosts} hosts",
                step.run,
                step.streams.len()
            ),
            format!("make it {STREAMS_MAX} or fewer of all hosts together"),
            None,
        );
        return;
    }
    let parts = match divide(plan, step) {
        Ok(parts) => parts,
        Err(why) => {
            found.add(
                why.to_string(),
                why.remedy(),
                written_at(&step.origins, "hosts"),
            );
            return;
        }
    };
    for part in parts.iter().flatten() {
        for stream in &part.streams {
            let target = plan.target(stream.target);
            let geometry = Geometry {
                target,
                extent: extent(target),
                sector: sector(target, least_sector(target)),
            };
            geometry::check(part, stream, &geometry, found);
        }
    }
}
