//! What the drives below the stacks tell of themselves in `/sys`: their temperature, and from where on they warn
//! (Documentation/hwmon/drivetemp.rst, and the kernel's nvme driver, whose `temp1_max` is the drive's warning threshold).

use super::Watched;
use crate::Root;
use plimsoll_evidence::witnessed::MediaState;
use std::time::{Duration, Instant};

/// A drive answers with a command of its own, so it is seldom asked. Heat is slow.
const SELDOM: Duration = Duration::from_secs(10);
/// NVMe's critical warning that a temperature is past its threshold (NVM Express base specification, SMART log, byte 0, bit 1).
const TOO_WARM: u32 = 1 << 1;

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
    sensor: String,
}

impl MediaSampler {
    pub fn new(root: &Root, what: &[Watched]) -> Self {
        let mut drives: Vec<Drive> = Vec::new();
        for name in what.iter().flat_map(|w| &w.devices) {
            if drives.iter().any(|d| d.name == *name) {
                continue;
            }
            drives.extend(sensor(root, name).map(|sensor| Drive {
                name: name.clone(),
                sensor,
            }));
        }
        MediaSampler {
            root: root.clone(),
            drives,
            rests_until: None,
        }
    }

    /// Each drive with a sensor; nothing where it was asked lately.
    pub fn look(&mut self) -> Vec<MediaState> {
        let now = Instant::now();
        if self.root.is_system() && self.rests_until.is_some_and(|until| now < until) {
            return Vec::new();
        }
        self.rests_until = Some(now + SELDOM);
        let root = &self.root;
        self.drives.iter().filter_map(|d| state(root, d)).collect()
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

fn state(root: &Root, drive: &Drive) -> Option<MediaState> {
    let sensor = &drive.sensor;
    // The kernel counts in thousandths.
    let celsius = |what: &str| -> Option<f64> {
        let of: i64 = root.number(format!("{sensor}/temp1_{what}"))?;
        Some(of as f64 / 1000.0)
    };
    let now = celsius("input")?;
    let alarm: Option<u32> = root.number(format!("{sensor}/temp1_alarm"));
    Some(MediaState {
        name: drive.name.clone(),
        celsius: Some(now),
        celsius_max: Some(now),
        celsius_warning: celsius("max").filter(|c| *c > 0.0),
        // Of the other warnings it tells nothing, so without this one nothing is known.
        critical_warning: alarm.filter(|a| *a > 0).map(|_| TOO_WARM),
        used: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn file(root: &Path, path: &str, text: &str) {
        let path = root.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

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
        assert_eq!(seen[1].used, None);
    }
}
