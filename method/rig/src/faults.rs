//! Failed I/Os in words.

use plimsoll_engine::backend::Action;
use plimsoll_engine::worker::{Failure, FailureKind};
use plimsoll_evidence::{ErrorSample, FailedOp};

/// A failed I/O as evidence.
pub(crate) fn sample(failure: &Failure) -> ErrorSample {
    let what = match failure.kind {
        FailureKind::Errno(code) => errno_text(code),
        FailureKind::Short(got) => format!(
            "short {}: {got} of {} bytes",
            verb(failure.action),
            failure.length
        ),
        FailureKind::InFlight => "still in flight at the drain deadline".into(),
    };
    ErrorSample {
        target: failure.target.clone(),
        op: match failure.action {
            Action::Read => FailedOp::Read,
            Action::Write => FailedOp::Write,
            Action::Trim => FailedOp::Trim,
            Action::Sync => FailedOp::Fsync,
        },
        offset: failure.offset,
        length: u64::from(failure.length),
        at_ns: failure.at_ns,
        what,
    }
}

fn verb(action: Action) -> &'static str {
    match action {
        Action::Read => "read",
        Action::Write => "write",
        Action::Trim => "trim",
        Action::Sync => "fsync",
    }
}

fn errno_text(code: i32) -> String {
    let name = match code {
        libc::EIO => "EIO",
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
