//! Commands of fio that were copied with its text: what somebody typed above the output, with a prompt or without.

use super::fio_header::Header;
use crate::command::Commands;
use plimsoll_dialects::fio::options::{self, Opt, ValueKind};
use plimsoll_dialects::program_name;

/// Marks by which commands of fio are known among the lines of a text.
pub const COMMANDS: Commands = Commands {
    begins: |line| {
        let mut words = line.split_whitespace().skip_while(|word| !is_program(word));
        words.next().is_some() && words.next().is_some_and(|word| !is_value(word))
    },
    is_whole: |line| {
        let last = words(line).last().and_then(|word| word.strip_prefix('-'));
        let name = last.map(|name| name.trim_start_matches('-').trim_end_matches(['`', ';']));
        // The last option has its value, or needs none.
        name.is_none_or(|name| {
            let is_flag = |option: &Opt| option.kind == ValueKind::Flag;
            name.contains('=')
                || options::COMMAND_LINE.contains(&name)
                || options::find(name).is_some_and(is_flag)
        })
    },
};

/// Most jobs of a command that is read.
const MOST: usize = 100;
/// Options that are sizes of I/Os: on a command line `kb_base` changes none that stands before it.
const SIZES: [&str; 4] = ["bs", "blocksize", "bsrange", "bssplit"];

/// Options with their values.
pub type Options = Vec<(String, String)>;

/// A command's jobs, each with its name and its options; flags have an empty value.
#[derive(Debug, Default, PartialEq)]
pub struct Command(pub Vec<(String, Options)>);

impl Command {
    /// Reads a line that has one; `None` where there is none, where no job in it has a name, or where a shell puts something in.
    pub fn read(line: &str) -> Option<Command> {
        let words = words(line);
        let at = words.iter().position(|word| is_program(word))?;
        // Options before any job's name are those of all that follow.
        let (mut jobs, mut global, mut is_global) = (Vec::new(), Options::new(), true);
        let mut words = words[at + 1..]
            .iter()
            .map(|w| w.trim_end_matches('`'))
            .peekable();
        while let Some(word) = words.next() {
            if word.is_empty() || word == "\\" || word.starts_with('#') {
                continue;
            }
            if word.starts_with(['|', '>', '&', ';', '2']) {
                break;
            }
            let ends = word.ends_with(';');
            let option = word.trim_end_matches(';').strip_prefix('-')?;
            let option = option.strip_prefix('-').unwrap_or(option);
            let (key, value) = match option.split_once('=') {
                Some((key, value)) => (key, value.to_string()),
                None => (
                    option,
                    words
                        .next_if(|w| is_value(w))
                        .unwrap_or_default()
                        .to_string(),
                ),
            };
            let value = value.trim_matches(['"', '\'']).to_string();
            // What the shell makes of it nobody knows.
            if key.is_empty() || value.contains(['$', '`', '"', '\'', '*', '<']) {
                return None;
            }
            if key == "name" {
                is_global = value == "global";
                if !is_global {
                    jobs.push((value, global.clone()));
                }
            } else {
                let options = match jobs.last_mut().filter(|_| !is_global) {
                    Some((_, own)) => own,
                    None => &mut global,
                };
                if key != "kb_base" || !options.iter().any(|(k, _)| SIZES.contains(&k.as_str())) {
                    options.push((key.to_string(), value));
                }
            }
            if jobs.len() > MOST {
                return None;
            }
            if ends {
                break;
            }
        }
        (!jobs.is_empty()).then_some(Command(jobs))
    }

    /// Options of the job that a header is of; `None` where it has none of that name, or where they may be another's too.
    pub fn of(&self, header: &Header) -> Option<&[(String, String)]> {
        let several = header.jobs.is_some_and(|n| n > 1.0);
        let named = |job: &&(String, Options)| job.0 == header.name;
        let (_, options) = self.0.iter().find(named)?;
        let mut meant = self.0.iter().filter(|job| several || named(job));
        meant.all(|(_, other)| other == options).then_some(options)
    }
}

/// Words of a line; what stands in quotes is one.
fn words(line: &str) -> Vec<&str> {
    let mut quote = None;
    let parts = line.split(move |c: char| {
        match quote {
            Some(open) if open == c => quote = None,
            None if matches!(c, '"' | '\'') => quote = Some(c),
            _ => {}
        }
        quote.is_none() && c.is_whitespace()
    });
    parts.filter(|word| !word.is_empty()).collect()
}

/// True where a word calls fio, after a prompt or by its path.
fn is_program(word: &str) -> bool {
    program_name(word.trim_start_matches(['$', '`', '#', '>'])) == "fio"
}

/// True where a word is the value of the option before it.
fn is_value(word: &str) -> bool {
    !word.starts_with(['-', '|', '>', '&', ';', '#', '\\'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_read_with_prompts_and_in_the_forms_that_fio_takes() {
        for line in [
            "fio --name=a --rw=randwrite --direct=1 --thread",
            "[root@x ~]# fio -name=a -rw=randwrite -direct=1 -thread",
            "$fio -rw=randwrite -name=\"a\" -direct=1 -thread",
            "`sudo ./fio --name a --rw randwrite --direct 1 --thread`",
            "$ /usr/bin/fio --name=a \\ --rw=randwrite --direct=1 --thread | tee out.txt",
        ] {
            let read = Command::read(line).expect(line);
            let [(name, options)] = &read.0[..] else {
                panic!("{line}: {read:?}")
            };
            let value = |key: &str| {
                let found = options.iter().find(|(k, _)| k == key);
                found.map(|(_, v)| v.as_str())
            };
            assert_eq!(name, "a", "{line}");
            assert_eq!(value("rw"), Some("randwrite"), "{line}");
            assert_eq!(value("direct"), Some("1"), "{line}");
            assert_eq!(value("thread"), Some(""), "{line}");
            assert_eq!(options.len(), 3, "{line}");
        }
    }

    #[test]
    fn prose_and_what_a_shell_fills_in_are_no_command() {
        for line in [
            "fio is a tool that spawns threads",
            "I ran fio with --direct=1 and --name=a",
            "fio job.fio --output=x",
            "fio --name=a --filename=$DEV",
            "fio-3.7",
            "",
        ] {
            assert_eq!(Command::read(line), None, "{line}");
        }
    }

    #[test]
    fn each_job_has_what_stands_behind_its_name_and_what_is_global_before_it() {
        let header = |name: &str, jobs: f64| Header {
            name: name.into(),
            jobs: Some(jobs),
            ..Header::default()
        };
        let read = Command::read(
            "fio --bs=8k --name=global --size=1m --name=a --rw=read --name=global --bs=4k --name=b",
        );
        let read = read.expect("a command");
        let of = |name: &str| {
            let options = read.of(&header(name, 1.0)).expect(name).iter();
            let words: Vec<String> = options.map(|(k, v)| format!("{k}={v}")).collect();
            words.join(" ")
        };
        assert_eq!(of("a"), "bs=8k size=1m rw=read");
        assert_eq!(of("b"), "bs=8k size=1m bs=4k");
        assert_eq!(read.of(&header("c", 1.0)), None);
        // Reported as one they are not of one job's options.
        assert_eq!(read.of(&header("a", 2.0)), None);
        let alike = Command::read("fio --rw=read --name=a --name=b").expect("a command");
        assert!(alike.of(&header("a", 2.0)).is_some());
    }

    #[test]
    fn a_base_of_units_is_that_of_the_sizes_behind_it() {
        let of = |line: &str| Command::read(line).expect("a command").0[0].1.len();
        assert_eq!(of("fio --name=a --bs=4k --kb_base=1000"), 1);
        assert_eq!(of("fio --name=a --kb_base=1000 --bs=4k"), 2);
    }

    #[test]
    fn a_command_ends_with_an_option_that_has_its_value() {
        for (line, whole) in [
            ("fio --name=a --direct=1", true),
            ("fio --name=a --group_reporting", true),
            ("fio --name=a --thread;", true),
            ("fio --name a --rw read", true),
            ("fio --name=a --minimal", true),
            ("fio --name=a --rw=read | tee o", true),
            ("fio --name=a --dire", false),
            ("fio --name=a --iodepth", false),
            ("fio --name=a --", false),
        ] {
            assert_eq!((COMMANDS.is_whole)(line), whole, "{line}");
        }
    }
}
