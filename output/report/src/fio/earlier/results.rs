//! Earlier results: text for people, terse lines and JSON, in any order, as `--output` has them.

use super::doubles::{Once, is_bucket};
use super::text::{is_text_line, is_version};
use jiff::civil::DateTime;
use serde_json::Value;

/// Fields of a terse line, at least; that of version 2 has 79.
const TERSE_FIELDS: usize = 60;

/// Results: whether all of a text is what fio or Plimsoll gives, one after the other, in any of the forms. `is_option`: whether a word
/// is the name of one of fio's options.
pub fn is_results(text: &str, is_option: impl Fn(&str) -> bool) -> bool {
    let (mut rest, mut earlier) = (text, "");
    // Lines of fio's that stand around a job's may stand in anybody's notes.
    let mut has_a_job = text.is_empty();
    while !rest.is_empty() {
        let end = match rest.starts_with('{') {
            true => document(rest, &is_option),
            false => line(rest),
        };
        let Some(end) = end else { return false };
        let (one, behind) = rest.split_at(end);
        // Fio says no figures twice.
        if one == earlier && (one.starts_with(' ') || is_terse(one.trim_end())) {
            return false;
        }
        has_a_job |= one.starts_with('{') || is_of_a_job(one);
        (rest, earlier) = (behind, one);
    }
    has_a_job
}

fn is_of_a_job(line: &str) -> bool {
    is_terse(line.trim_end()) || line.contains(": (groupid=")
}

/// Length of the line that the text begins with, with its end.
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
        && rest.split(';').next().is_some_and(is_version)
        && rest.split(';').count() >= TERSE_FIELDS
        && rest.split(';').skip(2).all(is_field)
}

/// Length of the document that the text begins with.
fn document(text: &str, is_option: &impl Fn(&str) -> bool) -> Option<usize> {
    let are_options = |value: &Value| {
        let object = value.as_object();
        object.is_some_and(|o| o.keys().all(|key| is_option(key)))
    };
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
    let known = root["fio version"].as_str().is_some_and(is_version)
        && has_only(&root, &OF_A_DOCUMENT)
        && root.get("time").is_none_or(is_time)
        && root.get("global options").is_none_or(are_options)
        && !jobs.is_empty()
        && jobs
            .iter()
            .all(|job| has_only(job, &OF_A_JOB) && is_job(job))
        && jobs
            .iter()
            .all(|job| job.get("job options").is_none_or(are_options));
    let end = values.byte_offset();
    (known && serde_json::from_str::<Once>(&text[..end]).is_ok()).then_some(end)
}

/// True for a time as ctime(3) prints it.
fn is_time(value: &Value) -> bool {
    value.as_str().is_some_and(|text| {
        let time = DateTime::strptime(CTIME, text);
        time.is_ok_and(|time| time.strftime(CTIME).to_string() == text)
    })
}

/// True where a job has figures, and nothing else where fio has figures.
fn is_job(job: &Value) -> bool {
    let figures = |(key, value): (&String, &Value)| match key.as_str() {
        // Names and a description are anybody's.
        "jobname" | "desc" | "hostname" => value.is_string(),
        // Of options, the names are looked at elsewhere; their values are anybody's.
        "job options" | "steadystate" => true,
        key => are_figures(key, value),
    };
    let has_figures = ["read", "write", "trim", "mixed"]
        .iter()
        .any(|way| job.get(way).is_some_and(Value::is_object));
    has_figures && job.as_object().is_some_and(|job| job.iter().all(figures))
}

/// True where all that this key has is numbers, and its buckets are called so.
fn are_figures(key: &str, value: &Value) -> bool {
    match value {
        Value::Number(_) => true,
        Value::Array(all) => all.iter().all(|one| are_figures("", one)),
        Value::Object(all) => all.iter().all(|(name, value)| {
            (is_bucket(name) || !OF_BUCKETS.contains(&key)) && are_figures(name, value)
        }),
        _ => false,
    }
}

const CTIME: &str = "%a %b %e %H:%M:%S %Y";

/// Keys whose objects have a number for each percentile or range.
const OF_BUCKETS: [&str; 8] = [
    "percentile",
    "bins",
    "latency_ns",
    "latency_us",
    "latency_ms",
    "iodepth_level",
    "iodepth_submit",
    "iodepth_complete",
];

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
    const DOCUMENT: &str =
        "{\"fio version\" : \"fio-3.33\", \"jobs\" : [{\"jobname\" : \"x\", \"read\" : {}}]}\n";

    fn is_results(text: &str) -> bool {
        super::is_results(text, |name| ["bs", "rw"].contains(&name))
    }

    fn terse() -> String {
        format!("3;fio-3.33;x{};/a\n", ";0.5%".repeat(128))
    }

    fn with_read(read: &str) -> String {
        DOCUMENT.replace("\"read\" : {}", &format!("\"read\" : {read}"))
    }

    #[test]
    fn what_fio_writes_into_a_document_is_known() {
        for known in [
            DOCUMENT.replace(
                "\"jobs\"",
                "\"time\" : \"Thu Nov 26 09:53:39 2026\", \"jobs\"",
            ),
            DOCUMENT.replace(
                "\"jobs\"",
                "\"time\" : \"Fri Nov  6 09:53:39 2026\", \"jobs\"",
            ),
            with_read(
                "{\"clat_ns\" : {\"percentile\" : {\"0.00\" : 0, \"0.00\" : 0, \"99.900000\" : 7}, \"bins\" : {\"620\" : 1}}}",
            ),
            with_read("{}, \"latency_ms\" : {\"2\" : 0.010000, \">=2000\" : 0.000000}"),
            with_read("{}, \"job options\" : {\"bs\" : \"4k\", \"bs\" : \"8k\"}"),
            DOCUMENT.replace(
                "\"jobs\"",
                "\"global options\" : {\"rw\" : \"read\"}, \"jobs\"",
            ),
            DOCUMENT.replace("3.33", "3.38-12-g0a1b2-dirty"),
            DOCUMENT.replace("fio-3.33", "plimsoll-0.1.0"),
        ] {
            assert!(is_results(&known), "{known}");
        }
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
            DOCUMENT.replace("fio-3.33", "fio-3.33-keep-this"),
            DOCUMENT.replace(
                "\"jobs\"",
                "\"global options\" : {\"my_note\" : \"x\"}, \"jobs\"",
            ),
            with_read("{}, \"job options\" : {\"my_note\" : \"x\"}"),
            format!("{0}{0}", terse()),
            "7\n".to_string(),
            DOCUMENT.replace("\"jobs\"", "\"time\" : \"the slow one\", \"jobs\""),
            DOCUMENT.replace(
                "\"jobs\"",
                "\"time\" : \"Fri Nov 26 09:53:39 2026\", \"jobs\"",
            ),
            DOCUMENT.replace("\"read\" : {}", "\"read\" : {}, \"eta\" : null"),
            DOCUMENT.replace("\"read\" : {}", "\"read\" : {}, \"read\" : {}"),
            with_read("{\"clat_ns\" : {\"percentile\" : {\"of the new disk\" : 1}}}"),
            with_read("{}, \"latency_us\" : {\"after the update\" : 1}"),
        ] {
            assert!(!is_results(&other), "{other}");
        }
    }
}
