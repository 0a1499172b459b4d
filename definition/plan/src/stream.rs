//! Streams: what one workload does to one target.

use crate::{
    AddressSpec, Arrival, Bytes, ContentSpec, Dependency, FileWork, HostId, IoSource, LogSizes,
    Mix, Pattern, Quota, Rate, Replay, SizeSpec, TargetId, Throttle, VerifySpec, Window,
};
use plimsoll_operation::Op;
use serde::{Deserialize, Serialize};

/// One workload on one target.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Stream {
    /// The workload's name.
    pub workload: String,
    /// The target.
    pub target: TargetId,
    /// The hosts that carry it out; empty: all that have its target.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hosts: Vec<HostId>,
    /// The part of the step's load, relative to the other streams' (those of a fixed rate left out).
    pub share: f64,
    /// A rate of its own, apart from the step's load.
    pub fixed_rate: Option<Rate>,
    /// The gaps of that rate; `None`: those of the step's load.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arrival: Option<Arrival>,
    /// Smaller goes first where slots are short; fixed-rate streams only.
    pub priority: Option<u32>,
    /// Think times and limits that hold it back in a closed loop.
    #[serde(default, skip_serializing_if = "Throttle::is_none")]
    pub throttle: Throttle,
    /// The most I/Os that it has in flight, all workers together, in slots that no other stream has; `None`: it shares its
    /// target's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// When it works.
    #[serde(default, skip_serializing_if = "Window::is_whole")]
    pub window: Window,
    /// The most that it does.
    #[serde(default, skip_serializing_if = "Quota::is_none")]
    pub quota: Quota,
    /// The part that it has in the ends of others.
    #[serde(rename = "turn", default, skip_serializing_if = "Dependency::is_none")]
    pub dependency: Dependency,
    /// Operations and their shares.
    pub mix: Mix,
    /// Sizes of transfers.
    pub size: SizeSpec,
    /// Addresses of I/Os; on a tree, those in its files.
    pub address: AddressSpec,
    /// On a tree: which files it takes, and whether it makes them.
    #[serde(default, skip_serializing_if = "FileWork::is_default")]
    pub files: FileWork,
    /// The content that is written.
    pub content: ContentSpec,
    /// How what is written and read is verified.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verify: Option<VerifySpec>,
    /// Where its I/Os come from, where they are not drawn.
    #[serde(rename = "feed", default, skip_serializing_if = "Option::is_none")]
    pub source: Option<IoSource>,
}

impl Stream {
    /// A workload on a target that has one equal share of the step's load and of its target's slots, through all of the step,
    /// and writes content that no array can reduce.
    pub fn new(
        workload: impl Into<String>,
        target: TargetId,
        mix: Mix,
        size: SizeSpec,
        address: AddressSpec,
    ) -> Stream {
        Stream {
            workload: workload.into(),
            target,
            hosts: Vec::new(),
            share: 1.0,
            fixed_rate: None,
            arrival: None,
            priority: None,
            throttle: Throttle::default(),
            depth: None,
            window: Window::default(),
            quota: Quota::default(),
            dependency: Dependency::default(),
            mix,
            size,
            address,
            files: FileWork::default(),
            content: ContentSpec::Unique,
            verify: None,
            source: None,
        }
    }

    /// The largest transfer of the operations that occur.
    pub fn largest(&self) -> Bytes {
        let sizes = self.size.occurring(&self.mix).into_iter();
        sizes.map(SizeSpec::max).max().unwrap_or_default()
    }

    /// The smallest transfer of the operations that occur.
    pub fn smallest(&self) -> Bytes {
        let sizes = self.size.occurring(&self.mix).into_iter();
        sizes.map(SizeSpec::min).min().unwrap_or_default()
    }

    /// The largest transfer that takes a buffer: what moves no bytes, as a trim, takes none.
    pub fn largest_buffer(&self) -> Bytes {
        let moved = Op::ALL.map(|op| match op.moves_bytes() {
            true => self.mix.percents()[op as usize],
            false => 0.0,
        });
        let moved = Mix::from(moved);
        if moved.occurring().next().is_none() {
            return self.largest();
        }
        let sizes = self.size.occurring(&moved).into_iter();
        sizes.map(SizeSpec::max).max().unwrap_or_default()
    }

    /// True where it changes what a target holds.
    pub fn changes(&self, target: TargetId) -> bool {
        self.target == target && self.mix.changes_data() || self.files.to == Some(target)
    }

    /// A log's I/Os on a target. What a stream says of itself is what the log says: which operations, how large, how many, how
    /// often.
    pub fn replay(
        workload: impl Into<String>,
        target: TargetId,
        replay: Replay,
        sizes: &LogSizes,
    ) -> Stream {
        let address = AddressSpec::whole(Pattern::RANDOM);
        let mix = replay.facts.mix();
        Stream {
            fixed_rate: replay.rate(),
            quota: Quota {
                bytes: None,
                ios: Some(replay.facts.all_ios()),
                passes: None,
            },
            source: Some(IoSource::Replay(Box::new(replay))),
            ..Stream::new(workload, target, mix, sizes.spec(), address)
        }
    }

    /// The log that it replays, where it does.
    pub fn replayed(&self) -> Option<&Replay> {
        match &self.source {
            Some(IoSource::Replay(replay)) => Some(replay),
            Some(IoSource::ReadBack(_)) | None => None,
        }
    }
}
