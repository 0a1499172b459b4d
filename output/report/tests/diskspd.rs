//! Results in DiskSPD's layout. The figures and the tables are those of DiskSPD 2.2's own unit tests.

use plimsoll_evidence::witnessed::CpuUse;
use plimsoll_evidence::{
    CpuInterval, Environment, EnvironmentTarget, Interval, OpSummary, Phase, StepEvidence,
    StreamSummary, Witnessed,
};
use plimsoll_measure::{Histogram, IntervalStats, Op};
use plimsoll_report::diskspd::{Collector, Header, SpanOptions, text, xml};

fn histogram(values_us: &[u64]) -> Histogram {
    let mut histogram = Histogram::new();
    values_us.iter().for_each(|us| histogram.record(us * 1000));
    histogram
}

fn op(op: Op, ios: u64, bytes: u64, values_us: &[u64]) -> OpSummary {
    OpSummary {
        op,
        ios,
        bytes,
        errors: 0,
        // Response times are another thing, and in no column.
        response: histogram(&[9_000_000]),
        service: histogram(values_us),
    }
}

fn environment() -> Environment {
    let mut environment = Environment {
        tool_version: "0.1.0".into(),
        started: "2026-03-21T12:00:00Z".into(),
        targets: vec![EnvironmentTarget {
            name: "testfile1.dat".into(),
            size_bytes: 10 << 20,
            ..EnvironmentTarget::default()
        }],
        ..Environment::default()
    };
    environment.host.cpus_online = 1;
    environment.host.numa_nodes = 1;
    environment
}

/// 120 s in which 6 reads and 10 writes were done; one read in each of ten intervals.
fn collected(mut options: SpanOptions) -> Collector {
    options.targets = vec![(1, options.threads)];
    let mut collector = Collector::new(vec![options]);
    collector.ready(&environment());
    let interval = |number: u32, phase| {
        let mut stats = IntervalStats::new(1);
        stats.streams[0].ops[Op::Read as usize].ios = 1;
        stats.streams[0].ops[Op::Read as usize].service = histogram(&[1000]);
        let from = u64::from(number) * 1_000_000_000;
        let mut interval = Interval::new(1, number, from..from + 1_000_000_000, phase, stats);
        interval.cpu = Some(CpuInterval {
            user: 0.30,
            system: 0.25,
            ..CpuInterval::default()
        });
        interval
    };
    collector.interval(&interval(1, Phase::WarmUp));
    for number in 2..12 {
        collector.interval(&interval(number, Phase::Counted));
    }
    let fill = StepEvidence {
        fill: true,
        ..StepEvidence::new(1, "fill")
    };
    let measured = StepEvidence {
        counted_s: 120.0,
        witnessed: Some(Witnessed {
            cpus: [(0.6, 0.2), (0.5, 0.3)]
                .map(|(busy_s, system_s)| CpuUse {
                    busy_s,
                    system_s,
                    all_s: 1.0,
                    ..CpuUse::default()
                })
                .to_vec(),
            ..Witnessed::default()
        }),
        streams: vec![StreamSummary {
            workload: "target".into(),
            ops: vec![
                op(
                    Op::Read,
                    6,
                    4_194_304,
                    &[1000, 2000, 3000, 4000, 5000, 6000],
                ),
                op(Op::Write, 10, 2_097_152, &[7000; 10]),
            ],
            ..StreamSummary::default()
        }],
        ..StepEvidence::new(2, "span1")
    };
    let before = Collector::new(Vec::new());
    assert!(before.spans().is_empty());
    collector.done(&measured);
    collector.done(&fill);
    collector
}

const PLAIN: SpanOptions = SpanOptions {
    threads: 1,
    targets: Vec::new(),
    request_count: 0,
    pool: false,
    latency: false,
    iops_std_dev: true,
};

fn header() -> Header {
    Header {
        text: "\nCommand Line: x\n\n".into(),
        xml: "  <Profile>\n  </Profile>\n".into(),
    }
}

#[test]
fn the_tables_are_diskspd_s() {
    let expected = "\
Results for timespan 1:
*******************************************************************************

actual test time:\t120.00s
thread count:\t\t1

CPU |  Usage |  User  | Kernel |  Idle
----------------------------------------
   0|  60.00%|  40.00%|  20.00%|  40.00%
   1|  50.00%|  20.00%|  30.00%|  50.00%
----------------------------------------
avg.|  55.00%|  30.00%|  25.00%|  45.00%

Total IO
thread |       bytes     |     I/Os     |    MiB/s   |  I/O per s | IopsStdDev |  file
-------------------------------------------------------------------------------------------
     0 |         6291456 |           16 |       0.05 |       0.13 |       0.00 | testfile1.dat (10MiB)
-------------------------------------------------------------------------------------------
total:           6291456 |           16 |       0.05 |       0.13 |       0.00

Read IO
thread |       bytes     |     I/Os     |    MiB/s   |  I/O per s | IopsStdDev |  file
-------------------------------------------------------------------------------------------
     0 |         4194304 |            6 |       0.03 |       0.05 |       0.00 | testfile1.dat (10MiB)
-------------------------------------------------------------------------------------------
total:           4194304 |            6 |       0.03 |       0.05 |       0.00

Write IO
thread |       bytes     |     I/Os     |    MiB/s   |  I/O per s | IopsStdDev |  file
-------------------------------------------------------------------------------------------
     0 |         2097152 |           10 |       0.02 |       0.08 |       0.00 | testfile1.dat (10MiB)
-------------------------------------------------------------------------------------------
total:           2097152 |           10 |       0.02 |       0.08 |       0.00
";
    let shown = text(&header(), &environment(), collected(PLAIN).spans());
    let (above, results) = shown.split_at(shown.find("Results for").expect("results"));
    assert_eq!(results, expected);
    assert!(
        above.starts_with("\nCommand Line: x\n\nSystem information:\n\n"),
        "{above}"
    );
}

/// DiskSPD has a row for each thread and for each CPU, and readers count them.
#[test]
fn each_thread_and_each_cpu_has_a_row() {
    let options = SpanOptions {
        threads: 3,
        ..PLAIN
    };
    let shown = text(
        &header(),
        &environment(),
        collected(options.clone()).spans(),
    );
    let (_, total) = shown.split_once("Total IO\n").expect("a table");
    let (total, _) = total.split_once("\nRead IO").expect("another");
    let rows: Vec<&str> = total
        .lines()
        .filter(|l| l.contains("testfile1.dat"))
        .collect();
    let cell = |row: &&str, at: usize| -> u64 {
        row.split('|')
            .nth(at)
            .and_then(|c| c.trim().parse().ok())
            .expect("a number")
    };
    assert_eq!(
        rows.iter().map(|r| cell(r, 0)).collect::<Vec<_>>(),
        [0, 1, 2]
    );
    // 16 I/Os of 6 MiB in all: 6 reads and 10 writes, each in three parts.
    assert_eq!(
        rows.iter().map(|r| cell(r, 2)).collect::<Vec<_>>(),
        [2 + 4, 2 + 3, 2 + 3]
    );
    assert_eq!(rows.iter().map(|r| cell(r, 1)).sum::<u64>(), 6_291_456);
    let (_, cpus) = shown.split_once("Idle\n").expect("CPUs");
    let cpus: Vec<&str> = cpus.lines().skip(1).take(2).collect();
    assert_eq!(
        cpus,
        [
            "   0|  60.00%|  40.00%|  20.00%|  40.00%",
            "   1|  50.00%|  20.00%|  30.00%|  50.00%"
        ]
    );
    let shown = xml(&header(), &environment(), collected(options).spans());
    assert_eq!(
        (
            shown.matches("<Thread>").count(),
            shown.matches("<CPU>").count()
        ),
        (3, 2)
    );
}

#[test]
fn latency_is_service_time_and_its_chart_has_diskspd_s_lines() {
    let options = SpanOptions {
        latency: true,
        iops_std_dev: false,
        ..PLAIN
    };
    let shown = text(&header(), &environment(), collected(options).spans());
    let titles = "thread |       bytes     |     I/Os     |    MiB/s   |  I/O per s |  AvgLat  | LatStdDev |  file\n";
    assert_eq!(shown.matches(titles).count(), 3, "{shown}");
    // Their mean is 3.5 ms, and 1.871 ms is the deviation of a sample of 1 to 6 ms.
    assert!(shown.contains("|    3.500 |"), "{shown}");
    let (_, chart) = shown
        .split_once("\nTotal latency distribution:\n")
        .expect("a chart");
    let lines: Vec<&str> = chart.lines().collect();
    assert_eq!(lines[0], "  %-ile |  Read (ms) | Write (ms) | Total (ms)");
    assert_eq!(lines[2], "    min |      1.000 |      7.000 |      1.000");
    assert_eq!(lines[16], "    max |      6.000 |      7.000 |      7.000");
    let names: Vec<&str> = lines[3..16].iter().map(|l| l[..7].trim()).collect();
    let expected =
        "25th 50th 75th 90th 95th 99th 3-nines 4-nines 5-nines 6-nines 7-nines 8-nines 9-nines";
    assert_eq!(names.join(" "), expected);
}

#[test]
fn the_xml_has_diskspd_s_elements_in_its_order() {
    let shown = xml(&header(), &environment(), collected(PLAIN).spans());
    let thread = "    <Thread>
      <Id>0</Id>
      <Target>
        <Path>testfile1.dat</Path>
        <BytesCount>6291456</BytesCount>
        <FileSize>10485760</FileSize>
        <IOCount>16</IOCount>
        <ReadBytes>4194304</ReadBytes>
        <ReadCount>6</ReadCount>
        <WriteBytes>2097152</WriteBytes>
        <WriteCount>10</WriteCount>
        <Iops>
          <ReadIopsStdDev>0.000</ReadIopsStdDev>
";
    assert!(shown.contains(thread), "{shown}");
    let bucket = "<Bucket SampleMillisecond=\"2000\" Read=\"1\" Write=\"0\" Total=\"1\" \
                  ReadMinLatencyMilliseconds=\"1.000\" ReadMaxLatencyMilliseconds=\"1.000\" \
                  ReadAvgLatencyMilliseconds=\"1.000\" ReadLatencyStdDev=\"0.000\" \
                  WriteMinLatencyMilliseconds=\"0.000\" WriteMaxLatencyMilliseconds=\"0.000\" \
                  WriteAvgLatencyMilliseconds=\"0.000\" WriteLatencyStdDev=\"0.000\"/>\n";
    // Of all, and of the thread.
    assert_eq!(shown.matches(bucket).count(), 2, "{shown}");
    assert_eq!(
        shown.matches("<Bucket ").count(),
        20,
        "the warm-up is not among them"
    );
    let places: Vec<usize> = [
        "<System>",
        "<Profile>",
        "<TestTimeSeconds>120.00",
        "<UsagePercent>60.00",
        "<UsagePercent>55.00",
        "<Iops>",
        "<Thread>",
    ]
    .iter()
    .map(|word| {
        shown
            .find(word)
            .unwrap_or_else(|| panic!("{word}: {shown}"))
    })
    .collect();
    assert!(places.is_sorted(), "{places:?}");
    let latency = xml(
        &header(),
        &environment(),
        collected(SpanOptions {
            latency: true,
            ..PLAIN
        })
        .spans(),
    );
    assert_eq!(latency.matches("<Percentile>").count(), 1 + 99 + 7 + 1);
    assert!(
        latency.contains("<Percentile>99.9999999</Percentile>"),
        "{latency}"
    );
    assert!(
        latency.contains("<AverageReadMilliseconds>3.500<"),
        "{latency}"
    );
}

#[test]
fn a_name_that_is_no_xml_is_escaped() {
    let mut odd = environment();
    odd.host.hostname = "a<b>&\u{1}\"c".into();
    let shown = xml(&header(), &odd, &[]);
    assert!(
        shown.contains("<ComputerName>a&lt;b&gt;&amp;?&quot;c</ComputerName>"),
        "{shown}"
    );
}

#[test]
fn what_was_interrupted_before_it_was_measured_says_so() {
    let mut collector = Collector::new(vec![PLAIN]);
    collector.done(&StepEvidence::new(1, "span1"));
    let words = "The test was interrupted before the measurements began. No results are displayed.";
    assert!(text(&header(), &environment(), collector.spans()).ends_with(&format!("{words}\n")));
    let shown = xml(&header(), &environment(), collector.spans());
    assert!(
        shown.contains(&format!("<Error>{words}</Error>")),
        "{shown}"
    );
}

#[test]
fn several_time_spans_have_totals() {
    let one = collected(PLAIN);
    let spans = [one.spans()[0].clone(), one.spans()[0].clone()];
    let shown = text(&header(), &environment(), &spans);
    let (_, totals) = shown.split_once("\nTotals:\n").expect("totals");
    assert!(
        totals.contains("write  |         4194304 |           20 |       0.02 |       0.08\n"),
        "{totals}"
    );
    assert!(
        totals.contains("total  |        12582912 |           32 |       0.05 |       0.13\n"),
        "{totals}"
    );
    assert!(totals.ends_with("total test time:\t240.00s\n"), "{totals}");
}
