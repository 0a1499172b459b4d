//! `plimsoll convert`: what it writes is what the other tool takes, and does as much.

use crate::place::{TestFolder, typed};
use std::process::Command;

/// True where a tool is here.
fn has(tool: &str) -> bool {
    Command::new(tool).arg("--version").output().is_ok()
}

/// (reads, writes) that fio does of a job file.
fn by_fio(place: &TestFolder, file: &str) -> Vec<(u64, u64)> {
    let output = Command::new("fio")
        .args(["--output-format=json", file])
        .current_dir(place.folder())
        .output()
        .expect("fio runs");
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        output.status.success(),
        "{printed}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let json: serde_json::Value =
        serde_json::from_str(&printed[printed.find('{').expect("JSON")..]).expect("fio's JSON");
    let of = |job: &serde_json::Value, op: &str| job[op]["total_ios"].as_u64().expect("a count");
    let jobs = json["jobs"].as_array().expect("jobs").iter();
    jobs.map(|j| (of(j, "read"), of(j, "write"))).collect()
}

const DEFINITION: &str = "seed = 7\nmax_errors = 1\n[target.disk]\npath = \"data\"\nsize = \"1m\"\ncaching = \"buffered\"\n\
    [workload.fill]\nread = 0\nblock = \"64k\"\naccess = { sequential = \"once\" }\ndepth = 1\n\
    [workload.some]\nread = 100\nblock = \"4k\"\nquota = { ios = 37 }\ndepth = 4\n\
    [workload.both]\nread = 50\nblock = \"8k\"\naccess = \"coverage\"\nquota = { bytes = \"512k\" }\ndepth = 2\n\
    [[run]]\nname = \"first\"\nworkloads = \"fill\"\nfor = \"unlimited\"\nwarmup = \"0s\"\n\
    [[run]]\nname = \"second\"\nworkloads = [\"some\", \"both\"]\nfor = \"unlimited\"\nwarmup = \"0s\"\n";

#[test]
fn the_installed_fio_does_as_much_as_the_definition_says() {
    if !has("fio") {
        return plimsoll_skipped::skipped!("fio is not installed");
    }
    let place = TestFolder::new();
    place.text("a.toml", DEFINITION);
    let output = place.plimsoll("convert a.toml --to fio -o a.fio");
    assert_eq!(output.code, Some(0), "{}", output.err);
    let parsed = Command::new("fio")
        .args(["--parse-only", "a.fio"])
        .current_dir(place.folder())
        .output()
        .expect("fio runs");
    assert!(
        parsed.status.success(),
        "{}",
        String::from_utf8_lossy(&parsed.stderr)
    );
    let counts = by_fio(&place, "a.fio");
    assert_eq!(counts[0], (0, 16), "{counts:?}");
    assert_eq!(counts[1], (37, 0), "{counts:?}");
    assert_eq!(counts[2].0 + counts[2].1, 64, "{counts:?}");
    // And so do we, of what became of it, and of that in TOML again.
    let output = place.plimsoll("convert a.fio --to toml -o b.toml");
    assert_eq!(output.code, Some(0), "{}", output.err);
    for file in ["a.toml", "a.fio", "b.toml"] {
        let done = place.plimsoll(&format!("run {file} --no-record --json --destroy data"));
        let json: serde_json::Value = serde_json::from_str(&done.out)
            .unwrap_or_else(|e| panic!("{e}: {}{}", done.out, done.err));
        let steps = json["steps"]
            .as_array()
            .expect("steps")
            .iter()
            .filter(|s| s["fill"] != true);
        let counts: Vec<u64> = steps.map(|s| s["ios"].as_u64().expect("a count")).collect();
        assert_eq!(counts, [16, 37 + 64], "{file}");
    }
}

#[test]
fn a_command_line_of_another_tool_is_converted_too() {
    let place = TestFolder::new();
    let words = typed("convert --to toml -- diskspd -b8K -d60 -o4 -t2 -w30 -r -Sh x.dat");
    let output = place.plimsoll(&words);
    assert_eq!(output.code, Some(0), "{}", output.err);
    for line in [
        "path = \"x.dat\"",
        "read = 70",
        "block = \"8k\"",
        "depth = 8",
        "workers = 2",
        "durability = \"dsync\"",
    ] {
        assert!(output.out.contains(line), "{line} in {}", output.out);
    }
    let output =
        place.plimsoll("convert --to toml -- fio --name=a --rw=randread --size=1m --filename=y");
    assert!(
        output.out.contains("[workload.a]"),
        "{}{}",
        output.out,
        output.err
    );
    let wrong = place.plimsoll("convert --to toml -- dd if=x");
    assert!(
        wrong.code == Some(2) && wrong.err.contains("dd is no tool"),
        "{}",
        wrong.err
    );
}

#[test]
fn the_engine_of_each_target_stays_what_it_was() {
    let place = TestFolder::new();
    let job = |name: &str, engine: &str| {
        format!("[{name}]\nioengine={engine}\nfilename={name}\nsize=1m\nrw=randread\n")
    };
    place.text(
        "two.fio",
        &format!("{}{}", job("a", "psync"), job("b", "mmap")),
    );
    let fio = place.plimsoll("convert two.fio --to fio").ok().out;
    let engines: Vec<&str> = fio.lines().filter(|l| l.starts_with("ioengine")).collect();
    assert_eq!(engines, ["ioengine=psync", "ioengine=mmap"], "{fio}");
    place.text("one.fio", &job("a", "psync"));
    let toml = place.plimsoll("convert one.fio --to toml").ok().out;
    assert!(toml.contains("--backend psync"), "{toml}");
    // A map has no queue that fio could be told of.
    let words = typed("convert --to fio -- diskspd -Sm -t4 -r -w100 -Zr x.dat");
    let refused = place.plimsoll(&words);
    assert!(
        refused.code == Some(2) && refused.err.contains("from and to a map"),
        "{refused:#?}"
    );
}

#[test]
fn what_cannot_be_said_is_named_and_nothing_is_written() {
    let place = TestFolder::new();
    place.text(
        "c.toml",
        "[target.d]\npath = \"d\"\n[workload.w]\nhits = { read = 50 }\n[[run]]\nload = \"curve\"\n",
    );
    for (to, what) in [("fio", "a curve"), ("vdbench", "spread over the target")] {
        let output = place.plimsoll(&format!("convert c.toml --to '{to}' -o out"));
        assert_eq!(output.code, Some(2));
        output.warns(&[what]);
        assert!(!place.folder().join("out").exists());
    }
    // The definition itself is not written over.
    let output = place.plimsoll("convert c.toml --to toml -o c.toml --overwrite");
    assert_eq!(output.code, Some(2), "{}", output.err);
    let same = place.plimsoll("convert c.toml --to toml");
    same.says(&["hits = { read = 50 }"]);
}

#[test]
fn vdbench_parameters_are_read_back() {
    let place = TestFolder::new();
    place.text("v.toml", "[target.d]\npath = \"d\"\nsize = \"1g\"\n[workload.oltp]\nread = 70\nblock = \"8k\"\n[[run]]\nload = \"curve\"\ndepth = 8\n");
    let output = place.plimsoll("convert v.toml --to vdbench -o v.parm");
    assert_eq!(output.code, Some(0), "{}", output.err);
    let plans = ["v.toml", "v.parm"].map(|file| place.plimsoll(&format!("plan {file} --json")).out);
    let [ours, theirs] =
        plans.map(|p| serde_json::from_str::<serde_json::Value>(&p).expect("JSON"));
    for part in ["streams", "depth", "elapsed", "warmup", "load", "percent"] {
        let all = |plan: &serde_json::Value| -> Vec<serde_json::Value> {
            plan["steps"]
                .as_array()
                .expect("steps")
                .iter()
                .map(|s| s[part].clone())
                .collect()
        };
        assert_eq!(all(&ours).len(), 7);
        assert_eq!(all(&ours), all(&theirs), "{part}");
    }
}

#[test]
fn a_profile_in_utf_16_is_known_and_other_xml_is_called_what_it_is() {
    let place = TestFolder::new();
    let profile = "\u{feff}<Profile><TimeSpans><TimeSpan><Targets><Target><Path>x.dat</Path></Target></Targets></TimeSpan></TimeSpans></Profile>";
    let bytes: Vec<u8> = profile.encode_utf16().flat_map(u16::to_le_bytes).collect();
    std::fs::write(place.path("p.xml"), bytes).expect("written");
    let output = place.plimsoll("convert p.xml --to toml");
    assert_eq!(output.code, Some(0), "{}", output.err);
    output.warns(&["read as a DiskSPD profile"]);
    output.says(&["path = \"x.dat\""]);
    place.text(
        "r.xml",
        "<?xml version=\"1.0\"?>\n<Results><System/></Results>\n",
    );
    let output = place.plimsoll("plan -f r.xml");
    assert_eq!(output.code, Some(2), "{}", output.err);
    output.warns(&["holds <Results>", "plimsoll audit r.xml"]);
}
