//! Plans become parameter files that read back as the same load, and that say what Vdbench has no word for.

use crate::corpora::{Read, read_all, read_own};
use plimsoll_diagnostic::{Sources, render_all};
use plimsoll_dialects::convert::{Original, to_vdbench};
use plimsoll_dialects::native;
use plimsoll_dialects::vdbench::{self, Input};
use plimsoll_plan::*;
use proptest::prelude::*;

fn parameters(plan: &Plan, sources: &Sources) -> Result<String, String> {
    let original = Original {
        plan,
        sources,
        beside: &[],
    };
    to_vdbench(&original).map_err(|d| render_all(&d[..d.len().min(3)], sources))
}

fn read(name: &str, text: &str) -> Plan {
    let parsed = vdbench::parse(&Input::text(name, text));
    let parsed = parsed.unwrap_or_else(|e| panic!("{name}: {e}\n{text}"));
    let lowered = parsed.plan();
    let lowered = lowered.unwrap_or_else(|d| panic!("{}\n{text}", render_all(&d, &parsed.sources)));
    lowered.plan
}

/// The load that a plan asks for, in the terms that Vdbench has.
fn load(plan: &Plan) -> Plan {
    let mut plan = plan.normalized();
    (plan.title, plan.seed, plan.claim) = (None, None, None);
    plan.targets.iter_mut().for_each(|t| t.name = String::new());
    let used: Vec<TargetId> = plan
        .steps()
        .flat_map(|s| s.streams.iter().map(|s| s.target))
        .collect();
    let mut order: Vec<TargetId> = Vec::new();
    used.into_iter().for_each(|id| {
        if !order.contains(&id) {
            order.push(id);
        }
    });
    for item in &mut plan.items {
        let step = match item {
            Item::Step(step) => step,
            Item::Curve(curve) => {
                curve.search = None;
                curve.slos.clear();
                &mut curve.base
            }
            Item::Method(_) => panic!("no methods"),
        };
        (step.name, step.run) = (String::new(), String::new());
        step.loops.clear();
        step.workers = Workers::default();
        for depth in &mut step.depths {
            if depth.slots == 0 {
                let own = step.streams.iter_mut().find(|s| s.target == depth.target);
                depth.slots = own.and_then(|s| s.depth.take()).unwrap_or(0);
            }
        }
        let closed = matches!(step.load, Load::Max | Load::MaxShared);
        let free = step
            .streams
            .iter()
            .filter(|s| s.fixed_rate.is_none())
            .count();
        if closed && (step.streams.len() == 1 || free == 0) {
            step.load = Load::Max;
        }
        if step.load == Load::Max {
            // Each target has its own slots: only the shares of one target's streams count.
            let all = step.streams.clone();
            for stream in &mut step.streams {
                let most = all
                    .iter()
                    .filter(|s| s.target == stream.target)
                    .map(|s| s.share);
                stream.share /= most.fold(0.0, f64::max);
            }
        }
        for stream in &mut step.streams {
            stream.workload = String::new();
            stream.arrival = None;
            stream.content = match stream.mix.write > 0.0 {
                true => stream.content.clone(),
                false => ContentSpec::Unique,
            };
        }
    }
    // Targets are numbered as they are used.
    let targets = order.iter().map(|id| plan.target(*id).clone()).collect();
    let renumbered =
        |id: TargetId| TargetId(order.iter().position(|o| *o == id).unwrap_or(0) as u32);
    for item in &mut plan.items {
        let step = match item {
            Item::Step(step) => step,
            Item::Curve(curve) => &mut curve.base,
            Item::Method(_) => panic!("no methods"),
        };
        step.streams
            .iter_mut()
            .for_each(|s| s.target = renumbered(s.target));
        step.depths
            .iter_mut()
            .for_each(|d| d.target = renumbered(d.target));
        step.depths.sort_by_key(|d| d.target);
    }
    plan.targets = targets;
    plan
}

fn same(name: &str, plan: &Plan, text: &str) {
    let (was, is) = (load(plan), load(&read(name, text)));
    let (a, b) = (format!("{was:#?}"), format!("{is:#?}"));
    let pairs = a.lines().zip(b.lines()).filter(|(a, b)| a != b).take(12);
    let shown: String = pairs.map(|(a, b)| format!("- {a}\n+ {b}\n")).collect();
    assert!(was == is, "{name}\n{text}\n{shown}");
}

#[test]
fn parameter_files_say_the_same_again_or_are_refused_by_name() {
    let (mut written, mut refused) = (0, Vec::new());
    for Read {
        name,
        plan,
        sources,
    } in read_own().iter().chain(&read_all())
    {
        match parameters(plan, sources) {
            Ok(text) => {
                written += usize::from(plan.dialect == "vdbench");
                same(name, plan, &text);
            }
            Err(why) => {
                let known = ["Vdbench has no word for", "which is not converted"];
                assert!(known.iter().any(|k| why.contains(k)), "{name}: {why}");
                if plan.dialect == "vdbench" {
                    refused.push(format!("{name}: {why}"));
                }
            }
        }
    }
    eprintln!("{written}\n{}", refused.join("\n"));
    assert!(written > 3, "{written}");
}

#[test]
fn what_vdbench_has_no_word_for_is_shown_at_its_place() {
    let cases = [
        ("distribution = { zipf = 1.1 }", "", "this distribution", 4),
        ("think = \"5ms\"", "", "held back", 4),
        ("trim = 5\nread = 0", "", "trims", 4),
        ("hits = { read = 50 }", "", "spread over the target", 4),
        ("content = \"zeros\"\nread = 0", "", "zeros", 4),
        ("access = \"coverage\"", "", "each block once", 4),
        ("", "limits = { ios = 5 }", "a number of I/Os", 6),
        ("", "pin = 0", "CPUs", 6),
        (
            "",
            "for = \"unlimited\"\nlimits = { bytes = \"1g\" }",
            "no time ends it",
            6,
        ),
        // Vdbench makes 2 of it and says nothing.
        ("", "for = \"2500ms\"", "a time of 2500ms", 6),
        ("", "pause = \"500ms\"", "a pause of 500ms", 6),
        ("", "for = \"1s\"", "fewer than two intervals", 6),
        (
            "",
            "for = \"5s\"\ninterval = \"2s\"\nwarmup = \"2s\"",
            "a time of 5s in intervals of 2s",
            6,
        ),
    ];
    for (workload, run, what, line) in cases {
        let text =
            format!("[target.disk]\npath = \"/dev/x\"\n[workload.w]\n{workload}\n[[run]]\n{run}\n");
        let native = native::parse("a.toml", &text).unwrap_or_else(|e| panic!("{e}"));
        let message = parameters(&native.plan, &native.sources).expect_err(&text);
        assert!(
            message.contains(what) && message.contains(&format!("a.toml:{line}")),
            "{message}"
        );
    }
    let files = "fsd=f,anchor=/x,depth=1,width=1,files=2,size=4k\nfwd=w,fsd=f,operation=read,xfersize=4k\n\
                 rd=r,fwd=w,fwdrate=max,elapsed=5,format=yes\n";
    let parsed = vdbench::parse(&Input::text("a.parm", files)).unwrap_or_else(|e| panic!("{e}"));
    let plan = parsed.plan().expect("a plan").plan;
    let message = parameters(&plan, &parsed.sources).expect_err(files);
    assert!(
        message.contains("no fsd and no fwd") && message.contains("a.parm:1"),
        "{message}"
    );
    assert_eq!(message.matches("error[").count(), 1, "{message}");
}

/// Words that a wd or an rd may have.
const WORKLOAD: [&str; 14] = [
    "xfersize=8k",
    "xfersize=(4k,60,64k,40)",
    "xfersize=(4k,64k,4k)",
    "rdpct=70",
    "rdpct=0",
    "seekpct=0",
    "seekpct=50",
    "seekpct=eof",
    "seekpct=seqnz",
    "seekpct=(poisson,4)",
    "range=(10,30)",
    "rhpct=50",
    "priority=2",
    "iorate=100",
];
const RUN: [&str; 14] = [
    "iorate=max",
    "iorate=1000",
    "iorate=curve",
    "iorate=(500,1000)",
    "iorate=(20%,50%)",
    "elapsed=60,interval=2",
    "warmup=10",
    "pause=3",
    "distribution=deterministic",
    "forthreads=(2,4)",
    "forxfersize=(4k,8k)",
    "maxdata=10g",
    "forrdpct=(0,50)",
    "curve=(20,100)",
];

static PLANNED: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);

#[test]
fn drawn_parameter_files_say_the_same_again() {
    let config = ProptestConfig {
        cases: 400,
        failure_persistence: None,
        ..ProptestConfig::default()
    };
    let words = |all: &'static [&'static str]| proptest::sample::subsequence(all, 0..4);
    proptest!(config, |(a in words(&WORKLOAD), b in words(&WORKLOAD), run in words(&RUN), skew in any::<bool>())| {
        let line = |head: &str, words: &[&str]| format!("{head}{}\n", words.iter().map(|w| format!(",{w}")).collect::<String>());
        let skew = if skew { ",skew=30" } else { "" };
        let text = format!(
            "sd=sd1,lun=/tmp/a,size=1g,threads=4\nsd=sd2,lun=/tmp/b,size=1g,openflags=o_direct\n{}{}{}",
            line(&format!("wd=w1,sd=*{skew}"), &a), line("wd=w2,sd=sd2", &b), line("rd=r1,wd=*,iorate=max", &run).replace("iorate=max,iorate", "iorate"),
        );
        let Ok(parsed) = vdbench::parse(&Input::text("drawn.parm", text.as_str())) else {
            return Ok(());
        };
        let Ok(lowered) = parsed.plan() else {
            return Ok(());
        };
        if let Ok(again) = parameters(&lowered.plan, &parsed.sources) {
            PLANNED.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            same(&text, &lowered.plan, &again);
        }
    });
    let planned = PLANNED.load(std::sync::atomic::Ordering::Relaxed);
    assert!(planned > 50, "{planned}");
}
