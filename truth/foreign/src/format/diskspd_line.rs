//! DiskSPD's command line, as its text repeats it.

use super::diskspd::{Spec, TargetSpec};
use crate::model::{Caching, Content};
use crate::text;

/// What the flags say. Those that are not known here are passed over.
pub fn spec(line: &str) -> Spec {
    let mut spec = Spec {
        duration_s: Some(10.0),
        warm_up_s: Some(5.0),
        ..Spec::default()
    };
    let mut target = TargetSpec {
        block: Some(64 << 10),
        depth: Some(2),
        threads: Some(1),
        write: Some(0.0),
        random: Some(false),
        cache: Some(Caching::Buffered),
        ..TargetSpec::default()
    };
    let mut paths = 0_usize;
    for word in words(line).skip(1) {
        match word
            .strip_prefix(['-', '/'])
            .filter(|_| !word.starts_with("/dev") && word.len() > 1)
        {
            Some(flag) => take(flag, &mut spec, &mut target),
            None => paths += 1,
        }
    }
    spec.targets = vec![target; paths.clamp(1, 1000)];
    spec
}

/// Words, where quotes keep blanks.
fn words(line: &str) -> impl Iterator<Item = String> {
    let (mut all, mut word, mut quoted) = (Vec::new(), String::new(), false);
    for c in line.chars().chain([' ']) {
        match c {
            '"' => quoted = !quoted,
            c if c.is_whitespace() && !quoted => {
                if !word.is_empty() {
                    all.push(std::mem::take(&mut word));
                }
            }
            c => word.push(c),
        }
    }
    all.into_iter()
}

fn take(flag: &str, spec: &mut Spec, target: &mut TargetSpec) {
    let mut chars = flag.chars();
    let letter = chars.next();
    let value = chars.as_str();
    let count = || text::amount(value).map(|n| n as u64);
    match letter {
        Some('b') => target.block = text::size(value).or(target.block),
        Some('o') => target.depth = count().or(target.depth),
        Some('O') => spec.pool_depth = count(),
        Some('t') => target.threads = count().or(target.threads),
        Some('F') => spec.pool = count(),
        Some('T') => target.apart = true,
        Some('d') => spec.duration_s = text::amount(value).or(spec.duration_s),
        Some('W') => spec.warm_up_s = text::amount(value).or(spec.warm_up_s),
        Some('w') => target.write = text::amount(value).or(Some(0.0)),
        Some('r') if !value.starts_with('d') => target.random = Some(true),
        Some('s') => {
            target.random = Some(false);
            target.apart |= value.starts_with('i');
        }
        Some('c') => {
            target.made = true;
            target.size = text::size(value);
        }
        // `b` asks for the cache, `w` for write-through alone; on Linux `d` is O_DIRECT.
        Some('S') if value.is_empty() || value.contains(['u', 'h', 'd']) => {
            target.cache = Some(Caching::Direct);
        }
        Some('h') => target.cache = Some(Caching::Direct),
        Some('Z') => match value {
            "r" => spec.fresh = true,
            "" | "z" => target.content = Some(Content::Zeros),
            _ => target.content = Some(Content::Reused),
        },
        Some('g') => match value.strip_suffix('i') {
            Some(iops) => target.limit_iops = text::amount(iops),
            None => target.limit_bytes_per_ms = text::amount(value),
        },
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Load;

    #[test]
    fn flags_become_what_was_asked() {
        let asked =
            spec("diskspd.exe -c2G -w30 -b4K -t8 -r -o32 -W60 -d60 -Sh -L \"C:\\a b.dat\"").asked();
        assert_eq!(asked.in_flight, Some(256));
        assert_eq!(asked.cache, Some(Caching::Direct));
        assert_eq!(
            (asked.duration_s, asked.warm_up_s),
            (Some(60.0), Some(60.0))
        );
        assert_eq!(asked.content, Some(Content::Repeating));
        assert_eq!(asked.read_share, Some(0.7));
        assert_eq!(asked.load, Some(Load::Max));
        assert!(asked.made_target.is_some());
    }

    #[test]
    fn limits_are_of_each_thread_and_target() {
        let asked = spec("diskspd -b8K -o2 -t4 -g8192 a b").asked();
        assert_eq!(asked.in_flight, Some(16));
        let Some(Load::Limited { rate, .. }) = asked.load else {
            panic!("limited")
        };
        assert_eq!(rate.0, 8_000.0);
        assert_eq!(
            spec("diskspd -g100i -t2 a").asked().cache,
            Some(Caching::Buffered)
        );
    }
}
