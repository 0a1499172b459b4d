//! DiskSPD's own command line.

use super::flag::FLAGS;
use super::model::{Profile, Seed};
use super::reader::{Reader, Word};
use super::{codes, profile_file, template};
use plimsoll_diagnostic::{Diagnostic, Sources, Span, nearest};

/// What the command line is called among the texts.
pub use crate::native::COMMAND_LINE;

/// Flags that may stand beside `-X`.
const BESIDE_PROFILE: &str = ":CdWRvzX";

/// What a command line came to.
pub(super) struct Read {
    pub profile: Profile,
    /// It names a profile file, whose targets may differ from each other.
    pub from_file: bool,
}

/// Reads a command line without the program's name. Complaints are in the reader's; `None` after errors.
pub(super) fn read(words: &[String], sources: &mut Sources, reader: &mut Reader) -> Option<Read> {
    let (text, ranges) = joined(words);
    let file = sources.add(COMMAND_LINE, text);
    let spans: Vec<Span> = ranges.into_iter().map(|r| Span::new(file, r)).collect();
    let words: Vec<(&str, Span)> = words.iter().map(String::as_str).zip(spans).collect();
    let (flags, targets) = parted(&words, reader);
    if let Some(profile) = flags.iter().find(|w| w.text.starts_with("-X")).copied() {
        return with_profile(profile, &flags, &targets, sources, reader);
    }
    for word in flags.iter().filter(|w| w.text.starts_with("-b")) {
        reader.block(*word);
    }
    for word in &flags {
        one(*word, reader);
    }
    if targets.is_empty() {
        let message = "no target is named; it follows the flags, as in -b4k -r data.bin";
        reader
            .complaints
            .add(Diagnostic::error(codes::NO_TARGET, message));
    }
    if reader.complaints.failed() {
        return None;
    }
    for (path, at) in targets {
        let mut target = reader.target.clone();
        target.path = path.to_string();
        target.origins.note("path", at);
        reader.span.targets.push(target);
    }
    let mut profile = std::mem::take(&mut reader.profile);
    profile.spans.push(std::mem::take(&mut reader.span));
    Some(Read {
        profile,
        from_file: false,
    })
}

/// The words as one line, and where each stands in it.
fn joined(words: &[String]) -> (String, Vec<std::ops::Range<usize>>) {
    let mut text = String::new();
    let mut ranges = Vec::new();
    for word in words {
        if !text.is_empty() {
            text.push(' ');
        }
        let start = text.len();
        text.push_str(word);
        ranges.push(start..text.len());
    }
    (text, ranges)
}

/// The flags, and the targets that follow them.
fn parted<'a>(
    words: &[(&'a str, Span)],
    reader: &mut Reader,
) -> (Vec<Word<'a>>, Vec<(&'a str, Span)>) {
    let (mut flags, mut targets) = (Vec::new(), Vec::new());
    for (text, at) in words {
        let Some(behind) = text.strip_prefix('-') else {
            targets.push((*text, *at));
            continue;
        };
        if !targets.is_empty() {
            let message =
                format!("`{text}` stands behind a target, and all flags come before the targets");
            let before: &str = targets[0].0;
            let mut complaint = Diagnostic::error(codes::ORDER, message).at(*at, "");
            // `-b 4k`: the size is taken for a target.
            if before.starts_with(|c: char| c.is_ascii_digit()) {
                complaint = complaint.help(format!(
                    "a value is joined to its flag: `{before}` was taken for a target"
                ));
            }
            reader.complaints.add(complaint);
        }
        let letter = behind.chars().next().map_or(0, char::len_utf8);
        flags.push(Word {
            text,
            value: &behind[letter..],
            at: *at,
        });
    }
    (flags, targets)
}

/// Reads one flag, or says what it should have been.
fn one(word: Word<'_>, reader: &mut Reader) {
    let letter = word.text.chars().nth(1);
    let known = letter.filter(|l| FLAGS.iter().any(|f| f.name.starts_with(*l)));
    match known {
        Some(letter) if !word.text.starts_with("--") => reader.read(letter, word),
        _ => {
            let message = format!("DiskSPD has no flag `{}`", word.text);
            let mut complaint = Diagnostic::error(codes::UNKNOWN_FLAG, message).at(word.at, "");
            if let Some(meant) = meant(word.text) {
                complaint = complaint.help(format!("did you mean `{meant}`?"));
            }
            reader.complaints.add(complaint);
        }
    }
}

/// What says the same here as a flag of `plimsoll run`, or the nearest of DiskSPD's.
fn meant(text: &str) -> Option<&'static str> {
    let name = text.split('=').next()?;
    let of_ours = [
        ("--block", "-bSIZE"),
        ("--depth", "-oCOUNT"),
        ("--read", "-wPERCENT"),
        ("--for", "-dSECONDS"),
        ("--warmup", "-WSECONDS"),
        ("--workers", "-tCOUNT"),
        ("--size", "-cSIZE"),
        ("--rate", "-gNi"),
    ];
    if let Some((_, meant)) = of_ours.iter().find(|(ours, _)| *ours == name) {
        return Some(meant);
    }
    // Every flag is near to a letter.
    if name.len() < 3 {
        return None;
    }
    let found = nearest(name, FLAGS.iter().map(|f| f.form))?;
    FLAGS.iter().map(|f| f.form).find(|form| *form == found)
}

/// `-X`: the profile's file, with what may be said beside it.
fn with_profile(
    of: Word<'_>,
    flags: &[Word<'_>],
    targets: &[(&str, Span)],
    sources: &mut Sources,
    reader: &mut Reader,
) -> Option<Read> {
    let mut durations = [None; 3];
    let mut seed = None;
    for word in flags {
        let letter = word.text.chars().nth(1).unwrap_or(' ');
        if !BESIDE_PROFILE.contains(letter) {
            let message = format!(
                "`{}` cannot stand beside a profile, which says this itself",
                word.text
            );
            let complaint = Diagnostic::error(codes::WITH_PROFILE, message).at(word.at, "");
            reader.complaints.add(complaint.at(of.at, "the profile"));
            continue;
        }
        match letter {
            'X' if word.at != of.at => {
                let message = "one profile at a time";
                reader
                    .complaints
                    .add(Diagnostic::error(codes::TWICE, message).at(word.at, ""));
            }
            'X' => {}
            _ => one(*word, reader),
        }
        match letter {
            'd' => durations[0] = Some(reader.span.duration_s),
            'W' => durations[1] = Some(reader.span.warmup_s),
            'C' => durations[2] = Some(reader.span.cooldown_s),
            'z' => seed = Some(reader.span.seed),
            _ => {}
        }
    }
    if reader.complaints.failed() {
        return None;
    }
    let substitutes: Vec<String> = targets.iter().map(|(t, _)| t.to_string()).collect();
    let named = (of.value.to_string(), Some(of.at));
    let mut profile = profile_file::read(&named.0, named.1, sources, &mut reader.complaints)?;
    template::substitute(&mut profile, &substitutes, &mut reader.complaints);
    if reader.complaints.failed() {
        return None;
    }
    let origin = |name: &str| reader.profile.origins.of(name);
    if let Some(at) = origin("-R") {
        // `-Rp` alone leaves the form as the profile has it.
        if !flags.iter().any(|w| w.text == "-Rp") {
            profile.format = reader.profile.format;
        }
        profile.profile_only |= reader.profile.profile_only;
        profile.origins.note("-R", at);
    }
    profile.verbose |= reader.profile.verbose;
    profile.verbose_stats |= reader.profile.verbose_stats;
    for name in ["-v", "-vs", "-:"] {
        if let Some(at) = origin(name) {
            profile.origins.note(name, at);
        }
    }
    replace(&mut profile, durations, seed, reader);
    Some(Read {
        profile,
        from_file: true,
    })
}

/// What the command line says of all tests of a profile.
fn replace(
    profile: &mut Profile,
    durations: [Option<u32>; 3],
    seed: Option<Seed>,
    reader: &Reader,
) {
    for span in &mut profile.spans {
        let fields = [
            &mut span.duration_s,
            &mut span.warmup_s,
            &mut span.cooldown_s,
        ];
        for (field, origin) in fields.into_iter().zip(durations) {
            *field = origin.unwrap_or(*field);
        }
        span.seed = seed.unwrap_or(span.seed);
        for (name, at) in reader.span.origins.iter() {
            span.origins.note(name.clone(), *at);
        }
    }
}
