//! What a metric can be to the evidence, as data: the words of mapping files, and the table of their page.

use serde::Deserialize;

/// What a metric is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)] // Each has its sentence in the table below.
pub enum MetricPlace {
    Name,
    ModelScale,
    ClockSeconds,
    Reads,
    ReadBytes,
    ReadSeconds,
    ReadMeanSeconds,
    Writes,
    WriteBytes,
    WriteSeconds,
    WriteMeanSeconds,
    Failed,
    BackEndReads,
    BackEndWrites,
    ReadSource,
    WriteDestination,
    CoreBusySeconds,
    CoreTakenSeconds,
    CoreOwnerSeconds,
    PortBusySeconds,
    PathState,
    PathRequests,
    PathFailed,
    MediaUnits,
    MediaBusySeconds,
    JournalFillBytes,
    JournalCapacityBytes,
    JournalWaitSeconds,
    PagesWritten,
    PagesMoved,
    NewBytes,
    StoredBytes,
    DistinctBytes,
}

/// Kind of metric: how its value is to be taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MetricKind {
    /// Counter, which only grows.
    Counter,
    /// State at the moment.
    State,
    /// The value says nothing; a label does.
    Text,
}

/// Description of a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct About {
    /// The place.
    pub place: MetricPlace,
    /// Word for the place in a mapping.
    pub word: &'static str,
    /// Kind of its value.
    pub kind: MetricKind,
    /// There may be many of it, told apart by a label.
    pub many: bool,
    /// Meaning of the place, for a reader.
    pub about: &'static str,
    /// Without these it says nothing.
    pub needs: &'static [MetricPlace],
}

const fn one(
    place: MetricPlace,
    word: &'static str,
    kind: MetricKind,
    about: &'static str,
) -> About {
    About {
        place,
        word,
        kind,
        many: false,
        about,
        needs: &[],
    }
}

const fn many(
    place: MetricPlace,
    word: &'static str,
    kind: MetricKind,
    about: &'static str,
) -> About {
    About {
        many: true,
        ..one(place, word, kind, about)
    }
}

impl About {
    const fn needs(mut self, needs: &'static [MetricPlace]) -> About {
        self.needs = needs;
        self
    }
}

use MetricKind::{Counter, State, Text};
use MetricPlace::*;

/// Each place, in the order of the enum.
pub const PLACES: [About; 33] = [
    one(Name, "name", Text, "What the array is called: the value of the label that `by` names; its address if left out."),
    one(ModelScale, "model_scale", State, "Of a simulated array: what its parameters were divided by."),
    one(ClockSeconds, "clock_seconds", Counter, "A clock of the array's own. Busy times are divided by it; by the time between two looks if left out."),
    one(Reads, "reads", Counter, "Reads that came from hosts.").needs(FRONT_END),
    one(ReadBytes, "read_bytes", Counter, "Their bytes.").needs(FRONT_END),
    one(ReadSeconds, "read_seconds", Counter, "How long the array had them, added up.").needs(FRONT_END),
    one(ReadMeanSeconds, "read_mean_seconds", State, "In the place of `read_seconds`: the mean of it.").needs(FRONT_END),
    one(Writes, "writes", Counter, "Writes that came from hosts.").needs(FRONT_END),
    one(WriteBytes, "write_bytes", Counter, "Their bytes.").needs(FRONT_END),
    one(WriteSeconds, "write_seconds", Counter, "How long the array had them, added up.").needs(FRONT_END),
    one(WriteMeanSeconds, "write_mean_seconds", State, "In the place of `write_seconds`: the mean of it.").needs(FRONT_END),
    one(Failed, "failed", Counter, "Requests of hosts that failed.").needs(FRONT_END),
    one(BackEndReads, "back_end_reads", Counter, "Reads of flash and disks.").needs(&[BackEndWrites]),
    one(BackEndWrites, "back_end_writes", Counter, "Writes to flash and disks.").needs(&[BackEndReads]),
    many(ReadSource, "read_source", Counter, "Reads, or pieces of them, by where they were found."),
    many(WriteDestination, "write_destination", Counter, "Writes, or pieces of them, by where they went."),
    many(CoreBusySeconds, "core_busy_seconds", Counter, "How long each processor core was busy; `of`: its controller."),
    many(CoreTakenSeconds, "core_taken_seconds", Counter, "Work that each core was given, with what waits for it; as long as it was busy if left out.").needs(&[CoreOwnerSeconds]),
    many(CoreOwnerSeconds, "core_owner_seconds", Counter, "Of that work, what no other core could have done, because the address is this one's.").needs(&[CoreBusySeconds]),
    many(PortBusySeconds, "port_busy_seconds", Counter, "How long each front-end port was busy."),
    many(PathState, "path_state", State, "1 where a path works; with `state`, the label that says how it is; `of`: its port.").needs(&[PathRequests]),
    many(PathRequests, "path_requests", Counter, "Requests that came over each path.").needs(&[PathState]),
    many(PathFailed, "path_failed", Counter, "Requests over each path that failed.").needs(&[PathRequests]),
    many(MediaUnits, "media_units", State, "How many flash dies, or disks, there are of each kind.").needs(&[MediaBusySeconds]),
    many(MediaBusySeconds, "media_busy_seconds", Counter, "How long they were busy, all of a kind together.").needs(&[MediaUnits]),
    one(JournalFillBytes, "journal_fill_bytes", State, "Bytes in the write journal.").needs(&[JournalCapacityBytes]),
    one(JournalCapacityBytes, "journal_capacity_bytes", State, "Bytes that fit into it.").needs(&[JournalFillBytes]),
    one(JournalWaitSeconds, "journal_wait_seconds", Counter, "How long writes waited for room in it, added up.").needs(&[JournalFillBytes]),
    one(PagesWritten, "pages_written", Counter, "Flash pages that were written for hosts.").needs(&[PagesMoved]),
    one(PagesMoved, "pages_moved", Counter, "Flash pages that were moved to make room.").needs(&[PagesWritten]),
    one(NewBytes, "new_bytes", Counter, "New data that was written, before compression, without what deduplication and zero detection took away.").needs(&[StoredBytes]),
    one(StoredBytes, "stored_bytes", Counter, "The space that it took.").needs(&[NewBytes]),
    one(DistinctBytes, "distinct_bytes", State, "Different data that the whole array holds; leave it out where it does not deduplicate.").needs(&[NewBytes]),
];

/// What the front end is told by, all of it or nothing.
const FRONT_END: &[MetricPlace] = &[Reads, ReadBytes, Writes, WriteBytes];

impl MetricPlace {
    /// Description of the place.
    pub fn about(self) -> &'static About {
        &PLACES[self as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_place_is_where_it_is_looked_for() {
        for (at, about) in PLACES.iter().enumerate() {
            assert_eq!(about.place as usize, at, "{}", about.word);
            assert!(!about.needs.iter().any(|n| n.about().kind == Text));
        }
    }
}
