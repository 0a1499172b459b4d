//! Trees, as TOML and Vdbench say them.

use plimsoll_dialects::vdbench::{Input, parse};
use plimsoll_plan::{
    Bytes, FileSelect, FileSizes, Item, Load, Making, Mix, Op, Pattern, PerFile, Plan, Purpose,
    Step,
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
        ("", "", ",format=(limited,only)", "format=limited"),
        ("", "", ",forfiles=(1,2)", "forfiles="),
        ("", "", ",forseekpct=(0,100)", "forseekpct="),
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
