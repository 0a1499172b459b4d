//! The array is told what a write carries, as it would find it in the bytes.

use crate::stage::{KIB, MIB, PLAIN, PersonaFile, Stage, target};
use plimsoll_plan::{Bytes, ContentSpec, DedupePlacement, DedupeSpec, TargetId};

const CHUNKS: u64 = 64 * MIB / (4 * KIB);

fn written(content: &ContentSpec, block: u64) -> Stage {
    let file = PersonaFile::new(PLAIN);
    let mut stage = Stage::new(&[&file.lab("")]);
    stage.run(&stage.pass(content, block));
    stage
}

#[test]
fn data_like_no_other_is_held_once_each_whatever_the_size_of_the_writes() {
    for block in [4 * KIB, 64 * KIB, MIB] {
        let stage = written(&ContentSpec::Unique, block);
        assert_eq!(stage.look(|a| a.distinct_chunks()), CHUNKS, "{block}");
        assert_eq!(stage.look(|a| a.luns()[0].zero_chunks()), 0);
    }
}

#[test]
fn zeros_are_known_as_zeros() {
    let stage = written(&ContentSpec::Zeros, 64 * KIB);
    assert_eq!(stage.look(|a| a.luns()[0].zero_chunks()), CHUNKS);
    assert_eq!(stage.look(|a| a.distinct_chunks()), 0);
}

fn repeating(placement: DedupePlacement, flip_flop: bool) -> ContentSpec {
    ContentSpec::Reducible {
        compress: 1.0,
        dedupe: Some(DedupeSpec {
            ratio: 4.0,
            unit: Bytes(8 * KIB),
            sets: None,
            flip_flop,
            placement,
        }),
    }
}

fn ratio(stage: &Stage) -> f64 {
    CHUNKS as f64 / stage.look(|a| a.distinct_chunks()) as f64
}

#[test]
fn the_asked_dedupe_ratio_is_found_and_stays_from_step_to_step() {
    for placement in [DedupePlacement::Scattered, DedupePlacement::Runs] {
        for flip_flop in [false, true] {
            let content = repeating(placement, flip_flop);
            let file = PersonaFile::new(PLAIN);
            let mut stage = Stage::new(&[&file.lab("")]);
            stage.fill_with(&content);
            // Each step has a seed of its own, as those of a run have.
            for seed in 0..3 {
                let found = ratio(&stage);
                assert!((found / 4.0 - 1.0).abs() < 0.05, "{content:?}: {found}");
                stage.options.seed = seed;
                stage.run(&stage.pass(&content, 32 * KIB));
            }
        }
    }
}

#[test]
fn a_half_that_is_written_once_more_holds_the_other_values() {
    let content = repeating(DedupePlacement::Runs, true);
    let file = PersonaFile::new(PLAIN);
    let mut half = target(&file.lab("/lun0"));
    half.size = Some(Bytes(32 * MIB));
    let mut stage = Stage::of(vec![half], 3);
    stage.fill_with(&content);
    let mut step = stage.pass(&content, 8 * KIB);
    step.limits.bytes = Some(Bytes(16 * MIB));
    stage.run(&step);
    // A fifth is unique, and of a twentieth there are both values: 1 / 0.3.
    let found = stage.look(|a| (CHUNKS / 2) as f64 / a.distinct_chunks() as f64);
    assert!((found * 0.3 - 1.0).abs() < 0.05, "{found}");
}

#[test]
fn a_chunk_that_is_written_in_part_is_new_data_even_where_zeros_are_written() {
    let stage = written(&ContentSpec::Zeros, 512);
    assert_eq!(stage.look(|a| a.luns()[0].zero_chunks()), 0);
    assert_eq!(stage.look(|a| a.distinct_chunks()), CHUNKS);
}

#[test]
fn a_target_that_starts_inside_a_chunk_writes_the_chunks_that_it_covers() {
    let file = PersonaFile::new(PLAIN);
    let mut shifted = target(&file.lab(""));
    shifted.offset = Bytes(MIB + 512);
    shifted.size = Some(Bytes(4 * MIB));
    let mut stage = Stage::of(vec![shifted], 3);
    stage.run(&stage.pass(&ContentSpec::Zeros, MIB));
    // Each MiB covers 255 chunks and begins and ends inside one that it shares with its neighbour.
    assert_eq!(stage.look(|a| a.luns()[0].mapped_chunks()), 4 * 256 + 1);
    assert_eq!(stage.look(|a| a.luns()[0].zero_chunks()), 4 * 255);
}

#[test]
fn what_two_targets_hold_differs_and_a_rewrite_differs_from_both() {
    let file = PersonaFile::new(PLAIN);
    let mut stage = Stage::new(&[&file.lab("/lun1"), &file.lab("/lun3")]);
    stage.fill();
    assert_eq!(stage.look(|a| a.distinct_chunks()), 2 * CHUNKS);
    let held = stage.look(|a| {
        a.luns()
            .iter()
            .map(|l| l.mapped_chunks())
            .collect::<Vec<_>>()
    });
    assert_eq!(held, [0, CHUNKS, 0, CHUNKS]);
    let known = stage.look(|a| a.counters().new_bytes);
    stage.run(&stage.pass(&ContentSpec::Unique, 64 * KIB));
    assert_eq!(stage.look(|a| a.counters().new_bytes) - known, 2 * 64 * MIB);
    assert_eq!(stage.look(|a| a.distinct_chunks()), 2 * CHUNKS);
}

#[test]
fn a_filled_part_is_the_targets_own_part() {
    let file = PersonaFile::new(PLAIN);
    let mut part = target(&file.lab("/lun2"));
    part.offset = Bytes(MIB);
    part.size = Some(Bytes(2 * MIB));
    let mut stage = Stage::of(vec![part], 3);
    stage.fill();
    let held = stage
        .lab
        .with_array(TargetId(0), |a| a.luns()[2].mapped_chunks());
    assert_eq!(held, Some(2 * 256));
}
