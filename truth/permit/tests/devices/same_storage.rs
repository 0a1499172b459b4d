//! Uses of the same storage by another device, by a lock, or by an image that is mounted as it is.

use super::*;
use std::io::Read;
use std::process::Child;

/// A program that has said that it is ready; it ends when this is dropped.
struct Running(Child);

impl Running {
    /// Starts a program that prints something when it is ready.
    fn start(program: &str, words: &[&str]) -> Result<Self, String> {
        let mut child = Command::new(program)
            .args(words)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .map_err(|error| format!("{program}: {error}"))?;
        let mut message = [0; 4];
        let read = child
            .stdout
            .as_mut()
            .map(|out| out.read_exact(&mut message));
        let running = Running(child);
        match read {
            Some(Ok(())) => Ok(running),
            _ => Err(format!("{program} did not start")),
        }
    }

    fn pid(&self) -> u32 {
        self.0.id()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Not all of them end with their input.
        drop(self.0.stdin.take());
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// QEMU with an image that it only reads, and has locked for that.
fn qemu_reads(image: &str) -> Result<Running, String> {
    let drive = format!("if=none,format=raw,readonly=on,file={image}");
    // Its greeting comes when its images are open.
    let words = [
        "-M", "none", "-display", "none", "-qmp", "stdio", "-drive", &drive,
    ];
    Running::start("qemu-system-x86_64", &words)
}

#[test]
fn an_image_that_qemu_reads_is_refused_and_so_is_the_loop_device_on_it() {
    let disk = or_skip!(Loop::new(8 * MIB));
    let qemu = or_skip!(qemu_reads(&disk.file.display().to_string()));
    let refusal = assess(&disk.device, &disk.name()).unwrap_err();
    let message = format!(
        "process {} (qemu-system-x86) has the file (which it is made of) locked",
        qemu.pid()
    );
    assert!(refusal.why.contains(&message), "{refusal}");
    let file = disk.folder.path().join("other");
    std::fs::write(&file, [1; 4096]).unwrap();
    let other = or_skip!(qemu_reads(&file.display().to_string()));
    let named = [file.display().to_string()];
    let refusal = assess(&file, &named).unwrap_err();
    let message = format!("process {} (qemu-system-x86) has it locked", other.pid());
    assert!(refusal.why.contains(&message), "{refusal}");
    drop((qemu, other));
    assert!(assess(&disk.device, &disk.name()).is_ok());
    assert!(assess(&file, &named).is_ok());
}

#[test]
fn qemu_does_not_open_what_plimsoll_may_write() {
    let disk = or_skip!(Loop::new(8 * MIB));
    let device = disk.device.display().to_string();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    File::create(&file).unwrap().set_len(MIB).unwrap();
    let name = file.display().to_string();
    for (driver, target) in [("host_device", &device), ("file", &name)] {
        let options = format!("driver=raw,file.driver={driver},file.filename={target}");
        let words = ["-r", "-c", "read 0 512", "--image-opts", &options];
        let read = || output("qemu-io", &words);
        or_skip!(read());
        let permit = assess(Path::new(target), &[]).unwrap();
        let refused = read().unwrap_err();
        assert!(refused.contains("lock"), "{refused}");
        drop(permit);
        assert!(read().is_ok());
    }
}

#[test]
fn a_lock_that_no_process_shows_is_asked_of_the_kernel() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    std::fs::write(&path, [1; 4096]).unwrap();
    // This process's own descriptors are passed over in /proc.
    let reader = File::open(&path).unwrap();
    plimsoll_witness::locks::keep_qemu_out(&reader);
    let named = [path.display().to_string()];
    let refusal = assess(&path, &named).unwrap_err();
    let message = "a process that cannot be seen from here has it locked";
    assert!(refusal.why.contains(message), "{refusal}");
    drop(reader);
    assert!(assess(&path, &named).is_ok());
}

#[test]
fn a_device_that_somebody_has_locked_is_refused_and_a_lock_that_ends_is_waited_for() {
    let disk = or_skip!(Loop::new(8 * MIB));
    let device = disk.device.display().to_string();
    let words = ["--shared", &device, "sh", "-c", "echo held; read end"];
    let holder = or_skip!(Running::start("flock", &words));
    let refusal = assess(&disk.device, &disk.name()).unwrap_err();
    assert!(refusal.why.contains("has it locked"), "{refusal}");
    let judged = std::thread::scope(|scope| {
        let judge = scope.spawn(|| assess(&disk.device, &disk.name()));
        drop(holder);
        judge.join().unwrap()
    });
    assert!(judged.is_ok(), "{judged:?}");
}

#[test]
fn an_image_that_is_mounted_without_a_loop_device_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    std::fs::create_dir(path("content")).unwrap();
    std::fs::write(path("content/file"), "something").unwrap();
    std::fs::create_dir(path("mounted")).unwrap();
    or_skip!(output("mkfs.erofs", &[&path("image"), &path("content")]));
    let words = ["-i", "-t", "erofs", &path("image"), &path("mounted")];
    or_skip!(output("mount", &words));
    let point = folder.path().join("mounted");
    let mounted = Mounted(&point);
    let image = folder.path().join("image");
    std::fs::hard_link(&image, path("link")).unwrap();
    for name in [path("image"), path("link")] {
        let refusal = assess(Path::new(&name), std::slice::from_ref(&name)).unwrap_err();
        assert!(refusal.why.contains("is mounted at"), "{refusal}");
        assert!(refusal.remedy.contains("umount"), "{refusal}");
    }
    drop(mounted);
    assert!(assess(&image, &[path("image")]).is_ok());
}

/// A loop device with two partitions, which the kernel is told of: it reads no table for that.
fn two_partitions(disk: &Loop) -> Result<[PathBuf; 2], String> {
    let device = disk.device.display().to_string();
    output("losetup", &["--detach", &device])?;
    let file = disk.file.display().to_string();
    // The same one again, as one that may have partitions.
    output("losetup", &["--partscan", &device, &file])?;
    let name = device.trim_start_matches("/dev/");
    let part = |number: u32, start: u64| {
        let words = [number.to_string(), start.to_string(), "16384".to_string()];
        output("addpart", &[&device, &words[0], &words[1], &words[2]])?;
        let told = std::fs::read_to_string(format!("/sys/class/block/{name}p{number}/dev"));
        let told = told.map_err(|error| format!("partition: {name}p{number}: {error}"))?;
        let (major, minor) = told.trim().split_once(':').ok_or("no number")?;
        let node = disk.folder.path().join(format!("part{number}"));
        output("mknod", &[&node.display().to_string(), "b", major, minor])?;
        Ok(node)
    };
    let parts: Result<_, String> = part(1, 2048).and_then(|one| Ok([one, part(2, 32768)?]));
    parts
}

#[test]
fn a_partition_is_in_use_where_its_disk_is_open_for_writing_and_free_beside_one_that_is_mounted() {
    let disk = or_skip!(Loop::new(64 * MIB));
    let parts = or_skip!(two_partitions(&disk));
    let name = [format!("{}-part1", disk.file.display())];
    let point = disk.folder.path().join("mounted");
    std::fs::create_dir(&point).unwrap();
    let second = parts[1].display().to_string();
    or_skip!(output("mkfs.ext4", &["-q", "-F", &second]));
    or_skip!(output("mount", &[&second, &point.display().to_string()]));
    let mounted = Mounted(&point);
    let beside = assess(&parts[0], &name);
    let whole = assess(&disk.device, &disk.name()).unwrap_err();
    drop(mounted);
    assert!(beside.is_ok(), "{beside:?}");
    assert!(whole.why.contains("is mounted at"), "{whole}");
    drop(beside);

    let device = disk.device.display().to_string();
    let script = format!("exec 7<>{device}; echo held; read end");
    let writer = or_skip!(Running::start("bash", &["-c", &script]));
    let refusal = assess(&parts[0], &name).unwrap_err();
    let loop_name = device.trim_start_matches("/dev/");
    let message = format!(
        "process {} (bash) has {loop_name} (which it is made of) open for writing",
        writer.pid()
    );
    assert!(refusal.why.contains(&message), "{refusal}");
    drop(writer);

    // A loop device on the whole one is a way to the partition, too.
    let upper = or_skip!(output("losetup", &["--find", "--show", &device]));
    let refusal = assess(&parts[0], &name);
    output("losetup", &["--detach", &upper]).unwrap();
    let refusal = refusal.unwrap_err();
    assert!(
        refusal.why.contains("is made of is part of loop"),
        "{refusal}"
    );
}

#[test]
fn what_lies_in_the_cache_of_a_partition_is_seen_by_the_look_at_its_disk_and_the_other_way_round() {
    let disk = or_skip!(Loop::new(64 * MIB));
    let parts = or_skip!(two_partitions(&disk));
    let name = disk
        .device
        .file_name()
        .unwrap()
        .to_string_lossy()
        .into_owned();
    if !Path::new(&format!("/dev/{name}p1")).exists() {
        plimsoll_skipped::skipped!("partitions get no nodes in /dev here");
        return;
    }
    for (written, looked_at) in [(&parts[0], &disk.device), (&disk.device, &parts[1])] {
        // As long as somebody reads it, the kernel keeps what was written to it.
        let reader = std::fs::File::open(written).unwrap();
        let at = if written == &disk.device { 17 * MIB } else { 0 };
        let writer = std::fs::File::options().write(true).open(written).unwrap();
        writer.write_all_at(b"precious", at).unwrap();
        drop(writer);
        let refused = assess(looked_at, &[]).unwrap_err().to_string();
        assert!(refused.contains("it holds data"), "{refused}");
        drop(reader);
    }
}
