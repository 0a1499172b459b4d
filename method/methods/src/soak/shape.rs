//! What explains a series better: a cliff, a step, or a straight line.

use plimsoll_measure::{Line, isotonic};

/// Means of at most so many blocks are compared.
const BLOCKS: usize = 100;
/// Share of the blocks at either end that count as the last one before them: stalls are no part of a shape.
const WILD: f64 = 0.02;

/// Misfit of a cliff at `at`: one level before it, and after it one that only falls, for an array may take long to settle. Sum of squares
/// of block means.
pub fn left_by_cliff(values: &[f64], at: usize) -> f64 {
    let (blocks, size) = blocks(values);
    let (before, after) = blocks.split_at((at / size).min(blocks.len()));
    let falling = falling(after);
    let off = after.iter().zip(&falling).map(|(v, f)| (v - f).powi(2));
    around_mean(before) + off.sum::<f64>()
}

/// Misfit of the best step between two levels.
pub fn left_by_step(values: &[f64]) -> f64 {
    let (blocks, _) = blocks(values);
    let at = |at: usize| around_mean(&blocks[..at]) + around_mean(&blocks[at..]);
    (0..blocks.len()).map(at).fold(f64::INFINITY, f64::min)
}

/// Misfit of a straight line.
pub fn left_by_line(values: &[f64]) -> f64 {
    let (blocks, _) = blocks(values);
    let points: Vec<(f64, f64)> = (0..).map(f64::from).zip(blocks).collect();
    Line::through(&points).map_or(f64::INFINITY, |line| {
        let off = |p: &(f64, f64)| (p.1 - line.intercept - line.slope * p.0).powi(2);
        points.iter().map(off).sum()
    })
}

/// The falling series that is nearest to one.
pub fn falling(values: &[f64]) -> Vec<f64> {
    let turned: Vec<f64> = values.iter().map(|v| -v).collect();
    isotonic(&turned).iter().map(|v| -v).collect()
}

/// Means of blocks without their wild values, and how many values a block has.
fn blocks(values: &[f64]) -> (Vec<f64>, usize) {
    let size = values.len().div_ceil(BLOCKS).max(1);
    (tamed(block_means(values, size)), size)
}

/// Means of consecutive blocks.
pub fn block_means(values: &[f64], size: usize) -> Vec<f64> {
    let mean = |block: &[f64]| block.iter().sum::<f64>() / block.len() as f64;
    values.chunks(size.max(1)).map(mean).collect()
}

fn tamed(mut values: Vec<f64>) -> Vec<f64> {
    let mut sorted = values.clone();
    sorted.sort_unstable_by(f64::total_cmp);
    let wild = (values.len() as f64 * WILD).ceil() as usize;
    if sorted.len() > 4 * wild {
        let (low, high) = (sorted[wild], sorted[sorted.len() - 1 - wild]);
        values.iter_mut().for_each(|v| *v = v.clamp(low, high));
    }
    values
}

fn around_mean(values: &[f64]) -> f64 {
    let mean = values.iter().sum::<f64>() / values.len().max(1) as f64;
    values.iter().map(|v| (v - mean).powi(2)).sum()
}
