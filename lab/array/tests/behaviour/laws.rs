//! What holds for every persona and every request.

use plimsoll_array::persona::BUILT_IN;
use plimsoll_array::{Array, Completion, Io, IoKind, Persona, Status};
use plimsoll_content::Identity;
use proptest::prelude::*;

fn small(name: &str, seed: u64) -> Array {
    let mut persona = Persona::named(name).unwrap();
    (persona.luns.count, persona.luns.gib) = (2, 8.0 / 1024.0);
    if let Some(journal) = &mut persona.journal {
        journal.mib = 1.0;
    }
    if let Some(tier) = &mut persona.tier {
        tier.flash_gib = 4.0 / 1024.0;
    }
    Array::new(&persona, 1.0, seed).unwrap()
}

#[derive(Debug, Clone)]
struct Request {
    later: u64,
    lun: u32,
    path: u32,
    op: IoKind,
    offset: u64,
    len: u32,
    blocks: Vec<Identity>,
}

fn identity() -> impl Strategy<Value = Identity> {
    prop_oneof![
        Just(Identity::Zero),
        (0..20_u64, 0..5000_u32).prop_map(|(fingerprint, compressed)| Identity::Data {
            fingerprint,
            compressed
        }),
    ]
}

fn request() -> impl Strategy<Value = Request> {
    let op = prop_oneof![
        Just(IoKind::Read),
        Just(IoKind::Write),
        Just(IoKind::Trim),
        Just(IoKind::Zero),
        Just(IoKind::Flush)
    ];
    // Mostly inside, sometimes anywhere.
    let offset = prop_oneof![9 => 0..(9_u64 << 20), 1 => any::<u64>()];
    let len = prop_oneof![9 => 0..(1_u32 << 18), 1 => any::<u32>()];
    let blocks = proptest::collection::vec(identity(), 0..70);
    (
        0..2_000_000_u64,
        0..3_u32,
        0..9_u32,
        op,
        offset,
        len,
        blocks,
    )
        .prop_map(|(later, lun, path, op, offset, len, blocks)| Request {
            later,
            lun,
            path,
            op,
            offset,
            len,
            blocks,
        })
}

fn answers(array: &mut Array, requests: &[Request]) -> Vec<(u64, Completion)> {
    let mut now = 0;
    let each = requests.iter().map(|r| {
        now += r.later;
        let io = Io {
            lun: r.lun,
            path: r.path,
            op: r.op,
            offset: r.offset,
            len: r.len,
            blocks: &r.blocks,
        };
        let soonest = array.expect(now, &io);
        let answer = array.submit(now, &io);
        let known = (io.path as usize) < array.front_end().paths().len();
        assert!(!known || answer.at_ns >= soonest, "{io:?}");
        (now, answer)
    });
    each.collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn any_request_is_answered_not_before_it_came_and_always_alike(
        requests in proptest::collection::vec(request(), 0..200),
        seed: u64,
    ) {
        for (name, _) in BUILT_IN {
            let mut array = small(name, seed);
            let first = answers(&mut array, &requests);
            for ((now, answer), request) in first.iter().zip(&requests) {
                prop_assert!(answer.at_ns >= *now, "{}: {:?}", name, request);
                let end = request.offset.checked_add(u64::from(request.len));
                if request.op != IoKind::Flush && end.is_none_or(|e| e > array.lun_bytes()) {
                    prop_assert_eq!(answer.status, Status::Invalid);
                }
            }
            prop_assert_eq!(&first, &answers(&mut small(name, seed), &requests), "{}", name);
            array.catch_up(u64::MAX / 4);
            let done = first.iter().filter(|a| a.1.status == Status::Done).count() as u64;
            let c = *array.counters();
            prop_assert_eq!(c.reads.count + c.writes.count + c.trims.count + c.zeroes.count + c.flushes.count, done);
            prop_assert_eq!(c.failed, first.len() as u64 - done);
        }
    }
}
