//! Length and limits of a run that goes on, as its record's plan has them.

use crate::Limit;
use plimsoll_plan::{Item, Plan, Slo, default_slos, planned_length, planned_steps};

/// A plan, as far as it matters here.
#[derive(Debug)]
pub(crate) struct Planned {
    /// `None` where the plan is of another version and cannot be read.
    plan: Option<Plan>,
    /// Time of all steps at most, ns.
    pub length_ns: Option<u64>,
    /// Number of steps, without fills.
    pub steps: Option<u32>,
}

impl Planned {
    pub(crate) fn of(plan_json: &str) -> Self {
        let plan: Option<Plan> = serde_json::from_str(plan_json).ok();
        let length = plan.as_ref().and_then(planned_length);
        Planned {
            length_ns: length.map(|l| l.0).filter(|ns| *ns > 0),
            steps: plan.as_ref().and_then(planned_steps),
            plan,
        }
    }

    pub(crate) fn plan(&self) -> Option<&Plan> {
        self.plan.as_ref()
    }

    /// Title that people gave the run.
    pub(crate) fn title(&self) -> Option<String> {
        self.plan.as_ref()?.title.clone()
    }

    /// Name of the method; of several that of the first.
    pub(crate) fn method(&self) -> String {
        let items = self.plan.iter().flat_map(|plan| &plan.items);
        let mut methods = items.filter_map(|item| match item {
            Item::Step(_) => None,
            Item::Curve(_) => Some("curve"),
            Item::Method(method) => Some(match method.question.method() {
                "adaptive" => "curve",
                other => other,
            }),
        });
        methods.next().unwrap_or("run").to_owned()
    }

    /// The limits that the steps of a run are held to.
    pub(crate) fn limits(&self, run: &str) -> Vec<Limit> {
        let slos = self.plan.as_ref().map_or(&[][..], |plan| plan.slos(run));
        let common = default_slos();
        let asked = !slos.is_empty() && *slos != *common;
        let limit = |slo: &Slo| Limit {
            statistic: slo.statistic.to_string(),
            us: slo.limit.0 as f64 / 1e3,
            asked,
        };
        slos.iter().map(limit).collect()
    }
}
