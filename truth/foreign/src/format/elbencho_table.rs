//! elbencho's table for people: of each phase some lines with the figures when the first thread, and when the last one was done.

use super::elbencho_csv::{Line, is_told, short};
use crate::command::{self, CUT, CUT_OFF, Commands};
use crate::model::{AskedSettings, InputPlace, Latency, Remark, Run};
use crate::text;
use plimsoll_dialects::program_name;
use plimsoll_plan::Nanos;

/// True where a line is that of the titles.
pub fn is_titles(line: &str) -> bool {
    line.contains("OPERATION") && line.contains("RESULT TYPE") && line.contains("LAST DONE")
}

/// Whether a line begins a table: the titles, or where they were not copied the first of a phase (`WRITE  Elapsed time  :  82ms  82ms`).
pub fn begins(line: &str) -> bool {
    let mut words = line.split_whitespace();
    let is_phase = |word: &str| {
        word.bytes()
            .all(|b| b.is_ascii_uppercase() || b.is_ascii_digit())
    };
    is_titles(line)
        || (words.next().is_some_and(is_phase)
            && words.next() == Some("Elapsed")
            && elapsed(line).is_some())
}

/// A phase's figures under the titles that the CSV has for them, and the command that was given above it.
#[derive(Default)]
struct Phase {
    line: u32,
    command: String,
    titles: Vec<String>,
    cells: Vec<String>,
    rounded_ns: f64,
}

impl Phase {
    /// Puts a cell under its title; false where it has one there.
    fn put(&mut self, title: &str, cell: impl ToString) -> bool {
        let is_new = !self.titles.iter().any(|known| known == title);
        self.titles.push(title.to_string());
        self.cells.push(cell.to_string());
        is_new
    }

    fn run(mut self) -> Option<Run> {
        for (title, cell) in asked(&self.command) {
            self.put(title, cell);
        }
        let at = InputPlace {
            source: 0,
            line: self.line,
        };
        let line = Line {
            titles: &self.titles,
            cells: &self.cells,
        };
        let mut run = line.run(at)?;
        for row in &mut run.rows {
            for side in [&mut row.all, &mut row.reads, &mut row.writes] {
                side.latency.rounded = Nanos(self.rounded_ns as u64);
            }
        }
        Some(run)
    }
}

/// The phases of a text, and what was odd in it.
pub fn runs(text: &str) -> (Vec<Run>, Vec<Remark>) {
    let (mut runs, mut remarks) = (Vec::new(), Vec::new());
    let (mut command, mut phase) = (String::new(), None::<Phase>);
    let (mut in_table, mut mixed) = (false, None);
    let last = text::last_line(text);
    for (line, content) in command::joined(text::whole_lines(text), COMMANDS) {
        let content = content.trim_end();
        if let Some(given) = command_of(content) {
            let is_cut = is_cut(&given);
            if is_cut || !is_told(&given) {
                let at = InputPlace { source: 0, line };
                let text = if is_cut { CUT_OFF } else { FILLED_IN }.into();
                remarks.push(Remark { at, text });
            }
            command = given;
            in_table = false;
        } else if is_titles(content) {
            // A run has its titles once: this is another's, and of its command nothing is known.
            if std::mem::replace(&mut in_table, true) {
                command.clear();
            }
        } else if content.trim_start().starts_with("---") {
            runs.extend(phase.take().and_then(Phase::run));
        } else if (in_table || begins(content))
            && let Some((what, value)) = content.split_once(" :")
        {
            in_table = true;
            if elapsed(content).is_some() {
                runs.extend(phase.take().and_then(Phase::run));
                phase = Some(Phase {
                    line,
                    command: command.clone(),
                    ..Phase::default()
                });
            }
            if line == last && !value.ends_with(']') && !what.starts_with("ISO DATE") {
                let at = InputPlace { source: 0, line };
                let text = "a last line that may be cut off: left out".into();
                remarks.push(Remark { at, text });
                continue;
            }
            let is_own = match &mut phase {
                Some(phase) => figure(phase, what, value),
                None => {
                    let mut stray = Phase::default();
                    figure(&mut stray, what, value);
                    stray.titles.is_empty()
                }
            };
            mixed = mixed.or((!is_own).then_some(line));
        }
    }
    runs.extend(phase.and_then(Phase::run));
    if let Some(line) = mixed {
        runs.iter_mut().for_each(apart);
        let text = "a figure that is not of the phase above it, as where several outputs are mixed line by line: whose the others are nobody \
                    knows, and but for its rate none of a phase is judged";
        let at = InputPlace { source: 0, line };
        remarks.push(Remark {
            at,
            text: text.into(),
        });
    }
    (runs, remarks)
}

/// Leaves a phase its rate alone, which is held against no other figure: they may be those of another output.
fn apart(run: &mut Run) {
    for row in &mut run.rows {
        (row.pairs, row.bandwidth) = (Vec::new(), None);
        for side in [&mut row.all, &mut row.reads, &mut row.writes] {
            side.latency = Latency::default();
        }
    }
}

/// Sentence about a command that does not tell its settings.
const FILLED_IN: &str = "a shell, a file of options or somebody fills in what this command leaves open: it is unknown, and the command is \
                         not used";

/// Marks by which commands of elbencho are known among the lines of a text.
pub(super) const COMMANDS: Commands = Commands {
    begins: |line| command_of(line).is_some(),
    is_whole: |line| {
        let command = command_of(line).unwrap_or_default();
        let words: Vec<&str> = command
            .split_whitespace()
            .map(|w| w.trim_matches('"'))
            .collect();
        let is_option = |word: &str| word.starts_with('-');
        // What it is done on: a path, or a word that is no option's value; a number at the end may be cut within.
        (1..words.len()).any(|at| {
            let is_inner = at + 1 < words.len() || words[at].bytes().all(|b| b.is_ascii_digit());
            let is_value = is_inner && is_option(words[at - 1]);
            !is_option(words[at]) && (words[at].contains('/') || !is_value)
        })
    },
};

/// True where a command was cut off, or somebody left out a part of it.
fn is_cut(command: &str) -> bool {
    let shortened = |word: &str| word.trim_matches('"') == "..." || word.contains(CUT);
    command.split_whitespace().any(shortened)
}

/// The command line that a results file repeats, or that was copied with its prompt.
pub(super) fn command_of(line: &str) -> Option<String> {
    if let Some((_, given)) = line.split_once("COMMAND LINE: ") {
        return Some(given.to_string());
    }
    // Also by its path, or as an image of a container.
    let is_program = |word: &str| program_name(word).split(':').next() == Some("elbencho");
    let mut words = line.split_whitespace().skip_while(|word| !is_program(word));
    let program = words.next()?;
    let options: Vec<&str> = words.collect();
    // Its paths may stand before its options.
    let first = options.iter().find(|word| !word.contains('/'))?;
    let only_tells = |option: &&str| option.contains("-help") || option.contains("-version");
    let is_run = first.starts_with('-') && !options.iter().any(only_tells);
    is_run.then(|| format!("{program} {}", options.join(" ")))
}

/// The unit of the time that a phase took, where a line says it: the words have their own, or before 2.0 all are of one.
fn elapsed(what: &str) -> Option<&'static str> {
    [("Elapsed time", ""), ("Elapsed ms", "ms")]
        .into_iter()
        .find(|(title, _)| what.contains(title))
        .map(|(_, unit)| unit)
}

/// Takes a line of a phase in: the figure of the last thread is that of the whole. False where the phase has such a line.
fn figure(phase: &mut Phase, what: &str, value: &str) -> bool {
    let mut words = what.split_whitespace();
    if let Some(unit) = elapsed(what) {
        let operation = words.next().unwrap_or_default().to_string();
        phase.put("operation", operation);
        // Of the first thread and of the last; where a figure has blanks in it none is known.
        let times = value
            .split_whitespace()
            .map(|word| seconds(&format!("{word}{unit}")));
        let times = times.collect::<Option<Vec<f64>>>();
        if let Some(seconds) = times.as_ref().and_then(|times| times.last()) {
            phase.put("time ms [last]", seconds * 1e3);
        }
        return true;
    }
    let what = words.collect::<Vec<_>>().join(" ");
    let last = value.split_whitespace().last().and_then(text::count);
    let title = match what.as_str() {
        "IOPS" | "IOPS write" => "IOPS [last]",
        "IOPS read" => "rwmix read IOPS [last]",
        "Objects/s" | "Files/s" => "entries/s [last]",
        "Throughput MiB/s" | "MiB/s write" => "MiB/s [last]",
        "MiB/s read" => "rwmix read MiB/s [last]",
        "Total MiB" | "MiB write" => "MiB [last]",
        "MiB read" => "rwmix read MiB [last]",
        "CPU util %" => "CPU% [last]",
        "IO latency" | "IO wr latency" => return times(phase, "IO lat us", value),
        "IO rd latency" => return times(phase, "rwmix read IO lat us", value),
        _ => return true,
    };
    let mut figures = value.split_whitespace().filter_map(text::count);
    if let (Some(first), Some(_), "IOPS [last]" | "rwmix read IOPS [last]") =
        (figures.next(), figures.next(), title)
    {
        phase.put(&title.replace("last", "first"), first);
    }
    last.is_none_or(|last| phase.put(title, last))
}

/// `[ min=28us avg=210us max=10.1ms ]`.
fn times(phase: &mut Phase, title: &str, value: &str) -> bool {
    let mut is_new = true;
    for key in ["min", "avg", "max"] {
        let word = value
            .split_whitespace()
            .find_map(|w| w.strip_prefix(key)?.strip_prefix('='));
        let Some(word) = word else { continue };
        if let Some(seconds) = seconds(word) {
            is_new &= phase.put(&format!("{title} [{key}]"), seconds * 1e6);
        }
        phase.rounded_ns = phase.rounded_ns.max(last_digit_ns(word));
    }
    is_new
}

/// Unit of a time's last digit, ns.
fn last_digit_ns(word: &str) -> f64 {
    let digits = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = match &word[digits.len()..] {
        "us" => 1e3,
        "ms" => 1e6,
        _ => 1e9,
    };
    let decimals = digits.split_once('.').map_or(0, |(_, d)| d.len().min(9));
    unit / 10_f64.powi(decimals as i32)
}

/// A time as elbencho prints it: `3ms`, `30.140s`, `2m:5.250s`, `1h:2m:3s`.
fn seconds(word: &str) -> Option<f64> {
    let (mut sum, mut rest) = (0.0, word);
    while !rest.is_empty() {
        let end = rest.find(|c: char| c.is_ascii_alphabetic())?;
        let value = text::amount(&rest[..end])?;
        let unit = &rest[end..];
        let length = unit.find(|c: char| !c.is_ascii_alphabetic());
        let (unit, behind) = unit.split_at(length.unwrap_or(unit.len()));
        sum += value
            * match unit {
                "us" => 1e-6,
                "ms" => 1e-3,
                "s" => 1.0,
                "m" | "min" => 60.0,
                "h" => 3600.0,
                _ => return None,
            };
        rest = behind.trim_start_matches(':');
    }
    Some(sum)
}

/// Settings that a command line asks for, under the titles of the CSV; nothing where there is none, or where somebody left out a part of
/// it.
fn asked(command: &str) -> Vec<(&'static str, String)> {
    if command.is_empty() || is_cut(command) || !is_told(command) {
        return Vec::new();
    }
    let flag = |long: &str| {
        command
            .split_whitespace()
            .any(|w| w.trim_matches('"') == long)
    };
    let number = |long, letter| short(command, long, letter).and_then(text::size);
    let (size, block) = (
        number("--size", "-s"),
        number("--block", "-b").unwrap_or(1 << 20),
    );
    let block = size.map_or(block, |size| size.min(block));
    let mut reported = vec![
        ("command", command.to_string()),
        ("IO depth", number("--iodepth", "").unwrap_or(1).to_string()),
        ("block size", block.to_string()),
        ("direct IO", u8::from(flag("--direct")).to_string()),
        ("random", u8::from(flag("--rand")).to_string()),
    ];
    // Without the hosts nobody knows how many threads there are in all.
    if let Some(hosts) = hosts(command) {
        let threads = number("--threads", "-t").unwrap_or(1);
        reported.push(("hosts", hosts.to_string()));
        reported.push(("threads", threads.to_string()));
    }
    let size = size.filter(|_| is_of_one_file(command));
    reported.extend(size.map(|size| ("file size", size.to_string())));
    reported
}

/// True where a command is surely of one file, of which the size is: one path, without what a shell or elbencho unfolds.
fn is_of_one_file(command: &str) -> bool {
    let words = command.split_whitespace().skip(1);
    let words = words.map(|word| word.trim_matches('"'));
    let mut paths = words.filter(|word| word.contains('/') && !word.starts_with('-'));
    let is_one = |path: &str| !path.contains(['[', '{', '*', '?', ',', '@', '$']);
    let has_folders = [("--dirs", "-n"), ("--files", "-N")];
    let has_folders = has_folders
        .iter()
        .any(|(long, letter)| short(command, long, letter).is_some());
    paths.next().is_some_and(is_one) && paths.next().is_none() && !has_folders
}

/// The settings that a command line asks for.
pub(super) fn settings(command: &str, read_share: f64) -> AskedSettings {
    let (titles, cells): (Vec<String>, Vec<String>) = asked(command)
        .into_iter()
        .map(|(title, cell)| (title.to_string(), cell))
        .unzip();
    let (titles, cells) = (&titles, &cells);
    Line { titles, cells }.asked(read_share)
}

/// Number of hosts that a command line names; `None` where they stand in a file, in brackets that elbencho unfolds, or with blanks in
/// quotes.
fn hosts(command: &str) -> Option<usize> {
    let mut words = command
        .split_whitespace()
        .skip_while(|w| !w.contains("--hosts"))
        .take(2);
    let is_open = |word: &str| word.matches(['"', '\'']).count() % 2 == 1;
    if short(command, "--hostsfile", "").is_some() || words.any(is_open) {
        return None;
    }
    let list = short(command, "--hosts", "").unwrap_or_default();
    (!list.contains('[')).then(|| list.split(',').count())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_one_unit_or_several() {
        for (word, value) in [
            ("3ms", 0.003),
            ("30.140s", 30.14),
            ("2m:5.250s", 125.25),
            ("1h:2m:3s", 3723.0),
        ] {
            let read = seconds(word).expect(word);
            assert!((read - value).abs() < 1e-9, "{word}: {read}");
        }
        for word in ["", "s", "5", "3parsec"] {
            assert!(seconds(word).is_none_or(|s| s == 0.0), "{word}");
        }
        assert_eq!(last_digit_ns("10.1ms"), 1e5);
        assert_eq!(last_digit_ns("28us"), 1e3);
    }

    #[test]
    fn hosts_are_counted_only_where_the_command_lists_them() {
        for (command, count) in [
            ("elbencho -w -t 4 /mnt/f", Some(1)),
            ("elbencho --hosts a,b,c:1611 -t 4 /mnt/f", Some(3)),
            ("\"elbencho\" \"--hosts=a,b\" \"/mnt/f\"", Some(2)),
            ("elbencho --hosts node[1-16] /mnt/f", None),
            ("elbencho --hosts \"a b c\" /mnt/f", None),
            ("\"elbencho\" \"--hosts\" \"a b\" \"/mnt/f\"", None),
            ("elbencho --hostsfile all /mnt/f", None),
        ] {
            assert_eq!(hosts(command), count, "{command}");
            let reported = asked(command).iter().any(|(title, _)| *title == "threads");
            assert_eq!(reported, count.is_some(), "{command}");
        }
    }
}
