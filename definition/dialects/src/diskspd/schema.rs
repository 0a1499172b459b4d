//! What elements a profile may have, as data: DiskSPD 2.2's schema.

/// What an element holds.
#[derive(Debug, Clone, Copy)]
pub(super) enum ElementContent {
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
    pub kind: ElementContent,
    /// It has to be there.
    pub required: bool,
    /// It may be there several times.
    pub many: bool,
    pub attributes: &'static [Attribute],
}

/// An attribute: its name, what it holds, and whether it has to be there.
pub(super) type Attribute = (&'static str, ElementContent, bool);

const U32: ElementContent = ElementContent::Number(0, u32::MAX);

const fn may(name: &'static str, kind: ElementContent) -> Element {
    Element {
        name,
        kind,
        required: false,
        many: false,
        attributes: &[],
    }
}

const fn must(name: &'static str, kind: ElementContent) -> Element {
    Element {
        required: true,
        ..may(name, kind)
    }
}

const fn several(
    name: &'static str,
    kind: ElementContent,
    attributes: &'static [Attribute],
) -> Element {
    Element {
        required: true,
        many: true,
        attributes,
        ..may(name, kind)
    }
}

const IO: &[Attribute] = &[("IO", ElementContent::Number(0, 100), true)];
const RANGES_PERCENT: &[Element] = &[several("Range", ElementContent::Number(1, 100), IO)];
const RANGES_ABSOLUTE: &[Element] = &[several("Range", ElementContent::Large, IO)];
const DISTRIBUTION: &[Element] = &[
    may("Percent", ElementContent::Of(RANGES_PERCENT)),
    may("Absolute", ElementContent::Of(RANGES_ABSOLUTE)),
];
const SOURCE: &[Element] = &[
    must("SizeInBytes", ElementContent::Large),
    may("FilePath", ElementContent::Text),
];
const CONTENT: &[Element] = &[
    must(
        "Pattern",
        ElementContent::OneOf(&["sequential", "zero", "random"]),
    ),
    may("RandomDataSource", ElementContent::Of(SOURCE)),
];
const THREAD_TARGET: &[Element] = &[must("Thread", U32), may("Weight", U32)];
const THREAD_TARGETS: &[Element] = &[several(
    "ThreadTarget",
    ElementContent::Of(THREAD_TARGET),
    &[],
)];
const FLUSH: &[&str] = &[
    "ViewOfFile",
    "NonVolatileMemory",
    "NonVolatileMemoryNoDrain",
];

const TARGET: &[Element] = &[
    must("Path", ElementContent::Text),
    may("BlockSize", U32),
    may("StrideSize", ElementContent::Large),
    may("InterlockedSequential", ElementContent::Bool),
    may("BaseFileOffset", ElementContent::Large),
    may("SequentialScan", ElementContent::Bool),
    may("RandomAccess", ElementContent::Bool),
    may("TemporaryFile", ElementContent::Bool),
    may("UseLargePages", ElementContent::Bool),
    may("RequestCount", U32),
    may("Random", ElementContent::Large),
    may("RandomRatio", ElementContent::Number(1, 99)),
    may("Distribution", ElementContent::OneElement(DISTRIBUTION)),
    may("DisableAllCache", ElementContent::Bool),
    may("DisableLocalCache", ElementContent::Bool),
    may("DisableOSCache", ElementContent::Bool),
    may("WriteThrough", ElementContent::Bool),
    may("MemoryMappedIo", ElementContent::Bool),
    may("FlushType", ElementContent::OneOf(FLUSH)),
    may("WriteBufferContent", ElementContent::Of(CONTENT)),
    may("BurstSize", U32),
    may("ThinkTime", U32),
    Element {
        attributes: &[("unit", ElementContent::OneOf(&["IOPS", "BPMS"]), false)],
        ..may("Throughput", U32)
    },
    may("ThreadsPerFile", U32),
    may("FileSize", ElementContent::Large),
    may("MaxFileSize", ElementContent::Large),
    may("WriteRatio", ElementContent::Number(0, 100)),
    may("ParallelAsyncIO", ElementContent::Bool),
    may("ThreadStride", ElementContent::Large),
    may("IOPriority", U32),
    may("Weight", U32),
    may("ThreadTargets", ElementContent::Of(THREAD_TARGETS)),
];
const TARGETS: &[Element] = &[several("Target", ElementContent::Of(TARGET), &[])];

const GROUP: &[Attribute] = &[("Group", U32, false), ("Processor", U32, false)];
const AFFINITY: &[Element] = &[
    Element {
        required: false,
        ..several("AffinityAssignment", U32, &[])
    },
    Element {
        required: false,
        ..several("AffinityGroupAssignment", ElementContent::Empty, GROUP)
    },
];

const SPAN: &[Element] = &[
    must("Targets", ElementContent::Of(TARGETS)),
    may("Duration", U32),
    may("Warmup", U32),
    may("Cooldown", U32),
    may("RandSeed", U32),
    may("RandomWriteData", ElementContent::Bool),
    may("ThreadCount", U32),
    may("RequestCount", U32),
    may("GroupAffinity", ElementContent::Bool),
    may("Affinity", ElementContent::OneElement(AFFINITY)),
    may("DisableAffinity", ElementContent::Bool),
    may("CompletionRoutines", ElementContent::Bool),
    may("MeasureLatency", ElementContent::Bool),
    may("CalculateIopsStdDev", ElementContent::Bool),
    may("IoBucketDuration", U32),
];
const SPANS: &[Element] = &[several("TimeSpan", ElementContent::Of(SPAN), &[])];

const ETW: &[Element] = &[
    may("Process", ElementContent::Bool),
    may("Thread", ElementContent::Bool),
    may("ImageLoad", ElementContent::Bool),
    may("DiskIO", ElementContent::Bool),
    may("MemoryPageFaults", ElementContent::Bool),
    may("MemoryHardFaults", ElementContent::Bool),
    may("Network", ElementContent::Bool),
    may("Registry", ElementContent::Bool),
    may("UsePagedMemory", ElementContent::Bool),
    may("UsePerfTimer", ElementContent::Bool),
    may("UseSystemTimer", ElementContent::Bool),
    may("UseCyclesCounter", ElementContent::Bool),
];
const PRECREATE: &[&str] = &[
    "UseMaxSize",
    "CreateOnlyFilesWithConstantSizes",
    "CreateOnlyFilesWithConstantOrZeroSizes",
];

/// What is below `Profile`.
pub(super) const PROFILE: &[Element] = &[
    must("TimeSpans", ElementContent::Of(SPANS)),
    may("Verbose", ElementContent::Bool),
    may("VerboseStats", ElementContent::Bool),
    may("Progress", U32),
    may("ExperimentFlags", U32),
    may("ResultFormat", ElementContent::OneOf(&["text", "xml"])),
    may("ETW", ElementContent::Of(ETW)),
    may("PrecreateFiles", ElementContent::OneOf(PRECREATE)),
];
