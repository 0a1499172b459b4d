//! Runs are carried out, in virtual time.

use crate::random::Random;
use crate::setup::{Load, Plant, Setup, Sound, Times};
use plimsoll_dialects::native;
use plimsoll_evidence::{LimitCause, StepEvidence};
use plimsoll_rig::{Control, RunOptions};

/// I/Os that a run counts, at least for each that is in flight so many.
const IOS: f64 = 5000.0;
const FOR_EACH: f64 = 40.0;

/// Cause that was named, and all that was said.
pub struct Measured {
    pub rate: f64,
    pub named: Option<LimitCause>,
    pub sentence: String,
}

/// Folder of the arrays' files.
pub struct Bench {
    folder: tempfile::TempDir,
}

impl Bench {
    pub fn new() -> Self {
        Bench {
            folder: tempfile::tempdir().expect("a folder"),
        }
    }

    /// Performance of a setup without plants.
    pub fn sound(&self, setup: &Setup) -> Sound {
        let unknown = Sound {
            most: 1.0,
            alone_s: 1.0,
        };
        let alone = self.pilot(setup, &[], unknown, 1);
        let most = self.pilot(setup, &[], unknown, setup.depth(&[], unknown, 4));
        Sound {
            most,
            alone_s: 1.0 / alone,
        }
    }

    /// A closed loop of so many.
    pub fn closed(
        &self,
        setup: &Setup,
        plants: &[Plant],
        sound: Sound,
        depth: u32,
        seed: u64,
    ) -> Measured {
        let rate = self.pilot(setup, plants, sound, depth);
        self.run(setup, plants, sound, Load::Closed, depth, rate, seed)
    }

    /// About what it does, to know how long a run has to be.
    fn pilot(&self, setup: &Setup, plants: &[Plant], sound: Sound, depth: u32) -> f64 {
        let mut seconds = 0.02;
        loop {
            let times = Times {
                warmup_s: seconds,
                counted_s: seconds,
            };
            let text = self.text(setup, plants, sound, Load::Closed, depth, times);
            let step = carry_out(&text, 1);
            if step.ios > 1000 || seconds > 100.0 {
                return step.rate.mean;
            }
            seconds *= 4.0;
        }
    }

    /// A run that is expected to do `rate` I/Os per second.
    #[allow(clippy::too_many_arguments, reason = "all that a run is")]
    pub fn run(
        &self,
        setup: &Setup,
        plants: &[Plant],
        sound: Sound,
        load: Load,
        depth: u32,
        rate: f64,
        seed: u64,
    ) -> Measured {
        let counted_s = IOS.max(FOR_EACH * f64::from(depth)) / rate;
        let times = Times {
            warmup_s: counted_s / 2.0,
            counted_s,
        };
        measured(&carry_out(
            &self.text(setup, plants, sound, load, depth, times),
            seed,
        ))
    }

    /// An array that tells nothing of what takes its time, and whether more in flight would do half as much more.
    pub fn hidden(&self, random: &mut Random, seed: u64) -> (bool, Measured) {
        let array = random.one_of(&["curve-8k?size=8g", "flash-gateway?scale=20&size=8g"]);
        let depth = random.one_of(&[1, 4, 16, 64, 256, 512]);
        let run = |depth: u32| {
            let text = format!(
                "target.lun.path = \"lab:{array}\"\nworkload.w = {{ read = 100, block = \"8k\" }}\n\
                 run = [{{ load = \"max\", depth = {depth}, for = \"1s\", warmup = \"200ms\", interval = \"100ms\" }}]\n"
            );
            measured(&carry_out(&text, seed))
        };
        let (one, more) = (run(depth), run(depth * 4));
        (more.rate >= crate::TELLS * one.rate, one)
    }

    fn text(
        &self,
        setup: &Setup,
        plants: &[Plant],
        sound: Sound,
        load: Load,
        depth: u32,
        times: Times,
    ) -> String {
        let file = self.folder.path().join("drawn.toml");
        std::fs::write(&file, setup.persona(plants, sound)).expect("a file");
        setup.definition(&file.display().to_string(), plants, load, depth, times)
    }
}

fn measured(step: &StepEvidence) -> Measured {
    Measured {
        rate: step.rate.mean,
        named: step.limit.as_ref().map(|l| l.cause),
        sentence: step
            .limit
            .as_ref()
            .map_or_else(String::new, |l| l.sentence.clone()),
    }
}

/// The last step of a definition.
fn carry_out(text: &str, seed: u64) -> StepEvidence {
    let plan = native::parse("drawn", text)
        .unwrap_or_else(|e| panic!("{e}\n{text}"))
        .plan;
    let options = RunOptions {
        seed: Some(seed),
        ..RunOptions::default()
    };
    let result = plimsoll_rig::run(&plan, &options, &Control::default(), &mut |_| {});
    let mut result = result.unwrap_or_else(|e| panic!("{e}\n{text}"));
    result.steps.pop().expect("a step")
}
