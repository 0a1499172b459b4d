//! The arrays of a run, and its time.

use crate::backend::Simulated;
use crate::look::Look;
use crate::multipath::MultipathArray;
use crate::persona::{self, LabArrayError};
use crate::route::SlotRoute;
use crate::stripe::Stripe;
use crate::trees::Trees;
use crate::volumes;
use crate::watch::{self, Watch};
use plimsoll_array::{
    Array, CHUNK, Fault, FaultError, FaultWordsError, Filer, ScheduledFault, Span,
};
use plimsoll_content::Identity;
use plimsoll_engine::content::{content_seed, filler};
use plimsoll_engine::scripted::{ScriptedClock, Time};
use plimsoll_engine::setup::timeline;
use plimsoll_engine::start::Start;
use plimsoll_engine::tree::CallRecord;
use plimsoll_engine::{
    Control, EngineError, Given, MergedInterval, OpenTarget, Opened, Options, Outcome,
    run_step_alone, seed_for,
};
use plimsoll_evidence::Slices;
use plimsoll_plan::{
    Bytes, ContentSpec, LabArray, LabTarget, Making, Nanos, Step, Target, TargetId, Tree,
};
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

/// The smallest I/O of a LUN, bytes.
const SECTOR: u32 = 512;
/// Seeds of arrays differ from all others of a run.
const SEED_ARRAY: u64 = 0x6c61_6221;

/// A target larger than this is not filled with data that repeats: the array looks up and remembers each chunk, which
/// takes a few seconds.
pub const REPEATING_FILL_MAX: Bytes = Bytes(64 << 30);

/// The arrays of a run, and its time.
#[derive(Debug)]
pub struct Lab {
    pub(crate) time: Time,
    pub(crate) models: Rc<RefCell<Vec<MultipathArray>>>,
    /// What each array is, in the order of `models`.
    arrays: Vec<Described>,
    /// Where each target of the plan is; `None`: it is not used.
    pub(crate) places: Vec<Option<SlotRoute>>,
    /// Calls of the operation under way on a tree.
    calls: CallRecord,
}

/// What is known of an array without asking it.
#[derive(Debug)]
struct Described {
    asked: LabArray,
    about: String,
    scale: f64,
    persona_hash: Option<String>,
}

/// An array of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct LabArrayFacts {
    /// As it was asked for: `lab:scale-out-flash-8`.
    pub name: String,
    /// What its parameters were divided by.
    pub scale: f64,
    /// The plan's targets that are its LUNs.
    pub targets: Vec<TargetId>,
    /// What it was asked for as.
    pub asked: LabArray,
}

/// Lets faults happen to all arrays of a run.
#[derive(Debug)]
pub struct Faults {
    time: Time,
    models: Rc<RefCell<Vec<MultipathArray>>>,
}

/// A fault that was entered, by which it can be taken back.
#[derive(Debug, Clone)]
pub struct EnteredFault(ScheduledFault);

/// Why a fault cannot happen.
#[derive(Debug, thiserror::Error)]
pub enum LabFaultError {
    /// The words are no fault.
    #[error(transparent)]
    Words(#[from] FaultWordsError),
    /// Not to this array.
    #[error(transparent)]
    Fault(#[from] FaultError),
}

impl Faults {
    /// Whether a fault, in its words, can happen to all of the arrays.
    ///
    /// # Errors
    ///
    /// As for [`Faults::enter`].
    pub fn check(&self, words: &str) -> Result<(), LabFaultError> {
        let fault: Fault = words.parse()?;
        let models = self.models.borrow();
        Ok(models.iter().try_for_each(|m| m.array.check(&fault))?)
    }

    /// Enters a fault that is to happen `after_ns` from now, in its words: `path-down path=0 for=10s`. Either it is entered
    /// for every array or, where one of them has no such part, for none.
    ///
    /// # Errors
    ///
    /// That the words are no fault, or that it cannot happen to one of the arrays.
    pub fn enter(&self, words: &str, after_ns: u64) -> Result<EnteredFault, LabFaultError> {
        let fault: Fault = words.parse()?;
        let mut models = self.models.borrow_mut();
        models.iter().try_for_each(|m| m.array.check(&fault))?;
        // Times of the array count from its start, which is the run's.
        let at = Span(self.time.now_ns().saturating_add(after_ns));
        let scheduled = ScheduledFault { at, fault };
        for model in models.iter_mut() {
            model.array.schedule(std::slice::from_ref(&scheduled))?;
        }
        Ok(EnteredFault(scheduled))
    }

    /// Takes a fault back that has not happened yet; false where it has.
    pub fn withdraw(&self, entered: &EnteredFault) -> bool {
        let now_ns = self.time.now_ns();
        let mut models = self.models.borrow_mut();
        let mut withdrawn = false;
        for model in models.iter_mut() {
            withdrawn |= entered.0.at.0 > now_ns && model.array.withdraw(&entered.0);
        }
        withdrawn
    }

    /// Now, ns from the run's start.
    pub fn now_ns(&self) -> u64 {
        self.time.now_ns()
    }
}

impl Lab {
    /// Builds the arrays of a plan's targets; `used` says which of these a step uses. `None` where no target is of the
    /// lab. An error comes with the target that it is about.
    ///
    /// Targets of one persona and revision are LUNs of one array.
    pub fn open(
        targets: &[Target],
        used: &[bool],
        seed: u64,
    ) -> Result<Option<Self>, (TargetId, LabArrayError)> {
        let of_plan = || targets.iter().enumerate().filter(|(i, _)| used[*i]);
        let Some((_, first)) = of_plan().find(|(_, t)| t.location.is_simulated()) else {
            return Ok(None);
        };
        let mut lab = Lab {
            time: Time::default(),
            models: Rc::default(),
            arrays: Vec::new(),
            places: vec![None; targets.len()],
            calls: CallRecord::default(),
        };
        for (index, target) in of_plan() {
            let id = TargetId(index as u32);
            let place = match (target.location.lab(), target.location.tree()) {
                (Some(wanted), Some(tree)) => lab.mount(id, target, (tree, &wanted), seed),
                (Some(wanted), None) if wanted.actimeo.is_none() => {
                    lab.place(target, &wanted, seed)
                }
                (Some(_), None) => Err(LabArrayError::NoTree),
                (None, _) => Err(LabArrayError::Mixed {
                    real: target.name.clone(),
                    lab: first.name.clone(),
                }),
            };
            lab.places[index] = Some(place.map_err(|e| (id, e))?);
        }
        Ok(Some(lab))
    }

    fn place(
        &mut self,
        target: &Target,
        wanted: &LabTarget,
        seed: u64,
    ) -> Result<SlotRoute, LabArrayError> {
        let same =
            |a: &LabArray| a.persona == wanted.array.persona && a.revision == wanted.array.revision;
        let model = match self.arrays.iter().position(|a| same(&a.asked)) {
            Some(model) if self.arrays[model].asked == wanted.array => model,
            Some(model) => {
                return Err(LabArrayError::Differ {
                    one: LabTarget {
                        array: self.arrays[model].asked.clone(),
                        lun: 0,
                        more_luns: Vec::new(),
                        path: None,
                        actimeo: None,
                    }
                    .to_string(),
                    other: target.location.text(),
                });
            }
            None => self.build(&wanted.array, seed)?,
        };
        let count = self.models.borrow()[model].array.luns().len() as u32;
        let luns: Vec<u32> = wanted.each().map(|one| one.lun).collect();
        if let Some(lun) = luns.iter().find(|lun| **lun >= count) {
            return Err(LabArrayError::Lun {
                persona: wanted.array.persona.clone(),
                lun: *lun,
                count,
            });
        }
        let paths = self.models.borrow()[model].array.front_end().paths().len() as u32;
        if let Some(path) = wanted.path.filter(|p| *p >= paths) {
            return Err(LabArrayError::Path {
                persona: wanted.array.persona.clone(),
                path,
                count: paths,
            });
        }
        Ok(SlotRoute {
            path: wanted.path,
            model,
            lun: match target.stripe {
                None => wanted.lun,
                Some(unit) => {
                    self.models.borrow_mut()[model].add_stripe(Stripe { luns, unit: unit.0 })
                }
            },
            offset: target.offset.0,
            stride: 0,
        })
    }

    /// A tree on the file system that a filer has on a LUN.
    fn mount(
        &mut self,
        id: TargetId,
        target: &Target,
        (tree, wanted): (&Tree, &LabTarget),
        seed: u64,
    ) -> Result<SlotRoute, LabArrayError> {
        let route = self.place(target, wanted, seed)?;
        let model = &mut self.models.borrow_mut()[route.model];
        let persona = || wanted.array.persona.clone();
        let Some(filer) = &mut model.filer else {
            return Err(LabArrayError::NoFiler { persona: persona() });
        };
        let (tree_bytes, share) = (tree.mean_bytes(), Bytes(model.array.lun_bytes()));
        if tree_bytes > share {
            let (tree, persona) = (tree_bytes, persona());
            return Err(LabArrayError::TooSmall {
                persona,
                share,
                tree,
            });
        }
        filer.mount(id.0, wanted.actimeo);
        Ok(SlotRoute {
            stride: tree.sizes.max().0.next_multiple_of(CHUNK),
            ..route
        })
    }

    fn build(&mut self, asked: &LabArray, seed: u64) -> Result<usize, LabArrayError> {
        let model = self.arrays.len();
        let (persona, scale) = persona::find_persona(asked)?;
        let seed = seed_for(seed, &[SEED_ARRAY, model as u64]);
        let array = persona::build(asked, &persona, scale, seed)?;
        let filer = persona.filer.as_ref();
        let mut built = MultipathArray::new(array);
        built.filer = filer.map(|p| Filer::new(p, persona.luns.count));
        self.models.borrow_mut().push(built);
        self.arrays.push(Described {
            asked: asked.clone(),
            about: persona.about,
            scale,
            persona_hash: persona::hash_of_file(asked),
        });
        Ok(model)
    }

    /// A target of the plan as the engine wants it. A LUN of the lab has no label to spare: its first block is used too.
    pub fn target(&self, id: TargetId, target: &Target) -> OpenTarget {
        if let Some(tree) = target.location.tree() {
            return OpenTarget::elsewhere(target, tree, (id.0, &self.calls));
        }
        let whole = self.places[id.0 as usize].map_or(0, |place| {
            let model = &self.models.borrow()[place.model];
            let lun = model.array.lun_bytes();
            model.stripe(place.lun).map_or(lun, |s| s.bytes(lun))
        });
        let usable = whole.saturating_sub(target.offset.0);
        OpenTarget {
            size: target.size.map_or(usable, |s| s.0.min(usable)),
            offset: target.offset.0,
            align: target.align.map(|b| b.0),
            opened: Opened::Simulated,
            logical_block: SECTOR,
            durability: target.durability,
            ..OpenTarget::unused(&target.name)
        }
    }

    /// What must be known of each array to read its numbers.
    pub fn notes(&self) -> Vec<String> {
        let note = |a: &Described| {
            let scaled = if a.scale == 1.0 {
                String::new()
            } else {
                format!(
                    "; at a scale of {}: rates, capacity, caches and what works in parallel are divided by it, \
                     latencies are not",
                    a.scale
                )
            };
            format!("{}: {}{scaled}", a.asked, a.about)
        };
        self.arrays.iter().map(note).collect()
    }

    /// Of a target on an array whose persona is a file, a hash of what the file holds: another persona may have its name tomorrow.
    pub fn persona_hash(&self, id: TargetId) -> Option<String> {
        let place = self.places[id.0 as usize]?;
        self.arrays[place.model].persona_hash.clone()
    }

    /// The run's arrays.
    pub fn arrays(&self) -> Vec<LabArrayFacts> {
        let facts = |(model, array): (usize, &Described)| LabArrayFacts {
            name: array.asked.to_string(),
            scale: array.scale,
            asked: array.asked.clone(),
            targets: (0u32..)
                .zip(&self.places)
                .filter(|(_, place)| place.is_some_and(|p| p.model == model))
                .map(|(target, _)| TargetId(target))
                .collect(),
        };
        self.arrays.iter().enumerate().map(facts).collect()
    }

    /// Looks at each array, in the order of [`Lab::arrays`].
    pub fn look(&self) -> Vec<Look> {
        watch::all(&self.models.borrow(), self.now_ns())
    }

    /// Writes a target from its start to its end in no time, as if long ago. `seed` is the run's.
    ///
    /// What repeats is looked at chunk by chunk, and only in targets of up to [`REPEATING_FILL_MAX`]; false where it
    /// is larger and was filled with data like no other. So it is where nothing repeats: in a moment, and without memory.
    ///
    /// # Errors
    ///
    /// That content can't be made, or that a file of it can't be read.
    pub fn fill(
        &mut self,
        id: TargetId,
        target: &OpenTarget,
        content: &ContentSpec,
        seed: u64,
    ) -> Result<bool, EngineError> {
        let Some(place) = self.places[id.0 as usize] else {
            return Ok(true);
        };
        let bytes = place.offset..place.offset + target.size;
        let model = &mut self.models.borrow_mut()[place.model];
        let stripe = model.stripe(place.lun).cloned();
        let (luns, chunks) = match &stripe {
            None => (
                vec![place.lun],
                bytes.start / CHUNK..bytes.end.div_ceil(CHUNK),
            ),
            Some(stripe) => (stripe.luns.clone(), stripe.column_chunks(bytes)),
        };
        let own = content_seed(seed, id);
        let repeats = repeats(content);
        if !repeats || target.size > REPEATING_FILL_MAX.0 {
            for lun in luns {
                model.array.fill_unique(lun, chunks.clone(), own);
            }
            return Ok(!repeats);
        }
        let filler = filler(content, id, target, (seed, seed))?;
        filler.count_write(0, target.size);
        for (column, lun) in luns.into_iter().enumerate() {
            model.array.fill(lun, chunks.clone(), |chunk| {
                let on_lun = chunk * CHUNK;
                let byte = stripe
                    .as_ref()
                    .map_or(on_lun, |s| s.volume_byte(column, on_lun));
                let Some(at) = byte.checked_sub(place.offset) else {
                    // A part of it is the target's: new data, whatever it is.
                    return Identity::Data {
                        fingerprint: seed_for(own, &[chunk]),
                        compressed: CHUNK as u32,
                    };
                };
                filler.identity(at, CHUNK as u32, 0)
            });
        }
        Ok(true)
    }

    /// Slices of the array under a target, and what its cores do of them alone; `None` where nothing of it is bound to an address.
    pub fn slices(&self, id: TargetId) -> Option<Slices> {
        let place = self.places[id.0 as usize]?;
        let (persona, _) = persona::find_persona(&self.arrays[place.model].asked).ok()?;
        let cores = persona.cores.filter(|c| c.owner_share > 0.0)?;
        Some(Slices {
            bytes: u64::from(cores.slice_kib) << 10,
            owners: u64::from(cores.controllers * cores.per_controller),
            owner_share: cores.owner_share,
        })
    }

    /// Makes a tree in no time, all that a step of such a making makes, as if long ago. `seed` is the run's.
    pub fn make_tree(&mut self, id: TargetId, target: &OpenTarget, making: Making, seed: u64) {
        let (Some(place), Some(tree)) = (self.places[id.0 as usize], target.opened.tree()) else {
            return;
        };
        tree.is_made(making);
        let array = &mut self.models.borrow_mut()[place.model].array;
        let chunks = array.lun_bytes() / CHUNK;
        array.fill_unique(place.lun, 0..chunks, content_seed(seed, id));
    }

    /// Now, ns from the run's start.
    pub fn now_ns(&self) -> u64 {
        self.time.now_ns()
    }

    /// Whoever can let faults happen to all of the arrays, also while a step runs.
    pub fn faults(&self) -> Faults {
        Faults {
            time: self.time.clone(),
            models: Rc::clone(&self.models),
        }
    }

    /// Lets time pass in which nothing is submitted.
    pub fn pass(&mut self, length: Nanos) {
        self.time.advance_to(self.now_ns().saturating_add(length.0));
    }

    /// Looks into the array under a target of the plan; `None` where the target is not used.
    pub fn with_array<T>(&self, id: TargetId, look: impl FnOnce(&Array) -> T) -> Option<T> {
        let place = self.places[id.0 as usize]?;
        Some(look(&self.models.borrow()[place.model].array))
    }

    /// Runs a step from now on, as [`plimsoll_engine::run_step`] does on storage. `targets` are all of the plan. With each
    /// interval comes a look at each array at its end.
    pub fn run_step(
        &mut self,
        step: &Step,
        targets: &[Arc<OpenTarget>],
        options: &Options,
        control: &Control,
        sink: &mut dyn FnMut(MergedInterval, Vec<Look>),
    ) -> Result<Outcome, EngineError> {
        let time = self.time.clone();
        let models = Rc::clone(&self.models);
        let start_ns = Start::at(options.start_at, self.now_ns()).at_ns;
        let timeline = timeline(step, options, start_ns);
        let watch = Watch::new(timeline);
        let taken = watch.taken();
        let paths_before = volumes::begin(&mut self.models.borrow_mut());
        let clock = ScriptedClock(self.time.clone());
        let sink = |merged: MergedInterval| {
            let end_ns = start_ns + merged.start_ns + merged.length_ns;
            let first = taken.borrow_mut().pop_front();
            // A step that ended inside an interval, and the time after its end, are looked at when the last I/O is back.
            let at_end = first.filter(|looks| looks.iter().all(|l| l.at_ns == end_ns));
            sink(merged, at_end.unwrap_or_else(|| self.look()));
        };
        let slots = |given: &Given<'_>| {
            let slots = given.pools.iter().flat_map(|pool| {
                let place = self.places[pool.target].expect("a step uses only used targets");
                std::iter::repeat_n(place, pool.slots as usize)
            });
            slots.collect()
        };
        let on_trees =
            (step.streams.iter()).any(|s| targets[s.target.0 as usize].opened.tree().is_some());
        let mut outcome = match on_trees {
            false => {
                let backend =
                    |given: &Given<'_>| Simulated::<false>::new(time, models, slots(given), watch);
                run_step_alone(step, targets, options, control, clock, backend, sink)
            }
            true => {
                let backend = |given: &Given<'_>| {
                    let (on, calls) = (self.places.clone(), self.calls.clone());
                    let trees = Trees::new(Rc::clone(&models), on, calls, given);
                    Simulated::new(time, models, slots(given), watch).on_trees(trees)
                };
                run_step_alone(step, targets, options, control, clock, backend, sink)
            }
        }?;
        let names: Vec<String> = self.arrays.iter().map(|a| a.asked.to_string()).collect();
        let mut models = self.models.borrow_mut();
        outcome.volumes = volumes::of_step(&mut models, &names, &paths_before, start_ns);
        Ok(outcome)
    }
}

/// True where an array may find one chunk twice in a target that was written once.
fn repeats(content: &ContentSpec) -> bool {
    match content {
        ContentSpec::Unique => false,
        ContentSpec::Reducible { dedupe, .. } => dedupe.is_some(),
        ContentSpec::Zeros
        | ContentSpec::PartZero { .. }
        | ContentSpec::Pattern(_)
        | ContentSpec::ReduciblePattern { .. }
        | ContentSpec::File(_) => true,
    }
}
