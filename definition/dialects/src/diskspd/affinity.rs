//! `-a`: processor groups and CPUs.

use super::size::digits;

/// The CPUs of `0,1,2` or `g0,0,1,g1,0`, each with its processor group; none for nothing and for `g` alone.
pub(super) fn cpus(text: &str) -> Result<Vec<(u32, u32)>, String> {
    if text.is_empty() || text == "g" {
        return Ok(Vec::new());
    }
    let mut group = 0;
    let mut found = Vec::new();
    let mut group_open = false;
    for part in text.split(',') {
        let (number, is_group) = match part.strip_prefix('g') {
            Some(number) => (number, true),
            None => (part, false),
        };
        let value = match digits(number) {
            Ok((value, "")) => value,
            _ => return Err(format!("`{part}` is no CPU, and no group such as g1")),
        };
        let most = if is_group {
            u64::from(u16::MAX)
        } else {
            u64::from(u8::MAX)
        };
        let value = u32::try_from(value)
            .ok()
            .filter(|v| u64::from(*v) <= most)
            .ok_or_else(|| format!("{value} is out of range: it may be {most} at most"))?;
        group_open = is_group;
        match is_group {
            true => group = value,
            false => found.push((group, value)),
        }
    }
    match group_open {
        true => Err("a CPU has to follow the last group".to_string()),
        false => Ok(found),
    }
}

#[cfg(test)]
mod tests {
    use super::cpus;

    #[test]
    fn cpus_stand_alone_and_in_groups() {
        assert_eq!(cpus(""), Ok(vec![]));
        assert_eq!(cpus("g"), Ok(vec![]));
        assert_eq!(cpus("0,1,2"), Ok(vec![(0, 0), (0, 1), (0, 2)]));
        let two = Ok(vec![(0, 0), (0, 1), (1, 0)]);
        assert_eq!(cpus("g0,0,1,g1,0"), two);
        for bad in [
            "x", "0,", ",0", "g1", "0,g1", "gg1,0", "256", "g70000,1", "1-3",
        ] {
            assert!(cpus(bad).is_err(), "{bad}");
        }
    }
}
