//! The examples that are Vdbench parameter files or fio job files are accepted as they stand.

use plimsoll_dialects::fio;
use plimsoll_dialects::vdbench::{self, Input, Parsed};
use plimsoll_plan::validate;
use std::path::Path;

fn parsed(name: &str) -> Parsed {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../examples")
        .join(name);
    let parsed = vdbench::parse(&Input::files([path]));
    parsed.unwrap_or_else(|refusal| panic!("{:?}", refusal.diagnostics))
}

#[test]
fn every_parameter_file_is_accepted_and_makes_a_plan() {
    for (name, count) in [("curve.parm", 8), ("hitarea.parm", 2), ("hotband.parm", 1)] {
        let parsed = parsed(name);
        assert!(parsed.warnings.is_empty(), "{name}: {:?}", parsed.warnings);
        let lines = parsed.simulate().lines;
        let simulated = lines.iter().filter(|l| l.contains("RD=")).count();
        assert_eq!(simulated, count, "{name}: {lines:#?}");
        let lowered = parsed
            .plan()
            .unwrap_or_else(|refused| panic!("{name}: {refused:?}"));
        assert_eq!(validate(&lowered.plan), [], "{name}");
    }
}

#[test]
fn the_job_file_is_two_steps() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/mixed.fio");
    let parsed = fio::parse(&fio::Input::files([path])).unwrap_or_else(|e| panic!("{e}"));
    assert!(parsed.warnings.is_empty(), "{:?}", parsed.warnings);
    let lowered = parsed.plan().unwrap_or_else(|e| panic!("{e:?}"));
    assert!(lowered.warnings.is_empty(), "{:?}", lowered.warnings);
    let steps: Vec<(&str, u64)> = lowered
        .plan
        .steps()
        .map(|s| (s.name.as_str(), s.total_depth()))
        .collect();
    assert_eq!(steps, [("fill", 8), ("oltp", 32)]);
}
