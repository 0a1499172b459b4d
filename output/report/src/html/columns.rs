//! Columns of the page's data: what a step or an array did over time, and the points of charts.

use super::brief::brief;
use serde_json::{Map, Value};

/// Charts with more points have no table of them.
const MOST_POINTS: usize = 2000;

/// The columns of a series that every point has.
pub(super) const SERIES: [&str; 11] = [
    "rate",
    "rate_min",
    "rate_max",
    "bytes_per_io",
    "response_mean_ns",
    "response_p50_ns",
    "response_p99_ns",
    "response_max_ns",
    "service_mean_ns",
    "depth",
    "cpu",
];

/// The columns of what an array told over time.
pub(super) const ARRAY: [&str; 6] = [
    "core_max",
    "core_mean",
    "front_end_iops",
    "back_end_iops",
    "journal_fill",
    "write_amplification",
];

/// Columns that are left out where nothing of the kind happened.
const NEVER: [&str; 4] = ["backlog", "errors", "start_s", "warmup"];

/// A list without the nulls at its end.
pub(super) fn ended(mut list: Vec<Value>) -> Value {
    let last = list.iter().rposition(|v| !v.is_null());
    list.truncate(last.map_or(0, |last| last + 1));
    list.into()
}

/// Columns over time.
pub(super) fn pack_series(series: &mut Map<String, Value>, short: &dyn Fn(f64) -> f64) {
    let points = series["rate"].as_array().map_or(0, Vec::len);
    if series["service_mean_ns"] == series["response_mean_ns"] {
        series.remove("service_mean_ns");
    }
    pack_starts(series);
    let mut columns = take_columns(series, &SERIES);
    shorten(&mut columns, short);
    for (_, column) in series.iter_mut().filter(|(key, _)| *key != "arrays") {
        *column = alike(column.take());
    }
    series.retain(|key, value| {
        !NEVER.contains(&key.as_str()) || (*value != 0.0 && *value != 0 && *value != false)
    });
    pack_heat(&mut series["heat"]);
    let arrays = series["arrays"].as_array_mut().into_iter().flatten();
    for array in arrays.filter_map(Value::as_object_mut) {
        let mut columns = take_columns(array, &ARRAY);
        shorten(&mut columns, short);
        array.insert("columns".into(), columns);
    }
    drop_nothing_in(series);
    series.insert("points".into(), points.into());
    series.insert("columns".into(), columns);
    series.remove("step");
}

/// A row of a map whose cells are all alike is that cell.
fn pack_heat(heat: &mut Value) {
    let lanes = heat["lanes"].as_array_mut().into_iter().flatten();
    let rows = lanes
        .filter_map(|lane| lane["rows"].as_array_mut())
        .flatten();
    let mut columns = 0;
    for row in rows {
        columns = columns.max(row.as_array().map_or(0, Vec::len));
        *row = alike(row.take());
    }
    heat["columns"] = columns.into();
    // One row is as long as the step.
    if heat["start_s"]
        .as_array()
        .is_some_and(|rows| rows.len() == 1)
    {
        drop_keys(heat, &["start_s", "length_s"]);
    }
}

/// Columns as a list that ends with the last of which something is known; times in µs.
fn take_columns(of: &mut Map<String, Value>, names: &[&str]) -> Value {
    let column = |name: &&str| match of.remove(*name) {
        Some(Value::Array(list)) if name.ends_with("_ns") => alike(us(list)),
        column => alike(column.unwrap_or_default()),
    };
    ended(names.iter().map(column).collect())
}

/// Points that follow each other at once have one start: the first.
fn pack_starts(series: &mut Map<String, Value>) {
    let numbers = |key: &str| -> Vec<f64> {
        let list = series[key].as_array().into_iter().flatten();
        list.filter_map(Value::as_f64).collect()
    };
    let (start_s, length_s) = (numbers("start_s"), numbers("length_s"));
    let ends = start_s.iter().zip(&length_s).map(|(at, long)| at + long);
    let joined = start_s
        .iter()
        .skip(1)
        .zip(ends)
        .all(|(next, end)| (next - end).abs() < 1e-6);
    if let (true, Some(first)) = (joined, start_s.first()) {
        series.insert("start_s".to_owned(), (*first).into());
    }
}

/// A column of one value is that value; an empty one is nothing.
fn alike(column: Value) -> Value {
    match column {
        Value::Array(list) if list.windows(2).all(|two| two[0] == two[1]) => {
            list.into_iter().next().unwrap_or_default()
        }
        other => other,
    }
}

/// Times of a chart, in µs and short.
fn us(list: Vec<Value>) -> Value {
    let one = |ns: Value| ns.as_f64().map(|ns| brief(ns / 1e3));
    list.into_iter().map(one).collect()
}

/// A list of times under its new name.
pub(super) fn in_us(of: &mut Value, key: &str) {
    let Some(all) = of.as_object_mut() else {
        return;
    };
    if let Some(Value::Array(list)) = all.remove(key) {
        all.insert(in_name_us(key), us(list));
    }
}

pub(super) fn in_name_us(name: &str) -> String {
    match name.strip_suffix("_ns") {
        Some(name) => format!("{name}_us"),
        None => name.to_owned(),
    }
}

/// Points become columns; where so many are drawn that none is read, they are short.
pub(super) fn pack_chart(chart: &mut Value) {
    let series = chart["series"].as_array_mut();
    let mut series: Vec<_> = series.into_iter().flatten().collect();
    let points = |one: &Value| one["points"].as_array().map_or(0, Vec::len);
    let many = series.iter().map(|one| points(one)).sum::<usize>() > MOST_POINTS;
    let mut before = Value::Null;
    for one in &mut series {
        let Value::Array(points) = one["points"].take() else {
            continue;
        };
        let end = |at: usize| move |p: &Value| p["interval"][at].clone();
        let x: Value = points.iter().map(|p| p["x"].clone()).collect();
        let mut columns = Map::new();
        columns.insert("y".into(), points.iter().map(|p| p["y"].clone()).collect());
        columns.insert("low".into(), points.iter().map(end(0)).collect());
        columns.insert("high".into(), points.iter().map(end(1)).collect());
        columns.insert("z".into(), points.iter().map(|p| p["z"].clone()).collect());
        columns.retain(|key, list| {
            key == "y"
                || list
                    .as_array()
                    .is_some_and(|l| !l.iter().all(Value::is_null))
        });
        let mut columns = Value::Object(columns);
        if many {
            shorten(&mut columns, &brief);
        }
        // The places of the series before where they are the same.
        if x != before {
            columns["x"] = x.clone();
            before = x;
        }
        one["points"] = columns;
    }
}

/// Floats in as many digits as `short` leaves, and whole ones as integers.
pub(super) fn shorten(value: &mut Value, short: &dyn Fn(f64) -> f64) {
    match value {
        Value::Object(all) => all.values_mut().for_each(|v| shorten(v, short)),
        Value::Array(list) => list.iter_mut().for_each(|v| shorten(v, short)),
        Value::Number(number) if number.is_f64() => {
            let shorter = short(number.as_f64().unwrap_or(0.0));
            *value = match shorter {
                whole if whole.fract() == 0.0 && whole.abs() < 1e15 => (whole as i64).into(),
                other => other.into(),
            };
        }
        _ => {}
    }
}

pub(super) fn drop_keys(of: &mut Value, keys: &[&str]) {
    if let Some(all) = of.as_object_mut() {
        all.retain(|key, _| !keys.contains(&key.as_str()));
    }
}

pub(super) fn drop_nothing_in(all: &mut Map<String, Value>) {
    all.retain(|key, value| match value {
        Value::Null => false,
        Value::Array(list) => {
            !list.is_empty() || ["response", "service", "service_curve_us"].contains(&key.as_str())
        }
        Value::Object(map) => !map.is_empty(),
        _ => true,
    });
}
