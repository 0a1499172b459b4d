//! How a host is set up, as the rules of the doctor look at it, and what they say.

use crate::multipath::conf::{self, Conf};
use crate::multipath::topology;
use plimsoll_evidence::{DeviceKind, HostState, Severity};

/// A host, and the devices that are asked about.
#[derive(Debug, Clone)]
pub struct HostView<'a> {
    /// State that was read of the host.
    pub host: &'a HostState,
    /// Kernel names of disks, those that a target is made of, or all.
    pub devices: Vec<String>,
    /// Number of paths that each map should have, where somebody says it.
    pub paths: Option<usize>,
}

/// Answer of a check of a host.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct HostAnswer {
    /// Symptoms: things that are not as they should be.
    pub symptoms: Vec<Symptom>,
    /// Number of things that the check looked at; 0: there is nothing of the kind, or nothing of it can be seen.
    pub looked: usize,
    /// Files and commands that it should have looked at and could not.
    pub unseen: Vec<String>,
}

/// One thing that is not as it should be.
#[derive(Debug, Clone, PartialEq)]
pub struct Symptom {
    /// Of what: a device, a map, a file; empty where it is the host's.
    pub subject: String,
    /// The value seen.
    pub seen: String,
    /// The value wanted.
    pub wanted: String,
    /// Command that mends it, for a shell; `DISK` stands for the subject.
    pub command: String,
    /// The most that its severity may be.
    pub at_most: Severity,
}

impl Symptom {
    /// Symptom of a device, a map or a file, or of the host where `subject` is empty.
    pub fn new(subject: &str, seen: impl Into<String>) -> Self {
        Symptom {
            subject: subject.to_string(),
            seen: seen.into(),
            wanted: String::new(),
            command: String::new(),
            at_most: Severity::Invalid,
        }
    }

    /// Symptom with the value wanted, and the command that sets it.
    #[must_use]
    pub fn wanted(mut self, value: &str, command: &str) -> Self {
        self.wanted = value.to_string();
        self.command = command.to_string();
        self
    }

    /// Symptom that is no worse than this.
    #[must_use]
    pub fn at_most(mut self, severity: Severity) -> Self {
        self.at_most = severity;
        self
    }

    /// Symptom that is no worse than a note where it is `mild`.
    #[must_use]
    pub fn note_if(mut self, mild: bool) -> Self {
        if mild {
            self.at_most = Severity::Note;
        }
        self
    }
}

impl HostAnswer {
    /// Counts a thing that was looked at, and adds what was found of it.
    pub fn look(&mut self, found: impl IntoIterator<Item = Symptom>) {
        self.looked += 1;
        self.symptoms.extend(found);
    }

    /// Notes a thing that should have been looked at and could not be.
    pub fn miss(&mut self, what: impl Into<String>) {
        self.unseen.push(what.into());
    }

    /// A setting of each device's queue. What is made of other devices need not have it.
    pub fn of_queues(
        view: &HostView<'_>,
        setting: &str,
        judge: impl Fn(&str, &str) -> Option<Symptom>,
    ) -> Self {
        let mut answer = HostAnswer::default();
        for device in &view.devices {
            let path = format!("/sys/block/{device}/queue/{setting}");
            match view.host.text(&path) {
                Some(text) if !text.is_empty() => answer.look(judge(device, text)),
                None if !view.has_queue(device) => {}
                _ => answer.miss(path),
            }
        }
        answer
    }

    /// A setting of each device's queue that is a number; what is none is not observable.
    pub fn of_numbers(
        view: &HostView<'_>,
        setting: &str,
        judge: impl Fn(&str, i64) -> Option<Symptom>,
    ) -> Self {
        let mut answer = HostAnswer::default();
        for device in &view.devices {
            let path = format!("/sys/block/{device}/queue/{setting}");
            match view.host.text(&path).map(str::parse) {
                Some(Ok(number)) => answer.look(judge(device, number)),
                None if !view.has_queue(device) => {}
                _ => answer.miss(path),
            }
        }
        answer
    }

    /// The kernel's log, where a line of this kind is a symptom. The last of them is shown; `is_one` gets its place in the log,
    /// from 0, and it in small letters.
    pub(crate) fn of_log(
        view: &HostView<'_>,
        wanted: &str,
        is_one: impl Fn(usize, &str) -> bool,
    ) -> Self {
        const COMMAND: &str = "dmesg --time-format iso | less";
        HostAnswer::of_file(view, "/commands/dmesg", |text| {
            let lines = text.lines().enumerate();
            let found: Vec<&str> = lines
                .filter(|(at, line)| is_one(*at, &line.to_ascii_lowercase()))
                .map(|(_, line)| line)
                .collect();
            if text.is_empty() {
                return None;
            }
            let symptom = found.last().map(|last| {
                let shown: String = last.chars().take(160).collect();
                let seen = format!("{} in the log, the last: {shown}", found.len());
                Symptom::new("", seen).wanted(wanted, COMMAND)
            });
            Some(symptom)
        })
    }

    /// A file of the host; `None` from `judge`: it says nothing that can be understood.
    pub fn of_file<Found: IntoIterator<Item = Symptom>>(
        view: &HostView<'_>,
        path: &str,
        judge: impl FnOnce(&str) -> Option<Found>,
    ) -> Self {
        let mut answer = HostAnswer::default();
        match view.host.text(path).and_then(judge) {
            Some(found) => answer.look(found),
            None => answer.miss(path),
        }
        answer
    }
}

impl<'a> HostView<'a> {
    /// All disks of a host.
    pub fn of_all(host: &'a HostState) -> Self {
        HostView {
            host,
            devices: host.disks(),
            paths: None,
        }
    }

    /// The configurations of dm-multipath, each with its path.
    pub(crate) fn multipath_confs(&self) -> Vec<(String, Conf)> {
        let main = std::iter::once("/etc/multipath.conf".to_string());
        let names = self.host.names("/etc/multipath/conf.d").into_iter();
        let more = names.filter(|n| n.ends_with(".conf"));
        main.chain(more.map(|n| format!("/etc/multipath/conf.d/{n}")))
            .filter_map(|path| Some((path.clone(), conf::parse(self.host.text(&path)?))))
            .collect()
    }

    /// The maps that `multipath -ll` lists. Where there is multipath and it could not be asked, that is missed.
    pub(crate) fn maps(&self, answer: &mut HostAnswer) -> Vec<topology::Map> {
        const PATH: &str = "/commands/multipath -ll";
        let disks = self.host.disks();
        let used = disks
            .iter()
            .any(|d| self.host.kind(d) == DeviceKind::Multipath);
        let maps = topology::parse(self.host.text(PATH).unwrap_or_default());
        if maps.is_empty() && (used || self.host.text(PATH).is_some_and(|t| !t.is_empty())) {
            answer.miss("multipath -ll");
        }
        maps
    }

    /// True where a device holds requests in a queue of its own, as those do that are made of no others.
    pub fn has_queue(&self, device: &str) -> bool {
        matches!(
            self.host.kind(device),
            DeviceKind::Disk | DeviceKind::Loop | DeviceKind::Multipath
        )
    }
}
