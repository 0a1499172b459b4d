//! `plimsoll doctor`.

use crate::cli::DoctorArgs;
use crate::exit;
use crate::failure::Failure;
use crate::out::{self, say};
use plimsoll_audit::{Checkup, HostView, examine, lines};
use plimsoll_evidence::HostState;
use plimsoll_report::terminal::wrap;
use plimsoll_witness::{Root, block, host_state};
use std::path::Path;
use std::process::ExitCode;

/// Looks at how a host is set up.
pub fn run(args: &DoctorArgs) -> Result<ExitCode, Failure> {
    let host = load(args.root.as_deref())?;
    let view = HostView {
        devices: devices(args, &host)?,
        host: &host,
    };
    let checkup = examine(&view);
    match args.json {
        true => out::json(&checkup)?,
        false => print(&checkup),
    }
    let code = exit::of_audit(checkup.worst(), args.strict);
    Ok(ExitCode::from(code))
}

/// This host, or one that was captured.
fn load(root: Option<&Path>) -> Result<HostState, Failure> {
    let Some(path) = root else {
        return Ok(host_state::read(&Root::system()));
    };
    if !path.is_dir() {
        return Err(Failure::usage(format!(
            "{}: is no folder; `--root` wants a tree with proc, sys and etc in it",
            path.display()
        )));
    }
    let host = host_state::read(&Root::at(path));
    if host.is_empty() {
        return Err(Failure::usage(format!(
            "{}: holds nothing of a host; `--root` wants a tree with proc, sys and etc in it",
            path.display()
        )));
    }
    Ok(host)
}

/// The disks that are asked about.
fn devices(args: &DoctorArgs, host: &HostState) -> Result<Vec<String>, Failure> {
    let Some(target) = &args.target else {
        return Ok(host.disks());
    };
    let disk = match args.root {
        Some(_) => host.disk_of(target),
        None => {
            let root = Root::system();
            let path = Path::new(target);
            let name = match path.exists() {
                true => block::device_of_path(&root, path)?,
                false => Some(target.clone()),
            };
            if let Some(name) = name.as_ref().and_then(|n| host.disk_of(n)) {
                let layers = block::stack(&root, &name);
                return Ok(layers.into_iter().map(|l| l.name).collect());
            }
            None
        }
    };
    match disk {
        Some(disk) => Ok(host.stack(&disk)),
        None => Err(Failure::usage(format!(
            "{target}: no block device lies under it; `plimsoll ls` lists those of this host"
        ))),
    }
}

fn print(checkup: &Checkup) {
    let columns = crate::display::columns();
    for line in lines(checkup) {
        let indent = line.indent;
        let text = wrap(&line.text, columns.saturating_sub(indent), 0);
        match text.is_empty() {
            true => say!(),
            false => text.lines().for_each(|l| say!("{:indent$}{l}", "")),
        }
    }
}
