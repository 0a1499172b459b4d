//! An array with what is asked of it, and how one of its parts is made the limit or is taken out of the way.

use crate::random::Random;
use std::fmt::Write;

/// Kind of array that is built.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArrayKind {
    /// Cores that own slices, as `scale-out-flash-4` and `-8`.
    ScaleOut,
    /// Dies behind a write buffer, as `single-ssd`.
    Drive,
    /// A journal before the flash, as `hybrid-hci`.
    Journalled,
}

/// Fault that is planted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Plant {
    HotSlice,
    FewDies,
    SlowPorts,
    SmallJournal,
    AgedFlash,
    FewSlots,
    StarvedHost,
    /// Nothing but load: an array whose cores are its limit.
    BusyCores,
}

/// All of a run but what is planted in it.
#[derive(Debug, Clone)]
pub struct Setup {
    pub kind: ArrayKind,
    cores: u32,
    owner_share: f64,
    read_core_us: f64,
    write_core_us: f64,
    read_us: f64,
    write_us: f64,
    ports: u32,
    mib_s: f64,
    command_us: f64,
    dies: u32,
    die_read_us: f64,
    die_program_us: f64,
    read: u32,
    block_kib: u32,
    /// In flight, where slots are not what is short.
    deep: u32,
    /// Strengths of what is planted: how much less it carries than all the rest.
    strengths: [f64; 8],
    hot_percent: u32,
    few_ports: u32,
    few_dies: u32,
    overprovisioned: f64,
}

/// Load on a setup.
#[derive(Debug, Clone, Copy)]
pub enum Load {
    /// A closed loop.
    Closed,
    /// On schedule, I/Os per second.
    Rate(f64),
}

/// Performance of a setup without plants, as it was measured.
#[derive(Debug, Clone, Copy)]
pub struct Sound {
    /// The most that it does, I/Os per second.
    pub most: f64,
    /// An I/O's time alone, s.
    pub alone_s: f64,
}

impl Setup {
    /// A setup, drawn about the parameters of the personas.
    pub fn draw(kind: ArrayKind, random: &mut Random) -> Self {
        // What the personas' rates are divided by: small enough for some requests to be under way at once.
        let scale = random.between(10.0, 40.0);
        let about = |random: &mut Random, value: f64| value * random.between(0.6, 1.6);
        let (cores, read_core, write_core) = match kind {
            ArrayKind::ScaleOut => (random.one_of(&[4, 8]), 17.6, 50.0),
            ArrayKind::Drive => (0, 0.0, 0.0),
            ArrayKind::Journalled => (8, 40.0, 40.0),
        };
        let dies = match kind {
            ArrayKind::ScaleOut => 800.0 / scale,
            ArrayKind::Drive => random.between(4.0, 24.0),
            ArrayKind::Journalled => 64.0,
        };
        Setup {
            kind,
            cores,
            owner_share: match kind {
                ArrayKind::ScaleOut => random.between(0.4, 0.9),
                _ => 0.0,
            },
            read_core_us: about(random, read_core * scale),
            write_core_us: about(random, write_core * scale),
            read_us: about(
                random,
                if kind == ArrayKind::Drive {
                    40.0
                } else {
                    390.0
                },
            ),
            write_us: about(
                random,
                if kind == ArrayKind::Drive {
                    20.0
                } else {
                    590.0
                },
            ),
            ports: random.one_of(&[1, 2, 4, 8]),
            mib_s: about(random, 3200.0),
            command_us: 0.5,
            dies: dies as u32,
            die_read_us: about(
                random,
                if kind == ArrayKind::Drive {
                    40.0
                } else {
                    100.0
                },
            ),
            die_program_us: about(random, 200.0),
            read: match kind {
                ArrayKind::ScaleOut => random.one_of(&[100, 100, 70]),
                ArrayKind::Drive => 100,
                ArrayKind::Journalled => random.one_of(&[0, 30]),
            },
            block_kib: random.one_of(&[4, 8, 16]),
            deep: random.one_of(&[48, 64, 96, 128, 256]),
            strengths: std::array::from_fn(|_| random.between(2.0, 6.0)),
            hot_percent: random.between(60.0, 98.0) as u32,
            few_ports: random.one_of(&[1, 2]),
            few_dies: random.one_of(&[1, 2, 4, 8]),
            overprovisioned: random.between(0.06, 0.12),
        }
    }

    /// Plants that are possible in a setup of this kind.
    pub fn plants(kind: ArrayKind) -> &'static [Plant] {
        match kind {
            ArrayKind::ScaleOut => &[
                Plant::HotSlice,
                Plant::FewDies,
                Plant::SlowPorts,
                Plant::FewSlots,
                Plant::StarvedHost,
                Plant::BusyCores,
            ],
            ArrayKind::Drive => &[
                Plant::FewDies,
                Plant::SlowPorts,
                Plant::AgedFlash,
                Plant::FewSlots,
                Plant::StarvedHost,
            ],
            ArrayKind::Journalled => &[
                Plant::SmallJournal,
                Plant::SlowPorts,
                Plant::FewSlots,
                Plant::StarvedHost,
            ],
        }
    }

    /// Writes only, for what shows in writes alone.
    pub fn with_plants(mut self, plants: &[Plant]) -> Self {
        if plants.contains(&Plant::AgedFlash) {
            self.read = 0;
            self.block_kib = 16;
        }
        self
    }

    fn strength(&self, plant: Plant) -> f64 {
        self.strengths[plant as usize]
    }

    /// I/Os in flight at most; `more`: that many times as many where slots are not planted.
    pub fn depth(&self, plants: &[Plant], sound: Sound, more: u32) -> u32 {
        match plants.contains(&Plant::FewSlots) {
            true => {
                let few = sound.most * sound.alone_s / self.strength(Plant::FewSlots);
                (few.round() as u32).max(1)
            }
            false => self.deep * more,
        }
    }

    /// The array as a persona's file. `sound` is what the setup does without plants.
    pub fn persona(&self, plants: &[Plant], sound: Sound) -> String {
        let has = |plant| plants.contains(&plant);
        let less = |plant| sound.most / self.strength(plant);
        let mut text = format!(
            "name = \"drawn\"\nabout = \"drawn\"\nscale = 1.0\n[luns]\ncount = 1\ngib = {}\n",
            self.gib()
        );
        let (ports, mib_s, command_us) = match has(Plant::SlowPorts) {
            true => {
                let each_us = 1e6 * f64::from(self.few_ports) / less(Plant::SlowPorts);
                // Half of a request's time for its command, half for its bytes.
                let mib = f64::from(self.block_kib) / 1024.0;
                (self.few_ports, mib / (each_us / 2e6), each_us / 2.0)
            }
            false => (self.ports, self.mib_s, self.command_us),
        };
        let _ = write!(
            text,
            "[ports]\ncount = {ports}\npaths = {ports}\nmib_s = {mib_s}\ncommand_us = {command_us}\n\
             [latency]\nread_us = {}\nwrite_us = {}\n",
            self.read_us, self.write_us
        );
        if self.cores > 0 {
            let _ = write!(
                text,
                "[cores]\ncontrollers = 2\nper_controller = {}\nslice_kib = 1024\nowner_share = {}\n\
                 fingerprint_share = 0.0\nread = {{ base_ns = {r}, chunk_ns = {r} }}\n\
                 write = {{ base_ns = {w}, chunk_ns = {w} }}\nswitch_ns = 0.0\nzero_factor = 1.0\n\
                 duplicate_factor = 1.0\n",
                self.cores / 2,
                self.owner_share,
                r = self.read_core_us * 500.0,
                w = self.write_core_us * 500.0,
            );
        }
        if self.kind == ArrayKind::Journalled {
            let (mib, drain) = match has(Plant::SmallJournal) {
                true => {
                    let mib_s = less(Plant::SmallJournal) * f64::from(self.block_kib) / 1024.0;
                    (0.5, mib_s * f64::from(100 - self.read) / 100.0)
                }
                false => (4096.0, 1e5),
            };
            let _ = write!(
                text,
                "[journal]\nmib = {mib}\ndrain_mib_s = {drain}\nkeep_share = 0.3\nappend_us = 100.0\nread_us = 50.0\n\
                 bypass_kib = 64\nbatch_kib = 64\ndrain_batch_kib = 1024\nreplicas = 1\n"
            );
        }
        let chunks = f64::from(self.block_kib) / 4.0;
        let (dies, read, program) = match has(Plant::FewDies) {
            // A chunk of every request is on some die; the pages of one go on at once.
            true => {
                let us = 1e6 * f64::from(self.few_dies) / less(Plant::FewDies) / chunks;
                (self.few_dies, us, us)
            }
            false => (self.dies, self.die_read_us, self.die_program_us),
        };
        let _ = write!(
            text,
            "[flash]\ndies = {dies}\nread_us = {read}\nprogram_us = {program}\nerase_us = {}\n",
            if self.kind == ArrayKind::Drive {
                2000.0
            } else {
                0.0
            }
        );
        if self.kind == ArrayKind::Drive {
            let spare = match has(Plant::AgedFlash) {
                true => self.overprovisioned,
                false => 3.0,
            };
            let _ = write!(
                text,
                "buffer_pages = {}\n[flash.mapping]\npages_per_block = 32\nover_provisioning = {spare}\n",
                dies * 4
            );
        }
        if has(Plant::StarvedHost) {
            let _ = write!(
                text,
                "[host]\ncourse = [{{ at_s = 0.0, iops = {} }}]\n",
                less(Plant::StarvedHost)
            );
        }
        text
    }

    fn gib(&self) -> f64 {
        match self.kind {
            ArrayKind::Drive => 1.0 / 16.0,
            _ => 1.0,
        }
    }

    /// The definition of a run on the persona in `file`.
    pub fn definition(
        &self,
        file: &str,
        plants: &[Plant],
        load: Load,
        depth: u32,
        times: Times,
    ) -> String {
        let hits = match plants.contains(&Plant::HotSlice) {
            true => format!(
                ", hits = \"read={p},write={p},area=1m,placement=contiguous\"",
                p = self.hot_percent
            ),
            false => String::new(),
        };
        let load = match load {
            Load::Closed => format!("load = \"max\", depth = {depth}"),
            Load::Rate(rate) => format!("load = {rate:.0}, depth = {depth}"),
        };
        let ms = |s: f64| format!("{}ms", (s * 1e3).ceil().max(1.0) as u64);
        // No interval is shorter.
        let each = (times.counted_s / 10.0).max(0.01);
        let before = match plants.contains(&Plant::AgedFlash)
            || self.read == 0 && self.kind == ArrayKind::Drive
        {
            true => {
                "{ name = \"fill\", purpose = \"fill\", block = \"64k\", access = { sequential = \"once\" }, depth = 4, for = \"1h\" },\n\
                 { name = \"age\", depth = 8, for = \"1h\", warmup = \"0s\", limits = { written = \"160m\" } },\n"
            }
            false => "",
        };
        format!(
            "target.lun.path = \"lab:{file}\"\n\
             workload.w = {{ read = {}, block = \"{}k\"{hits} }}\n\
             run = [\n{before}{{ name = \"measured\", {load}, for = \"{}\", warmup = \"{}\", interval = \"{}\" }},\n]\n",
            self.read,
            self.block_kib,
            ms(each * 10.0),
            ms(times.warmup_s),
            ms(each)
        )
    }
}

/// Lengths of a run's parts.
#[derive(Debug, Clone, Copy)]
pub struct Times {
    pub warmup_s: f64,
    pub counted_s: f64,
}
