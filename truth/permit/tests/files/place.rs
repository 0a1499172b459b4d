//! Folders on several file systems.

use plimsoll_permit::target::{FoundPath as Found, is_marked, look_up};
use plimsoll_skipped::skipped;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A folder, and what is mounted there.
pub struct TestFolder {
    folder: tempfile::TempDir,
    mounted: Option<PathBuf>,
}

impl TestFolder {
    pub fn path(&self, name: &str) -> PathBuf {
        let folder = self.mounted.as_deref().unwrap_or(self.folder.path());
        folder.join(name)
    }

    /// Runs a program there.
    #[track_caller]
    pub fn run(&self, words: &[&str]) {
        done(
            Command::new(words[0])
                .args(&words[1..])
                .current_dir(self.path("")),
        )
        .unwrap();
    }

    /// A file system that a program makes, on a loop device.
    fn made_by(words: &[&str]) -> Result<Self, String> {
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let [image, point] = ["image", "mounted"].map(|name| folder.path().join(name));
        let made = File::create(&image).and_then(|made| made.set_len(400 << 20));
        made.and_then(|()| std::fs::create_dir(&point))
            .map_err(|error| error.to_string())?;
        done(Command::new(words[0]).args(&words[1..]).arg(&image))?;
        done(
            Command::new("mount")
                .args(["-o", "loop"])
                .arg(&image)
                .arg(&point),
        )?;
        Ok(TestFolder {
            folder,
            mounted: Some(point),
        })
    }

    fn keeps_marks(&self) -> bool {
        let path = self.path("marked");
        let Ok(Found::Missing(Ok(new))) = look_up(&path) else {
            panic!("it may be made")
        };
        let created = new.create().unwrap();
        created.keep_meanwhile().unwrap();
        is_marked(&File::open(&path).unwrap())
    }
}

impl Drop for TestFolder {
    fn drop(&mut self) {
        if let Some(point) = &self.mounted {
            let _ = Command::new("umount").arg(point).status();
        }
    }
}

/// Tests in the folder for temporary files, in memory, and on file systems of which one keeps whole seconds alone.
pub fn everywhere(test: impl Fn(&TestFolder)) {
    let here = |folder: &Path| tempfile::tempdir_in(folder).map_err(|error| error.to_string());
    let unmounted = |folder| TestFolder {
        folder,
        mounted: None,
    };
    for made in [
        here(&std::env::temp_dir()).map(unmounted),
        here(Path::new("/dev/shm")).map(unmounted),
        TestFolder::made_by(&["mkfs.ext4", "-q", "-I", "128"]),
        TestFolder::made_by(&["mkfs.xfs", "-q"]),
    ] {
        match made {
            Ok(place) if place.keeps_marks() => test(&place),
            Ok(_) => skipped!("the temporary folder's file system keeps no user attributes"),
            Err(why) => skipped!("{why}"),
        }
    }
}

/// Runs a program that succeeds.
#[track_caller]
pub fn run(program: &str, words: &[&str]) {
    done(Command::new(program).args(words)).unwrap();
}

fn done(command: &mut Command) -> Result<(), String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let done = command
        .output()
        .map_err(|error| format!("{program}: {error}"))?;
    match done.status.success() {
        true => Ok(()),
        false => Err(format!(
            "{program}: {}",
            String::from_utf8_lossy(&done.stderr).trim()
        )),
    }
}
