//! What may stay stays, and what must go is nowhere: by planting a secret in every single field that evidence has, and by
//! changing the scale of everything, of which nothing may be seen.

use super::*;
use plimsoll_evidence::{
    ArrayEvidence, AxisUnit, Bucket, ChartAxis, ChartKind, ChartPoint, ChartSeries, CoreUse,
    CurvePoint, CurveVerdict, End, Estimate, HostPart, LostHost, MethodChart, MethodVerdict,
    Saturation, SeriesBin, StepSeries, Stretch, Value,
};
use plimsoll_measure::Histogram;

const SECOND: u64 = 1 << 30;

/// A step whose times are `slow` times, and whose rates are `fast` times what they would be, by powers of two.
fn step(number: u32, share: f64, slow: u64, fast: f64, name: &str) -> StepEvidence {
    let mut response = Histogram::new();
    for n in 0..2000u64 {
        response.record((100_000 + n * 37 % 4096 * 128) * slow);
    }
    let bin = |n: u64| SeriesBin {
        ios: 90 + n * 7 % 40,
        timed: 90 + n * 7 % 40,
        response_sum_ns: (90 + n * 7 % 40) * (200_000 + n % 9 * 1024) * slow,
        ..SeriesBin::default()
    };
    // Twice the rate: the same I/Os in half of the time.
    let length = (SECOND as f64 / fast) as u64;
    StepEvidence {
        name: name.into(),
        run: name.into(),
        loops: vec![(name.into(), name.into())],
        load: format!("5000/s {name}"),
        offered: Some(1024.0 * share * fast),
        slots: 77_777,
        workers: 5_555,
        warmup_s: 0.0,
        counted_s: 100.0 * length as f64 / 1e9,
        ios: 204_800,
        bytes: 204_800 * 8192,
        rate: Estimate {
            mean: 1024.0 * share * fast,
            half_width: Some(8.0 * fast),
            batches: 30,
        },
        response_mean_ns: Estimate {
            mean: 262_144.0 * slow as f64 / share,
            half_width: Some(1024.0 * slow as f64),
            batches: 30,
        },
        service_mean_ns: Estimate::bare(131_072.0 * slow as f64),
        response: response.clone(),
        service: response,
        depth_mean: 31_313.0,
        saturation: Some(Saturation {
            no_slot_share: 0.25,
            shortfall: 0.125,
            backlog_growth: 717.0 * fast,
            ..Saturation::default()
        }),
        stalls: vec![Stretch {
            start_ns: 10 * length,
            length_ns: length,
            ios: 2048,
        }],
        end: End::Elapsed,
        series: Some(StepSeries {
            start_ns: 0,
            end_ns: 100 * length,
            bin_ns: length,
            bins: (0..100).map(bin).collect(),
            ..StepSeries::default()
        }),
        arrays: vec![array(name, fast)],
        hosts: vec![
            host(1, 768.0 * share * fast, 131_072.0 * slow as f64, name),
            host(2, 256.0 * share * fast, 524_288.0 * slow as f64, name),
        ],
        lost_hosts: vec![LostHost {
            host: 3,
            name: name.into(),
            why: format!("{name} is silent"),
        }],
        findings: vec![Finding {
            rule: "PL200".into(),
            severity: Severity::Invalid,
            step: Some(number),
            values: vec![
                value("zeros", Quantity::Share(0.98)),
                value("mean", Quantity::Ns(123_456_789.0)),
                value(name, Quantity::Share(0.5)),
                value("share", Quantity::Text(name.into())),
            ],
            message: format!("{name} 987654321"),
            remedy: name.into(),
        }],
        notes: vec![name.into()],
        ..StepEvidence::new(number, name)
    }
}

fn host(number: u32, rate: f64, response_ns: f64, name: &str) -> HostPart {
    HostPart {
        workers: 5_555,
        offered: Some(rate),
        ios: 102_400,
        rate: Estimate::bare(rate),
        response_mean_ns: Estimate::bare(response_ns),
        saturation: Some(Saturation::default()),
        findings: vec![Finding::of_method("read-only", Severity::Note, [])],
        ..HostPart::new(number, name)
    }
}

fn value(name: &str, quantity: Quantity) -> Value {
    Value::new(name, quantity)
}

fn array(name: &str, fast: f64) -> ArrayEvidence {
    let bucket = |place: &str, chunks| Bucket {
        place: place.into(),
        chunks,
    };
    let core = |utilisation| CoreUse {
        utilisation,
        ..CoreUse::default()
    };
    ArrayEvidence {
        name: name.into(),
        targets: vec![name.into()],
        scale: Some(20.0 * fast),
        observed_s: 10.0 / fast,
        read_source: vec![bucket("cache", 3072), bucket(name, 1024)],
        cores: vec![core(0.9), core(0.3)],
        ..ArrayEvidence::default()
    }
}

fn curve(slow: u64, fast: f64, name: &str) -> Verdict {
    Verdict::Curve(CurveVerdict {
        run: name.into(),
        decided: true,
        maximum: Estimate::bare(1024.0 * fast),
        points: vec![CurvePoint {
            step: 1,
            name: name.into(),
            percent: Some(50),
            offered: None,
            achieved: Estimate::bare(1024.0 * fast),
            saturated: false,
            response_mean_ns: Estimate::bare(1e6 * slow as f64),
            service_mean_ns: Estimate::bare(1e6 * slow as f64),
            response_p50_ns: Some(1_234_567 * slow),
            response_p99_ns: None,
            response_p999_ns: None,
            depth_mean: 12.0,
            backlog_growth: None,
            saturation: None,
        }],
        knee: Some(Estimate::bare(768.0 * fast)),
        capacities: vec![plimsoll_evidence::Capacity {
            statistic: plimsoll_evidence::SloStatistic::Quantile(0.99),
            limit_ns: 524_288 * slow,
            rate: Some(Estimate::bare(896.0 * fast)),
            response_mean_ns: Some(1e6 * slow as f64),
            at_least: false,
        }],
        findings: Vec::new(),
        limit: None,
    })
}

fn method(slow: u64, name: &str) -> Verdict {
    let point = |x: f64, y: f64| ChartPoint {
        x,
        y: y * slow as f64,
        ..ChartPoint::default()
    };
    Verdict::Method(MethodVerdict {
        method: "saturate".into(),
        run: name.into(),
        class: "complete".into(),
        decided: true,
        sentence: format!("{name} carries 123456 at 98.7 ms"),
        figures: Vec::new(),
        tables: Vec::new(),
        charts: vec![MethodChart {
            title: name.into(),
            kind: ChartKind::Lines,
            x: ChartAxis::of(name, AxisUnit::Number),
            y: ChartAxis::of(name, AxisUnit::Ns),
            z: None,
            series: vec![ChartSeries {
                name: name.into(),
                points: vec![point(1.0, 1e5), point(8.0, 2e5), point(64.0, 4e5)],
            }],
            marks: Vec::new(),
        }],
        findings: Vec::new(),
    })
}

fn made(slow: u64, fast: f64, name: &str) -> Redacted {
    let steps = [
        step(7, 1.0, slow, fast, name),
        step(9, 0.5, slow, fast, name),
        StepEvidence {
            fill: true,
            ..step(3, 40.0, slow, fast, name)
        },
    ];
    of(&steps, &[curve(slow, fast, name), method(slow, name)], &[])
}

#[test]
fn two_results_that_differ_in_scale_and_names_alone_are_the_same_when_redacted() {
    let one = made(1, 1.0, "db-prod-17");
    // Powers of two, so that nothing differs by rounding; drawn by the upper bits of Knuth's MMIX generator.
    let mut state = 7u64;
    let mut draw = |below: u64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    for _ in 0..60 {
        let (slow, fast) = (1 << draw(8), 2f64.powi(draw(16) as i32 - 8));
        let name = format!("/dev/disk/by-id/wwn-0x{:08x}", draw(u64::from(u32::MAX)));
        let other = made(slow, fast, &name);
        assert_eq!(one, other, "{slow} {fast}");
        assert_eq!(page(&one), page(&other));
    }
}

#[test]
fn shapes_ratios_classes_and_rules_stay() {
    let redacted = made(1, 1.0, "x");
    let percent = |r: Option<Relative>| r.map(Relative::percent);
    assert_eq!(redacted.steps.len(), 2, "a fill is in no result");
    assert_eq!(percent(redacted.steps[0].rate), Some(100.0));
    assert_eq!(percent(redacted.steps[1].rate), Some(50.0));
    assert_eq!(percent(redacted.steps[0].response), Some(50.0));
    assert_eq!(percent(redacted.steps[1].response), Some(100.0));
    assert_eq!(percent(redacted.steps[0].shortfall), Some(13.0));
    assert_eq!(percent(redacted.steps[0].stalls[0].start), Some(10.0));
    let course = &redacted.steps[0].course;
    assert_eq!(course.len(), of_step::PARTS);
    assert!(course.iter().any(|p| percent(p.rate) == Some(100.0)));
    assert!(
        course
            .iter()
            .any(|p| p.rate.is_some_and(|r| r.percent() < 95.0))
    );
    let words: Vec<&str> = redacted.steps[0].tail.iter().map(|t| t.0).collect();
    assert_eq!(words, ["p50", "p90", "p99"]);
    let hosts = &redacted.steps[0].hosts;
    let shares: Vec<_> = hosts.iter().map(|h| percent(h.share)).collect();
    assert_eq!(shares, [Some(75.0), Some(25.0)]);
    let responses: Vec<_> = hosts.iter().map(|h| percent(h.response)).collect();
    assert_eq!(responses, [Some(25.0), Some(100.0)]);
    assert!(redacted.steps[0].lost_hosts);
    let array = &redacted.steps[0].arrays[0];
    assert_eq!(percent(array.busiest_core), Some(90.0));
    assert_eq!(percent(array.mean_core), Some(60.0));
    let source: Vec<(&str, f64)> = array
        .read_source
        .iter()
        .map(|(n, r)| (*n, r.percent()))
        .collect();
    assert_eq!(source, [("cache", 75.0), ("elsewhere", 25.0)]);
    let curve = &redacted.verdicts[0];
    assert_eq!(percent(curve.knee), Some(75.0));
    assert_eq!(percent(curve.capacities[0].rate), Some(88.0));
    assert_eq!(curve.capacities[0].statistic, "p99");
    assert_eq!(redacted.verdicts[1].class, Some("complete"));
    let line = &redacted.verdicts[1].charts[0].lines[0];
    let points: Vec<(f64, f64)> = line
        .iter()
        .map(|(x, y)| (x.percent(), y.percent()))
        .collect();
    assert_eq!(points, [(0.0, 26.0), (50.0, 50.0), (100.0, 100.0)]);
    let found = &redacted.findings[0];
    assert_eq!(found.rule.map(Code::words).as_deref(), Some("PL200"));
    assert_eq!((found.name, found.step), ("zeros-served", Some(1)));
    assert_eq!(found.values, [("zeros", Relative::share(0.98).unwrap())]);
}

#[test]
fn neither_the_scatter_nor_the_number_of_points_tells_how_many_ios_there_were() {
    let bins = |count: u64, scatter: u64| {
        let mut step = step(1, 1.0, 1, 1.0, "x");
        let series = step.series.as_mut().unwrap();
        series.end_ns = count * series.bin_ns;
        series.bins = (0..count)
            .map(|n| SeriesBin {
                ios: 100_000 + n * 37 % (scatter + 1),
                timed: 100_000,
                response_sum_ns: 100_000 * 200_000,
                ..SeriesBin::default()
            })
            .collect();
        // One I/O of all failed: its share would be the number of all.
        step.errors = 1;
        step
    };
    // The scatter of chance is about 316 of 100,000; with less or more of it the picture is the same.
    let one = of(&[bins(400, 316)], &[], &[]);
    assert_eq!(one, of(&[bins(4000, 100)], &[], &[]));
    assert_eq!(one.steps[0].course.len(), 40);
    assert!(one.steps[0].failed);
    let mut long = method(1, "x");
    let Verdict::Method(verdict) = &mut long else {
        panic!()
    };
    verdict.charts[0].x.unit = AxisUnit::Seconds;
    verdict.charts[0].series[0].points = (0..1234)
        .map(|n| ChartPoint {
            x: f64::from(n),
            y: 1e5 + f64::from(n * 37 % 317),
            ..ChartPoint::default()
        })
        .collect();
    let redacted = of(&[], &[long, curve(1, 1.0, "x")], &[]);
    let line = &redacted.verdicts[0].charts[0].lines[0];
    assert!(line.len() <= 40, "{}", line.len());
    assert!(
        line.iter()
            .all(|(x, y)| x.percent() % 2.0 == 0.0 && y.percent() == 100.0)
    );
    let all = serde_json::to_string(&redacted).unwrap();
    assert!(!all.contains("limit"), "{all}");
}

#[test]
fn what_a_record_names_and_this_version_does_not_know_is_left_out() {
    let verdict = |method: &str, class: &str| {
        Verdict::Method(MethodVerdict {
            method: method.into(),
            run: String::new(),
            class: class.into(),
            decided: true,
            sentence: String::new(),
            figures: Vec::new(),
            tables: Vec::new(),
            charts: Vec::new(),
            findings: Vec::new(),
        })
    };
    let finding = Finding {
        rule: "db-prod-17".into(),
        severity: Severity::Note,
        step: Some(4),
        values: vec![value("share", Quantity::Share(0.5))],
        message: String::new(),
        remedy: String::new(),
    };
    let redacted = of(&[], &[verdict("db-prod-17", "db-prod-18")], &[finding]);
    assert_eq!(redacted.verdicts[0].method, None);
    assert_eq!(redacted.verdicts[0].class, None);
    assert_eq!(redacted.findings[0].rule, None);
    assert!(redacted.findings[0].values.is_empty());
    let all = page(&redacted) + &serde_json::to_string(&redacted).unwrap();
    assert!(!all.contains("db-prod"), "{all}");
}

/// Every text and number below a value, as JSON pointers.
fn leaves(value: &serde_json::Value, at: String, found: &mut Vec<String>) {
    match value {
        serde_json::Value::Array(all) => {
            let places = all.iter().enumerate();
            places.for_each(|(n, v)| leaves(v, format!("{at}/{n}"), found));
        }
        serde_json::Value::Object(all) => {
            let places = all.iter();
            places.for_each(|(k, v)| leaves(v, format!("{at}/{}", k.replace('/', "~1")), found));
        }
        serde_json::Value::String(_) => found.push(at),
        _ => {}
    }
}

#[test]
fn a_text_planted_in_any_field_of_a_step_or_verdict_is_nowhere() {
    const SECRET: &str = "zzSECRETzz";
    let of_step = serde_json::to_value(step(1, 1.0, 1, 1.0, "n")).unwrap();
    let of_verdict = serde_json::to_value(method(1, "n")).unwrap();
    let mut planted = 0;
    for (original, is_step) in [(&of_step, true), (&of_verdict, false)] {
        let mut places = Vec::new();
        leaves(original, String::new(), &mut places);
        // Histograms are coded texts, and many; one of each kind is looked at.
        for at in places {
            let mut changed = original.clone();
            *changed.pointer_mut(&at).unwrap() = SECRET.into();
            let redacted = match is_step {
                true => serde_json::from_value(changed).map(|s| of(&[s], &[], &[])),
                false => serde_json::from_value(changed).map(|v| of(&[], &[v], &[])),
            };
            // Where a text is one of an enum's, it cannot be a secret.
            let Ok(redacted) = redacted else { continue };
            planted += 1;
            let all = page(&redacted) + &serde_json::to_string(&redacted).unwrap();
            assert!(!all.contains(SECRET), "{at}");
        }
    }
    assert!(planted >= 20, "{planted} fields were planted");
}
