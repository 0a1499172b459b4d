//! From a profile's elements, which the schema has been asked about, to types.

use super::codes;
use super::complaints::Complaints;
use super::model::{
    Cache, Distribution, Format, Profile, Seed, Source, Target, Throughput, TimeSpan,
};
use super::xml::{self, XmlReader, text_of};
use plimsoll_diagnostic::{Diagnostic, FileId};
use roxmltree::Node;

fn child<'a, 'i>(node: Node<'a, 'i>, name: &str) -> Option<Node<'a, 'i>> {
    node.children().find(|c| c.has_tag_name(name))
}

fn below<'a, 'i>(
    node: Node<'a, 'i>,
    outer: &'static str,
    inner: &'static str,
) -> impl Iterator<Item = Node<'a, 'i>> {
    let outer = child(node, outer).into_iter();
    outer.flat_map(move |o| o.children().filter(move |c| c.has_tag_name(inner)))
}

/// A number of 64 bits.
fn large(node: Node<'_, '_>) -> u64 {
    text_of(node).trim_start_matches('+').parse().unwrap_or(0)
}

/// A number of 32 bits.
fn small(node: Node<'_, '_>) -> u32 {
    u32::try_from(large(node)).unwrap_or(u32::MAX)
}

fn yes(node: Node<'_, '_>) -> bool {
    matches!(text_of(node).as_str(), "true" | "1")
}

fn attribute(node: Node<'_, '_>, name: &str) -> u32 {
    let text = node.attribute(name).unwrap_or("0");
    text.trim().trim_start_matches('+').parse().unwrap_or(0)
}

/// Reads a profile. Complaints are added; `None` after errors.
pub(super) fn read(file: FileId, text: &str, complaints: &mut Complaints) -> Option<Profile> {
    xml::read(file, text, complaints, profile)
}

/// All of it.
fn profile(root: Node<'_, '_>, reader: &mut XmlReader<'_>) -> Profile {
    let mut profile = Profile::default();
    for node in root.children().filter(Node::is_element) {
        let mut noted = None;
        match node.tag_name().name() {
            "Verbose" => {
                profile.verbose = yes(node);
                noted = profile.verbose.then_some("-v");
            }
            "VerboseStats" => {
                profile.verbose_stats = yes(node);
                noted = profile.verbose_stats.then_some("-vs");
            }
            "Progress" => {
                profile.progress = small(node);
                noted = (profile.progress > 0).then_some("-P");
            }
            "ExperimentFlags" => noted = (small(node) > 0).then_some("-:"),
            "ResultFormat" if text_of(node) == "xml" => profile.format = Format::Xml,
            "ETW" => noted = node.children().any(yes).then_some("-e"),
            "PrecreateFiles" => profile.precreate = Some(text_of(node)),
            _ => {}
        }
        if let Some(name) = noted {
            profile.origins.note(name, reader.span(node));
        }
    }
    profile.spans = below(root, "TimeSpans", "TimeSpan")
        .map(|n| time_span(n, reader))
        .collect();
    profile
}

fn time_span(node: Node<'_, '_>, reader: &mut XmlReader<'_>) -> TimeSpan {
    let mut span = TimeSpan::default();
    span.origins.note("span", reader.span(node));
    for node in node.children().filter(Node::is_element) {
        let field = span_field(&mut span, node);
        if let Some(name) = field {
            span.origins.note(name, reader.span(node));
        }
    }
    span.targets = below(node, "Targets", "Target")
        .map(|n| target(n, reader))
        .collect();
    span
}

/// Processor groups and CPUs; the older form has no groups.
fn cpus(node: Node<'_, '_>) -> Vec<(u32, u32)> {
    let cpus = node.children().filter(Node::is_element);
    cpus.map(|c| match c.has_tag_name("AffinityAssignment") {
        true => (0, small(c)),
        false => (attribute(c, "Group"), attribute(c, "Processor")),
    })
    .collect()
}

/// Elements as lines: the name, what it sets, and under which names its place is known.
macro_rules! elements {
    ($node:ident, $otherwise:expr; $($name:pat => $set:expr, $known:expr;)*) => {
        match $node.tag_name().name() {
            $($name => { $set; $known })*
            _ => $otherwise,
        }
    };
}

/// Reads a field; its name, where it has one.
fn span_field(span: &mut TimeSpan, node: Node<'_, '_>) -> Option<&'static str> {
    elements! { node, None;
        "Duration" => span.duration_s = small(node), Some("for");
        "Warmup" => span.warmup_s = small(node), Some("warmup");
        "Cooldown" => span.cooldown_s = small(node), (span.cooldown_s > 0).then_some("-C");
        "RandSeed" => span.seed = Seed::Number(small(node)), None;
        "RandomWriteData" => span.random_write_data = yes(node), span.random_write_data.then_some("content");
        "ThreadCount" => span.thread_count = small(node), (span.thread_count > 0).then_some("workers");
        "RequestCount" => span.request_count = small(node), (span.request_count > 0).then_some("depth");
        "Affinity" => span.affinity = cpus(node), Some("pin");
        "DisableAffinity" => span.disable_affinity = yes(node), None;
        "CompletionRoutines" => span.completion_routines = yes(node), span.completion_routines.then_some("-x");
        "MeasureLatency" => span.measure_latency = yes(node), None;
        "CalculateIopsStdDev" => span.iops_std_dev = yes(node), None;
        "IoBucketDuration" => span.bucket_ms = small(node), Some("interval");
    }
}

fn target(node: Node<'_, '_>, reader: &mut XmlReader<'_>) -> Target {
    let mut target = Target::default();
    for node in node.children().filter(Node::is_element) {
        for name in place_field(&mut target, node)
            .iter()
            .chain(load_field(&mut target, node))
            .chain(cache_field(&mut target, node))
        {
            target.origins.note(*name, reader.span(node));
        }
    }
    content(&mut target, node, reader);
    distribution(&mut target, node, reader);
    target.thread_targets = below(node, "ThreadTargets", "ThreadTarget")
        .map(|n| {
            (
                child(n, "Thread").map_or(0, small),
                child(n, "Weight").map(small),
            )
        })
        .collect();
    let strides = child(node, "StrideSize");
    let random = child(node, "Random").or(child(node, "RandomRatio"));
    if let (Some(stride), Some(random)) = (strides, random) {
        let name = random.tag_name().name();
        let message = format!("<StrideSize> asks for I/Os in order, and <{name}> for random ones");
        let complaint = Diagnostic::error(codes::CONFLICT, message).at(reader.span(random), "");
        reader
            .complaints
            .add(complaint.at(reader.span(stride), "in order"));
    }
    target
}

/// Fields of where I/Os go; the names under which the place is known.
fn place_field(target: &mut Target, node: Node<'_, '_>) -> &'static [&'static str] {
    elements! { node, &[];
        "Path" => target.path = text_of(node), &["path"];
        "BlockSize" => target.block = small(node), &["block"];
        "StrideSize" => target.align = Some(large(node)), &["-s", "access"];
        "Random" => {
            // RandomRatio, wherever it stands, says how many.
            if target.random_percent == 0 {
                target.random_percent = 100;
            }
            target.align = Some(large(node));
        }, &["-r", "access"];
        "RandomRatio" => target.random_percent = small(node), &["-rs", "access"];
        "InterlockedSequential" => target.interlocked = yes(node), &["-si"];
        "BaseFileOffset" => target.base = large(node), &["-B", "range"];
        "MaxFileSize" => target.max = large(node), &["range"];
        "FileSize" => target.file_size = Some(large(node)), &["size"];
        "ThreadStride" => target.thread_stride = large(node), if target.thread_stride > 0 { &["-T"] } else { &[] };
    }
}

/// Fields of how much is asked for.
fn load_field(target: &mut Target, node: Node<'_, '_>) -> &'static [&'static str] {
    elements! { node, &[];
        "RequestCount" => target.requests = small(node), &["depth"];
        "BurstSize" => target.burst = small(node), &["think"];
        "ThinkTime" => target.think_ms = small(node), &["think"];
        "Throughput" => {
            // 0 is no limit.
            let n = Some(small(node)).filter(|n| *n > 0);
            target.throughput = n.map(|n| match node.attribute("unit").map(str::trim) {
                Some("IOPS") => Throughput::Iops(n),
                _ => Throughput::BytesPerMs(n),
            });
        }, &["max_rate", "max_bandwidth"];
        "ThreadsPerFile" => target.threads = small(node), &["workers"];
        "WriteRatio" => target.write_percent = small(node), &["read"];
        "ParallelAsyncIO" => target.parallel = yes(node), if target.parallel { &["-p"] } else { &[] };
        "IOPriority" => target.priority = small(node), if target.priority != 3 { &["-I"] } else { &[] };
        "Weight" => target.weight = small(node), &["share"];
    }
}

/// Fields of what lies between.
fn cache_field(target: &mut Target, node: Node<'_, '_>) -> &'static [&'static str] {
    let name = node.tag_name().name();
    let cached = ["DisableOSCache", "DisableLocalCache", "DisableAllCache"];
    if !cached.contains(&name) {
        return open_field(target, node);
    }
    if !yes(node) {
        return &["caching"];
    }
    match name {
        "DisableOSCache" if target.cache == Cache::Cached => target.cache = Cache::DisableOs,
        "DisableOSCache" => {}
        // DiskSPD reads it last, so that it wins.
        "DisableLocalCache" => {
            target.cache = Cache::DisableLocal;
            return &["caching", "-Sr"];
        }
        _ => {
            if target.cache == Cache::Cached {
                target.cache = Cache::DisableOs;
            }
            target.write_through = true;
        }
    }
    &["caching"]
}

/// Fields of how it is opened.
fn open_field(target: &mut Target, node: Node<'_, '_>) -> &'static [&'static str] {
    elements! { node, &[];
        "WriteThrough" => target.write_through |= yes(node), &["durability"];
        "MemoryMappedIo" => target.mapped = yes(node), if target.mapped { &["-Sm"] } else { &[] };
        "FlushType" => target.flush = Some(text_of(node)), &["-N"];
        name @ ("SequentialScan" | "RandomAccess" | "TemporaryFile") => {
            let hints = ["RandomAccess", "SequentialScan", "TemporaryFile"];
            let at = hints.iter().position(|h| *h == name).unwrap_or(0);
            target.hints[at] = yes(node);
        }, if yes(node) { &["-fr"] } else { &[] };
        "UseLargePages" => target.large_pages = yes(node), if target.large_pages { &["-l"] } else { &[] };
    }
}

fn content(target: &mut Target, node: Node<'_, '_>, reader: &XmlReader<'_>) {
    let Some(content) = child(node, "WriteBufferContent") else {
        return;
    };
    let pattern = child(content, "Pattern");
    match pattern.map(text_of).as_deref() {
        Some("zero") => target.zero = true,
        Some("random") => match child(content, "RandomDataSource") {
            Some(source) => {
                let file = child(source, "FilePath").map(text_of);
                target.source = Some(Source {
                    size: child(source, "SizeInBytes").map_or(0, large),
                    file: file.filter(|f| !f.is_empty()),
                });
            }
            None => target.random_unsized = true,
        },
        _ => {}
    }
    target
        .origins
        .note("content", reader.span(pattern.unwrap_or(content)));
}

fn distribution(target: &mut Target, node: Node<'_, '_>, reader: &XmlReader<'_>) {
    let Some(outer) = child(node, "Distribution") else {
        return;
    };
    let Some(kind) = outer
        .children()
        .find(|c| c.has_tag_name("Percent") || c.has_tag_name("Absolute"))
    else {
        return;
    };
    let ranges = kind.children().filter(|c| c.has_tag_name("Range"));
    let ranges = ranges.map(|r| (attribute(r, "IO"), large(r))).collect();
    target.distribution = Some(Distribution::new(kind.has_tag_name("Absolute"), ranges));
    target.origins.note("distribution", reader.span(kind));
}
