//! The table of rules in the documentation is made of the rules.

use plimsoll_foreign::checks::CHECKS;
use std::fmt::Write;
use std::path::Path;

#[test]
fn the_page_has_every_rule_with_its_threshold() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/audit-foreign.md");
    let page = std::fs::read_to_string(&path).expect("the page");
    let (head, rest) = page.split_once("<!-- rules").expect("the mark");
    let (mark, rest) = rest.split_once("-->\n").expect("its end");
    let (_, tail) = rest.split_once("<!-- end -->").expect("the other mark");
    let mut table = String::from("| Asked of | Rule | Speaks at | Because |\n|---|---|---|---|\n");
    for check in CHECKS {
        for rule in check.rules {
            let _ = writeln!(
                table,
                "| {} | `{}` | {} | {} |",
                check.name, rule.id, rule.threshold, rule.source
            );
        }
    }
    let made = format!("{head}<!-- rules{mark}-->\n{table}<!-- end -->{tail}");
    if std::env::var_os("PLIMSOLL_UPDATE").is_some() {
        std::fs::write(&path, made).expect("written");
    } else {
        assert!(page == made, "PLIMSOLL_UPDATE=1 writes the table anew");
    }
}
