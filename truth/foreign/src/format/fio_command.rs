//! Commands of fio that were copied with its text: what somebody typed above the output, with a prompt or without.

/// Options of the one job that a command has, flags with an empty value.
#[derive(Debug, Default, PartialEq)]
pub struct Command {
    /// The job's name.
    pub name: String,
    /// Its options, without the name.
    pub options: Vec<(String, String)>,
}

impl Command {
    /// Reads a line that has one; `None` where there is none, where it has several jobs or none by name, or where a shell puts something in.
    pub fn read(line: &str) -> Option<Command> {
        let words = words(line);
        let at = words.iter().position(|word| is_program(word))?;
        let mut command = Command::default();
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
            match key {
                // Options of all jobs.
                "name" if value == "global" => {}
                "name" if !command.name.is_empty() => return None,
                "name" => command.name = value,
                key => command.options.push((key.to_string(), value)),
            }
            if ends {
                break;
            }
        }
        (!command.name.is_empty()).then_some(command)
    }

    /// True where a line is a command that goes on in the next.
    pub fn is_half(line: &str) -> bool {
        const LONGEST: usize = 4000;
        let mut words = line.split_whitespace().skip_while(|word| !is_program(word));
        let begins = words.next().is_some() && words.next().is_some_and(|w| !is_value(w));
        begins && line.trim_end().ends_with('\\') && line.len() < LONGEST
    }

    /// True where a line may continue a command above it.
    pub fn goes_on_with(line: &str) -> bool {
        line.starts_with('-')
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
    let word = word.trim_start_matches(['$', '`', '#', '>']);
    word.rsplit('/').next() == Some("fio")
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
            let value = |key: &str| {
                let found = read.options.iter().find(|(k, _)| k == key);
                found.map(|(_, v)| v.as_str())
            };
            assert_eq!(read.name, "a", "{line}");
            assert_eq!(value("rw"), Some("randwrite"), "{line}");
            assert_eq!(value("direct"), Some("1"), "{line}");
            assert_eq!(value("thread"), Some(""), "{line}");
            assert_eq!(read.options.len(), 3, "{line}");
        }
    }

    #[test]
    fn prose_several_jobs_and_what_a_shell_fills_in_are_no_command() {
        for line in [
            "fio is a tool that spawns threads",
            "I ran fio with --direct=1 and --name=a",
            "fio job.fio --output=x",
            "fio --name=a --rw=read --name=b --rw=write",
            "fio --name=a --filename=$DEV",
            "fio-3.7",
            "",
        ] {
            assert_eq!(Command::read(line), None, "{line}");
        }
    }
}
