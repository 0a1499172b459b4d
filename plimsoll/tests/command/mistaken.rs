//! What was surely not meant so: other tools' words, and files that are no target.

use crate::place::{MIB, TestFolder};

#[test]
fn other_tools_flags_are_translated() {
    let place = TestFolder::new();
    for (flag, meant) in [
        ("--runtime=5", "fio's runtime is --for here"),
        ("--bs=4k", "fio's bs is --block here"),
        ("--iodepth=4", "fio's iodepth is --depth here"),
        ("--rw=randread", "fio's rw is --read here"),
        ("--numjobs=4", "fio's numjobs is --workers here"),
        ("--rate_iops=400", "fio's rate_iops is --max-rate here"),
        ("--thinktime=5ms", "fio's thinktime is --think here"),
        ("--elapsed=5", "Vdbench's elapsed is --for here"),
        ("--xfersize=4k", "Vdbench's xfersize is --block here"),
        ("--rdpct=70", "Vdbench's rdpct is --read here"),
        ("--threads=4", "Vdbench's threads is --depth here"),
        ("--iorate=max", "Vdbench's iorate is --rate here"),
    ] {
        let done = place.plimsoll(&format!("run null:1g '{flag}'")).exits(2);
        done.warns(&[meant]);
        assert!(!done.err.contains("similar"), "{done:#?}");
        let word = flag.trim_start_matches('-');
        let flag = meant.split(" is ").nth(1).and_then(|m| m.split(' ').next());
        place
            .plimsoll(&format!("run null:1g '{word}'"))
            .refused(&["is a setting, not a target", flag.expect("a flag")]);
    }
}

#[test]
fn other_tools_keys_are_translated_in_a_definition() {
    let place = TestFolder::new();
    for (table, line, meant) in [
        ("run", "runtime = 5", "fio's runtime is `for` here"),
        ("run", "iodepth = 5", "fio's iodepth is `depth` here"),
        ("run", "elapsed = 5", "Vdbench's elapsed is `for` here"),
        ("workload", "bs = \"4k\"", "fio's bs is `block` here"),
        ("workload", "rdpct = 50", "Vdbench's rdpct is `read` here"),
        (
            "workload",
            "threads = 4",
            "Vdbench's threads is `depth` here",
        ),
        ("target", "lun = \"x\"", "Vdbench's lun is `path` here"),
    ] {
        let of = |name: &str| if name == table { line } else { "" };
        place.text(
            "d.toml",
            &format!(
                "[target.a]\npath = \"null:1g\"\n{}\n[workload.w]\n{}\n[[run]]\n{}\n",
                of("target"),
                of("workload"),
                of("run")
            ),
        );
        place.plimsoll("plan d.toml").refused(&[meant, "d.toml:"]);
    }
}

#[test]
fn a_file_that_says_what_to_measure_is_no_target() {
    let place = TestFolder::new();
    place.text(
        "j.job",
        "[global]\nioengine=libaio\nbs = 4k\n[job]\nrw=randread\n",
    );
    place.text(
        "p.xml",
        "<Profile>\n<TimeSpans><TimeSpan></TimeSpan></TimeSpans></Profile>\n",
    );
    place.text(
        "v.txt",
        "* a comment\nsd=sd1,lun=/dev/x\nwd=wd1,sd=sd1\nrd=rd1,wd=wd1\n",
    );
    place.text(
        "d.bak",
        "[target.a]\npath = \"null:1g\"\n[workload.w]\n[[run]]\n",
    );
    place.quick("run null:1g --record r.plim").ok();
    for (file, parts) in [
        ("j.job", ["a fio job file", "plimsoll run -f j.job"]),
        ("./p.xml", ["a DiskSPD profile", "plimsoll run -f ./p.xml"]),
        (
            "v.txt",
            ["a Vdbench parameter file", "plimsoll run -f v.txt"],
        ),
        ("d.bak", ["a definition", ".toml"]),
        ("r.plim", ["the record of a run", "plimsoll show r.plim"]),
    ] {
        let before = std::fs::read(place.path(file)).expect("there");
        for words in [&["run", file][..], &["curve", file], &["plan", file]] {
            place.plimsoll(words).refused(&[file, parts[0], parts[1]]);
        }
        // Not even leave to destroy makes it one.
        place
            .plimsoll(&format!("run {file} --read 0 --destroy {file}"))
            .refused(&parts);
        assert_eq!(std::fs::read(place.path(file)).expect("there"), before);
    }
    place.text(
        "t.toml",
        "[target.a]\npath = \"j.job\"\n[workload.w]\n[[run]]\n",
    );
    place.plimsoll("run t.toml").refused(&["a fio job file"]);
}

#[test]
fn data_of_any_name_is_a_target() {
    let place = TestFolder::new();
    for name in ["data.fio", "data.xml", "data.plim", "a=b"] {
        place.foreign(name, 2 * MIB);
        place.quick(&format!("run {name} --no-record")).ok();
    }
    place.plimsoll("run ./new=8k").refused(&["does not exist"]);
}

#[test]
fn one_file_under_two_names_is_noticed() {
    let place = TestFolder::new();
    place.foreign("f", 2 * MIB);
    std::fs::hard_link(place.path("f"), place.path("g")).expect("linked");
    std::os::unix::fs::symlink("f", place.path("s")).expect("linked");
    for other in ["g", "s", "./f"] {
        let done = place.quick(&format!("run f '{other}' --no-record")).ok();
        let message = format!("warning: f and {other} are one and the same");
        done.warns(&[&message]);
        let before = std::fs::read(place.path("f")).expect("there");
        place
            .quick(&format!(
                "run f '{other}' --read 50 --destroy f --destroy '{other}'"
            ))
            .refused(&[&format!("f and {other} are one and the same"), "overwrites"]);
        assert_eq!(std::fs::read(place.path("f")).expect("there"), before);
    }
    // Halves that each has for itself are two places.
    let halves = |second: &str| {
        format!(
            "[target.a]\npath = \"f\"\nsize = \"1m\"\n[target.b]\npath = \"g\"\noffset = \"{second}\"\nsize = \"1m\"\n\
             [workload.w]\nread = 50\n[[run]]\n"
        )
    };
    place.text("halves.toml", &halves("1m"));
    let done = place.plimsoll("plan halves.toml").ok();
    assert!(!done.err.contains("one and the same"), "{done:#?}");
    place.text("halves.toml", &halves("512k"));
    place
        .plimsoll("plan halves.toml")
        .refused(&["one and the same"]);
}

/// A Vdbench file is asked the same, whichever command runs it.
#[test]
fn vdbench_asks_of_its_storage_what_run_asks_of_its_targets() {
    let place = TestFolder::new();
    let job = |luns: [&str; 2], read: u32| {
        let sd = |n: usize| format!("sd=sd{n},lun=./{},threads=2\n", luns[n - 1]);
        let rest =
            format!("wd=wd1,sd=sd*,rdpct={read}\nrd=rd1,wd=wd1,iorate=100,elapsed=2,interval=1\n");
        place.text("job.parm", &(sd(1) + &sd(2) + &rest));
    };
    let run = |words: &[&str]| {
        place.plimsoll(&[&["vdbench", "-f", "job.parm", "-o", "out"][..], words].concat())
    };
    place.foreign("f", 2 * MIB);
    std::fs::hard_link(place.path("f"), place.path("g")).expect("linked");
    job(["f", "g"], 100);
    let done = run(&[]).ok();
    done.warns(&["./f and ./g are one and the same"]);
    std::fs::remove_dir_all(place.path("out")).expect("the report");
    let before = std::fs::read(place.path("f")).expect("there");
    job(["f", "g"], 50);
    let both = run(&["--destroy", "./f", "--destroy", "./g"]).exits(157);
    both.warns(&["one and the same", "overwrites"]);
    assert_eq!(std::fs::read(place.path("f")).expect("there"), before);
    place.text(
        "j.fio",
        "[global]\nioengine=libaio\nbs = 4k\n[job]\nrw=randread\n",
    );
    job(["f", "j.fio"], 100);
    let fio = run(&[]).exits(157);
    fio.warns(&["a fio job file"]);
    assert!(
        !place.path("out").exists(),
        "nothing is written before the questions"
    );
}

#[test]
fn help_lists_what_there_is_and_completions_offer_values() {
    let place = TestFolder::new();
    let help = place.plimsoll("help").ok().out;
    assert_eq!(help, place.plimsoll("--help").ok().out);
    assert!(help.contains("\n  generate "), "{help}");
    assert_eq!(
        place.plimsoll("help run").ok().out,
        place.plimsoll("run --help").ok().out
    );
    place.plimsoll("generate completions c").ok();
    let bash = std::fs::read_to_string(place.path("c/plimsoll.bash")).expect("bash");
    for words in [
        "exponential uniform even",
        "direct buffered",
        "io_uring libaio psync",
        "random coverage sequential",
    ] {
        assert!(bash.contains(words), "{words}");
    }
    // What is not offered may be good all the same, and is judged as ever.
    place.plimsoll("plan null:1g --access streams=4").ok();
    place
        .plimsoll("plan null:1g --access randm")
        .refused(&["--access", "`random` is near"]);
}

#[test]
fn printed_dashes_are_named() {
    let place = TestFolder::new();
    for (word, named, typed) in [
        ("\u{2013}b8K", "an en dash (U+2013)", "`-b8K`"),
        ("\u{2014}block", "an em dash (U+2014)", "`--block`"),
        ("\u{2013}\u{2013}block", "an en dash (U+2013)", "`--block`"),
        ("\u{2212}t4", "a mathematical minus (U+2212)", "`-t4`"),
    ] {
        for tool in ["diskspd", "fio", "vdbench", "run"] {
            let done = place.plimsoll(&format!("{tool} {word} F"));
            done.refused(&[named, typed]);
        }
    }
    for word in ["\u{201c}--rw=read\u{201d}", "\u{2018}-b8K\u{2019}"] {
        let done = place.plimsoll(&["fio", "--name=a", word]);
        done.refused(&["a typographic quote (U+20", "type `"]);
    }
    place.foreign("\u{2013}b8K", MIB);
    place.plimsoll("plan \u{2013}b8K").ok();
}

#[test]
fn another_tools_command_line_is_planned_and_never_taken_for_targets() {
    let place = TestFolder::new();
    place.foreign("x", MIB);
    for (line, message) in [
        ("plan -- diskspd -b8K -d60 -w30 x", "70% read"),
        (
            "plan -- fio --name=a --filename=x --rw=randwrite --bs=16k",
            "16KiB",
        ),
        ("lint --claim sustained -- diskspd -b8K -d5 x", "too-short"),
    ] {
        let done = place.plimsoll(line);
        done.says(&[message]);
    }
    place
        .plimsoll("run -- diskspd -b8K -d60 x")
        .refused(&["`diskspd` is a tool, not a target", "plimsoll diskspd"]);
    assert_eq!(place.names(), ["x"]);
}
