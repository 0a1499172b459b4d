//! What zram devices hold, from their `mm_stat` (Documentation/admin-guide/blockdev/zram.rst).

use super::Watched;
use super::kept::Kept;
use crate::Root;
use plimsoll_evidence::witnessed::ZramUse;

/// Looks at the zram devices of the stacks.
#[derive(Debug)]
pub(super) struct ZramsSampler {
    zrams: Vec<Zram>,
}

#[derive(Debug)]
struct Zram {
    name: String,
    stat: Kept,
    last: Option<Held>,
}

/// What one holds.
#[derive(Debug, Clone, Copy)]
struct Held {
    data_bytes: u64,
    compressed_bytes: u64,
    same_pages: u64,
}

impl ZramsSampler {
    pub fn new(root: &Root, what: &[Watched]) -> Self {
        let mut zrams: Vec<Zram> = Vec::new();
        for name in what.iter().flat_map(|w| &w.devices) {
            if !name.starts_with("zram") || zrams.iter().any(|z| z.name == *name) {
                continue;
            }
            let mut stat = Kept::new(root, format!("/sys/class/block/{name}/mm_stat"));
            let last = stat.text().and_then(held);
            zrams.push(Zram {
                name: name.clone(),
                stat,
                last,
            });
        }
        ZramsSampler { zrams }
    }

    /// Each one that could be seen now and at the last look.
    pub fn look(&mut self) -> Vec<ZramUse> {
        self.zrams.iter_mut().filter_map(Zram::look).collect()
    }
}

impl Zram {
    fn look(&mut self) -> Option<ZramUse> {
        let now = self.stat.text().and_then(held);
        let before = std::mem::replace(&mut self.last, now)?;
        let now = now?;
        Some(ZramUse {
            name: self.name.clone(),
            data_bytes: (before.data_bytes, now.data_bytes),
            compressed_bytes: (before.compressed_bytes, now.compressed_bytes),
            same_pages: (before.same_pages, now.same_pages),
        })
    }
}

fn held(text: &str) -> Option<Held> {
    let column = |n: usize| text.split_ascii_whitespace().nth(n)?.parse().ok();
    Some(Held {
        data_bytes: column(0)?,
        compressed_bytes: column(1)?,
        same_pages: column(5)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_held_is_told_from_one_look_to_the_next() {
        let folder = tempfile::tempdir().unwrap();
        let device = folder.path().join("sys/class/block/zram3");
        std::fs::create_dir_all(&device).unwrap();
        let say = |text: &str| std::fs::write(device.join("mm_stat"), text).unwrap();
        say("  4096  74  12288  0  12288  1  0  0  0\n");
        let what = Watched {
            devices: vec!["zram3".into(), "sda".into()],
            ..Watched::default()
        };
        let root = Root::at(folder.path());
        let mut sampler = ZramsSampler::new(&root, &[what.clone(), what]);
        say("8192 148 12288 0 12288 65 0 0 0\n");
        let seen = sampler.look();
        assert_eq!(seen.len(), 1);
        assert_eq!(seen[0].same_pages, (1, 65));
        assert_eq!(seen[0].data_bytes, (4096, 8192));
        assert_eq!(seen[0].compressed_bytes, (74, 148));
        // Nothing is known across a look that failed.
        say("no numbers");
        assert_eq!(sampler.look(), []);
        say("8192 148 12288 0 12288 65 0 0 0\n");
        assert_eq!(sampler.look(), []);
        assert_eq!(sampler.look()[0].same_pages, (65, 65));
    }
}
