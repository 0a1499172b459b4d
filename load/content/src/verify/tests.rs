use super::*;

const ALL: [Sum; 15] = [
    Sum::Meta,
    Sum::Md5,
    Sum::Crc64,
    Sum::Crc32,
    Sum::Crc32c,
    Sum::Crc16,
    Sum::Crc7,
    Sum::Sha256,
    Sum::Sha512,
    Sum::Sha3_224,
    Sum::Sha3_256,
    Sum::Sha3_384,
    Sum::Sha3_512,
    Sum::Xxhash,
    Sum::Sha1,
];

fn plan(sum: Sum) -> VerifyPlan {
    VerifyPlan {
        sum: Some(sum),
        interval: None,
        offset: 0,
        pattern: None,
        began: (5, 6),
    }
}

fn data(len: usize) -> Vec<u8> {
    (0..len as u64).map(|n| mix64(n) as u8).collect()
}

#[test]
fn what_was_stamped_is_found_good_and_any_byte_that_changed_is_found() {
    for sum in ALL {
        for (interval, offset) in [(None, 0), (Some(512), 0), (Some(1024), 256), (None, 2048)] {
            let plan = VerifyPlan {
                interval,
                offset,
                ..plan(sum)
            };
            let mut good = data(4096);
            plan.stamp(&mut good, 1 << 40, 77);
            let mark = plan.mark(&good);
            assert_eq!(
                plan.check(&mut good.clone(), 1 << 40, mark),
                Ok(()),
                "{sum:?}"
            );
            for at in [0, 17, 300, 511, 512, 1023, 2049, 4095] {
                let mut bad = good.clone();
                bad[at] ^= 4;
                let found = plan.check(&mut bad, 1 << 40, mark);
                // Nothing is said of the data by the header alone.
                let is_seen = found.is_err() || sum == Sum::Meta;
                assert!(is_seen, "{sum:?} {interval:?} {offset} {at}");
            }
        }
    }
}

#[test]
fn a_block_of_another_place_write_or_length_is_told_apart() {
    let plan = plan(Sum::Crc32c);
    let mut block = data(4096);
    plan.stamp(&mut block, 8192, 3);
    let what = |found: Result<(), Mismatch>| found.map_err(|m| m.what);
    let mut other = data(4096);
    plan.stamp(&mut other, 8192, 4);
    let mark = plan.mark(&other);
    assert_eq!(
        what(plan.check(&mut block.clone(), 4096, None)),
        Err(Broken::Offset)
    );
    assert_eq!(
        what(plan.check(&mut block.clone(), 8192, mark)),
        Err(Broken::Write)
    );
    assert_eq!(
        what(plan.check(&mut block[..2048].to_vec(), 8192, None)),
        Err(Broken::Length)
    );
    assert_eq!(
        what(plan.check(&mut [0; 4096], 8192, None)),
        Err(Broken::Magic)
    );
    let later = VerifyPlan {
        began: (9, 9),
        ..plan.clone()
    };
    later.stamp(&mut block, 8192, 4);
    assert_eq!(what(plan.check(&mut block, 8192, mark)), Err(Broken::Write));
}

#[test]
fn patterns_stand_behind_headers_with_the_offset_of_their_io() {
    let pattern = PatternPlan {
        bytes: [1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 3].into(),
        offsets: [2].into(),
        interval: None,
    };
    let plan = VerifyPlan {
        sum: None,
        pattern: Some(pattern),
        ..plan(Sum::Meta)
    };
    let mut block = vec![0; 30];
    plan.stamp(&mut block, 0x1234, 1);
    let once = [1, 2, 0x34, 0x12, 0, 0, 0, 0, 0, 0, 3];
    assert_eq!(block[..11], once);
    assert_eq!(block[11..22], once);
    assert_eq!(block[22..], once[..8]);
    assert_eq!(plan.check(&mut block.clone(), 0x1234, None), Ok(()));
    block[23] = 9;
    let mismatch = plan.check(&mut block, 0x1234, None).unwrap_err();
    assert_eq!(
        (mismatch.at, mismatch.what, mismatch.expected, mismatch.got),
        (23, Broken::Pattern, 2, 9)
    );
}

#[test]
fn hostile_sizes_do_no_harm() {
    for sum in ALL {
        for len in [0usize, 1, 39, 40, 41, 167, 168, 169, 511] {
            for interval in [None, Some(1), Some(41), Some(200)] {
                let plan = VerifyPlan {
                    interval,
                    offset: 100,
                    ..plan(sum)
                };
                let mut block = data(len);
                if len > 0 {
                    plan.stamp(&mut block, 0, 1);
                    let _ = plan.check(&mut block, 0, None);
                }
            }
        }
    }
}
