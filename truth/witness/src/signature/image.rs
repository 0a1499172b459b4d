//! Disk images, by more than their first bytes.

use super::structure::{found, u32_be, u32_le};
use super::{Signature, Windows};

/// All of them.
pub(super) fn find(windows: &Windows<'_>) -> Vec<Signature> {
    let all = [qcow(windows), qed(windows), vmdk(windows), dmg(windows)];
    all.into_iter().flatten().collect()
}

/// QEMU, docs/interop/qcow2.rst: the magic, and a version.
fn qcow(windows: &Windows<'_>) -> Option<Signature> {
    let is_magic = windows.at(0, 4)? == b"QFI\xfb";
    match u32_be(windows, 4)? {
        1 if is_magic => found("qcow image", 0),
        2 | 3 if is_magic => found("qcow2 image", 0),
        _ => None,
    }
}

/// QEMU, docs/interop/qed_spec.rst: the magic, and the size of a cluster.
fn qed(windows: &Windows<'_>) -> Option<Signature> {
    let is_qed = windows.at(0, 4)? == b"QED\0" && u32_le(windows, 4)?.is_power_of_two();
    is_qed.then(|| found("QED image", 0)).flatten()
}

/// VMware, "Virtual Disk Format 5.0": hosted sparse extents, those of ESX, and descriptors in files of their own.
fn vmdk(windows: &Windows<'_>) -> Option<Signature> {
    const DESCRIPTOR: &[u8] = b"# Disk DescriptorFile";
    let magic = windows.at(0, 4)?;
    let is_extent =
        [b"KDMV", b"COWD"].iter().any(|m| magic == *m) && (1..=3).contains(&u32_le(windows, 4)?);
    let is_descriptor = windows.at(0, DESCRIPTOR.len()) == Some(DESCRIPTOR);
    (is_extent || is_descriptor)
        .then(|| found("VMDK image", 0))
        .flatten()
}

/// Apple's disk images end in a trailer of 512 bytes that says its version and its length (libdmg, `resources.h`).
fn dmg(windows: &Windows<'_>) -> Option<Signature> {
    let trailer = windows.size().checked_sub(512)?;
    let is_dmg = windows.at(trailer, 4)? == b"koly"
        && u32_be(windows, trailer + 4)? == 4
        && u32_be(windows, trailer + 8)? == 512;
    is_dmg.then(|| found("dmg image", trailer)).flatten()
}

#[cfg(test)]
mod tests {
    use super::super::structure::tests::{names, put};

    #[test]
    fn images_are_known_by_magic_and_version() {
        let head = |bytes: &'static [u8]| names(move |device| put(device, 0, bytes));
        for (expected, bytes) in [
            ("qcow image", &b"QFI\xfb\0\0\0\x01"[..]),
            ("qcow2 image", b"QFI\xfb\0\0\0\x03"),
            ("QED image", b"QED\0\0\0\x01\0"),
            ("VMDK image", b"KDMV\x01\0\0\0"),
            ("VMDK image", b"COWD\x01\0\0\0"),
            ("VMDK image", b"# Disk DescriptorFile\nversion=1\n"),
        ] {
            assert_eq!(head(bytes), [expected]);
        }
        for bytes in [
            &b"QFI\xfb\x03\0\0\0"[..],
            b"QED\0\x03\0\0\0",
            b"KDMV\0\0\0\x01",
        ] {
            assert!(head(bytes).is_empty(), "{bytes:?}");
        }
    }

    #[test]
    fn an_apple_image_is_known_by_its_end() {
        let trailer = b"koly\0\0\0\x04\0\0\x02\0";
        let found = names(|device| {
            let at = device.len() - 512;
            put(device, at, trailer);
        });
        assert_eq!(found, ["dmg image"]);
        assert!(names(|device| put(device, 0, trailer)).is_empty());
    }
}
