//! DiskSPD's result in XML.

use super::diskspd::{mix, of_profile};
use crate::input::ReadError;
use crate::model::{
    AskedSettings, Cpu, CpuOf, ForeignResult, Format, InputPlace, Pair, Remark, Row, Run, Samples,
    Scope, Side, Tool,
};
use crate::text;
use crate::xml::{self, Element};

/// True where a text is an XML result of DiskSPD.
pub fn is_one(text: &str) -> bool {
    text.contains("<Results>") && (text.contains("<TimeSpan>") || text.contains("<Profile>"))
}

/// Reads it.
pub fn read(name: &str, text: &str) -> Result<ForeignResult, ReadError> {
    let document = xml::find(text, "Results");
    let nothing = || ReadError::Nothing {
        name: name.into(),
        what: "XML of DiskSPD",
        missing: "no time span in it has a result",
        remedy: "give all that DiskSPD printed with -R xml",
    };
    let document = document.ok_or_else(nothing)?;
    let root = &document.root;
    let asked = of_profile(text);
    let spans = root.all("TimeSpan").enumerate();
    let runs: Vec<Run> = spans
        .filter_map(|(i, e)| run(i, e, asked.get(i).map(|s| AskedSettings::of(&s.asked()))))
        .collect();
    if runs.is_empty() {
        return Err(nothing());
    }
    let cut = document.cut_at.map(|line| Remark {
        at: InputPlace { source: 0, line },
        text: "the XML ends here before its end: what was there is judged".into(),
    });
    Ok(ForeignResult {
        tool: Tool::DiskSpd,
        format: Format::DiskSpdXml,
        started_s: None,
        version: root
            .text_at(&["System", "Tool", "Version"])
            .map(str::to_string),
        sources: vec![name.into()],
        runs,
        remarks: cut.into_iter().collect(),
    })
}

fn run(index: usize, span: &Element, asked: Option<AskedSettings>) -> Option<Run> {
    let at = InputPlace {
        source: 0,
        line: span.line,
    };
    let seconds = span.number_at(&["TestTimeSeconds"]).filter(|s| *s > 0.0);
    let mut asked = asked.unwrap_or_default();
    let mut whole = Row::new(Scope::Whole, "total", at);
    whole.seconds = seconds;
    let mut targets: Vec<&Element> = span.all("Thread").flat_map(|t| t.all("Target")).collect();
    // The last one may be cut off within its figures.
    if let [first, .., last] = &targets[..]
        && last.children.len() < first.children.len()
    {
        targets.pop();
    }
    let sum = |name: &str| -> Option<f64> {
        let counts: Vec<f64> = targets
            .iter()
            .filter_map(|t| t.number_at(&[name]))
            .collect();
        (!counts.is_empty()).then(|| counts.iter().sum())
    };
    let side = |count: Option<f64>| Side {
        iops: count.zip(seconds).and_then(|(n, s)| text::rate(n / s)),
        ios: count.map(|n| n as u64),
        ..Side::default()
    };
    whole.all = side(sum("IOCount"));
    whole.reads = side(sum("ReadCount"));
    whole.writes = side(sum("WriteCount"));
    whole.bandwidth = sum("BytesCount")
        .zip(seconds)
        .and_then(|(b, s)| text::bytes(b / s));
    whole.all.iops?;
    if let Some(latency) = span.child("Latency") {
        latencies(&mut whole, latency);
    }
    whole.cpu = cpu(span);
    // Each by itself, for in a sum of many one that was changed is lost in the rounding.
    for target in &targets {
        let of = |one: &str, parts: [&str; 2]| {
            let both = target.number_at(&[parts[0]])? + target.number_at(&[parts[1]])?;
            let all = target.number_at(&[one])?;
            Some(Pair::same(parts.join(" and "), both, one, all, 1.0))
        };
        let pairs = [
            of("IOCount", ["ReadCount", "WriteCount"]),
            of("BytesCount", ["ReadBytes", "WriteBytes"]),
        ];
        whole.pairs.extend(pairs.into_iter().flatten());
    }
    let lasted = seconds.zip(asked.duration_s);
    let lasted =
        lasted.map(|(ran, asked)| Pair::at_most("TestTimeSeconds", ran, "Duration", asked, ENDS_S));
    whole.pairs.extend(lasted);
    whole.pairs.extend(mix(&asked, &whole));
    whole.pairs.extend(shares(span));
    let size = targets.first().and_then(|t| t.number_at(&["FileSize"]));
    let size = size.and_then(text::bytes).filter(|s| s.0 > 0);
    asked.target_size = size.or(asked.target_size);
    let mut rows = intervals(span);
    whole.samples = deviation(span)
        .zip(whole.iops())
        .and_then(|(sd, mean)| samples(sd, mean, &rows));
    whole.pairs.extend(printed_deviation(span, &rows));
    rows.push(whole);
    let name = format!("time span {}", index + 1);
    Some(Run {
        name,
        at,
        asked,
        rows,
        ..Run::default()
    })
}

fn latencies(row: &mut Row, latency: &Element) {
    let ms = |e: &Element, name: &str| e.number_at(&[name]).and_then(text::millis);
    let sides = [
        (
            &mut row.reads,
            "AverageReadMilliseconds",
            "ReadLatencyStdev",
            "ReadMilliseconds",
        ),
        (
            &mut row.writes,
            "AverageWriteMilliseconds",
            "WriteLatencyStdev",
            "WriteMilliseconds",
        ),
        (
            &mut row.all,
            "AverageTotalMilliseconds",
            "LatencyStdev",
            "TotalMilliseconds",
        ),
    ];
    for (side, mean, sd, at) in sides {
        side.latency.mean = ms(latency, mean).filter(|m| m.0 > 0);
        side.latency.sd = ms(latency, sd);
        for bucket in latency.all("Bucket").take(1000) {
            let (Some(percent), Some(value)) = (bucket.number_at(&["Percentile"]), ms(bucket, at))
            else {
                continue;
            };
            match percent {
                0.0 => side.latency.min = Some(value),
                100.0 => side.latency.max = Some(value),
                p if p < 100.0 => side.latency.percentiles.push((p / 100.0, value)),
                _ => {}
            }
        }
    }
}

/// By how much the time that was measured may exceed the one that was asked for, s. A run that was interrupted is shorter.
pub(super) const ENDS_S: f64 = 1.0;

/// Sums that the CPUs' shares have to add up to, %.
fn shares(span: &Element) -> Vec<Pair> {
    let share = |name| span.number_at(&["CpuUtilization", "Average", name]);
    let all = share("UsagePercent");
    let parts = || Some(share("UserPercent")? + share("KernelPercent")?);
    let used = all.zip(parts());
    let used = used.map(|(all, both)| {
        Pair::same(
            "UserPercent and KernelPercent",
            both,
            "UsagePercent",
            all,
            0.5,
        )
    });
    let idle = all.zip(share("IdlePercent"));
    let idle = idle.map(|(all, idle)| {
        Pair::same(
            "UsagePercent and IdlePercent",
            all + idle,
            "all of the CPUs",
            100.0,
            1.0,
        )
    });
    used.into_iter().chain(idle).collect()
}

fn cpu(span: &Element) -> Option<Cpu> {
    let share = |name| {
        span.number_at(&["CpuUtilization", "Average", name])
            .map(|p| p / 100.0)
    };
    let busy = share("UsagePercent").filter(|s| *s <= 1.01)?;
    Some(Cpu {
        of: CpuOf::Host,
        busy,
        system: share("KernelPercent"),
    })
}

fn deviation(of: &Element) -> Option<f64> {
    of.number_at(&["Iops", "IopsStdDev"])
}

/// The rates of all intervals, whose deviation is printed.
fn samples(sd: f64, mean: f64, intervals: &[Row]) -> Option<Samples> {
    let least = intervals
        .iter()
        .filter_map(Row::iops)
        .min_by(f64::total_cmp);
    Some(Samples {
        count: intervals.len() as u64,
        min: Some(least?),
        mean,
        max: None,
        sd,
    })
}

/// The deviation that is printed beside that of the intervals. Each target's own is of the intervals until its last I/O, so that the
/// targets' say nothing of it.
fn printed_deviation(span: &Element, intervals: &[Row]) -> Option<Pair> {
    // Rates are told without a fraction.
    const ROUNDED: f64 = 0.6;
    let printed = deviation(span)?;
    let rates: Vec<f64> = intervals.iter().filter_map(Row::iops).collect();
    let n = rates.len() as f64;
    let mean = rates.iter().sum::<f64>() / n;
    let spread = (rates.iter().map(|r| (r - mean).powi(2)).sum::<f64>() / n).sqrt();
    (n > 0.0).then(|| {
        let what = "the deviation of the buckets in Iops";
        Pair::same(what, spread, "IopsStdDev", printed, ROUNDED)
    })
}

/// The series of I/Os that `-D` gathers, in intervals of mostly one second.
fn intervals(span: &Element) -> Vec<Row> {
    let Some(iops) = span.child("Iops") else {
        return Vec::new();
    };
    let mut rows: Vec<Row> = Vec::new();
    let mut before = 0.0;
    for bucket in iops.all("Bucket").take(1_000_000) {
        let (Some(ms), Some(total)) = (
            bucket.attribute("SampleMillisecond"),
            bucket.attribute("Total"),
        ) else {
            continue;
        };
        let seconds = (ms - before) / 1e3;
        before = ms;
        if seconds <= 0.0 {
            continue;
        }
        let number = rows.len() as u32 + 1;
        let at = InputPlace {
            source: 0,
            line: bucket.line,
        };
        let mut row = Row::new(Scope::Interval(number), number.to_string(), at);
        row.seconds = Some(seconds);
        // A bucket has rates, whatever its length.
        row.all.iops = text::rate(total);
        row.all.ios = Some((total * seconds) as u64);
        rows.push(row);
    }
    rows
}
