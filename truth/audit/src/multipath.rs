//! What dm-multipath is told and what it says: its configuration, and `multipath -ll`.

pub mod conf;
pub mod fabric;
pub mod topology;
