//! What a plan asks for, whoever wrote it: two texts ask for the same where this is the same of both.

use crate::{Item, Load, Origins, Plan, Rate, Step, percent_of_last};

/// Digits to which shares are compared: they are quotients, which another way of writing them rounds otherwise.
const DIGITS: f64 = 1e9;

impl Plan {
    /// The plan without the places where it was written and the name of its dialect. Shares are parts of their step's largest
    /// one: only their ratio counts. A percentage of what the last step reached is the rate that it comes to where there is no
    /// last step.
    #[must_use]
    pub fn normalized(&self) -> Plan {
        let mut plan = self.clone();
        plan.dialect = String::new();
        for target in &mut plan.targets {
            target.origins = Origins::default();
        }
        for host in &mut plan.hosts.list {
            host.origins = Origins::default();
        }
        for item in &mut plan.items {
            item.steps_mut().iter_mut().for_each(bare);
        }
        if let Some(Item::Step(first)) = plan.items.first_mut() {
            first.load = without_last(&first.load);
        }
        plan
    }
}

/// The load of a step that has no last one before it.
fn without_last(load: &Load) -> Load {
    match load {
        Load::PercentOfLast { percent, arrival } => {
            Load::rate(Rate(percent_of_last(None, *percent).0), *arrival)
        }
        other => other.clone(),
    }
}

fn bare(step: &mut Step) {
    step.origins = Origins::default();
    let sharing = step.streams.iter().filter(|s| s.fixed_rate.is_none());
    let most = sharing.map(|s| s.share).fold(0.0, f64::max);
    for stream in &mut step.streams {
        stream.share = match stream.fixed_rate {
            Some(_) => 1.0,
            None if most > 0.0 => (stream.share / most * DIGITS).round() / DIGITS,
            None => stream.share,
        };
    }
}

#[cfg(test)]
mod tests {
    use crate::validate::tests::plan;
    use crate::{Arrival, Item, Load, Plan, Rate};

    fn with(change: impl FnOnce(&mut crate::Step)) -> Plan {
        let mut plan = plan();
        let Item::Step(step) = &mut plan.items[0] else {
            panic!("a step")
        };
        let other = step.streams[0].clone();
        step.streams.push(other);
        change(step);
        plan.normalized()
    }

    #[test]
    fn only_the_ratio_of_shares_counts() {
        let shares = |a, b| {
            with(|step| {
                (step.streams[0].share, step.streams[1].share) = (a, b);
            })
        };
        assert_eq!(shares(30.0, 60.0), shares(1.0, 2.0));
        assert_ne!(shares(30.0, 60.0), shares(2.0, 1.0));
        assert_ne!(shares(1.0, 1.0), shares(1.0, 1.001));
    }

    #[test]
    fn a_percentage_of_nothing_is_the_rate_that_it_comes_to() {
        let arrival = Arrival::Even;
        let percent = with(|step| {
            step.load = Load::percent(50.0, arrival);
        });
        let rate = with(|step| {
            step.load = Load::rate(Rate(5000.0), arrival);
        });
        assert_eq!(percent, rate);
    }
}
