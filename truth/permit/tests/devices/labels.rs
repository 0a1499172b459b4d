//! What Plimsoll alone has written is known again, and nothing else is taken for it.

use super::*;

#[test]
fn a_device_that_was_written_when_blank_is_known_again_until_it_is_something_else() {
    let disk = or_skip!(Loop::new(32 * MIB));
    let write = |permit: WritePermit, byte: u8| {
        let open = permit.open(OpenFlags::empty()).unwrap();
        open.hold.begin("hint").unwrap();
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

/// A labelled device after a run that came to its end, or was cut off.
fn labelled(size: u64, is_ended: bool) -> Result<Loop, String> {
    let disk = Loop::new(size)?;
    let open = assess(&disk.device, &[])
        .unwrap()
        .open(OpenFlags::empty())
        .unwrap();
    open.hold.begin("hint").unwrap();
    open.file.write_all_at(&[1; 8192], 24 * MIB).unwrap();
    open.file.sync_all().unwrap();
    let cut_off = first_sector(&disk.device);
    drop(open.file);
    drop(open.hold);
    if !is_ended {
        put(&disk, 0, &cut_off);
    }
    Ok(disk)
}

#[test]
fn what_somebody_writes_to_a_device_while_a_run_does_is_not_taken_for_the_runs() {
    let disk = or_skip!(Loop::new(64 * MIB));
    let run = |meanwhile: &dyn Fn()| {
        let permit = assess(&disk.device, &[]).unwrap();
        let open = permit.open(OpenFlags::empty()).unwrap();
        open.hold.begin("hint").unwrap();
        open.file.write_all_at(&[1; 8192], 24 * MIB).unwrap();
        open.file.sync_all().unwrap();
        meanwhile();
    };
    run(&|| ());
    assert!(label_of(&disk).contains("content "), "{}", label_of(&disk));
    run(&|| put(&disk, MIB, &[b'x'; 512]));
    let refusal = assess(&disk.device, &[]).unwrap_err();
    assert!(refusal.why.contains("wrote to it meanwhile"), "{refusal}");
    put(&disk, MIB, &[0; 512]);
    assert_eq!(assess(&disk.device, &[]).unwrap().ground(), Ground::Made);
}

fn label_of(disk: &Loop) -> String {
    String::from_utf8_lossy(&first_sector(&disk.device)).into_owned()
}

fn put(disk: &Loop, at: u64, bytes: &[u8]) {
    let device = File::options().write(true).open(&disk.device).unwrap();
    device.write_all_at(bytes, at).unwrap();
    device.sync_all().unwrap();
}

#[test]
fn data_that_somebody_put_on_a_labelled_device_is_seen_and_stays() {
    for is_ended in [true, false] {
        for at in [512, 4 * MIB, 64 * MIB - 512] {
            let disk = or_skip!(labelled(64 * MIB, is_ended));
            assert_eq!(assess(&disk.device, &[]).unwrap().ground(), Ground::Made);
            put(&disk, at, &[b'x'; 512]);
            let before = bytes(&disk.device);
            let refusal = assess(&disk.device, &[]).unwrap_err();
            let message = match is_ended {
                true => "somebody has written to it since the last run".to_string(),
                false => format!(
                    "cut off, or somebody wrote to it meanwhile: at byte {}",
                    at.max(512) / 4096 * 4096
                ),
            };
            let message = message.replace("byte 0", "byte 512");
            assert!(refusal.why.contains(&message), "{refusal}, not {message}");
            assert!(refusal.why.contains("Plimsoll's label"), "{refusal}");
            assert_eq!(
                assess(&disk.device, &disk.name()).unwrap().ground(),
                Ground::Named
            );
            assert!(bytes(&disk.device) == before, "a look has changed it");
        }
    }
}

#[test]
fn after_a_run_that_was_cut_off_one_block_anywhere_on_a_device_is_seen_unless_it_is_large() {
    for (size, is_seen) in [(64 * MIB, true), (20 << 30, false)] {
        let disk = or_skip!(labelled(size, false));
        assert_eq!(assess(&disk.device, &[]).unwrap().ground(), Ground::Made);
        // Of so many places hardly all are looked at where only a sample is.
        let places = (17..60).step_by(5).map(|at| at * MIB + 8192);
        for at in places.filter(|_| is_seen) {
            put(&disk, at, &[b'x'; 512]);
            assert!(assess(&disk.device, &[]).is_err(), "{at}");
            put(&disk, at, &[0; 512]);
        }
        put(&disk, 4 * MIB, &[b'x'; 512]);
        assert!(assess(&disk.device, &[]).is_err());
    }
}

#[test]
fn what_tests_wrote_into_the_filler_behind_a_label_is_known_after_a_run_that_was_cut_off() {
    let disk = or_skip!(Loop::new(32 * MIB));
    let open = assess(&disk.device, &disk.name())
        .unwrap()
        .open(OpenFlags::empty())
        .unwrap();
    open.hold.begin("hint").unwrap();
    open.file.write_all_at(&[1; MIB as usize], MIB).unwrap();
    open.hold.filled(MIB).unwrap();
    for at in [4096, 12 * 1024 + 512, MIB - 4096] {
        open.file.write_all_at(&[1; 4096], at).unwrap();
    }
    open.file.sync_all().unwrap();
    let cut_off = first_sector(&disk.device);
    drop(open.file);
    drop(open.hold);
    put(&disk, 0, &cut_off);
    assert_eq!(assess(&disk.device, &[]).unwrap().ground(), Ground::Made);
    put(&disk, 8192, &[b'x'; 512]);
    assert!(assess(&disk.device, &[]).is_err());
}

#[test]
fn parts_of_one_device_have_one_label_that_the_last_of_them_renews() {
    let disk = or_skip!(Loop::new(32 * MIB));
    let open = |permit: WritePermit| permit.open(OpenFlags::empty()).unwrap();
    let first = open(assess(&disk.device, &[]).unwrap());
    let second = open(assess(&disk.device, &[]).unwrap());
    let content = || String::from_utf8_lossy(&first_sector(&disk.device)).into_owned();
    for open in [&first, &second] {
        open.hold.begin("hint").unwrap();
    }
    drop(first);
    assert!(content().contains("being written: hint"), "{}", content());
    second.file.write_all_at(&[9; 4096], MIB).unwrap();
    drop(second.file);
    drop(second.hold);
    assert!(!content().contains("being written"), "{}", content());
    assert_eq!(assess(&disk.device, &[]).unwrap().ground(), Ground::Made);
}

#[test]
fn a_label_that_was_copied_to_another_device_allows_nothing() {
    let disk = or_skip!(Loop::new(16 * MIB));
    let permit = assess(&disk.device, &[]).unwrap();
    let open = permit.open(OpenFlags::empty()).unwrap();
    open.hold.begin("hint").unwrap();
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
        FoundPath::Missing(new) => new.unwrap(),
        FoundPath::There(_) => panic!("nothing is there"),
    };
    let created = new.create().unwrap();
    created.keep().unwrap();
    std::fs::write(&paths[0], [2; 8192]).unwrap();
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

/// Where the text of a label that says what was left has no room and that of a run has.
#[test]
fn a_label_with_a_long_name_is_voided_too() {
    let _turn = turn();
    for length in [300, 385, 450] {
        let folder = tempfile::tempdir().unwrap();
        let base = folder.path().canonicalize().unwrap();
        let below = length - base.as_os_str().len() - "/disk".len() - 2;
        let deep = base
            .join("x".repeat(below / 2))
            .join("y".repeat(below.div_ceil(2)));
        std::fs::create_dir_all(&deep).unwrap();
        let disk = or_skip!(Loop::on(deep.join("disk"), folder, 32 * MIB, None));
        assert_eq!(disk.name()[0].len(), length);
        let run = |destroy: &[String]| {
            let permit = assess(&disk.device, destroy).unwrap();
            let open = permit.open(OpenFlags::empty()).unwrap();
            open.hold.begin("hint").unwrap();
            open.file.write_all_at(&[1; 8192], MIB).unwrap();
            open.file.sync_all().unwrap();
            let cut_off = first_sector(&disk.device);
            drop(open);
            cut_off
        };
        let cut_off = run(&[]);
        put(&disk, 0, &cut_off);
        put(&disk, 4 * MIB, &[b'x'; 512]);
        run(&disk.name());
        put(&disk, 4 * MIB, &[1; 512]);
        // Somebody else's data may lie anywhere between the writes.
        assert!(assess(&disk.device, &[]).is_err(), "{length}");
    }
}
