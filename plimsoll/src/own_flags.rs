//! Plimsoll's own flags among another tool's.

use crate::definition;
use crate::failure::Failure;
use plimsoll_diagnostic::Sources;
use plimsoll_plan::{Metrics, MetricsUrl, Plan};
use plimsoll_rig::RunOptions;
use std::path::PathBuf;

/// Plimsoll's own flags, as they were typed.
#[derive(Debug, Clone, Default)]
pub struct Own {
    pub no_record: bool,
    /// Source of the array's own metrics, for the array below all targets.
    pub metrics: Metrics,
    /// Options of the run that they are; all others are as usual.
    pub run: RunOptions,
}

impl Own {
    /// Takes a flag, and its value where it has one; false where it is none of these.
    pub fn take(
        &mut self,
        name: &str,
        value: &mut dyn FnMut() -> Result<String, Failure>,
    ) -> Result<bool, Failure> {
        match name {
            "--destroy" => self.run.destroy.push(value()?),
            "--record" => self.run.record = Some(value()?.into()),
            "--backend" => self.run.backend = Some(value()?.parse().map_err(Failure::usage)?),
            "--seed" => {
                let text = value()?;
                let seed = text.parse();
                self.run.seed = Some(
                    seed.map_err(|_| Failure::usage(format!("--seed: `{text}` is no number")))?,
                );
            }
            "--metrics" => {
                let url: Result<MetricsUrl, _> = value()?.parse();
                self.metrics.url =
                    Some(url.map_err(|e| Failure::usage(format!("--metrics: {e}")))?);
            }
            "--metrics-map" => self.metrics.map = Some(value()?.into()),
            "--commands-may-write" => self.run.commands_may_write.push(value()?.into()),
            "--fill" => self.run.fill = true,
            "--no-record" => self.no_record = true,
            "--overwrite" => self.run.overwrite_record = true,
            "--allow-commands" => self.run.allow_commands = true,
            "--allow-unwritten" => self.run.allow_unwritten = true,
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// The plan with what they say of its targets. An array is asked once, however many targets lie on it.
    pub fn plan(&self, mut plan: Plan) -> Result<Plan, Failure> {
        if self.metrics.map.is_some() && self.metrics.url.is_none() {
            return Err(Failure::usage(
                "--metrics-map says what an array calls its counters; add --metrics http://HOST:PORT/metrics, where they are",
            ));
        }
        if !self.metrics.is_default() {
            for target in &mut plan.targets {
                target.metrics = self.metrics.clone();
            }
        }
        Ok(plan)
    }

    /// Options of a run that they ask for, of the definition that was read from these texts.
    pub fn options(self, sources: &Sources) -> RunOptions {
        RunOptions {
            record_is_unnamed: self.run.record.is_none(),
            record: match self.no_record {
                true => None,
                false => Some(self.run.record.unwrap_or_else(default_record)),
            },
            definition: definition::files(sources),
            texts: definition::texts(sources),
            command: command_line(),
            ..self.run
        }
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

/// The command line as it was typed.
pub fn command_line() -> Vec<String> {
    std::env::args_os()
        .map(|a| a.to_string_lossy().into_owned())
        .collect()
}

/// The name of a record that nobody named: when it was begun. Another run of this second makes the next one of it.
pub fn default_record() -> PathBuf {
    let now = jiff::Zoned::now();
    PathBuf::from(now.strftime("plimsoll-%Y%m%d-%H%M%S.plim").to_string())
}
