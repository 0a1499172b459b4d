//! The kinds of definitions, and the order in which they must come.

use super::keyword::{self, Keyword};

/// A kind of definition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Section {
    /// Parameters before any definition.
    General,
    /// `hd=`
    Host,
    /// `rg=`
    ReplayGroup,
    /// `sd=`
    Storage,
    /// `fsd=`
    FileSystem,
    /// `wd=`
    Workload,
    /// `fwd=`
    FileWorkload,
    /// `rd=`
    Run,
}

impl Section {
    /// All, in their order.
    pub const ALL: [Section; 8] = [
        Section::General,
        Section::Host,
        Section::ReplayGroup,
        Section::Storage,
        Section::FileSystem,
        Section::Workload,
        Section::FileWorkload,
        Section::Run,
    ];

    /// The keywords that may be used in it.
    pub fn keywords(self) -> &'static [Keyword] {
        match self {
            Section::General => keyword::GENERAL,
            Section::Host => keyword::HOST,
            Section::ReplayGroup => keyword::REPLAY_GROUP,
            Section::Storage => keyword::STORAGE,
            Section::FileSystem => keyword::FILE_SYSTEM_DEFINITION,
            Section::Workload => keyword::WORKLOAD,
            Section::FileWorkload => keyword::FILE_WORKLOAD,
            Section::Run => keyword::RUN,
        }
    }

    /// The keyword that begins a definition of this kind; none for general parameters.
    pub fn opener(self) -> Option<&'static str> {
        match self {
            Section::General => None,
            _ => Some(self.keywords()[0].name),
        }
    }

    /// The section that `keyword` begins.
    pub fn opened_by(keyword: &str) -> Option<Section> {
        Section::ALL
            .into_iter()
            .find(|s| s.opener() == Some(keyword))
    }

    /// In words.
    pub fn title(self) -> &'static str {
        match self {
            Section::General => "the general parameters",
            Section::Host => "a host definition (hd=)",
            Section::ReplayGroup => "a replay group (rg=)",
            Section::Storage => "a storage definition (sd=)",
            Section::FileSystem => "a file-system definition (fsd=)",
            Section::Workload => "a workload definition (wd=)",
            Section::FileWorkload => "a file-system workload definition (fwd=)",
            Section::Run => "a run definition (rd=)",
        }
    }

    /// The order group: storage and file systems come together, as do their workloads.
    pub fn rank(self) -> u8 {
        match self {
            Section::General => 0,
            Section::Host => 1,
            Section::ReplayGroup => 2,
            Section::Storage | Section::FileSystem => 3,
            Section::Workload | Section::FileWorkload => 4,
            Section::Run => 5,
        }
    }
}

/// True for what is a keyword in any section.
pub fn known(typed: &str) -> bool {
    let typed = typed.to_lowercase();
    Section::ALL
        .iter()
        .any(|section| keyword::resolve(section.keywords(), &typed).is_some())
}
