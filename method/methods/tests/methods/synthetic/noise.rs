//! Noise as storage has it: a factor for each sample of 100 ms.

use super::noise;

/// A sample's length, s.
pub const SAMPLE_S: f64 = 0.1;

/// Draws from [`noise`].
struct Random(u64);

impl Random {
    fn uniform(&mut self) -> f64 {
        self.0 += 1;
        (noise(self.0) + 1.0) / 2.0
    }

    /// Box and Muller.
    fn normal(&mut self) -> f64 {
        let (u, v) = (self.uniform().max(1e-12), self.uniform());
        (-2.0 * u.ln()).sqrt() * (std::f64::consts::TAU * v).cos()
    }
}

/// Noise of a soak, a factor for each sample.
#[derive(Clone, Copy, Debug)]
pub enum Noise {
    /// Independent, with this standard deviation.
    White(f64),
    /// Autoregressive: standard deviation, correlation of neighbouring samples.
    Wandering(f64, f64),
    /// The sum of four wanderings from a second to two minutes, as shared storage has it.
    Pink(f64),
    /// The level walks at random, without anything that draws it back: standard deviation of where it ends, whatever the length.
    /// With it 5 % that are independent.
    Walk(f64),
    /// White, and stalls of up to three seconds, so many in all.
    Stalls(f64, u32),
}

/// A factor for each sample.
pub fn noises(kind: Noise, samples: usize, seed: u64) -> Vec<f64> {
    let mut random = Random(seed.wrapping_mul(0x1_0000_0001) << 8);
    let mut autoregressive = |sd: f64, phi: f64| -> Vec<f64> {
        let mut at = random.normal();
        (0..samples)
            .map(|_| {
                at = phi * at + (1.0 - phi * phi).sqrt() * random.normal();
                sd * at
            })
            .collect()
    };
    let mut all = match kind {
        Noise::White(sd) | Noise::Stalls(sd, _) => autoregressive(sd, 0.0),
        Noise::Wandering(sd, phi) => autoregressive(sd, phi),
        Noise::Walk(_) => autoregressive(0.05, 0.0),
        Noise::Pink(sd) => {
            let mut sum = vec![0.0; samples];
            for seconds in [1.0, 5.0, 25.0, 120.0] {
                let phi = (-SAMPLE_S / seconds).exp();
                let part = autoregressive(sd / 2.0, phi);
                sum.iter_mut().zip(part).for_each(|(s, p)| *s += p);
            }
            sum
        }
    };
    if let Noise::Walk(sd) = kind {
        let step = sd / (samples as f64).sqrt();
        let mut at = 0.0;
        for value in &mut all {
            at += step * random.normal();
            *value += at;
        }
    }
    if let Noise::Stalls(_, count) = kind {
        for _ in 0..count {
            let at = (random.uniform() * samples as f64) as usize;
            let length = 1 + (random.uniform() * 30.0) as usize;
            let end = (at + length).min(samples);
            all[at..end].iter_mut().for_each(|n| *n = -1.0);
        }
    }
    all.iter().map(|n| (1.0 + n).max(0.0)).collect()
}
