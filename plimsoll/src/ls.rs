//! `plimsoll ls`.

use crate::cli::LsArgs;
use crate::failure::Failure;
use crate::out::{self, say};
use plimsoll_evidence::transports;
use plimsoll_printable::Printable;
use plimsoll_witness::{Root, host_state, inventory};
use std::process::ExitCode;

/// Lists what can be tested here.
pub fn run(args: &LsArgs) -> Result<ExitCode, Failure> {
    let root = Root::system();
    let devices = inventory::list(&root);
    if args.json {
        out::json(&devices)?;
    } else {
        out::put(format_args!("{}", inventory::table(&devices)));
        let all = transports(&host_state::of_transports(&root));
        // What else a host has by PCIe stands in the table.
        for one in all.iter().filter(|one| one.is_network()) {
            say!("over {}", Printable(&one.to_string()));
            for row in one.rows() {
                say!("  {}", Printable(&row));
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}
