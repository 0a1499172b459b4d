//! How a server leads a client to an export.

use crate::bytes;
use crate::error::ProtocolError;
use crate::export::{Export, Session};
use crate::flags::TransmissionFlags;
use crate::numbers::*;
use std::sync::Arc;

/// Next step of a handshake.
#[derive(Debug, PartialEq, Eq)]
pub enum Progress {
    /// More bytes from the client.
    NeedInput,
    /// The output has to be sent, and emptied, before anything else. It is never longer than the answer to one option.
    Send,
    /// Send the output; then TLS begins, and from there on input and output are what goes through it.
    StartTls,
    /// The client has chosen. Send the output; what is left of the input belongs to the requests.
    Ready(Session),
    /// The client leaves. Send the output and hang up.
    Abandoned,
}

/// Use of TLS by a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tls {
    /// No TLS.
    Off,
    /// TLS once the client asks for it.
    Allowed,
    /// Nothing is answered before it has begun.
    Required,
}

/// The handshake of a server.
///
/// Options that it doesn't know are answered so and passed over, however long they are; nothing of them is kept.
#[derive(Debug)]
pub struct Handshake {
    exports: Arc<[Export]>,
    tls: Tls,
    /// True once TLS has begun.
    is_secret: bool,
    state: State,
    no_zeroes: bool,
    structured: bool,
    /// The export for which `base:allocation` was negotiated last.
    allocation: Option<String>,
}

#[derive(Debug, Clone, Copy)]
enum State {
    Greeting,
    ClientFlags,
    Option,
    /// Data of an option that was answered already.
    Skip(u32),
}

/// The body of an answer: its kind and its data.
type OptionAnswer = (u32, Vec<u8>);

/// Outcome of an option.
enum Outcome {
    /// Answers alone; no export was chosen.
    Answers(Vec<OptionAnswer>),
    /// Answers that end the handshake, and the index of the export that was chosen.
    Go(Vec<OptionAnswer>, usize),
}

impl Handshake {
    /// Serves these exports, without TLS. The first is the default one: it is also found by the empty name.
    pub fn new(exports: Arc<[Export]>) -> Self {
        Handshake::with_tls(exports, Tls::Off)
    }

    /// Serves these exports, with TLS or without.
    pub fn with_tls(exports: Arc<[Export]>, tls: Tls) -> Self {
        Handshake {
            exports,
            tls,
            is_secret: false,
            state: State::Greeting,
            no_zeroes: false,
            structured: false,
            allocation: None,
        }
    }

    /// Takes what the client said from `input` and appends what to answer to `output`.
    pub fn next(
        &mut self,
        input: &mut &[u8],
        output: &mut Vec<u8>,
    ) -> Result<Progress, ProtocolError> {
        loop {
            match self.state {
                State::Greeting => {
                    output.extend(GREETING.to_be_bytes());
                    output.extend(IHAVEOPT.to_be_bytes());
                    output.extend((FIXED_NEWSTYLE | NO_ZEROES).to_be_bytes());
                    self.state = State::ClientFlags;
                    return Ok(Progress::Send);
                }
                State::ClientFlags => {
                    let Some(flags) = bytes::u32(input) else {
                        return Ok(Progress::NeedInput);
                    };
                    if flags & !u32::from(FIXED_NEWSTYLE | NO_ZEROES) != 0 {
                        return Err(ProtocolError::HandshakeFlags(flags));
                    }
                    self.no_zeroes = flags & u32::from(NO_ZEROES) != 0;
                    self.state = State::Option;
                }
                State::Skip(left) => {
                    let here = input.len().min(left as usize);
                    *input = &input[here..];
                    match left - here as u32 {
                        0 => self.state = State::Option,
                        left => {
                            self.state = State::Skip(left);
                            return Ok(Progress::NeedInput);
                        }
                    }
                }
                State::Option => return self.option(input, output),
            }
        }
    }

    fn option(
        &mut self,
        input: &mut &[u8],
        output: &mut Vec<u8>,
    ) -> Result<Progress, ProtocolError> {
        let Some((code, len, data)) = take_option(input)? else {
            return Ok(Progress::NeedInput);
        };
        let unknown = (rep::ERR_UNSUP, Vec::new());
        let Some(option) = OptionCode::from_wire(code) else {
            put_answer(output, code, self.too_early().unwrap_or(unknown));
            self.state = State::Skip(len);
            return Ok(Progress::Send);
        };
        let data = match data {
            Data::Whole(data) => data,
            Data::Missing => return Ok(Progress::NeedInput),
            Data::TooLong if option == OptionCode::ExportName => {
                let what = "an export's name";
                let len = len.into();
                return Err(ProtocolError::TooLong { what, len });
            }
            Data::TooLong => {
                let too_big = (rep::ERR_TOO_BIG, Vec::new());
                put_answer(output, code, self.too_early().unwrap_or(too_big));
                self.state = State::Skip(len);
                return Ok(Progress::Send);
            }
        };
        *input = &input[OPTION_HEADER + data.len()..];
        match option {
            OptionCode::ExportName if self.too_early().is_some() => {
                return Err(ProtocolError::TlsRequired);
            }
            OptionCode::ExportName => return self.export_name(data, output),
            OptionCode::StartTls => return self.start_tls(data, input, output),
            _ => {}
        }
        let outcome = match self.too_early() {
            Some(refusal) if option != OptionCode::Abort => Err(refusal),
            _ => self.answer(option, data),
        };
        let (answers, chosen) = match outcome {
            Ok(Outcome::Answers(answers)) => (answers, None),
            Ok(Outcome::Go(answers, export)) => (answers, Some(export)),
            Err(error) => (vec![error], None),
        };
        for answer in answers {
            put_answer(output, code, answer);
        }
        Ok(match chosen {
            Some(export) => Progress::Ready(self.session(export)),
            None if option == OptionCode::Abort => Progress::Abandoned,
            None => Progress::Send,
        })
    }

    /// The refusal of everything else, where TLS has to come first.
    fn too_early(&self) -> Option<OptionAnswer> {
        let early = self.tls == Tls::Required && !self.is_secret;
        early.then(|| refuse(rep::ERR_TLS_REQD, "TLS comes first"))
    }

    /// TLS begins, or why not. What was agreed in plain text is forgotten: somebody else may have said it.
    fn start_tls(
        &mut self,
        data: &[u8],
        rest: &[u8],
        output: &mut Vec<u8>,
    ) -> Result<Progress, ProtocolError> {
        let option = OptionCode::StartTls as u32;
        let refusal = match self.tls {
            Tls::Off => Some((rep::ERR_UNSUP, Vec::new())),
            _ if self.is_secret => Some(refuse(rep::ERR_INVALID, "TLS has begun already")),
            _ if !data.is_empty() => Some(refuse(rep::ERR_INVALID, "this option has no data")),
            _ => None,
        };
        if let Some(refusal) = refusal {
            put_answer(output, option, refusal);
            return Ok(Progress::Send);
        }
        // A client waits for the answer before it goes on.
        if !rest.is_empty() {
            return Err(ProtocolError::PlainText);
        }
        self.is_secret = true;
        self.structured = false;
        self.allocation = None;
        put_answer(output, option, ACK);
        Ok(Progress::StartTls)
    }

    /// The answers to an option; `Err` is the one answer that refuses it.
    fn answer(&mut self, option: OptionCode, data: &[u8]) -> Result<Outcome, OptionAnswer> {
        match option {
            OptionCode::Abort => Ok(Outcome::Answers(vec![ACK])),
            OptionCode::List if data.is_empty() => {
                let one = |export: &Export| {
                    let mut data = Vec::new();
                    bytes::put_string(&mut data, &export.name);
                    data.extend(export.description.as_bytes());
                    (rep::SERVER, data)
                };
                let all = self.exports.iter().map(one).chain([ACK]);
                Ok(Outcome::Answers(all.collect()))
            }
            OptionCode::StructuredReply if data.is_empty() => {
                self.structured = true;
                Ok(Outcome::Answers(vec![ACK]))
            }
            OptionCode::List | OptionCode::StructuredReply => {
                Err(refuse(rep::ERR_INVALID, "this option has no data"))
            }
            OptionCode::Info | OptionCode::Go => {
                let (answers, export) = self.info(data)?;
                Ok(match option {
                    OptionCode::Go => Outcome::Go(answers, export),
                    _ => Outcome::Answers(answers),
                })
            }
            OptionCode::ListMetaContext | OptionCode::SetMetaContext => {
                self.contexts(option, data).map(Outcome::Answers)
            }
            OptionCode::ExportName | OptionCode::StartTls => {
                unreachable!("they have no answer of this form")
            }
        }
    }

    fn find(&self, name: &str) -> Result<usize, OptionAnswer> {
        let found = match name {
            "" => (!self.exports.is_empty()).then_some(0),
            name => self.exports.iter().position(|e| e.name == name),
        };
        found.ok_or_else(|| refuse(rep::ERR_UNKNOWN, "no such export"))
    }

    fn info(&self, mut data: &[u8]) -> Result<(Vec<OptionAnswer>, usize), OptionAnswer> {
        let invalid = || refuse(rep::ERR_INVALID, "the lengths in this option do not fit");
        let name = bytes::string(&mut data).ok_or_else(invalid)?;
        let count = bytes::u16(&mut data).ok_or_else(invalid)?;
        if data.len() != usize::from(count) * 2 {
            return Err(invalid());
        }
        let index = self.find(&name)?;
        let wants = |kind: u16| data.chunks_exact(2).any(|c| c == kind.to_be_bytes());
        let export = &self.exports[index];
        let sizes = export.block_sizes;
        if sizes.minimum > 1 && !wants(info::BLOCK_SIZE) {
            let why = "this export has a minimum block size; ask for it";
            return Err(refuse(rep::ERR_BLOCK_SIZE_REQD, why));
        }
        let mut answers = Vec::new();
        let mut tell = |kind: u16, data: &[u8]| {
            answers.push((rep::INFO, [&kind.to_be_bytes(), data].concat()));
        };
        let size = export.size.to_be_bytes();
        let flags = self.flags(export).bits().to_be_bytes();
        tell(info::EXPORT, &[size.as_slice(), &flags].concat());
        if wants(info::NAME) {
            tell(info::NAME, export.name.as_bytes());
        }
        if wants(info::DESCRIPTION) && !export.description.is_empty() {
            tell(info::DESCRIPTION, export.description.as_bytes());
        }
        if wants(info::BLOCK_SIZE) {
            let sizes = [sizes.minimum, sizes.preferred, sizes.maximum];
            tell(info::BLOCK_SIZE, &sizes.map(u32::to_be_bytes).concat());
        }
        answers.push(ACK);
        Ok((answers, index))
    }

    fn contexts(
        &mut self,
        option: OptionCode,
        mut data: &[u8],
    ) -> Result<Vec<OptionAnswer>, OptionAnswer> {
        let invalid = || refuse(rep::ERR_INVALID, "the lengths in this option do not fit");
        let set = option == OptionCode::SetMetaContext;
        if set {
            self.allocation = None;
        }
        if !self.structured {
            return Err(refuse(rep::ERR_INVALID, "structured replies come first"));
        }
        let name = bytes::string(&mut data).ok_or_else(invalid)?;
        let count = bytes::u32(&mut data).ok_or_else(invalid)?;
        let mut matched = count == 0 && !set;
        for _ in 0..count {
            let query = bytes::string(&mut data).ok_or_else(invalid)?;
            matched |= query == ALLOCATION || (!set && query == "base:");
        }
        if !data.is_empty() {
            return Err(invalid());
        }
        let export = self.find(&name)?;
        let mut answers = Vec::new();
        if matched {
            let id = if set { ALLOCATION_ID } else { 0 };
            let data = [&id.to_be_bytes(), ALLOCATION.as_bytes()].concat();
            answers.push((rep::META_CONTEXT, data));
            if set {
                self.allocation = Some(self.exports[export].name.clone());
            }
        }
        answers.push(ACK);
        Ok(answers)
    }

    fn export_name(
        &mut self,
        data: &[u8],
        output: &mut Vec<u8>,
    ) -> Result<Progress, ProtocolError> {
        let name = String::from_utf8_lossy(data);
        let Ok(index) = self.find(&name) else {
            return Err(ProtocolError::NoExport(name.chars().take(64).collect()));
        };
        let export = &self.exports[index];
        output.extend(export.size.to_be_bytes());
        output.extend(self.flags(export).bits().to_be_bytes());
        if !self.no_zeroes {
            output.extend([0; EXPORT_NAME_ZEROES]);
        }
        Ok(Progress::Ready(self.session(index)))
    }

    /// Capabilities of the export in this session: reads in one piece are a matter of structured replies.
    fn flags(&self, export: &Export) -> TransmissionFlags {
        let mut flags = export.flags | TransmissionFlags::HAS_FLAGS;
        flags.set(TransmissionFlags::DF, self.structured);
        flags
    }

    fn session(&self, index: usize) -> Session {
        let export = &self.exports[index];
        let negotiated = self.allocation.as_ref() == Some(&export.name);
        Session {
            export: Export {
                flags: self.flags(export),
                ..export.clone()
            },
            structured: self.structured,
            allocation: negotiated.then_some(ALLOCATION_ID),
        }
    }
}

const OPTION_HEADER: usize = 16;

const ACK: OptionAnswer = (rep::ACK, Vec::new());

/// Data of an option, as far as it is there.
enum Data<'a> {
    Whole(&'a [u8]),
    Missing,
    TooLong,
}

/// An option's number, its length and its data. Only the header of one whose data is too long or unknown is taken.
fn take_option<'a>(input: &mut &'a [u8]) -> Result<Option<(u32, u32, Data<'a>)>, ProtocolError> {
    if input.len() < OPTION_HEADER {
        return Ok(None);
    }
    let mut rest = *input;
    let mut fields = || {
        Some((
            bytes::u64(&mut rest)?,
            bytes::u32(&mut rest)?,
            bytes::u32(&mut rest)?,
        ))
    };
    let Some((magic, code, len)) = fields() else {
        return Ok(None);
    };
    if magic != IHAVEOPT {
        let what = "an option";
        return Err(ProtocolError::Magic { what, found: magic });
    }
    let known = OptionCode::from_wire(code).is_some();
    if !known || len > MAX_OPTION {
        *input = rest;
        return Ok(Some((code, len, Data::TooLong)));
    }
    let data = match rest.get(..len as usize) {
        Some(data) => Data::Whole(data),
        None => Data::Missing,
    };
    Ok(Some((code, len, data)))
}

fn refuse(reply: u32, why: &str) -> OptionAnswer {
    (reply, why.as_bytes().to_vec())
}

fn put_answer(output: &mut Vec<u8>, option: u32, (reply, data): OptionAnswer) {
    output.extend(OPTION_REPLY.to_be_bytes());
    output.extend(option.to_be_bytes());
    output.extend(reply.to_be_bytes());
    output.extend((data.len() as u32).to_be_bytes());
    output.extend(data);
}
