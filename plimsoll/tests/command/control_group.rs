//! A control group in which the program runs.

use crate::place::{Done, TestFolder};
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// A control group of a test's own, which goes with it.
pub struct ControlGroup(PathBuf);

impl ControlGroup {
    /// One in `folder`, with this in these of its files; `None`, and a reason said, where none can be made.
    pub fn new(folder: PathBuf, files: &[(&str, &str)]) -> Option<Self> {
        let made = fs::create_dir(&folder);
        let group = ControlGroup(folder);
        let set = |(file, text): &(&str, &str)| fs::write(group.0.join(file), text);
        match made.and_then(|()| files.iter().try_for_each(set)) {
            Ok(()) => Some(group),
            Err(error) => {
                plimsoll_skipped::skipped!("a control group cannot be made here: {error}");
                None
            }
        }
    }

    /// Runs the program in it.
    pub fn run(&self, place: &TestFolder, words: &[&str]) -> Done {
        let program = place.command(words);
        let mut inside = Command::new("sh");
        inside
            .args(["-c", "echo $$ >\"$0\" && exec \"$@\""])
            .arg(self.0.join("cgroup.procs"))
            .arg(program.get_program())
            .args(program.get_args())
            .current_dir(place.folder())
            .stdin(Stdio::null());
        Done::new(&inside.output().expect("it runs"), words)
    }
}

impl Drop for ControlGroup {
    fn drop(&mut self) {
        let _ = fs::remove_dir(&self.0);
    }
}
