//! What DiskSPD was asked, by the command line or the profile that its result repeats, as its dialect reads them.

use crate::command::CUT;
use crate::model::{AskedSettings, InputPlace, Pair, Remark, Row};
use crate::text;
use plimsoll_dialects::diskspd::model::TimeSpan;
use plimsoll_dialects::diskspd::{parse_command, parse_text};

/// The time span that a command line asks for; `None` of one that cannot be read, or has a profile's file, which is not opened.
pub fn of_command(line: &str) -> Option<TimeSpan> {
    let flags = flags(line);
    if flags.is_empty() || flags.iter().any(|w| w.starts_with("-X") || w == CUT) {
        return None;
    }
    parse_command(&flags).ok()?.profile.spans.into_iter().next()
}

/// The words of a command line behind the program's name, where it has one.
pub fn flags(line: &str) -> Vec<String> {
    let mut words = words(line);
    let named = |word: &String| !word.starts_with('-');
    if words.first().is_some_and(named) {
        let program = words.remove(0);
        // On Windows a flag may begin with a slash, and a path has a backslash.
        if program.to_ascii_lowercase().ends_with(".exe") {
            for word in &mut words {
                if let Some(flag) = word.strip_prefix('/') {
                    *word = format!("-{flag}");
                }
            }
        }
    }
    words
}

/// The time spans of the profile in a result in XML; none of one that cannot be read.
pub fn of_profile(text: &str) -> Vec<TimeSpan> {
    const END: &str = "</Profile>";
    let start = text.find("<Profile>");
    let end = text.find(END).map(|at| at + END.len());
    let profile = start.zip(end).and_then(|(from, to)| text.get(from..to));
    let parsed = profile.and_then(|profile| parse_text("profile", profile, &[]).ok());
    parsed.map_or_else(Vec::new, |p| p.profile.spans)
}

/// Words, where quotes keep blanks.
fn words(line: &str) -> Vec<String> {
    let (mut all, mut word, mut quoted) = (Vec::new(), String::new(), false);
    for c in line.chars().chain([' ']) {
        match c {
            '"' => quoted = !quoted,
            c if c.is_whitespace() && !quoted => {
                if !word.is_empty() {
                    all.push(std::mem::take(&mut word));
                }
            }
            c => word.push(c),
        }
    }
    all
}

/// Percentiles by DiskSPD's names: `50th`, `3-nines`.
pub fn quantile(name: &str) -> Option<f64> {
    if let Some(nines) = name.strip_suffix("-nines") {
        let nines: i32 = nines.parse().ok().filter(|n| (2..=12).contains(n))?;
        return Some(1.0 - 10f64.powi(-nines));
    }
    let digits = ["th", "st", "nd", "rd"]
        .iter()
        .find_map(|end| name.strip_suffix(end));
    text::amount(digits.unwrap_or(name))
        .map(|p| p / 100.0)
        .filter(|q| *q < 1.0)
}

/// Pair of figures on the directions: what a test of one direction alone did in the other one, and the share of reads of a mix, of which
/// each I/O is drawn.
pub fn mix(asked: &AskedSettings, row: &Row) -> Option<Pair> {
    let (name, side) = match asked.read_share? {
        0.0 => ("I/O per s of reads", &row.reads),
        1.0 => ("I/O per s of writes", &row.writes),
        share => {
            let (reads, all) = (
                row.reads.ios? as f64,
                row.all.ios.filter(|n| *n > 0)? as f64,
            );
            let slack = 5.0 + 300.0 / all.sqrt();
            let (asked, came) = ("the read/write ratio", "reads, % of I/Os");
            return Some(Pair::same(
                asked,
                100.0 * share,
                came,
                100.0 * reads / all,
                slack,
            ));
        }
    };
    let other = "what the read/write ratio lets it do";
    Some(Pair::at_most(name, side.iops?.0, other, 0.0, 0.5))
}

/// Says of a run that it was broken off: it took less than nine tenths of the time that was asked for.
pub fn ended_early(at: InputPlace, ran: Option<f64>, asked: Option<f64>) -> Option<Remark> {
    let (ran, asked) = (ran?, asked?);
    let text = format!(
        "it ran for {ran:.2} s of the {asked:.0} s that were asked for: it was interrupted, or a line was changed"
    );
    (ran < 0.9 * asked).then_some(Remark { at, text })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Caching, Content, Load};

    fn asked(line: &str) -> AskedSettings {
        AskedSettings::of(&of_command(line).expect("a command line").asked())
    }

    #[test]
    fn flags_become_what_was_asked() {
        let asked =
            asked("diskspd.exe -c2G -w30 /b4K -t8 -r -o32 -W60 -d60 -Sh -L \"C:\\a b.dat\"");
        assert_eq!(asked.in_flight, Some(256));
        assert_eq!(asked.cache, Some(Caching::Direct));
        assert_eq!(
            (asked.duration_s, asked.warm_up_s),
            (Some(60.0), Some(60.0))
        );
        assert_eq!(asked.content, Some(Content::Repeating));
        assert_eq!(asked.read_share, Some(0.7));
        assert_eq!(asked.load, Some(Load::Max));
        assert!(asked.made_target.is_some());
    }

    #[test]
    fn limits_are_of_each_thread_and_target() {
        let limited = asked("diskspd -b8K -o2 -t4 -g8192 a b");
        assert_eq!(limited.in_flight, Some(16));
        let Some(Load::Limited { rate, .. }) = limited.load else {
            panic!("limited")
        };
        assert_eq!(rate.0, 8_000.0);
        assert_eq!(asked("diskspd -g100i -t2 a").cache, Some(Caching::Buffered));
    }

    #[test]
    fn no_file_is_opened_that_a_command_line_names() {
        assert_eq!(of_command("diskspd -X/etc/passwd"), None);
    }
}
