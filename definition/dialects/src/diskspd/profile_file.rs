//! A profile's file: its bytes, its encoding, its types.

use super::complaints::Complaints;
use super::model::Profile;
use super::{codes, elements};
use plimsoll_diagnostic::{Diagnostic, Sources, Span};
use std::io::Read;

/// A profile of more bytes than this was made by no one.
const MOST_BYTES: u64 = 16 << 20;

/// Reads a file; `at` is where its name was written.
pub(super) fn read(
    name: &str,
    at: Option<Span>,
    sources: &mut Sources,
    complaints: &mut Complaints,
) -> Option<Profile> {
    let text = match bytes(name).and_then(decode) {
        Ok(text) => text,
        Err(why) => {
            let message = format!("the profile {name} cannot be read: {why}");
            let complaint = Diagnostic::error(codes::UNREADABLE, message);
            complaints.add(match at {
                Some(at) => complaint.at(at, "named here"),
                None => complaint,
            });
            return None;
        }
    };
    let file = sources.add(name, text);
    elements::read(file, &sources.get(file).text, complaints)
}

fn bytes(name: &str) -> Result<Vec<u8>, String> {
    if name.is_empty() {
        return Err("its name has to be joined to -X".to_string());
    }
    let file = std::fs::File::open(name).map_err(|e| e.to_string())?;
    let mut bytes = Vec::new();
    file.take(MOST_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(|e| e.to_string())?;
    match bytes.len() as u64 > MOST_BYTES {
        true => Err(format!("it is larger than {MOST_BYTES} bytes")),
        false => Ok(bytes),
    }
}

/// UTF-8, or UTF-16 as PowerShell writes it.
pub(super) fn decode(bytes: Vec<u8>) -> Result<String, String> {
    let wide = |unit: fn([u8; 2]) -> u16| {
        let units: Vec<u16> = bytes[2..]
            .chunks_exact(2)
            .map(|c| unit([c[0], c[1]]))
            .collect();
        String::from_utf16(&units).map_err(|_| "it is no UTF-16".to_string())
    };
    match bytes.get(..2) {
        Some([0xff, 0xfe]) => wide(u16::from_le_bytes),
        Some([0xfe, 0xff]) => wide(u16::from_be_bytes),
        _ => {
            let text = String::from_utf8(bytes).map_err(|_| "it is no UTF-8".to_string())?;
            Ok(text
                .strip_prefix('\u{feff}')
                .map(str::to_string)
                .unwrap_or(text))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::decode;

    #[test]
    fn powershell_s_encodings_are_read() {
        let wide = |unit: fn(u16) -> [u8; 2]| {
            let text = "\u{feff}<Profile/>";
            decode(text.encode_utf16().flat_map(unit).collect())
        };
        assert_eq!(wide(u16::to_le_bytes).as_deref(), Ok("<Profile/>"));
        assert_eq!(wide(u16::to_be_bytes).as_deref(), Ok("<Profile/>"));
        assert_eq!(decode("\u{feff}<a/>".into()).as_deref(), Ok("<a/>"));
        assert!(decode(vec![0xff, 0xfe, 0x00, 0xd8]).is_err());
        assert!(decode(vec![0x3c, 0xe9]).is_err());
    }
}
