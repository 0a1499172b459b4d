//! fio's text for people, of 1.x to 3.x, made into documents in the layout of its JSON.

use super::fio;
use super::fio_command::{self, Command};
use super::fio_header::{Definition, Definitions, Header};
use super::fio_node::Filling;
use super::fio_text_job::{Job, behind_header};
use super::fio_text_words::{number, several, value};
use crate::command::{self, CUT, CUT_OFF};
use crate::input::ReadError;
use crate::json::{Node, NodeKind};
use crate::model::{ForeignResult, Format, InputPlace, Remark};
use crate::prefix;
use crate::text;
use plimsoll_evidence::wording::plural;

/// Whether a text has a job's header, or a direction's line, in it.
pub fn is_one(text: &str) -> bool {
    text.lines().any(|line| {
        let newer = line.contains("IOPS=") && line.contains("BW=");
        let older = line.contains("io=") && line.contains("iops=") && line.contains("runt=");
        newer
            || older
            || line.contains("Run status group")
            || (line.contains("(groupid=") && line.contains("err="))
    })
}

/// Reads all results of a text.
pub fn read(name: &str, text: &str) -> Result<ForeignResult, ReadError> {
    let text = prefix::without(text);
    let mut reader = Reader {
        killed: text::lines(&text)
            .filter_map(|(_, line)| killed(line))
            .collect(),
        ..Reader::default()
    };
    let lines = text::lines(&text).count() as u32;
    for (line, content) in command::joined(text::lines(&text), fio_command::COMMANDS) {
        // A last line without an end may be cut within a number.
        let whole = line < lines
            || text.ends_with('\n')
            || content.trim_end().ends_with([')', '%', ']', ':']);
        if whole {
            reader.line(line, &content);
        } else if reader.job.is_some() {
            reader.remark(line, "a last line that may be cut off: left out".into());
        }
    }
    reader.end_document();
    let Reader {
        documents, remarks, ..
    } = reader;
    fio::of_documents(name, Format::FioText, &documents, remarks).ok_or_else(|| {
        failed(name, &text).unwrap_or_else(|| ReadError::Nothing {
            name: name.into(),
            what: "text of fio",
            missing: "no line of reads, writes or trims is in it",
            remedy: "give all that fio printed, from the first job's `(groupid=` on",
        })
    })
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

/// What was found so far.
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
    /// Whether what fio prints behind all jobs has begun.
    behind: bool,
    /// Lines of the current job that are not fio's.
    unknown: Vec<u32>,
    /// The first part of a job's line before the run that was broken in two.
    broken: Option<String>,
    /// The command above the document that is being read.
    command: Option<Command>,
    /// Whether the version stands behind the jobs that are announced, so that all of them are: fio announces no more.
    announced: bool,
    /// Processes of jobs that died by a signal.
    killed: Vec<f64>,
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
        let head = self.broken.take();
        let joined = head
            .filter(|_| content.contains("iodepth="))
            .map(|head| format!("{head} {content}"));
        let content = joined.as_deref().unwrap_or(content);
        if Definition::is_broken(content) {
            self.broken = Some(content.to_string());
            return;
        }
        if self.command(line, content) {
            return;
        }
        // Stars are those of somebody who made words bold.
        let plain = content.contains('*').then(|| content.replace('*', ""));
        let content = plain.as_deref().unwrap_or(content);
        if let Some(definition) = Definition::read(content) {
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
            if let Some(rest) = behind_header(content) {
                self.of_job(line, rest);
            }
        } else if let Some(version) = version(content) {
            self.announced = !self.definitions.is_empty();
            self.version = Some((line, version.to_string()));
        } else if content.starts_with("Run status group") || content.starts_with("Disk stats") {
            self.end_job();
            self.behind = true;
        } else if content.contains(": ios=") && content.contains("util=") {
            self.end_job();
            self.behind = true;
            self.disks.extend(disk(line, content));
        } else if !self.behind {
            self.of_job(line, content);
        }
    }

    /// Takes a line that is a command of fio.
    fn command(&mut self, line: u32, content: &str) -> bool {
        let is_cut = content.ends_with(CUT) && (fio_command::COMMANDS.begins)(content);
        let command = Command::read(content);
        if !is_cut && command.is_none() {
            return false;
        }
        self.begin_run();
        if std::mem::take(&mut self.announced) {
            self.definitions.clear();
        }
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
        let Some(job) = &mut self.job else { return };
        if !job.line(line, content) {
            self.unknown.push(line);
        }
    }

    fn end_job(&mut self) {
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
        let jobs = std::mem::take(&mut self.jobs);
        let disks = std::mem::take(&mut self.disks);
        let Some(line) = jobs.first().map(|j| j.line) else {
            return;
        };
        let headers: Vec<Header> = jobs.iter().map(|j| j.header.clone()).collect();
        let nodes = jobs.into_iter().map(|job| {
            let asked = self.definitions.of(&job.header, &headers);
            let command = self.command.as_ref();
            let command = command.and_then(|command| command.of(&job.header));
            job.node(asked, command)
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
