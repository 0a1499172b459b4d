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
    pub commands_may_write: Vec<PathBuf>,
    pub allow_unwritten: bool,
    pub backend: Option<BackendKind>,
    pub seed: Option<u64>,
}

impl Own {
    /// Takes a flag, and its value where it has one; false where it is none of these.
    pub fn take(
        &mut self,
        name: &str,
        value: &mut dyn FnMut() -> Result<String, Failure>,
    ) -> Result<bool, Failure> {
        match name {
            "--destroy" => self.destroy.push(value()?),
            "--record" => self.record = Some(value()?.into()),
            "--backend" => self.backend = Some(value()?.parse().map_err(Failure::usage)?),
            "--seed" => {
                let text = value()?;
                let seed = text.parse();
                self.seed = Some(
                    seed.map_err(|_| Failure::usage(format!("--seed: `{text}` is no number")))?,
                );
            }
            "--commands-may-write" => self.commands_may_write.push(value()?.into()),
            "--fill" => self.fill = true,
            "--no-record" => self.no_record = true,
            "--overwrite" => self.overwrite = true,
            "--allow-commands" => self.allow_commands = true,
            "--allow-unwritten" => self.allow_unwritten = true,
            _ => return Ok(false),
        }
        Ok(true)
    }
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
        if !own.take(name, &mut value)? {
            rest.push(word.clone());
        }
    }
    Ok((own, rest))
}
