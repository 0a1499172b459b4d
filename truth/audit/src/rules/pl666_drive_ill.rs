use crate::{HostAnswer, HostView, Symptom};
use plimsoll_evidence::Severity;
use plimsoll_evidence::witnessed::MediaState;
use plimsoll_printable::human;

rule! {
    666 "host-drive-ill" Host(check) INVALID pitfalls [23] {
        summary: "A drive says that it is ill, worn out or too hot.",
        why: "A drive that reads a sector many times before it gives it up, makes itself slower to stay cool, or has hardly any blocks left \
            to write to, answers like none of its kind, and tomorrow otherwise than today.",
        threshold: "Invalid: it says that it will fail, or has a critical warning other than of heat. Suspect: it is as hot as it warns \
            of, sectors wait to be given up, errors could not be corrected, or more than its rated life is used. Notes: sectors that it keeps \
            elsewhere, and transfers with a wrong checksum, which may be years old.",
        source: "An NVMe drive's health log, a SATA drive's SMART status and data, a SCSI drive's log pages. All but the last take root.",
        example: "sdc with 3 sectors pending: one read in a million takes 7 s.",
        remedy: "Look at `smartctl -a`, keep what is on it, and replace the drive before anything is measured on it.",
    }
    fires: |h| {
        tells(h, |d| {
            d.disk.as_mut().expect("told").failing = Some(true);
        })
    },
    clean: |h| tells(h, |_| {}),
}

fn check(view: &HostView<'_>) -> HostAnswer {
    let mut answer = HostAnswer::default();
    for device in &view.devices {
        let path = format!("/commands/drive {device}");
        match view
            .host
            .text(&path)
            .map(serde_json::from_str::<MediaState>)
        {
            None => {}
            Some(Err(_)) => answer.miss(path),
            Some(Ok(drive)) => answer.look(ills(device, &drive)),
        }
    }
    answer
}

fn ills(device: &str, drive: &MediaState) -> Vec<Symptom> {
    let mut found = Vec::new();
    let mut say = |seen: String, wanted: &str, at_most: Severity| {
        found.push(
            Symptom::new(device, seen)
                .wanted(wanted, "smartctl -a /dev/DISK")
                .at_most(at_most),
        );
    };
    let disk = drive.disk.unwrap_or_default();
    if disk.failing == Some(true) {
        say("it will fail soon".into(), "passed", Severity::Invalid);
    }
    if let Some(bits) = drive.critical_warning.filter(|bits| bits & !TOO_HOT != 0) {
        say(
            format!("critical warning {bits:#x}"),
            "0",
            Severity::Invalid,
        );
    }
    let hot = drive.celsius.zip(drive.celsius_warning);
    let hot = hot.filter(|(now, limit)| now >= limit);
    match (hot, drive.critical_warning.unwrap_or(0) & TOO_HOT) {
        (Some((now, limit)), _) => {
            let wanted = format!("below {limit:.0}");
            say(
                format!("{now:.0} degrees Celsius"),
                &wanted,
                Severity::Suspect,
            );
        }
        (None, 0) => {}
        (None, _) => say("too hot, or too cold".into(), "neither", Severity::Suspect),
    }
    if let Some(used) = drive.used.filter(|used| *used > 1.0) {
        let seen = format!("{} of its rated life", human::percent(used));
        say(seen, "at most all of it", Severity::Suspect);
    }
    let media = drive.health.map(|health| health.media_errors);
    for (count, what, at_most) in [
        (media, "errors of its media", Severity::Suspect),
        (
            disk.uncorrected,
            "errors that it could not correct",
            Severity::Suspect,
        ),
        (
            disk.pending,
            "sectors that it could not read",
            Severity::Suspect,
        ),
        (
            disk.reallocated,
            "sectors that it keeps elsewhere",
            Severity::Note,
        ),
        (
            disk.link_errors,
            "transfers with a wrong checksum",
            Severity::Note,
        ),
    ] {
        if let Some((_, count)) = count.filter(|(_, count)| *count > 0) {
            say(format!("{} {what}", human::count(count)), "none", at_most);
        }
    }
    found
}

/// The critical warning's bit of heat.
const TOO_HOT: u32 = 2;

#[cfg(test)]
fn tells(host: &mut plimsoll_evidence::HostState, change: impl FnOnce(&mut MediaState)) {
    use plimsoll_evidence::witnessed::DiskHealth;
    let mut drive = MediaState {
        name: "sdx".into(),
        celsius: Some(41.0),
        celsius_warning: Some(65.0),
        used: Some(0.4),
        disk: Some(DiskHealth {
            failing: Some(false),
            reallocated: Some((0, 0)),
            ..DiskHealth::default()
        }),
        ..MediaState::default()
    };
    change(&mut drive);
    let text = serde_json::to_string(&drive).expect("JSON");
    host.insert("/commands/drive sdx", text);
}

#[test]
fn each_ill_is_as_bad_as_it_is() {
    let worst = |change: fn(&mut MediaState)| {
        let mut host = crate::known::host();
        tells(&mut host, change);
        let found = check(&HostView::of_all(&host)).symptoms;
        found.iter().map(|s| (s.at_most, s.seen.clone())).max()
    };
    let said = |severity, text: &str| Some((severity, text.to_string()));
    let note = worst(|d| d.disk.as_mut().expect("told").reallocated = Some((12, 12)));
    assert_eq!(
        note,
        said(Severity::Note, "12 sectors that it keeps elsewhere")
    );
    let hot = worst(|d| d.celsius = Some(65.0));
    assert_eq!(hot, said(Severity::Suspect, "65 degrees Celsius"));
    assert_eq!(
        worst(|d| d.critical_warning = Some(2)),
        said(Severity::Suspect, "too hot, or too cold")
    );
    assert_eq!(
        worst(|d| d.critical_warning = Some(4)),
        said(Severity::Invalid, "critical warning 0x4")
    );
    assert_eq!(worst(|d| d.used = Some(1.0)), None);
    let mut host = crate::known::host();
    host.insert("/commands/drive sdx", "no JSON");
    assert_eq!(
        check(&HostView::of_all(&host)).unseen,
        ["/commands/drive sdx"]
    );
}
