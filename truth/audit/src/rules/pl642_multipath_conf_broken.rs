use crate::multipath::conf::FaultKind;
use crate::{HostAnswer, HostView, Symptom};

rule! {
    642 "multipath-conf-broken" Host(check) SUSPECT pitfalls [] {
        summary: "A line of multipath.conf is not in its grammar.",
        why: "multipathd complains of it once in its log and goes on without it, so that settings are missing which somebody believes in.",
        threshold: "A brace that opens or closes nothing, a section that is never closed, an option without value, extra words.",
        source: "The parser of libmultipath; multipath.conf(5).",
        example: "A closing brace too many ends devices early: what follows counts for nothing.",
        remedy: "Mend the line, then multipathd reconfigure, and see what it took with multipath -t.",
    }
    fires: |h| h.insert("/etc/multipath.conf", "}"),
    clean: crate::known::sound_multipath,
}

fn check(view: &HostView<'_>) -> HostAnswer {
    let mut answer = HostAnswer::default();
    for (path, conf) in view.multipath_confs() {
        let odd = conf.faults.iter().filter(|f| f.kind == FaultKind::Broken);
        answer.look(odd.map(|fault| {
            Symptom::new("", format!("{path}, line {}: {}", fault.line, fault.text))
                .wanted("the grammar of multipath.conf(5)", "multipath -t | less")
        }));
    }
    answer
}
