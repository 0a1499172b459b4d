//! What is to be read: parameter files, and what the command line adds to them.

use std::path::PathBuf;

/// Input of one definition: its files, words and flags.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Input {
    /// The parameter files, read as one, in order.
    pub texts: Vec<Text>,
    /// `key=value` words that replace `$key` and `!key`.
    pub words: Vec<(String, String)>,
    /// `keyword=value` parameters after a `+`, added to every run definition on one line.
    pub appended: Vec<String>,
    /// What `-e`, `-w` and `-i` say.
    pub overrides: Overrides,
}

/// One parameter file.
#[derive(Debug, Clone, PartialEq)]
pub enum Text {
    /// To be read.
    File(PathBuf),
    /// Already here.
    Inline {
        /// What it is called in complaints.
        name: String,
        /// The text.
        text: String,
    },
}

/// Times that replace those of every run, in seconds.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Overrides {
    /// `-e`
    pub elapsed: Option<f64>,
    /// `-w`
    pub warmup: Option<f64>,
    /// `-i`
    pub interval: Option<f64>,
}

impl Input {
    /// These files, read as one.
    pub fn files(paths: impl IntoIterator<Item = PathBuf>) -> Self {
        Input {
            texts: paths.into_iter().map(Text::File).collect(),
            ..Input::default()
        }
    }

    /// This text.
    pub fn text(name: impl Into<String>, text: impl Into<String>) -> Self {
        Input {
            texts: vec![Text::Inline {
                name: name.into(),
                text: text.into(),
            }],
            ..Input::default()
        }
    }

    /// Input with `key=value` words.
    #[must_use]
    pub fn with_words(mut self, words: &[(String, String)]) -> Self {
        self.words.extend_from_slice(words);
        self
    }
}
