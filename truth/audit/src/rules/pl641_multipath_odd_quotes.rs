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
        let odd: Vec<_> = conf
            .faults
            .iter()
            .filter(|f| f.kind == FaultKind::Quotes)
            .collect();
        let lines: Vec<String> = odd.iter().map(|f| f.line.to_string()).collect();
        answer.look(odd.first().map(|first| {
            let (lines, more) = match lines.len() {
                1 => (format!("line {}", lines[0]), ""),
                _ => (format!("lines {}", lines.join(", ")), ", and more"),
            };
            Symptom::new("", format!("{path}, {lines}: {}{more}", first.text))
                .wanted("straight quotes", "multipath -t | less")
        }));
    }
    answer
}

#[test]
fn a_stanza_is_named_once_with_its_lines() {
    let text = "devices {\n device {\n vendor \u{201c}X\u{201d}\n product \u{201c}Y\u{201d}\n }\n}";
    let host = crate::known::host_with(&[("/etc/multipath.conf", text)]);
    let symptoms = check(&HostView::of_all(&host)).symptoms;
    let [one] = &symptoms[..] else {
        panic!("{symptoms:#?}")
    };
    assert!(
        one.seen
            .contains("lines 3, 4: typographic quotes around `X`, and more"),
        "{one:?}"
    );
}
