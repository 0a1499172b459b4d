//! Exports, read back as their readers read them.

use crate::sample;
use hdrhistogram::Histogram;
use hdrhistogram::serialization::Deserializer;
use hdrhistogram::serialization::interval_log::{IntervalLogIterator, LogEntry};
use parquet::basic::Type as Physical;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;
use plimsoll_evidence::StepEvidence;
use plimsoll_measure::Op;
use plimsoll_record::export::{self, Parquet, Rows};
use plimsoll_record::{Record, Recorder, RunStatus};
use std::fs::File;
use std::time::Duration;

fn record(dir: &tempfile::TempDir) -> Record {
    let path = dir.path().join("run.plim");
    sample::write(&path);
    Record::open(&path).unwrap()
}

#[test]
fn csv_of_steps_has_a_header_and_a_line_each() {
    let dir = tempfile::tempdir().unwrap();
    let mut out = Vec::new();
    export::csv(&record(&dir), Rows::Steps, &mut out).unwrap();
    let text = String::from_utf8(out).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 3);
    let header: Vec<&str> = lines[0].split(',').collect();
    let first: Vec<&str> = lines[1].split(',').collect();
    assert_eq!(header.len(), first.len());
    let value = |name: &str| first[header.iter().position(|h| *h == name).unwrap()];
    assert_eq!(value("name"), "rd1_(10%)");
    assert_eq!(value("iops"), "1250");
    assert_eq!(value("offered_iops"), "2000");
    assert_eq!(
        value("response_p9999_us"),
        "",
        "what the sample cannot support is empty"
    );
    assert!(!header.contains(&"evidence"));
}

fn answers(rows: Rows) -> Vec<String> {
    let dir = tempfile::tempdir().unwrap();
    let mut out = Vec::new();
    export::csv(&record(&dir), rows, &mut out).unwrap();
    let text = String::from_utf8(out).unwrap();
    text.lines().map(String::from).collect()
}

#[test]
fn csv_of_a_methods_verdict_has_a_line_for_each_number_with_its_unit() {
    assert_eq!(
        answers(Rows::Figures),
        [
            "run,method,class,decided,figure,value,unit,low,high,remark",
            "rd1,curve,decided,true,maximum,2500,per_second,,,",
            "rd1,curve,decided,true,knee,,,,,the points show none",
            "rd1,curve,decided,true,capacity p99=2000000ns,2000,per_second,,,at least: the limit holds at every point",
            "night,soak,cliff,true,sustained_rate,1234.5,per_second,1200.25,1260,",
            "night,soak,cliff,true,fsync,\"honoured, \"\"all\"\"\",text,,,",
            "night,soak,cliff,true,age,,,,,'=no write was made",
        ]
    );
    assert_eq!(
        answers(Rows::Cells),
        [
            "run,method,table,row,column,value,unit,low,high",
            "night,soak,phases,1,phase,fresh,text,,",
            "night,soak,phases,1,rate,5000,per_second,4900,5100",
            "night,soak,phases,2,phase,after,text,,",
            "night,soak,phases,2,rate,,,,",
        ]
    );
    assert_eq!(
        answers(Rows::Points),
        [
            "run,method,chart,series,x,x_unit,y,y_unit,low,high,z,z_unit",
            "night,soak,rate over time,writes,0.1,seconds,5000,per_second,4999.5,5000.5,500,number",
            "night,soak,rate over time,writes,0.2,seconds,1234.5,per_second,1234,1235,246.9,number",
        ]
    );
}

#[test]
fn csv_of_findings_has_those_of_steps_verdicts_and_the_record_once_each() {
    let lines = answers(Rows::Findings);
    let rules: Vec<&str> = lines.iter().map(|l| l.split(',').nth(1).unwrap()).collect();
    let all = [
        "target-stalled",
        "target-stalled",
        "curve-depth-given",
        "curve-depth-given",
        "PL012",
    ];
    assert_eq!(rules[1..], all);
    assert!(
        lines[1]
            .starts_with("1,target-stalled,note,\"It stalled at 0.3 s for 1.5 s: 77 I/Os waited.")
    );
    assert!(
        lines[4].starts_with(",curve-depth-given,suspect,\"The maximum is what 64 slots carry, ")
    );
}

#[test]
fn a_name_is_no_formula_in_csv_and_numbers_are_as_they_are() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("run.plim");
    let names = [
        "=1+1",
        "+1",
        "-1",
        "@SUM(A1)",
        "\t=1",
        "\r=1",
        "=\"a\",b",
        "a=1",
        "'",
        "\u{1b}]0;x\u{7}",
        "a\nb,\u{9b}2J",
        "\u{202e}",
        r"C:\new",
        "größe, µs",
    ];
    let cells = [
        "'=1+1",
        "'+1",
        "'-1",
        "'@SUM(A1)",
        r"\t=1",
        r"\r=1",
        "\"'=\"\"a\"\",b\"",
        "a=1",
        "'",
        r"\x1b]0;x\x07",
        r#""a\nb,\x9b2J""#,
        r"\u{202e}",
        r"C:\new",
        "\"größe, µs\"",
    ];
    let mut recorder = Recorder::create(&path, &sample::environment(), "{}").unwrap();
    for (number, name) in (1..).zip(names) {
        recorder
            .begin_step(number, name, name, sample::STEP)
            .unwrap();
        recorder
            .append_interval(&sample::interval(number, 1))
            .unwrap();
        let mut step = sample::step(number, name, 1.0);
        (step.run, step.offered) = (name.into(), Some(-5.5));
        recorder.finish_step(&step).unwrap();
    }
    recorder.finish(RunStatus::Completed).unwrap();
    let record = Record::open(&path).unwrap();
    let csv = |table| {
        let mut out = Vec::new();
        export::csv(&record, table, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    };
    let (steps, intervals) = (csv(Rows::Steps), csv(Rows::Intervals));
    for (number, cell) in (1..).zip(cells) {
        let line = format!("\n{number},{cell},{cell},");
        assert!(steps.contains(&line), "{cell} in {steps}");
        let line = format!("\n{cell},{number},1,");
        assert!(intervals.contains(&line), "{cell} in {intervals}");
    }
    assert!(
        steps.contains(",-5.5,") && !steps.contains("'-5.5"),
        "{steps}"
    );
}

#[test]
fn csv_of_intervals_names_the_step_and_quotes_lists() {
    let dir = tempfile::tempdir().unwrap();
    let mut out = Vec::new();
    export::csv(&record(&dir), Rows::Intervals, &mut out).unwrap();
    let text = String::from_utf8(out).unwrap();
    assert_eq!(text.lines().count(), 7);
    assert!(text.starts_with("name,step,interval,"));
    assert!(
        text.lines()
            .nth(1)
            .unwrap()
            .starts_with("rd1_(10%),1,1,0,1000000000,1,1700,")
    );
    assert!(text.contains("\"[0.7,0.3]\""));
}

#[test]
fn the_json_document_holds_the_whole_record() {
    let dir = tempfile::tempdir().unwrap();
    let record = record(&dir);
    let mut out = Vec::new();
    export::json(&record, &mut out).unwrap();
    let document: serde_json::Value = serde_json::from_slice(&out).unwrap();
    assert_eq!(document["status"], "completed");
    assert_eq!(document["plan"]["title"], "sample");
    assert_eq!(
        document["steps"][1]["intervals"].as_array().unwrap().len(),
        3
    );
    let evidence: StepEvidence =
        serde_json::from_value(document["steps"][0]["evidence"].clone()).unwrap();
    assert_eq!(evidence, record.steps().unwrap()[0]);
    let found = document["findings"].as_array().unwrap();
    let rules: Vec<_> = found.iter().map(|f| f["rule"].as_str().unwrap()).collect();
    let own = ["target-stalled", "target-stalled"];
    let of_verdicts = ["curve-depth-given", "curve-depth-given"];
    assert_eq!(rules, [&own[..], &of_verdicts, &["PL012"]].concat());
    // In the table they have no values, here they do.
    assert_eq!(found[0]["values"][3]["quantity"]["value"], 77);
}

#[test]
fn the_hdr_log_reads_back_with_the_same_counts_and_percentiles() {
    let dir = tempfile::tempdir().unwrap();
    let record = record(&dir);
    let mut out = Vec::new();
    export::hdr(&record, &mut out).unwrap();
    let mut read = Vec::new();
    for entry in IntervalLogIterator::new(&out) {
        if let LogEntry::Interval(line) = entry.unwrap() {
            let encoded =
                base64::Engine::decode(&base64::prelude::BASE64_STANDARD, line.encoded_histogram())
                    .unwrap();
            let histogram: Histogram<u64> =
                Deserializer::new().deserialize(&mut &encoded[..]).unwrap();
            read.push((
                line.tag().unwrap().as_str().to_string(),
                line.start_timestamp(),
                histogram,
            ));
        }
    }
    // 2 steps of 3 intervals, each with reads and writes, each with response and service.
    assert_eq!(read.len(), 2 * 3 * 2 * 2);
    assert!(read.is_sorted_by_key(|(_, start, _)| *start));
    assert_eq!(read[0].0, "1.rd1_(10%).read.response.warmup");
    let (_, start, writes) = read
        .iter()
        .find(|(tag, ..)| tag == "2.rd1_(20%).write.service")
        .unwrap();
    assert!(*start >= Duration::from_secs(1));
    let ours = &record.intervals(2).unwrap()[1].stats.streams[1].ops[Op::Write as usize].service;
    assert_eq!(writes.len(), ours.count());
    for q in [0.5, 0.9, 0.99] {
        // Ours knows the exact maximum, a reader only its bucket.
        let read = writes.value_at_quantile(q).min(ours.max_ns().unwrap());
        assert_eq!(read, ours.quantile_ns(q).unwrap());
    }
}

fn parquet(record: &Record, dir: &tempfile::TempDir, rows: Rows) -> SerializedFileReader<File> {
    let path = dir.path().join("table.parquet");
    let mut parquet = Parquet::default();
    export::table(record, rows, &mut parquet).unwrap();
    parquet.finish(&mut File::create(&path).unwrap()).unwrap();
    SerializedFileReader::new(File::open(&path).unwrap()).unwrap()
}

/// A value as CSV has it, of a text that needs no quotes.
fn shown(field: &Field) -> String {
    match field {
        Field::Null => String::new(),
        Field::Long(n) => n.to_string(),
        Field::Double(x) => x.to_string(),
        Field::Str(text) => text.clone(),
        other => panic!("{other}: no value of ours"),
    }
}

#[test]
fn parquet_has_the_rows_of_csv_and_their_kinds() {
    let dir = tempfile::tempdir().unwrap();
    let record = record(&dir);
    for rows in Rows::ALL {
        let mut csv = Vec::new();
        export::csv(&record, rows, &mut csv).unwrap();
        let reader = parquet(&record, &dir, rows);
        let read: Vec<Vec<(String, String)>> = (reader.get_row_iter(None).unwrap())
            .map(|row| {
                let row = row.unwrap();
                let columns = row.get_column_iter();
                columns
                    .map(|(name, field)| (name.clone(), shown(field)))
                    .collect()
            })
            .collect();
        let csv = String::from_utf8(csv).unwrap();
        let mut lines = csv.lines();
        let header: Vec<&str> = lines.next().unwrap().split(',').collect();
        assert_eq!(read.len(), lines.clone().count(), "{rows:?}");
        for (row, line) in read.iter().zip(lines) {
            // Quoted texts may hold commas: what stands before the first is compared.
            let plain = line.split('"').next().unwrap().trim_start_matches('\'');
            let cells: Vec<&str> = plain.split(',').collect();
            let whole = if plain.len() == line.len() {
                cells.len()
            } else {
                cells.len() - 1
            };
            for (name, cell) in header.iter().zip(&cells[..whole]) {
                let of = |name: &str| row.iter().find(|(n, _)| n == name).map(|(_, v)| v.as_str());
                let text = of(&format!("{name}_text")).filter(|text| !text.is_empty());
                let value = text
                    .or(of(name))
                    .unwrap_or_else(|| panic!("{name} in {row:?}"));
                assert_eq!(
                    value,
                    cell.trim_start_matches('\''),
                    "{rows:?} {name}: {line}"
                );
            }
        }
    }
}

#[test]
fn a_number_and_a_text_are_told_apart_in_parquet() {
    let dir = tempfile::tempdir().unwrap();
    let reader = parquet(&record(&dir), &dir, Rows::Figures);
    let schema = reader.metadata().file_metadata().schema_descr();
    let kinds = schema
        .columns()
        .iter()
        .map(|c| (c.name(), c.physical_type()));
    let kinds: Vec<_> = kinds
        .filter(|(name, _)| name.starts_with("value"))
        .collect();
    assert_eq!(
        kinds,
        [
            ("value", Physical::DOUBLE),
            ("value_text", Physical::BYTE_ARRAY)
        ]
    );
}
