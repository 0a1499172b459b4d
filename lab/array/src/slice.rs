//! Which core owns an address: slices of the LUN, dealt to the cores with the controllers in turn.

/// The dealing of a LUN's slices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slicing {
    bytes: u64,
    /// log2 of them where they are a power of two, as they mostly are: a shift costs less than a division.
    shift: Option<u32>,
    cores: u64,
}

impl Slicing {
    /// Slices of `slice_bytes` over `cores`.
    ///
    /// Core `c` is the core `c % k` of controller `c / k` where a controller has `k` cores: segment 0 goes to controller
    /// 0 core 0, segment 1 to controller 0 core 1, segment 2 to controller 1 core 0, and after the last controller it
    /// starts again (the published map of the array that this follows).
    pub fn new(slice_bytes: u64, cores: u64) -> Self {
        let bytes = slice_bytes.max(1);
        Slicing {
            bytes,
            shift: bytes.is_power_of_two().then(|| bytes.trailing_zeros()),
            cores: cores.max(1),
        }
    }

    /// The core that owns the byte at `offset`.
    #[inline]
    pub fn owner(&self, offset: u64) -> usize {
        let slice = match self.shift {
            Some(shift) => offset >> shift,
            None => offset / self.bytes,
        };
        (slice % self.cores) as usize
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

    #[test]
    fn a_slice_that_is_no_power_of_two_is_as_long_as_it_says() {
        let slicing = Slicing::new(192 << 10, 4);
        // 256 KiB from the start are three quarters of one owner's and a quarter of the next one's.
        let owners = (0..64u64).map(|n| slicing.owner(n * 4096));
        let counts = owners.fold([0; 4], |mut counts, owner| {
            counts[owner] += 1;
            counts
        });
        assert_eq!(counts, [48, 16, 0, 0]);
        assert_eq!(slicing.owner((192 << 10) - 1), 0);
        assert_eq!(slicing.owner(4 * (192 << 10)), 0);
    }
}
