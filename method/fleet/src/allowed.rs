//! Targets that an agent lends, and which of them may be written.

use plimsoll_plan::{Plan, Target};

/// Patterns with `*` (anything) and `?` (one character).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Allowed {
    /// Targets that may be read.
    pub targets: Vec<String>,
    /// Targets, and names of `--destroy`, that may be written.
    pub destroy: Vec<String>,
}

impl Default for Allowed {
    /// Everything may be read, and nothing written.
    fn default() -> Self {
        Allowed {
            targets: vec!["*".into()],
            destroy: Vec::new(),
        }
    }
}

impl Allowed {
    /// Reason not to run the plan here, if any.
    pub fn refuses(&self, plan: &Plan, destroy: &[String]) -> Option<String> {
        for (index, target) in plan.targets.iter().enumerate() {
            let names = names(target);
            if target.location.is_simulated() {
                return Some(format!(
                    "{} is simulated in virtual time, which hosts have none of in common; run it on one host, or by simulated ones: --hosts sim:4",
                    target.name
                ));
            }
            let mut streams = plan.steps().flat_map(|s| &s.streams);
            if !streams.any(|s| s.target.0 as usize == index) {
                continue;
            }
            let lent = |name: &String| any(&self.targets, name);
            if let Some(name) = names.iter().find(|n| !lent(n)) {
                return Some(format!(
                    "{name} is not lent here; the agent lends {}: start it with --allow-target '{name}'",
                    list(&self.targets)
                ));
            }
            if plan.changes_target(index) && !self.may_write(target, destroy) {
                return Some(format!(
                    "{} would be written, and nothing of that name may be written here; start the agent with --allow-destroy '{}'",
                    target.name,
                    names.first().unwrap_or(&target.name)
                ));
            }
        }
        None
    }

    /// Names of the targets that may only be read.
    pub fn read_only(&self, plan: &Plan, destroy: &[String]) -> Vec<String> {
        let all = plan.targets.iter();
        let only = all.filter(|t| !self.may_write(t, destroy));
        only.map(|t| t.name.clone()).collect()
    }

    /// Each of its files by name; or a device by the name that `--destroy` has for it.
    fn may_write(&self, target: &Target, destroy: &[String]) -> bool {
        if !target.location.is_storage() {
            return true;
        }
        let names = names(target);
        let by_name = names.iter().all(|n| any(&self.destroy, n));
        by_name || (names.len() == 1 && destroy.iter().any(|n| any(&self.destroy, n)))
    }
}

fn names(target: &Target) -> Vec<String> {
    match target.location.paths() {
        [] => vec![target.location.text()],
        paths => paths.iter().map(|p| p.display().to_string()).collect(),
    }
}

fn list(patterns: &[String]) -> String {
    match patterns.is_empty() {
        true => "nothing".into(),
        false => patterns.join(", "),
    }
}

fn any(patterns: &[String], name: &str) -> bool {
    patterns.iter().any(|p| matches(p, name))
}

/// True where a name is of a pattern. A way up in it (`..`) is of none that does not have it too: `/data/*` lends nothing outside.
pub fn matches(pattern: &str, name: &str) -> bool {
    if name.split('/').any(|part| part == "..") && pattern != name {
        return false;
    }
    let (pattern, name): (Vec<char>, Vec<char>) =
        (pattern.chars().collect(), name.chars().collect());
    let (mut p, mut n) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while n < name.len() {
        match pattern.get(p) {
            Some('*') => {
                star = Some((p, n));
                p += 1;
            }
            Some(c) if *c == '?' || *c == name[n] => {
                p += 1;
                n += 1;
            }
            _ => match star {
                Some((at, taken)) => {
                    star = Some((at, taken + 1));
                    p = at + 1;
                    n = taken + 1;
                }
                None => return false,
            },
        }
    }
    pattern[p..].iter().all(|c| *c == '*')
}

#[cfg(test)]
mod tests {
    use super::*;
    use plimsoll_plan::{
        AddressSpec, Bytes, Depth, Item, Load, Mix, Nanos, Pattern, SizeSpec, Step, Stream,
        TargetId,
    };

    fn plan(path: &str, write: f64) -> Plan {
        let mix = Mix::of_reads(100.0 - write);
        let id = TargetId(0);
        let stream = Stream::new(
            "w",
            id,
            mix,
            SizeSpec::Fixed(Bytes(4096)),
            AddressSpec::whole(Pattern::ONE_PASS),
        );
        let depth = Depth::new(id, 1);
        let step = Step::new("s", vec![stream], vec![depth], Load::Max, Nanos::secs(1));
        Plan::new(
            vec![Target::new(
                "t",
                plimsoll_plan::Location::parse(path).expect("a place"),
            )],
            vec![Item::Step(step)],
        )
    }

    fn allowed(targets: &[&str], destroy: &[&str]) -> Allowed {
        let all = |of: &[&str]| of.iter().map(|s| (*s).to_string()).collect();
        Allowed {
            targets: all(targets),
            destroy: all(destroy),
        }
    }

    #[test]
    fn patterns_mean_what_a_shell_takes_them_for_and_lead_nowhere_else() {
        for (pattern, name, is) in [
            ("*", "/dev/sda", true),
            ("/dev/sd?", "/dev/sda", true),
            ("/dev/sd?", "/dev/sdaa", false),
            ("/data/*", "/data/x/y", true),
            ("/data/*", "/data/../etc/shadow", false),
            ("*", "../x", false),
            ("../x", "../x", true),
            ("*.dat", "a.dat.b.dat", true),
            ("a*b*c", "aXbYb", false),
            ("", "", true),
            ("", "x", false),
        ] {
            assert_eq!(matches(pattern, name), is, "{pattern} {name}");
        }
    }

    #[test]
    fn by_default_nothing_is_written_and_everything_read() {
        let by_default = Allowed::default();
        assert_eq!(by_default.refuses(&plan("/data/x", 0.0), &[]), None);
        let why = by_default.refuses(&plan("/data/x", 1.0), &["/data/x".into()]);
        assert!(why.expect("refused").contains("--allow-destroy '/data/x'"));
        // What is not there yet would have to be made.
        assert_eq!(by_default.read_only(&plan("/data/x", 0.0), &[]), ["t"]);
    }

    #[test]
    fn a_pattern_lends_what_it_names_and_no_more() {
        let some = allowed(&["/data/*"], &["/data/a*", "wwn-0x5"]);
        assert_eq!(some.refuses(&plan("/data/abc", 100.0), &[]), None);
        assert!(some.refuses(&plan("/data/bcd", 100.0), &[]).is_some());
        assert!(some.refuses(&plan("/dev/sda", 0.0), &[]).is_some());
        assert_eq!(
            some.refuses(&plan("/data/bcd", 100.0), &["wwn-0x5".into()]),
            None
        );
        assert!(some.read_only(&plan("/data/abc", 0.0), &[]).is_empty());
    }

    #[test]
    fn what_is_simulated_is_no_load_of_many_hosts() {
        let why = Allowed::default().refuses(&plan("lab:scale-out-flash-8", 0.0), &[]);
        assert!(why.expect("refused").contains("virtual time"));
    }
}
