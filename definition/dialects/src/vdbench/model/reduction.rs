//! How much written data compresses and deduplicates.

use super::SECTOR;
use crate::vdbench::codes;
use crate::vdbench::number::Unit;
use crate::vdbench::reader::Reader;
use plimsoll_diagnostic::{Diagnostic, Span};

/// Compression and deduplication; what is not given is decided by the general parameters.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Reduction {
    /// Original size over compressed size, 1..25.
    pub compression: Option<f64>,
    /// Blocks written over distinct blocks, >= 1.
    pub dedup: Option<f64>,
    /// Bytes that are compared.
    pub unit: Option<u64>,
    /// Different duplicates: a number, or percent of the blocks as a negative number.
    pub sets: Option<f64>,
    /// A rewritten duplicate alternates.
    pub flip_flop: Option<Toggle>,
    /// Where deduplication was asked for.
    pub dedup_span: Option<Span>,
}

/// `on` or `off`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Toggle {
    /// `on`, `hotsets`
    On,
    /// `off`
    Off,
}

impl Reduction {
    pub(crate) fn read(reader: &mut Reader) -> Self {
        let compression = reader
            .number("compratio", Unit::Plain, 1.0, 25.0)
            .or_else(|| legacy_percent(reader));
        let dedup_field = reader
            .field("dedupratio")
            .or_else(|| reader.field("dedupunit"));
        let dedup = reader.number("dedupratio", Unit::Plain, 1.0, 1e6);
        let sets = match reader.field("dedupsets") {
            Some(field) => match reader.numbers_of(field, Unit::Plain).as_deref() {
                Some([n]) => Some(if n.percent { -n.value } else { n.value }),
                Some(_) => {
                    reader.refuse(field, "a number of sets, or a percentage");
                    None
                }
                None => None,
            },
            None => None,
        };
        let flip_flop = reader.field("dedupflipflop").and_then(|f| {
            let word = reader.word(
                f.value.items.first()?,
                &["off", "no", "on", "yes", "hotsets"],
            )?;
            Some(if matches!(word, "off" | "no") {
                Toggle::Off
            } else {
                Toggle::On
            })
        });
        Reduction {
            compression,
            dedup,
            unit: unit(reader),
            sets,
            flip_flop,
            dedup_span: dedup_field.map(|f| f.span),
        }
    }

    /// These settings where they are given, else those of `general`.
    pub fn over(self, general: &Reduction) -> Reduction {
        Reduction {
            compression: self.compression.or(general.compression),
            dedup: self.dedup.or(general.dedup),
            unit: self.unit.or(general.unit),
            sets: self.sets.or(general.sets),
            flip_flop: self.flip_flop.or(general.flip_flop),
            dedup_span: self.dedup_span.or(general.dedup_span),
        }
    }

    /// Complains where a ratio has no unit, or a unit no ratio.
    pub(crate) fn check(&self) -> Option<Diagnostic> {
        let span = self.dedup_span?;
        let needs = |given: &str, wanted: &str, label: &str, help: &str| {
            let message = format!("`{given}=` needs `{wanted}=`");
            Diagnostic::error(codes::REQUIRED, message)
                .at(span, label)
                .help(help)
        };
        match (self.dedup, self.unit) {
            (Some(_), None) => Some(needs(
                "dedupratio",
                "dedupunit",
                "how large are the blocks that are compared?",
                "add dedupunit=4k, or the block size of the array's deduplication",
            )),
            (None, Some(_)) => Some(needs(
                "dedupunit",
                "dedupratio",
                "how many blocks are written for each that is different?",
                "add dedupratio=2, or leave dedupunit= out",
            )),
            _ => None,
        }
    }
}

/// Whole sectors.
fn unit(reader: &mut Reader) -> Option<u64> {
    let bytes = reader.whole("dedupunit", 512)?;
    let field = reader.field("dedupunit")?;
    if !bytes.is_multiple_of(SECTOR) {
        reader.refuse(field, "a multiple of 512");
        return None;
    }
    Some(bytes)
}

/// `compression=40`: percent of the original size, as Vdbench 5.03 wrote it.
fn legacy_percent(reader: &mut Reader) -> Option<f64> {
    let percent = reader.number("compression", Unit::Plain, 4.0, 100.0)?;
    Some(100.0 / percent)
}
