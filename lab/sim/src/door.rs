//! One host's way to arrays that several hosts use in one time.

use crate::backend::Simulated;
use crate::multipath::MultipathArray;
use crate::route::SlotRoute;
use crate::watch::Watch;
use plimsoll_content::Filler;
use plimsoll_engine::backend::{Backend, Completion, Request, Wait};
use plimsoll_engine::scripted::Time;
use plimsoll_engine::together::NextBack;
use plimsoll_engine::worker::Timeline;
use std::cell::RefCell;
use std::io;
use std::rc::Rc;

/// A backend that never waits: whoever lets the hosts go on moves the time. The array is told of each request as it comes, as another
/// host's may be the next.
pub(crate) struct Door {
    simulated: Simulated,
    back: NextBack,
}

impl Door {
    /// Of a host whose link takes `link_ns` of each I/O, and when its next I/O comes back.
    pub fn new(
        time: Time,
        models: Rc<RefCell<Vec<MultipathArray>>>,
        places: Vec<SlotRoute>,
        timeline: Timeline,
        link_ns: u64,
    ) -> (Self, NextBack) {
        let back = NextBack::new(u64::MAX.into());
        // Nobody asks for its looks.
        let watch = Watch::new(timeline);
        let door = Door {
            simulated: Simulated::new(time, models, places, watch).over_a_link(link_ns),
            back: Rc::clone(&back),
        };
        (door, back)
    }
}

impl Backend for Door {
    const NAME: &'static str = Simulated::<false>::NAME;
    const TAKES_BYTES: bool = Simulated::<false>::TAKES_BYTES;

    fn describe(&mut self, slot: u32, filler: &Filler, offset: u64, length: u32, generation: u64) {
        self.simulated
            .describe(slot, filler, offset, length, generation);
    }

    fn queue(&mut self, request: Request) -> io::Result<()> {
        self.simulated.queue(request)?;
        self.simulated.carry_out();
        self.back.set(self.simulated.next_ns());
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn poll(&mut self, _: Wait, out: &mut Vec<Completion>) -> io::Result<()> {
        self.simulated.poll(Wait::None, out)?;
        // What was sent again is with the array, too.
        self.simulated.carry_out();
        self.back.set(self.simulated.next_ns());
        Ok(())
    }
}
