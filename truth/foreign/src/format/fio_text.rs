//! fio's text for people, of 1.x to 3.x, made into documents in the layout of its JSON.

use super::fio;
use super::fio_command::{self, Command};
use super::fio_folded;
use super::fio_header::{Definition, Definitions, Header};
use super::fio_job_file::JobFile;
use super::fio_node::Filling;
use super::fio_text_direction::behind;
use super::fio_text_job::{Job, left_out};
use super::fio_text_words::{number, several, started, value};
use crate::command::{self, CUT, CUT_OFF};
use crate::input::ReadError;
use crate::json::{Node, NodeKind};
use crate::model::{ForeignResult, Format, InputPlace, Remark, Run};
use crate::prefix;
use crate::text;
use plimsoll_evidence::wording::plural;
use std::borrow::Cow;

/// True where a text has a job's header, or a direction's line, in it.
pub fn is_one(text: &str) -> bool {
    text.lines().any(|line| {
        let newer = line.contains("IOPS=") && line.contains("BW=");
        let older = line.contains("io=") && line.contains("iops=") && line.contains("runt=");
        newer
            || older
            || line.contains("Run status group")
            || is_sum(line)
            || (line.contains("(groupid=") && line.contains("err="))
    })
}

/// True where some of fio's text is there, though no line that [`is_one`] knows it by.
pub fn is_part(text: &str) -> bool {
    let words = ["th=[", "fsync/fdatasync/sync_file_range"];
    text.lines()
        .any(|line| words.iter().any(|word| line.contains(word)))
}

/// True where a line sums up a group: `READ: bw=4109MiB/s (4308MB/s), …, io=482GiB (517GB), run=120001-120001msec`.
fn is_sum(line: &str) -> bool {
    let has = |words: [&str; 2]| words.iter().all(|word| line.contains(word));
    has([": bw=", "run="]) || has(["aggrb=", "maxt="])
}

/// Reads all results of a text.
pub fn read(name: &str, text: &str) -> Result<ForeignResult, ReadError> {
    // What begins as fio's lines do has nothing before it.
    let is_bare = text.lines().any(|line| Job::begins_direction(line.trim()));
    let text = match is_bare {
        true => Cow::Borrowed(text),
        false => prefix::without(text),
    };
    // A string of JSON may have many lines of fio's in it.
    let is_columns = |line: &str| line.matches("(groupid=").count() > 1 && !line.contains('"');
    if !text.contains('\0') && text.lines().any(is_columns) {
        return Err(ReadError::Unsupported {
            name: name.into(),
            what: "two results of fio side by side",
            remedy: "give each of them by itself",
        });
    }
    let mut reader = Reader {
        killed: text::lines(&text)
            .filter_map(|(_, line)| killed(line))
            .collect(),
        // What stands before all lines of a report, headers too, is none.
        labels: is_bare || !text.contains("(groupid="),
        ..Reader::default()
    };
    // A last line without an end may be cut within a number.
    let is_cut = !text.ends_with('\n') && !text.trim_end().ends_with([')', '%', ']', ':']);
    let lines = text::lines(&text).count() - usize::from(is_cut);
    let whole = text::lines(&text).take(lines);
    for (line, content) in fio_folded::joined(command::joined(whole, fio_command::COMMANDS)) {
        reader.line(line, &content);
    }
    if is_cut && reader.job.is_some() {
        let text = "a last line that may be cut off: left out";
        reader.remark(lines as u32 + 1, text.into());
    }
    reader.end_document();
    reader.tell_errors();
    let Reader {
        documents, remarks, ..
    } = reader;
    let result = fio::of_documents(name, Format::FioText, &documents, remarks);
    // Where all jobs failed before they did anything, fio's words say more than any figure.
    let did = |run: &Run| {
        run.rows
            .iter()
            .any(|row| row.all.ios != Some(0) || row.errors == 0)
    };
    match result.filter(|result| result.runs.iter().any(did)) {
        Some(result) => Ok(result),
        None => Err(failed(name, &text).unwrap_or_else(|| nothing(name, &text))),
    }
}

/// Reason why a text of fio has nothing to judge.
pub fn nothing(name: &str, text: &str) -> ReadError {
    let is_of_uring = |line: &str| line.contains("IOPS=") && line.contains("IOS/call=");
    if text.lines().any(is_of_uring) {
        return ReadError::Unsupported {
            name: name.into(),
            what: "output of fio's t/io_uring",
            remedy: "it tells a rate and no times, by which nothing can be judged: measure with fio itself, or with `plimsoll run`",
        };
    }
    let missing = match text.lines().any(is_sum) {
        true => {
            "only lines of groups are in it (`READ: bw=`), which tell neither rates nor times of I/Os"
        }
        false => "no line of reads, writes or trims is in it",
    };
    ReadError::Nothing {
        name: name.into(),
        what: "text of fio",
        missing,
        remedy: "give all that fio printed, from the first job's `(groupid=` on",
    }
}

/// The line by which fio says that it failed.
pub fn failed(name: &str, text: &str) -> Option<ReadError> {
    let (line, said) = text::whole_lines(text).find(|(_, line)| is_error(line))?;
    Some(ReadError::Failed {
        name: name.into(),
        tool: "fio",
        line,
        said: said.trim().chars().take(200).collect(),
    })
}

/// The process in `fio: pid=102122, got signal=6`.
fn killed(line: &str) -> Option<f64> {
    let (pid, _) = line
        .trim_start()
        .strip_prefix("fio: pid=")?
        .split_once(", got signal=")?;
    text::amount(pid)
}

/// `fio: pid=8281, err=84/file:io_u.c:2141, func=io_u_queued_complete, error=…`, a signal, or a block that was not as it had been written.
fn is_error(line: &str) -> bool {
    let has = |word: &str| line.contains(word);
    let of_fio = line.trim_start().starts_with("fio: ");
    of_fio && has("err=") && has("error=")
        || killed(line).is_some()
        || has("verify failed at file")
        || has("verify: bad ")
}

/// Marks of Markdown that nothing of fio's has.
const MARKDOWN: [char; 2] = ['*', '`'];

/// Figures and definitions that were found so far.
#[derive(Default)]
struct Reader {
    documents: Vec<Node>,
    remarks: Vec<Remark>,
    version: Option<(u32, String)>,
    definitions: Definitions,
    /// Jobs of the document that is being read, and the one whose lines come.
    jobs: Vec<Job>,
    job: Option<Job>,
    disks: Vec<Node>,
    /// True where what fio prints behind all jobs has begun.
    behind: bool,
    /// Lines of the current job that are not fio's.
    unknown: Vec<u32>,
    /// The first and the last line of a job whose beginning was not copied.
    headless: Option<(u32, u32)>,
    /// The command above the document that is being read.
    command: Option<Command>,
    /// The job file above it, and a line that may be the first of one.
    file: JobFile,
    section: Option<String>,
    /// Lines of groups behind all jobs, each with its group.
    groups: Vec<(u64, u32, String)>,
    group: Option<u64>,
    /// True where the version stands behind the jobs that are announced, so that all of them are: fio announces no more.
    announced: bool,
    /// True where somebody may have put labels before lines of directions.
    labels: bool,
    /// Lines by which fio says that an I/O failed: the first, and how many there are.
    errors: Option<(u32, String, usize)>,
    /// Processes of jobs that died by a signal.
    killed: Vec<f64>,
    /// The line by which fio says how many jobs it starts, and how many.
    started: Option<(u32, f64)>,
}

impl Reader {
    fn remark(&mut self, line: u32, text: String) {
        let at = InputPlace { source: 0, line };
        self.remarks.push(Remark { at, text });
    }

    fn line(&mut self, line: u32, content: &str) {
        // The marks of code in Markdown are nobody's.
        let content = of_host(content.trim().trim_matches('`').trim());
        if content.is_empty() {
            return;
        }
        if let Some(section) = self.section.take()
            && JobFile::goes_on(content)
        {
            let is_over = self.behind || self.job.as_ref().is_some_and(Job::is_whole);
            if is_over {
                // It is of the next result.
                self.begin_run();
            }
            self.file.line(&section);
        }
        if self.file.begins(content) {
            self.section = Some(content.to_string());
            return;
        }
        if self.command(line, content) || self.file.line(content) {
            return;
        }
        // Stars and ticks are those of somebody who made words bold, or code.
        let plain = content
            .contains(MARKDOWN)
            .then(|| content.replace(MARKDOWN, ""));
        let content = plain.as_deref().unwrap_or(content);
        if content.starts_with("fio: io_u error on file") {
            let first = || (line, content.to_string(), 0);
            self.errors.get_or_insert_with(first).2 += 1;
        } else if let Some(definition) = Definition::read(content) {
            if std::mem::take(&mut self.announced) && self.job.is_none() && self.jobs.is_empty() {
                // A run that had no result: what it was asked is not the next one's.
                self.command = None;
                self.definitions.clear();
            }
            self.begin_run();
            self.definitions.push(definition);
        } else if content == "..." {
            self.definitions.clones();
        } else if let Some(header) = Header::read(content) {
            self.end_job();
            if self.behind || self.jobs.iter().any(|job| job.header.is_again(&header)) {
                self.end_document();
            }
            self.job = Some(Job::new(line, header));
            if let Some((_, rest)) = behind(content) {
                self.of_job(line, rest);
            }
        } else if let Some(version) = version(content) {
            self.announced = !self.definitions.is_empty();
            self.version = Some((line, version.to_string()));
        } else if let Some(rest) = content.strip_prefix("Run status group ") {
            self.end_job();
            self.behind = true;
            self.group = rest
                .split(' ')
                .next()
                .and_then(|number| number.parse().ok());
        } else if let Some(jobs) = started(content) {
            self.started = Some((line, jobs));
        } else if content.starts_with("Disk stats") {
            self.end_job();
            self.behind = true;
        } else if content.contains(": ios=") && content.contains("util=") {
            self.end_job();
            self.behind = true;
            self.disks.extend(disk(line, content));
        } else if let Some(group) = self
            .group
            .filter(|_| self.behind && Job::is_of_group(content))
        {
            self.groups.push((group, line, content.to_string()));
        } else if let Some((label, rest)) = behind(content).filter(|_| self.labels) {
            self.labelled(line, label, rest);
        } else if !self.behind {
            self.of_job(line, content);
        } else if Job::begins_direction(content) {
            // Another result, whose header was not copied.
            self.end_document();
            self.of_job(line, content);
        }
    }

    /// Names what fio said of I/Os that failed.
    fn tell_errors(&mut self) {
        if let Some((line, first, count)) = self.errors.take() {
            let more = match count - 1 {
                0 => String::new(),
                more => format!(", and {} more like it", plural(more, "line")),
            };
            self.remark(line, format!("`{first}`{more}"));
        }
    }

    /// A direction's first line behind a label: a job of that name.
    fn labelled(&mut self, line: u32, label: &str, rest: &str) {
        let goes_on = |job: &Job| job.header.name == label && !job.is_before(rest);
        if !self.job.as_ref().is_some_and(goes_on) {
            self.end_job();
            let name = label.to_string();
            let header = Header {
                name,
                ..Header::default()
            };
            if self.behind {
                self.end_document();
            }
            self.job = Some(Job::new(line, header));
        }
        self.of_job(line, rest);
    }

    /// Takes a line that is a command of fio.
    fn command(&mut self, line: u32, content: &str) -> bool {
        let is_cut = content.ends_with(CUT) && (fio_command::COMMANDS.begins)(content);
        let command = Command::read(content);
        if !is_cut && command.is_none() {
            return false;
        }
        self.begin_run();
        // They come behind their command.
        self.announced = false;
        self.definitions.clear();
        self.command = command.filter(|_| !is_cut);
        if is_cut {
            self.remark(line, CUT_OFF.into());
        }
        true
    }

    /// Ends the run that is read, if there is one, for another begins.
    fn begin_run(&mut self) {
        if !self.jobs.is_empty() || self.job.is_some() {
            self.end_document();
            self.definitions.clear();
        }
    }

    /// A line of a job. The first of a direction makes one, where the header was not copied.
    fn of_job(&mut self, line: u32, content: &str) {
        if self.job.as_ref().is_none_or(|job| job.is_before(content))
            && Job::begins_direction(content)
        {
            self.end_job();
            self.job = Some(Job::new(line, Header::default()));
        }
        if let Some(job) = &mut self.job {
            if !job.line(line, content) {
                self.unknown.push(line);
            }
        } else if Job::new(line, Header::default()).line(line, content) {
            self.headless.get_or_insert((line, line)).1 = line;
        }
    }

    fn end_job(&mut self) {
        if let Some((first, last)) = self.headless.take().filter(|(first, last)| first < last) {
            let text = format!(
                "lines {first} to {last} are of a job whose beginning was not copied: left out"
            );
            self.remark(first, text);
        }
        let unknown = std::mem::take(&mut self.unknown);
        let Some(job) = self.job.take() else { return };
        if let Some(first) = unknown.first() {
            let lines = plural(unknown.len(), "line");
            self.remark(
                *first,
                format!("{lines} within the result not of fio: left out"),
            );
        }
        if job.lacks_shares() {
            let text = "a line of the shares by time was left out of this job: they are not judged";
            self.remark(job.line, text.into());
        }
        if !job.is_whole() {
            let text =
                "what fio says of this job ends here before its end: what was there is judged";
            self.remark(job.last, text.into());
        }
        match job.header.pid.is_some_and(|pid| self.killed.contains(&pid)) {
            false => self.jobs.push(job),
            true => {
                let text = format!("`{}` died by a signal: it has no result", job.header.name);
                self.remark(job.line, text);
            }
        }
    }

    fn end_document(&mut self) {
        self.end_job();
        self.behind = false;
        let mut jobs = std::mem::take(&mut self.jobs);
        let (disks, groups) = (
            std::mem::take(&mut self.disks),
            std::mem::take(&mut self.groups),
        );
        let Some(line) = jobs.first().map(|j| j.line) else {
            return;
        };
        let left_out = groups.iter().filter_map(|group| left_out(&jobs, group));
        self.remarks.extend(left_out);
        for (group, line, content) in groups {
            let mut of_group = jobs
                .iter_mut()
                .filter(|job| job.header.group == Some(group));
            if let (Some(only), None) = (of_group.next(), of_group.next()) {
                only.group(line, &content);
            }
        }
        let file = std::mem::take(&mut self.file).telling();
        let headers: Vec<Header> = jobs.iter().map(|j| j.header.clone()).collect();
        let told = headers
            .iter()
            .map(|of| of.group.and(of.jobs))
            .sum::<Option<f64>>();
        if let Some(((at, all), told)) = self
            .started
            .take()
            .zip(told)
            .filter(|((_, all), told)| told < all)
        {
            let text = format!("fio started {all} jobs, of which {told} have results here");
            self.remark(at, text);
        }
        let nodes = jobs.into_iter().map(|job| {
            let asked = self.definitions.of(&job.header, &headers);
            let command = self.command.as_ref();
            let command = command.and_then(|command| command.of(&job.header));
            let file = file.of(&job.header);
            job.node(asked, command, file)
        });
        let nodes = nodes.collect();
        let mut root = Filling::default();
        if let Some((at, version)) = &self.version {
            root.text("fio version", *at, version);
        }
        root.put("jobs", line, NodeKind::Array(nodes));
        root.put("disk_util", line, NodeKind::Array(disks));
        let kind = root.kind();
        self.documents.push(Node { line, kind });
        self.command = None;
        self.definitions.used();
    }
}

/// A line without the host that fio's client puts before it.
fn of_host(line: &str) -> &str {
    let rest = line.strip_prefix('<').and_then(|l| l.split_once("> "));
    rest.filter(|(host, _)| !host.contains(' '))
        .map_or(line, |(_, rest)| rest.trim_start())
}

/// A line that has nothing but a version.
fn version(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("fio-").or(line.strip_prefix("fio "))?;
    let is = rest.starts_with(|c: char| c.is_ascii_digit()) && !rest.contains([' ', ':', ',']);
    is.then_some(rest)
}

/// A line of the disks: `sda: ios=0/251, sectors=…, merge=0/2, ticks=0/38, in_queue=40, util=3.32%`.
fn disk(line: u32, content: &str) -> Option<Node> {
    let (name, rest) = content.split_once(": ios=")?;
    let rest = format!("ios={rest}");
    let mut of = Filling::default();
    of.text("name", line, name);
    for (key, one, other) in [
        (" ios", "read_ios", "write_ios"),
        (" merge", "read_merges", "write_merges"),
        (" aggrios", "aggr_read_ios", "aggr_write_ios"),
        (" aggrmerge", "aggr_read_merges", "aggr_write_merge"),
    ] {
        let values = several(&format!(" {rest}"), key);
        for (key, value) in [one, other].into_iter().zip(values) {
            of.number(key, line, value);
        }
    }
    of.number("util", line, value(&rest, "util").and_then(number));
    let kind = of.kind();
    Some(Node { line, kind })
}
