//! The commands in the documents: each is read by the real command line, and those that can are carried out.

use crate::place::{MIB, TestFolder};
use std::path::Path;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// A command, and where it stands.
struct Line {
    page: String,
    words: Vec<String>,
}

/// Every `plimsoll …` in the shell blocks of the pages.
fn lines() -> Vec<Line> {
    let mut pages = vec!["README.md".to_string()];
    for entry in std::fs::read_dir(Path::new(ROOT).join("docs")).expect("docs") {
        let name = entry.expect("an entry").file_name();
        let name = name.to_string_lossy();
        if name.ends_with(".md") {
            pages.push(format!("docs/{name}"));
        }
    }
    pages.sort();
    let mut found = Vec::new();
    for page in pages {
        let text = std::fs::read_to_string(Path::new(ROOT).join(&page)).expect("readable");
        for block in text.split("```sh\n").skip(1) {
            let block = block.split("\n```").next().unwrap_or_default();
            for line in block.replace("\\\n", " ").lines() {
                let words = split(line);
                let first = words.first().map(String::as_str).unwrap_or_default();
                if first == "plimsoll" || first.ends_with("/plimsoll") {
                    found.push(Line {
                        page: page.clone(),
                        words: words[1..].to_vec(),
                    });
                }
            }
        }
    }
    found
}

/// The words of the line's first command, as a shell splits them; its pipes, redirections and comments are left out.
fn split(line: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let (mut word, mut quote, mut open) = (String::new(), None, false);
    for c in line.chars() {
        match (quote, c) {
            (Some(q), c) if c == q => quote = None,
            (None, '\'' | '"') => (quote, open) = (Some(c), true),
            (None, '|' | '>' | ';' | '#' | '&') if !open => break,
            (None, c) if c.is_whitespace() => {
                if open {
                    words.push(std::mem::take(&mut word));
                }
                open = false;
            }
            (_, c) => {
                word.push(c);
                open = true;
            }
        }
    }
    if open {
        words.push(word);
    }
    words
}

/// The command with what it names on somebody's machine replaced by what is here.
fn here(place: &TestFolder, line: &Line) -> Vec<String> {
    for (name, text) in [
        (
            "workload.parm",
            "sd=sd1,lun=$lun\nwd=wd1,sd=sd1\nrd=rd1,wd=wd1,iorate=100,elapsed=2,interval=1\n",
        ),
        (
            "job.parm",
            "sd=sd1,lun=null:1g\nwd=wd1,sd=sd1\nrd=rd1,wd=wd1,iorate=100,elapsed=2,interval=1\n",
        ),
    ] {
        let given = line.words.iter().any(|w| w.starts_with("lun="));
        place.text(
            name,
            &if given {
                text.to_string()
            } else {
                text.replace("$lun", "null:1g")
            },
        );
    }
    let examples = Path::new(ROOT).join("examples");
    let job = "[target.a]\npath = \"null:1g\"\n[workload.w]\n[[run]]\n";
    let mut words = Vec::new();
    for word in &line.words {
        if word.ends_with(".toml") && !word.contains(['/', ':']) {
            let example = [examples.join(word), examples.join("lab").join(word)];
            let text = example.iter().find_map(|e| std::fs::read_to_string(e).ok());
            place.text(word, text.as_deref().unwrap_or(job));
        }
        if word.starts_with("examples/") && word.ends_with(".fio") {
            let job = examples.join(word.trim_start_matches("examples/"));
            let text = std::fs::read_to_string(&job).expect("an example");
            place.text("job.fio", &text);
            words.push("job.fio".to_string());
            continue;
        }
        words.push(match word.as_str() {
            "/dev/nvme1n1"
            | "/dev/loop0"
            | "target/bench/random.data"
            | "target/bench/frozen/data" => "data".to_string(),
            "lun=/dev/sdx" => "lun=null:1g".to_string(),
            "target/bench/overwrites.toml" => {
                place.text("job.toml", job);
                "job.toml".to_string()
            }
            "array.like" => {
                place.text(
                    "array.like",
                    "[like]\ndepth = 32\nhit_area = 1048576\nhit_slice = 1048576\n",
                );
                word.clone()
            }
            "lab:./my.toml" => {
                let persona = place.plimsoll("lab persona single-ssd").ok().out;
                place.text("my.toml", &persona);
                word.clone()
            }
            example if example.starts_with("examples/") => {
                format!("{}/../{example}", env!("CARGO_MANIFEST_DIR"))
            }
            other => other.replace("target/bench/", "").replace("FOLDER/", ""),
        });
    }
    words
}

#[test]
fn every_command_in_the_documents_is_one() {
    let place = TestFolder::new();
    place.foreign("data", 2 * MIB);
    let lines = lines();
    assert!(lines.len() >= 40, "{} commands were found", lines.len());
    for line in lines {
        let mut words = here(&place, &line);
        match words[0].as_str() {
            "run" | "curve" => words.push("--dry-run".to_string()),
            "vdbench" => words.push("-s".to_string()),
            "plan" | "ls" => {}
            "lab" if words[1] == "persona" => {}
            // What needs a record or serves forever is read, and not carried out.
            _ => {
                let at = words.iter().position(|w| w == "--").unwrap_or(words.len());
                words.insert(at, "--help".to_string());
            }
        }
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let done = place.plimsoll(&words);
        assert_eq!(done.code, Some(0), "{}: {done:#?}", line.page);
    }
}

#[test]
fn the_quick_start_is_a_way_to_a_page() {
    let place = TestFolder::new();
    place.foreign("data", 2 * MIB);
    let mut record = None;
    for line in lines().iter().filter(|l| l.page == "docs/quick-start.md") {
        let mut words = here(&place, line);
        match words[0].as_str() {
            "plan" | "ls" => {}
            "curve" | "run" => {
                if words[1] != "-f" {
                    for flag in [
                        "--for=300ms",
                        "--warmup=0s",
                        "--interval=100ms",
                        "--no-settle",
                        "--size=4m",
                        "--record=r.plim",
                    ] {
                        let name = flag.split('=').next().unwrap_or_default();
                        if let Some(at) = words.iter().position(|w| w == name) {
                            words.drain(at..at + 2);
                        }
                        words.push(flag.to_string());
                    }
                }
                record = Some("r.plim");
                words.extend(["--overwrite", "--quiet"].map(String::from));
            }
            "show" | "report" => {
                words[1] = record.expect("the page measures first").to_string();
                words.push("--overwrite".to_string());
                if words[0] == "show" {
                    words.pop();
                }
            }
            _ => continue,
        }
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let done = place.plimsoll(&words);
        if done.err.contains("without the HTML report's page") {
            plimsoll_skipped::skipped!("{words:?} needs the viewer");
            continue;
        }
        // So short a run may leave a curve without an answer, and on a busy host deserves no trust.
        let tolerated = match (words[0], done.code) {
            ("curve", Some(3)) => true,
            ("curve" | "run", Some(1)) => done.out.contains("not trusted"),
            _ => false,
        };
        assert!(tolerated || done.code == Some(0), "{done:#?}");
    }
    assert!(record.is_some());
}
