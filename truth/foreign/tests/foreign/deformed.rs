//! Inputs as they are after an accident, or as somebody makes them on purpose: no panic, no hang, and nothing said of a cut or
//! bent result that is invalid where the whole one isn't.

use crate::corpus::{all, ids, judge, judged, text, try_bytes};
use plimsoll_evidence::Severity;
use plimsoll_foreign::terminal;

/// Rules that find at least something suspect in whatever was read; none where it was refused.
fn doubts(bytes: &[u8], at_least: Severity) -> Vec<&'static str> {
    match try_bytes(bytes) {
        Ok(result) => {
            let judgement = judge(&result);
            let found = judgement
                .audit
                .findings
                .iter()
                .map(|f| f.finding.with_remedy());
            let shown: Vec<String> = terminal::about(&judgement)
                .into_iter()
                .chain(found)
                .collect();
            let is_number = |p: &String| !p.contains(" NaN") && !p.contains(" inf");
            assert!(shown.iter().all(is_number), "{shown:#?}");
            ids(&judgement, at_least)
        }
        Err(error) => {
            assert!(error.to_string().len() > 20, "{error}");
            Vec::new()
        }
    }
}

/// Nothing invalid is found that the whole input hasn't.
fn no_worse(name: &str, whole: &str, bent: &[u8], what: &str) {
    let known = ids(&judged(whole), Severity::Note);
    for id in doubts(bent, Severity::Invalid) {
        assert!(known.contains(&id), "{name}, {what}: {id}");
    }
}

#[test]
fn cut_off_at_any_kind_of_place() {
    for (name, whole) in all() {
        let bytes = whole.as_bytes();
        // Each place of the first lines, of some in the middle, of the last; then places all over.
        let (mid, end) = (bytes.len() / 2, bytes.len());
        let near = (0..150)
            .chain(mid..(mid + 150).min(end))
            .chain(end.saturating_sub(150)..end);
        for at in near.chain((0..end).step_by(end / 60 + 1)) {
            no_worse(&name, &whole, &bytes[..at], &format!("cut at {at}"));
        }
    }
}

#[test]
fn cut_off_at_the_beginning() {
    for (name, whole) in all() {
        let bytes = whole.as_bytes();
        for at in (0..bytes.len()).step_by(bytes.len() / 60 + 1) {
            no_worse(&name, &whole, &bytes[at..], &format!("from {at}"));
        }
    }
}

#[test]
fn line_ends_marks_and_sixteen_bits_change_nothing() {
    for (name, whole) in all() {
        let as_it_was = ids(&judged(&whole), Severity::Note);
        let crlf = whole.replace('\n', "\r\n");
        let utf16: Vec<u8> = crlf.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let utf16_be: Vec<u8> = whole.encode_utf16().flat_map(u16::to_be_bytes).collect();
        let bent: [(&str, Vec<u8>); 5] = [
            ("CRLF", crlf.clone().into_bytes()),
            ("BOM", [b"\xEF\xBB\xBF", whole.as_bytes()].concat()),
            ("UTF-16 with its mark", [&[0xFF, 0xFE][..], &utf16].concat()),
            ("UTF-16 without", utf16_be),
            (
                "bytes of no text before it",
                [&[0xC3, 0x28, b'\n'][..], whole.as_bytes()].concat(),
            ),
        ];
        for (what, bytes) in bent {
            assert_eq!(doubts(&bytes, Severity::Note), as_it_was, "{name}: {what}");
        }
    }
}

#[test]
fn decimal_commas_change_nothing_of_console_texts() {
    for name in [
        "vdbench/collapse.txt",
        "vdbench/repaired.txt",
        "vdbench/curve-8k.txt",
    ] {
        let whole = text(name);
        let comma: String = whole
            .lines()
            .map(|l| match l.contains("Starting") {
                true => format!("{l}\n"),
                false => {
                    let (time, rest) = l.split_at(l.len().min(12));
                    format!("{time}{}\n", rest.replace('.', ","))
                }
            })
            .collect();
        assert_eq!(
            ids(&judged(&comma), Severity::Note),
            ids(&judged(&whole), Severity::Note),
            "{name}"
        );
    }
}

/// A word of a text, and what it became.
const NUMBERS: &[&str] = &[
    "NaN",
    "nan",
    "-nan",
    "inf",
    "Infinity",
    "-1",
    "-87694.00",
    "1e999",
    "1e308",
    "999999999999999999999999999999",
    "18446744073709551616",
    "0x41",
    "",
    "\"\"",
    "null",
    "1.2.3",
    "1,2,3",
    "--",
    "é",
];

#[test]
fn a_number_that_is_none_is_left_out_and_never_believed() {
    let places = [
        ("fio/merged.json", "66743.812809"),
        ("fio/merged.json", "239456.995157"),
        ("fio/merged.json", "\"iodepth\" : \"4\""),
        ("fio/many.json", "\"numjobs\" : \"3\""),
        ("diskspd/clean.txt", "41000.00"),
        ("diskspd/clean.txt", "60.00s"),
        ("diskspd/clean.xml", "<TestTimeSeconds>40.00"),
        ("diskspd/clean.xml", "<AverageTotalMilliseconds>0.798"),
        ("elbencho/clean.csv", "102057"),
        ("vdbench/repaired.txt", "104968.00"),
        ("vdbench/repaired.txt", "30.7"),
        ("vdbench/curve-8k.txt", "threads=256"),
        ("vdbench/curve-8k.txt", "avg_16-75"),
    ];
    for (name, place) in places {
        let whole = text(name);
        assert!(whole.contains(place), "{name} has no {place}");
        let digits = place.trim_start_matches(|c: char| !c.is_ascii_digit());
        let kept = &place[..place.len() - digits.len()];
        for number in NUMBERS {
            let bent = whole.replace(place, &format!("{kept}{number}"));
            let finite = number
                .parse::<f64>()
                .is_ok_and(|n| n.is_finite() && n > 0.0);
            // In JSON a comma ends a number.
            let finite = finite || (name.starts_with("fio") && *number == "1,2,3");
            match finite {
                // A number beyond all sense is somebody's statement: it may be called impossible.
                true => drop(doubts(bent.as_bytes(), Severity::Note)),
                false => no_worse(name, &whole, bent.as_bytes(), number),
            }
        }
    }
}

#[test]
fn keys_that_are_there_twice_count_once_and_are_told() {
    let twice =
        text("fio/merged.json").replace("\"groupid\" : 0,", "\"groupid\" : 0,\n\"error\" : 7,");
    let result = crate::corpus::result(&twice);
    assert!(
        result
            .remarks
            .iter()
            .any(|r| r.text.contains("`error` is there twice")),
        "{:?}",
        result.remarks
    );
    assert_eq!(
        ids(&judge(&result), Severity::Suspect),
        [""; 0],
        "the last one is 0"
    );
}

#[test]
fn what_is_nested_repeated_or_endless_ends() {
    let deep = format!(
        "{{\"fio version\":\"x\",\"jobs\":{}",
        "[{\"a\":".repeat(100_000)
    );
    let braces = format!("\"fio version\"\n{}", "{\n".repeat(200_000));
    let openers = format!("\"fio version\"{}", "{\"jobs\":[".repeat(100_000));
    let tags = format!("<Results><TimeSpan>{}", "<T a=\"1\" ".repeat(100_000));
    let closers = format!("<Results><TimeSpan>{}", "</T></U>".repeat(100_000));
    let entities = format!("<Results><TimeSpan><Path>{}", "&amp;amp;".repeat(100_000));
    let numbers = "10:00:00.000 1 ".to_string() + &"5 ".repeat(500_000);
    let announced = "Starting RD=a; I/O rate: 5; elapsed=1;\n".repeat(50_000);
    let commas = "operation,IOPS [last]".to_string()
        + &",".repeat(200_000)
        + "\n"
        + &"READ,".repeat(200_000);
    let pipes = "Results for timespan 1:\nTotal IO\nthread | I/O per s\n".to_string()
        + &"0 | ".repeat(300_000);
    let quotes = "> ".repeat(300_000) + "Starting RD=x\n";
    for text in [
        deep, braces, openers, tags, closers, entities, numbers, announced, commas, pipes, quotes,
    ] {
        doubts(text.as_bytes(), Severity::Note);
    }
}

#[test]
fn fifty_megabytes_are_read() {
    const SIZE: usize = 50 << 20;
    let mut day = text("vdbench/repaired.txt");
    let line = "17:10:02.050 1 101608.00 396.91 4096 100.00 0.302 0.302 0.000 16.000 0.100 30.7 30.3 25.9\n";
    let one = day.len();
    day.push_str(&line.repeat((SIZE - one) / line.len()));
    doubts(day.as_bytes(), Severity::Note);
    let job = text("fio/merged.json");
    doubts(job.repeat(SIZE / job.len()).as_bytes(), Severity::Note);
    let bins = format!(
        "\"bins\" : {{ {} \"1\" : 1 }},\n\"N\" ",
        "\"123456\" : 7,\n".repeat(SIZE / 14)
    );
    let plus = text("fio/plus.json").replacen("\"N\" ", &bins, 1);
    assert_eq!(doubts(plus.as_bytes(), Severity::Suspect), [""; 0]);
    let noise = "fio: something happened\n".repeat(SIZE / 24) + &job;
    assert_eq!(doubts(noise.as_bytes(), Severity::Suspect), [""; 0]);
    let bucket = "      <Bucket SampleMillisecond=\"1000\" Total=\"40000\"/>\n";
    let xml = text("diskspd/clean.xml").replacen(
        "<IopsStdDev>",
        &(bucket.repeat(SIZE / bucket.len()) + "<IopsStdDev>"),
        1,
    );
    doubts(xml.as_bytes(), Severity::Note);
}
