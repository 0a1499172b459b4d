//! Which results fio shows together, and under which name.

use super::lowering::{clones, names, numbered, reads_back, sizes};
use super::watched::{self, Watched};
use super::{Job, Parsed, engine};
use plimsoll_plan::{Bytes, Op, SizeSpec};

/// Results that are shown as one job: a clone of one, or all jobs of a group (`group_reporting`).
#[derive(Debug, Clone, PartialEq)]
pub struct Reported {
    /// The name of the first job among them.
    pub name: String,
    /// The number of its group: `stonewall` and `new_group` begin another.
    pub group: u32,
    /// The options of the last job, as they were written.
    pub options: Vec<(String, String)>,
    /// The step that carries it out, counted from 0.
    pub step: usize,
    /// The step that reads back what it has written, where one does.
    pub read_back: Option<usize>,
    /// Its workloads in that step.
    pub workloads: Vec<String>,
    /// Of each workload that consists of an operation on names: that one, and the one that it is counted as.
    pub on_names: Vec<(String, Op, Op)>,
    /// `iodepth` of the last job.
    pub iodepth: u64,
    /// I/Os in flight that were asked for, of the clone that has most.
    pub depth: u64,
    /// How many clones it is.
    pub clones: u64,
    /// `fsync`: fio counts these among its syncs, and an `fdatasync` in their times alone.
    pub counts_syncs: bool,
    /// `percentile_list`, percent; empty where none is said.
    pub percentiles: Vec<f64>,
    /// `lat_percentiles`: those of the response times are shown.
    pub lat_percentiles: bool,
    /// `clat_percentiles`: those of the service times are.
    pub clat_percentiles: bool,
    /// `unified_rw_reporting`: reads, writes and trims are shown together.
    pub together: Together,
    /// What ends it before its time.
    pub watched: Watched,
    /// Options of the jobs that begin with it, as fio prints them.
    pub asked: Vec<Asked>,
}

/// Heading of a job, which fio prints before it begins.
#[derive(Debug, Clone, PartialEq)]
pub struct Asked {
    /// Its name.
    pub name: String,
    /// `rw=`, in the first of its writings.
    pub rw: &'static str,
    /// Least and largest size of reads, writes and trims, bytes.
    pub sizes: [(u64, u64); 3],
    /// `ioengine=`.
    pub engine: String,
    /// `iodepth=`.
    pub iodepth: u64,
    /// `numjobs=`.
    pub clones: u64,
}

/// How reads, writes and trims are shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Together {
    /// Each by itself.
    #[default]
    No,
    /// As one.
    Only,
    /// As one too.
    Beside,
}

impl Parsed {
    /// What global sections say for the last job, as fio shows it.
    pub fn global_options(&self) -> Vec<(String, String)> {
        self.jobs.last().map(Job::inherited).unwrap_or_default()
    }

    /// What is shown, in the order of the jobs.
    pub fn reported(&self) -> Vec<Reported> {
        let mut out: Vec<Reported> = Vec::new();
        let mut group = 0;
        for ((from, to), step) in numbered(&self.jobs) {
            let jobs = &self.jobs[from..to];
            for (at, (job, name)) in jobs.iter().zip(names(jobs)).enumerate() {
                let begins = at == 0 || job.is_on("new_group");
                if begins && !out.is_empty() {
                    group += 1;
                }
                let together = job.is_on("group_reporting");
                for reported in each(job, &name, group, step) {
                    match out
                        .last_mut()
                        .filter(|last| together && last.group == group)
                    {
                        Some(last) => {
                            // As fio has it: the name is the first one's, and the options are the last one's.
                            last.options = reported.options;
                            last.workloads.extend(reported.workloads);
                            last.on_names.extend(reported.on_names);
                            last.depth = last.depth.max(reported.depth);
                            last.clones = last.clones.saturating_add(reported.clones);
                            last.read_back = last.read_back.or(reported.read_back);
                            last.asked.extend(reported.asked);
                        }
                        None => out.push(reported),
                    }
                }
            }
        }
        out
    }
}

/// A job's clones, or all of them where they are shown together. The workloads have the names that the plan gives them.
fn each(job: &Job, workload: &str, group: u32, step: usize) -> Vec<Reported> {
    let count = job.number("numjobs").unwrap_or(1).max(1) as u64;
    let iodepth = job.number("iodepth").unwrap_or(1).max(1) as u64;
    let depth = match engine::of(job).is_ok_and(|engine| engine.is_sync()) {
        true => 1,
        false => iodepth,
    };
    let one = |workload: String, clones: u64| Reported {
        name: job.name.clone(),
        group,
        options: options(job),
        step,
        read_back: reads_back(job).then_some(step + 1),
        on_names: on_names(job, &workload).into_iter().collect(),
        workloads: vec![workload],
        iodepth,
        depth,
        clones,
        counts_syncs: job.number("fsync").is_some_and(|n| n > 0),
        percentiles: percentiles(job),
        lat_percentiles: job.is_on("lat_percentiles"),
        clat_percentiles: job.switch("clat_percentiles") != Some(false),
        watched: watched::of(job).unwrap_or_default(),
        together: match job.text("unified_rw_reporting") {
            Some("mixed" | "1") => Together::Only,
            Some("both" | "2") => Together::Beside,
            _ => Together::No,
        },
        asked: Vec::new(),
    };
    let mut all = clones(job, workload);
    let mut reported: Vec<Reported> = match all.len() {
        1 => vec![one(all.remove(0), count)],
        _ => all.into_iter().map(|w| one(w, 1)).collect(),
    };
    if let Some(first) = reported.first_mut() {
        first.asked.push(asked(job, iodepth, count));
    }
    reported
}

fn asked(job: &Job, iodepth: u64, clones: u64) -> Asked {
    let sizes = sizes(job).unwrap_or(SizeSpec::Fixed(Bytes(0)));
    Asked {
        name: job.name.clone(),
        rw: match job.word("rw") {
            Some("readwrite") => "rw",
            word => word.unwrap_or("read"),
        },
        sizes: sizes.by_operation().map(|of| (of.min().0, of.max().0)),
        engine: job.text("ioengine").unwrap_or("psync").to_string(),
        iodepth,
        clones,
    }
}

fn on_names(job: &Job, workload: &str) -> Option<(String, Op, Op)> {
    let writes = matches!(job.word("rw"), Some("write" | "randwrite"));
    let op = engine::of(job).ok()?.on_names()?;
    let counted_as = if writes { Op::Write } else { Op::Read };
    Some((workload.to_string(), op, counted_as))
}

/// As fio shows them: of a job that was typed its name is one.
fn options(job: &Job) -> Vec<(String, String)> {
    let own = job.options().into_iter();
    let name = job.is_typed.then(|| ("name".to_string(), job.name.clone()));
    name.into_iter()
        .chain(own.filter(|(o, _)| !job.is_typed || o != "name"))
        .collect()
}

/// `99:99.9`; what cannot be read is left out.
fn percentiles(job: &Job) -> Vec<f64> {
    let text = job.text("percentile_list").unwrap_or_default();
    let mut list: Vec<f64> = text
        .split([':', ','])
        .filter_map(|p| p.trim().parse().ok())
        .filter(|p: &f64| *p > 0.0 && *p <= 100.0)
        .collect();
    list.sort_by(f64::total_cmp);
    list
}

#[cfg(test)]
mod tests {
    use super::Together;
    use crate::fio::{Input, parse};

    /// Name, group, step, workloads, and the depth of how many clones.
    type Shown = (String, u32, usize, Vec<String>, (u64, u64));

    fn reported(text: &str) -> Vec<Shown> {
        let parsed = parse(&Input::text("job.fio", text)).expect("a job file");
        let plan = parsed.plan().expect("a plan").plan;
        let all = parsed.reported();
        for one in &all {
            let step = plan.items[one.step]
                .steps()
                .first()
                .expect("a step")
                .clone();
            for workload in &one.workloads {
                let is_there = step.streams.iter().any(|s| s.workload == *workload);
                assert!(is_there, "{workload} in {}", step.name);
            }
        }
        all.into_iter()
            .map(|r| (r.name, r.group, r.step, r.workloads, (r.depth, r.clones)))
            .collect()
    }

    const HEAD: &str = "[global]\nioengine=null\nsize=1m\nrw=randread\niodepth=4\n";

    #[test]
    fn clones_are_shown_apart_and_groups_together() {
        let words = |list: &[&str]| list.iter().map(|w| w.to_string()).collect::<Vec<_>>();
        let apart = reported(&format!("{HEAD}[a]\nnumjobs=2\n[b]\n"));
        assert_eq!(apart[0], ("a".into(), 0, 0, words(&["a.0"]), (4, 1)));
        assert_eq!(apart[1], ("a".into(), 0, 0, words(&["a.1"]), (4, 1)));
        assert_eq!(apart[2], ("b".into(), 0, 0, words(&["b"]), (4, 1)));
        let text =
            format!("{HEAD}group_reporting\n[a]\nnumjobs=2\n[b]\n[c]\nstonewall\n[d]\nnew_group\n");
        let together = reported(&text);
        assert_eq!(together[0], ("a".into(), 0, 0, words(&["a", "b"]), (4, 3)));
        assert_eq!(together[1], ("c".into(), 1, 1, words(&["c"]), (4, 1)));
        assert_eq!(together[2], ("d".into(), 2, 1, words(&["d"]), (4, 1)));
        let sync = reported("[a]\nioengine=psync\nsize=1m\niodepth=4\n");
        assert_eq!(sync[0].4, (1, 1));
        assert_eq!(together.len(), 3);
    }

    #[test]
    fn options_are_as_they_were_written_and_percentiles_rise() {
        let text = format!("{HEAD}[a]\nbs=8k\npercentile_list=99.9:50:99\n");
        let parsed = parse(&Input::text("job.fio", &text)).expect("a job file");
        let one = &parsed.reported()[0];
        assert_eq!(one.percentiles, [50.0, 99.0, 99.9]);
        let option = |name: &str| {
            one.options
                .iter()
                .find(|(n, _)| n == name)
                .map(|(_, v)| v.as_str())
        };
        assert_eq!((option("bs"), option("iodepth")), (Some("8k"), None));
        let global = parsed.global_options();
        let names: Vec<&str> = global.iter().map(|(n, _)| n.as_str()).collect();
        assert_eq!(names, ["ioengine", "size", "rw", "iodepth"]);
        assert!(one.clat_percentiles && !one.lat_percentiles && one.together == Together::No);
    }
}
