//! The fuzz targets by the ordinary compiler: over their seeds, and over changed ones that fixed numbers draw, so that each run
//! says the same. `make fuzz-long` goes further: by what the code covers, and with a sanitizer.

// What the targets take from libfuzzer-sys is here.
extern crate self as libfuzzer_sys;

mod changed;
mod seeds;

use std::path::PathBuf;

/// Input that a target makes of bytes.
pub trait Input<'a>: Sized {
    /// Nothing where they make none.
    fn of(bytes: &'a [u8]) -> Option<Self>;
}

impl<'a> Input<'a> for &'a [u8] {
    fn of(bytes: &'a [u8]) -> Option<Self> {
        Some(bytes)
    }
}

impl<'a> Input<'a> for &'a str {
    fn of(bytes: &'a [u8]) -> Option<Self> {
        std::str::from_utf8(bytes).ok()
    }
}

impl<'a> Input<'a> for (u8, &'a [u8]) {
    fn of(bytes: &'a [u8]) -> Option<Self> {
        bytes.split_first().map(|(first, rest)| (*first, rest))
    }
}

/// Runs of each target that are changed seeds.
const CHANGED: usize = 5_000;
/// Largest input; the fuzzer would cut a longer one, too.
const LONGEST: usize = 65_536;

fn over_all(name: &str, run: fn(&[u8])) {
    let seeds = seeds::of(name);
    assert!(!seeds.is_empty(), "{name} has no seeds");
    seeds.iter().for_each(|seed| run(seed));
    let mut draw = changed::draw(name);
    for round in 0..CHANGED {
        let other = &seeds[draw.below(seeds.len())];
        let mut bytes = changed::changed(&seeds[round % seeds.len()], other, &mut draw);
        bytes.truncate(LONGEST);
        let done = std::panic::catch_unwind(|| run(&bytes));
        if let Err(panic) = done {
            let path = kept(name, &bytes);
            eprintln!("{name}: round {round}: {} has the input", path.display());
            std::panic::resume_unwind(panic);
        }
    }
}

/// Keeps an input that broke a target.
fn kept(name: &str, bytes: &[u8]) -> PathBuf {
    let path = std::env::temp_dir().join(format!("plimsoll-fuzzed-{name}"));
    std::fs::write(&path, bytes).expect("written");
    path
}

macro_rules! targets {
    ($($name:ident: $path:literal, $test:ident;)*) => {$(
        #[allow(unused_attributes, reason = "by itself it is a program, without a `main` of ours")]
        #[path = $path]
        mod $name;

        #[test]
        fn $test() {
            over_all(stringify!($name), $name::run);
        }
    )*};
}

targets! {
    capture: "../../../fuzz/fuzz_targets/capture.rs", captured_hosts_are_read_or_refused;
    diskspd: "../../../fuzz/fuzz_targets/diskspd.rs", profiles_of_diskspd_are_read_or_refused;
    fio: "../../../fuzz/fuzz_targets/fio.rs", job_files_of_fio_are_read_or_refused;
    foreign: "../../../fuzz/fuzz_targets/foreign.rs", results_of_other_tools_are_read_or_refused;
    iolog: "../../../fuzz/fuzz_targets/iolog.rs", logs_of_ios_are_read_or_refused;
    multipath: "../../../fuzz/fuzz_targets/multipath.rs", multipath_configurations_are_looked_at;
    native: "../../../fuzz/fuzz_targets/native.rs", definitions_are_read_or_refused;
    nbd: "../../../fuzz/fuzz_targets/nbd.rs", both_halves_of_nbd_answer_every_stream;
    vdbench: "../../../fuzz/fuzz_targets/vdbench.rs", parameter_files_of_vdbench_are_read_or_refused;
}

#[test]
fn each_fuzz_target_is_here() {
    let folder = seeds::root().join("fuzz/fuzz_targets");
    let here = include_str!("main.rs");
    for entry in std::fs::read_dir(folder).expect("the targets") {
        let name = entry.expect("an entry").file_name();
        let path = format!("fuzz/fuzz_targets/{}\"", name.to_string_lossy());
        assert!(here.contains(&path), "{path}");
    }
}

// At the end: the targets are to find it by the name that they use.
/// A target as a function of bytes.
#[macro_export]
macro_rules! fuzz_target {
    (|$input:ident: $type:ty| $body:expr) => {
        pub fn run(bytes: &[u8]) {
            fn one($input: $type) {
                $body
            }
            if let Some(input) = libfuzzer_sys::Input::of(bytes) {
                one(input);
            }
        }
    };
}
