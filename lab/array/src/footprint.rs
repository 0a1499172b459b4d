//! How much memory a model takes, known before any of it is taken.

use crate::persona::{Persona, PersonaError};

/// The greatest scale: beyond it a single request keeps a core busy for minutes.
pub const GREATEST_SCALE: f64 = 1e6;

/// No machine is thought to have more, bytes.
pub(crate) const ANY_MACHINE: u64 = 1 << 42;

/// Bytes of a chunk's word in the map.
const MAP: f64 = 8.0;

/// What a model takes, bytes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Footprint {
    /// When it is built, whatever is done with it.
    pub built: f64,
    /// In addition, when everything has been written: its map and its journal.
    pub written: f64,
}

impl Footprint {
    fn all(self) -> f64 {
        self.built + self.written
    }
}

impl Persona {
    /// What its model takes at a scale.
    pub fn footprint(&self, scale: f64) -> Footprint {
        let chunks = (self.luns.gib / scale).max(1.0 / 1024.0) * 262_144.0;
        let (all, volumes) = (
            chunks * f64::from(self.luns.count),
            f64::from(self.luns.count),
        );
        // Pages of the map, samples of the working set and histograms of sizes.
        let mut built = all / 2048.0 * 24.0 + volumes * (8193.0_f64.min(chunks) * 16.0 + 4096.0);
        let mut written = all * MAP;
        if let Some(cache) = &self.cache {
            built += cache.mib * 256.0 / scale * 4.0;
        }
        if let Some(journal) = &self.journal {
            written += journal.mib * 256.0 / scale * 24.0 * 2.0;
        }
        if let Some(flash) = &self.flash {
            built += f64::from(flash.dies) / scale * 28.0;
            built += f64::from(flash.buffer_pages) / scale * 8.0;
            if let Some(mapping) = &flash.mapping {
                let physical = all * (1.0 + mapping.over_provisioning);
                built += all * 4.0 + physical * 4.0;
                built += physical / f64::from(mapping.pages_per_block.max(1)) * 14.0;
            }
        }
        if let Some(tier) = &self.tier {
            built += all / 256.0 * 2.0 + f64::from(tier.disks) / scale * 24.0;
        }
        Footprint { built, written }
    }

    /// An error where a machine with so many bytes of memory left cannot have the model at this scale: when it is built it
    /// may take half of them, and when everything has been written all of them. `size_kept` says that the LUNs have the same
    /// size at any scale.
    pub fn check_memory(
        &self,
        scale: f64,
        available: u64,
        size_kept: bool,
    ) -> Result<(), PersonaError> {
        if !(scale > 0.0 && scale <= GREATEST_SCALE) {
            return Err(PersonaError::Range {
                persona: self.name.clone(),
                parameter: "scale",
                must: "above 0 and at most 1000000",
            });
        }
        let fits = |f: Footprint| f.built <= available as f64 / 2.0 && f.all() <= available as f64;
        let need = self.footprint(scale);
        if fits(need) {
            return Ok(());
        }
        let gib = |bytes: f64| bytes / (1_u64 << 30) as f64;
        let at = |other: f64| {
            let mut persona = self.clone();
            if size_kept {
                persona.luns.gib *= other / scale;
            }
            fits(persona.footprint(other))
        };
        Err(PersonaError::Large {
            persona: self.name.clone(),
            scale,
            need_gib: gib(need.all()),
            available_gib: gib(available as f64),
            fits: least(scale, at),
        })
    }
}

/// The least scale above one that does not fit at which all fits, to two digits; none up to the greatest.
fn least(scale: f64, fits: impl Fn(f64) -> bool) -> Option<f64> {
    let (mut low, mut high) = (scale.ln(), GREATEST_SCALE.ln());
    if !fits(GREATEST_SCALE) {
        return None;
    }
    for _ in 0..60 {
        let middle = (low + high) / 2.0;
        match fits(middle.exp()) {
            true => high = middle,
            false => low = middle,
        }
    }
    let exact = high.exp();
    let digit = 10_f64.powf(exact.log10().floor() - 1.0);
    let round = (exact / digit).ceil() * digit;
    Some(
        format!("{round:.1e}")
            .parse()
            .unwrap_or(round)
            .min(GREATEST_SCALE),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Array;
    use crate::persona::BUILT_IN;

    const GIB: u64 = 1 << 30;

    /// Memory that this process has, bytes.
    fn resident() -> u64 {
        let text = std::fs::read_to_string("/proc/self/statm").unwrap();
        text.split(' ').nth(1).unwrap().parse::<u64>().unwrap() * 4096
    }

    #[test]
    fn what_a_model_takes_when_it_is_built_is_at_most_what_was_said() {
        let mut all = Vec::new();
        for (name, _) in BUILT_IN {
            let persona = Persona::named(name).unwrap();
            for scale in [persona.scale, persona.scale / 4.0] {
                let said = persona.footprint(scale);
                let before = resident();
                let array = Array::new(&persona, scale, 1).unwrap();
                let taken = resident().saturating_sub(before) as f64;
                // Tests beside this one take memory too.
                assert!(
                    taken <= said.built * 1.1 + 6e7,
                    "{name} at {scale}: {taken} of {said:?}"
                );
                all.push(array);
            }
        }
    }

    #[test]
    fn what_no_machine_has_is_refused_with_the_least_scale_that_fits() {
        let mut persona = Persona::named("hybrid-hci").unwrap();
        assert!(persona.check_memory(10.0, 4 * GIB, false).is_ok());
        // 64 dies at full size are 640 million there.
        let error = persona.check_memory(1e-7, 16 * GIB, false).unwrap_err();
        let PersonaError::Large {
            fits: Some(least), ..
        } = error
        else {
            panic!("{error}");
        };
        assert!(
            persona.check_memory(least, 16 * GIB, false).is_ok(),
            "{least}"
        );
        assert!(
            persona.check_memory(least * 0.9, 16 * GIB, false).is_err(),
            "{least}"
        );
        let says = error.to_string();
        assert!(
            says.contains("16.0 GiB") && says.contains("a scale of at least"),
            "{says}"
        );
        // LUNs of 64 MiB, at any scale.
        persona.luns.gib = 1.0 / 16.0 * 1e-7;
        let small = persona.check_memory(1e-7, 16 * GIB, true).unwrap_err();
        let PersonaError::Large {
            fits: Some(least), ..
        } = small
        else {
            panic!("{small}");
        };
        persona.luns.gib = 1.0 / 16.0 * least;
        assert!(
            persona.check_memory(least, 16 * GIB, true).is_ok(),
            "{least}"
        );
    }

    #[test]
    fn luns_that_fit_at_no_scale_say_so_and_scales_have_an_end() {
        let mut persona = Persona::named("curve-8k").unwrap();
        persona.luns.gib = 1e9;
        let error = persona.check_memory(1.0, 16 * GIB, true).unwrap_err();
        assert!(
            error.to_string().contains("make the LUNs smaller"),
            "{error}"
        );
        for scale in [0.0, -1.0, 1e-320, 1.1e6, 1e300, f64::INFINITY, f64::NAN] {
            assert!(Array::new(&persona, scale, 1).is_err(), "{scale}");
        }
        persona.luns.gib = 9e14;
        for scale in [1e-300, 1e-7, 1.0] {
            assert!(Array::new(&persona, scale, 1).is_err(), "{scale}");
        }
    }
}
