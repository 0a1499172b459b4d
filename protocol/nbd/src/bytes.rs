//! Big-endian numbers off the front of a slice. `None` leaves the slice as it was.

macro_rules! take {
    ($name:ident, $bytes:literal) => {
        #[inline]
        pub(crate) fn $name(input: &mut &[u8]) -> Option<$name> {
            let (head, rest) = input.split_first_chunk::<$bytes>()?;
            *input = rest;
            Some($name::from_be_bytes(*head))
        }
    };
}

take!(u16, 2);
take!(u32, 4);
take!(u64, 8);

/// The first `len` bytes.
#[inline]
pub(crate) fn slice<'a>(input: &mut &'a [u8], len: usize) -> Option<&'a [u8]> {
    let (head, rest) = input.split_at_checked(len)?;
    *input = rest;
    Some(head)
}

/// A string with its length in front, as long as the protocol allows one to be.
pub(crate) fn string(input: &mut &[u8]) -> Option<String> {
    let mut rest = *input;
    let len = u32(&mut rest)?;
    if len > crate::numbers::MAX_STRING {
        return None;
    }
    let bytes = slice(&mut rest, len as usize)?;
    let text = std::str::from_utf8(bytes).ok()?.to_owned();
    *input = rest;
    Some(text)
}

/// Appends a string with its length in front.
pub(crate) fn put_string(output: &mut Vec<u8>, text: &str) {
    output.extend((text.len() as u32).to_be_bytes());
    output.extend(text.as_bytes());
}
