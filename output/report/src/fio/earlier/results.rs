//! Earlier results: text for people, terse lines and JSON, in any order, as `--output` has them.

use super::text::is_text_line;
use serde_json::Value;

/// Fields of a terse line, at least; that of version 2 has 79.
const TERSE_FIELDS: usize = 60;

/// Results: whether all of a text is what fio or Plimsoll gives, one after the other, in any of the forms.
pub fn is_results(text: &str) -> bool {
    let mut rest = text;
    // Lines of fio's that stand around a job's may stand in anybody's notes.
    let mut has_a_job = text.is_empty();
    while !rest.is_empty() {
        let end = match rest.starts_with('{') {
            true => document(rest),
            false => line(rest),
        };
        let Some(end) = end else { return false };
        has_a_job |= rest.starts_with('{') || is_of_a_job(&rest[..end]);
        rest = &rest[end..];
    }
    has_a_job
}

fn is_of_a_job(line: &str) -> bool {
    is_terse(line.trim_end()) || line.contains(": (groupid=")
}

/// Where the line ends that the text begins with.
fn line(text: &str) -> Option<usize> {
    let end = text.find('\n')?;
    let line = &text[..end];
    (is_terse(line) || is_text_line(line)).then_some(end + 1)
}

fn is_terse(line: &str) -> bool {
    let Some((version, rest)) = line.split_once(';') else {
        return false;
    };
    // The name is anybody's, and so is that of a disk.
    let is_field = |f: &str| !f.is_empty() && f.chars().all(|c| c.is_ascii_graphic());
    ["2", "3", "4", "5"].contains(&version)
        && (rest.starts_with("fio-") || rest.starts_with("plimsoll-"))
        && rest.split(';').count() >= TERSE_FIELDS
        && rest.split(';').skip(2).all(is_field)
}

/// Where the document ends that the text begins with.
fn document(text: &str) -> Option<usize> {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<Value>();
    let root = values.next()?.ok()?;
    let has_only = |value: &Value, known: &[&str]| {
        let object = value.as_object();
        object.is_some_and(|o| o.keys().all(|key| known.contains(&key.as_str())))
    };
    let jobs = ["jobs", "client_stats"]
        .iter()
        .filter_map(|key| root.get(key));
    let jobs: Vec<&Value> = jobs.filter_map(Value::as_array).flatten().collect();
    let version = root["fio version"].as_str().unwrap_or_default();
    let known = (version.starts_with("fio-") || version.starts_with("plimsoll-"))
        && !version.contains(char::is_whitespace)
        && has_only(&root, &OF_A_DOCUMENT)
        && root.get("global options").is_none_or(are_options)
        && !jobs.is_empty()
        && jobs
            .iter()
            .all(|job| has_only(job, &OF_A_JOB) && is_job(job));
    known.then(|| values.byte_offset())
}

/// Whether a job has figures, and no text where fio has none.
fn is_job(job: &Value) -> bool {
    let figures = |(key, value): (&String, &Value)| match key.as_str() {
        // Names and a description are anybody's.
        "jobname" | "desc" | "hostname" => value.is_string(),
        "job options" => are_options(value),
        "steadystate" => true,
        _ => !has_text(value),
    };
    let has_figures = ["read", "write", "trim", "mixed"]
        .iter()
        .any(|way| job.get(way).is_some_and(Value::is_object));
    has_figures && job.as_object().is_some_and(|job| job.iter().all(figures))
}

/// Whether all keys look like options of fio. Their values are anybody's.
fn are_options(value: &Value) -> bool {
    let is_name = |key: &String| {
        let is_of_one = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
        key.chars().all(is_of_one)
    };
    value.as_object().is_some_and(|o| o.keys().all(is_name))
}

fn has_text(value: &Value) -> bool {
    match value {
        Value::String(_) => true,
        Value::Array(all) => all.iter().any(has_text),
        Value::Object(all) => all.values().any(has_text),
        _ => false,
    }
}

const OF_A_DOCUMENT: [&str; 9] = [
    "fio version",
    "timestamp",
    "timestamp_ms",
    "time",
    "global options",
    "jobs",
    "client_stats",
    "disk_util",
    "groups",
];

/// The keys of a job (`show_thread_status_json` of fio's `stat.c`), of several versions.
const OF_A_JOB: [&str; 38] = [
    "jobname",
    "groupid",
    "job_start",
    "error",
    "eta",
    "elapsed",
    "desc",
    "hostname",
    "port",
    "job options",
    "read",
    "write",
    "trim",
    "mixed",
    "sync",
    "job_runtime",
    "usr_cpu",
    "sys_cpu",
    "ctx",
    "majf",
    "minf",
    "iodepth_level",
    "iodepth_submit",
    "iodepth_complete",
    "latency_ns",
    "latency_us",
    "latency_ms",
    "total_err",
    "first_error",
    "latency_depth",
    "latency_target",
    "latency_target_ns",
    "latency_percentile",
    "latency_window",
    "latency_window_us",
    "block",
    "steadystate",
    "zone_resets",
];

#[cfg(test)]
mod tests {
    use super::*;

    const DOCUMENT: &str =
        "{\"fio version\" : \"fio-3.33\", \"jobs\" : [{\"jobname\" : \"x\", \"read\" : {}}]}\n";

    fn terse() -> String {
        format!("3;fio-3.33;x{};/a\n", ";0.5%".repeat(128))
    }

    #[test]
    fn forms_may_follow_each_other() {
        assert!(is_results(""));
        assert!(is_results(&format!("{DOCUMENT}{}{DOCUMENT}\n", terse())));
        assert!(is_results(&terse()));
    }

    #[test]
    fn what_stands_before_behind_or_inside_is_somebody_s() {
        for other in [
            format!("{DOCUMENT}before the update\n"),
            format!("before the update\n{DOCUMENT}"),
            format!("{DOCUMENT}before the update"),
            DOCUMENT.replace("{\"fio", "{\"notes\" : \"mine\", \"fio"),
            DOCUMENT.replace("\"read\"", "\"notes\""),
            DOCUMENT.replace("fio version", "my version"),
            DOCUMENT[..DOCUMENT.len() - 4].to_string(),
            terse().replacen("0.5%", "the slow one", 1),
            terse().trim_end().to_string(),
            "3;mine\n".to_string(),
            "[1, 2]\n".to_string(),
            "\n".to_string(),
            "Starting 1 process\n".to_string(),
            "{\"fio version\":\"fio-3.33\",\"jobs\":[]}\n".to_string(),
            DOCUMENT.replace("\"read\" : {}", "\"read\" : {\"iops\" : \"by hand\"}"),
            DOCUMENT.replace(
                "\"read\" : {}",
                "\"job options\" : {\"my notes\" : \"x\"}, \"read\" : {}",
            ),
            DOCUMENT.replace(", \"read\" : {}", ""),
            DOCUMENT.replace("fio-3.33", "my text"),
            "7\n".to_string(),
        ] {
            assert!(!is_results(&other), "{other}");
        }
    }
}
