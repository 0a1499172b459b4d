//! What `plimsoll diskspd` prints, in the layout of DiskSPD 2.2, text and XML, so that scripts which read those go on
//! working.
//!
//! Numbers have DiskSPD's meaning here. Latency is service time: from the submitting call to the completion. Rates divide
//! by the measured time. The standard deviation of IOPS is that of a population, over the counted intervals. A percentile
//! beyond what the sample supports is its maximum, as DiskSPD prints it; the audit says so beside it.
//!
//! A line of a table is a stream of the plan: a thread of its own where threads walk by themselves, else all threads of a
//! target.

mod span;
mod table;
mod text;
mod xml;

pub use span::{Collector, Span, SpanOptions};
pub use text::text;
pub use xml::xml;

/// Header of the result, known before anything runs.
#[derive(Debug, Clone, Default)]
pub struct Header {
    /// `Command Line:` and `Input parameters:`, as they stand above a text result.
    pub text: String,
    /// The element `Profile`, two blanks in.
    pub xml: String,
}
