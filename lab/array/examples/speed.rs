//! How long one `submit` takes on the machine that simulates, by persona and load.
//!
//! `cargo run --release -p plimsoll-array --example speed [CASE]`; without a number, all cases.

use plimsoll_array::{Array, Io, IoKind, Persona};
use plimsoll_content::mix64;

/// A load that a persona takes at its usual scale.
struct Case {
    persona: &'static str,
    /// Of all LUNs, how much is used, GiB.
    gib: u64,
    /// The read cache after scaling, MiB.
    cache: u64,
    len: u64,
    reads: f64,
    requests: u64,
}

const fn case(persona: &'static str, gib: u64, cache: u64, len: u64, reads: f64) -> Case {
    Case {
        persona,
        gib,
        cache,
        len,
        reads,
        requests: 5_000_000,
    }
}

const CASES: [Case; 11] = [
    case("scale-out-flash-8", 1, 64, 4096, 1.0),
    case("scale-out-flash-8", 4, 256, 4096, 1.0),
    case("scale-out-flash-8", 64, 1024, 4096, 1.0),
    case("scale-out-flash-8", 4, 256, 8192, 0.7),
    case("scale-out-flash-8", 64, 1024, 8192, 0.7),
    case("scale-out-flash-8", 4, 256, 4096, 0.0),
    case("scale-out-flash-8", 64, 1024, 4096, 0.0),
    case("hybrid-hci", 32, 1024, 8192, 0.7),
    case("curve-8k", 64, 0, 8192, 0.7),
    case("flash-gateway", 64, 0, 4096, 0.7),
    // Three overwrites, the sequential fill among them.
    Case {
        requests: 3 << 22,
        ..case("single-ssd", 16, 0, 4096, 0.0)
    },
];

fn main() {
    let wanted = std::env::args().nth(1);
    let wanted = |at: usize| wanted.as_ref().is_none_or(|w| *w == at.to_string());
    for (_, case) in CASES.iter().enumerate().filter(|c| wanted(c.0)) {
        let ns = measure(case);
        println!(
            "{:18} {:3} GiB, cache {:4} MiB, {:4} B, {:3.0} % reads: {ns:6.1} ns, {:5.2} s",
            case.persona,
            case.gib,
            case.cache,
            case.len,
            case.reads * 100.0,
            ns * case.requests as f64 / 1e9
        );
    }
}

/// Nanoseconds for each request.
fn measure(case: &Case) -> f64 {
    let mut persona = Persona::named(case.persona).expect("a built-in persona");
    let scale = persona.scale;
    persona.luns.gib = case.gib as f64 * scale / f64::from(persona.luns.count);
    if let Some(cache) = &mut persona.cache {
        cache.mib = case.cache as f64 * scale;
    }
    let mut array = Array::new(&persona, scale, 1).expect("a sound persona");
    let (luns, lun) = (u64::from(persona.luns.count), array.lun_bytes());
    let paths = u64::from(persona.ports.paths);
    let chunks = lun / 4096;
    let from_empty = persona.flash.is_some_and(|f| f.mapping.is_some());
    if !from_empty {
        (0..luns).for_each(|l| array.fill_unique(l as u32, 0..chunks, l));
    }
    // A closed loop, near enough: a request starts when the one that started so many before it is answered.
    let mut answered = vec![0; (512.0 / scale).ceil() as usize];
    let mut now = 0;
    let mut pending: Option<(usize, u64, Io<'static>)> = None;
    let start = cpu_ns();
    for i in 0..case.requests {
        let word = mix64(i);
        let slot = i as usize % answered.len();
        now = answered[slot].max(now);
        let blocks = lun / case.len;
        let at = match from_empty && i < chunks {
            true => i,
            false => ((word >> 32) * blocks) >> 32,
        };
        let io = Io {
            lun: (word % luns) as u32,
            path: (i % paths) as u32,
            op: match ((word >> 8) & 0xffff) as f64 / 65_536.0 < case.reads {
                true => IoKind::Read,
                false => IoKind::Write,
            },
            offset: at * case.len,
            len: case.len as u32,
            blocks: &[],
        };
        // As the lab does: it is carried out when the next one comes.
        array.expect(now, &io);
        if let Some((s, n, io)) = pending.replace((slot, now, io)) {
            answered[s] = array.submit(n, &io).at_ns;
        }
    }
    (cpu_ns() - start) as f64 / case.requests as f64
}

/// Processor time of this thread so far: a busy machine disturbs it less than the time on the wall.
fn cpu_ns() -> u64 {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").expect("Linux's statistics");
    let first = stat.split(' ').next().and_then(|n| n.parse().ok());
    first.expect("a number of nanoseconds")
}
