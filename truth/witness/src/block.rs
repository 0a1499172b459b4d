//! Block devices: which one lies under a path, what it is made of, what it is called.

mod device;
mod layer;
mod locate;
mod names;
mod stack;
mod stripe;

pub(crate) use device::command_nodes;
pub use device::{
    DeviceNumber, disk_of_partition, disks, name_of_number, node_of_name, number_of_name,
    partitions,
};
pub use layer::layer;
pub(crate) use layer::{kind, size_bytes, world_wide_name};
pub(crate) use locate::device_of_source;
pub use locate::{LocateError, device_of_path};
pub use names::{NameSource, StableName, stable_names};
pub use stack::{share_a_disk, stack, suspended};
