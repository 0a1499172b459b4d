//! Failed I/Os in words.

use plimsoll_engine::backend::Action;
use plimsoll_engine::worker::{Failure, FailureKind};
use plimsoll_evidence::ErrorSample;
use plimsoll_measure::Op;

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
        op: Op::ALL
            .get(failure.action as usize)
            .copied()
            .unwrap_or(Op::Write),
        offset: failure.offset,
        length: u64::from(failure.length),
        at_ns: failure.at_ns,
        what: if failure.action == Action::Sync {
            format!("fdatasync: {what}")
        } else {
            what
        },
    }
}

fn verb(action: Action) -> &'static str {
    match action {
        Action::Read => "read",
        Action::Write | Action::Sync => "write",
        Action::Trim => "trim",
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
        _ => return std::io::Error::from_raw_os_error(code).to_string(),
    };
    format!("{name} ({})", std::io::Error::from_raw_os_error(code))
}
