//! What any dialect's plan becomes in the native one reads back as the same plan.

use crate::corpora::{Read, read_all, read_own};
use plimsoll_diagnostic::Sources;
use plimsoll_dialects::convert::{Original, to_native};
use plimsoll_dialects::native;
use plimsoll_plan::{Item, Plan, Purpose};

/// The plan of what a plan becomes.
fn there_and_back(name: &str, plan: &Plan, sources: &Sources) -> Plan {
    let original = Original {
        plan,
        sources,
        beside: &[],
    };
    let text = to_native(&original).unwrap_or_else(|why| panic!("{name}: {why:#?}"));
    let read = native::parse(name, &text);
    let read = read.unwrap_or_else(|failure| panic!("{name}: {failure}\n{text}"));
    assert!(
        read.warnings.is_empty(),
        "{name}: {:?}\n{text}",
        read.warnings
    );
    read.plan
}

fn same(
    Read {
        name,
        plan,
        sources,
    }: &Read,
) {
    let back = there_and_back(name, plan, sources);
    let (was, is) = (with_numbers(plan.normalized()), back.normalized());
    assert!(was == is, "{name}\n{was:#?}\n{is:#?}");
}

/// Formats of a loop have one name in Vdbench, and in the native dialect a number from the second on.
fn with_numbers(mut plan: Plan) -> Plan {
    let mut seen: Vec<String> = Vec::new();
    for step in plan.items.iter_mut().flat_map(Item::steps_mut) {
        let before = seen.iter().filter(|name| **name == step.name).count();
        seen.push(step.name.clone());
        if before > 0 && step.purpose == Purpose::Fill {
            step.name = format!("{} ({})", step.name, before + 1);
        }
    }
    plan
}

#[test]
fn every_file_of_others_that_is_planned_says_the_same_in_toml() {
    let all = read_all();
    if all.is_empty() {
        return plimsoll_skipped::skipped!("no definitions of other people are here");
    }
    assert!(all.len() > 200, "{}", all.len());
    all.iter().for_each(same);
}

#[test]
fn every_definition_of_our_own_says_the_same_in_toml() {
    let all = read_own();
    let writable = |read: &&Read| !read.plan.items.iter().any(|i| matches!(i, Item::Method(_)));
    let written: Vec<&Read> = all.iter().filter(writable).collect();
    assert!(written.len() > 25, "{} of {}", written.len(), all.len());
    written.into_iter().for_each(same);
}

#[test]
fn what_reads_well_is_written() {
    let text = "sd=sd1,lun=/tmp/a,size=1g,openflags=o_direct\nsd=sd2,lun=/tmp/b,size=1g,openflags=o_direct\n\
                wd=oltp,sd=*,xfersize=8k,rdpct=70,seekpct=100\nwd=log,sd=sd1,xfersize=64k,rdpct=0,seekpct=0,skew=10\n\
                rd=first,wd=*,iorate=max,elapsed=60,interval=5,forthreads=(8,16)\nrd=second,wd=oltp,iorate=1000,elapsed=30,forxfersize=(4k,8k)\n";
    let parsed =
        plimsoll_dialects::vdbench::parse(&plimsoll_dialects::vdbench::Input::text("a.parm", text))
            .expect("parameters");
    let plan = parsed.plan().expect("a plan").plan;
    let original = Original {
        plan: &plan,
        sources: &parsed.sources,
        beside: &[],
    };
    insta::assert_snapshot!(to_native(&original).expect("it is written"));
}
