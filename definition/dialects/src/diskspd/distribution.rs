//! `-rd`: where random I/Os go.

use super::model::{Distribution, Target};
use super::size::{digits, leading_size};

/// A hundred may have I/Os, and the others are gaps.
const MOST_RANGES: usize = 1000;

/// Reads `pct90/10:0/10:5/20` or `abs90/10G:5/20G`.
pub(super) fn parse(text: &str, block: u64) -> Result<Distribution, String> {
    let (absolute, mut rest) = match (text.strip_prefix("pct"), text.strip_prefix("abs")) {
        (Some(rest), _) => (false, rest),
        (_, Some(rest)) => (true, rest),
        _ => return Err("the distributions are pct and abs, as in -rdpct90/10:5/20".to_string()),
    };
    let mut ranges = Vec::new();
    loop {
        let (io, after) = digits(rest).map_err(|e| format!("percent of I/Os: {e}"))?;
        let io = u32::try_from(io)
            .ok()
            .filter(|io| *io <= 100)
            .ok_or(format!("{io} % of I/Os are more than 100"))?;
        let range = after
            .strip_prefix('/')
            .ok_or(format!("a `/` and a range have to follow {io}"))?;
        let (length, after) = match absolute {
            true => leading_size(range, block),
            false => digits(range),
        }
        .map_err(|e| e.to_string())?;
        if length == 0 {
            return Err("a range of the target has no length".to_string());
        }
        if !absolute && length > 100 {
            return Err(format!("{length} % of the target are more than 100"));
        }
        ranges.push((io, length));
        match after.strip_prefix(':') {
            Some(more) => rest = more,
            None if after.is_empty() => break,
            None => {
                return Err(format!(
                    "`{after}` stands behind the distribution; `:` parts its ranges"
                ));
            }
        }
    }
    Ok(Distribution::new(absolute, ranges))
}

/// What DiskSPD finds wrong with a distribution as a whole.
pub(super) fn check(target: &Target) -> Result<(), String> {
    let Some(distribution) = &target.distribution else {
        return Ok(());
    };
    if distribution.ranges.len() > MOST_RANGES {
        let many = distribution.ranges.len();
        return Err(format!("{many} ranges are more than {MOST_RANGES}"));
    }
    let (mut ios, mut reach) = (0u64, 0u64);
    let last = distribution.ranges.len().saturating_sub(1);
    for (at, (io, length)) in distribution.ranges.iter().enumerate() {
        let io = u64::from(*io);
        // The rest of the target has no length yet.
        if distribution.absolute
            && *length < u64::from(target.block)
            && !(*length == 0 && at == last)
        {
            return Err(format!(
                "a range of {length} bytes does not hold one I/O of {} bytes",
                target.block
            ));
        }
        if ios + io > 100 {
            return Err(format!(
                "the ranges have {} % of the I/Os, which are more than 100",
                ios + io
            ));
        }
        if !distribution.absolute {
            let end = reach.saturating_add(*length);
            if end > 100 {
                return Err(format!(
                    "the ranges are {end} % of the target, which are more than 100"
                ));
            }
            if end == 100 && ios + io < 100 {
                return Err(format!(
                    "the ranges are all of the target, and {} % of the I/Os are left",
                    100 - (ios + io)
                ));
            }
        }
        ios += io;
        reach = reach.saturating_add(*length);
    }
    if !distribution.absolute && reach != 100 {
        return Err(format!(
            "the ranges are {reach} % of the target, and have to be 100"
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_of_the_ios_goes_to_the_rest() {
        let of = |text| parse(text, 4096).map(|d| (d.absolute, d.ranges));
        let three = vec![(90, 10), (0, 10), (5, 20), (5, 60)];
        assert_eq!(of("pct90/10:0/10:5/20"), Ok((false, three)));
        let two = vec![(90, 10 << 30), (10, 0)];
        assert_eq!(of("abs90/10G"), Ok((true, two)));
        assert_eq!(of("abs100/2b"), Ok((true, vec![(100, 8192)])));
    }

    #[test]
    fn what_is_no_distribution_says_why() {
        for bad in [
            "",
            "zipf",
            "pct",
            "pct90",
            "pct90/",
            "pct90/0",
            "pct101/5",
            "pct5/101",
            "pct90/10:",
            "pct90/10;5/5",
            "abs10/0",
            "abs10/x",
            "pct-1/5",
        ] {
            assert!(parse(bad, 4096).is_err(), "{bad}");
        }
        let whole = |text| {
            check(&Target {
                distribution: Some(parse(text, 65536).expect("it reads")),
                ..Target::default()
            })
        };
        assert_eq!(whole("pct95/5:4/10"), Ok(()));
        assert_eq!(whole("abs50/64K"), Ok(()));
        for bad in [
            "pct60/10:60/10",
            "pct10/60:10/60",
            "pct10/100",
            "pct100/10",
            "abs10/4K",
        ] {
            assert!(whole(bad).is_err(), "{bad}");
        }
    }
}
