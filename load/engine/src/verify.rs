//! What the streams of a step verify.

use crate::target::OpenTarget;
use plimsoll_content::Filler;
use plimsoll_content::verify::{Expected, Journal, Mismatch, Places, VerifyPlan};
use plimsoll_plan::{IoSource, Stream};
use plimsoll_traffic::{SourceReader, verify_plan};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

/// Verification of a stream's content.
#[derive(Debug, Clone)]
pub struct Check {
    plan: Arc<VerifyPlan>,
    places: Arc<Places>,
    /// What was written, where it is to be read back.
    journal: Option<Arc<Journal>>,
    writer: u32,
    /// Whether it checks what it reads: one that writes among it does not know what is there.
    reads: bool,
    /// Whether its reads are those that the journal has given.
    reads_back: bool,
}

impl Check {
    /// Verification of a stream on its target; `None` where nobody asks for it, or the target brings no bytes.
    pub fn of(stream: &Stream, target: &OpenTarget) -> Option<Check> {
        let spec = stream.verify.as_ref()?;
        if !target.opened.capabilities().brings_bytes {
            return None;
        }
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let now = now.unwrap_or_default();
        let began = (now.as_secs() as u32, now.subsec_nanos());
        let (reads_back, name) = match &stream.source {
            Some(IoSource::ReadBack(name)) => (true, name),
            Some(IoSource::Replay(_)) | None => (false, &stream.workload),
        };
        let journal = (spec.remember || reads_back).then(|| Arc::clone(&target.journal));
        Some(Check {
            plan: Arc::new(verify_plan(spec, began)),
            places: Arc::new(target.places()),
            writer: journal.as_ref().map_or(0, |j| j.writer(name)),
            journal,
            reads: !stream.mix.changes_data(),
            reads_back,
        })
    }

    /// The content of the stream with what makes it verifiable.
    pub fn stamped(&self, filler: Filler) -> Filler {
        let (plan, places) = (Arc::clone(&self.plan), Arc::clone(&self.places));
        filler.stamped(plan, places, self.journal.clone())
    }

    /// Source of the stream's reads, where it reads back.
    pub fn read_from(&self) -> Option<SourceReader> {
        let journal = self.journal.as_ref().filter(|_| self.reads_back)?;
        Some(SourceReader::ReadBack(Arc::clone(journal), self.writer))
    }

    /// A write of these bytes is back, for better or worse.
    pub(crate) fn wrote(&self, offset: u64, bytes: &[u8], is_good: bool) {
        let (Some(journal), len) = (&self.journal, bytes.len() as u64) else {
            return;
        };
        match is_good {
            true => journal.end_write(self.writer, offset, len, self.plan.mark(bytes)),
            false => journal.forget(offset, len, true),
        }
    }

    /// A trim is back.
    pub(crate) fn trimmed(&self, offset: u64, len: u64) {
        if let Some(journal) = &self.journal {
            journal.forget(offset, len, false);
        }
    }

    /// A read is back. Its bytes are checked where it was good, and are scratch then.
    pub(crate) fn read(
        &self,
        offset: u64,
        bytes: &mut [u8],
        is_good: bool,
    ) -> Result<(), Mismatch> {
        let mut mark = None;
        if self.reads_back
            && let Some(journal) = &self.journal
        {
            match journal.end_read(offset, bytes.len() as u64) {
                Expected::Unknown => return Ok(()),
                Expected::Written(of) => mark = of,
            }
        }
        match is_good && self.reads {
            true => self.plan.check(bytes, self.places.in_file(offset), mark),
            false => Ok(()),
        }
    }
}
