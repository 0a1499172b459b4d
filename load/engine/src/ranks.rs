//! Which of all workers a host's workers are, where several hosts carry out one step together.

use crate::EngineError;
use crate::layout::WorkerLayout;
use plimsoll_plan::Step;

/// The place of some workers in the order of all.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Rank {
    /// Number of workers that come before them.
    pub before: u32,
    /// Number of workers in all.
    pub of: u32,
}

/// A host's place among the hosts that carry out a step. Its workers draw what they would draw as workers of one host that
/// has all of them: random numbers of their own, other parts of what is covered, passed through or strided over, and their
/// part of a rate and of a limit.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ranks {
    /// Rank of the host's workers among those of all hosts.
    pub workers: Rank,
    /// Of the workers that share each of the step's streams.
    pub streams: Vec<Rank>,
    /// The streams whose target each host has for itself: a rate is divided there too, and every host covers all of its own
    /// target. None where nobody says so.
    pub apart: Vec<bool>,
}

impl Ranks {
    /// Ranks of host `host`, where these are all hosts' layouts of the step.
    pub fn among(step: &Step, hosts: &[Vec<WorkerLayout>], host: usize) -> Self {
        let sum = |count: &dyn Fn(&[WorkerLayout]) -> usize| {
            let upto = |end: usize| hosts[..end].iter().map(|h| count(h) as u32).sum();
            Rank {
                before: upto(host.min(hosts.len())),
                of: upto(hosts.len()),
            }
        };
        let sharers = |stream: usize| {
            move |workers: &[WorkerLayout]| {
                let has = |w: &&WorkerLayout| w.streams.iter().any(|s| s.stream == stream);
                workers.iter().filter(has).count()
            }
        };
        Ranks {
            workers: sum(&|workers| workers.len()),
            streams: (0..step.streams.len()).map(|s| sum(&sharers(s))).collect(),
            apart: Vec::new(),
        }
    }

    /// True where other hosts have another target in the place of the stream's.
    pub fn is_apart(&self, stream: usize) -> bool {
        self.apart.get(stream).copied().unwrap_or(false)
    }

    /// Ranks of the only host.
    pub fn alone(step: &Step, layouts: &[WorkerLayout]) -> Self {
        Ranks::among(step, &[layouts.to_vec()], 0)
    }

    /// Refuses ranks in which the host's own workers have no place.
    pub fn check(&self, step: &Step, layouts: &[WorkerLayout]) -> Result<(), EngineError> {
        let own = Ranks::alone(step, layouts);
        let holds = |all: &Rank, own: &Rank| {
            let end = all.before.checked_add(own.of);
            end.is_some_and(|end| end <= all.of)
        };
        let streams = self.streams.iter().zip(&own.streams);
        let all = self.streams.len() == own.streams.len();
        if all
            && holds(&self.workers, &own.workers)
            && streams.into_iter().all(|(a, o)| holds(a, o))
        {
            return Ok(());
        }
        Err(EngineError::Ranks {
            own: own.workers.of,
            before: self.workers.before,
            of: self.workers.of,
        })
    }
}
