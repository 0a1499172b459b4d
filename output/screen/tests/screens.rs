//! Screens of runs, as text.

use plimsoll_evidence::{Phase, Severity};
use plimsoll_live::{
    Current, Doubt, History, Limit, Live, Part, Point, Progress, Span, State, StepResult,
};
use plimsoll_report::AnswerLines;
use plimsoll_report::terminal::Style;
use plimsoll_screen::{Key, Panel, View, draw};
use ratatui::Terminal;
use ratatui::backend::TestBackend;

/// A name that would clear the screen, set its title, forge a line, and turn what follows round.
const HOSTILE: &str = "x\u{1b}[2J\u{1b}]0;t\u{7}\r\nforged\u{9b}31m\u{202e}\u{2066}\u{7f}";

fn point(step: u32, start_s: f64, rate: f64, mean_us: f64, p99_us: f64) -> Point {
    Point {
        step,
        phase: if start_s < 2.0 {
            Phase::WarmUp
        } else {
            Phase::Counted
        },
        start_s,
        end_s: start_s + 1.0,
        rate,
        bytes_per_s: rate * 8192.0,
        errors: 0,
        mean_us: (rate > 0.0).then_some(mean_us),
        p50_us: (rate > 0.0).then_some(mean_us * 0.9),
        p99_us: (rate > 0.0).then_some(p99_us),
        max_us: (rate > 0.0).then_some(p99_us * 3.0),
        depth: Some(rate * mean_us / 1e6),
        backlog: 0,
        cpu_busy: Some(0.34),
        own_cpus: Some(0.25),
    }
}

/// Two minutes: a step of 60 s with a spike, ten seconds of nothing, and a step with a stall of two seconds.
fn history() -> Vec<Point> {
    let first = (0..60).map(|s| match s {
        30 => point(1, 30.0, 8_000.0, 900.0, 40_000.0),
        s => point(1, f64::from(s), 12_000.0, 300.0, 1_100.0),
    });
    let second = (70..120).map(|s| match s {
        95 | 96 => point(2, f64::from(s), 0.0, 0.0, 0.0),
        s => point(2, f64::from(s), 6_000.0, 250.0, 900.0),
    });
    first.chain(second).collect()
}

fn part(name: &str, rate: f64) -> Part {
    Part {
        name: name.into(),
        rate: Some(rate),
        bytes_per_s: Some(rate * 8192.0),
        mean_us: Some(250.0),
        max_us: Some(2_700.0),
        errors: 0,
        recent: (0..60)
            .map(|n| (n != 40).then_some(rate * f64::from(n % 5 + 1) / 5.0))
            .collect(),
    }
}

fn step(number: u32, name: &str, rate: f64) -> StepResult {
    StepResult {
        number,
        name: name.into(),
        load: "maximum".into(),
        offered: (number > 1).then_some(rate),
        fill: false,
        set_aside: false,
        span: Span {
            start_s: 0.0,
            end_s: 60.0,
        },
        rate,
        rate_half_width: Some(12.0),
        mean_us: Some(300.0),
        p50_us: Some(270.0),
        p99_us: Some(1_100.0),
        depth: 3.6,
        errors: 0,
        saturated: number == 3,
    }
}

fn live() -> Live {
    let points = history();
    Live {
        record: "nightly.plim".into(),
        title: Some("nightly".into()),
        method: "curve".into(),
        started: "2026-01-02T03:04:05Z".into(),
        hosts: vec!["host1".into()],
        locations: vec!["/dev/mapper/lun1".into(), "/dev/mapper/lun2".into()],
        counted: plimsoll_evidence::Counted::Ios,
        simulated: false,
        state: State::Running,
        progress: Progress { elapsed_s: 120.0, done: Some(0.42), left_s: Some(166.0), steps: Some(7) },
        current: Some(Current {
            number: 2,
            name: "curve_(50%)".into(),
            load: "6000/s, exponential".into(),
            fill: false,
            phase: Some(Phase::Counted),
            into_s: 50.0,
            length_s: 65.0,
            limits: vec![Limit { statistic: "p99".into(), us: 2_000.0, asked: true }],
        }),
        now: points.last().cloned(),
        history: History {
            points,
            ..History::default()
        },
        steps: vec![step(1, "curve_(max)", 12_000.0)],
        targets: vec![part("lun1", 4_000.0), part("lun2", 2_000.0)],
        streams: vec![part("oltp on lun1", 3_000.0), part("log on lun1", 1_000.0), part("oltp on lun2", 2_000.0)],
        parts_of_hosts: Vec::new(),
        doubts: vec![
            Doubt {
                rule: "host-stood-still".into(),
                severity: Severity::Suspect,
                step: Some(1),
                message: "The host stood still for 1.2 s: a suspend, or a hypervisor that gave it no CPU.".into(),
                count: 3,
            },
            Doubt {
                rule: "wide-confidence".into(),
                severity: Severity::Note,
                step: Some(1),
                message: "The rate is known to 8 % only.".into(),
                count: 1,
            },
        ],
        answer: None,
    }
}

fn screen(live: &Live, view: &View, columns: u16, rows: u16) -> Terminal<TestBackend> {
    let mut terminal = Terminal::new(TestBackend::new(columns, rows)).expect("a terminal");
    terminal
        .draw(|frame| draw(frame.area(), frame.buffer_mut(), live, view))
        .expect("draws");
    terminal
}

fn lines(live: &Live, view: &View, columns: u16, rows: u16) -> String {
    let shown = screen(live, view, columns, rows).backend().to_string();
    let line = |line: &str| line.trim_matches('"').trim_end().to_owned();
    shown.lines().map(line).collect::<Vec<String>>().join("\n")
}

fn plain() -> View {
    View::new(Style::plain(80))
}

fn showing(panel: Panel) -> View {
    let mut view = plain();
    view.panel = Some(panel);
    view
}

#[test]
fn a_curve_goes_on_in_80_columns() {
    insta::assert_snapshot!(lines(&live(), &plain(), 80, 24));
}

#[test]
fn a_fleet_goes_on_in_120_columns() {
    let fleet = Live {
        hosts: vec!["host1".into(), "host2".into()],
        parts_of_hosts: vec![
            part("host1", 4_000.0),
            Part {
                rate: None,
                bytes_per_s: None,
                mean_us: None,
                max_us: None,
                recent: vec![Some(2_000.0), None],
                ..part("host2", 0.0)
            },
        ],
        steps: vec![
            step(1, "curve_(max)", 12_000.0),
            step(2, "curve_(50%)", 6_000.0),
            step(3, "curve_(100%)", 11_800.0),
        ],
        ..live()
    };
    insta::assert_snapshot!(lines(&fleet, &plain(), 120, 40));
}

#[test]
fn an_interrupted_run_says_so_and_has_its_answer() {
    let over = Live {
        state: State::Interrupted,
        answer: Some(AnswerLines {
            answer: "lun1 carries at least 11,800 I/Os per second within 2 ms (p99).".into(),
            limit: None,
            trust: "interrupted, so of what was measured until then: trusted as a burst of 60s"
                .into(),
            record: Some("nightly.plim".into()),
            next: Some("plimsoll resume nightly.plim goes on with it".into()),
        }),
        ..live()
    };
    insta::assert_snapshot!(lines(&over, &plain(), 80, 24));
}

#[test]
fn nothing_and_no_i_o_are_shown_apart() {
    let shown = lines(&live(), &plain(), 130, 24);
    let rows: Vec<&str> = shown.lines().collect();
    // The rate's lowest row: 120 columns for 120 s, behind 10 for labels.
    let row: Vec<char> = rows[9].chars().skip(10).collect();
    assert_eq!(row.len(), 120, "{shown}");
    let of = |wanted: char| -> Vec<usize> { (0..120).filter(|at| row[*at] == wanted).collect() };
    assert_eq!(
        of(' '),
        (60..70).collect::<Vec<_>>(),
        "nothing was measured: {shown}"
    );
    assert_eq!(of('_'), [95, 96], "measured, and no I/O: {shown}");
}

#[test]
fn hostile_names_give_no_orders() {
    let hostile = || HOSTILE.to_owned();
    let mut run = Live {
        title: Some(hostile()),
        locations: vec![hostile()],
        targets: vec![part(HOSTILE, 1.0)],
        steps: vec![step(1, HOSTILE, 1.0)],
        doubts: vec![Doubt {
            rule: hostile(),
            severity: Severity::Invalid,
            step: None,
            message: hostile(),
            count: 1,
        }],
        state: State::Failed { why: hostile() },
        answer: Some(AnswerLines {
            answer: hostile(),
            limit: Some(hostile()),
            trust: hostile(),
            record: None,
            next: Some(hostile()),
        }),
        ..live()
    };
    if let Some(current) = &mut run.current {
        current.name = hostile();
        current.load = hostile();
    }
    for panel in [Panel::Answer, Panel::Steps, Panel::Parts, Panel::Findings] {
        for (columns, rows) in [(80, 24), (120, 40), (40, 10)] {
            let mut view = showing(panel);
            view.trouble = Some(hostile());
            let terminal = screen(&run, &view, columns, rows);
            let odd = |c: char| c.is_control() || matches!(c, '\u{202e}' | '\u{2066}');
            for cell in terminal.backend().buffer().content() {
                assert!(
                    !cell.symbol().contains(odd),
                    "{:?} in {panel:?}",
                    cell.symbol()
                );
            }
        }
    }
    let shown = lines(&run, &showing(Panel::Steps), 80, 24);
    assert!(shown.contains("x\\x1b[2J"), "{shown}");
}

#[test]
fn a_terminal_without_other_characters_gets_ascii() {
    let style = Style {
        unicode: false,
        ..Style::plain(80)
    };
    let shown = lines(&live(), &View::new(style), 80, 24);
    assert!(shown.is_ascii(), "{shown}");
    assert!(!shown.contains('?'), "{shown}");
}

#[test]
fn keys_choose_the_panel_and_the_time() {
    let live = live();
    let mut view = plain();
    view.press(Key::Next, &live);
    assert_eq!(view.panel, Some(Panel::Parts), "steps were shown");
    view.press(Key::In, &live);
    assert!(
        lines(&live, &view, 80, 24).contains("1m00s "),
        "the last minute of two"
    );
    view.press(Key::In, &live);
    assert!(
        lines(&live, &view, 80, 24).contains("1m00s "),
        "there is nothing shorter"
    );
    view.press(Key::Out, &live);
    assert!(lines(&live, &view, 80, 24).contains("0s "), "all of it");
}

#[test]
fn up_shows_earlier_steps_and_other_panels_stay_where_they_are() {
    let many = Live {
        steps: (1..=60)
            .map(|n| step(n, &format!("step{n:02}"), 1.0))
            .collect(),
        targets: (1..=60).map(|n| part(&format!("lun{n:02}"), 1.0)).collect(),
        ..live()
    };
    let mut view = plain();
    let newest = |view: &View| {
        let shown = lines(&many, view, 120, 40);
        assert!(shown.contains("lun01"), "parts are not scrolled: {shown}");
        (1..=60).rfind(|n| shown.contains(&format!("step{n:02}")))
    };
    assert_eq!(newest(&view), Some(60));
    view.press(Key::Up, &many);
    view.press(Key::Up, &many);
    assert_eq!(newest(&view), Some(58));
    view.press(Key::Down, &many);
    assert_eq!(newest(&view), Some(59));
}

#[test]
fn every_size_of_a_terminal_can_be_drawn_on() {
    for columns in [1, 9, 39, 40, 41, 109, 110, 300] {
        for rows in [1, 5, 9, 10, 11, 33, 34, 100] {
            screen(&live(), &plain(), columns, rows);
        }
    }
}
