//! A good client beside others that want much, in virtual time: arrays of all kinds, the lines and the pace that the
//! connections use, and no clock.

use super::long::{LINES, Long, line};
use crate::pace::Pace;
use crate::turns::Turns;
use plimsoll_array::{Array, Completion, Io, IoKind, Persona};
use plimsoll_content::mix64;
use plimsoll_nbd::{Command, Request};

const MIB: u32 = 1 << 20;
/// Chunks of a GiB.
const CHUNKS: u64 = 1 << 18;
const GOOD: u64 = u64::MAX;

/// A client that wants the same long thing again and again, over a path.
struct Hostile {
    long: Long,
    path: u32,
    /// When it comes again.
    next: u64,
}

struct Scene {
    array: Array,
    pace: Pace,
    turns: Turns,
    paths: u32,
    /// Of so many of the good client's requests one is a write.
    one_write_of: u64,
}

impl Scene {
    /// An aged array, and a good client that seldom writes: it sets off little garbage collection itself.
    fn aged(name: &str) -> Self {
        Scene {
            one_write_of: 16,
            ..Scene::new(name, true)
        }
    }

    /// One LUN of a GiB that is full; `aged`, and every place of it was written several times.
    fn new(name: &str, aged: bool) -> Self {
        let mut persona = Persona::named(name).unwrap();
        let scale = persona.scale;
        persona.luns.gib = scale;
        let mut array = Array::new(&persona, scale, 1).unwrap();
        array.fill_unique(0, 0..CHUNKS, 1);
        for n in 0..if aged { 3 * CHUNKS } else { 0 } {
            let chunk = mix64(n) % CHUNKS;
            array.fill_unique(0, chunk..chunk + 1, n);
        }
        Scene {
            turns: Turns::new(LINES),
            pace: Pace::new(&array, &persona),
            array,
            paths: persona.ports.paths,
            one_write_of: 2,
        }
    }

    /// What a connection does when it comes round to its long request; the bytes that it got done.
    fn turn(&mut self, who: u64, hostile: &mut Hostile) -> u64 {
        let Hostile { long, path, next } = hostile;
        let (now, op, len) = (*next, long.op, long.request.len);
        if let Err(later) = self.turns.ask(line(op), who, now) {
            *next = later;
            return 0;
        }
        let shared = self.pace.is_shared(who, now);
        let piece = long.piece(self.pace.piece_bytes(op, len, shared));
        let bytes = piece.end - piece.start;
        let io = Io {
            op,
            path: *path,
            ..Io::read(0, piece.start, bytes as u32)
        };
        let (pace, array) = (&mut self.pace, &mut self.array);
        let (_, takes) = pace.submit_piece(array, now, &io, len, shared);
        self.turns.done(line(op), who, now, takes);
        *next = now + 1;
        long.at = piece.end;
        if long.at == long.end() {
            *long = request(op, long.at + who, len);
        }
        bytes
    }

    fn hostile(&self, count: u64, (op, len): (IoKind, u32)) -> Vec<Hostile> {
        let hostile = |n: u64| Hostile {
            long: request(op, n, len),
            path: n as u32 % self.paths,
            next: 0,
        };
        (0..count).map(hostile).collect()
    }

    fn good(&mut self, now: u64, random: u64) -> Completion {
        let at = (random >> 8) % CHUNKS * 4096;
        let op = match random % self.one_write_of {
            0 => IoKind::Write,
            _ => IoKind::Read,
        };
        self.pace.note_short(GOOD, now);
        let io = Io {
            op,
            ..Io::read(0, at, 4096)
        };
        self.array.submit(now, &io)
    }

    /// What a client that reads and writes 4 KiB, one at a time, sees beside so many hostile ones.
    fn play(&mut self, count: u64, kind: (IoKind, u32)) -> Seen {
        let mut others = self.hostile(count, kind);
        let (mut latencies, mut next, mut random, mut bytes) = (Vec::new(), 0, 1, 0);
        while latencies.len() < 6000 {
            let first = (0..others.len()).min_by_key(|n| others[*n].next);
            match first.filter(|n| others[*n].next <= next) {
                Some(n) => bytes += self.turn(n as u64, &mut others[n]),
                None => {
                    random = mix64(random);
                    let completion = self.good(next, random);
                    latencies.push(completion.at_ns - next);
                    next = completion.at_ns;
                }
            }
        }
        latencies.sort_unstable();
        Seen {
            p99: latencies[latencies.len() * 99 / 100],
            stalled: latencies.iter().filter(|l| **l > 1_000_000).count(),
            hostile_bytes_s: bytes as f64 / next as f64 * 1e9,
        }
    }
}

impl Scene {
    /// Bytes per second of eight with long requests and nobody else; and of eight that send them whole, each one after the
    /// other.
    fn without_the_good(name: &str, kind: (IoKind, u32)) -> [f64; 2] {
        [true, false].map(|cut| {
            let mut scene = Scene::new(name, false);
            let mut others = scene.hostile(8, kind);
            let (mut now, mut bytes) = (0, 0);
            while now < 20_000_000_000 {
                let n = (0..8).min_by_key(|n| others[*n].next).unwrap();
                now = others[n].next;
                bytes += match cut {
                    true => scene.turn(n as u64, &mut others[n]),
                    false => scene.whole(&mut others[n]),
                };
            }
            bytes as f64 / (now + scene.array.backlog(now)) as f64 * 1e9
        })
    }

    /// The same as [`Scene::turn`] for a request that is not cut.
    fn whole(&mut self, client: &mut Hostile) -> u64 {
        let Long { op, at, .. } = client.long;
        let len = client.long.request.len;
        let io = Io {
            op,
            path: client.path,
            ..Io::read(0, at, len)
        };
        client.next = self.array.submit(client.next, &io).at_ns;
        client.long = request(op, client.next, len);
        len.into()
    }

    /// For each kind and number of hostile ones: what the good client sees then and alone.
    fn compare(name: &str, of: fn(&str) -> Scene, counts: &[u64]) {
        let alone = of(name).play(0, KINDS[0]);
        for (kind, count) in KINDS
            .iter()
            .flat_map(|k| counts.iter().map(move |n| (*k, *n)))
        {
            let beside = of(name).play(count, kind);
            assert!(
                beside.p99 <= 3 * alone.p99,
                "{name}: {beside:?} beside {count} of {kind:?}, {alone:?} alone"
            );
            // They get on all the same: at least a MB per second.
            assert!(beside.hostile_bytes_s >= 1e6, "{name}: {beside:?}");
        }
    }
}

/// A long request somewhere in the first half.
fn request(op: IoKind, random: u64, len: u32) -> Long {
    let start = mix64(random) % (CHUNKS / 2) * 4096;
    Long::new(Request::new(Command::Read, 0, start, len), op)
}

fn fresh(name: &str) -> Scene {
    Scene::new(name, false)
}

#[derive(Debug, Clone, Copy)]
struct Seen {
    p99: u64,
    /// Requests of more than a millisecond.
    stalled: usize,
    /// What all hostile ones together got, bytes per second.
    hostile_bytes_s: f64,
}

const KINDS: [(IoKind, u32); 7] = [
    (IoKind::Zero, 512 * MIB),
    (IoKind::Trim, 512 * MIB),
    (IoKind::Read, 32 * MIB),
    (IoKind::Write, 32 * MIB),
    (IoKind::Read, MIB),
    (IoKind::Write, MIB),
    (IoKind::Write, MIB / 16),
];

/// What the lengths of pieces and pauses were chosen by.
#[test]
fn a_good_client_beside_any_number_with_long_requests_waits_at_most_three_times_as_long() {
    for name in [
        "scale-out-flash-8",
        "hybrid-hci",
        "single-ssd",
        "flash-gateway",
    ] {
        Scene::compare(name, fresh, &[1, 8, 250]);
    }
}

/// A drive that collects garbage: what a page sets off takes it a hundred times as long as the page.
#[test]
fn nor_where_long_writes_set_off_garbage_collection() {
    Scene::compare("single-ssd", Scene::aged, &[1, 8, 37, 250]);
}

/// A client that writes much sets off garbage collection itself: nearly one of a hundred requests meets that, and so it does
/// not take much more for the 99th percentile. But it is not much more.
#[test]
fn a_client_that_writes_much_meets_little_more_garbage_collection_than_its_own() {
    let play = |count| Scene::new("single-ssd", true).play(count, (IoKind::Write, 32 * MIB));
    let alone = play(0);
    for beside in [1, 8, 250].map(play) {
        assert!(
            beside.stalled <= 2 * alone.stalled,
            "{beside:?} beside them, {alone:?} alone"
        );
    }
}

/// The arrays and the numbers that nothing was chosen by.
#[test]
fn nor_on_arrays_and_beside_numbers_that_are_new_to_it() {
    for name in [
        "scale-out-flash-4",
        "curve-8k",
        "starved-host",
        "scale-out-flash-8@v3_0",
        "starved-host+single-ssd",
    ] {
        Scene::compare(name, fresh, &[3, 37, 120]);
    }
    Scene::compare("hybrid-hci", fresh, &[120]);
}

/// Nobody is there who would have to be spared, yet.
#[test]
fn whoever_comes_when_others_have_sent_much_waits_for_little_of_it() {
    for name in ["scale-out-flash-8", "single-ssd", "scale-out-flash-4"] {
        let (mut scene, mut outside) = (fresh(name), 0);
        for who in 0..50 * 32 {
            let behind = scene.array.backlog(0);
            if scene.pace.is_long(who % 50, 0, MIB, behind) {
                outside += 1;
                continue;
            }
            let mut client = scene.hostile(1, (IoKind::Write, MIB)).remove(0);
            scene.whole(&mut client);
        }
        let behind = scene.array.backlog(0);
        assert!(
            outside > 1500 && behind < 200_000_000,
            "{name}: {behind} ns"
        );
        // The line keeps the array busy, and no more than that.
        let mut others = scene.hostile(50, (IoKind::Write, MIB));
        let mut now = 0;
        while now < 5_000_000_000 {
            let n = (0..50).min_by_key(|n| others[*n].next).unwrap();
            now = others[n].next;
            scene.turn(n as u64, &mut others[n]);
            let behind = scene.array.backlog(now);
            assert!((1..200_000_000).contains(&behind), "{name}: {behind} ns");
        }
    }
}

/// Requests that are short, but very many.
#[test]
fn those_with_much_in_flight_have_small_shares_beside_light_ones() {
    let mut scene = fresh("single-ssd");
    (0..50).for_each(|who| scene.pace.note_heavy(who, 0));
    assert_eq!(scene.pace.share(0, 0, 0), None, "nobody is light");
    let far_behind = scene.pace.share(0, 0, 1_000_000_000);
    scene.pace.note_short(GOOD, 0);
    let (bytes, requests) = scene.pace.share(0, 0, 0).unwrap();
    assert_eq!(far_behind, Some((bytes, requests)));
    assert!(bytes * 50 <= 1 << 20 && requests * 50 <= 256);
    // One alone keeps what arrays are measured with.
    scene.pace.note_heavy(7, 1_000_000_000);
    scene.pace.note_short(GOOD, 1_000_000_000);
    assert_eq!(scene.pace.share(7, 1_000_000_000, 0), Some((1 << 20, 256)));
    assert_eq!(
        scene.pace.share(7, 2_000_000_000, 0),
        None,
        "the light one left"
    );
}

#[test]
fn long_requests_without_short_ones_beside_them_are_not_much_slower_than_whole_ones() {
    for name in ["scale-out-flash-8", "single-ssd", "flash-gateway"] {
        for kind in [(IoKind::Read, 32 * MIB), (IoKind::Write, 32 * MIB)] {
            let [cut, whole] = Scene::without_the_good(name, kind);
            assert!(
                cut > 0.8 * whole,
                "{name}: {cut} bytes per second of {kind:?}, {whole} whole"
            );
        }
    }
}
