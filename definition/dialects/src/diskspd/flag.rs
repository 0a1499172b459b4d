//! DiskSPD's flags, as data: how each is written, what it means, and what becomes of it here.

/// What a flag does here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// What it does in DiskSPD.
    Works,
    /// Nothing, and why that changes no load that Linux could give.
    Nothing(&'static str),
    /// Something near to it; how that differs.
    Otherwise(&'static str),
    /// It stops the run, and why.
    Refused(&'static str),
}

/// One way of using a flag.
#[derive(Debug, Clone, Copy)]
pub struct Flag {
    /// The letters that name it.
    pub name: &'static str,
    /// How it is written.
    pub form: &'static str,
    /// What it means, with its default.
    pub meaning: &'static str,
    /// What it does here.
    pub effect: Effect,
}

const fn works(name: &'static str, form: &'static str, meaning: &'static str) -> Flag {
    Flag {
        name,
        form,
        meaning,
        effect: Effect::Works,
    }
}

const fn other(
    name: &'static str,
    form: &'static str,
    meaning: &'static str,
    effect: Effect,
) -> Flag {
    Flag {
        name,
        form,
        meaning,
        effect,
    }
}

use Effect::{Nothing, Otherwise, Refused};

const EVENTS: Effect = Refused("named events are Windows'; start and stop the command itself");
const HINT: Effect = Nothing("files are opened without Windows' access hints");

/// All flags of DiskSPD 2.2, and the spellings that only its port to Linux has.
pub const FLAGS: &[Flag] = &[
    works("?", "-?", "print this"),
    other(
        ":",
        "-:FLAGS",
        "experiments of DiskSPD's own",
        Nothing("they change how DiskSPD itself sleeps"),
    ),
    works(
        "a",
        "-a0,1,2",
        "pin threads to these CPUs in turn; -ag0,0,1 names the processor group, of which Linux has one",
    ),
    other(
        "ag",
        "-ag",
        "pin threads to all CPUs in turn, DiskSPD's default",
        Nothing("threads are pinned only to CPUs that are listed, as in -a0,1"),
    ),
    works("b", "-bSIZE", "I/O size, and the block of sizes in b [64K]"),
    works(
        "B",
        "-BBASE[:LENGTH]",
        "the part of the target that is used [all of it]",
    ),
    works(
        "c",
        "-cSIZE",
        "make files of this size; one that is there and large enough stays as it is",
    ),
    other(
        "C",
        "-CSECONDS",
        "cool-down: load that goes on after the measurement [0]",
        Nothing("the load ends with the measured time; no number is from a cool-down"),
    ),
    works("d", "-dSECONDS", "measured time [10]"),
    works(
        "D",
        "-D[MS]",
        "the standard deviation of IOPS over intervals, in XML the series too [1000]",
    ),
    other(
        "e",
        "-eWHAT",
        "event tracing",
        Nothing("event tracing is Windows'"),
    ),
    works(
        "f",
        "-fSIZE",
        "use nothing of the target from this offset on",
    ),
    other(
        "fr",
        "-fr, -fs, -ft",
        "open files with the hint random, sequential, temporary",
        HINT,
    ),
    works("F", "-FCOUNT", "threads for all targets together"),
    works(
        "g",
        "-gN, -gNi",
        "the most of each thread on each target: bytes per millisecond, or I/Os per second",
    ),
    works("h", "-h", "the old form of -Sh"),
    works("i", "-iCOUNT", "I/Os of a burst, with -j"),
    works("j", "-jMS", "the pause after a burst, with -i"),
    other(
        "I",
        "-I1, -I2, -I3",
        "priority of I/Os: very low, low, normal [3]",
        Nothing("Windows' priority hints have no like here"),
    ),
    other(
        "l",
        "-l",
        "large pages for buffers",
        Nothing("buffers lie on huge pages wherever the host gives them"),
    ),
    works("L", "-L", "latencies in the result"),
    works("n", "-n", "do not pin threads, which is as it is here"),
    other(
        "N",
        "-Nv, -Nn, -Ni",
        "how mapped I/O is flushed",
        Refused("what is copied into a map of a file is not flushed I/O by I/O here"),
    ),
    works(
        "o",
        "-oCOUNT",
        "outstanding I/Os of each thread on each target [2]",
    ),
    works(
        "O",
        "-OCOUNT",
        "outstanding I/Os of each thread on all targets, with -F",
    ),
    works(
        "p",
        "-p",
        "each outstanding I/O walks through the target on its own, from the same offset",
    ),
    other(
        "P",
        "-P[COUNT]",
        "a progress dot after so many I/Os",
        Nothing("there are no dots"),
    ),
    works("r", "-r[ALIGN]", "random places [aligned to the block]"),
    works(
        "rs",
        "-rsPERCENT",
        "so many percent at random places, the others each behind the one before",
    ),
    works(
        "rd",
        "-rdpctIO/TARGET:…, -rdabsIO/SIZE:…",
        "parts of the I/Os to parts of the target, in order; 0 leaves a gap",
    ),
    works(
        "R",
        "-R[p]text, -R[p]xml",
        "the result's form; with p the profile is printed and nothing runs [text]",
    ),
    works(
        "s",
        "-s[STRIDE]",
        "in order, each thread by itself [stride of a block]",
    ),
    works("si", "-si[STRIDE]", "in order, all threads together"),
    works(
        "Sb",
        "-Sb",
        "through the page cache, as where nothing is said",
    ),
    works(
        "Su",
        "-S, -Su; on Linux -Sd",
        "around the page cache (O_DIRECT)",
    ),
    works("Sw", "-Sw", "writes wait for the media (O_DSYNC)"),
    works("Ss", "-Ss (Linux)", "O_SYNC"),
    works("Sh", "-Sh", "-Suw"),
    works(
        "Sm",
        "-Sm",
        "files are mapped, and copied from and to: one I/O of each thread at a time",
    ),
    other(
        "Sr",
        "-Sr",
        "no local cache for files of a server, its own in use",
        Refused("Linux has no way to ask for that; -Su goes around the local cache"),
    ),
    works("t", "-tCOUNT", "threads of each target [1]"),
    works(
        "T",
        "-TOFFSET",
        "how far apart the threads of a target begin",
    ),
    other(
        "v",
        "-v",
        "more talk",
        Nothing("what there is to say is said"),
    ),
    other(
        "vs",
        "-vs",
        "statistics of waits",
        Nothing("there are no such counters here"),
    ),
    works("w", "-wPERCENT", "percent of writes [0]"),
    works("W", "-WSECONDS", "warm-up, not measured [5]"),
    other(
        "x",
        "-x; on Linux -xk, -xp",
        "completion routines",
        Nothing("the backend is chosen by what the host allows, or by --backend"),
    ),
    works(
        "X",
        "-XFILE",
        "a profile in XML; -d -W -C -R -v -z may replace what it says",
    ),
    other("y", "-ysNAME and its like", "named events", EVENTS),
    works(
        "z",
        "-z[SEED]",
        "seed of random choices [0]; alone another one each time",
    ),
    works(
        "Z",
        "-Z; on Linux -Zz",
        "write zeros [the bytes 0 to 255 repeated]",
    ),
    works("Zr", "-Zr", "write random bytes, others for each I/O"),
    other(
        "Zs",
        "-Zs (Linux)",
        "random bytes of each buffer, again and again",
        Refused(
            "a few buffers written over and over are next to nothing to an array that removes duplicates, and no content here repeats so; use -Zr for random bytes, or -Z for zeros",
        ),
    ),
    other(
        "ZSIZE",
        "-ZSIZE",
        "write from a buffer of this size of random bytes",
        Otherwise(
            "each block is new random bytes: DiskSPD cuts all of them from one buffer, so that equal ones come again",
        ),
    ),
    other(
        "ZFILE",
        "-ZSIZE,FILE",
        "write from a buffer that is filled from a file",
        Otherwise(
            "the file's bytes are written in their order, all of them: DiskSPD cuts blocks at random places from its first SIZE bytes",
        ),
    ),
];

/// The flag of a name.
pub fn named(name: &str) -> Option<&'static Flag> {
    FLAGS.iter().find(|flag| flag.name == name)
}

/// The flags and what they mean, for people.
pub fn help() -> String {
    let lines = FLAGS.iter().map(|flag| {
        let note = match flag.effect {
            Effect::Works => String::new(),
            Effect::Nothing(why) => format!("; no effect: {why}"),
            Effect::Otherwise(how) => format!("; here {how}"),
            Effect::Refused(why) => format!("; refused: {why}"),
        };
        format!("  {:<22} {}{note}\n", flag.form, flag.meaning)
    });
    lines.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_there_once() {
        for (at, flag) in FLAGS.iter().enumerate() {
            assert!(
                FLAGS[..at].iter().all(|f| f.name != flag.name),
                "{}",
                flag.name
            );
            assert!(flag.form.starts_with('-'), "{}", flag.form);
        }
    }
}
