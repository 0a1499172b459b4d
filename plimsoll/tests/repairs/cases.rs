//! Drawn faults on simulated arrays, each with the same array without it.

use std::path::Path;

/// One drawn case.
pub struct Case {
    /// Kind of fault.
    pub kind: &'static str,
    /// The rule that finds it.
    pub rule: &'static str,
    /// Drawn values, in words.
    pub drawn: String,
    /// The definition with the fault, whose last step is the measured one.
    pub faulty: String,
    /// The same without it.
    pub clean: String,
}

/// Draws that are the same each time.
pub struct Draw(u64);

impl Draw {
    pub fn new(seed: u64) -> Self {
        Draw(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5eed)
    }

    fn of<T: Copy>(&mut self, list: &[T]) -> T {
        // The upper bits of Knuth's MMIX generator.
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        list[(self.0 >> 33) as usize % list.len()]
    }
}

const SCALE_OUT: [&str; 3] = [
    "scale-out-flash-8",
    "scale-out-flash-4",
    "scale-out-flash-8@v3_0",
];
const BLOCKS: [&str; 3] = ["4k", "8k", "16k"];

/// The case of a number; personas that it changes are written to `folder`.
pub fn case(number: u64, folder: &Path) -> Case {
    let mut draw = Draw::new(number);
    match number % 6 {
        0 => hot_owner(&mut draw),
        1 => cache_hits(&mut draw),
        2 => nothing_there(&mut draw),
        3 => warming(&mut draw),
        4 => starving(&mut draw, number, folder),
        _ => first_interval(&mut draw, number, folder),
    }
}

/// A closed loop of reads.
fn reads(target: &str, block: &str, hits: &str, depth: u32, seconds: u32, warmup: u32) -> String {
    format!(
        "target.lun.path = \"{target}\"\nworkload.w = {{ read = 100, block = \"{block}\"{hits} }}\n\
         run = [{{ load = \"max\", depth = {depth}, for = \"{seconds}s\", warmup = \"{warmup}s\" }}]\n"
    )
}

fn hot_owner(draw: &mut Draw) -> Case {
    let (persona, scale) = (draw.of(&SCALE_OUT), draw.of(&[50, 100, 200, 400]));
    let (depth, share) = (
        draw.of(&[4, 8, 16, 32, 64, 128]),
        draw.of(&[40, 60, 75, 90]),
    );
    let block = draw.of(&BLOCKS);
    let target = format!("lab:{persona}?scale={scale}&size=8g");
    let hits = |place: &str| format!(", hits = \"read={share},area=1m{place}\"");
    let of = |place: &str| reads(&target, block, &hits(place), depth, 4, 2);
    Case {
        kind: "hot slice",
        rule: "hot-core",
        drawn: format!("{persona}/{scale}, {share} % on 1 MiB, {block}, {depth} in flight"),
        faulty: of(",placement=contiguous"),
        clean: of(""),
    }
}

fn cache_hits(draw: &mut Draw) -> Case {
    let (persona, scale) = (draw.of(&SCALE_OUT), draw.of(&[5, 10, 20]));
    let (depth, share) = (draw.of(&[1, 2, 4, 8]), draw.of(&[30, 50, 70, 90, 98]));
    let block = draw.of(&BLOCKS);
    let target = format!("lab:{persona}?scale={scale}&size=64g");
    let hits = format!(", hits = \"read={share},area=1m\"");
    Case {
        kind: "cache hits",
        rule: "cache-answered",
        drawn: format!("{persona}/{scale}, {share} % hits, {block}, {depth} in flight"),
        faulty: reads(&target, block, &hits, depth, 2, 1),
        clean: reads(&target, block, "", depth, 2, 1),
    }
}

fn nothing_there(draw: &mut Draw) -> Case {
    let (persona, scale) = (draw.of(&SCALE_OUT), draw.of(&[5, 10, 20]));
    let (depth, share) = (draw.of(&[1, 2, 4, 8]), draw.of(&[20, 40, 60, 80, 99]));
    let block = draw.of(&BLOCKS);
    let of = |trimmed: &str| {
        format!(
            "target.lun.path = \"lab:{persona}?scale={scale}&size=8g\"\nworkload.w = {{ read = 100, block = \"{block}\" }}\n\
             workload.t = {{ read = 0, trim = 100, block = \"4m\", range = \"0%-{share}%\", access = {{ sequential = \"once\" }} }}\n\
             run = [{trimmed}{{ workloads = [\"w\"], load = \"max\", depth = {depth}, for = \"2s\", warmup = \"1s\" }}]\n"
        )
    };
    Case {
        kind: "nothing there",
        rule: "zeros-served",
        drawn: format!("{persona}/{scale}, {share} % trimmed, {block}, {depth} in flight"),
        faulty: of("{ name = \"trim\", workloads = [\"t\"], depth = 8, for = \"1h\" }, "),
        clean: of(""),
    }
}

fn warming(draw: &mut Draw) -> Case {
    let (persona, scale) = (
        draw.of(&["scale-out-flash-8", "scale-out-flash-4", "hybrid-hci"]),
        draw.of(&[100, 200, 400]),
    );
    let (depth, size) = (draw.of(&[2, 8, 16]), draw.of(&["64m", "128m", "256m"]));
    let block = draw.of(&BLOCKS);
    let target = format!("lab:{persona}?scale={scale}&size={size}");
    Case {
        kind: "still warming",
        rule: "still-warming",
        drawn: format!("{persona}/{scale}, {size}, {block}, {depth} in flight"),
        faulty: reads(&target, block, "", depth, 12, 1),
        clean: reads(&target, block, "", depth, 12, 240),
    }
}

/// A healthy array behind a host with such a course of its rate.
fn behind(folder: &Path, name: &str, read_us: f64, course: &[(f64, f64)]) -> String {
    let points: Vec<String> = course
        .iter()
        .map(|(at, iops)| format!("{{ at_s = {at:.1}, iops = {iops:.1} }}"))
        .collect();
    let host = match points.is_empty() {
        true => String::new(),
        false => format!("[host]\ncourse = [{}]\n", points.join(", ")),
    };
    let text = format!(
        "name = \"drawn\"\nabout = \"A flash array, drawn\"\nscale = 1.0\n[luns]\ncount = 1\ngib = 64.0\n\
         [ports]\ncount = 1\npaths = 1\nmib_s = 1e6\ncommand_us = 3.8\n[latency]\nread_us = {read_us:.1}\nwrite_us = 230.0\n\
         [flash]\ndies = 64\nread_us = 50.0\nprogram_us = 200.0\nerase_us = 3000.0\n{host}"
    );
    let path = folder.join(format!("{name}.toml"));
    std::fs::write(&path, text).expect("a persona can be written");
    format!("lab:{}", path.display())
}

fn starving(draw: &mut Draw, number: u64, folder: &Path) -> Case {
    let (from, left) = (
        draw.of(&[4.0, 5.0, 6.0, 7.0]),
        draw.of(&[300.0, 600.0, 900.0]),
    );
    let (depth, read_us) = (draw.of(&[1, 2, 4]), draw.of(&[300.0, 600.0, 900.0]));
    let course = [(0.0, 1e6), (from, 1e6), (from + 0.5, left)];
    let faulty = behind(folder, &format!("starving-{number}"), read_us, &course);
    let clean = behind(folder, &format!("healthy-{number}"), read_us, &[]);
    Case {
        kind: "starved host",
        rule: "collapse",
        drawn: format!("from {from} s on {left} I/Os/s, {read_us} us, {depth} in flight"),
        faulty: reads(&faulty, "4k", "", depth, 12, 0),
        clean: reads(&clean, "4k", "", depth, 12, 0),
    }
}

fn first_interval(draw: &mut Draw, number: u64, folder: &Path) -> Case {
    let (first, depth) = (draw.of(&[100.0, 300.0, 600.0]), draw.of(&[1, 2, 4]));
    let read_us = draw.of(&[300.0, 600.0, 900.0]);
    let course = [(0.0, first), (0.95, first), (0.96, 1e6)];
    let faulty = behind(folder, &format!("late-{number}"), read_us, &course);
    let clean = behind(folder, &format!("punctual-{number}"), read_us, &[]);
    Case {
        kind: "first interval",
        rule: "first-interval",
        drawn: format!("{first} I/Os/s in the first second, {read_us} us, {depth} in flight"),
        faulty: reads(&faulty, "4k", "", depth, 12, 0),
        clean: reads(&clean, "4k", "", depth, 12, 0),
    }
}
