//! What Plimsoll alone has written is known again, and nothing else is taken for it.

use super::*;

#[test]
fn a_device_that_was_written_when_blank_is_known_again_until_it_is_something_else() {
    let disk = or_skip!(Loop::new(32 * MIB));
    let write = |permit: WritePermit, byte: u8| {
        let open = permit.open(OpenFlags::empty()).unwrap();
        open.hold.begin().unwrap();
        open.file.write_all_at(&[byte; 8192], MIB).unwrap();
        open.file.sync_all().unwrap();
    };
    let permit = assess(&disk.device, &[]).unwrap();
    assert_eq!(permit.ground(), Ground::Blank);
    write(permit, 1);
    let permit = assess(&disk.device, &[]).unwrap();
    assert_eq!(permit.ground(), Ground::Made);
    write(permit, 2);
    drop(assess(&disk.device, &[]).unwrap());

    or_skip!(
        output(
            "mkfs.xfs",
            &["-q", "-f", &disk.device.display().to_string()]
        )
        .or_else(|_| output(
            "mkfs.ext4",
            &["-q", "-F", &disk.device.display().to_string()]
        ))
    );
    assert!(assess(&disk.device, &[]).is_err());
}

#[test]
fn a_label_that_was_copied_to_another_device_allows_nothing() {
    let disk = or_skip!(Loop::new(16 * MIB));
    let permit = assess(&disk.device, &[]).unwrap();
    let open = permit.open(OpenFlags::empty()).unwrap();
    open.hold.begin().unwrap();
    open.file.write_all_at(&[7; 8192], MIB).unwrap();
    open.file.sync_all().unwrap();
    drop(open);
    let copy = disk.folder.path().join("copy");
    std::fs::copy(&disk.file, &copy).unwrap();
    let name = copy.display().to_string();
    let device = or_skip!(output("losetup", &["--find", "--show", &name]));
    let refusal = assess(Path::new(&device), &[]);
    output("losetup", &["--detach", &device]).unwrap();
    assert!(refusal.unwrap_err().why.contains("it holds data"));
}

#[test]
fn a_mark_says_nothing_on_another_file_system_with_the_same_inode() {
    let _turn = turn();
    let disks = [or_skip!(Loop::mountable()), or_skip!(Loop::mountable())];
    let paths: Vec<PathBuf> = disks.iter().map(|(_, point)| point.join("file")).collect();
    let new = match look_up(&paths[0]).unwrap() {
        Place::Missing(new) => new.unwrap(),
        Place::There(_) => panic!("nothing is there"),
    };
    let created = new.create().unwrap();
    created.keep().unwrap();
    std::fs::write(&paths[0], [7; 8192]).unwrap();
    let copied = output(
        "cp",
        &[
            "--preserve=all",
            &paths[0].display().to_string(),
            &paths[1].display().to_string(),
        ],
    );
    let verdicts: Vec<bool> = paths.iter().map(|path| assess(path, &[]).is_ok()).collect();
    for (_, point) in &disks {
        let _ = output("umount", &[&point.display().to_string()]);
    }
    copied.unwrap();
    assert_eq!(verdicts, [true, false]);
}
