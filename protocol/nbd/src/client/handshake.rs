//! How a client comes to an export.

use crate::bytes;
use crate::error::ProtocolError;
use crate::export::{BlockSizes, Export, Session};
use crate::flags::TransmissionFlags;
use crate::numbers::*;

/// The magic of a server that offers its export without options.
const OLD_STYLE: u64 = 0x0000_4202_8186_1253;

/// Options of a client: the export and the features that it asks a server for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted {
    /// The name of the export; empty for the server's default one.
    pub export: String,
    /// Replies in chunks, so that holes need not be sent. Done without where the server cannot.
    pub structured: bool,
    /// BLOCK_STATUS of holes; needs `structured`. Done without where the server cannot.
    pub allocation: bool,
}

impl Wanted {
    /// An export with structured replies, without BLOCK_STATUS.
    pub fn export(name: &str) -> Self {
        Wanted {
            export: name.to_owned(),
            structured: true,
            allocation: false,
        }
    }
}

/// Next step of a handshake.
#[derive(Debug, PartialEq, Eq)]
pub enum Progress {
    /// More bytes from the server.
    NeedInput,
    /// The output has to be sent, and emptied, before anything else.
    Send,
    /// The server is ready for TLS: from here on input and output are what goes through it.
    StartTls,
    /// The export is ours. What is left of the input belongs to the replies.
    Ready(Session),
}

/// The handshake of a client.
#[derive(Debug)]
pub struct Handshake {
    wanted: Wanted,
    /// TLS comes before anything else.
    tls: bool,
    state: State,
    no_zeroes: bool,
    structured: bool,
    allocation: Option<u32>,
    export: Export,
    described: bool,
}

#[derive(Debug, Clone, Copy)]
enum State {
    Greeting,
    /// TLS has begun; the options come next.
    Secret,
    Answer(OptionCode),
}

impl Handshake {
    /// A handshake for an export. Fails when its name is longer than names may be.
    pub fn new(wanted: Wanted) -> Result<Self, ProtocolError> {
        if wanted.export.len() > MAX_STRING as usize {
            return Err(ProtocolError::TooLong {
                what: "an export's name",
                len: wanted.export.len() as u64,
            });
        }
        Ok(Handshake {
            export: Export {
                name: wanted.export.clone(),
                ..Export::default()
            },
            wanted,
            tls: false,
            state: State::Greeting,
            no_zeroes: false,
            structured: false,
            allocation: None,
            described: false,
        })
    }

    /// A handshake that goes nowhere without TLS.
    pub fn with_tls(wanted: Wanted) -> Result<Self, ProtocolError> {
        let mut handshake = Handshake::new(wanted)?;
        handshake.tls = true;
        Ok(handshake)
    }

    /// Takes what the server said from `input` and appends what to answer to `output`.
    pub fn next(
        &mut self,
        input: &mut &[u8],
        output: &mut Vec<u8>,
    ) -> Result<Progress, ProtocolError> {
        loop {
            let step = match self.state {
                State::Greeting => self.greeting(input, output)?,
                State::Secret => {
                    self.ask_first(output);
                    Step::Out(Progress::Send)
                }
                State::Answer(OptionCode::ExportName) => self.export_name(input)?,
                State::Answer(option) => self.answer(option, input, output)?,
            };
            match step {
                Step::Again => {}
                Step::Out(progress) => return Ok(progress),
            }
        }
    }

    fn greeting(&mut self, input: &mut &[u8], output: &mut Vec<u8>) -> Result<Step, ProtocolError> {
        let mut rest = *input;
        let Some(magic) = bytes::u64(&mut rest) else {
            return Ok(Step::MORE);
        };
        expect("a greeting", magic, GREETING)?;
        let Some(style) = bytes::u64(&mut rest) else {
            return Ok(Step::MORE);
        };
        if style == OLD_STYLE {
            return Err(ProtocolError::OldStyle);
        }
        expect("a greeting", style, IHAVEOPT)?;
        let Some(flags) = bytes::u16(&mut rest) else {
            return Ok(Step::MORE);
        };
        *input = rest;
        let ours = flags & (FIXED_NEWSTYLE | NO_ZEROES);
        self.no_zeroes = flags & NO_ZEROES != 0;
        output.extend(u32::from(ours).to_be_bytes());
        match flags & FIXED_NEWSTYLE {
            0 if self.tls => {
                return Err(ProtocolError::NoTls {
                    reply: rep::ERR_UNSUP,
                    message: String::new(),
                });
            }
            0 => self.ask(OptionCode::ExportName, output),
            _ if self.tls => self.ask(OptionCode::StartTls, output),
            _ => self.ask_first(output),
        }
        Ok(Step::Out(Progress::Send))
    }

    /// Appends the first option that has to do with the export.
    fn ask_first(&mut self, output: &mut Vec<u8>) {
        self.ask(
            if self.wanted.structured {
                OptionCode::StructuredReply
            } else {
                OptionCode::Go
            },
            output,
        );
    }

    /// Appends an option; its answer is what comes next.
    fn ask(&mut self, option: OptionCode, output: &mut Vec<u8>) {
        let name = &self.wanted.export;
        let mut data = Vec::new();
        match option {
            OptionCode::ExportName => data.extend(name.as_bytes()),
            OptionCode::SetMetaContext => {
                bytes::put_string(&mut data, name);
                data.extend(1_u32.to_be_bytes());
                bytes::put_string(&mut data, ALLOCATION);
            }
            OptionCode::Go => {
                bytes::put_string(&mut data, name);
                data.extend([0, 2]);
                data.extend(info::BLOCK_SIZE.to_be_bytes());
                data.extend(info::DESCRIPTION.to_be_bytes());
            }
            _ => {}
        }
        output.extend(IHAVEOPT.to_be_bytes());
        output.extend((option as u32).to_be_bytes());
        output.extend((data.len() as u32).to_be_bytes());
        output.extend(data);
        self.state = State::Answer(option);
    }

    fn answer(
        &mut self,
        option: OptionCode,
        input: &mut &[u8],
        output: &mut Vec<u8>,
    ) -> Result<Step, ProtocolError> {
        let Some((reply, data)) = take_answer(option, input)? else {
            return Ok(Step::MORE);
        };
        let refused = rep::is_error(reply);
        match (option, reply) {
            (OptionCode::StartTls, rep::ACK) => {
                if !data.is_empty() {
                    return Err(MALFORMED);
                }
                // The server says nothing more until the hands are shaken: this is somebody else.
                if !input.is_empty() {
                    return Err(ProtocolError::PlainText);
                }
                self.state = State::Secret;
                return Ok(Step::Out(Progress::StartTls));
            }
            (OptionCode::StartTls, _) if refused => {
                let message = String::from_utf8_lossy(data).into_owned();
                return Err(ProtocolError::NoTls { reply, message });
            }
            (OptionCode::StructuredReply, _) if refused || reply == rep::ACK => {
                self.structured = !refused;
                let contexts = self.structured && self.wanted.allocation;
                let next = if contexts {
                    OptionCode::SetMetaContext
                } else {
                    OptionCode::Go
                };
                self.ask(next, output);
            }
            (OptionCode::SetMetaContext, rep::META_CONTEXT) => {
                let mut rest = data;
                let id = bytes::u32(&mut rest).ok_or(MALFORMED)?;
                if rest == ALLOCATION.as_bytes() {
                    self.allocation = Some(id);
                }
                return Ok(Step::Again);
            }
            (OptionCode::SetMetaContext, _) if refused || reply == rep::ACK => {
                self.ask(OptionCode::Go, output);
            }
            (OptionCode::Go, rep::INFO) => {
                self.describe(data)?;
                return Ok(Step::Again);
            }
            (OptionCode::Go, rep::ACK) if self.described => return Ok(self.ready()),
            (OptionCode::Go, rep::ERR_UNSUP) => self.ask(OptionCode::ExportName, output),
            _ if refused => {
                return Err(ProtocolError::Refused {
                    reply,
                    message: String::from_utf8_lossy(data).into_owned(),
                });
            }
            _ => return Err(MALFORMED),
        }
        Ok(Step::Out(Progress::Send))
    }

    /// One `NBD_REP_INFO`.
    fn describe(&mut self, mut data: &[u8]) -> Result<(), ProtocolError> {
        let kind = bytes::u16(&mut data).ok_or(MALFORMED)?;
        match kind {
            info::EXPORT => {
                let mut fields = || Some((bytes::u64(&mut data)?, bytes::u16(&mut data)?));
                let (size, flags) = fields().ok_or(MALFORMED)?;
                self.export.size = size;
                self.export.flags = TransmissionFlags::from_bits_retain(flags);
                self.described = true;
            }
            info::BLOCK_SIZE => {
                let mut field = || bytes::u32(&mut data).ok_or(MALFORMED);
                let sizes = BlockSizes {
                    minimum: field()?,
                    preferred: field()?,
                    maximum: field()?,
                };
                self.export.block_sizes = sizes.checked()?;
            }
            info::NAME => self.export.name = String::from_utf8_lossy(data).into_owned(),
            info::DESCRIPTION => {
                self.export.description = String::from_utf8_lossy(data).into_owned()
            }
            _ => {}
        }
        Ok(())
    }

    /// The answer to `NBD_OPT_EXPORT_NAME`, which has no header.
    fn export_name(&mut self, input: &mut &[u8]) -> Result<Step, ProtocolError> {
        let zeroes = if self.no_zeroes {
            0
        } else {
            EXPORT_NAME_ZEROES
        };
        let mut rest = *input;
        let mut fields = || {
            let size = bytes::u64(&mut rest)?;
            let flags = bytes::u16(&mut rest)?;
            bytes::slice(&mut rest, zeroes)?;
            Some((size, flags))
        };
        let Some((size, flags)) = fields() else {
            return Ok(Step::MORE);
        };
        *input = rest;
        self.export.size = size;
        self.export.flags = TransmissionFlags::from_bits_retain(flags);
        Ok(self.ready())
    }

    fn ready(&mut self) -> Step {
        Step::Out(Progress::Ready(Session {
            export: std::mem::take(&mut self.export),
            structured: self.structured,
            allocation: self.allocation,
        }))
    }
}

const MALFORMED: ProtocolError = ProtocolError::Malformed("an answer to an option");

enum Step {
    Again,
    Out(Progress),
}

impl Step {
    const MORE: Step = Step::Out(Progress::NeedInput);
}

fn expect(what: &'static str, found: u64, wanted: u64) -> Result<(), ProtocolError> {
    if found == wanted {
        Ok(())
    } else {
        Err(ProtocolError::Magic { what, found })
    }
}

/// One answer: its kind and its data.
fn take_answer<'a>(
    option: OptionCode,
    input: &mut &'a [u8],
) -> Result<Option<(u32, &'a [u8])>, ProtocolError> {
    const HEADER: usize = 20;
    if input.len() < HEADER {
        return Ok(None);
    }
    let mut rest = *input;
    let magic = bytes::u64(&mut rest).ok_or(MALFORMED)?;
    expect("an answer to an option", magic, OPTION_REPLY)?;
    let found = bytes::u32(&mut rest).ok_or(MALFORMED)?;
    let reply = bytes::u32(&mut rest).ok_or(MALFORMED)?;
    let len = bytes::u32(&mut rest).ok_or(MALFORMED)?;
    if found != option as u32 {
        return Err(ProtocolError::OtherOption {
            wanted: option,
            found,
        });
    }
    if len > MAX_OPTION {
        return Err(ProtocolError::TooLong {
            what: "an answer to an option",
            len: len.into(),
        });
    }
    let Some(data) = bytes::slice(&mut rest, len as usize) else {
        return Ok(None);
    };
    *input = rest;
    Ok(Some((reply, data)))
}
