//! Failed I/Os in words.

use plimsoll_engine::worker::{Broken, Failure, FailureKind, Mismatch};
use plimsoll_evidence::{ErrorSample, MISMATCH};

/// A failed I/O as evidence.
pub(crate) fn sample(failure: &Failure) -> ErrorSample {
    let what = match failure.kind {
        FailureKind::Errno(code) => errno_text(code),
        FailureKind::Short(got) => format!(
            "short {}: {got} of {} bytes",
            failure.action.name(),
            failure.length
        ),
        FailureKind::Mismatch(m) => mismatch(&m),
        FailureKind::InFlight => "still in flight at the drain deadline".into(),
    };
    ErrorSample {
        target: failure.target.clone(),
        op: failure.action.op(),
        offset: failure.offset,
        length: u64::from(failure.length),
        at_ns: failure.at_ns,
        what: failure
            .path
            .iter()
            .fold(what, |what, path| format!("{what}: {path}")),
    }
}

/// Words for what was wrong with the bytes of a read.
fn mismatch(m: &Mismatch) -> String {
    let digits = 2 + 2 * usize::from(m.bytes);
    let [expected, got] = [m.expected, m.got];
    let hexadecimal = format!("expected {expected:#0digits$x}, got {got:#0digits$x}");
    let decimal = format!("expected {expected}, got {got}");
    let message = match m.what {
        Broken::Magic => format!("no header of a verified block: {hexadecimal}"),
        Broken::Length => format!("the header is of a block of another length: {decimal}"),
        Broken::Offset => format!("the header is of another place: {decimal}"),
        Broken::Write => format!("the block is of another write: {hexadecimal}"),
        Broken::Header => format!("the header's sum: {hexadecimal}"),
        Broken::Sum => format!("the data's sum: {hexadecimal}"),
        Broken::Pattern => format!("the pattern: {hexadecimal}"),
    };
    format!("{MISMATCH} {} bytes into it: {message}", m.at)
}

fn errno_text(code: i32) -> String {
    let name = match code {
        libc::EIO => "EIO",
        libc::ENOENT => "ENOENT",
        libc::EEXIST => "EEXIST",
        libc::EISDIR => "EISDIR",
        libc::ENOTDIR => "ENOTDIR",
        libc::ENOTEMPTY => "ENOTEMPTY",
        libc::ELOOP => "ELOOP",
        libc::EMFILE => "EMFILE",
        libc::ENOSPC => "ENOSPC",
        libc::EINVAL => "EINVAL",
        libc::ENODEV => "ENODEV",
        libc::ENXIO => "ENXIO",
        libc::EROFS => "EROFS",
        libc::EOPNOTSUPP => "EOPNOTSUPP",
        libc::ETIMEDOUT => "ETIMEDOUT",
        libc::EREMOTEIO => "EREMOTEIO",
        libc::ENODATA => "ENODATA",
        libc::ENOMEM => "ENOMEM",
        libc::EDQUOT => "EDQUOT",
        libc::EFBIG => "EFBIG",
        libc::EPERM => "EPERM",
        libc::EACCES => "EACCES",
        libc::EBADF => "EBADF",
        libc::ESTALE => "ESTALE",
        libc::EPROTO => "EPROTO",
        libc::ECONNREFUSED => "ECONNREFUSED",
        libc::ECONNRESET => "ECONNRESET",
        libc::ESHUTDOWN => "ESHUTDOWN",
        _ => return std::io::Error::from_raw_os_error(code).to_string(),
    };
    let text = std::io::Error::from_raw_os_error(code).to_string();
    let text = text.trim_end_matches(&format!(" (os error {code})"));
    format!("{name} ({text})")
}
