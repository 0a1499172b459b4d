use crate::multipath::conf::FaultKind;
use crate::{HostAnswer, HostView, Symptom};

rule! {
    641 "multipath-odd-quotes" Host(check) SUSPECT pitfalls [] {
        summary: "multipath.conf has quotes as a word processor makes them.",
        why: "multipathd knows the straight quote alone. It passes over any other as over a blank, so a value with a blank in it ends there: a vendor or product is never matched.",
        threshold: "A typographic quote outside of a comment.",
        source: "The parser of libmultipath; multipath.conf(5).",
        example: "vendor in curly quotes, pasted from a manual: the array runs with the built-in defaults.",
        remedy: "Replace them with straight quotes; then multipathd reconfigure.",
    }
    fires: |h| {
        h.insert(
            "/etc/multipath.conf",
            "devices {\n device {\n vendor \u{201c}X\u{201d}\n }\n}",
        )
    },
    clean: crate::known::sound_multipath,
}

fn check(view: &HostView<'_>) -> HostAnswer {
    let mut answer = HostAnswer::default();
    for (path, conf) in view.multipath_confs() {
        let odd = conf.faults.iter().filter(|f| f.kind == FaultKind::Quotes);
        answer.look(odd.map(|fault| {
            Symptom::new("", format!("{path}, line {}: {}", fault.line, fault.text))
                .wanted("straight quotes", "multipath -t | less")
        }));
    }
    answer
}
