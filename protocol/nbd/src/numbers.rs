//! The protocol's numbers, and our limits.

/// The port that the IANA gave to NBD.
pub const DEFAULT_PORT: u16 = 10809;

/// The longest data of an option or of an answer to one, bytes.
pub const MAX_OPTION: u32 = 64 << 10;

/// The longest message that has to be in one piece, bytes: an option with its header.
pub const MAX_MESSAGE: usize = MAX_OPTION as usize + 20;

/// The longest payload of a read or a write, bytes. The protocol wants a server to take at least this much.
pub const MAX_PAYLOAD: u32 = 32 << 20;

/// The longest name, description or query, bytes.
pub(crate) const MAX_STRING: u32 = 4096;

/// The metadata context that says which blocks are holes and which read as zeros.
pub const ALLOCATION: &str = "base:allocation";

/// The number that our server gives to [`ALLOCATION`].
pub(crate) const ALLOCATION_ID: u32 = 1;

pub(crate) const GREETING: u64 = 0x4e42_444d_4147_4943; // "NBDMAGIC"
pub(crate) const IHAVEOPT: u64 = 0x4948_4156_454f_5054; // "IHAVEOPT"
pub(crate) const OPTION_REPLY: u64 = 0x0003_e889_0455_65a9;
pub(crate) const REQUEST_MAGIC: u32 = 0x2560_9513;
pub(crate) const SIMPLE_MAGIC: u32 = 0x6744_6698;
pub(crate) const CHUNK_MAGIC: u32 = 0x668e_33ef;

/// Handshake flags, the same bits from both sides.
pub(crate) const FIXED_NEWSTYLE: u16 = 1;
pub(crate) const NO_ZEROES: u16 = 2;

/// Zeros that end the answer to `NBD_OPT_EXPORT_NAME` unless both sides leave them out.
pub(crate) const EXPORT_NAME_ZEROES: usize = 124;

/// Option that a client asks for in the handshake.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
#[allow(missing_docs, reason = "named as in the protocol's document")]
pub enum OptionCode {
    ExportName = 1,
    Abort = 2,
    List = 3,
    StartTls = 5,
    Info = 6,
    Go = 7,
    StructuredReply = 8,
    ListMetaContext = 9,
    SetMetaContext = 10,
}

impl OptionCode {
    pub(crate) fn from_wire(code: u32) -> Option<Self> {
        use OptionCode::*;
        let all = [
            ExportName,
            Abort,
            List,
            StartTls,
            Info,
            Go,
            StructuredReply,
            ListMetaContext,
            SetMetaContext,
        ];
        all.into_iter().find(|o| *o as u32 == code)
    }
}

/// Answers to an option.
pub(crate) mod rep {
    pub const ACK: u32 = 1;
    pub const SERVER: u32 = 2;
    pub const INFO: u32 = 3;
    pub const META_CONTEXT: u32 = 4;
    const ERROR: u32 = 1 << 31;
    pub const ERR_UNSUP: u32 = ERROR + 1;
    pub const ERR_POLICY: u32 = ERROR + 2;
    pub const ERR_INVALID: u32 = ERROR + 3;
    pub const ERR_PLATFORM: u32 = ERROR + 4;
    pub const ERR_TLS_REQD: u32 = ERROR + 5;
    pub const ERR_UNKNOWN: u32 = ERROR + 6;
    pub const ERR_SHUTDOWN: u32 = ERROR + 7;
    pub const ERR_BLOCK_SIZE_REQD: u32 = ERROR + 8;
    pub const ERR_TOO_BIG: u32 = ERROR + 9;

    pub fn is_error(reply: u32) -> bool {
        reply & ERROR != 0
    }

    /// Meaning of an error, for a person.
    pub fn name(reply: u32) -> &'static str {
        match reply {
            ERR_UNSUP => "not supported",
            ERR_POLICY => "forbidden by the server's policy",
            ERR_INVALID => "invalid",
            ERR_PLATFORM => "not supported on the server's platform",
            ERR_TLS_REQD => "TLS is required; write nbds:// for nbd://",
            ERR_UNKNOWN => "no such export",
            ERR_SHUTDOWN => "the server is shutting down",
            ERR_BLOCK_SIZE_REQD => "block sizes have to be negotiated",
            ERR_TOO_BIG => "too big",
            _ => "refused",
        }
    }
}

/// Kinds of `NBD_REP_INFO`.
pub(crate) mod info {
    pub const EXPORT: u16 = 0;
    pub const NAME: u16 = 1;
    pub const DESCRIPTION: u16 = 2;
    pub const BLOCK_SIZE: u16 = 3;
}

/// Kinds of chunks of a structured reply.
pub(crate) mod chunk {
    pub const DONE: u16 = 1;
    pub const NONE: u16 = 0;
    pub const OFFSET_DATA: u16 = 1;
    pub const OFFSET_HOLE: u16 = 2;
    pub const BLOCK_STATUS: u16 = 5;
    pub const ERROR: u16 = (1 << 15) + 1;
    pub const ERROR_OFFSET: u16 = (1 << 15) + 2;

    pub fn is_error(kind: u16) -> bool {
        kind & (1 << 15) != 0
    }
}
