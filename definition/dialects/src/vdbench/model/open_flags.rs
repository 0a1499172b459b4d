//! `openflags=`.

use crate::vdbench::codes;
use crate::vdbench::parameter::Item;
use crate::vdbench::reader::Reader;
use plimsoll_diagnostic::{Diagnostic, Span, nearest};
use plimsoll_plan::{Caching, Durability};

/// How files and devices are opened. Without flags Vdbench uses the page cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpenFlags {
    /// Through the page cache or around it.
    pub caching: Caching,
    /// When a write counts as done.
    pub durability: Durability,
    /// Where they were written.
    pub span: Span,
}

/// Linux' numbers on x86-64 and aarch64's where they agree; used for `openflags=0x…`.
const O_DSYNC: u64 = 0o10000;
const O_DIRECT: u64 = 0o40000;
const O_SYNC: u64 = 0o4010000;

const WORDS: [&str; 8] = [
    "o_direct",
    "directio",
    "o_sync",
    "o_dsync",
    "o_rsync",
    "fsync",
    "clear_dnlc",
    "none",
];

pub(crate) fn read(reader: &mut Reader) -> Option<OpenFlags> {
    let field = reader.field("openflags")?;
    let mut flags = OpenFlags {
        caching: Caching::Buffered,
        durability: Durability::None,
        span: field.span,
    };
    for item in &field.value.items {
        match item.text.to_lowercase().as_str() {
            "o_direct" | "directio" => flags.caching = Caching::Direct,
            // On Linux Vdbench opens all of them with O_DSYNC, whatever they are called.
            "o_sync" | "o_rsync" | "o_dsync" => flags.durability = Durability::Dsync,
            // Behind writes that are durable each a flush has nothing left to do.
            "fsync" => {
                if flags.durability == Durability::None {
                    flags.durability = Durability::FsyncAtEnd;
                }
            }
            "none" => {}
            word => match word
                .strip_prefix("0x")
                .and_then(|hex| u64::from_str_radix(hex, 16).ok())
            {
                Some(bits) if bits & !(O_DIRECT | O_SYNC) == 0 => {
                    if bits & O_DIRECT != 0 {
                        flags.caching = Caching::Direct;
                    }
                    if bits & O_SYNC == O_SYNC {
                        flags.durability = Durability::Sync;
                    } else if bits & O_DSYNC != 0 {
                        flags.durability = Durability::Dsync;
                    }
                }
                _ => reader.report.add(unknown(item)),
            },
        }
    }
    Some(flags)
}

fn unknown(item: &Item) -> Diagnostic {
    let mut diagnostic = Diagnostic::error(
        codes::VALUE,
        format!("the open flag `{}` is unknown", item.text),
    )
    .at(item.span, format!("expected {}", WORDS[..6].join(", ")));
    if let Some(meant) = nearest(&item.text, WORDS) {
        diagnostic = diagnostic
            .help(format!("did you mean `{meant}`?"))
            .patch(item.span, meant);
    }
    diagnostic
}
