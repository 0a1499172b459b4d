//! Vdbench's `hotband`: how far from the band's beginning its accesses go.

/// Cumulative probabilities at the sizes 0, 16, 32, 64, … megabytes, as measured on Vdbench 5.04.
pub const HOTBAND: [f64; 29] = [
    0.0, 0.0872, 0.1010, 0.1322, 0.1599, 0.2017, 0.2626, 0.3265, 0.3669, 0.3862, 0.4369, 0.4826,
    0.5238, 0.5608, 0.5941, 0.6240, 0.6510, 0.6753, 0.6972, 0.7168, 0.7345, 0.7505, 0.7648, 0.7777,
    0.7893, 0.7998, 0.8092, 0.8176, 1.0,
];

/// Megabyte of Vdbench; also the smallest band.
pub const HOTBAND_MEGABYTE: u64 = 1_000_000;

/// The size of a point of [`HOTBAND`], megabytes; between two of them the probability grows evenly.
pub fn hotband_size(point: usize) -> f64 {
    match point {
        0 => 0.0,
        n => 16.0 * 2f64.powi(n as i32 - 1),
    }
}

impl crate::HotbandMode {
    /// Bytes that a megabyte of the table comes to. Vdbench takes one for 1000 bytes, by a slip.
    pub fn bytes_of_megabyte(self) -> u64 {
        match self {
            crate::HotbandMode::Observed => 1000,
            crate::HotbandMode::Corrected => HOTBAND_MEGABYTE,
        }
    }
}
