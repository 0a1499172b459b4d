//! Whether a device can be polled for completions.

use super::uring;
use std::fs::File;
use std::os::fd::AsRawFd;
use std::os::linux::fs::MetadataExt;
use std::os::unix::fs::FileTypeExt;

/// True where reads of the file can be polled for. The device's queue says so; the ring itself refuses what goes through the page
/// cache, and is tried, because a hole is read without the device.
pub fn takes_polling(file: &File, logical_block: u32) -> bool {
    is_polled_queue(file) && uring::try_polled(file.as_raw_fd(), logical_block).is_ok()
}

/// Text that sysfs has of the device under the file, or of the disk whose partition that is.
fn is_polled_queue(file: &File) -> bool {
    let Ok(facts) = file.metadata() else {
        return false;
    };
    let number = match facts.file_type().is_block_device() {
        true => facts.st_rdev(),
        false => facts.st_dev(),
    };
    let device = format!(
        "/sys/dev/block/{}:{}",
        rustix::fs::major(number),
        rustix::fs::minor(number)
    );
    let setting = |queue: &str| std::fs::read_to_string(format!("{device}/{queue}")).ok();
    let polled = setting("queue/io_poll").or_else(|| setting("../queue/io_poll"));
    polled.is_some_and(|text| text.trim() == "1")
}
