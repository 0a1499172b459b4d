//! What kept a step from doing more: one cause, the evidence for it and what speaks against the next one.

use serde::{Deserialize, Serialize};

/// Limit of a closed loop, or of a load that was past what its targets carry.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Limit {
    /// Cause of the limit.
    pub cause: LimitCause,
    /// All of it in one sentence.
    pub sentence: String,
    /// Evidence for the cause, a clause each; where no cause is named, all that was seen.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub for_it: Vec<String>,
    /// Cause that came next; `against` tells what speaks against it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runner_up: Option<LimitCause>,
    /// Evidence against the runner-up: what was seen of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub against: Option<String>,
    /// Largest gain if the cause was gone and nothing else in the way, 0..=1 of what would then be done; 0 where nothing is named.
    #[serde(default)]
    pub explains: f64,
    /// Causes that could not be looked at: they are neither named nor ruled out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_observable: Vec<LimitCause>,
}

/// Cause of a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LimitCause {
    /// The flash or the disks of the target.
    Media,
    /// One core of the array, which owns addresses that are asked for more than others.
    HotOwner,
    /// The array's cores, busy alike, or one of them by something else than addresses.
    ArrayCores,
    /// A front-end port or a path.
    Port,
    /// Writes waited for room in the journal.
    Journal,
    /// The media was busy moving data to make room.
    GarbageCollection,
    /// The target, which does not tell what in it.
    Target,
    /// The CPUs of the host that the load came from.
    HostCpu,
    /// The one CPU of a worker, while others had room; or one that the hypervisor took.
    OneCpu,
    /// The scheduler or the queue of a block device in the host.
    BlockQueue,
    /// The network to the target.
    Network,
    /// The generator's slots: more I/Os in flight would have done more.
    Slots,
    /// The generator came too late with what was due.
    Lateness,
    /// Others used the same device.
    ForeignIo,
    /// A limit that somebody set: of the definition, or of a control group.
    SetLimit,
    /// No cause can be told from what was seen.
    NotAttributable,
}

impl LimitCause {
    /// All of them, in the order in which they are listed.
    pub const ALL: [LimitCause; 16] = [
        LimitCause::Media,
        LimitCause::HotOwner,
        LimitCause::ArrayCores,
        LimitCause::Port,
        LimitCause::Journal,
        LimitCause::GarbageCollection,
        LimitCause::Target,
        LimitCause::HostCpu,
        LimitCause::OneCpu,
        LimitCause::BlockQueue,
        LimitCause::Network,
        LimitCause::Slots,
        LimitCause::Lateness,
        LimitCause::ForeignIo,
        LimitCause::SetLimit,
        LimitCause::NotAttributable,
    ];

    /// True where the cause is in the target, and not before it: then nothing that the load has more of brings more.
    pub fn is_of_target(self) -> bool {
        matches!(
            self,
            LimitCause::Media
                | LimitCause::HotOwner
                | LimitCause::ArrayCores
                | LimitCause::Port
                | LimitCause::Journal
                | LimitCause::GarbageCollection
                | LimitCause::Target
        )
    }

    /// True where the cause is in the host that the load came from.
    pub fn is_of_host(self) -> bool {
        matches!(
            self,
            LimitCause::HostCpu | LimitCause::OneCpu | LimitCause::Lateness
        )
    }

    /// Words for the cause, as in `limited by the target's media`.
    pub fn words(self) -> &'static str {
        match self {
            LimitCause::Media => "the target's media",
            LimitCause::HotOwner => "one core of the array that owns a hot slice",
            LimitCause::ArrayCores => "the array's cores",
            LimitCause::Port => "a port or path",
            LimitCause::Journal => "the array's journal",
            LimitCause::GarbageCollection => "garbage collection",
            LimitCause::Target => "the target itself",
            LimitCause::HostCpu => "the host's CPU",
            LimitCause::OneCpu => "one CPU",
            LimitCause::BlockQueue => "the queue of the block stack",
            LimitCause::Network => "the network",
            LimitCause::Slots => "the generator's slots",
            LimitCause::Lateness => "the generator's lateness",
            LimitCause::ForeignIo => "foreign I/O",
            LimitCause::SetLimit => "a limit that was set",
            LimitCause::NotAttributable => "not attributable",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cause_is_listed_once_and_has_words_of_its_own() {
        let words: std::collections::BTreeSet<_> =
            LimitCause::ALL.iter().map(|c| c.words()).collect();
        assert_eq!(words.len(), LimitCause::ALL.len());
    }

    #[test]
    fn causes_are_written_in_words_with_hyphens() {
        let text = serde_json::to_string(&LimitCause::HotOwner).unwrap();
        assert_eq!(text, "\"hot-owner\"");
        let bare = r#"{"cause":"not-attributable","sentence":"s"}"#;
        let limit: Limit = serde_json::from_str(bare).unwrap();
        assert_eq!(limit.cause, LimitCause::NotAttributable);
        assert_eq!(limit.explains, 0.0);
    }
}
