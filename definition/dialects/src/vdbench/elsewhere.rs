//! What Vdbench itself does with a file beside its I/O on the storage that the runs use: nobody gave leave for that.

use super::Parsed;
use plimsoll_diagnostic::{Diagnostic, Span};

/// General parameters that start programs or switch what no manual tells.
const GENERAL: [&str; 4] = ["timeout", "psrset", "debug", "misc"];

/// What an hd may say: all else names programs, mounts, or other hosts.
const HOST: [&str; 3] = ["hd", "system", "jvms"];

/// The code of these complaints.
const CODE: &str = "beside";

/// All that Vdbench would touch or start which is no target of the plan.
pub(super) fn of(parsed: &Parsed) -> Vec<Diagnostic> {
    let definition = &parsed.definition;
    let mut out = Vec::new();
    for (name, span) in &definition.general.origins.0 {
        if GENERAL.contains(&name.as_str()) {
            let what = format!("with `{name}=` Vdbench does more than its I/O on the targets");
            out.push(complaint(what, *span));
        }
    }
    let hosts = definition.hosts.iter().chain(&definition.default_host);
    for host in hosts {
        for (name, span) in &host.origins.0 {
            let local = name != "system" || host.is_local();
            if !HOST.contains(&name.as_str()) || !local {
                let what =
                    format!("with `{name}=` Vdbench starts programs that are not its own here");
                out.push(complaint(what, *span));
            }
        }
    }
    // A label is the address where no system= gives one.
    let several = definition.hosts.iter().skip(1);
    let remote = definition.hosts.iter().filter(|h| !h.is_local());
    for host in several.chain(remote) {
        let what = format!(
            "hd={} is another host: both tools run on this one here",
            host.label
        );
        out.push(complaint(what, host.span));
    }
    out.dedup();
    out
}

fn complaint(what: String, span: Span) -> Diagnostic {
    Diagnostic::error(CODE, what)
        .at(span, "written here")
        .help("leave it out for this comparison")
}

#[cfg(test)]
mod tests {
    use crate::vdbench::{Input, parse};

    fn said(before: &str) -> Vec<String> {
        let text = format!(
            "{before}\nsd=sd1,lun=/tmp/x,size=1m\nwd=wd1,sd=sd1\nrd=rd1,wd=wd1,iorate=max,elapsed=4,interval=1\n"
        );
        let parsed = parse(&Input::text("a.parm", text)).expect("a definition");
        let found = parsed.elsewhere();
        found.into_iter().map(|d| d.message).collect()
    }

    #[test]
    fn what_starts_programs_or_reaches_other_hosts_is_named() {
        for (before, told) in [
            ("timeout=(60,/tmp/script)", "timeout="),
            ("debug=25", "debug="),
            ("misc=x", "misc="),
            ("hd=default,vdbench=/somewhere,jvms=1", "vdbench="),
            ("hd=default,shell=ssh", "shell="),
            ("hd=one,system=10.0.0.7", "system="),
            ("hd=one.example.org", "another host"),
            (
                "hd=a,system=localhost\nhd=b,system=localhost",
                "another host",
            ),
        ] {
            let all = said(before);
            assert!(all.iter().any(|m| m.contains(told)), "{before}: {all:?}");
        }
    }

    #[test]
    fn what_stays_on_the_targets_is_not() {
        for before in [
            "",
            "hd=default,jvms=2",
            "hd=localhost,jvms=1",
            "compratio=2\nformatsds=yes\nmessagescan=no",
        ] {
            assert_eq!(said(before), Vec::<String>::new(), "{before}");
        }
    }
}
