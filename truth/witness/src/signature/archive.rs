//! Archives and compressed streams whose first bytes alone are too few to be believed.

use super::structure::{found, u16_le};
use super::{Signature, Windows};

/// All of them.
pub(super) fn find(windows: &Windows<'_>) -> Vec<Signature> {
    let all = [
        gzip(windows),
        bzip2(windows),
        zstd(windows),
        lz4(windows),
        zip(windows),
        cpio(windows),
    ];
    all.into_iter().flatten().collect()
}

/// RFC 1952: deflate, no reserved flag, one of the three extra flags, a known system.
fn gzip(windows: &Windows<'_>) -> Option<Signature> {
    let header = windows.at(0, 10)?;
    let is_gzip = header[..3] == [0x1f, 0x8b, 8]
        && header[3] & 0xe0 == 0
        && [0, 2, 4].contains(&header[8])
        && (header[9] <= 13 || header[9] == 255);
    is_gzip.then(|| found("gzip stream", 0)).flatten()
}

/// bzip2, `compress.c`: the level, and what the first block begins with, the digits of pi; or the end of an empty stream, those
/// of its square root.
fn bzip2(windows: &Windows<'_>) -> Option<Signature> {
    let header = windows.at(0, 10)?;
    let is_bzip2 = header.starts_with(b"BZh")
        && header[3].is_ascii_digit()
        && [b"\x31\x41\x59\x26\x53\x59", b"\x17\x72\x45\x38\x50\x90"]
            .contains(&&header[4..].try_into().ok()?);
    is_bzip2.then(|| found("bzip2 stream", 0)).flatten()
}

/// RFC 8878: the magic, and a reserved bit that is 0.
fn zstd(windows: &Windows<'_>) -> Option<Signature> {
    let header = windows.at(0, 5)?;
    let is_zstd = header.starts_with(b"\x28\xb5\x2f\xfd") && header[4] & 0x08 == 0;
    is_zstd.then(|| found("zstd stream", 0)).flatten()
}

/// LZ4, "Frame Format Description": the magic, version 01, and a reserved bit that is 0.
fn lz4(windows: &Windows<'_>) -> Option<Signature> {
    let header = windows.at(0, 5)?;
    let is_lz4 = header.starts_with(b"\x04\x22\x4d\x18") && header[4] & 0xc2 == 0x40;
    is_lz4.then(|| found("LZ4 stream", 0)).flatten()
}

/// PKWARE, APPNOTE 4.3.7: a file's header, with the version that is needed and a method that there is.
fn zip(windows: &Windows<'_>) -> Option<Signature> {
    let is_zip = windows.at(0, 4)? == b"PK\x03\x04"
        && u16_le(windows, 4)? & 0xff <= 63
        && u16_le(windows, 8)? <= 99;
    is_zip.then(|| found("zip archive", 0)).flatten()
}

/// cpio(5): the portable formats, whose header is digits.
fn cpio(windows: &Windows<'_>) -> Option<Signature> {
    let header = windows.at(0, 22)?;
    let magics = [b"070701", b"070702", b"070707"];
    let is_cpio = magics.iter().any(|magic| header.starts_with(*magic))
        && header.iter().all(u8::is_ascii_hexdigit);
    is_cpio.then(|| found("cpio archive", 0)).flatten()
}

#[cfg(test)]
mod tests {
    use super::super::structure::tests::{names, put};

    #[test]
    fn streams_are_known_by_their_whole_headers() {
        let head = |bytes: &[u8]| names(|device| put(device, 0, bytes));
        for (expected, bytes) in [
            (
                "gzip stream",
                &b"\x1f\x8b\x08\x08\x01\x02\x03\x04\0\x03"[..],
            ),
            ("bzip2 stream", b"BZh9\x31\x41\x59\x26\x53\x59"),
            ("zstd stream", b"\x28\xb5\x2f\xfd\x24"),
            ("LZ4 stream", b"\x04\x22\x4d\x18\x64"),
            ("zip archive", b"PK\x03\x04\x14\0\0\0\x08\0"),
            ("cpio archive", b"0707010005A3F1000081A40000"),
        ] {
            assert_eq!(head(bytes), [expected]);
        }
        for bytes in [
            &b"\x1f\x8b\x08\xff\0\0\0\0\0\x03"[..],
            b"\x1f\x8b\x01\0\0\0\0\0\0\x03",
            b"BZh9 is a word",
            b"\x28\xb5\x2f\xfd\xff",
            b"\x04\x22\x4d\x18\xff",
            b"PK\x03\x04\xff\xff\0\0\xff\xff",
            b"070701 is a number, no more",
        ] {
            assert!(head(bytes).is_empty(), "{bytes:?}");
        }
    }
}
