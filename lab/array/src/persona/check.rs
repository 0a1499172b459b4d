//! What a persona's parameters must be.

use super::{
    CoreParameters, DepthRow, FilerParameters, FlashParameters, JournalParameters,
    LatencyParameters, Persona, PortParameters,
};

/// Rules as lines: what has to be so, of which key, and what it may be.
macro_rules! add {
    ($rules:ident; $($so:expr => $key:expr, $may_be:expr;)*) => { $rules.extend([$(($so, $key, $may_be)),*]) };
}

/// More stations of a kind than this, and a persona is a mistake rather than an array.
const MANY: u32 = 65_536;

/// A key by its dotted path, and what it must be.
pub(super) type Broken = (&'static str, &'static str);

/// True when the rule holds, the key, what it must be.
type Rule = (bool, &'static str, &'static str);

fn share(x: f64) -> bool {
    (0.0..=1.0).contains(&x)
}

/// Up to a quarter of an hour in microseconds.
fn time(us: f64) -> bool {
    (0.0..=9e8).contains(&us)
}

fn amount(x: f64) -> bool {
    x > 0.0 && x < 1e15
}

fn names(p: &PortParameters) -> bool {
    let mut sorted: Vec<_> = p.names.iter().filter(|n| !n.is_empty()).collect();
    sorted.sort_unstable();
    sorted.dedup();
    p.names.is_empty() || sorted.len() == p.count as usize && sorted.len() == p.names.len()
}

fn some(count: u32) -> bool {
    (1..=MANY).contains(&count)
}

const TIME: &str = "a time from 0 up to a quarter of an hour";
const SHARE: &str = "a share, from 0 to 1";
const AMOUNT: &str = "above 0";
const COUNT: &str = "at least 1 and at most 65536";

impl Persona {
    /// The first rule that is broken.
    pub(super) fn broken(&self) -> Option<Broken> {
        let mut rules = vec![
            (amount(self.scale), "scale", AMOUNT),
            (some(self.luns.count), "luns.count", COUNT),
            (amount(self.luns.gib), "luns.gib", AMOUNT),
            (some(self.ports.count), "ports.count", COUNT),
            (
                names(&self.ports),
                "ports.names",
                "a different name for each port, or left out",
            ),
            (some(self.ports.paths), "ports.paths", COUNT),
            (amount(self.ports.mib_s), "ports.mib_s", AMOUNT),
            (time(self.ports.command_us), "ports.command_us", TIME),
            (
                self.ports.controllers == 0 || self.cores.is_none() && some(self.ports.controllers),
                "ports.controllers",
                "at most 65536, and left out beside cores, which have controllers of their own",
            ),
        ];
        latency(&self.latency, &mut rules);
        if let Some(c) = &self.cores {
            cores(c, &mut rules);
        }
        if let Some(c) = &self.cache {
            rules.push((amount(c.mib), "cache.mib", AMOUNT));
            rules.push((time(c.hit_us), "cache.hit_us", TIME));
        }
        if let Some(j) = &self.journal {
            journal(j, &mut rules);
        }
        if let Some(f) = &self.flash {
            flash(f, &mut rules);
        }
        if let Some(f) = &self.filer {
            filer(f, &mut rules);
        }
        self.rest(&mut rules);
        rules.into_iter().find(|r| !r.0).map(|r| (r.1, r.2))
    }

    fn rest(&self, rules: &mut Vec<Rule>) {
        if let Some(t) = &self.tier {
            rules.push((amount(t.flash_gib), "tier.flash_gib", AMOUNT));
            rules.push((some(t.disks), "tier.disks", COUNT));
            rules.push((time(t.disk_us), "tier.disk_us", TIME));
        }
        if let Some(n) = &self.nodes {
            rules.push((share(n.remote_share), "nodes.remote_share", SHARE));
            rules.push((time(n.remote_us), "nodes.remote_us", TIME));
        }
        if let Some(h) = &self.host {
            let ascending = h.course.is_sorted_by(|a, b| a.at_s < b.at_s);
            let rates = h.course.iter().all(|c| amount(c.iops) && c.at_s >= 0.0);
            rules.push((
                ascending && rates,
                "host.course",
                "ascending in time, with rates above 0",
            ));
        }
        let s = &self.snapshots;
        rules.push((time(s.take_us), "snapshots.take_us", TIME));
        rules.push((time(s.redirect_ns / 1e3), "snapshots.redirect_ns", TIME));
        let revisions = self.revisions.values();
        let factors = revisions.flat_map(|r| [r.latency_factor, r.write_factor]);
        let sound = factors.into_iter().all(|f| amount(f) && f <= 1e3);
        rules.push((sound, "revisions", "factors above 0 and up to 1000"));
        let sound = self.revisions.values().all(|r| points(&r.depths));
        rules.push((sound, "revisions", "ascending depths above 0, with times"));
    }
}

fn latency(l: &LatencyParameters, rules: &mut Vec<Rule>) {
    add! { rules;
        time(l.read_us) => "latency.read_us", TIME;
        time(l.write_us) => "latency.write_us", TIME;
        time(l.map_us) => "latency.map_us", TIME;
        points(&l.depths) => "latency.depths", "ascending depths above 0, with times";
        l.spread_shape <= 100 => "latency.spread_shape", "at most 100";
    }
}

/// True for measured points that can be interpolated.
fn points(rows: &[DepthRow]) -> bool {
    let times = |r: &DepthRow| {
        let all = [r.read_us, r.write_us].into_iter();
        all.chain(r.sd_us).chain(r.longest_us).all(time)
    };
    rows.is_sorted_by(|a, b| a.depth < b.depth) && rows.iter().all(|r| amount(r.depth) && times(r))
}

fn cores(c: &CoreParameters, rules: &mut Vec<Rule>) {
    let costs = [
        c.read.base_ns,
        c.read.chunk_ns,
        c.write.base_ns,
        c.write.chunk_ns,
        c.switch_ns,
    ];
    add! { rules;
        some(c.controllers) => "cores.controllers", COUNT;
        some(c.per_controller) => "cores.per_controller", COUNT;
        some(c.controllers.saturating_mul(c.per_controller)) => "cores.per_controller", COUNT;
        some(c.slice_kib.div_ceil(MANY)) => "cores.slice_kib", "at least 1";
        share(c.owner_share) => "cores.owner_share", SHARE;
        share(c.fingerprint_share) => "cores.fingerprint_share", SHARE;
        share(c.owner_share + c.fingerprint_share) => "cores.fingerprint_share", "no more than what cores.owner_share leaves";
        costs.iter().all(|c| time(c / 1e3)) => "cores", "costs from 0 up to a quarter of an hour";
        (0.0..=1e3).contains(&c.zero_factor) => "cores.zero_factor", "from 0 to 1000";
        (0.0..=1e3).contains(&c.duplicate_factor) => "cores.duplicate_factor", "from 0 to 1000";
    }
}

fn journal(j: &JournalParameters, rules: &mut Vec<Rule>) {
    add! { rules;
        amount(j.mib) => "journal.mib", AMOUNT;
        amount(j.drain_mib_s) => "journal.drain_mib_s", AMOUNT;
        share(j.keep_share) => "journal.keep_share", SHARE;
        time(j.append_us) => "journal.append_us", TIME;
        time(j.read_us) => "journal.read_us", TIME;
        j.bypass_kib <= 1 << 21 => "journal.bypass_kib", "at most 2 GiB";
        j.batch_kib > 0 => "journal.batch_kib", "at least 1";
        j.drain_batch_kib > 0 => "journal.drain_batch_kib", "at least 1";
        some(j.replicas) => "journal.replicas", COUNT;
    }
}

fn flash(f: &FlashParameters, rules: &mut Vec<Rule>) {
    add! { rules;
        f.dies > 0 => "flash.dies", "at least 1";
        some(f.dies) => "flash.dies", COUNT;
        time(f.read_us) => "flash.read_us", TIME;
        time(f.program_us) => "flash.program_us", TIME;
        time(f.erase_us) => "flash.erase_us", TIME;
        f.dies_per_drive <= f.dies => "flash.dies_per_drive", "no more than flash.dies";
        f.rebuild_group <= f.dies => "flash.rebuild_group", "no more than flash.dies";
    }
    rules.push((
        f.pages_per_erase == 0 || f.mapping.is_none(),
        "flash.pages_per_erase",
        "left out where flash.mapping says when blocks are erased",
    ));
    if let Some(m) = &f.mapping {
        add! { rules;
            (1..=u32::from(u16::MAX)).contains(&m.pages_per_block) => "flash.mapping.pages_per_block", "from 1 to 65535";
            (0.0..=100.0).contains(&m.over_provisioning) => "flash.mapping.over_provisioning", "from 0 to 100";
        }
    }
}

fn filer(f: &FilerParameters, rules: &mut Vec<Rule>) {
    add! { rules;
        some(f.nodes) => "filer.nodes", COUNT;
        some(f.threads) => "filer.threads", COUNT;
        time(f.network_us) && f.network_us >= 0.002 => "filer.network_us", "at least 0.002";
        time(f.client_us) && f.client_us >= 0.001 => "filer.client_us", "at least 0.001";
        (0.0..=1e6).contains(&f.attributes_s) => "filer.attributes_s", "from 0 to 1000000";
        time(f.directory_us) => "filer.directory_us", TIME;
        time(f.call_us) => "filer.call_us", TIME;
        f.call_us_of.values().copied().all(time) => "filer.call_us_of", TIME;
    }
    if let Some(l) = &f.log {
        add! { rules;
            time(l.period_ms * 1e3) => "filer.log.period_ms", TIME;
            l.size_kib > 0 => "filer.log.size_kib", "at least 1";
            l.record_bytes > 0 => "filer.log.record_bytes", "at least 1";
            time(l.flush_us) => "filer.log.flush_us", TIME;
            amount(l.mib_s) && l.mib_s >= 1e-3 => "filer.log.mib_s", "at least 0.001";
        }
    }
}
