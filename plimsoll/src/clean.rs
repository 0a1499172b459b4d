//! `plimsoll clean`.

use crate::cli::CleanArgs;
use crate::exit;
use crate::failure::Failure;
use crate::out::{say, tell};
use plimsoll_printable::{Printable, human};
use plimsoll_rig::{Fate, clean};
use std::process::ExitCode;

/// Shows the test files that hold nothing but what Plimsoll wrote, and removes them where that is asked for; then one that stays
/// is a failure.
pub fn run(args: &CleanArgs) -> Result<ExitCode, Failure> {
    let (mut files, mut bytes, mut staying) = (0, 0_u64, 0);
    let mut each = |file: plimsoll_rig::TestFile| {
        let name = file.path.display().to_string();
        let (name, size) = (Printable(&name), human::bytes(file.size));
        match file.fate {
            Fate::Ours => say!("would remove {name} ({size})"),
            Fate::Removed => say!("removed {name} ({size})"),
            Fate::Stays(why) => {
                tell!("{name} stays: {}", Printable(&why));
                staying += 1;
                return;
            }
        }
        files += 1;
        bytes = bytes.saturating_add(file.size);
    };
    clean(&args.folder, args.yes, &mut each).map_err(|error| {
        let folder = args.folder.display().to_string();
        Failure::usage(format!(
            "cannot read the folder {}: {error}",
            Printable(&folder)
        ))
    })?;
    match (files, staying, args.yes) {
        (0, 0, _) => say!("Plimsoll made no test files here"),
        (0, 1, _) => say!("nothing to remove here: the one test file stays"),
        (0, n, _) => say!("nothing to remove here: all {n} test files stay"),
        (_, _, true) => {}
        (1, _, false) => say!(
            "{} in one file; nothing was removed; --yes removes it",
            human::bytes(bytes)
        ),
        (n, _, false) => say!(
            "{} in {n} files; nothing was removed; --yes removes them",
            human::bytes(bytes)
        ),
    }
    Ok(match args.yes && staying > 0 {
        true => ExitCode::from(exit::FAILED),
        false => ExitCode::SUCCESS,
    })
}
