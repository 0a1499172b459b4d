//! Commands among the lines of a text: one that a shell, a page or a mail broke into several lines is one line again, and of one that was cut
//! off the last word says so.

use std::borrow::Cow;
use std::cell::LazyCell;

/// The last word of a command that was cut off; what it leaves out is unknown, and no tool's default.
pub const CUT: &str = "…";
/// Sentence about such a command.
pub const CUT_OFF: &str =
    "the command ends here before its end: what it leaves out is unknown, and it is not used";
/// Longest command that is read, bytes.
const LONGEST: usize = 16 << 10;

/// Narrowest screen, columns.
const NARROWEST: usize = 60;

/// Marks by which a tool's commands are known.
#[derive(Clone, Copy)]
pub struct Commands {
    /// True where a line begins a command.
    pub begins: fn(&str) -> bool,
    /// True where a command has all that the tool wants.
    pub is_whole: fn(&str) -> bool,
}

/// A text's lines, where those of one command are one line.
pub fn joined<'t>(
    lines: impl Iterator<Item = (u32, &'t str)> + Clone,
    commands: Commands,
) -> impl Iterator<Item = (u32, Cow<'t, str>)> {
    let all = lines.clone();
    let width = LazyCell::new(move || width(all.map(|(_, line)| line), commands));
    let mut rest = lines;
    std::iter::from_fn(move || {
        let (number, line) = rest.next()?;
        let typed = typed(line);
        if !(commands.begins)(&typed) || line.len() > LONGEST {
            return Some((number, Cow::Borrowed(line)));
        }
        let (mut command, mut last) = (typed.trim_end().to_string(), line);
        loop {
            let mut ahead = rest.clone();
            let next = ahead.find(|(_, line)| !line.trim().is_empty());
            let Some((_, next)) = next else { break };
            let Some(longer) = with(&command, &self::typed(next)) else {
                break;
            };
            (command, last, rest) = (longer, next, ahead);
        }
        let is_cut = is_open(&command)
            || command.ends_with('\\')
            || !(commands.is_whole)(&command)
            || *width == Some(last.chars().count());
        if is_cut {
            command = format!("{command} {CUT}");
        }
        Some((number, Cow::Owned(command)))
    })
}

/// A line as it was typed, where a word processor or a page put its own quotes and dashes in.
fn typed(line: &str) -> Cow<'_, str> {
    if line.is_ascii() {
        return Cow::Borrowed(line);
    }
    let line = line.replace(['\u{201c}', '\u{201d}', '\u{201e}'], "\"");
    let line = line.replace(['\u{2018}', '\u{2019}'], "'");
    let mut typed = String::with_capacity(line.len());
    for word in line.split_inclusive(char::is_whitespace) {
        let begins = word.trim_start_matches(['"', '\'']);
        let rest = begins.trim_start_matches(|c: char| c == '-' || DASHES.contains(&c));
        typed.push_str(&word[..word.len() - begins.len()]);
        if rest.len() < begins.len() && !begins.starts_with('-') {
            let is_letter = rest
                .trim_end_matches(['"', '\''])
                .trim_end()
                .chars()
                .count()
                == 1;
            typed.push_str(if is_letter { "-" } else { "--" });
            typed.push_str(rest);
        } else {
            typed.push_str(begins);
        }
    }
    Cow::Owned(typed)
}

/// Characters that stand in the place of one or two hyphens.
const DASHES: [char; 6] = [
    '\u{2010}', '\u{2011}', '\u{2012}', '\u{2013}', '\u{2014}', '\u{2212}',
];

/// Length of the longest lines that are no commands, if that is a screen's: a command that is just as long was cut at the same column.
fn width<'t>(lines: impl Iterator<Item = &'t str>, commands: Commands) -> Option<usize> {
    let others = lines.filter(|line| !(commands.begins)(line));
    let mut widths: Vec<usize> = others.map(|line| line.chars().count()).collect();
    widths.sort_unstable();
    // One line alone has its length by chance.
    let [.., second, longest] = widths[..] else {
        return None;
    };
    (second == longest && longest >= NARROWEST).then_some(longest)
}

/// True where a quote is open at the end.
fn is_open(command: &str) -> bool {
    command.matches('"').count() % 2 == 1
}

/// A command with the line behind it; `None` where that is none of it.
fn with(command: &str, next: &str) -> Option<String> {
    let next = next.trim().trim_matches('`');
    if command.len() + next.len() > LONGEST {
        return None;
    }
    if is_open(command) {
        // A line may be broken behind a hyphen, too.
        let glue = if command.ends_with('-') { "" } else { " " };
        return next.contains('"').then(|| format!("{command}{glue}{next}"));
    }
    if let Some(head) = command.strip_suffix('\\') {
        // A shell asks for the rest with a mark.
        let next = next.strip_prefix('>').map_or(next, str::trim_start);
        let goes_on = begins_option(next) || next.starts_with(['/', '.', '"', '\'']);
        return goes_on.then(|| format!("{} {next}", head.trim_end()));
    }
    if command.ends_with(" -") || command.ends_with(" --") {
        let goes_on = next.starts_with(|c: char| c.is_ascii_alphabetic());
        return goes_on.then(|| format!("{command}{next}"));
    }
    let goes_on = begins_option(next) || command.ends_with('"') && next.starts_with('"');
    goes_on.then(|| format!("{command} {next}"))
}

/// `--rw=read …`, `-b 4k …`, `"--direct" …`.
fn begins_option(line: &str) -> bool {
    let line = line.trim_start_matches('"');
    let word = line.split([' ', '=', '"', '`', ';']).next();
    let name = word.and_then(|word| word.strip_prefix('-'));
    let name = name.map(|name| name.strip_prefix('-').unwrap_or(name));
    name.is_some_and(|name| {
        name.starts_with(|c: char| c.is_ascii_alphabetic())
            && name
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text;

    const OF_FIO: Commands = Commands {
        begins: |line| line.starts_with("fio -"),
        is_whole: |_| true,
    };

    fn lines(text: &str) -> Vec<String> {
        let lines = joined(text::lines(text), OF_FIO);
        lines.map(|(_, line)| line.into_owned()).collect()
    }

    #[test]
    fn lines_of_one_command_are_one_wherever_it_was_broken() {
        for broken in [
            "fio --name=a --rw=read --bs=4k\n---\n",
            "fio --name=a\n--rw=read\n--bs=4k\n---\n",
            "fio --name=a\n\n--rw=read\n\n--bs=4k\n\n---\n",
            "fio --name=a \\\n  --rw=read --bs=4k\n---\n",
            "fio --name=a \\\n> --rw=read \\\n> --bs=4k\n---\n",
            "fio --name=a --rw=read --\nbs=4k\n---\n",
        ] {
            let read = lines(broken);
            assert_eq!(read[0], "fio --name=a --rw=read --bs=4k", "{broken}");
            assert!(read.iter().any(|line| line == "---"), "{broken}");
        }
        assert_eq!(
            lines("fio --name=\"a\nb\" \"--\nrw\" \"x-\ny\"\n\"--z\"\nend\n")[..],
            ["fio --name=\"a b\" \"--rw\" \"x-y\" \"--z\"", "end"]
        );
    }

    #[test]
    fn a_command_that_was_cut_off_says_so() {
        let name = "a".repeat(NARROWEST);
        let line = ".".repeat(NARROWEST + 11);
        for cut in [
            "fio --name=a \"--ho\n\nnext\n",
            "fio --name=a \\\nnext\n",
            &format!("fio --name={name}\n{line}\n{line}\n"),
        ] {
            assert!(lines(cut)[0].ends_with(CUT), "{cut}");
        }
        for whole in [
            format!("fio --name={name}\n{line}.\n{line}.\n"),
            format!("fio --name={name}\n{line}\n"),
        ] {
            assert!(!lines(&whole)[0].ends_with(CUT), "{whole}");
        }
        let whole = "fio --name=a --d\n-bash: fio: not found\na line\n";
        assert_eq!(lines(whole)[0], "fio --name=a --d");
    }
}
