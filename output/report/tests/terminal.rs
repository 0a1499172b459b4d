//! What the terminal shows, as it is shown.

mod fixture;

use insta::assert_snapshot;
use plimsoll_evidence::witnessed::DeviceUse;
use plimsoll_evidence::{
    ArrayEvidence, CoreUse, Estimate, HostPart, JournalUse, StepEvidence, Verdict, Witnessed,
};
use plimsoll_plan::Claim;
use plimsoll_record::RunStatus;
use plimsoll_report::terminal::{self, Context, Detail, Progress, StepStart, Style};
use plimsoll_report::{AnswerLines, Measured};
use std::path::Path;

/// The summary of steps on the fixture's target.
fn summary(steps: &[StepEvidence], verdicts: &[Verdict], style: &Style) -> String {
    let targets = &fixture::environment().targets;
    terminal::summary(steps, verdicts, targets, Detail::Full, style)
}

#[test]
fn the_summary_prints_backlog_growth_for_a_saturated_step_and_dashes_for_what_the_sample_cannot_support()
 {
    let mut steps = fixture::steps();
    steps.insert(0, fixture::fill());
    assert_snapshot!(summary(&steps, &[], &Style::plain(140)));
}

#[test]
fn a_narrow_summary_leaves_columns_out_and_names_them() {
    let text = summary(&fixture::steps(), &[], &Style::plain(90));
    for line in text.lines().take(5) {
        assert!(line.chars().count() <= 90, "{line}");
    }
    assert_snapshot!(text);
}

#[test]
fn a_summary_of_nothing_says_so() {
    assert_eq!(
        summary(&[], &[], &Style::plain(80)),
        "no step was measured\n"
    );
}

#[test]
fn arrays_and_paths_have_tables_of_their_own() {
    let mut steps = fixture::steps();
    steps[0].arrays = vec![fixture::hot_core()];
    steps[1].arrays = vec![ArrayEvidence {
        cores: vec![CoreUse::default(); 4],
        journal: Some(JournalUse {
            fill_bytes: 900,
            capacity_bytes: 1000,
            waited_ns: 5,
        }),
        ..fixture::hot_core()
    }];
    steps[1].paths = vec![fixture::two_paths()];
    assert_snapshot!(summary(&steps, &[], &Style::plain(200)));
}

#[test]
fn each_host_has_a_line_and_the_lost_are_named() {
    assert_snapshot!(summary(&[fixture::by_hosts()], &[], &Style::plain(160)));
}

#[test]
fn of_many_hosts_those_that_stand_out_are_listed() {
    let one = fixture::by_hosts().hosts[0].clone();
    let host = |number: u32| HostPart {
        host: number,
        name: format!("h{number}"),
        errors: u64::from(number == 30),
        rate: Estimate::bare(if number == 77 { 600.0 } else { 1000.0 }),
        ..one.clone()
    };
    let step = StepEvidence {
        hosts: (1..=100).map(host).collect(),
        ..fixture::by_hosts()
    };
    let text = summary(&[step], &[], &Style::plain(160));
    let listed = text.lines().filter(|l| l.starts_with("rd1   h"));
    let names: Vec<&str> = listed.filter_map(|l| l.split_whitespace().nth(1)).collect();
    assert_eq!(names.len(), 16, "{text}");
    assert_eq!((names[0], &names[14..]), ("h1", &["h30", "h77"][..]));
    assert!(text.contains("db9"), "{text}");
    let more = "rd1: 84 more hosts are not listed; the listed ones stand out the most, and `plimsoll export --csv --rows hosts` has them all\n";
    assert!(text.contains(more), "{text}");
}

#[test]
fn a_narrow_table_of_arrays_keeps_the_hot_core() {
    let mut step = fixture::step(1, "rd1", None, 2000, 3_900_000);
    step.arrays = vec![fixture::hot_core()];
    let text = summary(&[step], &[], &Style::plain(60));
    let table = text.split("the array").nth(1).expect("a table");
    assert!(
        table.lines().all(|line| line.chars().count() <= 60),
        "{table}"
    );
    assert!(
        table.contains("busiest core") && table.contains("78%"),
        "{table}"
    );
}

#[test]
fn each_column_of_a_stripe_has_a_line_with_its_rates_and_times() {
    let mut step = fixture::step(1, "rd1", None, 2000, 3_900_000);
    let column = |name: &str, reads| DeviceUse {
        name: name.into(),
        reads,
        read_bytes: 4096 * reads,
        read_ms: reads / 4,
        ..DeviceUse::default()
    };
    let mut seen = Witnessed {
        observed_s: 10.0,
        devices: vec![column("loop0", 20_000), column("loop1", 10_000)],
        ..Witnessed::default()
    };
    step.witnessed = Some(seen.clone());
    let said = |step: &StepEvidence| summary(std::slice::from_ref(step), &[], &Style::plain(120));
    let text = said(&step);
    let rows: Vec<Vec<&str>> = text
        .lines()
        .filter(|line| line.contains(" loop"))
        .map(|line| line.split_whitespace().collect())
        .collect();
    assert_eq!(
        rows,
        [
            ["rd1", "loop0", "2,000", "7.81", "MiB/s", "250us"],
            ["rd1", "loop1", "1,000", "3.91", "MiB/s", "250us"],
        ]
    );
    // A single device is the target itself.
    seen.devices.truncate(1);
    step.witnessed = Some(seen);
    assert!(!said(&step).contains("loop0"));
}

#[test]
fn an_array_that_told_of_a_part_of_the_time_says_of_how_much() {
    let mut step = fixture::step(1, "rd1", None, 2000, 3_900_000);
    let of = |step: &StepEvidence| summary(std::slice::from_ref(step), &[], &Style::plain(120));
    step.arrays = vec![ArrayEvidence {
        name: "acme".into(),
        observed_s: 2.5,
        ..ArrayEvidence::default()
    }];
    let said = of(&step);
    assert!(
        said.contains("seen for") && said.contains("2.5 s of 10.0 s"),
        "{said}"
    );
    step.arrays[0].observed_s = 9.9;
    assert!(!of(&step).contains("seen for"));
}

#[test]
fn workloads_and_targets_have_tables_of_their_own_where_there_are_several() {
    let targets = &fixture::two_targets().targets;
    let steps = [fixture::two_by_two(), fixture::steps().swap_remove(1)];
    assert_snapshot!(terminal::summary(
        &steps,
        &[],
        targets,
        Detail::Full,
        &Style::plain(160)
    ));
    let narrow = terminal::summary(&steps, &[], targets, Detail::Full, &Style::plain(80));
    let wide: Vec<&str> = narrow.lines().filter(|l| l.chars().count() > 80).collect();
    assert_eq!(wide, Vec::<&str>::new());
}

#[test]
fn workloads_with_a_target_each_are_listed_once() {
    let mut step = fixture::two_by_two();
    step.streams.remove(0);
    step.streams[1].target = 0;
    let text = terminal::summary(
        &[step],
        &[],
        &fixture::two_targets().targets,
        Detail::Full,
        &Style::plain(160),
    );
    let line = |word: &str| text.lines().find(|l| l.contains(word)).expect("a line");
    assert!(
        line("oltp").contains("sd2") && line("  log ").contains("sd1"),
        "{text}"
    );
    assert!(
        text.contains("\nworkloads:\n") && !text.contains("\ntargets:\n"),
        "{text}"
    );
}

#[test]
fn of_many_targets_the_first_are_listed_and_the_others_counted() {
    let mut step = fixture::step(1, "rd1", None, 2000, 3_900_000);
    let one = step.streams[0].clone();
    step.streams = (0..40)
        .map(|target| plimsoll_evidence::StreamSummary {
            target,
            ..one.clone()
        })
        .collect();
    let text = summary(&[step], &[], &Style::plain(160));
    assert!(
        text.contains("target 16 ") && !text.contains("target 17 "),
        "{text}"
    );
    assert!(
        text.contains("rd1: 24 more targets are not listed; `plimsoll export --csv --rows targets` has them all\n"),
        "{text}"
    );
}

#[test]
fn a_step_with_stalls_keeps_its_latency_and_says_when_it_was_held_up() {
    let step = fixture::stalled();
    let text = summary(std::slice::from_ref(&step), &[], &Style::plain(220));
    let row = text.lines().nth(1).expect("a row");
    assert!(!row.contains('—') || row.matches('—').count() <= 1, "{row}");
    let words = "2 stalls, 1.50s in all, 21 late by the host, 2 unfinished";
    assert!(row.ends_with(words), "{row}");
    let line = terminal::step_line(&step, &Style::plain(80));
    assert!(
        line.contains("response") && line.contains("2 stalls"),
        "{line}"
    );
    let mut one = step;
    one.stalls.truncate(1);
    let line = terminal::step_line(&one, &Style::plain(80));
    assert!(line.contains("stall of 1.20s"), "{line}");
}

#[test]
fn one_path_without_trouble_is_not_worth_a_table() {
    let mut step = fixture::step(1, "rd1", None, 2000, 3_900_000);
    let mut quiet = fixture::two_paths();
    quiet.paths.truncate(1);
    quiet.events.clear();
    step.paths = vec![quiet];
    let text = summary(&[step], &[], &Style::plain(100));
    assert!(!text.contains("paths"), "{text}");
}

#[test]
fn two_arrays_are_told_apart_by_name() {
    let mut step = fixture::step(1, "rd1", None, 2000, 3_900_000);
    let other = ArrayEvidence {
        name: "lab:single-ssd".into(),
        ..fixture::hot_core()
    };
    step.arrays = vec![fixture::hot_core(), other];
    let text = summary(&[step], &[], &Style::plain(200));
    assert!(text.contains("lab:scale-out-flash-4 at 1/20"), "{text}");
    assert!(text.contains("lab:single-ssd at 1/20"), "{text}");
}

#[test]
fn a_journal_that_was_full_from_the_start_has_no_share_that_is_filled() {
    let mut step = fixture::step(1, "rd1", None, 2000, 3_900_000);
    let journal = JournalUse {
        fill_bytes: 8192,
        capacity_bytes: 0,
        waited_ns: 5,
    };
    step.arrays = vec![ArrayEvidence {
        journal: Some(journal),
        ..fixture::hot_core()
    }];
    let text = summary(&[step], &[], &Style::plain(200));
    assert!(text.contains("no room, writes waited"), "{text}");
}

#[test]
fn a_step_has_a_line_before_and_a_line_after() {
    let start = StepStart {
        number: 2,
        of: Some(4),
        name: "rd1_(50%)".into(),
        load: "1,000/s exponential".into(),
        warmup_s: 5.0,
        length: "1m30s".into(),
        slots: 8,
        workers: 1,
    };
    let style = Style::plain(80);
    let mut lines = vec![terminal::step_start(&start, &style)];
    lines.extend(
        fixture::steps()
            .iter()
            .map(|s| terminal::step_line(s, &style)),
    );
    assert_snapshot!(lines.join("\n"));
}

#[test]
fn interval_lines_have_fixed_columns() {
    let context = Context {
        started: fixture::noon(),
    };
    let mut idle = fixture::interval(3, false, 0, 0);
    idle.cpu = None;
    let lines = [
        terminal::interval_header(plimsoll_evidence::Counted::Ios),
        terminal::interval_line(&fixture::interval(1, true, 2000, 500), &context),
        terminal::interval_line(&fixture::interval(2, false, 123_456, 41_152), &context),
        terminal::interval_line(&idle, &context),
    ];
    let columns: Vec<usize> = lines.iter().map(|l| l.split_whitespace().count()).collect();
    assert_eq!(columns, [10; 4]);
    assert!(lines.iter().all(|l| l.len() == lines[0].len()));
    assert_snapshot!(lines.join("\n"));
}

#[test]
fn a_line_of_the_time_after_the_end_says_so() {
    let context = Context {
        started: fixture::noon(),
    };
    let mut drain = fixture::interval(3, false, 5, 0);
    drain.phase = plimsoll_evidence::Phase::Drain;
    let line = terminal::interval_line(&drain, &context);
    assert_eq!(line.split_whitespace().nth(1), Some("d3"), "{line}");
}

#[test]
fn the_live_line_overwrites_itself_and_fits_any_width() {
    let interval = fixture::interval(2, false, 2000, 500);
    let progress = Progress {
        step: "rd1_(50%)".into(),
        done_and_left_s: Some((0.53, 74.0)),
    };
    let mut lines = Vec::new();
    for width in [120, 80, 40, 10] {
        let line = terminal::live_line(&interval, &progress, &Style::plain(width));
        let shown = line
            .strip_prefix('\r')
            .and_then(|l| l.strip_suffix("\x1b[K"))
            .expect("rewrites the line");
        assert!(shown.chars().count() < width, "{shown}");
        lines.push(shown.to_owned());
    }
    assert_snapshot!(lines.join("\n"));
}

#[test]
fn the_curve_is_a_table_a_chart_and_a_verdict() {
    assert_snapshot!(terminal::curve(&fixture::curve(), &Style::plain(120)));
}

#[test]
fn the_curve_is_readable_in_ascii() {
    let style = Style {
        unicode: false,
        ..Style::plain(80)
    };
    let text = terminal::curve(&fixture::curve(), &style);
    assert!(text.is_ascii());
    assert_snapshot!(text);
}

#[test]
fn a_curve_without_points_or_latency_is_still_a_verdict() {
    let mut verdict = fixture::curve();
    verdict.points.clear();
    verdict.capacities.clear();
    verdict.knee = None;
    assert_snapshot!(terminal::curve(&verdict, &Style::plain(80)));
}

#[test]
fn a_knee_among_the_points_is_not_said_to_be_as_far_off_as_they_are() {
    let mut verdict = fixture::curve();
    let said = |v: &plimsoll_evidence::CurveVerdict| terminal::curve(v, &Style::plain(200));
    assert!(said(&verdict).contains("the distance to the points beside it"));
    // Between two points, with an interval of its own, as an adaptive curve has it.
    let knee = verdict.knee.as_mut().expect("it has one");
    knee.mean += 123.0;
    let text = said(&verdict);
    assert!(!text.contains("the distance to the points"), "{text}");
    assert!(text.contains("95 % interval of the curves"), "{text}");
}

#[test]
fn curves_of_a_loop_are_headed_by_their_values() {
    let mut verdict = fixture::curve();
    verdict.points.last_mut().expect("points").name = "rd1_(xfersize=4k)".into();
    let text = terminal::curve(&verdict, &Style::plain(120));
    assert!(text.starts_with("Curve of rd1_(xfersize=4k)\n"), "{text}");
}

#[test]
fn a_curve_that_nobody_named_is_just_a_curve() {
    let mut verdict = fixture::curve();
    verdict.points.last_mut().expect("points").name = "curve".into();
    let text = terminal::curve(&verdict, &Style::plain(120));
    assert!(text.starts_with("Curve\n"), "{text}");
}

#[test]
fn a_curves_points_are_not_in_the_table_of_steps_again() {
    let steps = fixture::steps();
    let mut verdict = fixture::curve();
    verdict.points.truncate(1);
    verdict.points[0].step = steps[0].number;
    let all = summary(&steps, &[], &Style::plain(140));
    let beside = summary(&steps, &[Verdict::Curve(verdict)], &Style::plain(140));
    let rows = |text: &str, name: &str| {
        let begins = |l: &&str| l.split_whitespace().next() == Some(name);
        let table = text.lines().take_while(|l| !l.starts_with("reads and"));
        table.filter(begins).count()
    };
    assert_eq!(rows(&all, &steps[0].name), 1);
    assert_eq!(rows(&beside, &steps[0].name), 0);
    assert_eq!(rows(&beside, &steps[1].name), 1, "{beside}");
}

#[test]
fn a_terminal_of_80_columns_gets_no_wider_sentence() {
    let style = Style {
        wrap: true,
        ..Style::plain(80)
    };
    let mut steps = fixture::steps();
    steps[0].notes = vec!["word ".repeat(60).trim_end().to_owned()];
    let text = terminal::environment(&fixture::environment(), &style)
        + &terminal::curve(&fixture::curve(), &style)
        + &summary(&steps, &[], &style);
    let wide: Vec<&str> = text.lines().filter(|l| l.chars().count() > 80).collect();
    assert_eq!(wide, Vec::<&str>::new());
    assert_eq!(text.matches("word").count(), 60);
}

#[test]
fn the_environment_is_a_few_lines() {
    assert_snapshot!(terminal::environment(
        &fixture::environment(),
        &Style::plain(100)
    ));
}

#[test]
fn errors_are_listed_with_their_place() {
    assert_snapshot!(terminal::errors(&fixture::steps(), &Style::plain(100)));
    assert_eq!(
        terminal::errors(&fixture::steps()[..2], &Style::plain(100)),
        ""
    );
}

#[test]
fn colours_mark_saturation_and_errors_and_change_no_character() {
    let coloured = Style {
        color: true,
        ..Style::plain(140)
    };
    let text = summary(&fixture::steps(), &[], &coloured);
    let bare: String = strip(&text);
    assert_eq!(bare, summary(&fixture::steps(), &[], &Style::plain(140)));
    assert!(text.lines().any(|l| l.starts_with("\x1b[33mrd1_(100%)")));
    assert!(text.lines().any(|l| l.starts_with("\x1b[31mrd1_(1%)")));
}

fn strip(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\x1b') {
        out.push_str(before);
        rest = after.split_once('m').map_or("", |(_, tail)| tail);
    }
    out + rest
}

#[test]
fn a_methods_verdict_is_a_sentence_figures_tables_charts_and_doubts() {
    let verdict = Verdict::Method(fixture::answer());
    assert_snapshot!(terminal::verdict(
        &verdict,
        Detail::Full,
        &Style::plain(110)
    ));
}

#[test]
fn a_methods_verdict_is_readable_in_ascii_on_a_narrow_terminal() {
    let verdict = Verdict::Method(fixture::answer());
    let narrow = Style {
        unicode: false,
        wrap: true,
        ..Style::plain(64)
    };
    let text = terminal::verdict(&verdict, Detail::Full, &narrow);
    assert!(text.is_ascii());
    let wide: Vec<&str> = text.lines().filter(|l| l.len() > 64).collect();
    assert_eq!(wide, Vec::<&str>::new());
    assert_snapshot!(text);
}

#[test]
fn a_question_without_an_answer_says_so_beside_its_class() {
    let verdict = plimsoll_evidence::MethodVerdict {
        decided: false,
        run: "soak".into(),
        class: "too-short".into(),
        figures: Vec::new(),
        tables: Vec::new(),
        charts: Vec::new(),
        findings: Vec::new(),
        ..fixture::answer()
    };
    let text = terminal::verdict(&Verdict::Method(verdict), Detail::Full, &Style::plain(80));
    assert_eq!(
        text,
        "Soak: too-short (not decided)\nIt wrote 41,000/s for 52 minutes and 12,400/s from then on.\n"
    );
}

#[test]
fn a_curves_doubts_stand_below_it() {
    let mut curve = fixture::curve();
    curve.findings = fixture::answer().findings;
    let text = terminal::curve(&curve, &Style::plain(80));
    let lines: Vec<&str> = text.lines().collect();
    let [suspect, note] = &lines[lines.len() - 2..] else {
        panic!("{text}");
    };
    assert!(suspect.starts_with("Suspect    Never got steady: over five equal parts the rate"));
    assert_eq!(*note, "Note       Reads were not tested.");
}

#[test]
fn what_was_done_while_a_step_ran_stands_beside_it() {
    let mut step = fixture::step(1, "rd1", None, 2000, 3_900_000);
    step.actions = fixture::actions();
    step.notes = vec!["Seen.".into()];
    let text = summary(&[step], &[], &Style::plain(120));
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(
        lines[lines.len() - 4..],
        [
            "rd1: at 10.0s: fail controller 1",
            "rd1: at 20.4s, for 850ms: systemctl restart multipathd: failed: exit status: 1 (no such service)",
            "rd1: not done, planned for 90.0s: repair controller 1: the step had ended",
            "rd1: Seen.",
        ]
    );
}

#[test]
fn what_limited_a_step_stands_behind_it_and_what_limited_a_curve_beside_its_maximum_and_nowhere_else()
 {
    let mut steps = fixture::steps();
    let limit = fixture::limit();
    steps[0].limit = Some(limit.clone());
    let text = summary(&steps, &[], &Style::plain(400));
    let line = format!("{}: {}", steps[0].name, limit.sentence);
    assert_eq!(text.matches(&line).count(), 1, "{text}");
    // A maximum's limit is the curve's to say.
    let mut curve = fixture::curve();
    curve.limit = Some(limit.clone());
    curve.run.clone_from(&steps[0].run);
    curve.points.retain(|p| p.percent.is_none());
    curve.points[0].step = steps[0].number;
    let shown = terminal::curve(&curve, &Style::plain(400));
    assert!(
        shown.contains(&format!("Limit      {}", limit.sentence)),
        "{shown}"
    );
    let text = summary(&steps, &[Verdict::Curve(curve)], &Style::plain(400));
    assert!(!text.contains(&limit.sentence), "{text}");
}

#[test]
fn a_brief_summary_has_no_table_of_the_steps_that_led_to_an_answer() {
    let verdicts = [Verdict::Curve(fixture::curve())];
    let mut search = fixture::steps().swap_remove(0);
    search.run = verdicts[0].run().to_owned();
    (search.number, search.name) = (4_000, "searched_(depth=16)".into());
    let targets = &fixture::environment().targets;
    let of = |detail| {
        let steps = std::slice::from_ref(&search);
        terminal::summary(steps, &verdicts, targets, detail, &Style::plain(120))
    };
    assert!(of(Detail::Full).contains("searched_(depth=16)"));
    assert_eq!(of(Detail::Brief), "");
}

#[test]
fn the_answer_is_at_most_five_lines_each_with_a_label() {
    let environment = fixture::environment();
    let verdicts = [Verdict::Curve(fixture::curve())];
    let answer = AnswerLines::of(&Measured {
        environment: &environment,
        steps: &fixture::steps(),
        verdicts: &verdicts,
        findings: Vec::new(),
        claim: Claim::Burst,
        status: &RunStatus::Completed,
        record: Some(Path::new("a.plim")),
    });
    let text = terminal::answer(&answer, &Style::plain(80));
    assert!(text.lines().count() <= 5, "{text}");
    assert_snapshot!(text);
}
