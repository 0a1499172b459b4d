//! Trees, as TOML and Vdbench say them.

use plimsoll_diagnostic::Sources;
use plimsoll_dialects::convert::{Original, to_native};
use plimsoll_dialects::native::{self, DirectFlags, Method, direct};
use plimsoll_dialects::vdbench::{Input, parse};
use plimsoll_plan::{
    Bytes, Caching, Durability, FileSelect, FileSizes, Item, Load, Making, Mix, NO_TIME_LIMIT,
    Nanos, Op, Opening, Pattern, PerFile, Plan, Purpose, Question, Step, describe,
};

fn vdbench(text: &str) -> Result<Plan, String> {
    let parsed =
        parse(&Input::text("p", text.to_string())).map_err(|r| format!("{:?}", r.diagnostics))?;
    let lowered = parsed.plan().map_err(|d| format!("{d:?}"))?;
    Ok(lowered.plan)
}

fn steps(plan: &Plan) -> Vec<&Step> {
    plan.items.iter().flat_map(Item::steps).collect()
}

const FSD: &str =
    "fsd=f1,anchor=/t,depth=2,width=3,files=4,sizes=(4k,50,64k,50),distribution=all\n";

#[test]
fn an_fsd_is_a_tree_and_each_operation_of_an_fwd_a_stream_with_threads_of_its_own() {
    let plan = vdbench(&format!(
        "{FSD}fwd=w1,fsd=f1,operations=(read,getattr),threads=5,fileio=random,fileselect=seq,xfersize=8k\n\
         rd=r1,fwd=w1,fwdrate=100,format=yes,elapsed=4,interval=1\n"
    ))
    .expect("a plan");
    let tree = plan.targets[0].location.tree().expect("a tree");
    let sizes = FileSizes::Weighted(vec![(Bytes(4096), 50.0), (Bytes(65_536), 50.0)]);
    assert_eq!(
        (
            tree.depth,
            tree.width,
            tree.files,
            tree.on_all_levels,
            &tree.sizes
        ),
        (2, 3, 4, true, &sizes)
    );
    let steps = steps(&plan);
    let [format, run] = steps[..] else {
        panic!("{steps:?}")
    };
    assert_eq!(
        (format.purpose, format.streams[0].files.makes),
        (Purpose::Fill, Some(Making::Anew))
    );
    assert_eq!(format.depths[0].slots, 8);
    assert!(matches!(run.load, Load::Rate { .. }));
    let streams: Vec<_> = run
        .streams
        .iter()
        .map(|s| {
            let ops: Vec<Op> = s.mix.occurring().map(|(op, _)| op).collect();
            (
                ops,
                s.depth,
                s.share,
                s.files.select,
                s.address.pattern.clone(),
            )
        })
        .collect();
    let of = |op, depth| {
        (
            vec![op],
            Some(depth),
            50.0,
            FileSelect::Sequential,
            Pattern::RANDOM,
        )
    };
    assert_eq!(streams, [of(Op::Read, 3), of(Op::Stat, 2)]);
}

#[test]
fn a_format_can_delete_alone_and_a_file_be_left_before_its_end() {
    let one = |format: &str, stop: &str| {
        let text = format!(
            "{FSD}fwd=w1,fsd=f1,operation=write,stopafter={stop}\nfwd=w2,fsd=f1,operation=setattr,stopafter=9\n\
             rd=r1,fwd=w*,fwdrate=max,elapsed=4,interval=1,format={format}\n"
        );
        vdbench(&text).expect("a plan")
    };
    let plan = one("clean", "5");
    let [format] = steps(&plan)[..] else {
        panic!("{plan:?}")
    };
    assert_eq!(format.streams[0].files.makes, Some(Making::Deleted));
    for (stop, amount) in [("5", PerFile::Transfers(5)), ("50%", PerFile::Percent(50))] {
        let plan = one("no", stop);
        let [run] = steps(&plan)[..] else {
            panic!("{plan:?}")
        };
        let [write, setattr] = &run.streams[..] else {
            panic!("{run:?}")
        };
        assert_eq!(write.files.per_file, Some(amount));
        assert_eq!(setattr.mix, Mix::only(Op::Setattr));
        assert_eq!(setattr.files.per_file, None);
    }
}

#[test]
fn what_is_not_carried_out_on_files_is_refused_by_name() {
    for (fsd, fwd, rd, name) in [
        (",wss=50", "", "", "is a percentage"),
        (",wss=50%", "", "", "is a percentage"),
        ("", ",stopafter=0", "", "stopafter=0"),
        ("", ",fileselect=once", "", "fileselect=once"),
        ("", ",fileio=(seq,delete)", "", "fileio=delete"),
        ("", ",operation=copy", "", "no other fsd to copy them into"),
        ("", ",operation=move,target=f1", "", "Vdbench itself stops"),
        ("", "", ",format=limited", "format=limited without only"),
        ("", "", ",format=(limited,complete,only)", "format=complete"),
        ("", "", ",forfiles=(1,2)", "changes from run to run"),
        ("", "", ",forseekpct=(0,100)", "forseekpct="),
        ("", "", ",forcompratio=(2,4)", "nothing compresses"),
    ] {
        let operation = if fwd.contains("operation") {
            ""
        } else {
            ",operation=write"
        };
        let text = format!(
            "{}{fsd}\nfwd=w1,fsd=f1{operation}{fwd}\nrd=r1,fwd=w1,fwdrate=max,elapsed=4,interval=1{rd}\n",
            FSD.trim_end()
        );
        let refused = vdbench(&text).expect_err(name);
        assert!(refused.contains(name), "{name}: {refused}");
    }
    let raw = "sd=s1,lun=/dev/sdx\nwd=w1,sd=s1\nrd=r1,wd=w1,iorate=max,elapsed=4,interval=1,operations=read\n";
    assert!(
        vdbench(raw)
            .expect_err("files alone")
            .contains("operations=")
    );
}

#[test]
fn workloads_open_files_each_in_its_own_way_and_a_format_in_its_own() {
    let plan = vdbench(&format!(
        "{FSD}fwd=default,fsd=f1,xfersize=8k\nfwd=format,threads=2,openflags=o_dsync\n\
         fwd=w1,operation=write,openflags=fsync\nfwd=w2,operation=read,openflags=o_direct\n\
         rd=r1,fwd=w*,fwdrate=100,format=yes,elapsed=4,interval=1\n\
         rd=r2,fwd=w*,fwdrate=100,openflags=o_sync,elapsed=4,interval=1\n"
    ))
    .expect("a plan");
    let opening = |caching, durability| Opening {
        caching,
        durability,
    };
    let written = opening(Caching::Buffered, Durability::FsyncAtClose);
    let synced = opening(Caching::Buffered, Durability::Dsync);
    let seen: Vec<Vec<Opening>> = steps(&plan)
        .iter()
        .map(|step| {
            step.streams
                .iter()
                .map(|s| plan.targets[0].opening(s))
                .collect()
        })
        .collect();
    let described = describe(&plan);
    let opened = |n: usize| described.steps[1].streams[n].address.clone();
    assert!(
        opened(0).ends_with(", buffered, fsync at close"),
        "{}",
        opened(0)
    );
    assert!(opened(1).ends_with(", direct"), "{}", opened(1));
    let read = opening(Caching::Direct, Durability::None);
    let made = opening(Caching::Buffered, Durability::Dsync);
    assert_eq!(
        seen,
        [vec![made], vec![written, read], vec![synced, synced]]
    );
    let original = Original {
        plan: &plan,
        sources: &Sources::default(),
        beside: &[],
    };
    let text = to_native(&original).expect("a definition");
    let again = native::parse("p", &text).expect("read").plan;
    let all = |plan: &Plan| plan.targets[0].openings().collect::<Vec<_>>();
    assert_eq!(all(&again), all(&plan));
}

#[test]
fn only_files_of_trees_are_opened_by_workloads_and_flushed_when_they_are_closed() {
    let refused = |of_target: &str, of_workload: &str| {
        let text = format!(
            "[target.a]\npath = \"/tmp/x\"\nsize = \"1g\"\n{of_target}\n[workload.w]\n{of_workload}\n[[run]]\nload = \"max\"\n"
        );
        let refusal = native::parse("x", &text).expect_err("refused");
        refusal.to_string()
    };
    let of_target = refused("durability = \"fsync_at_close\"", "read = 0");
    assert!(
        of_target.contains("write durability = \"fsync_at_end\""),
        "{of_target}"
    );
    let of_workload = refused("", "caching = \"buffered\"");
    assert!(
        of_workload.contains("target `a` is no tree"),
        "{of_workload}"
    );
}

#[test]
fn a_limited_format_has_the_time_of_its_run() {
    let elapsed = |format: &str| {
        let text = format!(
            "{FSD}fwd=w1,fsd=f1,operation=read\nrd=r1,fwd=w1,fwdrate=max,elapsed=4,interval=1,format={format}\n"
        );
        steps(&vdbench(&text).expect("a plan"))[0].elapsed
    };
    assert_eq!(elapsed("(yes,only)"), NO_TIME_LIMIT);
    assert_eq!(elapsed("(restart,limited,only)"), Nanos::secs(4));
}

/// Flags of a command on the directory `t`.
fn flags(method: Method, typed: &[(&'static str, &str)]) -> DirectFlags {
    let typed = typed.iter().map(|(flag, value)| (*flag, value.to_string()));
    DirectFlags {
        targets: vec!["t".to_string()],
        method,
        typed: typed.collect(),
        ..DirectFlags::default()
    }
}

const TREE: (&str, &str) = ("--tree", "depth=2,width=3,files=4,levels=all,total=64k");

#[test]
fn flags_and_a_file_make_the_same_plan_of_a_tree() {
    let all = [
        TREE,
        ("--file-size", "4k=50,8k=50"),
        ("--operations", "create=20,stat=60,read=20"),
        ("--select", "sequential"),
        ("--per-file", "50%"),
        ("--rate", "500"),
        ("--caching", "buffered"),
    ];
    let text = "[target.t]\ntree = { root = \"t\", depth = 2, width = 3, files = 4, levels = \"all\", total = \"64k\" }\n\
        file_size = { 4k = 50, 8k = 50 }\ncaching = \"buffered\"\n[workload.NAME]\noperations = { create = 20, stat = 60, read = 20 }\n\
        select = \"sequential\"\nper_file = \"50%\"\n[[run]]\nname = \"NAME\"\n";
    for (method, name, more) in [
        (Method::Single, "run", "load = 500\n"),
        (Method::Curve, "curve", "load = \"curve\"\n"),
        (
            Method::Named("saturate"),
            "saturate",
            "method = \"saturate\"\n",
        ),
        (
            Method::Named("soak"),
            "soak",
            "method = \"soak\"\nload = 500\n",
        ),
        (
            Method::Named("adaptive"),
            "curve",
            "method = \"adaptive\"\n",
        ),
    ] {
        let mut typed = all.to_vec();
        if !more.contains("500") {
            typed.retain(|(flag, _)| *flag != "--rate");
        }
        let plan = direct(&flags(method, &typed)).unwrap_or_else(|e| panic!("{e}"));
        let text = text.replace("NAME", name) + more;
        let mut file = native::parse("x", &text).unwrap_or_else(|e| panic!("{e}"));
        file.plan.dialect = plan.dialect.clone();
        assert_eq!(describe(&plan), describe(&file.plan), "{name}");
    }
}

#[test]
fn flags_of_trees_are_refused_where_they_say_nothing() {
    let refused = |typed: &[(&'static str, &str)], targets: &[&str]| {
        let flags = DirectFlags {
            targets: targets.iter().map(|t| t.to_string()).collect(),
            ..flags(Method::Single, typed)
        };
        direct(&flags).expect_err("the flags are bad").to_string()
    };
    for (typed, targets, parts) in [
        (
            &[("--operations", "stat=100")][..],
            &["t"][..],
            ["--operations", "add --tree depth"],
        ),
        (
            &[("--file-size", "8k")],
            &["t"],
            ["--file-size", "add --tree depth"],
        ),
        (
            &[TREE],
            &["null:1g"],
            ["--tree", "`null:1g` is no directory"],
        ),
        (
            &[("--tree", "root=t,depth=1")],
            &["t"],
            ["--tree", "the root is the target"],
        ),
        (
            &[("--tree", "dept=1")],
            &["t"],
            ["--tree", "`depth` is near"],
        ),
        (
            &[TREE, ("--operations", "stat=100"), ("--read", "70")],
            &["t"],
            ["--read", "beside --operations"],
        ),
        (
            &[TREE, ("--operations", "stat=90")],
            &["t"],
            ["sum to 90 %", "make them sum to 100"],
        ),
        (
            &[TREE, ("--operations", "mial")],
            &["t"],
            ["--operations", "`mail` is near"],
        ),
        (
            &[TREE, ("--operations", "copy=100")],
            &["t"],
            ["copy", "name its target"],
        ),
        (
            &[TREE, ("--size", "1g")],
            &["t"],
            ["`size` is for files", "leave `size` out"],
        ),
    ] {
        let refused = refused(typed, targets);
        for part in parts {
            assert!(refused.contains(part), "{part}: {refused}");
        }
    }
}

#[test]
fn files_go_from_a_tree_into_one_that_differs_in_its_root() {
    let typed = [TREE, ("--operations", "copy=100"), ("--to", "u")];
    let plan = direct(&flags(Method::Single, &typed)).unwrap_or_else(|e| panic!("{e}"));
    let [from, to] = &plan.targets[..] else {
        panic!("{plan:?}")
    };
    let (from, to) = (from.location.tree(), to.location.tree());
    assert!(
        from.zip(to)
            .is_some_and(|(from, to)| from.is_like(to) && from.root != to.root)
    );
    let [run] = steps(&plan)[..] else {
        panic!("{plan:?}")
    };
    let of: Vec<_> = run
        .streams
        .iter()
        .map(|s| (s.target.0, s.files.to.map(|t| t.0)))
        .collect();
    assert_eq!(of, [(0, Some(1))]);
}

/// Counted by hand in one pass of a thread of Filebench's varmail, webserver and fileserver, and in mdtest's phases on files.
#[test]
fn mixes_that_are_ready_have_the_shares_of_what_they_are_named_after() {
    let mix = |name: &str| {
        let plan = direct(&flags(Method::Single, &[TREE, ("--operations", name)]));
        steps(&plan.unwrap_or_else(|e| panic!("{e}")))[0].streams[0].mix
    };
    let of = |name: &str, all: f64| -> Vec<(Op, u32)> {
        let counts = mix(name);
        let count = |(op, percent): (Op, f64)| (op, (percent * all / 100.0).round() as u32);
        counts.occurring().map(count).collect()
    };
    assert_eq!(
        of("mail", 6.0),
        [
            (Op::Read, 2),
            (Op::Write, 2),
            (Op::Create, 1),
            (Op::Delete, 1)
        ]
    );
    assert_eq!(of("web", 11.0), [(Op::Read, 10), (Op::Write, 1)]);
    let server = [
        (Op::Read, 1),
        (Op::Write, 2),
        (Op::Create, 1),
        (Op::Stat, 1),
        (Op::Delete, 1),
    ];
    assert_eq!(of("fileserver", 6.0), server);
    let phases = [
        (Op::Create, 1),
        (Op::Open, 1),
        (Op::Stat, 1),
        (Op::Delete, 1),
    ];
    assert_eq!(of("mdtest", 4.0), phases);
    for name in ["mail", "web", "fileserver", "mdtest"] {
        let sum: f64 = mix(name).occurring().map(|(_, percent)| percent).sum();
        assert!((sum - 100.0).abs() < 1e-9, "{name}");
    }
}

/// A list of mixes is a loop, and what has names with shares is one mix.
#[test]
fn several_mixes_are_measured_one_by_one() {
    let typed = [TREE, ("--operations", "mail,web")];
    let plan = direct(&flags(Method::Single, &typed)).unwrap_or_else(|e| panic!("{e}"));
    let names: Vec<&str> = steps(&plan).iter().map(|s| s.name.as_str()).collect();
    assert_eq!(names, ["run_(operations=mail)", "run_(operations=web)"]);
}

#[test]
fn methods_take_no_more_threads_on_a_tree_than_are_worth_it_and_some_refuse_it() {
    let of = |name, more: &[(&'static str, &str)]| {
        let typed: Vec<_> = [TREE, ("--operations", "stat=100")]
            .iter()
            .chain(more)
            .copied()
            .collect();
        direct(&flags(Method::Named(name), &typed))
    };
    for name in ["saturate", "soak", "adaptive"] {
        let plan = of(name, &[]).unwrap_or_else(|e| panic!("{name}: {e}"));
        let [Item::Method(method)] = &plan.items[..] else {
            panic!("{plan:?}")
        };
        let slots = method.steps.iter().flat_map(|s| &s.depths).map(|d| d.slots);
        assert!(slots.max() <= Some(256), "{method:?}");
        if let Question::Saturate(spec) = &method.question {
            assert!(spec.reads.is_empty() && spec.blocks.is_empty() && method.steps.len() == 1);
        }
    }
    for (name, why) in [
        ("fingerprint", "addresses of a file or device"),
        ("pts", "block storage"),
    ] {
        let refused = of(name, &[]).expect_err("refused").to_string();
        assert!(refused.contains(why), "{refused}");
    }
    let with = |name, flag, key, value: &str| {
        let typed = [TREE, ("--operations", "stat=100")];
        let of_method = vec![(flag, key, value.to_string())];
        let flags = DirectFlags {
            of_method,
            ..flags(Method::Named(name), &typed)
        };
        direct(&flags).expect_err("refused").to_string()
    };
    for (refused, why) in [
        (
            with("soak", "--overwrites", "overwrites", "2"),
            "overwrites count the bytes",
        ),
        (
            with("soak", "--precondition", "precondition", "wipc"),
            "writes all addresses",
        ),
        (
            with("saturate", "--reads", "reads", "70"),
            "beside --operations",
        ),
        (
            with("saturate", "--blocks", "blocks", "4k,8k"),
            "no operation that moves bytes",
        ),
    ] {
        assert!(refused.contains(why), "{refused}");
    }
}

#[test]
fn a_tree_beyond_all_counting_is_refused_with_its_own_numbers() {
    let refused = direct(&flags(
        Method::Single,
        &[("--tree", "depth=60,width=4000,files=900")],
    ));
    let refused = refused.expect_err("refused").to_string();
    for part in ["depth 60, width 4000 and 900 files", "or fewer"] {
        assert!(refused.contains(part), "{refused}");
    }
}

#[test]
fn a_workload_on_numbered_and_other_trees_is_told_of_no_key_that_it_lacks() {
    let refused = |rounds: &str| {
        let text = format!(
            "[target.n]\ntree = {{ root = \"n\", files = 4, names = \"j.*\" }}\n\
             [target.p]\ntree = {{ root = \"p\", files = 4 }}\n\
             [workload.w]\ntargets = [\"n\", \"p\"]\noperations = {{ stat = 100 }}\n{rounds}\
             [[run]]\nfor = \"1s\"\nwarmup = \"0s\"\n"
        );
        native::parse("x", &text).expect_err("refused").to_string()
    };
    let both = refused("");
    assert!(
        both.contains("a workload each") && !both.contains("`rounds`"),
        "{both}"
    );
    assert!(refused("rounds = 2\n").contains("`rounds`"));
}
