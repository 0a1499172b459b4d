//! Every option of the table does what the table says: it is refused by name and line, named as without effect, or read.

use plimsoll_dialects::fio::options::{Effect, ValueKind, all};
use plimsoll_dialects::fio::{self, Input};

fn value(kind: ValueKind) -> &'static str {
    match kind {
        ValueKind::Range => "4k-8k",
        ValueKind::Word(words) => words[0],
        _ => "1",
    }
}

#[test]
fn what_the_table_refuses_stops_the_run_at_its_line_and_the_rest_is_named() {
    for option in all() {
        let name = option.name;
        let beside = match name {
            "serialize_overlap" => "iodepth=2\nrw=randrw\n",
            _ => "",
        };
        let text = format!(
            "[x]\nioengine=null\nsize=1g\n{name}={}\n{beside}",
            value(option.kind)
        );
        let parsed = match fio::parse(&Input::text("a.fio", &text)) {
            Ok(parsed) => parsed,
            Err(refusal) => panic!("{name} is not read: {refusal}"),
        };
        let quoted = format!("`{name}`");
        match (option.effect, parsed.plan()) {
            (Effect::Works(_), _) => {}
            (Effect::Nothing(_), Ok(lowered)) => {
                let named = |w: &plimsoll_diagnostic::Diagnostic| w.message.contains(&quoted);
                assert!(
                    lowered.warnings.iter().any(named),
                    "{name} is left out silently"
                );
            }
            (Effect::Refused(..), Err(errors)) => {
                let [error] = &errors[..] else {
                    panic!("{name}: {errors:?}")
                };
                assert!(error.message.contains(&quoted), "{error:?}");
                let line = parsed
                    .sources
                    .line_column(error.labels[0].span.file, error.labels[0].span.start);
                assert_eq!(line, (4, 1), "{name}");
                assert!(error.help.is_some(), "{name} has no remedy");
            }
            (effect, planned) => panic!("{name}: {effect:?}, and {planned:?}"),
        }
    }
}

#[test]
fn what_is_switched_off_is_not_refused() {
    for text in [
        "flow=0",
        "exitall=0",
        "fill_device=0",
        "unlink=0",
        "verify=0",
        "verify=none",
        "lockfile=none",
    ] {
        let text = format!("[x]\nioengine=null\nsize=1g\n{text}\n");
        let parsed = fio::parse(&Input::text("a.fio", &text)).expect("it is read");
        assert!(parsed.plan().is_ok(), "{text}");
    }
}

#[test]
fn a_job_on_names_names_what_it_does_not_do() {
    for option in all().filter(|o| matches!(o.effect, Effect::Works(_))) {
        let name = option.name;
        // The first word of some asks for nothing.
        let asked = match option.kind {
            ValueKind::Word(words) => words[words.len() - 1],
            kind => value(kind),
        };
        let text = format!("[x]\nioengine=filestat\nfilesize=4k\n{name}={asked}\n");
        let parsed = fio::parse(&Input::text("a.fio", &text)).expect("it is read");
        let said = match parsed.plan() {
            Ok(lowered) => lowered.warnings,
            Err(errors) => errors,
        };
        let is_there = |label: &plimsoll_diagnostic::Label| {
            let place = parsed
                .sources
                .line_column(label.span.file, label.span.start);
            place == (4, 1)
        };
        let is_named = said.iter().any(|said| said.labels.iter().any(is_there));
        let is_done = "bs bsrange bssplit clat_percentiles continue_on_error cpumask cpus_allowed directory exec_postrun \
            exec_prerun file_service_type filename_format filesize group_reporting ignore_error iodepth ioengine \
            kb_base lat_percentiles loops name new_group nrfiles numjobs percentile_list rate \
            rate_iops rate_process runtime rw size stat_type stonewall time_based unified_rw_reporting";
        assert!(
            is_named || is_done.split(' ').any(|done| done == name),
            "{name}: {said:?}"
        );
    }
}
