//! Lines of fio's text that a mail or a terminal broke in two.

use super::fio_header::Definition;
use std::borrow::Cow;

/// Longest line that is put together, bytes.
const LONGEST: usize = 4 << 10;

/// A text's lines, where the parts of one of fio's are one line.
pub fn joined<'t>(
    lines: impl Iterator<Item = (u32, Cow<'t, str>)>,
) -> impl Iterator<Item = (u32, Cow<'t, str>)> {
    let mut lines = lines.peekable();
    std::iter::from_fn(move || {
        let (number, mut line) = lines.next()?;
        while line.len() < LONGEST
            && let Some((_, next)) = lines.next_if(|(_, next)| goes_on(&line, next))
        {
            line = Cow::Owned(with(&line, next.trim()));
        }
        Some((number, line))
    })
}

/// A line with what it goes on with: a mail breaks between words, a terminal anywhere.
fn with(line: &str, next: &str) -> String {
    let spaced = format!("{} {next}", line.trim_end());
    match Definition::is_broken(line) && Definition::read(&spaced).is_none() {
        true => format!("{line}{next}"),
        false => spaced,
    }
}

/// True where the next line is the rest of one: no line of fio's begins as it does, and this one lacks its end.
fn goes_on(line: &str, next: &str) -> bool {
    let (line, next) = (line.trim(), next.trim());
    let begins_with_digit = next.starts_with(|c: char| c.is_ascii_digit());
    if Definition::is_broken(line) {
        return ["iodepth=", "ioengine=", "B-"]
            .iter()
            .any(|word| next.contains(word));
    }
    if line.starts_with('|') {
        return begins_with_digit && next.contains(']') && line.ends_with([',', '[']);
    }
    if line.contains("(groupid=") {
        let is_time = begins_with_digit && next.len() <= "08:21:39 2023".len();
        return next.contains("pid=") && !line.contains("pid=") || is_time && next.contains(':');
    }
    let is_figures = line.contains('=') && line.contains(':');
    is_figures
        && match line.chars().last() {
            Some(',') => begins_with_key(next),
            Some('=') => begins_with_digit,
            _ => {
                (line.contains("BW=") || line.contains("bw="))
                    && (next.starts_with('(') || next == "resets")
                    || line.contains("total=") && begins_with_key(next)
            }
        }
}

/// True where a line begins with `stdev=`, `samples=`, `>=2000=`, and not with a word and a colon.
fn begins_with_key(line: &str) -> bool {
    let end = line.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '>' || c == '='));
    line[..end.unwrap_or(line.len())].contains('=')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text;

    #[test]
    fn parts_of_a_line_are_one_line_and_lines_of_their_own_are_not() {
        let whole = "\
a: (g=0): rw=read, bs=(R) 4096B-4096B, (W) 4096B-4096B, (T) 4096B-4096B, ioengine=sync, iodepth=1
a: (groupid=0, jobs=1): err= 0: pid=4: Sat Jun  6 02:22:20 2020
  read: IOPS=26.2k, BW=410MiB/s (430MB/s)(8200MiB/20000msec)
    clat (usec): min=4, max=848, avg= 9.25, stdev= 7.15
     |  1.00th=[    7],  5.00th=[    9], 10.00th=[    9],
     | 30.00th=[   10], 40.00th=[   10]
   bw (  KiB/s): min=1, max=2, per=9%, avg=4, stdev=3, samples=39
  lat (msec)   : 10=0.01%, 2000=90.41%, >=2000=8.42%
  cpu          : usr=8.00%, sys=0.16%, ctx=1, majf=0, minf=1
     issued rwts: total=0,1,0,0 short=0,0,0,0 dropped=0,0,0,0
";
        let words = |text: &str| -> Vec<String> {
            let lines = text::lines(text).map(|(at, line)| (at, Cow::Borrowed(line)));
            let lines = joined(lines).map(|(_, line)| line.into_owned());
            lines
                .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
                .collect()
        };
        assert_eq!(words(whole).len(), whole.lines().count());
        for (unbroken, broken) in [
            ("(W) 4096B", "(W)\n4096B"),
            ("ioengine=sync", "ioeng\nine=sync"),
            ("Jun  6 02", "Jun  6\n02"),
            ("MiB/s (430", "MiB/s\n(430"),
            ("avg= 9", "avg=\n9"),
            ("7],  5", "7],\n5"),
            ("avg=4, stdev", "avg=4, \nstdev"),
            ("%, >=2000", "%, \n >=2000"),
            ("0 dropped", "0\ndropped"),
        ] {
            assert_eq!(
                words(&whole.replace(unbroken, broken)),
                words(whole),
                "{broken}"
            );
        }
    }
}
