//! Vdbench's own command line, as data.

use super::input::{Input, Overrides, Text};
use plimsoll_diagnostic::nearest;
use std::path::PathBuf;

/// Request of a Vdbench command line.
#[derive(Debug, Clone, PartialEq)]
pub struct Invocation {
    /// The parameter files, read as one; `parmfile` where none is given.
    pub files: Vec<PathBuf>,
    /// `-t`: the built-in test instead of files.
    pub quick_test: bool,
    /// Folder for the reports.
    pub output: Output,
    /// `-o` was given.
    pub output_named: bool,
    /// `-s`: list the runs only.
    pub simulate: bool,
    /// `-e`, `-w` and `-i`.
    pub overrides: Overrides,
    /// `-mb`: a megabyte in reports is 1,000,000 bytes.
    pub decimal_megabytes: bool,
    /// `key=value` words for substitution.
    pub words: Vec<(String, String)>,
    /// `keyword=value` words after a `+`, for every run.
    pub appended: Vec<String>,
    /// Words that cannot be carried out, each as written and why. A command line with any must not be run; it may be simulated.
    pub refused: Vec<(String, &'static str)>,
    /// Words that have no effect, each as written and why.
    pub ignored: Vec<(String, &'static str)>,
}

/// `-o`
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Output {
    /// Folder as named; what is in it is replaced.
    Folder(PathBuf),
    /// `dir+`: the first of `dir001`, `dir002` and so on that is not there.
    Next(PathBuf),
    /// `dir.tod`: with the time of day appended.
    TimeOfDay(PathBuf),
}

/// Reason that a command line cannot be understood.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CommandLineError {
    /// Vdbench has no such flag.
    #[error("Vdbench has no flag `{flag}`{hint}")]
    Unknown {
        /// Flag as written.
        flag: String,
        /// What was probably meant.
        hint: String,
    },
    /// A flag's value is missing.
    #[error("`{0}` needs a value")]
    Value(String),
    /// A flag's value is no number.
    #[error("`{flag}` needs a number of seconds, not `{value}`")]
    Number {
        /// The flag.
        flag: String,
        /// What followed it.
        value: String,
    },
    /// Another of Vdbench's programs.
    #[error("`vdbench {0}` is another of Vdbench's programs, which this is not")]
    Verb(String),
    /// Neither a flag nor a word.
    #[error("`{0}` is neither a flag nor a key=value word; parameter files follow -f")]
    Stray(String),
}

/// What a flag takes, and what becomes of it.
enum FlagKind {
    Files,
    Output,
    Simulate,
    Elapsed,
    Warmup,
    Interval,
    DecimalMegabytes,
    QuickTest,
    Refused(&'static str, Takes),
    Ignored(&'static str, Takes),
}

/// What follows a flag.
#[derive(Clone, Copy, PartialEq)]
enum Takes {
    /// Letters joined to it, at most.
    Letters,
    /// A value, joined or apart.
    Value,
    /// A number, if one follows.
    MayNumber,
}

const VALIDATION: &str = "data validation cannot be done yet";
const JOURNAL: &str = "journals cannot be kept yet";
const TESTS: &str = "of the built-in tests there is only -t";
const FORMAT: &str = "file-system workloads cannot be run yet";
const JAVA: &str = "it tunes Vdbench's own Java processes; there are none here";

/// All flags. Of those that a word begins with, the first counts.
const FLAGS: &[(&str, FlagKind)] = &[
    ("-f", FlagKind::Files),
    ("-o", FlagKind::Output),
    ("-s", FlagKind::Simulate),
    ("-e", FlagKind::Elapsed),
    ("-w", FlagKind::Warmup),
    ("-i", FlagKind::Interval),
    ("-mb", FlagKind::DecimalMegabytes),
    ("-m", FlagKind::Ignored(JAVA, Takes::Value)),
    ("-t1", FlagKind::Refused(TESTS, Takes::Letters)),
    ("-t2", FlagKind::Refused(TESTS, Takes::Letters)),
    ("-tf", FlagKind::Refused(TESTS, Takes::Letters)),
    ("-td", FlagKind::Refused(TESTS, Takes::Letters)),
    ("-t", FlagKind::QuickTest),
    ("-v", FlagKind::Refused(VALIDATION, Takes::Letters)),
    ("-j", FlagKind::Refused(JOURNAL, Takes::Letters)),
    (
        "-k",
        FlagKind::Ignored("kernel statistics of Solaris", Takes::Letters),
    ),
    ("-p", FlagKind::Ignored(JAVA, Takes::Value)),
    (
        "-l",
        FlagKind::Refused("definitions are not repeated yet", Takes::MayNumber),
    ),
    (
        "-r",
        FlagKind::Refused("runs cannot be started in the middle yet", Takes::Value),
    ),
    (
        "-d",
        FlagKind::Ignored("it switches Vdbench's own tracing", Takes::Value),
    ),
    ("-c", FlagKind::Refused(FORMAT, Takes::Letters)),
];

/// Vdbench's other programs.
const VERBS: [&str; 12] = [
    "compare",
    "parse",
    "parseflat",
    "sds",
    "rsh",
    "print",
    "edit",
    "jstack",
    "showlba",
    "csim",
    "dsim",
    "printjournal",
];

/// Reads a command line without the program's name.
///
/// # Errors
/// What is not Vdbench's. Flags that are Vdbench's and cannot be done are in [`Invocation::refused`].
pub fn parse(args: &[String]) -> Result<Invocation, CommandLineError> {
    let mut out = Invocation {
        files: Vec::new(),
        quick_test: false,
        output: Output::Folder(PathBuf::from("output")),
        output_named: false,
        simulate: false,
        overrides: Overrides::default(),
        decimal_megabytes: false,
        words: Vec::new(),
        appended: Vec::new(),
        refused: Vec::new(),
        ignored: Vec::new(),
    };
    if let Some(verb) = args.first().filter(|a| VERBS.contains(&a.as_str())) {
        return Err(CommandLineError::Verb(verb.clone()));
    }
    let mut args = Args { args, at: 0 };
    let mut appending = false;
    while let Some(arg) = args.next() {
        if arg == "+" {
            appending = true;
        } else if arg.starts_with('-') {
            flag(arg, &mut args, &mut out)?;
        } else if let Some((key, value)) = arg.split_once('=') {
            match appending {
                true => out.appended.push(arg.to_string()),
                false => out.words.push((key.to_string(), value.to_string())),
            }
        } else {
            return Err(CommandLineError::Stray(arg.to_string()));
        }
    }
    if out.files.is_empty() && !out.quick_test {
        out.files.push(PathBuf::from("parmfile"));
    }
    Ok(out)
}

/// The arguments that are left.
struct Args<'a> {
    args: &'a [String],
    at: usize,
}

impl<'a> Args<'a> {
    fn next(&mut self) -> Option<&'a str> {
        let arg = self.args.get(self.at)?;
        self.at += 1;
        Some(arg)
    }

    /// The next argument, if `fits` likes it.
    fn next_if(&mut self, fits: impl Fn(&str) -> bool) -> Option<&'a str> {
        self.args.get(self.at).filter(|a| fits(a))?;
        self.next()
    }

    /// What is joined to a flag, or the argument after it.
    fn value(&mut self, flag: &str, joined: &'a str) -> Result<&'a str, CommandLineError> {
        match joined.is_empty() {
            false => Ok(joined),
            true => self
                .next()
                .ok_or_else(|| CommandLineError::Value(flag.to_string())),
        }
    }

    fn seconds(&mut self, flag: &str, joined: &'a str) -> Result<Option<f64>, CommandLineError> {
        let value = self.value(flag, joined)?;
        match value.parse() {
            Ok(seconds) if f64::is_finite(seconds) && seconds >= 0.0 => Ok(Some(seconds)),
            _ => Err(CommandLineError::Number {
                flag: flag.to_string(),
                value: value.to_string(),
            }),
        }
    }
}

fn flag<'a>(
    arg: &'a str,
    args: &mut Args<'a>,
    out: &mut Invocation,
) -> Result<(), CommandLineError> {
    let Some((flag, kind)) = FLAGS.iter().find(|(flag, _)| arg.starts_with(flag)) else {
        let nearest = || nearest(arg, FLAGS.iter().map(|(flag, _)| *flag));
        let hint = match of_plimsoll(arg) {
            Some(meant) => format!("; {meant}"),
            None => nearest().map_or(String::new(), |meant| format!("; did you mean `{meant}`?")),
        };
        return Err(CommandLineError::Unknown {
            flag: arg.to_string(),
            hint,
        });
    };
    let joined = &arg[flag.len()..];
    match kind {
        FlagKind::Files => {
            out.files.push(args.value(flag, joined)?.into());
            while let Some(file) =
                args.next_if(|a| !a.starts_with('-') && !a.contains('=') && a != "+")
            {
                out.files.push(file.into());
            }
        }
        FlagKind::Output => {
            out.output = output(args.value(flag, joined)?);
            out.output_named = true;
        }
        FlagKind::Elapsed => out.overrides.elapsed = args.seconds(flag, joined)?,
        FlagKind::Warmup => out.overrides.warmup = args.seconds(flag, joined)?,
        FlagKind::Interval => out.overrides.interval = args.seconds(flag, joined)?,
        FlagKind::Simulate | FlagKind::DecimalMegabytes | FlagKind::QuickTest
            if !joined.is_empty() =>
        {
            return Err(CommandLineError::Unknown {
                flag: arg.to_string(),
                hint: String::new(),
            });
        }
        FlagKind::Simulate => out.simulate = true,
        FlagKind::DecimalMegabytes => out.decimal_megabytes = true,
        FlagKind::QuickTest => out.quick_test = true,
        FlagKind::Refused(why, takes) => {
            let written = written(arg, flag, joined, *takes, args)?;
            out.refused.push((written, why));
        }
        FlagKind::Ignored(why, takes) => {
            let written = written(arg, flag, joined, *takes, args)?;
            out.ignored.push((written, why));
        }
    }
    Ok(())
}

/// What says the same here as a flag of `plimsoll run`.
fn of_plimsoll(arg: &str) -> Option<&'static str> {
    Some(match arg.split('=').next()? {
        "--for" => "its own for the length of all runs is `-e SECONDS`",
        "--warmup" => "its own for the warm-up of all runs is `-w SECONDS`",
        "--interval" => "its own for the interval of all runs is `-i SECONDS`",
        "--depth" => "after a `+` at the end parameters are added to each run: `+ forthreads=8`",
        "--block" => "after a `+` at the end parameters are added to each run: `+ forxfersize=8k`",
        "--read" => "after a `+` at the end parameters are added to each run: `+ forrdpct=70`",
        "--rate" => "after a `+` at the end parameters are added to each run: `+ iorate=5000`",
        "--set" => {
            "after a `+` at the end parameters are added to each run, such as `+ forthreads=8`; where the file says \
             $NAME, the word NAME=VALUE replaces it"
        }
        _ => return None,
    })
}

/// A flag with its value, which is taken from the arguments.
fn written<'a>(
    arg: &'a str,
    flag: &str,
    joined: &'a str,
    takes: Takes,
    args: &mut Args<'a>,
) -> Result<String, CommandLineError> {
    let number = |a: &str| !a.is_empty() && a.bytes().all(|b| b.is_ascii_digit());
    Ok(match takes {
        Takes::Letters => arg.to_string(),
        Takes::Value => format!("{flag} {}", args.value(flag, joined)?),
        Takes::MayNumber if joined.is_empty() => match args.next_if(number) {
            Some(n) => format!("{flag} {n}"),
            None => flag.to_string(),
        },
        Takes::MayNumber => arg.to_string(),
    })
}

fn output(text: &str) -> Output {
    if let Some(start) = text.strip_suffix('+') {
        return Output::Next(start.into());
    }
    match text.strip_suffix(".tod") {
        Some(start) => Output::TimeOfDay(start.into()),
        None => Output::Folder(text.into()),
    }
}

/// What `-t` runs.
const QUICK_TEST: &str = "\
* The built-in test: 40 MiB, 1 KiB transfers, half of them reads, 100 a second for 5 seconds.
sd=sd1,lun=/tmp/quick_vdbench_test,size=40m
wd=wd1,sd=sd1,xfersize=1k,rdpct=50
rd=rd1,wd=wd1,iorate=100,elapsed=5,interval=1
";

impl Invocation {
    /// What is to be read.
    pub fn input(&self) -> Input {
        let mut texts: Vec<Text> = self.files.iter().cloned().map(Text::File).collect();
        if self.quick_test {
            texts = vec![Text::Inline {
                name: "<-t>".to_string(),
                text: QUICK_TEST.to_string(),
            }];
        }
        Input {
            texts,
            words: self.words.clone(),
            appended: self.appended.clone(),
            overrides: self.overrides,
        }
    }
}
