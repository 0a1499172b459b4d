//! Who of a process group lives.

use rustix::process::Pid;

/// True where one of the group lives, or where nobody can tell.
pub(super) fn live(group: Pid) -> bool {
    any(group, |_| true).unwrap_or(true)
}

/// True where one of the group lives in a state that `is_wanted`; `None` where it cannot be told. The dead have the group as long as nobody
/// waits for them: orphans, where the host's first process does that late or not at all, as in a container.
pub(super) fn any(group: Pid, is_wanted: impl Fn(char) -> bool) -> Option<bool> {
    let all = std::fs::read_dir("/proc").ok()?;
    let group = group.as_raw_nonzero().get();
    let mut stats = all.filter_map(|entry| {
        let entry = entry.ok()?;
        let digits = entry
            .file_name()
            .to_str()?
            .bytes()
            .all(|b| b.is_ascii_digit());
        digits.then(|| std::fs::read_to_string(entry.path().join("stat")).ok())?
    });
    Some(stats.any(|stat| state_in(&stat, group).is_some_and(&is_wanted)))
}

/// State of a living member of the group, from a process as proc(5) shows it, `pid (name) state parent group ...`; the name may hold
/// anything.
fn state_in(stat: &str, group: i32) -> Option<char> {
    let (_, behind) = stat.rsplit_once(')')?;
    let mut words = behind.split_whitespace();
    let state = words.next()?.chars().next()?;
    let of = words.nth(1)?.parse::<i32>().ok()?;
    (of == group && !['Z', 'X'].contains(&state)).then_some(state)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_dead_and_others_are_not_counted_whatever_their_name() {
        assert_eq!(state_in("7 (sh) S 1 42 42 0", 42), Some('S'));
        assert_eq!(state_in("7 (a) Z 1) (b) T 1 42 42 0", 42), Some('T'));
        for none in ["7 (sh) Z 1 42 42 0", "7 (sh) S 42 43 42 0", "", "7 (sh)"] {
            assert_eq!(state_in(none, 42), None, "{none}");
        }
    }

    #[test]
    fn this_process_lives_in_its_group() {
        assert!(live(rustix::process::getpgrp()));
    }
}
