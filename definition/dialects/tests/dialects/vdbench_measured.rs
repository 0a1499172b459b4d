//! Rules of Vdbench 5.04.07 that its manual does not state: what the real tool made of each of these files when it
//! simulated them. `Runs` holds, for each run, its name, what is asked for, and its loop values.

use plimsoll_dialects::vdbench::{self, Input, Parsed};

const SD: &str = "sd=sd1,lun=null:10m,size=10m\nsd=sd2,lun=null:10m,size=10m\n";
const WD: &str = "wd=wd1,sd=sd1\n";
const FSD: &str = "fsd=fsd1,anchor=/d1,depth=1,width=2,files=10,sizes=4k\n";
const FWD: &str = "fwd=fwd1,fsd=fsd1,operation=read,fileio=random\n";
const HOSTS: &str = "hd=h1,system=localhost\nhd=h2,system=localhost\n";
const END: &str = "elapsed=4,interval=1\n";

fn read(parts: &[&str]) -> Result<Parsed, String> {
    let text = parts.concat();
    vdbench::parse(&Input::text("job", &text)).map_err(|refused| refused.to_string())
}

/// `rd1 100 threads=1`, for each run.
fn runs(parts: &[&str]) -> Vec<String> {
    let parsed = read(parts).unwrap_or_else(|why| panic!("{}\n{why}", parts.concat()));
    let simulation = parsed.simulate();
    let lines = simulation.lines.iter();
    lines
        .filter_map(|line| {
            let (name, rest) = line.strip_prefix("Simulating RD=")?.split_once("; ")?;
            let (asked, loops) = rest.split_once(" For loops: ")?;
            let rate = ["I/O rate: ", "fwdrate="]
                .iter()
                .find_map(|word| asked.split_once(word))?;
            let rate = rate.1.split(';').next()?.trim_end_matches('.');
            Some(format!("{name} {rate} {loops}"))
        })
        .collect()
}

fn refused(parts: &[&str]) {
    if let Ok(parsed) = read(parts) {
        panic!("{}\n{:?}", parts.concat(), parsed.simulate().lines);
    }
}

#[test]
fn a_run_that_names_storage_needs_no_workload() {
    let run = ["rd=rd1,sd=sd1,iorate=100,", END].concat();
    for before in ["", WD, "wd=default,xfersize=8k\nwd=wd1,sd=sd1\n"] {
        assert_eq!(runs(&[SD, before, &run]), ["rd1 100 None"]);
    }
    let default = ["rd=default,sd=sd1,iorate=100,", END].concat();
    assert_eq!(
        runs(&[SD, &default, "rd=rd1,forthreads=(1,2)\n"]),
        ["rd1 100 threads=1", "rd1 100 threads=2"]
    );
    assert_eq!(
        runs(&[SD, "rd=rd1,sd=single,iorate=max,", END]),
        [
            "rd1_sd1 Uncontrolled MAX None",
            "rd1_sd2 Uncontrolled MAX None"
        ]
    );
    refused(&[SD, "rd=rd1,iorate=max,", END]);
}

#[test]
fn the_default_workload_reads_4k_at_random_unless_wd_default_says_otherwise() {
    for (before, transfer, reads) in [
        ("", 4096, 100.0),
        ("wd=default,xfersize=8k,rdpct=30\n", 8192, 30.0),
    ] {
        let parsed = read(&[SD, before, "rd=rd1,sd=sd2,iorate=100,", END]).expect("accepted");
        let plan = parsed.plan().expect("it can be run").plan;
        let step = plan.items.iter().find_map(|item| match item {
            plimsoll_plan::Item::Step(step) => Some(step),
            _ => None,
        });
        let stream = &step.expect("a step").streams[0];
        assert_eq!(
            stream.size,
            plimsoll_plan::SizeSpec::Fixed(plimsoll_plan::Bytes(transfer))
        );
        assert_eq!(stream.mix.read, reads);
        assert_eq!(plan.target(stream.target).name, "sd2");
    }
}

#[test]
fn a_run_that_names_file_systems_needs_no_workload() {
    assert_eq!(
        runs(&[FSD, "rd=rd1,fsd=fsd1,fwdrate=100,", END]),
        ["rd1 100 None"]
    );
    let other = "fsd=fsd2,anchor=/d2\n";
    let run = ["rd=rd1,fwd=fwd1,fsd=fsd2,fwdrate=100,", END].concat();
    assert_eq!(runs(&[FSD, other, FWD, &run]), ["rd1 100 None"]);
    refused(&[FSD, FWD, "rd=rd1,fwd=fwd1,fsd=nowhere,fwdrate=100,", END]);
}

#[test]
fn of_a_range_that_runs_backwards_the_first_value_counts_with_a_warning() {
    let one = |parameters: &str| {
        let run = format!("rd=rd1,wd=wd1,{parameters},{END}");
        let parsed = read(&[SD, WD, &run]).expect("accepted");
        assert!(parsed.warnings.iter().any(|w| w.code == "V0170"), "{run}");
        runs(&[SD, WD, &run])
    };
    assert_eq!(one("iorate=10,forrdpct=(100-0,10)"), ["rd1 10 rdpct=100"]);
    assert_eq!(one("iorate=(1000-100,100)"), ["rd1 1000 None"]);
    assert_eq!(
        one("iorate=10,forthreads=(10-1,2),forxfersize=(1k,2k)"),
        [
            "rd1 10 threads=10 xfersize=1k",
            "rd1 10 threads=10 xfersize=2k"
        ]
    );
    assert_eq!(
        one("iorate=curve,curve=(100-10,10)"),
        ["rd1 Uncontrolled curve None", "rd1_(100%) 10000 None"]
    );
}

#[test]
fn loop_values_are_printed_as_vdbench_spells_them() {
    for (parameter, loops) in [
        ("compratio=(1,2.7)", ["comp=1", "comp=2"]),
        ("forcompression=(50,30)", ["comp=2", "comp=3"]),
        ("forxfersize=(1536,1m)", ["xfersize=1.500k", "xfersize=1m"]),
        ("forhitarea=(512k,10%)", ["hitarea=512k", "hitarea=10%"]),
        ("forthreads=(0,1)", ["threads=0", "threads=1"]),
    ] {
        let run = format!("rd=rd1,wd=wd1,iorate=10.7,{parameter},{END}");
        let expected = loops.map(|l| format!("rd1 11 {l}"));
        assert_eq!(runs(&[SD, WD, &run]), expected, "{parameter}");
    }
    let percents = ["rd=rd1,wd=wd1,iorate=(10%,50%),", END].concat();
    assert_eq!(
        runs(&[SD, WD, &percents]),
        ["rd1 1000 iorate=10%", "rd1 1000 iorate=50%"]
    );
    let range = ["rd=rd1,wd=wd1,sd=range,iorate=10,", END].concat();
    assert_eq!(
        runs(&[SD, "wd=wd1,sd=sd*\n", &range]),
        ["rd1_sd1-sd1 10 None", "rd1_sd1-sd2 10 None"]
    );
}

#[test]
fn two_loop_values_that_print_alike_are_two_steps() {
    let run = ["rd=rd1,wd=wd1,iorate=10,compratio=(2.5,2.7),", END].concat();
    let plan = read(&[SD, WD, &run]).expect("accepted").plan();
    let names: Vec<String> = plan
        .expect("it can be run")
        .plan
        .items
        .iter()
        .map(|item| item.steps()[0].name.clone())
        .collect();
    assert_eq!(names.len(), 2);
    assert_ne!(names[0], names[1]);
}

#[test]
fn a_list_of_file_rates_is_a_loop_in_its_place_and_operations_are_none() {
    let run = |parameters: &str| {
        let run = format!("rd=rd1,fwd=fwd1,{parameters},{END}");
        runs(&[FSD, FWD, &run])
    };
    assert_eq!(
        run("fwdrate=(100,200.7),forthreads=(1,2)"),
        [
            "rd1 100 fwdrate=100 threads=1",
            "rd1 100 fwdrate=100 threads=2",
            "rd1 200 fwdrate=200 threads=1",
            "rd1 200 fwdrate=200 threads=2",
        ]
    );
    assert_eq!(run("fwdrate=100,operations=(read,write)"), ["rd1 100 None"]);
    assert_eq!(
        run("fwdrate=100,foroperations=(read,write)"),
        ["rd1 100 operation=read", "rd1 100 operation=write"]
    );
    let curve = runs(&[FSD, FWD, "rd=rd1,fwd=fwd1,fwdrate=curve,curve=(10),", END]);
    assert_eq!(curve, ["rd1 curve None", "rd1_(10%) curve None"]);
}

#[test]
fn of_several_numbers_where_one_is_expected_the_first_counts_with_a_warning() {
    let run = "rd=rd1,wd=wd1,iorate=10,elapsed=(4,6),interval=1\n";
    let parsed = read(&[SD, "wd=wd1,sd=sd1,rdpct=(50,60)\n", run]).expect("accepted");
    assert_eq!(parsed.simulate().seconds, 4.0);
    assert_eq!(parsed.definition.workloads[0].read_percent, 50.0);
    let warned = parsed.warnings.iter().filter(|w| w.code == "V0170");
    assert_eq!(warned.count(), 2);
}

#[test]
fn storage_and_its_workload_have_a_host_in_common() {
    let run = ["rd=rd1,wd=wd1,iorate=10,", END].concat();
    let on = |storage: &str, workload: &str| {
        let sd = format!("sd=sd1,lun=null:10m,size=10m{storage}\n");
        let wd = format!("wd=wd1,sd=sd1{workload}\n");
        read(&[HOSTS, &sd, &wd, &run]).is_ok()
    };
    assert!(on("", ",host=h2") && on(",host=h1", "") && on(",host=h*", ",host=h2"));
    assert!(!on(",host=h1", ",host=h2"));
    refused(&[HOSTS, "sd=sd1,lun=null:1m,lun=null:2m\n", WD, &run]);
    refused(&["pattern=/x\ncompratio=2\n", SD, WD, &run]);
}

#[test]
fn the_edges_of_a_histogram_ascend_from_above_zero() {
    let run = ["rd=rd1,wd=wd1,iorate=10,", END].concat();
    let edges = |given: &str| {
        let general = format!("histogram=({given})\n");
        let parsed = read(&[&general, SD, WD, &run]);
        parsed.map(|p| p.definition.general.histogram_us)
    };
    let us = |list: &[u64]| Ok(Some(list.to_vec()));
    assert_eq!(edges("default,1m,5m,2s"), us(&[1_000, 5_000, 2_000_000]));
    // A number that is not above the one before is the step to the next.
    assert_eq!(edges("default,5m,1m,8m"), us(&[5_000, 6_000, 7_000, 8_000]));
    assert_eq!(edges("default,suppress"), Ok(None));
    for wrong in [
        "default,0,5m",
        "default,20-100,20",
        "default,x",
        "default,1,1,100",
        "default,99999999999999999999s",
    ] {
        let read = edges(wrong);
        assert!(read.is_err(), "{wrong}: {read:?}");
    }
    let most = "default,9223372036854775808,9223372036854775808,18446744073709551615";
    assert_eq!(edges(most), us(&[1 << 63, u64::MAX]));
    refused(&["rd=rd1,sd=single,iorate=max,", END]);
}

#[test]
fn times_are_whole_seconds() {
    let run = "rd=rd1,wd=wd1,iorate=10,elapsed=20.5,interval=1.5,warmup=3.5\n";
    let simulation = read(&[SD, WD, run]).expect("accepted").simulate();
    assert_eq!(simulation.seconds, 23.0);
}

#[test]
fn storage_is_refused_what_vdbench_refuses_it() {
    let end = [",iorate=max,", END].concat();
    let all = ["rd=rd1,wd=wd*", &end].concat();
    for workloads in [
        "wd=wd1,sd=sd1,xfersize=(4k,16k,4k)\n",
        "wd=wd1,sd=sd1,xfersize=(1000,50,2000,50)\n",
        "wd=wd1,sd=sd1,iorate=10,skew=20,priority=1\n",
        "wd=wd1,sd=sd1,iorate=10\n",
        "wd=wd1,sd=sd1,iorate=10,priority=1\nwd=wd2,sd=sd1\n",
        "wd=wd1,sd=sd1,priority=1\nwd=wd2,sd=sd1,priority=1\n",
        "wd=wd1,sd=sd1,iorate=10,priority=2\nwd=wd2,sd=sd1,priority=1\n",
        "wd=wd1,sd=sd1,stride=8k\n",
        "wd=wd1,sd=(sd1,sd*)\n",
        "wd=wd1,sd=sd1,iorate=(10,20),priority=1\n",
    ] {
        refused(&[SD, workloads, &all]);
    }
    for run in [
        "rd=rd1,wd=wd1,wd=wd1",
        "rd=rd1,wd=(wd1,wd*)",
        "rd=rd1,wd=wd1,forxfersize=(1000,2000)",
        "rd=default,wd=wd1\nrd=rd1,wd=wd1",
    ] {
        refused(&[SD, WD, run, &end]);
    }
    for before in [
        "sd=concat,lun=null:10m,size=10m\n",
        "sd=sd3,lun=null:10m,size=10m,streams=2\n",
        "dedupratio=2,dedupunit=1000\nsd=sd3,lun=null:10m\n",
    ] {
        refused(&[before, SD, WD, &all]);
    }
    for storage in ["offset=512", "align=4k", "hitarea=1m", "range=(1,2)"] {
        let sd = format!("concatenate=yes\nsd=sd1,lun=null:10m,size=10m,{storage}\n");
        refused(&[&sd, "wd=wd1,sd=sd1,threads=4\n", &all]);
    }
}

#[test]
fn and_allowed_what_vdbench_allows() {
    let all = ["rd=rd1,wd=wd*,iorate=max,", END].concat();
    for workloads in [
        "wd=wd1,sd=sd1,iorate=10,priority=3\nwd=wd2,sd=sd1,priority=5\n",
        "wd=wd1,sd=sd1,iorate=10,priority=7\n",
        "wd=wd1,sd=sd1,iorate=0,skew=10\nwd=wd2,sd=sd1\n",
    ] {
        assert_eq!(runs(&[SD, workloads, &all]), ["rd1 Controlled MAX None"]);
    }
    for workloads in [
        "wd=wd1,sd=sd1,skew=0\nwd=wd2,sd=sd1\n",
        "wd=wd1,sd=sd1,xfersize=(4k,50,8k,49.6)\n",
        "wd=wd1,sd=sd1,streams=2\n",
    ] {
        assert_eq!(runs(&[SD, workloads, &all]), ["rd1 Uncontrolled MAX None"]);
    }
    let aligned = "sd=sd1,lun=null:10m,size=10m,align=4k\n";
    let ranged = "wd=wd1,sd=sd1,xfersize=(5k,16k,4k)\n";
    assert_eq!(
        runs(&[aligned, ranged, &all]),
        ["rd1 Uncontrolled MAX None"]
    );
    let threads = ["rd=rd1,wd=wd1,threads=4,iorate=max,", END].concat();
    assert_eq!(
        runs(&["concatenate=yes\n", SD, WD, &threads]),
        ["rd1 Uncontrolled MAX threads=4"]
    );
}

#[test]
fn a_rate_with_streams_is_refused_when_it_is_to_run() {
    let streams = "wd=wd1,sd=sd1,streams=2\n";
    let at = |rate: &str| {
        let run = format!("rd=rd1,wd=wd1,iorate={rate},{END}");
        read(&[SD, streams, &run])
            .expect("it can be simulated")
            .plan()
    };
    assert!(at("max").is_ok());
    for rate in ["100", "curve", "50%"] {
        assert!(at(rate).is_err(), "{rate}");
    }
}

#[test]
fn files_are_refused_what_vdbench_refuses_them() {
    let run = ["rd=rd1,fwd=fwd*,fwdrate=100,", END].concat();
    let fsd = |more: &str| format!("{},{more}\n", FSD.trim_end());
    let fwd = |more: &str| format!("{},{more}\n", FWD.trim_end());
    for more in [
        "totalsize=81k",
        "wss=1g",
        "totalsize=40k,wss=60k",
        "totalsize=50%",
        "mask=(x%04d.file)",
        "files=20000000",
        "dedupratio=2,dedupunit=4k",
    ] {
        refused(&[&fsd(more), FWD, &run]);
    }
    for more in ["target=fsd1", "fileselect=empty", "fileselect=(seqnz,once)"] {
        refused(&[FSD, &fwd(more), &run]);
    }
    for more in [
        "fortotalsize=(10k,1g)",
        "fortotalsize=50%",
        "format=once",
        "maxdata=50",
    ] {
        refused(&[
            FSD,
            FWD,
            &format!("rd=rd1,fwd=fwd1,fwdrate=100,{more},{END}"),
        ]);
    }
    let mixed = ["rd=rd1,fwd=fwd1,fwdrate=100,operations=(read,write),", END].concat();
    refused(&[FSD, &fwd("rdpct=50"), &mixed]);
    refused(&[
        FSD,
        "fwd=read,fsd=fsd1\n",
        "rd=rd1,fwd=read,fwdrate=100,",
        END,
    ]);
    assert_eq!(runs(&[&fsd("totalsize=80k"), FWD, &run]), ["rd1 100 None"]);
    assert_eq!(
        runs(&[&fsd("depth=2,totalsize=160k"), FWD, &run]),
        ["rd1 100 None"]
    );
}

#[test]
fn one_tree_is_used_from_several_hosts_only_where_it_is_shared() {
    let run = ["rd=rd1,fwd=fwd*,fwdrate=100,", END].concat();
    let shared = format!("{},shared=yes\n", FSD.trim_end());
    let on = |hosts: &str| format!("{},host={hosts}\n", FWD.trim_end());
    refused(&[HOSTS, FSD, FWD, &run]);
    refused(&[HOSTS, FSD, &on("(h1,h2)"), &run]);
    refused(&["hd=h1,system=localhost,clients=2\n", FSD, &on("h1*"), &run]);
    assert_eq!(runs(&[HOSTS, &shared, FWD, &run]), ["rd1 100 None"]);
    assert_eq!(runs(&[HOSTS, FSD, &on("h2"), &run]), ["rd1 100 None"]);
    let apart = format!(
        "{},skew=50,host=h1\nfwd=fwd2,fsd=fsd1,skew=50,host=h2\n",
        FWD.trim_end()
    );
    refused(&[HOSTS, &shared, &apart, &run]);
}

#[test]
fn a_list_of_rates_may_hold_the_maximum() {
    let listed = |rates: &str| runs(&[SD, WD, &format!("rd=rd1,wd=wd1,iorate={rates},{END}")]);
    assert_eq!(
        listed("(10,max)"),
        ["rd1 10 iorate=10", "rd1 10 iorate=max"]
    );
    assert_eq!(
        listed("(max,10,20)"),
        [
            "rd1 Uncontrolled MAX iorate=max",
            "rd1 Controlled MAX iorate=10",
            "rd1 Controlled MAX iorate=20"
        ]
    );
    assert_eq!(listed("(max)"), ["rd1 Uncontrolled MAX None"]);
    assert_eq!(listed("9999988").len(), 1);
    assert_eq!(listed("(curve,10)"), listed("curve"));
    let parsed = read(&[SD, WD, "rd=rd1,wd=wd1,iorate=(10,max,30),", END]).expect("accepted");
    let plan = parsed.plan().expect("it can be run").plan;
    let loads: Vec<bool> = plan
        .steps()
        .map(|s| s.load == plimsoll_plan::Load::Max)
        .collect();
    assert_eq!(loads, [false, true, false]);
    let names: Vec<&str> = plan.steps().map(|s| s.name.as_str()).collect();
    assert!(names[1].contains("max"), "{names:?}");
    for rates in ["(10,curve)", "(10,Max)"] {
        refused(&[SD, WD, &format!("rd=rd1,wd=wd1,iorate={rates},{END}")]);
    }
}

#[test]
fn a_stride_needs_a_workload_that_seeks() {
    let file = |seek: &str| {
        let wd = format!("wd=wd1,sd=sd1,stride=(8k,64k){seek}\n");
        [
            SD.to_string(),
            wd,
            format!("rd=rd1,wd=wd1,iorate=100,{END}"),
        ]
    };
    for seek in [
        ",seekpct=0",
        ",seekpct=eof",
        ",seekpct=seq",
        ",seekpct=seqnz",
    ] {
        let file = file(seek);
        refused(&file.each_ref().map(String::as_str));
    }
    for seek in ["", ",seekpct=100", ",seekpct=20"] {
        let file = file(seek);
        assert_eq!(
            runs(&file.each_ref().map(String::as_str)).len(),
            1,
            "{seek}"
        );
    }
}

#[test]
fn a_word_that_becomes_a_star_takes_its_line_out() {
    let text = [
        SD,
        WD,
        "rd=rd1,wd=wd1,iorate=1,",
        END,
        "!off rd=rd2,wd=wd1,iorate=2,",
        END,
    ]
    .concat();
    let named = |value: &str| {
        let words = [("off".to_string(), value.to_string())];
        let input = Input::text("job", &text).with_words(&words);
        let parsed = vdbench::parse(&input).unwrap_or_else(|why| panic!("{why}"));
        parsed.runs.len()
    };
    assert_eq!(named("*"), 1);
}

#[test]
fn of_the_words_of_seekpct_only_seq_is_not_completed() {
    let workload = |seek: &str| format!("wd=wd1,sd=sd1,seekpct={seek}\n");
    let run = ["rd=rd1,wd=wd1,iorate=100,", END].concat();
    for seek in ["s", "se"] {
        refused(&[SD, &workload(seek), &run]);
    }
    for seek in [
        "seq",
        "sequ",
        "sequential",
        "seqnz",
        "p",
        "poisson",
        "r",
        "e",
    ] {
        assert_eq!(runs(&[SD, &workload(seek), &run]).len(), 1, "{seek}");
    }
    // Capitals, which Vdbench refuses, are the same words here.
    let seek = |seek: &str| {
        let parsed = read(&[SD, &workload(seek), &run]).unwrap_or_else(|why| panic!("{why}"));
        format!("{:?}", parsed.definition)
    };
    assert!(seek("SEQNZ").contains("SequentialNonZero"));
}

#[test]
fn letters_behind_a_time_that_look_like_a_unit_and_are_none_are_named() {
    for (written, seconds, named) in [
        ("2d", 2, true),
        ("2F", 2, true),
        ("5mb", 300, false),
        ("5hb", 18000, false),
    ] {
        let run = format!("rd=rd1,wd=wd1,iorate=100,elapsed={written},interval=1\n");
        let parsed = read(&[SD, WD, &run]).unwrap_or_else(|why| panic!("{why}"));
        let simulated = parsed.simulate().lines.join("\n");
        assert!(
            simulated.contains(&format!("elapsed={seconds};")),
            "{simulated}"
        );
        let mut messages = parsed.warnings.iter().map(|w| &w.message);
        assert_eq!(
            messages.any(|m| m.contains("is taken for")),
            named,
            "{written}"
        );
    }
}
