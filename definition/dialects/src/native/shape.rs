//! What the I/O of a workload looks like, setting by setting.

use super::access::access;
use super::given::{Given, Part, Wrong};
use super::holding::{Hold, Holding};
use super::keys::{Key, SHAPE};
use super::operations::operations;
use super::reduction::{Reduced, content_of};
use super::words::{count, halves, percent, positive, size, truth, unit, word, zones};
use plimsoll_plan::{
    AddressSpec, Bytes, ContentSpec, DedupePlacement, DedupeSpec, Distribution, HitPlacement,
    HitSpec, HotbandMode, Mix, Pattern, RangeSpec, SizeSpec,
};

const MIB: Bytes = Bytes(1 << 20);

/// One setting.
#[derive(Debug, Clone, PartialEq)]
pub enum Setting {
    /// Percent of reads.
    Read(f64),
    /// Percent of trims.
    Trim(f64),
    /// Operations on a tree.
    Operations(Mix),
    /// Transfer sizes.
    Block(SizeSpec),
    /// Those of reads (0), writes (1) or trims (2) alone.
    BlockOf(usize, SizeSpec),
    /// Order of addresses; the distribution in it is not used.
    Access(Pattern),
    /// Where random addresses fall.
    Distribution(Distribution),
    /// The part of the target.
    Range(RangeSpec),
    /// Hit set.
    Hits(Option<HitSpec>),
    /// Content of writes.
    Content(ContentSpec),
    /// One parameter of it.
    Reduced(Reduced),
    /// What holds it back.
    Hold(Hold),
}

/// All settings of a stream.
#[derive(Debug, Clone, PartialEq)]
pub struct Shape {
    read: f64,
    trim: f64,
    operations: Option<Mix>,
    block: SizeSpec,
    /// Of reads, writes and trims.
    own_blocks: [Option<SizeSpec>; 3],
    access: Pattern,
    distribution: Distribution,
    range: RangeSpec,
    hits: Option<HitSpec>,
    content: ContentSpec,
    holding: Holding,
}

impl Shape {
    /// What the table of keys says.
    pub fn defaults() -> Self {
        let mut shape = Shape {
            read: 0.0,
            trim: 0.0,
            operations: None,
            block: SizeSpec::Fixed(Bytes(0)),
            own_blocks: [None, None, None],
            access: Pattern::RANDOM,
            distribution: Distribution::Uniform,
            range: RangeSpec::Whole,
            hits: None,
            content: ContentSpec::default(),
            holding: Holding::default(),
        };
        for key in &SHAPE {
            if let Some(Ok(setting)) = key
                .default
                .map(|d| Setting::read(key, &Given::from_text(Part::of(d))))
            {
                shape.apply(&setting);
            }
        }
        shape
    }

    /// Puts one setting in the place of the one before.
    pub fn apply(&mut self, setting: &Setting) {
        match setting.clone() {
            Setting::Read(p) => self.read = p,
            Setting::Trim(p) => self.trim = p,
            Setting::Operations(mix) => self.operations = Some(mix),
            Setting::Block(b) => self.block = b,
            Setting::BlockOf(operation, b) => self.own_blocks[operation] = Some(b),
            Setting::Access(a) => self.access = a,
            Setting::Distribution(d) => self.distribution = d,
            Setting::Range(r) => self.range = r,
            Setting::Hits(h) => self.hits = h,
            Setting::Content(c) => self.content = c,
            Setting::Reduced(reduced) => self.content = reduced.put_into(&self.content),
            Setting::Hold(hold) => self.holding.apply(hold),
        }
    }

    /// The operations: those on a tree, or else what is neither read nor trimmed is written. Below 0 writes are left for the plan's
    /// check.
    pub fn mix(&self) -> Mix {
        let of_blocks = [self.read, 100.0 - self.read - self.trim, self.trim];
        self.operations.unwrap_or(Mix::from(of_blocks))
    }

    /// The sizes.
    pub fn size(&self) -> SizeSpec {
        let of = |own: &Option<SizeSpec>| own.as_ref().unwrap_or(&self.block).clone();
        let [read, write, trim] = self.own_blocks.each_ref().map(of);
        SizeSpec::of_operations([read, write, trim])
    }

    /// What holds the streams back.
    pub fn holding(&self) -> &Holding {
        &self.holding
    }

    /// The addresses.
    pub fn address(&self) -> AddressSpec {
        let pattern = match &self.access {
            Pattern::Random { coverage, .. } => Pattern::Random {
                distribution: self.distribution.clone(),
                coverage: *coverage,
            },
            Pattern::PercentRandom(percent) if self.distribution != Distribution::Uniform => {
                Pattern::PartRandom {
                    percent: *percent,
                    distribution: self.distribution.clone(),
                    whole_runs: false,
                }
            }
            Pattern::PartRandom {
                percent,
                whole_runs,
                ..
            } => Pattern::PartRandom {
                percent: *percent,
                distribution: self.distribution.clone(),
                whole_runs: *whole_runs,
            },
            other => other.clone(),
        };
        AddressSpec {
            range: self.range,
            pattern,
            hits: self.hits,
        }
    }

    /// The bytes.
    pub fn content(&self) -> ContentSpec {
        self.content.clone()
    }

    /// True where a distribution was set that the order of addresses makes no use of.
    pub fn distribution_is_idle(&self) -> bool {
        let draws = matches!(
            self.access,
            Pattern::Random { .. } | Pattern::PercentRandom(_) | Pattern::PartRandom { .. }
        );
        self.distribution != Distribution::Uniform && !draws
    }
}

impl Setting {
    /// Reads the value of one of [`SHAPE`]'s keys.
    pub fn read(key: &Key, given: &Given) -> Result<Self, Wrong> {
        given.check(key.form)?;
        match key.name {
            "read" => percent(word(given)?).map(Setting::Read),
            "trim" => percent(word(given)?).map(Setting::Trim),
            "operations" => operations(given).map(Setting::Operations),
            "block" => block(given).map(Setting::Block),
            "read_block" => block(given).map(|b| Setting::BlockOf(0, b)),
            "write_block" => block(given).map(|b| Setting::BlockOf(1, b)),
            "trim_block" => block(given).map(|b| Setting::BlockOf(2, b)),
            "access" => access(given).map(Setting::Access),
            "distribution" => distribution(given).map(Setting::Distribution),
            "range" => range(given).map(Setting::Range),
            "hits" => hits(given).map(Setting::Hits),
            "content" => content(given).map(Setting::Content),
            "think" | "think_every" | "think_distribution" | "max_rate" | "max_bandwidth" => {
                Hold::read(key.name, given).map(Setting::Hold)
            }
            other => Err(Wrong::new(
                &given.whole,
                format!("`{other}` says nothing of what the I/O looks like"),
            )),
        }
    }
}

pub(super) fn block(given: &Given) -> Result<SizeSpec, Wrong> {
    if let Some(text) = given.alone() {
        return match halves(text, '-').filter(|(from, _)| !from.text.is_empty()) {
            Some((from, to)) => size_range(text, size(&from)?, size(&to)?, None),
            None => size(text).map(SizeSpec::Fixed),
        };
    }
    if let (Some(from), Some(to)) = (given.get("from"), given.get("to")) {
        if let Some((name, _)) = given
            .pairs
            .iter()
            .find(|(n, _)| !["from", "to", "step"].contains(&n.text.as_str()))
        {
            return Err(Wrong::new(
                name,
                format!("`{}` does not belong to a range of sizes", name.text),
            ));
        }
        let step = given.get("step").map(size).transpose()?;
        return size_range(&given.whole, size(from)?, size(to)?, step);
    }
    let mut list = Vec::new();
    for (name, value) in &given.pairs {
        list.push((size(name)?, percent(value)?));
    }
    let sum = list
        .iter()
        .fold(0.0, |sum: f64, (_, percent)| sum + percent);
    if (sum - 100.0).abs() > 0.01 {
        return Err(Wrong::new(
            &given.whole,
            format!("the percentages of the sizes sum to {sum}"),
        )
        .remedy("make them sum to 100"));
    }
    Ok(SizeSpec::Weighted(list))
}

fn size_range(part: &Part, min: Bytes, max: Bytes, step: Option<Bytes>) -> Result<SizeSpec, Wrong> {
    let align = step.unwrap_or(min);
    if min > max {
        return Err(Wrong::new(
            part,
            format!("the range starts at {min} and ends before, at {max}"),
        )
        .remedy("write the smaller size first"));
    }
    for end in [min, max] {
        if !end.0.is_multiple_of(align.0) {
            return Err(Wrong::new(
                part,
                format!("{end} is not a multiple of {align}, the step of the range"),
            )
            .remedy(format!(
                "give a step, as in {{ from = \"{min}\", to = \"{max}\", step = \"512\" }}"
            )));
        }
    }
    Ok(SizeSpec::Range { min, max, align })
}

fn distribution(given: &Given) -> Result<Distribution, Wrong> {
    if let Some(text) = given.alone() {
        return Ok(match text.text.as_str() {
            "hotband" => Distribution::Hotband(HotbandMode::Corrected),
            _ => Distribution::Uniform,
        });
    }
    let (name, value) = given.one_choice()?;
    match name.text.as_str() {
        "zipf" => positive(value).map(Distribution::Zipf),
        "pareto" => match positive(value)? {
            h if h < 1.0 => Ok(Distribution::Pareto(h)),
            h => Err(Wrong::new(value, format!("h is {h}"))
                .remedy("write an h between 0 and 1, as 0.2 for 80/20")),
        },
        "normal" => positive(value).map(Distribution::Normal),
        "zoned" => zones(value).map(Distribution::Zoned),
        "poisson" => positive(value).map(Distribution::Poisson),
        _ => match value.text.as_str() {
            "corrected" => Ok(Distribution::Hotband(HotbandMode::Corrected)),
            "observed" => Ok(Distribution::Hotband(HotbandMode::Observed)),
            other => Err(
                Wrong::new(value, format!("`{other}` is no reading of hotband"))
                    .remedy("known are corrected and observed"),
            ),
        },
    }
}

fn range(given: &Given) -> Result<RangeSpec, Wrong> {
    if given.get("until").is_some() {
        return clipped(given);
    }
    if let Some(ahead) = given.get("ahead") {
        return Err(Wrong::new(
            ahead,
            "`ahead` says where addresses in order begin that come round",
        )
        .remedy("add until = SIZE, or until = \"end\""));
    }
    let (from, to) = match given.alone() {
        Some(text) => halves(text, '-').ok_or_else(|| {
            Wrong::new(text, format!("`{}` is no range", text.text))
                .remedy("write both ends, as in 10%-20% or 1g-2g")
        })?,
        None => match (given.get("from"), given.get("to")) {
            (Some(from), Some(to)) => (from.clone(), to.clone()),
            _ => {
                return Err(Wrong::new(
                    &given.whole,
                    "a range needs both `from` and `to`",
                ));
            }
        },
    };
    let ends = |part: &Part| {
        part.text
            .strip_suffix('%')
            .map(|digits| positive_or_zero(part, digits))
    };
    match (ends(&from), ends(&to)) {
        (Some(from), Some(to)) => Ok(RangeSpec::Percent(from?, to?)),
        (None, None) => Ok(RangeSpec::Bytes(unit(&from)?, unit(&to)?)),
        _ => Err(Wrong::new(
            &given.whole,
            "one end of the range is a percentage and the other is not",
        )
        .remedy("write both in percent, or both as sizes")),
    }
}

/// A range that ends with the target, where that is sooner.
fn clipped(given: &Given) -> Result<RangeSpec, Wrong> {
    if let Some(to) = given.get("to") {
        return Err(Wrong::new(to, "the range has two ends").remedy("keep `to` or `until`"));
    }
    let bytes = |name| given.get(name).map(unit::<Bytes>).transpose();
    let until = match given.get("until") {
        Some(part) if part.text != "end" => Some(size(part)?),
        _ => None,
    };
    let (from, ahead) = (bytes("from")?, bytes("ahead")?);
    Ok(RangeSpec::Clipped {
        from: from.unwrap_or_default(),
        until,
        ahead: ahead.unwrap_or_default(),
    })
}

fn positive_or_zero(part: &Part, digits: &str) -> Result<f64, Wrong> {
    match digits.trim().parse::<f64>() {
        Ok(p) if p >= 0.0 && p.is_finite() => Ok(p),
        _ => Err(Wrong::new(
            part,
            format!("`{}` is not a percentage", part.text),
        )),
    }
}

fn hits(given: &Given) -> Result<Option<HitSpec>, Wrong> {
    if given.alone().is_some() {
        return Ok(None);
    }
    let read_percent = given.get("read").map(percent).transpose()?;
    let write_percent = given.get("write").map(percent).transpose()?;
    if read_percent.is_none() && write_percent.is_none() {
        return Err(Wrong::new(
            &given.whole,
            "the hit set says of no operation how many go to it",
        )
        .remedy("add read = PERCENT or write = PERCENT"));
    }
    let slice = given.get("slice");
    let placement = match given.get("placement") {
        Some(part) if part.text == "contiguous" => {
            if let Some(slice) = slice {
                return Err(Wrong::new(slice, "a contiguous area has no slices")
                    .remedy("leave `slice` out"));
            }
            HitPlacement::Contiguous
        }
        Some(part) if part.text != "scattered" => {
            return Err(Wrong::new(part, format!("`{}` is no placement", part.text))
                .remedy("known are scattered and contiguous"));
        }
        _ => match slice.map(size).transpose()? {
            Some(slice) => HitPlacement::Sliced(slice),
            None => HitPlacement::Scattered,
        },
    };
    Ok(Some(HitSpec::new(
        read_percent.unwrap_or(0.0),
        write_percent.unwrap_or(0.0),
        given.get("area").map(size).transpose()?.unwrap_or(MIB),
        placement,
    )))
}

fn content(given: &Given) -> Result<ContentSpec, Wrong> {
    if let Some(text) = given.alone() {
        return Ok(match text.text.as_str() {
            "zeros" => ContentSpec::Zeros,
            _ => ContentSpec::Unique,
        });
    }
    if let (Some(part), None) = (given.get("pattern"), given.get("compress")) {
        given.one_choice()?;
        return pattern(part).map(ContentSpec::Pattern);
    }
    if let Some(part) = given.get("file") {
        given.one_choice()?;
        return Ok(ContentSpec::File(part.text.clone().into()));
    }
    let at_least_one = |part: &Part| match positive(part)? {
        n if n >= 1.0 => Ok(n),
        n => Err(Wrong::new(part, format!("a ratio of {n} is below 1"))
            .remedy("write original size over reduced size, 1 or more")),
    };
    let compress = given
        .get("compress")
        .map(at_least_one)
        .transpose()?
        .unwrap_or(1.0);
    let dedupe = match given.get("dedupe").map(at_least_one).transpose()? {
        Some(ratio) => Some(DedupeSpec {
            ratio,
            unit: given
                .get("unit")
                .map(size)
                .transpose()?
                .unwrap_or(Bytes(4096)),
            sets: given.get("sets").map(|p| count(p, 1)).transpose()?,
            flip_flop: given
                .get("flip_flop")
                .map(truth)
                .transpose()?
                .unwrap_or(false),
            placement: dedupe_placement(given)?,
        }),
        None => {
            if let Some((name, _)) = given
                .pairs
                .iter()
                .find(|(n, _)| !["compress", "pattern", "zeros"].contains(&n.text.as_str()))
            {
                return Err(Wrong::new(
                    name,
                    format!("`{}` says how to deduplicate, but not how much", name.text),
                )
                .remedy("add dedupe = RATIO"));
            }
            None
        }
    };
    if let Some(part) = given.get("pattern") {
        if given.get("zeros").is_some() {
            return Err(
                Wrong::new(part, "a pattern excludes zeros in a part of the blocks")
                    .remedy("keep one"),
            );
        }
        return Ok(ContentSpec::ReduciblePattern {
            pattern: pattern(part)?,
            compress,
            dedupe,
        });
    }
    let zeros = given.get("zeros").map(percent).transpose()?.unwrap_or(0.0);
    Ok(content_of(zeros, compress, dedupe))
}

/// Where duplicates lie.
fn dedupe_placement(given: &Given) -> Result<DedupePlacement, Wrong> {
    match given.get("placement") {
        None => Ok(DedupePlacement::default()),
        Some(part) => match part.text.as_str() {
            "scattered" => Ok(DedupePlacement::Scattered),
            "runs" => Ok(DedupePlacement::Runs),
            other => Err(Wrong::new(part, format!("`{other}` is no placement"))
                .remedy("known are scattered and runs")),
        },
    }
}

pub(super) fn pattern(part: &Part) -> Result<Vec<u8>, Wrong> {
    let Some(digits) = part.text.strip_prefix("0x") else {
        if part.text.is_empty() {
            return Err(Wrong::new(part, "the pattern is empty"));
        }
        return Ok(part.text.clone().into_bytes());
    };
    let wrong = || {
        Wrong::new(
            part,
            format!("`{}` is not whole bytes in hexadecimal", part.text),
        )
        .remedy("write two digits a byte, as 0xdeadbeef")
    };
    let nibbles: Option<Vec<u8>> = digits
        .chars()
        .map(|c| c.to_digit(16).map(|d| d as u8))
        .collect();
    let nibbles = nibbles.ok_or_else(wrong)?;
    if nibbles.is_empty() || nibbles.len() % 2 == 1 {
        return Err(wrong());
    }
    Ok(nibbles.chunks_exact(2).map(|p| p[0] << 4 | p[1]).collect())
}
