//! Real devices and a real network, looked at while they are used.

use plimsoll_skipped::machine::Zram;
use plimsoll_skipped::skipped;
use plimsoll_witness::{Root, Watch, Watched};
use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};

/// A zram device of 16 MiB; `None`, with the reason printed, where there can be none.
fn zram() -> Option<Zram> {
    Zram::new()
        .inspect_err(|e| skipped!("no zram device can be made: {e}"))
        .ok()
}

#[test]
fn zeros_on_zram_are_pages_of_one_word_and_other_data_is_not() {
    let Some(zram) = zram() else { return };
    let what = Watched {
        name: "z".into(),
        path: Some(zram.path().into()),
        devices: vec![zram.0.clone()],
        addresses: Vec::new(),
    };
    let mut watch = Watch::new(&Root::system(), &[what]);
    let mut write = |block: &[u8]| {
        let mut device = OpenOptions::new().write(true).open(zram.path()).unwrap();
        for _ in 0..64 {
            device.write_all(block).unwrap();
        }
        device.sync_all().unwrap();
        drop(device);
        watch.look()
    };
    let seen = write(&[0; 4096]);
    let held = &seen.zrams[0];
    assert_eq!(held.name, zram.0);
    assert_eq!(held.same_pages.1 - held.same_pages.0, 64, "{held:?}");
    let mut other = [0; 4096];
    File::open("/dev/urandom")
        .unwrap()
        .read_exact(&mut other)
        .unwrap();
    let seen = write(&other);
    let held = &seen.zrams[0];
    assert_eq!(held.same_pages.0 - held.same_pages.1, 64, "{held:?}");
    let kept = held.compressed_bytes.1 - held.compressed_bytes.0;
    assert!(kept >= 64 * 4000, "{held:?}");
    // It was written through the page cache, of which the device's own is looked at.
    if let Some(cache) = seen.caches.first() {
        assert_eq!((cache.target.as_str(), cache.target_bytes), ("z", 16 << 20));
    }
    drop(watch);
}

#[test]
fn bytes_to_this_host_itself_go_by_its_loopback() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let what = Watched {
        name: "n".into(),
        addresses: vec![address],
        ..Watched::default()
    };
    let mut watch = Watch::new(&Root::system(), &[what]);
    let mut here = TcpStream::connect(address).unwrap();
    let (mut there, _) = listener.accept().unwrap();
    let reader = std::thread::spawn(move || {
        let mut sink = vec![0; 1 << 20];
        there.read_exact(&mut sink).unwrap();
    });
    here.write_all(&vec![7; 1 << 20]).unwrap();
    reader.join().unwrap();
    let seen = watch.look();
    let Some(lo) = seen.links.first() else {
        skipped!("the loopback's counters cannot be read here");
        return;
    };
    assert_eq!(
        (lo.name.as_str(), &lo.targets[..]),
        ("lo", &["n".to_owned()][..])
    );
    assert!(lo.in_bytes >= 1 << 20 && lo.out_bytes >= 1 << 20, "{lo:?}");
    assert!(lo.mtu > 0);
    let tcp = seen.tcp.expect("the host's TCP");
    assert!(tcp.sent > 0, "{tcp:?}");
}
