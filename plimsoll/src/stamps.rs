//! The time that lines bear: the wall clock's; on simulated targets the virtual one, counted from the run's start.

use jiff::Zoned;
use plimsoll_evidence::Phase;
use plimsoll_rig::Event;
use std::time::Duration;

/// Follows a run's time.
pub struct Stamps {
    /// Now, where time is virtual.
    virtual_now: Option<Zoned>,
    step_begun: Zoned,
}

impl Stamps {
    /// Before the run.
    pub fn new() -> Self {
        Stamps {
            virtual_now: None,
            step_begun: Zoned::now(),
        }
    }

    /// Time of an event. All of a run must be asked for, in order.
    pub fn of(&mut self, event: &Event) -> Zoned {
        match event {
            Event::Ready { environment, .. } if environment.simulated => {
                self.virtual_now = Some(Zoned::now());
            }
            Event::StepStarting { .. } => self.step_begun = self.now(),
            Event::Failed { by_ns, .. } => self.reach(*by_ns),
            Event::Interval { interval, .. } if interval.phase != Phase::Drain => {
                self.reach(interval.start_ns + interval.length_ns);
            }
            _ => {}
        }
        self.now()
    }

    /// Virtual time is so far into the step.
    fn reach(&mut self, into_ns: u64) {
        if let Some(now) = &mut self.virtual_now {
            *now = self
                .step_begun
                .saturating_add(Duration::from_nanos(into_ns));
        }
    }

    /// Now.
    pub fn now(&self) -> Zoned {
        self.virtual_now.clone().unwrap_or_else(Zoned::now)
    }
}
