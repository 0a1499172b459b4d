//! Which operation.

use crate::error::TrafficError;
use crate::generator::Generator;
use plimsoll_plan::{Mix, OP_COUNT, Op};

/// Draws operations by their percentages.
#[derive(Debug, Clone)]
pub(crate) enum Operations {
    /// Always the same.
    Only(Op),
    /// Up to which chance each is drawn; the last has the rest.
    Mixed([u64; OP_COUNT - 1]),
    /// The same of operations on names, with those on blocks among them.
    OnNames(Box<[(Op, u64)]>),
}

impl Operations {
    /// Operations by the plan's percentages, which need not sum to 100.
    pub(crate) fn new(mix: &Mix) -> Result<Self, TrafficError> {
        if !mix.names.is_none() {
            return Ok(Operations::on_names(mix));
        }
        let parts = mix.percents();
        let sum: f64 = parts.iter().sum();
        if !sum.is_finite() || sum <= 0.0 || parts.iter().any(|p| *p < 0.0) {
            return Err(TrafficError::Mix {
                read: mix.read,
                write: mix.write,
                trim: mix.trim,
            });
        }
        if let Some((op, _)) = mix.occurring().find(|(_, part)| *part == sum) {
            return Ok(Operations::Only(op));
        }
        let mut before = 0.0;
        let mut below = [0; OP_COUNT - 1];
        for (below, part) in below.iter_mut().zip(parts) {
            before += part;
            *below = (before / sum * 2f64.powi(64)) as u64;
        }
        Ok(Operations::Mixed(below))
    }

    fn on_names(mix: &Mix) -> Self {
        let sum: f64 = mix.occurring().map(|(_, part)| part).sum();
        let mut before = 0.0;
        let below = mix.occurring().map(|(op, part)| {
            before += part;
            (op, (before / sum * 2f64.powi(64)) as u64)
        });
        Operations::OnNames(below.collect())
    }

    /// The next operation.
    #[inline(always)]
    pub(crate) fn draw(&self, generator: &mut Generator) -> Op {
        match self {
            Operations::Only(op) => *op,
            Operations::OnNames(below) => {
                let x = generator.bits();
                let drawn = below.iter().find(|(_, below)| x < *below);
                drawn.or(below.last()).map_or(Op::Stat, |(op, _)| *op)
            }
            Operations::Mixed(below) => {
                let x = generator.bits();
                // All chances together are every number.
                let passed = |below: u64| usize::from(x >= below && below != u64::MAX);
                Op::ALL[(*below).map(passed).iter().sum::<usize>()]
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_come_at_their_percentages() {
        let mix = Mix::from([70.0, 20.0, 10.0]);
        let ops = Operations::new(&mix).expect("a mix");
        let mut g = Generator::new(3);
        let mut counts = [0u64; 3];
        for _ in 0..1_000_000 {
            counts[ops.draw(&mut g) as usize] += 1;
        }
        for (c, p) in counts.into_iter().zip([0.7, 0.2, 0.1f64]) {
            let sd = (1e6 * p * (1.0 - p)).sqrt();
            assert!((c as f64 - 1e6 * p).abs() < 5.0 * sd, "{counts:?}");
        }
    }

    #[test]
    fn an_operation_of_no_percent_never_comes() {
        let mix = |read, write, trim| Operations::new(&Mix::from([read, write, trim]));
        let mut g = Generator::new(3);
        let ops = mix(50.0, 50.0, 0.0).expect("a mix");
        assert!((0..10_000).all(|_| ops.draw(&mut g) != Op::Trim));
        let ops = mix(0.0, 50.0, 50.0).expect("a mix");
        assert!((0..10_000).all(|_| ops.draw(&mut g) != Op::Read));
        assert!(matches!(
            mix(0.0, 100.0, 0.0),
            Ok(Operations::Only(Op::Write))
        ));
        assert!(mix(0.0, 0.0, 0.0).is_err());
        assert!(mix(f64::NAN, 0.0, 0.0).is_err());
    }
}
