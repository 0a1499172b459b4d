//! Which backend a target gets: io_uring, else libaio, else psync, by what the host allows.

pub use super::kind::BackendKind;
use super::libaio::Libaio;
use super::nbd::Volume;
use super::polling::takes_polling;
use super::uring;
use crate::EngineError;
use crate::layout::{WorkerLayout, layout};
use crate::opened::{Member, Opened};
use crate::target::{OpenTarget, takes_nowait};
use plimsoll_plan::{Polling, Step};
use std::io;

/// Choice of a target's backend, and the reason where it is not the first choice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// The backend.
    pub kind: BackendKind,
    /// Empty where it's the first choice.
    pub reason: String,
}

impl Choice {
    /// The reason for a backend that was demanded by name; perhaps more stands behind it.
    pub const DEMANDED: &str = "asked for";

    /// Shortfall of the demand, in a sentence.
    pub fn shortfall(&self) -> Option<&str> {
        self.reason.strip_prefix(Self::DEMANDED)?.strip_prefix("; ")
    }
}

/// Interfaces that this host allows, found out once.
#[derive(Debug)]
pub struct Host {
    uring: Result<(), io::Error>,
    libaio: Result<(), io::Error>,
}

impl Host {
    /// Tries both kernel interfaces.
    pub fn probe() -> Self {
        Host {
            uring: uring::probe(),
            libaio: Libaio::new(Vec::new(), 1).map(drop),
        }
    }

    /// True where the rings of these steps can be had: those of the step that needs the most are tried. `kinds` are the targets' backends.
    /// Where they can't, there is no io_uring here from now on.
    pub fn has_rings<'s>(
        &mut self,
        steps: impl Iterator<Item = &'s Step>,
        kinds: &[BackendKind],
        cpus: u32,
    ) -> bool {
        if !kinds
            .iter()
            .any(|kind| matches!(kind, BackendKind::Uring(_)))
        {
            return true;
        }
        let room = |worker: &WorkerLayout| worker.pools.iter().map(|p| p.room as usize).sum();
        let rings = |step: &Step| {
            let workers = layout(step, kinds, cpus).into_iter();
            let workers = workers.filter(|worker| matches!(worker.kind, BackendKind::Uring(_)));
            workers.map(|worker| room(&worker)).collect::<Vec<usize>>()
        };
        let most = steps
            .map(rings)
            .max_by_key(|rings| rings.iter().sum::<usize>());
        let tried = most.map_or(Ok(()), |rings| uring::try_rings(&rings));
        let is_had = tried.is_ok();
        if let (Err(error), true) = (tried, self.uring.is_ok()) {
            self.uring = Err(error);
        }
        is_had
    }

    /// The backend for a target; `demanded` fails where it's absent.
    pub fn choose(
        &self,
        target: &OpenTarget,
        demanded: Option<BackendKind>,
    ) -> Result<Choice, EngineError> {
        let members = match &target.opened {
            Opened::Unused | Opened::Null | Opened::Simulated => {
                return Ok(Choice {
                    kind: BackendKind::Null,
                    reason: String::new(),
                });
            }
            Opened::Tree(_) => return choose_threads(demanded),
            Opened::Volume(volume) => return choose_client(volume, demanded),
            Opened::File(_) | Opened::Device(_) | Opened::Joined(_) | Opened::Striped(..) => {
                target.opened.members()
            }
        };
        if let Some(kind) = demanded {
            let (name, result) = match kind {
                BackendKind::Uring(_) => ("io_uring", &self.uring),
                BackendKind::Libaio => ("libaio", &self.libaio),
                BackendKind::Mmap => ("mmap", &Ok(())),
                BackendKind::Psync
                | BackendKind::Tree
                | BackendKind::Null
                | BackendKind::Nbd
                | BackendKind::NbdAlone => ("psync", &Ok(())),
            };
            if let Err(e) = result {
                return Err(EngineError::Backend {
                    name,
                    source: clone_error(e),
                });
            }
            return Ok(demanded_of(kind, members, target.logical_block));
        }
        if let Some(member) = members
            .iter()
            .find(|m| !takes_nowait(&m.file, target.logical_block))
        {
            return Ok(Choice {
                kind: BackendKind::Psync,
                reason: format!(
                    "{} does not take NOWAIT, so that io_uring would hand each I/O to a kernel thread",
                    member.path.display()
                ),
            });
        }
        let Err(no_uring) = &self.uring else {
            return Ok(Choice {
                kind: BackendKind::Uring(Polling::NONE),
                reason: String::new(),
            });
        };
        match &self.libaio {
            Ok(()) => Ok(Choice {
                kind: BackendKind::Libaio,
                reason: format!("io_uring is not available here ({no_uring})"),
            }),
            Err(no_aio) => Ok(Choice {
                kind: BackendKind::Psync,
                reason: format!(
                    "neither io_uring ({no_uring}) nor libaio ({no_aio}) is available here"
                ),
            }),
        }
    }
}

/// A backend that is demanded, and is there. Where a device has no queue that is polled its completions come by interrupts.
fn demanded_of(kind: BackendKind, members: &[Member], logical_block: u32) -> Choice {
    let cannot = match kind {
        BackendKind::Uring(polling) if polling.completions => members
            .iter()
            .find(|m| !takes_polling(&m.file, logical_block))
            .map(|member| (polling.submissions, member)),
        _ => None,
    };
    match cannot {
        None => Choice {
            kind,
            reason: Choice::DEMANDED.into(),
        },
        Some((submissions, member)) => Choice {
            kind: BackendKind::Uring(Polling {
                completions: false,
                submissions,
            }),
            reason: format!(
                "{}; {} cannot be polled, so completions come by interrupt: its device has no polled queues (see nvme.poll_queues), or its I/O is not direct",
                Choice::DEMANDED,
                member.path.display()
            ),
        },
    }
}

/// Polls all targets that are to be polled, or none where one of them cannot be: each kind of backend has workers of its own, and
/// shares over targets are kept by workers that serve all of them.
pub fn poll_all_or_none(choices: &mut [Option<Choice>]) {
    if !choices.iter().flatten().any(|c| c.shortfall().is_some()) {
        return;
    }
    let mut changed = false;
    for choice in choices.iter_mut().flatten() {
        if let BackendKind::Uring(polling) = &mut choice.kind
            && polling.completions
        {
            polling.completions = false;
            choice.reason = format!(
                "{}, but not polled, as another target cannot be",
                Choice::DEMANDED
            );
            changed = true;
        }
    }
    let mut short = choices.iter_mut().flatten();
    if let Some(choice) = short.find(|c| changed && c.shortfall().is_some()) {
        choice
            .reason
            .push_str("; those of the other targets come by interrupt, too");
    }
}

/// Threads: no other backend works on trees.
fn choose_threads(demanded: Option<BackendKind>) -> Result<Choice, EngineError> {
    match demanded {
        None => Ok(Choice {
            kind: BackendKind::Tree,
            reason: String::new(),
        }),
        Some(kind) => Err(EngineError::Backend {
            name: kind.name(),
            source: io::Error::other("it works on files and devices, and a target is a tree"),
        }),
    }
}

/// The client of exports: no other backend reaches them.
fn choose_client(volume: &Volume, demanded: Option<BackendKind>) -> Result<Choice, EngineError> {
    match demanded {
        None => Ok(of_volume(volume)),
        Some(kind) => Err(EngineError::Export {
            uri: volume.plan.to_string(),
            what: format!("has a client of its own; {kind} does I/O on files and devices"),
        }),
    }
}

fn of_volume(volume: &Volume) -> Choice {
    let mut said: Vec<String> = volume
        .unreached
        .iter()
        .map(|(uri, why)| format!("the path {uri} is down: {why}"))
        .collect();
    if !volume.many {
        let and = match volume.plan.paths.len() {
            1 => "",
            _ => {
                ", and what was written on one path may not be seen on another before it is flushed"
            }
        };
        said.push(format!(
            "the export does not offer MULTI_CONN, so that one worker does all its I/O{and}"
        ));
    }
    Choice {
        kind: if volume.many {
            BackendKind::Nbd
        } else {
            BackendKind::NbdAlone
        },
        reason: said.join("; "),
    }
}

fn clone_error(e: &io::Error) -> io::Error {
    match e.raw_os_error() {
        Some(code) => io::Error::from_raw_os_error(code),
        None => io::Error::new(e.kind(), e.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choice(kind: &str, reason: &str) -> Option<Choice> {
        kind.parse().ok().map(|kind| Choice {
            kind,
            reason: reason.to_owned(),
        })
    }

    #[test]
    fn targets_are_polled_together_or_not_at_all() {
        let polled = choice("io_uring+iopoll+sqpoll", "asked for");
        let mut all = [polled.clone(), None, polled.clone()];
        poll_all_or_none(&mut all);
        assert_eq!(all, [polled.clone(), None, polled.clone()]);
        let short = choice("io_uring+sqpoll", "asked for; f cannot be polled");
        let mut mixed = [polled, short];
        poll_all_or_none(&mut mixed);
        let kinds = mixed.iter().flatten().map(|c| c.kind.name());
        assert_eq!(kinds.collect::<Vec<_>>(), ["io_uring+sqpoll"; 2]);
        let said: Vec<&str> = mixed
            .iter()
            .flatten()
            .filter_map(Choice::shortfall)
            .collect();
        assert_eq!(said.len(), 1, "{said:?}");
        assert!(
            said[0].starts_with("f cannot be polled; those of the other"),
            "{said:?}"
        );
    }

    #[test]
    fn words_behind_a_plus_are_polling_modes() {
        for odd in [
            "io_uring+",
            "io_uring++iopoll",
            "io_uring+nopoll",
            "libaio+iopoll",
            "",
        ] {
            assert!(odd.parse::<BackendKind>().is_err(), "{odd}");
        }
    }
}
