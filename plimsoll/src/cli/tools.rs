//! Commands that take the flags of other tools.

use clap::Args;

/// `plimsoll vdbench`.
#[derive(Debug, Args)]
pub struct VdbenchArgs {
    /// Vdbench's flags; --help for what is known of them. Plimsoll's own may stand among them: --destroy NAME, --record PATH
    #[arg(
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "VDBENCH FLAG"
    )]
    pub words: Vec<String>,
}

/// `plimsoll fio`.
#[derive(Debug, Args)]
pub struct FioArgs {
    /// fio's flags, job files and jobs; --help for what is known of them. Plimsoll's own may stand among them: --destroy NAME, --record PATH
    #[arg(
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "FIO FLAG"
    )]
    pub words: Vec<String>,
}

/// `plimsoll diskspd`.
#[derive(Debug, Args)]
pub struct DiskspdArgs {
    /// DiskSPD's flags and targets; -? for what is known of them. Plimsoll's own may stand among them: --destroy NAME, --record PATH
    #[arg(
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "DISKSPD FLAG"
    )]
    pub words: Vec<String>,
}
