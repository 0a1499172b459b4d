//! The environment: whole as JSON in `meta`, and as rows of `environment` and `targets` for people.

use crate::numbers::int;
use crate::row::{insert, set_meta};
use plimsoll_evidence::Environment;
use rusqlite::Connection;

/// Writes or replaces the environment.
pub(crate) fn write(db: &Connection, environment: &Environment) -> rusqlite::Result<()> {
    let json = serde_json::to_string(environment)
        .map_err(|e| rusqlite::Error::ToSqlConversionFailure(Box::new(e)))?;
    set_meta(db, "environment", &json)?;
    db.execute_batch("DELETE FROM environment; DELETE FROM targets; DELETE FROM hosts;")?;
    for (key, value) in facts(environment) {
        insert(db, "environment", &[("key", &key), ("value", &value)])?;
    }
    for (number, host) in (1u32..).zip(environment.hosts()) {
        insert(
            db,
            "hosts",
            &[
                ("host", &number),
                ("key", &host.key),
                ("hostname", &host.hostname),
                ("kernel", &host.kernel),
                ("cpu_model", &host.cpu_model),
                ("cpus_available", &host.cpus_available),
                ("memory_bytes", &int(host.memory_bytes)),
            ],
        )?;
    }
    for (index, target) in environment.targets.iter().enumerate() {
        let device = target.stack.first();
        insert(
            db,
            "targets",
            &[
                ("target", &(index as u32 + 1)),
                ("name", &target.name),
                ("location", &target.location),
                ("kind", &target.kind),
                ("size_bytes", &int(target.size_bytes)),
                ("logical_block_bytes", &target.logical_block_bytes),
                ("filesystem", &target.filesystem),
                ("backend", &target.backend),
                ("device", &device.map(|d| &d.name)),
                ("model", &device.and_then(|d| d.model.as_ref())),
                ("serial", &device.and_then(|d| d.serial.as_ref())),
                ("wwn", &device.and_then(|d| d.wwn.as_ref())),
                ("scheduler", &device.and_then(|d| d.scheduler.as_ref())),
            ],
        )?;
    }
    Ok(())
}

/// Facts that are told once of a run: (name, value), `None` where it could not be seen.
pub(crate) fn facts(environment: &Environment) -> Vec<(&'static str, Option<String>)> {
    let host = &environment.host;
    // No host has none of them: it was not looked at.
    let seen = |number: u64| (number > 0).then(|| number.to_string());
    vec![
        ("tool_version", Some(environment.tool_version.clone())),
        ("started", Some(environment.started.clone())),
        ("command", Some(environment.command.join(" "))),
        ("seed", Some(environment.seed.to_string())),
        ("backend", Some(environment.backend.clone())),
        ("backend_reason", Some(environment.backend_reason.clone())),
        ("submit_batch", Some(environment.submit_batch.to_string())),
        ("reap_batch", Some(environment.reap_batch.to_string())),
        ("clock", Some(environment.clock.clone())),
        ("simulated", Some(environment.simulated.to_string())),
        ("host_key", Some(host.key.clone())),
        ("hostname", Some(host.hostname.clone())),
        ("kernel", Some(host.kernel.clone())),
        ("distribution", host.distribution.clone()),
        ("cpu_model", host.cpu_model.clone()),
        ("cpus_available", seen(host.cpus_available.into())),
        ("cpus_online", seen(host.cpus_online.into())),
        ("numa_nodes", seen(host.numa_nodes.into())),
        ("memory_bytes", seen(host.memory_bytes)),
        ("virtualization", host.virtualization.clone()),
        ("clocksource", host.clocksource.clone()),
        ("governor", host.governor.clone()),
        ("drivers", drivers(environment)),
        ("notes", Some(environment.notes.join("\n"))),
    ]
}

fn drivers(environment: &Environment) -> Option<String> {
    let all = environment.host.drivers.iter();
    let lines: Vec<String> = all
        .map(|(name, version)| format!("{name} {version}"))
        .collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}
