//! Controller and agents in virtual time, on a wire that loses, repeats and reorders by drawn numbers: the real state machines,
//! clocks that are apart and drift, and hosts that are only a script.

use nkeys::KeyPair;
use plimsoll_evidence::merge::merged;
use plimsoll_evidence::{Interval, Phase, StartTogether, StepEvidence};
use plimsoll_fleet::agent::state::{Act, AgentState};
use plimsoll_fleet::controller::course::{FleetStep, HostEnd, ReportEffect};
use plimsoll_fleet::controller::team::Team;
use plimsoll_fleet::message::{Hello, Join, Letter, Order, Packet, Report, WireOptions};
use plimsoll_fleet::seal::{open, seal};
use plimsoll_measure::{IntervalStats, Op};
use plimsoll_plan::{Load, Nanos, Plan, Step};

const MS: u64 = 1_000_000;
const S: u64 = 1_000 * MS;
const LEASE: u64 = 60 * S;
const LOST: u64 = 20 * S;
const INTERVALS: u32 = 4;

/// Numbers by a seed.
struct Draws(u64);

impl Draws {
    fn next(&mut self, below: u64) -> u64 {
        let next = self.0.wrapping_mul(6_364_136_223_846_793_005);
        self.0 = next.wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % below
    }
}

/// A clock that is ahead by `offset` at 1000 s, and faster by `ppm`.
#[derive(Clone, Copy)]
struct HostClock {
    offset: i64,
    ppm: f64,
}

impl HostClock {
    fn at(&self, now: u64) -> u64 {
        let drift = (now as f64 - 1e12) * self.ppm / 1e6;
        (i128::from(now) + i128::from(self.offset) + drift as i128) as u64
    }
}

/// A host whose worker is a script: it says what a real one would, when its own clock shows the time.
struct Host {
    state: AgentState,
    clock: HostClock,
    subject: String,
    /// (own time, report).
    script: Vec<(u64, Report)>,
    /// Intervals of this host, as its own record would have them.
    own: Vec<Interval>,
    abandoned: bool,
    dead: bool,
}

fn interval(host: usize, step: u32, number: u32) -> Interval {
    let mut stats = IntervalStats::new(1);
    let op = &mut stats.streams[0].ops[Op::Read as usize];
    for io in 0..u64::from(number) * 3 + host as u64 {
        op.ios += 1;
        op.response.record(1_000 * (io + 1) * (host as u64 + 7));
    }
    let start = u64::from(number - 1) * S;
    Interval::new(step, number, start..start + S, Phase::Counted, stats)
}

impl Host {
    fn obey(&mut self, host: usize, order: Order, own_now: u64) {
        match order {
            Order::Join(_) => {
                let (targets, meant) = (Vec::new(), Vec::new());
                let fits = Report::Fits { targets, meant };
                self.script.push((own_now + 5 * MS, fits));
            }
            Order::Prepare { number, .. } => {
                let prepared = Report::Prepared {
                    number,
                    workers: 2,
                    sharers: vec![2],
                    rested: true,
                };
                self.script.push((own_now + 20 * MS, prepared));
            }
            Order::Begin {
                number,
                start,
                ranks,
            } => {
                assert_eq!(ranks.workers, (2 * host as u32, 6), "its place among all");
                self.begin(host, number, start.at_ns);
            }
            _ => {}
        }
    }

    fn begin(&mut self, host: usize, number: u32, start_at: u64) {
        for n in 1..=INTERVALS {
            let interval = interval(host, number, n);
            self.own.push(interval.clone());
            let interval = Box::new(interval);
            let at = start_at + u64::from(n) * S;
            self.script
                .push((at, Report::Interval { number, interval }));
        }
        let done = Report::Done {
            number,
            evidence: Box::new(StepEvidence::new(number, "s")),
            late_ns: 0,
        };
        let at = start_at + u64::from(INTERVALS) * S + MS;
        self.script.push((at, done));
    }
}

/// All of it, and what is under way.
struct World {
    now: u64,
    key: KeyPair,
    draws: Draws,
    /// One of so many packets is lost, and one is repeated; 0: none.
    bad: u64,
    team: Team,
    hosts: Vec<Host>,
    under_way: Vec<(u64, String, Vec<u8>)>,
    controller_dead: bool,
    heard: Vec<(usize, Report)>,
}

impl World {
    fn new(seed: u64, bad: u64) -> Self {
        let mut draws = Draws(seed);
        let host = |n: usize| Host {
            state: AgentState::new(hello(n)),
            clock: HostClock {
                offset: draws.next(20_000_000_000) as i64 - 10_000_000_000,
                ppm: draws.next(101) as f64 - 50.0,
            },
            subject: format!("plimsoll.1.agent.{}", hello(n).agent),
            script: Vec::new(),
            own: Vec::new(),
            abandoned: false,
            dead: false,
        };
        let hosts: Vec<Host> = (0..3).map(host).collect();
        let agents: Vec<String> = (0..3).map(|n| hello(n).agent).collect();
        let now = 1_000 * S;
        World {
            now,
            key: KeyPair::new_user(),
            draws,
            bad,
            team: Team::new("run", "me", &agents, LOST, now),
            hosts,
            under_way: Vec::new(),
            controller_dead: false,
            heard: Vec::new(),
        }
    }

    fn post(&mut self, subject: String, bytes: &[u8]) {
        let copies = match self.bad {
            0 => 1,
            n => match self.draws.next(n) {
                0 => 0,
                1 => 2,
                _ => 1,
            },
        };
        for _ in 0..copies {
            let at = self.now + MS / 10 + self.draws.next(30 * MS);
            self.under_way.push((at, subject.clone(), bytes.to_vec()));
        }
    }

    /// One millisecond.
    fn turn(&mut self) {
        self.now += MS;
        let now = self.now;
        let all = std::mem::take(&mut self.under_way);
        let (here, rest): (Vec<_>, Vec<_>) = all.into_iter().partition(|(at, _, _)| *at <= now);
        self.under_way = rest;
        for (_, subject, bytes) in here {
            self.deliver(&subject, &bytes);
        }
        for at in 0..self.hosts.len() {
            self.host_turn(at);
        }
        if !self.controller_dead {
            for (subject, packet) in self.team.tick(now) {
                let bytes = seal(&packet, Some(&self.key)).expect("sealed");
                self.post(subject, &bytes);
            }
        }
    }

    fn deliver(&mut self, subject: &str, bytes: &[u8]) {
        let sealed = open(bytes).expect("a packet");
        if subject == "me" {
            if !self.controller_dead {
                let reports = self.team.on_packet(sealed.packet, self.now);
                self.heard.extend(reports);
            }
            return;
        }
        let to = |h: &Host| h.subject == subject && !h.dead;
        if let Some(at) = self.hosts.iter().position(to) {
            let own_now = self.hosts[at].clock.at(self.now);
            let acts = self.hosts[at].state.on_packet(&sealed, own_now);
            self.act(at, acts, own_now);
        }
    }

    fn host_turn(&mut self, at: usize) {
        let host = &mut self.hosts[at];
        if host.dead {
            return;
        }
        let own_now = host.clock.at(self.now);
        let script = std::mem::take(&mut host.script);
        let (due, rest): (Vec<_>, Vec<_>) = script.into_iter().partition(|(t, _)| *t <= own_now);
        host.script = rest;
        due.into_iter()
            .for_each(|(_, said)| host.state.report(said));
        let acts = host.state.tick(own_now);
        self.act(at, acts, own_now);
    }

    fn act(&mut self, at: usize, acts: Vec<Act>, own_now: u64) {
        for act in acts {
            match act {
                Act::Send(subject, packet) => {
                    let bytes = seal(&packet, None).expect("sealed");
                    self.post(subject, &bytes);
                }
                Act::Obey(order) => self.hosts[at].obey(at, order, own_now),
                Act::Stand(..) => panic!("nobody asked"),
                Act::Abandon => {
                    self.hosts[at].abandoned = true;
                    self.hosts[at].state.closed();
                }
            }
        }
    }

    /// Goes on until it is so; fails where that takes too long.
    fn until(&mut self, what: &str, mut is_so: impl FnMut(&mut World) -> bool) {
        for _ in 0..120_000 {
            self.turn();
            if is_so(self) {
                return;
            }
        }
        panic!("never: {what}");
    }

    fn join(&mut self) {
        self.team.order_all(&Order::Join(Box::new(join(&self.key))));
        let mut fits = 0;
        self.until("all fit", |world| {
            let heard = std::mem::take(&mut world.heard);
            let is_fit = |(_, r): &&(usize, Report)| matches!(r, Report::Fits { .. });
            fits += heard.iter().filter(is_fit).count();
            fits == 3
        });
    }

    /// One step; how it went, and the merged intervals.
    fn step(&mut self, mut on_turn: impl FnMut(&mut World)) -> (FleetStep, Vec<Interval>) {
        let mut course = FleetStep::new(1, 3, &[]);
        let mut whole = Vec::new();
        let step = Step::new("s", Vec::new(), Vec::new(), Load::Max, Nanos::secs(4));
        self.team.order_all(&Order::Prepare {
            number: 1,
            step: Box::new(step),
            settle: false,
        });
        self.team.look_closely(true);
        self.until("all are prepared", |world| {
            world.hear(&mut course, &mut whole);
            course.is_prepared()
        });
        (0..200).for_each(|_| self.turn());
        self.team.look_closely(false);
        self.begin(&course);
        self.until("the step is over", |world| {
            on_turn(world);
            world.hear(&mut course, &mut whole);
            for lost in world.team.lost(world.now) {
                world.team.give_up(lost);
                take(course.end(lost, HostEnd::Lost("silent".into())), &mut whole);
            }
            course.is_over()
        });
        (course, whole)
    }

    /// Gives each host the common instant on its own clock; the truth of that nobody but this test knows.
    fn begin(&mut self, course: &FleetStep) {
        let start = self.now + 3 * S;
        for (host, ranks) in course.ranks(&[true]).into_iter().enumerate() {
            let known = self.team.clock(host).there(start);
            let (start_at, bound) = known.expect("a clock is known");
            let truth = self.hosts[host].clock.at(start);
            assert!(start_at.abs_diff(truth) <= bound + 1, "within the bound");
            assert!(bound < 40 * MS, "{bound}");
            let number = 1;
            let start = StartTogether {
                at_ns: start_at,
                bound_ns: bound,
                ..StartTogether::default()
            };
            let begin = Order::Begin {
                number,
                start,
                ranks,
            };
            self.team.order(host, begin);
        }
    }

    fn hear(&mut self, course: &mut FleetStep, whole: &mut Vec<Interval>) {
        for (host, report) in std::mem::take(&mut self.heard) {
            take(course.on_report(host, report), whole);
        }
    }

    /// Sum of interval `n` over the hosts' own records.
    fn truth(&self, n: u32, hosts: &[usize]) -> Option<Interval> {
        let own = |h: &usize| self.hosts[*h].own.iter().find(|i| i.number == n).cloned();
        merged(hosts.iter().map(own).collect())
    }
}

fn take(seen: Vec<ReportEffect>, whole: &mut Vec<Interval>) {
    for seen in seen {
        if let ReportEffect::Merged(interval) = seen {
            whole.push(*interval);
        }
    }
}

fn hello(n: usize) -> Hello {
    Hello {
        agent: format!("agent{n}"),
        name: format!("h{n}"),
        version: "0.1.0".into(),
        hostname: String::new(),
        kernel: String::new(),
        cpus: 2,
        busy: None,
        targets: Vec::new(),
        destroy: Vec::new(),
    }
}

fn join(key: &KeyPair) -> Join {
    Join {
        key: key.public_key(),
        version: "0.1.0".into(),
        lease_ns: LEASE,
        plan: Plan::new(Vec::new(), Vec::new()),
        own: None,
        options: WireOptions::default(),
    }
}

fn letter(run: &str, items: Vec<(u64, Order)>) -> Packet {
    Packet::Orders(Letter {
        run: run.into(),
        agent: "agent0".into(),
        reply: "stranger".into(),
        epoch: 0,
        beat: 1_000,
        upto: 0,
        items,
    })
}

#[test]
fn a_step_is_whole_whatever_is_lost_repeated_or_late_on_the_way() {
    for seed in 0..12 {
        // From a good wire to one that loses each fourth packet and repeats another.
        let mut world = World::new(seed, [0, 20, 8, 4][seed as usize % 4]);
        world.join();
        let (course, whole) = world.step(|_| {});
        assert_eq!(course.broken().count(), 0, "seed {seed}");
        assert_eq!(whole.len(), INTERVALS as usize);
        for (n, interval) in (1..).zip(&whole) {
            let truth = world.truth(n, &[0, 1, 2]);
            assert_eq!(Some(interval), truth.as_ref(), "seed {seed}");
        }
    }
}

#[test]
fn who_is_killed_is_lost_by_name_and_the_others_are_whole() {
    for seed in 0..20 {
        let mut world = World::new(100 + seed, 10);
        world.join();
        // In the middle of the step, at another instant each time.
        let instant = world.now + 4 * S + seed * 170 * MS;
        let (course, whole) = world.step(|world| world.hosts[1].dead = world.now > instant);
        let broken: Vec<usize> = course.broken().map(|(h, _)| h).collect();
        assert_eq!(broken, [1], "seed {seed}");
        assert_eq!(whole.len(), INTERVALS as usize, "the others' are all there");
        let last = whole.last().map(|i| i.stats.ios());
        let truth = world.truth(INTERVALS, &[0, 2]).map(|i| i.stats.ios());
        assert_eq!(last, truth);
    }
}

#[test]
fn agents_outlive_their_controller_by_the_lease_and_not_longer() {
    let mut world = World::new(7, 10);
    world.join();
    (0..2_000).for_each(|_| world.turn());
    world.controller_dead = true;
    let died = world.now;
    while world.now < died + LEASE - 3 * S {
        world.turn();
        assert!(world.hosts.iter().all(|h| !h.abandoned), "too early");
    }
    assert!(world.hosts.iter().all(|h| h.state.run().is_some()));
    world.until("all have let go", |world| {
        let is_free = |h: &Host| h.abandoned && h.state.run().is_none();
        world.hosts.iter().all(is_free)
    });
    assert!(world.now < died + LEASE + S, "too late");
}

#[test]
fn one_that_obeys_a_controller_obeys_no_other() {
    let mut world = World::new(3, 0);
    world.join();
    let stranger = KeyPair::new_user();
    let own_now = world.hosts[0].clock.at(world.now);
    let mut tell = |packet: &Packet, key: Option<&KeyPair>| {
        let bytes = seal(packet, key).expect("sealed");
        let sealed = open(&bytes).expect("opens");
        world.hosts[0].state.on_packet(&sealed, own_now)
    };
    // Another run: it is busy, and says with what.
    let other = letter("other", vec![(1, Order::Join(Box::new(join(&stranger))))]);
    let acts = tell(&other, Some(&stranger));
    let [Act::Send(to, Packet::Busy { run, .. })] = &acts[..] else {
        panic!("{acts:?}")
    };
    assert_eq!((to.as_str(), run.as_str()), ("stranger", "run"));
    // The same run, signed by another or by nobody: nothing follows.
    let stop = letter("run", vec![(2, Order::Stop)]);
    assert!(tell(&stop, Some(&stranger)).is_empty());
    assert!(tell(&stop, None).is_empty());
    // Signed as agreed, it is obeyed.
    let key = KeyPair::from_seed(&world.key.seed().expect("a seed")).expect("a key");
    let bytes = seal(&stop, Some(&key)).expect("sealed");
    let acts = world.hosts[0]
        .state
        .on_packet(&open(&bytes).expect("opens"), own_now);
    assert!(matches!(&acts[..], [Act::Obey(Order::Stop)]));
}

#[test]
fn a_letter_that_comes_when_its_run_is_over_begins_none() {
    let key = KeyPair::new_user();
    let mut state = AgentState::new(hello(0));
    let packet = letter("run", vec![(1, Order::Join(Box::new(join(&key))))]);
    let sealed = open(&seal(&packet, Some(&key)).expect("sealed")).expect("opens");
    let acts = state.on_packet(&sealed, 5);
    assert!(matches!(&acts[..], [Act::Obey(Order::Join(_))]));
    state.closed();
    state.tick(6);
    assert_eq!(state.run(), None);
    let acts = state.on_packet(&sealed, 7);
    assert!(matches!(&acts[..], [Act::Send(_, Packet::Busy { .. })]));
    assert_eq!(state.run(), None);
}
