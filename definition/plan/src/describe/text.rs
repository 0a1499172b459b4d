//! A description as `plimsoll plan` prints it: tables, and sums.

use super::table::Table;
use super::{Description, StepKind, words};
use crate::estimate::{spoken, spoken_bound};
use plimsoll_printable::Printable;

impl Description {
    /// What `plimsoll plan` prints: targets, steps, what they do, and sums. Ends with a newline.
    pub fn text(&self) -> String {
        let mut text = String::new();
        if let Some(title) = &self.title {
            text.push_str(&format!("{}\n\n", Printable(title)));
        }
        text.push_str(&self.target_table());
        text.push('\n');
        text.push_str(&self.step_table());
        text.push('\n');
        text.push_str(&self.stream_table());
        text.push_str(&self.host_tables());
        text.push_str(&self.action_table());
        if !self.commands.is_empty() {
            text.push_str("\nCommands, run only with --allow-commands:\n");
            for command in &self.commands {
                text.push_str(&format!("  {}\n", Printable(command)));
            }
        }
        if !self.notes.is_empty() {
            text.push('\n');
            for note in &self.notes {
                text.push_str(&format!("note: {note}\n"));
            }
        }
        text.push('\n');
        text.push_str(&self.sums());
        text
    }

    fn target_table(&self) -> String {
        let mut table = Table::new(["target", "location", "size", "caching", "durability", "use"]);
        for t in &self.targets {
            let size = t.size.map_or("all".to_string(), |s| s.to_string());
            let access = if t.written { "written" } else { "read only" };
            table.row([
                &t.name,
                &t.location,
                &size,
                &t.caching,
                &t.durability,
                access,
            ]);
        }
        let trees = self
            .targets
            .iter()
            .filter_map(|t| Some((&t.name, t.tree.as_ref()?)));
        let trees = trees.map(|(name, words)| format!("tree of {}: {words}\n", Printable(name)));
        table.text() + &trees.collect::<String>()
    }

    fn step_table(&self) -> String {
        let mut table = Table::new([
            "step", "name", "load", "depth", "workers", "warm-up", "for", "interval", "writes",
        ]);
        table.right(&[0, 3, 4, 5, 6, 7]);
        for s in &self.steps {
            let workers = s.workers.map_or("auto".to_string(), |n| n.to_string());
            table.row([
                &s.number.to_string(),
                &s.name,
                &s.load,
                &words::depth(s.depth),
                &workers,
                &spoken(s.warmup),
                &s.elapsed.map_or_else(|| without_time(s.kind), spoken),
                &spoken(s.interval),
                &s.writes,
            ]);
        }
        table.text()
    }

    /// What the steps do; steps that do the same share their lines.
    fn stream_table(&self) -> String {
        let mut table = Table::new([
            "steps",
            "workload",
            "target",
            "depth",
            "operations",
            "size",
            "addresses",
            "content",
            "share",
        ]);
        table.right(&[3]);
        let mut at = 0;
        while at < self.steps.len() {
            let same = self.steps[at..]
                .iter()
                .take_while(|s| s.streams == self.steps[at].streams)
                .count();
            let numbers = match same {
                1 => self.steps[at].number.to_string(),
                _ => format!(
                    "{}-{}",
                    self.steps[at].number,
                    self.steps[at + same - 1].number
                ),
            };
            for (i, s) in self.steps[at].streams.iter().enumerate() {
                let numbers = if i == 0 { numbers.as_str() } else { "" };
                let content = s.content.as_deref().unwrap_or("-");
                table.row([
                    numbers,
                    &s.workload,
                    &s.target,
                    &words::stream_depth(s),
                    &s.mix,
                    &s.size,
                    &s.address,
                    content,
                    &s.load,
                ]);
            }
            at += same;
        }
        table.text()
    }

    /// What is done while steps run; nothing where nothing is.
    fn action_table(&self) -> String {
        let mut table = Table::new(["step", "at", "while it runs"]);
        table.right(&[0, 1]);
        for (step, action) in self
            .steps
            .iter()
            .flat_map(|s| s.actions.iter().map(move |a| (s, a)))
        {
            let what = match action.command {
                true => format!("{} (with --allow-commands)", action.what),
                false => action.what.clone(),
            };
            table.row([&step.number.to_string(), &action.at.to_string(), &what]);
        }
        match self.steps.iter().all(|s| s.actions.is_empty()) {
            true => String::new(),
            false => format!("\n{}", table.text()),
        }
    }

    fn sums(&self) -> String {
        let t = &self.totals;
        let plural = if t.steps == 1 { "" } else { "s" };
        let measured = self.steps.iter().filter(|s| s.kind != StepKind::Fill);
        let unlimited = measured.filter(|s| s.elapsed.is_none()).count();
        let mut text = match unlimited {
            0 => format!(
                "{} step{plural}, at most {}",
                t.steps,
                spoken_bound(t.duration)
            ),
            n if n == t.steps => format!("{n} step{plural} without a time limit"),
            n => format!(
                "{} steps, of which {n} without a time limit, the others at most {}",
                t.steps,
                spoken_bound(t.duration)
            ),
        };
        // A pass takes as long as it takes.
        if self.steps.iter().any(|s| s.kind == StepKind::Fill) {
            text.push_str(" and what the filling takes");
        }
        if t.written.0 > 0 {
            text.push_str(&format!("; about {} written", words::rounded(t.written)));
        }
        if t.open_ended > 0 {
            let plural = if t.open_ended == 1 {
                " writes"
            } else {
                "s write"
            };
            text.push_str(&format!(
                "; {} step{plural} as much as the target takes",
                t.open_ended
            ));
        }
        // Names and trims are no bytes.
        let mut trees = self.targets.iter().filter(|target| target.tree.is_some());
        let trims = self.steps.iter().any(|step| step.writes.ends_with("trims"));
        let is_changed = trims || trees.any(|target| target.written);
        if t.written.0 == 0 && t.open_ended == 0 && !is_changed {
            text.push_str("; nothing is written by the steps");
        }
        text.push('\n');
        if t.fill.0 > 0 {
            text.push_str(&format!(
                "Before them up to {} to create or fill files.\n",
                words::rounded(t.fill)
            ));
        }
        if !t.slos.is_empty() {
            text.push_str(&format!("Capacity is stated at {}.\n", t.slos.join(", ")));
        }
        text
    }
}

/// When a step ends that has no time.
fn without_time(kind: StepKind) -> String {
    match kind {
        StepKind::Fill => "one pass".to_string(),
        _ => "its end".to_string(),
    }
}
