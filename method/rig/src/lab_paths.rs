//! What came over the paths of simulated arrays.

use plimsoll_sim::{Lab, Look};

/// Number of requests that came over each path of each array so far.
pub(crate) fn paths_now(lab: &Lab) -> Vec<Vec<u64>> {
    lab.look().iter().map(requests).collect()
}

fn requests(look: &Look) -> Vec<u64> {
    look.paths.iter().map(|p| p.requests).collect()
}

/// The same, from an earlier time to the looks.
pub(crate) fn since(before: &[Vec<u64>], looks: &[Look]) -> Vec<Vec<u64>> {
    let each = before.iter().zip(looks);
    let of_array = |(before, look): (&Vec<u64>, &Look)| {
        let now = requests(look);
        now.iter()
            .zip(before)
            .map(|(n, b)| n.saturating_sub(*b))
            .collect()
    };
    each.map(of_array).collect()
}

/// The arrays' names, and those of their paths.
pub(crate) fn array_paths(lab: &Lab) -> Vec<(String, Vec<String>)> {
    let names = lab.arrays().into_iter().map(|a| a.name);
    let paths = paths_now(lab).into_iter().map(|paths| {
        let name = |number| format!("path {number}");
        (0..paths.len()).map(name).collect()
    });
    names.zip(paths).collect()
}
