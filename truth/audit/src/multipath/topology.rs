//! `multipath -ll`: maps, groups and paths.

/// A map.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Map {
    /// Alias of the map, or its WWID where it has none.
    pub name: String,
    /// The features that are on.
    pub features: String,
    /// The selector of each group: `service-time 0`.
    pub policies: Vec<String>,
    /// Paths of the map.
    pub paths: Vec<Path>,
}

/// A path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Path {
    /// Adapter, channel, target and LUN: `2:0:0:1`.
    pub address: String,
    /// `sdb`; `-` where the device is gone.
    pub device: String,
    /// State by the kernel's map: active, failed, undef.
    pub map: String,
    /// State by the checker: ready, ghost, faulty, shaky.
    pub checker: String,
    /// State by the device: running, offline.
    pub state: String,
}

impl Path {
    /// Adapter, channel and target, which LUNs of one array have in common; `None` of a device that is gone.
    pub fn nexus(&self) -> Option<&str> {
        let (nexus, _) = self.address.rsplit_once(':')?;
        (!nexus.contains('#')).then_some(nexus)
    }

    /// True where I/O may take the path. A ghost waits for its controller to take over.
    pub fn is_up(&self) -> bool {
        self.map == "active"
            && ["ready", "ghost"].contains(&self.checker.as_str())
            && self.state == "running"
    }
}

/// Reads it. Lines that are of no map are passed over.
pub fn parse(text: &str) -> Vec<Map> {
    let mut maps: Vec<Map> = Vec::new();
    for line in text.lines() {
        let tree = |c: char| c.is_whitespace() || "|`-+\\_[]".contains(c);
        let inside = line.trim_start_matches(tree);
        let words: Vec<&str> = inside.split_whitespace().collect();
        let begins = !line.starts_with(tree) && words.iter().any(|w| is_minor(w));
        if begins {
            maps.push(Map {
                name: words[0].to_string(),
                ..Map::default()
            });
        }
        let Some(map) = maps.last_mut() else { continue };
        if let Some(features) = quoted(line, "features=") {
            map.features = features.to_string();
        }
        if let Some(policy) = quoted(line, "policy=") {
            map.policies.push(policy.to_string());
        }
        if let [address, device, number, kernel, checker, state, ..] = words[..]
            && !begins
            && is_address(address)
            && number.contains(':')
        {
            map.paths.push(Path {
                address: address.to_string(),
                device: device.to_string(),
                map: kernel.to_string(),
                checker: checker.to_string(),
                state: state.to_string(),
            });
        }
    }
    maps
}

/// `dm-3`.
fn is_minor(word: &str) -> bool {
    let digits = word.strip_prefix("dm-").unwrap_or("x");
    !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())
}

/// `2:0:0:1`; `#:#:#:#` of a device that is gone.
fn is_address(word: &str) -> bool {
    word.split(':').count() == 4
        && word
            .bytes()
            .all(|b| b.is_ascii_digit() || b":#".contains(&b))
}

fn quoted<'a>(line: &'a str, key: &str) -> Option<&'a str> {
    let (_, rest) = line.split_once(key)?;
    let rest = rest.strip_prefix('\'')?;
    rest.split('\'').next()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "mpatha (36001405abc) dm-2 LIO-ORG,disk\n\
        size=10G features='1 queue_if_no_path' hwhandler='1 alua' wp=rw\n\
        |-+- policy='service-time 0' prio=50 status=active\n\
        | `- 2:0:0:1 sdb 8:16 active ready running\n\
        `-+- policy='service-time 0' prio=10 status=enabled\n\
        \x20 |- 3:0:0:1 sdc 8:32 failed faulty offline\n\
        \x20 `- #:#:#:# -   8:48 active undef unknown\n\
        36001405def dm-3 LIO-ORG,disk\n\
        `-+- policy='round-robin 0' prio=1 status=active\n\
        \x20 `- 4:0:0:1 sdd 8:64 active ghost running\n";

    #[test]
    fn maps_groups_and_paths_are_read() {
        let maps = parse(TEXT);
        assert_eq!(maps.len(), 2);
        assert_eq!(maps[0].name, "mpatha");
        assert_eq!(maps[0].features, "1 queue_if_no_path");
        assert_eq!(maps[0].policies, ["service-time 0", "service-time 0"]);
        let up: Vec<bool> = maps[0].paths.iter().map(Path::is_up).collect();
        assert_eq!(up, [true, false, false]);
        assert_eq!(maps[0].paths[1].device, "sdc");
        assert_eq!(maps[1].name, "36001405def");
        assert!(maps[1].paths[0].is_up());
    }

    #[test]
    fn garbage_has_no_maps() {
        assert_eq!(parse("\u{0}dm\n| `- 1:2:3:4 sda\nerror: dm-x"), []);
    }
}
