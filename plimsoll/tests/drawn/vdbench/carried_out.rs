//! Short runs by both: what their flat files say was asked and done.

use super::both;
use crate::draw::{self, numbers};
use crate::grammar::Grammar;
use std::path::Path;
use std::process::{Command, Stdio};

/// One run: its name, what was asked, and what was done in the intervals that count.
#[derive(Debug, PartialEq)]
struct Row {
    asked: Vec<String>,
    /// I/Os a second, bytes of each, and percent of reads.
    did: [f64; 3],
}

/// Columns that say what was asked.
const ASKED: [&str; 9] = [
    "Run", "Interval", "reqrate", "xfersize", "threads", "rdpct", "rhpct", "whpct", "seekpct",
];
const DID: [&str; 3] = ["rate", "bytes/io", "read%"];

fn rows(folder: &Path) -> Vec<Row> {
    let text = std::fs::read_to_string(folder.join("flatfile.html")).unwrap_or_default();
    let lines = text.lines().filter(|line| !line.starts_with(['*', '<']));
    let mut lines = lines.map(|line| {
        line.split_whitespace()
            .map(str::to_string)
            .collect::<Vec<_>>()
    });
    let titles = lines
        .by_ref()
        .find(|words| words.iter().any(|word| word == "reqrate"))
        .unwrap_or_default();
    let at = |title: &str| titles.iter().position(|t| t == title);
    let row = |words: Vec<String>| {
        let cell = |title: &str| words.get(at(title)?).cloned();
        let number = |title: &str| cell(title)?.parse::<f64>().ok();
        cell("Interval")?.starts_with("avg").then_some(())?;
        let asked = ASKED
            .iter()
            .map(|title| cell(title))
            .collect::<Option<Vec<_>>>()?;
        let did = DID.map(|title| number(title).unwrap_or(-1.0));
        // Vdbench writes the run that fills a file, too.
        (!asked[0].ends_with("_format")).then_some(Row { asked, did })
    };
    lines.filter_map(row).collect()
}

/// Both's rows of a parameter file.
fn carried_out(program: &Path, text: &str) -> [Vec<Row>; 2] {
    let folder = tempfile::tempdir().expect("a folder");
    let files = [("a", 8 << 20), ("b", 4 << 20)].map(|(name, bytes)| {
        let path = folder.path().join(name);
        std::fs::write(&path, vec![7; bytes]).expect("written");
        path.display().to_string()
    });
    let text = text.replace("@1", &files[0]).replace("@2", &files[1]);
    std::fs::write(folder.path().join("job.parm"), text).expect("written");
    let script = "ip link set lo up; exec timeout 90 \"$@\"";
    let mut real = Command::new("unshare");
    real.args(["-n", "sh", "-c", script, "sh"]).arg(program);
    let mut ours = Command::new(env!("CARGO_BIN_EXE_plimsoll"));
    ours.arg("vdbench");
    [(real, "real", &[][..]), (ours, "ours", &files[..])].map(|(mut command, out, targets)| {
        command.args(["-f", "job.parm", "-o", out]);
        targets.iter().for_each(|target| {
            command.args(["--destroy", target]);
        });
        let none = || Stdio::null();
        command
            .current_dir(folder.path())
            .stdin(none())
            .stdout(none())
            .stderr(none());
        command.status().expect("it starts");
        rows(&folder.path().join(out))
    })
}

/// Difference between the two: in what was asked any, in what was done one that is more than chance and the host explain.
fn judge(real: &[Row], ours: &[Row]) -> Option<String> {
    let asked = |rows: &[Row]| {
        rows.iter()
            .map(|row| row.asked.join(" "))
            .collect::<Vec<_>>()
    };
    if real.is_empty() || asked(real) != asked(ours) {
        return Some(format!(
            "asked {:#?}, Vdbench {:#?}",
            asked(ours),
            asked(real)
        ));
    }
    let apart = |(real, ours): (&Row, &Row)| {
        let ([rate, bytes, reads], [our_rate, our_bytes, our_reads]) = (real.did, ours.did);
        // Five times the deviation of arrivals in a second, and of draws among them.
        let chance = 5.0 / rate.max(1.0).sqrt();
        let wrong = (our_rate / rate - 1.0).abs() > chance + 0.1
            || (our_bytes / bytes - 1.0).abs() > chance
            || (our_reads - reads).abs() > 100.0 * chance;
        let fixed = (reads == 0.0 || reads == 100.0)
            && reads != our_reads
            && matches!(real.asked[5].as_str(), "0" | "100");
        (wrong || fixed).then(|| format!("did {ours:?}, Vdbench {real:?}"))
    };
    real.iter().zip(ours).find_map(apart)
}

#[test]
fn short_runs_ask_for_and_do_what_the_real_vdbench_does() {
    let Some(program) = both::real() else {
        return plimsoll_skipped::skipped!("Vdbench is not installed");
    };
    let grammar = Grammar::new(super::files::GRAMMAR);
    let mut failures = Vec::new();
    let seeds = draw::seeds(3);
    // Each takes half a minute.
    let count = ((seeds.end - seeds.start) / 100).max(3);
    for seed in seeds.start..seeds.start + count {
        let text = grammar.draw("short", &mut numbers(seed), 0);
        let [real, ours] = carried_out(&program, &text);
        failures.extend(judge(&real, &ours).map(|what| format!("seed {seed}: {what}\n{text}")));
    }
    assert!(
        failures.is_empty(),
        "{} of {count} differ:\n{}",
        failures.len(),
        failures.join("\n")
    );
}
