//! The words of other tools, and what they are here.

/// A word that people bring from another tool.
#[derive(Debug)]
pub struct Foreign {
    /// The word, in small letters.
    pub word: &'static str,
    /// Whose it is.
    pub tool: &'static str,
    /// The key that it is here, which is also its flag's name but for `load`, whose flag is `--rate`.
    pub key: &'static str,
    /// How its values are written here, where they differ.
    pub values: &'static str,
}

/// Words as lines: `"fio" "bs": "block", "a size, as 8k";`
macro_rules! words {
    ($($tool:literal $word:literal: $key:literal, $values:literal;)*) => {
        [$(Foreign { word: $word, tool: $tool, key: $key, values: $values },)*]
    };
}

/// Words of fio, Vdbench and DiskSPD.
pub static FOREIGN: [Foreign; 48] = words! {
    "fio" "runtime": "for", "a time, as 30s";
    "fio" "ramp_time": "warmup", "a time, as 5s";
    "fio" "startdelay": "start", "a time, as 10s";
    "fio" "bs": "block", "a size, as 8k";
    "fio" "blocksize": "block", "a size, as 8k";
    "fio" "bsrange": "block", "4k-64k";
    "fio" "bssplit": "block", "4k=50,64k=50";
    "fio" "iodepth": "depth", "of each target, all workers together";
    "fio" "numjobs": "workers", "they share the depth, where each of fio's jobs has its own";
    "fio" "rw": "read", "randread is read 100; randwrite is read 0; read is access sequential; write is both read 0 and access sequential";
    "fio" "readwrite": "read", "randread is read 100; randwrite is read 0; read is access sequential; write is both read 0 and access sequential";
    "fio" "rwmixread": "read", "percent of reads";
    "fio" "rwmixwrite": "read", "percent of reads: 100 less the writes";
    "fio" "ioengine": "backend", "chosen by what the host allows, or by the flag --backend";
    "fio" "direct": "caching", "direct, the default, or buffered";
    "fio" "filename": "path", "a file or a device";
    "fio" "rate_iops": "max_rate", "a rate, as 5000; load = 5000 for an open loop";
    "fio" "thinktime": "think", "a time, as 5ms";
    "fio" "thinktime_blocks": "think_every", "I/Os of a slot between two thoughts";
    "fio" "random_distribution": "distribution", "zipf=1.1, pareto=0.2, normal=10";
    "fio" "status-interval": "interval", "a time, as 1s";
    "fio" "io_size": "limits", "in a definition: limits = { bytes = \"1g\" }";
    "fio" "fsync": "durability", "fsync_every=8";
    "fio" "cpus_allowed": "pin", "0,2,4";
    "fio" "randseed": "seed", "a whole number";
    "fio" "buffer_compress_percentage": "content", "compress=2 for 50 percent";
    "fio" "dedupe_percentage": "content", "dedupe=2 for 50 percent";
    "fio" "zero_buffers": "content", "zeros";
    "fio" "time_based": "for", "every run is; it lasts for its time";
    "Vdbench" "elapsed": "for", "a time, as 60s";
    "Vdbench" "xfersize": "block", "a size, as 8k";
    "Vdbench" "rdpct": "read", "percent of reads";
    "Vdbench" "threads": "depth", "I/Os in flight on each target";
    "Vdbench" "forthreads": "depth", "a list, as 1,2,4";
    "Vdbench" "forxfersize": "block", "a list, as 4k,8k";
    "Vdbench" "forrdpct": "read", "a list, as 0,50,100";
    "Vdbench" "iorate": "load", "max, curve, or a rate, as 5000";
    "Vdbench" "foriorate": "load", "a list, as 1000,2000";
    "Vdbench" "seekpct": "access", "100 is random, 0 is sequential";
    "Vdbench" "rhpct": "hits", "read=75,area=1m";
    "Vdbench" "whpct": "hits", "write=75,area=1m";
    "Vdbench" "hitarea": "hits", "read=75,area=1m";
    "Vdbench" "lun": "path", "a file or a device";
    "Vdbench" "skew": "share", "relative to the other workloads";
    "Vdbench" "openflags": "durability", "dsync, sync; around the page cache is the default, caching = \"direct\"";
    "Vdbench" "compratio": "content", "compress=2";
    "DiskSPD" "duration": "for", "a time, as 30s";
    "DiskSPD" "outstanding": "depth", "I/Os in flight on each target";
};

/// The word of another tool.
pub fn find(word: &str) -> Option<&'static Foreign> {
    let word = word.to_ascii_lowercase().replace("--", "");
    FOREIGN.iter().find(|f| f.word == word)
}

/// What to write in a definition for another tool's word, where `known` are the keys that may stand there.
pub fn meant(word: &str, known: &[&str]) -> Option<String> {
    let foreign = find(word)?;
    let Foreign {
        word,
        tool,
        key,
        values,
    } = foreign;
    if *key == "backend" {
        return Some(format!("{tool}'s {word} is no key here: it is {values}"));
    }
    let place = match known.contains(key) {
        true => String::new(),
        false => format!(", in {}", table_of(key)),
    };
    Some(format!("{tool}'s {word} is `{key}` here{place}: {values}"))
}

fn table_of(key: &str) -> &'static str {
    use super::keys::{RUN, SHAPE, TARGET, TOP, WORKLOAD};
    let holds = |keys: &'static [super::keys::Key]| super::keys::find(&[keys], key).is_some();
    match key {
        _ if holds(&TOP) => "the lines before the first table",
        _ if holds(&TARGET) => "a [target.NAME]",
        // A workload may have a depth of its own; other tools' is the run's.
        _ if holds(&RUN) => "a [[run]]",
        _ if holds(&SHAPE) || holds(&WORKLOAD) => "a [workload.NAME]",
        _ => "a [[run]]",
    }
}

/// The flag of another tool's word, and how its values are written. None where only a definition can say it.
pub fn flag(word: &str) -> Option<(String, &'static Foreign)> {
    let foreign = find(word)?;
    let flag = match foreign.key {
        "load" => "--rate".to_string(),
        "path" => "a plain word, TARGET".to_string(),
        "limits" | "share" | "start" => return None,
        key => format!("--{}", key.replace('_', "-")),
    };
    Some((flag, foreign))
}
