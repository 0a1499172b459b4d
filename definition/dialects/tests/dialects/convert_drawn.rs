//! Drawn plans become texts that read back as the same plan.

use crate::drawn;
use plimsoll_diagnostic::Sources;
use plimsoll_dialects::convert::{Original, to_native};
use plimsoll_dialects::native;
use plimsoll_plan::validate;
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, max_global_rejects: 200_000, ..ProptestConfig::default() })]

    #[test]
    fn a_plan_in_toml_is_the_same_plan(plan in drawn::plan()) {
        // What is no plan is refused when it is read, too.
        prop_assume!(validate(&plan).is_empty());
        let sources = Sources::default();
        let original = Original { plan: &plan, sources: &sources, beside: &[] };
        let text = to_native(&original).expect("the native dialect says all");
        let read = native::parse("drawn", &text);
        let read = read.unwrap_or_else(|failure| panic!("{failure}\n{text}"));
        prop_assert!(plan.normalized() == read.plan.normalized(), "{}\n{:#?}\n{:#?}", text, plan.normalized(), read.plan.normalized());
    }
}
