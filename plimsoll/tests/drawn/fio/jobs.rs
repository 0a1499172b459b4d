//! Job files out of a seed, and what is known of each job by how it was drawn.

use crate::draw::{Draw, numbers};

/// Job as it was drawn. All that is said of its results follows from this and from the other tool.
#[derive(Debug, Clone, Default)]
pub struct Asked {
    pub name: &'static str,
    /// Percent of reads; `None` for trims.
    pub reads: Option<u32>,
    pub random: bool,
    /// Each block once before any again.
    pub map: bool,
    /// The size of its I/Os, of whichever direction; `None` where they differ.
    pub block: Option<u64>,
    pub largest: u64,
    /// The order of its addresses follows from the job: each of them, in this order.
    pub in_order: bool,
    /// Reads and writes go through it each by themselves: so do those of each.
    pub each_in_order: bool,
    /// True where it has a rate, so that its time tells its count.
    pub rated: bool,
    /// True where it goes on for its time.
    pub timed: bool,
    /// True where it pauses.
    pub thinks: bool,
    pub clones: u64,
    pub grouped: bool,
    pub depth: u64,
    /// True where it ends with a number of I/Os or bytes of its own.
    pub cut: bool,
    /// True where it begins when no other does.
    pub alone: bool,
    /// True where its last I/O would go past its size in a file that is larger: fio issues it.
    pub goes_past: bool,
    /// True where it reads back what it wrote.
    pub verified: bool,
}

/// A job file, the words behind it, and its jobs.
#[derive(Debug, Default)]
pub struct Case {
    pub text: String,
    pub words: Vec<String>,
    pub jobs: Vec<Asked>,
    /// Size of a file that is there, full of data, bytes.
    pub file: Option<u64>,
}

/// Size as it is written, and its number of bytes.
type Written = (&'static str, u64);

const KIB: u64 = 1024;
const BLOCKS: [Written; 10] = [
    ("4k", 4 * KIB),
    ("8k", 8 * KIB),
    ("512", 512),
    ("1k", KIB),
    ("12k", 12 * KIB),
    ("4K", 4 * KIB),
    ("4096", 4096),
    ("2k,", 2 * KIB),
    (" 8192", 8 * KIB),
    (" 512k", 512),
];
/// Sizes of several kinds, and the largest of each.
const VARIED: [(&str, u64); 18] = [
    ("bs=4k,8k", 8 * KIB),
    ("bs=8k,", 8 * KIB),
    ("bs=,8k", 8 * KIB),
    ("bs=4k,8k,16k", 16 * KIB),
    ("bsrange=4k-16k", 16 * KIB),
    ("bsrange=4k-8k,8k-16k", 16 * KIB),
    ("bsrange=4k-16k,", 16 * KIB),
    ("bsrange=4k-8k,4k-8k,", 8 * KIB),
    ("bssplit=4k/60:8k/40", 8 * KIB),
    ("bssplit=4k/30:8k/", 8 * KIB),
    ("bssplit=4k:8k,16k", 16 * KIB),
    ("bssplit=,4k/9:8k/91", 8 * KIB),
    ("bssplit=8k/90:16k/10,,", 16 * KIB),
    ("bssplit=4k/50:2k/30:16k/20", 16 * KIB),
    ("bssplit=4k/33:8k/33:16k/33", 16 * KIB),
    ("bssplit=8k/50:4k/60", 8 * KIB),
    ("bs=4k-8k", 8 * KIB),
    ("bsrange= 4096-8k", 8 * KIB),
];
const SIZES: [Written; 11] = [
    ("64k", 64 * KIB),
    ("256k", 256 * KIB),
    ("1m", 1024 * KIB),
    ("1000k", 1000 * KIB),
    ("300k", 300 * KIB),
    ("0x40000", 256 * KIB),
    ("512kb", 512 * KIB),
    ("96KB", 96 * KIB),
    ("4k-64k", 64 * KIB),
    ("1m,256k", 256 * KIB),
    (" 262144", 256 * KIB),
];
const OFFSETS: [&str; 8] = ["4k", "512", "128k", "12k", "1000", "64K", "4k-128k", " 8k"];

pub fn case(seed: u64) -> Case {
    let draw = &mut numbers(seed);
    let mut case = Case::default();
    let on_file = draw.below(4) == 0;
    case.text += "[global]\n";
    match on_file {
        true => {
            case.file = Some(2048 * KIB);
            case.text += "ioengine=psync\nfilename=data\n";
        }
        false => {
            case.text += draw.of(&[
                "ioengine=null\n",
                "ioengine=null\n",
                "ioengine=null\nthread\n",
            ])
        }
    }
    // What all jobs say anew.
    if draw.below(3) == 0 {
        case.text += draw.of(&["rw=trim\n", "size=4k-8k\n", "rw=randwrite\nsize=4m\n"]);
    }
    let count = 1 + draw.below(3);
    let grouped = draw.below(4) == 0;
    if grouped {
        case.text += "group_reporting\n";
    }
    for number in 0..count {
        let name = ["a", "b", "c"][number];
        // fio mixes a job of the command line up with groups of a file before it.
        let words = draw.below(12) == 0 && number + 1 == count && !grouped;
        let mut lines = Vec::new();
        let mut asked = job(draw, &mut lines, on_file, name);
        (asked.name, asked.grouped) = (name, grouped);
        if number > 0 {
            // What runs at once shares a file's times; so most follow each other.
            let before = case.jobs.last_mut();
            match draw.below(6) {
                0 if !on_file => asked.alone = false,
                // What is verified is read back when all that began with it is done, and is not to be written over until then.
                1 if before.as_ref().is_some_and(|job| !job.verified) => {
                    lines.push(format!("wait_for={}", ["a", "b", "c"][number - 1]));
                    asked.alone = false;
                }
                _ => lines.push("stonewall".into()),
            }
            if let Some(before) = before.filter(|_| !asked.alone) {
                before.alone = false;
            }
            if draw.below(8) == 0 {
                lines.push("new_group".into());
            }
        }
        match words {
            true => {
                case.words.push(format!("--name={name}"));
                let engine = match on_file {
                    true => vec!["ioengine=psync".to_string(), "filename=data".to_string()],
                    false => vec!["ioengine=null".to_string()],
                };
                let all = engine.into_iter().chain(lines);
                case.words.extend(all.map(|line| format!("--{line}")));
                asked.grouped = false;
            }
            false => {
                case.text += &format!("[{name}]\n");
                lines
                    .iter()
                    .for_each(|line| case.text += &format!("{line}\n"));
            }
        }
        // Jobs of the command line come first, and begin with those of the file.
        match words {
            true => {
                asked.alone = false;
                case.jobs.iter_mut().for_each(|job| job.alone = false);
                case.jobs.insert(0, asked);
            }
            false => case.jobs.push(asked),
        }
    }
    if case.jobs.len() == 1 && !case.words.is_empty() {
        // A file without a job is none.
        case.text += "[first]\nsize=64k\nnumber_ios=3\nrw=read\n";
        let first = Asked {
            name: "first",
            reads: Some(100),
            block: Some(4096),
            largest: 4096,
            in_order: true,
            clones: 1,
            depth: 1,
            cut: true,
            grouped,
            ..Asked::default()
        };
        case.jobs.push(first);
    }
    case
}

fn job(draw: &mut Draw, lines: &mut Vec<String>, on_file: bool, name: &str) -> Asked {
    let mut asked = Asked {
        clones: 1,
        depth: 1,
        alone: true,
        ..Asked::default()
    };
    let mut say = |line: String| lines.push(line);
    order(draw, &mut say, on_file, &mut asked);
    if draw.below(3) == 0 {
        let (line, largest) = draw.of(&VARIED);
        say(line.to_string());
        asked.largest = largest;
        (asked.in_order, asked.each_in_order) = (false, false);
    } else {
        let (text, bytes) = draw.of(&BLOCKS);
        if bytes != 4096 || draw.below(2) == 0 {
            say(format!("bs={text}"));
        }
        // What is not said of writes and trims behind a comma is 4 KiB.
        let one = !text.ends_with(',') || asked.reads == Some(100);
        asked.block = one.then_some(bytes);
        asked.largest = bytes.max(4096);
        asked.in_order &= one;
        asked.each_in_order &= one;
    }
    let (size, bytes) = draw.of(&SIZES);
    let part = draw.below(8);
    let bytes = match part {
        2 => 200 * KIB,
        3 => 64 * KIB,
        _ => bytes,
    };
    let is_whole = asked.block.is_some_and(|block| bytes % block == 0);
    asked.goes_past = on_file && !asked.random && !is_whole;
    let sized_file = part == 0;
    match part {
        0 => {
            // Of several fio draws one.
            let one = size.rsplit([',', '-']).next().unwrap_or(size);
            say(format!("filesize={one}"));
            say(format!("size={}", draw.of(&["50%", "100%", "25%"])));
        }
        1 if on_file => say("size=50%".into()),
        2 => say("size=${SIZE}".into()),
        3 => say("size=$pagesize*16".into()),
        _ => say(format!("size={size}")),
    }
    if draw.below(4) == 0 {
        say(format!("offset={}", draw.of(&OFFSETS)));
        asked.goes_past |= sized_file && !asked.random;
    }
    ends(draw, &mut say, &mut asked);
    if draw.below(6) == 0 && !on_file {
        asked.clones = 2 + draw.below(2) as u64;
        say(format!("numjobs={}", asked.clones));
        if draw.below(2) == 0 {
            say(format!("offset_increment={}", draw.of(&["64k", "8k"])));
        }
    }
    if !on_file && draw.below(4) == 0 {
        asked.depth = draw.of(&[2, 4, 16]);
        say(format!("iodepth={}", asked.depth));
    }
    // How many syncs a second are possible is the disk's matter.
    if on_file && !asked.timed && asked.reads != Some(100) && draw.below(4) == 0 {
        say(draw
            .of(&["fsync=4", "fdatasync=2", "fsync=1", "end_fsync=1"])
            .to_string());
    }
    if on_file && asked.reads == Some(0) && !asked.timed && !asked.cut && draw.below(3) == 0 {
        asked.verified = true;
        say(format!(
            "verify={}",
            draw.of(&["crc32c", "md5", "xxhash", "meta"])
        ));
    }
    let logged = asked.clones == 1 && !asked.timed && !asked.rated;
    if logged {
        say(format!("write_iolog={name}.log"));
    }
    asked
}

fn order(draw: &mut Draw, say: &mut impl FnMut(String), on_file: bool, asked: &mut Asked) {
    let word = match on_file {
        true => draw.of(&["read", "write", "randread", "randwrite", "rw", "randrw"]),
        false => draw.of(&[
            "read",
            "write",
            "randread",
            "randwrite",
            "rw",
            "randrw",
            "readwrite",
            "trim",
            "randtrim",
        ]),
    };
    asked.random = word.starts_with("rand");
    asked.map = asked.random;
    asked.reads = match word.trim_start_matches("rand") {
        "read" => Some(100),
        "write" => Some(0),
        "trim" => None,
        _ => Some(50),
    };
    let mixed = asked.reads == Some(50);
    asked.in_order = !asked.random && !mixed;
    let behind = match (asked.random, draw.below(8)) {
        (false, 0) => draw.of(&[":4k", ":12k", ":-8k", ":-16k"]),
        (true, 0) => draw.of(&[":2", ":8"]),
        _ => "",
    };
    asked.each_in_order = !asked.random && mixed && behind.is_empty();
    say(format!("{}={word}{behind}", draw.of(&["rw", "readwrite"])));
    if asked.random && !behind.is_empty() {
        asked.map = false;
        if draw.below(3) == 0 {
            say("rw_sequencer=identical".into());
        }
    }
    if mixed && draw.below(2) == 0 {
        let reads = draw.of(&[10, 30, 70, 100, 0]);
        say(match draw.below(2) == 0 {
            true => format!("rwmixread={reads}"),
            false => format!("rwmixwrite={}", 100 - reads),
        });
        asked.reads = Some(reads);
    }
    if asked.random && draw.below(4) == 0 {
        asked.map = false;
        say(draw
            .of(&[
                "norandommap",
                "norandommap=1",
                "random_distribution=zipf:1.2",
            ])
            .to_string());
    }
    if !asked.random && behind.is_empty() && draw.below(12) == 0 {
        asked.each_in_order = false;
        say("zonemode=strided".into());
        say("zonesize=32k".into());
        say(format!("zoneskip={}", draw.of(&["32k", "16k"])));
    }
    if draw.below(6) == 0 {
        say(draw
            .of(&["randrepeat=0", "randseed=7", "invalidate=0"])
            .to_string());
    }
}

fn ends(draw: &mut Draw, say: &mut impl FnMut(String), asked: &mut Asked) {
    match draw.below(12) {
        0 => {
            asked.cut = true;
            say(format!(
                "io_size={}",
                draw.of(&["100k", "130k", "32k", "1m", "700k", "32k,130k"])
            ));
        }
        1 => {
            asked.cut = true;
            say(format!("number_ios={}", draw.of(&[1, 7, 20, 300])));
        }
        2 => {
            asked.cut = true;
            say("loops=2".into());
        }
        3 => {
            asked.cut = true;
            say("loops=3".into());
            say("number_ios=10".into());
        }
        4 | 5 => {
            let rate = draw.of(&[
                "rate_iops=400",
                "rate_iops=300,600",
                "rate=1m",
                "rate=2m,1m",
                "rate_iops=200,",
                "rate_iops=,250",
                "rate=800k,",
            ]);
            say(rate.to_string());
            (asked.rated, asked.timed) = (true, true);
            say("time_based".into());
            say(format!("runtime={}", draw.of(&["500ms", "1", "1s", "1 s"])));
            // Where only one direction has a rate, fio 3.33 hangs with it.
            let of_one = rate.contains("=,") || rate.ends_with(',');
            if !of_one && draw.below(4) == 0 {
                say("rate_process=poisson".into());
            }
            if draw.below(3) == 0 {
                say("ramp_time=300ms".into());
            }
            if draw.below(3) == 0 {
                say(format!("startdelay={}", draw.of(&["200ms", "1", "1 s"])));
            }
        }
        6 => {
            asked.thinks = true;
            say(format!("thinktime={}", draw.of(&["5ms", "3000", "10ms"])));
            say(format!("number_ios={}", draw.of(&[40, 64])));
            asked.cut = true;
            if draw.below(2) == 0 {
                say(format!("thinktime_blocks={}", draw.of(&[2, 4, 8])));
            }
            if draw.below(4) == 0 {
                say("rate_iops=300".into());
                asked.rated = true;
            }
        }
        7 => {
            say("runtime=20".into());
        }
        _ => {}
    }
}
