//! A corpus of our own: what each parameter file in `tests/vdbench` is read as.

use plimsoll_diagnostic::{Diagnostic, Sources, render};
use plimsoll_dialects::vdbench::{self, Input};
use plimsoll_plan::describe::describe;
use std::fmt::Write;
use std::path::Path;

#[test]
fn every_file_reads_as_its_snapshot_says() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vdbench");
    let mut names: Vec<String> = std::fs::read_dir(&folder)
        .expect("the corpus is there")
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| name.ends_with(".parm"))
        .collect();
    names.sort();
    assert!(names.len() > 20, "{names:?}");
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../vdbench/expected");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| {
        for name in names {
            let text = std::fs::read_to_string(folder.join(&name)).expect("it was listed");
            insta::assert_snapshot!(name.trim_end_matches(".parm"), reading(&name, &text));
        }
    });
}

/// Warnings, simulation and plan; or the refusal.
fn reading(name: &str, text: &str) -> String {
    let parsed = match vdbench::parse(&Input::text(name, text)) {
        Ok(parsed) => parsed,
        Err(refusal) => {
            return format!("REFUSED\n{}", shown(&refusal.diagnostics, &refusal.sources));
        }
    };
    let mut out = shown(&parsed.warnings, &parsed.sources);
    out.push_str("SIMULATION\n");
    for line in parsed.simulate().lines {
        let _ = writeln!(out, "{line}");
    }
    match parsed.plan() {
        Ok(lowered) => {
            let _ = write!(
                out,
                "\nPLAN\n{}{}",
                shown(&lowered.warnings, &parsed.sources),
                describe(&lowered.plan).text()
            );
        }
        Err(refused) => {
            let _ = write!(out, "\nCANNOT RUN\n{}", shown(&refused, &parsed.sources));
        }
    }
    out
}

fn shown(diagnostics: &[Diagnostic], sources: &Sources) -> String {
    diagnostics
        .iter()
        .map(|d| format!("{}\n\n", render(d, sources, false)))
        .collect()
}
