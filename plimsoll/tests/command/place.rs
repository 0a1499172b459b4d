//! A temporary folder, and the program run in it.

use base64::{Engine, engine::general_purpose::STANDARD};
use flate2::read::GzDecoder;
use serde_json::Value;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// Bytes of a MiB.
pub const MIB: u64 = 1 << 20;

/// Flags that make a run take a third of a second.
pub const QUICK: [&str; 6] = ["--for", "300ms", "--interval", "100ms", "--warmup", "0s"];

/// Commands that draw a seed where none is given.
const DRAWING: [&str; 8] = [
    "run",
    "curve",
    "saturate",
    "fingerprint",
    "soak",
    "sweep",
    "disturb",
    "pts",
];

/// The words of a command line. Quotes, single or double, are for a whole word.
pub fn typed(line: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut rest = line.trim_start();
    while let Some(first) = rest.chars().next() {
        let (word, behind) = match first {
            '\'' | '"' => rest[1..].split_once(first).expect("a closing quote"),
            _ => rest.split_once(char::is_whitespace).unwrap_or((rest, "")),
        };
        words.push(word);
        rest = behind.trim_start();
    }
    words
}

/// Words behind the program's name: a line, or the words themselves.
pub trait Typed {
    fn words(&self) -> Vec<&str>;
}

impl Typed for str {
    fn words(&self) -> Vec<&str> {
        typed(self)
    }
}

impl Typed for String {
    fn words(&self) -> Vec<&str> {
        typed(self)
    }
}

impl Typed for [&str] {
    fn words(&self) -> Vec<&str> {
        self.to_vec()
    }
}

impl<const N: usize> Typed for [&str; N] {
    fn words(&self) -> Vec<&str> {
        self.to_vec()
    }
}

impl Typed for Vec<&str> {
    fn words(&self) -> Vec<&str> {
        self.clone()
    }
}

/// A temporary folder that the program runs in.
pub struct TestFolder {
    folder: tempfile::TempDir,
}

impl TestFolder {
    pub fn new() -> Self {
        TestFolder {
            folder: tempfile::tempdir().expect("a temporary folder"),
        }
    }

    /// A folder that is there, such as one on another file system.
    pub fn in_folder(folder: tempfile::TempDir) -> Self {
        TestFolder { folder }
    }

    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A file that Plimsoll did not make, full of bytes that are not zero.
    pub fn foreign(&self, name: &str, size: u64) -> PathBuf {
        let path = self.path(name);
        let bytes: Vec<u8> = (0..size).map(|n| (n % 251) as u8 + 1).collect();
        let mut file = std::fs::File::create(&path).expect("a file");
        file.write_all(&bytes).expect("written");
        file.sync_all().expect("on the medium");
        path
    }

    /// A text file.
    pub fn text(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        std::fs::write(&path, text).expect("written");
        path
    }

    /// Names in the folder, sorted.
    pub fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = std::fs::read_dir(self.folder())
            .expect("the folder")
            .map(|e| {
                e.expect("an entry")
                    .file_name()
                    .to_string_lossy()
                    .into_owned()
            })
            .collect();
        names.sort();
        names
    }

    /// The program, not yet started.
    pub fn command(&self, typed: &(impl Typed + ?Sized)) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_plimsoll"));
        command
            .args(self.seeded(&typed.words()))
            .current_dir(self.folder())
            .env("COLUMNS", "200")
            .env("NO_COLOR", "1")
            .stdin(Stdio::null());
        command
    }

    /// A seed for what would draw one: a test gives one answer, on every machine and each time. A run that is gone on with has its
    /// own, and so has a definition that says one.
    fn seeded<'a>(&self, words: &[&'a str]) -> Vec<&'a str> {
        let says_one = |word: &str| {
            word.ends_with(".toml")
                && std::fs::read_to_string(self.path(word))
                    .is_ok_and(|t| t.lines().any(|l| l.starts_with("seed")))
        };
        let settled = |word: &&str| {
            word.starts_with("--seed") || word.starts_with("--resume") || says_one(word)
        };
        let mut all = words.to_vec();
        if words.first().is_some_and(|c| DRAWING.contains(c)) && !words.iter().any(settled) {
            all.splice(1..1, ["--seed", "7"]);
        }
        all
    }

    /// Begins the program, and leaves it to itself.
    pub fn begin(&self, typed: &(impl Typed + ?Sized)) -> Child {
        let mut command = self.command(typed);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        command.spawn().expect("the program starts")
    }

    /// Runs the program to its end.
    pub fn plimsoll(&self, typed: &(impl Typed + ?Sized)) -> Done {
        let output = self.command(typed).output();
        Done::new(&output.expect("the program starts"), &typed.words())
    }

    /// The length and the data of a record's page; `None` where this program has none.
    pub fn page(&self, record: &str) -> Option<(usize, Value)> {
        let page = self.plimsoll(&format!("report {record} -o -"));
        if page.err.contains("without the HTML report's page") {
            plimsoll_skipped::skipped!("the page needs the viewer");
            return None;
        }
        let page = page.ok().out;
        let data = page.split("id=\"plimsoll-data\">").nth(1).expect("data");
        let data = STANDARD
            .decode(data.split('<').next().expect("its end"))
            .expect("base64");
        let json = GzDecoder::new(&data[..]);
        Some((page.len(), serde_json::from_reader(json).expect("JSON")))
    }

    /// The same with [`QUICK`] flags.
    pub fn quick(&self, typed: &(impl Typed + ?Sized)) -> Done {
        self.plimsoll(&[&typed.words()[..], &QUICK].concat())
    }
}

/// Result of a run of the program.
#[derive(Debug)]
pub struct Done {
    /// Shown where an assertion fails.
    #[allow(dead_code, reason = "read by Debug")]
    pub words: Vec<String>,
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Done {
    pub fn new(output: &Output, words: &[&str]) -> Self {
        Done {
            words: words.iter().map(ToString::to_string).collect(),
            code: output.status.code(),
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// Measured and clean.
    #[track_caller]
    pub fn ok(self) -> Self {
        assert_eq!(self.code, Some(0), "{self:#?}");
        self
    }

    /// Ran to its end. A machine that stood still meanwhile may have left the question open.
    #[track_caller]
    pub fn ran(self) -> Self {
        assert!(matches!(self.code, Some(0 | 3)), "{self:#?}");
        self
    }

    /// Ended with this code.
    #[track_caller]
    pub fn exits(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "{self:#?}");
        assert!(!self.err.contains("panicked"), "{self:#?}");
        self
    }

    /// Refused: exit code 2, nothing on standard output, and one message that holds all of `parts`.
    #[track_caller]
    pub fn refused(self, parts: &[&str]) -> Self {
        assert_eq!(self.code, Some(2), "{self:#?}");
        assert_eq!(self.out, "", "{self:#?}");
        assert!(!self.err.contains("panicked"), "{self:#?}");
        let errors = self.err.lines().filter(|l| l.starts_with("error")).count();
        assert_eq!(errors, 1, "one error: {self:#?}");
        for part in parts {
            assert!(self.err.contains(part), "`{part}` is missing: {self:#?}");
        }
        self
    }

    /// Asserts that its output ends in an empty line, and lines with these labels, which are at most five.
    #[track_caller]
    pub fn ends_in(&self, labels: &[&str]) {
        let last = self
            .out
            .trim_end()
            .rsplit("\n\n")
            .next()
            .unwrap_or_default();
        let lines = last.lines().filter(|line| !line.starts_with(' '));
        let found: Vec<&str> = lines.filter_map(|l| l.split_whitespace().next()).collect();
        assert_eq!(found, labels, "{self:#?}");
        assert!(labels.len() <= 5, "{self:#?}");
    }

    /// Standard output holds all of these.
    #[track_caller]
    pub fn says(&self, parts: &[&str]) {
        for part in parts {
            assert!(self.out.contains(part), "`{part}` is missing: {self:#?}");
        }
    }

    /// Standard error holds all of these.
    #[track_caller]
    pub fn warns(&self, parts: &[&str]) {
        for part in parts {
            assert!(self.err.contains(part), "`{part}` is missing: {self:#?}");
        }
    }

    /// Standard output as the one JSON document that it is.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|e| panic!("{e}: {self:#?}"))
    }
}

/// That a text holds all of these.
macro_rules! holds {
    ($text:expr, $($part:expr),+ $(,)?) => {
        $(assert!($text.contains($part), "`{}` is missing: {}", $part, $text);)+
    };
}
pub(crate) use holds;

/// Waits for something that is about to come true, if it takes a busy machine a minute.
#[track_caller]
pub fn soon(mut is_true: impl FnMut() -> bool) {
    let started = Instant::now();
    while !is_true() {
        let waited = started.elapsed();
        assert!(waited < Duration::from_secs(60), "it never came true");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// True for root; else says that `what` is skipped.
pub fn root_or_skip(what: &str) -> bool {
    let root = rustix::process::geteuid().is_root();
    if !root {
        plimsoll_skipped::skipped!("{what} needs root");
    }
    root
}
