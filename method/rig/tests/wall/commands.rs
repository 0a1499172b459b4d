//! Commands of a definition.

use crate::place::{TestFolder, loops, no_wall, plan};
use plimsoll_plan::{Action, Command, Item, Mix, Nanos, Plan, TimedAction};
use plimsoll_rig::{Control, RigError, RunOptions, run};
use std::path::PathBuf;

fn command(line: &str) -> Command {
    Command {
        line: line.into(),
        output: "console".into(),
    }
}

fn carried_out(plan: &Plan, options: &RunOptions) -> Result<(), RigError> {
    run(plan, options, &Control::default(), &mut |_| {}).map(drop)
}

/// Runs a command before all on the place's target, with leave to write there.
fn ran(place: &TestFolder, line: &str, may_write: &[PathBuf]) -> Result<(), String> {
    let (mut plan, options) = plan(&place.path("data"), Mix::WRITES);
    plan.start_commands = vec![command(line)];
    let options = RunOptions {
        allow_commands: true,
        commands_may_write: may_write.to_vec(),
        ..options
    };
    carried_out(&plan, &options).map_err(|error| error.to_string())
}

#[test]
fn a_command_that_writes_elsewhere_fails_and_is_told_which_flag_lets_it() {
    if no_wall() {
        return;
    }
    let place = TestFolder::new();
    place.put_precious("precious");
    for (number, what) in [
        format!("echo lost >{}", place.text("precious")),
        format!("echo lost >>{}", place.text("precious")),
        format!("rm {}", place.text("precious")),
        format!("mv {} {}", place.text("precious"), place.text("gone")),
        format!("truncate -s 0 {}", place.text("precious")),
        format!(
            "ln {} $TMPDIR/link && echo lost >$TMPDIR/link",
            place.text("precious")
        ),
        format!("mkdir {}", place.text("new")),
    ]
    .iter()
    .enumerate()
    {
        let error = ran(&place, what, &[]).expect_err(what);
        assert!(error.contains("--commands-may-write"), "{number}: {error}");
        assert!(place.is_untouched("precious"), "{what}");
        assert!(!place.path("new").exists() && !place.path("gone").exists());
    }
}

#[test]
fn a_command_writes_what_the_plan_writes_and_where_it_was_let() {
    if no_wall() {
        return;
    }
    let place = TestFolder::new();
    let data = place.text("data");
    ran(
        &place,
        &format!("printf made | dd of={data} conv=notrunc"),
        &[],
    )
    .expect("the target");
    ran(
        &place,
        "echo x >$TMPDIR/file && cat $TMPDIR/file >/dev/null && echo 0 >/proc/self/oom_score_adj",
        &[],
    )
    .expect("scratch, devices and controls");

    std::fs::create_dir(place.path("folder")).expect("a folder");
    std::fs::write(place.path("file"), "").expect("a file");
    let all = format!(
        "echo x >{0}/new && mkdir {0}/below && mv {0}/new {0}/below && echo x >{1}",
        place.text("folder"),
        place.text("file")
    );
    assert!(ran(&place, &all, &[place.path("folder")]).is_err());
    ran(&place, &all, &[place.path("folder"), place.path("file")]).expect_err("below is there");
    assert_eq!(std::fs::read(place.path("file")).expect("read"), b"");
    std::fs::remove_dir_all(place.path("folder/below")).expect("removed");
    ran(&place, &all, &[place.path("folder"), place.path("file")]).expect("both");
    assert_eq!(std::fs::read(place.path("file")).expect("read"), b"x\n");
}

#[test]
fn the_whole_tree_takes_the_wall_away_and_what_is_missing_is_refused() {
    let place = TestFolder::new();
    let line = format!(
        "grep -q NoNewPrivs:.0 /proc/self/status && touch {}",
        place.text("new")
    );
    ran(&place, &line, &["/".into()]).expect("no wall");
    assert!(place.path("new").exists());
    let error = ran(&place, "true", &[place.path("missing")]).expect_err("missing");
    assert!(error.contains("--commands-may-write"), "{error}");
    let (plan, mut options) = plan(&place.path("data"), Mix::WRITES);
    options.commands_may_write = vec![place.path("data")];
    let error = carried_out(&plan, &options).expect_err("no commands");
    assert!(error.to_string().contains("--allow-commands"), "{error}");
}

#[test]
fn commands_before_and_after_all_and_each_step_are_behind_it_and_those_at_times() {
    if no_wall() {
        return;
    }
    let names = ["before", "step", "after step", "after"];
    let place = TestFolder::new();
    let (mut plan, options) = plan(&place.path("data"), Mix::WRITES);
    let loses = |name: &str| command(&format!("echo lost >'{}' || true", place.text(name)));
    let [before, step_before, step_after, after] = names.map(|name| vec![loses(name)]);
    let Item::Step(step) = &mut plan.items[0] else {
        panic!("a step")
    };
    (step.start_commands, step.end_commands) = (step_before, step_after);
    step.actions = vec![TimedAction {
        at: Nanos(0),
        action: Action::Command(loses("at a time")),
        puts_back: false,
    }];
    (plan.start_commands, plan.end_commands) = (before, after);
    for (may_write, untouched) in [(vec![], true), (vec!["/".into()], false)] {
        let options = RunOptions {
            allow_commands: true,
            commands_may_write: may_write,
            ..options.clone()
        };
        place.put_precious("at a time");
        names.iter().for_each(|name| place.put_precious(name));
        carried_out(&plan, &options).expect("a run");
        for name in names {
            assert_eq!(place.is_untouched(name), untouched, "{name}");
        }
        // The step may be over before its time.
        assert!(!untouched || place.is_untouched("at a time"));
    }
}

#[test]
fn no_command_writes_to_a_device_beside_the_targets() {
    if no_wall() {
        return;
    }
    let place = TestFolder::new();
    let Some((loops, _turn)) = loops(&place, &["other"]) else {
        return;
    };
    let device = loops[0].device.display();
    for line in [
        format!("dd if=/dev/urandom of={device} bs=4k count=1 oflag=direct"),
        format!("losetup --detach {device}"),
        format!("cp -a {device} $TMPDIR/node && echo lost >$TMPDIR/node && sync $TMPDIR/node"),
    ] {
        ran(&place, &line, &[]).expect_err(&line);
    }
    assert!(place.is_zero("other") && crate::place::is_zero(&loops[0].device));
}
