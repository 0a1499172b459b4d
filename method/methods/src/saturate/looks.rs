//! The short steps of a cell, by depth.

use super::beyond::Reached;
use plimsoll_evidence::StepEvidence;
use std::collections::BTreeMap;

/// Before a depth was looked at twice, a look scatters by this share, as sure as so many degrees of freedom make it; and never
/// by less than the last.
const USUAL: f64 = 0.01;
const USUAL_DEGREES: f64 = 2.0;
const LEAST: f64 = 0.005;

/// The short steps of a cell: depth of each target, and what it reached each time that it was looked at.
#[derive(Debug, Clone, Default)]
pub(crate) struct Looks<'a>(BTreeMap<u32, Vec<&'a StepEvidence>>);

impl<'a> Looks<'a> {
    pub fn add(&mut self, depth: u32, step: &'a StepEvidence) {
        self.0.entry(depth).or_default().push(step);
    }

    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Number of looks at a depth.
    pub fn times(&self, depth: u32) -> usize {
        self.0.get(&depth).map_or(0, Vec::len)
    }

    /// The mean of what a depth reached, I/Os per second.
    pub fn rate(&self, depth: u32) -> Option<f64> {
        self.0.get(&depth).map(|looks| mean(looks))
    }

    /// All depths with their mean rates, the least depth first.
    pub fn rates(&self) -> impl Iterator<Item = (u32, f64)> {
        self.0.iter().map(|(depth, looks)| (*depth, mean(looks)))
    }

    /// The steps of each depth, the least depth first.
    pub fn steps(&self) -> impl Iterator<Item = &[&'a StepEvidence]> {
        self.0.values().map(Vec::as_slice)
    }

    /// The depth that carried the most, and how much.
    pub fn best(&self) -> Option<(u32, f64)> {
        self.rates().max_by(|a, b| a.1.total_cmp(&b.1))
    }

    /// The greatest depth.
    pub fn greatest(&self) -> u32 {
        self.0.keys().next_back().copied().unwrap_or(0)
    }

    /// The most workers that any of them had, if there is one.
    pub fn workers(&self) -> Option<u32> {
        self.0.values().flatten().map(|s| s.workers).max()
    }

    /// For a curve through them.
    pub fn reached(&self) -> Vec<Reached> {
        let of = |(depth, looks): (&u32, &Vec<&StepEvidence>)| Reached {
            depth: f64::from(*depth),
            rate: mean(looks),
            looks: looks.len() as f64,
        };
        self.0.iter().map(of).collect()
    }

    /// The variance of one look, as a share of its rate: from depths that were looked at more than once.
    pub fn scatter(&self) -> f64 {
        let (mut squares, mut degrees) = (USUAL_DEGREES * USUAL * USUAL, USUAL_DEGREES);
        for looks in self.0.values().filter(|looks| mean(looks) > 0.0) {
            let off = |s: &&StepEvidence| (s.rate.mean / mean(looks) - 1.0).powi(2);
            squares += looks.iter().map(off).sum::<f64>();
            degrees += looks.len() as f64 - 1.0;
        }
        (squares / degrees).max(LEAST * LEAST)
    }
}

fn mean(looks: &[&StepEvidence]) -> f64 {
    looks.iter().map(|s| s.rate.mean).sum::<f64>() / looks.len().max(1) as f64
}
