//! Ports, and the bytes that their lines carry each second and direction once the encoding is taken off.

use super::amount::{number, word, words};
use super::token::{Token, TokenKind};
use serde::Serialize;

/// Ports of one kind and speed.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Ports {
    /// Number of ports.
    pub count: u64,
    /// Kind of each port, in words: `8 Gbit/s Fibre Channel`.
    pub what: String,
    /// Bytes that all of them carry each second and direction, at most.
    pub line: f64,
    /// Each host has as many.
    pub each_host: bool,
}

impl Ports {
    /// So many of the same.
    pub(super) fn recounted(&self, count: u64) -> Ports {
        Ports {
            count,
            line: self.line / self.count as f64 * count as f64,
            ..self.clone()
        }
    }
}

/// Share of the bytes that goes in the busier direction: a line carries as much in each, so that reads and writes have one each. Of a mix
/// that is not said it is half at least.
pub(crate) fn busier_direction(read_share: Option<f64>) -> f64 {
    read_share.map_or(0.5, |reads| reads.max(1.0 - reads))
}

/// Kind of link.
#[derive(Clone, Copy)]
enum Kinds {
    FibreChannel,
    Ethernet,
    InfiniBand,
    Sas,
    Sata,
}

/// Words that say what a link is.
const KINDS: &[(&[&str], Kinds)] = &[
    (&["fibre", "channel"], Kinds::FibreChannel),
    (&["fiber", "channel"], Kinds::FibreChannel),
    (&["fc", "-", "nvme"], Kinds::FibreChannel),
    (&["fcp"], Kinds::FibreChannel),
    (&["fc"], Kinds::FibreChannel),
    (&["gfc"], Kinds::FibreChannel),
    (&["nvme", "/", "tcp"], Kinds::Ethernet),
    (&["fcoe"], Kinds::Ethernet),
    (&["be"], Kinds::Ethernet),
    (&["gbe"], Kinds::Ethernet),
    (&["gige"], Kinds::Ethernet),
    (&["ethernet"], Kinds::Ethernet),
    (&["eth"], Kinds::Ethernet),
    (&["iscsi"], Kinds::Ethernet),
    (&["roce"], Kinds::Ethernet),
    (&["iwarp"], Kinds::Ethernet),
    (&["smb"], Kinds::Ethernet),
    (&["nfs"], Kinds::Ethernet),
    (&["nic"], Kinds::Ethernet),
    (&["nics"], Kinds::Ethernet),
    (&["infiniband"], Kinds::InfiniBand),
    (&["ib"], Kinds::InfiniBand),
    (&["srp"], Kinds::InfiniBand),
    (&["sas"], Kinds::Sas),
    (&["sata"], Kinds::Sata),
];

/// Generations of InfiniBand by name: Gbit/s as sold, and bytes each second of data on four lanes.
const INFINIBAND: [(&str, f64, f64); 7] = [
    ("sdr", 10.0, 1e9),
    ("ddr", 20.0, 2e9),
    ("qdr", 40.0, 4e9),
    ("fdr", 56.0, 54.545e9 / 8.0),
    ("edr", 100.0, 12.5e9),
    ("hdr", 200.0, 25e9),
    ("ndr", 400.0, 50e9),
];

/// Transfers of PCI Express a second and lane, and bytes of data, by generation.
const PCIE: [f64; 6] = [
    2.5e9 * 0.8 / 8.0,
    5e9 * 0.8 / 8.0,
    8e9 * (128.0 / 130.0) / 8.0,
    16e9 * (128.0 / 130.0) / 8.0,
    32e9 * (128.0 / 130.0) / 8.0,
    64e9 * (242.0 / 256.0) / 8.0,
];

/// The name of a kind at the speed that it is sold as, and the bytes of a line of it; none of a speed that is not made.
fn line(kind: Kinds, gbit: f64) -> Option<(String, f64)> {
    let (name, bytes) = match kind {
        // Gigabaud, and what the encoding leaves: 8b/10b up to 8GFC, 64b/66b or 256b/257b with error correction above.
        Kinds::FibreChannel => (
            "Fibre Channel",
            match gbit as u64 {
                1 => 1.0625e9 * 0.8 / 8.0,
                2 => 2.125e9 * 0.8 / 8.0,
                4 => 4.25e9 * 0.8 / 8.0,
                8 => 8.5e9 * 0.8 / 8.0,
                10 => 10.51875e9 * (64.0 / 66.0) / 8.0,
                16 => 14.025e9 * (64.0 / 66.0) / 8.0,
                32 => 28.05e9 * (64.0 / 66.0) / 8.0,
                64 => 57.8e9 * (64.0 / 66.0) / 8.0,
                128 => 112.2e9 * (64.0 / 66.0) / 8.0,
                _ => return None,
            },
        ),
        // Sold by what is left of the encoding.
        Kinds::Ethernet => ("Ethernet", gbit * 1e9 / 8.0),
        Kinds::InfiniBand => {
            let (_, _, bytes) = INFINIBAND.iter().find(|(_, sold, _)| *sold == gbit)?;
            ("InfiniBand", *bytes)
        }
        Kinds::Sas => (
            "SAS",
            if gbit >= 22.0 {
                22.5e9 * (128.0 / 150.0) / 8.0
            } else {
                gbit * 0.8e9 / 8.0
            },
        ),
        Kinds::Sata => ("SATA", gbit * 0.8e9 / 8.0),
    };
    Some((format!("{gbit} Gbit/s {name}"), bytes))
}

/// The ports that are named at a place, and where what follows begins.
pub(super) fn ports(tokens: &[Token], at: usize) -> Option<(Ports, usize)> {
    counted(tokens, at).or_else(|| one(tokens, at, 1.0))
}

/// `8 x 8Gb FC`, `8 8Gb FC`, `4 ports of 16G FC`, `dual-port 10GbE`.
fn counted(tokens: &[Token], at: usize) -> Option<(Ports, usize)> {
    let count = number(tokens, at)?.value;
    let mut next = at + 1;
    for times in ["x", "×", "*", "-"] {
        next += words(tokens, next, &[times]).unwrap_or(0);
    }
    if let Some(length) = noun(tokens, next) {
        next += length;
        for filler in ["of", ",", "with"] {
            next += words(tokens, next, &[filler]).unwrap_or(0);
        }
    }
    one(tokens, next, count)
}

fn one(tokens: &[Token], at: usize, count: f64) -> Option<(Ports, usize)> {
    let (what, mut line, mut next) = pcie(tokens, at)
        .or_else(|| infiniband(tokens, at))
        .or_else(|| speed(tokens, at))
        .or_else(|| kind_first(tokens, at))?;
    let is_port = noun(tokens, next);
    next += is_port.unwrap_or(0);
    let mut count = count;
    let times = ["x", "×", "*"]
        .iter()
        .find_map(|x| words(tokens, next, &[x]));
    if let (Some(length), Some(n)) = (times, number(tokens, next + 1)) {
        count *= n.value;
        next += length + 1;
        next += noun(tokens, next).unwrap_or(0);
    }
    // A port of SAS has four lanes, and where it is not said which of the two is meant, it may be one.
    if what.ends_with("SAS") && is_port.is_some() {
        line *= 4.0;
    }
    let count = count.round().clamp(0.0, 1e6);
    let ports = Ports {
        count: count as u64,
        what,
        line: line * count,
        each_host: false,
    };
    Some((ports, next))
}

/// `PCIe 3.0 x4`, `PCIe gen4 x8`.
fn pcie(tokens: &[Token], at: usize) -> Option<(String, f64, usize)> {
    let mut next = at + words(tokens, at, &["pcie"]).or(words(tokens, at, &["pci", "express"]))?;
    next += words(tokens, next, &["gen"]).unwrap_or(0);
    let generation = number(tokens, next)?.value as usize;
    let bytes = PCIE.get(generation.checked_sub(1)?)?;
    next += 1;
    let mut lanes = 1.0;
    let times = ["x", "×"].iter().find_map(|x| words(tokens, next, &[x]));
    if let (Some(length), Some(n)) = (times, number(tokens, next + 1)) {
        lanes = n.value;
        next += length + 1;
    }
    Some((format!("PCIe {generation}.0 x{lanes}"), bytes * lanes, next))
}

/// `QDR InfiniBand`, `EDR`.
fn infiniband(tokens: &[Token], at: usize) -> Option<(String, f64, usize)> {
    let name = word(tokens, at)?;
    let (name, _, bytes) = INFINIBAND.iter().find(|(n, ..)| *n == name)?;
    let mut next = at + 1;
    for kind in ["infiniband", "ib"] {
        next += words(tokens, next, &[kind]).unwrap_or(0);
    }
    Some((format!("{} InfiniBand", name.to_uppercase()), *bytes, next))
}

/// `8Gb FC`, `16 Gbit/s Fibre Channel`, `10GbE`, `32GFC`.
fn speed(tokens: &[Token], at: usize) -> Option<(String, f64, usize)> {
    let TokenKind::Number(gbit) = tokens.get(at)?.kind else {
        return None;
    };
    let mut next = at + 1;
    let unit = word(tokens, next)?;
    if !matches!(unit.as_str(), "gbe" | "gige" | "gfc") {
        if !matches!(
            unit.as_str(),
            "g" | "gb" | "gbit" | "gbits" | "gbps" | "gig"
        ) {
            return None;
        }
        next += 1;
        for each in [&["/", "s"][..], &["/", "sec"], &["-"]] {
            next += words(tokens, next, each).unwrap_or(0);
        }
    }
    let kind = |at| {
        let mut known = KINDS.iter();
        known.find_map(|(name, kind)| Some((*kind, words(tokens, at, name)?)))
    };
    // `4 x 16 Gb/s ports of Fibre Channel`.
    let between =
        noun(tokens, next).map_or(0, |n| n + words(tokens, next + n, &["of"]).unwrap_or(0));
    let of = kind(next).or_else(|| kind(next + between).map(|(k, n)| (k, n + between)));
    let Some((of, length)) = of else {
        return unnamed(tokens, at, next);
    };
    let (what, bytes) = line(of, gbit.value)?;
    next += length;
    // `10Gb Ethernet iSCSI`.
    if let Some((_, more)) = kind(next) {
        next += more;
    }
    Some((what, bytes, next))
}

/// `SATA 6Gb`, `FC 16 Gbit/s`.
fn kind_first(tokens: &[Token], at: usize) -> Option<(String, f64, usize)> {
    let mut known = KINDS.iter();
    let (kind, length) = known.find_map(|(name, kind)| Some((*kind, words(tokens, at, name)?)))?;
    let (TokenKind::Number(gbit), TokenKind::Word(unit)) = (
        &tokens.get(at + length)?.kind,
        &tokens.get(at + length + 1)?.kind,
    ) else {
        return None;
    };
    // `NFS 4g` is the size of a file.
    let is_speed = matches!(*unit, "Gb" | "Gbit" | "Gbps" | "gbit" | "gbps");
    let (what, bytes) = line(kind, gbit.value).filter(|_| is_speed)?;
    let next = at + length + 2;
    let each = [&["/", "s"][..], &["/", "sec"]];
    let each = each.iter().find_map(|each| words(tokens, next, each));
    Some((what, bytes, next + each.unwrap_or(0)))
}

/// `100 Gb/s ports`, `25G RDMA links`: a port of a kind that is not said carries no more than its bits; of SAS it would have four lanes.
/// In `22 GB/s` bytes are meant.
fn unnamed(tokens: &[Token], at: usize, next: usize) -> Option<(String, f64, usize)> {
    let (TokenKind::Number(gbit), TokenKind::Word(unit)) =
        (&tokens.get(at)?.kind, &tokens.get(at + 1)?.kind)
    else {
        return None;
    };
    let fillers = ["rdma", "network", "fabric", "host"];
    let next = next
        + fillers
            .iter()
            .find_map(|w| words(tokens, next, &[w]))
            .unwrap_or(0);
    // `2 x 25 Gbps`.
    let is_counted = at > 1 && matches!(unit.to_lowercase().as_str(), "gbps" | "gbit");
    let is_counted = is_counted && words(tokens, at - 1, &["x"]).is_some();
    (is_counted || noun(tokens, next).is_some() && !unit.contains('B')).then_some(())?;
    let lanes = if [3.0, 6.0, 12.0, 24.0].contains(&gbit.value) {
        4.0
    } else {
        1.0
    };
    let line = gbit.value * 1e9 / 8.0 * lanes;
    Some((format!("{} Gbit/s", gbit.value), line, next))
}

/// A word for a port.
fn noun(tokens: &[Token], at: usize) -> Option<usize> {
    let known = [
        "port", "ports", "link", "links", "hba", "hbas", "lane", "lanes", "adapter", "adapters",
        "nic", "nics",
    ];
    let is = |word: String| known.contains(&word.as_str()) && !word.starts_with("lane");
    word(tokens, at).filter(|w| is(w.clone())).map(|_| 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claim::token::tokens;

    #[test]
    fn ports_are_known_however_they_are_written_and_have_their_lines_rate() {
        // Line rates as the standards have them: 850 MB/s of 8GFC, 1,700 of 16GFC, 4 GB/s of QDR.
        for (text, count, line) in [
            ("8 x 8Gb FC", 8, 6.8e9),
            ("8x8Gb FC", 8, 6.8e9),
            ("eight 8 Gbit/s Fibre Channel ports", 8, 6.8e9),
            ("8GFC x 8", 8, 6.8e9),
            ("4 ports of 16G FC", 4, 6.8e9),
            ("two 10GbE", 2, 2.5e9),
            ("2 x 25 Gb Ethernet", 2, 6.25e9),
            ("dual-port 100GbE", 2, 25e9),
            ("1 x 40Gb InfiniBand", 1, 4e9),
            ("QDR IB", 1, 4e9),
            ("2 EDR ports", 2, 25e9),
            ("4 x 12Gb SAS", 4, 4.8e9),
            ("2 12Gb SAS ports", 2, 9.6e9),
            ("6Gb SATA", 1, 0.6e9),
            ("PCIe 3.0 x4", 1, 3.938e9),
            ("PCIe gen4 x8", 1, 15.754e9),
            ("10Gb iSCSI", 1, 1.25e9),
        ] {
            let all = tokens(text);
            let (ports, next) = ports(&all, 0).unwrap_or_else(|| panic!("{text}"));
            assert_eq!((ports.count, next), (count, all.len()), "{text}: {ports:?}");
            assert!((ports.line / line - 1.0).abs() < 1e-3, "{text}: {ports:?}");
        }
        for none in ["4 hosts", "8 jobs", "3 TB", "7Gb FC", "4k"] {
            assert_eq!(super::ports(&tokens(none), 0), None, "{none}");
        }
    }
}
