//! Arrays that are drawn by chance, and what they truly are.

use plimsoll_draw::STEP;
use std::fmt::Write;

/// The same draws for the same seed, whatever else changes.
#[derive(Debug)]
pub struct Draw(plimsoll_draw::Draw);

impl Draw {
    pub fn new(seed: u64) -> Self {
        Draw(plimsoll_draw::Draw(
            seed.wrapping_mul(0x2545_F491_4F6C_DD1D) ^ STEP,
        ))
    }

    /// From 0 up to 1.
    pub fn unit(&mut self) -> f64 {
        self.0.unit()
    }

    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    pub fn below(&mut self, n: u64) -> u64 {
        self.0.bits() % n
    }

    pub fn flip(&mut self) -> bool {
        self.0.bits() & 1 == 1
    }

    /// About 0, with a standard deviation of 1 (Box and Muller).
    pub fn normal(&mut self) -> f64 {
        let r = (-2.0 * (1.0 - self.unit()).ln()).sqrt();
        r * (std::f64::consts::TAU * self.unit()).cos()
    }
}

/// Truth about a drawn array.
#[derive(Debug, Clone, Default)]
pub struct Truth {
    pub slice: u64,
    pub owners: u64,
    pub share: f64,
    pub zeros: bool,
    pub dedupe: bool,
    pub compression: bool,
    /// Bytes of the cache at the scale that it has; `None`: there is none.
    pub cache: Option<u64>,
    /// Standard deviation of what a probe's rate is multiplied by.
    pub noise: f64,
    pub scale: f64,
}

/// An array with slices, and its persona.
pub fn array(seed: u64) -> (Truth, String) {
    let mut draw = Draw::new(seed);
    let owners = 2 + draw.below(23);
    let slice = (64u64 << 10) << draw.below(8);
    let share = draw.between(0.15, 0.75);
    let placed = draw.between(0.0, 0.35f64.min(1.0 - share));
    let scale = [10.0, 20.0, 40.0][draw.below(3) as usize];
    // From far too small to be of use to larger than the LUN.
    let cache = (draw.below(4) > 0).then(|| (4.0 * 2f64.powf(draw.between(0.0, 13.0))) as u64);
    let truth = Truth {
        slice,
        owners,
        share,
        zeros: draw.flip(),
        dedupe: draw.flip(),
        compression: draw.flip(),
        cache: cache.map(|mib| mib << 20),
        noise: draw.between(0.0, 0.05),
        scale,
    };
    let text = persona(&truth, placed, &mut draw);
    (truth, text)
}

/// An array with all that is drawn of one, and the room of its journal, where it has one.
pub fn whole(seed: u64) -> (Truth, String, Option<u64>) {
    let (truth, mut persona) = array(seed);
    let mut draw = Draw::new(seed ^ 0x10_0A11);
    let journal = draw.flip().then(|| 8.0 * 2f64.powf(draw.between(0.0, 8.0)));
    if let Some(mib) = journal {
        let _ = write!(
            persona,
            "[journal]\nmib = {}\ndrain_mib_s = {}\nkeep_share = {}\nappend_us = {}\nread_us = {}\n\
             bypass_kib = {}\nbatch_kib = 64\ndrain_batch_kib = 1024\nreplicas = 1\n",
            mib * truth.scale,
            draw.between(0.5, 60.0) * truth.scale,
            [0.0, 0.0, 0.2][draw.below(3) as usize],
            draw.between(20.0, 100.0),
            draw.between(20.0, 100.0),
            [64, 128, 1024][draw.below(3) as usize],
        );
    }
    (
        truth,
        persona,
        journal.map(|mib| (mib * 1_048_576.0) as u64),
    )
}

/// An array in which nothing is bound to the owner of an address, or which has a single owner.
pub fn even(seed: u64) -> (Truth, String) {
    let mut draw = Draw::new(seed);
    let (mut truth, _) = array(seed);
    match draw.flip() {
        true => truth.share = 0.0,
        false => truth.owners = 1,
    }
    let placed = draw.between(0.0, 0.25);
    let text = persona(&truth, placed, &mut draw);
    (truth, text)
}

/// The persona of a truth; what the truth does not say is drawn.
pub fn persona(truth: &Truth, placed: f64, draw: &mut Draw) -> String {
    // One controller has all cores, or each has two.
    let (controllers, each) = match truth.owners.is_multiple_of(2) && draw.flip() {
        true => (truth.owners / 2, 2),
        false => (truth.owners, 1),
    };
    let read = draw.between(8_000.0, 40_000.0);
    let write = read * draw.between(1.5, 4.0);
    let mut text = format!(
        "name = \"drawn\"\nabout = \"Drawn by chance\"\nscale = {}\n\
         [luns]\ncount = 1\ngib = {}\n\
         [ports]\ncount = 4\npaths = 4\nmib_s = {}\ncommand_us = 0.2\n\
         [latency]\nread_us = {}\nwrite_us = {}\nmap_us = {}\n\
         [reduction]\nzeros = {}\ndedupe = {}\ncompression = {}\ngranule = 512\n\
         [cores]\ncontrollers = {controllers}\nper_controller = {each}\nslice_kib = {}\nowner_share = {}\n\
         fingerprint_share = {placed}\nread = {{ base_ns = {}, chunk_ns = {} }}\n\
         write = {{ base_ns = {}, chunk_ns = {} }}\nswitch_ns = {}\nzero_factor = {}\nduplicate_factor = {}\n\
         [flash]\ndies = {}\nread_us = {}\nprogram_us = 300.0\nerase_us = 2000.0\n",
        truth.scale,
        16.0 * truth.scale,
        draw.between(2000.0, 8000.0),
        draw.between(80.0, 600.0),
        draw.between(80.0, 800.0),
        draw.between(0.0, 20.0),
        truth.zeros,
        truth.dedupe,
        truth.compression,
        truth.slice >> 10,
        truth.share,
        read * 0.4,
        read * 0.6,
        write * 0.3,
        write * 0.7,
        draw.between(0.0, 5000.0),
        draw.between(0.2, 0.5),
        draw.between(0.4, 0.8),
        400 + draw.below(2000),
        draw.between(60.0, 150.0),
    );
    if let Some(cache) = truth.cache {
        let mib = cache as f64 / f64::from(1 << 20) * truth.scale;
        let _ = write!(
            text,
            "[cache]\nmib = {mib}\nhit_us = {}\n",
            draw.between(2.0, 30.0)
        );
    }
    text
}
