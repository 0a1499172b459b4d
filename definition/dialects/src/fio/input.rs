//! What a definition is read from.

use std::collections::BTreeMap;
use std::path::PathBuf;

/// Job files or command lines, and what they may refer to.
#[derive(Debug, Clone)]
pub struct Input {
    /// One after the other: each waits for the one before. Only the first file starts with the jobs of a command line before it.
    pub texts: Vec<Text>,
    /// Only the jobs of these sections run; all where there are none.
    pub sections: Vec<String>,
    /// What `${NAME}` stands for.
    pub environment: BTreeMap<String, String>,
    /// What `$ncpus`, `$pagesize` and `$mb_memory` stand for.
    pub host: HostFacts,
}

/// One job file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Text {
    /// A file to read.
    File(PathBuf),
    /// A text that is already here, under the name that it is shown with.
    Here {
        /// Its name in complaints.
        name: String,
        /// All of it.
        text: String,
    },
    /// Words of fio's command line, from the first `--name=` on.
    Words(Vec<String>),
}

/// What a host is, for fio's keywords.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HostFacts {
    /// CPUs that are online.
    pub cpus: u64,
    /// Bytes of a page.
    pub page: u64,
    /// Memory, MiB.
    pub memory_mib: u64,
}

impl Default for HostFacts {
    fn default() -> Self {
        HostFacts {
            cpus: 1,
            page: 4096,
            memory_mib: 1024,
        }
    }
}

impl Input {
    /// These files, all their sections, and an empty environment.
    pub fn files(paths: impl IntoIterator<Item = PathBuf>) -> Self {
        Input::of(paths.into_iter().map(Text::File).collect())
    }

    /// One text under this name.
    pub fn text(name: &str, text: &str) -> Self {
        Input::of(vec![Text::Here {
            name: name.to_string(),
            text: text.to_string(),
        }])
    }

    /// fio's command line: `--name=a --rw=read`.
    pub fn words<'w>(words: impl IntoIterator<Item = &'w str>) -> Self {
        let words = words.into_iter().map(str::to_string).collect();
        Input::of(vec![Text::Words(words)])
    }

    /// These texts.
    pub fn of(texts: Vec<Text>) -> Self {
        Input {
            texts,
            sections: Vec::new(),
            environment: BTreeMap::new(),
            host: HostFacts::default(),
        }
    }
}
