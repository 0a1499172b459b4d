//! What is in use is refused by whatever name, and what was judged is what is opened.

use super::*;

#[test]
fn a_device_that_somebody_holds_is_refused_even_by_name() {
    let disk = or_skip!(Loop::new(8 * MIB));
    let _held = plimsoll_witness::occupancy::claim(&disk.device).unwrap();
    let refusal = assess(&disk.device, &disk.name()).unwrap_err();
    assert!(refusal.why.contains("in use"), "{refusal}");
}

#[test]
fn a_claim_that_ends_meanwhile_is_waited_for() {
    let disk = or_skip!(Loop::new(8 * MIB));
    let held = plimsoll_witness::occupancy::claim(&disk.device).unwrap();
    let (asked, asks) = std::sync::mpsc::channel();
    let holder = std::thread::spawn(move || {
        asks.recv().unwrap();
        std::thread::sleep(std::time::Duration::from_millis(200));
        drop(held);
    });
    asked.send(()).unwrap();
    let judged = assess(&disk.device, &disk.name());
    holder.join().unwrap();
    assert!(judged.is_ok(), "{judged:?}");
}

#[test]
fn a_mounted_device_is_refused_even_by_name() {
    let disk = or_skip!(Loop::new(32 * MIB));
    or_skip!(output(
        "mkfs.ext4",
        &["-q", &disk.device.display().to_string()]
    ));
    let point = disk.folder.path().join("mounted");
    std::fs::create_dir(&point).unwrap();
    let words = [
        disk.device.display().to_string(),
        point.display().to_string(),
    ];
    or_skip!(output("mount", &[&words[0], &words[1]]));
    let mounted = Mounted(&point);
    let refusal = assess(&disk.device, &disk.name()).unwrap_err();
    assert!(refusal.why.contains("is mounted at"), "{refusal}");
    assert!(refusal.remedy.contains("umount"), "{refusal}");
    drop(mounted);
    assert!(assess(&disk.device, &disk.name()).is_ok());
}

#[test]
fn a_file_under_a_loop_device_is_refused_even_by_name() {
    let disk = or_skip!(Loop::new(8 * MIB));
    let refusal = assess(&disk.file, &disk.name()).unwrap_err();
    assert!(
        refusal.why.contains("in use") && refusal.remedy.contains("losetup -d"),
        "{refusal}"
    );
}

#[test]
fn every_name_of_a_mounted_devices_file_is_refused() {
    let disk = or_skip!(Loop::new(32 * MIB));
    let device = disk.device.display().to_string();
    or_skip!(output("mkfs.ext4", &["-q", &device]));
    let point = disk.folder.path().join("mounted");
    std::fs::create_dir(&point).unwrap();
    or_skip!(output("mount", &[&device, &point.display().to_string()]));
    let _mounted = Mounted(&point);
    let before = bytes(&disk.file);

    let hard_link = disk.folder.path().join("hard-link");
    std::fs::hard_link(&disk.file, &hard_link).unwrap();
    let bound = disk.folder.path().join("bound");
    File::create(&bound).unwrap();
    or_skip!(output(
        "mount",
        &[
            "--bind",
            &disk.file.display().to_string(),
            &bound.display().to_string()
        ]
    ));
    let bound_mount = Mounted(&bound);
    for name in [&hard_link, &bound] {
        let named = [name.display().to_string()];
        for destroy in [&[][..], &named, &disk.name()] {
            let refusal = assess(name, destroy).unwrap_err();
            assert!(refusal.why.contains("is mounted at"), "{refusal}");
        }
    }
    drop(bound_mount);
    assert_eq!(bytes(&disk.file), before);
}

#[test]
fn a_file_whose_name_ends_in_a_blank_is_known_under_its_loop_device() {
    let _turn = turn();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("disk ");
    File::create(&file).unwrap().set_len(8 * MIB).unwrap();
    let name = file.display().to_string();
    let device = or_skip!(output("losetup", &["--find", "--show", &name]));
    let refusal = assess(&file, &[]);
    output("losetup", &["--detach", &device]).unwrap();
    assert!(refusal.unwrap_err().why.contains("is part of loop"));
}

#[test]
fn a_swap_files_hard_link_is_refused() {
    let _turn = turn();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("swap");
    std::fs::write(&file, vec![0; 4 * MIB as usize]).unwrap();
    let name = file.display().to_string();
    or_skip!(output("chmod", &["600", &name]));
    or_skip!(output("mkswap", &[&name]));
    or_skip!(output("swapon", &[&name]));
    let link = folder.path().join("link");
    std::fs::hard_link(&file, &link).unwrap();
    let refusals = [&file, &link].map(|path| assess(path, &[path.display().to_string()]));
    output("swapoff", &[&name]).unwrap();
    for refusal in refusals {
        let refusal = refusal.unwrap_err();
        assert!(refusal.why.contains("swap space in use"), "{refusal}");
    }
}

#[test]
fn a_device_under_a_mounted_loop_device_is_refused_by_every_node() {
    let disk = or_skip!(Loop::new(32 * MIB));
    let lower = disk.device.display().to_string();
    or_skip!(output("mkfs.ext4", &["-q", &lower]));
    let upper = or_skip!(output("losetup", &["--find", "--show", &lower]));
    let point = disk.folder.path().join("mounted");
    std::fs::create_dir(&point).unwrap();
    let mounted = output("mount", &[&upper, &point.display().to_string()]);
    let guard = Mounted(&point);
    let alias = disk.folder.path().join("alias");
    let number = std::os::unix::fs::MetadataExt::rdev(&std::fs::metadata(&lower).unwrap());
    let (major, minor) = (number >> 8, number & 0xff);
    let made = output(
        "mknod",
        &[
            &alias.display().to_string(),
            "b",
            &major.to_string(),
            &minor.to_string(),
        ],
    );
    let refusals = [disk.device.as_path(), &alias].map(|path| assess(path, &disk.name()));
    drop(guard);
    output("losetup", &["--detach", &upper]).unwrap();
    or_skip!(mounted.and(made));
    for refusal in refusals {
        let refusal = refusal.unwrap_err();
        assert!(refusal.why.contains("in use"), "{refusal}");
    }
}

#[test]
fn a_link_that_is_swapped_after_the_look_leads_nowhere() {
    let disk = or_skip!(Loop::new(16 * MIB));
    let precious = disk.folder.path().join("precious");
    std::fs::write(&precious, vec![5; MIB as usize]).unwrap();
    let link = disk.folder.path().join("link");
    std::os::unix::fs::symlink(&disk.device, &link).unwrap();
    let permit = assess(&link, &[]).unwrap();
    std::fs::remove_file(&link).unwrap();
    std::os::unix::fs::symlink(&precious, &link).unwrap();
    let open = permit.open(OpenFlags::empty()).unwrap();
    open.file.write_all_at(&[9; 4096], 8192).unwrap();
    open.file.sync_all().unwrap();
    assert_eq!(bytes(&precious), vec![5; MIB as usize]);
    assert_eq!(bytes(&disk.file)[8192..8192 + 4096], [9; 4096]);
}

#[test]
fn a_loop_device_beside_one_that_is_used_is_refused() {
    let disk = or_skip!(Loop::new(64 * MIB));
    let file = disk.file.display().to_string();
    let half = (32 * MIB).to_string();
    let words = ["--find", "--show", "--offset", &half, &file];
    let sibling = or_skip!(output("losetup", &words));
    let refusals = [&[][..], &disk.name()].map(|destroy| assess(&disk.device, destroy));
    output("losetup", &["--detach", &sibling]).unwrap();
    for refusal in refusals {
        let refusal = refusal.unwrap_err();
        assert!(
            refusal.why.contains("is made of is part of loop"),
            "{refusal}"
        );
    }

    // Parts that have nothing in common are no business of each other's.
    let first = or_skip!(output(
        "losetup",
        &["--find", "--show", "--sizelimit", &half, &file]
    ));
    output("losetup", &["--detach", &disk.device.display().to_string()]).unwrap();
    let second = or_skip!(output("losetup", &words));
    let permit = assess(Path::new(&second), &[]);
    let allowed = permit.is_ok();
    drop(permit);
    for device in [&first, &second] {
        output("losetup", &["--detach", device]).unwrap();
    }
    assert!(allowed);
}

#[test]
fn a_loop_device_whose_file_somebody_writes_is_refused() {
    let disk = or_skip!(Loop::new(16 * MIB));
    let mut child = Command::new("sleep")
        .arg("60")
        .stdout(File::options().append(true).open(&disk.file).unwrap())
        .spawn()
        .unwrap();
    let refusal = assess(&disk.device, &disk.name());
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(refusal.unwrap_err().why.contains("open for writing"));
}

/// A node of a loop device's first partition, made here where nobody makes one under /dev.
fn partition_node(device: &str, folder: &Path) -> Result<String, String> {
    let name = device.trim_start_matches("/dev/");
    let number = std::fs::read_to_string(format!("/sys/class/block/{name}p1/dev"))
        .map_err(|error| format!("{name}p1: {error}"))?;
    let (major, minor) = number.trim().split_once(':').ok_or("no number")?;
    let node = folder.join("part").display().to_string();
    output("mknod", &[&node, "b", major, minor])?;
    Ok(node)
}

#[test]
fn a_loop_device_on_one_whose_partition_is_mounted_is_refused() {
    let _turn = turn();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("disk");
    // One Linux partition from sector 2,048 on (the master boot record's first entry).
    let mut table = [0u8; 512];
    table[450] = 0x83;
    table[454..458].copy_from_slice(&2048u32.to_le_bytes());
    table[458..462].copy_from_slice(&100_000u32.to_le_bytes());
    table[510..].copy_from_slice(&[0x55, 0xaa]);
    std::fs::write(&file, table).unwrap();
    File::options()
        .write(true)
        .open(&file)
        .and_then(|disk| disk.set_len(64 * MIB))
        .unwrap();
    let words = [
        "--partscan",
        "--find",
        "--show",
        &file.display().to_string(),
    ];
    let below = or_skip!(output("losetup", &words));
    let part = partition_node(&below, folder.path());
    if part.is_err() {
        // A kernel that reads no such table.
        output("losetup", &["--detach", &below]).unwrap();
    }
    let part = or_skip!(part);
    let point = folder.path().join("mounted");
    std::fs::create_dir(&point).unwrap();
    let made = output("mkfs.ext4", &["-q", "-F", &part]);
    let mounted = made.and_then(|_| output("mount", &[&part, &point.display().to_string()]));
    let guard = Mounted(&point);
    let upper = or_skip!(output("losetup", &["--find", "--show", &below]));
    let refusal = assess(Path::new(&upper), std::slice::from_ref(&below));
    output("losetup", &["--detach", &upper]).unwrap();
    drop(guard);
    output("losetup", &["--detach", &below]).unwrap();
    or_skip!(mounted);
    assert!(refusal.unwrap_err().why.contains("is mounted at"));
}

#[test]
fn a_file_that_was_filled_after_the_look_is_not_opened() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    File::create(&path).unwrap();
    let permit = assess(&path, &[]).unwrap();
    std::fs::write(&path, "somebody's").unwrap();
    let refused = permit.open(OpenFlags::empty()).unwrap_err();
    assert!(
        refused.to_string().contains("now it holds data"),
        "{refused}"
    );
    assert_eq!(bytes(&path), b"somebody's");
}

#[test]
fn a_device_that_is_mapped_while_its_descriptor_is_closed_is_refused() {
    let disk = or_skip!(Loop::new(8 * MIB));
    let text = "
import ctypes, os, sys
libc = ctypes.CDLL(None)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t] + [ctypes.c_int] * 3 + [ctypes.c_long]
file = os.open(sys.argv[1], os.O_RDWR)
assert libc.mmap(None, 4096, 3, 1, file, 0) != ctypes.c_void_p(-1).value
os.close(file)
print('held', flush=True)
sys.stdin.read()";
    let started = Command::new("python3")
        .args(["-c", text])
        .arg(&disk.device)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| format!("python3: {error}"));
    let mut child = or_skip!(started);
    let mut printed = [0; 5];
    let read = std::io::Read::read_exact(child.stdout.as_mut().unwrap(), &mut printed);
    let refusal = assess(&disk.device, &disk.name());
    drop(child.stdin.take());
    let pid = child.id();
    child.wait().unwrap();
    read.unwrap();
    let why = refusal.unwrap_err().why;
    assert!(
        why.contains(&format!("process {pid} ")) && why.contains("mapped for writing"),
        "{why}"
    );
    assert!(assess(&disk.device, &disk.name()).is_ok());
}
