//! Doubts that a result deserves by how it was asked for.

use serde_json::Value;

/// A doubt, when it is deserved, and why.
struct Deserved {
    rule: &'static str,
    /// Words of the job file, any of which brings it about.
    asked: &'static [&'static str],
    #[allow(dead_code, reason = "a table of reasons is read by people")]
    reason: &'static str,
}

/// Doubts as lines: the rule, words of the job file, and the reason.
macro_rules! deserved {
    ($($rule:literal $asked:expr => $reason:literal;)*) => {
        &[$(Deserved { rule: $rule, asked: $asked, reason: $reason },)*]
    };
}

const DESERVED: &[Deserved] = deserved! {
    "PL500" &["ioengine=null"] => "nothing was measured";
    "PL106" &["ioengine=null", "shm", "!direct=1", "mmap", "sync"] => "it was answered by memory";
    "PL030" &["rw="] => "each is over within a second or two";
    "PL019" &["!direct=1"] => "the page cache was used";
    "PL503" &["iodepth="] => "a synchronous engine has one out at a time, whatever was asked for";
    "PL124" &["/dev/loop"] => "what is below a loop device answers from memory";
    "PL013" &["pattern"] => "one pattern was written";
    "PL012" &["zero_buffers"] => "zeros were written";
    "PL015" &["size="] => "each uses a few MiB";
    "PL040" &["rw=randwrite", "rw=randrw"] => "nothing is preconditioned";
    "PL025" &["write", "rw=rw", "rw=randrw"] => "what was written is read at once";
    "PL021" &["bs=512"] => "512 bytes are no multiple of 4 KiB";
    "PL022" &["offset", "bs=512"] => "what lies between blocks is misaligned";
    "PL103" &["rate"] => "other load on the host may keep it from its rate";
    "PL037" &["rate"] => "a rate was asked of few slots";
    "PL413" &["ioengine=null", "shm", "verify", "mmap", "direct=0", "posixaio"] => "memory answers as fast as it is asked";
    "PL540" &["rw="] => "the host may stand still for a moment";
    "PL114" &["posixaio", "shm", "direct=0", "numjobs"] => "its threads, or memory's speed, keep its queue from being full";
    "PL043" &["[job2]"] => "two jobs run at once, each as fast as it can";
    "PL403" &["[job2]"] => "one may be done before the other has begun";
    "PL545" &["disable_slat"] => "fio takes no stamp before it reads back";
    "PL531" &["group_reporting"] => "merged jobs may end apart";
    "PL023" &["numjobs=", "[job2]", "rw=rw"] => "clones of a job go over the same addresses together";
};

/// True where a finding of a job's result is deserved.
pub fn is(job: &str, finding: &Value) -> bool {
    let asked = |word: &&str| match word.strip_prefix('!') {
        Some(not) => !job.contains(not),
        None => job.contains(*word),
    };
    let known = DESERVED.iter().filter(|d| finding["rule"] == d.rule);
    known.into_iter().any(|d| d.asked.iter().any(asked))
}
