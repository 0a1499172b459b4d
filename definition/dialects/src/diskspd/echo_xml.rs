//! A profile as DiskSPD writes it, so that it can be read again.

use super::model::{Cache, Format, Profile, Seed, Target, Throughput, TimeSpan};
use plimsoll_printable::xml::Elements;

/// The element `Profile`, so many blanks in.
pub(super) fn profile(profile: &Profile, indent: usize) -> String {
    let mut w = Elements::indented(indent);
    w.open("Profile");
    w.value("Progress", profile.progress);
    w.value(
        "ResultFormat",
        match profile.format {
            Format::Text => "text",
            Format::Xml => "xml",
        },
    );
    w.value("Verbose", profile.verbose);
    if profile.verbose_stats {
        w.value("VerboseStats", true);
    }
    if let Some(precreate) = &profile.precreate {
        w.value("PrecreateFiles", precreate);
    }
    w.open("TimeSpans");
    for span in &profile.spans {
        time_span(&mut w, span);
    }
    w.close("TimeSpans");
    w.close("Profile");
    w.finish()
}

fn time_span(w: &mut Elements, span: &TimeSpan) {
    w.open("TimeSpan");
    w.value("CompletionRoutines", span.completion_routines);
    w.value("MeasureLatency", span.measure_latency);
    w.value("CalculateIopsStdDev", span.iops_std_dev);
    w.value("DisableAffinity", span.disable_affinity);
    w.value("Duration", span.duration_s);
    w.value("Warmup", span.warmup_s);
    w.value("Cooldown", span.cooldown_s);
    w.value("ThreadCount", span.thread_count);
    w.value("RequestCount", span.request_count);
    w.value("IoBucketDuration", span.bucket_ms);
    if let Seed::Number(seed) = span.seed {
        w.value("RandSeed", seed);
    }
    // DiskSPD itself leaves it out, and reads something else again.
    if span.random_write_data {
        w.value("RandomWriteData", true);
    }
    if !span.affinity.is_empty() {
        w.open("Affinity");
        for (group, cpu) in &span.affinity {
            w.line(&format!(
                "<AffinityGroupAssignment Group=\"{group}\" Processor=\"{cpu}\"/>"
            ));
        }
        w.close("Affinity");
    }
    w.open("Targets");
    for at in &span.targets {
        target(w, at);
    }
    w.close("Targets");
    w.close("TimeSpan");
}

fn target(w: &mut Elements, target: &Target) {
    w.open("Target");
    w.value("Path", &target.path);
    w.value("BlockSize", target.block);
    w.value("BaseFileOffset", target.base);
    w.value("SequentialScan", target.hints[1]);
    w.value("RandomAccess", target.hints[0]);
    w.value("TemporaryFile", target.hints[2]);
    w.value("UseLargePages", target.large_pages);
    match target.cache {
        Cache::Cached => {}
        Cache::DisableLocal => w.value("DisableLocalCache", true),
        Cache::DisableOs => w.value("DisableOSCache", true),
    }
    if target.write_through {
        w.value("WriteThrough", true);
    }
    if target.mapped {
        w.value("MemoryMappedIo", true);
    }
    if let Some(flush) = &target.flush {
        w.value("FlushType", flush_name(flush));
    }
    content(w, target);
    w.value("ParallelAsyncIO", target.parallel);
    for (name, value) in [("BurstSize", target.burst), ("ThinkTime", target.think_ms)] {
        if value > 0 {
            w.value(name, value);
        }
    }
    if let Some(size) = target.file_size {
        w.value("FileSize", size);
    }
    order(w, target);
    w.value("ThreadStride", target.thread_stride);
    w.value("MaxFileSize", target.max);
    w.value("RequestCount", target.requests);
    w.value("WriteRatio", target.write_percent);
    match target.throughput {
        Some(Throughput::Iops(n)) => w.line(&format!("<Throughput unit=\"IOPS\">{n}</Throughput>")),
        Some(Throughput::BytesPerMs(n)) => w.value("Throughput", n),
        None => w.value("Throughput", 0),
    }
    w.value("ThreadsPerFile", target.threads);
    w.value("IOPriority", target.priority);
    w.value("Weight", target.weight);
    if !target.thread_targets.is_empty() {
        w.open("ThreadTargets");
        for (thread, weight) in &target.thread_targets {
            w.open("ThreadTarget");
            w.value("Thread", thread);
            if let Some(weight) = weight {
                w.value("Weight", weight);
            }
            w.close("ThreadTarget");
        }
        w.close("ThreadTargets");
    }
    w.close("Target");
}

fn flush_name(flush: &str) -> &str {
    match flush {
        "v" => "ViewOfFile",
        "n" => "NonVolatileMemory",
        "i" => "NonVolatileMemoryNoDrain",
        name => name,
    }
}

fn content(w: &mut Elements, target: &Target) {
    w.open("WriteBufferContent");
    let random = target.source.is_some() || target.random_unsized;
    w.value(
        "Pattern",
        match (target.zero, random) {
            (true, _) => "zero",
            (false, true) => "random",
            (false, false) => "sequential",
        },
    );
    if let (Some(source), false) = (&target.source, target.zero) {
        w.open("RandomDataSource");
        w.value("SizeInBytes", source.size);
        if let Some(file) = &source.file {
            w.value("FilePath", file);
        }
        w.close("RandomDataSource");
    }
    w.close("WriteBufferContent");
}

fn order(w: &mut Elements, target: &Target) {
    if target.random_percent == 0 {
        w.value("StrideSize", target.alignment());
        w.value("InterlockedSequential", target.interlocked);
        return;
    }
    w.value("Random", target.alignment());
    if target.random_percent < 100 {
        w.value("RandomRatio", target.random_percent);
    }
    let Some(distribution) = &target.distribution else {
        return;
    };
    let kind = if distribution.absolute {
        "Absolute"
    } else {
        "Percent"
    };
    w.open("Distribution");
    w.open(kind);
    for (io, length) in &distribution.ranges {
        w.line(&format!("<Range IO=\"{io}\">{length}</Range>"));
    }
    w.close(kind);
    w.close("Distribution");
}
