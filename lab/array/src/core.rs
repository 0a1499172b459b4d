//! The array's processor cores, and what of a request each of them does.

mod cost;
mod dealer;

use crate::persona::CoreParameters;
use crate::slice::Slicing;
use crate::station::Station;
use cost::{Costs, Parts};
use dealer::Dealer;
use plimsoll_content::mix64;

/// A processor core: one server, which owns the slices that are dealt to it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Core {
    /// Its queue and all of its work.
    pub station: Station,
    /// Of that, the work that was bound to it as the owner of the address, nanoseconds.
    pub owner_ns: u64,
    /// And the work on data that is placed on it by its content, nanoseconds.
    pub placed_ns: u64,
    /// The last request that it owned was a write.
    wrote: bool,
}

/// What a chunk costs, compared with new data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Demand {
    /// A chunk read.
    Read,
    /// A chunk of new data written.
    Write,
    /// A chunk written that the array holds already.
    Duplicate,
    /// A chunk of zeros written, or forgotten.
    Zero,
}

impl Demand {
    const COUNT: usize = 4;
    const ALL: [Demand; Self::COUNT] =
        [Demand::Read, Demand::Write, Demand::Duplicate, Demand::Zero];
}

/// The cores of all controllers, and how work is dealt to them.
#[derive(Debug, Clone)]
pub struct Cores {
    cores: Vec<Core>,
    per_controller: usize,
    slicing: Slicing,
    costs: Costs,
    /// The costs where nobody else is there.
    alone: Costs,
    /// So much longer all work takes, because others have their share of the cores.
    stretch: f64,
    /// For each core the one that does its owner's part: itself, unless its controller is out.
    acting: Vec<u32>,
    /// For each core until when requests for its slices wait for a takeover, nanoseconds.
    resume_ns: Vec<u64>,
    /// Deals to the cores that work.
    dealer: Dealer,
    /// Core time multiplies by it.
    scale: f64,
}

impl Cores {
    /// Idle cores.
    pub fn new(p: &CoreParameters, scale: f64) -> Self {
        let count = p.controllers * p.per_controller;
        Cores {
            cores: vec![Core::default(); count as usize],
            per_controller: p.per_controller as usize,
            slicing: Slicing::new(u64::from(p.slice_kib) << 10, u64::from(count)),
            costs: Costs::new(p, scale),
            alone: Costs::new(p, scale),
            stretch: 1.0,
            acting: (0..count).collect(),
            resume_ns: vec![0; count as usize],
            dealer: Dealer::new((0..count).collect()),
            scale,
        }
    }

    /// From now on only this share of each core is left, above 0 up to 1: what comes takes so much longer. What was taken
    /// already is done as it was promised.
    pub fn leave(&mut self, share: f64) {
        self.stretch = 1.0 / share;
        self.costs = self.alone.stretched(self.stretch);
    }

    /// Each core, in the order of the slices that it owns.
    pub fn each(&self) -> &[Core] {
        &self.cores
    }

    /// How many controllers there are.
    pub fn controllers(&self) -> usize {
        self.cores.len() / self.per_controller
    }

    /// True while the core's controller works.
    pub fn is_alive(&self, core: usize) -> bool {
        self.acting[core] as usize == core
    }

    /// A controller goes out: its slices are dealt to the cores that are left, and requests for those slices wait until
    /// `until`, when the others have taken over. False when there is no such controller, it is out already, or it is the
    /// last one.
    pub fn fail(&mut self, controller: usize, until: u64) -> bool {
        let own = controller * self.per_controller;
        let lost = own as u32..(own + self.per_controller) as u32;
        let alive = self.dealer.cores().iter().copied();
        let left: Vec<u32> = alive.filter(|c| !lost.contains(c)).collect();
        if left.is_empty() || left.len() == self.dealer.cores().len() {
            return false;
        }
        self.deal(left);
        self.resume_ns[own..own + self.per_controller].fill(until);
        true
    }

    /// A controller comes back and has its slices again. False when it wasn't out.
    pub fn restore(&mut self, controller: usize) -> bool {
        let own = (controller * self.per_controller) as u32;
        if controller >= self.controllers() || self.dealer.cores().contains(&own) {
            return false;
        }
        let mut alive = self.dealer.cores().to_vec();
        alive.extend(own..own + self.per_controller as u32);
        alive.sort_unstable();
        self.deal(alive);
        true
    }

    /// These cores work from now on; the slices of the others are dealt to them in turn.
    fn deal(&mut self, alive: Vec<u32>) {
        let mut heirs = alive.iter().copied().cycle();
        for (core, acting) in self.acting.iter_mut().enumerate() {
            *acting = match alive.contains(&(core as u32)) {
                true => core as u32,
                false => heirs.next().unwrap_or(core as u32),
            };
        }
        self.dealer = Dealer::new(alive);
    }

    /// The core that acts as an address's owner.
    #[inline]
    fn owner(&self, offset: u64) -> usize {
        self.acting[self.slicing.owner(offset)] as usize
    }

    /// No request that comes now and reads or writes waits less, nanoseconds: every one has a part for some core.
    #[inline]
    pub fn least_wait(&self, now: u64) -> u64 {
        if self.costs.may_be_nothing {
            return 0;
        }
        let free_at = self.cores.iter().map(|c| c.station.free_at()).min();
        free_at.unwrap_or(0).saturating_sub(now)
    }

    /// How long a request that comes now may wait, nanoseconds: at the busiest core, or at the least busy one where no
    /// work is bound to any.
    pub fn backlog(&self, now: u64) -> u64 {
        let alive = self.dealer.cores().iter();
        let waits = alive.map(|c| self.cores[*c as usize].station.wait(now));
        match self.costs.binds {
            true => waits.max(),
            false => waits.min(),
        }
        .unwrap_or(0)
    }

    /// How long an address waits for a takeover.
    #[inline]
    fn takeover(&self, now: u64, offset: u64) -> u64 {
        self.resume_ns[self.slicing.owner(offset)].saturating_sub(now)
    }

    /// Takes the first chunk of a request: its share of the command, its own cost, and what turning from reads to
    /// writes or back costs the owner. `keeper` names the data, where it matters on which core it is placed. Returns
    /// how long it waits, nanoseconds.
    #[inline]
    pub fn first(&mut self, now: u64, offset: u64, keeper: Option<u64>, demand: Demand) -> u64 {
        let owner = self.owner(offset);
        let writes = demand != Demand::Read;
        let turned = std::mem::replace(&mut self.cores[owner].wrote, writes) != writes;
        let parts = self.costs.first(demand, turned);
        self.takeover(now, offset) + self.charge(now, owner, keeper, parts)
    }

    /// Takes a further chunk of a request.
    #[inline]
    pub fn further(&mut self, now: u64, offset: u64, keeper: Option<u64>, demand: Demand) {
        let owner = self.owner(offset);
        self.charge(now, owner, keeper, self.costs.further(demand));
    }

    /// Extra work on the owner of an address: metadata.
    pub fn owner_work(&mut self, now: u64, offset: u64, cost_ns: f64) {
        self.owner_copies(now, offset, cost_ns * self.scale);
    }

    /// The owner of an address is busy for so long, nanoseconds at any scale: it copies. Until when.
    pub fn owner_copies(&mut self, now: u64, offset: u64, copy_ns: f64) -> u64 {
        let work = (copy_ns * self.stretch) as u64;
        let owner = self.owner(offset);
        let core = &mut self.cores[owner];
        core.owner_ns += work;
        core.station.finish(now, work)
    }

    /// How much longer a request of `chunks` chunks takes than one of a single chunk when nobody waits, nanoseconds.
    #[inline]
    pub fn own_service(&self, chunks: u64, demand: Demand) -> u64 {
        self.costs.longer(chunks, demand)
    }

    /// Gives each part to its core; how long the one that waits longest waits, nanoseconds.
    #[inline]
    fn charge(&mut self, now: u64, owner: usize, keeper: Option<u64>, parts: Parts) -> u64 {
        let mut wait = 0;
        if parts.bound > 0 {
            let core = &mut self.cores[owner];
            core.owner_ns += parts.bound;
            wait = core.station.take(now, parts.bound);
        }
        let mut free = parts.free;
        match keeper {
            Some(data) if parts.placed > 0 => {
                let keeper = self.placed(data);
                let core = &mut self.cores[keeper];
                core.placed_ns += parts.placed;
                wait = wait.max(core.station.take(now, parts.placed));
            }
            _ => free += parts.placed,
        }
        if free > 0 {
            let core = self.dealer.next(&self.cores);
            wait = wait.max(self.cores[core].station.take(now, free));
        }
        wait
    }

    /// The core on which data is placed.
    #[inline]
    fn placed(&self, data: u64) -> usize {
        let alive = self.dealer.cores();
        let at = (u128::from(mix64(data)) * alive.len() as u128) >> 64;
        alive[at as usize] as usize
    }
}
