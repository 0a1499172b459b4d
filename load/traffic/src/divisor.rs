//! Division by a number that is mostly a power of two.

/// A divisor; powers of two divide by a shift.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Divisor {
    value: u64,
    shift: Option<u32>,
}

impl Divisor {
    /// Divides by `value`, which is not 0.
    pub(crate) fn new(value: u64) -> Self {
        Divisor {
            value,
            shift: value.is_power_of_two().then(|| value.trailing_zeros()),
        }
    }

    /// The quotient.
    #[inline(always)]
    pub(crate) fn divide(self, x: u64) -> u64 {
        match self.shift {
            Some(s) => x >> s,
            None => x / self.value,
        }
    }

    /// The least multiple that is not below `x`.
    #[inline(always)]
    pub(crate) fn round_up(self, x: u64) -> u64 {
        match self.shift {
            Some(_) => (x + (self.value - 1)) & !(self.value - 1),
            None => x.next_multiple_of(self.value),
        }
    }

    /// The divisor.
    #[inline(always)]
    pub(crate) fn value(self) -> u64 {
        self.value
    }
}
