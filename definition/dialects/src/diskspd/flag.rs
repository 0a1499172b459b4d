//! DiskSPD's flags, as data: how each is written, what it means, and what becomes of it here.

/// What a flag does here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// What it does in DiskSPD.
    Works,
    /// Nothing, and why that changes no load that Linux could give.
    Nothing(&'static str),
    /// Something near to it; how that differs.
    Differs(&'static str),
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

/// Flags as lines: name, how it is written, effect, meaning.
macro_rules! flags {
    ($($name:literal $form:literal $effect:expr, $meaning:literal;)*) => {
        &[$(Flag { name: $name, form: $form, meaning: $meaning, effect: $effect },)*]
    };
}

use Effect::{Differs, Nothing, Refused, Works};

const EVENTS: Effect = Refused("named events are Windows'; start and stop the command itself");
const HINT: Effect = Nothing("files are opened without Windows' access hints");

/// All flags of DiskSPD 2.2, and the spellings that only its port to Linux has.
pub const FLAGS: &[Flag] = flags! {
    "?" "-?" Works, "print this";
    ":" "-:FLAGS" Nothing("they change how DiskSPD itself sleeps"), "experiments of DiskSPD's own";
    "a" "-a0,1,2" Works, "pin threads to these CPUs in turn; -ag0,0,1 names the processor group, of which Linux has one";
    "ag" "-ag" Nothing("threads are pinned only to CPUs that are listed, as in -a0,1"), "pin threads to all CPUs in turn, DiskSPD's default";
    "b" "-bSIZE" Works, "I/O size, and the block of sizes in b [64K]";
    "B" "-BBASE[:LENGTH]" Works, "the part of the target that is used [all of it]";
    "c" "-cSIZE" Works, "make files of this size, of zeros; one that is there and large enough stays as it is";
    "C" "-CSECONDS" Nothing("the load ends with the measured time; no number is from a cool-down"),
        "cool-down: load that goes on after the measurement [0]";
    "d" "-dSECONDS" Works, "measured time [10]";
    "D" "-D[MS]" Works, "the standard deviation of IOPS over intervals, in XML the series too [1000]";
    "e" "-eWHAT" Nothing("event tracing is Windows'"), "event tracing";
    "f" "-fSIZE" Works, "use nothing of the target from this offset on";
    "fr" "-fr, -fs, -ft" HINT, "open files with the hint random, sequential, temporary";
    "F" "-FCOUNT" Works, "threads for all targets together";
    "g" "-gN, -gNi" Works, "the most of each thread on each target: bytes per millisecond, or I/Os per second";
    "h" "-h" Works, "the old form of -Sh";
    "i" "-iCOUNT" Works, "I/Os of a burst, with -j";
    "j" "-jMS" Works, "the pause after a burst, with -i";
    "I" "-I1, -I2, -I3" Nothing("Windows' priority hints have no like here"), "priority of I/Os: very low, low, normal [3]";
    "l" "-l" Nothing("buffers lie on huge pages wherever the host gives them"), "large pages for buffers";
    "L" "-L" Works, "latencies in the result";
    "n" "-n" Works, "do not pin threads, which is as it is here";
    "N" "-Nv, -Nn, -Ni" Refused("what is copied into a map of a file is not flushed I/O by I/O here"), "how mapped I/O is flushed";
    "o" "-oCOUNT" Works, "outstanding I/Os of each thread on each target [2]";
    "O" "-OCOUNT" Works, "outstanding I/Os of each thread on all targets, with -F";
    "p" "-p" Works, "each outstanding I/O walks through the target on its own, from the same offset";
    "P" "-P[COUNT]" Nothing("there are no dots"), "a progress dot after so many I/Os";
    "r" "-r[ALIGN]" Works, "random places [aligned to the block]";
    "rs" "-rsPERCENT" Works, "so many percent at random places, the others each behind the one before";
    "rd" "-rdpctIO/TARGET:…, -rdabsIO/SIZE:…" Works, "parts of the I/Os to parts of the target, in order; 0 leaves a gap";
    "R" "-R[p]text, -R[p]xml" Works, "the result's form; with p the profile is printed and nothing runs [text]";
    "s" "-s[STRIDE]" Works, "in order, each thread by itself [stride of a block]";
    "si" "-si[STRIDE]" Works, "in order, all threads together";
    "Sb" "-Sb" Works, "through the page cache, as where nothing is said";
    "Su" "-S, -Su; on Linux -Sd" Works, "around the page cache (O_DIRECT)";
    "Sw" "-Sw" Works, "writes wait for the media (O_DSYNC)";
    "Ss" "-Ss (Linux)" Works, "O_SYNC";
    "Sh" "-Sh" Works, "-Suw";
    "Sm" "-Sm" Works, "files are mapped, and copied from and to: one I/O of each thread at a time";
    "Sr" "-Sr" Refused("Linux has no way to ask for that; -Su goes around the local cache"),
        "no local cache for files of a server, its own in use";
    "t" "-tCOUNT" Works, "threads of each target [1]";
    "T" "-TOFFSET" Works, "how far apart the threads of a target begin";
    "v" "-v" Nothing("what there is to say is said"), "more talk";
    "vs" "-vs" Nothing("there are no such counters here"), "statistics of waits";
    "w" "-wPERCENT" Works, "percent of writes [0]";
    "W" "-WSECONDS" Works, "warm-up, not measured [5]";
    "x" "-x; on Linux -xk, -xp" Nothing("the backend is chosen by what the host allows, or by --backend"), "completion routines";
    "X" "-XFILE" Works, "a profile in XML; -d -W -C -R -v -z may replace what it says";
    "y" "-ysNAME and its like" EVENTS, "named events";
    "z" "-z[SEED]" Works, "seed of random choices [0]; alone another one each time";
    "Z" "-Z; on Linux -Zz" Works, "write zeros [the bytes 0 to 255 repeated]";
    "Zr" "-Zr" Works, "write random bytes, others for each I/O";
    "Zs" "-Zs (Linux)" Refused("a few buffers written over and over are next to nothing to an array that removes duplicates, and no content here repeats so; use -Zr for random bytes, or -Z for zeros"),
        "random bytes of each buffer, again and again";
    "ZSIZE" "-ZSIZE" Differs("each block is new random bytes: DiskSPD cuts all of them from one buffer, so that equal ones come again"),
        "write from a buffer of this size of random bytes";
    "ZFILE" "-ZSIZE,FILE" Differs("the file's bytes are written in their order, all of them: DiskSPD cuts blocks at random places from its first SIZE bytes"),
        "write from a buffer that is filled from a file";
};

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
            Effect::Differs(how) => format!("; here {how}"),
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
