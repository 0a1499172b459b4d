//! The array's processor cores, and what of a request each of them does.

use crate::persona::{CoreCost, CoreParameters};
use crate::slice::Slicing;
use crate::station::Station;
use plimsoll_content::mix64;

/// Work that is bound to no core goes to the least busy one; that evens out what chance does. But over time every core
/// does the same share of it, however busy it is with its own: none takes so many parts more than another.
const LEAD: u32 = 4096;

/// One core.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Core {
    /// Its queue and all of its work.
    pub station: Station,
    /// Of that, the work that was bound to it as the owner of the address, nanoseconds.
    pub owner_ns: u64,
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

/// All cores.
#[derive(Debug, Clone)]
pub struct Cores {
    cores: Vec<Core>,
    per_controller: usize,
    slicing: Slicing,
    costs: Costs,
    /// For each core the one that does its owner's part: itself, unless its controller is out.
    acting: Vec<u32>,
    /// For each core until when requests for its slices wait for a takeover, nanoseconds.
    resume_ns: Vec<u64>,
    /// The cores that work, in order.
    alive: Vec<u32>,
    /// For each of those that work, how many unbound parts it took less than the one that took most.
    behind: Vec<u32>,
    /// Core time multiplies by it, own service time doesn't.
    scale: f64,
}

#[derive(Debug, Clone, Copy)]
struct Costs {
    read: CoreCost,
    write: CoreCost,
    switch_ns: f64,
    zero_factor: f64,
    duplicate_factor: f64,
    owner_share: f64,
    fingerprint_share: f64,
}

impl Cores {
    /// Idle cores.
    pub fn new(p: &CoreParameters, scale: f64) -> Self {
        let count = p.controllers * p.per_controller;
        Cores {
            cores: vec![Core::default(); count as usize],
            per_controller: p.per_controller as usize,
            slicing: Slicing::new(u64::from(p.slice_kib) << 10, u64::from(count)),
            costs: Costs {
                read: p.read,
                write: p.write,
                switch_ns: p.switch_ns,
                zero_factor: p.zero_factor,
                duplicate_factor: p.duplicate_factor,
                owner_share: p.owner_share,
                fingerprint_share: p.fingerprint_share,
            },
            acting: (0..count).collect(),
            resume_ns: vec![0; count as usize],
            alive: (0..count).collect(),
            behind: vec![0; count as usize],
            scale,
        }
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
        let left = self.alive.iter().filter(|c| !lost.contains(c)).count();
        if left == 0 || left == self.alive.len() {
            return false;
        }
        self.alive.retain(|c| !lost.contains(c));
        self.deal();
        self.resume_ns[own..own + self.per_controller].fill(until);
        true
    }

    /// A controller comes back and has its slices again. False when it wasn't out.
    pub fn restore(&mut self, controller: usize) -> bool {
        let own = (controller * self.per_controller) as u32;
        if controller >= self.controllers() || self.alive.contains(&own) {
            return false;
        }
        self.alive.extend(own..own + self.per_controller as u32);
        self.alive.sort_unstable();
        self.deal();
        true
    }

    /// Deals the slices of the cores that are out to the others in turn.
    fn deal(&mut self) {
        let mut heirs = self.alive.iter().copied().cycle();
        for (core, acting) in self.acting.iter_mut().enumerate() {
            *acting = match self.alive.contains(&(core as u32)) {
                true => core as u32,
                false => heirs.next().unwrap_or(core as u32),
            };
        }
        self.behind = vec![0; self.alive.len()];
    }

    /// The core that acts as an address's owner.
    #[inline]
    fn owner(&self, offset: u64) -> usize {
        self.acting[self.slicing.owner(offset)] as usize
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
        let switch = if turned { self.costs.switch_ns } else { 0.0 };
        let cost = self.costs.base(demand) + self.costs.chunk(demand) + switch;
        self.takeover(now, offset) + self.charge(now, owner, keeper, cost)
    }

    /// Takes a further chunk of a request.
    #[inline]
    pub fn further(&mut self, now: u64, offset: u64, keeper: Option<u64>, demand: Demand) {
        let owner = self.owner(offset);
        self.charge(now, owner, keeper, self.costs.chunk(demand));
    }

    /// Extra work on the owner of an address: metadata.
    pub fn owner_work(&mut self, now: u64, offset: u64, cost_ns: f64) {
        let work = (cost_ns * self.scale) as u64;
        let owner = self.owner(offset);
        let core = &mut self.cores[owner];
        core.owner_ns += work;
        core.station.take(now, work);
    }

    /// How much longer a request of `chunks` chunks takes than one of a single chunk when nobody waits, nanoseconds:
    /// the owner does its part one after the other, the rest goes on at all cores at once.
    #[inline]
    pub fn own_service(&self, chunks: u64, demand: Demand) -> u64 {
        if chunks < 2 {
            return 0;
        }
        let abreast = self.cores.len() as f64;
        let share = self.costs.owner_share + (1.0 - self.costs.owner_share) / abreast;
        ((chunks - 1) as f64 * self.costs.chunk(demand) * share) as u64
    }

    #[inline]
    fn charge(&mut self, now: u64, owner: usize, keeper: Option<u64>, cost_ns: f64) -> u64 {
        let cost = cost_ns * self.scale;
        let bound = (cost * self.costs.owner_share) as u64;
        let placed = (cost * self.costs.fingerprint_share) as u64;
        let free = cost as u64 - bound - placed;
        let mut wait = 0;
        if bound > 0 {
            self.cores[owner].owner_ns += bound;
            wait = wait.max(self.cores[owner].station.take(now, bound));
        }
        if placed > 0 {
            let core = match keeper {
                Some(data) => self.placed(data),
                None => self.next(now),
            };
            wait = wait.max(self.cores[core].station.take(now, placed));
        }
        if free > 0 {
            let core = self.next(now);
            wait = wait.max(self.cores[core].station.take(now, free));
        }
        wait
    }

    /// The core on which data is placed.
    #[inline]
    fn placed(&self, data: u64) -> usize {
        let at = (u128::from(mix64(data)) * self.alive.len() as u128) >> 64;
        self.alive[at as usize] as usize
    }

    /// The core that takes the next unbound part: the least busy one, unless another is too far behind.
    #[inline]
    fn next(&mut self, now: u64) -> usize {
        let (mut least, mut idlest) = (u64::MAX, 0);
        let (mut most, mut last) = (0, 0);
        for (at, (core, behind)) in self.alive.iter().zip(&self.behind).enumerate() {
            let wait = self.cores[*core as usize].station.wait(now);
            if wait < least {
                (least, idlest) = (wait, at);
            }
            if *behind > most {
                (most, last) = (*behind, at);
            }
        }
        let at = if most >= LEAD { last } else { idlest };
        if self.behind[at] == 0 {
            self.behind.iter_mut().for_each(|b| *b += 1);
        }
        self.behind[at] -= 1;
        self.alive[at] as usize
    }
}

impl Costs {
    #[inline]
    fn base(&self, demand: Demand) -> f64 {
        match demand {
            Demand::Read => self.read.base_ns,
            Demand::Write => self.write.base_ns,
            Demand::Duplicate => self.write.base_ns * self.duplicate_factor,
            Demand::Zero => self.write.base_ns * self.zero_factor,
        }
    }

    #[inline]
    fn chunk(&self, demand: Demand) -> f64 {
        match demand {
            Demand::Read => self.read.chunk_ns,
            Demand::Write => self.write.chunk_ns,
            Demand::Duplicate => self.write.chunk_ns * self.duplicate_factor,
            Demand::Zero => self.write.chunk_ns * self.zero_factor,
        }
    }
}
