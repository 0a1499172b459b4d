//! How far the array is behind.

use crate::array::Array;

impl Array {
    /// How long a request that comes now may have to wait for what came before it, nanoseconds: at the busiest port, core,
    /// die or disk that it could meet, and for room in the write buffer. What was acknowledged already counts, too.
    pub fn backlog(&self, now_ns: u64) -> u64 {
        let ports = self.front_end.ports().iter().map(|p| p.wait(now_ns));
        let waits = [
            ports.max().unwrap_or(0),
            self.cores.as_ref().map_or(0, |c| c.backlog(now_ns)),
            self.media.backlog(now_ns),
        ];
        waits.into_iter().max().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use crate::{Array, Io, IoKind, Persona};

    /// An array that was filled, for requests that nobody is in the way of.
    fn idle(name: &str) -> Array {
        let mut persona = Persona::named(name).unwrap();
        persona.luns.gib = persona.scale;
        let mut array = Array::new(&persona, persona.scale, 1).unwrap();
        array.fill_unique(0, 0..1 << 18, 1);
        array
    }

    fn write(len: u32) -> Io<'static> {
        Io {
            op: IoKind::Write,
            ..Io::read(0, 0, len)
        }
    }

    #[test]
    fn what_is_acknowledged_and_not_done_counts_and_is_over_when_it_is_done() {
        let mut array = idle("single-ssd");
        assert_eq!(array.backlog(0), 0);
        // Eight pages on four dies, 200 us each; the answer comes before they are programmed.
        let done = array.submit(0, &write(32 << 10));
        assert!(done.at_ns < 400_000, "{done:?}");
        assert_eq!(array.backlog(0), 400_000);
        assert_eq!(array.backlog(150_000), 250_000);
        assert_eq!(array.backlog(400_000), 0);
    }

    #[test]
    fn a_core_counts_where_a_request_is_bound_to_it() {
        // Here any core does any work, and the others are idle.
        let mut free = idle("hybrid-hci");
        free.submit(0, &Io::read(0, 0, 4096));
        let port = free.front_end().ports()[0].wait(0);
        let die = 150_000;
        assert_eq!(free.backlog(0), port.max(die));
        // Here the owner of a slice does a share.
        let mut bound = idle("scale-out-flash-8");
        bound.submit(0, &Io::read(0, 0, 4096));
        let cores = bound.cores().unwrap().each();
        let longest = cores.iter().map(|c| c.station.wait(0)).max().unwrap();
        assert!(longest > 0 && bound.backlog(0) >= longest);
    }
}
