//! Every keyword of every section, in the order in which Vdbench tests them, and what this version does with it.
//!
//! The order decides what an abbreviation means: the first keyword that begins with what was typed wins.

use super::section::Section;

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

impl Keyword {
    const fn beside(self, beside: Beside) -> Keyword {
        Keyword { beside, ..self }
    }
}

const VALIDATION: &str = "data validation cannot be done yet";
const JOURNAL: &str = "journals cannot be kept yet";
const REPLAY: &str = "I/O traces cannot be replayed yet";
const FILE_SYSTEM: &str = "file-system workloads cannot be run yet";
const MONITOR: &str = "control files are not watched yet";
const JAVA: &str = "it tunes Vdbench's own Java processes; there are none here";
const REPORTS: &str = "it chooses among Vdbench's own report files";
const REMOTE: Beside =
    Beside::Refused("Vdbench would start programs of another host, or that are not its own");
const HOSTS: &str =
    "it tells Vdbench how its processes find each other; here agents do that themselves";

/// General parameters.
pub const GENERAL: &[Keyword] = &[
    word(
        "abort_failed_skew",
        Refused("runs are not ended by a missed skew yet"),
    ),
    word("data_errors", Works),
    word("dataerrors", Works),
    word("dedupratio", Works),
    word("dedupunit", Works),
    word("dedupsets", Works),
    word(
        "deduphotsets",
        Refused("hot sets of duplicates cannot be made yet"),
    ),
    word("dedupflipflop", Works),
    word(
        "dedupacross",
        Nothing("duplicates are made over all targets' blocks alike"),
    ),
    word("compratio", Works),
    word("compression", Works),
    word(
        "compressionseed",
        Nothing("the run's own seed decides all content"),
    ),
    word("pattern", Works),
    word(
        "pattern_buffer",
        Nothing("patterns are repeated for as long as a transfer is"),
    ),
    word("formatsds", Works),
    word("formatxfersize", Works),
    word(
        "create_anchors",
        Nothing("it concerns file-system workloads only"),
    ),
    word(
        "fwd_thread_adjust",
        Nothing("it concerns file-system workloads only"),
    ),
    word("histogram", Works),
    exact("startcmd", Works),
    exact("endcmd", Works),
    word("monitor", Refused(MONITOR)),
    word("report", Nothing(REPORTS)),
    word("report_run_totals", Nothing(REPORTS)),
    word("concatenatesds", Works),
    word("concatenate", Works),
    word(
        "messagescan",
        Nothing("the kernel's messages are not scanned"),
    ),
    word("heartbeat_error", Nothing(JAVA)),
    word(
        "timeout",
        Nothing("a device that hangs is given up after the drain deadline"),
    ),
    word("port", Nothing(JAVA)),
    exact("loop", Refused("definitions are not repeated yet")),
    word("ios_per_jvm", Nothing(JAVA)),
    word("psrset", Nothing("it is for Solaris")),
    exact(
        "showlba",
        Refused("traces of addresses are not written yet"),
    ),
    exact("debug", Nothing("it switches Vdbench's own tracing")),
    word("misc", Nothing("it switches Vdbench's own internals")),
    word("unix2windows", Refused("Windows paths cannot be used")),
    word("auxreport", Refused("auxiliary reports are not written")),
    exact("journal", Refused(JOURNAL)),
    word("validate", Refused(VALIDATION)),
    word("swat", Gone),
];

/// Host definitions.
pub const HOST: &[Keyword] = &[
    exact("hd", Works),
    word("system", Works),
    word("vdbench", Nothing(HOSTS)).beside(REMOTE),
    word("user", Works).beside(REMOTE),
    word("shell", Works).beside(REMOTE),
    word("jvms", Nothing(JAVA)).beside(Beside::Written),
    word("clients", Works).beside(REMOTE),
    word(
        "mount",
        Refused("file systems are not mounted by definitions"),
    ),
    word("master", Nothing(HOSTS)).beside(REMOTE),
];

/// Replay groups.
pub const REPLAY_GROUP: &[Keyword] = &[
    exact("rg", Refused(REPLAY)),
    word("devices", Refused(REPLAY)),
];

/// Storage definitions.
pub const STORAGE: &[Keyword] = &[
    exact("sd", Works),
    exact("host", Works),
    exact("hd", Works),
    word("lun", Works),
    word("size", Works),
    word("count", Works),
    word("threads", Works),
    word("range", Works),
    word("offset", Works),
    word("align", Works),
    word("hitarea", Works),
    word("openflags", Works),
    word("journal", Refused(JOURNAL)),
    word("dedupratio", Works),
    word("dedupunit", Works),
    word("dedupsets", Works),
    word(
        "deduphotsets",
        Refused("hot sets of duplicates cannot be made yet"),
    ),
    word("dedupflipflop", Works),
    word("replay", Refused(REPLAY)),
    word("resetlun", Refused("devices are not reset by definitions")),
    word("resetbus", Refused("devices are not reset by definitions")),
    word("streams", Gone),
    word("instance", Nothing("it named Solaris kernel statistics")),
];

/// Workload definitions. `hotband-corrected` is this program's own: the band as Vdbench's manual describes it.
pub const WORKLOAD: &[Keyword] = &[
    exact("wd", Works),
    exact("sd", Works),
    exact("host", Works),
    exact("hd", Works),
    word("xfersize", Works),
    word("rdpct", Works),
    word("readpct", Works),
    word("wrpct", Works),
    word("writepct", Works),
    word("seekpct", Works),
    word("stride", Works),
    word("range", Works),
    word("hotband", Works),
    exact("hotband-corrected", Works).beside(Beside::Refused("Vdbench has no such parameter")),
    word("skew", Works),
    word("iorate", Works),
    word("priority", Works),
    word("rhpct", Works),
    word("whpct", Works),
    word("streams", Works),
    word("threads", Works),
    word("openflags", Works),
    word("user", Refused("user classes cannot be used yet")),
];

/// Run definitions.
pub const RUN: &[Keyword] = &[
    exact("rd", Works),
    exact("wd", Works),
    exact("sd", Works),
    exact("fwd", Refused(FILE_SYSTEM)),
    exact("fsd", Refused(FILE_SYSTEM)),
    word("iorate", Works),
    word("curve", Works),
    word("stopcurve", Works),
    word("elapsed", Works),
    word("interval", Works),
    word("warmup", Works),
    word("pause", Works),
    word("distribution", Works),
    exact("maxdata", Works),
    exact("maxdataread", Works),
    exact("maxdatawritten", Works),
    exact("maxdata_read", Works),
    exact("maxdata_written", Works),
    word("openflags", Works),
    exact("startcmd", Works),
    exact("endcmd", Works),
    exact("replay", Refused(REPLAY)),
    word("fwdrate", Refused(FILE_SYSTEM)),
    word("format", Refused(FILE_SYSTEM)),
    word("forxfersize", Works),
    word("xfersize", Works),
    word("forthreads", Works),
    word("threads", Works),
    word("forrdpct", Works),
    word("rdpct", Works),
    word("readpct", Works),
    word("forrhpct", Works),
    word("rhpct", Works),
    word("forwhpct", Works),
    word("whpct", Works),
    word("forseekpct", Works),
    word("seekpct", Works),
    word("forhitarea", Works),
    word("hitarea", Works),
    word("forcompratio", Works),
    word("compratio", Works),
    word("forcompression", Works),
    word("compression", Works),
    word("fordepth", Refused(FILE_SYSTEM)),
    word("depth", Refused(FILE_SYSTEM)),
    word("forwidth", Refused(FILE_SYSTEM)),
    word("width", Refused(FILE_SYSTEM)),
    word("forfiles", Refused(FILE_SYSTEM)),
    word("files", Refused(FILE_SYSTEM)),
    word("forsizes", Refused(FILE_SYSTEM)),
    word("sizes", Refused(FILE_SYSTEM)),
    word("fortotalsize", Refused(FILE_SYSTEM)),
    word("totalsize", Refused(FILE_SYSTEM)),
    word("forwss", Refused(FILE_SYSTEM)),
    word("wss", Refused(FILE_SYSTEM)),
    word("forworkingsetsize", Refused(FILE_SYSTEM)),
    word("workingsetsize", Refused(FILE_SYSTEM)),
    word("foroperations", Refused(FILE_SYSTEM)),
    word("operations", Refused(FILE_SYSTEM)),
    word("resetlun", Refused("devices are not reset by definitions")),
    word("resetbus", Refused("devices are not reset by definitions")),
];

/// File-system definitions.
pub const FILE_SYSTEM_DEFINITION: &[Keyword] = &[
    exact("fsd", Refused(FILE_SYSTEM)),
    word("anchor", Refused(FILE_SYSTEM)),
    word("depth", Refused(FILE_SYSTEM)),
    word("width", Refused(FILE_SYSTEM)),
    word("files", Refused(FILE_SYSTEM)),
    word("sizes", Refused(FILE_SYSTEM)),
    word("distribution", Refused(FILE_SYSTEM)),
    word("totalsize", Refused(FILE_SYSTEM)),
    word("workingsetsize", Refused(FILE_SYSTEM)),
    word("wss", Refused(FILE_SYSTEM)),
    word("shared", Refused(FILE_SYSTEM)),
    word("count", Refused(FILE_SYSTEM)),
    word("openflags", Refused(FILE_SYSTEM)),
    word("journal", Refused(JOURNAL)),
    word("dedupratio", Gone),
    word("dedupunit", Gone),
    word("dedupsets", Gone),
    word("deduphotsets", Gone),
    word("dedupflipflop", Gone),
    exact("mask", Refused(FILE_SYSTEM)),
    exact("log", Refused(FILE_SYSTEM)),
];

/// File-system workload definitions.
pub const FILE_WORKLOAD: &[Keyword] = &[
    exact("fwd", Refused(FILE_SYSTEM)),
    exact("fsd", Refused(FILE_SYSTEM)),
    exact("host", Refused(FILE_SYSTEM)),
    exact("hd", Refused(FILE_SYSTEM)),
    word("operations", Refused(FILE_SYSTEM)),
    word("fileio", Refused(FILE_SYSTEM)),
    word("fileselect", Refused(FILE_SYSTEM)),
    word("xfersizes", Refused(FILE_SYSTEM)),
    word("stopafter", Refused(FILE_SYSTEM)),
    word("skew", Refused(FILE_SYSTEM)),
    word("threads", Refused(FILE_SYSTEM)),
    word("rdpct", Refused(FILE_SYSTEM)),
    word("readpct", Refused(FILE_SYSTEM)),
    word("target", Refused(FILE_SYSTEM)),
    word("openflags", Refused(FILE_SYSTEM)),
];

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

/// True for what is a keyword in any section.
pub fn known(typed: &str) -> bool {
    let typed = typed.to_lowercase();
    Section::ALL
        .iter()
        .any(|section| resolve(section.keywords(), &typed).is_some())
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
