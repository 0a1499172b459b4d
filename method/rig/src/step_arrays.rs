//! The arrays below a step's targets: simulated ones, or real ones by what they tell of themselves.

use crate::session::Session;
use crate::uses::Use;
use crate::{Event, RigError};
use plimsoll_evidence::{ArrayEvidence, ArrayInterval, Phase, StepEvidence};
use plimsoll_metrics::{ArrayMetrics, Endpoint, Mapping};
use plimsoll_plan::validate::Problem;
use plimsoll_plan::{Metrics, Plan, Step};
use plimsoll_sim::{ArrayWatch, Lab, Look};
use std::time::Duration;

/// Source of the evidence on a step's arrays.
pub(crate) enum StepArrays {
    Simulated(ArrayWatch),
    Real(ArrayMetrics, Duration),
    Nobody,
}

impl StepArrays {
    /// Before a step begins. What an array tells now may be waited for.
    pub fn begin(session: &mut Session, lab: Option<&Lab>, step: &Step) -> StepArrays {
        let name = |target: plimsoll_plan::TargetId| {
            let found = session.environment.targets.get(target.0 as usize);
            found.map(|t| t.name.clone()).unwrap_or_default()
        };
        if let Some(lab) = lab {
            return StepArrays::Simulated(of_lab(step, session.has_method, lab, name));
        }
        let targets: Vec<String> = step.depths.iter().map(|d| name(d.target)).collect();
        let interval = Duration::from_nanos(step.interval.0);
        match session.metrics.take() {
            Some(mut metrics) => {
                metrics.begin(&targets, interval);
                StepArrays::Real(metrics, interval)
            }
            None => StepArrays::Nobody,
        }
    }

    /// An interval has ended; of a simulated array with these looks.
    pub fn interval(&mut self, looks: &[Look], phase: Phase) -> Vec<ArrayInterval> {
        match self {
            StepArrays::Simulated(watch) => watch.interval(looks, phase),
            StepArrays::Real(metrics, interval) => metrics.interval(phase, *interval),
            StepArrays::Nobody => Vec::new(),
        }
    }

    /// Evidence of the arrays in the counted time, and notes on what they told.
    pub fn finish(
        self,
        session: &mut Session,
        watch: &mut dyn FnMut(Event),
    ) -> (Vec<ArrayEvidence>, Vec<String>) {
        match self {
            StepArrays::Simulated(arrays) => (arrays.finish(), Vec::new()),
            StepArrays::Real(mut metrics, _) => {
                let (arrays, notes) = metrics.finish();
                session.metrics = Some(metrics);
                notes.iter().for_each(|n| watch(Event::Note(n.clone())));
                (arrays, notes)
            }
            StepArrays::Nobody => (Vec::new(), Vec::new()),
        }
    }
}

/// Takes away what real arrays told that cannot be of the step, and says so.
pub(crate) fn disbelieve(session: &Session, step: &mut StepEvidence, watch: &mut dyn FnMut(Event)) {
    let targets = session.environment.targets.iter();
    let targets: Vec<String> = targets.map(|t| t.name.clone()).collect();
    let notes = plimsoll_metrics::disbelieve(step, &targets);
    notes.iter().for_each(|n| watch(Event::Note(n.clone())));
    step.notes.extend(notes);
}

fn of_lab(
    step: &Step,
    has_method: bool,
    lab: &Lab,
    name: impl Fn(plimsoll_plan::TargetId) -> String,
) -> ArrayWatch {
    ArrayWatch::new(step, has_method, lab.arrays(), lab.look(), name)
}

/// Metrics of the arrays of the targets that are used; `None` where nobody was named. Targets with one endpoint lie on one array.
pub(crate) fn metrics(plan: &Plan, uses: &[Use]) -> Result<Option<ArrayMetrics>, RigError> {
    let mut found: Vec<(&Metrics, Endpoint)> = Vec::new();
    for (target, used) in plan.targets.iter().zip(uses) {
        let Some(url) = &target.metrics.url else {
            continue;
        };
        if *used == Use::default() {
            continue;
        }
        if let Some((_, known)) = found.iter_mut().find(|(m, _)| **m == target.metrics) {
            known.targets.push(target.name.clone());
            continue;
        }
        let mapping = match &target.metrics.map {
            Some(path) => Mapping::load(path).map_err(|error| {
                RigError::Plan(vec![Problem {
                    message: error.to_string(),
                    remedy: "write it as docs/array-metrics.md has it, or leave `metrics_map` out for plimsoll lab serve".into(),
                    span: target.origins.of("metrics_map"),
                }])
            })?,
            None => Mapping::lab(),
        };
        let endpoint = Endpoint {
            url: url.to_string(),
            mapping,
            targets: vec![target.name.clone()],
        };
        found.push((&target.metrics, endpoint));
    }
    let endpoints: Vec<Endpoint> = found.into_iter().map(|(_, e)| e).collect();
    Ok((!endpoints.is_empty()).then(|| ArrayMetrics::new(endpoints)))
}
