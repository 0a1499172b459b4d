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

const DESERVED: &[Deserved] = &[
    Deserved {
        rule: "PL500",
        asked: &["ioengine=null"],
        reason: "nothing was measured",
    },
    Deserved {
        rule: "PL106",
        asked: &["ioengine=null", "shm", "!direct=1", "mmap", "sync"],
        reason: "it was answered by memory",
    },
    Deserved {
        rule: "PL030",
        asked: &["rw="],
        reason: "each is over within a second or two",
    },
    Deserved {
        rule: "PL019",
        asked: &["!direct=1"],
        reason: "the page cache was used",
    },
    Deserved {
        rule: "PL503",
        asked: &["iodepth="],
        reason: "a synchronous engine has one out at a time, whatever was asked for",
    },
    Deserved {
        rule: "PL124",
        asked: &["/dev/loop"],
        reason: "what is below a loop device answers from memory",
    },
    Deserved {
        rule: "PL013",
        asked: &["pattern"],
        reason: "one pattern was written",
    },
    Deserved {
        rule: "PL012",
        asked: &["zero_buffers"],
        reason: "zeros were written",
    },
    Deserved {
        rule: "PL015",
        asked: &["size="],
        reason: "each uses a few MiB",
    },
    Deserved {
        rule: "PL040",
        asked: &["rw=randwrite", "rw=randrw"],
        reason: "nothing is preconditioned",
    },
    Deserved {
        rule: "PL025",
        asked: &["write", "rw=rw", "rw=randrw"],
        reason: "what was written is read at once",
    },
    Deserved {
        rule: "PL021",
        asked: &["bs=512"],
        reason: "512 bytes are no multiple of 4 KiB",
    },
    Deserved {
        rule: "PL022",
        asked: &["offset", "bs=512"],
        reason: "what lies between blocks is misaligned",
    },
    Deserved {
        rule: "PL103",
        asked: &["rate"],
        reason: "other load on the host may keep it from its rate",
    },
    Deserved {
        rule: "PL037",
        asked: &["rate"],
        reason: "a rate was asked of few slots",
    },
    Deserved {
        rule: "PL413",
        asked: &[
            "ioengine=null",
            "shm",
            "verify",
            "mmap",
            "direct=0",
            "posixaio",
        ],
        reason: "memory answers as fast as it is asked",
    },
    Deserved {
        rule: "PL540",
        asked: &["rw="],
        reason: "the host may stand still for a moment",
    },
    Deserved {
        rule: "PL114",
        asked: &["posixaio", "shm", "direct=0", "numjobs"],
        reason: "its threads, or memory's speed, keep its queue from being full",
    },
    Deserved {
        rule: "PL043",
        asked: &["[job2]"],
        reason: "two jobs run at once, each as fast as it can",
    },
    Deserved {
        rule: "PL403",
        asked: &["[job2]"],
        reason: "one may be done before the other has begun",
    },
    Deserved {
        rule: "PL545",
        asked: &["disable_slat"],
        reason: "fio takes no stamp before it reads back",
    },
    Deserved {
        rule: "PL531",
        asked: &["group_reporting"],
        reason: "merged jobs may end apart",
    },
    Deserved {
        rule: "PL023",
        asked: &["numjobs=", "[job2]", "rw=rw"],
        reason: "clones of a job go over the same addresses together",
    },
];

/// True where a finding of a job's result is deserved.
pub fn is(job: &str, finding: &Value) -> bool {
    let asked = |word: &&str| match word.strip_prefix('!') {
        Some(not) => !job.contains(not),
        None => job.contains(*word),
    };
    let known = DESERVED.iter().filter(|d| finding["rule"] == d.rule);
    known.into_iter().any(|d| d.asked.iter().any(asked))
}
