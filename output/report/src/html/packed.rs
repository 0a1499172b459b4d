//! Data packed for its page: said once, in no more digits than are shown. `viewer/src/unpack.ts` undoes it.
//!
//! What is null, empty or never happened is left out of a step, and what is alike in all steps is in `all_steps`. A latency
//! is a list in the order of `latency_columns`, and a series has lists in the order of `series_columns` and `array_columns`.
//! What limited a step is a place in `limits`. A service time that is left out is the response time, and an operation's
//! response that is left out is its step's. A column whose values are all alike is that one value. What only charts show has
//! five significant digits, four where there are many steps, and its times are µs. What no chart and no table shows isn't there.

use super::brief::digits;
use super::columns::{
    ARRAY, SERIES, drop_keys, drop_nothing_in, ended, in_name_us, in_us, pack_chart, pack_series,
    shorten,
};
use serde_json::{Map, Value};
use std::collections::HashMap;

/// Significant digits of what a table prints, and its CSV has.
const TABLE_DIGITS: i32 = 9;

/// The columns of a latency.
const LATENCY: [&str; 10] = [
    "mean_ns",
    "std_dev_ns",
    "min_ns",
    "p50_ns",
    "p90_ns",
    "p95_ns",
    "p99_ns",
    "p999_ns",
    "p9999_ns",
    "max_ns",
];

/// Steps of which there are so many that each has few pixels.
const MANY: usize = 100;

/// The data as the page has it.
pub(super) fn packed(data: &Value) -> Value {
    let mut data = data.clone();
    let many = data["steps"].as_array().is_some_and(|all| all.len() > MANY);
    let short = move |v| digits(v, if many { 4 } else { 5 });
    each(&mut data, "steps", |step| pack_step(step, &short));
    each(&mut data, "findings", |finding| {
        drop_keys(finding, &["values"])
    });
    if let Some(all) = data.as_object_mut() {
        all.insert("latency_columns".into(), LATENCY.to_vec().into());
        all.insert(
            "series_columns".into(),
            SERIES.map(in_name_us).to_vec().into(),
        );
        all.insert("array_columns".into(), ARRAY.to_vec().into());
        let steps = all.get_mut("steps").and_then(Value::as_array_mut);
        let (limits, alike) = steps.map_or_else(Default::default, |steps| {
            (take_limits(steps), take_alike(steps))
        });
        all.insert("limits".into(), limits.into());
        all.insert("all_steps".into(), alike.into());
    }
    each(&mut data, "verdicts", |verdict| {
        each(verdict, "charts", pack_chart);
    });
    shorten(&mut data, &|v| digits(v, TABLE_DIGITS));
    data
}

fn each(of: &mut Value, key: &str, pack: impl Fn(&mut Value)) {
    let list = of.get_mut(key).and_then(Value::as_array_mut);
    list.into_iter().flatten().for_each(pack);
}

fn pack_step(step: &mut Value, short: &dyn Fn(f64) -> f64) {
    pack_service(step);
    let response = step["response"].clone();
    each(step, "ops", |op| {
        pack_service(op);
        drop_same(op, "response", &response);
        drop_same(op, "errors", &Value::from(0));
    });
    if let Some(syncs) = step.get_mut("syncs") {
        pack_service(syncs);
    }
    for estimate in ["rate", "response_mean_ns", "service_mean_ns"] {
        drop_keys(&mut step[estimate], &["batches"]);
    }
    for curve in ["response_curve_ns", "service_curve_ns"] {
        in_us(step, curve);
        shorten(&mut step[in_name_us(curve)], short);
    }
    each(step, "arrays", |array| {
        shorten(array, &|v| digits(v, 6));
        drop_nulls(array);
        drop_keys(array, &["ports", "observed_s", "targets"]);
        for (list, unshown) in [
            ("paths", &["port", "requests"][..]),
            ("read_source", &["chunks"]),
            ("write_destination", &["chunks"]),
        ] {
            each(array, list, |one| drop_keys(one, unshown));
        }
        drop_nothing(array);
    });
    if let Some(series) = step["series"].as_object_mut() {
        pack_series(series, short);
    }
    for held in ["stalls", "late_by_host"] {
        if step[held]["count"] == 0 {
            step[held] = Value::Null;
        }
    }
    if let Some(hosts) = step.get_mut("hosts") {
        drop_nothing(hosts);
    }
    // The page divides the bytes itself.
    drop_keys(step, &["bytes_per_s"]);
    if step["fill"] == false {
        drop_keys(step, &["fill"]);
    }
    drop_nothing(step);
    pack_loops(step);
}

/// Leaves out the loops that the end of the step's name says: `curve_(depth=4)`.
fn pack_loops(step: &mut Value) {
    let loops = step["loops"].as_array().into_iter().flatten();
    let pair = |pair: &Value| {
        format!(
            "{}={}",
            pair[0].as_str().unwrap_or_default(),
            pair[1].as_str().unwrap_or_default()
        )
    };
    let said: Vec<String> = loops.map(pair).collect();
    let name = step["name"].as_str().unwrap_or_default();
    if name.ends_with(&format!("({})", said.join(","))) {
        drop_keys(step, &["loops"]);
    } else if step["loops"].is_null() && name.ends_with(')') {
        step["loops"] = Value::Array(Vec::new());
    } else if step["loops"].is_null() {
        drop_keys(step, &["loops"]);
    }
}

/// Takes out of several steps what is alike in all of them.
fn take_alike(steps: &mut [Value]) -> Map<String, Value> {
    let [Value::Object(first), rest @ ..] = &*steps else {
        return Map::new();
    };
    let in_all =
        |(key, value): &(&String, &Value)| rest.iter().all(|s| s.get(key.as_str()) == Some(*value));
    let alike = first.iter().filter(|_| !rest.is_empty()).filter(in_all);
    let alike: Map<_, _> = alike
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect();
    for step in steps.iter_mut().filter_map(Value::as_object_mut) {
        step.retain(|key, _| !alike.contains_key(key));
    }
    alike
}

/// Takes out of the steps what limited them: the same sentence holds for many.
fn take_limits(steps: &mut [Value]) -> Vec<Value> {
    let (mut limits, mut places) = (Vec::new(), HashMap::new());
    for step in steps {
        if let Some(sentence) = step["limited_by"].as_str().map(str::to_owned) {
            let place = *places.entry(sentence).or_insert_with_key(|sentence| {
                limits.push(Value::from(sentence.as_str()));
                limits.len() - 1
            });
            step["limited_by"] = place.into();
        }
    }
    limits
}

/// Leaves out what isn't known, at any depth.
fn drop_nulls(of: &mut Value) {
    match of {
        Value::Object(all) => {
            all.retain(|_, value| !value.is_null());
            all.values_mut().for_each(drop_nulls);
        }
        Value::Array(list) => list.iter_mut().for_each(drop_nulls),
        _ => {}
    }
}

/// Leaves out the service times that are the response times, and writes latencies as lists.
fn pack_service(of: &mut Value) {
    for (service, response) in [
        ("service", "response"),
        ("service_mean_ns", "response_mean_ns"),
        ("service_curve_ns", "response_curve_ns"),
    ] {
        let response = of[response].clone();
        drop_same(of, service, &response);
    }
    for latency in ["response", "service", "lateness"] {
        if of[latency].is_object() {
            of[latency] = columns(&of[latency]);
        }
    }
}

/// A latency as a list that ends with the last value that is known.
fn columns(latency: &Value) -> Value {
    ended(LATENCY.iter().map(|key| latency[key].clone()).collect())
}

/// Leaves a value out that is `other`.
fn drop_same(of: &mut Value, key: &str, other: &Value) {
    if of.get(key) == Some(other) {
        drop_keys(of, &[key]);
    }
}

/// Leaves out what is null or empty; an empty latency stays, for another would stand for it.
fn drop_nothing(of: &mut Value) {
    if let Some(all) = of.as_object_mut() {
        drop_nothing_in(all);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn latency(p50_ns: u64) -> Value {
        let mut latency = json!({});
        LATENCY.iter().for_each(|key| latency[*key] = Value::Null);
        latency["p50_ns"] = p50_ns.into();
        latency
    }

    fn step(number: u32) -> Value {
        json!({
            "number": number,
            "name": "curve_(depth=4,block=8KiB)",
            "loops": [["depth", "4"], ["block", "8KiB"]],
            "run": "curve",
            "rate": { "mean": 1_234.567_890_123, "half_width": null, "batches": 30 },
            "response": latency(100),
            "service": latency(100),
            "limited_by": "Limited by the drive.",
            "stalls": { "count": 0, "ios": 0, "longest": [] },
            "ops": [{ "op": "read", "errors": 0, "response": latency(100), "service": latency(90) }],
            "response_curve_ns": [123_456, 2_000_000],
            "service_curve_ns": [123_456, 2_000_000],
            "series": {
                "step": number,
                "group": 1,
                "start_s": [0.0, 1.0, 2.0],
                "length_s": [1.0, 1.0, 1.0],
                "warmup": [true, false, false],
                "rate": [10.0, 11.5, 12.0],
                "depth": [4.0, 4.0, 4.0],
                "response_mean_ns": [100_000.0, null, 123_456.7],
                "service_mean_ns": [100_000.0, null, 123_456.7],
                "errors": [0, 0, 0],
                "backlog": [0, 1, 0],
                "arrays": [],
                "heat": { "by": "target", "start_s": [0.0], "length_s": [3.0], "lanes": [{ "rows": [[10, 10]] }] },
            },
        })
    }

    #[test]
    fn what_is_alike_or_never_happened_is_said_once_or_not_at_all() {
        let data = packed(&json!({ "steps": [step(1), step(2)], "verdicts": [] }));
        let all = &data["all_steps"];
        assert_eq!(all["run"], "curve");
        assert_eq!(
            all["rate"],
            json!({ "mean": 1234.56789, "half_width": null })
        );
        assert_eq!(all["response"], json!([null, null, null, 100]));
        assert_eq!(
            all["ops"],
            json!([{ "op": "read", "service": [null, null, null, 90] }])
        );
        assert_eq!(all["response_curve_us"], json!([123.46, 2000]));
        assert_eq!(data["limits"], json!(["Limited by the drive."]));
        assert_eq!(all["limited_by"], 0);
        for gone in ["service", "service_curve_us", "loops", "stalls"] {
            assert!(
                all[gone].is_null() && data["steps"][0][gone].is_null(),
                "{gone}"
            );
        }
        assert_eq!(data["steps"][1], json!({ "number": 2 }));
        let series = json!({
            "points": 3,
            "group": 1,
            "length_s": 1,
            "warmup": [true, false, false],
            "backlog": [0, 1, 0],
            "columns": [[10, 11.5, 12], null, null, null, [100, null, 123.46], null, null, null, null, 4],
            "heat": { "by": "target", "columns": 2, "lanes": [{ "rows": [10] }] },
        });
        assert_eq!(all["series"], series);
    }

    #[test]
    fn a_service_time_that_is_its_own_stays_even_where_nothing_is_known_of_it() {
        let mut one = step(1);
        one["service"] = columns(&json!({}));
        one["service_curve_ns"] = json!([]);
        one["loops"] = json!([]);
        let data = packed(&json!({ "steps": [one], "verdicts": [] }));
        assert_eq!(data["steps"][0]["service"], json!([]));
        assert_eq!(data["steps"][0]["service_curve_us"], json!([]));
        assert_eq!(data["steps"][0]["loops"], json!([]));
        assert_eq!(data["all_steps"], json!({}));
    }

    #[test]
    fn points_of_a_chart_are_columns_with_every_digit_where_a_table_has_them() {
        let point = |x: f64| json!({ "x": x, "y": 1.0 / 3.0, "interval": [0.25, 0.5] });
        let line =
            |n: u32| json!({ "points": (0..n).map(|x| point(f64::from(x))).collect::<Vec<_>>() });
        let chart =
            |n| packed(&json!({ "verdicts": [{ "charts": [{ "series": [line(n), line(n)] }] }] }));
        let few = &chart(2)["verdicts"][0]["charts"][0]["series"];
        let columns = json!({ "x": [0, 1], "y": [0.333_333_333, 0.333_333_333], "low": [0.25, 0.25], "high": [0.5, 0.5] });
        assert_eq!(few[0]["points"], columns);
        assert!(
            few[1]["points"]["x"].is_null(),
            "the places of the line before"
        );
        let many = &chart(1001)["verdicts"][0]["charts"][0]["series"];
        assert_eq!(many[0]["points"]["y"][0], 0.333_33);
    }
}
