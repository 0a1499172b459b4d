//! Plimsoll's own flags among another tool's.

use crate::failure::Failure;
use plimsoll_rig::BackendKind;
use std::path::PathBuf;

/// What they ask for.
#[derive(Debug, Default)]
pub struct Own {
    pub destroy: Vec<String>,
    pub fill: bool,
    pub record: Option<PathBuf>,
    pub no_record: bool,
    pub overwrite: bool,
    pub allow_commands: bool,
    pub allow_unwritten: bool,
    pub backend: Option<BackendKind>,
    pub seed: Option<u64>,
}

/// Takes them out of a command line; what is left is the other tool's.
pub fn own_flags(words: &[String]) -> Result<(Own, Vec<String>), Failure> {
    let mut own = Own::default();
    let mut rest = Vec::new();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let (name, inline) = match word.split_once('=') {
            Some((n, v)) if n.starts_with("--") => (n, Some(v.to_string())),
            _ => (word.as_str(), None),
        };
        let mut value = || {
            inline
                .clone()
                .or_else(|| words.next().cloned())
                .ok_or_else(|| Failure::usage(format!("{name} needs a value")))
        };
        match name {
            "--destroy" => own.destroy.push(value()?),
            "--record" => own.record = Some(value()?.into()),
            "--backend" => own.backend = Some(value()?.parse().map_err(Failure::usage)?),
            "--seed" => {
                let text = value()?;
                let seed = text.parse();
                own.seed = Some(
                    seed.map_err(|_| Failure::usage(format!("--seed: `{text}` is no number")))?,
                );
            }
            "--fill" => own.fill = true,
            "--no-record" => own.no_record = true,
            "--overwrite" => own.overwrite = true,
            "--allow-commands" => own.allow_commands = true,
            "--allow-unwritten" => own.allow_unwritten = true,
            _ => rest.push(word.clone()),
        }
    }
    Ok((own, rest))
}
