//! When a result was made, by the times that its tool printed: good for an order among results of one format, as zones are not told.

const MONTHS: [&str; 12] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
];

/// Seconds since 1970 by the tool's own clock; `None` where a text has no date or no time of day.
pub(crate) fn of(text: &str) -> Option<i64> {
    json(text).or_else(|| fio(text)).or_else(|| vdbench(text))
}

/// `"timestamp" : 1795757134,`.
fn json(text: &str) -> Option<i64> {
    let (_, rest) = text.split_once("\"timestamp\"")?;
    let rest = rest.trim_start_matches([' ', ':']);
    rest[..rest.find(|c: char| !c.is_ascii_digit())?]
        .parse()
        .ok()
}

/// `read: (groupid=0, jobs=1): err= 0: pid=7: Thu Nov 26 08:09:18 2026`.
pub(crate) fn fio(text: &str) -> Option<i64> {
    let (_, rest) = text.split_once(": pid=")?;
    let line = rest.lines().next()?;
    let words: Vec<&str> = line.split_whitespace().collect();
    let [.., month, day, time, year] = words[..] else {
        return None;
    };
    Some(date(year, month, day)? + time_of_day(time)?)
}

/// `Jul 10, 2012  interval` above the first figures, `13:04:40.000 Starting RD=run1;`, and the time of those figures, which are of the next day
/// where it is the earlier one.
fn vdbench(text: &str) -> Option<i64> {
    let time = |line: &str| time_of_day(line.split_whitespace().next()?);
    let start = time(text.lines().find(|line| line.contains("Starting RD="))?)?;
    let mut lines = text.lines();
    let dated = lines.find_map(|line| {
        let mut words = line.split_whitespace();
        let (month, day, year) = (
            words.next()?,
            words.next()?.strip_suffix(',')?,
            words.next()?,
        );
        date(year, month, day)
    });
    let is_next_day = lines.find_map(time).is_some_and(|first| first < start);
    Some(dated? + start - if is_next_day { 86_400 } else { 0 })
}

/// Seconds from 1970 to a day (Howard Hinnant, days_from_civil).
fn date(year: &str, month: &str, day: &str) -> Option<i64> {
    let month = MONTHS.iter().position(|name| *name == month)? as i64 + 1;
    let (year, day): (i64, i64) = (year.parse().ok()?, day.parse().ok()?);
    if !(1970..=9999).contains(&year) || !(1..=31).contains(&day) {
        return None;
    }
    let year = if month <= 2 { year - 1 } else { year };
    let of_era = year.rem_euclid(400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let days = year.div_euclid(400) * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year;
    Some((days - 719_468) * 86_400)
}

/// `13:04:40.000`.
fn time_of_day(text: &str) -> Option<i64> {
    let whole = text.split('.').next()?;
    let parts: Vec<i64> = whole
        .split(':')
        .map(|part| part.parse().ok())
        .collect::<Option<_>>()?;
    match parts[..] {
        [hours @ 0..=23, minutes @ 0..=59, seconds @ 0..=60] => {
            Some(hours * 3600 + minutes * 60 + seconds)
        }
        _ => None,
    }
}

#[test]
fn the_same_moment_is_told_alike_by_each_tool() {
    // `date -u -d 'Nov 27 2026 05:25:34' +%s`.
    let moment = Some(1_795_757_134);
    assert_eq!(of("{\"timestamp\" : 1795757134,\n"), moment);
    assert_eq!(
        of("j: (groupid=0, jobs=1): err= 0: pid=7: Fri Nov 27 05:25:34 2026\n"),
        moment
    );
    assert_eq!(
        of("05:25:34.101 Starting RD=a\n\nNov 27, 2026 interval\n"),
        moment
    );
    assert_eq!(of("05:25:34.101 Starting RD=a\n"), None);
    let over_midnight =
        "23:59:58.101 Starting RD=a\n\nNov 28, 2026 interval\n rate\n00:00:03.102 1 5.0\n";
    // `date -u -d 'Nov 27 2026 23:59:58' +%s`.
    assert_eq!(of(over_midnight), Some(1_795_823_998));
}
