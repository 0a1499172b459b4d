//! Why igroups and exports cannot be as asked.

use super::EVERYONE;

/// Why igroups and exports cannot be as asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MaskingError {
    /// The name of an igroup has other characters.
    #[error("{0:?} is no name for an igroup: up to 64 letters, digits, '.', '_' and '-'")]
    Name(String),
    /// The igroup of everyone is to be changed or to go.
    #[error("the igroup {EVERYONE:?} is everyone, and stays so")]
    Everyone,
    /// There are as many as there may be.
    #[error("an array takes at most {most} {what}; remove some that nobody needs")]
    Full {
        /// Of what.
        what: &'static str,
        /// The limit.
        most: usize,
    },
    /// No such igroup.
    #[error("there is no igroup {0:?}")]
    NoIgroup(String),
    /// An igroup is to go that exports need.
    #[error("the igroup {igroup:?} has exports: {exports}; remove them first")]
    InUse {
        /// The igroup.
        igroup: String,
        /// How many exports it has.
        exports: usize,
    },
    /// No such LUN.
    #[error("there is no LUN {lun}; the array has {luns}, counted from 0")]
    NoLun {
        /// What was asked for.
        lun: u32,
        /// How many there are.
        luns: u32,
    },
    /// No such port.
    #[error("there is no port {port:?}; the array has {known}")]
    NoPort {
        /// What was asked for.
        port: String,
        /// Those that there are.
        known: String,
    },
    /// An export over no port.
    #[error("an export needs a port; leave \"ports\" out for all of them")]
    NoPorts,
    /// No such export.
    #[error("there is no export {0}")]
    NoExport(u32),
    /// The LUN is exported there already.
    #[error("LUN {lun} is exported to {igroup:?} over one of these ports already, by export {by}")]
    Twice {
        /// The LUN.
        lun: u32,
        /// The igroup.
        igroup: String,
        /// The other export.
        by: u32,
    },
    /// The LUN id names another LUN there.
    #[error("{igroup:?} has LUN {lun} under the LUN id {lun_id} over one of these ports")]
    LunId {
        /// The number.
        lun_id: u32,
        /// The igroup.
        igroup: String,
        /// The LUN that has it.
        lun: u32,
    },
}

impl MaskingError {
    /// True where it would be right if something else were not there.
    pub fn is_conflict(&self) -> bool {
        matches!(
            self,
            MaskingError::Everyone
                | MaskingError::Full { .. }
                | MaskingError::InUse { .. }
                | MaskingError::Twice { .. }
                | MaskingError::LunId { .. }
        )
    }
}
