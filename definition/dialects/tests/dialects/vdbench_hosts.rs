//! Hosts in Vdbench's files: who does what, as Vdbench deals it to its slaves.

use plimsoll_dialects::vdbench::{self, Input};
use plimsoll_plan::{DealtFiles, Load, Plan, Shell, Step, divide};

fn plan(text: &str) -> Plan {
    let parsed =
        vdbench::parse(&Input::text("t", text)).unwrap_or_else(|refusal| panic!("{refusal}"));
    parsed
        .plan()
        .unwrap_or_else(|errors| panic!("{errors:?}"))
        .plan
}

const HOSTS: &str = "hd=default,user=root,shell=ssh\nhd=one,system=10.0.0.1\nhd=two,system=10.0.0.2,shell=vdbench\n\
    hd=three,system=10.0.0.3,user=bench\n";

fn with(rest: &str) -> Plan {
    plan(&format!("{HOSTS}{rest}"))
}

fn parts(plan: &Plan) -> Vec<Option<Step>> {
    let step = plan.steps().next().expect("a step");
    divide(plan, step).expect("it can be")
}

/// (rate, slots) of each host.
fn dealt(plan: &Plan) -> Vec<Option<(f64, u64)>> {
    let of = |step: &Step| match step.load {
        Load::Rate { rate, .. } => (rate.0.round(), step.total_depth()),
        _ => (0.0, step.total_depth()),
    };
    parts(plan).iter().map(|p| p.as_ref().map(of)).collect()
}

#[test]
fn hosts_have_addresses_users_and_shells() {
    let plan = with("sd=s,lun=null:1g,threads=9\nwd=w,sd=s\nrd=r,wd=w,iorate=900,elapsed=2\n");
    let hosts: Vec<_> = plan.hosts.list.iter().collect();
    let of = |n: usize| {
        let h = hosts[n];
        (
            h.name.as_str(),
            h.address.as_str(),
            h.user.as_deref(),
            h.shell,
        )
    };
    assert_eq!(of(0), ("one", "10.0.0.1", Some("root"), Shell::Ssh));
    assert_eq!(of(1), ("two", "10.0.0.2", Some("root"), Shell::Agent));
    assert_eq!(of(2), ("three", "10.0.0.3", Some("bench"), Shell::Ssh));
    // The rate and the threads are the sd's, whoever uses it.
    assert_eq!(
        dealt(&plan),
        [Some((300.0, 3)), Some((300.0, 3)), Some((300.0, 3))]
    );
}

#[test]
fn fewer_threads_than_hosts_leave_some_out() {
    let plan = with("sd=s,lun=null:1g,threads=2\nwd=w,sd=s\nrd=r,wd=w,iorate=900,elapsed=2\n");
    assert_eq!(dealt(&plan), [Some((450.0, 1)), Some((450.0, 1)), None]);
}

#[test]
fn a_sequential_workload_is_one_hosts_and_a_random_one_is_everybodys() {
    for (seek, hosts) in [("100", 3), ("50", 3), ("0", 1), ("seqnz", 1), ("eof", 1)] {
        let plan = with(&format!(
            "sd=s,lun=null:1g,threads=9\nwd=w,sd=s,seekpct={seek}\nrd=r,wd=w,iorate=900,elapsed=2\n"
        ));
        let taking = parts(&plan).iter().flatten().count();
        assert_eq!(taking, hosts, "{seek}");
        let rates: f64 = dealt(&plan).iter().flatten().map(|(rate, _)| rate).sum();
        assert_eq!(rates, 900.0, "{seek}");
    }
}

#[test]
fn an_sd_or_a_wd_names_its_hosts() {
    let taking = |plan: &Plan| parts(plan).iter().map(Option::is_some).collect::<Vec<_>>();
    let run = "rd=r,wd=*,iorate=900,elapsed=2\n";
    let plan = with(&format!(
        "sd=s,host=(one,three),lun=null:1g\nwd=w,sd=s\n{run}"
    ));
    // A host that no sd is on does not come into the plan.
    assert_eq!(plan.hosts.list.len(), 2);
    assert_eq!(taking(&plan), [true, true]);
    let plan = with(&format!("sd=s,lun=null:1g\nwd=w,sd=s,host=t*\n{run}"));
    assert_eq!(taking(&plan), [false, true, true]);
    let plan = with(&format!(
        "sd=s,lun=null:1g\nsd=u,host=two,lun=null:2g\nwd=w,sd=(s,u)\n{run}"
    ));
    let streams: Vec<usize> = parts(&plan)
        .iter()
        .flatten()
        .map(|p| p.streams.len())
        .collect();
    assert_eq!(streams, [1, 2, 1]);
}

#[test]
fn an_sd_has_another_name_on_each_host() {
    let plan = with(
        "sd=s,host=one,lun=null:1g,host=two,lun=null:2g\nwd=w,sd=s\nrd=r,wd=w,iorate=900,elapsed=2\n",
    );
    let there = |n: u32| {
        plan.of_host(plimsoll_plan::HostId(n)).targets[0]
            .location
            .text()
    };
    assert_eq!(there(0), "null:1GiB");
    assert_eq!(there(1), "null:2GiB");
    assert_eq!(plan.hosts.list.len(), 2);
}

#[test]
fn clients_are_hosts_of_their_own_on_one() {
    let plan = plan(
        "hd=far,system=10.0.0.9,clients=3\nsd=s,lun=null:1g,threads=9\nwd=w,sd=s\nrd=r,wd=w,iorate=900,elapsed=2\n",
    );
    let hosts: Vec<_> = plan
        .hosts
        .list
        .iter()
        .map(|h| (h.name.as_str(), h.address.as_str()))
        .collect();
    assert_eq!(
        hosts,
        [
            ("far_cl0", "10.0.0.9"),
            ("far_cl1", "10.0.0.9"),
            ("far_cl2", "10.0.0.9")
        ]
    );
    assert_eq!(dealt(&plan).len(), 3);
}

#[test]
fn a_file_whose_hosts_are_all_this_one_needs_no_others() {
    let text =
        "hd=here,system=localhost\nsd=s,lun=null:1g\nwd=w,sd=s\nrd=r,wd=w,iorate=900,elapsed=2\n";
    let plan = plan(text);
    assert!(plan.hosts.is_empty());
    assert!(!plan.targets[0].shared);
}

#[test]
fn nothing_that_a_shell_would_take_for_a_command_is_a_host() {
    for bad in ["system=-oProxyCommand=x", "system=a;b", "system=a,user=$x"] {
        let text =
            format!("hd=far,{bad}\nsd=s,lun=null:1g\nwd=w,sd=s\nrd=r,wd=w,iorate=max,elapsed=2\n");
        let Ok(parsed) = vdbench::parse(&Input::text("t", &text)) else {
            continue;
        };
        let why = parsed.plan().expect_err(bad);
        assert!(
            why.iter().any(|d| d.message.contains("names nobody")),
            "{bad}: {why:?}"
        );
    }
}

/// Other people's files, where they are there.
fn of_others() -> Vec<std::path::PathBuf> {
    let Ok(files) = std::fs::read_dir(crate::corpora::folder("vdbench/parm")) else {
        return Vec::new();
    };
    let files = files.flatten().map(|f| f.path());
    files
        .filter(|p| p.extension().is_some_and(|e| e == "parm"))
        .collect()
}

#[test]
fn the_rates_of_other_peoples_hosts_are_their_files_rates() {
    let files = of_others();
    if files.is_empty() {
        plimsoll_skipped::skipped!("no parameter files of other people are here");
        return;
    }
    let mut divided = 0;
    for file in files {
        // Not all are UTF-8, and includes are looked for beside them.
        let Ok(text) = std::fs::read_to_string(&file) else {
            continue;
        };
        let Ok(parsed) = vdbench::parse(&Input::text("t", &text)) else {
            continue;
        };
        let plan = match parsed.plan() {
            Ok(lowered) => lowered.plan,
            Err(why) => {
                assert!(why.iter().all(|d| !d.message.contains("remote")), "{why:?}");
                continue;
            }
        };
        if plan.hosts.is_empty() {
            continue;
        }
        for step in plan.steps() {
            let parts = divide(&plan, step).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
            let slots: u64 = parts.iter().flatten().map(Step::total_depth).sum();
            assert_eq!(slots, step.total_depth(), "{}", file.display());
            if let Load::Rate { rate, .. } = step.load {
                let of = |p: &Step| match p.load {
                    Load::Rate { rate, .. } => rate.0,
                    _ => 0.0,
                };
                let sum: f64 = parts.iter().flatten().map(of).sum();
                assert!(
                    (sum / rate.0 - 1.0).abs() < 1e-9,
                    "{}: {sum}",
                    file.display()
                );
            }
            divided += 1;
        }
    }
    assert!(divided > 0, "none of them has hosts and raw storage");
}

const TREES: &str = "fsd=default,depth=1,width=1,files=9,size=4k\nfsd=f1,anchor=/a1\nfsd=f2,anchor=/a2\nfsd=f3,anchor=/a3,shared=yes\n\
    fsd=f4,anchor=/a4,files=2,shared=yes\n\
    fwd=w1,fsd=f1,host=one,threads=4,operation=getattr\nfwd=w2,fsd=f2,host=one,threads=2,operation=getattr\n\
    fwd=w3,fsd=f3,host=two,threads=3,operation=getattr\n";

#[test]
fn a_tree_is_worked_on_and_formatted_by_its_host_and_each_has_an_equal_part_of_the_rate() {
    let plan = with(&format!(
        "{TREES}rd=r,fwd=w*,fwdrate=400,elapsed=2,format=restart\n"
    ));
    // Vdbench halves the rate for two slaves, however many workloads each has; no slots are dealt, a tree being one host's.
    let steps: Vec<&Step> = plan.steps().collect();
    let threads = |step: &Step| step.streams.iter().map(|s| s.depth).collect::<Vec<_>>();
    let parts = divide(&plan, steps[1]).expect("it can be");
    let own: Vec<_> = parts.iter().flatten().collect();
    let rate = |step: &Step| match step.load {
        Load::Rate { rate, .. } => rate.0.round(),
        _ => 0.0,
    };
    assert_eq!(
        (rate(own[0]), threads(own[0])),
        (200.0, vec![Some(4), Some(2)])
    );
    assert_eq!((rate(own[1]), threads(own[1])), (200.0, vec![Some(3)]));
    let makes = divide(&plan, steps[0]).expect("it can be");
    let trees = |n: usize| makes[n].as_ref().map(|step| step.streams.len());
    assert_eq!((trees(0), trees(1)), (Some(2), Some(1)));
}

/// As Vdbench deals them: every third file to each of three hosts, a thread to each at least, and to each the threads of a format.
#[test]
fn a_shared_tree_is_dealt_to_the_hosts_that_use_it() {
    let run = "rd=r,fwd=w*,fwdrate=300,elapsed=2,format=restart\n";
    let fwds = [
        "fwd=w4,fsd=f3,threads=2\n",
        "fwd=w4,fsd=f3,host=one,threads=1\nfwd=w5,fsd=f3,host=two,threads=1\nfwd=w6,fsd=f3,host=three,threads=1\n",
    ];
    for fwds in fwds {
        let plan = with(&format!(
            "fsd=f3,anchor=/a3,depth=1,width=1,files=9,size=4k,shared=yes\nfwd=default,operation=getattr\n{fwds}{run}"
        ));
        let steps: Vec<&Step> = plan.steps().collect();
        let of = |step: &Step| {
            let parts = divide(&plan, step).expect("it can be");
            let rate = |step: &Step| match step.load {
                Load::Rate { rate, .. } => rate.0.round(),
                _ => 0.0,
            };
            let all = parts.iter().flatten();
            all.map(|p| (rate(p), p.total_depth())).collect::<Vec<_>>()
        };
        assert_eq!(of(steps[0]), [(0.0, 8); 3]);
        assert_eq!(of(steps[1]), [(100.0, 1); 3]);
        for (first, own) in (0..).zip(plan.divided().expect("it can be")) {
            let dealt = own.targets[0].location.tree().and_then(|t| t.part.dealt);
            assert_eq!(dealt, Some(DealtFiles { first, of: 3 }));
        }
    }
}

#[test]
fn a_tree_of_two_hosts_is_refused() {
    for (rest, why) in [
        (
            "fwd=w4,fsd=f3,host=(one,two)\nrd=r,fwd=w4,fwdrate=max\nrd=r2,fwd=w3,fwdrate=max\n",
            "with only some of the hosts that share it",
        ),
        (
            "fwd=w4,fsd=f1,target=f3,operation=copy,host=one\nrd=r,fwd=(w3,w4),fwdrate=max\n",
            "has `copy` on the tree `f3`, which hosts share",
        ),
        (
            "fwd=w4,fsd=f4,operation=getattr\nrd=r,fwd=w4,fwdrate=max\n",
            "has 2 files, and 3 hosts share them",
        ),
        (
            "fwd=w4,fsd=f1,host=two\nrd=r,fwd=w1,fwdrate=max\nrd=r2,fwd=w4,fwdrate=max\n",
            "used by two hosts",
        ),
    ] {
        let text = format!("{HOSTS}{TREES}{rest}");
        let parsed = vdbench::parse(&Input::text("t", &text)).unwrap_or_else(|r| panic!("{r}"));
        let errors = parsed.plan().expect_err("refused");
        assert!(errors.iter().any(|e| e.message.contains(why)), "{errors:?}");
    }
}
