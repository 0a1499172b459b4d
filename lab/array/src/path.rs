//! Front-end ports and the paths to them.

use crate::persona::PortParameters;
use crate::station::Station;
use serde::Serialize;

/// The state of a path.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum PathCondition {
    /// It works.
    #[default]
    Up,
    /// It works, and each request takes this much longer, nanoseconds.
    Slow(u64),
    /// It answers with an error.
    Down,
    /// It swallows requests: a pulled cable behind a switch.
    Silent,
}

impl PathCondition {
    /// True where requests are answered.
    pub fn works(self) -> bool {
        matches!(self, PathCondition::Up | PathCondition::Slow(_))
    }
}

/// A way for requests to a front-end port, and what came over it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Path {
    /// The port that it leads to.
    pub port: u32,
    /// Whether requests over it are answered, and how fast.
    pub state: PathCondition,
    /// Requests that came over it and were served.
    pub requests: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Requests that were refused or swallowed.
    pub failed: u64,
}

/// What became of a request at the front end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arrival {
    /// It is in; the wait and the transfer took this long, nanoseconds.
    In(u64),
    /// It was refused.
    Refused,
    /// It is gone.
    Swallowed,
    /// There is no such path.
    Unknown,
}

/// The ports of the array, and the paths, dealt to the ports in turn.
#[derive(Debug, Clone)]
pub struct FrontEnd {
    ports: Vec<Station>,
    paths: Vec<Path>,
    /// What each path would be if its port worked.
    own: Vec<PathCondition>,
    /// Ports whose controller is out.
    out: Vec<bool>,
    /// No path refuses or swallows requests.
    whole: bool,
    /// Unscaled, for one request's own transfer.
    ns_per_byte: f64,
    command_ns: f64,
    scale: f64,
}

impl FrontEnd {
    /// Ports that are idle and paths that are up. `scale` divides the ports' rates.
    pub fn new(p: &PortParameters, scale: f64) -> Self {
        let path = |number: u32| Path {
            port: p.of_path(number),
            ..Path::default()
        };
        FrontEnd {
            ports: vec![Station::default(); p.count as usize],
            paths: (0..p.paths).map(path).collect(),
            own: vec![PathCondition::Up; p.paths as usize],
            out: vec![false; p.count as usize],
            whole: true,
            ns_per_byte: 1e9 / (p.mib_s * 1_048_576.0),
            command_ns: p.command_us * 1e3,
            scale,
        }
    }

    /// Each port.
    pub fn ports(&self) -> &[Station] {
        &self.ports
    }

    /// Each path.
    pub fn paths(&self) -> &[Path] {
        &self.paths
    }

    /// The bytes that a port carries in so many nanoseconds.
    pub fn carries(&self, ns: u64) -> u64 {
        (ns as f64 / (self.ns_per_byte * self.scale)) as u64
    }

    /// For each port, true where a path to it works.
    pub fn working_ports(&self) -> Vec<bool> {
        let mut works = vec![false; self.ports.len()];
        for path in self.paths.iter().filter(|p| p.state.works()) {
            works[path.port as usize] = true;
        }
        works
    }

    /// True when no path refuses or swallows requests.
    #[inline]
    pub(crate) fn takes_everything(&self) -> bool {
        self.whole
    }

    /// Changes a path's state; false when there is none of this number. While its port is out it is down all the same.
    pub fn set(&mut self, path: u32, state: PathCondition) -> bool {
        let found = self.own.get_mut(path as usize);
        let found = found.map(|own| *own = state).is_some();
        self.refresh();
        found
    }

    /// Controllers have their ports in turn, as cores have their slices. Those of this one of `controllers` go out, and
    /// all paths to them are down; or they come back, and the paths are what they would have been. An array with one port
    /// keeps it, whoever is out.
    pub fn set_controller(&mut self, controller: usize, controllers: usize, out: bool) {
        if self.out.len() > 1 {
            let ports = self.out.iter_mut().skip(controller).step_by(controllers);
            ports.for_each(|port| *port = out);
            self.refresh();
        }
    }

    /// True while the controller of a path's port is out.
    pub fn is_out(&self, path: &Path) -> bool {
        self.out[path.port as usize]
    }

    fn refresh(&mut self) {
        for (path, own) in self.paths.iter_mut().zip(&self.own) {
            path.state = match self.out[path.port as usize] {
                true => PathCondition::Down,
                false => *own,
            };
        }
        self.whole = self.paths.iter().all(|p| p.state.works());
    }

    /// A request comes.
    #[inline]
    pub fn arrive(&mut self, now: u64, path: u32, len: u32) -> Arrival {
        let Some(path) = self.paths.get_mut(path as usize) else {
            return Arrival::Unknown;
        };
        let slow = match path.state {
            PathCondition::Up => 0,
            PathCondition::Slow(ns) => ns,
            PathCondition::Down => {
                path.failed += 1;
                return Arrival::Refused;
            }
            PathCondition::Silent => {
                path.failed += 1;
                return Arrival::Swallowed;
            }
        };
        path.requests += 1;
        path.bytes += u64::from(len);
        let own = self.command_ns + f64::from(len) * self.ns_per_byte;
        let wait = self.ports[path.port as usize].take(now, (own * self.scale) as u64);
        Arrival::In(slow + wait + own as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn front_end() -> FrontEnd {
        let p = PortParameters {
            count: 2,
            names: Vec::new(),
            paths: 4,
            mib_s: 1000.0,
            command_us: 1.0,
            controllers: 0,
        };
        FrontEnd::new(&p, 1.0)
    }

    #[test]
    fn paths_share_ports_and_ports_have_a_rate() {
        let mut f = front_end();
        assert_eq!(f.arrive(0, 0, 1 << 20), Arrival::In(1_001_000));
        assert_eq!(f.arrive(0, 2, 1 << 20), Arrival::In(2_002_000));
        assert_eq!(f.arrive(0, 1, 1 << 20), Arrival::In(1_001_000));
        assert_eq!(f.arrive(0, 4, 512), Arrival::Unknown);
    }

    #[test]
    fn a_path_can_be_slow_down_or_silent_and_come_back() {
        let mut f = front_end();
        let own = 1_000 + 3906;
        assert!(f.set(3, PathCondition::Slow(500_000)));
        assert_eq!(f.arrive(0, 3, 4096), Arrival::In(500_000 + own));
        f.set(3, PathCondition::Down);
        assert_eq!(f.arrive(0, 3, 4096), Arrival::Refused);
        f.set(3, PathCondition::Silent);
        assert_eq!(f.arrive(0, 3, 4096), Arrival::Swallowed);
        f.set(3, PathCondition::Up);
        assert_eq!(f.arrive(1_000_000, 3, 4096), Arrival::In(own));
        assert_eq!(f.paths()[3].failed, 2);
        assert!(!f.set(9, PathCondition::Up));
    }

    #[test]
    fn the_ports_of_a_controller_go_and_come_with_it_and_leave_paths_as_they_were() {
        let mut f = front_end();
        let states = |f: &FrontEnd| f.paths().iter().map(|p| p.state).collect::<Vec<_>>();
        let (up, down, slow) = (
            PathCondition::Up,
            PathCondition::Down,
            PathCondition::Slow(7),
        );
        f.set(1, down);
        f.set_controller(1, 2, true);
        assert_eq!(states(&f), [up, down, up, down]);
        f.set(3, slow);
        assert_eq!(states(&f), [up, down, up, down]);
        f.set_controller(1, 2, false);
        assert_eq!(states(&f), [up, down, up, slow]);
    }

    #[test]
    fn a_port_works_as_long_as_a_path_to_it_does() {
        let mut f = front_end();
        f.set(0, PathCondition::Down);
        assert_eq!(f.working_ports(), [true, true]);
        f.set(2, PathCondition::Silent);
        f.set(1, PathCondition::Slow(1));
        assert_eq!(f.working_ports(), [false, true]);
    }
}
