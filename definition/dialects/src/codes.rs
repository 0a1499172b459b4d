//! Codes of the complaints of other tools' dialects, each with what it stands for.

macro_rules! codes {
    ($($name:ident $code:literal $title:literal;)*) => {
        $(#[doc = $title] pub const $name: &str = $code;)*
        /// Every code and its title, in order.
        pub const TABLE: &[(&str, &str)] = &[$(($code, $title)),*];
    };
}

#[cfg(test)]
mod tests {
    #[test]
    fn codes_are_unique_and_ascending() {
        for table in [
            crate::diskspd::codes::TABLE,
            crate::fio::codes::TABLE,
            crate::vdbench::codes::TABLE,
        ] {
            assert!(table.windows(2).all(|w| w[0].0 < w[1].0));
        }
    }
}
