//! What the drives below the stacks tell of themselves: their temperature, and from where on they warn, in `/sys`
//! (Documentation/hwmon/drivetemp.rst, and the kernel's nvme driver, whose `temp1_max` is the drive's warning threshold), and by
//! commands of their own.

use super::Watched;
use super::smart::{self, DriveProtocol, TOO_WARM, Told};
use crate::Root;
use plimsoll_evidence::witnessed::{DiskHealth, DriveHealth, MediaState};
use std::time::{Duration, Instant};

/// Where a captured tree has what its disks told of themselves: a text for each.
const CAPTURED: &str = "/commands/drive ";
/// A drive answers with a command of its own, so it is seldom asked. Heat is slow.
const SELDOM: Duration = Duration::from_secs(10);

/// Looks at drives.
#[derive(Debug)]
pub(super) struct MediaSampler {
    root: Root,
    drives: Vec<Drive>,
    rests_until: Option<Instant>,
}

#[derive(Debug)]
struct Drive {
    name: String,
    /// The folder with its sensor.
    sensor: Option<String>,
    /// By which commands it is asked; `None` where it has none.
    kind: Option<DriveProtocol>,
    /// What its health was at first.
    first: Option<DriveHealth>,
    disk_first: Option<DiskHealth>,
}

impl Drive {
    fn new(root: &Root, name: &str) -> Self {
        Drive {
            name: name.to_string(),
            sensor: sensor(root, name),
            kind: smart::kind(root, name),
            first: None,
            disk_first: None,
        }
    }
}

/// What a disk tells of itself now; `None` where it tells nothing. Of a captured tree what it told there.
pub(crate) fn now(root: &Root, name: &str) -> Option<MediaState> {
    match root.is_system() {
        true => {
            let mut drive = Drive::new(root, name);
            state(root, &mut drive, smart::ask(root, name))
        }
        false => serde_json::from_str(&root.text(captured(name))?).ok(),
    }
}

/// Where a captured tree has what a disk told of itself.
pub(crate) fn captured(name: &str) -> String {
    format!("{CAPTURED}{name}")
}

impl MediaSampler {
    pub fn new(root: &Root, what: &[Watched]) -> Self {
        let mut drives: Vec<Drive> = Vec::new();
        for name in what.iter().flat_map(|w| &w.devices) {
            if drives.iter().any(|d| d.name == *name) {
                continue;
            }
            let mut drive = Drive::new(root, name);
            // One that does not answer now may do so later, where it is asked for no other's cost.
            let told = smart::ask(root, name);
            if drive.sensor.is_none() && drive.kind != Some(DriveProtocol::Nvme) && told.is_none() {
                continue;
            }
            drive.first = told.and_then(|told| told.health);
            drive.disk_first = told.and_then(|told| told.disk);
            drives.push(drive);
        }
        MediaSampler {
            root: root.clone(),
            drives,
            rests_until: None,
        }
    }

    /// Each drive that tells; nothing where it was asked lately.
    pub fn look(&mut self) -> Vec<MediaState> {
        let now = Instant::now();
        if self.root.is_system() && self.rests_until.is_some_and(|until| now < until) {
            return Vec::new();
        }
        self.rests_until = Some(now + SELDOM);
        self.each(|kind| kind == DriveProtocol::Nvme)
    }

    /// Each drive that tells, however lately it was asked.
    pub fn ask(&mut self) -> Vec<MediaState> {
        self.each(|_| true)
    }

    fn each(&mut self, is_asked: impl Fn(DriveProtocol) -> bool) -> Vec<MediaState> {
        let root = &self.root;
        let each = self.drives.iter_mut();
        each.filter_map(|drive| {
            let told = drive.kind.filter(|kind| is_asked(*kind));
            let told = told.and_then(|_| smart::ask(root, &drive.name));
            state(root, drive, told)
        })
        .collect()
    }
}

/// The folder of a drive's sensor. Where a drive's controller has the sensor, as NVMe's, it is in the controller's folder, which
/// `device` leads to.
fn sensor(root: &Root, name: &str) -> Option<String> {
    let device = format!("/sys/class/block/{name}/device");
    for folder in [format!("{device}/hwmon"), device] {
        let names = root.names(&folder).into_iter();
        let mut sensors = names.filter(|n| {
            let number = n.strip_prefix("hwmon");
            number.is_some_and(|n| n.parse::<u32>().is_ok())
        });
        if let Some(sensor) = sensors.next() {
            return Some(format!("{folder}/{sensor}"));
        }
    }
    None
}

/// What its sensor and the drive itself tell; `None` where neither does.
fn state(root: &Root, drive: &mut Drive, told: Option<Told>) -> Option<MediaState> {
    let sensor = drive.sensor.as_ref();
    // The kernel counts in thousandths.
    let celsius = |what: &str| -> Option<f64> {
        let of: i64 = root.number(format!("{}/temp1_{what}", sensor?))?;
        Some(of as f64 / 1000.0)
    };
    let is_silent = told.is_none();
    let told = told.unwrap_or_default();
    let now = celsius("input").or(told.celsius);
    if now.is_none() && is_silent {
        return None;
    }
    let alarm: Option<u32> = sensor.and_then(|s| root.number(format!("{s}/temp1_alarm")));
    // Of the other warnings the sensor tells nothing, so without this one nothing is known.
    let alarm = alarm.filter(|a| *a > 0).map(|_| TOO_WARM);
    let health = told
        .health
        .map(|now| now.since(drive.first.get_or_insert(now)));
    let disk = told
        .disk
        .map(|now| now.since(drive.disk_first.get_or_insert(now)));
    Some(MediaState {
        name: drive.name.clone(),
        celsius: now,
        celsius_max: now,
        celsius_warning: celsius("max").filter(|c| *c > 0.0).or(told.celsius_warning),
        critical_warning: told.critical_warning.or(alarm),
        used: told.used,
        health,
        disk,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::root::file;

    #[test]
    fn a_drives_temperature_is_its_own_or_its_controllers() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        let sda = "sys/class/block/sda/device/hwmon/hwmon2";
        file(root, &format!("{sda}/temp1_input"), "41000\n");
        file(root, &format!("{sda}/temp1_max"), "60000\n");
        let nvme = "sys/class/block/nvme0n1/device/hwmon1";
        file(root, &format!("{nvme}/temp1_input"), "84850\n");
        file(root, &format!("{nvme}/temp1_max"), "81850\n");
        file(root, &format!("{nvme}/temp1_alarm"), "1\n");
        file(root, "sys/class/block/vda/device/vendor", "0x1af4\n");
        file(
            root,
            "sys/class/block/sdb/device/hwmon/hwmon3/name",
            "drivetemp\n",
        );
        let what = Watched {
            devices: ["dm-0", "sda", "nvme0n1", "vda", "sdb"]
                .map(String::from)
                .to_vec(),
            ..Watched::default()
        };
        let mut sampler = MediaSampler::new(&Root::at(root), &[what]);
        let seen = sampler.look();
        let told: Vec<_> = (seen.iter())
            .map(|m| {
                (
                    m.name.as_str(),
                    m.celsius,
                    m.celsius_warning,
                    m.critical_warning,
                )
            })
            .collect();
        assert_eq!(
            told,
            [
                ("sda", Some(41.0), Some(60.0), None),
                ("nvme0n1", Some(84.85), Some(81.85), Some(2))
            ]
        );
        assert_eq!((seen[1].used, seen[1].health), (None, None));
    }

    /// A log with so much written and so worn.
    fn log(written: u64, used: f64) -> Told {
        Told {
            critical_warning: Some(0),
            celsius: Some(40.0),
            used: Some(used),
            health: Some(DriveHealth {
                written_bytes: (written, written),
                ..DriveHealth::default()
            }),
            ..Told::default()
        }
    }

    #[test]
    fn a_captured_tree_tells_what_its_drives_told() {
        let folder = tempfile::tempdir().unwrap();
        let told = MediaState {
            name: "sda".into(),
            celsius: Some(41.0),
            disk: Some(DiskHealth {
                failing: Some(true),
                ..DiskHealth::default()
            }),
            ..MediaState::default()
        };
        let text = serde_json::to_string(&told).unwrap();
        file(folder.path(), "commands/drive sda", &text);
        file(folder.path(), "commands/drive sdb", "no JSON");
        let root = Root::at(folder.path());
        assert_eq!(now(&root, "sda"), Some(told));
        assert_eq!((now(&root, "sdb"), now(&root, "sdc")), (None, None));
    }

    #[test]
    fn a_drives_log_is_told_from_its_first_on_and_its_sensor_is_the_finer_thermometer() {
        let folder = tempfile::tempdir().unwrap();
        let root = Root::at(folder.path());
        let sensor = "sys/class/block/nvme0n1/device/hwmon1";
        file(folder.path(), &format!("{sensor}/temp1_input"), "40850\n");
        let mut drive = Drive {
            name: "nvme0n1".into(),
            sensor: Some(format!("/{sensor}")),
            kind: Some(DriveProtocol::Nvme),
            first: log(1000, 0.5).health,
            disk_first: None,
        };
        let seen = state(&root, &mut drive, Some(log(3000, 0.51))).unwrap();
        assert_eq!(seen.celsius, Some(40.85));
        assert_eq!((seen.used, seen.critical_warning), (Some(0.51), Some(0)));
        assert_eq!(seen.health.unwrap().written_bytes, (1000, 3000));
        // Without a sensor the log's own will do, and its first look is what counts from then on.
        (drive.sensor, drive.first) = (None, None);
        let seen = state(&root, &mut drive, Some(log(3000, 0.51))).unwrap();
        assert_eq!(seen.celsius, Some(40.0));
        assert_eq!(seen.health.unwrap().written_bytes, (3000, 3000));
        let seen = state(&root, &mut drive, Some(log(5000, 0.51))).unwrap();
        assert_eq!(seen.health.unwrap().written_bytes, (3000, 5000));
        assert_eq!(state(&root, &mut drive, None), None);
    }
}
