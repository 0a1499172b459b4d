//! Which core owns an address: slices of the LUN, dealt to the cores with the controllers in turn.

/// The dealing of a LUN's slices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slicing {
    /// log2 of the slice's bytes.
    shift: u32,
    cores: u64,
}

impl Slicing {
    /// Slices of `slice_bytes` (rounded up to a power of two) over `cores`.
    ///
    /// Core `c` is the core `c % k` of controller `c / k` where a controller has `k` cores: segment 0 goes to controller
    /// 0 core 0, segment 1 to controller 0 core 1, segment 2 to controller 1 core 0, and after the last controller it
    /// starts again (the published map of the array that this follows).
    pub fn new(slice_bytes: u64, cores: u64) -> Self {
        Slicing {
            shift: slice_bytes.max(1).next_power_of_two().trailing_zeros(),
            cores: cores.max(1),
        }
    }

    /// The core that owns the byte at `offset`.
    #[inline]
    pub fn owner(&self, offset: u64) -> usize {
        ((offset >> self.shift) % self.cores) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_go_round_the_cores_and_strides_of_all_cores_alias() {
        let slicing = Slicing::new(1 << 20, 8);
        let owners: Vec<_> = (0..10).map(|s| slicing.owner(s << 20)).collect();
        assert_eq!(owners, [0, 1, 2, 3, 4, 5, 6, 7, 0, 1]);
        assert_eq!(slicing.owner((1 << 20) - 1), 0);
        assert!((0..100).all(|k| slicing.owner((k * 8 + 3) << 20) == 3));
    }
}
