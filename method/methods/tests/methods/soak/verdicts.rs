//! Which class a course comes to, and its figures.

use crate::soak::carried_out::{
    BLOCK, HIGH, NOISES, TARGETS, Truth, carried_out, falls, figure, level, soaked, spec, verdict,
};
use crate::synthetic::noise::Noise;
use plimsoll_plan::{Load, Rate};

/// Number of times that each class came of these seeds.
fn classes(
    seeds: std::ops::Range<u64>,
    seconds: u64,
    truth: Truth<'_>,
    kind: Noise,
) -> Vec<(String, usize)> {
    let mut counts: Vec<(String, usize)> = Vec::new();
    for seed in seeds {
        let class = verdict(seconds, truth, kind, seed).class;
        match counts.iter_mut().find(|(c, _)| *c == class) {
            Some((_, n)) => *n += 1,
            None => counts.push((class, 1)),
        }
    }
    counts.sort();
    counts
}

fn count(counts: &[(String, usize)], class: &str) -> usize {
    counts
        .iter()
        .find(|(c, _)| c == class)
        .map_or(0, |(_, n)| *n)
}

type Course = (&'static str, &'static str, Box<dyn Fn(f64) -> f64>);

/// Courses of ten minutes, and what is to be said of each.
fn courses() -> Vec<Course> {
    let wave = |t: f64| (t / 40.0 * std::f64::consts::TAU).sin();
    let dip = |t: f64| {
        if (250.0..350.0).contains(&t) {
            0.4
        } else {
            1.0
        }
    };
    vec![
        ("no-cliff", "level", Box::new(level)),
        (
            "cliff",
            "falls by 15% in the middle",
            Box::new(falls(300.0, 0.85)),
        ),
        (
            "cliff",
            "falls by 50% in the middle",
            Box::new(falls(300.0, 0.5)),
        ),
        (
            "cliff",
            "falls by 50% in the last 5%",
            Box::new(falls(571.0, 0.5)),
        ),
        (
            "never-steady",
            "drifts down by 30%",
            Box::new(|t| HIGH * (1.15 - t / 2000.0)),
        ),
        (
            "no-cliff",
            "drifts down by 5%",
            Box::new(|t| HIGH * (1.025 - t / 12_000.0)),
        ),
        (
            "no-cliff",
            "oscillates by 20% in 40 s",
            Box::new(move |t| HIGH * (1.0 + 0.2 * wave(t))),
        ),
        (
            "no cliff",
            "falls by 60% for 100 s, and comes back",
            Box::new(move |t| HIGH * dip(t)),
        ),
    ]
}

#[test]
#[ignore = "the table in docs/soak.md: minutes"]
fn table_of_verdicts() {
    for (class, name, truth) in &courses() {
        for kind in NOISES {
            // The promise about false cliffs is one of 200.
            let seeds = if *class == "cliff" { 50 } else { 200 };
            let found = classes(0..seeds, 600, truth, kind);
            println!("| {name} ({class}) | {kind:?} | {found:?} |");
        }
    }
}

/// Levels that walk at random, 200 of each: by how much they end off where they began, and what is said of them.
#[test]
#[ignore = "the table in docs/soak.md: minutes"]
fn table_of_walks() {
    for sd in [0.0, 0.05, 0.1, 0.2] {
        for seeds in [0..200, 200..400] {
            let found = classes(seeds.clone(), 600, &level, Noise::Walk(sd));
            println!("| walks by {sd} | {seeds:?} | {found:?} |");
            assert!(sd > 0.1 || count(&found, "cliff") <= 4, "{found:?}");
        }
    }
}

#[test]
fn a_level_that_walks_at_random_is_no_cliff() {
    let found = classes(0..12, 600, &level, Noise::Walk(0.05));
    assert_eq!(count(&found, "cliff"), 0, "{found:?}");
}

#[test]
fn a_level_with_noise_of_any_kind_is_no_cliff() {
    for kind in NOISES {
        let found = classes(1000..1006, 600, &level, kind);
        assert_eq!(count(&found, "cliff"), 0, "{kind:?}: {found:?}");
    }
    let found = classes(0..10, 600, &level, Noise::White(0.05));
    assert_eq!(count(&found, "no-cliff"), 10, "{found:?}");
}

#[test]
fn a_cliff_is_found_where_it_is_even_in_the_last_twentieth() {
    for (at_s, to) in [(60.0, 0.5), (300.0, 0.85), (300.0, 0.5), (571.0, 0.5)] {
        for seed in 0..4 {
            let found = verdict(600, &falls(at_s, to), Noise::White(0.05), seed);
            assert_eq!(found.class, "cliff", "{at_s} {to}: {found:#?}");
            assert!(found.decided);
            assert!(
                (figure(&found, "cliff_time") - at_s).abs() <= 2.0,
                "{found:#?}"
            );
            assert!(
                (figure(&found, "cliff_drop") - (1.0 - to)).abs() < 0.03,
                "{found:#?}"
            );
            let written = at_s * HIGH * BLOCK as f64 / TARGETS as f64;
            assert!((figure(&found, "cliff_overwrites") - written).abs() < 0.01);
        }
    }
}

#[test]
fn a_stall_of_seconds_is_no_cliff() {
    for seed in 0..6 {
        let found = verdict(600, &level, Noise::Stalls(0.05, 5), seed);
        assert_eq!(found.class, "no-cliff", "{found:#?}");
    }
    // One that is still going on at the end may be anything.
    let found = verdict(600, &falls(588.0, 0.0), Noise::White(0.05), 1);
    assert_eq!(found.class.as_str(), "undecided", "{found:#?}");
    assert!(!found.decided, "{found:#?}");
    assert!(found.sentence.contains("standstill"), "{found:#?}");
}

#[test]
fn a_drift_a_dip_and_an_oscillation_are_no_cliffs() {
    for (class, name, truth) in courses().iter().skip(4) {
        for seed in 0..4 {
            let mut found = verdict(600, truth, Noise::White(0.05), seed);
            found.charts.clear();
            assert_ne!(found.class, "cliff", "{name}: {found:#?}");
            if *class != "no cliff" {
                assert_eq!(found.class, *class, "{name}: {found:#?}");
            }
        }
    }
}

#[test]
fn a_cliff_in_an_oscillation_is_found() {
    let truth = |t: f64| {
        let swing = 1.0 + 0.2 * (t / 40.0 * std::f64::consts::TAU).sin();
        HIGH * swing * if t < 400.0 { 1.0 } else { 0.5 }
    };
    for seed in 0..3 {
        let found = verdict(600, &truth, Noise::White(0.05), seed);
        assert_eq!(found.class, "cliff", "{found:#?}");
        // Within a period.
        assert!(
            (figure(&found, "cliff_time") - 400.0).abs() < 40.0,
            "{found:#?}"
        );
    }
}

#[test]
fn an_oscillation_is_told_with_its_period_and_its_amplitude() {
    let (_, _, truth) = &courses()[6];
    let found = verdict(600, truth, Noise::White(0.05), 3);
    assert!(
        (figure(&found, "oscillation_period") - 40.0).abs() < 2.0,
        "{found:#?}"
    );
    assert!(
        (figure(&found, "oscillation_amplitude") - 0.2).abs() < 0.03,
        "{found:#?}"
    );
    let still = verdict(600, &level, Noise::Wandering(0.1, 0.9), 3);
    let wave = still
        .figures
        .iter()
        .find(|f| f.name == "oscillation_period");
    assert!(wave.is_some_and(|f| f.quantity.is_none()), "{still:#?}");
}

#[test]
fn what_is_too_short_or_too_noisy_is_left_open() {
    let short = verdict(4, &level, Noise::White(0.05), 1);
    assert_eq!((short.class.as_str(), short.decided), ("undecided", false));
    assert!(short.sentence.contains("Too short"), "{short:#?}");
}

#[test]
fn a_fall_at_the_very_beginning_is_told_and_the_rest_is_judged_by_itself() {
    for seed in 0..10 {
        let found = verdict(300, &falls(1.0, 0.3), Noise::White(0.05), seed);
        assert_eq!(
            (found.class.as_str(), found.decided),
            ("no-cliff", true),
            "{found:#?}"
        );
        assert!(
            found
                .sentence
                .starts_with("The rate fell within the first "),
            "{found:#?}"
        );
        let lasted = figure(&found, "sustained_rate") / (0.3 * HIGH);
        assert!((0.98..1.02).contains(&lasted), "{found:#?}");
    }
}

#[test]
fn at_a_rate_the_cliff_shows_in_what_is_done_or_in_the_response_time() {
    let at_rate = |rate: f64, to: f64| {
        let load = Load::rate(Rate(rate), plimsoll_plan::Arrival::Even);
        let soak = soaked(600, load);
        carried_out(&soak, &spec(), &falls(300.0, to), Noise::White(0.02), 7).1
    };
    // Below the new capacity only the answers are slower.
    let slower = at_rate(8_000.0, 0.5);
    assert_eq!(slower.class, "cliff", "{slower:#?}");
    assert!(
        slower.sentence.contains("response time rises"),
        "{slower:#?}"
    );
    assert!((figure(&slower, "cliff_time") - 300.0).abs() <= 2.0);
    // Above it less is done.
    let less = at_rate(15_000.0, 0.5);
    assert_eq!(less.class, "cliff", "{less:#?}");
    assert!(
        (figure(&less, "rate_after") / 10_000.0 - 1.0).abs() < 0.02,
        "{less:#?}"
    );
    // Nothing changes where nothing changes.
    let same = at_rate(8_000.0, 1.0);
    assert_eq!(same.class, "no-cliff", "{same:#?}");
    // Too much from the start is no cliff.
    let overloaded = at_rate(30_000.0, 1.0);
    assert_eq!(overloaded.class, "no-cliff", "{overloaded:#?}");
    let rules: Vec<&str> = overloaded
        .findings
        .iter()
        .map(|f| f.rule.as_str())
        .collect();
    assert!(rules.contains(&"soak-overloaded"), "{overloaded:#?}");
}
