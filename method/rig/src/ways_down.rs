//! Paths of a target over which nothing can be read: they are found out before a run, and left out of it.

use crate::{RigError, RunOptions, run};
use plimsoll_engine::Control;
use plimsoll_plan::{Item, Load, Mix, Nanos, PathDown, Plan, Step, Target, TargetId, Workers};

/// Time for which a path is read.
const READS: Nanos = Nanos(100_000_000);
/// A read that does not come back within this time after that never will.
const WAIT: Nanos = Nanos::secs(10);

/// The plan without those of its ways ([`crate::with_ways`]) that are down. Each is read for a tenth of a second, and `say` gets
/// a sentence for each that fails. What is wrong with the target by all of its paths is said where it is opened.
pub fn without_ways_down(mut plan: Plan, options: &RunOptions, mut say: impl FnMut(&str)) -> Plan {
    let plain = plan.clone();
    for item in &mut plan.items {
        let Item::Method(method) = item else { continue };
        let Some(small) = method.steps.first().cloned() else {
            continue;
        };
        for (number, id) in method.paths().to_vec().into_iter().enumerate() {
            let target = plain.target(id);
            let Some(why) = fails(&plain, target, &small, options) else {
                continue;
            };
            say(&format!("{}: down, and left out: {why}", target.name));
            method.leave_out(PathDown {
                path: number as u32,
                why,
            });
        }
    }
    plan
}

/// Reason why nothing can be read over a path; `None` where something can.
fn fails(plan: &Plan, path: &Target, small: &Step, options: &RunOptions) -> Option<String> {
    let alone = Plan {
        targets: vec![path.clone()],
        items: vec![Item::Step(reads(small))],
        max_errors: 1,
        start_commands: Vec::new(),
        end_commands: Vec::new(),
        ..plan.clone()
    };
    let options = RunOptions {
        allow_unwritten: true,
        backend: options.backend,
        drain: WAIT,
        ..RunOptions::default()
    };
    let result = match run(&alone, &options, &Control::default(), &mut |_| ()) {
        Ok(result) => result,
        // What is wrong with what was asked for says nothing of the path; it is said where the run begins.
        Err(RigError::Plan(_) | RigError::Refused(_) | RigError::Empty) => return None,
        Err(error) => return Some(error.to_string()),
    };
    let failed = result.steps.iter().find(|s| s.errors > 0 || s.ios == 0)?;
    let sample = failed.error_samples.first();
    Some(sample.map_or("no read came back".into(), |e| e.what.clone()))
}

/// Reads of all of a path, one at a time.
fn reads(small: &Step) -> Step {
    let mut step = small.clone();
    for stream in &mut step.streams {
        stream.target = TargetId(0);
        // Whatever the method's first step is: nothing is written over a path.
        stream.mix = Mix::READS;
    }
    for depth in &mut step.depths {
        depth.target = TargetId(0);
        depth.slots = 1;
    }
    step.workers = Workers::default();
    step.load = Load::MaxShared;
    step.warmup = Nanos(0);
    step.elapsed = READS;
    step.interval = READS;
    step
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::with_ways;
    use plimsoll_plan::{
        AddressSpec, Bytes, Depth, FingerprintSpec, Location, MethodSpec, Mix, Pattern, Question,
        SizeSpec, Stream,
    };

    /// The fingerprint of a target.
    pub(crate) fn plan(text: &str) -> Plan {
        let id = TargetId(0);
        let size = SizeSpec::Fixed(Bytes(4096));
        let place = AddressSpec::whole(Pattern::RANDOM);
        let stream = Stream::new("fingerprint", id, Mix::READS, size, place);
        let depth = Depth::each([id], 32);
        let base = Step::new("f", vec![stream], depth, Load::Max, Nanos::secs(1));
        let (spec, steps) = FingerprintSpec::new(&base, false);
        with_ways(Plan::new(
            vec![Target::new("lun", Location::parse(text).expect(text))],
            vec![Item::Method(MethodSpec {
                steps,
                question: Question::Fingerprint(spec),
            })],
        ))
    }

    /// Words that are said, and the paths that are left out.
    fn left_out(plan: Plan) -> (Vec<String>, Vec<PathDown>) {
        let mut said = Vec::new();
        let targets = plan.targets.len();
        let plan = without_ways_down(plan, &RunOptions::default(), |s| said.push(s.to_string()));
        assert_eq!(plan.targets.len(), targets);
        let Item::Method(method) = &plan.items[0] else {
            panic!("a method")
        };
        let Question::Fingerprint(spec) = &method.question else {
            panic!("a fingerprint")
        };
        for down in &spec.down {
            let id = spec.paths[down.path as usize];
            let uses = |s: &Step| s.streams.iter().any(|s| s.target == id);
            assert!(!method.steps.iter().any(uses), "{down:?}");
        }
        (said, spec.down.clone())
    }

    #[test]
    fn an_address_at_which_nobody_answers_is_a_path_that_is_down() {
        // Free ports: those of listeners that are gone.
        let listen = || std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
        let ports = [listen(), listen()].map(|l| l.local_addr().expect("an address").port());
        let [a, b] = ports.map(|port| format!("nbd://127.0.0.1:{port}/lun"));
        let (said, down) = left_out(plan(&format!("{a},{b}")));
        let numbers: Vec<u32> = down.iter().map(|d| d.path).collect();
        assert_eq!(numbers, [0, 1], "{said:?}");
        assert!(
            said[1].starts_with("lun by path 1: down, and left out: "),
            "{said:?}"
        );
        assert!(down[0].why.contains("refused"), "{down:?}");
    }

    #[test]
    fn paths_that_answer_are_all_there() {
        let (said, down) = left_out(plan("lab:scale-out-flash-8?scale=40&size=1g"));
        assert!(down.is_empty(), "{said:?}");
    }
}
