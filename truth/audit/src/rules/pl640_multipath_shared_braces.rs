use crate::multipath::conf::FaultKind;
use crate::{HostAnswer, HostView, Symptom};

rule! {
    640 "multipath-shared-braces" Host(check) INVALID pitfalls [] {
        summary: "A line of multipath.conf has a brace beside other words, and multipathd ignores it.",
        why: "multipathd reads line by line: what follows a section's brace or an option's value on the same line is ignored, a closing brace too. Settings that were meant never take effect, and the section stays open.",
        threshold: "A brace on a line after what is read of it.",
        source: "The parser of libmultipath: validate_config_strvec warns of extra data and goes on.",
        example: "defaults { no_path_retry 12 } on one line: the map does not queue at all, and an outage of a second is an error.",
        remedy: "Give each brace that closes, and each option, a line of its own; then multipathd reconfigure.",
    }
    fires: |h| h.insert("/etc/multipath.conf", "defaults { no_path_retry fail }"),
    clean: crate::known::sound_multipath,
}

fn check(view: &HostView<'_>) -> HostAnswer {
    let mut answer = HostAnswer::default();
    for (path, conf) in view.multipath_confs() {
        let odd = conf
            .faults
            .iter()
            .filter(|f| f.kind == FaultKind::SharedBrace);
        answer.look(odd.map(|fault| {
            Symptom::new("", format!("{path}, line {}: {}", fault.line, fault.text)).wanted(
                "each option and closing brace on a line of its own",
                "multipath -t | less",
            )
        }));
    }
    answer
}
