//! The status of a multipath map (`multipath_status` in drivers/md/dm-mpath.c).

/// A path of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Path {
    /// Its device: `8:16`.
    pub number: String,
    /// `active`, `failed`.
    pub state: &'static str,
    /// How often it failed since the map was loaded.
    pub failures: u64,
    /// The number of its group, from 1.
    pub group: u32,
    /// `active`, `enabled`, `disabled`.
    pub group_state: &'static str,
}

/// All its paths, group by group; `None` of what is no such status.
pub fn paths(words: &str) -> Option<Vec<Path>> {
    let mut words = words.split_ascii_whitespace();
    // Features, and the hardware handler: each a count, and as many words.
    for _ in 0..2 {
        let more = count(&mut words)?;
        pass(&mut words, more)?;
    }
    let groups = count(&mut words)?;
    let _next_group = count(&mut words)?;
    let mut paths = Vec::new();
    for group in 1..=groups {
        let group_state = match words.next()? {
            "A" => "active",
            "E" => "enabled",
            "D" => "disabled",
            _ => return None,
        };
        // Of the path selector: a count, and as many words; then how many it has for each path.
        let more = count(&mut words)?;
        pass(&mut words, more)?;
        let (members, each) = (count(&mut words)?, count(&mut words)?);
        for _ in 0..members {
            paths.push(Path {
                number: words.next()?.to_owned(),
                state: match words.next()? {
                    "A" => "active",
                    "F" => "failed",
                    _ => return None,
                },
                failures: count(&mut words)?,
                group: u32::try_from(group).ok()?,
                group_state,
            });
            pass(&mut words, each)?;
        }
    }
    Some(paths)
}

fn count<'a>(words: &mut impl Iterator<Item = &'a str>) -> Option<u64> {
    words.next()?.parse().ok()
}

fn pass<'a>(words: &mut impl Iterator<Item = &'a str>, many: u64) -> Option<()> {
    for _ in 0..many {
        words.next()?;
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(words: &str) -> Vec<(String, &'static str, u64, u32, &'static str)> {
        let each = paths(words).unwrap().into_iter();
        each.map(|p| (p.number, p.state, p.failures, p.group, p.group_state))
            .collect()
    }

    #[test]
    fn groups_and_paths_of_each_selector_are_read() {
        // Two groups, service-time: two words a path.
        let words = "2 0 0 0 2 1 A 0 2 2 8:16 A 0 0 1 8:32 F 3 0 1 E 0 1 2 8:48 A 1 0 1 ";
        let expected = [
            ("8:16".to_string(), "active", 0, 1, "active"),
            ("8:32".to_string(), "failed", 3, 1, "active"),
            ("8:48".to_string(), "active", 1, 2, "enabled"),
        ];
        assert_eq!(told(words), expected);
        // Round-robin has none; a group that is to be avoided, and a queue-length of one word.
        assert_eq!(told("2 1 0 0 1 1 A 0 1 0 8:0 A 0 ")[0].1, "active");
        assert_eq!(told("2 0 0 0 1 1 D 0 1 1 65:0 F 2 7 ")[0].4, "disabled");
        assert_eq!(told("2 0 0 1 alua 0 0 "), []);
    }

    #[test]
    fn what_is_no_status_is_none_and_takes_no_time() {
        let whole = "2 0 0 0 1 1 A 0 2 2 8:16 A 0 0 1 8:32 F 3 0 1";
        for end in 0..whole.len() - 1 {
            assert_eq!(paths(&whole[..end]), None, "{}", &whole[..end]);
        }
        let many = u64::MAX;
        assert_eq!(paths(&format!("{many} 0")), None);
        assert_eq!(paths(&format!("0 0 {many} 1 A 0 {many} 0 8:0 A")), None);
        assert_eq!(paths("0 0 1 1 X 0 0 0"), None);
    }
}
