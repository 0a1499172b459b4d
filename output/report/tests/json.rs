//! The document of `--json`, against its schema.

mod fixture;

use plimsoll_evidence::witnessed::{
    CacheUse, CgroupUse, ClockSteps, CpuUse, DeviceUse, DriveHealth, Frequency, LinkUse, MapPath,
    MediaState, OwnIo, PathSeen, Pressure, RecordKeeping, RoundTrip, TcpUse, ThreadUse, ZramUse,
};
use plimsoll_evidence::{
    ArrayEvidence, Environment, Finding, Severity, StepEvidence, Verdict, Witnessed,
};
use plimsoll_record::RunStatus;
use plimsoll_report::json::{self, Run};
use serde_json::Value;
use std::path::Path;

fn schema() -> jsonschema::Validator {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/run.schema.json");
    let text = std::fs::read_to_string(path).expect("docs/run.schema.json");
    let schema = serde_json::from_str(&text).expect("the schema is JSON");
    jsonschema::draft202012::meta::validate(&schema).expect("the schema is a schema");
    jsonschema::validator_for(&schema).expect("the schema compiles")
}

fn assert_valid(document: &Value) {
    let errors: Vec<String> = schema()
        .iter_errors(document)
        .map(|e| format!("{}: {e}", e.instance_path))
        .collect();
    assert!(errors.is_empty(), "{}", errors.join("\n"));
}

/// The document of a run that came to its end, and of which no rule found anything.
fn completed(environment: &Environment, steps: &[StepEvidence], verdicts: &[Verdict]) -> Value {
    json::document(&Run {
        environment,
        steps,
        verdicts,
        findings: &[],
        record: None,
        status: &RunStatus::Completed,
    })
}

fn whole() -> Value {
    let mut steps = fixture::steps();
    steps.insert(0, fixture::fill());
    json::document(&Run {
        environment: &fixture::environment(),
        steps: &steps,
        verdicts: &[Verdict::Curve(fixture::curve())],
        findings: &[Finding {
            rule: "PL012".into(),
            severity: Severity::Suspect,
            step: Some(4),
            values: Vec::new(),
            message: "one CPU was busy for 99% of the time".into(),
            remedy: "Use more workers.".into(),
        }],
        record: Some(Path::new("/tmp/run one.plim")),
        status: &RunStatus::Completed,
    })
}

#[test]
fn a_whole_run_follows_the_schema() {
    let document = whole();
    assert_valid(&document);
    insta::assert_snapshot!(serde_json::to_string_pretty(&document).expect("JSON"));
}

#[test]
fn an_empty_or_failed_run_follows_the_schema() {
    let environment = Environment::default();
    let mut run = Run {
        environment: &environment,
        steps: &[],
        verdicts: &[],
        findings: &[],
        record: None,
        status: &RunStatus::Running,
    };
    assert_valid(&json::document(&run));
    let failed = RunStatus::Failed("no space left for the record".into());
    run.status = &failed;
    let document = json::document(&run);
    assert_valid(&document);
    assert_eq!(document["status"], "failed");
    assert_eq!(document["reason"], "no space left for the record");
}

#[test]
fn a_step_in_which_nothing_completed_has_nulls_and_not_zeroes() {
    let mut step = fixture::step(1, "dead", Some(100.0), 0, 1000);
    step.response_mean_ns.mean = f64::NAN;
    let document = json::document(&Run {
        environment: &fixture::environment(),
        steps: &[step],
        verdicts: &[],
        findings: &[],
        record: None,
        status: &RunStatus::Interrupted,
    });
    assert_valid(&document);
    let response = &document["steps"][0]["response"];
    assert!(response["mean_us"].is_null() && response["max_us"].is_null());
    assert!(response["percentiles_us"]["50"].is_null());
}

#[test]
fn a_percentile_that_the_sample_cannot_support_is_null() {
    let document = whole();
    let step = &document["steps"][3];
    assert_eq!(step["name"], "rd1_(1%)");
    assert!(step["response"]["percentiles_us"]["50"].is_number());
    assert!(step["response"]["percentiles_us"]["99"].is_null());
    assert!(step["iops_ci95"].is_null());
}

#[test]
fn the_schema_refuses_a_field_that_it_does_not_know() {
    let mut document = whole();
    document["steps"][1]["respnse"] = Value::from(1);
    assert!(!schema().is_valid(&document));
}

#[test]
fn paths_and_arrays_follow_the_schema() {
    let mut step = fixture::step(1, "rd1", None, 2000, 3_900_000);
    step.paths = vec![fixture::two_paths()];
    step.arrays = vec![fixture::hot_core(), ArrayEvidence::default()];
    let document = completed(&fixture::environment(), &[step], &[]);
    assert_valid(&document);
    let step = &document["steps"][0];
    let seen = serde_json::json!({ "paths": step["paths"], "arrays": step["arrays"][0] });
    insta::assert_snapshot!(serde_json::to_string_pretty(&seen).expect("JSON"));
}

#[test]
fn what_an_array_does_not_tell_is_null_and_not_zero() {
    let mut step = fixture::step(1, "rd1", None, 2000, 3_900_000);
    step.arrays = vec![ArrayEvidence::default()];
    let document = completed(&fixture::environment(), &[step], &[]);
    let array = &document["steps"][0]["arrays"][0];
    for key in [
        "scale",
        "core_max",
        "owner_max",
        "front_end",
        "back_end",
        "write_amplification",
        "journal",
    ] {
        assert!(array[key].is_null(), "{key}: {}", array[key]);
    }
}

/// A number under a key, or under the keys of an object in it.
fn number(of: &Value, key: &str) -> f64 {
    of[key]
        .as_f64()
        .unwrap_or_else(|| panic!("no {key} in {of}"))
}

#[test]
fn workloads_targets_and_streams_follow_the_schema_and_sum_to_the_step() {
    let step = fixture::two_by_two();
    let document = completed(&fixture::two_targets(), &[step], &[]);
    assert_valid(&document);
    let step = &document["steps"][0];
    for (way, parts) in [("workloads", 2), ("targets", 2), ("streams", 3)] {
        let all = step[way].as_array().expect(way);
        assert_eq!(all.len(), parts, "{way}");
        for key in ["ios", "bytes", "iops", "bytes_per_s"] {
            let sum: f64 = all.iter().map(|part| number(part, key)).sum();
            assert!((sum / number(step, key) - 1.0).abs() < 1e-9, "{way} {key}");
        }
        let longest = all.iter().map(|part| number(&part["response"], "max_us"));
        assert_eq!(
            longest.fold(0.0, f64::max),
            number(&step["response"], "max_us")
        );
    }
    assert_eq!(
        step["workloads"][0]["targets"],
        serde_json::json!(["sd1", "sd2"])
    );
    assert_eq!(
        step["targets"][1]["workloads"],
        serde_json::json!(["oltp", "log"])
    );
    assert_eq!(step["streams"][2]["target"], "sd2");
    let saturated = |way: &str| -> Vec<Value> {
        let all = step[way].as_array().expect(way);
        all.iter()
            .map(|p| p["saturation"]["saturated"].clone())
            .collect()
    };
    assert_eq!(saturated("workloads"), [Value::Null, Value::Bool(true)]);
    assert_eq!(saturated("targets"), [Value::Null, Value::Bool(true)]);
}

#[test]
fn hosts_follow_the_schema_and_the_lost_are_named() {
    let document = completed(&fixture::three_hosts(), &[fixture::by_hosts()], &[]);
    assert_valid(&document);
    let names = |of: &Value, key: &str| -> Vec<String> {
        let all = of.as_array().expect("a list").iter();
        all.map(|h| h[key].as_str().expect("a name").to_owned())
            .collect()
    };
    let step = &document["steps"][0];
    assert_eq!(names(&step["hosts"], "name"), ["db7", "db8"]);
    assert_eq!(names(&step["lost_hosts"], "why"), ["silent for 5 s"]);
    assert_eq!(
        names(&document["environment"]["more_hosts"], "hostname"),
        ["db8", "db9"]
    );
    assert_eq!(step["lost_hosts"][0]["host"], 3);
    insta::assert_snapshot!(serde_json::to_string_pretty(&step["hosts"]).expect("JSON"));
}

#[test]
fn stalls_follow_the_schema() {
    let document = completed(&fixture::environment(), &[fixture::stalled()], &[]);
    assert_valid(&document);
    let step = &document["steps"][0];
    assert_eq!(
        step["stalls"],
        serde_json::json!([
            { "at_s": 2.1, "length_s": 1.2, "ios": 1180 },
            { "at_s": 7.0, "length_s": 0.3, "ios": 290 }
        ])
    );
    assert_eq!(step["late_by_host"][0]["ios"], 21);
    assert_eq!(step["unfinished"], 2);
    assert_eq!(step["saturation"]["saturated"], false);
    assert!(step["response"]["percentiles_us"]["99"].is_number());
}

#[test]
fn a_methods_verdict_and_what_was_done_follow_the_schema() {
    let mut step = fixture::step(1, "rd1", None, 2000, 3_900_000);
    step.actions = fixture::actions();
    step.findings = vec![Finding::of_step(
        1,
        "workers-stuck",
        Severity::Suspect,
        [("workers", plimsoll_evidence::Quantity::Count(2))],
    )];
    let verdict = Verdict::Method(fixture::answer());
    // As a record of the run has them, which keeps no values.
    let mut again = verdict.findings()[0].clone();
    again.values.clear();
    let document = json::document(&Run {
        environment: &fixture::environment(),
        steps: std::slice::from_ref(&step),
        verdicts: &[verdict],
        findings: &[again],
        record: None,
        status: &RunStatus::Completed,
    });
    assert_valid(&document);
    let rules = |of: &Value| -> Vec<String> {
        let all = of.as_array().expect("findings").iter();
        all.map(|f| f["rule"].as_str().expect("a rule").to_owned())
            .collect()
    };
    assert_eq!(
        rules(&document["findings"]),
        ["workers-stuck", "never-steady", "read-only"]
    );
    assert_eq!(rules(&document["steps"][0]["findings"]), ["workers-stuck"]);
    // Of each line the first point will do.
    let mut verdict = document["verdicts"][0].clone();
    for chart in verdict["charts"].as_array_mut().expect("charts") {
        for series in chart["series"].as_array_mut().expect("series") {
            series["points"].as_array_mut().expect("points").truncate(1);
        }
    }
    let seen = serde_json::json!({
        "actions": document["steps"][0]["actions"],
        "verdict": verdict,
    });
    insta::assert_snapshot!(serde_json::to_string_pretty(&seen).expect("JSON"));
}

#[test]
fn the_schema_refuses_a_quantity_without_a_known_unit() {
    let document = completed(
        &fixture::environment(),
        &[],
        &[Verdict::Method(fixture::answer())],
    );
    assert_valid(&document);
    let changed = |key: &str, value: Value| {
        let mut document = document.clone();
        document["verdicts"][0]["figures"][0]["quantity"][key] = value;
        schema().is_valid(&document)
    };
    assert!(!changed("unit", "furlongs".into()));
    assert!(!changed("value", "many".into()));
    assert!(changed("value", 1.5.into()));
}

/// One of everything that can be seen, so that a new field needs its place in the schema.
fn witnessed() -> Witnessed {
    Witnessed {
        observed_s: 30.0,
        cpus: vec![CpuUse::default()],
        threads: vec![ThreadUse::default()],
        pressure: Some(Pressure::default()),
        cgroup: Some(CgroupUse {
            io_limits: vec!["8:0 riops=400".into()],
            ..CgroupUse::default()
        }),
        frequency: Some(Frequency {
            governors_before: vec!["powersave".into()],
            ..Frequency::default()
        }),
        clocks: Some(ClockSteps {
            stepped_ns: -5,
            suspended_ns: 0,
            gained_ns: 0,
        }),
        devices: vec![DeviceUse::default()],
        paths: vec![PathSeen {
            states_before: vec!["running".into()],
            map: Some(MapPath {
                states_before: vec!["active".into()],
                group_states_before: vec!["active".into()],
                ..MapPath::default()
            }),
            ..PathSeen::default()
        }],
        zrams: vec![ZramUse::default()],
        caches: vec![CacheUse::default()],
        media: vec![MediaState {
            health: Some(DriveHealth::default()),
            ..MediaState::default()
        }],
        round_trips: vec![RoundTrip {
            targets: vec!["t1".into()],
            ..RoundTrip::default()
        }],
        links: vec![LinkUse {
            targets: vec!["t1".into()],
            ..LinkUse::default()
        }],
        tcp: Some(TcpUse::default()),
        own: Some(OwnIo::default()),
        record: Some(RecordKeeping {
            disks: vec!["sda".into()],
            written_bytes: 4096,
        }),
    }
}

#[test]
fn what_everyone_else_saw_follows_the_schema_in_all_its_fields() {
    for seen in [Some(witnessed()), Some(Witnessed::default()), None] {
        let steps: Vec<StepEvidence> = fixture::steps()
            .into_iter()
            .map(|step| StepEvidence {
                witnessed: seen.clone(),
                ..step
            })
            .collect();
        let document = completed(&fixture::environment(), &steps, &[]);
        assert_valid(&document);
        let reported = document["steps"][0].get("witnessed");
        assert_eq!(
            reported.cloned(),
            seen.map(|s| serde_json::to_value(s).unwrap())
        );
    }
}

#[test]
fn what_limited_a_step_and_a_curves_maximum_follows_the_schema() {
    let mut steps = fixture::steps();
    steps[0].limit = Some(fixture::limit());
    let mut curve = fixture::curve();
    curve.limit = Some(fixture::limit());
    let document = completed(&fixture::environment(), &steps, &[Verdict::Curve(curve)]);
    assert_valid(&document);
    for limit in [
        &document["steps"][0]["limit"],
        &document["verdicts"][0]["limit"],
    ] {
        assert_eq!(limit["cause"], "hot-owner");
        assert_eq!(limit["runner_up"], "slots");
    }
    for cause in plimsoll_evidence::LimitCause::ALL {
        let mut other = document.clone();
        other["steps"][0]["limit"]["cause"] = serde_json::to_value(cause).expect("a word");
        assert_valid(&other);
    }
}
