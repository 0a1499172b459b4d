//! Who of a process group lives.

use rustix::process::Pid;

/// Whether one of the group lives. The dead have the group as long as nobody waits for them: orphans, where the host's first
/// process does that late or not at all, as in a container. Where it cannot be told, one lives.
pub(super) fn live(group: Pid) -> bool {
    let Ok(all) = std::fs::read_dir("/proc") else {
        return true;
    };
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
    stats.any(|stat| lives_in(&stat, group))
}

/// Of a process as proc(5) shows it, `pid (name) state parent group ...`; the name may hold anything.
fn lives_in(stat: &str, group: i32) -> bool {
    let Some((_, behind)) = stat.rsplit_once(')') else {
        return false;
    };
    let mut words = behind.split_whitespace();
    let dead = matches!(words.next(), Some("Z" | "X") | None);
    let of = words.nth(1).and_then(|word| word.parse::<i32>().ok());
    !dead && of == Some(group)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_dead_and_others_are_not_counted_whatever_their_name() {
        assert!(lives_in("7 (sh) S 1 42 42 0", 42));
        assert!(lives_in("7 (a) Z 1) (b) R 1 42 42 0", 42));
        assert!(!lives_in("7 (sh) Z 1 42 42 0", 42));
        assert!(!lives_in("7 (sh) S 42 43 42 0", 42));
        assert!(!lives_in("", 42) && !lives_in("7 (sh)", 42));
    }

    #[test]
    fn this_process_lives_in_its_group() {
        assert!(live(rustix::process::getpgrp()));
    }
}
