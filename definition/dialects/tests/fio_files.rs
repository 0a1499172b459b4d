//! Job files with hostile names and lines: the files that are planned are those that real fio opens, or the job is refused with its
//! place.

use plimsoll_diagnostic::Sources;
use plimsoll_dialects::convert::{Engine, Original, to_fio};
use plimsoll_dialects::fio::{self, Input};
use plimsoll_dialects::native;
use plimsoll_draw::Draw;
use plimsoll_plan::{Location, Plan};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

const ENGINE: Engine<'_> = Engine {
    name: "psync",
    of_targets: &[],
    batch: 1,
    reap: 1,
};

/// A job file and the variables that it is read with, or words of a command line.
struct Case {
    text: String,
    words: Vec<String>,
    environment: BTreeMap<String, String>,
}

/// Jobs each of which is one kind of trap. `@` stands for the folder that they are tried in.
const KNOWN: &[&str] = &[
    "[j]\ndirectory=d\nfilename=@/e/a",
    "[j]\ndirectory=d\nfilename_format=@/$jobname",
    "[j]\ndirectory=@/d\nfilename=a:b",
    "[global]\nfilename=a\n[j]\ndirectory=d",
    "[global]\nfilename=a\n[j]\ndirectory=d\nfilename=b",
    "[global]\ndirectory=d\nfilename=a\n[j]\ndirectory=e\nfilename=b",
    "[j]\nfilename=a\ndirectory=d",
    "[j]\ndirectory=d:e\nfilename=a\nnumjobs=2",
    "[j]\ndirectory=d:e\nnumjobs=3",
    "[j]\ndirectory=d:\nnumjobs=2",
    "[j]\ndirectory=d::\nnumjobs=2",
    "[j]\ndirectory= d",
    "[j]\nfilename_format=$JOBNAME.$JobNum.$FILENUM",
    "[j]\nfilename_format= a",
    "[j]\nfilename_format=x\nnrfiles=2",
    "[$jobnum]",
    "[$jobname]",
    "[$filenum]\nfilename_format=x$jobname",
    "[d]",
    "[link]",
    "[@/d]",
    "[d]\nnrfiles=2",
    "[d/b]",
    "[../b]",
    "[j]x]",
    "[j ]",
    "[ j]",
    "[j] text",
    "[j",
    "[]]",
    "[[j]",
    "[ ]",
    "[j]#",
    "[a;b]",
    "[GLOBAL]\nfilename=a\n[j]",
    "[globalx]\nfilename=a\n[j]",
    "[j]\rfilename=a",
    "[j]\r\nfilename=a\r",
    "[j]\nfilename=a\u{1}",
    "[j]\nfilename=a\u{7f} ",
    "[j]\nfilename=\u{1}a",
    "[j]\nfilename\u{1}=a",
    "[j]\nfilename= a",
    "[j]\nfilename=a : b",
    "[j]\nfilename=a\u{a0}",
    "[j]\nfilename=\u{e4}\u{3000}",
    "[j]\nfilename=\u{85}a",
    "[j]\nfilename=a\\\\:b",
    "[j]\nfilename=a\\:b",
    "[j]\nfilename=:a::b:",
    "[j]\nfilename=a::",
    "[j]\nfilename=:",
    "[j]\nfilename=\"a\"",
    "[j]\nfilename=a,b",
    "[j]\nfilename=a\0b",
    "[j]\nFILENAME=a",
    "[j]\nfilename=$ncpus",
    "[j]\nfilename=a$ncpus",
    "[j]\nfilename=a$ncpus-1",
    "[j]\nfilename=$ncpus-a",
    "[j]\nfilename=a'$ncpus-1",
    "[j]\nname=other",
    "[global]\nfilename=a:b\n[j]\nnrfiles=1",
    "[global]\nfilename=a:b\n[j]\nnrfiles=2",
    "[j]\nnrfiles=1\nfilename=a:b",
    "[j]\ninclude file",
    "[j]\ninclude  file",
    "[j]\ninclude\tfile",
    "[j]\ninclude=file",
    "[j]\nincludeQfile",
    "include file\n[j]",
    "\u{feff}[j]\nfilename=a",
];

/// Words of a command line behind `--name=j`, each line one trap.
const WORDS: &[&[&str]] = &[
    &["--filename=$ncpus"],
    &["--filename=${HOME}"],
    &["--filename=a;b"],
    &["--filename=a#"],
    &["--filename= a "],
    &["--filename=\n a"],
    &["--filename=a\u{1}"],
    &["--filename=\u{a0}a"],
    &["--filename=a", "--directory=d"],
    &["--directory=d", "--filename=a"],
    &["--directory=d", "--filename=/a", "--numjobs=2"],
    &["--filename_format=$jobname;"],
    &["--filename_format=$jobname "],
    &["--filename=a:b", "--nrfiles=1"],
    &["--filename", "a"],
];

/// What a name may have in it.
const PARTS: &[&str] = &[
    "a",
    "b c",
    "x\"y",
    "q'r",
    "s\\t",
    "u\\:v",
    "w:z",
    ":l",
    "t:",
    "m::n",
    "h#i",
    "p;q",
    "[k]",
    "ü",
    "日本",
    "\u{a0}n",
    "n\u{2003}",
    "$jobname",
    "$JobNum",
    "$filenum",
    "$ncpus",
    "${E}",
    "${UNSET}",
    "${E",
    "@/e/",
    "./r",
    "d/",
    "../",
    "-",
    "\u{1}c",
    "c\u{1}",
    "\tt",
    "t\t",
    ",c",
    "=q",
    "\r",
    "!",
    "%",
    "~",
    "`id`",
    "$(id)",
    "*",
    "\\",
    " ",
    "//",
    "UPPER",
];
/// What a variable may hold.
const VALUES: &[&str] = &[
    "v", "a;b", "a#b", " a", "a ", "a b", "a:b", "a\tb", "a\n", "a=b", "$ncpus", "${E}", "/", "",
    "\u{a0}",
];
const SECTIONS: &[&str] = &[
    "j", "j]x", "j ", "j] t", "J", "gl", "GLOBAL", "a/b", "j:k", "d", "ü", "$jobname", "$filenum",
    "j\\", "x=y",
];
const FOLDERS: &[&str] = &[
    "d", "d/", "@/d", "d:e", "./e", "e:d:", ":d", " d", "d ", "d\u{1}", "${E}",
];

/// How many jobs are drawn.
const DRAWN: usize = 70;

/// Cases out of a seed.
struct Drawn(Draw);

impl Drawn {
    fn name(&mut self) -> String {
        let parts = 1 + self.0.below(3);
        let name: String = (0..parts).map(|_| self.0.of(PARTS)).collect();
        match self.0.below(20) {
            0 => format!("{name}{}", "l".repeat(250)),
            1 => format!("{name}{}", "/l".repeat(2100)),
            _ => name,
        }
    }

    fn case(&mut self) -> Case {
        let mut text = String::new();
        for (section, chance) in [("global", 3), (self.0.of(SECTIONS), 1)] {
            if self.0.below(chance) > 0 {
                continue;
            }
            text += &format!("[{section}]\n");
            for _ in 0..1 + self.0.below(3) {
                text += &match self.0.below(8) {
                    0 | 1 => format!("directory={}", self.0.of(FOLDERS)),
                    2 => format!("filename_format={}", self.name()),
                    3 => format!("numjobs={}", 1 + self.0.below(3)),
                    4 => format!("nrfiles={}", 1 + self.0.below(2)),
                    5 => format!(
                        "{}{}filename=hidden",
                        self.0.of(&["#", ";", "name=", ""]),
                        "x".repeat(8160 + self.0.below(40))
                    ),
                    _ => format!("filename={}", self.name()),
                };
                text += self.0.of(&[
                    "\n", "\n", "\n", " \n", "\t\n", "\r\n", "\u{1}\n", " # c\n", ";\n", "\u{a0}\n",
                ]);
            }
        }
        let environment = BTreeMap::from([("E".to_string(), self.0.of(VALUES).to_string())]);
        Case {
            text,
            words: Vec::new(),
            environment,
        }
    }
}

/// The files that a definition is planned for; `None` where it is refused.
fn planned(case: &Case) -> Option<BTreeSet<Vec<u8>>> {
    let input = Input {
        environment: case.environment.clone(),
        host: fio::HostFacts {
            cpus: cpus(),
            ..Default::default()
        },
        ..match case.words.is_empty() {
            true => Input::text("job.fio", &case.text),
            false => Input::words(case.words.iter().map(String::as_str)),
        }
    };
    let found = match fio::parse(&input) {
        Ok(parsed) => match parsed.plan() {
            Ok(lowered) => {
                let paths = lowered.plan.targets.iter().flat_map(|t| t.location.paths());
                return Some(
                    paths
                        .map(|p| file(p.as_os_str().as_encoded_bytes()))
                        .collect(),
                );
            }
            Err(found) => found,
        },
        Err(refused) => refused.diagnostics,
    };
    let errors: Vec<_> = found.iter().filter(|d| d.is_error()).collect();
    assert!(!errors.is_empty(), "{:?}", case.text);
    for error in errors {
        // A file without a job has no place for it.
        let has_place = !error.labels.is_empty() || error.code == fio::codes::EMPTY;
        assert!(has_place, "without its place: {error:?} of {:?}", case.text);
    }
    None
}

/// What fio takes $ncpus for.
fn cpus() -> u64 {
    let printed = Command::new("getconf").arg("_NPROCESSORS_CONF").output();
    let printed = String::from_utf8(printed.expect("getconf").stdout).expect("digits");
    printed.trim().parse().expect("a number")
}

/// A path in one of the spellings that mean the same file.
fn file(path: &[u8]) -> Vec<u8> {
    let mut out: Vec<u8> = Vec::new();
    for c in path {
        if !(*c == b'/' && out.last() == Some(&b'/')) {
            out.push(*c);
        }
    }
    out
}

/// The files that real fio makes; `None` where it refuses the job.
fn opened(case: &Case, folder: &Path) -> Option<BTreeSet<Vec<u8>>> {
    std::fs::write(folder.join("job.fio"), &case.text).expect("a job");
    let ran = Command::new("strace")
        .args([
            "--seccomp-bpf",
            "-f",
            "-qq",
            "-xx",
            "-s",
            "8192",
            "-e",
            "trace=openat",
            "-o",
            "trace",
        ])
        .args(["fio", "--create_only=1"])
        .args(match case.words.is_empty() {
            true => vec!["job.fio".to_string()],
            false => case.words.clone(),
        })
        .env_remove("UNSET")
        .envs(&case.environment)
        .current_dir(folder)
        .output()
        .expect("strace");
    let trace = std::fs::read_to_string(folder.join("trace")).expect("a trace");
    let made = trace
        .lines()
        .filter(|l| l.contains("O_CREAT"))
        .filter_map(hexadecimal);
    let made = made.filter(|name| !name.starts_with(b"/dev/"));
    ran.status
        .success()
        .then(|| made.map(|name| file(&name)).collect())
}

/// The first text of a line of strace's, whose bytes are all written in hexadecimal digits.
fn hexadecimal(line: &str) -> Option<Vec<u8>> {
    let text = line.split('"').nth(1)?;
    let bytes = text.split("\\x").skip(1);
    bytes.map(|b| u8::from_str_radix(b, 16).ok()).collect()
}

/// Empties the folder, and the one that it stands in, but for what jobs find there.
fn cleared(folder: &Path) {
    let above = folder.parent().expect("a folder above");
    for place in [above, folder] {
        let all = std::fs::read_dir(place).expect("a folder");
        let paths = all.map(|entry| entry.expect("an entry").path());
        for path in paths.filter(|path| path != folder) {
            let removed = match path.is_dir() && !path.is_symlink() {
                true => std::fs::remove_dir_all(&path),
                false => std::fs::remove_file(&path),
            };
            removed.expect("removed");
        }
    }
    for name in ["d", "e"] {
        std::fs::create_dir(folder.join(name)).expect("a folder");
    }
    std::os::unix::fs::symlink("elsewhere", folder.join("link")).expect("a link");
    std::fs::write(folder.join("file"), "filename=included\n").expect("a file");
}

/// A new folder for jobs, in one that is removed in the end; `None`, said, where a tool is not installed.
fn jobs_folder() -> Option<(tempfile::TempDir, PathBuf)> {
    for tool in ["fio", "strace"] {
        if Command::new(tool).arg("--version").output().is_err() {
            plimsoll_skipped::skipped!("{tool} is not installed");
            return None;
        }
    }
    let above = tempfile::tempdir().expect("a folder");
    let folder = above.path().canonicalize().expect("its path").join("jobs");
    std::fs::create_dir(&folder).expect("a folder");
    Some((above, folder))
}

#[test]
fn the_files_of_a_plan_are_those_that_fio_opens() {
    let Some((_above, folder)) = jobs_folder() else {
        return;
    };
    // Names without a folder are those of this test's own. The other one in its process has whole names only.
    std::env::set_current_dir(&folder).expect("a folder");
    let known = KNOWN.iter().map(|text| Case {
        text: format!("{text}\n"),
        words: Vec::new(),
        environment: BTreeMap::new(),
    });
    let words = WORDS.iter().map(|words| Case {
        text: String::new(),
        words: ["--name=j", "--rw=write", "--bs=4k", "--size=64k"]
            .iter()
            .chain(*words)
            .map(|word| word.to_string())
            .collect(),
        environment: BTreeMap::new(),
    });
    let mut draw = Drawn(Draw(20261126));
    let drawn = (0..DRAWN).map(|_| draw.case());
    let (mut alike, mut refused) = (0, 0);
    for mut case in known.chain(words).chain(drawn) {
        cleared(&folder);
        case.text = case.text.replace('@', &folder.to_string_lossy());
        if case.text.starts_with('[') {
            case.text = format!("[global]\nrw=write\nbs=4k\nsize=64k\n{}", case.text);
        }
        let Some(ours) = planned(&case) else {
            refused += 1;
            continue;
        };
        // What fio refuses it harms nothing with.
        let Some(theirs) = opened(&case, &folder) else {
            continue;
        };
        assert_eq!(
            shown(&ours),
            shown(&theirs),
            "{:?} {:?} with {:?}",
            case.text,
            case.words,
            case.environment
        );
        alike += 1;
    }
    assert!(
        alike > 50 && refused > 30,
        "{alike} alike, {refused} refused: the jobs are too tame or too wild"
    );
}

fn shown(names: &BTreeSet<Vec<u8>>) -> Vec<String> {
    names
        .iter()
        .map(|name| name.escape_ascii().to_string())
        .collect()
}

/// Names of files that a definition in TOML may have.
const NAMES: &[&str] = &[
    "plain",
    "a:b",
    ":a",
    "a:",
    "a::b",
    "a\\:b",
    "a\\b",
    "b\\",
    "a b",
    " a",
    "a ",
    "a\tb",
    "a;b",
    "a#b",
    "#a",
    "a\nb",
    "a\rb",
    "a\u{1}",
    "\u{1}a",
    "a\u{7f}",
    "\"a\"",
    "a'b",
    "`a`",
    "$(a)",
    "$a",
    "${E}",
    "$ncpus",
    "a$pagesize",
    "$jobname",
    "[a]",
    "a]",
    "[a",
    "=a",
    "a=b",
    "a,b",
    "-",
    "-a",
    "--name=x",
    "\u{fc}",
    "\u{65e5}\u{672c}",
    "\u{a0}a\u{a0}",
    "a\u{2003}",
    "global",
    "include a",
    "include",
    "%s",
    "*",
    "?",
    "~",
    "!",
];

#[test]
fn a_converted_plan_opens_the_very_file_that_it_names() {
    let Some((_above, folder)) = jobs_folder() else {
        return;
    };
    let mut alike = 0;
    for name in NAMES {
        cleared(&folder);
        let plan = of_file(&folder.join(name));
        let original = Original {
            plan: &plan,
            sources: &Sources::default(),
            beside: &["x".repeat(9000)],
        };
        let Ok(text) = to_fio(&original, ENGINE) else {
            continue;
        };
        let case = Case {
            text,
            words: Vec::new(),
            environment: BTreeMap::from([("E".to_string(), "other".to_string())]),
        };
        let opened = opened(&case, &folder).expect(name);
        let expected = BTreeSet::from([folder.join(name).as_os_str().as_encoded_bytes().to_vec()]);
        assert_eq!(shown(&opened), shown(&expected), "{}", case.text);
        alike += 1;
    }
    assert!(alike > 15, "{alike}");
}

/// A plan that writes one file.
fn of_file(path: &Path) -> Plan {
    let text = "[target.d]\npath = \"x\"\nsize = \"64k\"\n[workload.w]\nread = 0\nblock = \"4k\"\nquota = { ios = 1 }\n[[run]]\nfor = \"unlimited\"\nwarmup = \"0s\"\n";
    let mut plan = native::parse("a.toml", text).expect("a definition").plan;
    plan.targets[0].location = Location::Path(path.to_path_buf());
    plan
}
