//! What elements a profile may have, as data: DiskSPD 2.2's schema.

/// What an element holds.
#[derive(Debug, Clone, Copy)]
pub(super) enum Kind {
    /// `true`, `false`, `1` or `0`.
    Bool,
    /// A number of 32 bits in these ends.
    Number(u32, u32),
    /// A number of 64 bits.
    Large,
    /// Any text.
    Text,
    /// One of these words.
    OneOf(&'static [&'static str]),
    /// Nothing but attributes.
    Empty,
    /// Further elements.
    Of(&'static [Element]),
    /// One of these elements, and no other beside it.
    OneElement(&'static [Element]),
}

/// An element below another.
#[derive(Debug, Clone, Copy)]
pub(super) struct Element {
    pub name: &'static str,
    pub kind: Kind,
    /// It has to be there.
    pub required: bool,
    /// It may be there several times.
    pub many: bool,
    pub attributes: &'static [Attribute],
}

/// An attribute: its name, what it holds, and whether it has to be there.
pub(super) type Attribute = (&'static str, Kind, bool);

const U32: Kind = Kind::Number(0, u32::MAX);

const fn may(name: &'static str, kind: Kind) -> Element {
    Element {
        name,
        kind,
        required: false,
        many: false,
        attributes: &[],
    }
}

const fn must(name: &'static str, kind: Kind) -> Element {
    Element {
        required: true,
        ..may(name, kind)
    }
}

const fn several(name: &'static str, kind: Kind, attributes: &'static [Attribute]) -> Element {
    Element {
        required: true,
        many: true,
        attributes,
        ..may(name, kind)
    }
}

const IO: &[Attribute] = &[("IO", Kind::Number(0, 100), true)];
const RANGES_PERCENT: &[Element] = &[several("Range", Kind::Number(1, 100), IO)];
const RANGES_ABSOLUTE: &[Element] = &[several("Range", Kind::Large, IO)];
const DISTRIBUTION: &[Element] = &[
    may("Percent", Kind::Of(RANGES_PERCENT)),
    may("Absolute", Kind::Of(RANGES_ABSOLUTE)),
];
const SOURCE: &[Element] = &[
    must("SizeInBytes", Kind::Large),
    may("FilePath", Kind::Text),
];
const CONTENT: &[Element] = &[
    must("Pattern", Kind::OneOf(&["sequential", "zero", "random"])),
    may("RandomDataSource", Kind::Of(SOURCE)),
];
const THREAD_TARGET: &[Element] = &[must("Thread", U32), may("Weight", U32)];
const THREAD_TARGETS: &[Element] = &[several("ThreadTarget", Kind::Of(THREAD_TARGET), &[])];
const FLUSH: &[&str] = &[
    "ViewOfFile",
    "NonVolatileMemory",
    "NonVolatileMemoryNoDrain",
];

const TARGET: &[Element] = &[
    must("Path", Kind::Text),
    may("BlockSize", U32),
    may("StrideSize", Kind::Large),
    may("InterlockedSequential", Kind::Bool),
    may("BaseFileOffset", Kind::Large),
    may("SequentialScan", Kind::Bool),
    may("RandomAccess", Kind::Bool),
    may("TemporaryFile", Kind::Bool),
    may("UseLargePages", Kind::Bool),
    may("RequestCount", U32),
    may("Random", Kind::Large),
    may("RandomRatio", Kind::Number(1, 99)),
    may("Distribution", Kind::OneElement(DISTRIBUTION)),
    may("DisableAllCache", Kind::Bool),
    may("DisableLocalCache", Kind::Bool),
    may("DisableOSCache", Kind::Bool),
    may("WriteThrough", Kind::Bool),
    may("MemoryMappedIo", Kind::Bool),
    may("FlushType", Kind::OneOf(FLUSH)),
    may("WriteBufferContent", Kind::Of(CONTENT)),
    may("BurstSize", U32),
    may("ThinkTime", U32),
    Element {
        attributes: &[("unit", Kind::OneOf(&["IOPS", "BPMS"]), false)],
        ..may("Throughput", U32)
    },
    may("ThreadsPerFile", U32),
    may("FileSize", Kind::Large),
    may("MaxFileSize", Kind::Large),
    may("WriteRatio", Kind::Number(0, 100)),
    may("ParallelAsyncIO", Kind::Bool),
    may("ThreadStride", Kind::Large),
    may("IOPriority", U32),
    may("Weight", U32),
    may("ThreadTargets", Kind::Of(THREAD_TARGETS)),
];
const TARGETS: &[Element] = &[several("Target", Kind::Of(TARGET), &[])];

const GROUP: &[Attribute] = &[("Group", U32, false), ("Processor", U32, false)];
const AFFINITY: &[Element] = &[
    Element {
        required: false,
        ..several("AffinityAssignment", U32, &[])
    },
    Element {
        required: false,
        ..several("AffinityGroupAssignment", Kind::Empty, GROUP)
    },
];

const SPAN: &[Element] = &[
    must("Targets", Kind::Of(TARGETS)),
    may("Duration", U32),
    may("Warmup", U32),
    may("Cooldown", U32),
    may("RandSeed", U32),
    may("RandomWriteData", Kind::Bool),
    may("ThreadCount", U32),
    may("RequestCount", U32),
    may("GroupAffinity", Kind::Bool),
    may("Affinity", Kind::OneElement(AFFINITY)),
    may("DisableAffinity", Kind::Bool),
    may("CompletionRoutines", Kind::Bool),
    may("MeasureLatency", Kind::Bool),
    may("CalculateIopsStdDev", Kind::Bool),
    may("IoBucketDuration", U32),
];
const SPANS: &[Element] = &[several("TimeSpan", Kind::Of(SPAN), &[])];

const ETW: &[Element] = &[
    may("Process", Kind::Bool),
    may("Thread", Kind::Bool),
    may("ImageLoad", Kind::Bool),
    may("DiskIO", Kind::Bool),
    may("MemoryPageFaults", Kind::Bool),
    may("MemoryHardFaults", Kind::Bool),
    may("Network", Kind::Bool),
    may("Registry", Kind::Bool),
    may("UsePagedMemory", Kind::Bool),
    may("UsePerfTimer", Kind::Bool),
    may("UseSystemTimer", Kind::Bool),
    may("UseCyclesCounter", Kind::Bool),
];
const PRECREATE: &[&str] = &[
    "UseMaxSize",
    "CreateOnlyFilesWithConstantSizes",
    "CreateOnlyFilesWithConstantOrZeroSizes",
];

/// What is below `Profile`.
pub(super) const PROFILE: &[Element] = &[
    must("TimeSpans", Kind::Of(SPANS)),
    may("Verbose", Kind::Bool),
    may("VerboseStats", Kind::Bool),
    may("Progress", U32),
    may("ExperimentFlags", U32),
    may("ResultFormat", Kind::OneOf(&["text", "xml"])),
    may("ETW", Kind::Of(ETW)),
    may("PrecreateFiles", Kind::OneOf(PRECREATE)),
];
