//! Rules without a check of their own: somebody finds what they say under their name while the measurement goes on.

macro_rules! made {
    ($($number:literal $name:literal $kind:ident($maker:expr) $severity:tt pitfalls $pitfalls:tt $page:tt)*) => {
        pub(super) const RULES: &[crate::Rule] =
            &[$(rule! { $number $name $kind($maker) $severity pitfalls $pitfalls $page }),*];
    };
}

mod methods;
mod results;
mod steps;

/// All of them, by their numbers.
pub(super) const RULES: [&[crate::Rule]; 3] = [steps::RULES, methods::RULES, results::RULES];
