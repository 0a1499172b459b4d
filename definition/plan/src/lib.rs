//! The model of what to run: targets, streams, steps and the methods that create steps.
//!
//! A dialect reads text and builds a [`Plan`]; everything after it (rig, methods, report) sees only this model.
//! Plain data: building, checking and describing a plan does no I/O.

pub mod address;
pub mod bounds;
pub mod claim;
pub mod content;
pub mod dependency;
pub mod depth;
pub mod describe;
pub mod divide;
mod divided;
pub mod estimate;
mod fill;
pub mod fill_content;
mod host_id;
pub mod hosts;
mod hotband;
mod judged;
pub mod lab;
mod latency_goal;
mod load;
pub mod method;
pub mod metrics;
mod mix;
pub mod nbd;
mod normalized;
mod origins;
mod plan;
pub mod polling;
pub mod progress;
pub mod quota;
mod repeats;
pub mod replay;
pub mod size;
pub mod slo;
mod source;
pub mod spread;
pub mod step;
mod stream;
pub mod target;
mod target_id;
pub mod target_rate;
pub mod throttle;
pub mod tree;
pub mod units;
pub mod validate;
pub mod verify;
pub mod window;

pub use address::{
    AddressSpec, Distribution, HitPlacement, HitSpec, HotbandMode, Pattern, RangeSpec,
};
pub use claim::{Claim, ClaimError};
pub use content::{ContentSpec, DedupePlacement, DedupeSpec, zero_unit};
pub use dependency::{Dependency, Ends};
pub use depth::DepthSearch;
pub use describe::{Description, describe};
pub use divide::{Undividable, divide, who_does};
pub use fill::NO_TIME_LIMIT;
pub use fill_content::fill_content;
pub use host_id::{HostId, Sharing};
pub use hosts::{Host, Hosts, Shell};
pub use hotband::{HOTBAND, HOTBAND_MEGABYTE, hotband_size};
pub use lab::{LabArray, LabError, LabTarget};
pub use latency_goal::LatencyGoal;
pub use load::{Arrival, Limits, Load, RateSegment};
pub use method::{
    AdaptiveSpec, DEFAULT_BLOCKS, DEFAULT_BUDGET, DEFAULT_READS, DEFAULT_REPEATS, DisturbSpec,
    FINGERPRINT_BLOCK, FINGERPRINT_BUDGET, FINGERPRINT_DEPTH, FINGERPRINT_LARGE,
    FINGERPRINT_MIDDLE, FingerprintSpec, LEAST_BUDGET, MORE_WORKERS, MethodSpec, OVERWRITES_TIME,
    Outlined, PathDown, Precondition, PtsSpec, PtsTest, Question, ROUNDS_MAX, SHORTEST_POINT,
    SOAK_PART, SOAK_TIME, SaturateSpec, SoakSpec, SweepOrder, SweepSpec,
};
pub use metrics::{Metrics, MetricsUrl, MetricsUrlError};
pub use mix::{Mix, NameMix};
pub use nbd::{NbdError, NbdServer, NbdTarget, NbdTls, NbdUri, Selector};
pub use origins::Origins;
pub use plan::{CurveSpec, DEFAULT_MAX_ERRORS, Item, Plan};
pub use plimsoll_operation::{Counted, NAME_OP_COUNT, OP_COUNT, Op};
pub use polling::Polling;
pub use progress::{planned_length, planned_steps, step_length};
pub use quota::Quota;
pub use repeats::{name_without_repeat, repeat_name, repeat_of};
pub use replay::{
    LOG_IOS_MAX, LogError, LogFacts, LogIo, LogName, LogSizes, LogSummary, Names, Replay,
    ReplayOptions, open_log, read_log,
};
pub use size::{OperationSizes, SizeSpec};
pub use slo::{Slo, SloError, Statistic, default_slos};
pub use source::IoSource;
pub use step::{
    Action, Command, Depth, LoopValue, Purpose, Step, TimedAction, Workers, loop_suffix,
};
pub use stream::Stream;
pub use target::{Caching, Durability, Location, Opening, Target};
pub use target_id::TargetId;
pub use target_rate::{curve_target, percent_of_last};
pub use throttle::{Think, Throttle};
pub use tree::{
    DealtFiles, FileSelect, FileSizes, FileWork, Making, NumberedNames, PerFile, Tree, TreePart,
};
pub use units::{Bytes, Nanos, Rate};
pub use validate::{Problem, TargetFacts, check_against, validate};
pub use verify::{VerifyPattern, VerifySpec, VerifySum};
pub use window::Window;
