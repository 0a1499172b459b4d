//! Headers of fio's text: the line that each job has before the run, with what it was asked, and the one before its figures.

use super::fio_text_words::{amount, value};
use crate::started;

/// Most lines of jobs that are kept; fio has at most 4096 jobs.
const MOST: usize = 5000;

/// Line of a job before the run: `a: (g=0): rw=randread, bs=(R) 4096B-4096B, …, ioengine=libaio, iodepth=8`.
#[derive(Debug, Clone, PartialEq)]
pub struct Definition {
    name: String,
    group: u64,
    options: Vec<(String, String)>,
    clones: bool,
}

impl Definition {
    /// True where a line begins such a one and has not come to its end, as where a mail broke it in two.
    pub fn is_broken(line: &str) -> bool {
        line.contains(": (g=") && line.contains(" rw=") && !line.contains("iodepth=")
    }

    /// Reads such a line; `None` where it is another, or is cut off.
    pub fn read(line: &str) -> Option<Definition> {
        let (name, rest) = line.split_once(": (g=")?;
        let (group, rest) = rest.split_once("): ")?;
        let mut options = vec![("rw".to_string(), value(rest, "rw")?.to_string())];
        // What is not told is not fio's default.
        for key in ["ioengine", "iodepth"] {
            options.push((key.to_string(), value(rest, key)?.to_string()));
        }
        options.push(("bsrange".to_string(), sizes(rest)?));
        Some(Definition {
            name: name.to_string(),
            group: group.parse().ok()?,
            options,
            clones: false,
        })
    }
}

/// Sizes of reads, writes and trims, as `bsrange` takes them.
fn sizes(rest: &str) -> Option<String> {
    let range = |from: &str, to: &str, kib| {
        let (from, to) = (amount(from, kib)?, amount(to, kib)?);
        Some(format!("{}-{}", from.round(), to.round()))
    };
    let parts: Option<Vec<String>> = if let Some((_, of)) = rest.split_once("bs=(R) ") {
        let of = of.split(", ioengine").next()?;
        let words = of.split(", ").filter(|w| w.contains('-'));
        let bare = words.map(|w| w.trim_start_matches(['(', 'W', 'T', ')', ' ']));
        bare.map(|w| w.split_once('-').and_then(|(a, b)| range(a, b, 1000.0)))
            .collect()
    } else {
        // Of sizes by order nobody knows which were taken.
        let of = rest.split_once(" bs=").map(|(_, of)| of)?;
        let of = of.split(", ").next()?;
        of.split(['/', ','])
            .map(|w| w.split_once('-').and_then(|(a, b)| range(a, b, 1024.0)))
            .collect()
    };
    parts.filter(|p| !p.is_empty()).map(|p| p.join(","))
}

/// Line before a job's figures: `a: (groupid=0, jobs=2): err= 0: pid=23458: Thu Nov 26 08:09:18 2026`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Header {
    /// The job's name, or that of the first that are reported together.
    pub name: String,
    /// Group of the job.
    pub group: Option<u64>,
    /// Number of jobs that the figures are of.
    pub jobs: Option<f64>,
    /// Error of the job.
    pub error: Option<f64>,
    /// Process of the job.
    pub pid: Option<f64>,
    /// Time at which fio printed it, s since 1970.
    pub printed: Option<i64>,
}

impl Header {
    /// Reads such a line; `None` where it is another.
    pub fn read(line: &str) -> Option<Header> {
        let (name, rest) = line.split_once(": (groupid=")?;
        let rest = format!("groupid={rest}");
        Some(Header {
            name: name.to_string(),
            group: value(&rest, "groupid").and_then(|g| g.parse().ok()),
            jobs: number(&rest, "jobs"),
            error: number(&rest, "err"),
            pid: number(&rest, "pid"),
            printed: started::fio(line),
        })
    }

    /// True where another one is of the same job, later.
    pub fn is_again(&self, other: &Header) -> bool {
        let printed = other.printed;
        self.pid.is_some()
            && Header {
                printed,
                ..self.clone()
            } == *other
    }
}

fn number(line: &str, key: &str) -> Option<f64> {
    let word = value(line, key)?.trim_end_matches(':');
    crate::text::amount(word)
}

/// The jobs before a run, and true once a result came behind them.
#[derive(Debug, Default)]
pub struct Definitions(Vec<Definition>, bool);

/// Options that are known of the figures under a header.
#[derive(Debug, PartialEq)]
pub enum Known<'d> {
    /// Nothing.
    Nothing,
    /// Options of each of the jobs.
    Options(&'d [(String, String)]),
    /// Several jobs, which were asked for different things.
    Several,
}

impl Definitions {
    /// Adds one.
    pub fn push(&mut self, definition: Definition) {
        if self.0.len() < MOST {
            self.0.push(definition);
            self.1 = false;
        }
    }

    /// Says that a result came.
    pub fn used(&mut self) {
        self.1 = true;
    }

    /// Says of the last one that it has clones.
    pub fn clones(&mut self) {
        if let Some(last) = self.0.last_mut() {
            last.clones = true;
        }
    }

    /// True where there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Forgets all.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Options that are known of a header's jobs, beside all headers of the document.
    pub fn of(&self, header: &Header, all: &[Header]) -> Known<'_> {
        let mut group = self.0.iter().filter(|d| Some(d.group) == header.group);
        let alone = all.iter().filter(|h| h.group == header.group).count() == 1;
        // One result behind one job is that job's, whatever was left out between them.
        if let ([only], [_], false, None) = (&self.0[..], all, self.1, header.group) {
            return Known::Options(&only.options);
        }
        let several = header.jobs.is_some_and(|n| n > 1.0);
        let found: Vec<&Definition> = match several {
            true => group.collect(),
            false => group.by_ref().filter(|d| d.name == header.name).collect(),
        };
        let Some((first, rest)) = found.split_first() else {
            return Known::Nothing;
        };
        let alike = rest.iter().all(|d| d.options == first.options);
        // The lines of some may not have been copied.
        let complete =
            found.iter().any(|d| d.clones) || header.jobs.is_some_and(|n| found.len() as f64 >= n);
        match (several, alike) {
            (true, false) if alone => Known::Several,
            (true, true) if alone && complete => Known::Options(&first.options),
            (false, true) => Known::Options(&first.options),
            _ => Known::Nothing,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_before_a_run_says_sizes_in_the_words_of_its_version() {
        let read = |line: &str| Definition::read(line).expect("a job").options;
        let newer = "a: (g=0): rw=randrw, bs=(R) 4096B-16.0KiB, (W) 512B-512B, (T) 4096B-4096B, ioengine=null, iodepth=4";
        let older = "a: (g=0): rw=randrw, bs=4K-16K/512-512/4K-4K, ioengine=null, iodepth=4";
        let range = (
            "bsrange".to_string(),
            "4096-16384,512-512,4096-4096".to_string(),
        );
        assert!(read(newer).contains(&range), "{:?}", read(newer));
        assert_eq!(read(newer), read(older));
    }

    #[test]
    fn jobs_that_were_asked_for_different_things_are_not_one() {
        let mut all = Definitions::default();
        let job = |name: &str, depth: u32| {
            let line =
                format!("{name}: (g=0): rw=read, bs=4K-4K/4K-4K, ioengine=null, iodepth={depth}");
            Definition::read(&line).expect("a job")
        };
        let header = |jobs| {
            let line = format!("a: (groupid=0, jobs={jobs}): err= 0: pid=7: Thu Nov 26");
            Header::read(&line).expect("a header")
        };
        all.push(job("a", 4));
        let (one, two) = (header(1), header(2));
        assert!(matches!(
            all.of(&one, std::slice::from_ref(&one)),
            Known::Options(_)
        ));
        assert_eq!(all.of(&two, std::slice::from_ref(&two)), Known::Nothing);
        all.clones();
        assert!(matches!(
            all.of(&two, std::slice::from_ref(&two)),
            Known::Options(_)
        ));
        all.push(job("b", 8));
        assert_eq!(all.of(&two, std::slice::from_ref(&two)), Known::Several);
    }
}
