//! The loop in virtual time: a scripted clock, a scripted target, and truths worked out without the loop.

mod batches;
mod changing_depth;
mod closed;
mod crowd;
mod crowd_edges;
mod dependencies;
mod edges;
mod failures;
mod following;
mod held_windows;
mod hosts;
mod late_host;
mod open;
mod overload;
mod own;
mod queue;
mod replay;
mod shares;
mod stage;
mod syncs;
mod throttled;
mod waiting;
