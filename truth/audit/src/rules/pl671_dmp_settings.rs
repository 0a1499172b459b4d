use crate::{HostAnswer, HostView, Symptom};

rule! {
    671 "dmp-settings" Host(check) SUSPECT pitfalls [] {
        summary: "VxVM's multipathing has paths that failed or don't come back, or settings of its own.",
        why: "DMP looks at failed paths only while its restore daemon runs. Without it a path that was pulled once stays away, and the next measurement has fewer of them.",
        threshold: "In vxdmpadm gettune all, dmp_restore_state is not enabled; a note where other tunables differ from their defaults. In vxdmpadm getsubpaths, a path that is DISABLED.",
        source: "vxdmpadm(1m).",
        example: "dmp_restore_state disabled: 15 of 16 paths, for good.",
        remedy: "vxdmpadm start restore; look for each path that is disabled, then vxdmpadm enable path=NAME.",
    }
    fires: |h| h.insert(TUNABLES, "dmp_restore_state  disabled  enabled\n"),
    clean: |h| {
        h.insert(TUNABLES, "Tunable  Current Value  Default Value\n-----  ----  ----\ndmp_restore_state  enabled  enabled\n");
        h.insert(SUBPATHS, "NAME  STATE[A]  PATH-TYPE[M] DMPNODENAME\nsdb  ENABLED(A)  -  emc0_1\n");
    },
}

const TUNABLES: &str = "/commands/vxdmpadm gettune all";
const SUBPATHS: &str = "/commands/vxdmpadm getsubpaths";

fn check(view: &HostView<'_>) -> HostAnswer {
    let mut answer = HostAnswer::default();
    if let Some(text) = view.host.text(TUNABLES) {
        answer.look(restore(text));
        answer.look(changed(text));
    }
    for line in view.host.text(SUBPATHS).unwrap_or_default().lines() {
        if let [path, state, ..] = line.split_whitespace().collect::<Vec<_>>()[..]
            && state.contains("ABLED")
        {
            let is_down = state.starts_with("DISABLED");
            let symptom = Symptom::new(path, state).wanted("ENABLED", "vxdmpadm enable path=DISK");
            answer.look(is_down.then_some(symptom));
        }
    }
    answer
}

/// Tunables, each with its value and its default.
fn tunables(text: &str) -> impl Iterator<Item = [&str; 3]> {
    text.lines().filter_map(
        |line| match line.split_whitespace().collect::<Vec<_>>()[..] {
            [name, now, default] if name.starts_with("dmp_") => Some([name, now, default]),
            _ => None,
        },
    )
}

fn restore(text: &str) -> Option<Symptom> {
    let [_, now, _] = tunables(text).find(|[name, ..]| *name == "dmp_restore_state")?;
    let symptom = Symptom::new("", format!("dmp_restore_state {now}"));
    (now != "enabled").then(|| symptom.wanted("enabled", "vxdmpadm start restore"))
}

fn changed(text: &str) -> Option<Symptom> {
    let own = tunables(text)
        .filter(|[name, now, default]| now != default && *name != "dmp_restore_state");
    let own: Vec<String> = own
        .map(|[name, now, default]| format!("{name} {now} (default {default})"))
        .collect();
    (!own.is_empty()).then(|| {
        Symptom::new("", own.join(", "))
            .wanted(
                "their defaults, unless somebody set them on purpose",
                "vxdmpadm gettune all",
            )
            .note_if(true)
    })
}

#[test]
fn paths_that_are_away_and_values_of_ones_own_are_named() {
    let files = [
        (
            TUNABLES,
            "dmp_lun_retry_timeout  0  30\ndmp_restore_state  stopped  enabled\ndmp_queue_depth  32  32\n",
        ),
        (
            SUBPATHS,
            "NAME  STATE[A]  TYPE\n====\nsdb  ENABLED(A)  -\nsdc  DISABLED  -\n",
        ),
    ];
    let answer = check(&HostView::of_all(&crate::known::host_with(&files)));
    let seen: Vec<&str> = answer.symptoms.iter().map(|s| s.seen.as_str()).collect();
    assert_eq!(
        seen,
        [
            "dmp_restore_state stopped",
            "dmp_lun_retry_timeout 0 (default 30)",
            "DISABLED"
        ]
    );
}
