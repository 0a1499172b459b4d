//! All files of the report folder.

use super::error::VdbenchError;
use super::flatfile;
use super::page::{Page, file_name};
use super::run::RunDefinition;
use jiff::Zoned;
use plimsoll_permit::output::OutputFolder;
use plimsoll_printable::Printable;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

/// The files that the summary links to, and what is in them.
const LINKED: [(&str, &str); 10] = [
    ("logfile", "log of everything"),
    ("totals", "averages of all runs"),
    ("flatfile", "one line for each interval, for programs"),
    ("histogram", "service time histograms"),
    ("skew", "shares of targets and workloads"),
    ("errorlog", "failed I/Os"),
    ("status", "progress, for programs"),
    ("parmfile", "parameter files"),
    ("localhost", "this host"),
    ("localhost-0", "all that ran on it"),
];

/// The files that every report has, and those of targets and workloads, which appear as runs name them.
#[derive(Debug)]
pub(super) struct Pages {
    pub(super) logfile: Page,
    pub(super) summary: Page,
    pub(super) totals: Page,
    pub(super) status: Page,
    pub(super) errorlog: Page,
    pub(super) flatfile: Page,
    pub(super) histogram: Page,
    pub(super) skew: Page,
    pub(super) host: Page,
    /// Vdbench's own process on this host, of which there is one.
    pub(super) slave: Page,
    folder: OutputFolder,
    /// The list of runs.
    contents: Vec<String>,
    /// By file name.
    parts: BTreeMap<String, Page>,
}

impl Pages {
    /// Creates the files that every report has; `contents` stands at the top of those that have a place for each run.
    pub(super) fn create(
        folder: OutputFolder,
        contents: Vec<String>,
    ) -> Result<Self, VdbenchError> {
        let page = |name: &str, title: &str| Page::create(&folder, name, title);
        let mut pages = Pages {
            logfile: page("logfile", "logfile")?,
            summary: page("summary", "summary report")?,
            totals: page("totals", "run totals")?,
            status: page("status", "status")?,
            errorlog: page("errorlog", "error log")?,
            flatfile: page("flatfile", "flatfile")?,
            histogram: page("histogram", "service time histogram")?,
            skew: page("skew", "skew report")?,
            host: page("localhost", "host summary report")?,
            slave: page("localhost-0", "slave summary report")?,
            parts: BTreeMap::new(),
            folder,
            contents,
        };
        for (name, what) in LINKED {
            pages
                .summary
                .link(&format!("{name}.html"), name, Some(what))?;
        }
        for page in [
            &mut pages.summary,
            &mut pages.totals,
            &mut pages.histogram,
            &mut pages.skew,
            &mut pages.host,
            &mut pages.slave,
        ] {
            page.own_lines(&pages.contents)?;
        }
        pages.summary.line("")?;
        Ok(pages)
    }

    /// The folder that they are in.
    pub(super) fn folder(&self) -> &OutputFolder {
        &self.folder
    }

    /// The page of a target or a workload.
    pub(super) fn part(&mut self, name: &str) -> Result<&mut Page, VdbenchError> {
        let mut file = file_name(name);
        if file == "summary" || LINKED.iter().any(|(taken, _)| *taken == file) {
            file.push('_');
        }
        match self.parts.entry(file) {
            Entry::Occupied(known) => Ok(known.into_mut()),
            Entry::Vacant(place) => {
                let file = place.key();
                self.summary.link(&format!("{file}.html"), name, None)?;
                let mut page = Page::create(&self.folder, file, &format!("report of {name}"))?;
                page.own_lines(&self.contents)?;
                Ok(place.insert(page))
            }
        }
    }

    /// The page of the histograms of a target or a workload.
    pub(super) fn part_histogram(&mut self, name: &str) -> Result<&mut Page, VdbenchError> {
        self.part(&format!("{name}.histogram"))
    }

    /// Adds an interval's line to the pages that have all of a run, and the lines of its parts to theirs, with the titles that stand
    /// above it; titles and line for the console.
    pub(super) fn interval(
        &mut self,
        titles: Vec<String>,
        line: String,
        parts: impl IntoIterator<Item = (String, String)>,
    ) -> Result<Vec<String>, VdbenchError> {
        for (name, line) in parts {
            let page = self.part(&name)?;
            page.lines(&titles)?;
            page.line(&line)?;
        }
        let mut lines = titles;
        lines.push(line);
        for page in [
            &mut self.logfile,
            &mut self.summary,
            &mut self.host,
            &mut self.slave,
        ] {
            page.lines(&lines)?;
        }
        Ok(lines)
    }

    /// Adds a line to the status file.
    pub(super) fn status(
        &mut self,
        now: &Zoned,
        what: &str,
        run: Option<&RunDefinition>,
    ) -> Result<(), VdbenchError> {
        let about = run
            .map(|r| format!("\trd={}\t{}", Printable(&r.name), Printable(&r.for_loops())))
            .unwrap_or_default();
        self.status
            .line(&format!("{} \t{what}{about}", flatfile::timestamp(now)))
    }

    /// Makes all lines visible to readers of the files.
    pub(super) fn flush(&mut self) -> Result<(), VdbenchError> {
        for page in [
            &mut self.logfile,
            &mut self.summary,
            &mut self.totals,
            &mut self.status,
            &mut self.errorlog,
            &mut self.flatfile,
            &mut self.histogram,
            &mut self.skew,
            &mut self.host,
            &mut self.slave,
        ] {
            page.flush()?;
        }
        self.parts.values_mut().try_for_each(Page::flush)
    }
}
