//! Plain data of what was observed: environment, steps, intervals, verdicts.
//!
//! Everything is `serde`, so that a record stores it and a report prints it without another model between.

pub mod array;
pub mod balance;
mod end;
pub mod environment;
pub mod estimate;
pub mod finding;
pub mod host_interval;
pub mod host_part;
pub mod host_state;
pub mod interval;
pub mod limit;
pub mod merge;
pub mod method;
pub mod part;
pub mod path;
mod quantity;
mod saturation;
pub mod sentence;
pub mod series;
pub mod step;
pub mod timeline;
mod transport;
pub mod verdict;
mod virtual_machine;
pub mod witnessed;
pub mod wording;

pub use array::{
    ArrayEvidence, ArrayInterval, ArrayPath, BackEndUse, Bucket, CoreUse, DriveUse, Enough,
    FilerUse, FrontEndUse, JournalUse, MediaUse, PortUse, Reduction, Requests, shares,
};
pub use end::End;
pub use environment::{
    BlockLayer, Environment, EnvironmentTarget, FileLayout, HostFacts, Slices, ZerosLeft,
};
pub use estimate::Estimate;
pub use finding::{Finding, Severity};
pub use host_interval::HostInterval;
pub use host_part::{HostPart, LostHost, StartTogether};
pub use host_state::{DeviceKind, HostState, without_secrets};
pub use interval::{CpuInterval, Interval, Phase};
pub use limit::{Limit, LimitCause};
pub use method::{
    AxisUnit, ChartAxis, ChartKind, ChartMark, ChartPoint, ChartSeries, Figure, MethodChart,
    MethodTable, MethodVerdict, REPEATS, TableCell, TableColumn,
};
pub use part::Part;
pub use path::{PathEvent, PathState, PathUse, TargetPaths};
pub use plimsoll_measure::Counted;
pub use quantity::{Quantity, Value};
pub use saturation::{
    BUSY_SERVICE_S, CEILING, SLOTS_SHORT, Saturation, SaturationCause, more_than_needed,
};
pub use series::{PathSeries, Section, SeriesBin, StepSeries};
pub use step::{
    ActionEvidence, ErrorSample, MISMATCH, OpSummary, StepEvidence, StreamSummary, Stretch,
};
pub use timeline::{Timeline, TimelinePart};
pub use transport::{SmbChannel, Transport, transports};
pub use verdict::{Capacity, CurvePoint, CurveVerdict, SloStatistic, Verdict, gathered};
pub use virtual_machine::{hypervisor_flag, virtual_machine};
pub use witnessed::Witnessed;
