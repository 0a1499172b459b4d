//! Repeats of a whole plan in one run: the plan's items, round by round, each under names of its own (`rd1#2`).

use crate::Plan;

/// Name of a run, or of a step of it, in a repeat: `rd1#2`.
pub fn repeat_name(name: &str, number: u32) -> String {
    format!("{name}#{number}")
}

/// Run that a name is a repeat of, and the number of the repeat, from 1; `None` where it is a repeat of nothing.
pub fn repeat_of(run: &str) -> Option<(&str, u32)> {
    let (base, number) = run.rsplit_once('#')?;
    let number: u32 = number.parse().ok()?;
    (!base.is_empty() && number > 0).then_some((base, number))
}

/// Name of a step, the same in every repeat: `rd1_(10%)` of `rd1#2_(10%)` in the run `rd1#2`.
pub fn name_without_repeat(name: &str, run: &str) -> String {
    let Some((base, number)) = repeat_of(run) else {
        return name.to_owned();
    };
    match name.strip_prefix(run) {
        Some(rest) => format!("{base}{rest}"),
        None => name.replacen(&format!("#{number}"), "", 1),
    }
}

impl Plan {
    /// The plan with all its items `times` times, round by round.
    #[must_use]
    pub fn repeated(mut self, times: u32) -> Plan {
        let round = std::mem::take(&mut self.items);
        let rounds = (1..=times).flat_map(|number| {
            round.iter().cloned().map(move |mut item| {
                item.steps_mut().iter_mut().for_each(|step| {
                    let run = repeat_name(&step.run, number);
                    step.name = match step.name.strip_prefix(&step.run) {
                        Some(rest) => format!("{run}{rest}"),
                        None => repeat_name(&step.name, number),
                    };
                    step.run = run;
                });
                item
            })
        });
        self.items = rounds.collect();
        self
    }

    /// The plan that this one repeats, and how often; `None` where it repeats none. Names alone do not make repeats: the items have to
    /// be the same too.
    pub fn round(&self) -> Option<(Plan, u32)> {
        let last = self.items.last()?.steps().first()?;
        let (_, times) = repeat_of(&last.run).filter(|(_, times)| *times > 1)?;
        let length = self.items.len() / times as usize;
        if length == 0 || !self.items.len().is_multiple_of(times as usize) {
            return None;
        }
        let mut round = self.clone();
        round.items.truncate(length);
        for item in &mut round.items {
            item.steps_mut().iter_mut().for_each(|step| {
                step.name = name_without_repeat(&step.name, &step.run);
                step.run = repeat_of(&step.run).map_or_else(String::new, |(run, _)| run.into());
            });
        }
        (round.clone().repeated(times).items == self.items).then_some((round, times))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Item, Load, Nanos, Step};

    #[test]
    fn a_step_has_one_name_in_all_repeats() {
        for (run, name, base) in [
            ("rd1#2", "rd1#2", "rd1"),
            ("rd1#2", "rd1#2_(10%)", "rd1_(10%)"),
            ("a#1#12", "a#1#12_(depth=8)", "a#1_(depth=8)"),
            ("job", "job#1", "job#1"),
            ("group#3", "job#3", "job"),
        ] {
            assert_eq!(name_without_repeat(name, run), base, "{name} of {run}");
        }
        assert_eq!(repeat_of(&repeat_name("rd#1", 7)), Some(("rd#1", 7)));
        for none in ["rd1", "#2", "rd1#0", "rd1#", "rd1#x"] {
            assert_eq!(repeat_of(none), None, "{none}");
        }
    }

    #[test]
    fn names_alone_make_no_repeats() {
        let plan = |names: &[&str]| {
            let step = |name: &&str| {
                Item::Step(Step::new(*name, vec![], vec![], Load::Max, Nanos::secs(1)))
            };
            Plan::new(vec![], names.iter().map(step).collect())
        };
        assert!(plan(&["disk"]).round().is_none());
        let mut named = plan(&["disk#1", "disk#2"]);
        let (round, times) = named.round().unwrap();
        assert_eq!((round, times), (plan(&["disk"]), 2));
        if let Item::Step(step) = &mut named.items[1] {
            step.warmup = Nanos::secs(1);
        }
        assert!(named.round().is_none());
        assert!(plan(&["disk#1", "disk#3"]).round().is_none());
        assert!(plan(&["disk#4000000000"]).round().is_none());
    }
}
