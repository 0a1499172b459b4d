//! From sections to jobs: what global sections say reaches those below them, and the last word wins.

use super::lowering::split_names;
use super::options::{self, Effect};
use super::reading::Section;
use super::settings::{self, Assigned, Read, Value};
use super::{codes, engine};
use crate::vdbench::report::{Report, Stop};
use plimsoll_diagnostic::{Diagnostic, Span};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// More jobs are no test that anybody waits for.
const MAX_JOBS: usize = 10_000;

/// One section with all that counts for it.
#[derive(Debug, Clone)]
pub struct Job {
    /// What its results are called: `name=`, else its section.
    pub name: String,
    /// Its section.
    pub section: String,
    /// Where it begins.
    pub span: Span,
    /// The number of the text that it stands in.
    pub text: usize,
    /// It was typed on a command line.
    pub(super) is_typed: bool,
    /// It stands in the first file, and jobs of the command line before it: those start together.
    pub(super) follows_words: bool,
    /// How many clones the jobs before it have.
    pub(super) clones_before: u64,
    /// The last word on each option.
    pub(super) settings: BTreeMap<&'static str, Assigned>,
    /// Of all that say `filename=`: they add up.
    pub(super) filenames: Vec<Filenames>,
    /// Options of the job's own section.
    own: Said,
    /// Options of global sections that hold for the job.
    above: Arc<Said>,
}

/// Options in the order in which they count, each by its name in fio's results and as it was written.
type Said = Vec<(&'static str, String)>;

/// The files of one `filename=`.
#[derive(Debug, Clone)]
pub(super) struct Filenames {
    pub assigned: Assigned,
    /// The `directory=` that stood when it was read: fio puts names into folders at once.
    pub directory: Option<String>,
}

impl Job {
    /// An option that was given.
    pub(super) fn get(&self, name: &str) -> Option<&Assigned> {
        self.settings.get(name)
    }

    /// Where an option was given.
    pub fn place(&self, name: &str) -> Option<Span> {
        self.get(name).map(|a| a.span)
    }

    /// Text of an option, where it was given.
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        text_of(&self.settings, name)
    }

    /// What its own section says, as it was written and in that order; a flag without a value has none.
    pub fn options(&self) -> Vec<(String, String)> {
        written(&self.own)
    }

    /// Options of global sections for the job, those too that its own section overrides.
    pub fn inherited(&self) -> Vec<(String, String)> {
        written(&self.above)
    }

    /// A number, where it was given.
    pub(super) fn number(&self, name: &str) -> Option<i64> {
        match &self.get(name)?.value {
            Value::Number(number) => Some(number.value),
            _ => None,
        }
    }

    /// A flag or a switch.
    pub(super) fn switch(&self, name: &str) -> Option<bool> {
        match self.get(name)?.value {
            Value::Switch(on) => Some(on),
            _ => None,
        }
    }

    /// Whether a flag or a switch is on.
    pub(super) fn is_on(&self, name: &str) -> bool {
        self.switch(name) == Some(true)
    }

    /// A word of a list.
    pub(super) fn word(&self, name: &str) -> Option<&'static str> {
        match self.get(name)?.value {
            Value::Word(word) => Some(word),
            _ => None,
        }
    }

    /// Numbers of reads, writes and trims.
    pub(super) fn triple(&self, name: &str) -> Option<[i64; 3]> {
        match self.get(name)?.value {
            Value::Triple(each) => Some(each),
            _ => None,
        }
    }
}

fn written(said: &Said) -> Vec<(String, String)> {
    let owned = |(name, text): &(&str, String)| (name.to_string(), text.clone());
    said.iter().map(owned).collect()
}

fn said(assigned: &[Assigned]) -> impl Iterator<Item = (&'static str, String)> {
    assigned.iter().map(|a| (a.shown, a.text.clone()))
}

/// All jobs of the sections that are asked for, in order.
pub(super) fn gather(
    sections: &[Section],
    wanted: &[String],
    report: &mut Report,
) -> Result<Vec<Job>, Stop> {
    // What a command line says of all jobs reaches those of its files.
    let mut of_all = Defaults::default();
    let mut defaults = Defaults::default();
    let mut jobs = Vec::new();
    let (mut text, mut clones) = (0, 0u64);
    for section in sections {
        if section.text != text {
            // Each file has its own defaults besides.
            (defaults, text) = (of_all.clone(), section.text);
        }
        let skipped = !wanted.is_empty() && !wanted.contains(&section.name);
        if !section.is_global() && skipped {
            continue;
        }
        let read = settings::read(section, defaults.kb(), report);
        if section.is_global() {
            defaults.add(read);
            if section.of_words {
                of_all = defaults.clone();
            }
            continue;
        }
        if jobs.len() == MAX_JOBS {
            report.add(
                Diagnostic::error(
                    codes::TOO_LARGE,
                    format!("there are more than {MAX_JOBS} jobs"),
                )
                .at(section.span, "here"),
            );
            return Err(Stop);
        }
        let mut job = job(section, &defaults, read, report);
        job.clones_before = clones;
        job.is_typed = section.of_words;
        job.follows_words = section.text == 1 && sections[0].of_words;
        let own = job.number("numjobs").unwrap_or(1).max(1).unsigned_abs();
        clones = clones.saturating_add(own);
        jobs.push(job);
        report.bounded()?;
    }
    if let Some(missing) = wanted
        .iter()
        .find(|w| sections.iter().all(|s| s.name != **w))
    {
        report.add(
            Diagnostic::error(codes::EMPTY, format!("there is no section `{missing}`"))
                .help("name one that is there"),
        );
    } else if jobs.is_empty() && !report.failed() {
        let place = sections.first().map(|s| s.span);
        let complaint = Diagnostic::error(codes::EMPTY, "there is no job to run");
        report.add(match place {
            Some(span) => complaint
                .at(span, "only defaults")
                .help("write a section for a job below it, as [job1]"),
            None => complaint.help("a job file has sections, as [job1]"),
        });
    }
    Ok(jobs)
}

/// What global sections have said so far.
#[derive(Debug, Clone, Default)]
struct Defaults {
    assigned: Vec<Assigned>,
    said: Arc<Said>,
    unknown: Vec<(String, Span)>,
    kb: Option<u64>,
}

impl Defaults {
    fn kb(&self) -> u64 {
        self.kb.unwrap_or(1024)
    }

    fn add(&mut self, read: Read) {
        self.kb = Some(read.kb);
        Arc::make_mut(&mut self.said).extend(said(&read.assigned));
        self.assigned.extend(read.assigned);
        self.unknown.extend(read.unknown);
    }
}

/// A percentage of reads behind one of writes, or the reverse: the earlier has no effect where both stand in one section and do not
/// come to the same.
fn mixed_anew(earlier: Option<Assigned>, later: &Assigned, own: &Read, report: &mut Report) {
    let is_own = |given: &Assigned| own.assigned.iter().any(|o| o.span == given.span);
    let Some(earlier) = earlier.filter(|given| is_own(given) && is_own(later)) else {
        return;
    };
    let (Value::Number(first), Value::Number(second)) = (&earlier.value, &later.value) else {
        return;
    };
    if first.value + second.value != 100 {
        report.add(
            Diagnostic::warning(
                codes::WITHOUT_EFFECT,
                format!(
                    "`{}` has no effect: `{}={}` after it overrides it",
                    earlier.opt.name, later.opt.name, second.value
                ),
            )
            .at(earlier.span, "")
            .help("keep one of the two"),
        );
    }
}

fn job(section: &Section, defaults: &Defaults, own: Read, report: &mut Report) -> Job {
    let mut settings: BTreeMap<&'static str, Assigned> = BTreeMap::new();
    let mut filenames = Vec::new();
    for assigned in defaults.assigned.iter().chain(&own.assigned) {
        match assigned.opt.name {
            "filename" => filenames.push(Filenames {
                assigned: assigned.clone(),
                directory: text_of(&settings, "directory").map(str::to_string),
            }),
            "nrfiles" => counted(assigned, &filenames, report),
            // The later of both wins.
            "rwmixread" => mixed_anew(settings.remove("rwmixwrite"), assigned, &own, report),
            "rwmixwrite" => mixed_anew(settings.remove("rwmixread"), assigned, &own, report),
            // They are one option, and each other's opposite.
            "direct" => drop(settings.remove("buffered")),
            "buffered" => drop(settings.remove("direct")),
            _ => {}
        }
        let is_log = assigned.opt.name.ends_with("_log") && assigned.text.is_empty();
        if is_log && settings.contains_key(assigned.opt.name) {
            // A log without a name keeps the one that it has.
            continue;
        }
        let above = settings.get(assigned.opt.name).map(|a| &a.value);
        let assigned = Assigned {
            value: assigned.value.over(above),
            ..assigned.clone()
        };
        settings.insert(assigned.opt.name, assigned);
    }
    let mut job = Job {
        name: section.name.clone(),
        section: section.name.clone(),
        span: section.span,
        text: section.text,
        is_typed: false,
        follows_words: false,
        clones_before: 0,
        settings,
        filenames,
        own: said(&own.assigned).collect(),
        above: defaults.said.clone(),
    };
    // What all jobs are given is no job's name.
    if let Some((_, name)) = job.own.iter().rev().find(|(option, _)| *option == "name") {
        job.name = name.clone();
    }
    let unknown = defaults.unknown.iter().chain(&own.unknown);
    // An engine that does not exist here has options of its own.
    if engine::of(&job).is_ok() {
        for (name, span) in unknown {
            report.add(unknown_option(name, *span));
        }
    }
    names_add_up(&job, report);
    job
}

fn text_of<'s>(settings: &'s BTreeMap<&'static str, Assigned>, name: &str) -> Option<&'s str> {
    settings.get(name).map(|a| a.text.as_str())
}

fn unknown_option(name: &str, span: Span) -> Diagnostic {
    let complaint = Diagnostic::error(codes::UNKNOWN_OPTION, format!("fio has no option `{name}`"))
        .at(span, "unknown");
    match options::guess(name) {
        Some(guess) => complaint.help(format!("did you mean {guess}?")),
        None => complaint.help("`fio --cmdhelp` lists all options"),
    }
}

/// Complains of a number of files after names of files: fio takes only so many of those, the first ones.
fn counted(assigned: &Assigned, filenames: &[Filenames], report: &mut Report) {
    let names = filenames
        .iter()
        .flat_map(|f| split_names(&f.assigned.text))
        .count() as i64;
    let Value::Number(number) = &assigned.value else {
        return;
    };
    if names > 0 && number.value != names {
        report.add(
            Diagnostic::error(
                codes::CANNOT_RUN,
                format!(
                    "`nrfiles={}` comes after the names of {names} files",
                    assigned.text
                ),
            )
            .at(
                assigned.span,
                "fio would use only that many files, the first of those",
            )
            .help("leave it out, or name only the files that are meant"),
        );
    }
}

fn names_add_up(job: &Job, report: &mut Report) {
    if let Some((name, again)) = named_twice(job) {
        report.add(
            Diagnostic::warning(
                codes::FILENAMES,
                format!("job {} names the file {name} twice", job.name),
            )
            .at(again, "named here once more")
            .note("fio takes it for two files: it parts size= between them, and both begin at the same place of the one file")
            .note("here it is one file, with all of size=")
            .help(format!("name {name} once: leave one filename= of the two out")),
        );
    }
    let [.., before, last] = &job.filenames[..] else {
        return;
    };
    if split_names(&before.assigned.text) == split_names(&last.assigned.text) {
        return;
    }
    report.add(
        Diagnostic::warning(
            codes::FILENAMES,
            format!(
                "job {} uses the files of all its filename= together",
                job.name
            ),
        )
        .at(last.assigned.span, "this one")
        .at(before.assigned.span, "and this one, too")
        .note("in fio a later filename= adds files to those above; its JSON shows only the last")
        .help("if only one is meant, take the other away: put filename= into each job"),
    );
}

/// A file that a job names twice, and where it does so again.
fn named_twice(job: &Job) -> Option<(String, Span)> {
    let mut known = BTreeSet::new();
    job.filenames.iter().find_map(|each| {
        let names = split_names(&each.assigned.text).into_iter();
        let mut again = names.filter(|name| !known.insert((each.directory.clone(), name.clone())));
        again.next().map(|name| (name, each.assigned.span))
    })
}

impl Job {
    /// Whether fio's engine passes flags with each I/O.
    pub(super) fn passes_flags(&self) -> bool {
        let without = ["sync", "psync", "vsync", "pvsync", "posixaio", "mmap"];
        self.text("ioengine")
            .is_some_and(|engine| !without.contains(&engine))
    }

    /// True where no I/O in flight changes what another one reads or writes: one at a time, reads alone, or one pass of writes over
    /// blocks of one size.
    fn never_overlaps(&self) -> bool {
        let rw = self.word("rw").unwrap_or("read");
        let is_one = engine::of(self).is_ok_and(|e| e.is_sync());
        let is_given = |option: &&str| self.get(option).is_some_and(|given| !given.is_off());
        let others = [
            "bsrange",
            "bssplit",
            "norandommap",
            "random_distribution",
            "time_based",
            "loops",
            "io_size",
        ];
        let is_pass = ["write", "randwrite"].contains(&rw)
            && self.text("rw") == Some(rw)
            && !others.iter().any(is_given);
        is_one || is_pass || rw.ends_with("read") || self.number("iodepth").unwrap_or(1) <= 1
    }

    /// Options that were given and cannot be carried out, and those that change nothing: (option, why).
    pub(super) fn judged(&self) -> (Vec<Diagnostic>, Vec<(&Assigned, &'static str)>) {
        let mut errors = Vec::new();
        let mut idle = Vec::new();
        for assigned in self.settings.values() {
            let name = assigned.opt.name;
            match assigned.opt.effect {
                Effect::Works(_) => {}
                Effect::Nothing(why) => idle.push((assigned, why)),
                Effect::Refused(..) if assigned.is_off() => {}
                Effect::Refused(..) if name == "atomic" && !self.passes_flags() => {}
                Effect::Refused(..) if name == "serialize_overlap" && self.never_overlaps() => {}
                Effect::Refused(why, remedy) => errors.push(
                    Diagnostic::error(codes::CANNOT_RUN, format!("`{name}` cannot be used: {why}"))
                        .at(assigned.span, "asked for here")
                        .help(remedy),
                ),
            }
        }
        (errors, idle)
    }
}
