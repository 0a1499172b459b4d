//! Every keyword of every section, in the order in which Vdbench tests them, and what this version does with it.
//!
//! The order decides what an abbreviation means: the first keyword that begins with what was typed wins.

/// One keyword of a section.
#[derive(Debug, PartialEq, Eq)]
pub struct Keyword {
    /// The full spelling.
    pub name: &'static str,
    /// It must be written in full.
    pub exact: bool,
    /// What becomes of it.
    pub effect: Effect,
    /// What becomes of it in a file that is written for the real Vdbench.
    pub beside: Beside,
}

/// What becomes of a parameter where the real Vdbench is given what is written from what was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Beside {
    /// It is written as it was read.
    Written,
    /// It changes no I/O on the targets, and is left out.
    LeftOut,
    /// Vdbench would do more than what was judged: why.
    Refused(&'static str),
}

/// What becomes of a parameter in a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// It does what Vdbench does with it.
    Works,
    /// It is accepted, and this is why it changes nothing.
    Nothing(&'static str),
    /// A run that has it is refused by name, for this reason. Simulation accepts it.
    Refused(&'static str),
    /// Vdbench itself no longer takes it.
    Gone,
}

use Effect::{Gone, Nothing, Refused, Works};

const fn word(name: &'static str, effect: Effect) -> Keyword {
    Keyword {
        name,
        exact: false,
        effect,
        // Only what the plan has is written, unless it says otherwise.
        beside: match effect {
            Effect::Works => Beside::Written,
            Effect::Nothing(_) => Beside::LeftOut,
            Effect::Refused(why) => Beside::Refused(why),
            Effect::Gone => Beside::Refused("Vdbench refuses it"),
        },
    }
}

const fn exact(name: &'static str, effect: Effect) -> Keyword {
    Keyword {
        exact: true,
        ..word(name, effect)
    }
}

const fn remote(name: &'static str, effect: Effect) -> Keyword {
    Keyword {
        beside: REMOTE,
        ..word(name, effect)
    }
}

/// It works, and the real Vdbench is not let at directories yet.
const fn tree(name: &'static str, effect: Effect) -> Keyword {
    Keyword {
        beside: Beside::Refused("file systems are not run beside yet"),
        ..word(name, effect)
    }
}

const fn exact_tree(name: &'static str, effect: Effect) -> Keyword {
    Keyword {
        exact: true,
        ..tree(name, effect)
    }
}

const fn written(name: &'static str, effect: Effect) -> Keyword {
    Keyword {
        beside: Beside::Written,
        ..word(name, effect)
    }
}

const fn ours(name: &'static str, effect: Effect) -> Keyword {
    Keyword {
        beside: Beside::Refused("Vdbench has no such parameter"),
        ..exact(name, effect)
    }
}

/// Keywords by their effect, in Vdbench's order: `word Works => "lun" "size";`
macro_rules! keywords {
    ($($kind:ident $effect:expr => $($name:literal)+;)*) => {
        &[$($($kind($name, $effect),)+)*]
    };
}

const VALIDATION: &str = "data validation cannot be done yet";
const JOURNAL: &str = "journals cannot be kept yet";
const REPLAY: &str = "I/O traces cannot be replayed yet";
const PART_OF_FILES: &str = "the part of the files that is used is that of the fsd in all runs";
const MASK: &str = "directories and files have Vdbench's own names";
const MONITOR: &str = "control files are not watched yet";
const JAVA: &str = "it tunes Vdbench's own Java processes; there are none here";
const REPORTS: &str = "it chooses among Vdbench's own report files";
const REMOTE: Beside =
    Beside::Refused("Vdbench would start programs of another host, or that are not its own");
const HOSTS: &str =
    "it tells Vdbench how its processes find each other; here agents do that themselves";

/// General parameters.
pub const GENERAL: &[Keyword] = keywords! {
    word Refused("runs are not ended by a missed skew yet") => "abort_failed_skew";
    word Works => "data_errors" "dataerrors";
    exact Works => "dedupratio" "dedupunit" "dedupsets";
    exact Refused("hot sets of duplicates cannot be made yet") => "deduphotsets";
    exact Works => "dedupflipflop";
    exact Nothing("duplicates are made over all targets' blocks alike") => "dedupacross";
    word Works => "compratio" "compression";
    word Nothing("the run's own seed decides all content") => "compressionseed";
    word Works => "pattern";
    word Nothing("patterns are repeated for as long as a transfer is") => "pattern_buffer";
    word Works => "formatsds" "formatxfersize";
    word Nothing("it concerns file-system workloads only") => "create_anchors" "fwd_thread_adjust";
    word Works => "histogram";
    exact Works => "startcmd" "endcmd";
    word Refused(MONITOR) => "monitor";
    word Nothing(REPORTS) => "report" "report_run_totals";
    word Works => "concatenatesds" "concatenate";
    word Nothing("the kernel's messages are not scanned") => "messagescan";
    word Nothing(JAVA) => "heartbeat_error";
    word Nothing("a device that hangs is given up after the drain deadline") => "timeout";
    word Nothing(JAVA) => "port";
    exact Refused("definitions are not repeated yet") => "loop";
    word Nothing(JAVA) => "ios_per_jvm";
    word Nothing("it is for Solaris") => "psrset";
    exact Refused("traces of addresses are not written yet") => "showlba";
    exact Nothing("it switches Vdbench's own tracing") => "debug";
    word Nothing("it switches Vdbench's own internals") => "misc";
    word Refused("Windows paths cannot be used") => "unix2windows";
    word Refused("auxiliary reports are not written") => "auxreport";
    exact Refused(JOURNAL) => "journal";
    word Refused(VALIDATION) => "validate";
    word Gone => "swat";
};

/// Host definitions.
pub const HOST: &[Keyword] = keywords! {
    exact Works => "hd";
    word Works => "system";
    remote Nothing(HOSTS) => "vdbench";
    remote Works => "user" "shell";
    written Nothing(JAVA) => "jvms";
    remote Works => "clients";
    word Refused("file systems are not mounted by definitions") => "mount";
    remote Nothing(HOSTS) => "master";
};

/// Replay groups.
pub const REPLAY_GROUP: &[Keyword] = keywords! {
    exact Refused(REPLAY) => "rg";
    word Refused(REPLAY) => "devices";
};

/// Storage definitions.
pub const STORAGE: &[Keyword] = keywords! {
    exact Works => "sd" "host" "hd";
    word Works => "lun" "size" "count" "threads" "range" "offset" "align" "hitarea" "openflags";
    word Refused(JOURNAL) => "journal";
    exact Works => "dedupratio" "dedupunit" "dedupsets";
    exact Refused("hot sets of duplicates cannot be made yet") => "deduphotsets";
    exact Works => "dedupflipflop";
    word Refused(REPLAY) => "replay";
    word Refused("devices are not reset by definitions") => "resetlun" "resetbus";
    word Gone => "streams";
    word Nothing("it named Solaris kernel statistics") => "instance";
};

/// Workload definitions. `hotband-corrected` is this program's own: the band as Vdbench's manual describes it.
pub const WORKLOAD: &[Keyword] = keywords! {
    exact Works => "wd" "sd" "host" "hd";
    word Works => "xfersize" "rdpct" "readpct" "wrpct" "writepct" "seekpct" "stride" "range" "hotband";
    ours Works => "hotband-corrected";
    word Works => "skew" "iorate" "priority" "rhpct" "whpct" "streams" "threads" "openflags";
    word Refused("user classes cannot be used yet") => "user";
};

/// Run definitions.
pub const RUN: &[Keyword] = keywords! {
    exact Works => "rd" "wd" "sd";
    exact_tree Works => "fwd" "fsd";
    word Works => "iorate" "curve" "stopcurve" "elapsed" "interval" "warmup" "pause" "distribution";
    exact Works => "maxdata" "maxdataread" "maxdatawritten" "maxdata_read" "maxdata_written";
    word Works => "openflags";
    exact Works => "startcmd" "endcmd";
    exact Refused(REPLAY) => "replay";
    tree Works => "fwdrate" "format";
    word Works => "forxfersize" "xfersize" "forthreads" "threads" "forrdpct" "rdpct" "readpct" "forrhpct" "rhpct" "forwhpct" "whpct"
        "forseekpct" "seekpct" "forhitarea" "hitarea" "forcompratio" "compratio" "forcompression" "compression";
    word Works => "fordepth" "depth" "forwidth" "width" "forfiles" "files" "forsizes" "sizes";
    word Refused(PART_OF_FILES) => "fortotalsize" "totalsize" "forwss" "wss" "forworkingsetsize" "workingsetsize";
    tree Works => "foroperations" "operations";
    word Refused("devices are not reset by definitions") => "resetlun" "resetbus";
};

/// File-system definitions.
pub const FILE_SYSTEM_DEFINITION: &[Keyword] = keywords! {
    exact_tree Works => "fsd";
    tree Works => "anchor" "depth" "width" "files" "sizes" "distribution";
    word Works => "totalsize" "workingsetsize" "wss";
    tree Works => "shared" "count" "openflags";
    word Refused(JOURNAL) => "journal";
    word Gone => "dedupratio" "dedupunit" "dedupsets" "deduphotsets" "dedupflipflop";
    exact Refused(MASK) => "mask";
    exact Refused("accesses to files are not logged yet") => "log";
};

/// File-system workload definitions.
pub const FILE_WORKLOAD: &[Keyword] = keywords! {
    exact_tree Works => "fwd" "fsd" "host" "hd";
    tree Works => "operations" "fileio" "fileselect" "xfersizes" "stopafter";
    tree Works => "skew" "threads" "rdpct" "readpct";
    tree Works => "target" "openflags";
};

/// The keyword that `typed` (lower case) stands for in `table`: itself, or the first that it begins. Fewer than two
/// characters stand for nothing.
pub fn resolve<'a>(table: &'a [Keyword], typed: &str) -> Option<&'a Keyword> {
    if typed.len() < 2 {
        return None;
    }
    table
        .iter()
        .find(|k| k.name == typed)
        .or_else(|| table.iter().find(|k| !k.exact && k.name.starts_with(typed)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_abbreviation_means_the_first_keyword_that_it_begins() {
        for (table, typed, name) in [
            (RUN, "io", "iorate"),
            (RUN, "el", "elapsed"),
            (RUN, "in", "interval"),
            (RUN, "th", "threads"),
            (RUN, "wa", "warmup"),
            (RUN, "xfer", "xfersize"),
            (RUN, "forx", "forxfersize"),
            (RUN, "fort", "forthreads"),
            (RUN, "size", "sizes"),
            (RUN, "operation", "operations"),
            (WORKLOAD, "xf", "xfersize"),
            (WORKLOAD, "se", "seekpct"),
            (WORKLOAD, "hotband-corrected", "hotband-corrected"),
            (WORKLOAD, "hot", "hotband"),
            (STORAGE, "openflag", "openflags"),
            (STORAGE, "th", "threads"),
            (FILE_SYSTEM_DEFINITION, "size", "sizes"),
        ] {
            assert_eq!(resolve(table, typed).map(|k| k.name), Some(name), "{typed}");
        }
    }

    #[test]
    fn some_names_cannot_be_abbreviated() {
        assert_eq!(resolve(RUN, "maxd"), None);
        assert_eq!(resolve(GENERAL, "debu"), None);
        assert_eq!(resolve(STORAGE, "s"), None);
    }
}
