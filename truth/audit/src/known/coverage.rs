//! How often each rule spoke over the cases of all rules.

use super::*;
use crate::coverage::Coverage;
use crate::{HostAnswer, HostView};

fn examined(all: &mut Coverage, host: &HostState) {
    for rule in RULES.iter() {
        let Check::Host(check) = rule.check else {
            continue;
        };
        let HostAnswer {
            symptoms,
            looked,
            unseen,
        } = check(&HostView::of_all(host));
        let fired = !symptoms.is_empty();
        let clean = !fired && looked > 0;
        all.count(rule, fired, clean, !fired && !clean && !unseen.is_empty());
    }
}

fn over_the_cases() -> Coverage {
    let mut all = Coverage::default();
    for (_, known) in rules::KNOWN {
        match known {
            Known::Plan { fires, clean } => {
                for change in [fires, clean] {
                    all.add(&judge(&changed(|o| change(&mut o.plan)).view()));
                }
            }
            Known::Run { fires, clean } => {
                for change in [fires, clean] {
                    all.add(&judge(&changed(change).view()));
                }
            }
            Known::Host { fires, clean } => {
                for change in [fires, clean] {
                    let mut host = host();
                    change(&mut host);
                    examined(&mut all, &host);
                }
            }
        }
    }
    all
}

#[cfg(test)]
#[test]
fn the_table_of_the_cases_is_what_the_rules_say_of_them() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../docs/rules/coverage-cases.tsv");
    let text = over_the_cases().text();
    if std::env::var_os("PLIMSOLL_UPDATE").is_some() {
        std::fs::write(&path, &text).expect("the table can be written");
    }
    let written = std::fs::read_to_string(&path).expect("the table can be read");
    assert!(
        written == text,
        "docs/rules/coverage-cases.tsv is not what the rules say; run PLIMSOLL_UPDATE=1 cargo test -p plimsoll-audit"
    );
    assert_eq!(Coverage::parse(&text), over_the_cases());
}
