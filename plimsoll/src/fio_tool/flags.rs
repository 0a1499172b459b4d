//! fio's command line: what is the program's, what is Plimsoll's own, and what is a job's.

use super::eta::When;
use crate::failure::Failure;
use crate::own_flags::Own;
use plimsoll_dialects::fio::{Text, is_flag, is_option, options};
use plimsoll_plan::Nanos;
use plimsoll_report::fio::{IdleCpus, TerseVersion};
use std::path::PathBuf;

/// A form of the results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    Normal,
    Terse,
    Json,
    JsonPlus,
}

/// Flags of `plimsoll fio`, read.
#[derive(Debug, Default)]
pub struct ToolFlags {
    pub help: bool,
    pub version: bool,
    /// `--cmdhelp` of this option; of all where it is empty.
    pub option_help: Option<String>,
    /// `--enghelp`.
    pub engine_help: bool,
    pub parse_only: bool,
    pub show_command: bool,
    pub read_only: bool,
    /// In the order in which they were named, each once.
    pub formats: Vec<Format>,
    pub terse_version: TerseVersion,
    pub output: Option<PathBuf>,
    pub sections: Vec<String>,
    /// Job files, then the jobs that were typed.
    pub files: Vec<String>,
    pub words: Vec<String>,
    /// Flags that change nothing here, and why.
    pub idle: Vec<(String, &'static str)>,
    /// Idle time of the CPUs that is told (`--idle-prof`).
    pub idle_cpus: Option<IdleCpus>,
    /// Choice of when the status line is shown.
    pub eta: When,
    /// A status line that stays, each time that so much went by.
    pub status_every: Option<Nanos>,
    pub own: Own,
}

const ETA: &str = "the status line comes with each interval";
const OWN_STATE: &str = "Plimsoll keeps no such state";
const TRIGGER: &str = "a definition in TOML has actions at their times: see plimsoll disturb";
const LOGGED: &str = "a record has every interval: --record PATH, then plimsoll export";
/// fio's flags that change nothing of the load or its results, each with whether a value has to follow.
const IDLE: [(&str, bool, &str); 10] = [
    ("--eta-newline", true, ETA),
    ("--eta-interval", true, ETA),
    ("--max-jobs", true, "there may be 10,000 jobs"),
    ("--alloc-size", true, OWN_STATE),
    (
        "--aux-path",
        true,
        "what jobs keep of their state is in the folder that this is started in",
    ),
    (
        "--warnings-fatal",
        false,
        "what cannot be done as it is written is refused anyway",
    ),
    ("--debug", true, OWN_STATE),
    (
        "--append-terse",
        false,
        "name both: --output-format=normal,terse",
    ),
    ("--bandwidth-log", false, LOGGED),
    ("--latency-log", true, LOGGED),
];
/// Flags that ask for something that is not there, each with what there is instead.
const REFUSED: [(&str, &str); 10] = [
    ("--client", "start Plimsoll on each host"),
    ("--server", "start Plimsoll on each host"),
    ("--daemonize", "let systemd-run or nohup put it behind"),
    ("--remote-config", "start Plimsoll on each host"),
    ("--trigger", TRIGGER),
    ("--trigger-file", TRIGGER),
    ("--trigger-timeout", TRIGGER),
    ("--merge-blktrace-only", "fio does that"),
    ("--inflate-log", "fio does that"),
    ("--crctest", "fio does that"),
];

/// The program's flags that do something here; all others that it has are in the tables above.
const WORKS: [&str; 15] = [
    "--help",
    "--version",
    "--cmdhelp",
    "--enghelp",
    "--parse-only",
    "--readonly",
    "--showcmd",
    "--minimal",
    "--eta",
    "--status-interval",
    "--output-format",
    "--terse-version",
    "--output",
    "--section",
    "--idle-prof",
];

/// The flag that a word stands for: itself, or the one whose beginning it is, as getopt_long takes it.
fn whole_flag(typed: &str) -> Result<String, Failure> {
    let own = typed.trim_start_matches('-');
    let names = options::all().flat_map(|option| [option.name, option.alias]);
    let program = WORKS.into_iter();
    let program = program.chain(IDLE.into_iter().map(|(flag, ..)| flag));
    let program = program.chain(REFUSED.into_iter().map(|(flag, _)| flag));
    let all = names.chain(program.map(|flag| &flag[2..]));
    let mut begun: Vec<&str> = all.filter(|name| name.starts_with(own)).collect();
    begun.sort_unstable();
    begun.dedup();
    match begun[..] {
        _ if own.is_empty() || begun.contains(&own) => Ok(typed.to_string()),
        [only] => Ok(format!("--{only}")),
        [] => Ok(typed.to_string()),
        [first, second, ..] => Err(Failure::usage(format!(
            "{typed} may be --{first}, --{second}{}: write the whole name",
            if begun.len() > 2 { " or another" } else { "" }
        ))),
    }
}

impl ToolFlags {
    /// Flags and jobs that were typed behind `plimsoll fio`. From the first word that begins a job on, what is no flag of the program is
    /// the jobs'.
    pub fn of(words: &[String]) -> Result<ToolFlags, Failure> {
        let mut asked = ToolFlags::default();
        // As getopt_long_only takes them: a long name may stand behind one dash.
        let long = |word: &String| match word.strip_prefix('-') {
            Some(name) if name.len() > 1 && !name.starts_with('-') => format!("--{name}"),
            _ => word.clone(),
        };
        let words: Vec<String> = words.iter().map(long).collect();
        let mut words = words.iter().peekable();
        while let Some(word) = words.next() {
            if !word.starts_with("--") {
                match word.as_str() {
                    "-h" => asked.help = true,
                    "-v" => asked.version = true,
                    "-" => asked.files.push(word.clone()),
                    _ if word.starts_with('-') => {
                        return Err(Failure::usage(format!(
                            "{word} is no flag of fio's that is known here; --help lists those that are"
                        )));
                    }
                    _ => asked.files.push(word.clone()),
                }
                continue;
            }
            let (name, inline) = match word.split_once('=') {
                Some((name, value)) => (name, Some(value.to_string())),
                None => (word.as_str(), None),
            };
            let mut value = || {
                inline
                    .clone()
                    .or_else(|| words.next().cloned())
                    .ok_or_else(|| Failure::usage(format!("{name} needs a value")))
            };
            if asked.take(name, inline.as_deref(), &mut value)? {
                continue;
            }
            let whole = whole_flag(name)?;
            if whole != name && asked.take(&whole, inline.as_deref(), &mut value)? {
                continue;
            }
            // fio takes a value that stands apart, too, where there has to be one: behind a flag stands a job file.
            let apart = match inline.is_none() && !is_flag(whole.trim_start_matches('-')) {
                true => words.next_if(|w| !w.starts_with('-')).cloned(),
                false => None,
            };
            asked.words.push(match inline.or(apart) {
                Some(value) => format!("{whole}={value}"),
                None => whole,
            });
        }
        if asked.formats.is_empty() {
            asked.formats.push(Format::Normal);
        }
        Ok(asked)
    }

    /// True where the flag is the program's, or Plimsoll's own.
    fn take(
        &mut self,
        name: &str,
        inline: Option<&str>,
        value: &mut dyn FnMut() -> Result<String, Failure>,
    ) -> Result<bool, Failure> {
        match name {
            "--help" => self.help = true,
            "--version" => self.version = true,
            "--cmdhelp" => self.option_help = Some(inline.unwrap_or_default().to_string()),
            "--enghelp" => self.engine_help = true,
            "--parse-only" => self.parse_only = true,
            "--readonly" => self.read_only = true,
            "--showcmd" => {
                self.show_command = true;
                self.files.extend(inline.map(str::to_string));
            }
            "--minimal" => self.formats = vec![Format::Terse],
            "--eta" => self.eta = When::of(&value()?)?,
            "--status-interval" => self.status_every = Some(status_every(&value()?)?),
            "--output-format" => self.formats = formats(&value()?)?,
            "--terse-version" => self.terse_version = terse_version(&value()?)?,
            "--output" => self.output = Some(value()?.into()),
            "--section" => self.sections.push(value()?),
            "--idle-prof" => self.idle_cpus = idle_cpus(&value()?)?,
            // A job's own option, too.
            "--overwrite" if !self.words.is_empty() => return Ok(false),
            _ => return Ok(self.own.take(name, value)? || self.known(name, value)?),
        }
        Ok(true)
    }

    fn known(
        &mut self,
        name: &str,
        value: &mut dyn FnMut() -> Result<String, Failure>,
    ) -> Result<bool, Failure> {
        if let Some((_, has_value, why)) = IDLE.iter().find(|(flag, ..)| *flag == name) {
            if *has_value {
                value()?;
            }
            self.idle.push((name.to_string(), why));
            return Ok(true);
        }
        match REFUSED.iter().find(|(flag, _)| *flag == name) {
            Some((_, remedy)) => Err(Failure::usage(format!(
                "{name} cannot be used: Plimsoll has nothing like it; {remedy}"
            ))),
            None => Ok(false),
        }
    }

    /// Texts that the jobs are read from.
    pub fn texts(
        &self,
        file: impl Fn(&str) -> Result<Text, Failure>,
    ) -> Result<Vec<Text>, Failure> {
        let mut texts = Vec::new();
        if let Some(first) = self.words.first() {
            let begins = |w: &String| w.starts_with("--name=");
            let name = first.split('=').next().unwrap_or_default();
            if self.files.is_empty() && !is_option(&name[2..]) {
                return Err(Failure::usage(format!(
                    "{name} is no flag of fio's that is known here, and no option of a job; --help and --cmdhelp list what there is"
                )));
            }
            if self.files.is_empty() && !self.words.iter().any(begins) {
                return Err(Failure::usage(format!(
                    "{first} stands on the command line without a job: say --name=JOB before the options of one, or name a job file"
                )));
            }
            // What stands before the first job is of all of them and of those of the files, as fio has it.
            let defaults = (!begins(first)).then(|| "--name=global".to_string());
            let words = defaults.into_iter().chain(self.words.iter().cloned());
            texts.push(Text::Words(words.collect()));
        }
        for name in &self.files {
            texts.push(file(name)?);
        }
        Ok(texts)
    }
}

/// A time as fio has it: seconds where nothing is said.
fn status_every(text: &str) -> Result<Nanos, Failure> {
    let with_unit = match text.bytes().all(|b| b.is_ascii_digit()) {
        true => format!("{text}s"),
        false => text.to_string(),
    };
    with_unit
        .parse()
        .map_err(|e| Failure::usage(format!("--status-interval: {e}")))
}

fn idle_cpus(word: &str) -> Result<Option<IdleCpus>, Failure> {
    match word {
        "none" => Ok(None),
        "system" => Ok(Some(IdleCpus::Together)),
        "percpu" => Ok(Some(IdleCpus::Each)),
        other => Err(Failure::usage(format!(
            "--idle-prof: `{other}` is not told here; use none, system or percpu"
        ))),
    }
}

fn terse_version(word: &str) -> Result<TerseVersion, Failure> {
    TerseVersion::of(word).ok_or_else(|| {
        Failure::usage(format!(
            "--terse-version={word} cannot be printed: terse lines are of version 3, 4 or 5"
        ))
    })
}

fn formats(text: &str) -> Result<Vec<Format>, Failure> {
    let mut out = Vec::new();
    for name in text.split(',') {
        let format = match name.trim() {
            "normal" => Format::Normal,
            "terse" | "minimal" => Format::Terse,
            "json" => Format::Json,
            "json+" => Format::JsonPlus,
            other => {
                return Err(Failure::usage(format!(
                    "--output-format: `{other}` is none; there are normal, terse, json and json+"
                )));
            }
        };
        if !out.contains(&format) {
            out.push(format);
        }
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(line: &str) -> Result<ToolFlags, Failure> {
        let words: Vec<String> = line.split_whitespace().map(String::from).collect();
        ToolFlags::of(&words)
    }

    #[test]
    fn flags_of_the_program_and_of_jobs_are_told_apart() {
        let all = asked(
            "a.fio --output-format=json+,normal --name=x --rw=read --bs 4k --destroy=sda --section=x --eta=never",
        )
        .expect("a command line");
        assert_eq!(all.files, ["a.fio"]);
        assert_eq!(all.words, ["--name=x", "--rw=read", "--bs=4k"]);
        assert_eq!(all.formats, [Format::JsonPlus, Format::Normal]);
        assert_eq!(all.own.run.destroy, ["sda"]);
        assert_eq!(all.sections, ["x"]);
        assert_eq!(all.eta, When::Never);
        let apart =
            asked("--runtime=3 --time_based a.fio --thread --eta-newline 1 --rw read b.fio");
        let apart = apart.expect("a command line");
        assert_eq!(apart.files, ["a.fio", "b.fio"]);
        assert_eq!(
            apart.words,
            ["--runtime=3", "--time_based", "--thread", "--rw=read"]
        );
        assert_eq!(asked("-").expect("stdin").files, ["-"]);
        assert_eq!(asked("a.fio").expect("a file").formats, [Format::Normal]);
    }

    #[test]
    fn what_is_not_there_is_refused_by_name() {
        for (line, what) in [
            ("--client=h a.fio", "--client"),
            ("--output-format=xml a.fio", "xml"),
            ("--seed=x a.fio", "--seed"),
            ("-z", "-z"),
            ("--output", "--output needs a value"),
        ] {
            let message = asked(line).expect_err(line).to_string();
            assert!(message.contains(what), "{message}");
        }
    }
}
